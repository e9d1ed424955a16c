"""Success."""

import numpy as np

from recsens.metrics import Floats, Judged, Metric


class Success(Metric):
    """Success@n = 1 if any of the first n items is relevant, else 0.

    If one item per user is held out, Success is also called hit rate. For a user with a single relevant item, it equals recall. The
    values are 0 and 1; 0 without relevant items or without a list.
    """

    label = "Success"
    is_monotone = True
    source = "Bellogín (2012), section 3.2; trec_eval's success"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Check whether any relevant item is at or above each cut-off."""
        return (judged.hits(cutoffs) > 0).astype(np.float64)
