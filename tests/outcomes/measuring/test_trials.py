"""Tuning chooses the candidate that a slow count finds best; test data change nothing, and the record's bytes never differ."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from recsens import plugins
from recsens.artefacts import schemas, storage
from recsens.artefacts.filesets import InteractionFiles
from recsens.artefacts.folds import write_interactions
from recsens.conclusions.verdicts.study_tables import read_table
from recsens.data.datasets import to_interactions
from recsens.data.interactions import Interactions
from recsens.data.splitting import Splitter
from recsens.errors import DesignError, ShortOfMemoryError
from recsens.outcomes.measuring.trials import ParameterSearch, Trials, tune
from recsens.recommenders import Recommender, read_model
from recsens.recommenders.nearest_neighbours import UserKNN
from recsens.recommenders.tuned import Tuned
from recsens.report.tables.tuning import how_tuned, tuning_tables
from recsens.seeds import Origin, Stream
from recsens.tables.table import Table
from recsens.testing import crowd, from_rows
from recsens.vocabulary import Role
from recsens.workflow.ask import Ask
from recsens.workflow.plan import Plan
from recsens.workflow.steps.describe_tuning import describe_tuning
from recsens.workflow.steps.fit import fit
from recsens.workflow.steps.tune import tune as tune_step
from recsens.workflow.steps.tune_shard import tune_shard

NAMES = {"identity": "crowd", "fold": "repeat-0", "seed": 3}
STREAM = Stream.of(3, "crowd", "tuning")


def trials_of(spec: str, train: Interactions, validation: Interactions | None = None, **names: object) -> Trials:
    tuned: Tuned = plugins.build("recommender", spec)
    return tune(tuned, train, validation, **{**NAMES, **names})


def precision(scores: np.ndarray, known: Interactions, judged: Interactions, n: int) -> float:
    """P@n by hand: for users with ratings on both sides, how many of the n best unrated items are rated 4 or more."""
    found = []
    for user in range(known.n_users):
        rated = set(known.item[known.user == user])
        liked = set(judged.item[(judged.user == user) & (judged.values >= 4)])
        if rated and (judged.user == user).any():
            items = [item for item in range(known.n_items) if item not in rated and not math.isnan(scores[user, item])]
            best = sorted(items, key=lambda item: -scores[user, item])[:n]
            found.append(len(liked & set(best)) / n)
    return sum(found) / len(found)


@pytest.mark.parametrize(("split", "n_folds"), [("random(ratio=0.7)", 1), ("k_fold(k=3)", 3)])
def test_the_best_by_a_slow_count_is_chosen(split, n_folds):
    train = crowd(n_users=40, n_items=30, share=0.4)
    splitter: Splitter = plugins.build("split", split)
    expected = {}
    for spec in ("hkv(epochs=3,factors=2)", "hkv(epochs=3,factors=5)", "hkv(epochs=3,factors=1)"):
        values = []
        for part in range(n_folds):
            roles = splitter.roles(train, part, STREAM.child("split", splitter.stream_name, "repeat-0"))
            known, judged = train.take(roles == Role.TRAIN), train.take(roles == Role.TEST)
            rng = STREAM.child("hkv", "repeat-0", part).child("fit").generator()
            scores = plugins.build("recommender", spec).fit(known, rng).score(known, np.arange(40))
            values.append(precision(scores, known, judged, 3))
        expected[spec] = sum(values) / n_folds
    found = trials_of(f"tuned(of=hkv(epochs=3),search=grid(factors=[2,5,1]),split={split},metric=P@3)", train)
    assert {str(trial.candidate.spec): trial.mean for trial in found.trials} == pytest.approx(expected)
    assert expected[str(found.chosen)] == pytest.approx(max(expected.values()))
    assert [trial.mean for trial in found.best_first] == pytest.approx(sorted(expected.values(), reverse=True))
    assert len(found.sizes) == n_folds
    assert all(sum(sizes) == len(train) for sizes in found.sizes)


def test_of_errors_the_smallest_is_best():
    train = crowd(n_users=40, n_items=30, share=0.4)
    found = trials_of("tuned(of=average_rating,search=grid(damping=[0,5,50]),metric=RMSE)", train)
    assert found.best_first[0].mean == min(trial.mean for trial in found.trials)
    # These ratings mean nothing, and an item's mean is mostly chance.
    assert str(found.chosen) != "average_rating"


def test_of_equal_candidates_the_first_is_chosen():
    train = crowd(n_users=40, n_items=30, share=0.4)
    for order in ("0,1", "1,0"):
        found = trials_of(
            f"tuned(of=popularity,search=grid(of=[{'count,sum' if order == '0,1' else 'sum,count'}]),metric=R@30)", train
        )
        assert len({trial.mean for trial in found.trials}) == 1
        assert found.chosen == found.trials[0].candidate.spec


def test_all_candidates_meet_the_same_chance():
    train = crowd(n_users=40, n_items=30, share=0.4)
    one, other = trials_of("tuned(of=wrmf(factors=3),search=grid(epochs=[5,6]))", train).trials
    alone = trials_of("tuned(of=wrmf(factors=3),search=grid(epochs=[6]))", train).trials[0]
    assert other.values == alone.values != one.values
    assert trials_of("tuned(of=wrmf(factors=3),search=grid(epochs=[6]))", train, fold="repeat-1").trials[0].values != alone.values


def test_the_validation_set_of_the_study_is_taken_where_that_is_asked():
    data = crowd(n_users=40, n_items=30, share=0.4)
    is_known = Stream.of(0).uniform(data.user, data.item) < 0.6
    known, judged = data.take(is_known), data.take(~is_known)
    found = trials_of("tuned(of=popularity,search=grid(of=[count,positive]),split=validation,metric=P@3)", known, judged)
    scores = plugins.build("recommender", "popularity(of=positive)").fit(known, None).score(known, np.arange(40))
    # Ties are broken at random, but not by hand, so only values without ties agree to the last digit.
    assert found.trials[1].mean == pytest.approx(precision(scores, known, judged, 3), abs=0.05)
    assert found.sizes == ((len(known), len(judged)),)
    with pytest.raises(DesignError, match="'repeat-0' has no validation set"):
        trials_of("tuned(split=validation)", known, data.take(np.zeros(len(data), dtype=bool)))


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("tuned(split=temporal)", "the split of the train set for tuning 'user_knn'"),
        ("tuned(split=random(ratio=0.000001))", "leaves one side empty"),
    ],
)
def test_what_the_train_set_does_not_allow_is_told(spec, told):
    with pytest.raises(DesignError, match=told):
        trials_of(spec, crowd(n_users=20, n_items=20, share=0.3))


def test_a_metric_that_nothing_defines_chooses_nothing():
    alone = from_rows([[5, None], [None, 5], [5, None], [None, 5]])
    with pytest.raises(DesignError, match="is undefined for every user of the validation set"):
        _ = trials_of("tuned(of=popularity,search=grid(of=[count]),split=random(ratio=0.5))", alone).chosen


# The steps of a study


class Wildcards(dict[str, str]):
    """Wildcards of a job, as Snakemake gives them."""

    __getattr__ = dict.__getitem__


def test_what_decides_takes_no_part_in_fitting(tmp_path):
    study = {"title": "t", "datasets": {"S": "simulated"}, "metrics": ["P@5"]}
    searches = ("metric=P@5", "metric=RBP@5", "split=k_fold,metric=P@5", "search=grid(k=[5]),metric=P@5")
    systems = {f"T{place}": f"tuned({search})" for place, search in enumerate(searches)}
    (tmp_path / "study.yaml").write_text(yaml.safe_dump({**study, "systems": systems}), encoding="utf-8")
    ask = Ask(Plan(str(tmp_path / "study.yaml")))
    steps = ("dataset", "filter", "split", "fold", "recommender")
    systems_at = [ranking.address for ranking in ask.plan.rankings.values()]
    jobs = [Wildcards(seed="0", **{step: address.step(step) for step in steps}) for address in systems_at]
    fitted, tuned = ask.code("fit")["code"], ask.code("tune")["code"]
    assert len(set(map(fitted, jobs))) == 1
    by_metric, by_other_metric, by_other_split, by_other_search = map(tuned, jobs)
    assert by_other_search == by_metric
    assert len({by_metric, by_other_metric, by_other_split}) == 3


@pytest.fixture
def fold(tmp_path: Path) -> dict[str, Any]:
    """Write a simulated data set and one fold of it with a validation set."""
    loaded = plugins.build("dataset", "simulated(users=50,items=100,ratings=1200)").load([], Stream.of(1))
    files = InteractionFiles.within(tmp_path)
    names = {"user_ids": loaded.user_ids, "item_ids": loaded.item_ids}
    write_interactions(to_interactions(loaded), **names, record={}, files=files)
    data = to_interactions(loaded)
    draws = Stream.of(2).uniform(data.user, data.item)
    roles = np.select([draws < 0.6, draws < 0.8], [Role.TRAIN, Role.VALIDATION], Role.TEST).astype(np.uint8)
    storage.write_table(tmp_path / "roles.parquet", schemas.ROLES, {"role": roles})
    return {"data": files, "roles": str(tmp_path / "roles.parquet")}


def permute_test_ratings(fold: dict[str, Any]) -> None:
    table = storage.read_table(fold["data"].interactions, schemas.INTERACTIONS)
    is_test = storage.column(storage.read_table(fold["roles"], schemas.ROLES), "role") == Role.TEST
    columns = {name: storage.column(table, name).copy() for name in table.column_names}
    columns["rating"][is_test] = np.roll(columns["rating"][is_test], 1)
    assert (columns["rating"] != storage.column(table, "rating")).sum() > 20
    storage.write_table(fold["data"].interactions, schemas.INTERACTIONS, columns)


@pytest.mark.parametrize("split", ["random", "validation"])
def test_test_data_change_nothing_and_a_second_run_writes_the_same_bytes(fold, tmp_path, split):
    spec = f"tuned(of=user_knn,search=random(trials=4,k=uniform(low=1,high=30),q=[1,2]),split={split},metric=nDCG@5)"
    records = []
    for name in ("first", "again", "permuted"):
        if name == "permuted":
            permute_test_ratings(fold)
        path = tmp_path / name / "system" / "tuning.json"
        tune_step(**fold, tuning=str(path), cost=str(tmp_path / "cost.json"), spec=spec, outer="random", origin=Origin(**NAMES))
        records.append(path.read_bytes())
    assert records[0] == records[1] == records[2]
    record = storage.read_json(path, schemas.TUNING)
    assert record["chosen"] == record["trials"][0]["spec"]
    assert len(record["trials"]) == 4
    # The folder's name is only a shortened form of the system.
    assert "search=random" in json.loads((path.with_name("spec.json")).read_text(encoding="utf-8"))["spec"]


def test_what_is_chosen_is_fitted_as_if_it_had_been_named(fold, tmp_path):
    spec = "tuned(of=hkv(epochs=2),search=grid(factors=[2,9]))"
    record, cost = str(tmp_path / "tuned" / "tuning.json"), str(tmp_path / "cost.json")
    tune_step(**fold, tuning=record, cost=cost, spec=spec, outer="random", origin=Origin(**NAMES))
    models = []
    for place, (text, tuning) in enumerate([(spec, record), (storage.read_json(record, schemas.TUNING)["chosen"], None)]):
        model = str(tmp_path / str(place) / "model.npz")
        fit(**fold, tuning=tuning, model=model, cost=cost, spec=text, origin=Origin(**NAMES))
        models.append(read_model(model, plugins.build("recommender", text)))
    tuned, named = models
    assert {name: array.tobytes() for name, array in tuned.learned.items() if name != "tuned.choice"} == {
        name: array.tobytes() for name, array in named.learned.items()
    }
    train = crowd(n_users=50, n_items=100)
    assert tuned.score(train, np.arange(5)).tobytes() == named.score(train, np.arange(5)).tobytes()


# Shards, and candidates that cannot be fitted


SEARCHES = (
    "tuned(of=item_knn,search=random(trials=12))",
    "tuned(of=ease,search=random(trials=5),split=k_fold(k=2))",
    "tuned(of=hkv(epochs=2),search=grid(factors=[2,9,3]),split=validation)",
)


@pytest.mark.parametrize("spec", SEARCHES)
@pytest.mark.parametrize("n_shards", [2, 3, 20])
def test_shards_measure_as_one_job_does(fold, tmp_path, spec, n_shards):
    given = {**fold, "spec": spec, "outer": "random", "origin": Origin(**NAMES)}
    whole, joined = (str(tmp_path / name / "tuning.json") for name in ("whole", "joined"))
    cost = str(tmp_path / "cost.json")
    tune_step(**given, tuning=whole, cost=cost)
    shards = [str(tmp_path / f"{number}.json") for number in range(n_shards)]
    costs = [str(tmp_path / f"{number}.cost.json") for number in range(n_shards)]
    for number in reversed(range(n_shards)):
        tune_shard(**given, trials=shards[number], cost=costs[number], shard=(number, n_shards))
    tune_step(**given, shards=shards, shard_costs=costs, tuning=joined, cost=cost)
    assert Path(joined).read_bytes() == Path(whole).read_bytes()
    assert not any(Path(path).exists() for path in (*shards, *costs))
    assert storage.read_json(cost, schemas.COSTS)["seconds"]["tune"] > 0


@pytest.mark.parametrize(("n_shards", "most"), [(2, 23), (9, 11)])
def test_candidates_that_share_work_stay_together_up_to_a_quarter_of_all(n_shards, most):
    tuned: Tuned = plugins.build("recommender", "tuned(of=user_knn,search=random(trials=40))")
    search = ParameterSearch.of(tuned, **NAMES)
    shards = [search.shard(number, n_shards) for number in range(n_shards)]
    assert sorted(number for shard in shards for number in shard) == list(range(len(search.candidates)))
    kinds = [
        {Recommender.build(search.candidates[number].spec).shared_by for number in shard}  # type: ignore[attr-defined]
        for shard in shards
    ]
    # Ratings and sets are compared; of nine shards, four have nothing to do.
    assert set().union(*kinds) == {"rating", "binary"}
    assert max(map(len, shards)) <= most < len(search.candidates) == 41
    assert n_shards == 2 or sorted(map(len, kinds)) == [0, 0, 0, 0, 1, 1, 1, 1, 1]


def test_candidates_whose_shared_part_draws_are_never_divided():
    tuned: Tuned = plugins.build("recommender", "tuned(of=pure_svd,search=random(trials=40))")
    search = ParameterSearch.of(tuned, **NAMES)
    kinds = [Recommender.build(each.spec).shared_by for each in search.candidates]  # type: ignore[attr-defined]
    for n_shards in (2, 3, 9):
        shards = [search.shard(number, n_shards) for number in range(n_shards)]
        assert sorted(sorted({kinds[number] for number in shard}) for shard in shards if shard) == [["binary"], ["rating"]]


def refuse_many(monkeypatch: pytest.MonkeyPatch, error: type[DesignError] = DesignError, *, above: int) -> None:
    """Let neighbourhoods of more users than ``above`` be refused."""
    finish = UserKNN.finish

    def picky(self: UserKNN, train: Interactions, prepared: Any) -> None:
        if self.k > above:
            raise error(f"k = {self.k} is too many", where="here")
        finish(self, train, prepared)

    monkeypatch.setattr(UserKNN, "finish", picky)


def test_a_drawn_candidate_that_cannot_be_fitted_has_no_value_but_a_reason(tmp_path, monkeypatch):
    train = crowd(n_users=80, n_items=30, share=0.4)
    expected = {str(trial.candidate.spec): trial.values for trial in trials_of("tuned(search=random(trials=9))", train).trials}
    assert len(expected) == 10
    refuse_many(monkeypatch, above=100)
    found = trials_of("tuned(search=random(trials=9))", train)
    refused = [trial for trial in found.trials if trial.refusal is not None]
    assert 0 < len(refused) < 10
    for trial in found.trials:
        k = int(Recommender.build(trial.candidate.spec).k)  # type: ignore[attr-defined]
        is_refused = k > 100
        assert (trial.refusal == f"k = {k} is too many") == is_refused
        assert trial.values == (() if is_refused else expected[str(trial.candidate.spec)])
    assert found.chosen == max((each for each in found.trials if not each.refusal), key=lambda each: each.mean).candidate.spec
    assert found.best_first[-len(refused) :] == refused
    path = tmp_path / "seed-0/movielens/none/random@ratio=0.5/repeat-0/tuned/tuning.json"
    record = {"spec": "tuned", "split": "validation", **found.record(), "metric": "P@10"}
    storage.write_json(path, record, schemas.TUNING)
    (table,) = described([str(path)], tmp_path)
    for trial in refused:
        assert f"Not fitted, and so without a value: {trial.candidate}: {trial.refusal}." in table.notes
    assert [row.cells[0].text for row in table.groups[0].rows[-len(refused) :]] == ["–"] * len(refused)


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        # The user chose these values, and can choose others.
        ("tuned(search=grid(k=[20,400]))", DesignError),
        ("tuned(search=random(trials=9,k=[20,400]))", DesignError),
        # Without the first candidate, the recommender as it is, there is no search.
        ("tuned(of=user_knn(k=400),search=random(trials=9))", DesignError),
        # What fits into memory differs from machine to machine, but results must not.
        ("tuned(search=random(trials=9))", ShortOfMemoryError),
    ],
)
def test_other_candidates_that_cannot_be_fitted_stop_the_search(monkeypatch, spec, error):
    refuse_many(monkeypatch, error, above=100)
    with pytest.raises(error, match="too many") as refused:
        trials_of(spec, crowd(n_users=80, n_items=30, share=0.4))
    assert str(refused.value).startswith("candidate 'user_knn(")


def test_the_table_shows_every_candidate_best_first_and_the_chosen_in_bold(tmp_path):
    values = {"repeat-0": {"k=5": 0.2, "k=50": 0.3, "k=500": None}, "repeat-1": {"k=5": 0.35, "k=50": 0.27, "k=500": None}}
    records = []
    for name, found in values.items():
        path = tmp_path / "seed-0" / "movielens" / "none" / "random@ratio=0.5" / name / "tuned" / "tuning.json"
        trials = [{"candidate": each, "spec": f"user_knn({each})", "mean": value} for each, value in found.items()]
        best = max(found, key=lambda each: found[each] or 0)
        storage.write_json(
            path, {"metric": "P@10", "split": "validation", "chosen": f"user_knn({best})", "trials": trials}, schemas.TUNING
        )
        records.append(str(path))
    (table,) = described(records, tmp_path)
    assert table.columns == ("mean", "chosen on", "repeat-0", "repeat-1")
    (group,) = table.groups
    shown = {row.label: [f"{'*' if cell.is_best else ''}{cell.text}" for cell in row.cells] for row in group.rows}
    assert list(shown.items()) == [
        ("k=50", [".285", "1 of 2", "*.300", ".270"]),
        ("k=5", [".275", "1 of 2", ".200", "*.350"]),
        ("k=500", ["–", "0 of 2", "–", "–"]),
    ]
    assert "Values are P@10 on the validation set of the split; chosen candidates are in bold." in table.notes
    assert table.notes[-1] == "A choice is at the edge of the search range: k."


def tables_of(folder: Path, found: dict[str, float], chosen: str, splits: Sequence[str] = ("random@ratio=0.5",)) -> list[Table]:
    """The tables of one system's candidates, the same under every split."""
    records = []
    trials = [{"candidate": each, "spec": f"user_knn({each})", "mean": value} for each, value in found.items()]
    for split in splits:
        records.append(str(folder / "seed-0" / "movielens" / "none" / split / "repeat-0" / "tuned" / "tuning.json"))
        content = {"metric": "P@10", "split": "validation", "chosen": f"user_knn({chosen})", "trials": trials}
        storage.write_json(records[-1], content, schemas.TUNING)
    return described(records, folder)


