"""Labels of data sets, systems and experiments: the characters allowed, and the file names that labels become."""

import re
import unicodedata
from collections.abc import Iterable

_LABEL = r"[A-Za-z0-9][A-Za-z0-9 ._+()/-]*"


def check_label(where: str, label: str) -> None:
    """Check that a label contains only characters that tables, figures and messages can show.

    Raises
    ------
    ValueError
        If it contains others; the message begins with the key, ``where``.
    """
    if not re.fullmatch(_LABEL, label):
        raise ValueError(f"{where}: the label '{label}' may only contain letters A to Z and a to z, digits, spaces and ._+()/-")


def label_of(name: str) -> str:
    """Turn any name into a label: letters lose their accents, and ``_`` stands for every other character that is not allowed.

    Names that are labels are returned unchanged; the result is empty if nothing of the name can be kept.

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
    """Turn a label into part of a file name: lower-case letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")


def labels_of_one_file(labels: Iterable[str]) -> list[str]:
    """Return the first labels, in quotes, that would become the same part of a file name; empty if there are none."""
    by_file: dict[str, list[str]] = {}
    for label in labels:
        by_file.setdefault(file_name(label), []).append(f"'{label}'")
    return next((alike for alike in by_file.values() if len(alike) > 1), [])
