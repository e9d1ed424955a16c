"""The files give the scores of each framework's model, under the raw names, and compactly if the model is a product."""

from contextlib import nullcontext
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from implicit.nearest_neighbours import ItemItemRecommender
from scipy.sparse import csr_matrix

from exported import rated, scores_in
from exporter.frameworks import (
    B_I,
    B_U,
    ITEMS,
    MEAN,
    N_ITEMS,
    N_USERS,
    TEST,
    TRAIN,
    USERS,
    WEIGHTS,
    Module,
    P,
    Q,
    ScoreException,
    cornac,
    frame,
    lenskit,
    named,
    profile,
    rectools,
    replay,
    surprise,
    torch,
)

BIASED = MEAN + B_U[:, None] + B_I + P @ Q.T
SOME_MISSING = np.where(np.arange(N_USERS * N_ITEMS).reshape(N_USERS, N_ITEMS) % 5 == 2, np.nan, BIASED)


def kind_of(path: Path) -> str:
    with np.load(path, allow_pickle=False) as file:
        return str(file["kind"])


def check(scores: object, expected: np.ndarray, kind: str, folder: Path, test: list = TEST) -> None:
    """Check that the file holds the expected scores in the expected form, and that the split is the model's."""
    scores.save(folder / "scores.npz")
    scores.save_split(folder)
    train = rated(folder / "train.csv")
    assert kind_of(folder / "scores.npz") == kind
    assert {(user, item, rating) for user in train for item, rating in train[user].items()} == set(named(TRAIN))
    later = rated(folder / "test.csv")
    assert {(user, item, rating) for user in later for item, rating in later[user].items()} == set(named(test))
    found = scores_in(folder / "scores.npz", train)
    assert set(found) == set(USERS)
    for user, row in zip(USERS, expected, strict=True):
        told = [found[user].get(item, np.nan) for item in ITEMS]
        assert told == pytest.approx(list(row), rel=1e-5, abs=1e-6, nan_ok=True), user


class TestCornac:
    def test_a_product_with_biases_is_written_as_factors(self, recsens_export: ModuleType, tmp_path: Path):
        model = cornac(BIASED.__getitem__, u_factors=P, i_factors=Q, u_biases=B_U, i_biases=B_I)
        check(recsens_export.from_cornac(model), BIASED, "factors", tmp_path)

    @pytest.mark.parametrize("names", [("U", "V"), ("u_factors", "i_factors"), ("Theta", "Beta")])
    def test_a_plain_product_is_found_under_each_name(self, names, recsens_export: ModuleType, tmp_path: Path):
        model = cornac((P @ Q.T).astype(np.float32).__getitem__, **dict(zip(names, (P, Q), strict=True)))
        check(recsens_export.from_cornac(model, model), P @ Q.T, "factors", tmp_path)

    def test_attributes_that_do_not_give_the_scores_are_not_believed(self, recsens_export: ModuleType, tmp_path: Path):
        expected = np.tanh(P @ Q.T)
        check(recsens_export.from_cornac(cornac(expected.__getitem__, U=P, V=Q)), expected, "dense", tmp_path)

    @pytest.mark.parametrize(("deviation", "kind"), [(3e-6, "dense"), (1e-9, "factors"), (0.0, "factors")])
    def test_biases_alone_are_believed_only_if_they_order_the_items(self, deviation, kind, recsens_export: ModuleType, tmp_path):
        expected = MEAN + B_U[:, None] + deviation * P @ Q.T
        model = cornac(expected.astype(np.float32).__getitem__, u_biases=B_U)
        check(recsens_export.from_cornac(model), expected, kind, tmp_path)

    @pytest.mark.parametrize("values", [True, False])
    def test_item_weights_are_written_by_request_where_dense_scores_are_smaller(self, values, recsens_export: ModuleType, tmp_path):
        expected = profile(values) @ WEIGHTS
        scores = recsens_export.from_cornac(cornac(expected.__getitem__, B=WEIGHTS))
        scores.save(tmp_path / "weights.npz", form="item_weights")
        check(scores, expected, "dense", tmp_path)
        found = scores_in(tmp_path / "weights.npz", rated(tmp_path / "train.csv"))
        assert found["ann"] == pytest.approx(dict(zip(ITEMS, expected[0], strict=True)))

    def test_a_refused_user_has_the_default_score(self, recsens_export: ModuleType, tmp_path: Path):
        expected = np.where(np.arange(N_USERS)[:, None] == 0, 1.5, BIASED)

        def score(user: int) -> np.ndarray:
            if user == 0:
                raise ScoreException
            return BIASED[user]

        check(recsens_export.from_cornac(cornac(score)), expected, "dense", tmp_path)

    def test_another_error_of_the_model_is_its_own(self, recsens_export: ModuleType):
        with pytest.raises(ZeroDivisionError):
            recsens_export.from_cornac(cornac(lambda user: user / 0))


