"""What figures use of matplotlib, imported when called: a study is read without matplotlib, and without waiting for it.

Reading a study imports its figures, which check it, long before they draw.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import XAxis, YAxis
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.text import Text
    from matplotlib.ticker import MaxNLocator, NullLocator, PercentFormatter
    from matplotlib.transforms import Bbox

    from recsens.report.value_ticks import ValueTicks
else:

    def _later(name: str, home: str) -> type:
        """Return a class that stands for another one in annotations, and makes its objects."""
        return type(name, (), {"__new__": lambda _, *values, **options: getattr(import_module(home), name)(*values, **options)})

    # Annotations alone name the others.
    Artist = Axes = XAxis = YAxis = Text = Bbox = object
    Figure = _later("Figure", "matplotlib.figure")
    FigureCanvasAgg = _later("FigureCanvasAgg", "matplotlib.backends.backend_agg")
    Line2D = _later("Line2D", "matplotlib.lines")
    Patch = _later("Patch", "matplotlib.patches")
    MaxNLocator, NullLocator, PercentFormatter = (
        _later(name, "matplotlib.ticker") for name in ("MaxNLocator", "NullLocator", "PercentFormatter")
    )
    ValueTicks = _later("ValueTicks", "recsens.report.value_ticks")
