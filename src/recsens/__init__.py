"""Find out whether "A beats B" survives a different split, metric or set of candidate items."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recsens.notebook.audits import audit
    from recsens.notebook.evaluations import evaluate
    from recsens.notebook.folds import folds, split
    from recsens.notebook.leaks_and_numbers import leaks, printed
    from recsens.notebook.measures import measure
    from recsens.notebook.models import fit
    from recsens.notebook.outcomes import compare, compare_all, counted, summarise
    from recsens.notebook.rankings import rank
    from recsens.notebook.ratings import filter, load  # noqa: A004 - the name of the decision
    from recsens.notebook.studies import results, run
    from recsens.notebook.sweeps import sweep

import_module("recsens.moved").follow_moves()

__version__ = "0.3.0"
__all__ = [
    "audit",
    "compare",
    "compare_all",
    "counted",
    "evaluate",
    "filter",
    "fit",
    "folds",
    "leaks",
    "load",
    "measure",
    "printed",
    "rank",
    "results",
    "run",
    "split",
    "summarise",
    "sweep",
]

_HOMES = {
    "ratings": ("load", "filter"),
    "folds": ("split", "folds"),
    "models": ("fit",),
    "rankings": ("rank",),
    "measures": ("measure",),
    "evaluations": ("evaluate",),
    "outcomes": ("summarise", "counted", "compare", "compare_all"),
    "studies": ("run", "results"),
    "sweeps": ("sweep",),
    "audits": ("audit",),
    "leaks_and_numbers": ("leaks", "printed"),
}
"""Module of `recsens.notebook` -> the names that `recsens` offers from it."""


def __getattr__(name: str) -> object:
    """Import a name on first use; commands then load only the modules that they need."""
    home = next((module for module, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module 'recsens' has no attribute '{name}'")
    from recsens.errors import explain_missing_library  # noqa: PLC0415 - most imports of recsens need no other module

    with explain_missing_library():
        return getattr(import_module(f"recsens.notebook.{home}"), name)


def __dir__() -> list[str]:
    """List the public names, without importing them, for auto-completion."""
    return sorted({*globals(), *__all__} - {"TYPE_CHECKING", "annotations", "import_module"})