def described(records: list[str], folder: Path) -> list[Table]:
    """The tables from the records of one system."""
    options = {"filter": {"none": {"filter": "none", "filter_full": "none"}}, "split": {}}
    for ratio in (0.5, 0.8):
        text = f"random(ratio={ratio})"
        options["split"][f"random@ratio={ratio}"] = {"split": text, "split_full": text.replace("(", "(count=binomial,")}
    table = str(folder / "tuning.csv")
    describe_tuning(records=records, labels=[("ML", "kNN")] * len(records), options=options, metrics={}, tuning=table)
    return tuning_tables(read_table(table, "tuning"))


@pytest.mark.parametrize(
    ("found", "chosen", "told"),
    [
        ({"k=5": 0.2, "k=50": 0.3, "k=500": 0.1}, "k=50", None),
        ({"k=5": 0.2, "k=50": 0.3, "k=500": 0.4}, "k=500", "The choice is at the edge of the search range: k."),
        ({"k=5, q=1": 0.4, "k=9, q=2": 0.3, "k=20, q=3": 0.2}, "k=5, q=1", "The choice is at the edge of the search range: k, q."),
        ({"k=5, q=1": 0.4, "k=9, q=1": 0.3, "k=20, q=2": 0.1}, "k=5, q=1", "The choice is at the edge of the search range: k."),
        ({"k=5, q=1": 0.4, "k=9, q=2": 0.3}, "k=5, q=1", "The choice is at the edge of the search range: k."),
        ({"k=5, overlap=null": 0.4, "k=3, overlap=1": 0.3, "k=9, overlap=2": 0.2}, "k=5, overlap=null", None),
        ({"similarity=cosine": 0.4, "similarity=pearson": 0.3}, "similarity=cosine", None),
        ({"k=5": 0.2, "k=50": 0.2, "k=500": 0.2}, "k=5", "All candidates have the same value, so the first was chosen."),
        ({"k=5": 0.2}, "k=5", None),
        ({"k=500": 0.4, "k=50": 0.4, "k=5": 0.2}, "k=500", None),
        ({"k=5, q=0": 0.4, "k=3, q=2": 0.3, "k=9, q=1": 0.2}, "k=5, q=0", None),
    ],
)
def test_a_table_tells_of_choices_that_mean_little(tmp_path, found, chosen, told):
    (table,) = tables_of(tmp_path, found, chosen)
    assert [note for note in table.notes if note.startswith(("The choice", "All"))] == ([told] if told else [])


