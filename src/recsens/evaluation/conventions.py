"""How other tools decide: what they call a metric, what they compute under that name, and whom they average."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from recsens.errors import SpecError, nearest
from recsens.evaluation._settings import Policy, ShortList, Ties
from recsens.metrics import TakesCutoff

OWN = "recsens.evaluation.variants."
"""Where metrics are that only one tool has."""


@dataclass(frozen=True)
class Theirs:
    """A metric as a tool calls it.

    Attributes
    ----------
    name
        The tool's name.
    ours
        What it computes, as a metric of recsens.
    cutoff
        Whether the tool computes it at a cut-off.
    """

    name: str
    ours: str
    cutoff: TakesCutoff = "always"


@dataclass(frozen=True)
class Convention:
    """What a tool does where a definition leaves it open.

    Attributes
    ----------
    name
        The tool.
    about
        What to know of it.
    metrics
        Its metrics of lists; empty for recsens, whose metrics have names of their own.
    relevance
        Rating from which on an item is relevant; ``all``: whatever is judged; None: as the rating scale says.
    ties, no_relevant, no_list, short_list, single_precision, unjudged_below
        As in `Settings`.
    """

    name: str
    about: str
    metrics: tuple[Theirs, ...] = field(default=())
    relevance: float | Literal["all"] | None = None
    ties: Ties = "item"
    no_relevant: Policy = "zero"
    no_list: Policy = "zero"
    short_list: ShortList = "cutoff"
    single_precision: bool = False
    unjudged_below: float | None = None

    def find(self, name: str, *, at_cutoff: bool) -> Theirs:
        """Find a metric by the tool's name or by ours, ``map`` or ``AP``.

        Raises
        ------
        SpecError
            If the tool has none of this name, or not with or without a cut-off as is asked.
        """
        called = [metric for metric in self.metrics if metric.name.lower() == name.lower()]
        if "(" not in name:
            # trec_eval's ndcg has no cut-off, but our nDCG@10 is its ndcg_cut. Parameters of ours it does not have.
            called += [metric for metric in self.metrics if _bare(metric.ours) == _bare(name)]
        fitting = [metric for metric in called if metric.cutoff != ("never" if at_cutoff else "always")]
        if fitting:
            return fitting[0]
        known = ", ".join(metric.name + ("@10" if metric.cutoff == "always" else "") for metric in self.metrics)
        if called:
            raise SpecError(
                f"{self.name} computes {called[0].name} only {'without' if at_cutoff else 'with'} a cut-off", allowed=known
            )
        raise SpecError(f"{self.name} has no metric '{name}'{nearest(name, [m.name for m in self.metrics])}", allowed=known)


def _bare(name: str) -> str:
    """Return a metric's name without parameters, other names of it replaced."""
    from recsens.metrics._aliases import ALIASES  # noqa: PLC0415 - only names that the tool does not have

    bare = name.partition("(")[0].lower()
    return ALIASES.get(bare, bare).partition("(")[0].lower()


