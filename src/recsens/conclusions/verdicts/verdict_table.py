"""The winner of each comparison in a study. Only the step ``decide_winners`` decides; all other code reads ``verdicts.csv``.

Copies are analyses with different names but the same numbers, up to a constant factor; they count as evidence only once. Examples
are RR and AP, or P@10 and R@10 = 10 P@10, if users have a single relevant item; the two views, if all ranked items are judged; and
two thresholds of relevance, if the metric ignores relevance. Copies compare the same users with the same weights and, up to a
positive factor, the same differences. So all results of a test are the same too.
"""

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
import pandas as pd
from scipy import special

from recsens.arrays import Floats, Ints
from recsens.comparison.significance import strictest_threshold
from recsens.conclusions.design_space import DesignSpace
from recsens.conclusions.verdicts.components import compares_means, confidence_of, direction, ranks_systems
from recsens.conclusions.verdicts.pairs import EQUIVALENT, PAIR, UNDECIDED, UNINFORMATIVE, PairVerdicts, beside, n_changes
from recsens.conclusions.verdicts.study_tables import empty_table, experiment_rows
from recsens.outcomes.rounding import rounded
from recsens.outcomes.winner import FIRST, SECOND, ahead, better, decide
from recsens.study import Experiment, Study
from recsens.study.columns import TABLES
from recsens.study.taxonomy import FULL_COLUMNS