class TestImplicit:
    def test_saved_factors_are_taken_as_they_are(self, recsens_export: ModuleType, tmp_path: Path):
        np.savez(tmp_path / "als.npz", user_factors=P.astype(np.float32), item_factors=Q.astype(np.float32))
        with np.load(tmp_path / "als.npz") as file:
            model = SimpleNamespace(**file)
        scores = recsens_export.from_implicit(model, USERS, ITEMS, csr_matrix(profile(values=True)), test=named(TEST))
        check(scores, P @ Q.T, "factors", tmp_path)

    @pytest.mark.parametrize("inside", [{"user_factors": P, "item_factors": Q}, {"similarity": csr_matrix(WEIGHTS)}])
    def test_an_inside_that_does_not_give_the_recommended_scores_is_not_believed(self, inside, recsens_export, tmp_path):
        user_items = csr_matrix(profile(values=True))

        def recommend(user: int, rated: csr_matrix | None, N: int, filter_already_liked_items: bool):  # noqa: N803 - implicit's name
            assert not filter_already_liked_items
            assert rated is None or (rated != user_items[user]).nnz == 0
            best = np.argsort(-BIASED[user])[:N]
            return best, BIASED[user, best]

        model = SimpleNamespace(recommend=recommend, **inside)
        scores = recsens_export.from_implicit(model, USERS, ITEMS, train=user_items, test=named(TEST))
        check(scores, BIASED, "dense", tmp_path)

    def test_neighbours_give_no_score_to_what_they_do_not_reach(self, recsens_export: ModuleType, tmp_path: Path):
        user_items = csr_matrix(profile(values=True))
        model = ItemItemRecommender(K=3, num_threads=1)
        model.fit(user_items, show_progress=False)
        expected = np.full((N_USERS, N_ITEMS), np.nan)
        for user in range(N_USERS):
            ids, own = model.recommend(user, user_items[user], N=N_ITEMS, filter_already_liked_items=False)
            expected[user, ids] = own
        scores = recsens_export.from_implicit(model, USERS, ITEMS, train=user_items, test=named(TEST))
        assert np.isnan(expected).any()
        check(scores, expected, "item_weights", tmp_path)

    def test_weights_of_whole_numbers_become_fractions_that_recsens_reads(self, recsens_export: ModuleType, tmp_path: Path):
        counts = csr_matrix(np.diag(np.arange(1, N_ITEMS), 1))
        rows = profile(values=True)
        expected = np.where(rows @ (counts > 0) > 0, rows @ counts, np.nan)
        model = SimpleNamespace(similarity=counts)
        scores = recsens_export.from_implicit(model, USERS, ITEMS, train=csr_matrix(rows), test=named(TEST))
        check(scores, expected, "item_weights", tmp_path)
        with np.load(tmp_path / "scores.npz", allow_pickle=False) as file:
            assert file["data"].dtype == np.float64


