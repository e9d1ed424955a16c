"""What a detector says about the files or about one run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from recsens.leakage._material import Material
from recsens.leakage._sizes import UNKNOWN, Inflation

State = Literal["found", "noted", "none", "not told"]
"""A fault; a fact that may be as intended; nothing; or the files cannot say."""


@dataclass(frozen=True)
class Suspicion:
    """One way to fool oneself, looked for in one run or in the files alone.

    Attributes
    ----------
    detector
        What was looked for, in a few words.
    run
        The run; empty if it is about train, test and validation alone.
    state
        What the detector says; a detector with a ``chance`` says ``none`` or ``noted``, and the joint correction decides.
    evidence
        What was counted.
    inflation
        By how much the value is too high.
    chance
        How likely such evidence is without the fault; NaN if it is a count that a clean split never has, or nothing was tested.
    adjusted
        The same over all detectors and runs together.
    innocent
        What would explain it innocently.
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
"""A function that looks for one fault."""
