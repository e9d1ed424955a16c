"""Errors that say what is wrong, where, what is allowed, and what to do."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from copy import copy
from difflib import get_close_matches
from typing import Any, Self, get_args


class RecsensError(Exception):
    """Base of every error about the input of recsens.

    Parameters
    ----------
    problem
        What is wrong, and with what.
    where
        The file, line or key that is wrong.
    allowed
        What would be accepted.
    remedy
        What the user can do about it.
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

    @property
    def head(self) -> str:
        """What is wrong, and where; not what is allowed or what to do."""
        return f"{self.where}: {self.problem}" if self.where else self.problem

    def __str__(self) -> str:
        tails = [("allowed", self.allowed), ("what to do", self.remedy)]
        return "\n".join([self.head, *(f"  {label}:{_after_colon(text)}" for label, text in tails if text)])

    def at(self, where: str) -> Self:
        """Return the same error with ``where`` prepended to its location."""
        error = copy(self)
        error.where = f"{where}: {self.where}" if self.where else where
        return error

    def within(self, component: str) -> Self:
        """Return the same error, found inside a component; the components around an error are joined to a path, outermost first."""
        if self.where and self.where.startswith(_WITHIN):
            error = copy(self)
            error.where = f"{_WITHIN}{component} > {self.where.removeprefix(_WITHIN)}"
            return error
        return self.at(f"{_WITHIN}{component}")


_WITHIN = "in "
"""Beginning of the location of an error inside a component."""

INSTALL_STUDY = "pip install 'recsens[study]'"
"""How to install what studies, reports and figures need beyond a plain installation."""

_OF_STUDIES = ("implicit", "matplotlib", "sklearn", "snakemake")
"""Beginnings of the names of the modules that `INSTALL_STUDY` installs."""


class MissingLibraryError(RecsensError, ImportError):
    """A library that a plain installation leaves out is missing."""


@contextmanager
def explain_missing_library() -> Iterator[None]:
    """Say what to install if a library that a plain installation leaves out is missing.

    Raises
    ------
    MissingLibraryError
        If such a library is missing; it replaces Python's own error.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if not library.startswith(_OF_STUDIES):
            raise
        raise MissingLibraryError(f"this needs the library {library}, which is not installed", remedy=INSTALL_STUDY) from error


def _after_colon(text: str) -> str:
    """Format what follows a colon: a list starts on the next line, other text after a space."""
    return text if text.startswith("\n") else f" {text}"


class SpecError(RecsensError, ValueError):
    """A component violates the grammar, or has invalid parameters."""


class ConfigError(RecsensError):
    """A study file asks for something that recsens cannot run."""


class MissingExtraError(ConfigError):
    """A component needs an extra of recsens that is not installed."""


class DataError(RecsensError):
    """A data file cannot be read as declared."""


class DesignError(RecsensError):
    """Two decisions, or a decision and the data, cannot be combined."""


class ShortOfMemoryError(DesignError):
    """A recommender needs more memory than this machine has left, or than its user allows."""


class ArtefactError(RecsensError):
    """A file written by recsens is missing or truncated, or has a different schema."""


def plain(name: str) -> str:
    """Normalise a name: ignore case, spaces and punctuation."""
    return "".join(sign for sign in name.lower() if sign.isalnum())


def nearest(name: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` for the nearest name in ``known``, or an empty text."""
    choices = sorted(known)
    lowered = {choice.lower(): choice for choice in choices}
    close = get_close_matches(name.lower(), lowered, n=1, cutoff=0.55)
    return f"; did you mean '{lowered[close[0]]}'?" if close else ""


def check_word(name: str, word: object, words: Any) -> None:
    """Refuse a word that is not in a ``Literal``; None is accepted.

    Raises
    ------
    DesignError
        If the word is not allowed; the message names the nearest and all allowed words.
    """
    allowed = get_args(words)
    if word is not None and word not in allowed:
        near = nearest(word, allowed) if isinstance(word, str) else ""
        raise DesignError(f"{name} = {word!r} is unknown{near}", allowed=", ".join(allowed))