def test_a_caption_tells_the_splits_of_the_study_from_that_of_tuning(tmp_path):
    several = tables_of(tmp_path, {"k=5": 0.2}, "k=5", ["random@ratio=0.5", "random@ratio=0.8"])
    assert [table.caption for table in several] == [
        f"ML: candidates of kNN on validation data, under the split random(ratio={ratio})" for ratio in (0.5, 0.8)
    ]


def test_a_system_says_by_what_it_was_tuned():
    texts = ("tuned(split=k_fold(k=3),search=grid(k=[5,10]))", "tuned(of=ease(preference=rating))", "user_knn")
    tuned, own, named = (plugins.build("recommender", text).spec for text in texts)
    random, temporal = (plugins.build("split", text).spec for text in ("k_fold", "temporal(ratio=0.7)"))
    assert how_tuned(tuned, [random]) == [
        "Tuned on validation data: by nDCG@10 on the test part of a split of the train set, k_fold(k=3)."
    ]
    space = "random(regularization=log_uniform(high=10000,low=1),trials=20)"
    assert f" Candidates: ease(preference=rating) as it is, and {space}, its own search space." in how_tuned(own, [random])[0]
    assert (
        "a split of the train set, random or the test part of a split of the train set, temporal(ratio=0.7)."
        in (how_tuned(own, [random, temporal])[0])
    )
    assert how_tuned(named, [random]) == []


