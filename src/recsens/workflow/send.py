"""Send a study's results to a tracker of experiments, by the tracker's own client."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pandas as pd

from recsens.conclusions.verdicts.study_tables import read_table
from recsens.errors import ConfigError, MissingLibraryError
from recsens.study import Study
from recsens.workflow.plan import Plan


@dataclass(frozen=True)
class SentSystem:
    """What a tracker shows as one run: a system on a data set, under the base design.

    Attributes
    ----------
    name
        Labels of the system and the data set.
    settings
        The system, the data set, the seed and every decision of the base design, as a study writes them.
    metrics
        The value of each metric, such as ``P_at_10``, because not every tracker takes ``@`` in names.
    """

    name: str
    settings: Mapping[str, str]
    metrics: Mapping[str, float]


def send(study: str, to: str) -> str:
    """Send the values of the base design, the tables and the report of a finished run, and say what was sent.

    Where to send them is the client's own setting, such as ``MLFLOW_TRACKING_URI`` or ``WANDB_MODE``. A second call adds new runs.

    Raises
    ------
    ConfigError
        If the study has no results yet.
    MissingLibraryError
        If the client is not installed.
    """
    plan = Plan(study)
    folder = Path(plan.folder)
    if not (folder / "report.html").exists():
        raise ConfigError("the study has no results yet", where=str(plan.path), remedy=f"recsens run {study}")
    try:
        client = import_module(to)
    except ModuleNotFoundError as error:
        raise MissingLibraryError(f"this needs the library {to}, which is not installed", remedy=f"pip install {to}") from error
    systems = sent_systems(plan.study, read_table(folder / "summary.csv", "summary"))
    files = [folder / "report.html", *sorted(folder.glob("*.csv"))]
    TRACKERS[to](client, folder.name, systems, files)
    return f"{to}: {len(systems)} runs, and one with the report and {len(files) - 1} tables, under 'recsens/{folder.name}'"


def sent_systems(study: Study, summary: pd.DataFrame) -> list[SentSystem]:
    """List the systems on each data set with their values under the base design; undefined values are left out."""
    base = summary[summary["is_base"]]
    decisions = {f"design.{key}": str(option) for key, option in study.design}
    return [
        SentSystem(
            f"{system} on {dataset}",
            {"system": str(study.systems[str(system)]), "dataset": str(study.datasets[str(dataset)]), "seed": str(study.seed)}
            | decisions,
            {
                "_".join(re.findall(r"[\w.-]+", metric.replace("@", " at "))): float(value)
                for metric, value in zip(rows["metric"], rows["value"], strict=True)
            },
        )
        for (dataset, system), rows in base[base["value"].notna()].groupby(["dataset", "system"], sort=False)
    ]


def _send_to_mlflow(mlflow: ModuleType, study: str, systems: Sequence[SentSystem], files: Sequence[Path]) -> None:
    mlflow.set_experiment(f"recsens/{study}")
    for system in systems:
        with mlflow.start_run(run_name=system.name):
            mlflow.log_params(system.settings)
            mlflow.log_metrics(system.metrics)
    with mlflow.start_run(run_name="report"):
        for file in files:
            mlflow.log_artifact(str(file))


def _send_to_wandb(wandb: ModuleType, study: str, systems: Sequence[SentSystem], files: Sequence[Path]) -> None:
    for system in systems:
        with wandb.init(project="recsens", group=study, name=system.name, config=dict(system.settings)) as run:
            run.log(dict(system.metrics))
    with wandb.init(project="recsens", group=study, name="report") as run:
        artefact = wandb.Artifact(study, type="recsens-study")
        for file in files:
            artefact.add_file(str(file))
        run.log_artifact(artefact)


TRACKERS: Mapping[str, Callable[[ModuleType, str, Sequence[SentSystem], Sequence[Path]], None]] = {
    "mlflow": _send_to_mlflow,
    "wandb": _send_to_wandb,
}
"""Name of a tracker's client, which is also that of its library -> how results are sent to it."""
