"""Non-negative factorization: rank one by hand, the conditions of an optimum, and what is refused."""

import numpy as np
import pytest

from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.files.scale import Scale
from recsens.recommenders.nmf import NMF
from recsens.testing import crowd, from_rows


def fitted(train: Interactions, **params) -> NMF:
    return NMF(**params).fit(train, np.random.default_rng(1))


def test_rank_one_is_worked_by_hand():
    train = from_rows([[2, 1], [None, None], [4, 2]])
    scores = fitted(train, factors=1).score(train, np.arange(3))
    np.testing.assert_allclose(scores, [[2, 1], [np.nan, np.nan], [4, 2]], rtol=1e-12)


@pytest.mark.parametrize("preference", ["rating", "binary"])
@pytest.mark.parametrize("regularization", [0.0, 0.01])
def test_no_factor_can_be_improved(preference, regularization):
    """At an optimum, the slope of the loss by each factor is 0 where the factor is positive, and at least 0 where it is 0."""
    train = crowd(n_users=40, n_items=30, share=0.3)
    model = fitted(train, factors=4, epochs=5000, regularization=regularization, preference=preference)
    users, items = (model.learned[name] for name in ("user_factors", "item_factors"))
    ratings = train.matrix.toarray()
    residual = users @ items.T - (ratings if preference == "rating" else ratings > 0)
    for slope, factors in (
        (residual @ items + regularization * 30 * users, users),
        (residual.T @ users + regularization * 40 * items, items),
    ):
        assert (factors >= 0).all()
        np.testing.assert_allclose(slope[factors > 0], 0, atol=1e-3)
        assert slope.min() > -1e-3


def test_negative_ratings_are_refused_unless_they_only_say_who_met_what():
    train = from_rows([[-3, 2]], scale=Scale(-10, 10, 1))
    with pytest.raises(DesignError, match=r"rating -3(.|\n)*preference=binary"):
        fitted(train)
    assert not np.isnan(fitted(train, preference="binary").score(train, np.arange(1))).any()
