"""Merge: items without a score are scored by another recommender, on the system's own scale, and ranked among the others."""

from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.errors import DesignError
from recsens.plugins import component
from recsens.plugins.specs import Spec
from recsens.ranking.nc._base import Filling

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class Merge(Filling):
    """Score items that the system cannot score by another recommender, and rank them among the items that it can score.

    With ``scale=user``, each user's scores s' by the other recommender become m + d (s' - m') / d', where m and d are the mean and
    the standard deviation of the system's own scores, and m' and d' those of s', over the user's targets that both score. If s' is
    the same for all of these, they all become m; a user without such targets keeps s'. With ``scale=none``, scores are merged as
    they are, which is fair only if both recommenders predict ratings. The other recommender is fitted on the same train set. Items
    that it cannot score either are left out.
    """

    source = "Cañamares, Castells & Moffat (2020), section 3.4, which leaves the conversion open; LensKit's FallbackScorer (none)"
    also_called = ("fallback_scorer", "same_scale")
    merges: ClassVar[bool] = True

    by: Annotated[Spec, *component("recommender")] = Field(
        Spec("average_rating"), description="recommender that scores the items without a score"
    )
    scale: Literal["user", "none"] = Field("user", description="how its scores are converted: by each user's scores, or not at all")

    def prose(self) -> str:
        """Name the recommender, the scale, and the users whose rankings were filled up."""
        by = self.with_file_names(self.full_spec).get("by")
        scale = "converted to the mean and spread of each user's own scores" if self.scale == "user" else "not converted"
        whom = "; for users with training ratings, they were left out" if self.users == "without_train" else ""
        return f"Items that a system cannot score were ranked among the others by the recommender {by}, {scale}{whom}."

    def converted(self, own: Floats, others: Floats, wanted: Bools) -> Floats:
        """Move and stretch the other recommender's scores.

        Raises DesignError if scores are too large to be converted.
        """
        if self.scale == "none":
            return others
        both = wanted & ~np.isnan(own) & ~np.isnan(others)
        with np.errstate(all="ignore"):
            (mean, deviation), (mean_of_others, deviation_of_others) = _moments(own, both), _moments(others, both)
            # The mean of equal scores may be rounded, and the deviation is then above 0.
            ends = (end(np.where(both, others, np.nan), axis=1, keepdims=True) for end in (np.fmin.reduce, np.fmax.reduce))
            differ = np.not_equal(*ends) & (deviation_of_others > 0)
            slope = np.divide(deviation, deviation_of_others, out=np.zeros_like(mean), where=differ)
            found = np.where(both.any(axis=1, keepdims=True), mean + slope * (others - mean_of_others), others)
        if not np.isfinite(found[wanted & ~np.isnan(others)]).all():
            raise DesignError(f"'{self.spec}' cannot convert scores so far apart", allowed="scale=none, or smaller scores")
        return np.asarray(found)


def _moments(scores: Floats, kept: Bools) -> tuple[Floats, Floats]:
    """Return the mean and the standard deviation of each row's kept scores, shape (n_users, 1); 0 for a row without any."""
    n = np.maximum(kept.sum(axis=1, keepdims=True), 1)
    mean = np.where(kept, scores, 0.0).sum(axis=1, keepdims=True) / n
    return mean, np.sqrt((np.where(kept, scores - mean, 0.0) ** 2).sum(axis=1, keepdims=True) / n)
