"""Study files: each kind of mistake has a message that names file, key, culprit and what is allowed."""

from functools import partial
from pathlib import Path

import pytest
import yaml
from pydantic import TypeAdapter

from approved import refusal
from recsens.errors import ConfigError
from recsens.metrics import Metric
from recsens.plugins.specs import Chain, Spec, parse
from recsens.study import Study, find_study, load_study
from recsens.study.field_types import MetricList


@pytest.fixture(autouse=True)
def _no_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the folders of plug-ins of other tests, which messages would name."""
    monkeypatch.setattr("recsens.plugins.own._modules._FOLDERS", [])


BASE = {
    "title": "A study",
    "datasets": {"Simulated": "simulated"},
    "systems": {"kNN": "user_knn", "Popularity": "popularity"},
    "metrics": ["P@10"],
}
PRINTED = {"dataset": "Simulated", "system": "kNN", "metric": "P@10", "value": 0.4, "source": "Table 1"}
PRINTED_P = {
    "dataset": "Simulated",
    "system_a": "kNN",
    "system_b": "Popularity",
    "metric": "P@10",
    "p_value": 0.04,
    "source": "Table 1",
}


@pytest.fixture
def study(tmp_path):
    """Load a study with some keys changed, or given as text."""

    def load(text: str | None = None, **changes: object) -> Study:
        path = tmp_path / "study.yaml"
        path.write_text(yaml.safe_dump({**BASE, **changes}, sort_keys=False) if text is None else text, encoding="utf-8")
        return load_study(path)

    return load


# What can be written


def test_every_decision_has_a_default_in_canonical_form(study):
    design = study().design
    assert design.filter == Chain((Spec("none"),))
    assert (design.split, design.repeats) == (Spec("random"), 1)
    assert (design.targets, design.nc, design.ties) == (Spec("ar"), Spec("drop"), "random")
    assert (design.relevance, design.users, design.view) == (None, Spec("with_ratings"), "full")
    assert (design.aggregate, design.coverage, design.test) == (Spec("mean"), "full", Spec("t"))


def test_components_are_canonical_whatever_is_written(study):
    found = study(systems={"a": "User_KNN( similarity=cosine, k=5e1 )"}, design={"split": "random(0.5)"})
    assert found.systems == {"a": parse("user_knn(k=50)")}
    assert found.design.split == parse("random(ratio=0.5)")


def test_several_cutoffs_are_several_metrics_in_the_order_given(study):
    assert [measured.short for measured in study(metrics=["P@10,5", "nDCG(gain=exp)@3"]).metrics] == [
        "P@10",
        "P@5",
        "nDCG(gain=exp)@3",
    ]


def test_decisions_leave_the_base_design_one_at_a_time(study):
    found = study(vary={"split": ["random(ratio=.5)", "random(ratio=.8)"], "view": ["full", "condensed"], "relevance": [None, 5]})
    assert [(str(d.split), d.view, d.relevance) for d in found.own.designs()] == [
        ("random", "full", None),
        ("random(ratio=0.5)", "full", None),
        ("random", "condensed", None),
        ("random", "full", 5.0),
    ]


def test_decisions_are_tried_in_every_combination(study):
    found = study(combine="grid", vary={"split": ["random", "random(ratio=.5)"], "view": ["full", "condensed"]})
    assert [(str(d.split), d.view) for d in found.own.designs()] == [
        ("random", "full"),
        ("random", "condensed"),
        ("random(ratio=0.5)", "full"),
        ("random(ratio=0.5)", "condensed"),
    ]


def test_nothing_varied_is_one_design(study):
    assert study().own.designs() == [study().design]
    assert study(combine="grid").own.designs() == [study().design]


@pytest.mark.parametrize(
    ("compare", "pairs"),
    [(None, [("a", "b"), ("a", "c"), ("b", "c")]), ([["c", "a"]], [("c", "a")]), ([], [])],
)
def test_every_pair_is_compared_unless_pairs_are_named(study, compare, pairs):
    found = study(systems={"a": "random", "b": "popularity", "c": "user_knn"}, compare=compare)
    assert found.own.pairs() == pairs


@pytest.mark.parametrize("metric", ["P@10", "RBP@10", "RBP(phi=0.8)@10", "rbp( gain = binary , phi=.80)@10"])
def test_a_printed_value_may_name_its_metric_in_any_spelling(study, metric):
    found = study(metrics=["P@10", "RBP@10"], published=[{**PRINTED, "metric": metric}])
    assert found.published[0].metric == metric


def test_a_mapping_may_take_over_the_keys_of_another(study):
    text = (
        "title: t\ndatasets: {S: simulated}\nsystems: {a: random}\nmetrics: [P@1]\npublished:\n"
        "  - &first {dataset: S, system: a, metric: P@1, value: 1, source: x}\n"
        "  - {<<: *first, value: 2}\n"
    )
    assert [(p.value, p.source) for p in study(text).published] == [(1, "x"), (2, "x")]


def test_an_experiment_has_a_starting_point_and_systems_of_its_own(study):
    found = study(
        experiments={
            "Few": {
                "dataset": "Simulated",
                "design": {"split": "random(ratio=0.2)", "view": "condensed"},
                "systems": {"k1": "user_knn(k=1)", "k9": "user_knn(k=9)"},
                "vary": {"nc": ["append(by=popularity)"]},
            }
        },
        design={"coverage": "reduced"},
        vary={"split": ["random(ratio=0.5)"]},
    )
    own, few = found.all_experiments()
    assert (list(own.datasets), len(own.designs())) == (["Simulated"], 2)
    assert (list(few.datasets), list(few.systems), few.pairs()) == (["Few"], ["k1", "k9"], [("k1", "k9")])
    base, varied = few.designs()
    assert (base.split, base.view, base.coverage) == (parse("random(ratio=0.2)"), "condensed", "reduced")
    assert str(varied.nc) == "append(by=popularity)"
    assert found.dataset_of("Few") == "Simulated"
    assert list(found.all_figures()) == ["split", "designs", "few-nc", "few-designs"]


def test_an_experiment_has_its_own_metrics_or_those_of_the_study(study):
    further = {"Deep": {"dataset": "Simulated", "metrics": ["nDCG@1,50"]}, "Alike": {"dataset": "Simulated"}}
    found = study(metrics=["P@10", "nDCG@10"], experiments=further)
    metrics = [[measured.written for measured in each.metrics] for each in found.all_experiments()]
    assert metrics == [["P@10", "nDCG@10"], ["nDCG@1", "nDCG@50"], ["P@10", "nDCG@10"]]
    assert [measured.written for measured in found.all_metrics()] == ["P@10", "nDCG@10", "nDCG@1", "nDCG@50"]


def test_a_number_may_be_printed_of_another_design_than_the_base(study):
    found = study(vary={"view": ["condensed"]}, published=[{**PRINTED, "under": {"view": "condensed"}}])
    assert found.published[0].under == {"view": "condensed"}


@pytest.mark.parametrize(
    "path", sorted(Path(__file__).parents[2].joinpath("config/studies").glob("*.yaml")), ids=lambda path: path.stem
)
def test_every_study_that_ships_is_valid(path):
    assert load_study(path).own.designs()


# What is refused


REFUSED = {
    "words of nobody": {"says": {"KNN": "x"}},
    "no words": {"says": {"kNN": " "}},
    "words in two lines": {"says": {"kNN": "a\nb"}},
    "unknown key": {"systemss": {}},
    "unknown key like nothing": {"zzz": 1},
    "unknown decision": {"design": {"splitt": "random"}},
    "out of bounds": {"design": {"split": "random(ratio=1.5)"}},
    "unknown split": {"design": {"split": "rndom"}},
    "grammar": {"design": {"split": "random(ratio=.5"}},
    "in a chain": {"design": {"filter": "none+nonee"}},
    "no such view": {"design": {"view": "ful"}},
    "no such tie policy": {"design": {"ties": "id"}},
    "metric": {"metrics": ["NDGC@10"]},
    "no cut-off": {"metrics": ["P"]},
    "cut-off zero": {"metrics": ["P@0"]},
    "metrics not listed": {"metrics": "P@10"},
    "no metric": {"metrics": []},
    "metric twice": {"metrics": ["P@10", "P@5,10"]},
    "text for a number": {"design": {"repeats": "many"}},
    "no repeat": {"design": {"repeats": 0}},
    "a claim for a number": {"seed": True},
    "negative seed": {"seed": -1},
    "not a number": {"design": {"relevance": float("nan")}},
    "text for a threshold": {"design": {"relevance": "high"}},
    "list for a mapping": {"datasets": ["simulated"]},
    "number for a component": {"systems": {"kNN": 3}},
    "no system": {"systems": {}},
    "label": {"systems": {"a|b": "random"}},
    "system twice": {"systems": {"a": "user_knn", "b": "user_knn(k=100)"}},
    "vary what": {"vary": {"spllit": ["random"]}},
    "vary to what": {"vary": {"split": ["rndom"]}},
    "vary to no such view": {"vary": {"view": ["full", "half"]}},
    "vary to nothing": {"vary": {"split": []}},
    "option not listed": {"vary": {"split": "random"}},
    "plugins missing": {"plugins": ["nowhere"]},
    "plugins no text": {"plugins": [3]},
    "own class": {"systems": {"a": "nobody.Foo"}},
    "compare whom": {"compare": [["kNN", "MF"]]},
    "compare with itself": {"compare": [["kNN", "kNN"]]},
    "missing": {"systems": {"nan": "popularity"}},
    "all": {"systems": {"all": "popularity"}},
    "half a pair": {"compare": [["kNN"]]},
    "printed whom": {"published": [{**PRINTED, "system": "KNN"}]},
    "printed on": {"published": [{**PRINTED, "dataset": "ML"}]},
    "printed what": {"published": [{**PRINTED, "metric": "P@5"}]},
    "one number of two metrics": {"published": [{**PRINTED, "metric": "P@5,10"}]},
    "printed key": {"published": [{**PRINTED, "valuee": 1}]},
    "p": {"published_comparisons": [{**PRINTED_P, "p_value": 3}]},
    "p of one": {"published_comparisons": [{**PRINTED_P, "system_b": "kNN"}]},
    "printed under a design that is not there": {"published": [{**PRINTED, "under": {"view": "condensed"}}]},
    "printed under no design": {"published": [{**PRINTED, "under": {"view": "ful"}}]},
    "experiment on no data set": {"experiments": {"X": {"dataset": "Sim"}}},
    "experiment with no such decision": {"experiments": {"X": {"dataset": "Simulated", "design": {"views": "full"}}}},
    "metric spelt otherwise in an experiment": {
        "metrics": ["nDCG@10"],
        "experiments": {"X": {"dataset": "Simulated", "metrics": ["nDCG(gain=binary)@5"]}},
    },
    "printed by a metric that its experiment lacks": {
        "experiments": {"X": {"dataset": "Simulated", "metrics": ["RR@5"]}},
        "published": [{**PRINTED, "dataset": "X"}],
    },
    "experiment named as a data set": {"experiments": {"Simulated": {"dataset": "Simulated"}}},
    "experiments that write over each other": {"experiments": {"a b": {"dataset": "Simulated"}, "a-B": {"dataset": "Simulated"}}},
    "experiment that varies to nothing": {"experiments": {"X": {"dataset": "Simulated", "vary": {"split": ["rndom"]}}}},
    "correction": {"design": {"correction": "bonferoni"}},
    "component in a component": {"design": {"nc": "append(by=populrity)"}},
    "alpha": {"alpha": 1},
    "no title": {"title": ""},
}
TEXTS = {
    "a key twice": "title: a\ntitle: b\n",
    "an inner key twice": "a:\n  b: 1\n  c: 2\n  b: 3\n",
    "not YAML": "a: [1",
    "a list as key": "[a, b]: 1",
    "Python in YAML": "a: !!python/object/apply:os.getcwd []",
    "empty": "",
    "only comments": "# only a remark\n",
    "a list": "- a\n- b\n",
    "missing keys": "title: x\n",
}


def test_a_mistake_is_named_with_file_and_key(study, tmp_path, approved):
    told = {name: refusal(partial(study, **changes), ConfigError) for name, changes in REFUSED.items()}
    assert all(message.count("what to do: ") == 1 for message in told.values())
    told |= {name: refusal(partial(study, text), ConfigError) for name, text in TEXTS.items()}
    several = {"design": {"split": "random(ratio=2)", "view": "ful"}, "metrics": ["P"], "seed": -1, "tilte": "x"}
    told["several mistakes"] = refusal(partial(study, **several), ConfigError)
    (tmp_path / "x.yaml").write_bytes("title: Bellogín".encode("latin-1"))
    told |= {name: refusal(partial(load_study, tmp_path / name), ConfigError) for name in ("x.yaml", "nowhere.yaml", ".")}
    for name in ("My Study", "a_b", "-a", "Table2", "ä"):
        told[f"the name {name}"] = refusal(partial(find_study, f"{name}.yaml"), ConfigError)
    approved(told)


def test_metrics_are_not_compared_with_each_other(monkeypatch: pytest.MonkeyPatch):
    compared = []
    monkeypatch.setattr(Metric, "__eq__", lambda first, second: compared.append(first) or first is second)
    adapter = TypeAdapter(MetricList)
    assert len(adapter.validate_python([f"P@{cutoff}" for cutoff in range(1, 101)])) == 100
    assert len(compared) <= 100
