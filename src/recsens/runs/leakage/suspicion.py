"""A detector's finding about the files or about one run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from recsens.runs.leakage._material import Material
from recsens.runs.leakage._sizes import UNKNOWN, Inflation

State = Literal["found", "noted", "none", "not told"]
"""A fault is found; a fact is noted, which may be intended; there is no sign of a fault; or the files do not allow a check."""


@dataclass(frozen=True)
class Suspicion:
    """The result of one detector for one run, or for the files alone.

    Attributes
    ----------
    detector
        The fault that the detector searches for, in a few words.
    run
        The run; empty if the finding is about train, test and validation alone.
    state
        The state. If there is a ``chance``, the detector sets ``none`` or ``noted``, and the joint correction may change it to
        ``found``.
    evidence
        A phrase with the counts.
    inflation
        The amount by which the fault makes the value too high.
    chance
        The p-value of the evidence if there is no fault; NaN if nothing was tested, or if the evidence never occurs in a clean
        split.
    adjusted
        The p-value adjusted over all detectors and runs.
    innocent
        An innocent explanation.
    remedy
        Advice on what to do.
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
