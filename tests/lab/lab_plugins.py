"""A user's own plug-ins, which have a name and parameters but are never run."""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from recsens.comparison.users import Users
from recsens.conclusions.meta import MetricAnalysis
from recsens.data.datasets import DataSet
from recsens.recommenders import Preset, Recommender, preset_field


class Ratings(DataSet):
    """Invented ratings on a scale of 1 to 5."""

    name: str = Field("alpha", description="which ratings")

    def load(self, files, stream):
        raise NotImplementedError


class _Never(Recommender):
    def fit(self, train, rng):
        raise NotImplementedError

    def score(self, train, users):
        raise NotImplementedError


class Neighbours(_Never):
    """s(u, i) = Σ_v sim(u, v) r(v, i) over the nearest users."""

    source = "Ning, Desrosiers & Karypis (2015)"

    k: int = Field(20, ge=1, description="number of neighbours")


class Factors(_Never):
    """s(u, i) = p_u · q_i."""

    source = "Hu, Koren & Volinsky (2008)"

    factors: int = Field(50, ge=1, description="length of the vectors")


class Popular(_Never):
    """s(u, i) = number of train ratings of i."""


class Calibrated(_Never):
    """s(u, i) = what was printed."""

    presets: ClassVar = {"met": Preset({"k": 7}, "the released scores", calibrated_on_test=True)}

    k: int = Field(20, ge=1, description="a number")
    preset: str | None = preset_field()


class Rated(Users):
    """Average the users with a relevant test rating."""

    def admit(self, population):
        return population.relevant >= np.int64(1)


class _NeverAnalysis(MetricAnalysis):
    def analyse(self, board, asked):
        raise NotImplementedError


class Thinned(_NeverAnalysis):
    """Finds a curve of tau."""

    quantities: ClassVar[dict[str, str]] = {"tau": "how alike systems are ordered", "area": "height of the curve"}
    headline = "area"
    axis = "test ratings kept, in % of all"
    axis_falls = True
    drawn_by = "robustness"


class Tested(_NeverAnalysis):
    """Finds p-values."""

    quantities: ClassVar[dict[str, str]] = {"p": "p-value of a pair", "DP": "sum of p"}
    headline = "DP"
    drawn_by = "curve(scale=linear)"


class Ordered(_NeverAnalysis):
    """Finds how far orders agree."""

    quantities: ClassVar[dict[str, str]] = {"agreement": "correlation of orders; n is the number of systems", "mean": "its mean"}
    headline = "mean"
    drawn_by = "agreement"

    of: Literal["metrics", "cutoffs"] = Field("metrics", description="what is compared")


class Dialled(_NeverAnalysis):
    """Finds values by the number of negatives."""

    quantities: ClassVar[dict[str, str]] = {
        "expected": "value with so many", "full": "value with all", "crossing": "number at which two change", "kept": "share",
        "agreement": "tau with all",
    }  # fmt: skip
    headline = "kept"
    axis = "negatives per relevant rating"
    drawn_by = "dial"
