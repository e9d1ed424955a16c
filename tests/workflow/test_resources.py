"""Resources that rules request from a cluster."""

import math
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from recsens import plugins
from recsens.artefacts.addresses import Address
from recsens.plugins import specs
from recsens.recommenders import Extent, Recommender
from recsens.workflow.ask import Ask, _resources
from recsens.workflow.plan import Plan
from workspaces import REPOSITORY

SMALL, LARGE = Extent(1_000, 2_000, 100_000), Extent(480_000, 18_000, 100_000_000)


def asked(monkeypatch: pytest.MonkeyPatch, extent: Extent, n_rankings: int = 1, system: str = "user_knn(k=10)") -> Ask:
    """The object `ask` for a study with data of a given extent and a given number of rankings."""
    monkeypatch.setattr(_resources, "guessed_extent", lambda source: extent)
    monkeypatch.setattr(_resources, "recommender_at", lambda plan, wildcards: plugins.build("recommender", specs.parse(system)))
    rankings = {str(n): SimpleNamespace(address=Address.of(0, "d") / "none") for n in range(n_rankings)}
    return Ask(SimpleNamespace(rankings=rankings, source_at=lambda dataset: None))


JOB = SimpleNamespace(seed="0", dataset="d", filter="none", recommender="r")
STUDY = SimpleNamespace()


def rules() -> dict[str, str]:
    """The text of each rule that runs a step, by its name; after its own lines come those of the rule on which it builds."""
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(Path(REPOSITORY, "workflow/rules").glob("*.smk")))
    _, *parts = re.split(r"^use rule (\w+) as (\w+) with:$", text, flags=re.MULTILINE)
    found = {"step": ""}
    for builds_on, name, own in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        found[name] = own + found[builds_on]
    return {name: text for name, text in found.items() if name != "step"}


def memory_of(ask: Ask, rule: str) -> Any:
    """The memory request as a rule states it."""
    return eval(re.search(r"mem_mb=(ask\.mb\(.*\)),", rules()[rule])[1], {"ask": ask})  # noqa: S307 - our own rules


def time_of(ask: Ask, rule: str) -> Any:
    """The time limit as a rule states it."""
    return eval(re.search(r"runtime=(ask\.runtime\(.*\)),", rules()[rule])[1], {"ask": ask})  # noqa: S307 - our own rules


def threads_of(ask: Ask, rule: str) -> int:
    """The number of threads of a job as a rule states it."""
    return eval(re.search(r"threads: (ask\..*)", rules()[rule])[1], {"ask": ask})(JOB)  # noqa: S307 - our own rules


@pytest.mark.parametrize(("system", "small", "large"), [("hkv", 1, 2), ("popularity", 1, 1), ("wrmf", 1, 2)])
def test_a_brief_fit_uses_one_thread(system, small, large, monkeypatch):
    assert threads_of(asked(monkeypatch, SMALL, system=system), "fit") == small
    assert threads_of(asked(monkeypatch, LARGE, system=system), "fit") == large


def test_tuning_and_programs_use_the_threads_that_are_declared(monkeypatch):
    assert threads_of(asked(monkeypatch, SMALL, system="hkv"), "tune") == 2
    program = 'program(run="python fit.py {train} {scores}",files=[],threads=3)'
    assert threads_of(asked(monkeypatch, SMALL, system=program), "fit_program") == 3


def test_a_request_doubles_at_each_attempt(monkeypatch):
    ask = asked(monkeypatch, SMALL)
    for request in (memory_of(ask, "fit"), time_of(ask, "fit")):
        assert [request(JOB, attempt=attempt) for attempt in (2, 3)] == [request(JOB, attempt=1) * times for times in (2, 4)]


@pytest.mark.parametrize("rule", sorted(rules()))
def test_a_request_grows_with_the_data_and_never_shrinks(rule, monkeypatch):
    job = STUDY if "<study>" in rules()[rule] else JOB
    least, shortest = (of(asked(monkeypatch, SMALL), rule)(job, attempt=1) for of in (memory_of, time_of))
    most, longest = (of(asked(monkeypatch, LARGE), rule)(job, attempt=1) for of in (memory_of, time_of))
    assert 1400 <= least <= most
    assert 3 <= shortest <= longest


PEAKS = [
    ("ingest", "hkv", 178, 260),
    ("filter", "hkv", 139, 131),
    ("split", "hkv", 181, 267),
    ("check_targets", "hkv", 244, 357),
    ("fit", "hkv(factors=50)", 306, 437),
    ("fit", "user_knn(k=1000)", 303, 506),
    ("rank", "user_knn(k=1000)", 346, 569),
]
"""Largest resident memory in MB of jobs on MovieLens 100K and 1M, as Snakemake recorded it."""

SNAKEMAKES, WORKER = 600, 330
"""MB of the two Snakemake processes within a Slurm job, and of the worker, in addition to those of the steps."""


@pytest.mark.parametrize(("rule", "system", "small", "large"), PEAKS)
def test_a_request_leaves_room_for_two_jobs_of_the_peaks_that_were_measured(rule, system, small, large, monkeypatch):
    for peak, extent in ((small, Extent(943, 1682, 100_000)), (large, Extent(6040, 3706, 1_000_209))):
        mb = memory_of(asked(monkeypatch, extent, system=system), rule)(JOB, attempt=1)
        assert 2 * peak + SNAKEMAKES + WORKER <= mb <= 4 * (peak + SNAKEMAKES)


