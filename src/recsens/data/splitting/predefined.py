"""Predefined folds: roles are read from files, such as those that come with MovieLens 100K."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.data.splitting._base import Splitter
from recsens.data.splitting._fold_files import count_folds, fold_files, read_fold
from recsens.data.splitting._matched_rows import place_in_data
from recsens.errors import ConfigError
from recsens.seeds import Stream
from recsens.vocabulary import Role


class Predefined(Splitter):
    """Reads roles from files, which must name users and items as the raw data do.

    ``path`` may be a folder with pairs of files u1.base and u1.test, u2.base and u2.test, ...: tab-separated, user and item first,
    no header. Each pair is a fold (files without a number, such as ua.base, are skipped). It may also be a single file such as
    ua.base, with ua.test next to it, for one fold. Or it is a table: CSV or TSV with a header, or parquet. If its columns are user,
    item and fold, each pair is in test in its own fold, and in train in all others. If they are user, item and role (train, test or
    validation), there is one fold. If there are both a fold and a role, each row gives the role of a pair in a fold. Other columns
    are ignored. Text may be gzipped.

    If score files come from systems that were trained several times on each fold, with different seeds, ``trainings`` is the number
    of times. Each fold then occurs that many times in succession, once for each training.

    Pairs of the data that no file contains are unused; their number is recorded. A user, item or pair that is not in the data, or a
    pair that occurs twice in a fold, is refused with file and line; therefore use this split on unfiltered data.
    """

    source = "README of MovieLens 100K, for u1 to u5, ua and ub"
    also_called = ("fixed", "files")

    path: str | None = Field(
        None, description="folder or file; relative paths start at the study, the working directory or RECSENS_DATA"
    )
    trainings: int = Field(1, ge=1, description="how often each system was trained on each fold")

    def prose(self, whose: str = "the ratings") -> str:
        """Name the files."""
        name = Path(self.path or "").name
        trained = f" Each system was trained {self.trainings} times on each fold." if self.trainings > 1 else ""
        return f"Training and test sets were read from files ({name}); ratings that are not in them were not used.{trained}"

    @property
    def n_folds(self) -> int:
        """Number of folds in the files, times the number of trainings."""
        return count_folds(self._files) * self.trainings

    @property
    def folds_per_split(self) -> int:
        """Number of trainings, because each fold occurs once for each training."""
        return self.trainings

    @property
    def is_random(self) -> bool:
        """Always false: all roles come from files."""
        return False

    @property
    def validates(self) -> bool:
        """Whether the file puts some rows into the validation set."""
        return True

    @property
    def indivisible(self) -> str | None:
        """Why `per_user` cannot wrap this split: all roles come from files."""
        return "its roles are fixed"

    @property
    def _files(self) -> Sequence[Path]:
        if self.path is None:
            raise ConfigError("split 'predefined' does not say which files to read", remedy='give their path: path="folds.csv"')
        return fold_files(self.path)

    def own_files(self) -> Sequence[Path]:
        """List the files to read; none if no path is given."""
        return () if self.path is None else self._files

    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Look up the role of each pair."""
        tables, given = read_fold(self._files, fold // self.trainings)
        roles = np.full(len(interactions), Role.UNUSED, dtype=np.uint8)
        roles[place_in_data(interactions, tables)] = given
        return roles

    def facts(self, interactions: Interactions, roles: NDArray[np.uint8]) -> Mapping[str, float]:
        """Return the number of pairs of the data that no file contains."""
        return {"pairs_without_a_role": int(np.count_nonzero(roles == Role.UNUSED))}
