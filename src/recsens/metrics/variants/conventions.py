"""Conventions of other tools: how each tool names and computes metrics, and which users it averages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, get_type_hints

from recsens.errors import SpecError, check_word, nearest, plain
from recsens.metrics import ALIASES, TakesCutoff
from recsens.metrics.variants._trec_eval import TENTHS

OWN = "recsens.metrics.variants."
"""Package with the metrics that only other tools have."""


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


@dataclass(frozen=True)
class Theirs:
    """A metric under another tool's name.

    Attributes
    ----------
    name
        The tool's name for the metric.
    ours
        The metric of recsens that equals it.
    cutoff
        Whether the tool computes the metric at a cut-off.
    level, levels
        A parameter of our metric, with its values, if the tool has a separate metric for each: ``iprec_at_recall`` is eleven
        metrics, ``iprec_at_recall_0.00`` to ``iprec_at_recall_1.00``.
    is_total
        Whether values are summed over users instead of averaged.
    takes
        The parameter of our metric that has no default; its value is written after the metric's name in the tool, as in
        ``auc(items=1682)``. Empty if every parameter has a default.
    ties
        The order of equal scores that the tool's formula implies; None if it reads a ranking.
    """

    name: str
    ours: str
    cutoff: TakesCutoff = "always"
    level: str = ""
    levels: tuple[float, ...] = ()
    is_total: bool = False
    takes: str = ""
    ties: Ties | None = None

    def at_levels(self, levels: Iterable[float]) -> Iterator[tuple[str, str]]:
        """For each level, yield the tool's name for the metric, and our metric."""
        for level in levels:
            yield f"{self.name}_{level:.2f}", f"{self.ours}({self.level}={level:g})"

    def given(self, name: str) -> Theirs | None:
        """Return this metric with its parameter set to the value that the name gives.

        Returns None if the name has no value or belongs to another metric.
        """
        bare, _, value = name.partition("(")
        if self.takes and bare.lower() == self.name.lower() and value.startswith(f"{self.takes}="):
            return replace(self, name=name, ours=f"{self.ours}({value}", takes="")
        return None

    @property
    def written(self) -> str:
        """How to write the tool's metric, with its required parameter and cut-off."""
        return f"{self.name}{f'({self.takes}=...)' if self.takes else ''}{_WRITTEN[self.cutoff]}"


@dataclass(frozen=True)
class Convention(Cases):
    """A tool's rules for cases that the definitions of metrics leave open.

    Attributes
    ----------
    name
        The tool.
    about
        What users should know about the tool.
    metrics
        The tool's metrics of lists; empty for recsens, where metrics are looked up by their own names.
    relevance
        Lowest relevant rating; ``all`` if every judged item is relevant; None if it follows from the rating scale.
    no_test
        Whether a user with a list and no item in the test set counts as 0 in means, or is left out.
    """

    name: str
    about: str
    metrics: tuple[Theirs, ...] = field(default=())
    relevance: float | Literal["all"] | None = None
    no_test: Policy = "skip"

    def find(self, name: str, *, at_cutoff: bool) -> Theirs:
        """Find a metric by the tool's name or by our name: ``map`` or ``AP``.

        Raises
        ------
        SpecError
            If the tool has no metric of this name, or if a cut-off is missing, or if the metric has no cut-off.
        """
        called = [given for metric in self.metrics if (given := metric.given(name)) is not None]
        called += [metric for metric in self.metrics if metric.name.lower() == name.lower()]
        if "(" not in name:
            # trec_eval's ndcg has no cut-off; our nDCG@10 is its ndcg_cut. trec_eval does not know our parameters.
            called += [metric for metric in self.metrics if _bare_name(metric.ours) == _bare_name(name)]
        fitting = [metric for metric in called if metric.cutoff != ("never" if at_cutoff else "always")]
        known = ", ".join(metric.written for metric in self.metrics)
        if fitting and fitting[0].takes:
            raise SpecError(f"{self.name}'s {fitting[0].name} needs {fitting[0].takes}", allowed=fitting[0].written)
        if fitting:
            return fitting[0]
        if called:
            raise SpecError(
                f"{self.name} computes {called[0].name} only {'without' if at_cutoff else 'with'} a cut-off", allowed=known
            )
        raise SpecError(
            f"{self.name} has no metric '{name}'{nearest(name, [m.name for m in self.metrics])}",
            allowed=known,
            remedy=f"write parameters as listed; for any other metric of recsens, leave out --convention {self.name}",
        )

    def find_levels(self, text: str) -> tuple[Theirs, tuple[float, ...]] | None:
        """Find a metric with several levels, and the levels requested (default: all); None if there is no such metric."""
        for metric in self.metrics:
            match = _LEVELS.fullmatch(text[len(metric.name) :]) if metric.levels else None
            if match is not None and text.lower().startswith(metric.name.lower()):
                asked = match["levels"]
                return metric, tuple(map(float, asked.split(","))) if asked else metric.levels
        return None


