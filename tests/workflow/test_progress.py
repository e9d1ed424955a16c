"""The progress line of a run."""

import io
import logging
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from snakemake_interface_logger_plugins.common import LogEvent

from recsens.study.location import workflow_folder
from recsens.workflow.job_names import names_of
from recsens.workflow.plan import Plan
from recsens.workflow.planned_jobs import planned_jobs
from recsens.workflow.profiles import sends_jobs_away
from recsens.workflow.progress import EVENTS, Progress
from snakemake_logger_plugin_recsens import LogHandler

PROFILES = workflow_folder() / "profiles"


class Terminal(io.StringIO):
    """A terminal that keeps what is written."""

    def isatty(self) -> bool:
        """It is one."""
        return True


@pytest.fixture
def now() -> list[float]:
    """Seconds on the clock."""
    return [0.0]


@pytest.fixture
def pipe():
    """Both ends of a pipe; the first can be read without waiting."""
    read, write = os.pipe()
    os.set_blocking(read, False)
    yield read, write
    os.close(read)
    os.close(write)


@pytest.fixture
def progress(now, pipe) -> Progress:
    """Follow what is written to a pipe."""
    followed = Progress(io.StringIO(), lambda job: f"{job.step} {job.wildcards['recommender']}", lambda: now[0])
    followed.begin(pipe[0])
    return followed


@pytest.fixture
def tell(pipe, monkeypatch) -> Callable[..., None]:
    """Have Snakemake's logger report an event."""
    monkeypatch.setenv(EVENTS, str(pipe[1]))
    logger = LogHandler(None, None)
    assert EVENTS not in os.environ

    def emit(event: LogEvent | None, **said: object) -> None:
        logger.emit(logging.makeLogRecord({"event": event, **said}))

    return emit


def begin(tell, *names: str) -> None:
    """Have jobs begin, such as ``fit a``, each with its name as its number."""
    for each in names:
        rule, name = each.split()
        tell(LogEvent.JOB_INFO, jobid=each, rule_name=rule, wildcards={"recommender": name})


def end(tell, *names: str, done: int, total: int = 5) -> None:
    """Have jobs end, and Snakemake say how many have."""
    for each in names:
        tell(LogEvent.JOB_FINISHED, job_id=each)
    tell(LogEvent.PROGRESS, done=done, total=total)


def test_a_run_that_has_not_begun_has_everything_to_go_but_the_target(progress, tell):
    tell(LogEvent.RUN_INFO, stats={"fit": 2, "rank": 2, "all": 1, "total": 5})
    progress.follow()
    assert progress.line() == "0 of 4 jobs done, 4 to go"


def test_jobs_run_end_and_fail(progress, tell):
    tell(LogEvent.RUN_INFO, stats={"total": 5})
    begin(tell, "fit a", "fit b")
    progress.follow()
    assert progress.line() == "0 of 4 jobs done, 2 to go, 2 running: fit a; fit b"
    end(tell, "fit a", done=1)
    tell(LogEvent.JOB_ERROR, jobid="fit b", rule_name="fit", log=["b.log"])
    begin(tell, "rank a")
    progress.follow()
    assert progress.line() == "1 of 4 jobs done, 1 failed, 1 to go, 1 running: rank a"
    assert progress.logs_of_failed() == ["b.log"]


def test_jobs_on_a_cluster_are_submitted_and_may_not_run_yet(progress, tell):
    tell(LogEvent.RUN_INFO, stats={"total": 5})
    begin(tell, "fit a", "fit b")
    progress.are_sent_away = sends_jobs_away(["--workflow-profile", str(PROFILES / "slurm"), "--cores", "8"])
    progress.follow()
    assert progress.line() == "0 of 4 jobs done, 2 to go, 2 submitted: fit a; fit b"
    assert not sends_jobs_away(["--workflow-profile", str(PROFILES / "default")])
    assert not sends_jobs_away(["--workflow-profile", str(PROFILES / "slurm"), "--executor=local"])
    assert sends_jobs_away(["--executor", "slurm"])


def test_a_job_that_is_sent_again_has_not_failed(progress, tell):
    tell(LogEvent.RUN_INFO, stats={"total": 5})
    begin(tell, "fit a")
    tell(LogEvent.JOB_ERROR, jobid="fit a", rule_name="fit", log=["a.log"])
    begin(tell, "fit a")
    progress.follow()
    assert progress.line() == "0 of 4 jobs done, 3 to go, 1 running: fit a"
    assert progress.logs_of_failed() == []


def test_the_target_is_no_job(progress, tell):
    end(tell, done=4)
    tell(LogEvent.JOB_INFO, jobid=0, rule_name="all", wildcards={})
    progress.follow()
    assert progress.line() == "4 of 4 jobs done"
    end(tell, done=5)
    progress.follow()
    assert progress.line() == "4 of 4 jobs done"


def test_what_an_earlier_call_of_snakemake_did_counts(progress, tell, pipe):
    end(tell, done=3, total=3)
    progress.follow()
    progress.begin(pipe[0])
    end(tell, done=1, total=5)
    progress.follow()
    assert progress.line() == "3 of 6 jobs done, 3 to go"


def test_of_many_jobs_under_way_some_are_named(progress, tell):
    tell(LogEvent.RUN_INFO, stats={"total": 31})
    begin(tell, *(f"fit {n}" for n in range(20)))
    progress.follow()
    assert progress.line().endswith("; fit 6; fit 7; 12 more")


def test_half_an_event_is_read_when_it_is_whole(progress, pipe):
    for part, line in (
        ('{"event": "progress", "done": 0, "total": 3}\n{"event": "prog', "0 of 2 jobs done, 2 to go"),
        ('ress", "done": 1, "total": 3}\n', "1 of 2 jobs done, 1 to go"),
    ):
        os.write(pipe[1], part.encode())
        progress.follow()
        assert progress.line() == line


def test_other_events_are_not_told(progress, tell):
    tell(None, msg="chatter")
    tell(LogEvent.SHELLCMD, shellcmd="true")
    assert progress._new_events() == []


@pytest.mark.parametrize("number", ["", "no number", "99999"])
def test_where_nobody_listens_nothing_is_told(monkeypatch, number):
    monkeypatch.setenv(EVENTS, number)
    LogHandler(None, None).emit(logging.makeLogRecord({"event": LogEvent.PROGRESS, "done": 1, "total": 2}))


def test_a_listener_that_is_gone_holds_up_nobody(monkeypatch):
    read, write = os.pipe()
    monkeypatch.setenv(EVENTS, str(write))
    logger = LogHandler(None, None)
    os.close(read)
    for _ in range(2):
        logger.emit(logging.makeLogRecord({"event": LogEvent.PROGRESS, "done": 1, "total": 2}))
    os.close(write)


def test_a_terminal_sees_one_line_rewritten(progress, tell, monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    progress.out = Terminal()
    progress.follow()
    tell(LogEvent.RUN_INFO, stats={"total": 5})
    begin(tell, "fit a")
    progress.follow()
    end(tell, "fit a", done=1)
    progress.follow()
    progress.end()
    lines = progress.out.getvalue().split("\r")
    assert lines[1:] == [f"{'0 of 4 jobs done, 3 to go, 1 running: fit a':.29}", f"{'1 of 4 jobs done, 3 to go':<29}\n"]


def test_a_log_gets_a_line_every_half_minute(progress, tell, now):
    tell(LogEvent.RUN_INFO, stats={"total": 5})
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
        # A system may have the name of a split.
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
