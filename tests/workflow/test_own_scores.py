"""The scores of another program, from the export of splits to the report, as the page about them shows."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml

from in_process import PRESENTED, call, compute, to_do
from workspaces import REPOSITORY, Workspace

pytestmark = pytest.mark.workflow

PAGE = (REPOSITORY / "docs" / "your-model.md").read_text(encoding="utf-8")


def write_files_of_the_page(root: Path) -> None:
    for name, text in re.findall(r"^```\w+ (svd\.py|\S+/own-scores\.yaml)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        (root / name).write_text(text, encoding="utf-8")


def count_ratings(split: Path, name: str) -> None:
    """Score by the number of train ratings, as the recommender popularity does, in a run with misleading ranks.

    ``name`` is the path of each fold's file, with ``{fold}`` in it.
    """
    for file in split.glob("*/train.csv"):
        train = pd.read_csv(file, dtype={"user": str, "item": str})
        counts = train["item"].value_counts().to_dict()
        lines = [
            f"{user} Q0 {item} {rank} {n} counted\n"
            for user in train["user"].unique()
            for rank, (item, n) in enumerate(sorted(counts.items()), start=1)
        ]
        run = Path(name.replace("{fold}", file.parent.name))
        run.parent.mkdir(parents=True, exist_ok=True)
        run.write_text("".join(lines), encoding="utf-8")


@pytest.mark.slow
def test_exported_splits_come_back_as_scores(workspace: Workspace) -> None:
    root = workspace.root
    write_files_of_the_page(root)
    path = root / "config/studies/own-scores.yaml"
    study = yaml.safe_load(path.read_text(encoding="utf-8"))
    study["systems"]["Counted"] = 'from_file(path="runs/counted-{fold}.run")'
    study["design"]["ties"] = "low_index"
    path.write_text(yaml.safe_dump(study), encoding="utf-8")

    workspace.recsens("export", "own-scores", "--cores", "2")
    exported = sorted(str(file.relative_to(root)) for file in (root / "exports").rglob("*") if file.is_file())
    assert exported == sorted(re.findall(r"^exports/\S+$", PAGE, re.MULTILINE))
    assert not list((root / "results").rglob("model.npz"))

    (commands,) = re.findall(r"^```\n(mkdir runs\n.*?)^recsens run own-scores\n```$", PAGE, re.MULTILINE | re.DOTALL)
    subprocess.run(["/bin/bash", "-euc", commands.replace("python", sys.executable)], cwd=root, check=True)
    count_ratings((root / exported[0]).parent, f"{root}/runs/counted-{{fold}}.run")
    assert not {"ingest", "filter", "split"} & set(compute(root, "own-scores", without=PRESENTED))

    # The same scores give the same results, whoever computed them.
    summary = pd.read_csv(root / "results/studies/own-scores/summary.csv")
    values = summary.pivot_table(index="metric", columns="system", values="value")
    assert len(values) == 2
    assert (values["Counted"] == values["Popularity"]).all()
    assert (values["My SVD"] > values["Popularity"]).all()

    # A file that changes is read again, and no other system is affected.
    shutil.copy(root / "runs" / "svd-repeat-0.npz", root / "runs" / "svd-repeat-1.npz")
    planned = to_do(root, "own-scores")
    assert planned["fit"] == planned["rank"] == 2
    assert not {"ingest", "filter", "split"} & set(planned)


@pytest.mark.slow
def test_each_split_reads_the_scores_that_were_learnt_on_it(finished: Workspace) -> None:
    root = finished.root
    counted = 'from_file(path="runs/{dataset}/{split}/{fold}.run")'
    design = {"split": "random(ratio=0.5)", "ties": "low_index"}
    systems = {"Popularity": "popularity", "Counted": counted}
    finished.write_study("splits", systems=systems, design=design, vary={"split": ["random(ratio=0.2)"]})
    said = finished.recsens("export", "splits", "--cores", "2").stdout
    assert 'from_file(path="runs/mine/{split}/{fold}.csv")' in said

    first, second = (root / "exports" / "tiny" / f"random@ratio={ratio}" for ratio in ("0.5", "0.2"))
    count_ratings(first, f"{root}/runs/tiny/{first.name}/{{fold}}.run")
    refused = call(root, "run", "splits")
    assert "split 'random(ratio=0.2)': " in refused.stderr
    assert "no scores of fold 'repeat-0': there is no file 'runs/tiny/random@ratio=0.2/repeat-0.run'" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert not list((root / "results").rglob("low_index/positions.parquet"))

    count_ratings(second, f"{root}/runs/tiny/{second.name}/{{fold}}.run")
    compute(root, "splits", without=PRESENTED)
    summary = pd.read_csv(root / "results/studies/splits/summary.csv")
    values = summary.pivot_table(index=["split", "metric"], columns="system", values="value")
    assert len(values) == 4
    assert (values["Counted"] == values["Popularity"]).all()
    assert values["Counted"].nunique() == 4

    # A file that changes is read again, and no other split is affected.
    with (root / "runs" / "tiny" / second.name / "repeat-0.run").open("a", encoding="utf-8") as scores:
        scores.write("nobody Q0 nothing 1 1 counted\n")
    planned = to_do(root, "splits")
    assert planned["fit"] == planned["rank"] == 1


@pytest.mark.slow
def test_scores_that_were_moved_are_not_read_again(workspace: Workspace) -> None:
    def systems(path: str) -> dict[str, str]:
        return {"Popularity": "popularity", "Mine": f"from_file(path={path})"}

    (workspace.root / "mine.csv").write_text(
        "user,item,score\n" + "".join(f"u{user:02},i{item:03},{item}\n" for user in range(60) for item in range(1, 10))
    )
    workspace.write_study("tiny", systems=systems("mine.csv"), vary={})
    compute(workspace.root, "tiny")
    before = {path: path.stat().st_ino for path in (workspace.root / "results/seed-0").rglob("*.parquet")}
    (workspace.root / "elsewhere").mkdir()
    (workspace.root / "mine.csv").rename(workspace.root / "elsewhere/mine.csv")
    workspace.write_study("tiny", systems=systems("./elsewhere//mine.csv"), vary={})
    # Only the report names the file.
    compute(workspace.root, "tiny")
    assert "elsewhere/mine.csv" in (workspace.root / "results/studies/tiny/report.html").read_text()
    assert {path: path.stat().st_ino for path in (workspace.root / "results/seed-0").rglob("*.parquet")} == before
