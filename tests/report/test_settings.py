"""The settings statement names every decision, in order, in the plug-ins' own words."""

from dataclasses import replace

import pytest

from recsens import plugins
from recsens.comparison.users import Users
from recsens.conclusions.design_space import base_designs, ranking_folder
from recsens.metrics import Metric, parse_measured_at
from recsens.plugins.specs import parse
from recsens.report.page_content import divide_settings
from recsens.report.settings.decisions import explain, special_cases
from recsens.report.settings.statement import differing_settings, own_thresholds, statement
from recsens.study import Decisions
from recsens.study.taxonomy import DECISIONS


@pytest.fixture
def lines(study, designs):
    named = dict(zip(study.datasets, designs, strict=True))
    return statement(named, systems=study.systems, metrics=study.metrics, comparing=study.own)


def test_every_decision_stands_in_the_order_of_the_taxonomy_and_hides_no_default(lines, approved):
    codes = [line.code for line in lines]
    assert codes[:-1] == sorted(codes[:-1])
    approved({f"{line.code} {line.name}": [line.value, line.meaning] for line in lines})


@pytest.mark.parametrize("decision", DECISIONS, ids=lambda each: each.key)
def test_a_default_that_is_written_out_changes_no_section(study, designs, lines, decision):
    def sections(design):
        written = study.model_copy(update={"design": Decisions.model_validate(design)})
        return [[line.name for line in part] for part in divide_settings(written, lines)]

    default = getattr(Decisions(), decision.key)
    assert sections({decision.key: default if decision.words or not decision.kind else str(default)}) == sections({})


@pytest.mark.parametrize(
    ("thresholds", "value"),
    [
        ({}, "scale"),
        ({"Alpha-1M": 4.0, "Beta_2": 4.0}, "rating >= 4"),
        ({"Alpha-1M": 4.0, "Beta_2": 3.5}, "Alpha-1M: rating >= 4; Beta_2: rating >= 3.5"),
    ],
)
def test_the_threshold_of_relevance_is_resolved_where_the_scale_is_known(study, designs, thresholds, value):
    found = statement(dict(zip(study.datasets, designs, strict=True)), thresholds=thresholds)
    assert next(line.value for line in found if line.name == "Relevant ratings") == value


def test_a_threshold_that_a_data_set_declares_is_named(make_study):
    datasets = {"Plain": "cm100k", "Own": "cm100k(relevance=1)", "File": 'delimited(path="x",relevance=3)'}
    study = make_study(datasets=datasets, published=[], published_comparisons=[], experiments={})
    designs = base_designs(study.own)
    assert own_thresholds(designs) == {"Own": 1.0, "File": 3.0}
    thresholds = {"Plain": 2.0, "Own": 1.0, "File": 3.0}
    line = next(each for each in statement(designs, thresholds=thresholds) if each.name == "Relevant ratings")
    assert "at least 2 on Plain, 1 on Own and 3 on File" in line.meaning
    said = "The threshold of 1 on Own and 3 on File is declared with the data set; that of Plain is the upper quarter of the data"
    assert said in line.meaning
    assert "(" not in line.meaning
    strict = statement({label: design.replaced(relevance=2.0) for label, design in designs.items()}, thresholds=thresholds)
    line = next(each for each in strict if each.name == "Relevant ratings")
    assert "Test ratings of 2 or more are relevant." in line.meaning
    assert "need a threshold, it is that of the data set: 1 on Own and 3 on File." in line.meaning
    own = statement({"Own": designs["Own"]}, thresholds={"Own": 1.0})
    assert "upper quarter" not in next(each for each in own if each.name == "Relevant ratings").meaning


def test_the_address_is_the_folder_of_the_rankings(study, designs):
    place = "results/seed-0/lab_plugins.Ratings/none/random@ratio=0.5/repeat-0"
    assert ranking_folder(designs[0]) == f"{place}/‹system›/ar/drop/random/"
    assert ranking_folder(designs[0], study.systems["MF"]) == f"{place}/lab_plugins.Factors/ar/drop/random/"


def test_the_address_of_scores_in_files_is_that_of_the_files_of_the_base_design(study, tmp_path):
    design = base_designs(study.own)["Alpha-1M"]
    file = tmp_path / "alpha-1m" / "random@ratio=0.5" / "repeat-0.csv"
    file.parent.mkdir(parents=True)
    file.write_text("user,item,score\n1,1,1\n")
    system = parse(f'from_file(path="{tmp_path}/{{dataset}}/{{split}}/{{fold}}.csv")')
    assert "/repeat-0/from_file@source=" in ranking_folder(design, system)


def test_base_designs_take_the_data_sets_as_they_stand_in_addresses(study, designs):
    assert list(base_designs(study.own).values()) == designs
    spec = parse("lab_plugins.Ratings(name=gamma)")
    assert base_designs(study.own, {"Beta_2": spec})["Beta_2"].dataset == spec


