"""Evaluate one run against judgements: the values of each user, and their mean."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.errors import DataError, DesignError, SpecError, check_word
from recsens.files import FileTable
from recsens.files.declared_columns import DeclaredColumns
from recsens.files.kinds import QRELS, RankBy, role_of_order
from recsens.files.scale import Scale, check_on_scale, check_scale, scale_given
from recsens.inputs.foreign_results import EACH, ForeignResults
from recsens.inputs.forms import Run, Source, name_of, read_any_rows, read_any_run, told_of
from recsens.inputs.matching import LEAST_MATCHED, SCORES_RISE, scores_rise
from recsens.metrics import Area, Judged, MeasuredAt, Predictions, by_treatment, parse_measured_at, without_list, without_relevant
from recsens.metrics.variants.conventions import Convention, Order, Policy, ShortList, Ties, TrainItems, Unknown, convention_named
from recsens.outcomes.measuring.own_positions import guess_rating_scale, measure_judged
from recsens.runs.evaluation._evaluation import Evaluation, Predicted, Settings
from recsens.runs.evaluation._file_positions import RankedScores, positions_of_ranks
from recsens.runs.evaluation._ranking import Judgements, RunPositions, judged_positions
from recsens.runs.evaluation._train_pairs import TrainPairs, check_needed
from recsens.score_files import JudgedRanks, ScoreFile
from recsens.vocabulary import View

_SHOWN = {"P": "SetP", "F1": "SetF"}
_DEFAULT = ("nDCG@10", "P@10", "R@10", "AP", "RR")
_USUAL_CUTOFF = 10
_WITH_CUTOFFS = re.compile(r"(?P<name>.+?)(?P<mark>[@_.])(?P<cutoffs>\d+(?:,\d+)*)")


@dataclass(frozen=True)
class LabelledMetric:
    """A metric with a label for its values.

    ``is_total`` means that values are summed over users instead of averaged; ``ties`` is the metric's own order of equal scores.
    """

    label: str
    measured: MeasuredAt
    is_total: bool = False
    ties: Ties | None = None

    @property
    def definition(self) -> str:
        """The metric's definition, with every parameter."""
        return f"the sum over users of {self.measured}" if self.is_total else str(self.measured)


def asked_for(texts: Iterable[str], convention: Convention, short_list: ShortList) -> list[LabelledMetric]:
    """Read metrics under a convention; if there are no names, return the usual metrics.

    Raises SpecError if a metric does not exist or is given twice.
    """
    metrics = [one for text in list(texts) or _usual(convention) for one in _parse_metrics(text.strip(), convention, short_list)]
    for one in metrics:
        if one.measured.metric.reads == "lists":
            raise SpecError(
                f"metric '{one.label}' reads whole lists and the train set, but a run with judgements contains neither",
                allowed="metrics of judged items: recsens metrics",
                remedy="evaluate the scores in a study, as docs/your-model.md shows",
            )
    labels = [one.label for one in metrics]
    for label in labels:
        if labels.count(label) > 1:
            raise SpecError(f"metric '{label}' is given twice", remedy="name it once")
    return metrics


def _usual(convention: Convention) -> list[str]:
    if not convention.metrics:
        return list(_DEFAULT)
    return [
        metric.name if metric.cutoff != "always" else f"{metric.name}@{_USUAL_CUTOFF}"
        for metric in convention.metrics
        if not metric.takes
    ]


def _parse_metrics(text: str, convention: Convention, short_list: ShortList) -> list[LabelledMetric]:
    if not convention.metrics:
        return [LabelledMetric(one.short, one) for one in (_short_list_variant(one, short_list) for one in parse_measured_at(text))]
    at_levels = convention.find_levels(text)
    if at_levels is not None:
        metric, levels = at_levels
        return [LabelledMetric(label, parse_measured_at(ours)[0]) for label, ours in metric.at_levels(levels)]
    match = _WITH_CUTOFFS.fullmatch(text)
    if match is None:
        theirs = convention.find(text, at_cutoff=False)
        return [LabelledMetric(text, parse_measured_at(theirs.ours)[0], theirs.is_total, theirs.ties)]
    ours = convention.find(match["name"], at_cutoff=True).ours
    mark = "_" if match["mark"] == "." else match["mark"]
    cutoffs = match["cutoffs"].split(",")
    measured = (_short_list_variant(one, short_list) for one in parse_measured_at(f"{ours}@{match['cutoffs']}"))
    return [LabelledMetric(f"{match['name']}{mark}{cutoff}", one) for cutoff, one in zip(cutoffs, measured, strict=True)]


