"""Study files: each kind of mistake has a message that names file, key, culprit and what is allowed."""

from pathlib import Path

import pytest
import yaml
from pydantic import TypeAdapter

from recsens.errors import ConfigError
from recsens.metrics import Metric
from recsens.plugins.specs import Chain, Spec, parse
from recsens.study import Study, find_study, load_study
from recsens.study.field_types import MetricList

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


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        pytest.param({"says": {"KNN": "x"}}, ["says: unknown system 'KNN'; did you mean 'kNN'? Allowed: "], id="words of nobody"),
        pytest.param({"says": {"kNN": " "}}, ["says.kNN: write what the system is in one line"], id="no words"),
        pytest.param({"says": {"kNN": "a\nb"}}, ["says.kNN: write what the system is in one line"], id="words in two lines"),
        pytest.param({"systemss": {}}, ["systemss: unknown key; did you mean 'systems'?", "Allowed: title, "], id="unknown key"),
        pytest.param({"zzz": 1}, ["zzz: unknown key. Allowed: title, "], id="unknown key like nothing"),
        pytest.param(
            {"design": {"splitt": "random"}}, ["design.splitt: unknown key; did you mean 'split'?"], id="unknown decision"
        ),
        pytest.param(
            {"design": {"split": "random(ratio=1.5)"}},
            [
                "design.split: split 'random(ratio=1.5)': ratio = 1.5: input should be less than 1",
                "ratio (number > 0 < 1, default 0.8)",
            ],
            id="out of bounds",
        ),
        pytest.param(
            {"design": {"split": "rndom"}}, ["design.split: unknown split 'rndom'; did you mean 'random'?"], id="unknown split"
        ),
        pytest.param({"design": {"split": "random(ratio=.5"}}, ["design.split: ", "random(ratio=.5▸", "',' or ')'"], id="grammar"),
        pytest.param(
            {"design": {"filter": "none+nonee"}}, ["design.filter: unknown filter 'nonee'; did you mean 'none'?"], id="in a chain"
        ),
        pytest.param({"design": {"view": "ful"}}, ["design.view: 'ful'", "Allowed: full, condensed."], id="no such view"),
        pytest.param({"design": {"ties": "id"}}, ["design.ties: 'id'", "random, high_index, low_index"], id="no such tie policy"),
        pytest.param(
            {"metrics": ["NDGC@10"]}, ["metrics: unknown metric 'NDGC'; did you mean 'nDCG'?", "RBPResidual"], id="metric"
        ),
        pytest.param({"metrics": ["P"]}, ["metrics: metric 'P' has no cut-off", "as in P@10"], id="no cut-off"),
        pytest.param({"metrics": ["P@0"]}, ["metrics: metric 'P@0' has no cut-off"], id="cut-off zero"),
        pytest.param({"metrics": "P@10"}, ["metrics: write the metrics as a list", "[P@10, nDCG@10]"], id="metrics not listed"),
        pytest.param({"metrics": []}, ["metrics: write the metrics as a list with at least one entry"], id="no metric"),
        pytest.param({"metrics": ["P@10", "P@5,10"]}, ["metrics: the metric 'P@10' appears twice"], id="metric twice"),
        pytest.param(
            {"design": {"repeats": "many"}}, ["design.repeats: 'many': input should be a valid integer"], id="text for a number"
        ),
        pytest.param({"design": {"repeats": 0}}, ["design.repeats: 0: ", "greater than or equal to 1"], id="no repeat"),
        pytest.param({"seed": True}, ["seed: True: input should be a valid integer"], id="a claim for a number"),
        pytest.param({"seed": -1}, ["seed: -1: "], id="negative seed"),
        pytest.param({"design": {"relevance": float("nan")}}, ["design.relevance: nan: ", "finite number"], id="not a number"),
        pytest.param({"design": {"relevance": "high"}}, ["design.relevance: 'high': "], id="text for a threshold"),
        pytest.param({"datasets": ["simulated"]}, ["datasets: ['simulated'] is not keys with values"], id="list for a mapping"),
        pytest.param({"systems": {"kNN": 3}}, ["systems.kNN: write a component as text, not as 3"], id="number for a component"),
        pytest.param({"systems": {}}, ["systems: ", "is empty: give at least one"], id="no system"),
        pytest.param(
            {"systems": {"a|b": "random"}},
            ["systems: the label 'a|b' may only contain letters A to Z and a to z, digits"],
            id="label",
        ),
        pytest.param(
            {"systems": {"a": "user_knn", "b": "user_knn(k=100)"}},
            ["systems: 'user_knn' has two labels, '"],
            id="system twice",
        ),
        pytest.param({"vary": {"spllit": ["random"]}}, ["vary: unknown decision 'spllit'; did you mean 'split'?"], id="vary what"),
        pytest.param({"vary": {"split": ["rndom"]}}, ["vary.split: unknown split 'rndom'"], id="vary to what"),
        pytest.param(
            {"vary": {"view": ["full", "half"]}},
            ["vary.view: 'half' is not an option", "full, condensed"],
            id="vary to no such view",
        ),
        pytest.param({"vary": {"split": []}}, ["vary.split: the list of options is empty"], id="vary to nothing"),
        pytest.param({"vary": {"split": "random"}}, ["vary.split: 'random' is not a list"], id="option not listed"),
        pytest.param(
            {"plugins": ["nowhere"]},
            ["plugins: 'nowhere' is not a folder (searched for next to the study"],
            id="plugins missing",
        ),
        pytest.param({"plugins": [3]}, ["plugins: '3' is not a folder"], id="plugins no text"),
        pytest.param(
            {"systems": {"a": "mylab.Foo"}},
            ["systems.a: recommender 'mylab.Foo': no module 'mylab'", "'plugins:' list"],
            id="own class",
        ),
        pytest.param({"compare": [["kNN", "MF"]]}, ["compare: unknown system 'MF'. Allowed: kNN, Popularity"], id="compare whom"),
        pytest.param({"compare": [["kNN", "kNN"]]}, ["compare: 'kNN' is paired with itself"], id="compare with itself"),
        pytest.param({"systems": {"nan": "popularity"}}, ["systems: the label 'nan' means something else in tables"], id="missing"),
        pytest.param({"systems": {"all": "popularity"}}, ["systems: the label 'all' means something else in tables"], id="all"),
        pytest.param({"compare": [["kNN"]]}, ["compare.0.1: ['kNN'] is not a pair of labels"], id="half a pair"),
        pytest.param(
            {"published": [{**PRINTED, "system": "KNN"}]},
            ["published: unknown system 'KNN'; did you mean 'kNN'?"],
            id="printed whom",
        ),
        pytest.param(
            {"published": [{**PRINTED, "dataset": "ML"}]}, ["published: unknown dataset 'ML'. Allowed: Simulated"], id="printed on"
        ),
        pytest.param(
            {"published": [{**PRINTED, "metric": "P@5"}]}, ["published: 'P@5' is not among the metrics"], id="printed what"
        ),
        pytest.param(
            {"published": [{**PRINTED, "metric": "P@5,10"}]}, ["'P@5,10' names 2 metrics"], id="one number of two metrics"
        ),
        pytest.param(
            {"published": [{**PRINTED, "valuee": 1}]}, ["published.0.valuee: unknown key; did you mean 'value'?"], id="printed key"
        ),
        pytest.param(
            {"published_comparisons": [{**PRINTED_P, "p_value": 3}]},
            ["published_comparisons.0.p_value: 3: ", "less than or equal to 1"],
            id="p",
        ),
        pytest.param(
            {"published_comparisons": [{**PRINTED_P, "system_b": "kNN"}]},
            ["published_comparisons: 'kNN' is paired with itself"],
            id="p of one",
        ),
        pytest.param(
            {"published": [{**PRINTED, "under": {"view": "condensed"}}]},
            ["published: the study has no design with view: condensed and otherwise the base design's decisions; add it to 'vary'"],
            id="printed under a design that is not there",
        ),
        pytest.param(
            {"published": [{**PRINTED, "under": {"view": "ful"}}]}, ["published.under.view: 'ful'"], id="printed under no design"
        ),
        pytest.param(
            {"experiments": {"X": {"dataset": "Sim"}}},
            ["experiments.X.dataset: unknown dataset 'Sim'", "Allowed: Simulated"],
            id="experiment on no data set",
        ),
        pytest.param(
            {"experiments": {"X": {"dataset": "Simulated", "design": {"views": "full"}}}},
            ["experiments.X.design.views: unknown key; did you mean 'view'?"],
            id="experiment with no such decision",
        ),
        pytest.param(
            {"metrics": ["nDCG@10"], "experiments": {"X": {"dataset": "Simulated", "metrics": ["nDCG(gain=binary)@5"]}}},
            ["experiments.X.metrics: 'nDCG(gain=binary)@5' and 'nDCG@10' are two spellings of the same metric"],
            id="metric spelt otherwise in an experiment",
        ),
        pytest.param(
            {"experiments": {"X": {"dataset": "Simulated", "metrics": ["RR@5"]}}, "published": [{**PRINTED, "dataset": "X"}]},
            ["published: 'P@10' is not among the metrics"],
            id="printed by a metric that its experiment lacks",
        ),
        pytest.param(
            {"experiments": {"Simulated": {"dataset": "Simulated"}}},
            ["experiments: 'Simulated' is the label of a data set"],
            id="experiment named as a data set",
        ),
        pytest.param(
            {"experiments": {"a b": {"dataset": "Simulated"}, "a-B": {"dataset": "Simulated"}}},
            ["experiments: the files of 'a b' and 'a-B' would have the same name"],
            id="experiments that write over each other",
        ),
        pytest.param(
            {"experiments": {"X": {"dataset": "Simulated", "vary": {"split": ["rndom"]}}}},
            ["vary.split: unknown split 'rndom'"],
            id="experiment that varies to nothing",
        ),
        pytest.param({"design": {"correction": "bonferoni"}}, ["design.correction: 'bonferoni'", "holm, bh"], id="correction"),
        pytest.param(
            {"design": {"nc": "append(by=populrity)"}},
            ["design.nc: in append(by=...): unknown recommender 'populrity'", "did you mean 'popularity'?"],
            id="component in a component",
        ),
        pytest.param({"alpha": 1}, ["alpha: 1: ", "less than 1"], id="alpha"),
        pytest.param({"title": ""}, ["title: ''"], id="no title"),
    ],
)
def test_a_mistake_is_named_with_file_and_key(study, tmp_path, changes, parts):
    with pytest.raises(ConfigError) as refused:
        study(**changes)
    message = str(refused.value)
    assert message.startswith(f"{tmp_path / 'study.yaml'}: ")
    for part in parts:
        assert part in message
    assert message.count("what to do: ") == 1


