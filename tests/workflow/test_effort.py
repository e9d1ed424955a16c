"""Verdicts by effort: against the study's own verdicts on every candidate, and every subset of the trials."""

import json
from itertools import combinations, product
from pathlib import Path

import pandas as pd
import pytest

from in_process import PRESENTED, call, compute, table
from recsens.data.datasets import DataSet
from recsens.outcomes.measuring.trials import drawn_trials
from recsens.plugins.specs import parse
from recsens.recommenders import Recommender
from recsens.recommenders.tuned import Tuned
from recsens.study import load_study
from recsens.study.searched import searches
from workspaces import STUDY, Workspace, copied, made_once

SYSTEMS = {
    "Popularity": "popularity",
    "kNN": "user_knn(k=10)",
    "EASE": "ease",
    "SVD": "tuned(of=pure_svd,search=grid(factors=[2,5,9]))",
}
SEARCHED = {"systems": SYSTEMS, "vary": {"effort": [0, 1, 2]}, "metrics": ["nDCG@5", "P@5"]}
IDENTITY = DataSet.build(parse(STUDY["datasets"]["Tiny"])).identity


@pytest.fixture(scope="session")
def searched_once(checkout_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compute the study once for all test processes; tests must not change the results."""

    def run(root: Path) -> None:
        Workspace(copied(checkout_once, root)).write_study("searched", **SEARCHED)
        compute(root, "searched", without=PRESENTED)

    return made_once("searched", run, tmp_path_factory)


@pytest.fixture
def searched(searched_once: Path, tmp_path: Path) -> Workspace:
    return Workspace(copied(searched_once, tmp_path / "searched"))


def validation_values(root: Path, system: Tuned) -> dict[str, float]:
    """Read what each candidate of a search reached on validation data."""
    for path in root.glob("results/seed-0/*/none/*/repeat-0/*/tuning.json"):
        content = json.loads(path.read_text())
        if content["spec"] == str(system.within(parse("random(ratio=0.5)")).full_spec):
            return {trial["spec"]: trial["mean"] for trial in content["trials"]}
    raise AssertionError(f"no tuning of {system.spec}")


def choices(values: dict[str, float], written: str, drawn: list[str], k: int) -> list[str]:
    """List what every search of k of the drawn trials would choose; the system as written wins ties."""
    return [max([written, *subset], key=lambda spec: values[spec]) for subset in combinations(drawn, min(k, len(drawn)))]


def test_shares_are_those_of_every_subset_of_trials_by_the_studys_own_verdicts(searched: Workspace):
    root = searched.root
    found = table(root, "searched", "effort")
    experiment = load_study(root / "config/studies/searched.yaml").own
    own = searches(experiment)
    assert set(own) == {"kNN", "EASE", "SVD"}
    candidates, subsets = {}, {}
    for label, tuned in own.items():
        values = validation_values(root, tuned)
        drawn = list(map(str, drawn_trials(tuned, identity=IDENTITY, seed=0)))
        assert len(drawn) == (3 if label == "SVD" else 4)
        candidates[label] = [str(tuned.inner.spec), *drawn]
        subsets[label] = {k: choices(values, candidates[label][0], drawn, k) for k in (0, 1, 2)}
    subsets["Popularity"] = {k: ["popularity"] for k in (0, 1, 2)}

    # The study's own verdicts on every candidate, as a system of its own.
    every = list(dict.fromkeys(["popularity", *(spec for specs in candidates.values() for spec in specs)]))
    searched.write_study("every", systems={f"S{n}": spec for n, spec in enumerate(every)}, vary={}, metrics=["nDCG@5"])
    compute(root, "every", without=PRESENTED)
    names = {spec: f"S{n}" for n, spec in enumerate(every)}
    winner = {(row.system_a, row.system_b): row.winner for row in table(root, "every", "verdicts").itertuples()}
    winner |= {(b, a): name for (a, b), name in winner.items()}
    assert len(found) == 6 * 9
    for row in found.itertuples():
        met = list(product(subsets[row.system_a][row.effort_a], subsets[row.system_b][row.effort_b]))
        won = [winner.get((names[a], names[b]), "") for a, b in met]
        share_a = sum(name == names[a] for name, (a, _) in zip(won, met, strict=True)) / len(met)
        share_b = sum(name == names[b] for name, (_, b) in zip(won, met, strict=True)) / len(met)
        assert (row.share_a, row.share_b) == pytest.approx((share_a, share_b), abs=1e-9), row
        assert row.share_a + row.share_b + row.share_neither == pytest.approx(1)
        assert row.winner == (row.system_a if share_a >= 0.95 else row.system_b if share_b >= 0.95 else "")

    # And the expected values.
    value = {row.system: row.value for row in table(root, "every", "summary").itertuples()}
    for row in table(root, "searched", "searches").itertuples():
        chosen = subsets[row.system][row.effort]
        assert row.value == pytest.approx(sum(value[names[spec]] for spec in chosen) / len(chosen), abs=1e-12)


def test_without_the_effort_a_study_has_the_same_results(searched: Workspace):
    root = searched.root
    searched.write_study("plain", **{**SEARCHED, "vary": {}})
    done = compute(root, "plain", without=PRESENTED)
    assert not {"tune", "fit", "rank"} & set(done)
    for name in ("summary", "comparisons", "verdicts"):
        pd.testing.assert_frame_equal(table(root, "searched", name), table(root, "plain", name))
    assert not (root / "results/studies/plain/effort.csv").exists()


def check_values_without_trials(root: Path) -> None:
    searches, summary = table(root, "searched", "searches"), table(root, "searched", "summary")
    values = {row.system: row.value for row in searches.itertuples() if row.effort == 0}
    base = {row.system: row.value for row in summary.itertuples() if row.is_base and row.metric == summary["metric"][0]}
    for system in ("Popularity", "kNN", "EASE"):
        assert values[system] == pytest.approx(base[system], abs=1e-12)


@pytest.mark.parametrize("design", [{"split": "k_fold(k=2)"}, {"test": "randomisation(samples=50)"}])
def test_several_folds_and_other_tests_are_simulated(workspace: Workspace, design: dict[str, str]):
    root = workspace.root
    claims = [{"claim": "wins(a=EASE,b=Popularity,effort=2)", "source": "x"}]
    workspace.write_study("searched", **SEARCHED, claims=claims, design=design)
    compute(root, "searched", without=PRESENTED)
    check_values_without_trials(root)
    assert table(root, "searched", "claims")["basis"][0] == "two standard errors of a simulation of 400 pairs of searches"
    found = table(root, "searched", "effort")
    assert found["is_simulated"].all()
    shares = found[["share_a", "share_b", "share_neither"]].sum(axis=1)
    assert shares.to_list() == pytest.approx([1] * len(found))
    none = found[(found["effort_a"] == 0) & (found["effort_b"] == 0)]
    assert set(none[["share_a", "share_b", "share_neither"]].to_numpy().ravel()) <= {0, 1}


@pytest.mark.parametrize("design", [{"view": "condensed"}, {"targets": "one_r", "relevance": 3, "nc": "append"}])
def test_without_trials_the_values_are_those_of_the_base_design(workspace: Workspace, design: dict[str, object]):
    root = workspace.root
    workspace.write_study("searched", **{**SEARCHED, "vary": {"effort": [0, 1]}, "metrics": ["P@5"]}, design=design)
    compute(root, "searched", without=PRESENTED)
    check_values_without_trials(root)


def test_systems_that_somebody_chose_and_scores_from_files_stay_as_written(tmp_path: Path):
    study = tmp_path / "study.yaml"
    study.write_text(
        "title: T\ndatasets: {D: simulated}\n"
        "systems: {Random: random, A: ease, B: wrmf(factors=5), C: user_knn(preset=canamares2020), D: tuned(of=hkv)}\n"
        "chosen: {B: by its authors}\nmetrics: [P@5]\nvary: {effort: [3]}\n"
    )
    found = searches(load_study(study).own)
    assert {label: str(tuned.spec) for label, tuned in found.items()} == {
        "A": "tuned(metric=P@5,of=ease,search=random(trials=6))",
        "D": "tuned(of=hkv,search=random(trials=6))",
    }


def test_parameters_that_a_study_sets_are_searched_too(tmp_path: Path):
    study = tmp_path / "study.yaml"
    study.write_text(
        "title: T\ndatasets: {D: simulated}\nsystems: {A: ease(regularization=7)}\nmetrics: [P@5]\nvary: {effort: [2]}\n"
    )
    [tuned] = searches(load_study(study).own).values()
    drawn = drawn_trials(tuned, identity="x", seed=0)
    assert len(drawn) == 4
    assert len({Recommender.build(spec).regularization for spec in drawn}) == 4  # type: ignore[attr-defined]
    assert str(tuned.inner.spec) == "ease(regularization=7)"


def test_an_effort_that_cannot_be_is_refused(tmp_path: Path, approved):
    cases = (
        "vary: {effort: []}",
        "vary: {effort: [-1]}",
        "vary: {effort: [1]}\neffort: [2]",
        "effort: [1]\nmetrics: [Gini@5]",
        "metrics: [Bpref@5, P@5]\nexperiments: {E: {dataset: D, design: {targets: one_r}, effort: [1]}}",
    )
    told = {}
    for written in cases:
        metrics = "" if "metrics" in written else "metrics: [P@5]\n"
        study = f"title: T\ndatasets: {{D: simulated}}\nsystems: {{A: ease, B: popularity}}\n{metrics}{written}\n"
        (tmp_path / "study.yaml").write_text(study)
        done = call(tmp_path, "check", "study.yaml")
        assert done.exit_code != 0
        told[written] = done.output
    approved(told)


def test_claims_by_effort(searched: Workspace):
    root = searched.root
    claims = [
        {"claim": "wins(a=EASE,b=Popularity,effort=2)", "source": "x"},
        {"claim": "wins(a=Popularity,b=EASE,effort=0,share=0.9)", "source": "x"},
    ]
    searched.write_study("searched", **SEARCHED, claims=claims)
    assert compute(root, "searched", without=PRESENTED) == {"claims": 1}
    rows = table(root, "searched", "claims")
    effort = table(root, "searched", "effort")
    [row] = [
        each
        for each in effort.itertuples()
        if {each.system_a, each.system_b} == {"EASE", "Popularity"} and (each.effort_a, each.effort_b) == (2, 2)
    ]
    share = row.share_a if row.system_a == "EASE" else row.share_b
    assert rows["value"][0] == pytest.approx(share)
    assert rows["verdict"][0] == ("held" if share >= 0.95 else "not held" if share <= 0.05 and row.winner else "undecided")


def test_a_study_without_pairs_has_values_and_an_experiment_verdicts(workspace: Workspace):
    root = workspace.root
    further = {"dataset": "Tiny", "systems": {"A": "ease", "B": "popularity"}, "vary": {"effort": [1, 0, 1]}, "metrics": ["P@5"]}
    changes = {"systems": {"EASE": "ease"}, "vary": {"effort": [0]}, "metrics": ["P@5"]}
    workspace.write_study("searched", **changes, experiments={"Other": further})
    compute(root, "searched")
    assert set(table(root, "searched", "effort")["dataset"]) == {"Other"}
    assert set(table(root, "searched", "searches")["dataset"]) == {"Tiny", "Other"}
    page = (root / "results/studies/searched/report.html").read_text(encoding="utf-8")
    assert page.count("Effort of tuning</h3>") == 2


def test_of_a_metric_of_errors_the_lowest_value_wins(workspace: Workspace):
    root = workspace.root
    systems = {"EASE": "ease", "Random": "random"}
    workspace.write_study("searched", systems=systems, vary={"effort": [0, 2]}, metrics=["Fallout@5"])
    compute(root, "searched", without=PRESENTED)
    effort, values = table(root, "searched", "effort"), table(root, "searched", "searches")
    last = values[values["effort"] == 2].set_index("system")["value"]
    [row] = [each for each in effort.itertuples() if (each.effort_a, each.effort_b) == (2, 2)]
    assert row.winner == last.idxmin()
    assert all("Fallout@5" in str(tuned.spec) for tuned in searches(load_study(root / "config/studies/searched.yaml").own).values())
