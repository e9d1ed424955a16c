"""Evaluation settings, one for every case that tools treat differently."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_type_hints

from recsens.errors import check_word
from recsens.files.scale import Scale
from recsens.vocabulary import View

Order = Literal["score", "rank", "rows"]
"""What orders the items of a run: the score, highest first; the rank, lowest first; or the order of its rows."""

Ties = Literal["item", "number", "given", "pessimistic", "optimistic", "refuse"]
"""Which of two items with the same score comes first."""

Policy = Literal["zero", "skip"]
"""Whether a user without relevant items, or without a list, is averaged, with the metric's value, or is left out of the mean.

The value is 0 for most metrics; graded gains also count ratings below the threshold, and metrics of pairs may be 1/2.
"""

TrainItems = Literal["none", "low", "all"]
"""Which items rated in train or validation may stay in a user's list."""

Unknown = Literal["keep", "drop"]
"""Whether users and items without a train rating are measured."""

ShortList = Literal["cutoff", "shown"]
"""The divisor of P and F1 if a list is shorter than the cut-off."""

TIES_MEANING: dict[Ties, str] = {
    "item": "by item name, descending",
    "number": "by item, descending, numbers by value",
    "given": "in the order of rows",
    "pessimistic": "worse items first",
    "optimistic": "better items first",
    "refuse": "refused if they change a value",
}
"""Order of ties -> the order in a few words."""


@dataclass(frozen=True, kw_only=True)
class Cases:
    """The cases that metric definitions leave open, and that tools treat differently.

    Attributes
    ----------
    rank_by
        What orders the items of a run.
    ties, no_relevant, no_list, short_list
        How to treat these four cases; `evaluate` explains them.
    train_items, unknown
        The pairs that a train set, if there is one, removes from lists and judgements.
    single_precision
        Whether scores are rounded to 32 bits before ranking.
    unjudged_below
        A value below this means that the item is in the pool but not judged; None if every value is a judgement.
    """

    rank_by: Order = "score"
    ties: Ties = "item"
    no_relevant: Policy = "zero"
    no_list: Policy = "zero"
    short_list: ShortList = "cutoff"
    train_items: TrainItems = "none"
    unknown: Unknown = "keep"
    single_precision: bool = False
    unjudged_below: float | None = None

    def decided(self, **given: str | None) -> dict[str, Any]:
        """Return the choice for every case, by name: the word in ``given`` or, if this is None, the value stored here.

        Raises DesignError if a word is not allowed.
        """
        for name, word in given.items():
            check_word(name, word, get_type_hints(Cases)[name])
        own = {each.name: getattr(self, each.name) for each in fields(Cases)}
        return own | {name: word for name, word in given.items() if word is not None}


@dataclass(frozen=True, kw_only=True)
class Settings(Cases):
    """How a run was evaluated.

    Attributes
    ----------
    convention
        The tool whose defaults are used.
    scale, relevance
        The rating scale, and the lowest rating that is relevant.
    view
        Full lists, or lists condensed to judged items.
    has_train
        Whether there is a train set; without one, ``train_items`` and ``unknown`` have no effect.
    no_test
        Whether a user with a list and no item in the test set counts as 0 in means, or is left out.
    treatments
        For each policy "zero", how the metrics treat such users: labels by treatment.
    """

    convention: str
    scale: Scale
    relevance: float
    view: View
    has_train: bool = False
    no_test: Policy = "skip"
    treatments: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict, compare=False)

    @property
    def _ordered(self) -> str:
        if self.rank_by == "rows":
            return "lists in the order of rows, whatever the scores"
        return f"ties {TIES_MEANING[self.ties]}{', of scores in single precision' if self.single_precision else ''}"

    @property
    def _train(self) -> list[str]:
        stay = {"none": "none", "low": f"those rated below {self.relevance:g}", "all": "all"}[self.train_items]
        unknown = "left out" if self.unknown == "drop" else "measured"
        return [f"train items in lists: {stay}", f"users and items without a train rating: {unknown}"]

    def _averaged(self, case: str) -> str:
        """Name the policy; if a metric's value is not 0, say what each metric does."""
        treatments = self.treatments.get(case, {})
        if set(treatments) <= {"counted as 0"}:
            return str(getattr(self, case))
        return ", ".join(f"{treatment} by {' and '.join(labels)}" for treatment, labels in treatments.items())

    def __str__(self) -> str:
        return "; ".join(
            [
                f"convention {self.convention}",
                f"relevant from {self.relevance:g} up, scale {self.scale.lowest:g} to {self.scale.highest:g}",
                *(self._train if self.has_train else []),
                *([] if self.unjudged_below is None else [f"not judged below {self.unjudged_below:g}"]),
                f"{self.view} lists",
                *(["ranked by rank, lowest first; scores are not read"] if self.rank_by == "rank" else []),
                self._ordered,
                f"users without relevant items: {self._averaged('no_relevant')}",
                f"users without a list: {self._averaged('no_list')}",
                *(["users with a list and no judgement: zero"] if self.no_test == "zero" else []),
                f"short lists divided by {'the cut-off' if self.short_list == 'cutoff' else 'their length'}",
            ]
        )
