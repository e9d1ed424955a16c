"""Files to download from the report page."""

import base64
import os
from dataclasses import dataclass
from pathlib import Path

from recsens.artefacts.storage import read_bytes

MAX_EMBEDDED = 64 * 1024
"""Files up to this size, in bytes, are embedded in the page."""

_TYPES = {
    ".csv": "text/csv",
    ".tex": "text/x-tex",
    ".md": "text/markdown",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".pdf": "application/pdf",
}


@dataclass(frozen=True, slots=True)
class Download:
    """A file to download: its name and its link."""

    name: str
    href: str


def download(path: str | Path, page: str | Path) -> Download:
    """Return a page's link to a file of results: a small file is embedded, and any other file is linked by its relative path."""
    path = Path(path)
    if path.stat().st_size <= MAX_EMBEDDED:
        content = base64.b64encode(read_bytes(path)).decode()
        return Download(path.name, f"data:{_TYPES.get(path.suffix, 'application/octet-stream')};base64,{content}")
    return Download(path.name, Path(os.path.relpath(path, Path(page).parent)).as_posix())
