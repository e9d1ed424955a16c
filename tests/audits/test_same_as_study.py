"""An audit of files says what a study with the same decisions says of the same rankings, to the last bit."""

from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest
import yaml

import recsens
from recsens.audits import Audit, AuditInput, Options, audit
from recsens.conclusions.verdicts.study_tables import read_table
from recsens.workflow.plan import Plan
from recsens.workflow.planned_jobs import planned_jobs

DATA = "simulated(users=40,items=120,ratings=1100)"
SYSTEMS = {"EASE": "ease", "SVD": "pure_svd(factors=4)", "Random": "random"}
METRICS = ["nDCG@10", "P@5", "AP"]
VARY = {"relevance": [5.0], "view": ["condensed"], "test": ["wilcoxon"]}
STUDY = {
    "title": "The study that fits its systems",
    "datasets": {"Tiny": DATA},
    "systems": SYSTEMS,
    "design": {"split": "random(ratio=0.6)"},
    "vary": VARY,
    "combine": "grid",
    "metrics": METRICS,
}

SHOWN = {"figure", "report", "costs"}
"""Steps that show what others found."""

KEYS = ["system", "system_a", "system_b", "metric", "relevance", "view", "test"]


@dataclass(frozen=True)
class Exported:
    """A folder with the sets and the scores of every system, and the audit of it."""

    folder: Path
    audit: Audit


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    """Write the fold and the scores of a study's systems as CSV, and audit them."""
    folder = tmp_path_factory.mktemp("exported")
    fold = recsens.split(recsens.load(DATA), "random(ratio=0.6)")
    for name, side in (("train", fold.train), ("test", fold.test)):
        side.frame.to_csv(folder / f"{name}.csv", index=False)
    for label, spec in SYSTEMS.items():
        scores = recsens.fit(spec, fold.train).scores(fold.train.users)
        rows = scores.reset_index().melt(id_vars="user", var_name="item", value_name="score").dropna()
        rows.to_csv(folder / f"{label}.csv", index=False)
    given = AuditInput(
        folder / "train.csv", folder / "test.csv", {label: folder / f"{label}.csv" for label in SYSTEMS}, name="Tiny"
    )
    options = Options(metrics=METRICS, base={"users": "with_ratings", "convention": "recsens"}, vary=VARY, page=False)
    return Exported(folder, audit(given, folder / "audit", options))


def compute(folder: Path, study: str) -> None:
    """Compute the tables of a study, job by job as a run would."""
    with chdir(folder):
        for job in planned_jobs(Plan(study)):
            if job.step not in SHOWN:
                job.call()


def in_order(table: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """Keep some columns, in an order that does not depend on how a study was made."""
    keys = [key for key in KEYS if key in table]
    return table.sort_values(keys, kind="stable")[[*keys, *columns]].reset_index(drop=True)


def test_values_p_and_verdicts_are_those_of_the_study_that_fitted_the_systems(exported: Exported, tmp_path: Path):
    (tmp_path / "s.yaml").write_text(yaml.safe_dump(STUDY, sort_keys=False), encoding="utf-8")
    compute(tmp_path, "s.yaml")
    for name, columns in {
        "verdicts": [
            "value_difference",
            "difference",
            "low",
            "high",
            "effect",
            "p_value",
            "p_adjusted",
            "p_family",
            "verdict",
            "beside_base",
            "users",
        ],
        "multiverse": ["t", "p_family", "users"],
        "summary": ["value", "n_users", "full", "reduced", "expected_random"],
        "joint": ["median_t", "p_median", "wins_a", "wins_b", "p_wins", "distinct"],
        "shortest": ["changes", "verdict", "difference", "p"],
    }.items():
        fitted = read_table(tmp_path / "results" / "studies" / "s" / f"{name}.csv", name)
        pd.testing.assert_frame_equal(in_order(exported.audit.table(name), columns), in_order(fitted, columns), check_exact=True)


def test_the_study_that_is_written_makes_the_same_tables(exported: Exported):
    folder = exported.audit.folder
    compute(folder, "audit.yaml")
    for table in ("summary", "comparisons", "verdicts", "flips", "influence", "joint", "multiverse", "counted", "ties", "matched"):
        assert (folder / "results/studies/audit" / f"{table}.csv").read_bytes() == (folder / f"{table}.csv").read_bytes(), table


def test_the_base_values_are_what_evaluate_prints(exported: Exported):
    folder = exported.folder
    summary = exported.audit.table("summary")
    base = summary[summary["is_base"]].set_index(["system", "metric"])["value"]
    for label in SYSTEMS:
        means = recsens.evaluate(folder / f"{label}.csv", folder / "test.csv", METRICS, train=folder / "train.csv").means
        assert {metric: base[label, metric] for metric in METRICS} == pytest.approx(means, abs=1e-15)
