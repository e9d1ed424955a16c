"""A tuned recommender: round trips of its spec, refusals, and a choice that scores as if the study had named it."""

from functools import partial

import numpy as np
import pytest

from approved import refusal
from recsens import plugins
from recsens.errors import DesignError, SpecError
from recsens.plugins import specs
from recsens.plugins.specs import MAX_SLUG, parse
from recsens.recommenders.tuned import Tuned
from recsens.seeds import Stream
from recsens.testing import crowd

STREAM = Stream.of(7, "search")


def built(text: str) -> Tuned:
    return plugins.build("recommender", text)


def tried(text: str, stream: Stream = STREAM) -> list[str]:
    return [str(candidate) for candidate in built(text).candidates(stream)]


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("tuned", "tuned"),
        ("Tuned(User_KNN,split=like_study,metric=ndcg@10)", "tuned"),
        ("tuned(split=random(0.8))", "tuned(split=random)"),
        ("tuned(of=wrmf,search=grid(factors=[5,1e1]))", "tuned(of=wrmf,search=grid(factors=[5,10]))"),
        ("tuned(split=validation,metric=AP)", "tuned(metric=AP,split=validation)"),
        ("tuned(metric=nDCG(gain=exp)@5)", 'tuned(metric="nDCG(gain=exp)@5")'),
        ("tuned(split=k_fold(k=3))", "tuned(split=k_fold(k=3))"),
        ("tuned(search=random(9,k=[5,10]))", "tuned(search=random(9,k=[5,10]))"),
        ("tuned(of=average_rating,search=grid(damping=[0,1]),metric=RMSE)", None),
    ],
)
def test_a_spec_is_canonical_and_comes_back(written, canonical):
    found = built(written)
    assert canonical is None or str(found.spec) == canonical
    for spec in (found.spec, found.full_spec):
        assert plugins.build("recommender", specs.parse(str(spec))) == found
    address = plugins.address("recommender", found.spec)
    assert len(address.slug) <= MAX_SLUG
    if not address.has_digest:
        assert plugins.build("recommender", specs.parse_slug(address.slug)) == found


def test_what_cannot_be_tuned_is_refused(approved):
    cases = (
        "tuned(search=grid(kk=[1]))",
        "tuned(of=hkv,search=grid(k=[10]))",
        "tuned(of=popularity(of=sum))",
        "tuned(of=program)",
        "tuned(search=grid(preset=[x]))",
        "tuned(search=gird(k=[1]))",
        "tuned(search=grid())",
        "tuned(of=random,search=random(trials=4))",
        "tuned(search=grid([1,2]))",
        "tuned(search=grid(k=[]))",
        "tuned(search=grid(k=10))",
        "tuned(search=grid(k=uniform(low=1,high=9)))",
        "tuned(search=grid(k=[10,0]))",
        "tuned(search=random(k=uniform(low=0,high=9)))",
        "tuned(search=random(k=log_uniform(low=0,high=9)))",
        "tuned(search=random(k=uniform(low=1.2,high=1.8)))",
        "tuned(search=random(k=uniform(low=9,high=1)))",
        "tuned(search=random(k=uniform(lo=1,high=9)))",
        "tuned(search=random(trials=1001,k=[1,2]))",
        f"tuned(search=grid(k={list(range(1, 502))},q=[1,2]))".replace(" ", ""),
        "tuned(metric=P)",
        "tuned(metric=P@0)",
        "tuned(metric=AUC@5)",
        "tuned(metric=nDGC@5)",
        "tuned(metric=ILD@5)",
        "tuned(metric=Unrated@5)",
        "tuned(metric=RMSE)",
        "tuned(of=tuned)",
        "tuned(split=validatoin)",
        'tuned(of=from_file(path="a.csv"),search=grid(path=["b.csv"]))',
    )
    approved({spec: refusal(partial(built, spec), SpecError) for spec in cases})


def test_roles_from_files_are_not_of_a_train_set(tmp_path):
    (tmp_path / "folds.csv").write_text("user,item,fold\na,b,0\nb,a,1\n", encoding="utf-8")
    with pytest.raises(SpecError, match="describe the whole data set, not a train set"):
        built(f'tuned(split=predefined(path="{tmp_path}/folds.csv"))')


def test_a_grid_is_every_combination_in_the_order_of_its_lists():
    grid = "tuned(of=user_knn(overlap=2),search=grid(q=[2,1],k=[100,5]))"
    assert tried(grid) == ["k=100, q=2", "k=100, q=1", "k=5, q=2", "k=5, q=1"]
    assert [str(each.spec) for each in built(grid).candidates(STREAM)] == [
        "user_knn(overlap=2,q=2)", "user_knn(overlap=2)", "user_knn(k=5,overlap=2,q=2)", "user_knn(k=5,overlap=2)",
    ]  # fmt: skip


def test_a_value_that_stands_twice_is_one_candidate():
    assert tried("tuned(search=grid(k=[5,9,5.0]))") == ["k=5", "k=9"]


