"""Evaluations written as text, CSV, JSON or LaTeX."""

import csv
import io
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from recsens.comparison.significance import SignificanceTest
from recsens.files.kinds import BY_RANK
from recsens.runs.evaluation._evaluate import Evaluation
from recsens.runs.evaluation._run_comparison import RunComparison

_TESTED = ("difference", "low", "high", "p_value", "share_significant")
"""Columns of a comparison in addition to the means."""

_UNMATCHED = (
    *("n_run_users_not_judged", "n_judged_users_without_list"),
    *("n_run_items_not_judged", "n_judged_items_not_ranked", "n_judged_pairs_not_ranked"),
)
"""Columns that count users, items and pairs that are only in the run, or only in the judgements."""

_EXTREMES = ("pessimistic", "optimistic")
"""Columns of the means with worse items first, and with better items first, among equal scores."""

_NOT_BOUNDED = "not bounded"
"""Printed instead of a range if the metric may lie outside the two extremes under other orders of equal scores."""

_BY_TIES = "by ties"
"""Heading of the column that shows a value's range over the orders of equal scores."""

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

    def answer(self, compared: RunComparison) -> str:
        """Format a comparison's p-value, or the share of significant differences if the significance test reports one."""
        comparison = compared.comparison
        return decimals(comparison.share_significant) if self.test.answer == "share" else p_value(comparison.p_value)


def write(outcome: Outcome, form: Format, *, per_user: bool) -> str:
    """Write the means, or the values of each averaged user."""
    if form == "json":
        return _json(outcome, with_users=per_user)
    if per_user:
        rows = _users(outcome, digits if form == "csv" else decimals)
        return {"text": aligned, "csv": delimited, "latex": tabular}[form](list(rows))
    return {"text": _text, "csv": _csv, "latex": _latex}[form](outcome)


def _text(outcome: Outcome) -> str:
    lines = [aligned(_means(outcome)), ""]
    for heading, rows in _apart(outcome):
        lines += [f"{heading}:", aligned(rows), ""]
    lines += [f"settings: {outcome.first.settings}", *_said_of_judgements(outcome.first)]
    lines += [*_said_of_runs(outcome), *_said_of_predictions(outcome), *_outside(outcome)]
    defined = zip(outcome.first.labels, outcome.first.definitions, strict=True)
    lines += [f"{label} is {definition}" for label, definition in defined if label != definition]
    if outcome.comparisons:
        lines.append(_said_of_test(outcome))
    return "\n".join(lines)


def _said_of_runs(outcome: Outcome) -> list[str]:
    """For each run, report the users averaged, names that only the run or only the judgements contain, and the effect of ties."""
    lines = []
    for name, evaluation in outcome.evaluations.items():
        lines.append(f"{name}: {evaluation.population}")
        said = (evaluation.matched.in_words, *evaluation.notes, *_said_of_ties(evaluation))
        lines += [f"{name}: {note}" for note in said if note]
        lines += [f"{name}: {label} is undefined for {count} of them" for label, count in evaluation.undefined.items()]
    return lines


def _said_of_test(outcome: Outcome) -> str:
    test = outcome.test
    return f"{test.answer}: {test.meaning}, each run against {outcome.first_name}, paired by user, two-sided, not corrected"


def _said_of_judgements(evaluation: Evaluation) -> list[str]:
    if evaluation.n_unjudged == 0:
        return []
    return [
        f"judgements: {evaluation.n_unjudged} values below {evaluation.settings.unjudged_below:g} name an item without judging it"
    ]


def _said_of_ties(evaluation: Evaluation) -> list[str]:
    told = [f"{_BY_TIES}: lowest and highest value, depending on how ties are broken"]
    told = told if any(_by_ties(evaluation, label) for label in evaluation.labels) else []
    if not evaluation.is_tied:
        return told
    rank_by = evaluation.settings.rank_by
    advice = f"; to {BY_RANK}" if rank_by == "score" and evaluation.has_ranks else ""
    return [*told, f"all {rank_by}s are equal, so ties decide every position{advice}"]


def _by_ties(evaluation: Evaluation, label: str) -> str:
    """Format a value's range over the orders of equal scores; empty if both ends print the same."""
    if label in evaluation.unbounded:
        return _NOT_BOUNDED
    write = _whole if label in evaluation.totals else decimals
    low, high = map(write, evaluation.range_by_ties(label))
    return "" if low == high else f"{low} to {high}"


