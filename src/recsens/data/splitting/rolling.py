"""Rolling split: successive periods are tested; everything before a period is its train set."""

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.data.splitting._times import ByTime, times
from recsens.errors import DesignError
from recsens.files.timestamps import per_second, period, unit_of
from recsens.plugins.prose import number, several
from recsens.seeds import Stream
from recsens.vocabulary import Role

_DAY = 86_400


class Rolling(ByTime):
    """The last ``windows`` periods of ``horizon`` days are tested one after another, each with everything before it in train.

    There are W windows of length h. The last window ends with the newest interaction, at time T. Fold j = 0, ..., W - 1 tests on
    the interactions at times T - (W - j) h < t <= T - (W - j - 1) h, and trains on all earlier interactions; later interactions are
    unused. Train sets therefore grow from fold to fold, and none contains interactions later than the test. Data without time
    stamps, and windows or train sets without interactions, are refused. Lengths are rounded to the unit of the time stamps.
    """

    source = "rolling-origin evaluation: Tashman (2000), Out-of-sample tests of forecasting accuracy"
    also_called = ("rolling_window", "rolling_origin", "time_series_split", "walk_forward")

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

    @property
    def indivisible(self) -> str | None:
        """Why `per_user` cannot wrap this split: windows are the same for all users."""
        return "its windows are the same for all users"

    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Put the window into test, and everything before it into train."""
        time = times(interactions, self.spec)
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
                    f"the data run {period(time)}",
                    allowed="windows that together are shorter than the data, each with interactions",
                    remedy="change the horizon, in days, or the number of windows",
                )
        return roles
