"""Complete runs: the same bytes however they are computed, and nothing is computed twice."""

import csv
import fcntl
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from in_process import call, compute, to_do
from recsens.artefacts import storage
from recsens.artefacts.statements import making
from workspaces import DEFAULT_PROFILE, LEFT_ALONE, Workspace, copied

pytestmark = pytest.mark.workflow


@pytest.mark.slow
def test_shards_killed_and_taken_up_again_leave_the_bytes_of_one_job_and_nothing_else(finished: Workspace) -> None:
    by_one = finished.results()
    for path in (finished.root / "results").glob("seed-0/**/random/*.parquet"):
        path.unlink()
    finished.write_study("tiny", shards=3)
    _kill_once(finished, "shard-*.lists-*.parquet", "run", "tiny", "--cores", "1")
    finished.recsens("run", "tiny", "--cores", "2")
    assert finished.differs_from(by_one) == {}
    # Removed shards are not missed, even if a run is forced, or if their number changes.
    said = finished.snakemake("tiny", "--workflow-profile", DEFAULT_PROFILE, "--cores", "2", "--forcerun", "fit")
    done = re.findall(r"^Finished jobid: \d+ \(Rule: (\w+)\)", said, re.MULTILINE)
    assert "rank_shard" in done
    assert sorted(done) == sorted([*LEFT_ALONE.findall(said), "all"])
    assert finished.differs_from(by_one) == {}
    assert not list((finished.root / "results").rglob("shard-*"))
    assert not to_do(finished.root, "tiny")
    finished.write_study("tiny")
    assert "Nothing to do" in call(finished.root, "run", "tiny").output


@pytest.mark.slow
def test_a_search_killed_and_taken_up_again_leaves_the_bytes_of_one_that_was_not(workspace: Workspace) -> None:
    search = f"grid(l1={[1 + number / 10 for number in range(30)]},l2=[1])".replace(" ", "")
    systems = {"Popularity": "popularity", "SLIM": f"tuned(of=slim,search={search})"}
    data = {"Tiny": "simulated(users=300,items=200,ratings=12000)"}
    workspace.write_study("searched", datasets=data, systems=systems, vary={}, figures=[])
    _kill_once(workspace, "shard-*-of-3.tuning.json", "run", "searched", "--cores", "1")
    assert to_do(workspace.root, "searched")["tune_shard"] <= 2
    workspace.recsens("run", "searched", "--cores", "2")
    assert not list((workspace.root / "results").rglob("shard-*"))
    results = workspace.results()
    shutil.rmtree(workspace.root / "results")
    compute(workspace.root, "searched")
    # What is computed in this process has no lock and no report of costs.
    assert {name.rpartition("/")[2] for name in workspace.differs_from(results)} <= {".lock", "report.html", "report.html.json"}


@pytest.mark.slow
def test_users_of_several_stretches_in_shards_and_by_one_job(workspace: Workspace) -> None:
    large, systems = {"Large": "simulated(users=20000,items=90,ratings=440000)"}, {"Popularity": "popularity", "Random": "random"}
    found = []
    for shards in (1, 2):
        workspace.write_study("large", datasets=large, systems=systems, shards=shards, figures=[])
        assert ("rank_shard" in compute(workspace.root, "large")) == (shards > 1)
        found.append(workspace.results())
        shutil.rmtree(workspace.root / "results")
    assert found[0] == found[1]


@pytest.mark.slow
def test_studies_share_systems_without_disturbing_each_other(finished: Workspace) -> None:
    finished.write_study("other", metrics=["P@3"], systems={"kNN": "user_knn(k=10)"}, vary={})
    assert not {"ingest", "split", "fit", "rank"} & set(compute(finished.root, "other"))
    said = call(finished.root, "run", "tiny").stdout
    assert "Nothing to do" in said
    assert "p-values generalise to other users, not to other splits" in said
    assert re.search(r"Users averaged:\n  On Tiny, the base design averages over \d+ users, ", said)
    assert "cannot score above" not in said


