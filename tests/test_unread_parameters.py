"""Varying a parameter that nothing reads would have no effect: no plug-in has one, and a planted one is found."""

from functools import cached_property

import pytest
from pydantic import field_validator, model_validator

from recsens import plugins
from recsens.metrics import Metric
from recsens.recommenders import Recommender
from recsens.recommenders.nearest_neighbours import UserKNN
from recsens.testing import unread_parameters


@pytest.mark.parametrize("kind", plugins.PACKAGES)
def test_every_parameter_of_every_plugin_is_read(kind):
    found = {(kind, name): unread_parameters(plugins.load(kind, name)) for name in plugins.names(kind)}
    assert not {plugin: unread for plugin, unread in found.items() if unread}


def helper(judged, metric):
    return further(metric) + metric.by_helper


def further(metric):
    return metric.further


class Reading(Metric):
    """Reads each parameter in another way."""

    directly: int = 1
    by_method: int = 1
    by_property: int = 1
    by_cached: int = 1
    by_helper: int = 1
    further: int = 1
    in_loop: int = 1
    in_closure: int = 1

    @property
    def _by_property(self):
        return self.by_property

    @cached_property
    def _by_cached(self):
        return self.by_cached

    def _by_method(self):
        return [getattr(self, name) for name in ("in_loop", "by_method")]

    def measure(self, judged, cutoffs):
        known = self._by_method(), self._by_property, self._by_cached, helper(judged, metric=self)
        return self.directly, [each + self.in_closure for each in known]


class Above(Reading):
    def measure(self, judged, cutoffs):
        return super().measure(judged, cutoffs)


@pytest.mark.parametrize("plugin", [Reading, Above])
def test_a_parameter_may_be_read_in_many_ways(plugin):
    assert unread_parameters(plugin) == []


class Planted(Metric):
    """Reads no parameter where it computes."""

    rating: int = 1
    checked: int = 1
    compared: int = 1
    uncalled: int = 1

    @field_validator("checked")
    @classmethod
    def _positive(cls, checked):
        return abs(checked)

    @model_validator(mode="after")
    def _alike(self):
        assert self.compared > 0
        return self

    def _never(self):
        return self.uncalled

    def measure(self, judged, cutoffs):
        """Read the rating of judged items, which is not a parameter."""
        return judged.rating


def test_a_parameter_that_is_only_checked_is_unread():
    assert unread_parameters(Planted) == ["rating", "checked", "compared", "uncalled"]


class Overridden(UserKNN):
    def fit(self, train, rng):
        return self

    def score(self, train, users):
        return train.matrix[users].toarray() * self.k


def test_what_only_an_overridden_method_reads_is_unread():
    assert set(unread_parameters(Overridden)) == UserKNN.model_fields.keys() - {"k", "preset"}


def test_a_recommender_that_forgets_a_parameter_is_found():
    class Forgetful(Recommender):
        damping: float = 1.0

        def fit(self, train, rng):
            self._learned = {"n": train.item_counts * 1.0}
            return self

        def score(self, train, users):
            return self._learned["n"][users]

    assert unread_parameters(Forgetful) == ["damping"]
