"""The sentences of an audit: how files were read, which wins hold, which decision matters most, and which decisions cannot vary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any, Self

import pandas as pd

from recsens.arrays import grouped
from recsens.conclusions.verdicts.stability import Stability
from recsens.inputs.foreign_results import ForeignResults
from recsens.inputs.forms import source_of
from recsens.inputs.matching import SCORES_RISE
from recsens.plugins.prose import listed, several
from recsens.report.frame import FrameSection
from recsens.report.sentences.answers import wins_in_words
from recsens.runs.audits._bounds import AHEAD, HOLDS, OPEN, BoundedValue, BoundedVerdict
from recsens.runs.audits._conventions import Tool
from recsens.runs.audits._matching import ForeignItems
from recsens.runs.audits._material import RunFile, Sets
from recsens.tables.cells import compared_cells
from recsens.tables.numbers import count, interval
from recsens.tables.table import Row, RowGroup, Table, TableCell

_MOST_CLAUSES = 8
_MOST_SHARES = 3
"""Largest number of pairs of which the first sentence names the share of won analyses, each by itself."""


@dataclass(frozen=True)
class WinCount:
    """The distinct analyses of a pair of systems, by who wins.

    Attributes
    ----------
    first, second
        The system with more wins, and the other system; if both have as many, the order of the files.
    won, neither, lost
        Numbers of analyses in which the first system wins, neither system wins, and the second system wins.
    """

    first: str
    second: str
    won: int
    neither: int
    lost: int

    @classmethod
    def of(cls, pair: Stability) -> Self:
        """Count the analyses of a pair."""
        winners = [row["winner"] for row in pair.analyses]
        sides: list[str] = sorted((pair.base["system_a"], pair.base["system_b"]), key=lambda name: -winners.count(name))
        first, second = sides
        return cls(first, second, winners.count(first), winners.count(""), winners.count(second))

    @property
    def n(self) -> int:
        """Number of distinct analyses."""
        return self.won + self.neither + self.lost


def opening(wins: Sequence[WinCount]) -> str:
    """Say in a few short sentences which wins hold in every analysis, which are never reversed, and which are."""
    if not wins:
        return "The metrics describe rankings but do not say which system is better, so no systems are compared."
    said = [
        *_in_every_analysis([each for each in wins if each.won == each.n > 0]),
        *_never_reversed(_by_doubt(each for each in wins if each.won and each.neither and not each.lost)),
        *_reversed(_by_doubt(each for each in wins if each.lost)),
        *_undecided([each for each in wins if not each.won]),
    ]
    return " ".join(said)


def _in_every_analysis(held: Sequence[WinCount]) -> Iterator[str]:
    if held:
        numbers = {each.n for each in held}
        words = {1: "the only analysis", 2: "both analyses"} | {n: f"all {count(n)} analyses" for n in numbers - {1, 2}}
        when = words[numbers.pop()] if len(numbers) == 1 else "every analysis"
        clauses = _beats(held)
        yield f"In {when}, {clauses}." if clauses else f"In {several(len(held), 'pair')}, the same system wins in {when}."


def _never_reversed(firm: Sequence[WinCount]) -> Iterator[str]:
    if len(firm) == 1:
        [one] = firm
        yield f"{_beats(firm)} in {count(one.won)} of {count(one.n)} analyses, and {one.second} never beats {one.first}."
    elif firm:
        # A share that is not 0 or 1 must not be rounded to 0 or 100 %.
        shares = [f"{min(max(round(100 * each.won / each.n), 1), 99)}\N{NO-BREAK SPACE}%" for each in firm]
        if len(firm) <= _MOST_SHARES:
            won = listed([f"{each.first} beats {each.second} in {share}" for each, share in zip(firm, shares, strict=True)])
        else:
            who = _beats(firm) or f"In {several(len(firm), 'pair')}, the same system wins"
            won = f"{who}, each in {' to '.join(dict.fromkeys((shares[0], shares[-1])))}"
        yield f"{won} of the analyses; in the others neither wins, so no analysis reverses a win."


def _reversed(opposed: Sequence[WinCount]) -> Iterator[str]:
    if len(opposed) > _MOST_CLAUSES:
        yield f"In {several(len(opposed), 'pair')}, each system wins in some analyses."
        return
    for each in opposed:
        opposite = f"{each.second} beats {each.first} in {count(each.lost)}"
        yield f"{each.first} beats {each.second} in {count(each.won)} of {count(each.n)} analyses, but {opposite}."


def _undecided(never: Sequence[WinCount]) -> Iterator[str]:
    if len(never) > _MOST_CLAUSES:
        yield f"In {several(len(never), 'pair')}, neither system wins in any analysis."
    else:
        yield from (f"Neither {each.first} nor {each.second} wins in any analysis." for each in never)


def _beats(wins: Sequence[WinCount]) -> str:
    """Say who beats whom; empty if there are too many clauses."""
    clauses = wins_in_words([(each.first, each.second) for each in wins])
    if len(clauses) > _MOST_CLAUSES:
        return ""
    return ", and ".join(filter(None, [", ".join(clauses[:-1]), clauses[-1]]))


def _by_doubt(wins: Iterable[WinCount]) -> list[WinCount]:
    """Sort pairs: those with the largest shares of reversed and of undecided analyses first."""
    return sorted(wins, key=lambda each: (-each.lost / max(each.n, 1), -each.neither / max(each.n, 1)))


def table_of_wins(wins: Sequence[WinCount]) -> Table:
    """Return a table with a row per pair: the pairs with the most reversed and undecided analyses first."""
    rows = [
        Row(f"{each.first} against {each.second}", tuple(TableCell(count(n)) for n in (each.won, each.neither, each.lost, each.n)))
        for each in _by_doubt(wins)
    ]
    columns = ("first wins", "neither", "second wins", "all")
    return Table("wins", "Analyses by who wins", "Systems", columns, (RowGroup("", tuple(rows)),))


_MOST_PAIRS = 8


def convention_sentences(rows: pd.DataFrame) -> list[str]:
    """Say for each pair how often each of its systems wins under other tools' conventions; for many pairs, return one sentence."""
    if rows.empty:
        return []
    tools = listed(list(dict.fromkeys(rows["convention"])))
    pairs = list(_rows_by_pair(rows))
    if len(pairs) > _MOST_PAIRS:
        sides = sum(len(set(own["winner"]) - {""}) > 1 for _, own in pairs)
        return [
            f"In {count(sides)} of {count(len(pairs))} pairs, verdicts under the conventions of {tools} have different winners."
        ]
    clauses = []
    for (a, b), own in pairs:
        wins = " and ".join(f"{name} wins {count(int((own['winner'] == name).sum()))}" for name in (a, b))
        clauses.append(f"{wins} of {count(len(own))} verdicts")
    return [f"Under the conventions of {tools}, {'; '.join(clauses)}."]


