"""Presets: named parameters that can be changed, survive a round trip through their spec, and say how they were chosen."""

from typing import ClassVar

import pytest
from pydantic import Field

from recsens import plugins
from recsens.errors import SpecError
from recsens.plugins import specs
from recsens.recommenders._base import Preset, preset_field
from recsens.recommenders.trivial import Popularity

NAMES = [name for name in plugins.names("recommender") if plugins.load("recommender", name).presets]


class Stubborn(Popularity):
    presets: ClassVar = {
        "paper": Preset({"k": 50}, "Table 1"),
        "met": Preset({"k": 70, "q": 2}, "the released scores", calibrated_on_test=True),
    }
    k: int = Field(100, ge=1, description="a number")
    q: int = Field(1, ge=0, description="another")
    preset: str | None = preset_field()


def built(text: str) -> Stubborn:
    return Stubborn.from_spec(specs.parse(text))


def test_a_preset_sets_parameters_and_those_given_beside_it_win():
    assert (built("x(preset=met)").k, built("x(preset=met)").q) == (70, 2)
    assert (built("x(k=3,preset=met)").k, built("x(k=3,preset=met)").q) == (3, 2)


def test_the_spec_holds_the_preset_and_what_was_changed():
    assert str(built("x(preset=met)").spec).endswith("Stubborn(preset=met)")
    assert str(built("x(k=70,preset=met)").spec).endswith("Stubborn(preset=met)")
    assert str(built("x(k=100,preset=met)").spec).endswith("Stubborn(k=100,preset=met)")
    assert str(built("x(k=70,preset=met)").full_spec).endswith("Stubborn(k=70,of=count,preset=met,q=2)")
    for text in ("x(preset=met)", "x(k=100,preset=met)", "x(q=1)"):
        assert Stubborn.from_spec(built(text).spec) == Stubborn.from_spec(built(text).full_spec) == built(text)


def test_an_unknown_preset_is_answered_with_the_nearest():
    with pytest.raises(SpecError, match=r"no preset 'papper'; did you mean 'paper'\?\s+allowed: .*preset \(paper\|met\)"):
        built("x(preset=papper)")


def test_what_was_chosen_by_test_data_says_so():
    assert built("x(preset=met)").calibrated_on_test
    assert not built("x(preset=paper)").calibrated_on_test


def test_parameters_chosen_by_test_data_are_known_again_without_the_name_of_the_preset():
    assert built("x(k=70,q=2)").calibrated_on_test
    assert built("x(k=70,of=sum,q=2)").calibrated_on_test
    assert not built("x(k=70)").calibrated_on_test
    # The defaults are RankSys' example, not parameters chosen to match a table.
    assert not plugins.build("recommender", "hkv").calibrated_on_test
    assert plugins.build("recommender", "hkv(preset=canamares2020)").calibrated_on_test


@pytest.mark.parametrize("name", NAMES)
def test_every_preset_builds_comes_back_and_names_its_source(name):
    cls = plugins.load("recommender", name)
    assert list(cls.model_fields)[-1] == "preset"
    for preset, found in cls.presets.items():
        recommender = plugins.build("recommender", f"{name}(preset={preset})")
        assert plugins.build("recommender", recommender.full_spec) == recommender
        assert str(recommender.spec) == f"{name}(preset={preset})"
        assert all(getattr(recommender, key) == value for key, value in found.params.items())
        assert found.source
