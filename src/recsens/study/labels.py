"""Labels of data sets, systems and experiments: the allowed characters, and the file names for labels."""

import re
import unicodedata
from collections.abc import Iterable

_LABEL = r"[A-Za-z0-9][A-Za-z0-9 ._+()/-]*"


def check_label(where: str, label: str) -> None:
    """Check that a label contains only characters that tables, figures and messages can show.

    Raises
    ------
    ValueError
        If the label contains other characters; the message begins with the key, ``where``.
    """
    if not re.fullmatch(_LABEL, label):
        raise ValueError(f"{where}: the label '{label}' may only contain letters A to Z and a to z, digits, spaces and ._+()/-")


def label_of(name: str) -> str:
    """Convert any name to a label: remove accents from letters, and replace other characters that are not allowed by ``_``.

    Names that are labels are returned unchanged; the result is empty if the name has no allowed character.

    Examples
    --------
    >>> label_of("Nächste Nachbarn (k=40)")
    'Nachste Nachbarn (k_40)'
    """
    if re.fullmatch(_LABEL, name):
        return name
    letters = "".join(sign for sign in unicodedata.normalize("NFKD", name) if not unicodedata.combining(sign))
    return re.sub(r"[^A-Za-z0-9 ._+()/-]+", "_", letters).lstrip(" ._+()/-").rstrip("_ ")


def file_name(label: str) -> str:
    """Convert a label to part of a file name: lower-case letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")


def labels_of_one_file(labels: Iterable[str]) -> list[str]:
    """Return the first labels, in quotes, that have the same part of a file name; empty if there are no such labels."""
    by_file: dict[str, list[str]] = {}
    for label in labels:
        by_file.setdefault(file_name(label), []).append(f"'{label}'")
    return next((alike for alike in by_file.values() if len(alike) > 1), [])
