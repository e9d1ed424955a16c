"""Folds: which ratings are for training, and which for testing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from recsens.artefacts.addresses import Fold
from recsens.artefacts.folds import sides, train_and_validation
from recsens.data.interactions import Interactions
from recsens.data.splitting import Splitter
from recsens.errors import DesignError
from recsens.notebook.arguments import read_component, seed_or, whole_number
from recsens.notebook.ratings import Ratings, as_ratings
from recsens.notebook.shown_tables import describe_interactions, facts_table, interactions_frame, names_of, sample_of
from recsens.pipeline.splitting import draw_roles, fold_facts
from recsens.recommenders import progress
from recsens.report.html.templates import cell
from recsens.seeds import Origin
from recsens.study.design import Design
from recsens.study.designs import folds as folds_of
from recsens.study.designs import refuse_vain_repeats
from recsens.vocabulary import Role

_MOST_SHOWN = 9
"""Largest number of folds that are printed."""


@dataclass(frozen=True)
class TrainTest:
    """One fold of a split: ``train, test = fold``.

    Attributes
    ----------
    ratings
        The ratings that were split.
    roles
        `recsens.vocabulary.Role` of each interaction, shape (n,).
    design
        Every decision made so far.
    at
        Number of the draw of the split, and number of the fold within this draw.
    facts
        Numbers of ratings by role, and of users and items missing from one side.
    """

    ratings: Ratings
    roles: NDArray[np.uint8]
    design: Design
    at: Fold
    facts: Mapping[str, float]

    @property
    def name(self) -> str:
        """The fold's name in random streams and folders, such as ``repeat-0``."""
        return self.at.name

    @cached_property
    def train(self) -> Side:
        """The train ratings."""
        return Side(self, "train", self._sides[0])

    @cached_property
    def test(self) -> Side:
        """The test ratings."""
        return Side(self, "test", self._sides[1])

    @cached_property
    def validation(self) -> Side:
        """The validation ratings, for tuning; empty unless the split makes a validation set."""
        return Side(self, "validation", self.ratings.interactions.take(self.roles == Role.VALIDATION))

    @cached_property
    def known(self) -> Interactions:
        """The ratings known before the test: the train and validation sets."""
        return train_and_validation(self.ratings.interactions, self.roles, self.train.interactions)

    @cached_property
    def _sides(self) -> tuple[Interactions, Interactions]:
        return sides(self.ratings.interactions, self.roles)

    def is_same(self, other: TrainTest) -> bool:
        """Whether another fold has the same ratings in the same roles, and the same random streams."""
        if self is other:
            return True
        mine, others = self.ratings.interactions, other.ratings.interactions
        return (
            (self.design, self.at) == (other.design, other.at)
            and np.array_equal(self.roles, other.roles)
            and np.array_equal(mine.user, others.user)
            and np.array_equal(mine.item, others.item)
            and np.array_equal(mine.values, others.values)
        )

    def __iter__(self) -> Iterator[Side]:
        return iter((self.train, self.test))

    def __repr__(self) -> str:
        facts = ", ".join(f"{name} {count:,g}" for name, count in self.facts.items())
        return f"<{self.design.split}, {self.name}: {facts}>"

    def _repr_html_(self) -> str:
        return cell(f"{self.design.split}, {self.name}", tables=[facts_table({self.name: self.facts})])


@dataclass(frozen=True)
class Side:
    """The ratings with one role in a fold.

    Attributes
    ----------
    fold
        The fold.
    role
        ``train``, ``test`` or ``validation``.
    interactions
        The ratings, among all users and items of the data set.
    """

    fold: TrainTest
    role: str
    interactions: Interactions

    @property
    def frame(self) -> pd.DataFrame:
        """The interactions: user, item and, if the data have them, rating and timestamp."""
        return interactions_frame(self.interactions)

    @property
    def csr(self) -> csr_matrix:
        """The ratings as a sparse matrix of users by items, all 1 if the data have none; `users` and `items` name its axes."""
        data = self.interactions
        values = np.ones(len(data)) if data.rating is None else data.rating.astype(np.float64)
        return csr_matrix((values, (data.user, data.item)), shape=(data.n_users, data.n_items))

    @property
    def users(self) -> list[str]:
        """Row names of `csr`."""
        return [str(name) for name in names_of(self.interactions.user_ids, self.interactions.n_users)]

    @property
    def items(self) -> list[str]:
        """Column names of `csr`."""
        return [str(name) for name in names_of(self.interactions.item_ids, self.interactions.n_items)]

    def __len__(self) -> int:
        return len(self.interactions)

    def __repr__(self) -> str:
        return f"<{self.role} set of {self.fold.name}: {describe_interactions(self.interactions)}>"

    def _repr_html_(self) -> str:
        return cell(repr(self).strip("<>"), tables=[sample_of(self.frame)])


