"""Plug-ins of a user's own: they have a name and parameters, and are never run."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from recsens.datasets import DataSet
from recsens.recommenders import Preset, Recommender, preset_field
from recsens.users import Users


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