CONVENTIONS = {
    convention.name: convention
    for convention in (
        Convention("recsens", "Every metric under its own full name; whoever is judged is averaged."),
        Convention(
            "trec_eval",
            "Version 9 without -c: users of both files are averaged; a user without relevant items counts 0. An item with a "
            "judgement below 0 is in the pool and not judged.",
            (
                Theirs("map", "AP", "never"),
                Theirs("map_cut", "AP"),
                Theirs("P", "P"),
                Theirs("recall", "R"),
                Theirs("ndcg", "nDCG(gain=linear,ideal=uncut)", "never"),
                Theirs("ndcg_cut", "nDCG(gain=linear)"),
                Theirs("recip_rank", "RR", "never"),
                Theirs("bpref", "Bpref", "never"),
                Theirs("infAP", "infAP(pool=judged)", "never"),
                Theirs("Rprec", "Rprec", "never"),
                Theirs("success", "Success"),
                Theirs("relative_P", f"{OWN}CappedRecall"),
                Theirs("set_P", "SetP", "never"),
                Theirs("set_recall", "R", "never"),
                Theirs("set_F", "SetF", "never"),
            ),
            relevance=1,
            no_list="skip",
            single_precision=True,
            unjudged_below=0,
        ),
        Convention(
            "ranksys",
            "Lists are read as they are written, best first; users of the test set are averaged. AP divides by zero for a "
            "user without relevant items, for whom 0 is taken here.",
            (
                Theirs("Precision", "P"),
                Theirs("Recall", "R"),
                Theirs("AveragePrecision", "AP(denominator=min)"),
                Theirs("ReciprocalRank", "RR"),
                Theirs("NDCG", "nDCG(gain=ranksys)"),
            ),
            ties="given",
        ),
        Convention(
            "lenskit",
            "Version 2025: whatever is in the test set is relevant; a user with an empty list counts 0, one of whom no list is "
            "passed is not averaged there; nDCG discounts by 1 / max(log2 k, 1).",
            (
                Theirs("NDCG", "nDCG(discount=jk2)", "optionally"),
                Theirs("Precision", "SetP", "optionally"),
                Theirs("Recall", f"{OWN}CappedRecall", "optionally"),
                Theirs("RecipRank", "RR", "optionally"),
                Theirs("AveragePrecision", f"{OWN}ShownAP", "optionally"),
                Theirs("Hit", "Success"),
                Theirs("RBP", "RBP(phi=0.85)"),
            ),
            relevance="all",
            ties="given",
            no_relevant="skip",
            short_list="shown",
        ),
        Convention(
            "recbole",
            "Users with a test item are averaged, and whatever is in the test set is relevant; every user has a full list.",
            (
                Theirs("NDCG", "nDCG"),
                Theirs("Recall", "R"),
                Theirs("Precision", "P"),
                Theirs("MAP", "AP(denominator=min)"),
                Theirs("MRR", "RR"),
                Theirs("Hit", "Success"),
            ),
            relevance="all",
            ties="given",
            no_relevant="skip",
        ),
        Convention(
            "elliot",
            "Users with a list and a relevant item are averaged; MAP is the mean of P@1 to P@n, so that a hit counts at every "
            "position below it, too.",
            (
                Theirs("nDCG", "nDCG(gain=ranksys)"),
                Theirs("Precision", "P"),
                Theirs("Recall", "R"),
                Theirs("F1", "F1"),
                Theirs("HR", "Success"),
                Theirs("MRR", "RR"),
                Theirs("MAP", f"{OWN}MeanPrecision"),
            ),
            ties="given",
            no_relevant="skip",
            no_list="skip",
        ),
        Convention(
            "rectools",
            "Users with a test item are averaged, without a list as 0, and whatever is in the test set is relevant; the ideal list "
            "of NDCG has n hits, however few relevant items there are.",
            (
                Theirs("NDCG", f"{OWN}NDCGOfFull"),
                Theirs("NDCG(divide_by_achievable=True)", "nDCG"),
                Theirs("MAP", "AP"),
                Theirs("MAP(divide_by_k=True)", f"{OWN}APByCutoff"),
                Theirs("MRR", "RR"),
                Theirs("Precision", "P"),
                Theirs("Precision(r_precision=True)", f"{OWN}CappedRecall"),
                Theirs("Recall", "R"),
                Theirs("F1Beta", "F1"),
                Theirs("HitRate", "Success"),
                Theirs("PartialAUC", f"{OWN}PartialAUC"),
                Theirs("PAP", f"{OWN}PAP"),
            ),
            relevance="all",
            ties="given",
            no_relevant="skip",
        ),
        Convention(
            "mllib",
            "Spark's RankingMetrics on sets of relevant items: a user without any counts 0.",
            (
                Theirs("precisionAt", "P"),
                Theirs("recallAt", "R"),
                Theirs("meanAveragePrecision", "AP", "never"),
                Theirs("meanAveragePrecisionAt", "AP(denominator=min)"),
                Theirs("ndcgAt", "nDCG"),
            ),
            ties="given",
        ),
        Convention(
            "sklearn",
            "ndcg_score(k=n) with ratings as gains and average_precision_score of each user. Equal scores are averaged there, and "
            "refused here where it matters.",
            (Theirs("ndcg_score", "nDCG(gain=linear)", "optionally"), Theirs("average_precision_score", "AP", "never")),
            ties="refuse",
            no_list="skip",
        ),
    )
}
"""Tool -> its convention."""


def convention_named(name: str) -> Convention:
    """Find a convention.

    Raises
    ------
    SpecError
        If there is none of this name.
    """
    if name not in CONVENTIONS:
        raise SpecError(f"unknown convention '{name}'{nearest(name, CONVENTIONS)}", allowed=", ".join(CONVENTIONS))
    return CONVENTIONS[name]
