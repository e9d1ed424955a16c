"""Every detector finds its planted fault, says how large it is, and is silent on clean files."""

import math
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from files_without_leaks import LENGTH, N_ITEMS, N_USERS, Clean, Triples, clean, lists_of
from recsens.runs.leakage._material import over_fits
from recsens.runs.leakage._sizes import Inflation, UserValues
from recsens.runs.leakage.detectors import (
    conventions,
    duplicated_users,
    future,
    missing_users,
    pairs,
    popularity,
    row_order,
    unknown,
)
from recsens.runs.leakage.hunting import correct_jointly, search_leaks
from recsens.runs.leakage.suspicion import Detector, Suspicion

RNG = np.random.default_rng


@pytest.fixture(scope="module")
def files() -> Clean:
    return clean()


def seen(look: Detector, files: Clean, name: str = "") -> Suspicion:
    """Return what a detector says about the first run, or of its second name."""
    return next(each for each in look(files.material()) if name in {"", each.detector})


def mean(files: Clean) -> float:
    material = files.material()
    return material.given(material.runs[0]).mean


def random_numbers(files: Clean) -> np.ndarray:
    return RNG(1).random(len(files.test.user))


def test_clean_files_are_accused_of_nothing(files):
    table = search_leaks(files.train.source, files.test.source, {"A": files.run.source, "B": files.run.source}, alpha=0.01)
    assert not table.found
    assert {each.detector for each in table.rows if each.state == "not told"} == {
        pairs.FITTED,
        future.NAME,
        row_order.TARGET_FIRST,
        pairs.VALIDATION,
    }


def test_pairs_in_train_and_test(files):
    leaked = files.test.kept(random_numbers(files) < 0.1)
    scores = files.scores.copy()
    scores[leaked.user, leaked.item] += 1e6
    faulty = replace(files.with_lists(scores), train=files.train.and_those(leaked))
    found = seen(pairs.shared_pairs, faulty)
    assert found.state == "found"
    assert f"{len(leaked.user):,} of {len(files.test.user):,}" in found.evidence
    assert found.inflation.low < mean(faulty) - mean(files) < found.inflation.high
    assert seen(pairs.shared_pairs, files).state == "none"


def test_train_items_in_lists(files):
    faulty = files.with_lists(files.scores, hidden=files.train.kept(files.train.user > 20))
    found = seen(pairs.train_items, faulty)
    assert found.state == "found"
    assert found.inflation.estimate == pytest.approx(mean(faulty) - mean(files), abs=2e-3)
    assert found.inflation.estimate < 0
    assert seen(pairs.train_items, files).state == "none"


def without(files: Clean, **cold: np.ndarray) -> Clean:
    (role, names), *_ = cold.items()
    return replace(files, train=files.train.kept(~np.isin(getattr(files.train, role), names)))


def test_items_that_train_does_not_know(files):
    cold = np.arange(0, N_ITEMS, 6)
    lacking = without(files, item=cold)
    scores = files.scores.copy()
    scores[:, cold] = -np.inf
    honest = replace(lacking, run=lists_of(scores, files.train))
    found = seen(unknown.look, replace(lacking, run=files.run), unknown.ITEMS)
    assert found.chance < 0.001
    assert 0 < found.inflation.low < mean(files) - mean(honest)
    assert math.isnan(found.inflation.estimate)
    assert math.isnan(found.inflation.high)
    noted = seen(unknown.look, honest, unknown.ITEMS)
    assert (noted.state, noted.chance) == ("noted", 1.0)


def test_users_that_train_does_not_know(files):
    cold = np.arange(0, N_USERS, 2)[:40]
    cold = np.concatenate([cold, cold + 1])
    lacking = without(files, user=cold)
    found = seen(unknown.look, lacking, unknown.USERS)
    assert found.chance < 0.001
    assert found.inflation.low > 0
    scores = files.scores.copy()
    scores[cold] = np.bincount(files.train.item, minlength=N_ITEMS) + RNG(0).random((len(cold), N_ITEMS))
    assert seen(unknown.look, replace(lacking, run=lists_of(scores, lacking.train)), unknown.USERS).chance > 0.01