def untold(found: Sequence[Tool]) -> list[str]:
    """List what the files do not determine under each convention, and the command that measures it."""
    return [
        f"{tool.name}, not measured here: {'; '.join(tool.untold)} (recsens evaluate --convention {tool.name})"
        for tool in found
        if tool.untold
    ]


def conventions_section(found: Sequence[Tool], rows: pd.DataFrame, *, has_ties: bool) -> FrameSection:
    """Return a section with the values and verdicts under other tools' conventions, and the metrics that were not measured."""
    ties = ["Equal scores are ordered as in the base design, not as the tools order them."] if has_ties else []
    tables = [] if rows.empty else [_value_table(rows), _verdict_table(rows)]
    return FrameSection("conventions", "Conventions of other tools", [*convention_sentences(rows), *ties], untold(found), tables)


def _value_table(rows: pd.DataFrame) -> Table:
    systems = list(dict.fromkeys([*rows["system_a"], *rows["system_b"]]))
    groups = []
    for tool, own in rows.groupby("convention", sort=False):
        metrics = []
        for theirs, verdicts in own.groupby("theirs", sort=False):
            value_of = {row[f"system_{side}"]: row[f"value_{side}"] for row in verdicts.to_dict("records") for side in "ab"}
            metrics.append(Row(str(theirs), tuple(compared_cells([value_of[name] for name in systems]))))
        groups.append(RowGroup(str(tool), tuple(metrics)))
    note = "Each tool's metrics under its own names, over the users that it averages, with the ratings that it treats as relevant."
    return Table("convention-values", "Values under other tools' conventions", "Metric", tuple(systems), tuple(groups), (note,))


