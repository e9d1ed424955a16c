"""The settings statement names every decision, in order, in the plug-ins' own words."""

from dataclasses import replace

import pytest

from recsens import plugins
from recsens.comparison.users import Users
from recsens.conclusions.design_space import address, base_designs
from recsens.metrics import Metric, parse_measured_at
from recsens.plugins.specs import parse
from recsens.report.page_content import divide_settings
from recsens.report.settings.decisions import explain
from recsens.report.settings.statement import differences, statement
from recsens.study import Decisions
from recsens.study.taxonomy import DECISIONS


@pytest.fixture
def lines(study, designs):
    named = dict(zip(study.datasets, designs, strict=True))
    return statement(named, systems=study.systems, metrics=study.metrics, comparing=study.own)


def test_every_decision_stands_in_the_order_of_the_taxonomy(lines):
    codes = [line.code for line in lines]
    assert codes == [
        *["A1", "A1", "A1", "A2", "A2", "B", "B1", "B1", "B2", "B2", "B2", "B2", "C1", "C2", "C2", "C2", "C3", "C4", "C4"],
        *["D", "D", "D", "D"],
        "–",
    ]
    assert codes[:-1] == sorted(codes[:-1])
    assert all(line.name and line.value and line.meaning for line in lines)


def test_values_hide_no_default(lines):
    values = {line.name: line.value for line in lines}
    assert values["Significance test"].startswith("t, in full t(confidence=0.95")
    assert values["Users averaged"].endswith("relevant=0,test=0,train=1)")
    assert "nDCG(discount=log2,gain=binary,ideal=cut)@10" in values["Metrics"]
    assert "MF = lab_plugins.Factors(factors=50)" in values["Systems"]


@pytest.mark.parametrize("decision", DECISIONS, ids=lambda each: each.key)
def test_a_default_that_is_written_out_changes_no_section(study, designs, lines, decision):
    def sections(design):
        written = study.model_copy(update={"design": Decisions.model_validate(design)})
        return [[line.name for line in part] for part in divide_settings(written, lines)]

    default = getattr(Decisions(), decision.key)
    assert sections({decision.key: default if decision.words or not decision.kind else str(default)}) == sections({})


def test_a_users_own_plug_in_explains_itself(study):
    sentence = explain("dataset", parse("lab_plugins.Ratings(name=beta)"))
    assert sentence == "Invented ratings on a scale of 1 to 5. Parameters: name = beta (which ratings)."


def test_a_data_set_read_from_files_explains_itself_and_names_their_digest(designs):
    read = replace(designs[0], dataset=parse("movielens(release=1m,source=07dabace80)"))
    line = statement({"ML-1M": read})[0]
    assert line.value == "movielens(duplicates=error,invalid=error,release=1m,source=07dabace80)"
    assert line.meaning.startswith("Ratings of films by users of MovieLens, as GroupLens publishes them. Parameters: release = 1m")
    assert line.meaning.endswith("Raw files: digest 07dabace80.")


def test_a_formula_is_introduced_by_its_concept():
    assert explain("test", parse("t")).startswith("Paired two-tailed t-test over users. t = mean(δ)")


@pytest.mark.parametrize(
    ("users", "fates"),
    [
        ("with_ratings", ("train ratings are left out", "without relevant test ratings are averaged and count as zero")),
        ("with_ratings(relevant=1)", ("train ratings are left out", "without relevant test ratings are left out")),
        ("with_ratings(train=0)", ("train ratings are averaged;", "without test ratings are averaged and count as zero")),
        ("lab_plugins.Rated", ("train ratings are averaged;", "without test ratings are left out")),
    ],
)
def test_who_is_averaged_is_asked_of_the_user_selection_itself(study, users, fates):
    selection = Users.build(users)
    sentence = selection.prose_admission()
    assert sentence.startswith("Users without ")
    assert all(fate in sentence for fate in fates)


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


def test_a_design_that_sets_the_threshold_says_so(designs):
    found = statement({"Alpha": replace(designs[0], relevance=3.0)}, thresholds={"Alpha": 4.0})
    assert next(line.meaning for line in found if line.name == "Relevant ratings").startswith("Test ratings of 3 or more")


