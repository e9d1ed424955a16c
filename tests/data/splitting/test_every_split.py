"""Properties of every split: each interaction has a role, which does not depend on the order of rows; the split leaves a record."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from approved import refusal
from data.splitting.samples import PEOPLE, shuffled, split
from recsens import plugins
from recsens.errors import DesignError, SpecError
from recsens.testing import edge_cases
from recsens.vocabulary import Role

SPECS = (
    "random",
    "random(count=exact)",
    "k_fold(k=3)",
    "leave_out(n=2)",
    "leave_out(which=last)",
    "leave_out(n=2,which=last,ties=random)",
    "leave_out(min_rating=4)",
    "leave_out(n=2,up_to=5)",
    "leave_out(which=last,up_to=3)",
    "given(n=4)",
    "given(n=4,which=first)",
    "given(n=4,which=first,ties=random)",
    "per_item(n=5)",
    "per_item(n=5,side=test)",
    "temporal",
    "temporal(ties=key)",
    "temporal(ties=random)",
    "temporal(at=1150)",
    "uniform(sigma=.1)",
    "percentile(of=uniform(sigma=.1),m=4)",
    "validated(of=k_fold(k=3),inside=random)",
    "validated(of=temporal,inside=temporal)",
    "per_user",
    "per_user(of=k_fold(k=3))",
    "per_user(of=temporal)",
    "per_user(of=temporal(ties=key))",
    "per_user(of=temporal(ties=random))",
    "min_train(of=random(ratio=.2),n=2)",
    "thinned(of=random,share=.5)",
    "thinned(of=random,share=.5,by=users)",
    "thinned(of=random,share=.9,by=popularity)",
    "k_fold_users(of=given(n=3),k=4)",
    "complete(of=random)",
    "rolling(windows=3,horizon=.0005)",
    "pruned(of=random,filter=ratings_per_item(at_least=9))",
    "pruned(of=k_fold(k=3),filter=sample(ratings=.5))",
    "pruned(of=temporal,filter=k_core(users=3,items=3))",
)

EDGES = edge_cases()


def test_every_split_that_ships_is_among_them():
    shipped = {"predefined", "revealed", *(spec.partition("(")[0] for spec in SPECS)}
    assert set(plugins.names("split")) == shipped


@pytest.mark.parametrize("spec", [*SPECS, "thinned(of=percentile(of=thinned(of=random,share=.5),m=4),share=.5)"])
def test_the_split_that_a_system_is_fitted_on_has_the_same_train_set(spec):
    chosen = plugins.build("split", spec)
    assert plugins.build("split", chosen.full_spec) == chosen
    simplest = plugins.build("split", chosen.trains_as)
    assert simplest.n_folds == chosen.n_folds
    assert simplest.trains_as == simplest.spec
    for fold in range(chosen.n_folds):
        for role in (Role.TRAIN, Role.VALIDATION):
            np.testing.assert_array_equal(split(spec, PEOPLE, fold) == role, split(str(simplest.spec), PEOPLE, fold) == role)


@pytest.mark.parametrize("spec", SPECS)
def test_each_interaction_has_a_role_in_any_order_and_both_sides_have_some_in_every_fold(spec):
    for fold in range(plugins.build("split", spec).n_folds):
        roles = split(spec, PEOPLE, fold)
        assert roles.dtype == np.uint8
        assert roles.shape == (len(PEOPLE),)
        assert {Role.TRAIN, Role.TEST} <= set(roles.tolist()) <= set(Role)
        facts = plugins.build("split", spec).facts(PEOPLE, roles)
        assert all(isinstance(name, str) and isinstance(value, int | float) for name, value in facts.items())
        # Nor does the order of rows matter.
        order = np.random.default_rng(0).permutation(len(PEOPLE))
        np.testing.assert_array_equal(split(spec, shuffled(PEOPLE, order), fold), roles[order])


@pytest.mark.parametrize("spec", SPECS)
def test_repeats_differ_only_where_something_is_drawn(spec):
    differs = (split(spec, PEOPLE, repeat=1) != split(spec, PEOPLE, repeat=0)).any()
    assert differs == plugins.build("split", spec).is_random


@pytest.mark.parametrize("spec", SPECS)
def test_users_and_items_may_be_renumbered(spec):
    # Ties are broken by keys, which stay the same, while codes are reversed.
    turned = replace(
        PEOPLE,
        user=(PEOPLE.n_users - 1 - PEOPLE.user).astype(np.int32),
        item=(PEOPLE.n_items - 1 - PEOPLE.item).astype(np.int32),
        user_keys=PEOPLE.user_keys[::-1],
        item_keys=PEOPLE.item_keys[::-1],
    )
    np.testing.assert_array_equal(split(spec, turned), split(spec, PEOPLE))


@pytest.mark.parametrize("spec", SPECS)
def test_what_needs_time_stamps_says_so_and_refuses_data_without(spec):
    timeless = replace(PEOPLE, timestamp=None)
    if plugins.build("split", spec).needs_timestamps:
        with pytest.raises(DesignError, match="these data have no time stamps"):
            split(spec, timeless)
    else:
        np.testing.assert_array_equal(split(spec, timeless), split(spec, PEOPLE))


@pytest.mark.parametrize("spec", SPECS)
def test_data_at_the_edge_are_split_or_refused(spec):
    for name, edge in EDGES.items():
        data = replace(edge, timestamp=np.zeros(len(edge), dtype=np.int64))
        try:
            roles = split(spec, data)
        except DesignError as error:
            assert error.allowed or error.remedy, name  # noqa: PT017
        else:
            assert roles.shape == (len(data),), name


@pytest.mark.parametrize(
    "spec",
    [
        *("percentile(of={})", "thinned(of={})", "min_train(of={})", "validated(of={})"),
        "pruned(of={},filter=ratings_per_item(at_least=1))",
    ],
)
def test_a_split_around_another_draws_as_that_one(spec):
    plain, around = split("random(ratio=.6)", PEOPLE), split(spec.format("random(ratio=.6)"), PEOPLE)
    assert plugins.build("split", spec.format("k_fold")).stream_name == "k_fold"
    np.testing.assert_array_equal(plain[around == Role.TEST], Role.TEST)
    assert (around == Role.TEST).sum() > 0.9 * (plain == Role.TEST).sum()


def test_what_has_no_meaning_is_refused_with_the_reason(approved):
    cases = """
        per_user(of=random)  per_user(of=leave_out)  per_user(of=given)  per_user(of=uniform)  per_user(of=per_item)
        per_user(of=temporal(at=1150))  per_user(of=per_user)  per_user(of=rolling)  per_user(of=pruned)
        per_user(of=complete(of=k_fold))  thinned(of=complete)  validated(of=complete)  pruned(filter=binarise)
        per_user(of=min_train)  per_user(of=validated)  temporal(ratio=.5,at=1150)  temporal(ties=random,at=1150)
        leave_out(n=3,up_to=3)  leave_out(ties=random)  given(ties=random)  temporal(at=yesterday)
    """
    approved({spec: refusal(partial(plugins.build, "split", spec), SpecError) for spec in cases.split()})