def _verdict_table(rows: pd.DataFrame) -> Table:
    tools = list(dict.fromkeys(rows["convention"]))
    pairs = []
    for (a, b), own in _rows_by_pair(rows):
        cells = []
        for tool in tools:
            winner = own.loc[own["convention"] == tool, "winner"]
            cells.append(TableCell(f"{(winner == a).sum()} : {(winner == b).sum()} : {(winner == '').sum()}", is_text=True))
        pairs.append(Row(f"{a}, {b}", tuple(cells)))
    note = (
        "Each cell: the numbers of verdicts in which the first run wins, the second run wins, and neither wins. conventions.csv "
        "lists all verdicts."
    )
    return Table(
        "convention-verdicts",
        "Numbers of verdicts under other tools' conventions",
        "Pair",
        tuple(tools),
        (RowGroup("", tuple(pairs)),),
        (note,),
    )


def _rows_by_pair(rows: pd.DataFrame) -> Iterator[tuple[tuple[str, str], pd.DataFrame]]:
    for pair, own in rows.groupby(["system_a", "system_b"], sort=False):
        yield (str(pair[0]), str(pair[1])), own


UNDER_BASE = (
    "The answers below are about the base design, which has the first option of every decision, and about changes of it. They "
    "leave out the conventions of other tools."
)
"""The line above the answers."""


def recognised_in_words(sets: Sets, runs: Mapping[str, RunFile], depths: Mapping[str, int], given: ForeignResults) -> list[str]:
    """Say in a few lines how each file was read, how deep each run is, and how folds and trainings are averaged.

    ``depths`` has the depths of the runs whose lists are cut.
    """
    folds = given.folds
    sources = {part: _first_of([source_of(fold.sets[part]) for fold in folds.values() if part in fold.sets]) for part in sets.sizes}
    lines = [f"{part}: {given.patterns.get(part, sources[part])}; {several(n, 'rating')}" for part, n in sets.sizes.items()]
    lines += [f"all sets: {several(len(sets.users), 'user')}, {several(len(sets.items), 'item')}; {_scale_in_words(sets)}"]
    for name, run in runs.items():
        lines.append(f"run {name}: {given.patterns.get(f'run {name}', run.source)}; {_depth_in_words(run, depths.get(name))}")
    lines += _averaging_lines(list(folds), given.trainings)
    for (earlier, later), n in sets.shared.items():
        lines.append(f"{several(n, 'pair')} in both {earlier} and {later}, counted as {later}: check whether this is a leak")
    return [*lines, *given.unread]


def _first_of(sources: Sequence[str]) -> str:
    return sources[0] if len(sources) == 1 else f"{sources[0]} and {len(sources) - 1} more"


def _averaging_lines(folds: Sequence[str], trainings: Sequence[str]) -> Iterator[str]:
    """Say how values are averaged and compared over folds and trainings."""
    if len(folds) > 1:
        yield (
            f"{len(folds)} folds ({', '.join(folds)}), each measured on its own test set: values are means over folds, and tests "
            "compare each user's mean over the folds in which the user has test ratings"
        )
    if len(trainings) > 1:
        yield (
            f"{len(trainings)} trainings of each system ({', '.join(trainings)}) on the same split: values are means over "
            "trainings, which count as one split"
        )


def _scale_in_words(sets: Sets) -> str:
    scale = sets.scale
    return f"ratings from {scale.lowest:g} to {scale.highest:g}, relevant from {sets.threshold:g} on"


