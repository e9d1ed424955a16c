"""The command ``recsens audit``: collect its input, and compose its output."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from recsens.artefacts.storage import write_text
from recsens.conclusions.verdicts.stability import Stability
from recsens.conclusions.verdicts.study_tables import records
from recsens.errors import ConfigError
from recsens.files.kinds import RankBy
from recsens.files.scale import Scale
from recsens.inputs.foreign_results import ForeignResults
from recsens.report.sentences.answers import answers
from recsens.report.sentences.best import best_systems
from recsens.report.sentences.evidence import over_splits
from recsens.report.sentences.headline import uninformative_in_words
from recsens.runs.audits._audit import Audit, audit
from recsens.runs.audits._decisions import read_options
from recsens.runs.audits._required_wins import Options, Requirement, Tally, badge
from recsens.runs.audits._sentences import UNDER_BASE, below_the_lists, table_of_wins
from recsens.study import file_name
from recsens.study.experiment import QUESTIONS
from recsens.tables.cells import compared_cells, p_cell
from recsens.tables.table import Row, RowGroup, Table, TableCell
from recsens.tables.texts import escape, table_as_markdown, to_json, to_text

SUMMARY, BADGE = "check.md", "badge.json"
"""Names of the files, beside the tables, in which ``--require`` says what it found to a pull request and to shields.io."""

_MOST_LINES = 12
"""Largest numbers of lines of recognised files, of pairs and of answers in the terminal; the page has all lines."""

_MOST_WINS = 3
"""Largest number of wins of which the terminal says what unrated items could do."""

_MOST_METRICS = 20
"""Largest number of metrics in the terminal's table of values."""


def audit_of(
    datasets: Mapping[str, ForeignResults],
    *,
    to: str,
    metrics: Sequence[str],
    base: Sequence[str],
    vary: Sequence[str],
    relevance: float | None,
    scale: tuple[float, float] | None,
    rank_by: RankBy,
    columns: Sequence[str],
    least_matched: float | None,
    tipping: str,
    alpha: float | None,
    margin: str,
    seed: int,
    page: bool,
    as_json: bool,
    require: Sequence[str],
) -> tuple[str, bool]:
    """Audit each data set; return the output, and whether every requirement is met.

    Raises
    ------
    RecsensError
        If the files can be read in two ways or not at all, or if a decision cannot be varied after ranking.
    """
    fixed = {decision: given[-1] for decision, given in read_options(base).items()}
    options = Options(
        metrics=metrics,
        base=fixed,
        vary=read_options(vary),
        scale=Scale(*scale, step=0) if scale else None,
        relevance=relevance,
        rank_by=rank_by,
        columns=columns,
        tipping=_parse_rates(tipping),
        seed=seed,
        alpha=0.05 if alpha is None else alpha,
        margin=margin,
        least_matched=least_matched,
        page=page,
        required=[Requirement.parse(text) for text in require],
    )
    done: dict[str, Audit] = {}
    for name, given in datasets.items():
        done[name] = audit(given, Path(to) / file_name(name) if name else Path(to), options)
    tallies = {name: [each.tally(one.pairs, one.bounds) for each in options.required] for name, one in done.items()}
    every = [tally for own in tallies.values() for tally in own]
    is_met = all(tally.holds for tally in every)
    if every:
        summaries = (_as_summary(name, one, tallies[name]) for name, one in done.items())
        write_text(Path(to) / SUMMARY, "\n".join(summaries))
        write_text(Path(to) / BADGE, json.dumps(badge(every), ensure_ascii=False))
    if as_json:
        contents = {name: _json_content(one, tallies[name]) for name, one in done.items()}
        written = {"datasets": contents} if len(contents) > 1 else next(iter(contents.values()))
        return to_json(written), is_met
    texts = [f"{f'{name}: ' if name else ''}{_as_text(one, tallies[name])}" for name, one in done.items()]
    return "\n\n".join([*([_wins_on_all(done)] if len(done) > 1 else []), *texts]), is_met


def _parse_rates(text: str) -> list[float]:
    """Read rates such as ``0.05,0.2``."""
    try:
        return [float(each) for each in text.split(",") if each.strip()]
    except ValueError:
        raise ConfigError(f"'{text}' is not a list of rates", where="--tipping", allowed="rates such as 0.05,0.2") from None


def _wins_on_all(done: Mapping[str, Audit]) -> str:
    """Say which wins hold in all analyses of every data set; results of data sets are never pooled."""
    wins = [{f"{pair.first} beats {pair.second}" for pair in one.wins if pair.won == pair.n} for one in done.values()]
    held = [win for win in wins[0] if all(win in own for own in wins)]
    clauses = "; ".join(sorted(held)) or "none"
    return f"Wins in all analyses on each of {len(done)} data sets ({', '.join(done)}): {clauses}."


