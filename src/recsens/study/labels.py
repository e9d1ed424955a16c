"""Labels of data sets, systems and experiments: the allowed characters, and the file names for labels."""

import re
import unicodedata
from collections.abc import Iterable

from recsens.arrays import grouped

_LABEL = r"[A-Za-z0-9][A-Za-z0-9 ._+()/-]*"

_OTHER_MEANING = frozenset({"all", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None"})
"""Words that mean something else in tables: ``all`` stands for all folds or systems, and programs read the others as missing."""


def check_label(where: str, label: str) -> None:
    """Check that a label contains only characters that tables, figures and messages can show, and has no other meaning in tables.

    Raises
    ------
    ValueError
        If it does not; the message begins with the key, ``where``.
    """
    if not re.fullmatch(_LABEL, label):
        raise ValueError(f"{where}: the label '{label}' may only contain letters A to Z and a to z, digits, spaces and ._+()/-")
    if label in _OTHER_MEANING:
        raise ValueError(
            f"{where}: the label '{label}' means something else in tables of results; write another, such as '{label}_1'"
        )


def label_of(name: str) -> str:
    """Convert any name to a label: remove accents from letters, and replace other characters that are not allowed by ``_``.

    Names that are labels are returned unchanged; the result is empty if the name has no allowed character.

    Examples
    --------
    >>> label_of("Nächste Nachbarn (k=40)"), label_of("all")
    ('Nachste Nachbarn (k_40)', 'all_1')
    """
    if name in _OTHER_MEANING:
        return f"{name}_1"
    if re.fullmatch(_LABEL, name):
        return name
    letters = "".join(sign for sign in unicodedata.normalize("NFKD", name) if not unicodedata.combining(sign))
    return re.sub(r"[^A-Za-z0-9 ._+()/-]+", "_", letters).lstrip(" ._+()/-").rstrip("_ ")


def file_name(label: str) -> str:
    """Convert a label to part of a file name: lower-case letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")


def labels_of_one_file(labels: Iterable[str]) -> list[str]:
    """Return the first labels, in quotes, that have the same part of a file name; empty if there are no such labels."""
    by_file = grouped((file_name(label), f"'{label}'") for label in labels)
    return next((alike for alike in by_file.values() if len(alike) > 1), [])
