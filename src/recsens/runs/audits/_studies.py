"""The studies that an audit writes: the one behind it, and one that varies what no audit of files can vary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import yaml

from recsens.plugins.specs import Spec
from recsens.runs.audits._input import AuditInput
from recsens.runs.audits._material import INTERACTIONS, RunFile, Sets
from recsens.runs.audits._options import Options


def study_of_files(
    given: AuditInput,
    sets: Sets,
    runs: Mapping[str, RunFile],
    options: Options,
    *,
    base: Mapping[str, Any],
    vary: Mapping[str, Sequence[Any]],
    metrics: Sequence[str],
) -> dict[str, Any]:
    """Return the study behind an audit: it reads its data set, split and systems from files, and fits nothing."""
    matched = {} if options.least_matched is None else {"least_matched": options.least_matched}
    trainings = {} if len(given.trainings) == 1 else {"trainings": len(given.trainings)}
    return {
        "title": f"Audit of {given.name}",
        "seed": options.seed,
        "alpha": options.alpha,
        "margin": options.margin,
        "datasets": _datasets(given, sets),
        "systems": {label: str(Spec("from_file").with_params(path=run.path, **matched)) for label, run in runs.items()},
        "design": {"split": str(Spec("predefined").with_params(path=str(sets.roles), **trainings)), **base},
        "vary": {decision: list(tried) for decision, tried in vary.items() if tried},
        "combine": "grid",
        "metrics": list(metrics),
    }


def study_beyond_files(given: AuditInput, sets: Sets, runs: Mapping[str, RunFile], metrics: Sequence[str]) -> dict[str, Any]:
    """Return a study that varies splits and training; it has the same ratings, and for each system a command to fill in."""
    commands = {label: f'program(run="python train.py {label} {{train}} {{scores}}")' for label in runs}
    return {
        "title": f"What the audit of {given.name} could not vary",
        "datasets": _datasets(given, sets),
        "systems": {"Popularity": "popularity", **commands},
        "design": {"split": "random(ratio=0.8)", "repeats": 5},
        "vary": {"split": ["random(ratio=0.5)"]},
        "metrics": list(metrics),
    }


def _datasets(given: AuditInput, sets: Sets) -> dict[str, str]:
    return {given.name: str(Spec("parquet").with_params(path=str(INTERACTIONS), **asdict(sets.scale)))}


def write(path: str, study: Mapping[str, Any]) -> None:
    """Write a study file."""
    Path(path).write_text(yaml.safe_dump(dict(study), sort_keys=False, allow_unicode=True, width=128), encoding="utf-8")
