"""The contract of a splitter."""

import math
from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.data.interactions import Interactions
from recsens.data.splitting._groups import Groups
from recsens.errors import DesignError
from recsens.plugins import Plugin
from recsens.plugins.own import Call, returns
from recsens.plugins.specs import Spec
from recsens.seeds import Stream
from recsens.vocabulary import Role

_ROLES = ", ".join(f"{role.value} ({role.name.lower()})" for role in Role)


def _check_roles(call: Call, roles: object) -> NDArray[np.uint8]:
    checked = call.array(roles, "roles", "iu", (len(call.arguments["interactions"]),))
    unknown = ~np.isin(checked, list(Role))
    if unknown.any():
        raise call.refused(f"returned the unknown role {checked[unknown][0]}", _ROLES)
    # The array is copied, because the splitter may use it again in its next call.
    return checked.astype(np.uint8)


def _check_facts(call: Call, facts: object) -> Mapping[str, float]:
    if isinstance(facts, Mapping) and all(
        isinstance(name, str) and isinstance(value, int | float | np.integer | np.floating) and math.isfinite(value)
        for name, value in facts.items()
    ):
        return facts
    raise call.refused(f"returned {facts!r} as facts", "finite numbers by name")


class Splitter(Plugin):
    """A rule that gives every interaction one role in each fold (decision A2).

    A study may repeat a split. Every repeat contains all folds of the splitter, and has its own stream, which gives it its own
    draws.
    """

    kind: ClassVar[str] = "split"
    synonyms: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("train", "train_ratio", "train_size", "train_share"), "ratio"),
        **dict.fromkeys(("test", "test_size"), "ratio is the share that goes to train: ratio=0.8 leaves one fifth for test"),
        **dict.fromkeys(("folds", "n_folds", "n_splits", "cv"), "k"),
        **dict.fromkeys(("repeats", "n_repeats"), "'repeats: 5' next to 'split' draws the split five times"),
    }

    prose_lead: ClassVar[str] = "The data were split by"

    @property
    def n_folds(self) -> int:
        """Number of folds per repeat."""
        return 1

    @property
    def folds_per_split(self) -> int:
        """Number of successive folds that have the same split and differ only in the training of the systems."""
        return 1

    @property
    def is_successive(self) -> bool:
        """Whether folds follow each other in time, each trained on everything before its test."""
        return False

    @property
    def trains_as(self) -> Spec:
        """The simplest split with the same train sets; systems fitted for it can be reused. By default, it is the split itself."""
        return self.spec

    @property
    def is_random(self) -> bool:
        """Whether the split draws at random; if not, all repeats would be the same."""
        return True

    @property
    def needs_timestamps(self) -> bool:
        """Whether the split needs time stamps."""
        return False

    @property
    def tests_everybody(self) -> bool:
        """Whether every user can be tested in every fold. If not, averages should cover only users who can be tested."""
        return True

    @property
    def tests_truth(self) -> bool:
        """Whether rankings are tested on the data set's complete relevance instead of the interactions in test."""
        return False

    @property
    def validates(self) -> bool:
        """Whether folds may have a validation set."""
        return False

    @property
    def indivisible(self) -> str | None:
        """The reason why the split cannot be made for each user separately; None if `roles_within` can make it."""
        return "it does not give the reason"

    @property
    def tuning_split(self) -> Spec:
        """The split that divides a train set again for tuning: of the same kind if this split goes by time, otherwise random.

        A random part of a train set would let a choice see the future of what it learns from.
        """
        return self._spec_for_tuning() if self.needs_timestamps else Spec("random")

    def _spec_for_tuning(self) -> Spec:
        return Spec("temporal")

    @property
    def test_shape(self) -> str:
        """Name of the split that determines the test set. A wrapper that keeps the test set returns the inner split's name."""
        return self.plugin_name()

    @property
    def stream_name(self) -> str:
        """The split's name in random streams. A wrapper returns the inner split's name; both then have the same draws."""
        return self.plugin_name()

    def prose(self, whose: str = "the ratings") -> str:
        """Say how the ratings were divided. ``whose`` names them: all ratings or, in a split by user, each user's ratings."""
        return super().prose()

    @abstractmethod
    @returns(_check_roles)
    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Return the `recsens.vocabulary.Role` of each interaction in one fold, shape (n,).

        Raises DesignError if the data cannot be split this way (no time stamps, too few ratings).
        """

    @returns(_check_roles)
    def roles_within(self, interactions: Interactions, groups: Groups, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Return the roles of the interactions if each group is split separately.

        Raises DesignError if that is impossible; `indivisible` gives the reason.
        """
        raise DesignError(f"split '{self.spec}' cannot be made for each user separately: {self.indivisible}")

    @returns(_check_facts)
    def facts(self, interactions: Interactions, roles: NDArray[np.uint8]) -> Mapping[str, float]:
        """Return facts about a fold, by name, which are recorded with it in addition to its counts."""
        return {}