def _short_list_variant(one: MeasuredAt, short_list: ShortList) -> MeasuredAt:
    """If ``short_list`` is ``shown``, replace a metric by the variant that divides by the length of a short list."""
    name = one.metric.plugin_name()
    if short_list == "cutoff" or name not in _SHOWN:
        return one
    return parse_measured_at(f"{_SHOWN[name]}@{one.cutoff}")[0]


log = logging.getLogger(__name__)

_EXTREMES: tuple[Ties, Ties] = ("optimistic", "pessimistic")
"""The two extreme orders of equal scores; results under all other orders lie between the results under these two."""

_SAME = 1e-12
"""Differences up to this are rounding errors."""


_TRAIN_OF_RANKS = "judged ranks are as the file counts them: here, train pairs are not left out"


@dataclass(frozen=True)
class Evaluator:
    """Judgements, metrics and settings for the evaluation of several runs. If there is a train set, its pairs are not ranked.

    If ``is_quiet``, no warning is given about names that hardly match, because the run has been checked before.
    """

    judgements: Judgements
    asked: list[LabelledMetric]
    settings: Settings
    least_matched: float = LEAST_MATCHED
    train: TrainPairs | None = None
    notes: tuple[str, ...] = ()
    told: Mapping[str, DeclaredColumns] = field(default_factory=dict)
    is_quiet: bool = False

    @classmethod
    def of(
        cls,
        qrels: Source,
        metrics: Iterable[str] = (),
        *,
        convention: str | Convention = "recsens",
        relevance: float | None = None,
        scale: Scale | tuple[float, float] | None = None,
        view: View = "full",
        rank_by: Order | None = None,
        ties: Ties | None = None,
        no_relevant: Policy | None = None,
        no_list: Policy | None = None,
        short_list: ShortList | None = None,
        train: Source | None = None,
        validation: Source | None = None,
        train_items: TrainItems | None = None,
        unknown: Unknown | None = None,
        columns: str | Iterable[str] = (),
        least_matched: float = LEAST_MATCHED,
    ) -> Evaluator:
        """Read judgements, and complete the settings; the convention determines settings that are None.

        Raises RecsensError if the judgements or a metric cannot be read. Raises DesignError if nothing would be relevant, if the
        scale is empty, includes values that mean "not judged", or excludes a rating, or if a metric reads predicted ratings
        although ranks order the items.
        """
        known = convention if isinstance(convention, Convention) else convention_named(convention)
        check_word("view", view, View)
        cases = known.decided(
            rank_by=rank_by or ("score" if ties else None),
            ties=ties,
            no_relevant=no_relevant,
            no_list=no_list,
            short_list=short_list,
            train_items=train_items,
            unknown=unknown,
        )
        check_needed(cases, has_train=train is not None, convention=known.name, given=(train_items, unknown))
        if validation is not None and train is None:
            raise DesignError("a validation set needs a train set", remedy="give the train set too: --train, train=...")
        if not 0 <= least_matched <= 1:
            raise DesignError(f"least_matched: {least_matched:g} is not a share", allowed="a number from 0 to 1")
        scale = scale_given(scale)
        asked = asked_for([metrics] if isinstance(metrics, str) else metrics, known, cases["short_list"])
        if ties is not None or cases["rank_by"] != "score":
            asked = [replace(one, ties=None) for one in asked]
        if cases["rank_by"] == "rank":
            _refuse_predictions(asked)
        told = told_of(columns)
        rows = read_any_rows(qrels, QRELS, told.get("rating"))
        notes: tuple[str, ...] = ()
        pairs = None if train is None else TrainPairs.of(train, validation, told.get("rating"))
        if pairs is not None:
            apart, n = pairs.apart_from(rows)
            # Other tools leave train items out of lists, whether or not they are judged too.
            is_ranked = known.name == "recsens" or cases["train_items"] == "all"
            pairs = apart if is_ranked else pairs
            what = "ranked, as test pairs" if is_ranked else "judged but not ranked"
            notes = (
                (f"judged pairs that are in train or validation too: {n:,}; they are {what}: check whether this is a leak",)
                if n
                else ()
            )
        if pairs is not None and cases["unknown"] == "drop":
            rows, said = pairs.known(rows)
            notes += said
        judgements = Judgements.of(rows, known.unjudged_below)
        rating = judgements.rating
        _refuse_what_is_not_judged(rating, scale, known)
        scale = scale or guess_rating_scale(rating)
        judged = rows.value if known.unjudged_below is None else np.where(rows.value < known.unjudged_below, np.nan, rows.value)
        check_scale(judged, scale, lambda row: f"{rows.place(row)}, user '{rows.user[row]}'")
        threshold = _threshold(rating, scale, known.relevance if relevance is None else check_on_scale(relevance, scale))
        cases["single_precision"] &= cases["rank_by"] == "score"
        has_train = pairs is not None
        measured = {one.label: one.measured for one in asked}
        cases_of = {"no_relevant": without_relevant, "no_list": without_list}
        treatments = {case: by_treatment(said, measured) for case, said in cases_of.items() if cases[case] == "zero"}
        settings = Settings(
            convention=known.name,
            scale=scale,
            relevance=threshold,
            view=view,
            has_train=has_train,
            no_test=known.no_test,
            treatments=treatments,
            **cases,
        )
        return cls(judgements, asked, settings, least_matched, pairs, notes, told)

    def evaluate(self, run: Source) -> Evaluation:
        """Measure a run.

        Raises DataError if the run cannot be read, or shares no user with the judgements.
        """
        rows, placed, under = self._rank_run(run)
        found, *worst = (self._measure(ranked, rows) for ranked in placed)
        found = self._with_own_ties(found, rows, under)
        if worst:
            _refuse_ties_that_matter(found, worst[0], where=_file_of(rows))
        if not placed[0].has_ties:
            return found
        if worst:
            return replace(found, unbounded=self._unbounded)
        ends = (found if ties == self.settings.ties else self._measure(under(ties), rows) for ties in _EXTREMES)
        own = self._unbounded | self._own_ties.keys()
        best, least = (np.array([one.means[label] for label in found.labels]) for one in ends)
        means = zip(found.labels, least.tolist(), best.tolist(), _depends_on_ties(best, least), strict=True)
        by_ties = {label: (low, high) for label, low, high, is_decided in means if is_decided and label not in own}
        return replace(found, by_ties=by_ties, unbounded=self._unbounded)

    @property
    def _own_ties(self) -> dict[str, Ties]:
        return {one.label: one.ties for one in self.asked if one.ties is not None}

    def _with_own_ties(self, found: Evaluation, rows: Run, under: Callable[[Ties], RunPositions]) -> Evaluation:
        """Replace the values of metrics whose formula implies an order of equal scores by their values under this order."""
        own = self._own_ties
        under_own = {ties: self._measure(under(ties), rows) for ties in set(own.values()) - {self.settings.ties}}
        columns = [under_own.get(own.get(label, self.settings.ties), found).column(label) for label in found.labels]
        return replace(found, values=np.stack(columns, axis=1))

    @property
    def _unbounded(self) -> frozenset[str]:
        return frozenset(one.label for one in self.asked if not one.measured.metric.has_range_by_ties)

    def _measure(self, ranked: RunPositions, run: Run) -> Evaluation:
        """Measure a run under one order of ties."""
        judged, counts = self._judged_and_averaged(ranked)
        by_user = {one.label: one.measured for one in self.asked if one.measured.metric.unit == "user"}
        of_all = {one.label: one.measured for one in self.asked if one.label not in by_user}
        predictive = frozenset(one.label for one in self.asked if one.measured.metric.reads == "predictions")
        averaged = judged.of_users(counts) if of_all or predictive else judged
        pooled = measure_judged(averaged, of_all) if of_all else {}
        values = {**dict.fromkeys(of_all, np.full(judged.n_users, np.nan)), **measure_judged(judged, by_user)}
        totals = frozenset(one.label for one in self.asked if one.is_total)
        is_predicted = np.zeros(len(judged.user), dtype=np.bool_)
        if ranked.score is not None:
            is_predicted = ~np.isnan(ranked.score[self.judgements.judged])
        return Evaluation(
            users=self.judgements.users,
            labels=[one.label for one in self.asked],
            definitions=[one.definition for one in self.asked],
            values=np.stack([values[one.label] for one in self.asked]).T,
            pooled={
                **{label: float(value[0]) for label, value in pooled.items()},
                **{label: float(values[label][counts].sum()) for label in totals},
            },
            counts=counts,
            settings=self.settings,
            totals=totals,
            n_without_relevant=int(np.count_nonzero(judged.n_relevant == 0)),
            matched=ranked.matched,
            n_unjudged=self.judgements.n_unjudged,
            is_tied=ranked.is_tied,
            has_ranks=isinstance(run, FileTable) and "rank" in run.ignored,
            notes=ranked.notes,
            predictions=Predictions.of(averaged.score, averaged.scale) if predictive and averaged.score is not None else None,
            predicted=Predicted(self.judgements.user, is_predicted) if predictive else None,
            predictive=predictive,
        )

    def points(self, run: Source, area: Area) -> NDArray[np.float64]:
        """Return the corners of a run's curve over the averaged users, shape (n, 2), x and y in each row.

        Raises DataError if the run cannot be read, or shares no user with the judgements.
        """
        rows, placed, _ = self._rank_run(run)
        curve, *others = (area.points(judged.of_users(counts)) for judged, counts in map(self._judged_and_averaged, placed))
        if any(not np.array_equal(curve, other) for other in others):
            raise _tie_error("the curve", self.settings.rank_by, where=_file_of(rows))
        return curve

    def ranked(self, run: Source) -> RunPositions:
        """Return the positions at which a run ranks the judged items; the order of ties must not be ``refuse``.

        Raises DataError if the run cannot be read, or shares no user with the judgements.
        """
        return self._rank_run(run)[1][0]

    def _rank_run(self, run: Source) -> tuple[Run, list[RunPositions], Callable[[Ties], RunPositions]]:
        """Read a run, and rank it under the chosen order of ties, or under both extremes if ties that matter are refused.

        Pairs that the train set excludes are left out, and a note says so. The last element of the result is a function that ranks
        the run under another order.
        """
        rows, notes = read_any_run(run, self._score_or_rank, self.told.get(self._score_or_rank)), self.notes
        if isinstance(rows, JudgedRanks):
            _refuse_predictions(self.asked, rows)
            notes += () if self.train is None else (_TRAIN_OF_RANKS,)
        elif isinstance(rows, FileTable):
            if self.settings.rank_by == "score" and scores_rise(rows.user.code, rows.value):
                notes += (SCORES_RISE,)
            if self.train is not None:
                rows, said = self.train.without(rows, self.settings)
                if unknown := self.train.unknown_items(rows, self.judgements.items):
                    said += (unknown,)
                    if not self.is_quiet:
                        log.warning("%s: %s", name_of(rows), unknown)
                notes += said
        orders = _EXTREMES if self.settings.ties == "refuse" else (self.settings.ties,)
        under = self._ranking_function(rows)
        placed = [replace(each, notes=(*each.notes, *notes)) for each in map(under, orders)]
        name, matched = name_of(rows), placed[0].matched
        matched.check(self.least_matched, where=name)
        if not self.is_quiet and matched.warning:
            log.warning("%s: %s", name, matched.warning)
        return rows, placed, under

    def _ranking_function(self, run: Run) -> Callable[[Ties], RunPositions]:
        """Return a function that ranks a run under an order of ties."""
        if isinstance(run, ScoreFile):
            return RankedScores(run, self.judgements, self.settings, self.train).under
        if isinstance(run, JudgedRanks):
            return partial(positions_of_ranks, run, self.judgements, self.settings)
        return partial(judged_positions, run, self.judgements, self.settings)

    @property
    def _score_or_rank(self) -> RankBy:
        return role_of_order(self.settings.rank_by)

    def _judged_and_averaged(self, ranked: RunPositions) -> tuple[Judged, NDArray[np.bool_]]:
        """Return the judged positions under the view (full or condensed), and whether each user is averaged."""
        rows = self.judgements.judged
        judged = Judged.of(
            user=self.judgements.user,
            position=ranked.position[rows],
            rating=self.judgements.rating,
            targets_ranked=ranked.listed,
            view=self.settings.view,
            scale=self.settings.scale,
            relevance=self.settings.relevance,
            # A rank orders items but is not a score: it cannot be compared with a rating or with the ranks of other users.
            score=None if self.settings.rank_by == "rank" or ranked.score is None else ranked.score[rows],
            item=self.judgements.item,
            unjudged_above=self.judgements.unjudged_above(ranked.position) if self.judgements.n_unjudged else None,
        )
        counts = np.ones(judged.n_users, dtype=np.bool_)
        if self.settings.no_relevant == "skip":
            counts &= judged.n_relevant > 0
        if self.settings.no_list == "skip":
            counts &= ranked.listed > 0
        return judged, counts