def at_cutoffs(**ours: str) -> tuple[Theirs, ...]:
    """Return metrics that a tool computes at a cut-off: its name for each, and our metric."""
    return tuple(Theirs(name, metric) for name, metric in ours.items())


_WRITTEN: dict[TakesCutoff, str] = {"always": "@10", "optionally": "[@10]", "never": ""}
_LEVELS = re.compile(r"(?:[@_.](?P<levels>\d*\.?\d+(?:,\d*\.?\d+)*))?")
_FIFTHS = tuple(fifth / 5 for fifth in range(1, 11))


def _bare_name(name: str) -> str:
    """Return a metric's name in lower case, without parameters."""
    bare = name.partition("(")[0].lower()
    return ALIASES.get(bare, bare).partition("(")[0].lower()


CONVENTIONS = {
    convention.name: convention
    for convention in (
        Convention("recsens", "Every metric under its full name; every judged user is averaged."),
        Convention(
            "trec_eval",
            "Version 9 without -c: users who are in both files are averaged, and counts (num_*) are summed; a user without "
            "relevant items counts as 0. An item with a judgement below 0 is in the pool but not judged. Version 10 rounds recall "
            "to the nearest level in iprec_at_recall and 11pt_avg, and ranks in double precision.",
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
                Theirs("set_map", f"{OWN}SetAP", "never"),
                Theirs("set_relative_P", f"{OWN}SetRelativePrecision", "never"),
                Theirs("gm_map", f"{OWN}GeometricMean(of=AP)", "never"),
                Theirs("gm_bpref", f"{OWN}GeometricMean(of=Bpref)", "never"),
                Theirs("11pt_avg", f"{OWN}ElevenPoints", "never"),
                Theirs("iprec_at_recall", f"{OWN}InterpolatedPrecision", "never", level="recall", levels=TENTHS),
                Theirs("Rprec_mult", f"{OWN}PrecisionAtMultiple", "never", level="x", levels=_FIFTHS),
                Theirs("binG", f"{OWN}BinaryG", "never"),
                Theirs("G", f"{OWN}GradedG", "never"),
                Theirs("ndcg_rel", f"{OWN}NDCGAtHits", "never"),
                Theirs("Rndcg", f"{OWN}NDCGAtLevels", "never"),
                Theirs("utility", f"{OWN}Utility", "never"),
                Theirs("num_q", f"{OWN}Counted", "never", is_total=True),
                Theirs("num_ret", f"{OWN}Shown", "never", is_total=True),
                Theirs("num_rel", f"{OWN}RelevantItems", "never", is_total=True),
                Theirs("num_rel_ret", f"{OWN}RelevantShown", "never", is_total=True),
                Theirs("num_nonrel_judged_ret", f"{OWN}MissesShown", "never", is_total=True),
            ),
            relevance=1,
            no_list="skip",
            single_precision=True,
            unjudged_below=0,
        ),
        Convention(
            "ranksys",
            "Lists are read in the order of their rows, best first, whatever the scores. With --ties, recsens orders them by "
            "score, as RankSys does with sortByDecreasingScore. Users of the test set are averaged. RankSys's AP divides by zero "
            "for a user without relevant items; here, such a user counts as 0.",
            at_cutoffs(
                Precision="P", Recall="R", AveragePrecision="AP(denominator=min)", ReciprocalRank="RR", NDCG="nDCG(gain=ranksys)"
            ),
            rank_by="rows",
            ties="given",
        ),
        Convention(
            "lenskit",
            "Version 2025: every item in the test set is relevant. A user with an empty list counts as 0, and so does a user with "
            "a list and no item in the test set; LensKit does not average users for whom it receives no list. DCG and NDCG "
            "discount by 1 / max(log2 k, 1), and the gain is 1 without gain=rating.",
            (
                Theirs("NDCG", "nDCG(discount=jk2)", "optionally"),
                Theirs("NDCG(gain=rating)", "nDCG(discount=jk2,gain=linear)", "optionally"),
                Theirs("DCG", "DCG(discount=jk2)", "optionally"),
                Theirs("DCG(gain=rating)", f"{OWN}RatingDCG", "optionally"),
                Theirs("Precision", "SetP", "optionally"),
                Theirs("Recall", f"{OWN}CappedRecall", "optionally"),
                Theirs("RecipRank", "RR", "optionally"),
                Theirs("AveragePrecision", f"{OWN}ShownAP", "optionally"),
                Theirs("Hit", "Success"),
                Theirs("RBP", "RBP(phi=0.85)"),
            ),
            relevance="all",
            no_test="zero",
            ties="given",
            no_relevant="skip",
            short_list="shown",
        ),
        Convention(
            "recbole",
            "Users with a test item are averaged. Every item in the test set is relevant, and every user has a full list.",
            at_cutoffs(NDCG="nDCG", Recall="R", Precision="P", MAP="AP(denominator=min)", MRR="RR", Hit="Success"),
            relevance="all",
            ties="given",
            no_relevant="skip",
        ),
        Convention(
            "elliot",
            "Users with a list and a relevant item are averaged. Ratings of at least relevance_threshold are relevant; its "
            "default, 0, excludes only negative ratings. MAP is the mean of P@1 to P@n, so a hit counts again at every position "
            "below it.",
            at_cutoffs(
                nDCG="nDCG(gain=ranksys)", Precision="P", Recall="R", F1="F1", HR="Success", MRR="RR", MAP=f"{OWN}MeanPrecision"
            ),
            relevance=0,
            ties="given",
            no_relevant="skip",
            no_list="skip",
        ),
        Convention(
            "rectools",
            "Users with a test item are averaged; those without a list count as 0. Every item in the test set is relevant. The "
            "ideal list of NDCG has n hits, even if there are fewer relevant items.",
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
            "Spark's RankingMetrics on sets of relevant items: a user without relevant items counts as 0.",
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
            "ndcg_score(k=n) with ratings as gains, and average_precision_score, for each user. For equal scores, ndcg_score "
            "averages over all orders, and average_precision_score treats them as one step; recsens refuses a value that depends "
            "on their order.",
            (
                Theirs("ndcg_score", "nDCG(gain=linear)", "optionally"),
                Theirs("average_precision_score", f"{OWN}SteppedAP", "never"),
            ),
            ties="refuse",
            no_list="skip",
        ),
        Convention(
            "cornac",
            "Version 3 with exclude_unknowns; it needs the train set. Users with a relevant test item are averaged; ratings of at "
            "least rating_threshold, 1 by default, are relevant. Relevant train and validation items are removed from lists, but "
            "those rated lower stay; users and items without a train rating are not measured. MRR, MAP, AUC and metrics without a "
            "cut-off read whole lists. MAP and AUC count misses before hits of the same score. Cornac's own MRR reads whole lists "
            "only in an experiment without cut-offs, because Cornac sorts lists only down to the largest cut-off.",
            (
                Theirs("NDCG", "nDCG", "optionally"),
                Theirs("NCRR", f"{OWN}NCRR", "optionally"),
                Theirs("MRR", "RR", "never"),
                Theirs("MAP", f"{OWN}SteppedAP", "never", ties="pessimistic"),
                Theirs("AUC", "LAUC", "never", ties="pessimistic"),
                Theirs("Precision", "P"),
                Theirs("Recall", "R"),
                Theirs("F1", "F1"),
                Theirs("HitRatio", "Success"),
            ),
            relevance=1,
            ties="given",
            no_relevant="skip",
            train_items="low",
            unknown="drop",
        ),
        Convention(
            "implicit",
            "Users with a test item are averaged, and every item in the test set is relevant. precision is one value for all "
            "users: their hits, divided by the sum of min(n, relevant items). auc treats items below the cut-off as if they were "
            "in random order; it needs the number of items, which is the number of columns of the matrix.",
            (
                Theirs("precision", f"{OWN}PooledCappedRecall"),
                Theirs("map", "AP(denominator=min)"),
                Theirs("ndcg", "nDCG"),
                Theirs("auc", f"{OWN}LAUCOfCatalogue", takes="items"),
            ),
            relevance="all",
            ties="given",
            no_relevant="skip",
        ),
        Convention(
            "replay",
            "Users with a test item are averaged; those without a list count as 0. Every item in the test set is relevant. In "
            "data frames, equal scores are ordered by item, descending; numbers by value. RocAuc compares the hits among the "
            "first n items with the misses among them; it ignores all items below.",
            at_cutoffs(
                NDCG="nDCG",
                Precision="P",
                Recall="R",
                MAP="AP(denominator=min)",
                MRR="RR",
                HitRate="Success",
                RocAuc=f"{OWN}TopAUC",
            ),
            relevance="all",
            ties="number",
            no_relevant="skip",
        ),
        Convention(
            "surprise",
            "Errors of predicted ratings over all test ratings. fcp is c / (c + d), where c is the mean number of concordant "
            "pairs over users who have any, and d is the mean number of discordant pairs over users who have any.",
            (
                Theirs("rmse", "RMSE", "never"),
                Theirs("mse", f"{OWN}MSE", "never"),
                Theirs("mae", "MAE", "never"),
                Theirs("fcp", f"{OWN}FCP", "never"),
            ),
        ),
    )
}
"""Name of a tool -> its convention."""


