"""The first screen answers the question: the best system or tied group, then pairs, then what is not known."""

import re

import pandas as pd
import pytest

from recsens.conclusions.design_space import base_designs
from recsens.conclusions.verdicts.best import base_standings
from recsens.conclusions.verdicts.stability import stabilities
from recsens.conclusions.verdicts.verdict_table import judge
from recsens.report.glance import glances
from recsens.report.page_content import render
from recsens.report.sentences.answers import FirstScreen
from recsens.report.sentences.best import best_systems
from recsens.report.system_remarks import UNPROMISED, remarks, tried_unequally, unpromised, untuned_sentence, untuned_systems
from recsens.report.tables.tuning import leaders_at_edges

ONE = {"design": {"split": "random(ratio=0.2)"}, "vary": {}, "metrics": ["P@10"]}
VARIED = {"design": {"split": "random(ratio=0.2)"}, "vary": {"split": ["random(ratio=0.8)"]}}


@pytest.fixture
def first_of(make_study, make_results):
    def make(**changes: object):
        study = make_study(**changes)
        tables = make_results(study)
        verdicts = [judge(part, tables.summary, tables.comparisons) for part in study.all_experiments()]
        return FirstScreen.of(study, verdicts, tables)

    return make


def test_the_best_systems_the_pairs_and_what_is_unknown(first_of, make_study, make_results, approved):
    plain_study = {"published": [], "published_comparisons": []}
    study = make_study(**VARIED)
    tables = make_results(study)
    verdicts = [judge(part, tables.summary, tables.comparisons) for part in study.all_experiments()]
    named = first_of(**ONE, compare=[["Pop_1", "MF"], ["kNN", "MF"]], **plain_study)
    varied = first_of(**VARIED)
    approved(
        {
            "one is best": varied.best,
            "several share first place": first_of(**VARIED, alpha=1e-12).best,
            "the same best value": best_systems(verdicts, tables.summary.assign(value=0.25), tables.counted),
            "not compared": first_of(**VARIED, compare=[["kNN", "MF"]], **plain_study).best,
            "one design": [named.unknown, *(answer.finding for answer in named.asked), *named.named],
        }
    )
    assert not named.changing
    assert (varied.unknown, varied.asked) == ("", [])
    assert varied.changing or varied.unmoved


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
        first = FirstScreen.of(asking, verdicts, tables)
        assert len(first.asked) == len(asking.datasets)
        for answer in first.asked:
            assert re.match(rf"On \S+, .*\b{named[0]}\b.*\b{named[1]}\b|On \S+, .*\b{named[1]}\b.*\b{named[0]}\b", answer.finding)
        told = [*(answer.finding for answer in first.changing), *first.named]
        assert not any(set(named) <= set(re.findall(r"\w+", sentence.partition(".")[0])) for sentence in told)
        for of_part in verdicts:
            assert all(set(glance.strips[0].open[0].systems) == set(named) for glance in glances(of_part))


def test_untuned_are_systems_that_learn_with_parameters_that_nobody_chose_on_validation_data(make_study, approved):
    systems = {
        "Preset": "user_knn(preset=canamares2020)",
        "Declared": "ease(regularization=7)",
        "Same": "user_knn(k=100)",
        "Set": "user_knn(k=20)",
        "Popular": "popularity",
        "Searched": "tuned(of=user_knn)",
        "Scaled": "calibrated(of=item_knn)",
    }
    words = "by the authors of Steck (2019)"
    study = make_study(systems=systems, chosen={"Declared": words}, published=[], published_comparisons=[])
    assert untuned_systems(study.own) == {"Same", "Set", "Scaled"}
    approved([untuned_sentence(study.own), *remarks(study.systems["Declared"], words), *remarks(study.systems["Set"])])


def test_a_verdict_between_a_tuned_and_an_untuned_system_says_so(make_study, approved):
    systems = {"Searched": "tuned(of=user_knn)", "Set": "user_knn(k=20)", "Popular": "popularity", "Declared": "ease"}
    part = make_study(systems=systems, chosen={"Declared": "by us"}, published=[], published_comparisons=[]).own
    cases = {
        "Searched": ("Set Popular", "Popular Declared"),
        "Set": ("Popular Searched", "Searched Declared"),
        "Declared": ("Set Searched",),
        "Popular": ("Set Searched",),
    }
    pairs = [(first, others) for first, all_others in cases.items() for others in all_others]
    approved({f"{first}: {others}": tried_unequally(part, first, others.split()) for first, others in pairs})


def test_a_leader_at_the_edge_of_its_search_range_is_named(make_study, make_results, approved):
    study = make_study(**ONE)
    results = make_results(study)
    verdicts = [judge(part, results.summary, results.comparisons) for part in study.all_experiments()]
    standings = base_standings(verdicts[0], results.summary)[0]
    options = {"filter": "none", "split": ONE["design"]["split"]}
    row = {"dataset": standings.dataset, "system": standings.leader, "fold": "repeat-0", **options}
    rows = [
        {**row, "candidate": f"k={k}", "spec": f"user_knn(k={k})", "value": value, "chosen": value == 0.3}
        for k, value in ((5, 0.1), (50, 0.2), (500, 0.3))
    ]
    other = next(label for label in study.systems if label != standings.leader)
    cases = {
        "the leader": rows,
        "two systems": [*rows, *({**each, "system": other} for each in rows)],
        "another system": [{**each, "system": other} for each in rows],
        "one of two values": rows[1:],
        "item kNN lists two values of q": [
            {**each, "candidate": f"q={q}", "spec": f"item_knn(q={q})"} for q, each in enumerate(rows[1:], 1)
        ],
        **{split: [{**each, "split": split} for each in rows] for split in ("random(ratio=0.5)", "random(ratio=0.8)")},
    }
    approved({name: leaders_at_edges(verdicts, results.summary, pd.DataFrame(found)) for name, found in cases.items()})


def test_systems_of_other_programs_are_named(make_study, approved):
    program = 'program(run="mine {scores}")'
    systems = {"Mine": program, "Tuned": f"tuned(of={program},search=grid(minutes=[1,2]))", "Popular": "popularity"}
    study = make_study(systems=systems, published=[], published_comparisons=[])
    assert [UNPROMISED in remarks(spec) for spec in study.systems.values()] == [True, True, False]
    alone = make_study(systems={"Popular": "popularity"}, published=[], published_comparisons=[])
    approved([unpromised(study.own), unpromised(alone.own) or "(nothing)"])


def test_the_menu_has_the_words_and_the_order_of_the_sections(study, results):
    page = render(study, results, name="x", designs=base_designs(study.own), figures={})
    menu = re.findall(r'<li><a href="#([^"]+)">([^<]+)</a></li>', page.partition("</nav>")[0])
    assert menu == re.findall(r'<h2 id="([^"]+)">([^<]+)</h2>', page)
