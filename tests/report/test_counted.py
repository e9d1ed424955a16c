"""Next to the scores, the report shows who is averaged, and warns of what must not be overlooked."""

import pytest

from recsens.conclusions.design_space import base_designs
from recsens.conclusions.verdicts.study_tables import empty_table
from recsens.conclusions.verdicts.verdict_table import judge
from recsens.report.alerts import ADVICE, alerts, below_random, few_effective, warnings, warnings_on
from recsens.report.page_content import render
from recsens.report.sentences.best import base_sentences
from recsens.report.sentences.counts import base_counts
from recsens.report.tables.coverage import counted_table, coverage_table, design_sets
from recsens.report.tables.of_dataset import comparison_table

TEMPORAL = {"users": 943, "averaged": 751, "with_test": 109, "with_relevant": 98, "test_ratings": 19997, "lost_ratings": 17048}


def plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


def rows_of(table):
    return {row.label: [plain(f"{cell.text} {cell.extra}").strip() for cell in row.cells] for g in table.groups for row in g.rows}


@pytest.fixture
def temporal(results, split_at):
    """Results with a temporal base split that has the same counts as the split at .2."""
    counted = results.counted.copy()
    affected = counted["split"].isin(["random(ratio=0.5)", "random(ratio=0.2)"]) & (counted["dataset"] == "Alpha-1M")
    counted.loc[affected & (counted["view"] == "full"), list(TEMPORAL)] = list(TEMPORAL.values())
    counted["effective_users"] = counted["averaged"]
    return counted


def test_other_designs_have_the_range_over_folds_and_no_table_where_nothing_differs(study, results, temporal, split_at):
    split, view = design_sets(study.own, results.summary)
    found = rows_of(counted_table(temporal, "Alpha-1M", split))
    assert found[f"{split_at(0.5)} (base)"] == ["751", "109", "98", "19,997", "17,048 (85.3 %)"]
    assert found[split_at(0.8)] == ["943", "943", "939 to 940", "20,000", "0 (0.0 %)"]
    assert counted_table(results.counted, "Alpha-1M", view).is_empty


def test_many_folds_are_shown_as_one_range(make_study, make_results):
    study = make_study(design={"split": "random(ratio=0.5)", "repeats": 12})
    assert rows_of(counted_table(make_results(study).counted, "Alpha-1M"))["all 12 folds"][2] == "929 to 940"


def test_weights_rankings_and_percentiles_are_shown_where_there_are_any(results):
    one = results.counted.assign(effective_users=411.7, rankings=4206.0, ratings_by_percentile="3184 19")
    one.loc[one["fold"] == "repeat-1", "ratings_by_percentile"] = "3184 34"
    table = counted_table(one, "Alpha-1M")
    assert table.columns[3:5] == ("effective users", "rankings")
    assert rows_of(table)["repeat-0"][3:5] == ["412", "4,206"]
    assert any("popularity percentile, the most popular percentile first: 3,184; 19." in note for note in table.notes)
    assert any("(Σ w)² / Σ w²" in note for note in table.notes)


