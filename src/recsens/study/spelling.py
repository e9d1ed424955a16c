"""Spelling of options: each option has one spelling in a study, because results show an option as the study writes it."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from recsens.plugins.specs import Chain, Spec
from recsens.study.decisions import Decisions
from recsens.study.taxonomy import DESIGN

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
