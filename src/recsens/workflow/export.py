"""Export splits as CSV files with raw user and item names, for other programs to learn from."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import yaml
from numpy.typing import NDArray

from recsens.artefacts import storage
from recsens.artefacts.addresses import Address, Fold
from recsens.artefacts.folds import read_interactions, read_roles
from recsens.data.datasets import sha256_of
from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.recommenders import SPLIT_NAMES
from recsens.study import Study
from recsens.study.design import Design
from recsens.study.designs import folds
from recsens.study.taxonomy import decisions_of_stage
from recsens.vocabulary import Role
from recsens.workflow.plan import Plan

_TERMS = (
    "citeAs column equivalentProperty extract field fileObject fileProperty fileSet format includes isLiveDataset jsonPath key md5 "
    "parentField path recordSet references regex repeated replace samplingRate separator source subField transform"
)
_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{term: f"cr:{term}" for term in _TERMS.split()},
}
"""The context of Croissant 1.0; its validator warns if a term is missing, even one that is not used."""


def _croissant(name: str, about: str, folder: Path, files: Sequence[str], columns: Mapping[str, str]) -> dict[str, Any]:
    """Describe files of a split, ``<fold>/<side>.csv``, each as one set of records.

    Licence, citation, creators and date, which Croissant recommends, are those of the data and left to whoever publishes them.

    Parameters
    ----------
    name, about
        Name of the split, and a sentence about it.
    folder, files
        Folder of the split, and the files by their paths in it; they are read for their digests.
    columns
        Column of every file -> its type, such as ``sc:Text``.

    Returns
    -------
    dict
        JSON-LD as in the format specification, version 1.0, of MLCommons.
    """
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": name,
        "description": about,
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": file,
                "name": file,
                "contentUrl": file,
                "encodingFormat": "text/csv",
                "sha256": sha256_of(folder / file),
            }
            for file in files
        ],
        "recordSet": [_records(file, columns) for file in files],
    }


def _records(file: str, columns: Mapping[str, str]) -> dict[str, Any]:
    name = file.removesuffix(".csv")
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"{name}/{column}",
            "name": column,
            "dataType": kind,
            "source": {"fileObject": {"@id": file}, "extract": {"column": column}},
        }
        for column, kind in columns.items()
    ]
    return {"@type": "cr:RecordSet", "@id": name, "name": name, "field": fields}


_ROWS = 1 << 20
"""Rows written at once."""

_SPLITTING = tuple(each.key for each in decisions_of_stage("split"))
"""The decisions on which splits depend."""

_ROLES = {"train": Role.TRAIN, "validation": Role.VALIDATION, "test": Role.TEST}


@contextmanager
def data_of(study: Study) -> Iterator[Path]:
    """Write a temporary study that only makes the same splits; the study's file exists during the block.

    It can be planned before any score file exists, even if the study itself reads scores from files.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / "export.yaml"
        path.write_text(yaml.safe_dump(_split_study(study), sort_keys=False, allow_unicode=True), encoding="utf-8")
        yield path


def _split_study(study: Study) -> dict[str, Any]:
    return {
        "title": study.title,
        "seed": study.seed,
        "plugins": list(study.plugins),
        "datasets": {label: str(spec) for label, spec in study.datasets.items()},
        "systems": {"Popularity": "popularity"},
        "design": {key: option if isinstance(option := getattr(study.design, key), int) else str(option) for key in _SPLITTING},
        "vary": _split_decisions(study.vary),
        "combine": study.combine,
        "metrics": ["P@10"],
        "experiments": {
            label: {
                "dataset": experiment.dataset,
                "design": {key: experiment.design[key] for key in _SPLITTING if key in experiment.design},
                "vary": _split_decisions(experiment.vary),
                "combine": experiment.combine,
            }
            for label, experiment in study.experiments.items()
        },
    }


