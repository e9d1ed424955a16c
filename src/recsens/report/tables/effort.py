"""Tables of the effort of tuning: expected values, and verdicts over searches."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from recsens.conclusions.verdicts.components import direction
from recsens.conclusions.verdicts.efforts import Efforts
from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.conclusions.verdicts.study_tables import records
from recsens.tables.cells import score_cell
from recsens.tables.numbers import whole_percentage
from recsens.tables.table import Row, RowGroup, Table, TableCell, slug

_UNSURE = "†"


def effort_tables(verdicts: PairVerdicts, searches: pd.DataFrame) -> Iterator[Table]:
    """Yield, for each data set of an experiment that varies the effort, the values and the verdicts after each listed effort."""
    part = verdicts.part
    efforts = sorted(part.effort)
    for dataset in part.datasets if part.effort else ():
        rows = records(searches[(searches["dataset"] == dataset) & searches["effort"].isin(efforts)])
        pairs = [of_pair for key, of_pair in verdicts.efforts.items() if key[0] == dataset]
        yield _values(dataset, list(part.systems), efforts, rows)
        if pairs:
            yield _verdicts(dataset, efforts, pairs)


def _values(dataset: str, systems: Sequence[str], efforts: Sequence[int], rows: Sequence[Mapping[str, Any]]) -> Table:
    found = {(row["system"], int(row["effort"])): row for row in rows}
    first = rows[0]
    sign = direction(first["metric_full"])
    best = {effort: max(sign * found[system, effort]["value"] for system in systems) for effort in efforts}
    listed = [
        Row(
            system,
            tuple(
                score_cell(
                    found[system, effort]["value"],
                    float("nan") if found[system, effort]["is_of_this_search"] else found[system, effort]["error"] or float("nan"),
                    of=first["metric"],
                    is_best=sign * found[system, effort]["value"] == best[effort],
                    mark=_UNSURE if found[system, effort]["is_of_this_search"] else "",
                )
                for effort in efforts
            ),
        )
        for system in systems
    ]
    return Table(
        f"effort-values-{slug(dataset)}",
        f"{dataset}: expected {first['metric']} after trials of tuning, with its standard error over searches",
        "System",
        tuple(map(str, efforts)),
        (RowGroup("", tuple(listed)),),
        (
            "Expected values are averages over searches, smoother than any one system, and no test runs on them.",
            *_of_this_search(found[key] for key in found),
        ),
    )


def _verdicts(dataset: str, efforts: Sequence[int], pairs: Sequence[Efforts]) -> Table:
    last = efforts[-1]
    unequal = [(last, efforts[0]), (efforts[0], last)] if len(efforts) > 1 else []
    listed = []
    for pair in pairs:
        rows = [*(pair.at(effort) for effort in efforts), *(pair.unequal[each] for each in unequal)]
        listed.append(Row(" and ".join(pair.systems), tuple(map(_verdict, rows))))
    return Table(
        f"effort-verdicts-{slug(dataset)}",
        f"{dataset}: shares of searches in which each system wins after trials of tuning",
        "Systems",
        (*map(str, efforts), *(f"{a} and {b}" for a, b in unequal)),
        (RowGroup("", tuple(listed)),),
        (
            "A system that wins in at least 95 % of searches is bold. In the rest of the searches, neither wins.",
            "Two numbers in a header are the trials of the first and of the second system.",
            "The p-values behind these verdicts are not corrected for the number of pairs.",
            *(
                ["With several folds, or a test other than t, shares are over 400 pairs of searches drawn at random."]
                if any(row["is_simulated"] for pair in pairs for row in pair.rows)
                else []
            ),
            *_of_this_search(row for pair in pairs for row in pair.rows),
        ),
    )


def _verdict(row: Mapping[str, Any]) -> TableCell:
    shares = [(row["system_a"], row["share_a"]), (row["system_b"], row["share_b"])]
    said = [f"{system} {whole_percentage(share)}" for system, share in shares if share >= 0.005]
    mark = _UNSURE if row["is_of_this_search"] else ""
    return TableCell(", ".join(said) or "neither", is_best=bool(row["winner"]), is_text=True, mark=mark)


def _of_this_search(rows: Any) -> list[str]:
    note = f"{_UNSURE} More than half of all trials: a result of this search, which says little about other searches."
    return [note] if any(row["is_of_this_search"] for row in rows) else []