def verdict_table(
    study: Study, summary: pd.DataFrame, comparisons: pd.DataFrame, multiverse: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Return ``verdicts.csv`` for all experiments; ``multiverse`` has the p-values adjusted for all analyses, if any."""
    judged = [judge(part, summary, comparisons) for part in study.all_experiments()]
    starts = np.cumsum([0, *(len(verdicts_of.rows) for verdicts_of in judged)])
    frames = [
        verdicts_of.rows.assign(same_as=_repeated_analyses(verdicts_of), original=verdicts_of.rows["original"] + start)
        for verdicts_of, start in zip(judged, starts, strict=False)
    ]
    keys = [*PAIR, "metric_full", *FULL_COLUMNS]
    pooled = empty_table("multiverse") if multiverse is None else multiverse
    verdicts = pd.concat(frames, ignore_index=True).merge(pooled[[*keys, "p_family"]], on=keys, how="left")
    return verdicts[TABLES["verdicts"].names]


def judge(part: Experiment, summary: pd.DataFrame, comparisons: pd.DataFrame) -> PairVerdicts:
    """Decide each comparison in an experiment (`recsens.outcomes.winner`), except comparisons by descriptive metrics."""
    ranking = [str(metric) for metric in part.metrics if ranks_systems(str(metric))]
    rows = experiment_rows(part, comparisons)
    rows = rows[(rows["fold"] == "all") & rows["metric_full"].isin(ranking)].reset_index(drop=True)
    directions = np.asarray(rows["metric_full"].map({metric: direction(metric) for metric in ranking}), dtype=np.float64)
    first, second = _values_of_pairs(rows, experiment_rows(part, summary))
    rows["better"] = better(first, second, directions)
    rows["margin"] = part.margin.beside(np.where(rows["better"] == SECOND, second, first))
    favoured, interval = ahead(rows["difference"], directions), {"low": rows["low"], "high": rows["high"]}
    won_by, is_equivalent = decide(rows["better"], favoured, rows["p_adjusted"], part.alpha, **interval, margins=rows["margin"])
    rows["winner"] = np.select([won_by == FIRST, won_by == SECOND], [rows["system_a"], rows["system_b"]], "").astype(object)
    neither = np.select([rows["uninformative"] != "", is_equivalent], [UNINFORMATIVE, EQUIVALENT], UNDECIDED)
    rows["verdict"] = np.where(rows["winner"] != "", rows["winner"] + " wins", neither)
    rows["detectable"] = detectable_differences(rows, part.alpha)
    rows["effect_low"], rows["effect_high"] = effect_intervals(rows)
    base = DesignSpace(rows).base
    rows["n_changed"] = sum((rows[column] != base.get(column)).to_numpy(dtype=np.int64) for column in FULL_COLUMNS)
    rows["is_base_metric"] = rows["metric_full"] == (ranking[0] if ranking else "")
    rows["beside_base"] = _beside_base(rows)
    rows["original"] = original_analyses(rows, PAIR, first - second, directions, n_changes(rows))
    return PairVerdicts(part, rows)


def _repeated_analyses(verdicts: PairVerdicts) -> pd.Series:
    """Name, for each copy, the analysis that it repeats; empty for other analyses."""
    sources = pd.Series(verdicts.names(verdicts.rows.loc[verdicts.copies["original"]]), index=verdicts.copies.index, dtype=object)
    return sources.reindex(verdicts.rows.index, fill_value="")


def _values_of_pairs(rows: pd.DataFrame, summary: pd.DataFrame) -> tuple[Floats, Floats]:
    """Return the first and the second system's value for each row."""
    keys = ["dataset", "metric_full", *FULL_COLUMNS]
    values = summary[[*keys, "system", "value"]]
    pairs = rows[[*keys, "system_a", "system_b"]]
    for side in ("a", "b"):
        named = values.rename(columns={"system": f"system_{side}", "value": f"value_{side}"})
        pairs = pairs.merge(named, on=[*keys, f"system_{side}"], how="left")
    return np.asarray(pairs["value_a"], dtype=np.float64), np.asarray(pairs["value_b"], dtype=np.float64)


def _beside_base(rows: pd.DataFrame) -> list[str]:
    base = rows[rows["is_base"] & rows["is_base_metric"]]
    verdicts = dict(zip(base[list(PAIR)].itertuples(index=False, name=None), base["verdict"], strict=True))
    pairs = rows[list(PAIR)].itertuples(index=False, name=None)
    return [beside(verdicts.get(pair, UNDECIDED), verdict) for pair, verdict in zip(pairs, rows["verdict"], strict=True)]


_SCALED = ("difference", "low", "high")
"""Results of a test that are proportional to the users' differences; they are compared as shares of the largest result."""

_NUMBERS = ("p_value", "p_adjusted")
"""Results that distinguish two tests, or two corrections, of the same differences; they are compared to ten significant digits."""

_SHARE_DECIMALS = 9
"""Number of decimals to which shares are compared, because later decimals may differ by rounding errors."""


def original_analyses(rows: pd.DataFrame, pair: Sequence[str], gaps: Floats, signs: Floats, changes: Ints) -> Ints:
    """Return, for each analysis, the index of the analysis with the same numbers and the fewest changes, perhaps itself.

    Numbers count as the same up to a constant positive factor: for users with one relevant item, P@10 is a tenth of R@10.

    Parameters
    ----------
    rows
        One row per analysis of a pair, with the digest of the users' relative differences and the results of the test.
    pair
        Columns that identify a pair of systems.
    gaps
        Difference of the two systems' values, shape (n,).
    signs
        1 if higher values of the metric are better, else -1; shape (n,).
    changes
        Number of decisions in which each analysis differs from the base, shape (n,).
    """
    same = rows[[*pair, "digest"]].reset_index(drop=True)
    same["sign"] = signs
    same = pd.concat([same, _relative_numbers(gaps, rows)], axis=1)
    for name in _NUMBERS:
        same[name] = [f"{value:.10g}" for value in rows[name]]
    order = np.lexsort((np.arange(len(rows)), changes))
    first = pd.Series(order, index=order).groupby([same.iloc[order][name] for name in same], sort=False, dropna=False)
    return np.asarray(first.transform("first").sort_index(), dtype=np.int64)


def _relative_numbers(gaps: Floats, rows: pd.DataFrame) -> pd.DataFrame:
    """Divide the difference, the estimate and the interval's ends by the largest of them, so that a constant factor cancels.

    An end at infinity, as of a bootstrap in which a single user differs, stays there.
    """
    sizes = np.column_stack([gaps, *(rows[name] for name in _SCALED)]).astype(np.float64)
    sizes[rounded(sizes) == 0] = 0.0
    largest = np.where(np.isfinite(sizes), np.abs(sizes), 0.0).max(axis=1)
    shares = np.round(sizes / np.where(largest > 0, largest, 1.0)[:, np.newaxis], _SHARE_DECIMALS) + 0.0
    return pd.DataFrame(shares, columns=["gap", *_SCALED])


POWER = 0.8
"""Power: the probability with which a test detects a detectable difference."""


def detectable_differences(rows: pd.DataFrame, alpha: float) -> Floats:
    """Return the smallest true difference that the study's rule would call a win with probability .8.

    A win needs p < α after the correction. The strictest step of a correction is the first: α / k for k pairs of systems. With a
    margin m, the whole interval of level 1 - α must also lie beyond m; the correction does not widen this interval. Let SE = s(δ) /
    √n, and let f(α) be the number of standard errors that `_found` returns. Then the difference is max(f(α / k) SE, m + f(α) SE). A
    margin that is a share is a share of the better measured value.

    The result is NaN if the standard error is unknown. It is also NaN if p or the aggregate is not about a mean, because the power
    of such a test depends on more than the standard error.

    Parameters
    ----------
    rows
        Comparisons with their ``margin``: all pairs of each design and metric, because the correction covers all these pairs.
    alpha
        The study's significance level.
    """
    errors, margins, users = (rows[name].to_numpy(dtype=np.float64) for name in ("standard_error", "margin", "users"))
    n_pairs = rows.groupby(["dataset", "metric_full", *FULL_COLUMNS])["p_value"].transform("count").to_numpy(dtype=np.int64)
    strictest = strictest_threshold(alpha, n_pairs, rows["correction"].to_numpy() != "none")
    by_p, by_interval = _found(strictest, users) * errors, margins + _found(np.full(len(rows), alpha), users) * errors
    of_means = [compares_means(*chosen) for chosen in zip(rows["aggregate_full"], rows["test_full"], strict=True)]
    return np.where(of_means, np.maximum(by_p, by_interval), np.nan)


def _found(levels: Floats, users: Floats) -> Floats:
    """Return the difference, in standard errors, that a t-test at these levels detects with probability .8.

    With c = t_{1-α/2} of ν = n - 1 degrees of freedom, the difference is c (1 - 1 / 4ν) + z_.8 √(1 + c² / 2ν), by the normal
    approximation of the noncentral t. With five or more users, the power at this difference is within 1 point of .8.

    References
    ----------
    Johnson & Welch (1940), Applications of the non-central t-distribution; Abramowitz & Stegun (1964), 26.7.10.
    """
    freedom = np.where(users >= 2, users - 1, np.nan)
    critical = np.asarray(special.stdtrit(freedom, 1 - levels / 2), dtype=np.float64)
    spread = np.sqrt(1 + critical**2 / (2 * freedom))
    return np.asarray(critical * (1 - 1 / (4 * freedom)) + NormalDist().inv_cdf(POWER) * spread)


def effect_intervals(rows: pd.DataFrame) -> tuple[Floats, Floats]:
    """Divide the interval of each difference by the standard deviation with which the effect size was computed.

    This deviation is difference / effect. If both are zero, the interval is that of a mean of n standard normal values.
    """
    difference, effect, users = (rows[name].to_numpy(dtype=np.float64) for name in ("difference", "effect", "users"))
    low, high = rows["low"].to_numpy(dtype=np.float64), rows["high"].to_numpy(dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        deviation = np.abs(difference / effect)
        is_known = np.isfinite(deviation) & (deviation > 0)
        levels = {test: NormalDist().inv_cdf((1 + confidence_of(test)) / 2) for test in rows["test"].unique()}
        half = rows["test"].map(levels).to_numpy(dtype=np.float64) / np.sqrt(users)
        open_ends = (effect == 0) & (low < high)
        ends = [
            np.where(is_known, end / deviation, np.where(open_ends, side * half, np.where(effect == 0, effect, np.nan)))
            for end, side in ((low, -1), (high, 1))
        ]
    return ends[0], ends[1]
