"""What ``recsens send`` gives to a tracker's client: values of the base design, decisions, tables and the report."""

import sys
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest
from click.testing import CliRunner

from recsens.cli import main
from recsens.study import load_study
from recsens.workflow.send import TRACKERS, SentSystem, send, sent_systems

SUMMARY = pd.DataFrame(
    [
        ["Sim", "kNN", "P@10", 0.25, True],
        ["Sim", "kNN", "nDCG(gain=exp)@5", 0.5, True],
        ["Sim", "kNN", "P@10", 0.75, False],
        ["Sim", "Pop", "P@10", float("nan"), True],
    ],
    columns=["dataset", "system", "metric", "value", "is_base"],
)


@pytest.fixture
def study(tmp_path: Path):
    path = tmp_path / "small.yaml"
    systems = "{kNN: user_knn(k=10), Pop: popularity}"
    path.write_text(f"title: Small\nseed: 7\ndatasets: {{Sim: simulated}}\nsystems: {systems}\nmetrics: [P@10]\n", encoding="utf-8")
    return load_study(path)


def test_a_system_has_its_values_of_the_base_design_under_names_that_every_tracker_takes(study):
    (system,) = sent_systems(study, SUMMARY)
    assert system.name == "kNN on Sim"
    assert system.metrics == {"P_at_10": 0.25, "nDCG_gain_exp_at_5": 0.5}
    assert system.settings["system"] == "user_knn(k=10)"
    assert system.settings["seed"] == "7"
    assert {f"design.{key}" for key, _ in study.design} <= system.settings.keys()


class Recorder(ModuleType):
    """A client that notes every call; each of its functions can open a block."""

    def __init__(self, calls):
        super().__init__("recorder")
        self.calls = calls

    def __getattr__(self, name):
        def noted(*given, **named):
            self.calls.append((name, *given, *named.values()))
            return block(self)

        return noted


@contextmanager
def entered(value):
    yield value


def block(recorder):
    opened = entered(recorder)
    opened.add_file = recorder.add_file
    return opened


@pytest.mark.parametrize(("tracker", "values", "files"), [("mlflow", "log_metrics", "log_artifact"), ("wandb", "log", "add_file")])
def test_a_tracker_gets_each_system_and_each_file(tracker: str, values: str, files: str):
    calls: list[tuple] = []
    TRACKERS[tracker](Recorder(calls), "small", [SentSystem("kNN on Sim", {"seed": "7"}, {"P_at_10": 0.25})], [Path("a.csv")])
    assert (values, {"P_at_10": 0.25}) in calls
    assert (files, "a.csv") in calls


def test_a_study_without_results_is_refused(tmp_path: Path, study, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    said = CliRunner().invoke(main, ["send", "small.yaml", "--to", "mlflow"])
    assert said.exit_code == 1
    assert "the study has no results yet" in said.output


def test_a_missing_client_is_told(tmp_path: Path, study, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "mlflow", None)
    (tmp_path / "results/studies/small").mkdir(parents=True)
    (tmp_path / "results/studies/small/report.html").touch()
    with pytest.raises(ImportError, match="this needs the library mlflow"):
        send("small.yaml", "mlflow")
