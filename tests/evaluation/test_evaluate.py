"""Positions from scores, the four kinds of users that decide a mean, and faulty files."""

import gzip
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from approved import refusal
from recsens.errors import DataError, DesignError, RecsensError, SpecError
from recsens.files.scale import Scale
from recsens.runs.evaluation import evaluate

RUN = (["ann"] * 3 + ["bob"] * 2, ["x", "y", "z", "x", "z"], [3, 2, 1, 0.5, 0.25])
QRELS = (["ann", "ann", "bob", "cid", "dan"], ["y", "z", "x", "x", "w"], [5, 1, 4, 4, 2])
"""Ann's hit is second, Bob's first; Cid has no list; Dan has neither a list nor a relevant item."""


def rr(run=RUN, qrels=QRELS, **options: object) -> float:
    return evaluate(run, qrels, ["RR"], **options).means["RR"]


# Who is averaged


@pytest.mark.parametrize(
    ("no_relevant", "no_list", "expected"),
    [("zero", "zero", 1.5 / 4), ("skip", "zero", 1.5 / 3), ("zero", "skip", 1.5 / 2), ("skip", "skip", 1.5 / 2)],
)
def test_who_counts_is_said_by_two_policies(no_relevant, no_list, expected):
    assert rr(no_relevant=no_relevant, no_list=no_list) == pytest.approx(expected)


def test_the_settings_say_which_metrics_are_not_zero_without_a_relevant_item_or_a_list():
    # Dan's only rating, 3 of 5, is below the threshold of 4 and ranked first: with gain=linear, it is an ideal ranking.
    run, qrels = (["dan", "dan"], ["a", "b"], [2.0, 1.0]), (["dan", "eve"], ["a", "b"], [3.0, 5.0])
    found = evaluate(run, qrels, ["P@1", "nDCG(gain=linear)@2", "LAUC@1"], least_matched=0.0)
    assert found.per_user["dan"] == {"P@1": 0, "nDCG(gain=linear)@2": 1, "LAUC@1": 0.5}
    assert found.per_user["eve"] == {"P@1": 0, "nDCG(gain=linear)@2": 0, "LAUC@1": 0.5}
    assert found.settings.treatments == {
        "no_relevant": {"counted as 0": ["P@1"], "treated like all others": ["nDCG(gain=linear)@2"], "counted as 0.5": ["LAUC@1"]},
        "no_list": {"counted as 0": ["P@1", "nDCG(gain=linear)@2"], "counted as 0.5": ["LAUC@1"]},
    }
    assert "counted as 0 by P@1, treated like all others by nDCG(gain=linear)@2" in str(found.settings)
    assert "users without relevant items: zero;" in str(evaluate(run, qrels, ["P@1"], least_matched=0.0).settings)
    skipped = evaluate(run, qrels, ["nDCG(gain=linear)@2"], no_relevant="skip", least_matched=0.0).settings
    assert "users without relevant items: skip;" in str(skipped)


def test_a_user_without_judgements_never_counts():
    run = tuple([*column, value] for column, value in zip(RUN, ["eve", "x", 1.0], strict=True))
    found = evaluate(run, QRELS, ["RR"], least_matched=0.5)
    assert found.n_strangers == 1
    assert found.means == evaluate(RUN, QRELS, ["RR"]).means


def test_counts_are_told():
    found = evaluate(RUN, QRELS, ["RR"])
    assert found.population == (
        "4 users averaged; of 4 judged users, 1 have no relevant item and 2 no list; of 2 users of the run, 0 are not judged"
    )


def test_an_evaluation_shows_its_means_and_who_is_averaged():
    found = evaluate(RUN, QRELS, ["RR", "P@1", *(f"nDCG@{n}" for n in range(1, 9))])
    first, *means, last = repr(found).splitlines()
    assert first == f"Evaluation: {found.population}"
    assert means[:3] == ["  RR      .375", "  P@1     .250", "  nDCG@1  .250"]
    assert (len(means), last) == (8, "  ... and 2 more in .means")


def test_a_short_list_is_divided_by_the_cutoff_or_by_what_is_shown():
    assert evaluate(RUN, QRELS, ["P@10"]).per_user["bob"] == {"P@10": pytest.approx(1 / 10)}
    assert evaluate(RUN, QRELS, ["P@10"], short_list="shown").per_user["bob"] == {"SetP@10": pytest.approx(1 / 2)}
    assert evaluate(RUN, QRELS, ["F1@10"], short_list="shown").per_user["bob"] == {"SetF@10": pytest.approx(2 / 3)}


