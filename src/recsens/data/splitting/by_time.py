"""Splits by time: the past is in train, and the future in test.

temporal: Temporal split: the past is in train, and the future in test.
rolling: Rolling split: successive periods are tested; everything before a period is its train set.
"""

from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator, model_validator

from recsens.data.interactions import Interactions
from recsens.data.splitting._base import Splitter
from recsens.data.splitting._groups import Groups, chronological, n_in_train, time_stamps_of
from recsens.errors import DesignError
from recsens.files.timestamps import check_moment, in_unit_of, per_second, period_in_words, unit_of
from recsens.plugins.prose import number, percent, several
from recsens.plugins.specs import Spec
from recsens.seeds import Stream
from recsens.vocabulary import Role

_RATIO = 0.8


class Temporal(Splitter):
    """The earliest share ``ratio`` of the interactions goes to train, the rest to test; with ``at``, test starts at that time.

    With ``ratio``, the cut is the time of the floor(ratio · n)-th interaction. ``ties=train`` puts all interactions of that second
    into train; everything in train is then earlier than everything in test. ``ties=key`` and ``ties=random`` meet the ratio
    exactly: they order interactions of the same second by the keys of user and item, or by a draw. If users rate a whole page of
    items within a second, use one of these two in ``per_user``, as in ``per_user(of=temporal(ties=random))``. Then, of each user's
    n interactions, the last ceil((1 - ratio) · n) go to test. If every user is split separately, train contains the future of other
    users. Data without time stamps, and a cut that leaves train or test empty, are refused.
    """

    label = "temporal"
    source = "Cañamares, Castells & Moffat (2020), section 3.2, 'temporal split'"
    also_called = ("time", "time_split", "temporal_holdout", "chronological")
    prose_shares = (("ratio", "data in train"),)
    needs_timestamps: ClassVar[bool] = True

    ratio: float = Field(_RATIO, gt=0, lt=1, description="share of the interactions that go to train; ignored with at")
    at: int | str | None = Field(
        None,
        description="first moment of the test set: a date or time in ISO 8601 (UTC unless stated), or a time stamp as in the data",
    )
    ties: Literal["train", "key", "random"] = Field(
        "train",
        description="where interactions at the second of the cut go: all to train, or to either side, ordered by key or by a draw",
    )

    _check_moment = field_validator("at")(check_moment)

    @model_validator(mode="after")
    def _check_cut(self) -> Self:
        if self.at is not None and (self.ratio != _RATIO or self.ties != "train"):
            raise ValueError("'ratio' and 'ties' set the cut by a share, and 'at' sets it by a moment: give one or the other")
        return self

    def prose_title(self) -> str:
        """Name the split in a few words."""
        if self.at is not None:
            return f"split by time (before {self.at} in train)"
        ties = "" if self.ties == "train" else f", equal times by {'key' if self.ties == 'key' else 'a draw'}"
        return f"split by time ({percent(self.ratio)} in train{ties})"

    def prose(self, whose: str = "the ratings") -> str:
        """Name the share or the time, and say where the interactions at the cut go."""
        if self.at is not None:
            return f"We split {whose} by time: those before {self.at} for training, those from then on for testing."
        first = f"We split {whose} by time: the first {percent(self.ratio)}"
        if self.ties == "train":
            others = "together with all others of the second in which this part ends, and all later ratings for testing"
            return f"{first} for training, {others}."
        order = "in the order of users and items in the data" if self.ties == "key" else "in random order"
        return f"{first} (rounded down) for training, all later ratings for testing; ratings of the same second are {order}."

    @property
    def is_random(self) -> bool:
        """True only if interactions in the same second are ordered by a draw."""
        return self.ties == "random"

    @property
    def indivisible(self) -> str | None:
        """Why `per_user` cannot wrap this split: a cut at a fixed time is the same for all users. None if the cut is at a share."""
        return None if self.at is None else "the moment is the same for all users"

    def _spec_for_tuning(self) -> Spec:
        return self.spec.without("at")

    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Cut all interactions by time."""
        if self.at is None:
            roles = self.roles_within(interactions, Groups.together(interactions), fold, stream)
        else:
            time = time_stamps_of(interactions, self.spec)
            roles = _roles(time < in_unit_of(self.at, time))
        self._check_sides(interactions, roles)
        return roles

    def roles_within(self, interactions: Interactions, groups: Groups, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Cut each group by time at the ratio."""
        if self.at is not None:
            return super().roles_within(interactions, groups, fold, stream)
        n_train = n_in_train(groups.sizes, self.ratio)
        if self.ties != "train":
            return _roles(groups.ranks(*chronological(interactions, self.spec, self.ties, stream)) < n_train[groups.code])
        time = time_stamps_of(interactions, self.spec)
        # The order of equal times is arbitrary, but the time at a given rank is fixed.
        at_cut = groups.ranks(time) == n_train[groups.code] - 1
        last = np.full(len(groups.keys), np.iinfo(np.int64).min)
        last[groups.code[at_cut]] = time[at_cut]
        return _roles(time <= last[groups.code])

    def _check_sides(self, interactions: Interactions, roles: NDArray[np.uint8]) -> None:
        if len(roles) and (roles == roles[0]).all():
            time = time_stamps_of(interactions, self.spec)
            side = "test" if roles[0] == Role.TRAIN else "train"
            raise DesignError(
                f"split '{self.spec}' leaves the {side} set empty: the data run {period_in_words(time)}",
                allowed="a moment after the first interaction and no later than the last, or a ratio that cuts before the last",
                remedy="ties=key or ties=random orders the interactions of one second" if time.min() == time.max() else None,
            )


