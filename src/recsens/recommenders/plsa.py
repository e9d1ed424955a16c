"""Probabilistic latent semantic analysis: users as mixtures of topics, topics as distributions over items."""

from typing import ClassVar, Self

import numpy as np
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.recommenders import Floats, Ints, Preset, Presets, Reals, Recommender, preset_field, progress
from recsens.recommenders._factors import factor_scores, uniform_draws
from recsens.recommenders._mixtures import share_out
from recsens.recommenders._preference import PREFERENCE_MEANING, Preference, preferences, refuse_negative
from recsens.recommenders._rows import Rows

_TINY = 1e-200
"""Constant added to a product. Because of it, a rating without probability in any topic is ignored, and not divided by 0."""


class PLSA(Recommender):
    """s(u, i) = p(i | u) = Σ_z p(z | u) p(i | z), with distributions that maximise the likelihood Σ_{u,i} r_ui ln p(i | u).

    A rating r counts as r occurrences of the item in the user's profile. Expectation maximisation starts from random distributions
    and updates all of them at once. The E step is q(z | u, i) ∝ (p(z | u) p(i | z))^β, and the M step is p(z | u) ∝ Σ_i r_ui q(z |
    u, i) and p(i | z) ∝ Σ_u r_ui q(z | u, i). β = 1 is plain EM, under which the likelihood never falls; β < 1 (tempering) prevents
    topics from fitting single users.

    Users and items are not computable if they have no train ratings, or if all their ratings count as 0.
    """

    source = "Hofmann (2004), aspect model and tempered EM; RankSys, PLSAFactorizer, which ranks by p(u, i), hence alike"
    pace = 10
    n_threads = 2
    presets: ClassVar[Presets] = {
        "valcarce2018-ml1m": Preset(
            {"topics": 50, "epochs": 100},
            "Valcarce et al. (2018), PLSA on MovieLens 1M: P@10 .2608, nDCG@10 .3309; parameters are not released",
            calibrated_on_test=True,
        )
    }

    topics: int = Field(50, ge=1, le=1000, description="number of topics z")
    epochs: int = Field(100, ge=1, le=10_000, description="steps of expectation maximisation")
    temper: float = Field(1.0, gt=0, le=1, description="exponent β of the E step")
    preference: Preference = Field("rating", description=PREFERENCE_MEANING)
    preset: str | None = preset_field()

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Maximise the likelihood.

        Raises
        ------
        DesignError
            If a rating that counts is negative.
        """
        meetings = preferences(train, self.preference)
        refuse_negative(meetings, "is not a number of occurrences", str(self.spec))
        of_users, of_items = Rows.of(meetings), Rows.of_columns(meetings)
        mixtures = _each_row_to_one(uniform_draws(train.user_keys, self.topics, rng))
        topics = _each_row_to_one(uniform_draws(train.item_keys, self.topics, rng).T).T
        users, items = np.arange(train.n_users), np.arange(train.n_items)
        for _ in progress(range(self.epochs), "epochs of plsa"):
            warm, warm_topics = np.ascontiguousarray(mixtures**self.temper), np.ascontiguousarray(topics**self.temper)
            mixtures = _each_row_to_one(share_out(users, of_users, warm, warm_topics, _TINY))
            topics = _each_row_to_one(share_out(items, of_items, warm_topics, warm, _TINY).T).T
        mixtures[meetings.sum(axis=1) == 0] = np.nan
        topics[meetings.sum(axis=0) == 0] = np.nan
        self._learned = {"mixtures": mixtures, "topics": np.ascontiguousarray(topics)}
        return self

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Mix the topics of each user."""
        return factor_scores(train, users, self._learned["mixtures"], self._learned["topics"])


def _each_row_to_one(weights: Floats) -> Floats:
    """Divide every row by its sum; rows of zeros stay unchanged."""
    totals = weights.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(weights, totals, out=np.zeros_like(weights), where=totals > 0))