# Ties

TIED = (["u"] * 4, ["a", "c", "d", "b"], [1, 1, 1, 9])
JUDGED = (["u"] * 3, ["c", "a", "e"], [5, 1, 5])


@pytest.mark.parametrize(("ties", "position"), [("item", 3), ("given", 3), ("optimistic", 2), ("pessimistic", 4)])
def test_equal_scores_are_ordered_by_a_rule(ties, position):
    assert rr(TIED, JUDGED, ties=ties) == pytest.approx(1 / position)


def test_by_item_name_descending_whatever_the_order_of_rows():
    turned = tuple(column[::-1] for column in TIED)
    assert rr(turned, JUDGED, ties="item") == rr(TIED, JUDGED, ties="item")
    assert rr(turned, JUDGED, ties="given") == pytest.approx(1 / 3)


def test_ties_of_items_alike_are_no_reason_to_refuse():
    run = (["u"] * 3, ["a", "b", "c"], [2, 1, 1])
    assert rr(run, (["u", "u"], ["a", "c"], [5, 1]), ties="pessimistic") == 1
    assert rr(run, (["u"], ["a"], [5]), ties="refuse") == 1
    with pytest.raises(DataError, match="RR of user 'u' depends on the arbitrary order of items with the same score"):
        rr(run, (["u"], ["c"], [5]), ties="refuse")


@given(
    scores=st.lists(st.integers(0, 3), min_size=1, max_size=12),
    ratings=st.lists(st.sampled_from([None, 1, 5]), min_size=12, max_size=12),
    shuffle=st.randoms(use_true_random=False),
)
def test_positions_are_those_of_a_sorted_list(scores, ratings, shuffle):
    rows = [("u", f"i{n}", score) for n, score in enumerate(scores)]
    shuffle.shuffle(rows)
    rating = {f"i{n}": rating for n, rating in enumerate(ratings) if rating}
    if 5 not in rating.values():
        return
    judged = (["u"] * len(rating), list(rating), list(rating.values()))
    worth = {item: rating.get(item, 0) for _, item, _ in rows}
    keys = {
        "given": lambda row: -row[2],
        "optimistic": lambda row: (-row[2], -worth[row[1]]),
        "pessimistic": lambda row: (-row[2], worth[row[1]]),
    }
    by_name = sorted(rows, key=lambda row: row[1], reverse=True)
    for ties, key in keys.items():
        ranked = [item for _, item, _ in sorted(rows if ties == "given" else by_name, key=key)]
        hits = [place for place, item in enumerate(ranked, 1) if rating.get(item) == 5]
        found = evaluate(tuple(map(list, zip(*rows, strict=True))), judged, ["RR", "ARHR"], ties=ties, least_matched=0).means
        assert found["RR"] == pytest.approx(1 / hits[0] if hits else 0)
        assert found["ARHR"] == pytest.approx(sum(1 / place for place in hits))


# What is relevant


@pytest.mark.parametrize(
    ("ratings", "scale", "relevance"),
    [([1, 3, 5], (1, 5), 4), ([0, 1], (0, 1), 1), ([1, 1], (0, 1), 1), ([0, 3], (0, 3), 3), ([2, 10], (0, 10), 8)],
)
def test_scale_and_threshold_follow_the_ratings_unless_said(ratings, scale, relevance):
    qrels = (["u"] * len(ratings), [f"i{n}" for n in range(len(ratings))], ratings)
    settings = evaluate((["u"], ["i0"], [1]), qrels, ["RR"]).settings
    assert (settings.scale.lowest, settings.scale.highest, settings.relevance) == (*scale, relevance)


def test_nothing_relevant_is_refused_with_what_would_do():
    with pytest.raises(DesignError, match=r"no rating reaches 4\n.*up to 3"):
        evaluate((["u"], ["a"], [1]), (["u", "u"], ["a", "b"], [2, 3]), ["RR"])


@pytest.mark.parametrize(("lowest", "highest"), [(5, 1), (3, 3), (float("nan"), 5), (0, float("inf"))])
def test_a_scale_that_does_not_rise_is_refused(lowest, highest):
    with pytest.raises(DesignError, match=f"a rating scale from {lowest} to {highest}\n  allowed: the lowest rating, then"):
        rr(scale=Scale(lowest, highest))