class TestSurprise:
    def test_svd_is_a_product(self, recsens_export: ModuleType, tmp_path: Path):
        check(recsens_export.from_surprise(surprise(pu=P, qi=Q), test=named(TEST)), BIASED, "factors", tmp_path)

    def test_implicit_feedback_is_added_to_the_factors_of_a_user(self, recsens_export: ModuleType, tmp_path: Path):
        y = Q[::-1]
        rows = profile(values=False)
        p = P + rows @ y / np.sqrt(rows.sum(axis=1, keepdims=True))
        expected = MEAN + B_U[:, None] + B_I + p @ Q.T
        algo = surprise(pu=P, qi=Q, yj=y, estimate=lambda user, item: expected[user, item])
        check(recsens_export.from_surprise(algo, test=named(TEST)), expected, "factors", tmp_path)

    def test_biases_alone_are_factors_of_zero(self, recsens_export: ModuleType, tmp_path: Path):
        expected = MEAN + B_U[:, None] + B_I
        algo = surprise(estimate=lambda user, item: (expected[user, item], {"details": 1}))
        check(recsens_export.from_surprise(algo, test=named(TEST)), expected, "factors", tmp_path)

    def test_an_impossible_pair_has_the_default_prediction(self, recsens_export: ModuleType, tmp_path: Path):
        class PredictionImpossible(Exception):  # noqa: N818 - Surprise's name
            pass

        def estimate(user: int, item: int) -> float:
            if user == item:
                raise PredictionImpossible
            return float(BIASED[user, item])

        expected = np.where(np.eye(N_USERS, N_ITEMS) > 0, MEAN, BIASED)
        algo = surprise(estimate=estimate, bu=None, bi=None)
        check(recsens_export.from_surprise(algo, test=named(TEST)), expected, "dense", tmp_path)

    def test_clipped_scores_are_within_the_scale(self, recsens_export: ModuleType, tmp_path: Path):
        scores = recsens_export.from_surprise(surprise(pu=P, qi=Q), test=named(TEST), clip=True)
        check(scores, np.clip(BIASED, 1, 5), "dense", tmp_path)

    def test_scores_are_clipped_though_no_tried_user_leaves_the_scale(self, recsens_export: ModuleType, tmp_path, monkeypatch):
        monkeypatch.setattr(recsens_export, "_TRIED_USERS", 1)
        b_u = np.array([0.0, 0.0, 0.0, 9.0])
        product = MEAN + b_u[:, None] + 0.1 * P @ Q.T
        algo = surprise(pu=0.1 * P, qi=Q, bu=b_u, bi=np.zeros(N_ITEMS), estimate=lambda user, item: product[user, item])
        check(recsens_export.from_surprise(algo, test=named(TEST), clip=True), np.clip(product, 1, 5), "dense", tmp_path)


