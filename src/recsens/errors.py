"""Errors that a user can act on: culprit, place, what is allowed, what to do."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, Self, get_args

REFUSALS = "RECSENS_REFUSALS"
"""Environment variable with the file in which jobs note why they stopped, for whoever runs the workflow to repeat at its end."""


class RecsensError(Exception):
    """Base of every error that recsens raises about its input.

    Parameters
    ----------
    problem
        What is wrong, naming the culprit.
    where
        File, line or key at which it stands.
    allowed
        What would have been accepted.
    remedy
        What to do about it.
    """

    def __init__(
        self,
        problem: str,
        *,
        where: str | None = None,
        allowed: str | None = None,
        remedy: str | None = None,
    ) -> None:
        self.problem = problem
        self.where = where
        self.allowed = allowed
        self.remedy = remedy
        super().__init__(problem)

    def __str__(self) -> str:
        head = f"{self.where}: {self.problem}" if self.where else self.problem
        tails = [("allowed", self.allowed), ("what to do", self.remedy)]
        return "\n".join([head, *(f"  {label}: {text}" for label, text in tails if text)])

    def at(self, where: str) -> Self:
        """Return the same error, placed at ``where`` (outer places come first)."""
        place = f"{where}: {self.where}" if self.where else where
        return type(self)(self.problem, where=place, allowed=self.allowed, remedy=self.remedy)


class SpecError(RecsensError, ValueError):
    """A component is not written in the grammar, or its parameters do not fit."""


class ConfigError(RecsensError):
    """A study file says something that cannot be run."""


class DataError(RecsensError):
    """A data file cannot be read as declared."""


class DesignError(RecsensError):
    """Two decisions, or a decision and the data, exclude each other."""


class ArtefactError(RecsensError):
    """A file that recsens wrote is missing, truncated or of another schema."""


def plain(name: str) -> str:
    """Return a name without what spellings differ in: case, spaces and signs."""
    return "".join(sign for sign in name.lower() if sign.isalnum())


def nearest(name: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` for the nearest of ``known``, else an empty text."""
    choices = sorted(known)
    lowered = {choice.lower(): choice for choice in choices}
    close = get_close_matches(name.lower(), lowered, n=1, cutoff=0.55)
    return f"; did you mean '{lowered[close[0]]}'?" if close else ""


def check_word(name: str, word: object, words: Any) -> None:
    """Refuse a word that is none of a ``Literal``; None leaves the choice open.

    Raises
    ------
    DesignError
        With the nearest word and all that are allowed.
    """
    allowed = get_args(words)
    if word is not None and word not in allowed:
        near = nearest(word, allowed) if isinstance(word, str) else ""
        raise DesignError(f"{name} = {word!r} is unknown{near}", allowed=", ".join(allowed))