@pytest.mark.parametrize(
    ("scale", "message"),
    [
        (
            (1, 4),
            "the judgements, row 1, user 'ann': the rating 5 is outside the scale from 1 to 4\n  allowed: ratings from 1 to 4\n",
        ),
        ((1.5, 5), "the judgements, row 2, user 'ann': the rating 1 is outside the scale from 1.5 to 5\n"),
    ],
)
@pytest.mark.parametrize("metric", ["ERR", "RR"])
def test_a_scale_that_the_ratings_leave_is_refused(scale, message, metric):
    with pytest.raises(DesignError) as refused:
        evaluate(RUN, QRELS, [metric], scale=Scale(*scale))
    assert str(refused.value).startswith(message)
    assert str(refused.value).endswith("or give a scale that contains all ratings: 1 to 5")


def test_a_rating_outside_the_scale_is_placed_by_file_and_line(tmp_path: Path):
    (tmp_path / "qrels.txt").write_text("ann 0 y 4\n\nbob 0 x 0\nann 0 z 1\n")
    with pytest.raises(DesignError, match=r"qrels\.txt:3, user 'bob': the rating 0 is outside the scale from 1 to 5"):
        evaluate(RUN, tmp_path / "qrels.txt", ["RR"], scale=Scale(1, 5))


def test_the_condensed_view_drops_what_nobody_judged():
    assert rr(view="condensed", no_list="skip") == pytest.approx(1)


# Forms of input


def test_paths_frames_and_arrays_say_the_same(tmp_path: Path):
    run = pd.DataFrame(dict(zip(("user", "item", "score"), RUN, strict=True)))
    qrels = pd.DataFrame(dict(zip(("user", "item", "rating"), QRELS, strict=True)))
    run.to_csv(tmp_path / "run.csv", index=False)
    run.to_csv(tmp_path / "run.tsv", index=False, sep="\t")
    run.to_parquet(tmp_path / "run.parquet", index=False)
    qrels[["item", "rating", "user"]].to_csv(tmp_path / "qrels.csv", index=False)
    qrels.to_parquet(tmp_path / "qrels.parquet", index=False)
    (tmp_path / "run.gz").write_bytes(
        gzip.compress("".join(f"{u}\tQ0\t {i} 1 {s} me \r\n" for u, i, s in zip(*RUN, strict=True)).encode())
    )
    (tmp_path / "qrels.txt").write_text("".join(f"{u} 0 {i} {r}\n\n" for u, i, r in zip(*QRELS, strict=True)))
    expected = evaluate(RUN, QRELS, ["RR", "nDCG@5"]).per_user
    for first in (run, *(tmp_path / f"run.{end}" for end in ("csv", "tsv", "parquet", "gz"))):
        for second in (qrels, *(tmp_path / f"qrels.{end}" for end in ("csv", "parquet", "txt"))):
            assert evaluate(first, second, ["RR", "nDCG@5"]).per_user == expected


def test_names_may_be_integers():
    assert rr(([1, 1], [7, 8], [1.0, 2.0]), (np.array([1]), np.array([7]), np.array([1]))) == 0.5


def integers(values):
    return np.array(values, dtype=np.uint64)


@pytest.mark.parametrize(
    "numbers", [integers, list, lambda values: np.array(values, dtype=object)], ids=["array", "list", "object"]
)
@pytest.mark.parametrize("framed", [False, True], ids=["columns", "frame"])
def test_whole_numbers_of_any_size_name_users_and_items(numbers, framed):
    big = 2**63
    users, items = numbers([big, big, big + 1, 7]), numbers([big + 5, big + 6, big + 5, 8])
    run, qrels = (users, items, [1.0, 2.0, 3.0, 4.0]), (users, items, [5, 1, 5, 5])
    if framed:
        run = pd.DataFrame(dict(zip(("user", "item", "score"), run, strict=True)))
        qrels = pd.DataFrame(dict(zip(("user", "item", "rating"), qrels, strict=True)))
    expected = {str(big): {"RR": 0.5}, str(big + 1): {"RR": 1.0}, "7": {"RR": 1.0}}
    assert evaluate(run, qrels, ["RR"]).per_user == expected
    as_text = tuple([str(int(name)) for name in column] for column in (users, items))
    assert evaluate(run, (*as_text, [5, 1, 5, 5]), ["RR"]).per_user == expected