def test_test_ratings_older_than_train(files):
    train = replace(files.train, time=np.arange(len(files.train.user)))
    times = np.full(len(files.test.user), 10**6)
    times[:100] = 5
    found = seen(future.look, replace(files, train=train, test=replace(files.test, time=times)))
    assert found.chance < 1e-6
    assert found.evidence.startswith("100 of ")
    rest = replace(files, test=files.test.kept(times > 5))
    assert found.inflation.estimate == pytest.approx(mean(files) - mean(rest))
    newer = replace(files.test, time=np.full(len(times), 10**6))
    assert seen(future.look, replace(files, train=train, test=newer)).state == "none"
    assert "no time stamps" in seen(future.look, files).evidence


def timed(files: Clean, is_test: Callable[[Triples], np.ndarray]) -> tuple[Clean, Triples]:
    """Rate at random times, each user in a stretch of a tenth of all time, and put into test what is chosen; return all ratings."""
    rows = files.train.and_those(files.test)
    rows = replace(rows, time=RNG(8).integers(0, 1000, len(rows.user)) + 9000 * rows.user // N_USERS)
    chosen = is_test(rows)
    return replace(files, train=rows.kept(~chosen), test=rows.kept(chosen)), rows


def as_split(files: Clean) -> Clean:
    return timed(files, lambda rows: np.arange(len(rows.user)) >= len(files.train.user))[0]


def test_a_random_split_in_time_is_noted(files):
    at_random = as_split(files)
    noted = seen(future.look, at_random)
    assert (noted.state, noted.chance > 0.01) == ("noted", True)
    assert "random in time" in noted.evidence
    assert math.isnan(noted.inflation.estimate)
    table = search_leaks(at_random.train.source, at_random.test.source, {"A": at_random.run.source})
    assert not table.found


def test_a_late_train_row_is_told_apart_from_a_random_split(files):
    """All test ratings are older than the newest train rating, as they may be in a random split."""
    cut, rows = timed(files, lambda rows: rows.time >= 7500)
    stray = rows.kept(np.array([0]))
    stray = replace(stray, time=np.array([10**5]))
    late = replace(cut, train=replace(cut.train.and_those(stray), time=np.append(cut.train.time, stray.time)))
    found = seen(future.look, late)
    assert found.chance < 1e-6
    n_test, n_train = len(late.test.user), len(late.train.user)
    assert f"0 of {n_test:,} (0.0 %) test ratings before it and 1 of {n_train:,} (" in found.evidence
    assert math.isnan(found.inflation.estimate)
    assert seen(future.look, cut).state == "none"


@pytest.mark.parametrize("way", ["newest", "oldest", "middle", "later users"])
def test_an_order_in_time_is_told_apart_from_a_random_split(files, way):
    def chosen(rows: Triples) -> np.ndarray:
        order = np.lexsort((rows.time, rows.user))
        place = np.empty(len(order))
        n = np.bincount(rows.user)
        place[order] = np.arange(len(order)) - (np.cumsum(n) - n)[rows.user[order]]
        place = place / n[rows.user]
        if way == "later users":
            return RNG(2).random(len(place)) < np.where(rows.user > 0.7 * N_USERS, 0.8, 0.05)
        return {"newest": place >= 0.8, "oldest": place < 0.2, "middle": abs(place - 0.5) < 0.1}[way]

    assert seen(future.look, timed(files, chosen)[0]).chance < 1e-6


def test_a_split_with_few_users_is_not_called_random(files):
    train, test = (rows.kept(rows.user < 9) for rows in (as_split(files).train, as_split(files).test))
    found = seen(future.look, replace(files, train=train, test=test))
    assert (found.state, math.isnan(found.chance)) == ("found", True)


def test_an_interval_rests_on_ten_users():
    assert math.isnan(Inflation.around(0.1, 0.01, 9).low)
    assert Inflation.around(0.1, 0.01, 10).low == pytest.approx(0.1 - 1.96 * 0.01, abs=1e-6)
    values = np.linspace(0, 1, 30)
    changed = np.where(np.arange(30) < 9, values / 2, values)
    assert math.isnan(UserValues(values).less(UserValues(changed)).low)
    assert not math.isnan(UserValues(values).less(UserValues(values / 2)).low)


def test_one_user_gives_no_interval(files):
    """All test ratings but those of one user are older than the newest train rating."""
    train = replace(files.train, time=np.arange(len(files.train.user)))
    one = files.test.user[0]
    test = replace(files.test, time=np.where(files.test.user == one, 10**6, 5))
    found = seen(future.look, replace(files, train=train, test=test))
    rest = replace(files, test=files.test.kept(files.test.user == one))
    assert found.inflation.estimate == pytest.approx(mean(files) - mean(rest))
    assert math.isnan(found.inflation.low)
    assert math.isnan(found.inflation.high)


def test_nine_users_give_no_interval(files):
    """Whatever is found in files of nine users, no size has a 95 % interval."""
    kept = {part: getattr(files, part).kept(getattr(files, part).user < 9) for part in ("train", "test", "run")}
    tied_rows = replace(kept["run"], value=np.ones(len(kept["run"].user)))
    faulty = replace(files, **{**kept, "train": kept["train"].and_those(kept["test"].kept(slice(0, 20)))}, validation=kept["test"])
    faulty = replace(faulty, run=tied_rows.and_those(tied_rows.kept(slice(0, 30))), further={"B": kept["run"]})
    runs = {"A": faulty.run.source, **{name: each.source for name, each in faulty.further.items()}}
    table = search_leaks(faulty.train.source, faulty.test.source, runs, kept["test"].source)
    sized = [each for each in table.rows if not math.isnan(each.inflation.estimate)]
    assert len({each.detector for each in sized}) >= 5
    assert all(each.inflation.is_bounded or math.isnan(each.inflation.low) for each in sized)


def tied(files: Clean, key: Callable[[Triples], np.ndarray]) -> Clean:
    """Score in steps of five places, with rows in the order of a key within a step."""
    place = np.arange(len(files.run.user)) - np.searchsorted(files.run.user, files.run.user)
    run = replace(files.run, value=-(place // 5).astype(float))
    return replace(files, run=run.kept(np.lexsort((key(run), -run.value, run.user))))


def is_relevant(files: Clean, rows: Triples) -> np.ndarray:
    return np.isin(rows.user * N_ITEMS + rows.item, files.test.user * N_ITEMS + files.test.item)


def test_order_of_equal_scores(files):
    fair = tied(files, lambda run: RNG(5).random(len(run.user)))
    assert seen(row_order.tied_order, fair).chance > 0.02
    faulty = tied(files, lambda run: ~is_relevant(files, run))
    found = seen(row_order.tied_order, faulty)
    assert found.chance == pytest.approx(2e-5)
    assert found.inflation.low > 0
    values = [
        material.measured(material.runs[0].pairs, material.test, ties="given").mean
        for material in (fair.material(), faulty.material())
    ]
    assert found.inflation.low < values[1] - values[0] < found.inflation.high
    assert seen(row_order.tied_order, files).evidence.startswith("the order of equal scores changes no value")


def test_rows_in_the_order_of_names_are_counted(files):
    found = seen(row_order.tied_order, tied(files, lambda run: run.item))
    n, n_rising = (int(each.replace(",", "")) for each in re.findall(r"([\d,]+) (?:neighbours|are in ascending)", found.evidence))
    assert n == n_rising > 1000


@pytest.mark.parametrize("ties", ["item", "given", "pessimistic", "optimistic"])
def test_rows_out_of_reach_change_no_value(files, ties):
    material = tied(files, lambda run: RNG(5).random(len(run.user))).material()
    pairs = material.runs[0].pairs
    within = material.within_reach(pairs)
    assert len(within) == 10 * N_USERS < len(pairs)
    values = [material.measured(rows, material.test, ties=ties).values for rows in (pairs, within)]
    np.testing.assert_array_equal(*values)


def test_the_order_of_names_is_reported_only_if_there_is_evidence_against_it(files):
    said = seen(row_order.tied_order, tied(files, lambda run: RNG(5).random(len(run.user))))
    by_rows, under_random = (float(re.search(rf"(0\.\d+) {what}", said.evidence)[1]) for what in ("in the order of rows", "under"))
    assert said.inflation.estimate == pytest.approx(by_rows - under_random, abs=1e-4)


def candidates(files: Clean, *, first: bool) -> Clean:
    """Score a target and nineteen other items in steps, with the target in the first row or anywhere."""
    rng, users, items, values = RNG(7), [], [], []
    rated = {
        user: set(files.test.item[files.test.user == user]) | set(files.train.item[files.train.user == user])
        for user in range(N_USERS)
    }
    users_of_targets, at = np.unique(files.test.user, return_index=True)
    target = Triples(users_of_targets, files.test.item[at], np.ones(len(at)))
    for user, item in zip(target.user, target.item, strict=True):
        others = [other for other in rng.permutation(N_ITEMS) if other not in rated[user]][:19]
        own = [item, *others] if first else rng.permutation([item, *others]).tolist()
        users += [user] * len(own)
        items += own
        values += (np.argsort(np.argsort(files.scores[user, own])) // 4).tolist()
    return replace(files, test=target, run=Triples(np.array(users), np.array(items), np.array(values, dtype=float)))


def test_target_first_among_candidates(files):
    found = seen(row_order.target_first, candidates(files, first=True))
    assert found.chance < 1e-6
    assert found.inflation.low > 0
    assert seen(row_order.target_first, candidates(files, first=False)).chance > 0.02


def test_candidates_in_a_fixed_order_are_not_taken_for_targets_first(files):
    shuffled = candidates(files, first=False)
    popular = np.bincount(files.train.item, minlength=N_ITEMS)
    run = shuffled.run.kept(np.lexsort((-popular[shuffled.run.item], shuffled.run.user)))
    assert seen(row_order.target_first, replace(shuffled, run=run)).chance > 0.02


def test_candidates_drawn_with_repetition(files):
    sampled = candidates(files, first=False)
    others = sampled.run.kept(~is_relevant(sampled, sampled.run) & (RNG(2).random(len(sampled.run.user)) < 0.1))
    found = seen(row_order.repeated_candidates, replace(sampled, run=sampled.run.and_those(others)))
    assert found.state == "found"
    assert found.evidence.startswith(f"{len(others.user):,} of ")
    assert found.inflation.high < 0
    assert seen(row_order.repeated_candidates, sampled).state == "none"


def test_a_repetition_among_equal_scores_has_any_place():
    """One relevant item among 20 with one score, 5 of them twice: each of 25 places is as likely as of 20."""
    n_users = 400
    user, item = np.repeat(np.arange(n_users), 20), np.tile(np.arange(20), n_users)
    test = Triples(np.arange(n_users), np.zeros(n_users, dtype=np.int64), np.ones(n_users))
    train = Triples(np.arange(n_users), np.full(n_users, 30), np.ones(n_users))
    run = Triples(user, item, np.ones(len(user)))
    files = Clean(train, test, run.and_those(run.kept(item >= 15)), np.empty(0))
    found = seen(row_order.repeated_candidates, files)
    discounts = 1 / np.log2(np.arange(2, 12))
    truth = discounts.sum() / 25 - discounts.sum() / 20
    assert found.inflation.low < truth < found.inflation.high
    assert found.inflation.estimate == pytest.approx(truth, abs=0.01)


def test_an_interval_allows_for_another_fit(files):
    """Where neighbours have the same judgement, exchanging them changes nothing; further ratings raise the upper end alone."""
    size, material = Inflation.around(0.01, 0.001, 50), files.material()
    wider = over_fits(size, material, material.runs[0])
    assert wider.low < size.low < size.high < wider.high
    assert wider.estimate == size.estimate
    taught = over_fits(size, material, material.runs[0], n_further=len(files.train.user) / 10)
    assert taught.low == wider.low
    assert taught.high == pytest.approx(wider.high + mean(files) / 10)
    nothing = replace(files, run=files.run.kept(~is_relevant(files, files.run)), further={"B": files.run}).material()
    same = over_fits(size, nothing, nothing.runs[0])
    assert (same.low, same.high) == pytest.approx((size.low, size.high))


def test_findings_are_corrected_by_holm_over_all_that_were_tested():
    given = [Suspicion("a", "", "none", "", chance=chance) for chance in (0.004, 0.003, math.nan, 0.2)]
    judged = list(correct_jointly(given, 0.01))
    assert [each.adjusted for each in judged] == pytest.approx([0.009, 0.009, math.nan, 0.2], nan_ok=True)
    assert [each.state for each in judged] == ["found", "found", "none", "none"]


def test_popularity_in_test(files):
    counts = np.bincount(files.test.item, minlength=N_ITEMS)
    found = seen(popularity.look, files.with_lists(files.scores + 20 * files.scores.std() * np.log1p(counts)))
    assert found.chance < 1e-3
    assert seen(popularity.look, files).chance > 0.01


def test_a_model_fitted_on_test_pairs_has_no_size_and_two_possible_causes(files):
    """Such a model looks like one that counted popularity in test, but its value is raised many times as much."""
    whole = files.train.and_those(files.test)
    rated = np.zeros((N_USERS, N_ITEMS))
    rated[whole.user, whole.item] = 1
    faulty = files.with_lists(rated @ (rated.T @ rated))
    assert mean(faulty) - mean(files) > 0.05
    table = search_leaks(files.train.source, files.test.source, {"A": faulty.run.source})
    (found,) = table.found
    assert "popularity" not in found.detector
    assert all(cause in found.evidence for cause in ("popularity counted in test", "fitted on test pairs"))
    assert math.isnan(found.inflation.estimate)
    assert [each.state for each in table.rows if each.detector == "fitted on test pairs"] == ["not told"]
    assert "fitted on test pairs (" in repr(table)


def test_popularity_is_not_judged_if_the_split_is_not_random(files):
    new = files.test.item % 3 == 0
    said = seen(popularity.look, replace(files, test=files.test.kept(new)))
    assert said.state == "not told"


def test_test_users_without_a_list(files):
    n_relevant = np.bincount(files.test.user, minlength=N_USERS)
    tested = np.flatnonzero(n_relevant)
    few = tested[np.argsort(n_relevant[tested], kind="stable")[:30]]
    faulty = replace(files, run=files.run.kept(~np.isin(files.run.user, few)))
    found = seen(missing_users.look, faulty)
    assert found.chance == pytest.approx(2e-5)
    material = faulty.material()
    of_listed = material.measured(material.runs[0].pairs, material.test, no_list="skip").mean
    assert found.inflation.low <= of_listed - mean(files) <= found.inflation.high
    chosen_blindly = replace(files, run=files.run.kept(~np.isin(files.run.user, RNG(4).permutation(tested)[:30])))
    noted = seen(missing_users.look, chosen_blindly)
    assert noted.state == "noted"
    assert noted.chance > 0.01


def test_the_values_of_another_run_show_chosen_users(files):
    material = files.material()
    values = material.given(material.runs[0]).values
    worst = np.array(material.users)[np.argsort(np.nan_to_num(values, nan=9))[:30]].astype(int)
    faulty = replace(files, run=files.run.kept(~np.isin(files.run.user, worst)), further={"B": files.run})
    assert seen(missing_users.look, faulty).chance == pytest.approx(3e-5)


def doubled(files: Clean) -> tuple[Clean, int]:
    """Give ten users with long histories a second name."""
    whole = files.train.and_those(files.test)
    long = np.flatnonzero(np.bincount(whole.user) >= 12)[:10]

    def twice(rows: Triples) -> Triples:
        own = rows.kept(np.isin(rows.user, long))
        time = None if rows.time is None or own.time is None else np.concatenate([rows.time, own.time])
        return replace(rows.and_those(replace(own, user=own.user + N_USERS)), time=time)

    return replace(files, train=twice(files.train), test=twice(files.test), run=twice(files.run)), 2 * len(long)


def with_ratings(files: Clean, rating: Callable[[Triples], np.ndarray]) -> Clean:
    return replace(
        files, **{part: replace(rows, value=rating(rows)) for part, rows in (("train", files.train), ("test", files.test))}
    )


def stars(rows: Triples) -> np.ndarray:
    return RNG(len(rows.user)).integers(1, 6, len(rows.user)).astype(float)


def test_duplicated_users(files):
    faulty, n = doubled(with_ratings(files, stars))
    found = seen(duplicated_users.look, faulty)
    assert found.chance < 1e-4
    assert found.evidence.startswith(f"{n} of ")
    assert not np.isnan(found.inflation.estimate)
    assert seen(duplicated_users.look, files).state == "none"


def test_equal_items_alone_are_noted_because_users_may_take_whole_series(files):
    faulty, n = doubled(files)
    noted = seen(duplicated_users.look, faulty)
    assert (noted.state, noted.chance) == ("noted", 1.0)
    assert noted.evidence.startswith(f"{n} of ")
    assert "for 0 of them" in noted.evidence
    assert not np.isnan(noted.inflation.estimate)
    # Users who give every item the same rating do not differ in anything but their items.
    constant, _ = doubled(with_ratings(files, lambda rows: 1.0 + rows.user % 5))
    assert seen(duplicated_users.look, constant).chance == 1.0
    # Everybody prefers the same items, so their ratings say nothing more than the items.
    agreed, _ = doubled(with_ratings(files, lambda rows: 1.0 + rows.item % 5))
    assert seen(duplicated_users.look, agreed).chance == 1.0


def test_equal_time_stamps_show_duplicated_users_without_ratings(files):
    def timed(files: Clean, times: Callable[[Triples], np.ndarray]) -> Clean:
        return replace(files, train=replace(files.train, time=times(files.train)), test=replace(files.test, time=times(files.test)))

    faulty, n = doubled(timed(files, lambda rows: RNG(1).integers(0, 10**6, len(rows.user))))
    found = seen(duplicated_users.look, faulty)
    assert found.chance < 1e-6
    assert f"for {n} of them" in found.evidence
    imported, _ = doubled(timed(files, lambda rows: rows.user))
    assert seen(duplicated_users.look, imported).chance > 0.01
    own_times = timed(doubled(files)[0], lambda rows: RNG(1).integers(0, 10**6, len(rows.user)))
    assert seen(duplicated_users.look, own_times).chance == 1.0


def test_users_who_take_whole_series_are_not_accused(files):
    """A hundred users take the same 12 episodes and rate 4 or 5, more often 5 if the episode is good."""
    rng, n = RNG(0), 100
    fans = Triples(np.repeat(np.arange(n) + N_USERS, 12), np.tile(np.arange(12) + N_ITEMS, n), np.ones(12 * n))
    rated = replace(fans, value=4.0 + (rng.random((n, 12)) < np.linspace(0.5, 0.98, 12)).ravel())
    for rows in (fans, rated):
        said = seen(duplicated_users.look, replace(files, train=files.train.and_those(rows)))
        assert said.chance > 0.01 or said.state == "none"


def test_validation_equal_to_test(files):
    found = seen(pairs.validation_pairs, replace(files, validation=files.test, further={"B": files.run.kept(files.run.item > 5)}))
    assert found.state == "found"
    assert found.evidence.startswith(f"{len(files.test.user):,} of {len(files.test.user):,}")
    assert not np.isnan(found.inflation.estimate)
    alone = seen(pairs.validation_pairs, replace(files, validation=files.test))
    assert np.isnan(alone.inflation.estimate)
    own, rest = files.train.kept(files.train.item == 1), files.train.kept(files.train.item != 1)
    assert seen(pairs.validation_pairs, replace(files, train=rest, validation=own)).state == "none"


def test_values_under_other_conventions(files):
    half = replace(files, run=files.run.kept(files.run.user < N_USERS // 2))
    noted = seen(conventions.look, half)
    assert noted.state == "noted"
    # Tools that leave out users without a list give a larger value.
    assert noted.inflation.estimate < -0.01
    assert "by the rules of trec_eval" in noted.evidence
    assert LENGTH > 10
