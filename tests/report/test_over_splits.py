"""Next to p, the report says what p takes as fixed, marks wins that other splits may not support, and shows values."""

import pytest

from invented import rejudged
from recsens.conclusions.verdicts.pairs import of_all_experiments
from recsens.conclusions.verdicts.verdict_table import verdict_table
from recsens.report.glance import glances
from recsens.report.page_content import leader_tables
from recsens.report.sentences.answers import answers, unmoved
from recsens.report.sentences.best import base_sentences
from recsens.report.sentences.contradictions import contradictions
from recsens.report.sentences.evidence import over_splits
from recsens.report.tables.of_dataset import comparison_table

LONE = {
    "datasets": {"Alpha-1M": "lab_plugins.Ratings(name=alpha)"},
    "metrics": ["P@10"],
    "systems": {"kNN": "lab_plugins.Neighbours", "MF": "lab_plugins.Factors"},
    "published": [],
    "published_comparisons": [],
}


NAN = float("nan")
FROM_FIVE = ", from 5 splits with 4 degrees of freedom"


def plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


@pytest.fixture
def judged(make_study, make_results):
    """Judge a study of two systems, in which kNN wins with few train ratings and MF with many."""

    def make(*, resampled_p=0.001, value_difference=None, repeats=5, ratios=(0.2, 0.8), adjusted=None, correction="none"):
        base, *others = (f"random(ratio={ratio})" for ratio in ratios)
        study = make_study(
            **LONE, design={"split": base, "repeats": repeats, "correction": correction}, vary={"split": others} if others else {}
        )
        tables = make_results(study)
        pooled = tables.comparisons["fold"] == "all"
        changed = tables.comparisons.copy()
        changed.loc[pooled, "resampled_p"] = resampled_p if repeats > 1 else float("nan")
        if value_difference is not None:
            changed.loc[pooled, "value_difference"] = value_difference
        if adjusted is not None:
            changed.loc[pooled, "p_adjusted"] = adjusted
        tables = rejudged(study, tables.with_tables(comparisons=changed))
        return study, of_all_experiments(study, tables.verdicts), tables

    return make


def test_a_run_says_for_which_splits_its_p_values_hold_and_counts_wins_that_others_might_not_show(judged, approved):
    """With two splits, t has one degree of freedom, whose 97.5 % point is tan(.475 pi) = 12.7."""
    three = {"ratios": (0.1, 0.2, 0.8)}
    asked = {
        "every win": {},
        "one split": {"repeats": 1},
        "no win": {"adjusted": 0.2},
        "one of two": {"resampled_p": [0.12, 0.01]},
        "one of two, corrected": {"resampled_p": [0.12, 0.01], "correction": "holm"},
        "two splits": {"repeats": 2, "resampled_p": [0.12, 0.01]},
        "one tested, confirmed": {**three, "resampled_p": [NAN, 0.01, NAN]},
        "two tested, confirmed": {**three, "resampled_p": [0.02, 0.01, NAN]},
        "one tested, doubted": {**three, "resampled_p": [0.12, NAN, NAN]},
        "two tested, one doubted": {**three, "resampled_p": [0.12, 0.01, NAN]},
        "none tested": {**three, "resampled_p": [NAN, NAN, NAN]},
    }
    approved({name: over_splits(judged(**changes)[1]) for name, changes in asked.items()})


def test_answers_and_sentences_about_wins_over_other_splits(judged, approved):
    three = (0.1, 0.2, 0.8)
    asked = {
        "base confirmed": {"ratios": three, "resampled_p": [NAN, 0.12, 0.01]},
        "base doubted": {"ratios": three, "resampled_p": [0.12, NAN, 0.01]},
        "never changes": {"ratios": (0.1, 0.2), "resampled_p": [0.12, NAN]},
        "never changes, all tested": {"ratios": (0.1, 0.2), "resampled_p": [0.12, 0.01]},
        "corrected": {"resampled_p": [0.12, 0.01], "correction": "holm"},
        "both significant": {"adjusted": 0.00006, "resampled_p": 0.01},
        "only over splits": {"adjusted": 0.2, "resampled_p": 0.01},
        "neither": {"adjusted": 0.2, "resampled_p": 0.3},
    }
    told = {}
    for name, changes in asked.items():
        study, verdicts, tables = judged(**changes)
        found = [*(answer.finding for answer in answers(verdicts)), *unmoved(verdicts)]
        told[name] = [*found, *base_sentences(verdicts[0], tables.summary), *leader_tables(verdicts[0], tables.summary)]
        if name == "corrected":
            told[name] += [comparison_table(study.own, tables.comparisons, tables.verdicts, "Alpha-1M")]
    approved(told)