def test_large_numbers_close_to_each_other_do_not_turn_negative():
    users, items = integers([2**63 + 5] * 2), integers([2**63 + 1, 2**63 + 2])
    assert list(evaluate((users, items, [2, 1]), (users, items, [5, 1]), ["RR"]).per_user) == ["9223372036854775813"]


def test_a_faulty_run_is_refused_with_its_line(tmp_path: Path, approved):
    cases = (
        "u Q0 a 1 0.5\n",
        "u Q0 a 1 0.5 me\nu Q0 b 2 high me\n",
        "u Q0 a 1 0.5 me\nu Q0 b 2 nan me\n",
        "u Q0 a 1 0.5 me\n\nu Q0 a 2 0.4 me\n",
        "",
        "v Q0 a 1 0.5 me\n",
        "user,item,scor\nu,a,1\n",
        "user,item,score\nu,a,1\nu,b\n",
    )
    run, told = tmp_path / "run", {}
    (tmp_path / "qrels").write_text("u 0 a 1\n")
    for text in cases:
        run.write_text(text)
        told[repr(text)] = refusal(partial(evaluate, run, tmp_path / "qrels", ["RR"]), DataError)
    approved(told)


def test_faulty_judgements_are_refused_with_their_line(tmp_path: Path, approved):
    cases = ("u 0 a\n", "u 0 a 1\nu 0 a 2\n", "u 0 a good\n", "")
    told = {}
    for text in cases:
        (tmp_path / "qrels").write_text(text)
        told[repr(text)] = refusal(partial(evaluate, RUN, tmp_path / "qrels", ["RR"]), DataError)
    approved(told)


def test_faulty_rows_are_refused_with_their_place(approved):
    cases = (
        pd.DataFrame({"user": ["u"], "item": ["a"]}),
        (["u", "u"], ["a"], [1]),
        (["u"], ["a"], ["high"]),
        ([1.5], ["a"], [1]),
        (np.array(["u", 1], dtype=object), ["a", "b"], [1, 2]),
        ([None, "u"], ["a", "b"], [1, 2]),
        pd.DataFrame({"user": ["u", None], "item": ["a", "b"], "score": [1, 2]}),
        (["u", "u"], ["a", "a"], [1, 2]),
        (["u"], ["a"], [np.inf]),
        {"u": 1},
        "nowhere.run",
    )
    judged = (["u"], ["a"], [1])
    told = [refusal(partial(evaluate, run, judged, ["RR"]), DataError) for run in cases]
    approved({str(n): said.partition(": Expected bytes")[0] for n, said in enumerate(told, 1)})


def test_a_metric_asked_for_twice_is_refused():
    with pytest.raises(SpecError, match="'RR' is given twice"):
        evaluate(RUN, QRELS, ["RR", "mrr"])


def test_every_refusal_is_one_of_ours():
    for bad in ("P", "P@0", "AUC@3", "wat@3"):
        with pytest.raises(RecsensError):
            evaluate(RUN, QRELS, [bad])


def test_one_value_of_all_users_is_of_those_averaged():
    # Ann 2 and Bob .5 are relevant and Ann 1 is not: one of the two is above it. Dan has no score, so without him nothing changes.
    found = evaluate(RUN, QRELS, ["GROC", "RR"])
    assert found.means["GROC"] == pytest.approx(1 / 2)
    assert list(found.per_user["ann"]) == ["RR"]
    assert evaluate(RUN, QRELS, ["GROC"], no_relevant="skip").means["GROC"] == pytest.approx(1 / 2)


def test_errors_of_predictions_are_of_whom_there_are_any():
    # Ann: |2 - 5| and |1 - 1|; Bob: |.5 - 4|; the others have none.
    found = evaluate(RUN, QRELS, ["uMAE", "MAE"])
    assert found.means["uMAE"] == pytest.approx((1.5 + 3.5) / 2)
    assert found.means["MAE"] == pytest.approx((3 + 0 + 3.5) / 3)
    assert found.undefined == {"uMAE": 2}


