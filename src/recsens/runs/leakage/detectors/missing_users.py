"""Test users without a list."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from recsens.runs.leakage._material import Material, SearchedRun, share
from recsens.runs.leakage._sizes import UNKNOWN, Inflation, UserValues, share_as_extreme
from recsens.runs.leakage.suspicion import Suspicion

NAME = "test users without a list"

_STRATA = 5

_RANKS = 32
"""Largest number of different ranks; if there are more, neighbouring ranks are replaced by their mean."""

_SAME = 1e-6


def look(material: Material) -> Iterator[Suspicion]:
    """Count test users without a list, and test whether they differ from other users in ratings or in the values of other runs."""
    of_test = np.bincount(material.test.user, minlength=len(material.users)) > 0
    for run in material.runs:
        has_list = np.bincount(run.pairs.user, minlength=len(material.users)) > 0
        missing = of_test & ~has_list
        evidence = f"{share(int(missing.sum()), int(of_test.sum()))} test users have no list"
        if not missing.any():
            yield Suspicion(NAME, run.name, "none", evidence)
            continue
        known = material.knows_user
        rng, asked = material.stream.child("missing", run.name).generator(), of_test & known
        chances = {name: _rank_sum_p(trait[asked], missing[asked], rng) for name, trait in _user_traits(material, run).items()}
        least, n_known = min(chances, key=lambda name: chances[name]), int((missing & known).sum())
        differ = f"{n_known:,} of them are in train, and differ from test users with a list most in {least}"
        yield Suspicion(
            *(NAME, run.name, "noted"),
            f"{evidence}; {differ if n_known else 'none of them is in train'}; the size, with its bounds, is how much the mean "
            "rises if users without a list are left out",
            inflation=_estimate_gain(material, run, of_test, has_list),
            chance=min(1.0, len(chances) * chances[least]),
            innocent="a model that cannot rank items for users without a train rating",
            remedy="give every test user a list, for example of popular items, or compare all runs over the same users",
        )


def _user_traits(material: Material, run: SearchedRun) -> dict[str, NDArray[np.float64]]:
    """Return the traits by which users may have been selected, each of shape (n_users,)."""
    counts = {
        "train ratings": np.bincount(material.train.user, minlength=len(material.users)),
        "relevant test ratings": np.bincount(material.relevant.user, minlength=len(material.users)),
    }
    others = {f"what {other.name} achieves": np.nan_to_num(material.given(other).values) for other in _complete_runs(material, run)}
    return {**{name: each.astype(np.float64) for name, each in counts.items()}, **others}


def _rank_sum_p(trait: NDArray[np.float64], is_missing: NDArray[np.bool_], rng: np.random.Generator) -> float:
    """Return the two-sided p-value of the missing users' rank sum, if they are a random subset of all users given.

    Random subsets are drawn from the multivariate hypergeometric distribution of the users' ranks.
    """
    _, code, counts = np.unique(trait, return_inverse=True, return_counts=True)
    bins = (np.cumsum(counts) - (counts + 1) / 2) * _RANKS // max(len(trait), 1)
    code = code if len(counts) <= _RANKS else np.unique(bins, return_inverse=True)[1][code]
    counts, n_drawn = np.bincount(code), int(is_missing.sum())
    if not 0 < n_drawn < len(trait) or len(counts) == 1:
        return 1.0
    centred = np.cumsum(counts) - (counts - 1) / 2 - (len(trait) + 1) / 2
    observed = abs(float(centred[code[is_missing]].sum())) - _SAME

    def draw(n: int) -> NDArray[np.bool_]:
        drawn = rng.multivariate_hypergeometric(counts, n_drawn, size=n, method="marginals")
        return np.asarray(np.abs(drawn @ centred) >= observed)

    return share_as_extreme(draw, len(counts))


def _complete_runs(material: Material, run: SearchedRun) -> list[SearchedRun]:
    """Return the other runs that have a list for every user of this run."""
    return [other for other in material.runs if other.name != run.name and not np.setdiff1d(run.pairs.user, other.pairs.user).size]


def _estimate_gain(material: Material, run: SearchedRun, of_test: NDArray[np.bool_], has_list: NDArray[np.bool_]) -> Inflation:
    """Estimate the mean over users with lists minus the mean over all test users, with guaranteed bounds.

    For users without a list, the estimate is the mean of users with about as many relevant test ratings. If another run has lists
    for all users of this run, the other run is used instead: the estimate is this run's mean, times the other run's mean over users
    without a list here, divided by its mean over users with a list here. For the bounds, all users without a list have the value 1,
    or all have 0.
    """
    listed = material.given(run).over(has_list)
    if not listed.n_users:
        return UNKNOWN
    lost = (of_test & ~has_list).sum() / of_test.sum()
    expected = _expected_mean(material, listed, of_test & ~has_list)
    for other in _complete_runs(material, run)[:1]:
        values = material.given(other)
        with_list, without = values.over(has_list).mean, values.over(of_test & ~has_list).mean
        expected = expected if math.isnan(without) or not with_list else listed.mean * without / with_list
    low, high = (lost * (listed.mean - end) for end in (1, 0)) if material.is_share else (math.nan, math.nan)
    return Inflation(float(lost * (listed.mean - expected)), float(low), float(high), is_bounded=True)


def _expected_mean(material: Material, listed: UserValues, missing: NDArray[np.bool_]) -> float:
    """Return the mean that users without a list would have if they were like users with as many relevant test ratings."""
    n_relevant = np.bincount(material.relevant.user, minlength=len(material.users))
    ends = np.unique(np.quantile(n_relevant[listed.is_counted], np.linspace(0, 1, _STRATA + 1)[1:-1]))
    stratum = np.searchsorted(ends, n_relevant)
    means = [listed.over(stratum == each).mean for each in range(len(ends) + 1)]
    means = [listed.mean if math.isnan(mean) else mean for mean in means]
    return float(np.array(means)[stratum[missing]].mean())