@pytest.mark.parametrize(
    ("outer", "again"),
    [
        ("k_fold", "random"),
        ("leave_out", "random"),
        ("per_user(of=k_fold)", "random"),
        ("temporal(ratio=0.7,ties=key)", "temporal(ratio=0.7,ties=key)"),
        ("temporal(at=2000)", "temporal"),
        ("rolling", "temporal"),
        ("leave_out(which=last,ties=random)", "leave_out(ties=random,which=last)"),
        ("given(which=first)", "per_user(of=temporal(ties=key))"),
        ("per_user(of=temporal(ties=key))", "per_user(of=temporal(ties=key))"),
        ("min_train(of=leave_out(which=last))", "leave_out(which=last)"),
        ("validated(of=temporal,inside=random)", "temporal"),
    ],
)
def test_a_train_set_is_split_again_like_the_study_s_data_unless_told_otherwise(outer, again):
    spec = plugins.build("split", outer).spec
    assert str(Tuned.build("tuned").within(spec).split) == again
    assert str(Tuned.build("tuned(split=random)").within(spec).split) == "random"


def test_under_a_split_by_time_a_choice_never_sees_the_future(fold, tmp_path):
    train = crowd(n_users=40, n_items=30, share=0.4)
    timed = replace(train, timestamp=np.arange(len(train), dtype=np.int64)[::-1])
    tuned = Tuned.build("tuned(search=grid(k=[5,9]))").within(plugins.build("split", "temporal(ratio=0.6)").spec)
    (sizes,) = tune(tuned, timed, None, **NAMES).sizes
    assert sizes[0] == math.floor(0.6 * len(train))
    record = tmp_path / "tuned" / "tuning.json"
    given = {"spec": "tuned(search=grid(k=[5,9]))", "cost": str(tmp_path / "cost.json"), "origin": Origin(**NAMES)}
    tune_step(**fold, tuning=str(record), outer="random(ratio=0.5)", **given)
    assert storage.read_json(record, schemas.TUNING)["split"] == "random"
