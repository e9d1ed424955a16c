"""A detector's finding about the files or about one run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from recsens.leakage._material import Material
from recsens.leakage._sizes import UNKNOWN, Inflation

State = Literal["found", "noted", "none", "not told"]
"""A fault was found; a fact was noted that may be intended; there is no sign of a fault; or the files do not allow a check."""


@dataclass(frozen=True)
class Suspicion:
    """The result of one detector for one run, or for the files alone.

    Attributes
    ----------
    detector
        The fault that was looked for, in a few words.
    run
        The run; empty if the finding is about train, test and validation alone.
    state
        The state; a detector with a ``chance`` says ``none`` or ``noted``, and the joint correction decides.
    evidence
        What was counted.
    inflation
        By how much the fault makes the value too high.
    chance
        The p-value of the evidence without the fault; NaN if it is a count that a clean split never has, or nothing was tested.
    adjusted
        The p-value adjusted over all detectors and runs.
    innocent
        An innocent explanation.
    remedy
        What to do.
    """

    detector: str
    run: str
    state: State
    evidence: str
    inflation: Inflation = UNKNOWN
    chance: float = math.nan
    adjusted: float = math.nan
    innocent: str = ""
    remedy: str = ""


Detector: TypeAlias = Callable[[Material], Iterator[Suspicion]]
"""A function that searches for one fault."""
