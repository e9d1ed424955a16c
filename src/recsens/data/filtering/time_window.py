"""Interactions within a period."""

from typing import Self

import numpy as np
from pydantic import Field, field_validator, model_validator

from recsens.data.filtering._base import Filter
from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.files.timestamps import check_moment, in_unit_of, period_in_words, seconds_of
from recsens.seeds import Stream


class TimeWindow(Filter):
    """Keep interactions with ``start`` <= time < ``end``; adjacent windows do not overlap.

    A date means the first moment of that day: ``end=2001-01-01`` keeps the whole of 2000. Data without time stamps, and a window
    without interactions, are refused.
    """

    keeps_ratings = True
    needs_timestamps = True

    start: int | str | None = Field(
        None,
        description="first moment that is kept: a date or time in ISO 8601 (UTC unless stated), or a time stamp; none: no bound",
    )
    end: int | str | None = Field(
        None, description=("first moment that is not kept any more, in the format of start; none: no bound")
    )

    _check_moment = field_validator("start", "end")(check_moment)

    @model_validator(mode="after")
    def _check_order(self) -> Self:
        if self.start is not None and self.end is not None and seconds_of(self.end) <= seconds_of(self.start):
            raise ValueError(f"end must be later than start, which is {self.start}")
        return self

    def prose(self, when: str = "Before the split") -> str:
        """Name the bounds."""
        bounds = [f"from {self.start} on"] if self.start is not None else []
        bounds += [f"before {self.end}"] if self.end is not None else []
        return f"{when}, we kept the interactions {' and '.join(bounds) or 'of all times'}."

    def apply(self, interactions: Interactions, stream: Stream) -> Interactions:
        """Compare time stamps with the window."""
        time = interactions.timestamp
        if time is None:
            raise DesignError(
                f"filter '{self.spec}' selects by time, but these data have no time stamps",
                remedy="declare the time stamp column, or leave this filter out",
            )
        kept = np.ones(len(time), dtype=np.bool_)
        if self.start is not None:
            kept &= time >= in_unit_of(self.start, time)
        if self.end is not None:
            kept &= time < in_unit_of(self.end, time)
        if len(time) and not kept.any():
            raise DesignError(
                f"filter '{self.spec}' keeps no interaction: the data run {period_in_words(time)}",
                allowed="a start no later than the last interaction, and an end later than the first",
            )
        return interactions.take(kept)
