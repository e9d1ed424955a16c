"""Confidence in observed ratings, which implicit-feedback factorizations use as weights."""

from recsens.errors import DesignError
from recsens.recommenders import Floats


def confidence(ratings: Floats, alpha: float, recommender: str) -> Floats:
    """Return c = 1 + ``alpha`` r for every rating r; pairs without a rating have c = 1 (Hu, Koren & Volinsky 2008, section 4).

    Raises DesignError if a rating is negative, because its confidence would be lower than that of an unobserved pair.
    """
    lowest = ratings.min(initial=0.0)
    if lowest < 0:
        raise DesignError(
            f"the confidence 1 + alpha * rating is not defined for the negative rating {lowest:g}",
            where=f"recommender '{recommender}'",
            allowed="ratings of 0 and above",
            remedy="leave negative ratings out with a filter, or choose another recommender for this data set",
        )
    return 1.0 + alpha * ratings
