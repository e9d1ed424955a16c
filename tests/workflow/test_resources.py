"""Resources: one table says what each rule asks for, and every rule is in it."""

import math
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from recsens.workflow.extents import Extents
from recsens.workflow.resources import DEMANDS, Requests, threads_of
from recsens.workflow.wiring import SystemWiring

from recsens import plugins
from recsens.artefacts.addresses import Address
from recsens.plugins import specs
from recsens.recommenders import Extent, Recommender
from recsens.workflow.plan import Plan
from workspaces import REPOSITORY

SMALL, LARGE = Extent(1_000, 2_000, 100_000), Extent(480_000, 18_000, 100_000_000)


def rules() -> dict[str, str]:
    """The text of each rule that runs a step, by its name."""
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(Path(REPOSITORY, "workflow/rules").glob("*.smk")))
    _, *parts = re.split(r"^rule (\w+):$", text, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def requests(monkeypatch: pytest.MonkeyPatch, extent: Extent, n_rankings: int = 1, system: str = "user_knn(k=10)") -> Requests:
    """Requests of a study whose data have an extent and are ranked so many times."""
    monkeypatch.setattr(Extents, "_raw", lambda self, dataset: extent)
    rankings = {str(n): SimpleNamespace(address=Address.of(0, "d") / "none") for n in range(n_rankings)}
    plan = SimpleNamespace(rankings=rankings)
    return Requests(plan, lambda wildcards: plugins.build("recommender", specs.parse(system)))


JOB = SimpleNamespace(seed="0", dataset="d", filter="none", recommender="r")
STUDY = SimpleNamespace()


def test_every_rule_asks_for_what_the_table_says_of_it():
    found = rules()
    assert found.keys() == DEMANDS.keys()
    for rule, text in found.items():
        assert f'mem_mb=memory_mb("{rule}")' in text
        assert f'runtime=minutes("{rule}")' in text
        assert f'group("{rule}")' in text


def test_a_request_doubles_at_each_attempt(monkeypatch):
    asked = requests(monkeypatch, SMALL)
    for request in (asked.memory_mb("fit"), asked.minutes("fit")):
        assert [request(JOB, attempt=attempt) for attempt in (2, 3)] == [request(JOB, attempt=1) * times for times in (2, 4)]


@pytest.mark.parametrize("rule", sorted(DEMANDS))
def test_a_request_grows_with_the_data_and_never_shrinks(rule, monkeypatch):
    job = STUDY if DEMANDS[rule].group in {"results", "measures"} else JOB
    small, large = requests(monkeypatch, SMALL), requests(monkeypatch, LARGE)
    least, most = (asked.memory_mb(rule)(job, attempt=1) for asked in (small, large))
    assert DEMANDS[rule].mb <= least <= most
    assert 3 <= small.minutes(rule)(job, attempt=1) <= large.minutes(rule)(job, attempt=1)


PEAKS = [
    ("ingest", "hkv", 178, 260),
    ("filter", "hkv", 139, 131),
    ("split", "hkv", 181, 267),
    ("check", "hkv", 244, 357),
    ("fit", "hkv(factors=50)", 306, 437),
    ("fit", "user_knn(k=1000)", 303, 506),
    ("rank", "user_knn(k=1000)", 346, 569),
]
"""Largest resident memory in MB of jobs on MovieLens 100K and 1M, as Snakemake recorded it."""

SNAKEMAKES, WORKER = 600, 330
"""MB of the two Snakemakes within a Slurm job and of the worker, beside those of the steps."""


@pytest.mark.parametrize(("rule", "system", "small", "large"), PEAKS)
def test_a_request_leaves_room_for_two_jobs_of_the_peaks_that_were_measured(rule, system, small, large, monkeypatch):
    for peak, extent in ((small, Extent(943, 1682, 100_000)), (large, Extent(6040, 3706, 1_000_209))):
        asked = requests(monkeypatch, extent, system=system).memory_mb(rule)(JOB, attempt=1)
        assert 2 * peak + SNAKEMAKES + WORKER <= asked <= 4 * (peak + SNAKEMAKES)


@pytest.mark.parametrize("system", ["ease", "user_knn(k=100)", "uir_item", "slim"])
def test_a_recommender_asks_for_the_memory_and_time_that_it_says_it_needs(system, monkeypatch):
    recommender = Recommender.build(system)
    asked, usual = (requests(monkeypatch, LARGE, system=each) for each in (system, "hkv"))
    memory = asked.memory_mb("fit")(JOB, attempt=1) - usual.memory_mb("fit")(JOB, attempt=1)
    assert memory == pytest.approx(recommender.bytes_needed(LARGE) / 1e6, abs=1)
    seconds = 4010 * recommender.pace + recommender.seconds_needed(LARGE)
    assert asked.minutes("fit")(JOB, attempt=1) == 2 + math.ceil(seconds / 12)


def test_a_tuned_recommender_asks_for_what_it_tunes(monkeypatch):
    slim, tuned = (requests(monkeypatch, LARGE, system=system) for system in ("slim", "tuned(of=slim,search=grid(l1=[1,2]))"))
    assert tuned.memory_mb("tune")(JOB, attempt=1) == slim.memory_mb("tune")(JOB, attempt=1)
    assert tuned.minutes("tune")(JOB, attempt=1) == slim.minutes("tune")(JOB, attempt=1)


def test_short_jobs_are_grouped_and_long_ones_sent_alone(monkeypatch):
    small, large = requests(monkeypatch, SMALL, 20), requests(monkeypatch, LARGE, 20)
    for rule in DEMANDS:
        job = STUDY if DEMANDS[rule].group in {"results", "measures"} else JOB
        assert small.group(rule)(job) in {DEMANDS[rule].group, None}
    assert small.group("fit")(JOB) == "systems"
    assert large.group("fit")(JOB) is None
    assert requests(monkeypatch, SMALL, system="slim").group("fit")(JOB) is None


@pytest.mark.parametrize("n_rankings", [1, 100, 10_000])
def test_the_jobs_of_a_studys_pages_are_grouped_all_or_none(n_rankings, monkeypatch):
    # One alone between two of a group would wait for the group, and the group for it.
    asked = requests(monkeypatch, SMALL, n_rankings)
    assert len({asked.group(rule)(STUDY) for rule, demand in DEMANDS.items() if demand.group == "results"}) == 1


def test_only_rules_that_can_use_two_threads_ask_for_them():
    assert {rule for rule in DEMANDS if threads_of(rule) == 2} == {"analyse", "compare", "multiverse"}


def test_an_extent_is_as_recorded_or_guessed_from_below(tmp_path, monkeypatch):
    monkeypatch.chdir(REPOSITORY)
    plan = Plan("quickstart")
    fold = next(iter(plan.splits))
    extents = Extents(plan)
    monkeypatch.chdir(tmp_path)
    assert extents.filtered(fold.up_to("filter")) == (943, 1682, 100_000)
    record = Path(fold.up_to("filter").data.dataset)
    record.parent.mkdir(parents=True)
    record.write_text('{"filters": [{"after": {"users": 3, "items": 4, "ratings": 5}}]}', encoding="utf-8")
    assert Extents(plan).filtered(fold.up_to("filter")) == (3, 4, 5)
    record.write_text("{", encoding="utf-8")
    assert Extents(plan).filtered(fold.up_to("filter")) == (943, 1682, 100_000)


def test_data_in_files_are_taken_to_be_as_large_as_their_files_can_hold(tmp_path):
    from recsens.workflow.extents import guessed

    (tmp_path / "r.csv").write_bytes(bytes(1_600_000))
    (tmp_path / "r.csv.gz").write_bytes(bytes(1_600_000))
    for file, ratings in (("r.csv", 100_000), ("r.csv.gz", 400_000), ("none.csv", 0)):
        assert guessed(SimpleNamespace(component=object(), files=(tmp_path / file,))).ratings == ratings


def test_the_requests_of_a_real_plan_can_be_asked_for_each_job(monkeypatch):
    monkeypatch.chdir(REPOSITORY)
    plan = Plan("quickstart")
    asked = Requests(plan, SystemWiring(plan).recommender)
    ranking = next(iter(plan.rankings.values())).address
    job = SimpleNamespace(
        **dict(zip(("seed", "dataset", "filter", "split", "fold", "recommender"), ("0", *ranking.steps[1:6]), strict=True))
    )
    assert asked.memory_mb("rank")(job, attempt=1) < 1_900
    assert asked.minutes("rank")(job, attempt=1) < 10
