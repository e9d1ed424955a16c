"""Cross-validation: each fold is the test set once.

k_fold: k-fold cross-validation: interactions are divided into k folds, and each fold is the test set once.
k_fold_users: Cross-validation by users: each user is tested in one fold; in all others, the user's ratings are in train.
"""

from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.data.splitting._base import Splitter
from recsens.data.splitting._groups import Groups, random_keys
from recsens.data.splitting._wrapper import Around
from recsens.errors import DesignError
from recsens.plugins import component
from recsens.plugins.specs import Spec
from recsens.seeds import Stream
from recsens.vocabulary import Role


class KFold(Splitter):
    """Fold j tests on the interactions whose rank in a random order is j modulo ``k``, and trains on all others.

    The test sets of the k folds are disjoint, cover the data, and differ in size by at most one. ``per_user(of=k_fold)`` divides
    each user's interactions into folds; each user's folds then differ in size by at most one. The folds that get one interaction
    more are drawn at random; otherwise, the first folds would always get more. A user with m < k interactions is tested in m folds.
    """

    label = "k_fold"
    source = "Cañamares, Castells & Moffat (2020), section 3.2"
    also_called = ("cross_validation", "cv")
    indivisible: ClassVar[str | None] = None

    k: int = Field(5, ge=2, le=1000, description="number of folds")

    def prose_title(self) -> str:
        """Name the split in a few words."""
        return f"{self.k}-fold cross-validation"

    def prose(self, whose: str = "the ratings") -> str:
        """Name the number of folds."""
        return (
            f"We divided {whose} at random into {self.k} folds whose sizes differ by at most one; each fold was the test set "
            "once, and all other folds were for training."
        )

    @property
    def n_folds(self) -> int:
        """Number of folds: one for each of the ``k`` test sets."""
        return self.k

    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Put the interactions of one fold into test."""
        return self.roles_within(interactions, Groups.together(interactions), fold, stream)

    def roles_within(self, interactions: Interactions, groups: Groups, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Put the interactions of one fold of every group into test."""
        first = (stream.child("first").hashes(groups.keys) % np.uint64(self.k)).astype(np.int64)
        dealt = (groups.ranks(random_keys(interactions, stream)) + first[groups.code]) % self.k
        return np.where(dealt == fold, Role.TEST, Role.TRAIN).astype(np.uint8)


class KFoldUsers(Around):
    """Divides the users into ``k`` folds.

    Fold j splits the ratings of its own users with the split ``of``; all ratings of other users are in train.

    Only users with ratings are divided, in random order; fold sizes differ by at most one user. This split measures how well a
    model serves users if it has learnt from only some of their ratings, and from all ratings of all other users. Data with fewer
    users than folds are refused. Averages that include users without test ratings are refused too, because in each fold the users
    of all other folds would count as zero.
    """

    label = "k_fold_users"
    source = "Ekstrand (2020), LensKit for Python, crossfold_users"
    is_random: ClassVar[bool] = True
    is_successive: ClassVar[bool] = False
    tests_everybody: ClassVar[bool] = False

    of: Annotated[Spec, *component("split")] = Field(Spec("leave_out"), description="the split for the ratings of a fold's users")
    k: int = Field(5, ge=2, le=1000, description="number of folds")

    def prose_title(self) -> str:
        """Name the split in a few words."""
        return f"{self.k}-fold cross-validation by users" if self.of == type(self).model_fields["of"].default else ""

    def prose(self, whose: str = "the ratings") -> str:
        """Name the number of folds, and describe each fold."""
        return (
            f"We divided the users at random into {self.k} folds whose sizes differ by at most one. In each fold, only the ratings "
            "of its own users were split; all ratings of other users were for training. "
            f"{self.inner.prose('the ratings of each user')}"
        )

    @property
    def n_folds(self) -> int:
        """Number of folds of users times the number of folds of the inner split."""
        return self.k * self.inner.n_folds

    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Split the ratings of the fold's users."""
        user_fold, inner_fold = divmod(fold, self.inner.n_folds)
        active = np.flatnonzero(interactions.user_counts)
        if len(active) < self.k:
            raise DesignError(f"{len(active)} users cannot be divided into {self.k} folds", allowed=f"k <= {len(active)}")
        lots = stream.child("users").hashes(interactions.user_keys[active])
        is_tested = np.zeros(interactions.n_users, dtype=np.bool_)
        is_tested[active[np.argsort(lots)[user_fold :: self.k]]] = True
        roles = self.inner.roles(interactions, inner_fold, stream)
        return np.where(is_tested[interactions.user], roles, Role.TRAIN).astype(np.uint8)
