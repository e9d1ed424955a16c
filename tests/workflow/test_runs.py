"""Whole runs: the same bytes however they are computed, and nothing done twice."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from workspaces import Workspace

pytestmark = pytest.mark.workflow


def test_results_do_not_depend_on_the_number_of_cores(finished_once: Workspace, workspace: Workspace) -> None:
    on_two = finished_once.results()
    workspace.recsens("run", "tiny", "--cores", "1")
    on_one = workspace.results()
    assert on_one.keys() == on_two.keys()
    assert [name for name in on_one if on_one[name] != on_two[name]] == []
    assert "studies/tiny/report.html" in on_one


def test_studies_share_systems_without_disturbing_each_other(finished: Workspace) -> None:
    finished.write_study("other", metrics=["P@3"], systems={"kNN": "user_knn(k=10)"}, vary={})
    assert not {"ingest", "split", "fit", "rank"} & set(finished.planned("other"))
    finished.recsens("run", "other")
    assert "Nothing to do" in finished.recsens("run", "tiny").stdout


def test_a_run_ends_with_who_was_averaged_and_warns_where_most_cannot_score(finished: Workspace) -> None:
    said = finished.recsens("run", "tiny").stdout
    assert re.search(r"Who is averaged:\n  On Tiny, the base design averages \d+ users; ", said)
    assert "ATTENTION" not in said
    finished.write_study("few", vary={}, design={"split": "random(ratio=0.98)"})
    assert re.search(
        r"ATTENTION\n  On Tiny, under the base design, most of the users averaged cannot score",
        finished.recsens("run", "few").stdout,
    )


def test_an_edit_reruns_exactly_what_it_touches(finished: Workspace) -> None:
    assert not finished.planned("tiny")
    untouched = {"ingest", "filter", "split", "fit", "population"}

    finished.write_study("tiny", metrics=["P@5,10", "nDCG@5", "RBP@5"])
    planned = finished.planned("tiny")
    assert planned["measure"] == 2
    assert not (untouched | {"rank"}) & set(planned)
    finished.write_study("tiny")

    finished.edit("src/recsens/metrics/p.py", "np.asarray(cutoffs, dtype=np.float64)", "np.asarray(cutoffs, dtype=float)")
    planned = finished.planned("tiny")
    assert planned["measure"] == 1
    assert not (untouched | {"rank"}) & set(planned)
    finished.edit("src/recsens/metrics/p.py", "np.asarray(cutoffs, dtype=float)", "np.asarray(cutoffs, dtype=np.float64)")

    path = "src/recsens/recommenders/popularity.py"
    finished.edit(path, "from __future__ import annotations", "from __future__ import annotations\n\nEDITED = True")
    planned = finished.planned("tiny")
    assert planned["rank"] == 1
    assert not (untouched - {"population"}) & set(planned)


def test_a_comment_reruns_only_the_report_which_may_quote_it(finished: Workspace) -> None:
    finished.edit("src/recsens/metrics/p.py", '"""Precision."""', '"""Precision, told otherwise."""\n\n# A remark.')
    assert set(finished.planned("tiny")) == {"report"}


def test_a_plugin_of_ones_own_runs_and_editing_it_refits_it(workspace: Workspace) -> None:
    own = workspace.root / "lab" / "mylab" / "models.py"
    own.parent.mkdir(parents=True)
    own.write_text(
        "import numpy as np\n"
        "from recsens.recommenders import Recommender\n\n\n"
        "class Newest(Recommender):\n"
        '    """Recommend the last items first."""\n\n'
        "    def fit(self, train, rng):\n"
        "        self._learned = {'score': np.arange(train.n_items, dtype=float)}\n"
        "        return self\n\n"
        "    def score(self, train, users):\n"
        "        return np.repeat(self._learned['score'][None], len(users), axis=0)\n",
        encoding="utf-8",
    )
    workspace.write_study("tiny", plugins=["lab"], systems={"Newest": "mylab.models.Newest", "Popularity": "popularity"})
    workspace.recsens("run", "tiny")
    assert (workspace.root / "results/studies/tiny/report.html").exists()
    workspace.edit("lab/mylab/models.py", "np.arange(train.n_items", "-np.arange(train.n_items")
    planned = workspace.planned("tiny")
    assert planned["fit"] == 1
    assert planned["rank"] == 1


def test_a_killed_run_is_taken_up_again_with_the_same_bytes(finished_once: Workspace, workspace: Workspace) -> None:
    running = _start(workspace)
    _wait_for(workspace.root / "results", "roles.parquet")
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    workspace.recsens("run", "tiny")
    assert workspace.results() == finished_once.results()


def test_deleted_results_are_made_anew(finished: Workspace) -> None:
    before, study = finished.results(), finished.root / "results/studies/tiny"
    for deleted in [study / "summary.csv", study / "tables.tex", *study.glob("figures/*.png")]:
        deleted.unlink()
    finished.recsens("run", "tiny")
    assert finished.results() == before


@pytest.mark.parametrize(
    ("design", "told"),
    [
        ({"split": "random(ratio=0.0000001)"}, "leaves the train set empty"),
        ({"split": "uniform(sigma=0.9)"}, "sigma"),
        ({"targets": "ar(n=190)"}, "n=190"),
        ({"aggregate": "weighted(by=age)"}, "the column 'age'"),
    ],
)
def test_what_the_data_do_not_allow_stops_before_any_fit(workspace: Workspace, design: dict[str, str], told: str) -> None:
    workspace.write_study("tiny", design=design)
    refused = workspace.recsens("run", "tiny", check=False)
    assert refused.returncode != 0
    assert told in refused.stdout + refused.stderr
    assert not list((workspace.root / "results").rglob("model.npz"))
    assert not list((workspace.root / "results").rglob("positions.parquet"))


def test_decisions_that_exclude_each_other_stop_before_any_job(workspace: Workspace) -> None:
    workspace.write_study("tiny", vary={"targets": ["one_r"], "view": ["condensed"]}, combine="grid")
    refused = workspace.recsens("run", "tiny", check=False)
    assert refused.returncode != 0
    assert "'targets: one_r' and 'view: condensed' do not go together" in refused.stderr
    assert not (workspace.root / "results").exists()


def test_every_decision_can_vary_in_one_study(workspace: Workspace) -> None:
    vary = {
        "filter": ["ratings_per_user(at_least=5)+sample(ratings=0.9)"],
        "split": ["k_fold(k=2)"],
        "targets": ["one_r(n=20,draw=per_rating)", "p1r(m=4)"],
        "nc": ["append(by=average_rating)"],
        "relevance": [5],
        "users": ["with_ratings(relevant=1)"],
        "view": ["condensed"],
        "aggregate": ["geometric", "weighted(by=relevant)"],
        "coverage": ["reduced"],
        "test": ["randomisation(samples=100)"],
        "correction": ["holm"],
    }
    few = {"dataset": "Tiny", "design": {"split": "leave_out(n=3)"}, "vary": {"targets": ["rel_plus_n(n=30)"]}}
    workspace.write_study("tiny", vary=vary, experiments={"Few": few})
    workspace.recsens("run", "tiny", "--cores", "2")
    study = workspace.root / "results/studies/tiny"
    n_designs = 1 + sum(map(len, vary.values())) + 2
    # One pair of systems, by two metrics.
    assert len((study / "verdicts.csv").read_text().splitlines()) == 1 + 2 * n_designs
    assert (study / "flips.csv").exists()
    assert "Nothing to do" in workspace.recsens("run", "tiny").stdout


def test_a_second_run_in_the_same_folder_is_refused(workspace: Workspace) -> None:
    running = _start(workspace)
    try:
        _wait_for(workspace.root / ".snakemake", "recsens.lock")
        time.sleep(1)
        refused = workspace.recsens("run", "tiny", check=False)
        assert refused.returncode != 0
        assert "another run is under way here" in refused.stderr
    finally:
        running.terminate()
        running.wait()


def _start(workspace: Workspace) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        workspace.command("run", "tiny"),
        cwd=workspace.root,
        env=workspace.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _wait_for(folder: Path, name: str) -> None:
    for _ in range(600):
        if any(folder.rglob(name)):
            return
        time.sleep(0.1)
    pytest.fail(f"no {name} below {folder} within a minute")
