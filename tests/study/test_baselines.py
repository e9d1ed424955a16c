"""Baselines: what the key means, what a study's own systems replace, and what fits a data set of some size."""

from pathlib import Path

import pytest
import yaml

from recsens.errors import ConfigError
from recsens.recommenders import Extent
from recsens.study import Study, load_study
from recsens.study.baselines import STANDARD, AffordableBaselines, told
from recsens.study.keys_by_step import digest_for_step
from recsens.workflow.plan import Plan
from recsens.workflow.run_preview import remarks_on

BASE = {"title": "A study", "datasets": {"Simulated": "simulated"}, "metrics": ["P@10"]}
LISTED = {each.label: each.spec() for each in STANDARD}
MINE = {"Mine": "random"}


@pytest.fixture
def study(tmp_path: Path):
    def load(**keys: object) -> Study:
        path = tmp_path / "study.yaml"
        path.write_text(yaml.safe_dump(BASE | keys, sort_keys=False), encoding="utf-8")
        return load_study(path)

    return load


def test_the_key_means_the_same_list_beside_any_data(study):
    short, long = study(systems=MINE, baselines="standard"), study(systems=MINE | LISTED)
    assert list(short.systems) == ["Mine", *LISTED]
    assert short.systems == long.systems
    assert all(digest_for_step(short, step) == digest_for_step(long, step) for step in ("summarise", "compare", "report"))
    assert (
        study(systems=MINE, baselines="standard", datasets={"Large": "simulated(users=100000,ratings=2000000)"}).systems
        == short.systems
    )


def test_every_baseline_but_popularity_is_tuned_with_as_many_draws_as_asked(study):
    specs = study(systems=MINE, baselines="standard(trials=7)").systems
    assert {str(spec) for label, spec in specs.items() if label not in {"Mine", "Popularity", "User kNN"}} == {
        f"tuned(of={each.name},search=random(trials=7))" for each in STANDARD if each.name not in {"popularity", "user_knn"}
    }


def test_the_baselines_alone_are_a_study(study):
    assert list(study(baselines="standard").systems) == list(LISTED)


def test_ones_own_tuned_system_replaces_the_baseline_and_an_untuned_one_does_not(study):
    own = {"My EASE": "tuned(of=ease,search=random(trials=50))", "HKV": "hkv(factors=8)", "Pop": "popularity"}
    read = study(systems=own, baselines="standard")
    assert list(read.systems) == [*own, "Item kNN", "User kNN", "RP3beta", "PureSVD", "HKV (baseline)"]
    assert str(read.systems["HKV (baseline)"]) == "tuned(of=hkv)"
    listed, replaced = told("standard", read.systems)
    assert listed.startswith("baselines: standard means Pop: popularity; Item kNN: tuned(of=item_knn); User kNN: ")
    assert listed.endswith("; PureSVD: tuned(of=pure_svd); HKV (baseline): tuned(of=hkv)")
    assert replaced == ("baselines: no EASE besides, because the system 'My EASE' is ease, tuned in another way")


def test_the_same_system_under_another_label_is_not_there_twice(study):
    read = study(systems={"Autoencoder": "tuned(of=ease)"}, baselines="standard")
    assert [str(spec) for spec in read.systems.values()].count("tuned(of=ease)") == 1


def test_an_experiment_without_systems_of_its_own_has_the_baselines(study):
    few = {"dataset": "Simulated", "design": {"filter": "sample(ratings=0.5)"}}
    own = few | {"systems": {"kNN": "user_knn"}}
    read = study(systems=MINE, baselines="standard", experiments={"Few": few, "Own": own})
    assert list(read.shown("Few").systems) == ["Mine", *LISTED]
    assert list(read.shown("Own").systems) == ["kNN"]


@pytest.mark.parametrize("asked", ["large", "standard(trials=0)", "standard(draws=5)", "standard(5)", 3, ["standard"], "standard("])
def test_another_panel_is_refused(study, asked):
    with pytest.raises(ConfigError, match=r"(?s)baselines: .* is no panel of baselines.*standard\(trials=50\)"):
        study(systems=MINE, baselines=asked)


def test_mistakes_in_systems_are_refused_as_without_baselines(study):
    with pytest.raises(ConfigError, match=r"systems.Mine: .*eese"):
        study(systems={"Mine": "eese"}, baselines="standard")


def test_the_list_is_printed_before_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("study.yaml").write_text(yaml.safe_dump(BASE | {"systems": MINE, "baselines": "standard"}), encoding="utf-8")
    assert next(remarks_on(Plan("study.yaml"))).startswith("baselines: standard means Popularity: popularity; Item kNN: tuned(")


def draws(*size: int) -> dict[str, int]:
    return {each.name: n for each, n in AffordableBaselines.affordable(Extent(*size), 3).trials.items()}


def test_all_are_tuned_within_five_minutes_on_three_hundred_thousand_ratings():
    panel = AffordableBaselines.affordable(Extent(3000, 4000, 300_000), 3)
    assert set(panel.trials.values()) == {0, 20}
    assert panel.trials.keys() == set(STANDARD)
    assert panel.minutes <= 5


def test_more_items_leave_the_autoencoder_its_defaults_and_still_more_leave_it_out():
    assert draws(610, 9724, 100_836)["ease"] == 0
    assert "ease" not in draws(50_000, 20_000, 300_000)
    panel = AffordableBaselines.affordable(Extent(138_000, 27_000, 20_000_000), 3)
    assert [f"{each.label} {why}" for each, why in panel.left_out.items()] == ["EASE needs 5 GiB"]


@pytest.mark.parametrize("users", [50, 5_000, 500_000])
@pytest.mark.parametrize("items", [50, 5_000, 500_000])
@pytest.mark.parametrize("ratings", [1_000, 300_000, 50_000_000])
def test_the_time_is_kept_whatever_the_size(users, items, ratings):
    panel = AffordableBaselines.affordable(Extent(users, items, ratings), 3)
    assert panel.minutes <= 5 * max(ratings / 300_000, 1)
    assert panel.trials.keys() | panel.left_out.keys() == set(STANDARD)
    assert panel.trials.keys().isdisjoint(panel.left_out)
