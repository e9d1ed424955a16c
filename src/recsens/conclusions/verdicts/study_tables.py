"""Read a study's tables, which its steps wrote: give columns their types, and check them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd

from recsens.artefacts.storage import read_bytes
from recsens.errors import ArtefactError
from recsens.study import Experiment
from recsens.study.columns import TABLES


def empty(table: str) -> pd.DataFrame:
    """Return one of a study's tables with its columns but without rows, for data that the study lacks or that are unknown."""
    return pd.DataFrame(columns=TABLES[table].names)


@dataclass(frozen=True)
class Results:
    """All results of a study as tidy tables.

    Attributes
    ----------
    summary
        One row per data set, design, system and metric.
    comparisons
        One row per data set, design, pair of systems, metric and fold; in fold ``all``, each user's values are averaged over folds.
    verdicts
        One row per data set, design, pair of systems and metric that ranks systems: the winner.
    datasets
        One row per data set and statistic. In rows with ``chain``, ``step`` and ``filter``, the statistics are about the ratings
        that the filter left.
    splits
        One row per data set, filter, split, fold and statistic. In rows with ``targets``, the statistics are about the ranked
        items.
    counted
        One row per data set, design and fold: the averaged users, those who can score above zero, and the ratings of all other
        users.
    predictions
        One row per data set, fold and system; none in a study without a metric that reads predicted ratings.
    matched
        One row per data set, fold and system with scores from files; none in a study without such a system.
    ties
        One row per data set, system and metric: the range of the value over the orders of equal scores; none if it is unknown.
    claims
        One row per claim; none in a study without claims.
    findings
        One row per number found by an analysis of metrics; none in a study without analyses.
    joint
        One row per pair of systems and data set: the joint result of all analyses; none if it is unknown.
    multiverse
        One row per pair of systems, data set, design and metric: its p-value adjusted for all analyses; none if it is unknown.
    truth
        One row per condition, design, metric and quantity: its agreement with the truth; none in a study without a reference.
    """

    summary: pd.DataFrame
    comparisons: pd.DataFrame
    verdicts: pd.DataFrame
    datasets: pd.DataFrame
    splits: pd.DataFrame
    counted: pd.DataFrame
    predictions: pd.DataFrame = field(default_factory=lambda: empty("predictions"))
    matched: pd.DataFrame = field(default_factory=lambda: empty("matched"))
    ties: pd.DataFrame = field(default_factory=lambda: empty("ties"))
    claims: pd.DataFrame = field(default_factory=lambda: empty("claims"))
    findings: pd.DataFrame = field(default_factory=lambda: empty("findings"))
    joint: pd.DataFrame = field(default_factory=lambda: empty("joint"))
    multiverse: pd.DataFrame = field(default_factory=lambda: empty("multiverse"))
    truth: pd.DataFrame = field(default_factory=lambda: empty("truth"))

    def of(self, part: Experiment) -> Results:
        """Select one experiment's outcomes."""
        return replace(self, **{name: rows_of(part, getattr(self, name)) for name in _OUTCOMES})

    def by_dataset(self, labels: Iterable[str]) -> dict[str, Results]:
        """Select the outcomes on each of these data sets or experiments; there may be none."""
        rows = {name: dict(list(getattr(self, name).groupby("dataset", sort=False))) for name in _OUTCOMES}
        return {
            label: replace(self, **{name: of_table.get(label, getattr(self, name).iloc[:0]) for name, of_table in rows.items()})
            for label in labels
        }


_OUTCOMES = ("summary", "comparisons", "verdicts", "counted", "joint", "multiverse")
"""The tables with a row per data set."""


def rows_of(part: Experiment, table: pd.DataFrame) -> pd.DataFrame:
    """Select one experiment's rows: the rows with the labels of its data sets."""
    return table[table["dataset"].isin(list(part.datasets))]


def read_summary(path: str | Path) -> pd.DataFrame:
    """Read a study's summary.

    Raises
    ------
    ArtefactError
        If the file is missing or lacks a column.
    """
    return read_table(path, "summary")