def test_who_was_averaged_and_what_is_warned_of(study, results, temporal, approved):
    one = results.counted.assign(effective_users=411.7, rankings=4206.0, with_relevant=943.0)
    many = temporal.assign(averaged=[1000 + place // 2 for place in range(len(temporal))], with_relevant=1.0)
    found = warnings(study.own, temporal)
    approved(
        {
            "usually": base_counts(study.own, results.counted),
            "by time": base_counts(study.own, temporal),
            "by rating": base_counts(study.own, one),
            "by time, warnings": found,
            "many different numbers": warnings_on(many, "Alpha-1M"),
        }
    )
    assert warnings(study.own, results.counted) == []
    assert alerts(study, results.with_tables(counted=temporal, datasets=empty_table("datasets"))) == [*found, ADVICE]
    assert alerts(study, results.with_tables(datasets=empty_table("datasets"))) == []


def test_half_of_the_users_is_not_most(study, results):
    half = results.counted.assign(averaged=100.0, with_relevant=50.0, test_ratings=10.0, lost_ratings=5.0)
    assert warnings(study.own, half) == []
    assert warnings(study.own, half.assign(with_relevant=49.0))
    assert warnings(study.own, half.assign(lost_ratings=6.0))


def test_a_warning_stands_under_the_tables_whose_designs_it_is_about(study, results, temporal, split_at, printed):
    split, view = design_sets(study.own, results.summary)
    assert "under the base design, most" in warnings_on(temporal, "Alpha-1M", base_only=True)[0]
    assert "under the base design and 1 other" in warnings_on(temporal, "Alpha-1M", split)[0]
    assert "under the base design, most" in warnings_on(temporal, "Alpha-1M", view)[0]
    tables = {table.key: table for table in printed(study, results.with_tables(counted=temporal))}
    assert any("cannot score" in note for note in tables["scores-alpha-1m"].notes)
    assert not any("cannot score" in note for note in tables["scores-beta-2"].notes)
    assert not tables["averaged-alpha-1m"].is_empty
    assert not tables["averaged-by-split-alpha-1m"].is_empty
    assert tables["averaged-by-view-beta-2"].is_empty


def test_the_page_warns_first_and_shows_who_is_averaged_beside_the_scores(study, results, temporal):
    page = plain(render(study, results.with_tables(counted=temporal), name="x", designs=base_designs(study.own), figures={}))
    first = page.index('<div class="alert" role="note">')
    assert page.index('<ul class="answers">') < first < page.index('<table class="glance">')
    assert "653 of 751 have no relevant" in page[first : first + 400]
    assert page.index("Alpha-1M: scores under the base design") < page.index("Alpha-1M: who is averaged under the base design")
    assert "On Beta_2, the base design averages over 943 users" in page
    quiet = render(study, results, name="x", designs=base_designs(study.own), figures={})
    assert 'class="alert"' not in quiet


def test_of_many_warnings_the_page_folds_those_after_the_fifth(monkeypatch, study, results):
    monkeypatch.setattr("recsens.report.page_content.alerts", lambda *_, **__: [f"Warning {number}." for number in range(9)])
    page = render(study, results, name="x", designs=base_designs(study.own), figures={})
    box = page[page.index('<div class="alert" role="note">') :].partition("</div>")[0]
    shown, _, folded = box.partition('<details class="printed"><summary>4 more</summary>')
    assert (shown.count("Warning"), folded.count("Warning")) == (5, 4)


# Systems that leave items unranked


@pytest.fixture
def unranked(make_study, make_results):
    """Values of Random and kNN by P@10 on every design, and what kNN ranks."""

    def make(knn: float, *, random: float = 0.005, policy: str = "full", filled_by_random: float = 1.0, **coverage: float):
        systems = {"kNN": "lab_plugins.Neighbours(k=100)", "Random": "random"}
        study = make_study(systems=systems, published=[], published_comparisons=[], metrics=["P@10"])
        summary = make_results(study).summary
        is_knn = summary["system"] == "kNN"
        whole = {"user_coverage": 1.0, "coverage_at_cutoff": 1.0}
        summary = summary.assign(spread=0.0001, **whole)
        for name, number in {"value": knn, **coverage}.items():
            summary.loc[is_knn, name] = number
        summary.loc[~is_knn, ["value", "coverage_at_cutoff"]] = random, filled_by_random
        summary["coverage"] = policy
        if "rating_coverage" in coverage:
            summary.loc[~is_knn, "rating_coverage"] = 1.0
            summary["user_coverage"] = float("nan")
        base = summary["is_base"] & (summary["dataset"] == "Alpha-1M")
        return below_random(study.own, summary[base]), below_random(study.own, summary)

    return make


def test_a_system_below_random_for_want_of_ranked_items_is_told(unranked, approved):
    """With the value at Random's coverage: .004 / .41, .004 / .4 x .71, and .004 / (.3 / .5) where only users with a list count."""
    covered = {
        "ratings": {"rating_coverage": 0.41},
        "users": {"user_coverage": 0.5, "coverage_at_cutoff": 0.6},
        "places": {"coverage_at_cutoff": 0.6},
        "places that Random itself does not fill": {"coverage_at_cutoff": 0.4, "filled_by_random": 0.71},
        "places, in a reduced average": {"policy": "reduced", "user_coverage": 0.5, "coverage_at_cutoff": 0.3},
    }
    told = {name: unranked(0.004, **coverage)[0] for name, coverage in covered.items()}
    approved({**told, "ratings, in all analyses": unranked(0.004, rating_coverage=0.41)[1]})
    assert unranked(0.004, policy="reduced", user_coverage=0.5, coverage_at_cutoff=0.5)[0] == []
    assert unranked(0.004, policy="reduced", rating_coverage=0.5)[0] == []


@pytest.mark.parametrize(
    ("knn", "covered"),
    [(0.006, 0.41), (0.004, 1.0), (0.001, 0.41), (0.004, 0.0)],
    ids=["above random", "ranks everything", "below random all the same", "ranks nothing"],
)
def test_nothing_is_said_where_unranked_items_do_not_explain_it(unranked, knn, covered):
    assert unranked(knn, rating_coverage=covered)[0] == []


def test_a_study_without_a_random_system_has_nothing_to_compare_with(study, results):
    assert below_random(study.own, results.summary) == []


# Weights


def test_effective_users_stand_beside_users_where_they_weigh_differently(study, results):
    weighed = results.comparisons.assign(effective_users=411.7)
    table = comparison_table(study.own, weighed, results.verdicts, "Alpha-1M")
    at = table.columns.index("users")
    assert table.columns[at : at + 2] == ("users", "effective users")
    assert [cell.text for cell in table.groups[0].rows[0].cells[at : at + 2]] == ["943", "412"]
    assert "effective users" not in comparison_table(study.own, results.comparisons, results.verdicts, "Alpha-1M").columns
    shown = coverage_table(study.own, results.summary.assign(effective_users=411.7), "Alpha-1M")
    assert shown.columns[:2] == ("users averaged", "effective users")
    sentence = base_sentences(judge(study.own, results.summary, weighed), results.summary)[0]
    assert plain(sentence).endswith("p = .223 for these splits and fits, 943 users, effectively 412).")


def test_coverage_of_ratings_stands_under_its_own_name(study, results):
    by_rating = results.summary.assign(user_coverage=float("nan"), rating_coverage=0.41)
    table = coverage_table(study.own, by_rating, "Alpha-1M")
    assert table.columns[1] == "ratings ranked"
    assert plain(table.groups[0].rows[0].cells[1].text) == "41.0 %"
    assert not any("user coverage" in note.lower() for note in table.notes)
    mixed = results.summary.copy()
    mixed.loc[mixed["view"] == "condensed", ["user_coverage", "rating_coverage"]] = [float("nan"), 0.41]
    shown = coverage_table(study.own, mixed, "Alpha-1M", design_sets(study.own, mixed)[1])
    assert shown.columns[1:3] == ("user coverage", "ratings ranked")
    assert [[cell.text for cell in group.rows[1].cells[1:3]] for group in shown.groups][1][0] == "–"


@pytest.mark.parametrize(("test", "effective", "is_told"), [("t", 13.6, True), ("t", 50, False), ("randomisation", 13.6, False)])
def test_tests_that_rest_on_few_effective_users_are_told(study, results, test, effective, is_told):
    rows = results.comparisons.assign(test=test)
    rows.loc[(rows["dataset"] == "Alpha-1M") & (rows["fold"] == "all"), "effective_users"] = effective
    told = [plain(sentence) for sentence in few_effective(study.own, rows)]
    assert len(told) == is_told
    assert all("by t rest on fewer than 50 effective users (the smallest number is 14)" in sentence for sentence in told)


def test_few_users_who_weigh_the_same_are_no_few_effective_ones(study, results):
    assert few_effective(study.own, results.comparisons.assign(users=9, effective_users=9)) == []
