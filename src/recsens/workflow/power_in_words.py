"""What 'recsens power' prints: comparisons that a study leaves open, what more of each kind would bring, and the cheapest way."""

import math
from collections.abc import Iterator
from pathlib import Path

from recsens.conclusions.planner import MOST, OpenPair, Way, open_comparisons, plannable_rows
from recsens.conclusions.verdicts.study_tables import Results, empty_table, read_results, read_table, records
from recsens.errors import ConfigError
from recsens.plugins.prose import several
from recsens.study.claims import OVER_DATASETS
from recsens.study.columns import TABLES
from recsens.study.experiment import tables_of
from recsens.tables.numbers import SPACE, count, score, whole_percentage
from recsens.tables.table import Row, RowGroup, Table, TableCell
from recsens.tables.texts import to_json, to_text
from recsens.workflow.estimates import duration_text
from recsens.workflow.plan import Plan

_COLUMNS = {"splits": "a draw", "fits": "a fit", "families": "a data set", "users": "1,000 users"}
_SHORT = {"splits": "draws of the split", "fits": "fits", "families": "families of data sets", "users": "users"}


def planned_power(study: str, *, wanted: float, as_json: bool) -> str:
    """Return the plan for a study's open comparisons, as text or JSON.

    Raises
    ------
    ConfigError
        If the study has no results yet.
    """
    plan = Plan(study)
    folder = Path(plan.folder)
    if not (folder / "verdicts.csv").exists():
        raise ConfigError("the study has no results yet", where=str(plan.path), remedy=f"recsens run {study}")
    names = ["summary", "comparisons", "verdicts", *tables_of(plan.study.all_experiments())]
    results = read_results(folder / f"{name}.csv" for name in names)
    costs = folder / TABLES["costs"].file
    found = list(open_comparisons(plan.study, results, read_table(costs, "costs") if costs.exists() else empty_table("costs")))
    if as_json:
        return to_json({"probability": wanted, "open": [_record(each, wanted) for each in found]})
    return "\n".join([*_lines(plan, results, found, wanted), *_over_splits(plan, results, found)])


def _record(each: OpenPair, wanted: float) -> dict[str, object]:
    ways = {
        way.kind: {"one_more": way.one_more, "needed": way.needed, "seconds": way.seconds, "has": getattr(each.size, way.kind)}
        for way in each.ways(wanted)
    }
    names = ("dataset", "metric", "winner", "difference", "margin", "level")
    return {"systems": each.systems, **{name: getattr(each, name) for name in names}, "now": each.power(), "ways": ways}


def _lines(plan: Plan, results: Results, found: list[OpenPair], wanted: float) -> Iterator[str]:
    if not found:
        if any(plannable_rows(plan.study, results)):
            yield "The base design decides every comparison by its first metric; there is nothing to plan."
        else:
            yield "No comparison has a standard error by the study's first metric, so nothing can be planned."
        return
    yield (
        f"{plan.study.title}: {several(len(found), 'comparison is', 'comparisons are')} open under the base design. The table has "
        "the probability that a study decides each one: as large as it is now, and with one more of each kind. A comparison is "
        f"decided if its interval lies beyond the margin ({plan.study.own.margin}) or within it, for other users and, as far as "
        "their noise is known, other splits and fits. All this holds if the difference found is the true one; of a smaller one "
        "that lies beyond the margin, half takes about four times as many users. More users are priced by the time they take; the "
        "data must have them."
    )
    yield ""
    kinds = [kind for kind in _COLUMNS if any(kind in each.kinds for each in found)]
    ways = [each.ways(wanted) for each in found]
    rows = [_row(each, own, kinds) for each, own in zip(found, ways, strict=True)]
    columns = ("difference", "now", *(_COLUMNS[kind] for kind in kinds), f"a way to {whole_percentage(wanted)}")
    yield to_text(Table("power", "", "comparison", columns, (RowGroup("", tuple(rows)),)))
    if any(each.margin == 0 and all(way.needed is None for way in own) for each, own in zip(found, ways, strict=True)):
        yield ""
        yield "Where one kind alone does not decide: take more of several, or state with 'margin' which difference would matter."
    unknown = [word for kind, word in (("splits", "splits (repeats: 3)"), ("fits", "fits (fits: 2)")) if kind not in kinds]
    if unknown and any(each.dataset != OVER_DATASETS for each in found):
        yield ""
        yield f"The study does not show how much differs between {' and '.join(unknown)}, so these cannot be planned."
    if any(each.winner for each in found):
        yield ""
        yield "*: the study's test names a winner for other users on these splits; other splits or fits could change it."


def _over_splits(plan: Plan, results: Results, found: list[OpenPair]) -> Iterator[str]:
    """Count the wins that are decided here and doubted in the report, whose p over splits uses nothing but the splits."""
    alpha, verdicts = plan.study.alpha, results.verdicts
    base = verdicts[verdicts["is_base"] & verdicts["is_base_metric"] & (verdicts["resampled_p"] >= alpha)]
    open_ = {(each.dataset, *each.systems) for each in found}
    doubted = [row for row in records(base) if row["winner"] and (row["dataset"], row["system_a"], row["system_b"]) not in open_]
    if doubted:
        n = several(len(doubted), "win is", "wins are")
        yield ""
        yield (
            f"{n} decided by this rule, but not significant over other splits by the report's resampled p, which compares "
            "the splits alone and has few degrees of freedom: more draws (repeats) may tell."
        )


def _row(each: OpenPair, ways: list[Way], kinds: list[str]) -> Row:
    of_kind = {way.kind: way for way in ways}
    chances = [whole_percentage(of_kind[kind].one_more) if kind in of_kind else "" for kind in kinds]
    where = "over data sets" if each.dataset == OVER_DATASETS else each.dataset
    label = f"{each.systems[0]} - {each.systems[1]}, {where}, {each.metric}{'*' if each.winner else ''}"
    is_share = each.scale == "relative"
    shown = f"{100 * math.expm1(each.difference):.1f}{SPACE}%" if is_share else score(each.difference)
    cells = [TableCell(text) for text in (shown, whole_percentage(each.power()), *chances)]
    return Row(label, (*cells, TableCell(_cheapest(each, ways), is_text=True)))


def _cheapest(each: OpenPair, ways: list[Way]) -> str:
    able = [way for way in ways if way.needed is not None]
    if not able:
        return f"none: not even {' or '.join(f'{count(MOST[way.kind])} {_SHORT[way.kind]}' for way in ways)}"
    way = min(able, key=lambda way: math.inf if math.isnan(way.seconds) else way.seconds)
    assert way.needed is not None
    price = "" if math.isnan(way.seconds) else f", about {duration_text(way.seconds)} more"
    key = f" (repeats: {way.needed})" if way.kind == "splits" else ""
    where = " on each data set" if way.kind == "users" and each.dataset == OVER_DATASETS else ""
    return f"{count(way.needed)} {_SHORT[way.kind]}{key}{where} instead of {count(getattr(each.size, way.kind))}{price}"
