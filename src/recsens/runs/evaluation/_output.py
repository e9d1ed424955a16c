"""Evaluations written as text, CSV, JSON or LaTeX."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from recsens.comparison.significance import SignificanceTest
from recsens.files.kinds import BY_RANK
from recsens.runs.evaluation._evaluation import Evaluation, RunComparison, mean_of
from recsens.tables.cells import compared_cells, count_cell, p_cell, share_cell
from recsens.tables.numbers import count, fixed, shared_decimals
from recsens.tables.table import Row, RowGroup, Table, TableCell, slug
from recsens.tables.texts import rows_to_csv, to_json, to_text

_TESTED = ("difference", "low", "high", "p_value", "share_significant")
"""Columns of a comparison in addition to the means."""

_UNMATCHED = (
    *("n_run_users_not_judged", "n_judged_users_without_list"),
    *("n_run_items_not_judged", "n_judged_items_not_ranked", "n_judged_pairs_not_ranked"),
)
"""Columns that count users, items and pairs that are only in the run, or only in the judgements."""

_EXTREMES = ("pessimistic", "optimistic")
"""Columns of the means with worse items first, and with better items first, among equal scores."""

_BY_TIES = "by ties"
"""Heading of the column that shows a value's range over the orders of equal scores."""

_MEAN = "mean"
"""The entry in the fold column for rows with means over folds."""

_LATEX_WIDTH = 343.0
"""Width of a page in points, as in a study."""

Format = Literal["text", "csv", "json", "latex"]
"""Output forms of evaluations."""


@dataclass(frozen=True)
class Outcome:
    """Runs by name, and each further run compared with the first.

    Attributes
    ----------
    evaluations
        Runs by name, all under the same settings.
    comparisons
        For each further run, a comparison on each metric; empty for a single run.
    test
        The significance test.
    """

    evaluations: Mapping[str, Evaluation]
    comparisons: Mapping[str, Sequence[RunComparison]]
    test: SignificanceTest

    @property
    def first(self) -> Evaluation:
        """The run with which all others are compared."""
        return next(iter(self.evaluations.values()))

    @property
    def first_name(self) -> str:
        """The name of the first run."""
        return next(iter(self.evaluations))

    @property
    def is_over_the_same_users(self) -> bool:
        """Whether every mean covers exactly the users that the test compares; one table can then show both."""
        pooled = self.first.pooled
        return all(
            one.is_whole
            for compared in self.comparisons.values()
            for label, one in zip(self.first.labels, compared, strict=True)
            if label not in pooled
        )

    @property
    def differences(self) -> list[list[float]]:
        """For each metric, half the interval of each further run's difference from the first run."""
        compared = zip(*self.comparisons.values(), strict=True)
        return [list(map(_half_width, of_metric)) for of_metric in compared] or [[]] * len(self.first.labels)

    @cached_property
    def decimals(self) -> dict[str, int]:
        """The number of decimals of each metric's means or sums."""
        of_labels = zip(self.first.labels, self.differences, strict=True)
        means = {label: [one.means[label] for one in self.evaluations.values()] for label in self.first.labels}
        return {label: 0 if label in self.first.totals else shared_decimals(means[label], halves) for label, halves in of_labels}

    def answer(self, compared: RunComparison) -> TableCell:
        """Return a comparison's p-value, or the share of significant differences if the significance test reports one."""
        comparison = compared.comparison
        return share_cell(comparison.share_significant) if self.test.answer == "share" else p_cell(comparison.p_value)

    def table(self, key: str, caption: str, columns: Sequence[tuple[str, Sequence[TableCell]]], labels: Sequence[str]) -> Table:
        """Return a table with a row for each metric; columns without any text are left out."""
        shown = [(heading, cells) for heading, cells in columns if any(cell.text for cell in cells)]
        rows = zip(labels, zip(*(cells for _, cells in shown), strict=True), strict=True)
        headings = tuple(heading for heading, _ in shown)
        corner = f"metric ({self.first.settings.convention})"
        return Table(key, caption, corner, headings, (RowGroup("", tuple(Row(label, cells) for label, cells in rows)),))


