"""What a study says follows from its comparisons, flips included, and never without the number."""

import pytest

from recsens.studies.results import Results
from recsens.studies.verdicts import agreement, base_sentence, findings, flip_sentences, headline, interval_name, verdicts

OPEN = "random(ratio=0.5)"


def plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


@pytest.fixture
def found(study, results):
    return findings(study, results.summary, results.comparisons)


def pick(found, dataset, short):
    return next(f for f in found if f.base.dataset == dataset and f.base.metric.startswith(short))


def test_each_data_set_and_metric_that_ranks_has_one_finding(found):
    assert [(f.base.dataset, f.base.metric[0]) for f in found] == [
        ("Alpha-1M", "P"),
        ("Alpha-1M", "n"),
        ("Beta_2", "P"),
        ("Beta_2", "n"),
    ]


def test_an_undecided_base_is_called_undecided_with_its_numbers(study, found):
    assert plain(base_sentence(study, pick(found, "Alpha-1M", "P@"))) == (
        "On Alpha-1M, P@10 does not decide between kNN and MF under the base design: "
        "kNN is ahead by .005 (95 % CI −.005 to .015, p = .223, 943 users)."
    )


def test_designs_that_decide_what_the_base_leaves_open_are_named(found):
    sentences = list(map(plain, flip_sentences(pick(found, "Alpha-1M", "P@"))))
    assert sentences == [
        "With split random(ratio=0.2), kNN beats MF by .038 (p < .001).",
        "With split random(ratio=0.35), kNN beats MF by .021 (p = .002).",
        "With split random(ratio=0.8), MF beats kNN by .028 (p < .001).",
    ]
    assert agreement(pick(found, "Alpha-1M", "P@")) == "1 of 4 other designs agrees."


def test_designs_that_name_different_winners_contradict_each_other(found):
    assert pick(found, "Alpha-1M", "P@").is_contradicted
    assert not pick(found, "Beta_2", "P@").is_contradicted


def test_the_headline_counts_verdicts_that_change(study, found):
    assert plain(headline(study, found)) == (
        "All 4 verdicts change under at least one of 4 other designs; in 2 of 4 cases, different designs name different winners. "
        "The base design names a winner in none of 4 verdicts (p < .05)."
    )


def test_a_decided_base_is_turned_over_by_the_opposite_and_by_the_undecided(make_study, make_results):
    study = make_study(design={"split": "random(ratio=0.2)", "repeats": 2}, vary={"split": [OPEN, "random(ratio=0.8)"]})
    tables = make_results(study)
    finding = pick(findings(study, tables.summary, tables.comparisons), "Alpha-1M", "P@")
    assert plain(base_sentence(study, finding)) == (
        "On Alpha-1M, kNN beats MF on P@10 by .038 (95 % CI .028 to .048, p < .001, 943 users) under the base design."
    )
    assert list(map(plain, flip_sentences(finding))) == [
        "With split random(ratio=0.8), the verdict is the opposite: MF beats kNN by .028 (p < .001).",
        "With split random(ratio=0.5), it becomes undecided: kNN is ahead of MF by .005 (p = .223).",
    ]
    assert finding.is_contradicted
    assert agreement(finding) == "0 of 2 other designs agree."


def test_without_other_designs_the_headline_says_so(make_study, make_results):
    study = make_study(vary={}, design={"split": "random(ratio=0.2)"})
    tables = make_results(study)
    found = findings(study, tables.summary, tables.comparisons)
    assert plain(headline(study, found)) == "The base design names a winner in all 4 verdicts (p < .05); no other design was tried."
    assert agreement(found[0]) == ""


def test_a_stable_verdict_is_called_stable(make_study, make_results):
    study = make_study(design={"split": "random(ratio=0.2)"}, vary={"view": ["condensed"]})
    tables = make_results(study)
    found = findings(study, tables.summary, tables.comparisons)
    assert headline(study, found).endswith("the 1 other design agrees.")
    assert agreement(found[0]) == "The one other design agrees."
    assert flip_sentences(found[0]) == []


def test_alpha_is_the_studys_own(make_study, results):
    strict = make_study(alpha=0.001)
    finding = pick(findings(strict, results.summary, results.comparisons), "Alpha-1M", "P@")
    assert not any("ratio=0.35" in sentence for sentence in flip_sentences(finding))


