"""Another program's command line, which is first split into arguments and then filled in."""

import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from recsens.errors import SpecError, nearest
from recsens.plugins.specs import Value, format_value

GIVEN = {
    "train": "the train ratings",
    "validation": "the validation ratings",
    "users": "the users to score",
    "items": "the items to score",
    "scores": "where to write the scores",
    "folder": "the folder that holds all of these",
    "seed": "a whole number from this study's seed",
    "threads": "how many threads to use",
}
"""Placeholders in a command besides its own parameters -> what replaces them."""

_PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_SHELL = {"&&", "||", "|", ";", "&", ">", ">>", "<", "<<", "2>", "2>&1", "&>"}
"""Arguments that have a meaning only in a shell."""


@dataclass(frozen=True)
class Command:
    """A command line: arguments that may contain words in braces as placeholders.

    No shell reads the command line. Quotes join words, as in a shell; ``{{`` and ``}}`` mean single braces.
    """

    arguments: tuple[str, ...]

    @classmethod
    def read(cls, line: str) -> Self:
        """Split a command line into arguments.

        Raises
        ------
        SpecError
            If there are no arguments, if a quotation mark or brace is not closed, or if only a shell could read the line.
        """
        try:
            arguments = tuple(shlex.split(line))
        except ValueError as error:
            raise SpecError(
                f"the command cannot be split into arguments: {str(error).lower()}",
                where=f"'{line}'",
                remedy="close the quotation mark, or write a backslash before it",
            ) from error
        if not arguments or not arguments[0]:
            raise SpecError("the command is empty", allowed='a program and its arguments: "python mine.py {train} {scores}"')
        if "\0" in line:
            raise SpecError("the command contains a zero byte, which an argument cannot contain", where=repr(line))
        command = cls(arguments)
        command._refuse_shell(line)
        command.words()
        return command

    def _refuse_shell(self, line: str) -> None:
        found = next((each for each in self.arguments if each in _SHELL or each.startswith(("~/", ">"))), None)
        if found is not None:
            raise SpecError(
                f"no shell reads the command, so '{found}' would only be an argument",
                where=f"'{line}'",
                remedy="write out paths; put several commands, or one with a redirection, into a script and name it in 'files'",
            )

    def words(self) -> list[str]:
        """List the distinct words in braces; raises SpecError for an unpaired brace."""
        found: dict[str, None] = {}
        for argument in self.arguments:
            for piece in _PIECE.finditer(argument):
                if piece[1] is None and piece[0] not in {"{{", "}}"}:
                    raise SpecError(
                        f"the argument '{argument}' holds a single '{piece[0]}'",
                        allowed="{word}, where word is the name of a parameter; for literal braces, write {{ and }}",
                    )
                if piece[1] is not None:
                    found[piece[1]] = None
        return list(found)

    def filled(self, values: Mapping[str, str]) -> list[str]:
        """Return the arguments with every placeholder replaced by its value; values are not searched for placeholders."""
        return [
            _PIECE.sub(lambda piece: values[piece[1]] if piece[1] is not None else piece[0][0], each) for each in self.arguments
        ]

    def refuse_words(self, own: Mapping[str, object], others: Iterable[str]) -> None:
        """Refuse unknown placeholders, parameters that no placeholder uses, and a command without ``{scores}``.

        ``own`` are the program's own parameters, which placeholders may name; ``others`` are the parameters of the recommender.

        Raises
        ------
        SpecError
            If one of these is found; the message names it.
        """
        words = self.words()
        known = {**GIVEN, **own}
        unknown = next((word for word in words if word not in known), None)
        if unknown is not None:
            raise SpecError(
                f"{{{unknown}}} is not a known placeholder{nearest(unknown, known)}",
                allowed=f"{', '.join(f'{{{word}}}' for word in known)}; for literal braces, write {{{{ and }}}}",
                remedy=f"give it a value, {unknown}=..., or correct the word" if unknown.isidentifier() else None,
            )
        idle = next((name for name in own if name not in words), None)
        if idle is not None:
            raise SpecError(
                f"the parameter '{idle}' is not in the command, so its value has no effect{nearest(idle, [*words, *others])}",
                remedy=f"put {{{idle}}} where the program expects it, or leave the parameter out",
            )
        if "scores" not in words:
            raise SpecError(
                "the command does not contain {scores}, the file that the program must write", remedy="add it as an argument"
            )


def word_of(value: Value) -> str:
    """Return a value as the text that replaces a placeholder: as in a study, but without quotation marks."""
    return value if isinstance(value, str) else format_value(value)
