"""The first screen answers the question: the best system or tied group, then pairs, then what is not known."""

import re

import pytest

from recsens.conclusions.design_space import base_designs
from recsens.conclusions.verdicts.stability import stabilities
from recsens.conclusions.verdicts.verdict_table import judge
from recsens.report.explorer import _start
from recsens.report.glance import glances
from recsens.report.page_content import render
from recsens.report.sentences.answers import FirstScreen
from recsens.report.sentences.best import best_systems
from recsens.report.system_remarks import UNPROMISED, remarks, unpromised, untuned, which_untuned

ONE = {"design": {"split": "random(ratio=0.2)"}, "vary": {}, "metrics": ["P@10"]}
VARIED = {"design": {"split": "random(ratio=0.2)"}, "vary": {"split": ["random(ratio=0.8)"]}}


def plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


@pytest.fixture
def first_of(make_study, make_results):
    def make(**changes: object):
        study = make_study(**changes)
        tables = make_results(study)
        verdicts = [judge(part, tables.summary, tables.comparisons) for part in study.all_experiments()]
        return FirstScreen.of(study, verdicts, tables.summary, tables.counted)

    return make


def test_each_data_set_has_its_best_system_in_one_sentence(first_of):
    found = [plain(sentence) for sentence in first_of(**VARIED).best]
    assert [sentence.partition(",")[0] for sentence in found] == [
        f"On {name} under the base design" for name in ("Alpha-1M", "Beta_2")
    ]
    assert all(re.search(r" is best: it beats both other systems \(P@10 \.\d+", sentence) for sentence in found)


def test_systems_that_the_best_value_does_not_beat_share_first_place(first_of):
    for sentence in first_of(**VARIED, alpha=1e-12).best:
        assert "share first place" in sentence
        assert re.search(r"but its lead over \w+ is not significant\.$", sentence)


def test_systems_with_the_same_best_value_are_named_together(make_study, make_results):
    study = make_study(**VARIED)
    tables = make_results(study)
    verdicts = [judge(part, tables.summary, tables.comparisons) for part in study.all_experiments()]
    summary = tables.summary.assign(value=0.25)
    for sentence in map(plain, best_systems(verdicts, summary, tables.counted)):
        assert re.search(r" share the best value \(P@10 \.25\d* over", sentence)


def test_a_system_that_was_not_compared_is_named_apart(first_of):
    pair = [["kNN", "MF"]]
    for sentence in first_of(**VARIED, compare=pair, published=[], published_comparisons=[]).best:
        assert "was not compared with" in sentence


def test_one_design_leaves_robustness_unknown_and_the_pairs_named_are_told(first_of):
    found = first_of(**ONE, compare=[["Pop_1", "MF"], ["kNN", "MF"]], published=[], published_comparisons=[])
    assert found.unknown.startswith("Only one design was run, so nothing is known yet about robustness")
    assert not found.changing
    for sentences, pair in (([answer.finding for answer in found.asked], {"Pop_1", "MF"}), (found.named, {"kNN", "MF"})):
        assert [sentence.partition(",")[0] for sentence in sentences] == ["On Alpha-1M", "On Beta_2"]
        assert all("under the base design" in sentence and pair <= set(re.findall(r"\w+", sentence)) for sentence in sentences)


@pytest.mark.parametrize(
    ("changes", "pair"),
    [
        ({"compare": [["MF", "kNN"], ["Pop_1", "kNN"]]}, {"MF", "kNN"}),
        ({"compare": [["Pop_1", "kNN"], ["MF", "kNN"]]}, {"Pop_1", "kNN"}),
        ({"title": "Does Pop_1 beat MF?"}, {"Pop_1", "MF"}),
        ({"title": "kNN, Pop_1 or MF?"}, set()),
        ({"title": "Popular: no MFs"}, set()),
        ({"compare": [], "title": "Pop_1 or MF?"}, set()),
    ],
)
def test_a_study_asks_about_its_first_pair_or_the_two_systems_of_its_title(make_study, changes, pair):
    assert make_study(**changes, published=[], published_comparisons=[]).own.asked == pair


def test_a_label_within_another_label_is_not_named_by_the_title(make_study):
    systems = {"kNN": "user_knn(k=5)", "kNN (big)": "user_knn(k=50)", "MF": "popularity"}
    study = make_study(systems=systems, title="kNN (big) or MF", published=[], published_comparisons=[])
    assert study.own.asked == {"kNN (big)", "MF"}


def test_the_pair_asked_about_leads_everywhere_whether_its_verdict_changes_or_not(make_study, make_results):
    study = make_study(**VARIED)
    tables = make_results(study)
    base = [pair for part in study.all_experiments() for pair in stabilities(judge(part, tables.summary, tables.comparisons))]
    assert {pair.is_stable for pair in base} == {True, False}
    for pair in base:
        named = [pair.base["system_a"], pair.base["system_b"]]
        asking = make_study(**VARIED, title=" or ".join(named))
        verdicts = [judge(part, tables.summary, tables.comparisons) for part in asking.all_experiments()]
        first = FirstScreen.of(asking, verdicts, tables.summary, tables.counted)
        assert len(first.asked) == len(asking.datasets)
        for answer in first.asked:
            assert re.match(rf"On \S+, .*\b{named[0]}\b.*\b{named[1]}\b|On \S+, .*\b{named[1]}\b.*\b{named[0]}\b", answer.finding)
        told = [*(answer.finding for answer in first.changing), *first.named]
        assert not any(set(named) <= set(re.findall(r"\w+", sentence.partition(".")[0])) for sentence in told)
        for of_part in verdicts:
            assert {_start(of_part)["first"], _start(of_part)["second"]} == set(named)
            assert all(set(glance.strips[0].open[0].systems) == set(named) for glance in glances(of_part))


def test_what_was_varied_leaves_nothing_unknown(first_of):
    found = first_of(**VARIED)
    assert (found.unknown, found.asked) == ("", [])
    assert found.changing or found.unmoved


def test_untuned_are_systems_that_learn_with_all_defaults(make_study):
    systems = {
        "Same": "user_knn(k=100)",
        "Set": "user_knn(k=20)",
        "Popular": "popularity",
        "Searched": "tuned(of=user_knn)",
        "Scaled": "calibrated(of=item_knn)",
    }
    study = make_study(systems=systems, published=[], published_comparisons=[])
    assert untuned(study.own) == {"Same", "Scaled"}
    assert which_untuned(study.own) == "Same and Scaled are untuned: every parameter has its default."


def test_systems_of_other_programs_are_named(make_study):
    program = 'program(run="mine {scores}")'
    systems = {"Mine": program, "Tuned": f"tuned(of={program},search=grid(minutes=[1,2]))", "Popular": "popularity"}
    study = make_study(systems=systems, published=[], published_comparisons=[])
    assert (
        unpromised(study.own) == "Another program computes the scores of Mine and Tuned, so another run may give different scores."
    )
    assert [UNPROMISED in remarks(spec) for spec in study.systems.values()] == [True, True, False]
    assert not unpromised(make_study(systems={"Popular": "popularity"}, published=[], published_comparisons=[]).own)


def test_the_menu_has_the_words_and_the_order_of_the_sections(study, results):
    page = render(study, results, name="x", designs=base_designs(study.own), figures={})
    menu = re.findall(r'<li><a href="#([^"]+)">([^<]+)</a></li>', page.partition("</nav>")[0])
    assert menu == re.findall(r'<h2 id="([^"]+)">([^<]+)</h2>', page)