def unknown_in_words(runs: Mapping[str, ForeignItems], rows: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> str:
    """Say what items in no set take of the lists, and which base verdicts differ without them.

    ``rows`` has the verdict on each pair with these items, and without them, where the items below move up.
    """
    taken = listed([f"{100 * of.share:.2g} % of the rows of {label}" for label, of in runs.items()])
    changed = [f"{_winner(after)} instead of {_winner(before)}" for before, after in rows if before["winner"] != after["winner"]]
    if len(changed) > _MOST_PAIRS:
        changed = [*changed[:_MOST_PAIRS], f"and {len(changed) - _MOST_PAIRS} more verdicts differ"]
    said = f"without them, {'; '.join(changed)}" if changed else "without them, no verdict of the base design changes"
    return f"Items that are in no set take {taken}: {said}."


def _winner(row: Mapping[str, Any]) -> str:
    a, b = row["system_a"], row["system_b"]
    return f"{row['winner']} beats {b if row['winner'] == a else a}" if row["winner"] else f"no win of {a} or {b}"


def _depth_in_words(run: RunFile, depth: int | None) -> str:
    foreign = ""
    if run.foreign.names:
        foreign = (
            f"; {count(len(run.foreign.names))} of its items, in {100 * run.foreign.share:.2g} % of its rows, are in no set: they "
            "keep their places and are not relevant"
        )
    if run.n_trained_pairs:
        of_rows = f"{count(run.n_trained_pairs)} of its {count(run.n_rows)} rows"
        foreign += f"; {of_rows} are train or validation pairs and are not ranked"
    if run.scores_rise:
        foreign += f"; {SCORES_RISE}"
    if not run.n_rows:
        return f"scores of all pairs{foreign}"
    few, many = run.lengths
    if run.has_places_only:
        among = count(many) if few == many else f"{count(few)} to {count(many)}"
        return f"places of {count(run.n_rows)} test items among {among} candidates per user{foreign}"
    of = f"lists of {count(few)} to {count(many)} items" if few < many else f"lists of {count(many)} items"
    ends = (
        "taken as all items that the system can score"
        if depth is None
        else f"cut: nothing is known after the first {count(depth)} ranked items"
    )
    return f"{of}, {ends}{foreign}"


def closing_section(study: str, n_folds: int, n_trainings: int) -> FrameSection:
    """List the decisions that no audit of files can vary, and name a study file that varies them."""
    split = "one split" if n_folds == 1 else f"{n_folds} folds"
    trained = "one training" if n_trainings == 1 else f"{n_trainings} trainings"
    on_each = "" if n_folds == 1 else " on each"
    fixed = (
        f"These files come from {split} of one data set, and {trained} of each system{on_each}. Filtering, the split into train "
        "and test, tuning and training were decided before the files were written. So no analysis of these files can show whether "
        "another split or training would have another winner: the p-values on this page are about other users of the same "
        f"{'split' if n_folds == 1 else 'folds'}."
    )
    further = (
        f"A study varies these decisions. {study}, in the same folder as this page, is such a study: the same ratings, five random "
        "splits and a smaller train set. Add the commands that train your systems, and run it."
    )
    return FrameSection("beyond", "What no audit of files can vary", (fixed, further), (f"recsens run {study}",))


def below_the_lists(depth: int, verdicts: Sequence[BoundedVerdict]) -> list[str]:
    """Say which wins, and which leads, hold in every order of the items below lists that end at a depth."""
    sentences = []
    for word in (HOLDS, AHEAD):
        for names, pairs in _pairs_by_metrics(verdicts, word).items():
            sentences.append(f"Whatever items follow the first {count(depth)}, on {listed(names)}: {_OUTCOMES[word](pairs)}.")
    return sentences


def uncomputed_metrics(depth: int, unknown: Sequence[str], instead: str) -> list[str]:
    """Say which metrics cannot be computed from lists of a depth, and which metric stands for the first one asked for."""
    first = f"The base design has {instead}, because the lists do not determine the first metric asked for." if instead else ""
    lost = f"Not computed, because the lists end after {count(depth)}: {listed(unknown)}." if unknown else ""
    return [*filter(None, (first, lost))]


def bounded_in_short(depth: int, verdicts: Sequence[BoundedVerdict], wins: Sequence[WinCount]) -> list[str]:
    """Say how many further comparisons cut lists decide, whether ``wins`` agree, and how many they leave open.

    Without such comparisons, the list is empty.
    """
    if not verdicts:
        return []
    metrics = list(dict.fromkeys(map(_metric_text, verdicts)))
    named = listed(metrics) if len(metrics) <= _MOST_CLAUSES else several(len(metrics), "metric")
    first = {(each.first, each.second) for each in wins if each.won > each.lost}
    agreeing = Counter(each.verdict for each in verdicts if (each.winner, _loser(each)) in first)
    told = {HOLDS: "wins {}", AHEAD: "is ahead in {}"}
    parts = listed([text.format(several(agreeing[word], "comparison")) for word, text in told.items() if agreeing[word]])
    n_open = sum(each.verdict == OPEN for each in verdicts)
    have = "has" if len(verdicts) == 1 else "have"
    few = f"The lists end after {several(depth, 'item')}, so {several(len(verdicts), 'further comparison')}, on {named}, {have}"
    return [
        f"{few} bounds instead of values.",
        *([f"Whatever items follow, the system that wins more analyses {parts}."] if parts else []),
        *_contrary_lines([each for each in verdicts if each.winner and (each.winner, _loser(each)) not in first], first),
        *([f"{count(n_open)} cannot be told."] if 0 < n_open < len(verdicts) else []),
        *(["None can be told."] if n_open == len(verdicts) else []),
    ]


def _contrary_lines(other: Sequence[BoundedVerdict], first: Collection[tuple[str, str]]) -> Iterator[str]:
    """Say in which comparisons a system wins, or is ahead, that does not win more analyses of its pair.

    ``first`` has the pairs in which one system wins more analyses: this system, and the other one.
    """
    if len(other) > _MOST_CLAUSES:
        yield f"In {several(len(other), 'comparison')}, a system wins or is ahead that does not win more analyses of its pair."
        return
    for word, outcome in _OUTCOMES.items():
        for metrics, pairs in _pairs_by_metrics(other, word).items():
            reverses = all((loser, winner) in first for winner, loser in pairs)
            yield f"{'But whatever' if reverses else 'Whatever'} items follow, on {listed(metrics)}: {outcome(pairs)}."


def _pairs_by_metrics(verdicts: Sequence[BoundedVerdict], word: str) -> dict[tuple[str, ...], list[tuple[str, str]]]:
    """Collect the pairs, winner first, that have a verdict on the same metrics."""
    metrics_of = grouped(((each.winner, _loser(each)), _metric_text(each)) for each in verdicts if each.verdict == word)
    return grouped((tuple(metrics), pair) for pair, metrics in metrics_of.items())


def _loser(each: BoundedVerdict) -> str:
    return each.system_b if each.winner == each.system_a else each.system_a


def _wins_in_words(pairs: Sequence[tuple[str, str]]) -> str:
    return "; ".join(wins_in_words(pairs))


def _leads_in_words(pairs: Sequence[tuple[str, str]]) -> str:
    clauses = [f"{winner} is ahead of {listed(losers)}" for winner, losers in grouped(pairs).items()]
    return f"{'; '.join(clauses)}{'; each' if len(clauses) > 1 else ','} perhaps not significantly"


_OUTCOMES = {HOLDS: _wins_in_words, AHEAD: _leads_in_words}


def bounds_section(
    depth: int, values: Sequence[BoundedValue], verdicts: Sequence[BoundedVerdict], wins: Sequence[WinCount]
) -> FrameSection:
    """Return a section with the bounds of values and differences that the lists do not determine."""
    systems = dict.fromkeys(value.system for value in values)
    cells = grouped((_metric_text(value), TableCell(interval(value.low, value.high))) for value in values)
    of_runs = [Row(metric, tuple(own)) for metric, own in cells.items()]
    of_pairs = []
    for each in verdicts:
        difference = TableCell("no user in common", is_text=True) if isnan(each.low) else TableCell(interval(each.low, each.high))
        verdict = TableCell(f"{each.winner} {each.verdict}" if each.winner else each.verdict, is_text=True)
        of_pairs.append(Row(f"{each.system_a} − {each.system_b}, {_metric_text(each)}", (difference, verdict)))
    note = (
        f"Values from the worst to the best order of the items that follow the first {count(depth)}, where the lists end, if the "
        "system can score every item. The bounds use the rankings, users and relevance threshold of the base design, but not its "
        "view, coverage, aggregate, test and correction."
    )
    tables = [Table("bounds", "Bounds of values", "Metric", tuple(systems), (RowGroup("", tuple(of_runs)),), (note,))]
    if of_pairs:
        groups = (RowGroup("", tuple(of_pairs)),)
        tables.append(Table("bounded-verdicts", "Bounds of differences", "Pair", ("A − B", "Verdict"), groups))
    sentences = [*bounded_in_short(depth, verdicts, wins), *below_the_lists(depth, verdicts)]
    return FrameSection("bounds", "What lies below the lists", sentences, tables=tables)


def _metric_text(each: BoundedValue | BoundedVerdict) -> str:
    return each.metric if each.view == "full" else f"{each.metric} on condensed lists"