def _as_text(done: Audit, tallies: Sequence[Tally]) -> str:
    wins, (first, *further) = table_of_wins(done.wins), done.held
    best = best_systems([done.verdicts], done.summary, done.table("counted"))
    findings = [*best, *(answer.finding for answer in answers([done.verdicts], counts=False))]
    below = [] if done.lists is None else below_the_lists(done.lists.depth, done.bounds)
    last = (
        "Not varied: filter, split, tuning and training, which precede these files. The end of the report shows how to vary them."
    )
    leaks = (
        "Not looked for: leaks, such as test ratings in the train set; 'recsens audit --leaks' looks for them in the same files."
    )
    written = f"Report: {done.page} (tables in {done.folder})" if done.page.exists() else f"Tables: {done.folder}"
    paragraphs = [
        [tally.told() for tally in tallies],
        [first],
        [] if wins.is_empty else _first_lines(to_text(wins).splitlines()),
        further,
        ["Tried, the base design's option first:", *done.tried],
        ["How the files were read:", *_first_lines(done.recognised)],
        [to_text(_values_table(done))],
        [UNDER_BASE, *_first_lines(findings)] if findings else [],
        _first_lines(below),
        done.pushed(most=_MOST_WINS),
        [*filter(None, [over_splits([done.verdicts])]), last, leaks, written],
    ]
    return "\n\n".join("\n".join(lines) for lines in paragraphs if lines)


def _as_summary(name: str, done: Audit, tallies: Sequence[Tally]) -> str:
    """Write for a pull request whether each requirement is met, and which wins hold, as Markdown."""
    marks = [f"- {'✅' if tally.holds else '❌'} {escape(tally.told())}" for tally in tallies]
    wins = table_of_wins(done.wins)
    tables = [] if wins.is_empty else [table_as_markdown(wins)]
    title = f"Which wins hold{f' on {name}' if name else ''}"
    return "\n".join([f"### {escape(title)}", "", *marks, "", escape(" ".join(done.held)), "", *tables])


def _values_table(done: Audit) -> Table:
    """Return values and averaged users under the base design; with two runs, p too.

    With more runs, the table of wins tells more than a test against the first run.
    """
    summary, comparisons = done.summary, done.table("comparisons")
    base, systems = summary[summary["is_base"]], done.study.systems
    labels = list(dict.fromkeys(base["metric"]))[:_MOST_METRICS]
    against = comparisons[comparisons["is_base"] & (comparisons["fold"] == "all")].set_index("metric")
    halves = (against["high"] - against["low"]) / 2
    runs = list(dict.fromkeys(base["system"]))
    value_of, users_of = (base.set_index(["metric", "system"])[name].to_dict() for name in ("value", "n_users"))
    has_p = len(systems) == 2 and not against.empty
    rows = []
    for label in labels:
        cells = compared_cells([value_of[label, run] for run in runs], halves[halves.index == label])
        p = [p_cell(against["p_adjusted"].get(label, float("nan")))] if has_p else []
        rows.append(Row(label, (*cells, *p)))
    # A mean over folds need not be a whole number.
    users = [TableCell(f"{users_of[labels[0], run]:,.10g}") for run in runs]
    rows.append(Row("users averaged", (*users, *([TableCell("")] if has_p else []))))
    columns = (*runs, *([f"p against {next(iter(systems))}"] if has_p else []))
    return Table("values", "Values under the base design", "metric (base design)", columns, (RowGroup("", tuple(rows)),))


def _json_content(done: Audit, tallies: Sequence[Tally]) -> dict[str, Any]:
    summary = done.summary
    values: dict[str, dict[str, float]] = {}
    for row in records(summary[summary["is_base"]]):
        values.setdefault(row["metric"], {})[row["system"]] = row["value"]
    return {
        "folder": str(done.folder),
        "recognised": list(done.recognised),
        "lists_end_at": None if done.lists is None else done.lists.depth,
        "below_the_lists": [asdict(each) for each in done.bounds],
        "says": done.told(),
        "unrated": _unrated_content(done),
        "not_counted": uninformative_in_words([done.verdicts]),
        "values": values,
        "pairs": [_pair_content(pair) for pair in done.pairs],
        "required": [
            {
                "text": each.requirement.text,
                "least": each.requirement.least,
                "share": each.share,
                "holds": each.holds,
                **{name: getattr(each, name) for name in ("won", "computed", "bounded", "undecided")},
            }
            for each in tallies
        ],
    }


def _unrated_content(done: Audit) -> dict[str, Any] | None:
    """Return what unrated items could do to wins: sentences, and the rows of both tables; None if nothing was asked about them."""
    if not done.study.tipping:
        return None
    return {"says": done.pushed(), **{name: records(done.table(name)) for name in QUESTIONS["unrated"].tables}}


def _pair_content(pair: Stability) -> dict[str, Any]:
    a, b = pair.base["system_a"], pair.base["system_b"]
    return {
        "a": a,
        "b": b,
        "metric": pair.base["metric"],
        "verdict": pair.base["verdict"],
        **{name: pair.base[name] for name in ("difference", "low", "high", "p_value")},
        "holds": pair.is_stable,
        "distinct": pair.n_distinct,
        "wins": {name: sum(row["winner"] == name for row in pair.analyses) for name in (a, b)},
    }


def _first_lines(lines: Sequence[str]) -> list[str]:
    more = [f"... and {len(lines) - _MOST_LINES} more in the report"] if len(lines) > _MOST_LINES else []
    return [*lines[:_MOST_LINES], *more]
