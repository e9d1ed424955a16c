"""The winner of each comparison in a study. Only the step ``decide_winners`` decides; all other code reads ``verdicts.csv``."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from recsens.conclusions.design_space import DesignSpace
from recsens.conclusions.verdicts.components import direction, ranks_systems
from recsens.conclusions.verdicts.copies import originals
from recsens.conclusions.verdicts.effect_sizes import detectable, effect_intervals
from recsens.conclusions.verdicts.pairs import EQUIVALENT, PAIR, UNDECIDED, UNINFORMATIVE, PairVerdicts, beside, n_changes
from recsens.conclusions.verdicts.study_tables import empty, rows_of
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
        verdicts_of.rows.assign(same_as=_same_as(verdicts_of), original=verdicts_of.rows["original"] + start)
        for verdicts_of, start in zip(judged, starts, strict=False)
    ]
    keys = [*PAIR, "metric_full", *FULL_COLUMNS]
    pooled = empty("multiverse") if multiverse is None else multiverse
    verdicts = pd.concat(frames, ignore_index=True).merge(pooled[[*keys, "p_family"]], on=keys, how="left")
    return verdicts[TABLES["verdicts"].names]


def judge(part: Experiment, summary: pd.DataFrame, comparisons: pd.DataFrame) -> PairVerdicts:
    """Decide each comparison in an experiment (`recsens.outcomes.winner`), except comparisons by descriptive metrics."""
    ranking = [str(metric) for metric in part.metrics if ranks_systems(str(metric))]
    rows = rows_of(part, comparisons)
    rows = rows[(rows["fold"] == "all") & rows["metric_full"].isin(ranking)].reset_index(drop=True)
    directions = np.asarray(rows["metric_full"].map({metric: direction(metric) for metric in ranking}), dtype=np.float64)
    first, second = _values(rows, rows_of(part, summary))
    rows["better"] = better(first, second, directions)
    rows["margin"] = part.margin.beside(np.where(rows["better"] == SECOND, second, first))
    favoured, interval = ahead(rows["difference"], directions), {"low": rows["low"], "high": rows["high"]}
    won_by, is_equivalent = decide(rows["better"], favoured, rows["p_adjusted"], part.alpha, **interval, margins=rows["margin"])
    rows["winner"] = np.select([won_by == FIRST, won_by == SECOND], [rows["system_a"], rows["system_b"]], "").astype(object)
    neither = np.select([rows["uninformative"] != "", is_equivalent], [UNINFORMATIVE, EQUIVALENT], UNDECIDED)
    rows["verdict"] = np.where(rows["winner"] != "", rows["winner"] + " wins", neither)
    rows["detectable"] = detectable(rows, part.alpha)
    rows["effect_low"], rows["effect_high"] = effect_intervals(rows)
    base = DesignSpace(rows).base
    rows["n_changed"] = sum((rows[column] != base.get(column)).to_numpy(dtype=np.int64) for column in FULL_COLUMNS)
    rows["is_base_metric"] = rows["metric_full"] == (ranking[0] if ranking else "")
    rows["beside_base"] = _beside_base(rows)
    rows["original"] = originals(rows, PAIR, first - second, directions, n_changes(rows))
    return PairVerdicts(part, rows)


def _same_as(verdicts: PairVerdicts) -> pd.Series:
    """Name, for each copy, the analysis that it repeats; empty for other analyses."""
    sources = pd.Series(verdicts.names(verdicts.rows.loc[verdicts.copies["original"]]), index=verdicts.copies.index, dtype=object)
    return sources.reindex(verdicts.rows.index, fill_value="")


def _values(rows: pd.DataFrame, summary: pd.DataFrame) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
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