class FoldList(list[TrainTest]):
    """The folds of a split, in order; a loop over them shows progress."""

    def __iter__(self) -> Iterator[TrainTest]:
        return progress(list.__getitem__(self, slice(None)), "folds")

    def __repr__(self) -> str:
        lines = [repr(fold) for fold in list.__iter__(self)]
        more = len(lines) - _MOST_SHOWN
        return "\n".join([*lines[:_MOST_SHOWN], *([f"... and {more} more folds"] if more > 0 else [])])

    def _repr_html_(self) -> str:
        return cell(f"{len(self)} folds", tables=[facts_table(dict(enumerate((fold.facts for fold in list.__iter__(self)), 1)))])


def split(ratings: Ratings | Any, by: str | Splitter = "random", *, repeat: int = 0, seed: int | None = None) -> TrainTest:
    """Split ratings once: ``train, test = split(ratings, "random(ratio=0.8)")``.

    Parameters
    ----------
    ratings
        The ratings to split, or anything that `load` accepts: a frame, a sparse matrix, a file.
    by
        As ``split`` in a study; the split must have one fold.
    repeat
        Number of the draw, counted from 0.
    seed
        Seed of the random streams of the split and of everything made from the fold; by default, the ratings' seed.

    Raises
    ------
    SpecError
        If there is no such split (the message suggests the nearest name), or if a parameter is invalid.
    DesignError
        If the data cannot be split this way, if a side is empty, if the split has several folds, or if a number is not whole.
    """
    ratings = as_ratings(ratings)
    splitter = read_component("split", by, Splitter.build)
    if splitter.n_folds > 1:
        raise DesignError(
            f"split '{splitter.spec}' has {splitter.n_folds} folds",
            allowed="a split with one fold",
            remedy="loop over all of them: for train, test in recsens.folds(ratings, ...)",
        )
    return _make_fold(ratings, splitter, Fold(whole_number("repeat", repeat)), seed_or(seed, ratings.seed), repeats=1)


def folds(ratings: Ratings | Any, by: str | Splitter = "k_fold", *, repeats: int = 1, seed: int | None = None) -> FoldList:
    """Split ratings into all folds of all repeats, in a study's order.

    Parameters
    ----------
    ratings
        The ratings to split, or anything that `load` accepts: a frame, a sparse matrix, a file.
    by
        As ``split`` in a study.
    repeats
        How often the split is drawn, each time from its own stream.
    seed
        Seed of the random streams of the split and of everything made from the folds; by default, the ratings' seed.

    Raises
    ------
    SpecError
        If there is no such split (the message suggests the nearest name), or if a parameter is invalid.
    DesignError
        If the data cannot be split this way, if a side is empty, if a split without random draws is to be repeated, or if a number
        is not whole.
    """
    ratings = as_ratings(ratings)
    splitter = read_component("split", by, Splitter.build)
    repeats, seed = whole_number("repeats", repeats, least=1), seed_or(seed, ratings.seed)
    design = ratings.design.replaced(split=splitter.spec, repeats=repeats)
    refuse_vain_repeats([design])
    return FoldList(_make_fold(ratings, splitter, part, seed, repeats) for part in folds_of(design))


def _make_fold(ratings: Ratings, splitter: Splitter, part: Fold, seed: int, repeats: int) -> TrainTest:
    data = ratings.interactions
    if splitter.tests_truth:
        raise DesignError(
            f"split '{splitter.spec}' tests on the complete relevance of a data set, which exists only within a study",
            allowed=str(splitter.trains_as),
        )
    roles = draw_roles(splitter, data, part, Origin(seed, ratings.identity))
    design = replace(ratings.design, split=splitter.spec, repeats=repeats, seed=seed)
    return TrainTest(ratings, roles, design, part, fold_facts(splitter, data, roles))
