"""Two checkouts with one store: what one has computed the other takes, to the same bytes; no trouble with the store is theirs."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from recsens.workflow.shared import SHARED, Store, verified
from workspaces import Workspace

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

FITS = {"fit", "rank"}


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """Share by an empty store."""
    root = tmp_path / "store"
    root.mkdir()
    monkeypatch.setenv(SHARED, str(root))
    return Store(root)


def test_a_second_checkout_computes_nothing_that_the_first_has(store: Store, finished: Workspace, workspace: Workspace) -> None:
    said = finished.recsens("run", "tiny").stderr
    assert re.search(rf"^Given to {store.root}: the results of \d+ jobs$", said, re.MULTILINE)
    said = workspace.recsens("run", "tiny", "--cores", "2").stderr
    assert re.search(rf"^Taken from {store.root}: the results of \d+ jobs \(.* took \d+ s\)$", said, re.MULTILINE)
    assert jobs_done(workspace).isdisjoint({"ingest", "filter", "split", "check", *FITS})
    assert workspace.differs_from(finished.results()) == {}
    assert workspace.recsens("verify", "tiny").stdout.endswith("A run would do nothing\n")
    assert "Given" not in said
    assert list(verified(store)) == []


PLUGIN = '''import numpy as np
from recsens.recommenders import Recommender


class Mine(Recommender):
    """Recommend the items in one order."""

    def fit(self, train, rng):
        self._learned = {"score": np.arange(train.n_items) * +1.0}
        return self

    def score(self, train, users):
        return np.repeat(self._learned["score"][None], len(users), axis=0)
'''


def test_a_plug_in_of_the_same_name_with_other_code_takes_data_and_splits_alone(
    store: Store, workspace: Workspace, tmp_path: Path
) -> None:
    theirs = Workspace(Path(shutil.copytree(workspace.root, tmp_path / "theirs")))
    for checkout, plugin in ((workspace, PLUGIN), (theirs, PLUGIN.replace("+1.0", "-1.0"))):
        (checkout.root / "lab").mkdir()
        (checkout.root / "lab/mine.py").write_text(plugin, encoding="utf-8")
        checkout.write_study("own", plugins=["lab"], systems={"Mine": "mine.Mine"}, metrics=["P@5"], vary={})
        checkout.recsens("run", "own", "--cores", "2")
    assert jobs_done(theirs).isdisjoint({"ingest", "filter", "split"})
    assert jobs_done(theirs) >= FITS
    [mine], [other] = ([*(each.root / "results").rglob("positions.parquet")] for each in (workspace, theirs))
    assert mine.read_bytes() != other.read_bytes()


@pytest.mark.parametrize(
    ("options", "said"),
    [("ro", "Read-only file system"), ("size=64k", "No space left on device")],
    ids=["read-only", "full"],
)
def test_a_store_that_cannot_be_written_is_a_warning(
    store: Store, finished: Workspace, workspace: Workspace, options: str, said: str
) -> None:
    mounting = [
        "unshare",
        "--mount",
        "sh",
        "-c",
        'mount -t tmpfs -o "$0" none "$1" && shift && exec "$@"',
        options,
        str(store.root),
    ]
    if not shutil.which("unshare") or subprocess.run([*mounting, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no permission to mount")
    command = [*mounting, *workspace.command("run", "tiny", "--cores", "2")]
    run = subprocess.run(command, cwd=workspace.root, env=workspace.environment(), capture_output=True, text=True, check=True)
    assert len(re.findall(rf"^shared results: nothing more is given to {store.root}: .*{said}", run.stderr, re.MULTILINE)) == 1
    assert workspace.differs_from(finished.results()) == {}


def jobs_done(workspace: Workspace) -> set[str]:
    """Name the steps of the jobs that were done here."""
    return {path.name for path in (workspace.root / "results/logs").iterdir()} - {"run"}