def test_a_pair_that_was_not_compared_is_not_decided(make_study, make_results):
    study = make_study(compare=[["kNN", "Pop_1"]], published_comparisons=[])
    tables = make_results(study)
    finding = pick(findings(study, tables.summary, tables.comparisons), "Alpha-1M", "P@")
    assert not finding.is_decided
    assert base_sentence(study, finding).endswith("the two were not tested.")


def test_averages_over_other_users_than_those_compared_are_told_apart(make_study, make_results):
    # Reduced averages are over each system's own users, comparisons over those that both cover.
    study = make_study(design={"split": "random(ratio=0.2)", "repeats": 2}, vary={"split": [OPEN]})
    tables = make_results(study)
    pair = (tables.comparisons["system_a"] == "kNN") & (tables.comparisons["system_b"] == "MF")
    tables.comparisons.loc[pair, ["difference", "low", "high", "p_value"]] = [-0.02, -0.03, -0.01, 0.04]
    finding = pick(findings(study, tables.summary, tables.comparisons), "Alpha-1M", "P@")
    assert not finding.is_decided
    assert plain(base_sentence(study, finding)) == (
        "On Alpha-1M, P@10 does not decide between kNN and MF under the base design: kNN has the better average, "
        "MF is ahead among the users compared by .020 (95 % CI .010 to .030, p = .040, 943 users)."
    )
    decided = tables.comparisons.copy()
    base = decided["split"] == "random(ratio=0.2)"
    decided.loc[pair & base, ["difference", "low", "high", "p_value"]] = [0.04, 0.03, 0.05, 0.0001]
    finding = pick(findings(study, tables.summary, decided), "Alpha-1M", "P@")
    (sentence,) = map(plain, flip_sentences(finding))
    assert sentence == (
        "With split random(ratio=0.5), it becomes undecided: kNN has the better average, "
        "MF is ahead among the users compared by .020 (p = .040)."
    )


def test_a_single_system_has_no_verdict(make_study, make_results):
    study = make_study(systems={"MF": "lab_plugins.Factors"}, published=[], published_comparisons=[])
    tables = make_results(study)
    assert findings(study, tables.summary, tables.comparisons) == []
    assert headline(study, []) == "No two systems were compared by a metric that ranks them."


def test_a_third_system_takes_the_verdict_over(make_study, make_results):
    study = make_study(design={"split": "random(ratio=0.2)"}, vary={"split": ["random(ratio=0.8)"]})
    tables = make_results(study)
    lifted = (tables.summary["system"] == "Pop_1") & (tables.summary["split"] == "random")
    tables.summary.loc[lifted, "value"] += 1
    for a in ("kNN", "MF"):
        rows = (tables.comparisons["system_a"] == a) & (tables.comparisons["system_b"] == "Pop_1")
        tables.comparisons.loc[rows & (tables.comparisons["split"] == "random"), "difference"] -= 1
    finding = pick(findings(study, tables.summary, tables.comparisons), "Alpha-1M", "P@")
    assert "the verdict is the opposite: Pop_1 beats kNN by .876" in flip_sentences(finding)[0]


def test_order_of_the_pair_in_the_table_does_not_matter(study, results):
    turned = results.comparisons.rename(columns={"system_a": "system_b", "system_b": "system_a"})
    turned["difference"], turned["low"], turned["high"] = -turned["difference"], -turned["high"], -turned["low"]
    straight = verdicts(results.summary, results.comparisons)
    other = verdicts(results.summary, turned)
    assert [v.first for v in straight] == [v.first for v in other]


def test_where_less_is_better_the_lowest_wins(study, results, monkeypatch):
    monkeypatch.setattr("recsens.studies.verdicts.improvement", lambda metric: -1)
    finding = next(f for f in findings(study, results.summary, results.comparisons) if f.base.dataset == "Alpha-1M")
    duel = finding.base.first
    assert (duel.ahead, duel.behind) == ("Pop_1", "MF")
    assert duel.margin == pytest.approx(0.125)
    assert duel.low < duel.margin < duel.high


def test_the_interval_is_named_by_the_tests_own_level(make_study):
    assert plain(interval_name(make_study(design={"test": "t(confidence=0.99)"}))) == "99 % CI"


def test_results_of_no_design_give_no_finding(study, results):
    empty = Results(results.summary.iloc[:0], results.comparisons.iloc[:0], results.datasets, results.splits)
    assert findings(study, empty.summary, empty.comparisons) == []
