"""Checks of the site as a browser would read it: every link leads somewhere, and nothing is loaded from elsewhere."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LOADED = {"src", "srcset", "poster", "data"}
"""Attributes whose address a browser fetches by itself; of 'link' also 'href'."""

_FETCHED_BY_CSS = re.compile(r"""(?:url\(\s*|@import\s+)["']?((?:https?:)?//[^"')\s;]+)""")


@dataclass
class _Page(HTMLParser):
    """What a page holds: the names of its places, its links, and the addresses that it loads."""

    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    in_style: bool = False

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value for name, value in attrs if value}
        self.in_style = tag == "style"
        self.anchors |= {found[name] for name in ("id", "name") if name in found}
        self.loads += [value for name, value in found.items() if name in _LOADED]
        self.loads += _FETCHED_BY_CSS.findall(found.get("style", ""))
        if "href" in found:
            (self.loads if tag == "link" else self.links).append(found["href"])

    def handle_endtag(self, tag: str) -> None:
        self.in_style = False

    def handle_data(self, data: str) -> None:
        if self.in_style:
            self.loads += _FETCHED_BY_CSS.findall(data)


def faults(site: Path) -> list[str]:
    """List what is wrong with a built site, each fault with the file that has it."""
    site = site.resolve()
    pages = {path: _read(path) for path in sorted(site.rglob("*.html")) if "_static" not in path.parts}
    return [
        f"{path.relative_to(site)}: {fault}"
        for path, page in pages.items()
        for fault in [*_lost(path, page, pages), *_foreign(page.loads)]
    ] + [
        f"{path.relative_to(site)}: {fault}"
        for path in sorted(site.rglob("*.css"))
        for fault in _foreign(_FETCHED_BY_CSS.findall(path.read_text(encoding="utf-8")))
    ]


def files_of(page: Path) -> list[Path]:
    """List the files beside or below a page that it loads or leads to."""
    read = _read(page)
    files = {_file(page, link) for link in [*read.links, *read.loads] if _is_own(link)}
    return sorted(page.parent / file.relative_to(page.parent.resolve()) for file in files if _is_below(file, page.parent))


def _is_below(file: Path, folder: Path) -> bool:
    return file.is_file() and file.is_relative_to(folder.resolve())


def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    page.close()
    return page


def _lost(path: Path, page: _Page, pages: dict[Path, _Page]) -> Iterator[str]:
    """List the links, and the files loaded, that are not in the site."""
    for link in [*page.links, *page.loads]:
        if not _is_own(link):
            continue
        file, place = _file(path, link), unquote(urlsplit(link).fragment)
        if not file.is_file():
            yield f"'{link}' leads nowhere"
        elif place and file in pages and not _has(pages[file], place):
            yield f"'{link}' leads to no place of that page"


def _is_own(link: str) -> bool:
    """Tell whether a link stays in the site."""
    parts = urlsplit(link)
    return not parts.scheme and not parts.netloc


def _file(page: Path, link: str) -> Path:
    """Return the file that a link of a page leads to, the page itself for a link within it."""
    path = unquote(urlsplit(link).path)
    return (page.parent / path).resolve() if path else page.resolve()


def _has(page: _Page, fragment: str) -> bool:
    """Tell whether a page has a place; what the script of a report reads from an address is none."""
    return fragment in page.anchors or "=" in fragment


def _foreign(loads: list[str]) -> Iterator[str]:
    for address in loads:
        parts = urlsplit(address)
        if parts.netloc or parts.scheme not in {"", "data"}:
            yield f"loads '{address}' from elsewhere"
