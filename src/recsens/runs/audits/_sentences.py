"""The sentences of an audit: how files were read, which wins hold, which decision matters most, and which decisions cannot vary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from math import isnan

import pandas as pd

from recsens.arrays import grouped
from recsens.inputs.foreign_results import ForeignResults
from recsens.inputs.forms import source_of
from recsens.inputs.matching import SCORES_RISE
from recsens.plugins.prose import listed, several
from recsens.report.frame import FrameSection
from recsens.report.sentences.answers import wins_in_words
from recsens.runs.audits._bounds import AHEAD, HOLDS, OPEN, BoundedValue, BoundedVerdict
from recsens.runs.audits._conventions import Tool
from recsens.runs.audits._material import RunFile, Sets
from recsens.runs.audits._wins import WinCount
from recsens.tables.cells import compared_cells
from recsens.tables.numbers import count, interval
from recsens.tables.table import Row, RowGroup, Table, TableCell

_MOST_PAIRS = 8


def by_conventions(rows: pd.DataFrame) -> list[str]:
    """Say for each pair how often each of its systems wins under other tools' conventions; for many pairs, return one sentence."""
    if rows.empty:
        return []
    tools = listed(list(dict.fromkeys(rows["convention"])))
    pairs = list(_pairs(rows))
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
    tables = [] if rows.empty else [_values(rows), _verdicts(rows)]
    return FrameSection("conventions", "Conventions of other tools", [*by_conventions(rows), *ties], untold(found), tables)


def _values(rows: pd.DataFrame) -> Table:
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


def _verdicts(rows: pd.DataFrame) -> Table:
    tools = list(dict.fromkeys(rows["convention"]))
    pairs = []
    for (a, b), own in _pairs(rows):
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


def _pairs(rows: pd.DataFrame) -> Iterator[tuple[tuple[str, str], pd.DataFrame]]:
    for pair, own in rows.groupby(["system_a", "system_b"], sort=False):
        yield (str(pair[0]), str(pair[1])), own


UNDER_BASE = (
    "The answers below are about the base design, which has the first option of every decision, and about changes of it. They "
    "leave out the conventions of other tools."
)
"""The line above the answers."""

_MOST_CLAUSES = 8


def recognised_in_words(sets: Sets, runs: Mapping[str, RunFile], depths: Mapping[str, int], given: ForeignResults) -> list[str]:
    """Say in a few lines how each file was read, how deep each run is, and how folds and trainings are averaged.

    ``depths`` has the depths of the runs whose lists are cut.
    """
    folds = given.folds
    sources = {part: _first_of([source_of(fold.sets[part]) for fold in folds.values() if part in fold.sets]) for part in sets.sizes}
    lines = [f"{part}: {given.patterns.get(part, sources[part])}; {several(n, 'rating')}" for part, n in sets.sizes.items()]
    lines += [f"all sets: {several(len(sets.users), 'user')}, {several(len(sets.items), 'item')}; {_scale(sets)}"]
    for name, run in runs.items():
        lines.append(f"run {name}: {given.patterns.get(f'run {name}', run.source)}; {_depth(run, depths.get(name))}")
    lines += _averaged(list(folds), given.trainings)
    for (earlier, later), n in sets.shared.items():
        lines.append(f"{several(n, 'pair')} in both {earlier} and {later}, counted as {later}: check whether this is a leak")
    return [*lines, *given.unread]


def _first_of(sources: Sequence[str]) -> str:
    return sources[0] if len(sources) == 1 else f"{sources[0]} and {len(sources) - 1} more"


def _averaged(folds: Sequence[str], trainings: Sequence[str]) -> Iterator[str]:
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


def _scale(sets: Sets) -> str:
    scale = sets.scale
    return f"ratings from {scale.lowest:g} to {scale.highest:g}, relevant from {sets.threshold:g} on"


def _depth(run: RunFile, depth: int | None) -> str:
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


def closing(study: str, n_folds: int, n_trainings: int) -> FrameSection:
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


def not_determined(depth: int, unknown: Sequence[str], instead: str) -> list[str]:
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
    metrics = list(dict.fromkeys(map(_metric, verdicts)))
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
        *_against([each for each in verdicts if each.winner and (each.winner, _loser(each)) not in first], first),
        *([f"{count(n_open)} cannot be told."] if 0 < n_open < len(verdicts) else []),
        *(["None can be told."] if n_open == len(verdicts) else []),
    ]


def _against(other: Sequence[BoundedVerdict], first: Collection[tuple[str, str]]) -> Iterator[str]:
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
    metrics_of = grouped(((each.winner, _loser(each)), _metric(each)) for each in verdicts if each.verdict == word)
    return grouped((tuple(metrics), pair) for pair, metrics in metrics_of.items())


def _loser(each: BoundedVerdict) -> str:
    return each.system_b if each.winner == each.system_a else each.system_a


def _won(pairs: Sequence[tuple[str, str]]) -> str:
    return "; ".join(wins_in_words(pairs))


def _ahead(pairs: Sequence[tuple[str, str]]) -> str:
    clauses = [f"{winner} is ahead of {listed(losers)}" for winner, losers in grouped(pairs).items()]
    return f"{'; '.join(clauses)}{'; each' if len(clauses) > 1 else ','} perhaps not significantly"


_OUTCOMES = {HOLDS: _won, AHEAD: _ahead}


def bounds_section(
    depth: int, values: Sequence[BoundedValue], verdicts: Sequence[BoundedVerdict], wins: Sequence[WinCount]
) -> FrameSection:
    """Return a section with the bounds of values and differences that the lists do not determine."""
    systems = dict.fromkeys(value.system for value in values)
    cells = grouped((_metric(value), TableCell(interval(value.low, value.high))) for value in values)
    of_runs = [Row(metric, tuple(own)) for metric, own in cells.items()]
    of_pairs = []
    for each in verdicts:
        difference = TableCell("no user in common", is_text=True) if isnan(each.low) else TableCell(interval(each.low, each.high))
        verdict = TableCell(f"{each.winner} {each.verdict}" if each.winner else each.verdict, is_text=True)
        of_pairs.append(Row(f"{each.system_a} − {each.system_b}, {_metric(each)}", (difference, verdict)))
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


def _metric(each: BoundedValue | BoundedVerdict) -> str:
    return each.metric if each.view == "full" else f"{each.metric} on condensed lists"
