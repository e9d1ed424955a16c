"""Ticks of score axes."""

import re

from matplotlib.ticker import ScalarFormatter


class ValueTicks(ScalarFormatter):
    """Ticks of a score axis: as many decimals as needed, and no zero before the point."""

    def __init__(self) -> None:
        super().__init__(useOffset=False)

    def __call__(self, x: float, pos: int | None = None) -> str:
        """Write one tick; zero has no decimals."""
        if abs(x) < 1e-12:
            return "0"
        return re.sub(r"^(\W?)0\.", r"\1.", super().__call__(x, pos))
