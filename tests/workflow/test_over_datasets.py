"""Comparisons over data sets in a whole study: against its own comparisons, families, claims, refusals, and who is left out."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from in_process import PRESENTED, call, compute, table
from recsens.comparison.random_effects import RandomEffects
from recsens.conclusions.design_space import base_designs
from recsens.conclusions.verdicts.pairs import experiment_verdicts
from recsens.conclusions.verdicts.study_tables import read_results
from recsens.report.explorer import explorer
from recsens.report.sentences.turning import what_would_turn
from recsens.study import Study, load_study
from recsens.study.keys_by_step import digest_for_step
from workspaces import STUDY, Workspace, copied

DATASETS = {f"S{n}": f"simulated(users=60,items=200,ratings=2000,replicate={n})" for n in range(1, 5)}
FAMILIES = {"One": ["S1"], "Two": ["S2"], "Both": ["S4", "S3"]}
SYSTEMS = {"Popularity": "popularity", "kNN": "user_knn(k=10)", "EASE": "ease"}
COMBINED = {"datasets": DATASETS, "systems": SYSTEMS, "over_datasets": {"families": FAMILIES}, "metrics": ["nDCG@5", "P@5"]}


@pytest.fixture(scope="module")
def root(checkout_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    workspace = Workspace(copied(checkout_once, tmp_path_factory.mktemp("over") / "checkout"))
    claims = [
        {"claim": "wins(a=EASE,b=Popularity,over=datasets)", "source": "x"},
        {"claim": "wins(a=Popularity,b=EASE,over=datasets,metric=P@5)", "source": "x", "under": {"view": "condensed"}},
    ]
    workspace.write_study("combined", **COMBINED, claims=claims)
    compute(workspace.root, "combined", without=PRESENTED)
    scaled = {**COMBINED["over_datasets"], "scale": "difference"}
    workspace.write_study("scaled", **{**COMBINED, "over_datasets": scaled}, margin=0.01)
    compute(workspace.root, "scaled", without=PRESENTED)
    return workspace.root


def test_differences_are_those_of_the_comparisons(root: Path):
    effects, comparisons = table(root, "scaled", "effects"), table(root, "scaled", "comparisons")
    keys = ["dataset", "system_a", "system_b", "metric"]
    base = comparisons[comparisons["is_base"] & (comparisons["fold"] == "all")].set_index(keys)
    assert len(effects) == 4 * 3 * 2
    assert set(effects["family"]) == set(FAMILIES)
    for row in effects.itertuples():
        own = base.loc[(row.dataset, row.system_a, row.system_b, row.metric)]
        assert (row.effect, row.error, row.users) == pytest.approx((own["difference"], own["standard_error"], own["users"]))


def test_every_design_is_combined_from_its_own_comparisons(root: Path):
    combined, comparisons = table(root, "scaled", "over_datasets"), table(root, "scaled", "comparisons")
    comparisons = comparisons[comparisons["fold"] == "all"]
    assert len(combined) == 2 * 2 * 3
    for row in combined.itertuples():
        own = comparisons[
            (comparisons[["system_a", "system_b", "metric", "view"]] == [row.system_a, row.system_b, row.metric, row.view]).all(
                axis=1
            )
        ].set_index("dataset")
        effects = [own["difference"][labels].mean() for labels in FAMILIES.values()]
        errors = [np.sqrt((own["standard_error"][labels] ** 2).sum()) / len(labels) for labels in FAMILIES.values()]
        found = RandomEffects(np.array([effects]), np.array([errors]))
        assert (row.these, row.these_error) == pytest.approx((np.mean(effects), np.sqrt(np.sum(np.square(errors))) / 3))
        numbers = (found.alike.value, found.alike.low, found.alike.high, *found.new, found.tau, found.between)
        written = (row.alike, row.alike_low, row.alike_high, row.new_low, row.new_high, row.tau, row.between)
        assert [float(each[0]) for each in numbers] == pytest.approx(written)
        wins = row.p_adjusted < 0.05 and (row.alike_low > 0.01 or row.alike_high < -0.01)
        assert row.winner == ((row.system_a if row.alike > 0 else row.system_b) if wins else "")


def test_the_scale_is_relative_unless_a_margin_says_otherwise(root: Path):
    effects, summary = table(root, "combined", "effects"), table(root, "combined", "summary")
    value = summary[summary["is_base"]].set_index(["dataset", "system", "metric"])["value"]
    assert set(effects["scale"]) == {"relative"}
    assert set(table(root, "scaled", "effects")["scale"]) == {"difference"}
    for row in effects.itertuples():
        a, b = (value[row.dataset, system, row.metric] for system in (row.system_a, row.system_b))
        assert row.effect == pytest.approx(np.log(a / b))
        assert (row.low, row.high) == pytest.approx(tuple(row.effect + np.array([-1, 1]) * stats.norm.ppf(0.975) * row.error))


def test_claims_are_judged_by_the_winner_over_data_sets(root: Path):
    combined, claims = table(root, "combined", "over_datasets"), table(root, "combined", "claims")
    rows = combined[(combined["system_a"] == "Popularity") & (combined["system_b"] == "EASE")]
    for claim, metric, view, better in zip(
        claims.itertuples(), ("nDCG@5", "P@5"), ("full", "condensed"), ("EASE", "Popularity"), strict=True
    ):
        [row] = rows[(rows["metric"] == metric) & (rows["view"] == view)].itertuples()
        expected = {"": "undecided", better: "held"}.get(row.winner, "not held")
        sign = -1 if better == "EASE" else 1
        assert (claim.verdict, claim.dataset) == (expected, "over data sets")
        assert claim.value == pytest.approx(sign * row.alike)
        assert claim.low < claim.value < claim.high


def study(**changes: object) -> Study:
    return Study.model_validate({**STUDY, **changes})


REAL = {"datasets": {"100K": "movielens", "1M": "movielens(release=1m)", "CM": "cm100k", "LT": "lastfm", "S": "simulated"}}


def test_three_real_families_are_combined_unasked_and_releases_are_one():
    assert study(**REAL).own.families == {"MovieLens": ("100K", "1M"), "CM": ("CM",), "Last.fm": ("LT",)}
    two = {"datasets": {label: REAL["datasets"][label] for label in ("100K", "1M", "CM")}}
    assert study(**two).own.families == {}
    assert study(**two, over_datasets={}).own.families == {"MovieLens": ("100K", "1M"), "CM": ("CM",)}
    assert study(**REAL, compare=[]).own.families == {}
    assert study(**REAL, metrics=["Gini@5"]).own.families == {}
    assert "over-datasets" in study(**REAL).all_figures()
    named = study(**REAL, over_datasets={"families": {"Site": ["CM", "LT"], "Drawn": ["S"]}})
    assert named.own.families == {"MovieLens": ("100K", "1M"), "Site": ("CM", "LT"), "Drawn": ("S",)}


def test_refusals(tmp_path: Path, approved):
    cases = (
        "over_datasets: {}",
        "over_datasets: {families: {A: [Tiny2]}}",
        "over_datasets: {families: {A: [Tiny], B: [Tiny]}}",
        "over_datasets: {families: {A: [Tiny]}, scale: relative}\nmargin: 0.01",
        "over_datasets: {families: {A: [Tiny]}, scale: standardised}\nmargin: 1%",
        "claims: [{claim: 'wins(a=A,b=B,over=datasets)', source: x}]",
        "over_datasets: {families: {A: [Tiny]}}\nclaims: [{claim: 'wins(a=A,b=B,over=datasets)', source: x, dataset: Tiny}]",
    )
    text, told = "title: T\ndatasets: {Tiny: simulated}\nsystems: {A: popularity, B: ease}\nmetrics: [P@5]\n", {}
    for written in cases:
        (tmp_path / "s.yaml").write_text(f"{text}{written}\n", encoding="utf-8")
        found = call(tmp_path, "check", "s.yaml")
        assert found.exit_code != 0
        told[written] = found.output
    approved(told)


def test_other_steps_do_not_depend_on_it(tmp_path: Path):
    asked = {}
    for name, changes in (("plain", {}), ("combined", {"over_datasets": {"families": FAMILIES}})):
        workspace_study = study(datasets=DATASETS, **changes)
        asked[name] = {
            step: digest_for_step(workspace_study, step) for step in ("summarise", "compare", "decide_winners", "effort")
        }
    assert asked["plain"] == asked["combined"]


def test_two_families_say_what_is_missing(workspace: Workspace):
    families = {"A": ["S1", "S2"], "B": ["S3"]}
    workspace.write_study("few", **{**COMBINED, "over_datasets": {"families": families}, "vary": {}})
    compute(workspace.root, "few", without=PRESENTED)
    found = table(workspace.root, "few", "over_datasets")
    assert (found["winner"] == "").all()
    assert (found["alike"] == "").all()
    assert (found["these"] != "").all()
    assert set(load_study(workspace.root / "config/studies/few.yaml").own.families) == {"A", "B"}


def test_the_first_screen_says_whether_the_leading_pair_stands_over_data_sets(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(root)
    asked = load_study("config/studies/combined.yaml")
    names = ("summary", "comparisons", "verdicts", "counted", "over_datasets", "effects")
    results = read_results(root / f"results/studies/combined/{name}.csv" for name in names)
    said = what_would_turn(asked, experiment_verdicts(asked, results.verdicts, results.effort), results)
    *said, unasked = said
    assert unasked.startswith("The study does not ask about the effort of tuning")
    assert len(said) == len(DATASETS)
    rows = results.over_datasets
    base = rows[rows["is_base"] & (rows["metric"] == "nDCG@5")].set_index(["system_a", "system_b"])["winner"]
    for label, sentence in zip(DATASETS, said, strict=True):
        [pair] = [pair for pair in base.index if all(f" {system} " in sentence.split(" on nDCG@5")[0] + " " for system in pair)]
        winner = sentence.removeprefix(f"On {label}, ").partition(" beats ")[0] if " beats " in sentence else ""
        over = f"{base[pair] or 'neither'} wins on average over data sets like these"
        assert ("It stands on average over data sets like these" in sentence) == (winner == base[pair] != "")
        assert (over in sentence) == (winner != base[pair])


def test_the_explorer_says_of_each_analysis_what_it_comes_to_over_data_sets(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(root)
    asked = load_study("config/studies/combined.yaml")
    results = read_results(root / f"results/studies/combined/{name}.csv" for name in ("verdicts", "over_datasets"))
    verdicts = experiment_verdicts(asked, results.verdicts)
    [content] = json.loads(explorer(asked, verdicts, base_designs(asked.own), results))["experiments"]
    options = content["decisions"][0]["options"]
    said = {
        (each["first"], each["second"], each["metric"], options[content["designs"][0][each["design"]]]): each["says"]
        for each in content["over"]
    }
    rows = results.over_datasets
    assert len(said) == len(rows) == 12
    for row in rows.itertuples():
        who = f"{row.winner} wins" if row.winner else "neither wins"
        start = f"On average over data sets like these, {who} ({row.system_a} beside {row.system_b}: "
        assert said[row.system_a, row.system_b, row.metric_full, row.view].startswith(start)