def _split_decisions(vary: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    return {decision: list(options) for decision, options in vary.items() if decision in _SPLITTING}


@dataclass(frozen=True)
class _SplitFolder:
    """One split of one data set, with its folds by name."""

    label: str
    design: Design
    folds: dict[str, Fold] = field(default_factory=dict)


def export(plan: Plan, name: str, folder: str | Path, *, with_test: bool = True) -> list[Path]:
    """Write the splits of a study below a folder, as ``<data set>/<split>/<fold>/train.csv``, ``test.csv`` and ``validation.csv``.

    If any design filters the data set, there is another level of folders above the splits, with a folder for each filter, including
    ``none``. The folders are named as in a path of score files. The columns are user, item, rating and timestamp; the last two
    exist only if the data have them. The rows are in the order of the data set. README.txt next to the folds describes the files,
    and croissant.json does so for programs.

    Parameters
    ----------
    plan
        Plan of a study whose splits exist.
    name
        Name of the study.
    folder
        Folder to write to; files of an earlier export are replaced.
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
    splits = _split_folders(plan, Path(folder))
    read: Address | None = None
    for subfolder, split in splits.items():
        if split.design.filter_address != read:
            read = split.design.filter_address
            data = read_interactions(read.data)
        files = []
        for fold in split.folds.values():
            roles = read_roles(split.design.fold_address(fold).roles, data)
            for side, role in _ROLES.items():
                chosen = np.flatnonzero(roles == role)
                file = subfolder / fold.name / f"{side}.csv"
                # A file of an earlier export may belong to a different train set.
                file.unlink(missing_ok=True)
                if role == Role.TRAIN or (role == Role.VALIDATION and len(chosen)) or (role == Role.TEST and with_test):
                    _write(file, data, chosen)
                    files.append(f"{fold.name}/{side}.csv")
        storage.write_text(subfolder / "README.txt", _readme_text(plan, name, split))
        about = f"The {split.design.split} split of {split.label} for offline evaluation, in the study '{plan.study.title}'."
        described = _croissant(f"{split.label}, {split.design.split}", about, subfolder, files, _file_columns(data))
        storage.write_text(subfolder / "croissant.json", f"{json.dumps(described, indent=2, ensure_ascii=False)}\n")
    return list(splits)


def template(plan: Plan) -> str:
    """Return a path of score files for `from_file` that distinguishes the study's splits."""
    varying = [name for name in SPLIT_NAMES if len({design.names[name] for design in plan.all_designs}) > 1]
    return "/".join(["runs/mine", *(f"{{{name}}}" for name in varying), "{fold}.csv"]) if varying else "runs/mine-{fold}.csv"


def _split_folders(plan: Plan, folder: Path) -> dict[Path, _SplitFolder]:
    every = [(plan.study.dataset_of(label), design) for label, designs in plan.designs.items() for design in designs]
    filtered = {dataset for dataset, design in every if str(design.filter) != "none"}
    splits: dict[Path, _SplitFolder] = {}
    for label, designs in plan.designs.items():
        for design in designs:
            dataset, names = plan.study.dataset_of(label), design.names
            path = folder.joinpath(*(names[name] for name in SPLIT_NAMES if name != "filter" or dataset in filtered))
            split = splits.setdefault(path, _SplitFolder(dataset, design))
            if split.label != dataset:
                raise DesignError(f"'{split.label}' and '{dataset}' would share the folder {path}", remedy="rename one")
            split.folds.update((fold.name, fold) for fold in folds(design))
    return splits


def _file_columns(data: Interactions) -> dict[str, str]:
    """Name the columns of every file, and say how Croissant calls the type of each."""
    numbers = {"rating": data.rating, "timestamp": data.timestamp}
    types = {name: values.dtype.kind for name, values in numbers.items() if values is not None}
    return {
        "user": "sc:Text",
        "item": "sc:Text",
        **{name: "sc:Integer" if kind in "iu" else "sc:Float" for name, kind in types.items()},
    }


def _write(path: Path, data: Interactions, rows: NDArray[np.intp]) -> None:
    names = {"user": pa.array(data.user_ids, pa.string()), "item": pa.array(data.item_ids, pa.string())}
    codes = {"user": data.user, "item": data.item}
    numbers = {"rating": data.rating, "timestamp": data.timestamp}
    present = {name: values for name, values in numbers.items() if values is not None}
    with storage.atomic_path(path) as temporary, temporary.open("wb") as file:
        file.write(f"{','.join([*names, *present])}\n".encode())
        for start in range(0, len(rows), _ROWS):
            block = rows[start : start + _ROWS]
            columns: dict[str, Any] = {name: names[name].take(pa.array(codes[name][block])) for name in names}
            columns |= {name: values[block] for name, values in present.items()}
            pa_csv.write_csv(pa.table(columns), file, pa_csv.WriteOptions(include_header=False, quoting_style="needed"))


def _readme_text(plan: Plan, name: str, split: _SplitFolder) -> str:
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

Each folder contains one fold. Train on train.csv. If the split has a validation.csv, use it to choose parameters. Do not train or
tune on test.csv: the scores would be meaningless. Names of users and items are text, as in the raw data: '007' is not '7', so read
them as text (pandas: dtype={{"user": str, "item": str}}).

Write the scores of each fold into a separate file, with the columns user, item and score, for every user and every item that the
user has not rated in train.csv:

{files}

Then name them in the study and run it. The names in braces have these values here:

{meant}
  systems:
    Mine: from_file(path="{path}")
"""
