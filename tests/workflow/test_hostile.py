"""Runs under hostile conditions: another Snakemake at work, signals, and folders that cannot be written."""

import hashlib
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from in_process import call
from workspaces import DEFAULT_PROFILE, Workspace

pytestmark = [pytest.mark.workflow, pytest.mark.slow]


def test_a_look_leaves_a_live_snakemake_alone_and_a_second_writer_is_refused(workspace: Workspace, tmp_path: Path) -> None:
    neighbour = shutil.copytree(workspace.root, tmp_path / "neighbour")
    (workspace.root / "results").mkdir()
    (neighbour / "results").symlink_to(workspace.root / "results")
    command = [sys.executable, "-m", "snakemake", "--config", "study=tiny", "--workflow-profile", DEFAULT_PROFILE, "--cores", "1"]
    plain = _started(workspace, command, until="results/logs")
    plain.send_signal(signal.SIGSTOP)  # it holds the lock of the results, however quick its jobs are
    try:
        locks = sorted((workspace.root / ".snakemake/locks").iterdir())
        assert locks
        looked = call(workspace.root, "run", "tiny", "--dry-run").stdout
        assert "A run would do" in looked
        assert f"Another run is writing these results (process {plain.pid} on " in looked
        assert sorted((workspace.root / ".snakemake/locks").iterdir()) == locks
        for checkout in (workspace, Workspace(neighbour)):
            refused = call(checkout.root, "run", "tiny")
            assert refused.exit_code == 1
            assert f"another run is writing these results (process {plain.pid} on " in refused.stderr
        assert sorted((workspace.root / ".snakemake/locks").iterdir()) == locks
        assert plain.poll() is None
    finally:
        plain.kill()
        plain.communicate()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"datasets": {"Mine": "delimited(path=gone.csv)"}}, "datasets.Mine: path: there is no file 'gone.csv'"),
        ({"systems": {"Pop": "popularity", "Odd": "randm"}}, "did you mean 'random'?"),
    ],
)
def test_plain_snakemake_shows_the_message_of_a_refusal_without_the_stack(workspace: Workspace, change: dict, said: str) -> None:
    workspace.write_study("refused", **change)
    shown = workspace.snakemake("refused", "--cores", "1", "--dry-run", check=False)
    assert said in shown
    assert "Traceback" not in shown
    assert shown.count('File "') == 1  # Snakemake adds the line of the rules itself.


def test_a_foreign_executor_is_refused_before_it_removes_what_another_run_has_made(finished: Workspace) -> None:
    before = finished.results()
    held = "from pathlib import Path\nfrom recsens.workflow.lock import only_writer\nimport time\n"
    held += "with only_writer(Path('results')):\n    print('held', flush=True)\n    time.sleep(600)\n"
    holder = subprocess.Popen([sys.executable, "-c", held], cwd=finished.root, stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout
        assert holder.stdout.readline() == "held\n"
        said = finished.snakemake("tiny", "--executor", "local", "--cores", "1", "--forcerun", "summarise", check=False)
        assert f"another run is writing these results (process {holder.pid} on " in said
        assert "Traceback" not in said
        kept = finished.results()
        assert {name: content for name, content in kept.items() if name != ".lock"} == {
            name: content for name, content in before.items() if name != ".lock"
        }
    finally:
        holder.kill()
        holder.communicate()


def test_looks_change_nothing(finished: Workspace) -> None:
    before = _listing(finished.root)
    for look in ("check", "plan"):
        assert call(finished.root, look, "tiny").exit_code == 0
    assert "Nothing to do" in call(finished.root, "run", "tiny", "--dry-run").stdout
    assert "Nothing to do" in finished.recsens("run", "tiny").stdout
    assert _listing(finished.root) == before


def test_a_read_only_checkout_is_looked_at_and_a_run_is_refused_in_one_message(finished: Workspace) -> None:
    unshare = shutil.which("unshare")
    if not unshare or subprocess.run([unshare, "--mount", "true"], capture_output=True, check=False).returncode:
        pytest.skip("no permission to mount")
    root = str(finished.root)
    script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && cd "$0" && exec "$@"'

    def recsens(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [unshare, "--mount", "sh", "-c", script, root, *finished.command(*arguments)]
        return subprocess.run(command, env=finished.environment(), capture_output=True, text=True, check=False)

    assert recsens("check", "tiny").returncode == 0
    finished.write_study("tiny", metrics=["P@3"])
    refused = recsens("run", "tiny")
    assert refused.returncode == 1
    assert "Traceback" not in refused.stderr
    assert f"Error: {root}/results: cannot be written: Read-only file system\n  what to do: " in refused.stderr


def _started(workspace: Workspace, command: list[str], *, until: str) -> subprocess.Popen[str]:
    """Start a command and wait until a folder exists."""
    started = subprocess.Popen(
        command, cwd=workspace.root, env=workspace.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    while not (workspace.root / until).exists():
        assert started.poll() is None, started.stderr.read()
        time.sleep(0.05)
    return started


def _listing(root: Path) -> dict[str, tuple[object, ...]]:
    """Describe every file and folder: its kind, permissions, time and content."""
    found = {}
    for path in root.rglob("*"):
        state = path.lstat()
        content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        found[str(path.relative_to(root))] = (state.st_mode, state.st_mtime_ns, content)
    return found
