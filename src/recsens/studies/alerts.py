"""What no reader of a study must overlook."""

from __future__ import annotations

import pandas as pd

from recsens.config import Study
from recsens.studies.counted import ADVICE, warnings
from recsens.studies.results import rows_of
from recsens.studies.unranked import below_random


def alerts(study: Study, summary: pd.DataFrame, counted: pd.DataFrame) -> list[str]:
    """List where most users cannot score or most test ratings are lost, what to do then, and systems below random ones."""
    found = [sentence for part in study.parts() for sentence in warnings(part, counted)]
    below = [sentence for part in study.parts() for sentence in below_random(part, rows_of(part, summary))]
    return [*found, *([ADVICE] if found else []), *below]