def test_without_a_p_value_nothing_is_said_of_splits(judged):
    assert over_splits(judged(adjusted=float("nan"))[1]) == ""


def test_an_answer_a_contradiction_and_the_picture_name_the_win_that_is_doubted(judged):
    _, verdicts, tables = judged(resampled_p=[0.12, 0.01])
    [answer] = answers(verdicts)
    assert plain(answer.finding).endswith(
        f"The base design's win is not significant over other splits (resampled p ≥ .05{FROM_FIVE})."
    )
    _, verdicts, tables = judged(resampled_p=[0.01, 0.12])
    [answer] = answers(verdicts)
    assert plain(answer.finding).endswith(f"(resampled p ≥ .05{FROM_FIVE}): with 80 % of the data in train.")
    [found] = contradictions(verdicts)
    assert plain(found.against[0]).endswith(f"(p < .001, but resampled p = .120 over other splits{FROM_FIVE}).")
    [glance] = glances(verdicts[0])
    marks = glance.strips[0].open[0].marks
    assert [mark.is_doubted for mark in marks] == [False, True]
    assert plain(marks[1].words) == f"MF wins, p < .001, but resampled p = .120 over other splits{FROM_FIVE}"
    assert glance.is_doubted
    assert not glances(judged()[1][0])[0].is_doubted
    [table] = leader_tables(judged(resampled_p=0.12)[1][0], tables.summary)
    assert table.groups[0].rows[1].cells[-1].extra == f"(.120 over splits{FROM_FIVE})"


def test_the_row_of_a_verdict_holds_both_p_values_and_both_differences(judged):
    study, _, tables = judged(resampled_p=0.12, value_difference=0.041)
    rows = verdict_table(study, tables.summary, tables.comparisons)
    assert set(rows["resampled_p"]) == {0.12}
    assert set(rows["value_difference"]) == {0.041}
    assert rows["hypothesis"].str.startswith("for these splits and fits, ").all()


def test_the_difference_of_the_printed_values_stands_beside_the_one_that_is_tested_where_it_is_printed_otherwise(judged):
    study, verdicts, tables = judged(ratios=(0.2,), value_difference=0.041)
    [sentence] = base_sentences(verdicts[0], tables.summary)
    assert "beats MF on P@10 under the base design, by .038 (" in sentence
    assert plain(sentence).endswith("943 users; this is the tested difference, and the two scores differ by .041).")
    table = comparison_table(study.own, tables.comparisons, tables.verdicts, "Alpha-1M")
    at = table.columns.index("of values")
    assert [table.groups[0].rows[0].cells[place].text for place in (0, at)] == [".038", ".0410"]
    assert any(note.startswith("Of values: ") for note in table.notes)
    [leaders] = leader_tables(verdicts[0], tables.summary)
    assert leaders.groups[0].rows[1].cells[-3].extra == "(.041 by values)"


def test_a_contradiction_names_the_difference_of_the_values_as_the_leader_sees_it(judged):
    _, verdicts, _ = judged(value_difference=[0.038, -0.05])
    [found] = contradictions(verdicts)
    assert plain(found.against[0]).endswith("(p < .001; this is the tested difference, and the two scores differ by .050).")


def test_equal_differences_are_printed_once(judged):
    study, verdicts, tables = judged(ratios=(0.2,))
    assert "the two scores differ" not in base_sentences(verdicts[0], tables.summary)[0]
    assert "of values" not in comparison_table(study.own, tables.comparisons, tables.verdicts, "Alpha-1M").columns
