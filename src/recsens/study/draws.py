"""How often a design draws its split, and fits systems on the same train set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recsens.data.splitting import Splitter

if TYPE_CHECKING:
    from recsens.study.decisions import Decisions
    from recsens.study.design import Design

FEWEST_SPLITS = 3
"""Fewer draws of a split say nothing about how much draws differ: two have one degree of freedom."""


def draws_of(design: Decisions | Design) -> tuple[int, int]:
    """Return how often a design's split is drawn at random, and how often systems are fitted on each train set."""
    return design.repeats if is_drawn(design) else 1, design.fits * Splitter.build(design.split).folds_per_split


def is_drawn(design: Decisions | Design) -> bool:
    """Whether a design's split is drawn at random, so that it can be drawn again."""
    return Splitter.build(design.split).is_random


def has_components(design: Decisions | Design) -> bool:
    """Whether a design has enough draws of its split, or fits, to tell how much they differ."""
    draws, fits = draws_of(design)
    return draws >= FEWEST_SPLITS or fits > 1
