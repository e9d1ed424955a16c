"""The line that tells how far a run is."""

import io
from pathlib import Path

import pytest
import yaml

from recsens.workflow.job_names import names_of
from recsens.workflow.jobs import PlannedJob, planned_jobs
from recsens.workflow.plan import Plan
from recsens.workflow.progress import Progress


class Terminal(io.StringIO):
    """A terminal that keeps what is written."""

    def isatty(self) -> bool:
        """It is one."""
        return True


def job(step: str, path: str) -> PlannedJob:
    """Return a job that makes a file and its costs."""
    return PlannedJob(step, {}, {}, {"made": [path], "cost": [f"{path}.json"]}, {})


@pytest.fixture
def now() -> list[float]:
    """Seconds on the clock."""
    return [0.0]


@pytest.fixture
def progress(tmp_path, now) -> Progress:
    """Follow two fits and two rankings."""
    followed = Progress(tmp_path / "notes", io.StringIO(), lambda each: f"{each.step} {each.files_written[0]}", lambda: now[0])
    followed.expect([job("fit", "a"), job("fit", "b"), job("rank", "c"), job("rank", "d")])
    return followed


def noted(progress: Progress, *events: str) -> None:
    """Have jobs note events, and read them."""
    with Path(progress.notes).open("a", encoding="utf-8") as notes:
        notes.writelines(f"{event}\n" for event in events)
    progress.follow()


def test_a_run_that_has_not_begun_has_everything_to_go(progress):
    progress.follow()
    assert progress.line() == "0 of 4 jobs done, 4 to go"


def test_jobs_run_end_and_fail(progress, now):
    noted(progress, "begun\ta", "begun\tb")
    assert progress.line() == "0 of 4 jobs done, 2 to go: fit a; fit b"
    now[0] = 10.0
    noted(progress, "done\ta", "failed\tb", "begun\tc")
    assert progress.line() == "1 of 4 jobs done, 1 failed, 1 to go, about 10 s left: rank c"


def test_the_time_left_follows_from_jobs_of_the_same_step_as_many_at_a_time_as_before(progress, now):
    noted(progress, "begun\ta", "begun\tc")
    now[0] = 60.0
    noted(progress, "done\ta", "begun\tb")
    now[0] = 80.0
    noted(progress, "done\tc")
    # A fit takes 60 s and has 40 left; a ranking takes 80 s, and one is to go. Before that was known, 40 s were left.
    assert progress.line() == "2 of 4 jobs done, 1 to go, about 65 s left: fit b"


def test_jobs_that_turn_out_sound_are_no_longer_expected(progress):
    noted(progress, "begun\ta", "done\ta")
    progress.expect([job("rank", "d")])
    assert progress.line().startswith("1 of 2 jobs done, 1 to go")


def test_half_a_note_is_read_when_it_is_whole(progress):
    progress.notes.write_text("begun\ta\nbeg", encoding="utf-8")
    progress.follow()
    with progress.notes.open("a", encoding="utf-8") as notes:
        notes.write("un\tb\n")
    progress.follow()
    assert progress.line() == "0 of 4 jobs done, 2 to go: fit a; fit b"


def test_a_terminal_sees_one_line_rewritten(progress, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    progress.out = Terminal()
    noted(progress, "begun\ta")
    noted(progress, "done\ta")
    progress.end()
    lines = progress.out.getvalue().split("\r")
    assert lines[1:] == [f"{'0 of 4 jobs done, 3 to go: fit a':<39}", f"{'1 of 4 jobs done, 3 to go, about 5 s left':.39}\n"]


def test_a_log_gets_a_line_every_half_minute(progress, now):
    for second in range(0, 70, 10):
        now[0] = float(second)
        progress.follow()
    progress.end()
    assert progress.out.getvalue() == "0 of 4 jobs done, 4 to go\n" * 2


def test_jobs_are_named_in_the_studys_own_words(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    study = {
        "title": "Names",
        "datasets": {"Tiny": "simulated(users=60,items=200,ratings=2000)"},
        # A system may bear the name of a split.
        "systems": {"Chance": "random", "My kNN": "user_knn(k=10)"},
        "design": {"split": "random(ratio=0.5)"},
        "metrics": ["P@5"],
    }
    Path("s.yaml").write_text(yaml.safe_dump(study, sort_keys=False), encoding="utf-8")
    plan = Plan("s.yaml")
    name = names_of(plan)
    named = {name(each) for each in planned_jobs(plan)}
    assert {"ingest on Tiny", "fit My kNN on Tiny, random(ratio=0.5), repeat-0", "measure P@5", "summarise"} <= named
    assert "rank Chance on Tiny, random(ratio=0.5), repeat-0" in named