@pytest.mark.slow
def test_a_checkout_whose_results_are_a_link_finds_what_another_has_computed(
    checkout_once: Path, finished: Workspace, tmp_path: Path
) -> None:
    neighbour = Workspace(copied(checkout_once, tmp_path / "neighbour"))
    (neighbour.root / "results").symlink_to(finished.root / "results")
    before = finished.results()
    assert "Nothing to do" in call(neighbour.root, "run", "tiny").stdout
    neighbour.write_study("theirs", metrics=["P@3"])
    assert not {"ingest", "split", "fit", "rank"} & set(to_do(neighbour.root, "theirs"))
    neighbour.recsens("run", "theirs", "--cores", "2")
    assert (finished.root / "results/studies/theirs/report.html").is_file()
    assert (neighbour.root / "results").is_symlink()
    assert "Nothing to do" in call(finished.root, "run", "tiny").stdout
    assert finished.differs_from(before).keys() <= {name for name in finished.results() if name not in before}


@pytest.mark.slow
def test_a_run_ends_with_a_warning_where_most_cannot_score(finished: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    # A table as if few users had relevant test ratings, with the statement of the job's own table.
    monkeypatch.chdir(finished.root)
    counted = Path("results/studies/tiny/counted.csv")
    statement = storage.read_statement(counted)
    assert statement is not None
    rows = list(csv.DictReader(io.StringIO(counted.read_text(encoding="utf-8"))))
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows({**row, "with_relevant": 10} for row in rows)
    with making(statement.made):
        storage.write_text(counted, text.getvalue())
    assert re.search(
        r"ATTENTION\n  On Tiny, under the base design.*, most of the users averaged cannot score",
        call(finished.root, "run", "tiny").stdout,
    )


def test_an_edit_of_a_study_reruns_exactly_what_it_touches(finished: Workspace) -> None:
    finished.write_study("tiny", metrics=["P@5,10", "nDCG@5", "RBP@5"])
    planned = to_do(finished.root, "tiny")
    assert planned["measure"] == 2
    assert not {"ingest", "filter", "split", "fit", "count_ratings", "rank"} & set(planned)
    finished.write_study("tiny")
    assert not to_do(finished.root, "tiny")


def test_a_comment_reruns_only_the_report_which_may_quote_it(finished: Workspace) -> None:
    finished.edit("src/recsens/metrics/precision_recall.py", "\nP: Precision.\n", "\nP: Precision, told otherwise.\n")
    assert set(finished.planned("tiny")) == {"report"}


def test_a_plugin_of_ones_own_runs_and_editing_it_refits_it(finished: Workspace) -> None:
    own = finished.root / "lab" / "mylab" / "models.py"
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
    systems = {"Newest": "mylab.models.Newest", "Popularity": "popularity"}
    finished.write_study("own", plugins=["lab"], systems=systems, metrics=["P@5"], vary={})
    compute(finished.root, "own")
    assert (finished.root / "results/studies/own/report.html").exists()
    finished.edit("lab/mylab/models.py", "np.arange(train.n_items", "-np.arange(train.n_items")
    planned = to_do(finished.root, "own")
    assert planned["fit"] == 1
    assert planned["rank"] == 1


@pytest.mark.slow
def test_what_the_data_do_not_allow_stops_before_any_fit_and_every_reason_is_told(workspace: Workspace) -> None:
    vary = {"split": ["random(ratio=0.0000001)", "uniform(sigma=0.9)"], "targets": ["ar(n=190,short=refuse)"]}
    workspace.write_study("tiny", vary=vary)
    told = _refused(workspace, "tiny")
    assert "leaves the train set empty" in told
    assert "no number of items can give a share sigma = 0.9" in told
    assert "n=190" in told
    assert not list((workspace.root / "results").rglob("model.npz"))
    assert not list((workspace.root / "results").rglob("positions.parquet"))


@pytest.mark.slow
def test_users_without_the_column_that_weights_them_stop_before_any_fit(finished: Workspace) -> None:
    finished.write_study("weighted", design={"split": "random(ratio=0.4)", "aggregate": "weighted(by=age)"}, vary={})
    assert "the column 'age'" in _refused(finished, "weighted")
    assert not list((finished.root / "results").rglob("random@ratio=0.4/**/model.npz"))
    assert not list((finished.root / "results").rglob("random@ratio=0.4/**/positions.parquet"))


def test_decisions_that_exclude_each_other_stop_before_any_job(workspace: Workspace) -> None:
    workspace.write_study("tiny", vary={"targets": ["one_r"], "view": ["condensed"]}, combine="grid")
    refused = call(workspace.root, "run", "tiny")
    assert refused.exit_code != 0
    assert "'targets: one_r' and 'view: condensed' do not go together" in refused.stderr
    assert not (workspace.root / "results").exists()


VARIED = {
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
FEW = {"dataset": "Tiny", "design": {"split": "leave_out(n=3)"}, "vary": {"targets": ["rel_plus_n(n=30)"]}}


@pytest.mark.slow
def test_every_decision_can_vary_in_one_study_which_is_reported_and_runs_once(workspace: Workspace) -> None:
    workspace.write_study("tiny", vary=VARIED, experiments={"Few": {**FEW, "metrics": ["P@5", "RR@5"]}})
    planned = workspace.planned("tiny")
    assert planned.pop("costs") == 1
    assert compute(workspace.root, "tiny") == planned
    study = workspace.root / "results/studies/tiny"
    n_designs = 1 + sum(map(len, VARIED.values())) + 2
    # One pair of systems, by two metrics.
    assert len((study / "verdicts.csv").read_text().splitlines()) == 1 + 2 * n_designs
    assert (study / "flips.csv").exists()
    for key in VARIED:
        assert (study / f"figures/{key}.svg").exists()
    assert (study / "report.html").exists()
    assert not to_do(workspace.root, "tiny")


@pytest.mark.slow
def test_all_damaged_results_are_named_at_once_with_the_command_that_makes_them_anew(finished: Workspace) -> None:
    before = finished.results()
    damaged = sorted((finished.root / "results").glob("seed-0/**/random/*.parquet"))
    for path in damaged:
        content = bytearray(path.read_bytes())
        content[70] ^= 1  # in the first page, which only the jobs that read the file check
        path.write_bytes(content)
    assert len(damaged) == 6  # of two systems: positions, users and lists
    names = {str(path.relative_to(finished.root)) for path in damaged}
    finished.write_study("tiny", metrics=["P@5", "nDCG@5", "RR@5"])
    said = _refused(finished, "tiny")
    command = next(line.strip() for line in said.splitlines() if line.strip().startswith("rm -f "))
    assert names == {word for word in shlex.split(command) if word.endswith(".parquet")}
    environment = {**finished.environment(), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    subprocess.run(["/bin/sh", "-c", command], cwd=finished.root, env=environment, check=True, capture_output=True)
    after = finished.results()
    assert {name: after[name.removeprefix("results/")] == before[name.removeprefix("results/")] for name in names} == dict.fromkeys(
        names, True
    )
    assert not to_do(finished.root, "tiny")


def test_a_second_run_on_the_same_results_is_refused(workspace: Workspace) -> None:
    folder = workspace.root / "results"
    folder.mkdir()
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        refused = call(workspace.root, "run", "tiny")
    assert refused.exit_code != 0
    assert "another run is writing these results" in refused.stderr


def _refused(workspace: Workspace, study: str) -> str:
    """Run a study that must be refused, and return the final message."""
    refused = workspace.recsens("run", study, check=False)
    assert refused.returncode != 0
    return refused.stderr.rpartition("the workflow stopped")[2]


def _kill_once(workspace: Workspace, written: str, *command: str) -> None:
    """Start a run, and kill it when a file is written; the processes that it started stay."""
    running = subprocess.Popen(
        workspace.command(*command),
        cwd=workspace.root,
        env=workspace.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while not any((workspace.root / "results").rglob(written)):
        assert running.poll() is None, f"the run ended before there was a {written}"
        time.sleep(0.1)
    running.kill()
    running.wait()