def test_scores_that_are_no_ratings_are_told_beside_errors():
    # Of the scores 2, 1 and .5 of judged items, one is below the scale.
    found = evaluate(RUN, QRELS, ["RMSE"], scale=Scale(1, 5))
    assert (found.predictions.n, found.predictions.n_outside) == (3, 1)
    assert found.outside_the_scale == (
        "33.3\N{NO-BREAK SPACE}% of 3 predictions lie outside the scale of 1 to 5: the lowest is .500, the highest 2.000; "
        "errors are computed from them unchanged"
    )
    # Only of averaged users: the .5 is Bob's.
    assert not evaluate(RUN, (["ann", "cid"], ["y", "x"], [5, 4]), ["RMSE"], least_matched=0).outside_the_scale
    assert evaluate(RUN, QRELS, ["RR"]).predictions is None
    assert not evaluate(RUN, QRELS, ["RR"]).outside_the_scale


def test_a_rating_in_single_precision_is_on_the_scale():
    run = (["u", "u"], ["a", "b"], np.array([5.0000005, 0.9999999], dtype=np.float32))
    assert not evaluate(run, (["u", "u"], ["a", "b"], [5, 1]), ["MAE"]).outside_the_scale


def test_metrics_of_whole_lists_are_refused():
    with pytest.raises(SpecError, match="reads whole lists"):
        evaluate(RUN, QRELS, ["Gini@10"])


# How a run is ordered


EQUAL = "u Q0 a 1 {0} me\nu Q0 b 2 {0} me\nu Q0 c 3 {0} me\n"
FIRST = (["u", "u"], ["a", "b"], [5, 1])


@pytest.mark.parametrize(("ties", "position"), [("item", 3), ("given", 1), ("optimistic", 1), ("pessimistic", 3)])
def test_equal_scores_are_ties_whatever_the_ranks_say(tmp_path: Path, ties, position):
    (tmp_path / "run").write_text(EQUAL.format(2))
    found = evaluate(tmp_path / "run", FIRST, ["RR", "RMSE"], ties=ties)
    assert found.means["RR"] == pytest.approx(1 / position)
    assert found.means["RMSE"] == pytest.approx(((3**2 + 1**2) / 2) ** 0.5)
    assert found.is_tied


def test_one_score_is_no_tie():
    assert not evaluate((["u"], ["a"], [1]), (["u"], ["a"], [5]), ["RR"]).is_tied
    assert not evaluate(RUN, QRELS, ["RR"]).is_tied


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("run", EQUAL.format("nan"), "run:1: the score 'nan' is not"),
        ("run", EQUAL.format("-"), "run:1: the score '-' is not"),
        ("run.csv", "user,item,score,rank\nu,a,,1\nu,b,,2\n", "run.csv:2: the score is missing"),
        ("run.csv", "user,item,rank\nu,a,1\nu,b,2\n", "run.csv:1: no column 'score'"),
        ("run.tsv", "user\titem\trank\nu\ta\t1\nu\tb\t2\n", "run.tsv:1: no column 'score'"),
    ],
)
def test_a_run_without_scores_is_refused_unless_its_ranks_are_to_order_it(tmp_path: Path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError) as found:
        evaluate(tmp_path / name, FIRST, ["RR"])
    assert message in str(found.value)
    assert 'order the run by its ranks instead: --rank-by rank, rank_by="rank"' in str(found.value)
    assert evaluate(tmp_path / name, FIRST, ["RR"], rank_by="rank").means == {"RR": 1}


@pytest.mark.parametrize(
    "run",
    [
        pd.DataFrame({"user": ["u", "u"], "item": ["a", "b"], "rank": [1, 2]}),
        pd.DataFrame({"user": ["u", "u"], "item": ["a", "b"], "rank": [1, 2], "score": [np.nan, np.nan]}),
        pd.DataFrame({"user": ["u", "u"], "item": ["a", "b"], "rank": [1, 2], "score": [None, None]}),
    ],
)
def test_a_frame_without_scores_is_refused_unless_its_ranks_are_to_order_it(tmp_path: Path, run):
    run.to_parquet(tmp_path / "run.parquet", index=False)
    for source in (run, tmp_path / "run.parquet"):
        with pytest.raises(DataError, match="score"):
            evaluate(source, FIRST, ["RR"])
        assert evaluate(source, FIRST, ["RR"], rank_by="rank").means == {"RR": 1}
    with pytest.raises(DataError, match='rank_by="rank"'):
        evaluate(run, FIRST, ["RR"])