def write(outcomes: Mapping[str, Outcome], form: Format, *, per_user: bool) -> str:
    """Write the means, or the values of each averaged user; of several folds, by name, also each run's means over the folds."""
    has_folds = "" not in outcomes
    if form == "json":
        contents = {fold: _json_content(one, with_users=per_user) for fold, one in outcomes.items()}
        return to_json({"folds": contents, _MEAN: _means_over_folds(outcomes)} if has_folds else contents[""])
    if form == "csv":
        header, *rows = _rows_of_users(outcomes) if per_user else _rows_of_means(outcomes)
        if not has_folds:
            header, rows = header[1:], [row[1:] for row in rows]
        return rows_to_csv([header, *rows]).removesuffix("\n")
    latex = form == "latex"
    parts = [_fold_text(one, fold, latex=latex, per_user=per_user) for fold, one in outcomes.items()]
    if has_folds:
        parts.append(_table_text(_table_over_folds(outcomes), latex=latex, heading=f"means over {len(outcomes)} folds"))
    needs = ["% Needs the packages booktabs and tabularx."] if latex else []
    return "\n\n".join([*needs, *parts])


def _table_text(table: Table, *, latex: bool, heading: str = "") -> str:
    """Write a table below a heading, which is a comment in LaTeX."""
    if not latex:
        return f"{heading}:\n{to_text(table)}" if heading else to_text(table)
    from recsens.tables.latex import to_floats  # noqa: PLC0415 - no other form needs it

    written = "\n".join(to_floats(table, _LATEX_WIDTH)).rstrip("\n")
    return f"% {heading}:\n{written}" if heading else written


def _fold_text(outcome: Outcome, fold: str, *, latex: bool, per_user: bool) -> str:
    """Write the tables and notes of a fold as text or LaTeX; in LaTeX, notes are comments."""
    mark = "% " if latex else ""
    head = [f"{mark}fold {fold}:"] if fold else []
    tables = [_user_table(outcome)] if per_user else list(_outcome_tables(outcome))
    headings = ["", *(table.caption for table in tables[1:])]
    if fold:
        tables = [replace(each, key=f"{each.key}-{slug(fold)}", caption=f"{each.caption} (fold {fold})") for each in tables]
    grids = [_table_text(table, latex=latex, heading=heading) for table, heading in zip(tables, headings, strict=True)]
    notes = [] if per_user else [f"{mark}{note}" for note in _outcome_notes(outcome)]
    if latex:
        return "\n".join([*head, *notes, *grids])
    return "\n".join([*head, "\n\n".join(filter(None, [*grids, "\n".join(notes)]))])


def _outcome_tables(outcome: Outcome) -> Iterator[Table]:
    """Yield the table of means or sums; then, unless the tests compare all averaged users, a table for each further run."""
    first, is_joint = outcome.first, outcome.is_over_the_same_users
    columns: list[tuple[str, list[TableCell]]] = []
    for name, evaluation in outcome.evaluations.items():
        decimals = outcome.decimals
        columns += [
            (name, [_value_cell(evaluation.means[label], decimals[label]) for label in first.labels]),
            (_BY_TIES, [TableCell(evaluation.ties_in_words(label, decimals[label])) for label in first.labels]),
        ]
        if is_joint and name in outcome.comparisons:
            columns.append((outcome.test.answer, list(map(outcome.answer, outcome.comparisons[name]))))
    yield outcome.table("evaluation", "Means over users", columns, first.labels)
    for name, compared in {} if is_joint else outcome.comparisons.items():
        tested = {label: one for label, one in zip(first.labels, compared, strict=True) if label not in first.pooled}
        pairs = [compared_cells([one.versus_mean, one.mean], [_half_width(one)]) for one in tested.values()]
        columns = [
            ("users", [count_cell(one.comparison.n_users) for one in tested.values()]),
            (outcome.first_name, [cells[0] for cells in pairs]),
            (name, [cells[1] for cells in pairs]),
            (outcome.test.answer, list(map(outcome.answer, tested.values()))),
        ]
        caption = f"{name} against {outcome.first_name}, means over the users averaged in both"
        yield outcome.table(f"evaluation-{slug(name)}", caption, columns, list(tested))


