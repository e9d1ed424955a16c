"""The smallest difference that matters: absolute, or a share of the better value."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import BeforeValidator

_SHARE = re.compile(r"(\d+(?:\.\d+)?) ?%")
_NUMBER = re.compile(r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
_ALLOWED = "Allowed: a number of at least 0, or a percentage such as 1 %"


@dataclass(frozen=True, slots=True)
class Margin:
    """A margin.

    Attributes
    ----------
    size
        The margin in units of the metric, or as a share.
    is_share
        Whether the margin is a share of the better of two values.
    """

    size: float = 0.0
    is_share: bool = False

    @classmethod
    def parse(cls, written: float | str) -> Margin:
        """Parse a margin such as ``0.01`` or ``1 %``.

        Raises
        ------
        ValueError
            If the text is neither a number of at least zero nor a percentage.
        """
        if isinstance(written, str):
            percentage = _SHARE.fullmatch(written.strip())
            if percentage is not None:
                if float(percentage[1]) >= 100:
                    raise ValueError(f"'{written}' is not a margin: a share of the better value is below 100 %. {_ALLOWED}")
                return cls(float(percentage[1]) / 100, is_share=True)
            # YAML parses 1e-3 as text.
            if _NUMBER.fullmatch(written.strip()) is None:
                raise ValueError(f"'{written}' is not a margin. {_ALLOWED}")
            written = float(written)
        if not 0 <= written < float("inf"):
            raise ValueError(f"{written:g} is not a margin. {_ALLOWED}")
        return cls(float(written))

    @property
    def is_zero(self) -> bool:
        """Whether the margin is zero, so that every difference matters."""
        return self.size == 0

    def of_effects(self, *, higher_is_better: bool) -> float:
        """Return the margin on the scale of effects that are combined over data sets.

        A share m of the better value is the ratio 1 - m of the worse and the better value; where lower values are better, 1 + m.
        """
        ratio = -self.size if higher_is_better else self.size
        return float(abs(np.log1p(ratio))) if self.is_share else self.size

    def beside(self, better: ArrayLike) -> NDArray[np.float64]:
        """Return the margin of each comparison, shape (n,); ``better`` is the better of the two values that are compared."""
        values = np.abs(np.asarray(better, dtype=np.float64))
        return self.size * values if self.is_share else np.full(values.shape, self.size)

    def __str__(self) -> str:
        """Write the margin in the form that a study file uses."""
        return f"{100 * self.size:g} %" if self.is_share else f"{self.size:g}"


def _check_margin(written: Any) -> float | str:
    if isinstance(written, bool) or not isinstance(written, int | float | str):
        raise ValueError(f"{written} is not a margin. {_ALLOWED}")  # noqa: TRY004 - pydantic turns it into a message
    Margin.parse(written)
    return written


WrittenMargin = Annotated[float | str, BeforeValidator(_check_margin, json_schema_input_type=float | str)]
"""A margin as written in a study file."""
