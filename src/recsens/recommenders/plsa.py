"""Probabilistic latent semantic analysis: users are mixtures of topics, topics are distributions over items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.interactions import Interactions
from recsens.recommenders._base import Recommender
from recsens.recommenders._draws import uniform_draws
from recsens.recommenders._factors import factor_scores
from recsens.recommenders._preference import PREFERENCE_MEANING, Preference
from recsens.recommenders._presets import Preset, preset_field
from recsens.recommenders._progress import progress
from recsens.recommenders._topics import counts_of, share_out, sums_of


class PLSA(Recommender):
    """s(u, i) = p(i | u) = Σ_z p(z | u) p(i | z), with distributions that maximise the likelihood Σ_{u,i} r_ui ln p(i | u).

    A rating r counts as r meetings of the user with the item. Expectation maximisation from random distributions, all updated at
    once: E step q(z | u, i) ∝ (p(z | u) p(i | z))^β, M step p(z | u) ∝ Σ_i r_ui q(z | u, i) and p(i | z) ∝ Σ_u r_ui q(z | u, i).
    β = 1 is plain EM, under which the likelihood never falls; β < 1 (tempering) keeps the topics from settling on single users.

    Users and items without train ratings are not computable, nor are those whose ratings all count 0. Threads own whole users and
    whole items: the same bytes at any number of them.
    """

    source = "Hofmann (2004), aspect model and tempered EM; RankSys, PLSAFactorizer, which ranks by p(u, i), hence alike"
    n_threads = 2
    presets: ClassVar[Mapping[str, Preset]] = {
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
        of_users, of_items = counts_of(train, self.preference, str(self.spec))
        mixtures = _each_row_to_one(uniform_draws(train.user_keys, self.topics, rng))
        topics = _each_row_to_one(uniform_draws(train.item_keys, self.topics, rng).T).T
        for _ in progress(range(self.epochs), "epochs of plsa"):
            warm, warm_topics = np.ascontiguousarray(mixtures**self.temper), np.ascontiguousarray(topics**self.temper)
            mixtures = _each_row_to_one(share_out(of_users, warm, warm_topics))
            topics = _each_row_to_one(share_out(of_items, warm_topics, warm).T).T
        mixtures[sums_of(of_users) == 0] = np.nan
        topics[sums_of(of_items) == 0] = np.nan
        self._learned = {"mixtures": mixtures, "topics": np.ascontiguousarray(topics)}
        return self

    def score(self, train: Interactions, users: NDArray[np.int64]) -> NDArray[np.floating[Any]]:
        """Mix the topics of each user."""
        return factor_scores(train, users, self._learned["mixtures"], self._learned["topics"])


def _each_row_to_one(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide every row by its sum; rows of zeros stay."""
    totals = weights.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(weights, totals, out=np.zeros_like(weights), where=totals > 0))