def _said_of_predictions(outcome: Outcome) -> list[str]:
    """Report how many judged items each run predicts, and which metrics are not compared because runs predict different items."""
    told = [f"{name}: {text}" for name, evaluation in outcome.evaluations.items() if (text := evaluation.share_predicted)]
    for name, compared in outcome.comparisons.items():
        apart = [label for label, one in zip(outcome.first.labels, compared, strict=True) if not one.is_alike]
        if apart:
            runs = f"{outcome.first_name} and {name}"
            told.append(f"{', '.join(apart)}: the runs {runs} predict different items, so their values are not compared")
    return told


def _outside(outcome: Outcome) -> list[str]:
    told = {name: evaluation.outside_the_scale for name, evaluation in outcome.evaluations.items()}
    return [f"{name}: {text}" for name, text in told.items() if text]


def head(outcome: Outcome) -> str:
    """Return the heading of the column of metrics, which names the convention."""
    return f"metric ({outcome.first.settings.convention})"


@dataclass(frozen=True)
class RunColumn:
    """A run's part of a table: a value for each metric and, if there are any, the range by ties and the test's answer."""

    values: Sequence[str]
    by_ties: Sequence[str] = ()
    answers: Sequence[str] = ()


def table_of_values(first: str, labels: Sequence[str], columns: Mapping[str, RunColumn], answer: str) -> list[list[str]]:
    """Return the table of runs: one row per metric, and columns for each run; empty columns are left out."""
    parts = {
        name: [(name, column.values), (_BY_TIES, column.by_ties), (answer, column.answers)] for name, column in columns.items()
    }
    present = [(heading, cells) for own in parts.values() for heading, cells in own if any(cells)]
    rows = zip(labels, *(cells for _, cells in present), strict=True)
    return [[first, *(heading for heading, _ in present)], *map(list, rows)]


def _means(outcome: Outcome) -> list[list[str]]:
    """Write a row for each metric: each run's mean or sum and, for further runs over the same users, the test result."""
    tested = outcome.comparisons if outcome.is_over_the_same_users else {}
    columns = {
        name: RunColumn(
            [(_whole if label in evaluation.totals else decimals)(evaluation.means[label]) for label in evaluation.labels],
            [_by_ties(evaluation, label) for label in evaluation.labels],
            [outcome.answer(one) for one in tested.get(name, ())],
        )
        for name, evaluation in outcome.evaluations.items()
    }
    return table_of_values(head(outcome), outcome.first.labels, columns, outcome.test.answer)


def _apart(outcome: Outcome) -> Iterator[tuple[str, list[list[str]]]]:
    """For each further run, write a heading and a row for each metric, unless the tests compare all averaged users."""
    if outcome.is_over_the_same_users:
        return
    first = outcome.first_name
    for name, compared in outcome.comparisons.items():
        rows = [[head(outcome), "users", first, name, outcome.test.answer]]
        for label, one in zip(outcome.first.labels, compared, strict=True):
            if label not in outcome.first.pooled:
                means = map(decimals, (one.versus_mean, one.mean))
                rows.append([label, str(one.comparison.n_users), *means, outcome.answer(one)])
        yield f"{name} against {first}, means over the users averaged in both", rows


def _users(outcome: Outcome, written: Callable[[float], str]) -> Iterator[list[str]]:
    """Write a row for each run and averaged user."""
    labels = outcome.first.user_labels
    yield ["run", "user", *labels]
    for name, evaluation in outcome.evaluations.items():
        for user, values in evaluation.per_user.items():
            yield [
                name,
                user,
                *(_whole(value) if label in evaluation.totals else written(value) for label, value in values.items()),
            ]


def _csv(outcome: Outcome) -> str:
    return delimited(list(_long(outcome)))


def _long(outcome: Outcome) -> Iterator[list[str]]:
    compares = ["versus", "n_compared", "mean_compared", "versus_mean", *_TESTED]
    yield ["run", "metric", "convention", "definition", "mean", *_EXTREMES, "n_users", *_UNMATCHED, *compares]
    for name, evaluation in outcome.evaluations.items():
        for column, (label, definition) in enumerate(zip(evaluation.labels, evaluation.definitions, strict=True)):
            compared = [""] * len(compares)
            if name in outcome.comparisons:
                one = outcome.comparisons[name][column]
                numbers = (one.mean, one.versus_mean, *(getattr(one.comparison, key) for key in _TESTED))
                compared = [outcome.first_name, str(one.comparison.n_users), *map(digits, numbers)]
            values = map(digits, (evaluation.means[label], *evaluation.range_by_ties(label)))
            counts = [evaluation.n_users, *(evaluation.matched.counts[key] for key in _UNMATCHED)]
            yield [name, label, evaluation.settings.convention, definition, *values, *map(str, counts), *compared]