def _value_cell(value: float, decimals: int) -> TableCell:
    """Return the cell of a value, or of a sum, which has no decimals."""
    return TableCell(fixed(value, decimals), numbers=(value,)) if decimals else count_cell(value)


def _half_width(one: RunComparison) -> float:
    return (one.comparison.high - one.comparison.low) / 2


def _user_table(outcome: Outcome) -> Table:
    """Return a table with a row for each run and averaged user; all values of a metric have the same decimals."""
    first, evaluations = outcome.first, outcome.evaluations
    everyone = [own for one in evaluations.values() for own in one.per_user.values()]
    decimals = {label: shared_decimals([max((abs(own[label]) for own in everyone), default=0)]) for label in first.user_labels}
    decimals |= dict.fromkeys(first.totals, 0)
    rows = [
        Row(name, (TableCell(user, is_text=True), *(_value_cell(value, decimals[label]) for label, value in own.items())))
        for name, one in evaluations.items()
        for user, own in one.per_user.items()
    ]
    return Table("users", "Values of each user", "run", ("user", *first.user_labels), (RowGroup("", tuple(rows)),))


def _means_over_folds(outcomes: Mapping[str, Outcome]) -> dict[str, dict[str, float]]:
    """Average each run's means over folds, by run and metric."""
    first = next(iter(outcomes.values()))
    return {
        run: {
            label: mean_of(np.array([outcome.evaluations[run].means[label] for outcome in outcomes.values()]))
            for label in first.first.labels
        }
        for run in first.evaluations
    }


def _table_over_folds(outcomes: Mapping[str, Outcome]) -> Table:
    first, means = next(iter(outcomes.values())), _means_over_folds(outcomes)
    by_metric = [compared_cells([of_run[label] for of_run in means.values()]) for label in first.first.labels]
    columns = list(zip(means, zip(*by_metric, strict=True), strict=True))
    return first.table("evaluation-means", f"Means over {len(outcomes)} folds", columns, first.first.labels)


def _outcome_notes(outcome: Outcome) -> Iterator[str]:
    """Say which settings and users the values have, what is only in a run or in the judgements, and what was tested."""
    first, evaluations = outcome.first, outcome.evaluations
    yield f"settings: {first.settings}"
    if first.n_unjudged:
        below = f"{first.settings.unjudged_below:g}"
        yield f"judgements: {count(first.n_unjudged)} values below {below} name an item without judging it"
    for name, evaluation in evaluations.items():
        yield f"{name}: {evaluation.population}"
        yield from (f"{name}: {note}" for note in (evaluation.matched.in_words, *evaluation.notes) if note)
        if any(evaluation.ties_in_words(label, outcome.decimals[label]) for label in evaluation.labels):
            yield f"{name}: {_BY_TIES}: lowest and highest value, depending on how ties are broken (audits and studies: at random)"
        if evaluation.is_tied:
            rank_by = evaluation.settings.rank_by
            advice = f"; to {BY_RANK}" if rank_by == "score" and evaluation.has_ranks else ""
            yield f"{name}: all {rank_by}s are equal, so ties decide every position{advice}"
        yield from (f"{name}: {label} is undefined for {count(n)} of them" for label, n in evaluation.undefined.items())
    yield from (f"{name}: {one.share_predicted}" for name, one in evaluations.items() if one.share_predicted)
    for name, compared in outcome.comparisons.items():
        apart = [label for label, one in zip(first.labels, compared, strict=True) if not one.is_alike]
        if apart:
            runs = f"{outcome.first_name} and {name}"
            yield f"{', '.join(apart)}: the runs {runs} predict different items, so their values are not compared"
    yield from (f"{name}: {one.outside_the_scale}" for name, one in evaluations.items() if one.outside_the_scale)
    defined = zip(first.labels, first.definitions, strict=True)
    yield from (f"{label} is {definition}" for label, definition in defined if label != definition)
    if outcome.comparisons:
        test = outcome.test
        yield f"{test.answer}: {test.meaning}, each run against {outcome.first_name}, paired by user, two-sided, not corrected"


