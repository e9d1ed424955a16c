"""The navigation of the site, read from the lists of links in its pages."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path("docs/index.md")
"""The page that the site begins with."""

_MARK = re.compile(r"^<!-- navigation(?:: (?P<pattern>\S+))? -->$", re.MULTILINE)
_ITEM = re.compile(r"^- \[(?P<title>[^]]+)\]\((?P<target>[^)#\s]+)\)", re.MULTILINE)


@dataclass(frozen=True)
class Entry:
    """A page in the navigation, and the name that it has there; without a name, its own title."""

    page: Path
    title: str | None = None


def entries(checkout: Path, page: Path) -> list[Entry]:
    """List the pages below a page in the navigation, in order.

    They are the pages that list items begin with, after the comment ``<!-- navigation -->``; a page without that comment has none
    below it. ``<!-- navigation: notebooks/*.ipynb -->`` adds the files of that pattern that no item names, if there are any.
    """
    text = (checkout / page).read_text(encoding="utf-8") if page.suffix == ".md" else ""
    mark = _MARK.search(text)
    if mark is None:
        return []
    named = [Entry(_from(checkout, page, match["target"]), match["title"]) for match in _ITEM.finditer(text, mark.end())]
    found = sorted((checkout / page).parent.glob(mark["pattern"])) if mark["pattern"] else []
    others = [Entry(path.relative_to(checkout)) for path in found]
    return named + [other for other in others if other.page not in {entry.page for entry in named}]


def pages(checkout: Path, page: Path = ROOT) -> Iterator[Path]:
    """Walk through the navigation, from the root or another page; a page that is named twice is met twice."""
    yield page
    for entry in entries(checkout, page):
        yield from pages(checkout, entry.page)


def _from(checkout: Path, page: Path, target: str) -> Path:
    """Resolve a link of a page to a path in the checkout."""
    return (checkout / page.parent / target).resolve().relative_to(checkout.resolve())