@pytest.mark.parametrize("system", ["ease", "user_knn(k=100)", "uir_item", "slim"])
def test_a_recommender_asks_for_the_memory_and_time_that_it_says_it_needs(system, monkeypatch):
    recommender = Recommender.build(system)
    usual = memory_of(asked(monkeypatch, LARGE, system="hkv"), "fit")(JOB, attempt=1)
    ask = asked(monkeypatch, LARGE, system=system)
    assert memory_of(ask, "fit")(JOB, attempt=1) - usual == pytest.approx(recommender.bytes_needed(LARGE) / 1e6, abs=1)
    seconds = 4010 * recommender.pace + recommender.seconds_needed(LARGE)
    assert time_of(ask, "fit")(JOB, attempt=1) == 2 + math.ceil(seconds / 12)


def test_a_tuned_recommender_asks_for_what_it_tunes_and_its_time_for_every_candidate(monkeypatch):
    requests = []
    for system in ("slim", "tuned(of=slim,search=grid(l1=[1,2]))"):
        ask = asked(monkeypatch, LARGE, system=system)
        requests.append([of(ask, "tune")(JOB, attempt=1) for of in (memory_of, time_of)])
    (memory, minutes), (tuned_memory, tuned_minutes) = requests
    assert memory == tuned_memory
    # Two candidates on one validation fold, and the last fit.
    once = plugins.build("recommender", specs.parse("slim")).seconds_needed(LARGE)
    assert tuned_minutes - minutes == pytest.approx(2 * once / 12, abs=1)


def test_short_jobs_are_grouped_and_long_ones_sent_alone(monkeypatch):
    small = asked(monkeypatch, SMALL, 20)
    assert [small.group(group)(JOB) for group in ("data", "systems")] == ["data", "systems"]
    assert [small.group(group)(STUDY) for group in ("measures", "results")] == ["measures", "results"]
    large = asked(monkeypatch, LARGE, 20)
    assert [large.group(group)(JOB) for group in ("data", "systems")] == [None, None]
    assert asked(monkeypatch, SMALL, system="slim").group("systems")(JOB) is None


def test_all_rules_of_a_folder_but_searches_are_in_one_group():
    # A single job between two jobs of a group would wait for the group, and the group for it.
    files = {
        "data": "data",
        "systems": "systems",
        "measures": "measures",
        "metric_analyses": "measures",
        "study": "results",
        "reference": "results",
    }
    for file, group in files.items():
        text = Path(REPOSITORY, f"workflow/rules/{file}.smk").read_text(encoding="utf-8")
        named = re.findall(r'ask\.group\("(\w+)"\)', text)
        assert set(named) == {group}
        assert len(named) == len(re.findall(r"^use rule step as (?!tune|rank_trials)", text, flags=re.MULTILINE))


def test_only_rules_that_can_use_two_threads_ask_for_them():
    threads = {rule: re.findall(r"^    threads: (.*)", text, re.MULTILINE) for rule, text in rules().items()}
    assert {rule for rule, own in threads.items() if own[:1] == ["2"]} == {"analyse_metrics", "compare", "multiverse"}


def test_an_extent_is_as_recorded_or_guessed_from_below(tmp_path, monkeypatch):
    monkeypatch.chdir(REPOSITORY)
    plan = Plan("quickstart")
    fold = next(iter(plan.splits))
    monkeypatch.chdir(tmp_path)
    assert Ask(plan)._extent_of_filtered(fold.up_to("filter")) == (943, 1682, 100_000)
    record = Path(fold.up_to("filter").data.dataset)
    record.parent.mkdir(parents=True)
    record.write_text('{"filters": [{"after": {"users": 3, "items": 4, "ratings": 5}}]}', encoding="utf-8")
    assert Ask(plan)._extent_of_filtered(fold.up_to("filter")) == (3, 4, 5)
    record.write_text("{", encoding="utf-8")
    assert Ask(plan)._extent_of_filtered(fold.up_to("filter")) == (943, 1682, 100_000)


def test_data_in_files_are_taken_to_be_as_large_as_their_files_can_hold(tmp_path):
    (tmp_path / "r.csv").write_bytes(bytes(1_600_000))
    (tmp_path / "r.csv.gz").write_bytes(bytes(1_600_000))
    for file, ratings in (("r.csv", 100_000), ("r.csv.gz", 400_000), ("none.csv", 0)):
        assert _resources.guessed_extent(SimpleNamespace(component=object(), files=(tmp_path / file,))).ratings == ratings


def test_the_requests_of_a_real_plan_can_be_asked_for_each_job(monkeypatch):
    monkeypatch.chdir(REPOSITORY)
    plan = Plan("quickstart")
    ranking = next(iter(plan.rankings.values())).address
    job = SimpleNamespace(
        **dict(zip(("seed", "dataset", "filter", "split", "fold", "recommender"), ("0", *ranking.steps[1:6]), strict=True))
    )
    assert memory_of(Ask(plan), "rank")(job, attempt=1) < 1_900
    assert time_of(Ask(plan), "rank")(job, attempt=1) < 10