def read_comparisons(path: str | Path) -> pd.DataFrame:
    """Read a study's comparisons of systems; raises the same errors as `read_summary`."""
    return read_table(path, "comparisons")


def read_verdicts(path: str | Path) -> pd.DataFrame:
    """Read a study's verdicts; raises the same errors as `read_summary`."""
    return read_table(path, "verdicts")


def read_datasets(path: str | Path) -> pd.DataFrame:
    """Read the statistics about a study's data sets; raises the same errors as `read_summary`."""
    return read_table(path, "datasets")


def read_splits(path: str | Path) -> pd.DataFrame:
    """Read the records about a study's splits; raises the same errors as `read_summary`."""
    return read_table(path, "splits")


def read_matched(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Read how score files match the data, if there is such a table; raises the same errors as `read_summary`."""
    return next((read_table(path, "matched") for path in paths), empty("matched"))


def read_counted(path: str | Path) -> pd.DataFrame:
    """Read the users averaged under a study's designs; raises the same errors as `read_summary`."""
    return read_table(path, "counted")


def read_claims(path: str | Path) -> pd.DataFrame:
    """Read the outcomes of a study's claims; raises the same errors as `read_summary`."""
    return read_table(path, "claims")


def read_findings(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Read the findings about a study's metrics, if there is such a table; raises the same errors as `read_summary`."""
    return next((read_table(path, "findings") for path in paths), empty("findings"))


def read_results(
    *,
    summary: str | Path,
    comparisons: str | Path,
    verdicts: str | Path,
    datasets: str | Path,
    splits: str | Path,
    counted: str | Path,
    predictions: str | Path | None = None,
    matched: str | Path | None = None,
    ties: str | Path | None = None,
    claims: str | Path | None = None,
    findings: Iterable[str | Path] = (),
    joint: str | Path | None = None,
    multiverse: str | Path | None = None,
    truth: str | Path | None = None,
) -> Results:
    """Read a study's tables, including the optional ones that exist; raises the same errors as `read_summary`."""
    results = Results(
        read_summary(summary),
        read_comparisons(comparisons),
        read_verdicts(verdicts),
        read_datasets(datasets),
        read_splits(splits),
        read_counted(counted),
    )
    further = {
        "predictions": predictions,
        "matched": matched,
        "ties": ties,
        "claims": claims,
        "joint": joint,
        "multiverse": multiverse,
        "truth": truth,
    }
    known = {name: read_table(path, name) for name, path in further.items() if path is not None}
    return replace(results, findings=read_findings(findings), **known)


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """List a table's rows, each as a mapping from column to value."""
    columns = {str(name): values.tolist() for name, values in table.items()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def in_order(values: Iterable[str]) -> list[str]:
    """List the distinct values in order of first occurrence."""
    return list(dict.fromkeys(values))


def read_table(path: str | Path, name: str) -> pd.DataFrame:
    """Read one of a study's tables (`recsens.study.columns`), with identifying columns as text.

    Raises the same errors as `read_summary`.
    """
    columns = TABLES[name].columns
    try:
        # Read everything as text first, because a system may be called NA, and a design's 'relevance' is sometimes a word.
        table = pd.read_csv(BytesIO(read_bytes(path)), dtype=object, keep_default_na=False)
    except (OSError, ValueError) as error:
        raise ArtefactError(f"cannot be read: {error}", where=str(path), remedy="delete the file and run again") from error
    missing = [column.name for column in columns if column.name not in table.columns]
    if missing:
        raise ArtefactError(f"lacks the column '{missing[0]}'", where=str(path), remedy="delete the file and run again")
    for column in columns:
        if column.is_number:
            table[column.name] = _numbers(table[column.name], path)
        elif column.holds == "true or false":
            table[column.name] = table[column.name].str.lower() == "true"
    return table.copy()  # Rows are selected many times faster if columns of one type lie together, as they do in a copy.


def _numbers(column: pd.Series[str], path: str | Path) -> list[float]:
    try:
        return [float(text or "nan") for text in column]
    except ValueError as error:
        raise ArtefactError(f"column '{column.name}': {error}", where=str(path), remedy="delete the file and run again") from error
