"""Latent Dirichlet allocation: topics as in pLSA, with priors on users' mixtures and on topics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy.special import psi

from recsens.interactions import Interactions
from recsens.recommenders._base import Recommender
from recsens.recommenders._draws import uniform_draws
from recsens.recommenders._factors import factor_scores
from recsens.recommenders._preference import PREFERENCE_MEANING, Preference
from recsens.recommenders._presets import Preset, preset_field
from recsens.recommenders._progress import progress
from recsens.recommenders._topics import counts_of, share_out, sums_of


class LDA(Recommender):
    """s(u, i) = Σ_z E[θ_uz] E[φ_zi], the probability of item i under user u's mixture of topics.

    θ_u ~ Dirichlet(α) is user u's mixture of topics z, φ_z ~ Dirichlet(η) topic z's distribution over items. A rating r counts as r
    meetings of the user with the item; each meeting draws a topic from θ_u, and the item from that topic.

    Variational Bayes: θ_u and φ_z are approximated by Dirichlet distributions with the parameters γ_u and λ_z, which start at α + 1
    and at η + 1 + U(0, 1). With n_uiz ∝ exp(E[ln θ_uz] + E[ln φ_zi]) as the share of r_ui that goes to z, an epoch sets
    γ_uz = α + Σ_i n_uiz several times, then λ_zi = η + Σ_u n_uiz; the bound on the likelihood never falls. Mixtures go on from
    those of the epoch before, where scikit-learn solves for them anew: a few steps an epoch do, for the same fixed points.

    Users and items without train ratings are not computable, nor are those whose ratings all count 0. Threads own whole users and
    whole items: the same bytes at any number of them.
    """

    source = "Blei, Ng & Jordan (2003), smoothed variational inference; Hoffman, Blei & Bach (2010), in batch"
    n_threads = 2
    presets: ClassVar[Mapping[str, Preset]] = {
        "valcarce2018-ml1m": Preset(
            {"topics": 50, "alpha": 1.0, "eta": 1.0, "epochs": 50, "steps": 3},
            "Valcarce et al. (2018), LDA on MovieLens 1M: P@10 .2653, nDCG@10 .3365; parameters are not released",
            calibrated_on_test=True,
        )
    }

    topics: int = Field(50, ge=1, le=1000, description="number of topics z")
    alpha: float = Field(1.0, gt=0, le=1000, description="prior α of users' mixtures")
    eta: float = Field(1.0, gt=0, le=1000, description="prior η of topics")
    epochs: int = Field(50, ge=1, le=10_000, description="times that topics are updated")
    steps: int = Field(3, ge=1, le=1000, description="times that users' mixtures are updated in each epoch")
    preference: Preference = Field("rating", description=PREFERENCE_MEANING)
    preset: str | None = preset_field()

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Raise the bound.

        Raises
        ------
        DesignError
            If a rating that counts is negative.
        """
        of_users, of_items = counts_of(train, self.preference, str(self.spec))
        mixtures = np.full((train.n_users, self.topics), self.alpha + 1.0)
        topics = self.eta + 1.0 + uniform_draws(train.item_keys, self.topics, rng)
        for _ in progress(range(self.epochs), "epochs of lda"):
            typical_topics = np.ascontiguousarray(geometric_means(topics.T).T)
            for _ in range(self.steps):
                mixtures = self.alpha + share_out(of_users, geometric_means(mixtures), typical_topics)
            topics = self.eta + share_out(of_items, typical_topics, geometric_means(mixtures))
        mixtures /= mixtures.sum(axis=1, keepdims=True)
        topics /= topics.sum(axis=0)
        mixtures[sums_of(of_users) == 0] = np.nan
        topics[sums_of(of_items) == 0] = np.nan
        self._learned = {"mixtures": mixtures, "topics": topics}
        return self

    def score(self, train: Interactions, users: NDArray[np.int64]) -> NDArray[np.floating[Any]]:
        """Mix the topics of each user."""
        return factor_scores(train, users, self._learned["mixtures"], self._learned["topics"])


def geometric_means(parameters: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return exp(E[ln x]) for x ~ Dirichlet(row of parameters), row by row."""
    return np.asarray(np.exp(psi(parameters) - psi(parameters.sum(axis=1, keepdims=True))))
