"""The five example users of a published comparison of ranking metrics (S1), under its own definitions and Spark MLlib's."""

import pytest

from recsens.runs.evaluation import evaluate

LABELS = {1: [1, 2, 3, 4, 5, 6], 2: [2, 4, 6], 3: [2, 4, 6], 4: [], 5: []}
PREDICTIONS = {1: [1, 6, 8], 2: [1, 2, 3, 4, 5], 3: [], 4: [1, 2, 3, 4], 5: []}

RUN = [(user, item, -place) for user, items in PREDICTIONS.items() for place, item in enumerate(items)]
# Users without labels are judged too, for an item that is in no list.
QRELS = [(user, item, 1) for user, items in LABELS.items() for item in items] + [(4, 99, 0), (5, 99, 0)]

# Rows of users 1, 2, 3 and the mean, at cut-offs 1, 3 and 5. Its mean reciprocal ranks at 3 and 5 are printed as .333: a slip
# for (1 + 1/2 + 0) / 3 = .5.
PRINTED = {
    "P": ([1, 2 / 3, 2 / 5], [0, 1 / 3, 2 / 5], [1 / 3, 1 / 3, 4 / 15]),
    "R": ([1 / 6, 1 / 3, 1 / 3], [0, 1 / 3, 2 / 3], [1 / 18, 2 / 9, 1 / 3]),
    "F1": ([2 / 7, 4 / 9, 4 / 11], [0, 1 / 3, 1 / 2], [2 / 21, 7 / 27, 19 / 66]),
    "AP(denominator=retrieved)": ([1, 1, 1], [0, 1 / 2, 1 / 2], [1 / 3, 1 / 2, 1 / 2]),
    "RR": ([1, 1, 1], [0, 1 / 2, 1 / 2], [1 / 3, 1 / 2, 1 / 2]),
    "nDCG(ideal=list)": ([1, 1, 1], [0, 0.630930, 0.650921], [1 / 3, 0.543643, 0.550307]),
}

MLLIB = {
    "precisionAt": PRINTED["P"][:2],
    "recallAt": PRINTED["R"][:2],
    "ndcgAt": ([1, 0.765361, 0.553146], [0, 0.296082, 0.498189]),
    "meanAveragePrecisionAt": ([1, 2 / 3, 2 / 5], [0, 1 / 6, 1 / 3]),
}


def columns(rows):
    return tuple(map(list, zip(*rows, strict=True)))


@pytest.mark.parametrize("metric", PRINTED)
def test_tables_under_their_own_reading(metric):
    found = evaluate(columns(RUN), columns(QRELS), [f"{metric}@1,3,5"], no_relevant="skip")
    first, second, means = PRINTED[metric]
    assert list(found.per_user) == ["1", "2", "3"]
    assert list(found.per_user["1"].values()) == pytest.approx(first, abs=1e-6)
    assert list(found.per_user["2"].values()) == pytest.approx(second, abs=1e-6)
    assert set(found.per_user["3"].values()) == {0}
    assert list(found.means.values()) == pytest.approx(means, abs=1e-6)


@pytest.mark.parametrize("metric", MLLIB)
def test_mllib_averages_users_without_labels_as_zero(metric):
    found = evaluate(columns(RUN), columns(QRELS), [f"{metric}@1,3,5"], convention="mllib")
    first, second = MLLIB[metric]
    assert list(found.per_user["1"].values()) == pytest.approx(first, abs=1e-6)
    assert list(found.per_user["2"].values()) == pytest.approx(second, abs=1e-6)
    assert list(found.means.values()) == pytest.approx([(a + b) / 5 for a, b in zip(first, second, strict=True)], abs=1e-6)


def test_mllib_divides_by_all_labels_without_a_cutoff():
    found = evaluate(columns(RUN), columns(QRELS), ["meanAveragePrecision"], convention="mllib")
    assert [values["meanAveragePrecision"] for values in found.per_user.values()] == pytest.approx([1 / 3, 1 / 3, 0, 0, 0])
