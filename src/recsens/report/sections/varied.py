"""The decisions that an experiment varies."""

from __future__ import annotations

from typing import Any

import pandas as pd

from recsens.report.results import in_order
from recsens.report.words import option_in_full
from recsens.study import Experiment
from recsens.study.ignored import ignored
from recsens.study.taxonomy import decision


def varied_decisions(study: Experiment, summary: pd.DataFrame) -> list[dict[str, Any]]:
    """List each varied decision with its options in full, and the metrics that ignore it."""
    listed, unmoved = [], ignored(study)
    for key in study.vary:
        varied = decision(key)
        options = [option_in_full(varied, text) for text in in_order(summary[varied.column])]
        by = [metric.short for metric in unmoved.get(key, ())]
        listed.append({"code": varied.code, "name": varied.name, "options": options, "ignored_by": by})
    return listed
