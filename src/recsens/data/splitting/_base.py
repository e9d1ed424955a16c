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


def _roles(call: Call, roles: object) -> NDArray[np.uint8]:
    checked = call.array(roles, "roles", "iu", (len(call.arguments["interactions"]),))
    unknown = ~np.isin(checked, list(Role))
    if unknown.any():
        raise call.refused(f"returned the unknown role {checked[unknown][0]}", _ROLES)
    # This is a copy, because the splitter may use the same array again in its next call.
    return checked.astype(np.uint8)


def _facts(call: Call, facts: object) -> Mapping[str, float]:
    if isinstance(facts, Mapping) and all(isinstance(name, str) and _is_number(value) for name, value in facts.items()):
        return facts
    raise call.refused(f"returned {facts!r} as facts", "finite numbers by name")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and math.isfinite(value)


class Splitter(Plugin):
    """A rule that gives every interaction one role in each fold (decision A2).

    A study may repeat a split. Every repeat has its own stream, and therefore its own draws, and contains all folds of the
    splitter.
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
        """Number of successive folds with the same split; the systems were trained again for each of them."""
        return 1

    @property
    def trains_as(self) -> Spec:
        """The simplest split with the same train sets, whose fitted systems can be reused; by default, this split."""
        return self.spec

    @property
    def is_random(self) -> bool:
        """Whether repeats differ; a deterministic split would be the same every time."""
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
        """Why the split cannot be made for each user separately; None if `roles_within` can do it."""
        return "it does not give the reason"

    @property
    def test_shape(self) -> str:
        """Name of the split that determines the test set. A wrapper that keeps the test set returns the inner split's name."""
        return self.plugin_name()

    @property
    def stream_name(self) -> str:
        """The split's name in random streams. A wrapper returns the inner split's name, so both have the same draws."""
        return self.plugin_name()

    def prose(self, whose: str = "the ratings") -> str:
        """Say how the ratings were divided. ``whose`` names them: all ratings or, in a split by user, those of each user."""
        return super().prose()

    @abstractmethod
    @returns(_roles)
    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Return the `recsens.vocabulary.Role` of each interaction in one fold, shape (n,).

        Raises DesignError if the data cannot be split this way (no time stamps, too few ratings).
        """

    @returns(_roles)
    def roles_within(self, interactions: Interactions, groups: Groups, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Return the roles of the interactions if each group is split separately.

        Raises DesignError if that is impossible; `indivisible` gives the reason.
        """
        raise DesignError(f"split '{self.spec}' cannot be made for each user separately: {self.indivisible}")

    @returns(_facts)
    def facts(self, interactions: Interactions, roles: NDArray[np.uint8]) -> Mapping[str, float]:
        """Return facts about the fold for its record, by name: facts specific to this kind of split, besides the counts."""
        return {}
