"""A sentence about how well a study agrees with printed values."""

import pandas as pd

from recsens.conclusions.verdicts.components import direction, n_folds_of, ranks_systems
from recsens.conclusions.verdicts.study_tables import records
from recsens.tables.numbers import deviation_of, score


def agreement_with_print(summary: pd.DataFrame) -> str:
    """Say how much our scores differ from the printed scores, and whether the same systems lead; empty without printed scores.

    If all printed values of a metric are equal, no system is ahead, and the metric is not counted.
    """
    printed = summary[summary["published"].notna()]
    if printed.empty:
        return ""
    farthest = max(records(printed), key=lambda row: abs(row["value"] - row["published"]))
    value, deviation = farthest["value"], abs(farthest["value"] - farthest["published"])
    folds = n_folds_of(farthest["split"], farthest["repeats"])
    gap = deviation_of(value, deviation, farthest["spread"], folds) if farthest["spread"] > 0 else score(deviation)
    where = f"{farthest['system']}, {farthest['metric']}"
    scores = f"{len(printed)} of our scores have" if len(printed) > 1 else "One of our scores has"
    text = f"{scores} a printed counterpart; the largest deviation is {gap} ({where})."
    n_same, n = 0, 0
    for (_, metric), group in printed.groupby(["dataset", "metric_full"], sort=False):
        rows = records(group)
        if len({row["published"] for row in rows}) > 1 and ranks_systems(str(metric)):
            sign = direction(str(metric))
            ours = max(rows, key=lambda row: sign * row["value"])
            n += 1
            n_same += sign * ours["published"] == max(sign * row["published"] for row in rows)
    if not n:
        return text
    cases = (
        f"all {n} cases (each a metric on a data set)"
        if n_same == n and n > 1
        else f"{n_same} of {n} case{'s' * (n > 1)} ({'each ' * (n > 1)}a metric on a data set)"
    )
    return f"{text} In {cases}, the system with the best printed score also has the best score here."
