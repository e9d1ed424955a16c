"""Statistics of the data sets."""

import math

import pandas as pd

from recsens.conclusions.verdicts.study_tables import in_order, records
from recsens.files.timestamps import date_of, unit_of
from recsens.study import Study
from recsens.tables.numbers import SPACE, quantity
from recsens.tables.table import Row, RowGroup, Table, TableCell

_NAN = float("nan")

_LATEST = "last_time"
_CORRELATION = "correlation_with_relevant"


def dataset_table(study: Study, datasets: pd.DataFrame) -> Table:
    """Show the statistics of data sets side by side; an experiment has a column only if its filter leaves different data."""
    facts = datasets[datasets["chain"] == ""]
    labels = [*study.datasets, *(label for label in study.experiments if _differs(study, facts, label))]
    columns = [(label, spec) for label in labels for spec in in_order(facts[facts["dataset"] == label]["spec"])]
    specs = [label for label, _ in columns]
    titles = tuple(label if specs.count(label) == 1 else f"{label}, {spec}" for label, spec in columns)
    values = {(row["dataset"], row["spec"], row["metric"]): row["value"] for row in records(facts) if not math.isnan(row["value"])}
    units = {column: unit_of(values.get((*column, _LATEST), 0.0)) for column in columns}
    lines = tuple(
        Row(
            metric.replace("_", " "),
            tuple(_statistic(metric, values.get((*column, metric), _NAN), units[column]) for column in columns),
        )
        for metric in in_order(facts["metric"])
        if any((*column, metric) in values for column in columns)
    )
    notes = []
    if any(metric.startswith(_CORRELATION) for *_, metric in values):
        notes.append(
            "Correlation with relevant: Pearson's correlation, over users or items, between the number of all ratings and the "
            "number of relevant ratings."
        )
    notes += [_in_another_unit(label, units[label, spec]) for label, spec in columns if units[label, spec] != "seconds"]
    return Table("datasets", "The data", "Statistic", titles, (RowGroup("", lines),), tuple(notes))


def _differs(study: Study, facts: pd.DataFrame, label: str) -> bool:
    columns = ["spec", "metric", "value"]
    own, base = (facts[facts["dataset"] == name][columns].reset_index(drop=True) for name in (label, study.dataset_of(label)))
    return not own.equals(base)


def _in_another_unit(label: str, unit: str) -> str:
    return (
        f"The time stamps of {label} look like {unit} since 1970, and the dates above assume this unit. The time stamps are "
        "stored unchanged. They order the interactions; a time in the study file is compared with these unchanged numbers."
    )


def _statistic(metric: str, value: float, unit: str) -> TableCell:
    if metric.endswith("_time") and not math.isnan(value):
        return TableCell(date_of(value, unit))
    if metric == "density" and not math.isnan(value):
        # Papers on data sets print two decimals, as in 4.47 %.
        return TableCell(f"{100 * value:.2f}{SPACE}%", numbers=(value,))
    return TableCell(quantity(value), numbers=(value,))