def _rows_of_users(outcomes: Mapping[str, Outcome]) -> Iterator[list[Any]]:
    """Yield a header, and a row for each fold, run and averaged user, the fold first."""
    yield ["fold", "run", "user", *next(iter(outcomes.values())).first.user_labels]
    for fold, outcome in outcomes.items():
        for name, evaluation in outcome.evaluations.items():
            for user, values in evaluation.per_user.items():
                numbers = (f"{value:.0f}" if label in evaluation.totals else value for label, value in values.items())
                yield [fold, name, user, *numbers]


def _rows_of_means(outcomes: Mapping[str, Outcome]) -> Iterator[list[Any]]:
    """Yield a header, a row for each fold, run and metric, the fold first, and rows with the means over folds."""
    compares = ["versus", "n_compared", "mean_compared", "versus_mean", *_TESTED]
    header = ["fold", "run", "metric", "convention", "definition", _MEAN, *_EXTREMES, "n_users", *_UNMATCHED, *compares]
    yield header
    for fold, outcome in outcomes.items():
        for name, evaluation in outcome.evaluations.items():
            counts = [evaluation.n_users, *(evaluation.matched.counts[key] for key in _UNMATCHED)]
            comparisons: Sequence[RunComparison | None] = outcome.comparisons.get(name, [None] * len(evaluation.labels))
            for label, definition, one in zip(evaluation.labels, evaluation.definitions, comparisons, strict=True):
                values = (evaluation.means[label], *evaluation.range_by_ties(label))
                compared: list[Any] = [""] * len(compares)
                if one is not None:
                    tested = (getattr(one.comparison, key) for key in _TESTED)
                    compared = [outcome.first_name, one.comparison.n_users, one.mean, one.versus_mean, *tested]
                yield [fold, name, label, evaluation.settings.convention, definition, *values, *counts, *compared]
    first = next(iter(outcomes.values())).first
    for run, means in {} if "" in outcomes else _means_over_folds(outcomes).items():
        for label, definition in zip(first.labels, first.definitions, strict=True):
            row = [_MEAN, run, label, first.settings.convention, definition, means[label]]
            yield [*row, *[""] * (len(header) - len(row))]


def _json_content(outcome: Outcome, *, with_users: bool) -> dict[str, Any]:
    """Return everything about an outcome, for JSON."""
    settings, first = outcome.first.settings, outcome.first
    runs: list[dict[str, Any]] = []
    for name, evaluation in outcome.evaluations.items():
        run: dict[str, Any] = {
            "run": name,
            "n_users": evaluation.n_users,
            "n_without_relevant": evaluation.n_without_relevant,
            "n_without_list": evaluation.n_without_list,
            "n_not_judged": evaluation.n_strangers,
            "n_unjudged": evaluation.n_unjudged,
            "is_tied": evaluation.is_tied,
            "shares_no_item": evaluation.shares_no_item,
            "matched": evaluation.matched.counts,
            "notes": evaluation.notes,
            "means": evaluation.means,
            **{
                name: {label: evaluation.range_by_ties(label)[nth] for label in evaluation.labels}
                for nth, name in enumerate(_EXTREMES)
            },
        }
        if evaluation.predicted is not None:
            run["n_predicted"] = evaluation.predicted.n_predicted(evaluation.counts)
            run["n_judged"] = evaluation.predicted.n_judged(evaluation.counts)
        if evaluation.predictions is not None:
            run["predictions"] = {key: getattr(evaluation.predictions, key) for key in ("n", "n_outside", "lowest", "highest")}
        if name in outcome.comparisons:
            run["comparisons"] = {
                label: {
                    "n_users": one.comparison.n_users,
                    "mean": one.mean,
                    "versus_mean": one.versus_mean,
                    **{key: getattr(one.comparison, key) for key in (*_TESTED, "effect")},
                }
                for label, one in zip(evaluation.labels, outcome.comparisons[name], strict=True)
            }
        if with_users:
            run["users"] = evaluation.per_user
        runs.append(run)
    decided = {
        **asdict(settings),
        "scale": [settings.scale.lowest, settings.scale.highest],
        "test": str(outcome.test.spec) if outcome.comparisons else None,
    }
    return {"settings": decided, "metrics": dict(zip(first.labels, first.definitions, strict=True)), "runs": runs}
