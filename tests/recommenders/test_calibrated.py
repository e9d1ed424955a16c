"""Scores turned into ratings by the best least-squares curve on the data it may use; the scores themselves do not change."""

import numpy as np
import pytest

from recsens import plugins
from recsens.errors import SpecError
from recsens.recommenders import learn
from recsens.testing import crowd

RATED = crowd(n_users=60, n_items=40)


def fitted(text, train=RATED, seed=3):
    return learn(plugins.build("recommender", text), train, np.random.default_rng(seed))


def users(train=RATED):
    return np.arange(train.n_users)


@pytest.mark.parametrize("of", ["bpr(factors=4,epochs=5)", "user_knn(k=5)", "popularity"])
def test_the_scores_are_those_of_the_recommender_alone(of):
    alone, wrapped = fitted(of), fitted(f"calibrated(of={of})")
    for name, array in alone.learned.items():
        np.testing.assert_array_equal(wrapped.learned[name], array)
    scores, ratings = alone.score(RATED, users()), wrapped.score(RATED, users())
    np.testing.assert_array_equal(np.isnan(scores), np.isnan(ratings))
    known = ~np.isnan(scores)
    by_score = np.argsort(scores[known], kind="stable")
    assert (np.diff(ratings[known][by_score]) >= 0).all()


def pairs_of(of):
    """Scores and ratings of every train pair, by the recommender that learnt from them."""
    scores = fitted(of).score(RATED, users())[RATED.user, RATED.item].astype(float)
    return scores, RATED.values


def test_a_line_is_that_of_numpy():
    scores, ratings = pairs_of("popularity")
    slope, intercept = np.polyfit(scores, ratings, 1)
    found = fitted("calibrated(of=popularity,by=linear,held_out=0)").score(RATED, users())
    expected = np.clip(intercept + slope * fitted("popularity").score(RATED, users()), 1, 5)
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_an_isotonic_curve_is_best_by_its_definition():
    scores, ratings = pairs_of("popularity")
    levels = np.unique(scores)
    means, weights = (
        np.array([part(ratings[scores == level]) for level in levels]) for part in (np.mean, len)
    )  # min-max formula of isotonic regression: max over starts of the least mean to any end
    expected = [
        max(
            min(np.average(means[start : end + 1], weights=weights[start : end + 1]) for end in range(at, len(levels)))
            for start in range(at + 1)
        )
        for at in range(len(levels))
    ]
    found = fitted("calibrated(of=popularity,held_out=0)").score(RATED, users())[RATED.user, RATED.item]
    np.testing.assert_allclose(found, np.array(expected)[np.searchsorted(levels, scores)], atol=1e-9)


def test_the_curve_is_learnt_from_ratings_that_did_not_teach_the_scores():
    # On noise, factors memorise the pairs, and say nothing about others.
    train = crowd(n_users=150, n_items=60, share=0.3)
    seen, unseen = (fitted(f"calibrated(of=wrmf(factors=30),by=linear,held_out={share})", train) for share in (0, 0.3))
    slopes = [float(np.diff(each.learned["calibrated.ratings"])[0]) for each in (seen, unseen)]
    assert slopes[0] > 1
    assert abs(slopes[1]) < 0.3 * slopes[0]


def test_predictions_stay_within_the_scale():
    found = fitted("calibrated(of=bpr(factors=4,epochs=5),by=linear)").score(RATED, users())
    assert np.nanmin(found) >= 1
    assert np.nanmax(found) <= 5


def test_without_a_score_to_learn_from_nothing_is_computable():
    nothing = RATED.take(np.zeros(len(RATED), dtype=bool))
    assert np.isnan(fitted("calibrated(of=user_knn)", nothing).score(nothing, users())).all()


@pytest.mark.parametrize("of", ["tuned", "calibrated", "tuned(of=bpr,search=grid(factors=[2,4]))"])
def test_what_wraps_a_recommender_is_refused(of):
    with pytest.raises(SpecError, match="is itself a wrapper"):
        plugins.build("recommender", f"calibrated(of={of})")


def test_score_files_are_refused(tmp_path):
    (tmp_path / "scores.csv").write_text("user,item,score\n1,1,2\n")
    with pytest.raises(SpecError, match="reads scores from files"):
        plugins.build("recommender", f'calibrated(of=from_file(path="{tmp_path}/scores.csv"))')