def test_the_address_is_the_folder_of_the_rankings(study, designs):
    place = "results/seed-0/lab_plugins.Ratings/none/random@ratio=0.5/repeat-0"
    assert address(designs[0]) == f"{place}/‹system›/ar/drop/random/"
    assert address(designs[0], study.systems["MF"]) == f"{place}/lab_plugins.Factors/ar/drop/random/"


def test_the_address_of_scores_in_files_is_that_of_the_files_of_the_base_design(study, tmp_path):
    design = base_designs(study.own)["Alpha-1M"]
    file = tmp_path / "alpha-1m" / "random@ratio=0.5" / "repeat-0.csv"
    file.parent.mkdir(parents=True)
    file.write_text("user,item,score\n1,1,1\n")
    system = parse(f'from_file(path="{tmp_path}/{{dataset}}/{{split}}/{{fold}}.csv")')
    assert "/repeat-0/from_file@source=" in address(design, system)


def test_base_designs_take_the_data_sets_as_they_stand_in_addresses(study, designs):
    assert list(base_designs(study.own).values()) == designs
    spec = parse("lab_plugins.Ratings(name=gamma)")
    assert base_designs(study.own, {"Beta_2": spec})["Beta_2"].dataset == spec


def test_what_is_compared_and_when_a_system_wins_is_stated(lines, make_study, designs):
    values = {line.name: line.value for line in lines}
    assert (values["Pairs compared"], values["Threshold of significance"]) == ("all 3", "alpha = 0.05")
    assert values["Correction for many comparisons"] == "none"
    some = make_study(compare=[["kNN", "Pop_1"]], published_comparisons=[])
    found = statement({"Alpha": designs[0]}, comparing=some.own)
    assert next(line.value for line in found if line.name == "Pairs compared") == "kNN and Pop_1"


def test_corrections_are_explained_in_words(designs):
    meanings = {}
    for correction in ("none", "holm", "bh"):
        found = statement({"Alpha": replace(designs[0], correction=correction)})
        meanings[correction] = next(line.meaning for line in found if line.name == "Correction for many comparisons")
    assert "No p-value is corrected" in meanings["none"]
    assert "Holm" in meanings["holm"]
    assert "Benjamini" in meanings["bh"]


CASES = ("Users without a relevant item", "Users without a list", "Short lists", "Equal scores, by metric")


def the_four(designs, *metrics, **changes):
    found = statement(
        {"Alpha": replace(designs[0], **changes)}, metrics=[one for text in metrics for one in parse_measured_at(text)]
    )
    values = {line.name: line.value for line in found}
    return tuple(values[name] for name in CASES)


def test_the_four_cases_are_stated_of_the_metrics_used(designs):
    assert the_four(designs, "P@5", "nDCG@10") == (
        "counted as 0",
        "counted as 0",
        "missing items add nothing to the value",
        "as the ranking orders them",
    )


def test_metrics_that_differ_are_named(designs):
    skipping = "AUC(ties=score,undefined=skip)"
    assert the_four(designs, "P@5", "SetP@5", "AUC", skipping, "uRMSE") == (
        f"counted as 0: P@5, SetP@5; counted as 0.5: AUC; left out of the mean: {skipping}; treated like all others: uRMSE",
        f"counted as 0: P@5, SetP@5; counted as 0.5: AUC; left out of the mean: {skipping}, uRMSE",
        "missing items add nothing to the value: P@5; only the listed items are counted: SetP@5",
        f"tied: {skipping}",
    )


def test_metrics_of_predictions_do_not_ask_how_long_a_list_is(designs):
    fates = the_four(designs, "UpSell@5", "SDCSE@5", "P@5")
    assert fates[1] == "left out of the mean: UpSell@5, SDCSE@5; counted as 0: P@5"
    assert (
        fates[2]
        == "only rated items that have a prediction are counted: UpSell@5, SDCSE@5; missing items add nothing to the value: P@5"
    )


def test_to_metrics_that_ignore_relevance_a_user_without_relevant_items_is_any_other(designs):
    # A short ranking of low ratings may well be perfect: that value is a measurement, not a rule.
    assert the_four(designs, "SDCSE@5", "UpSell@5", "P@5")[0] == "treated like all others: SDCSE@5, UpSell@5; counted as 0: P@5"