def test_random_draws_keep_to_their_ranges_and_types():
    search = "random(trials=300,alpha=log_uniform(low=0.1,high=100),factors=uniform(low=5,high=8),preference=[rating,binary])"
    found = [dict(each.params) for each in built(f"tuned(of=hkv,search={search})").candidates(STREAM)]
    alphas = np.array([each["alpha"] for each in found])
    assert len(found) == 300
    assert {each["factors"] for each in found} == {5, 6, 7, 8}
    # The ends are as likely as what lies between: 75 each, give or take four standard deviations.
    assert all(abs(sum(each["factors"] == number for each in found) - 75) < 30 for number in (5, 6, 7, 8))
    assert {each["preference"] for each in found} == {"rating", "binary"}
    assert 0.1 <= alphas.min() < alphas.max() <= 100
    # As many on either side of the geometric mean, and none with more than four digits.
    assert abs(np.mean(alphas < np.sqrt(0.1 * 100)) - 0.5) < 0.08
    assert all(float(f"{alpha:.4g}") == alpha for alpha in alphas)


def test_the_own_search_space_is_drawn_from_beside_the_defaults():
    found = built("tuned(of=user_knn(q=2),search=random(trials=40))").candidates(STREAM)
    assert str(found[0]) == "k=100, preference=rating, similarity=cosine"
    assert found[0].spec == parse("user_knn(q=2)")
    drawn = [dict(each.spec.params) for each in found[1:]]
    assert {each["q"] for each in drawn} == {2}
    assert len({each.get("k") for each in drawn}) > 20
    assert all(5 <= each.get("k", 100) <= 500 for each in drawn)
    few = tried("tuned(of=user_knn(q=2))")
    assert few == [str(each) for each in found[: len(few)]]
    assert 15 < len(few) <= 21


@pytest.mark.parametrize("name", plugins.names("recommender"))
def test_every_recommender_that_learns_states_where_to_search(name):
    own = plugins.load("recommender", name).search_space
    if name in {"calibrated", "from_file", "program", "random", "tuned"}:
        assert own is None
        return
    assert own.source
    found = built(f"tuned(of={name})").candidates(STREAM)
    assert found[0].spec == parse(name)
    assert len(found) == 3 if name == "popularity" else 9 < len(found) <= 21


def test_a_class_of_ones_own_states_its_search_space(tmp_path):
    (tmp_path / "searchlab.py").write_text(
        "from pydantic import Field\n"
        "from recsens.recommenders import SearchSpace\n"
        "from recsens.recommenders.trivial import Popularity\n\n\n"
        "class Own(Popularity):\n"
        "    power: int = Field(1, ge=0, description='an exponent')\n"
        "    search_space = SearchSpace('power=[0,1,2]', 'tried')\n",
        encoding="utf-8",
    )
    plugins.add_paths([tmp_path])
    assert sorted(tried("tuned(of=searchlab.Own)")) == ["power=0", "power=1", "power=2"]


def test_more_trials_and_a_further_parameter_keep_the_draws():
    few = tried("tuned(of=hkv,search=random(trials=5,alpha=uniform(low=1,high=9)))")
    assert tried("tuned(of=hkv,search=random(trials=20,alpha=uniform(low=1,high=9)))")[:5] == few
    both = tried("tuned(of=hkv,search=random(trials=5,alpha=uniform(low=1,high=9),epochs=[1,2]))")
    assert [each.partition(",")[0] for each in both] == few
    assert tried("tuned(of=hkv,search=random(trials=5,alpha=uniform(low=1,high=9)))", STREAM.child("other")) != few


def test_the_choice_scores_as_if_it_had_been_named():
    train, chosen = crowd(n_users=50, n_items=30, share=0.3), parse("wrmf(factors=3)")
    named = plugins.build("recommender", chosen).fit(train, STREAM.generator())
    tuned = built("tuned(of=wrmf,search=grid(factors=[3,4]))").choosing(chosen).on_fold("repeat-0").fit(train, STREAM.generator())
    again = built("tuned(of=wrmf,search=grid(factors=[3,4]))").restore(tuned.learned)
    expected = named.score(train, np.arange(50)).tobytes()
    assert tuned.score(train, np.arange(50)).tobytes() == again.score(train, np.arange(50)).tobytes() == expected
    assert again.inner.spec == chosen
    assert again.stream_name == named.stream_name


def test_what_is_within_is_seen_from_outside():
    tuned = built("tuned(of=average_rating,search=grid(damping=[0,5]),split=validated(of=random(count=exact)),metric=RMSE)")
    assert tuned.predicts_ratings
    assert not built("tuned").predicts_ratings
    assert tuned.n_threads == 1
    assert built("tuned").n_threads == 2
    assert [(kind, str(spec)) for kind, spec in tuned.nested()] == [
        ("recommender", "average_rating"), ("split", "validated(of=random(count=exact))"),
        ("split", "random(count=exact)"), ("split", "random"), ("metric", "RMSE"),
    ]  # fmt: skip


def test_nothing_else_takes_a_choice():
    with pytest.raises(DesignError, match="'popularity' has no tuned parameters"):
        plugins.build("recommender", "popularity").choosing(parse("popularity"))