def evaluate(
    run: Source, qrels: Source, metrics: Iterable[str] = (), *, fold: str | int | None = None, **decisions: Any
) -> Evaluation:
    """Evaluate a run against judgements.

    Raises RecsensError if something cannot be read, with file and line, or if a setting is invalid. All parameters after the first
    three are keyword arguments; those that are None, or not given, follow from the convention.

    Parameters
    ----------
    run, qrels
        A path, a data frame with the columns user, item and score (or rating), or a tuple of these three arrays; with
        ``rank_by="rank"``, a run has ranks instead of scores. A run may also be the path of compact scores (factors, dense scores,
        weights between items, lists), or judged ranks as a path or a frame: docs/scores-format.md.
    metrics
        Names of metrics, such as ``nDCG@10`` or ``AP``; under a convention, also the tool's own names.
    convention
        The tool whose metric names are used. The tool's rules also determine the following arguments if they are None: see
        `CONVENTIONS`.
    relevance
        Lowest relevant rating.
    scale
        The rating scale, or its two ends; it must contain every rating. By default 1 to 5 if that contains all ratings, otherwise
        the range of the judgements.
    view
        Full lists, or lists condensed to judged items.
    rank_by
        What orders the items of a run: the score, highest first; the rank, lowest first; or the order of rows. The default follows
        from the convention; if ``ties`` is given, the default is the score. Ranks are integers of at least 0 and replace scores:
        metrics that read scores, such as RMSE or GROC, are refused.
    ties
        Which of two items with the same score or rank comes first.
    no_relevant, no_list
        Whether users without relevant items, or without a list, are averaged (``zero``; their value is 0 under most metrics) or
        left out (``skip``).
    short_list
        The divisor of P and F1 if a list is shorter than the cut-off.
    train, validation
        The users' ratings from before the test, in the same forms as ``qrels``; these pairs are not ranked. Weights between items
        need the train set; so does a validation set.
    train_items
        Which train and validation items stay in a user's list: none, only items rated too low to be relevant, or all.
    unknown
        Whether users and items without a train rating are measured, or left out of the run and the judgements.
    columns
        The columns of files whose headers are unknown: in order, such as ``"user,item,score"`` (``-`` for a column that is not
        read), or by name, such as ``"user=who,item=what,rating=stars"``. A text with a score or a rank applies to runs; a text with
        a rating applies to judgements, train and validation sets.
    fold
        Which fold to measure, if a column ``fold``, ``i_split`` or ``partition`` of the run, the judgements, the train or the
        validation set names several. A run must have one system: its column ``model``, ``algorithm`` or ``recommender`` must not
        name several.
    least_matched
        Smallest share of users that the files must have in common. A run is refused if a smaller share of its users is judged and
        also a smaller share of the judged users has a list, because names may be spelt differently. Unless this is 0, a run is also
        refused if none of its items is judged and most seem to be spelt differently.

    Examples
    --------
    >>> run = (["ann", "ann", "bob"], ["x", "y", "y"], [0.9, 0.4, 0.7])
    >>> qrels = (["ann", "bob"], ["y", "x"], [1, 1])
    >>> evaluate(run, qrels, ["RR", "P@1"]).means
    {'RR': 0.25, 'P@1': 0.0}
    """
    run, qrels, decisions = one_fold(run, qrels, decisions, fold)
    return Evaluator.of(qrels, metrics, **decisions).evaluate(run)


