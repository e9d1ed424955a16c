"""The contract of a splitter."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.errors import DesignError
from recsens.interactions import Interactions
from recsens.plugins import Plugin
from recsens.seeds import Stream
from recsens.splitting._groups import Groups


class Splitter(Plugin):
    """Gives every interaction one role in each of its folds (decision A2).

    A study may repeat a split: every repeat has its own stream, hence its own draw, and all of the splitter's folds.
    """

    kind: ClassVar[str] = "split"
    synonyms: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("train", "train_ratio", "train_size", "train_share"), "ratio"),
        **dict.fromkeys(("test", "test_size"), "ratio is the share that goes to train: ratio=0.8 leaves a fifth to test"),
        **dict.fromkeys(("folds", "n_folds", "n_splits", "cv"), "k"),
        **dict.fromkeys(("repeats", "n_repeats"), "'repeats: 5' beside 'split' draws it five times"),
    }

    @property
    def n_folds(self) -> int:
        """Number of folds of one repeat."""
        return 1

    @property
    def is_random(self) -> bool:
        """Whether repeats differ; a deterministic split has nothing to repeat."""
        return True

    @property
    def needs_timestamps(self) -> bool:
        """Whether data without time stamps cannot be split this way."""
        return False

    @property
    def tests_everybody(self) -> bool:
        """Whether any user may be tested in every fold; where some are set aside, only the others should be averaged."""
        return True

    @property
    def validates(self) -> bool:
        """Whether its folds may have a validation set."""
        return False

    @property
    def indivisible(self) -> str | None:
        """Why the split cannot be made for each user apart; None where `roles_within` says how."""
        return "it does not say how"

    @property
    def test_shape(self) -> str:
        """Name of the split that its test set is shaped like; a split around another that keeps its test set takes that one's."""
        return self.plugin_name()

    @property
    def stream_name(self) -> str:
        """Name of the split in random streams; a splitter around another takes that one's, so that both draw alike."""
        return self.plugin_name()

    @abstractmethod
    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Return the `recsens.vocabulary.Role` of each interaction in one fold, shape (n,).

        Raises
        ------
        DesignError
            If the data cannot be split this way (no time stamps, too few ratings).
        """

    def roles_within(self, interactions: Interactions, groups: Groups, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Return the roles that the split gives where each group is split as if it were alone.

        Raises
        ------
        DesignError
            If that has no meaning; `indivisible` says why.
        """
        raise DesignError(f"split '{self.spec}' cannot be made for each user apart: {self.indivisible}")

    def facts(self, interactions: Interactions, roles: NDArray[np.uint8]) -> Mapping[str, float]:
        """Return what a reader should know of this kind of split beyond its counts, by name; for the record of the fold."""
        return {}
