"""What data sets in a user's own file have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Self

from pydantic import Field, model_validator

from recsens.datasets._assemble import Duplicates
from recsens.datasets._base import DataSet, Loaded, RawFile
from recsens.datasets._rows import Invalid
from recsens.errors import ConfigError
from recsens.interactions import Scale
from recsens.seeds import Stream

MAX_RATING = 1e15
"""Largest rating, and its negative the lowest: whole numbers are exact up to it, and no sum or square overflows."""

MAX_STEPS, FINEST_STEP = 1_000_000_000, 1e-6
"""Most steps of a scale, and the least: a rating may lie a thousandth of a step from its value, which is kept to nine decimals."""


class OwnFile(DataSet):
    """A data set in one file of the user's."""

    synonyms: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("file", "filename", "file_path"), "path"),
        **dict.fromkeys(("sep", "delimiter"), "separator"),
        **dict.fromkeys(("user_col", "user_column", "user_id", "uid"), "user"),
        **dict.fromkeys(("item_col", "item_column", "item_id", "iid"), "item"),
        **dict.fromkeys(("rating_col", "rating_column", "score"), "rating"),
        **dict.fromkeys(("time", "date", "timestamp_col"), "timestamp"),
        **dict.fromkeys(("scale", "rating_scale"), "lowest, highest and step declare the scale: lowest=0.5,highest=5,step=0.5"),
        "min_rating": "lowest",
        "max_rating": "highest",
    }

    path: str | None = Field(None, description="the file; relative paths start at the working directory")
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
        if max(abs(self.lowest), abs(self.highest)) > MAX_RATING:
            raise ValueError(f"the scale from {self.lowest:g} to {self.highest:g} goes beyond {MAX_RATING:g}")
        if self.step and not FINEST_STEP <= self.step <= self.highest - self.lowest <= self.step * MAX_STEPS:
            raise ValueError(
                f"step = {self.step:g} must be at least {FINEST_STEP:g} and lead from lowest = {self.lowest:g} to highest = "
                f"{self.highest:g} in 1 to {MAX_STEPS:,} steps; 0 allows every value"
            )
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

    def load(self, files: Sequence[Path], stream: Stream) -> Loaded:
        """Read the one file."""
        return self._read(files[0])

    @abstractmethod
    def _read(self, path: Path) -> Loaded:
        """Read the file as declared."""