def one_fold(
    run: Source, qrels: Source, decisions: Mapping[str, Any], fold: str | int | None
) -> tuple[Source, Source, dict[str, Any]]:
    """Return a run, its judgements, and the other arguments of `evaluate`, including the train and validation sets, for one fold.

    Raises DataError if a fold must be chosen but is not, if there is no such fold, or if the run contains several systems, and
    DesignError if every fold is chosen.
    """
    sets = {"test": qrels, **{name: decisions.get(name) for name in ("train", "validation")}}
    folds = ForeignResults.of(sets, {"the run": run}).measured(decisions, None if fold is None else str(fold))
    if fold == EACH:
        raise DesignError(
            'fold="each": a call measures only one fold',
            allowed=f"one of {', '.join(map(repr, folds))}",
            remedy="call it once for each fold and average the means, or call recsens.evaluate(...), which can measure each",
        )
    [own] = folds.values()
    if len(own.runs) > 1:
        raise DataError(
            f"the run contains {len(own.runs)} systems: {', '.join(own.runs)}",
            allowed="one system per call",
            remedy="keep the rows of one system (if the column does not name systems, leave it out), or measure each with "
            "recsens.evaluate(...) or the command 'recsens evaluate'",
        )
    [source] = own.only_training.values()
    return source, own.sets["test"], {**decisions, **own.beside}


