"""The text of an audit's page around the content that every study has."""

from collections.abc import Sequence
from dataclasses import dataclass

from recsens.tables.table import Table


@dataclass(frozen=True)
class FrameSection:
    """A section of the page.

    Attributes
    ----------
    key, title
        The anchor of the heading, and the heading.
    sentences
        The paragraphs of the section.
    lines
        Lines that are shown unchanged, such as a tree of files or a command.
    tables
        Tables below the lines.
    """

    key: str
    title: str
    sentences: Sequence[str] = ()
    lines: Sequence[str] = ()
    tables: Sequence[Table] = ()


@dataclass(frozen=True)
class Frame:
    """The frame of a page.

    Attributes
    ----------
    eyebrow, heading
        The text above the title, and the text above the first section.
    opening, wins
        The first sentences of the page, and the table below them.
    base
        The line above the answers under the base design.
    further
        The sentences that follow these answers.
    sections
        Sections after the first one.
    closing
        The last section.
    """

    eyebrow: str
    heading: str
    opening: str
    wins: Table
    base: str
    further: Sequence[str]
    sections: Sequence[FrameSection]
    closing: FrameSection
