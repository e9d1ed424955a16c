"""Coverage: which items are recommended to anybody, and which pairs or items get a prediction.

CatalogCoverage: Catalogue coverage.
TrainCoverage: Coverage of the items in the train set.
PredictionCoverage: Prediction coverage.
"""

from typing import Literal

import numpy as np
from pydantic import Field

from recsens.errors import DesignError
from recsens.metrics import Catalogue, Floats, Ints, ItemCountMetric, Judged, Metric, at_every


class CatalogCoverage(ItemCountMetric):
    """CC@n = |∪_u L_u^n| / |I|, the share of all items that are among the first n of any user's list.

    I are the items of the filtered data set, including those without train ratings. There is one value for all users. Range [0, 1];
    at most n |U| / |I|.
    """

    label = "CatalogCoverage"
    source = "Ge, Delgado-Battenfeld & Jannach (2010)"

    def of_counts(self, counts: Ints, n_lists: Ints, cutoff: int, catalogue: Catalogue) -> Floats:
        """Count the items recommended to at least one user."""
        return np.asarray(np.count_nonzero(counts, axis=1) / catalogue.n_items)


class TrainCoverage(ItemCountMetric):
    """TC@n = |T ∩ ∪_u L_u^n| / |T|, the share of the items T with a train rating that are among the first n of any user's list.

    By contrast, `CatalogCoverage` is a share of all items of the data set. There is one value for all users. Range [0, 1]; 0
    without train ratings.
    """

    label = "TrainCoverage"
    source = "RePlay's Coverage"

    def of_counts(self, counts: Ints, n_lists: Ints, cutoff: int, catalogue: Catalogue) -> Floats:
        """Count the items with train ratings that are recommended to at least one user."""
        is_rated = catalogue.raters > 0
        return np.asarray(np.count_nonzero(counts[:, is_rated], axis=1) / max(int(is_rated.sum()), 1))


class PredictionCoverage(Metric):
    """PC = |{(u, i) in T: the recommender itself has a score}| / |T| for the pairs T of the test set; or the same share of items.

    With ``of=items``, PC is the share of test items with a score for at least one of the users who rated the item in test. The
    divisor counts the test set and not the catalogue, because scores of other items and pairs are unknown. A pair has no score if
    only the policy for items that are not computable ranks it. An item outside the targets has no score either; targets that leave
    out test items therefore lower the share. There is one value for all users. Range [0, 1]; NaN without a test rating.
    """

    label = "PredictionCoverage"
    is_monotone = True
    source = "Herlocker et al. (2004), section 4.1; of items, Ge, Delgado-Battenfeld & Jannach (2010)"
    unit = "pooled"
    takes_cutoff = "never"
    ignores = frozenset({"relevance", "view"})

    of: Literal["pairs", "items"] = Field("pairs", description="share of the test set's pairs of user and item, or of its items")

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Count scores.

        Raises
        ------
        DesignError
            If scores, or the items to count, are unknown.
        """
        if judged.score is None:
            raise DesignError("prediction coverage counts scores, which are not known here", allowed="metrics of judged positions")
        has_score = ~np.isnan(judged.score)
        if self.of == "items":
            if judged.item is None:
                raise DesignError("of=items counts the items of the test set, which are not known here", allowed="of=pairs")
            _, item = np.unique(judged.item, return_inverse=True)
            has_score = np.bincount(item[has_score], minlength=int(item.max(initial=-1)) + 1) > 0
        value = np.count_nonzero(has_score) / len(has_score) if len(has_score) else np.nan
        return at_every(cutoffs, np.array([value]))