def test_several_mistakes_are_named_at_once(study, tmp_path):
    with pytest.raises(ConfigError) as refused:
        study(design={"split": "random(ratio=2)", "view": "ful"}, metrics=["P"], seed=-1, tilte="x")
    message = str(refused.value)
    assert message.startswith(f"{tmp_path / 'study.yaml'}: 5 mistakes\n")
    for key in ("seed: -1", "design.split: split", "design.view: 'ful'", "metrics: metric 'P'", "tilte: unknown key"):
        assert f"  - {key}" in message


def test_a_missing_key_is_named(study):
    with pytest.raises(ConfigError) as refused:
        study("title: x\n")
    for key in ("datasets", "systems", "metrics"):
        assert f"- {key}: Field required" in str(refused.value)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        pytest.param("title: a\ntitle: b\n", ["the key 'title' appears twice", "line 2, column 1"], id="key twice"),
        pytest.param("a:\n  b: 1\n  c: 2\n  b: 3\n", ["the key 'b' appears twice", "line 4, column 3"], id="inner key twice"),
        pytest.param("a: [1", ["is not YAML", "line 1"], id="not YAML"),
        pytest.param("[a, b]: 1", ["is not YAML: the key ['a', 'b'] is not text"], id="list as key"),
        pytest.param(
            "a: !!python/object/apply:os.getcwd []", ["is not YAML", "could not determine a constructor"], id="Python in YAML"
        ),
        pytest.param("", ["is not a mapping of keys", "title, description"], id="empty"),
        pytest.param("# only a remark\n", ["is not a mapping of keys"], id="only comments"),
        pytest.param("- a\n- b\n", ["is not a mapping of keys"], id="a list"),
    ],
)
def test_a_file_that_is_no_study_is_refused(study, tmp_path, text, parts):
    with pytest.raises(ConfigError) as refused:
        study(text)
    assert str(refused.value).startswith(f"{tmp_path / 'study.yaml'}: ")
    for part in parts:
        assert part in str(refused.value)


