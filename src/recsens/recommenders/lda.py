"""Latent Dirichlet allocation by scikit-learn: topics as in pLSA, with priors on mixtures and on topics."""

from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import Field
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

from recsens.data.interactions import Interactions
from recsens.recommenders import Ints, Preset, Presets, Reals, Recommender, preset_field, progress
from recsens.recommenders._factors import factor_scores
from recsens.recommenders._occurrences import occurrences

Counts = Literal["rating", "binary"]


class LDA(Recommender):
    """s(u, i) = Σ_z E[θ_uz] E[φ_zi], the probability of item i under user u's mixture of topics.

    θ_u ~ Dirichlet(α) is user u's mixture of topics z, φ_z ~ Dirichlet(η) topic z's distribution over items. A rating r counts as
    ⌊r⌋ meetings of the user with the item; each meeting draws a topic from θ_u, and the item from that topic.

    Fitted by batch variational Bayes of `sklearn.decomposition.LatentDirichletAllocation`, in one thread: θ_u and φ_z are
    approximated by Dirichlet distributions. In every epoch the mixtures of all users start anew and are updated for the topics as
    they stand, until they change by less than 0.001 on average or ``steps`` times; then the topics are updated for the mixtures.
    Mixtures for the last topics are found in the same way, after ``steps`` updates at most. Priors are at most 1, which is the
    library's bound.

    Users and items without train ratings are not computable, nor are those whose ratings all count 0.
    """

    source = "Blei, Ng & Jordan (2003), smoothed variational inference; Hoffman, Blei & Bach (2010), in batch; RankSys, counts"
    pace = 30
    presets: ClassVar[Presets] = {
        "valcarce2018-ml1m": Preset(
            {"factors": 50, "alpha": 1.0, "eta": 1.0, "epochs": 20, "steps": 5},
            "Valcarce et al. (2018), LDA on MovieLens 1M: P@10 .2653, nDCG@10 .3365; parameters are not released",
            calibrated_on_test=True,
        )
    }

    factors: int = Field(50, ge=1, le=1000, description="number of topics z")
    alpha: float = Field(1.0, gt=0, le=1, description="prior α of users' mixtures")
    eta: float = Field(1.0, gt=0, le=1, description="prior η of topics")
    epochs: int = Field(20, ge=1, le=10_000, description="times that topics are updated")
    steps: int = Field(
        5, ge=1, le=1000, description="times, at most, that users' mixtures are updated in each epoch, and for the last topics"
    )
    counts: Counts = Field("rating", description="how often a rating says that its user met its item: itself rounded down, or once")
    preset: str | None = preset_field()

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Fit by scikit-learn.

        Raises
        ------
        DesignError
            If a rating is negative, unless each counts once.
        """
        from sklearn.decomposition import LatentDirichletAllocation  # noqa: PLC0415  # a second that scoring need not pay

        meetings = _meetings(train, self.counts, str(self.spec))
        model = LatentDirichletAllocation(
            self.factors,
            doc_topic_prior=self.alpha,
            topic_word_prior=self.eta,
            max_doc_update_iter=self.steps,
            # A partial fit to all users, weighted n^-0 = 1, is an epoch of a batch fit, and shows progress in between.
            learning_decay=0.0,
            batch_size=train.n_users,
            total_samples=train.n_users,
            n_jobs=1,
            random_state=int(rng.integers(2**31)),
        )
        with threadpool_limits(limits=1, user_api="blas"):
            for _ in progress(range(self.epochs), "epochs of lda"):
                model.partial_fit(meetings)
            mixtures = model.transform(meetings)
        topics = np.ascontiguousarray((model.components_ / model.components_.sum(axis=1, keepdims=True)).T)
        mixtures[meetings.sum(axis=1) == 0] = np.nan
        topics[meetings.sum(axis=0) == 0] = np.nan
        self._learned = {"mixtures": mixtures, "topics": topics}
        return self

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Mix the topics of each user."""
        return factor_scores(train, users, self._learned["mixtures"], self._learned["topics"])


def _meetings(train: Interactions, counts: Counts, recommender: str) -> csr_array:
    """Return how often each user met each item, shape (n_users, n_items); what counts 0 is left out."""
    if counts == "binary":
        ratings = train.matrix
        times = np.ones_like(ratings.data)
    else:
        ratings = occurrences(train, recommender)
        times = np.floor(ratings.data)
    meetings = csr_array((times, ratings.indices.copy(), ratings.indptr.copy()), shape=ratings.shape)
    meetings.eliminate_zeros()
    return meetings
