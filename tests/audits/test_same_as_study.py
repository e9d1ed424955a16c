"""An audit of files gives exactly the numbers of a study with the same decisions and rankings."""

from collections.abc import Mapping
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

import recsens
from recsens import plugins
from recsens.conclusions.verdicts.study_tables import read_results, read_table
from recsens.files.scale import Scale
from recsens.inputs.foreign_results import ForeignResults
from recsens.report.sentences.unrated import tipping_sentences
from recsens.runs.audits import Audit, Options, audit
from recsens.study import load_study
from recsens.workflow.plan import Plan
from recsens.workflow.planned_jobs import planned_jobs

DATA = "simulated(users=40,items=120,ratings=1100)"
SYSTEMS = {"EASE": "ease", "SVD": "pure_svd(factors=4)", "Random": "random"}
METRICS = ["nDCG@10", "P@5", "AP", "AP@10", "RR@10"]
VARY = {"relevance": [5.0], "view": ["condensed", "rate(.1)"], "test": ["wilcoxon"]}
STUDY = {
    "title": "The study that fits its systems",
    "datasets": {"Tiny": DATA},
    "systems": SYSTEMS,
    "design": {"split": "random(ratio=0.6)", "relevance": 4},
    "vary": VARY,
    "combine": "grid",
    "metrics": METRICS,
    "tipping": [0.05, 0.2],
}

SHOWN = {"figure", "report", "costs"}
"""Steps that show what others found."""

KEYS = ["system", "system_a", "system_b", "metric", "relevance", "view", "user_selection", "test"]


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
    sets = {part: folder / f"{part}.csv" for part in ("train", "test")}
    given = ForeignResults.of(sets, {label: folder / f"{label}.csv" for label in SYSTEMS}, name="Tiny")
    base = {"users": "with_ratings", "correction": "none", "convention": "recsens"}
    options = Options(metrics=METRICS, base=base, vary=VARY, tipping=[0.05, 0.2], page=False)
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


COLUMNS = {
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
    "summary": ["value", "n_users", "full", "reduced", "expected_random", "random_p"],
    "joint": ["median_t", "p_median", "wins_a", "wins_b", "p_wins", "distinct"],
    "shortest": ["changes", "verdict", "difference", "p"],
}
UNRATED = {
    "unrated": ["difference", "lowest", "highest", "interval_low", "loose", "only_a", "both", "rate_level", "rate_lost"],
    "unrated_rates": ["rate", "value_a", "difference", "standard_error", "ratio_level", "ratio_lost"],
}
"""Columns of every table that an audit and a study have in common."""


def assert_same(audited: Audit, results: Path, tables: Mapping[str, list[str]] = COLUMNS) -> None:
    """Compare the tables of an audit with those of a study, to the last bit."""
    for name, columns in tables.items():
        fitted = read_table(results / f"{name}.csv", name)
        pd.testing.assert_frame_equal(in_order(audited.table(name), columns), in_order(fitted, columns), check_exact=True)


def test_values_p_and_verdicts_are_those_of_the_study_that_fitted_the_systems(exported: Exported, tmp_path: Path):
    (tmp_path / "s.yaml").write_text(yaml.safe_dump(STUDY, sort_keys=False), encoding="utf-8")
    compute(tmp_path, "s.yaml")
    assert_same(exported.audit, tmp_path / "results" / "studies" / "s", COLUMNS | UNRATED)
    of_study = read_results([tmp_path / f"results/studies/s/{name}.csv" for name in UNRATED])
    sentences = tipping_sentences(load_study(tmp_path / "s.yaml").own, of_study)
    assert sentences == exported.audit.pushed()
    assert set(sentences) < set(exported.audit.told())


REAL = {
    "ml-100k/u.data": ("movielens(release=100k)", Scale()),
    "filmtrust/ratings.txt": (
        'delimited(path="{path}",separator=" ",lowest=0.5,highest=4,step=0.5,duplicates=last)',
        Scale(0.5, 4, 0.5),
    ),
    "ml-latest-small/ratings.csv": ("movielens(release=latest-small)", Scale(0.5, 5, 0.5)),
}
"""Data sets with users and items without train ratings, and their declared scales."""