def test_who_is_left_out_by_the_design_is_not_measured(designs):
    changes = {"users": parse("with_ratings(relevant=1)"), "coverage": "reduced"}
    assert the_four(designs, "AUC", **changes)[:2] == ("left out of the mean", "left out of the mean")


def by_rating(designs, study, **changes):
    found = statement(
        {"Alpha": replace(designs[0], **changes)}, systems=study.systems, metrics=parse_measured_at("P@5,10"), comparing=study.own
    )
    return {line.name: line for line in found}


@pytest.mark.parametrize("targets", ["one_r", "u1r", "p1r(m=1)"])
def test_where_ratings_have_rankings_the_statement_says_who_is_left_out_and_who_weighs_how_much(designs, study, targets):
    lines = by_rating(designs, study, targets=parse(targets))
    assert lines["Users averaged"].meaning.endswith(
        "Users without train ratings are left out; users without test ratings have no ranking and are left out; users without "
        "relevant test ratings have no ranking and are left out."
    )
    assert lines["Users without a relevant item"].value == "left out of the mean"
    weights = "the number of the user's relevant test ratings, so that every rating counts the same"
    assert lines["Weights of users"].value == weights
    assert "every user counts the same" not in lines["Aggregation over users"].meaning
    assert (lines["Ratings not ranked"].value, "Users without a list" in lines) == ("counted as 0", False)
    assert "Users without a ranking" not in lines["Uncovered users"].meaning


def test_under_percentiles_the_statement_says_that_these_count_the_same(designs, study):
    lines = by_rating(designs, study, targets=parse("p1r(m=5)"))
    assert "each of the 5 percentiles with a relevant test rating" in lines["Weights of users"].value


@pytest.mark.parametrize(
    ("changes", "formula"),
    [
        ({"targets": parse("one_r")}, "w_u (δ_u - m) / w̄"),
        ({"aggregate": parse("weighted(by=train)")}, "w_u (δ_u - m) / w̄"),
        ({"targets": parse("p1r(m=5)")}, "n Σ_k n_uk (δ_uk - m_k) / (K N_k)"),
        ({"targets": parse("p1r(m=5)"), "test": parse("t(log=true)")}, "w_u (δ_u - m) / w̄"),
    ],
)
def test_where_users_weigh_differently_the_test_is_stated_with_its_weighted_formula(designs, study, changes, formula):
    lines = by_rating(designs, study, **changes)
    assert formula in lines["Significance test"].meaning
    assert "t = mean(δ)" not in lines["Significance test"].meaning


def test_where_users_count_the_same_the_test_is_stated_as_it_is_defined(designs, study):
    lines = by_rating(designs, study)
    assert "t = mean(δ)" in lines["Significance test"].meaning


def test_with_one_ranking_a_user_nothing_is_said_of_weights(lines):
    assert "Weights of users" not in {line.name for line in lines}
    assert any("every user counts the same" in line.meaning for line in lines)


def test_an_experiment_with_rankings_of_ratings_states_its_weights(make_study):
    study = make_study(experiments={"Ratings": {"dataset": "Beta_2", "design": {"targets": "one_r"}}})
    _, ratings = study.all_experiments()
    (targets, _), (weights, before) = differences(ratings, study)
    assert (targets.name, weights.name, before) == ("Target items", "Weights of users", "defined by the aggregate")


@pytest.mark.parametrize("metric", sorted(plugins.names("metric")))
def test_each_metric_says_what_becomes_of_the_cases(designs, metric):
    built = Metric.build(metric)
    found = the_four(designs, f"{metric}@10" if built.takes_cutoff != "never" else metric)
    assert all(found)
    assert (found[1] == "as the metrics' definitions say") == (built.unit == "pooled" or built.reads == "lists")


def test_an_experiment_states_only_what_it_takes_otherwise(make_study, experiment, split_at):
    study = make_study(experiments={"Little": experiment})
    own, little = study.all_experiments()
    assert [(line.name, line.value, before) for line, before in differences(little, study)] == [
        ("Train/test split", *(f"{split_at(ratio)}, in full random(count=binomial,ratio={ratio})" for ratio in (0.1, 0.5)))
    ]
    assert differences(own, study) == []