def test_the_score_decides_where_a_table_has_ranks_too(tmp_path: Path):
    (tmp_path / "run.csv").write_text("user,rank,item,score\nu,1,a,0.5\nu,2,b,0.75\n")
    by_score, by_rank = (evaluate(tmp_path / "run.csv", FIRST, ["RR"], rank_by=rank_by) for rank_by in ("score", "rank"))
    assert (by_score.means, by_rank.means) == ({"RR": 0.5}, {"RR": 1})
    assert "scores not read" not in str(by_score.settings)
    assert "ranked by rank, lowest first; scores are not read" in str(by_rank.settings)


def test_equal_ranks_are_ties():
    run = (["u", "u", "u"], ["a", "b", "c"], [2, 2, 1])
    assert evaluate(run, FIRST, ["RR"], rank_by="rank").means["RR"] == pytest.approx(1 / 3)
    assert evaluate(run, FIRST, ["RR"], rank_by="rank", ties="optimistic").means["RR"] == pytest.approx(1 / 2)
    with pytest.raises(DataError, match="the arbitrary order of items with the same rank"):
        evaluate(run, FIRST, ["RR"], rank_by="rank", ties="refuse")


def test_ranks_are_not_rounded_to_single_precision():
    # In single precision, both ranks are 2^24.
    run = (["u", "u"], ["a", "b"], [2**24, 2**24 + 1])
    found = evaluate(run, FIRST, ["recip_rank"], convention="trec_eval", relevance=5, rank_by="rank")
    assert found.means == {"recip_rank": 1}
    assert not found.settings.single_precision


def test_ranks_are_no_scores_for_metrics_that_read_these(approved):
    cases = ("RMSE", "MAE", "uMAE", "DCSE@2", "UpSell@2", "GROC", "AUC(ties=score)", "PredictionCoverage")
    run = (["u", "u"], ["a", "b"], [1, 2])
    approved({each: refusal(partial(evaluate, run, FIRST, [each], rank_by="rank"), DesignError) for each in cases})


@pytest.mark.parametrize("rank", [-1, 0.5, np.nan, np.inf])
def test_a_rank_that_is_none_is_refused(rank):
    with pytest.raises(
        DataError, match=r"the run, row 2: the rank '.*' is not a whole number\n  allowed: a whole number of at least 0, such as 1"
    ):
        evaluate((["u", "u"], ["a", "b"], [1, rank]), FIRST, ["RR"], rank_by="rank")


def test_a_word_that_is_misspelt_is_refused_with_the_nearest(approved):
    cases = (
        ("view", "Full"),
        ("ties", "optimist"),
        ("rank_by", "scores"),
        ("no_list", "Skip"),
        ("no_relevant", "zeros"),
        ("short_list", "cutof"),
    )
    run = (["u"], ["a"], [1])
    approved({o: refusal(partial(evaluate, run, FIRST, ["RR"], **{o: word}), DesignError) for o, word in cases})


@pytest.mark.parametrize("relevance", [0.5, 6, float("nan"), "4"])
def test_a_threshold_that_the_scale_does_not_hold_is_refused(relevance):
    with pytest.raises(DesignError, match="is not on the scale from 1 to 5"):
        evaluate((["u"], ["a"], [1]), FIRST, ["RR"], relevance=relevance)


def test_two_ends_are_a_scale():
    run = (["u", "u"], ["a", "b"], [2, 1])
    assert evaluate(run, FIRST, ["ERR"], scale=(1, 5)).means == evaluate(run, FIRST, ["ERR"], scale=Scale(1, 5)).means
    with pytest.raises(DesignError, match="the lowest and the highest rating"):
        evaluate(run, FIRST, ["ERR"], scale="1-5")


def test_a_metric_that_the_two_orders_of_ties_do_not_bound_has_no_range():
    run, judged = (["u"] * 3, ["z", "y", "b"], [1, 1, 1]), (["u", "u"], ["z", "b"], [1, 5])
    found = evaluate(run, judged, ["AntiP@1", "P@1", "NDPM"])
    assert found.means["AntiP@1"] == 1
    assert found.unbounded == {"AntiP@1"}
    assert np.isnan(found.range_by_ties("AntiP@1")).all()
    assert found.range_by_ties("P@1") == (0, 1)
    assert evaluate(run, judged, ["AntiP@1"], ties="refuse").unbounded == {"AntiP@1"}
    # Less is better: with worse items first, the value is worse.
    assert found.range_by_ties("NDPM") == (1, 0)
    assert evaluate((["u"] * 3, ["z", "y", "b"], [3, 2, 1]), judged, ["AntiP@1"]).range_by_ties("AntiP@1") == (1, 1)
