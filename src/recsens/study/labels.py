"""Labels of data sets, systems and experiments, and the spelling of options: one each in a study."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from recsens.arrays import grouped
from recsens.plugins.specs import Chain, Spec
from recsens.study.decisions import Decisions
from recsens.study.taxonomy import DESIGN

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


Option: TypeAlias = Spec | Chain

Written: TypeAlias = tuple[str, Decisions]
"""Decisions as a study writes them: the key above the decisions, and the options."""

_PLUGINS = tuple(each.key for each in DESIGN if each.kind is not None)
"""Decisions whose options can be spelt in more than one way."""


class Spellings:
    """A study's spelling of the options of its decisions.

    Parameters
    ----------
    written
        All decisions that the study writes, with their keys.

    Raises
    ------
    ValueError
        If an option is spelt in two ways; the message begins with the second key.
    """

    def __init__(self, written: Iterable[Written]) -> None:
        self._known: dict[tuple[str, Option], tuple[str, Option]] = {}
        for where, decisions in written:
            for key in _PLUGINS:
                option: Option = getattr(decisions, key)
                if option.spelling:
                    self._learn(key, option, f"{where}.{key}")

    def _learn(self, key: str, option: Option, where: str) -> None:
        first, spelt = self._known.setdefault((key, option), (where, option))
        if spelt.spelling != option.spelling:
            raise ValueError(
                f"{where}: '{option.written}' is the option that {first} calls '{spelt.written}': spell it the same way in both "
                "places, because tables and figures show options as the study writes them."
            )

    def of(self, decisions: Decisions) -> Decisions:
        """Return the decisions with each option spelt as the study spells it.

        This includes an option that is a default in ``decisions`` but is written elsewhere in the study.
        """
        options: Mapping[str, Option] = {
            key: self._known[key, option][1] for key in _PLUGINS if (key, option := getattr(decisions, key)) in self._known
        }
        return decisions.model_copy(update=dict(options))