class TestLensKit:
    def test_missing_scores_stay_missing(self, recsens_export: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        pipeline, train = lenskit(monkeypatch, SOME_MISSING)
        check(recsens_export.from_lenskit(pipeline, train, test=frame(TEST)), SOME_MISSING, "dense", tmp_path)
        assert (tmp_path / "train.csv").read_text(encoding="utf-8").splitlines()[1] == "ann,i2,5.0,10"

    def test_factors_learnt_anew_from_the_history_are_those_of_the_scores(self, recsens_export, tmp_path, monkeypatch):
        bias = SimpleNamespace(item_biases=B_I, user_biases=B_U + 1, global_bias=MEAN)
        inside = {"item_embeddings": Q, "user_embeddings": P + 1, "bias": bias}
        inside["new_user_embedding"] = lambda user, row: (P[user], B_U[row])
        pipeline, train = lenskit(monkeypatch, BIASED, **inside)
        collection = SimpleNamespace(to_df=lambda: frame(TEST))
        check(recsens_export.from_lenskit(pipeline, train, test=collection), BIASED, "factors", tmp_path)

    def test_an_inside_that_has_changed_is_written_densely(self, recsens_export, tmp_path, monkeypatch):
        pipeline, train = lenskit(monkeypatch, BIASED, item_embeddings=Q, new_user_embedding=lambda row: P[row])
        check(recsens_export.from_lenskit(pipeline, train, test=frame(TEST)), BIASED, "dense", tmp_path)


class TestRecTools:
    def test_what_is_recommended_at_no_depth_has_no_score(self, recsens_export: ModuleType, tmp_path: Path):
        model, dataset = rectools(SOME_MISSING)
        check(recsens_export.from_rectools(model, dataset, test=frame(TEST)), SOME_MISSING, "dense", tmp_path)

    @pytest.mark.parametrize("vectors", [lambda: (P, Q), lambda dataset: (np.vstack([P, P[:1]]), Q)])
    def test_vectors_are_factors_if_they_give_the_scores(self, vectors, recsens_export: ModuleType, tmp_path: Path):
        model, dataset = rectools(P @ Q.T, get_vectors=vectors)
        check(recsens_export.from_rectools(model, dataset, test=frame(TEST)), P @ Q.T, "factors", tmp_path)

    def test_a_neighbour_model_is_weights(self, recsens_export: ModuleType, tmp_path: Path):
        sparse = np.diag(np.ones(N_ITEMS - 1), 1)
        expected = np.where(profile(values=False) @ sparse > 0, profile(values=True) @ sparse, np.nan)
        model, dataset = rectools(expected, model=SimpleNamespace(similarity=csr_matrix(sparse)))
        check(recsens_export.from_rectools(model, dataset, test=frame(TEST)), expected, "item_weights", tmp_path)


class TestTorch:
    @pytest.mark.parametrize("flags", [(True, False, True), (False, True, False)])
    @pytest.mark.parametrize("fails", [False, True])
    def test_each_part_of_a_module_trains_afterwards_as_before(self, flags, fails, recsens_export: ModuleType, monkeypatch):
        torch(monkeypatch)
        whole, *parts = flags
        module = Module(lambda asked: 1 / 0 if fails else BIASED[asked], whole, *(Module(len, flag) for flag in parts))
        scores = recsens_export.from_torch(module, USERS, ITEMS, pairs=False)
        with pytest.raises(ZeroDivisionError) if fails else nullcontext():
            list(scores.blocks())
        assert tuple(part.training for part in module.modules()) == flags


def test_tables_of_spark_come_from_replay(recsens_export: ModuleType, tmp_path: Path):
    seen = [ITEMS.index(item) for item in sorted({ITEMS[item] for _, item, _ in TRAIN})]
    expected = np.full((N_USERS, N_ITEMS), np.nan)
    expected[:, seen] = SOME_MISSING[:, seen]
    model, dataset = replay(expected)
    scores = recsens_export.from_replay(model, dataset, test=frame(TEST))
    check(scores, expected, "dense", tmp_path)
    assert (tmp_path / "train.csv").read_text(encoding="utf-8").splitlines()[1] == "ann,i2,5.0,10"


def test_an_item_of_replay_with_features_alone_has_its_own_scores(recsens_export: ModuleType, tmp_path: Path):
    model, dataset = replay(BIASED, features=["last"])
    check(recsens_export.from_replay(model, dataset, test=frame(TEST)), BIASED, "dense", tmp_path)


def test_the_first_item_of_a_sequence_of_recbole_is_in_train(recsens_export: ModuleType):
    class Interactions(dict):
        columns = property(list)

    feat = Interactions(
        user_id=np.array([1, 1, 2]), item_id=np.array([3, 2, 1]), item_length=np.array([1, 2, 1]), rating=np.array([4.0, 3.0, 2.0])
    )
    feat |= {"item_id_list": np.array([[1, 0], [1, 3], [2, 0]]), "rating_list": np.array([[5.0, 0], [5, 4], [1, 0]])}
    config = {"RATING_FIELD": "rating", "TIME_FIELD": "timestamp", "LIST_SUFFIX": "_list"}
    tokens = {"user_id": np.array(["[PAD]", "a", "b"]), "item_id": np.array(["[PAD]", "x", "y", "z"])}
    fields = {"uid_field": "user_id", "iid_field": "item_id", "item_list_length_field": "item_length"}
    rows = recsens_export._rows_of_recbole(SimpleNamespace(inter_feat=feat, config=config, field2id_token=tokens, **fields))
    found = zip(rows.user_names[rows.user], rows.item_names[rows.item], rows.rating, strict=True)
    assert set(found) == {("a", "x", 5), ("a", "z", 4), ("a", "y", 3), ("b", "y", 1), ("b", "x", 2)}