def _refuse_predictions(asked: Iterable[LabelledMetric], run: JudgedRanks | None = None) -> None:
    """Refuse metrics of predicted ratings if ranks order the items, or if the run has judged ranks."""
    label = next((one.label for one in asked if one.measured.metric.reads == "predictions"), None)
    if label is not None:
        problem = "compares predicted ratings with ratings, but a run ordered by rank has no predictions"
        remedy = 'order the run by its scores: --rank-by score, rank_by="score"'
        if run is not None:
            problem = "reads scores, but judged ranks contain none"
            remedy = "give the scores themselves: a table, factors, dense scores or weights between items"
        where, allowed = None if run is None else run.source, "metrics of judged positions, such as nDCG@10"
        raise DesignError(f"metric '{label}' {problem}", where=where, allowed=allowed, remedy=remedy)


def _refuse_what_is_not_judged(rating: NDArray[np.float64], scale: Scale | None, convention: Convention) -> None:
    least = convention.unjudged_below
    if least is None:
        return
    said = f"for {convention.name}, a judgement below {least:g} means that the item is not judged"
    if len(rating) == 0:
        raise DataError(f"nothing is judged: {said}", allowed=f"judgements of {least:g} and above")
    if scale is not None and scale.lowest < least:
        raise DesignError(f"the rating scale starts at {scale.lowest:g}: {said}", allowed=f"a scale from {least:g} on, or none")