def _roles(is_train: NDArray[np.bool_]) -> NDArray[np.uint8]:
    return np.where(is_train, Role.TRAIN, Role.TEST).astype(np.uint8)


_DAY = 86_400


class Rolling(Splitter):
    """The last ``windows`` periods of ``horizon`` days are tested one after another, each with everything before it in train.

    There are W windows of length h. The last window ends with the newest interaction, at time T. Fold j = 0, ..., W - 1 tests on
    the interactions at times T - (W - j) h < t <= T - (W - j - 1) h, and trains on all earlier interactions; later interactions are
    unused. Train sets therefore grow from fold to fold, and none contains interactions later than the test. Data without time
    stamps, and windows or train sets without interactions, are refused. Lengths are rounded to the unit of the time stamps.
    """

    label = "rolling"
    source = "rolling-origin evaluation: Tashman (2000), Out-of-sample tests of forecasting accuracy"
    also_called = ("rolling_window", "rolling_origin", "time_series_split", "walk_forward")
    needs_timestamps: ClassVar[bool] = True
    indivisible: ClassVar[str | None] = "its windows are the same for all users"
    is_random: ClassVar[bool] = False
    is_successive: ClassVar[bool] = True

    windows: int = Field(5, ge=1, le=1000, description="number of windows; each is a fold")
    horizon: float = Field(30, gt=0, le=36_500, description="length of a window in days")

    def prose(self, whose: str = "the ratings") -> str:
        """Name the windows."""
        windows = several(self.windows, "window")
        return (
            f"We split {whose} by time: the last {windows} of {number(self.horizon)} days were tested one after another, each "
            "with everything before it for training; everything after it was not used."
        )

    @property
    def n_folds(self) -> int:
        """Number of folds: one for each window."""
        return self.windows

    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Put the window into test, and everything before it into train."""
        time = time_stamps_of(interactions, self.spec)
        if len(time) == 0:
            return np.empty(0, dtype=np.uint8)
        length = round(self.horizon * _DAY * per_second(unit_of(time.max())))
        # Subtract from the newest time, because sums of large numbers could overflow.
        age = time.max() - time
        begins, ends = (self.windows - fold) * length, (self.windows - fold - 1) * length
        roles = np.where(age >= begins, Role.TRAIN, np.where(age >= ends, Role.TEST, Role.UNUSED)).astype(np.uint8)
        for role, side in ((Role.TRAIN, "train set"), (Role.TEST, "test set")):
            if not (roles == role).any():
                raise DesignError(
                    f"split '{self.spec}' leaves the {side} of window {fold + 1} of {self.windows} empty: "
                    f"the data run {period_in_words(time)}",
                    allowed="windows that together are shorter than the data, each with interactions",
                    remedy="change the horizon, in days, or the number of windows",
                )
        return roles
