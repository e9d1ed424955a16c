"""Trial tables of other programs: what searches of k of these trials would have chosen, and which verdicts they end in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from recsens.arrays import Floats, in_order
from recsens.comparison.aggregation import Cover
from recsens.comparison.users import Population
from recsens.conclusions.design_space import base_designs
from recsens.conclusions.verdicts.efforts import efforts_of
from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.conclusions.verdicts.study_tables import Results, empty_table
from recsens.errors import ConfigError, DataError, nearest
from recsens.metrics import parse_measured_at
from recsens.outcomes.effort import EffortOutcomes, SearchedSystem
from recsens.outcomes.panels import FoldMeasures
from recsens.outcomes.searches import RandomSearch
from recsens.pipeline.table_files import write_rows
from recsens.plugins.specs import Spec
from recsens.report.sentences.effort import effort_sentences
from recsens.report.tables.questions import effort_tables
from recsens.study import Experiment
from recsens.tables.texts import to_json, to_text

_NEEDED = ("system", "validation", "test")
_COLUMNS = (*_NEEDED, "dataset", "trial", "user")
_AS_WRITTEN = "default"
"""The trial of the parameters that were not searched."""

_EFFORTS = (1, 2, 5, 10, 20, 50, 100, 200, 500)
_DATASET = "the table"


def verdicts_of_trials(path: str, *, metrics: Sequence[str], alpha: float | None, to: str, page: bool, as_json: bool) -> str:
    """Compute curves and, from values per user, verdicts by effort; write tables and figures, and return the tables as text.

    Raises
    ------
    ConfigError
        If not exactly one metric says what the values are of.
    DataError
        If the table lacks a column, a number or a user, or if a trial has two validation values.
    """
    if len(metrics) != 1 or len(parse_measured_at(metrics[0])) != 1:
        raise ConfigError("--trials needs the metric of its test values", allowed="one metric: -m nDCG@10")
    table = _read_trials(path)
    part = _make_experiment(table, metrics[0], 0.05 if alpha is None else alpha)
    systems, pairs = [], []
    for label, design in base_designs(part).items():
        of_label = table[table["dataset"] == label]
        sign = 1 if part.metrics[0].metric.higher_is_better else -1
        found = {system: _read_search(of_label, system, sign, f"{path}, {label}") for system in part.systems}
        outcomes = EffortOutcomes(part, label, label, design, part.metrics[0], found, {})
        systems += list(outcomes.of_systems())
        pairs += list(outcomes.of_pairs()) if "user" in table else []
    return _write_answer(part, systems, pairs, to=Path(to), page=page, as_json=as_json)


def _read_trials(path: str) -> pd.DataFrame:
    try:
        table = pd.read_csv(path, sep=None, engine="python", dtype=str, keep_default_na=False)
    except (OSError, ValueError) as error:
        raise DataError(f"cannot be read: {error}", where=path) from error
    table.columns = [str(name).strip().lower() for name in table.columns]
    for name in _NEEDED:
        if name not in table.columns:
            raise DataError(
                f"there is no column '{name}'{nearest(name, table.columns)}",
                where=path,
                allowed=f"a table with the columns {', '.join(_NEEDED)} and, if there are any, {', '.join(_COLUMNS[3:])}",
            )
    for name in ("validation", "test"):
        values = pd.to_numeric(table[name].replace("", "nan"), errors="coerce")
        wrong = np.flatnonzero(values.isna() & ~table[name].str.lower().isin(["", "nan"]))
        if len(wrong):
            raise DataError(f"'{table[name][wrong[0]]}' is not a number", where=f"{path}, line {wrong[0] + 2}, column {name}")
        table[name] = values
    if "user" in table and "trial" not in table:
        raise DataError("there are users but no column 'trial'", where=path, remedy="name each row's trial")
    defaults: Mapping[str, Any] = {"dataset": _DATASET, "trial": [f"row {row + 2}" for row in range(len(table))]}
    return table.assign(**{name: value for name, value in defaults.items() if name not in table})


def _make_experiment(table: pd.DataFrame, metric: str, alpha: float) -> Experiment:
    searched = [set(own["trial"]) for _, own in table.groupby(["dataset", "system"])]
    most = max(len(trials - {_AS_WRITTEN}) for trials in searched)
    first = [0] if all(_AS_WRITTEN in trials for trials in searched) else []
    return Experiment(
        datasets={label: Spec("delimited") for label in in_order(table["dataset"])},
        systems={label: Spec("random") for label in in_order(table["system"])},
        metrics=parse_measured_at(metric),
        alpha=alpha,
        effort=(*first, *(effort for effort in _EFFORTS if 2 * effort <= most), most),
    )


def _read_search(of_dataset: pd.DataFrame, system: str, sign: int, place: str) -> SearchedSystem:
    """Read the search of a system; the users of all systems have the same order."""
    rows = of_dataset[of_dataset["system"] == system]
    users = in_order(of_dataset["user"]) if "user" in of_dataset else [""]
    trials = in_order(rows["trial"])
    if not set(trials) - {_AS_WRITTEN}:
        raise DataError(f"'{system}' has no trials", where=place, remedy="leave this system out, or audit the data sets one by one")
    validation, values = [], []
    for trial in sorted(trials, key=lambda name: name != _AS_WRITTEN):
        own = rows[rows["trial"] == trial]
        where = f"{place}, {system}, trial {trial}"
        if len(set(own["validation"].fillna(np.inf))) > 1:
            raise DataError("a trial has two validation values", where=where)
        if "user" in own and (own["user"].duplicated().any() or set(own["user"]) != set(users)):
            raise DataError("a trial lacks a user, or has one twice", where=where, allowed="the same users for every trial")
        own_values = own.set_index("user").loc[users, "test"] if "user" in own else own["test"]
        if own_values.isna().any() or own["validation"].isna().any():
            raise DataError("a value is missing", where=where, remedy="leave trials out that failed")
        validation.append(sign * float(own["validation"].iloc[0]))
        values.append(own_values.to_numpy(dtype=np.float64))
    if _AS_WRITTEN not in trials:
        # No search chooses this candidate, because every search has at least one trial.
        validation.insert(0, float("nan"))
        values.insert(0, values[0])
    search = RandomSearch(np.array([validation]), np.arange(1, len(validation)))
    return SearchedSystem(system, search, [[_fold_measures(own) for own in values]])


def _fold_measures(values: Floats) -> FoldMeasures:
    ones = np.ones(len(values), dtype=np.int64)
    return FoldMeasures(values, ones.astype(np.float64), ones > 0, Population(ones, ones, ones, ones), Cover(ones, ones, {}))


def _write_answer(
    part: Experiment, systems: list[dict[str, Any]], pairs: list[dict[str, Any]], *, to: Path, page: bool, as_json: bool
) -> str:
    """Write the tables and, unless only tables are wanted, the figures; return the answer as text or JSON."""
    to.mkdir(parents=True, exist_ok=True)
    write_rows(str(to / "searches.csv"), "searches", systems)
    write_rows(str(to / "effort.csv"), "effort", pairs)
    searches, effort = pd.DataFrame(systems), pd.DataFrame(pairs) if pairs else empty_table("effort")
    if page:
        _draw_figures(part, Results({"searches": searches, "effort": effort}), to)
    if as_json:
        return to_json({"values": systems, "verdicts": pairs})
    verdicts = PairVerdicts(part, empty_table("verdicts"), efforts_of(part, effort))
    lines = effort_sentences(verdicts) if pairs else ["Without values for each user, there are no verdicts."]
    for table in effort_tables(verdicts, searches):
        lines += ["", table.caption, to_text(table), *table.notes]
    return "\n".join([*lines, "", f"Tables{' and figures' if page else ''} are in {to}/."])


def _draw_figures(part: Experiment, results: Results, to: Path) -> None:
    from recsens.report.figure_style import house_style  # noqa: PLC0415 - tables alone need not wait for matplotlib
    from recsens.report.figures import FigureData, write_figure  # noqa: PLC0415
    from recsens.report.which_drawing import EFFORTS  # noqa: PLC0415

    for name, drawing in EFFORTS.items():
        if name == "effort" or not results.effort.empty:
            with house_style():
                figure = drawing.draw(FigureData(part, results))
            write_figure(figure, **{form: to / f"{name}.{form}" for form in ("svg", "png", "pdf")})
