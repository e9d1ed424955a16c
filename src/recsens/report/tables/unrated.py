"""The table of what unrated items could do to each verdict."""

import math
from collections.abc import Iterator

from recsens.conclusions.verdicts.study_tables import Results
from recsens.conclusions.verdicts.unrated import Pushed, share, times
from recsens.report.sentences.unrated import pushed_by_data
from recsens.study import Experiment
from recsens.tables.numbers import interval, score
from recsens.tables.table import Row, RowGroup, Table, TableCell, slug

_RATIOS = (
    "level, lost: the smallest ratio at which this is so. The unrated items that only the other system lists are relevant so many "
    "times as often as all other unrated items, which are relevant at the rate above."
)


def unrated_tables(part: Experiment, results: Results) -> Iterator[Table]:
    """Yield, for each data set, bounds, tipping rates and tipping ratios of every pair by the first metric that ranks systems."""
    for dataset, pairs in pushed_by_data(part, results).items():
        ratios = [f"{what} at {share(rate)}" for rate in part.tipping for what in ("level", "lost")]
        yield Table(
            f"unrated-{slug(dataset)}",
            f"{dataset}: what unrated items could do to differences in {pairs[0].row['metric']}",
            "Systems",
            ("Ahead", "by", "Bounds", "Only first", "Only second", "Both", "rate: level", "rate: lost", *ratios),
            (RowGroup("", tuple(Row(f"{each.row['system_a']} and {each.row['system_b']}", _cells(each, part)) for each in pairs)),),
            (
                "Bounds are of the difference, first minus second, over all relevance of the unrated items in either list.",
                "Only first, only second, both: unrated items of a user that only this system, or both, list.",
                "rate: the smallest rate of relevance of all unrated items at which the systems are level, and the win is lost.",
                "A win is lost if the difference is no longer significant.",
                _RATIOS,
                "∞: at no rate. A dash: there is no win to lose.",
            ),
        )


def _cells(pair: Pushed, part: Experiment) -> tuple[TableCell, ...]:
    row = pair.row
    sizes = [TableCell(f"{row[name]:.1f}", numbers=(row[name],)) for name in ("only_a", "only_b", "both")]
    rates = [_number(row[name], share(row[name]) if 0 <= row[name] <= 1 else "") for name in ("rate_level", "rate_lost")]
    ratios = [
        _number(pair.rates[rate][name], times(pair.rates[rate][name]))
        for rate in part.tipping
        for name in ("ratio_level", "ratio_lost")
    ]
    return (
        TableCell(pair.leader or "neither", is_text=True, is_best=bool(row["is_significant"])),
        TableCell(score(abs(row["difference"])), numbers=(abs(row["difference"]),)),
        TableCell(interval(row["lowest"], row["highest"]), numbers=(row["lowest"], row["highest"])),
        *sizes,
        *rates,
        *ratios,
    )


def _number(value: float, text: str) -> TableCell:
    if math.isnan(value):
        return TableCell("–")
    return TableCell("∞") if math.isinf(value) else TableCell(text, numbers=(value,))