FIVE = {
    "SVD": "pure_svd(factors=8)",
    "WRMF": "wrmf(factors=4,epochs=2)",
    "MF": "biased_mf(factors=4,epochs=2)",
    "Popularity": "popularity",
    "Random": "random",
}

BEYOND_FILES = {
    "Future": "needs times",
    "KLNovelty": "needs genres",
    **dict.fromkeys(("TemporalDiversity", "TemporalNovelty"), "need folds"),
}
"""Metrics that a study of these data can compute, and no audit of ratings and scores."""


def metrics_of_both() -> list[str]:
    """Name every metric that does not read predicted ratings, at 10 if it takes a cut-off; the first is that of the base design."""
    loaded = {name: plugins.load("metric", name) for name in plugins.names("metric") if name not in BEYOND_FILES}
    usable = {name: metric for name, metric in loaded.items() if metric.reads != "predictions"}
    written = [name if metric.takes_cutoff == "never" else f"{name}@10" for name, metric in usable.items()]
    return ["nDCG@10", *(each for each in written if each != "nDCG@10")]


@pytest.mark.slow
@pytest.mark.parametrize("file", REAL)
def test_every_metric_of_five_systems_on_real_data_is_that_of_the_study(file: str, real_data, tmp_path: Path):
    """Many scores are equal, of popularity and of what train lacks, and are ordered by index in both."""
    written, scale = REAL[file]
    data = written.format(path=real_data(file))
    fold = recsens.split(recsens.load(data), "random(ratio=0.8)")
    for name, side in (("train", fold.train), ("test", fold.test)):
        side.frame.to_csv(tmp_path / f"{name}.csv", index=False)
    for label, spec in FIVE.items():
        scores = recsens.fit(spec, fold.train).scores(fold.train.users)
        users, items = (np.array(names, dtype=np.str_) for names in (scores.index, scores.columns))
        np.savez(tmp_path / f"{label}.npz", recsens_scores=1, kind="dense", users=users, items=items, scores=scores.to_numpy())
    asked, vary = metrics_of_both(), {"test": ["wilcoxon"], "users": ["with_ratings(relevant=1)"]}
    decided = {"users": "with_ratings", "ties": "high_index", "relevance": 3.0}
    fixed = {"view": "full", "coverage": "full", "correction": "none", "convention": "recsens"}
    given = ForeignResults.of(
        {"train": tmp_path / "train.csv", "test": tmp_path / "test.csv"}, {label: tmp_path / f"{label}.npz" for label in FIVE}
    )
    done = audit(given, tmp_path / "audit", Options(metrics=asked, base={**decided, **fixed}, vary=vary, scale=scale, page=False))
    design = {"split": "random(ratio=0.8)", **decided}
    study = {
        "datasets": {"these files": data},
        "systems": FIVE,
        "design": design,
        "vary": vary,
        "combine": "grid",
        "metrics": asked,
    }
    (tmp_path / "s.yaml").write_text(yaml.safe_dump({"title": "Fitted", **study}, sort_keys=False), encoding="utf-8")
    compute(tmp_path, "s.yaml")
    assert_same(done, tmp_path / "results" / "studies" / "s")


@pytest.mark.slow
def test_the_study_that_is_written_makes_the_same_tables(exported: Exported):
    folder = exported.audit.folder
    compute(folder, "audit.yaml")
    for table in (
        "summary",
        "comparisons",
        "verdicts",
        "flips",
        "influence",
        "joint",
        "multiverse",
        "counted",
        "ties",
        "matched",
        *UNRATED,
    ):
        assert (folder / "results/studies/audit" / f"{table}.csv").read_bytes() == (folder / f"{table}.csv").read_bytes(), table


def test_the_base_values_are_what_evaluate_prints(exported: Exported):
    folder = exported.folder
    summary = exported.audit.table("summary")
    base = summary[summary["is_base"]].set_index(["system", "metric"])["value"]
    for label in SYSTEMS:
        means = recsens.evaluate(folder / f"{label}.csv", folder / "test.csv", METRICS, train=folder / "train.csv").means
        assert {metric: base[label, metric] for metric in METRICS} == pytest.approx(means, abs=1e-15)
