"""Share of recommendations from the future."""

import numpy as np

from recsens.errors import DesignError
from recsens.metrics import Floats, Judged, ListMetric, Lists


class Future(ListMetric):
    """Future@n = |{i in L^n : b_i > t_u}| / min(n, |L|): the share of shown items that did not exist when the user's test began.

    The test begins at t_u, the time of the user's first test rating. An item exists from b_i on, the time of its first rating by
    any user, in train, test or neither. A value above 0 means that the split leaks the future to recommenders, because no system
    could have made such a list at that time. Range [0, 1]; 0 for an empty list. Users without test ratings have no t_u and are left
    out of the average.
    """

    label = "Future"
    source = "Ji et al. (2023), A critical study on data leakage in recommender system offline evaluation"
    higher_is_better = False
    is_descriptive = True
    needs_timestamps = True
    ignores = frozenset({"relevance"})

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Compute the share of shown items that appeared after the user's test began.

        Raises
        ------
        DesignError
            If the data have no time stamps.
        """
        moments = lists.catalogue.moments
        if moments is None:
            raise DesignError(
                f"metric '{self.spec}' compares times, but these data have no time stamps", allowed="data with time stamps"
            )
        tested = moments.tested_from[lists.users]
        is_future = moments.first_rated[lists.item] > np.repeat(tested, lists.lengths)
        so_far = np.concatenate([[0], np.cumsum(is_future)])
        shown = lists.shown(cutoffs)
        found = so_far[lists.starts[:-1, np.newaxis] + shown] - so_far[lists.starts[:-1], np.newaxis]
        return np.where(np.isnan(tested)[:, np.newaxis], np.nan, found / np.maximum(shown, 1))
