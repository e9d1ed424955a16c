"""Evaluation settings, one for every case that tools treat differently."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from recsens.files.scale import Scale
from recsens.metrics.variants.conventions import TIES_MEANING, Cases, Policy
from recsens.vocabulary import View


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

    def _averaged(self, case: str) -> str:
        """Name the policy; if a metric's value is not 0, say what each metric does."""
        treatments = self.treatments.get(case, {})
        if set(treatments) <= {"counted as 0"}:
            return str(getattr(self, case))
        return ", ".join(f"{treatment} by {' and '.join(labels)}" for treatment, labels in treatments.items())

    def __str__(self) -> str:
        stay = {"none": "none", "low": f"those rated below {self.relevance:g}", "all": "all"}[self.train_items]
        unknown = "left out" if self.unknown == "drop" else "measured"
        train = [f"train items in lists: {stay}", f"users and items without a train rating: {unknown}"]
        ties = f"ties {TIES_MEANING[self.ties]}{', of scores in single precision' if self.single_precision else ''}"
        return "; ".join(
            [
                f"convention {self.convention}",
                f"relevant from {self.relevance:g} up, scale {self.scale.lowest:g} to {self.scale.highest:g}",
                *(train if self.has_train else []),
                *([] if self.unjudged_below is None else [f"not judged below {self.unjudged_below:g}"]),
                f"{self.view} lists",
                *(["ranked by rank, lowest first; scores are not read"] if self.rank_by == "rank" else []),
                "lists in the order of rows, whatever the scores" if self.rank_by == "rows" else ties,
                f"users without relevant items: {self._averaged('no_relevant')}",
                f"users without a list: {self._averaged('no_list')}",
                *(["users with a list and no judgement: zero"] if self.no_test == "zero" else []),
                f"short lists divided by {'the cut-off' if self.short_list == 'cutoff' else 'their length'}",
            ]
        )