def _file_of(run: Run) -> str | None:
    return run.place(0).rpartition(":")[0] or None if isinstance(run, FileTable) else run.source


def _refuse_ties_that_matter(best: Evaluation, worst: Evaluation, *, where: str | None) -> None:
    """Refuse a run if any value, of an averaged user or pooled, differs between the best and the worst order of ties."""
    of_users = _depends_on_ties(best.values, worst.values) & best.counts[:, np.newaxis]
    if of_users.any():
        user, column = np.argwhere(of_users)[0]
        raise _tie_error(f"{best.labels[column]} of user '{best.users[user]}'", best.settings.rank_by, where=where)
    for label, value in best.pooled.items():
        if _depends_on_ties(np.array(value), np.array(worst.pooled[label])):
            raise _tie_error(label, best.settings.rank_by, where=where)


def _depends_on_ties(best: NDArray[np.float64], worst: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which values depend on the order of equal scores, given the values under both extremes; two NaN count as equal."""
    return ~np.isclose(best, worst, rtol=_SAME, atol=_SAME, equal_nan=True)


def _tie_error(what: str, rank_by: Order, *, where: str | None) -> DataError:
    """Return the error for a value that depends on the order of equal scores."""
    return DataError(
        f"{what} depends on the arbitrary order of items with the same {rank_by}",
        where=where,
        remedy="choose their order with ties: item, given, pessimistic or optimistic",
    )


def _threshold(rating: NDArray[np.float64], scale: Scale, wanted: float | str | None) -> float:
    threshold = float(rating.min()) if wanted == "all" else scale.relevance if wanted is None else float(wanted)
    if not (rating >= threshold).any():
        raise DesignError(
            f"nothing is relevant: no rating reaches {threshold:g}",
            allowed=f"up to {rating.max():g}, the highest rating of the judgements",
            remedy="give the lowest relevant rating: --relevance, relevance=...",
        )
    return threshold
