"""Experiments: their own settings, those that they inherit from the study, and their labels in tables."""

import pytest

from recsens.plugins.specs import parse
from recsens.study import Experiment, Study


@pytest.fixture
def study() -> Study:
    """Two data sets, and two further experiments on the second of them."""
    return Study.model_validate(
        {
            "title": "A study",
            "description": "Who wins?",
            "seed": 7,
            "alpha": 0.01,
            "datasets": {"A": "simulated", "B": "simulated(alpha=1)"},
            "systems": {"kNN": "user_knn", "Popularity": "popularity", "Random": "random"},
            "design": {"coverage": "reduced"},
            "vary": {"view": ["condensed"]},
            "compare": [["kNN", "Random"]],
            "metrics": ["P@10", "R@5"],
            "experiments": {
                "Few": {"dataset": "B", "design": {"split": "random(0.2)"}, "vary": {"nc": ["append(by=popularity)"]}},
                "Pair": {"dataset": "B", "systems": {"Mine": "user_knn(k=5)", "Random": "random"}, "description": "Only two."},
            },
        }
    )


def test_the_studys_own_experiment_comes_first_and_has_every_data_set(study):
    own, few, pair = study.all_experiments()
    assert own == study.own
    assert (own.title, own.description) == ("A study", "Who wins?")
    assert [list(each.datasets) for each in (own, few, pair)] == [["A", "B"], ["Few"], ["Pair"]]


def test_every_label_of_a_table_has_its_experiment(study):
    own, few, pair = study.all_experiments()
    assert study.by_label() == {"A": own, "B": own, "Few": few, "Pair": pair}
    assert [str(each.datasets[label]) for label, each in study.by_label().items()] == ["simulated", *["simulated(alpha=1)"] * 3]


def test_an_experiment_inherits_seed_metrics_and_alpha_and_the_decisions_it_does_not_name(study):
    few = study.by_label()["Few"]
    assert (few.seed, few.metrics, few.alpha) == (7, study.metrics, 0.01)
    assert (few.design.split, few.design.coverage) == (parse("random(ratio=0.2)"), "reduced")


def test_an_experiment_inherits_systems_unless_it_names_some(study):
    few, pair = (study.by_label()[label] for label in ("Few", "Pair"))
    assert few.systems == study.systems
    assert pair.systems == {"Mine": parse("user_knn(k=5)"), "Random": parse("random")}


def test_an_experiment_inherits_neither_variations_nor_pairs_nor_description(study):
    few, pair = (study.by_label()[label] for label in ("Few", "Pair"))
    assert (few.description, pair.description) == ("", "Only two.")
    assert [(str(design.nc), design.view) for design in few.designs()] == [("drop", "full"), ("append(by=popularity)", "full")]
    assert pair.designs() == [study.design]
    assert (study.own.pairs(), len(few.pairs()), pair.pairs()) == ([("kNN", "Random")], 3, [("Mine", "Random")])


def test_an_experiment_is_no_study(study):
    assert not any(isinstance(each, Study) for each in study.all_experiments())
    assert all(isinstance(each, Experiment) for each in study.all_experiments())