def convention_named(name: str) -> Convention:
    """Find a convention.

    Raises
    ------
    SpecError
        If no convention has this name.
    """
    if name not in CONVENTIONS:
        raise SpecError(f"unknown convention '{name}'{nearest(name, CONVENTIONS)}", allowed=", ".join(CONVENTIONS))
    return CONVENTIONS[name]


_TOOLS_NAMES = {
    **dict.fromkeys(("ndcgat", "ndcgscore"), "nDCG"),
    **dict.fromkeys(("meanaverageprecisionat", "averageprecisionscore"), "AP"),
    **dict.fromkeys(("precisionat",), "P"),
    **dict.fromkeys(("recallat",), "R"),
    "reciprank": "RR",
    "f1beta": "F1",
    "rocauc": "AUC",
}
"""Tools' names that are not among our aliases, without punctuation and capitals -> our metric."""

_OUR_ALIASES = {plain(name): meant for name, meant in ALIASES.items()}


def meant_by_tools(name: str) -> str | None:
    """Return our metric for a tool's name that is not among our aliases; None for any other name."""
    return _TOOLS_NAMES.get(plain(name))


def tool_metrics_called(ours: str) -> Iterator[tuple[str, Theirs]]:
    """Yield each tool's metrics that go by a name of our metric, with the tool; their formulas may differ from ours."""
    for tool, convention in CONVENTIONS.items():
        for theirs in convention.metrics:
            bare = theirs.name.partition("(")[0].lower()
            meant = meant_by_tools(bare) or _OUR_ALIASES.get(plain(bare), bare).partition("(")[0]
            if meant.lower() == ours.lower():
                yield tool, theirs
