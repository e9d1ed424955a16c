"""Which null hypothesis a p-value is of, and what it takes as fixed."""

from collections.abc import Mapping

import pandas as pd

from recsens.conclusions.verdicts.results import in_order


def hypothesis_of_study(pooled: pd.DataFrame) -> str:
    """Say which null hypothesis the p-values of a study are of: in words where there is one."""
    stated = in_order(pooled[pooled["p_value"].notna()]["hypothesis"])
    if len(stated) == 1:
        return f"The p-value tests the hypothesis that, {stated[0]}."
    return "The p-value tests a hypothesis that depends on the design; comparisons.csv names it for each."


def hypotheses(tests: Mapping[str, pd.DataFrame]) -> list[str]:
    """Say which null hypothesis p-values are of; where it differs, under which of the designs, by their labels."""
    labels_of: dict[str, list[str]] = {}
    for label, rows in tests.items():
        for hypothesis in in_order(rows[rows["p_value"].notna()]["hypothesis"]):
            labels_of.setdefault(hypothesis, []).append(label)
    leads = [f"Under {', '.join(labels)}, p" if len(labels_of) > 1 else "p" for labels in labels_of.values()]
    return [f"{lead} is of the hypothesis that, {hypothesis}." for hypothesis, lead in zip(labels_of, leads, strict=True)]
