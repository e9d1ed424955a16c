"""Sentences of a study: contradictions come first, changes of significance are separate, and every claim has its number."""

import pytest

from recsens.conclusions.verdicts.verdict_table import judge
from recsens.report.sentences.contradictions import contradictions
from recsens.report.sentences.headline import headline
from recsens.report.sentences.meaning import meaning

LOW = {"design": {"split": "random(ratio=0.2)", "repeats": 2}, "vary": {"split": ["random(ratio=0.5)", "random(ratio=0.8)"]}}


def plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


@pytest.fixture
def verdicts_of(make_study, make_results):
    def make(**changes: object):
        study = make_study(**changes)
        tables = make_results(study)
        return [judge(part, tables.summary, tables.comparisons) for part in study.all_experiments()]

    return make


def test_the_headline_counts_opposite_winners_first_and_significance_apart(verdicts_of):
    # kNN and MF cross on Alpha alone; on Beta they only come close.
    assert plain(headline(verdicts_of(**LOW))) == (
        "For 1 of 6 pairs of systems, analyses contradict each other: one system wins in some, and the other system wins in others "
        "(p < .05). "
        "In 1 more pair, only significance changes. In 4 of 6 pairs, every analysis agrees with the base design. "
        "Under the base design, all 6 pairs have a winner (p < .05)."
    )


def test_a_study_that_nothing_turns_says_so(verdicts_of):
    text = plain(headline(verdicts_of(design={"split": "random(ratio=0.2)"}, vary={"view": ["condensed"]})))
    assert text.startswith(
        "No analyses contradict each other: no pair has different winners in two analyses (p < .05). "
        "Every analysis agrees with the base design in all 6 pairs."
    )


def test_without_other_analyses_the_headline_says_so(verdicts_of):
    text = plain(headline(verdicts_of(design={"split": "random(ratio=0.2)"}, vary={}, metrics=["P@10"])))
    assert text == (
        "Under the base design, all 6 pairs have a winner (p < .05). "
        "Only one design was run, so nothing is known yet about robustness: add 'vary:' to try other decisions."
    )


def test_a_single_system_is_not_compared(verdicts_of):
    verdicts = verdicts_of(systems={"MF": "lab_plugins.Factors"}, published=[], published_comparisons=[])
    assert headline(verdicts) == "No two systems were compared on a metric that ranks them."
    assert contradictions(verdicts) == []


def test_a_contradiction_names_the_base_and_the_analyses_that_change_least(verdicts_of):
    (found,) = contradictions(verdicts_of(**LOW))
    assert plain(found.base) == (
        "On Alpha-1M under the base design, kNN beats MF on P@10 by .038 (95 % CI .028 to .048, "
        "p < .001 for these splits and fits, 943 users)."
    )
    assert list(map(plain, found.against)) == [
        "With 80 % of the data in train, MF beats kNN by .028 (p < .001).",
        "With 80 % of the data in train and nDCG@10 as the metric, MF beats kNN by .028 (p < .001).",
    ]
    assert found.counts == "Of the 5 other analyses, kNN wins in 1, MF wins in 2, and neither wins in 2."


def test_an_open_base_is_contradicted_by_analyses_that_decide_it_both_ways(verdicts_of):
    found = contradictions(verdicts_of(vary={"split": ["random(ratio=0.2)", "random(ratio=0.8)"]}, metrics=["P@10"]))[0]
    assert plain(found.base) == (
        "On Alpha-1M under the base design, kNN's lead over MF on P@10, .005, is not significant "
        "(95 % CI −.005 to .015, p = .223 for these splits and fits, 943 users)."
    )
    assert list(map(plain, found.against)) == [
        "With 20 % of the data in train, kNN beats MF by .038 (p < .001).",
        "With 80 % of the data in train, MF beats kNN by .028 (p < .001).",
    ]


def test_alpha_is_the_studys_own(verdicts_of):
    assert plain(headline(verdicts_of(**LOW, alpha=1e-9))).startswith("No analyses contradict each other")


def test_where_less_is_better_the_winner_is_the_lower_one(verdicts_of, monkeypatch):
    for module in ("report.sentences.contradictions", "conclusions.verdicts.verdict_table"):
        monkeypatch.setattr(f"recsens.{module}.direction", lambda metric: -1)
    (found,) = contradictions(verdicts_of(**LOW))
    assert plain(found.base).endswith(
        "MF beats kNN on P@10 by .038 (95 % CI .028 to .048, p < .001 for these splits and fits, 943 users)."
    )


def test_experiments_are_counted_with_the_studys_own(verdicts_of, experiment):
    text = headline(verdicts_of(**LOW, experiments={"Little": experiment}))
    assert text.startswith("For 1 of 7 pairs")


@pytest.mark.parametrize(
    ("corrections", "part"),
    [
        ({"none"}, "does not adjust p-values"),
        ({"holm"}, "p-values are adjusted by Holm's step-down procedure for the number of pairs"),
        ({"none", "bh"}, "by the procedure of Benjamini and Hochberg, as each design says, for the number"),
    ],
)
def test_the_reader_is_told_what_p_is_adjusted_for(study, results, corrections, part):
    rows = results.comparisons.copy()
    rows["correction"] = (sorted(corrections) * len(rows))[: len(rows)]
    assert part in meaning(study, rows)


def test_the_reader_is_told_that_rankings_of_ratings_weigh_users(study, results):
    rows = results.comparisons.copy()
    assert "The two systems are compared over the same users. " in meaning(study, rows)
    rows["targets"] = "one_r"
    assert "In this comparison, a user's value is the mean over the user's relevant test ratings" in meaning(study, rows)
    rows["targets"] = (["ar", "one_r"] * len(rows))[: len(rows)]
    assert "Under targets with a ranking for each rating, a user's value is the mean" in meaning(study, rows)


def test_an_average_over_nobody_is_noticed(verdicts_of):
    verdicts = verdicts_of(**LOW)
    for base in verdicts[0].base.values():
        base["users"] = 0
    assert "have no users to average: see B1" in headline(verdicts)