def delimited(rows: Sequence[Sequence[str]]) -> str:
    """Write rows as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().removesuffix("\n")


def _json(outcome: Outcome, *, with_users: bool) -> str:
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
            "notes": list(evaluation.notes),
            "means": _plain(evaluation.means),
            **{
                name: _plain({label: evaluation.range_by_ties(label)[nth] for label in evaluation.labels})
                for nth, name in enumerate(_EXTREMES)
            },
        }
        if evaluation.predicted is not None:
            run["n_predicted"] = evaluation.predicted.n_predicted(evaluation.counts)
            run["n_judged"] = evaluation.predicted.n_judged(evaluation.counts)
        if evaluation.predictions is not None:
            predictions = evaluation.predictions
            ends = _plain({"lowest": predictions.lowest, "highest": predictions.highest})
            run["predictions"] = {"n": predictions.n, "n_outside": predictions.n_outside, **ends}
        if name in outcome.comparisons:
            run["comparisons"] = {
                label: _plain(
                    {
                        "n_users": one.comparison.n_users,
                        "mean": one.mean,
                        "versus_mean": one.versus_mean,
                        **{key: getattr(one.comparison, key) for key in (*_TESTED, "effect")},
                    }
                )
                for label, one in zip(evaluation.labels, outcome.comparisons[name], strict=True)
            }
        if with_users:
            run["users"] = {user: _plain(values) for user, values in evaluation.per_user.items()}
        runs.append(run)
    decided = {
        **asdict(settings),
        "scale": [settings.scale.lowest, settings.scale.highest],
        "test": str(outcome.test.spec) if outcome.comparisons else None,
    }
    metrics = dict(zip(first.labels, first.definitions, strict=True))
    return json.dumps({"settings": decided, "metrics": metrics, "runs": runs}, indent=2, ensure_ascii=False)


def _plain(values: Mapping[str, float]) -> dict[str, float | None]:
    # JSON has no NaN.
    return {key: None if math.isnan(value) else value for key, value in values.items()}


def _latex(outcome: Outcome) -> str:
    test = [_said_of_test(outcome)] if outcome.comparisons else []
    notes = [str(outcome.first.settings), *_said_of_runs(outcome), *_said_of_predictions(outcome), *_outside(outcome), *test]
    apart = [line for heading, rows in _apart(outcome) for line in (f"% {heading}:", tabular(rows))]
    return "\n".join([*(f"% {note}" for note in notes), "% Needs the package booktabs.", tabular(_means(outcome)), *apart])


def tabular(rows: Sequence[Sequence[str]]) -> str:
    """Write rows as a LaTeX table; the first row is the header."""
    from recsens.tables.latex_text import escape  # noqa: PLC0415 - no other form needs it

    header, *body = [" & ".join(map(escape, row)) + r" \\" for row in rows]
    columns = "l" + "r" * (len(rows[0]) - 1)
    return "\n".join(
        [rf"\begin{{tabular}}{{@{{}}{columns}@{{}}}}", r"\toprule", header, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
    )


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Align text to the left and numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    # A user's name may be a number, such as 7, but the column of users is always text.
    is_text = [
        not any(_is_number(row[column]) for row in rows[1:]) or rows[0][column] in {"user", "run"} for column in range(len(widths))
    ]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if left else cell.rjust(width) for cell, width, left in zip(row, widths, is_text, strict=True)
        ).rstrip()
        for row in rows
    )


def _is_number(cell: str) -> bool:
    return cell.removeprefix("<").replace(".", "", 1).removeprefix("-").isdecimal()


def decimals(value: float) -> str:
    """Write a value with four decimals; NaN becomes a dash."""
    return "–" if math.isnan(value) else f"{value:.4f}"


def _whole(value: float) -> str:
    return f"{value:.0f}"


def digits(value: float) -> str:
    """Write a value with all digits; NaN becomes nothing."""
    return "" if math.isnan(value) else repr(value)


def p_value(value: float) -> str:
    """Write a p-value with four decimals, and a dash for NaN."""
    if math.isnan(value):
        return "–"
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"