def test_other_settings_in_words(make_study, designs, approved):
    some = make_study(compare=[["kNN", "Pop_1"]], published_comparisons=[])
    read = replace(designs[0], dataset=parse("movielens(release=1m,source=07dabace80)"))
    [data, *_] = statement({"ML-1M": read})
    selections = ("with_ratings", "with_ratings(relevant=1)", "with_ratings(train=0)", "lab_plugins.Rated")

    def line(name, **asked):
        design = replace(designs[0], **{key: asked.pop(key) for key in ("correction", "relevance") if key in asked})
        return next(line.value + ": " + line.meaning for line in statement({"Alpha": design}, **asked) if line.name == name)

    corrections = [line("Correction for many comparisons", correction=option) for option in ("holm", "bh")]
    approved(
        {
            "a user's plug-in": explain("dataset", parse("lab_plugins.Ratings(name=beta)")),
            "files": [data.value, data.meaning],
            "who is averaged": [Users.build(users).prose_admission() for users in selections],
            "one pair": line("Pairs compared", comparing=some.own),
            "corrections": corrections,
            "a threshold": line("Relevant ratings", relevance=3.0, thresholds={"Alpha": 4.0}),
        }
    )


CASES = ("Users without a relevant item", "Users without a list", "Short lists", "Equal scores, by metric")


def the_four(designs, *metrics, **changes):
    found = statement(
        {"Alpha": replace(designs[0], **changes)}, metrics=[one for text in metrics for one in parse_measured_at(text)]
    )
    values = {line.name: line.value for line in found}
    return tuple(values[name] for name in CASES)


def test_the_four_cases_are_stated_of_the_metrics_used(designs, approved):
    """A short ranking of low ratings may be perfect to metrics that ignore relevance: that value is a measurement, not a rule."""
    asked = ("P@5 nDCG@10", "P@5 SetP@5 AUC AUC(ties=score,undefined=skip) uRMSE", "UpSell@5 SDCSE@5 P@5")
    told = {metrics: the_four(designs, *metrics.split()) for metrics in asked}
    changes = {"users": parse("with_ratings(relevant=1)"), "coverage": "reduced"}
    approved({**told, "AUC, of users who have all": the_four(designs, "AUC", **changes)})


def by_rating(designs, study, **changes):
    found = statement(
        {"Alpha": replace(designs[0], **changes)}, systems=study.systems, metrics=parse_measured_at("P@5,10"), comparing=study.own
    )
    return {line.name: line for line in found}


def test_what_is_stated_otherwise_where_users_weigh_differently(designs, study, approved):
    """Who is left out, who weighs how much, and the weighted formula of the test."""
    usual = by_rating(designs, study)
    designs_tried = {
        **{targets: {"targets": parse(targets)} for targets in ("one_r", "u1r", "p1r(m=1)", "p1r(m=5)")},
        "weights": {"aggregate": parse("weighted(by=train)")},
        "p1r, in logarithms": {"targets": parse("p1r(m=5)"), "test": parse("t(log=true)")},
    }
    told = {}
    for name, changes in designs_tried.items():
        lines = by_rating(designs, study, **changes)
        new = [f"{key}: {line.value}\n  {line.meaning}" for key, line in lines.items() if line != usual.get(key)]
        told[name] = [*new, *(f"no longer: {key}" for key in usual.keys() - lines.keys())]
    approved(told)


def test_an_experiment_with_rankings_of_ratings_states_its_weights(make_study):
    study = make_study(experiments={"Ratings": {"dataset": "Beta_2", "design": {"targets": "one_r"}}})
    _, ratings = study.all_experiments()
    (targets, _), (weights, before) = differing_settings(ratings, study)
    assert (targets.name, weights.name, before) == ("Target items", "Weights of users", "defined by the aggregate")


def test_each_metric_says_what_becomes_of_the_cases(designs):
    for metric in sorted(plugins.names("metric")):
        built = Metric.build(metric)
        measured = parse_measured_at(f"{metric}@10" if built.takes_cutoff != "never" else metric)
        told = {line.name: line.value for each in DECISIONS for line in special_cases(each, designs[0], measured)}
        found = [told[name] for name in CASES]
        assert all(found), metric
        assert (found[1] == "as the metrics' definitions say") == (built.unit == "pooled" or built.reads == "lists"), metric


def test_an_experiment_states_only_what_it_takes_otherwise(make_study, experiment, split_at):
    study = make_study(experiments={"Little": experiment})
    own, little = study.all_experiments()
    assert [(line.name, line.value, before) for line, before in differing_settings(little, study)] == [
        ("Train/test split", *(f"{split_at(ratio)}, in full random(count=binomial,ratio={ratio})" for ratio in (0.1, 0.5)))
    ]
    assert differing_settings(own, study) == []
