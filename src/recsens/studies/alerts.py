"""What no reader of a study must overlook."""

from __future__ import annotations

import pandas as pd

from recsens.config import Study
from recsens.studies.counted import ADVICE, warnings
from recsens.studies.few_users import few_effective
from recsens.studies.results import rows_of
from recsens.studies.unranked import below_random


def alerts(study: Study, summary: pd.DataFrame, comparisons: pd.DataFrame, counted: pd.DataFrame) -> list[str]:
    """List what warns of a study's numbers.

    Where most users cannot score or most test ratings are lost, and what to do then; tests that rest on few effective users;
    systems below random ones.
    """
    found = [sentence for part in study.parts() for sentence in warnings(part, counted)]
    below = [sentence for part in study.parts() for sentence in below_random(part, rows_of(part, summary))]
    few = [sentence for part in study.parts() for sentence in few_effective(part, rows_of(part, comparisons))]
    return [*found, *([ADVICE] if found else []), *few, *below]
