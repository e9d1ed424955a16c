"""Base of data sets in a user's own file."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Self

from pydantic import Field, model_validator

from recsens.data.datasets._assemble import Repeats, assemble, kind_of_ratings, with_repeats
from recsens.data.datasets._base import DataSet, Described, Loaded, RawFile
from recsens.data.datasets._own_side_table import read_own
from recsens.errors import ConfigError
from recsens.files import FileTable, Invalid
from recsens.files.kinds import Kind
from recsens.files.row_faults import FaultyRowsError
from recsens.files.scale import FINEST_STEP, MAX_RATING, MAX_STEPS, Scale
from recsens.seeds import Stream


class OwnFile(DataSet):
    """A data set in a user's own file, with at most one further file each for users, items and interactions."""

    identity_excludes: ClassVar[tuple[str, ...]] = ("path", "users", "items", "contexts")
    describing: ClassVar[tuple[str, ...]] = ("users", "items", "contexts")
    reads_any_file: ClassVar[bool] = True
    synonyms: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("file", "filename", "file_path"), "path"),
        **dict.fromkeys(("sep", "delimiter"), "separator"),
        **dict.fromkeys(("user_col", "user_column", "user_id", "uid"), "user"),
        **dict.fromkeys(("item_col", "item_column", "item_id", "iid"), "item"),
        **dict.fromkeys(("rating_col", "rating_column", "score"), "rating"),
        **dict.fromkeys(("time", "date", "timestamp_col"), "timestamp"),
        **dict.fromkeys(("scale", "rating_scale"), "lowest, highest and step declare the scale: lowest=0.5,highest=5,step=0.5"),
        **dict.fromkeys(("user_table", "user_file", "user_features"), "users"),
        **dict.fromkeys(("item_table", "item_file", "item_features"), "items"),
        **dict.fromkeys(("context", "context_file", "context_table"), "contexts"),
        "min_rating": "lowest",
        "max_rating": "highest",
    }

    path: str | None = Field(None, description="the file; relative paths start at the study, the working directory or RECSENS_DATA")
    lowest: float = Field(1.0, allow_inf_nan=False, description="lowest value of the rating scale")
    highest: float = Field(
        5.0,
        allow_inf_nan=False,
        description="highest value of the rating scale; for sums and counts, the largest if that is higher",
    )
    step: float = Field(1.0, ge=0, allow_inf_nan=False, description="distance between neighbouring ratings; 0 allows every value")
    duplicates: Repeats = Field(
        "error",
        description="how to treat a repeated pair: error, first or last row, mean or max of its ratings; in a log of events, "
        "also the sum of its ratings or the count of its rows",
    )
    invalid: Invalid = Field(
        "error", description="how to treat a row that does not match the declaration: error, or skip and count"
    )
    users: str | None = Field(
        None, description="a file that describes users: names in the first column, one attribute in each other column"
    )
    items: str | None = Field(None, description="a file of the same form that describes items")
    contexts: str | None = Field(
        None, description=("a file of the same form that describes interactions, with user and item in the first two columns")
    )

    @model_validator(mode="after")
    def _check_scale(self) -> Self:
        if not self.lowest < self.highest:
            raise ValueError(f"lowest = {self.lowest:g} must be below highest = {self.highest:g}")
        if max(abs(self.lowest), abs(self.highest)) > MAX_RATING:
            raise ValueError(f"the scale from {self.lowest:g} to {self.highest:g} goes beyond the limit of {MAX_RATING:g}")
        if self.step and not FINEST_STEP <= self.step <= self.highest - self.lowest <= self.step * MAX_STEPS:
            raise ValueError(
                f"step = {self.step:g} must be at least {FINEST_STEP:g} and lead from lowest = {self.lowest:g} to highest = "
                f"{self.highest:g} in 1 to {MAX_STEPS:,} steps; 0 allows every value"
            )
        return self

    @model_validator(mode="after")
    def _check_repeats(self) -> Self:
        if self.duplicates == "count" and "rating" in self._columns:
            raise ValueError(
                "duplicates=count counts rows and reads no ratings: declare rating=null, or add the ratings up with sum"
            )
        if self.duplicates == "sum":
            if "rating" not in self._columns:
                raise ValueError("duplicates=sum adds up ratings, but rating=null: declare the rating column, or use count")
            if self.lowest < 0 or (self.step and round(self.lowest / self.step, 9) % 1):
                raise ValueError(
                    f"sums of ratings from {self.lowest:g} in steps of {self.step:g} would not be on their scale: with "
                    "duplicates=sum, lowest must be 0 or a multiple of the step"
                )
        return self

    @property
    def scale(self) -> Scale:
        """The declared rating scale."""
        return Scale(self.lowest, self.highest, self.step)

    def raw_files(self) -> tuple[RawFile, ...]:
        """List the file.

        Raises ConfigError if no path is given.
        """
        if self.path is None:
            raise ConfigError(
                f"the data set '{self.spec}' does not say which file to read", remedy='give its path: path="ratings.csv"'
            )
        return (RawFile(name=Path(self.path).name, path=self.path),)

    def side_files(self) -> tuple[RawFile, ...]:
        """List the declared files for users, items and interactions."""
        declared = (self.users, self.items, self.contexts)
        return tuple(RawFile(name=Path(path).name, path=path) for path in declared if path is not None)

    def describe(self, files: Sequence[Path], user_ids: Sequence[str], item_ids: Sequence[str]) -> Described:
        """Read the files for users and items."""
        rest = iter(files)
        users = {} if self.users is None else read_own(next(rest), user_ids, "users")
        items = {} if self.items is None else read_own(next(rest), item_ids, "items")
        return Described(users, items)

    def describe_interactions(self, files: Sequence[Path], users: Sequence[str], items: Sequence[str]) -> dict[str, list[Any]]:
        """Read the file of interactions."""
        pairs = list(zip(users, items, strict=True))
        return {} if self.contexts is None else read_own(files[-1], pairs, "interactions", width=2)

    def load(self, files: Sequence[Path], stream: Stream) -> Loaded:
        """Read the file."""
        try:
            rows = self._read(files[0])
        except FaultyRowsError as fault:
            raise (fault if self.duplicates != "error" else with_repeats(fault)) from None
        return assemble(rows, self.scale, self.duplicates)

    @property
    def has_timestamps(self) -> bool:
        """Whether a column of time stamps is declared."""
        return "timestamp" in self._columns

    @property
    def rating_scale(self) -> Scale | None:
        """The declared scale; None without a rating column, and for sums, because their scale depends on the data."""
        return self.scale if "rating" in self._columns and self.duplicates != "sum" else None

    @property
    def declared_ratings(self) -> tuple[bool, Scale] | None:
        """Whether a rating column is declared, and the declared scale; None for sums and counts, which the data show."""
        return None if self.duplicates in {"sum", "count"} else ("rating" in self._columns, self.scale)

    @property
    def _columns(self) -> dict[str, Any]:
        """The declared columns, by role."""
        declared = {role: getattr(self, role) for role in ("user", "item", "rating", "timestamp")}
        return {role: column for role, column in declared.items() if column is not None}

    @property
    def _kind(self) -> Kind:
        rows = replace(self.scale, highest=MAX_RATING) if self.duplicates == "sum" else self.scale
        return kind_of_ratings(rows if "rating" in self._columns else None, with_times=self.has_timestamps)

    @abstractmethod
    def _read(self, path: Path) -> FileTable:
        """Read the file as declared."""
