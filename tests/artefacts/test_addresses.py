"""Addresses are written and parsed in one place, with every step and every file."""

from functools import partial
from itertools import accumulate
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from approved import refusal
from recsens.artefacts.addresses import FILES, GRAMMAR, STEPS, Address, Fold
from recsens.errors import ArtefactError
from recsens.plugins.specs import Spec

NAMES = ("seed-7", "simulated@users=60", "none", "random", "repeat-2.fold-1", "user_knn@k=50", "ar", "append@by=random", "random")
RANKING = Address(NAMES)
ALL = [Address(NAMES[:length]) for length in range(2, len(NAMES) + 1)]
FOLD = RANKING.up_to("fold")


@pytest.mark.parametrize("address", ALL, ids=[address.last for address in ALL])
def test_every_folder_and_every_file_in_it_is_read_as_it_was_written(address):
    files = [file for file, steps in FILES.items() if address.last in steps]
    for each in (address, *(Address(address.steps, file) for file in files)):
        assert Address.parse(str(each.path)) == each
        assert Address.parse(PurePosixPath("/home/me/study", each.path)).results == PurePosixPath("/home/me/study/results")


def test_every_file_lies_somewhere():
    assert {step for steps in FILES.values() for step in steps} <= set(STEPS)
    assert all(FILES.values())


def test_the_record_of_a_check_lies_in_its_fold():
    record = FOLD.check_record("ar@n=5", "0123456789")
    assert record.endswith("/repeat-2.fold-1/checks/ar@n=5.0123456789.json")
    assert Address.parse(record) == Address(FOLD.steps, "checks/ar@n=5.0123456789.json")


@given(
    st.integers(0, 10**6),
    st.lists(st.dictionaries(st.from_regex(r"[a-z]{1,5}", fullmatch=True), st.text(max_size=5) | st.integers() | st.booleans())),
)
def test_any_component_can_stand_in_an_address(seed, components):
    slugs = [Spec("mylab.models.Foo", tuple(params.items())).slug for params in components[:2]]
    addresses = list(accumulate(slugs, Address.__truediv__, initial=Address.of(seed, "delimited@source=0a1b")))
    for address in addresses:
        assert Address.parse(str(address.path)) == address
        assert address.up_to("dataset") == addresses[0]


def test_steps_are_looked_up_by_name():
    assert (RANKING.step("filter"), RANKING.step("split"), RANKING.step("fold")) == ("none", "random", "repeat-2.fold-1")
    assert RANKING.fold == Fold(2, 1)
    assert RANKING.up_to("dataset").folder == PurePosixPath("results/seed-7/simulated@users=60")
    with pytest.raises(ArtefactError, match="names no recommender"):
        FOLD.step("recommender")


def test_what_metrics_read_of_a_ranking_lies_in_the_folders_above():
    fold = f"results/{'/'.join(NAMES[:5])}"
    folder = f"results/{'/'.join(NAMES)}"
    filtered = f"results/{'/'.join(NAMES[:3])}"
    assert RANKING.measured == (f"{folder}/positions.parquet", f"{folder}/users.parquet", f"{filtered}/dataset.json")
    assert RANKING.listed == (
        f"{folder}/lists-100.parquet",
        f"{filtered}/interactions.parquet",
        f"{filtered}/item_ids.parquet",
        f"{fold}/roles.parquet",
    )


def test_what_a_job_leaves_beside_its_result_bears_the_address():
    assert RANKING.cost("rank") == f"results/benchmarks/rank/{'/'.join(NAMES)}.json"
    assert RANKING.up_to("recommender").tuning_shard("0-of-2") == str(
        RANKING.up_to("recommender").folder / "shard-0-of-2.tuning.json"
    )
    assert RANKING.cost("rank_shard", "0-of-2") == f"results/benchmarks/rank_shard/{'/'.join(NAMES)}/0-of-2.json"


def test_every_step_has_a_grammar():
    assert GRAMMAR.keys() == set(STEPS)


def test_what_is_no_address_is_refused_with_what_one_looks_like(approved):
    cases = (
        "results/studies/quickstart/summary.csv",
        "positions.parquet",
        "results/seed-7",
        "/".join(["results", *NAMES, "further"]),
        "results/seed-7/movie lens",
        "results/seed-7/ml/none/random/fold-1",
        "/".join(["results", *NAMES[:-1], "alphabetical"]),
        "results/seed-7/ml/none/positions.parquet",
        "results/seed-7/ml/checks/ar.json",
    )
    approved({path: refusal(partial(Address.parse, path), ArtefactError) for path in cases})


@pytest.mark.parametrize(("fold", "name"), [(Fold(0), "repeat-0"), (Fold(3), "repeat-3"), (Fold(2, 1), "repeat-2.fold-1")])
def test_a_fold_is_named_by_its_repeat_and_part(fold, name):
    assert fold.name == name
    assert Fold.parse(name) == fold


@pytest.mark.parametrize("name", ["", "repeat", "repeat-x", "repeat-0.fold-", "fold-1", "repeat-0.fold-1.fold-2", "repeat--1"])
def test_what_names_no_fold_is_refused(name):
    with pytest.raises(ArtefactError, match="is not the name of a fold"):
        Fold.parse(name)
