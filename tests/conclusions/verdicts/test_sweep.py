"""Options of a decision are put in order, and on a number line if they have numbers."""

import pytest

from recsens.conclusions.design_space import sweep
from recsens.study.taxonomy import decision


def test_options_that_differ_in_one_number_are_sorted_by_it():
    found = sweep(decision("split"), ["random(ratio=0.5)", "random", "random(ratio=0.2)"], "random(ratio=0.5)")
    assert [option.number for option in found.options] == [0.2, 0.5, 0.8]
    assert [option.text for option in found.options][-1] == "random"
    assert [option.is_base for option in found.options] == [False, True, False]
    assert (found.parameter, found.is_numeric) == ("ratio", True)


def test_plain_numbers_are_numbers():
    found = sweep(decision("repeats"), ["5", "1"], "5")
    assert [option.number for option in found.options] == [1, 5]


@pytest.mark.parametrize(
    ("key", "texts"),
    [
        ("view", ["full", "condensed"]),
        ("relevance", ["scale", "3"]),
        ("users", ["with_ratings", "with_ratings(test=1,relevant=1)"]),
        ("users", ["with_ratings", "lab_plugins.Rated"]),
    ],
)
def test_words_and_several_changes_are_categories_with_the_base_first(study, key, texts):
    found = sweep(decision(key), texts[::-1], texts[0])
    assert [option.text for option in found.options] == texts
    assert not found.is_numeric


def test_a_plug_in_that_is_gone_is_an_option_without_a_number():
    found = sweep(decision("split"), ["random", "vanished(x=1)"], "random")
    assert [(option.text, option.number) for option in found.options] == [("random", None), ("vanished(x=1)", None)]