def test_a_file_in_another_encoding_is_refused(tmp_path):
    (tmp_path / "x.yaml").write_bytes("title: Bellogín".encode("latin-1"))
    with pytest.raises(ConfigError, match=r"x\.yaml: is not UTF-8 text"):
        load_study(tmp_path / "x.yaml")


@pytest.mark.parametrize("name", ["nowhere.yaml", "."])
def test_a_file_that_cannot_be_read_is_named(tmp_path, name):
    with pytest.raises(ConfigError, match="cannot be read") as refused:
        load_study(tmp_path / name)
    assert str(tmp_path / name) in str(refused.value)
    assert "recsens studies" in str(refused.value)


# Names of studies


@pytest.mark.parametrize("name", ["My Study", "a_b", "-a", "Table2", "ä"])
def test_a_file_whose_name_cannot_be_a_folder_of_results_is_refused(name):
    with pytest.raises(ConfigError, match="cannot be the name of a study") as refused:
        find_study(f"{name}.yaml")
    assert "lower-case letters, digits and hyphens" in str(refused.value)


def test_metrics_are_not_compared_with_each_other(monkeypatch: pytest.MonkeyPatch):
    compared = []
    monkeypatch.setattr(Metric, "__eq__", lambda first, second: compared.append(first) or first is second)
    adapter = TypeAdapter(MetricList)
    assert len(adapter.validate_python([f"P@{cutoff}" for cutoff in range(1, 101)])) == 100
    assert len(compared) <= 100
