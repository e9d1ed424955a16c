"""Designs that a table shows together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class DesignSet:
    """Designs that are shown together.

    Attributes
    ----------
    key, title
        A short name, and what follows ‘scores’ in a caption.
    corner
        What the labels are.
    designs
        Label of a design: its option of every decision, by column. The base design's label says so.
    """

    key: str
    title: str
    corner: str
    designs: Mapping[str, tuple[str, ...]]
