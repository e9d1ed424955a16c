"""Combinations of decisions that have no meaning, refused before any job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from recsens import plugins
from recsens.aggregation import Aggregate
from recsens.config import Study
from recsens.design import Design
from recsens.errors import DesignError, nearest
from recsens.nc import NotComputable
from recsens.splitting import Splitter
from recsens.targets import Targets
from recsens.users import Population, Users


def refuse_conflicts(study: Study, designs: Mapping[str, Sequence[Design]]) -> None:
    """Refuse the first design two of whose decisions exclude each other.

    Raises
    ------
    DesignError
        The message names both decisions and what would go together.
    """
    for part in study.parts():
        for label in part.datasets:
            for design in designs[label]:
                for problem, allowed in _conflicts(design, part):
                    raise DesignError(problem, where=f"the designs of '{label}'", allowed=allowed)


def _conflicts(design: Design, study: Study) -> Iterator[tuple[str, str]]:
    targets: Targets = plugins.build("targets", design.targets)
    if targets.unit == "rating":
        yield from _of_ratings(design)
    splitter: Splitter = plugins.build("split", design.split)
    if targets.made_for and splitter.stream_name != targets.made_for:
        yield (
            f"targets '{design.targets}' and split '{design.split}' do not go together: these targets are defined on "
            f"'{targets.made_for}' splits",
            f"split: {targets.made_for}(...), or the same targets under their general name",
        )
    yield from _of_aggregate(design, study)
    yield from _of_fallback(design)


def _of_ratings(design: Design) -> Iterator[tuple[str, str]]:
    """1R: one ranking for each relevant rating, in which nothing else is judged."""
    if design.view == "condensed":
        yield (
            f"targets '{design.targets}' and view 'condensed' do not go together: one rating is judged in each ranking, so that "
            "condensing leaves a list of one",
            "view: full, or targets with one ranking a user, such as ar",
        )
    if design.aggregate.name != "mean":
        yield (
            f"targets '{design.targets}' and aggregate '{design.aggregate}' do not go together: what is averaged are ratings, not users",
            "aggregate: mean, or targets with one ranking a user, such as ar",
        )


def _of_aggregate(design: Design, study: Study) -> Iterator[tuple[str, str]]:
    aggregate: Aggregate = plugins.build("aggregate", design.aggregate)
    for name in aggregate.named_systems:
        if name not in study.systems:
            yield (
                f"aggregate '{design.aggregate}' and systems do not go together: it names '{name}', which is none of "
                f"them{nearest(name, study.systems)}",
                ", ".join(study.systems),
            )


def _of_fallback(design: Design) -> Iterator[tuple[str, str]]:
    """A fallback for users without train ratings serves nobody where such users are not averaged."""
    if design.nc.get("users") != "without_train":
        return
    users: Users = plugins.build("users", design.users)
    policy: NotComputable = plugins.build("nc", design.nc)
    if not _admits_untrained(users):
        yield (
            f"nc '{policy.spec}' and users '{design.users}' do not go together: the users it serves are not averaged",
            "users: with_ratings(train=0)",
        )


def _admits_untrained(users: Users) -> bool:
    none, many = np.zeros(1, dtype=np.int64), np.full(1, 10**6, dtype=np.int64)
    return bool(users.admit(Population(none, many, many, many))[0])
