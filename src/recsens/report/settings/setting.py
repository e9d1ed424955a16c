"""One line of a settings statement."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Setting:
    """One line of a settings statement, and what the methods paragraph says of the same.

    Attributes
    ----------
    code, name
        The decision: its code in the taxonomy, such as ``A2``, and its name.
    value
        What the design takes, as the study writes it and with every parameter written out.
    meaning
        What that means, in a plain sentence or two.
    sentences
        The same as sentences of the methods paragraph; none if it says nothing of it.
    """

    code: str
    name: str
    value: str
    meaning: str
    sentences: tuple[str, ...] = ()
