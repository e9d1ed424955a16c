"""Splits as CSV files with raw names, so that any program can learn from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import yaml
from numpy.typing import NDArray

from recsens import tables
from recsens.artefacts import read_interactions, read_roles
from recsens.config import Study
from recsens.design import Design, Fold
from recsens.errors import DesignError
from recsens.interactions import Interactions
from recsens.plan import Plan, folds
from recsens.recommenders import SPLIT_NAMES
from recsens.vocabulary import Role

_ROWS = 1 << 20
"""Rows written at a time."""

_SPLITTING = ("filter", "split", "repeats")
"""Decisions that the splits depend on."""

_ROLES = {"train": Role.TRAIN, "validation": Role.VALIDATION, "test": Role.TEST}


@contextmanager
def data_of(study: Study) -> Iterator[Path]:
    """Write a study of the same splits and nothing else, for as long as the block lasts.

    It can be planned before there are any scores, which the study itself may name among its systems.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / "export.yaml"
        path.write_text(yaml.safe_dump(_data_of(study), sort_keys=False, allow_unicode=True), encoding="utf-8")
        yield path


def _data_of(study: Study) -> dict[str, Any]:
    return {
        "title": study.title,
        "seed": study.seed,
        "plugins": list(study.plugins),
        "datasets": {label: str(spec) for label, spec in study.datasets.items()},
        "systems": {"Popularity": "popularity"},
        "design": {
            "filter": str(study.design.filter),
            "split": str(study.design.split),
            "repeats": study.design.repeats,
        },
        "vary": _splitting(study.vary),
        "combine": study.combine,
        "metrics": ["P@10"],
        "experiments": {
            label: {
                "dataset": experiment.dataset,
                "design": {key: experiment.design[key] for key in _SPLITTING if key in experiment.design},
                "vary": _splitting(experiment.vary),
                "combine": experiment.combine,
            }
            for label, experiment in study.experiments.items()
        },
    }


def _splitting(vary: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    return {decision: list(options) for decision, options in vary.items() if decision in _SPLITTING}


@dataclass(frozen=True)
class _Split:
    """One split of one data set, with its folds, each once."""

    label: str
    design: Design
    folds: dict[str, Fold] = field(default_factory=dict)


def export(plan: Plan, name: str, folder: str | Path, *, with_test: bool = True) -> list[Path]:
    """Write the splits of a study below a folder: ``<data set>/<split>/<fold>/train.csv`` and so on.

    A data set that is filtered in some design has a folder for each filter above the splits', ``none`` among them. The folders bear
    the names that stand in a path of score files. The columns are user, item, rating and timestamp, as far as the
    data have them; the rows are in the order of the data set. Beside the folds, README.txt says what they are.

    Parameters
    ----------
    plan
        Plan of a study whose splits have been made.
    name
        Name of the study.
    folder
        Where to write; files of an earlier export are replaced.
    with_test
        Whether to write test sets.

    Returns
    -------
    list of Path
        The folder of each split.

    Raises
    ------
    DesignError
        If two data sets would share a folder.
    """
    splits = _splits(plan, Path(folder))
    data_folder, data = PurePosixPath(), None
    for place, split in splits.items():
        if data is None or split.design.filter_folder != data_folder:
            data_folder = split.design.filter_folder
            data = _read(data_folder)
        for fold in split.folds.values():
            roles = read_roles(str(split.design.fold_folder(fold) / "roles.parquet"), data)
            for side, role in _ROLES.items():
                chosen = np.flatnonzero(roles == role)
                file = place / fold.name / f"{side}.csv"
                # A test set of an earlier export would belong to no train set here.
                file.unlink(missing_ok=True)
                if role == Role.TRAIN or (role == Role.VALIDATION and len(chosen)) or (role == Role.TEST and with_test):
                    _write(file, data, chosen)
        tables.write_text(place / "README.txt", _readme(plan, name, split))
    return list(splits)


def template(plan: Plan) -> str:
    """Return a path for scores of one's own that tells apart what the study does, for `from_file`."""
    designs = [design for found in plan.designs.values() for design in found]
    varying = [name for name in SPLIT_NAMES if len({design.names[name] for design in designs}) > 1]
    return "/".join(["runs/mine", *(f"{{{name}}}" for name in varying), "{fold}.csv"]) if varying else "runs/mine-{fold}.csv"


def _splits(plan: Plan, folder: Path) -> dict[Path, _Split]:
    every = [(plan.study.dataset_of(label), design) for label, designs in plan.designs.items() for design in designs]
    filtered = {dataset for dataset, design in every if str(design.filter) != "none"}
    found: dict[Path, _Split] = {}
    for label, designs in plan.designs.items():
        for design in designs:
            dataset, names = plan.study.dataset_of(label), design.names
            place = folder.joinpath(*(names[name] for name in SPLIT_NAMES if name != "filter" or dataset in filtered))
            split = found.setdefault(place, _Split(dataset, design))
            if split.label != dataset:
                raise DesignError(f"'{split.label}' and '{dataset}' would share the folder {place}", remedy="name one otherwise")
            split.folds.update((fold.name, fold) for fold in folds(design))
    return found


def _read(folder: PurePosixPath) -> Interactions:
    parquet = {name: str(folder / f"{name}.parquet") for name in ("interactions", "user_ids", "item_ids")}
    return read_interactions(**parquet, dataset=str(folder / "dataset.json"))


def _write(path: Path, data: Interactions, rows: NDArray[np.intp]) -> None:
    names = {"user": pa.array(data.user_ids, pa.string()), "item": pa.array(data.item_ids, pa.string())}
    codes = {"user": data.user, "item": data.item}
    numbers = {"rating": data.rating, "timestamp": data.timestamp}
    present = {name: values for name, values in numbers.items() if values is not None}
    with tables.atomic(path) as temporary, temporary.open("wb") as file:
        file.write(f"{','.join([*names, *present])}\n".encode())
        for start in range(0, len(rows), _ROWS):
            block = rows[start : start + _ROWS]
            columns: dict[str, Any] = {name: names[name].take(pa.array(codes[name][block])) for name in names}
            columns |= {name: values[block] for name, values in present.items()}
            pa_csv.write_csv(pa.table(columns), file, pa_csv.WriteOptions(include_header=False, quoting_style="needed"))


def _readme(plan: Plan, name: str, split: _Split) -> str:
    study, design, path = plan.study, split.design, template(plan)
    named = [(key, value) for key, value in design.names.items() if f"{{{key}}}" in path]
    meant = "".join(f"  {{{key}}}{' ' * (8 - len(key))}{value}\n" for key, value in (*named, ("fold", ", ".join(split.folds))))
    mine = path
    for key, value in named:
        mine = mine.replace(f"{{{key}}}", value)
    files = "\n".join(f"  {mine.replace('{fold}', fold)}" for fold in split.folds)
    return f"""\
Splits of the study '{name}': {study.title}

  data set  {split.label}: {study.datasets[split.label]}
  filter    {design.filter}
  split     {design.split}
  seed      {design.seed}
  folds     {", ".join(split.folds)}

Each folder holds one fold. Learn from train.csv. validation.csv, if the split has one, is there to choose parameters by. test.csv
is what is judged in the end: who learns or chooses by it measures nothing. Names of users and items are text, as in the raw data:
'007' is not '7', so read them as text (pandas: dtype={{"user": str, "item": str}}).

Write the scores of each fold into a file of its own, with the columns user, item and score, for every user and every item that the
user has not rated in train.csv:

{files}

Then name them in the study and run it. What stands in braces has these values here:

{meant}
  systems:
    Mine: from_file(path="{path}")
"""
