"""What data sets in a user's own file have in common: parameters, and an identity by content."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Self

from pydantic import Field, model_validator

from recsens.datasets._assemble import Duplicates
from recsens.datasets._base import DataSet, Loaded, RawFile
from recsens.datasets._fetch import digest
from recsens.datasets._rows import Invalid
from recsens.errors import ConfigError, DataError
from recsens.interactions import Scale
from recsens.seeds import Stream

_DIGITS = 12


class OwnFile(DataSet):
    """A data set in one file of the user's.

    Two files with the same layout are two data sets, so the first digits of the file's SHA-256 are part of its identity.
    """

    identity_excludes: ClassVar[tuple[str, ...]] = ("path",)

    path: str | None = Field(None, description="the file; relative paths start at the working directory")
    content: str | None = Field(
        None, pattern=r"^[0-9a-f]{8,64}$", description="first digits of the file's SHA-256, checked on reading; null is not checked"
    )
    lowest: float = Field(1.0, allow_inf_nan=False, description="lowest value of the rating scale")
    highest: float = Field(5.0, allow_inf_nan=False, description="highest value of the rating scale")
    step: float = Field(
        1.0, ge=0, allow_inf_nan=False, description="distance between neighbouring ratings; 0 if every value is allowed"
    )
    duplicates: Duplicates = Field(
        "error", description="what becomes of a pair that occurs again: error, first or last row, mean or max of its ratings"
    )
    invalid: Invalid = Field(
        "error", description="what becomes of a row that does not hold what is declared: error, or skip and count"
    )

    @model_validator(mode="after")
    def _check_scale(self) -> Self:
        if not self.lowest < self.highest:
            raise ValueError(f"lowest = {self.lowest:g} must be below highest = {self.highest:g}")
        return self

    @property
    def scale(self) -> Scale:
        """The declared rating scale."""
        return Scale(self.lowest, self.highest, self.step)

    def raw_files(self) -> tuple[RawFile, ...]:
        """List the one file.

        Raises
        ------
        ConfigError
            If no path is given.
        """
        if self.path is None:
            raise ConfigError(
                f"the data set '{self.spec}' does not say which file to read", remedy='give its path: path="ratings.csv"'
            )
        return (RawFile(name=Path(self.path).name, path=self.path),)

    def identified(self, files: Sequence[Path]) -> Self:
        """Return the data set with the digest of its file."""
        return self.model_copy(update={"content": digest(files[0])[:_DIGITS]})

    def load(self, files: Sequence[Path], stream: Stream) -> Loaded:
        """Read the file after checking its content."""
        path = files[0]
        if self.content is not None and not digest(path).startswith(self.content):
            raise DataError(
                f"the file is not the declared one: its SHA-256 is {digest(path)}",
                where=str(path),
                allowed=f"a SHA-256 that starts with {self.content}",
                remedy="name the right file in path=, or declare the new content",
            )
        return self._read(path)

    @abstractmethod
    def _read(self, path: Path) -> Loaded:
        """Read the file as declared."""
