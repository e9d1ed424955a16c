"""The decisions that an experiment varies."""

from typing import Any

import pandas as pd

from recsens.conclusions.verdicts.study_tables import in_order
from recsens.report.sentences.options import titles_of
from recsens.study import Experiment
from recsens.study.ignored import ignored
from recsens.study.taxonomy import decision


def varied_decisions(study: Experiment, summary: pd.DataFrame) -> list[dict[str, Any]]:
    """List each varied decision with its options, both as written and in words, and with the metrics that ignore the decision."""
    listed, unmoved = [], ignored(study)
    for key in study.vary:
        varied = decision(key)
        options = in_order(summary[varied.column])
        by = [metric.written for metric in unmoved.get(key, ())]
        words = titles_of(varied, options)
        listed.append({"code": varied.code, "name": varied.name, "options": words, "ignored_by": by})
    return listed
