"""Folds of a data set without selection bias, in which the ratings that a system would have observed are marked."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.data.splitting._base import Splitter
from recsens.data.splitting._fold_files import read_revealed, revealed_folds
from recsens.data.splitting._matched_rows import place_in_data
from recsens.errors import ConfigError
from recsens.files.paths import located
from recsens.plugins.specs import Spec
from recsens.seeds import Stream
from recsens.vocabulary import Role


class Revealed(Splitter):
    """Fold f trains on the observed ratings of all other folds, and tests on its own observed ratings, or on all its ratings.

    ``path`` is a table with the columns user, item, fold and observed (1 or 0), such as CM100K's ``ratings.tsv``: CSV or TSV with a
    header, or parquet. ``test=observed`` tests on the ratings that an offline experiment would have. ``test=all`` tests the same
    systems on all ratings in the fold; if users rated randomly drawn items, these ratings are an unbiased sample of relevance. All
    other ratings are unused. A user, item or pair that is not in the data, or a pair that occurs twice, is refused with file and
    line; therefore use this split on unfiltered data.
    """

    source = "Cañamares & Castells (2018), Should I follow the crowd?: observed and true test of CM100K"

    path: str | None = Field(
        None, description="table of folds; relative paths start at the study, the working directory or RECSENS_DATA"
    )
    test: Literal["observed", "all"] = Field("observed", description="which ratings of a fold are in test")

    def prose(self, whose: str = "the ratings") -> str:
        """Name the file, and say which ratings were tested."""
        tested = "all ratings of the fold" if self.test == "all" else "the observed ratings of the fold"
        return (
            f"Folds, and which ratings would have been observed, were read from a file ({self.path}). For each fold, the observed "
            f"ratings of all other folds were for training, and {tested} for testing."
        )

    @property
    def trains_as(self) -> Spec:
        """The same table with the observed test set, because the train set does not depend on the test set."""
        return self.spec.without("test")

    @property
    def n_folds(self) -> int:
        """Number of folds in the table."""
        return len(revealed_folds(self._file))

    @property
    def is_random(self) -> bool:
        """Always false: all roles come from the table."""
        return False

    @property
    def indivisible(self) -> str | None:
        """Why `per_user` cannot wrap this split: all roles come from the table."""
        return "its roles are fixed"

    @property
    def _file(self) -> Path:
        if self.path is None:
            raise ConfigError("split 'revealed' does not say which table to read", remedy='give its path: path="ratings.tsv"')
        return located(self.path, "split 'revealed': path")

    def own_files(self) -> Sequence[Path]:
        """List the table; none if no path is given."""
        return () if self.path is None else (self._file,)

    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Look up the fold of each pair, and whether the pair was observed."""
        table, number, observed = read_revealed(self._file)
        given = np.full(len(number), Role.UNUSED, dtype=np.uint8)
        given[(number != fold) & observed] = Role.TRAIN
        given[(number == fold) & (observed | (self.test == "all"))] = Role.TEST
        roles = np.full(len(interactions), Role.UNUSED, dtype=np.uint8)
        roles[place_in_data(interactions, [table])] = given
        return roles

    def facts(self, interactions: Interactions, roles: NDArray[np.uint8]) -> Mapping[str, float]:
        """Return how many pairs of the data have no role in the fold."""
        return {"pairs_without_a_role": int(np.count_nonzero(roles == Role.UNUSED))}
