"""The five example users of a published comparison of ranking metrics (S1), under its own definitions and Spark MLlib's."""

import json
import re

import pytest
from click.testing import CliRunner

from recsens.cli import main
from recsens.runs.evaluation import evaluate
from workspaces import REPOSITORY

PAGE = (REPOSITORY / "docs/papers/metrics-blog.md").read_text(encoding="utf-8")

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
    # Described in the text, without values: the list of user 1 has three items, that of user 2 five.
    "AP(denominator=shown)": ([1, 2 / 3, 2 / 3], [0, 1 / 6, 1 / 5], [1 / 3, 5 / 18, 13 / 45]),
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


@pytest.fixture
def shown(tmp_path, monkeypatch):
    """Write the page's files into a folder, change into it, and return the rows of the page's tables of values."""
    for name, text in re.findall(r"^```trec (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    rows = re.findall(r"^\| `(\S+)`( \(mllib\))? \| (\S+, .*) \| (.*) \| (.*) \|$", PAGE, re.MULTILINE)
    return {
        (name, mllib): [[float(cell) for cell in re.findall(r"[\d.]+", cells)] for cells in rest] for name, mllib, *rest in rows
    }


def test_one_command_prints_the_values_of_the_page(shown):
    (command,) = re.findall(r"^recsens (evaluate .*)$", PAGE, re.MULTILINE)
    (run,) = json.loads(CliRunner().invoke(main, command.split()).stdout)["runs"]
    assert sum(len(values) for values in run["users"].values()) + len(run["means"]) == 72
    assert len(shown) == 13
    for (name, mllib), (first, second, means) in shown.items():
        if mllib or f"{name}@1" not in run["means"]:
            found = evaluate("blog.run", "labels.qrels", [f"{name}@1,3,5"], **_decisions(mllib))
            of_users, of_all = found.per_user, found.means
        else:
            of_users, of_all = run["users"], run["means"]
        labels = [f"{name}@{n}" for n in (1, 3, 5)]
        for values, expected in ((of_users["1"], first), (of_users["2"], second), (of_all, means)):
            assert [values[label] for label in labels] == pytest.approx(expected, abs=0.0005), name


def _decisions(mllib):
    return {"convention": "mllib"} if mllib else {"no_relevant": "skip"}
