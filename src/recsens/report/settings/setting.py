"""One line of a settings statement."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Setting:
    """One line of a settings statement, with the sentences of the methods paragraph about it.

    Attributes
    ----------
    code, name
        The decision: its code in the taxonomy, such as ``A2``, and its name.
    value
        The design's option, with every parameter.
    meaning
        The meaning of the option, in a sentence or two.
    sentences
        The sentences about the decision in the methods paragraph; empty if the paragraph does not mention the decision.
    """

    code: str
    name: str
    value: str
    meaning: str
    sentences: tuple[str, ...] = ()
