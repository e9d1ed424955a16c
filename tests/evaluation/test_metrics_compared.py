"""The page that compares tools says what recsens computes under their conventions."""

import re
from collections import Counter
from collections.abc import Collection
from math import log, log2
from statistics import fmean

import pytest

from metrics.lists import catalogue, measure
from recsens.errors import DataError
from recsens.metrics.variants.conventions import OWN
from recsens.runs.evaluation import CONVENTIONS, evaluate
from workspaces import REPOSITORY

PAGE = (REPOSITORY / "docs" / "metrics-compared.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^```trec (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))


def cells(heading: str, tools: Collection[str] = CONVENTIONS) -> list[list[str]]:
    """Read the rows of the tables below a heading, up to the next of the same level; several tools may share a row."""
    level = heading.partition(" ")[0]
    part = f"\n{PAGE}".split(f"\n{heading}\n")[1].split(f"\n{level} ")[0]
    rows = [row.split(" | ") for row in re.findall(r"^\| (.+) \|$", part, re.MULTILINE)]
    return [[tool, *rest] for names, *rest in rows for tool in names.split(", ") if tool in tools]


SAME_LIST = cells("## One list of three")
AS_IT_IS = {"cornac": {"train_items": "all", "unknown": "keep"}}
"""Tools that need a train set, unless these settings say to use the lists unchanged."""


@pytest.fixture
def files(tmp_path, monkeypatch):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def measured_by(tool, run, qrels, metric):
    return evaluate(run, qrels, [metric], convention=tool, **AS_IT_IS.get(tool, {}))


def test_every_metric_of_every_tool_is_listed_once():
    listed = [(tool, name.strip("`"), ours.strip("`")) for tool, name, ours, *_ in SAME_LIST]
    found = []
    for tool, known in CONVENTIONS.items():
        for theirs in known.metrics:
            # A metric with a parameter is on the page with some value. Of a metric with several levels, one represents all.
            metric = next((given for of_tool, name, _ in listed if of_tool == tool and (given := theirs.given(name))), theirs)
            written = (
                {(metric.name, metric.ours), *metric.at_levels(metric.levels)} if metric.levels else {(metric.name, metric.ours)}
            )
            rows = [(tool, name, ours.removeprefix(OWN)) for name, ours in written]
            (row,) = (row for row in listed if row in rows)
            found.append(row)
    assert sorted(listed) == sorted(found)


@pytest.mark.parametrize("row", SAME_LIST, ids=lambda row: f"{row[0]} {row[1]}")
def test_values_of_one_list(files, row):
    tool, name, _, *values = row
    for suffix, value in zip(("@2", "@5", ""), values, strict=True):
        if value != "–":
            metric = name.strip("`") + suffix
            assert f"{measured_by(tool, 'run', 'qrels', metric).means[metric]:.4f}" == value


def test_who_is_averaged(files):
    rows = cells("## Who is averaged")
    assert {row[0] for row in rows} == set(CONVENTIONS)
    for tool, metric, n_users, value in rows:
        found = measured_by(tool, "run-users", "qrels-users", metric.strip("`"))
        assert (str(found.n_users), f"{found.means[metric.strip('`')]:.4f}") == (n_users, value), tool


def test_equal_scores(files):
    rows = cells("## Equal scores")
    assert {row[0] for row in rows} == set(CONVENTIONS)
    for tool, metric, _, value in rows:
        if value == "–":
            with pytest.raises(DataError):
                measured_by(tool, "run-ties", "qrels-ties", metric.strip("`"))
        else:
            found = measured_by(tool, "run-ties", "qrels-ties", metric.strip("`"))
            assert f"{found.means[metric.strip('`')]:.4f}" == value, tool


def test_train_items_in_the_lists(files):
    rows = cells("## Train items in the lists")
    assert [row[0] for row in rows] == ["recbole", "recbole", "cornac"]
    for tool, metric, options, _, value in rows:
        said = dict(re.findall(r"--(\w+) (\w+)", options))
        decided = said | ({"relevance": float(said["relevance"])} if "relevance" in said else {})
        found = evaluate("run-train", "qrels-train", [metric.strip("`")], convention=tool, **decided)
        assert f"{found.means[metric.strip('`')]:.4f}" == value, (tool, options)


# Beyond accuracy: the lists and train set on the page, each tool's definition written out, and its conversion from ours

PAIRS = {
    name: [tuple(line.split()) for line in text.splitlines()]
    for name, text in re.findall(r"^```pairs (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
}
USERS, ITEMS = ["ann", "bob", "cid", "dan"], ["a", "b", "c", "d", "e"]
LISTS = [[item for user, item in PAIRS["lists"] if user == own] for own in USERS]
SHOWN = [item for row in LISTS for item in row]
RATERS = Counter(item for _, item in PAIRS["train"])
BEYOND = [row for row in cells("## Beyond accuracy", {"recbole", "rectools", "replay", "lenskit"}) if len(row) == 6]

CONVERSIONS = {
    "none": lambda ours: ours,
    "× I": lambda ours: ours * len(ITEMS),
    "× I / (I + 1)": lambda ours: ours * len(ITEMS) / (len(ITEMS) + 1),
    "(I ours + 1) / (I + 1)": lambda ours: (len(ITEMS) * ours + 1) / (len(ITEMS) + 1),
    "× ln 2 / recommended items": lambda ours: ours * log(2) / len(set(SHOWN)),
    "/ train ratings": lambda ours: ours / len(PAIRS["train"]),
}


def per_user(worth) -> float:
    """Average over users the mean worth of the items in their lists, given item and rank."""
    return fmean(fmean(worth(item, rank) for rank, item in enumerate(row, start=1)) for row in LISTS)


def gini(*more: str) -> float:
    counts = sorted(Counter(SHOWN)[item] for item in [*ITEMS, *more])
    n = len(counts)
    return sum((2 * j - n - 1) * count for j, count in enumerate(counts, start=1)) / len(SHOWN) / n


def serendipity_of_rectools() -> float:
    by_popularity = sorted(set(RATERS.values()), reverse=True)
    n_items = len(ITEMS)

    def worth(user: str, item: str, rank: int) -> float:
        popular = (n_items - by_popularity.index(RATERS[item])) / n_items if item in RATERS else 0
        return max((n_items + 1 - rank) / n_items - popular, 0) * ((user, item) in PAIRS["liked"])

    return fmean(
        fmean(worth(user, item, rank) for rank, item in enumerate(row, start=1)) for user, row in zip(USERS, LISTS, strict=True)
    )


def is_in_tail(item: str, rank: int) -> int:
    return item in sorted(RATERS, key=lambda item: (RATERS[item], item))[: max(int(0.1 * len(RATERS)), 1)]


SHARES = [count / len(SHOWN) for count in Counter(SHOWN).values()]
BY_DEFINITION = {
    ("recbole", "ItemCoverage"): lambda: len(set(SHOWN)) / (len(ITEMS) + 1),
    ("recbole", "GiniIndex"): lambda: gini("padding"),
    ("lenskit", "ListGini"): gini,
    ("recbole", "ShannonEntropy"): lambda: -sum(p * log(p) for p in SHARES) / len(SHARES),
    ("recbole", "AveragePopularity"): lambda: per_user(lambda item, rank: RATERS[item]),
    ("recbole", "TailPercentage"): lambda: per_user(is_in_tail),
    ("rectools", "CatalogCoverage"): lambda: len(set(SHOWN)),
    ("rectools", "CatalogCoverage(normalize=True)"): lambda: len(set(SHOWN)) / len(ITEMS),
    ("rectools", "AvgRecPopularity"): lambda: per_user(lambda item, rank: RATERS[item]),
    ("rectools", "AvgRecPopularity(normalize=True)"): lambda: per_user(lambda item, rank: RATERS[item] / RATERS.total()),
    ("rectools", "MeanInvUserFreq"): lambda: per_user(lambda item, rank: -log2(RATERS.get(item, 1) / len(USERS))),
    ("rectools", "Serendipity"): serendipity_of_rectools,
    ("replay", "Surprisal"): lambda: per_user(lambda item, rank: log2(len(USERS) / RATERS.get(item, 1)) / log2(len(USERS))),
    ("replay", "Coverage"): lambda: len(set(SHOWN) & set(RATERS)) / len(RATERS),
}


def test_every_metric_beyond_accuracy_is_listed_once():
    assert sorted((row[0], row[1].strip("`")) for row in BEYOND) == sorted(BY_DEFINITION)


@pytest.mark.parametrize("row", BEYOND, ids=lambda row: f"{row[0]} {row[1]}")
def test_values_beyond_accuracy(row):
    tool, name, spec, ours, factor, theirs = (cell.strip("`") for cell in row)
    known = catalogue([(USERS.index(user), ITEMS.index(item)) for user, item in PAIRS["train"]], len(USERS), len(ITEMS))
    coded = [[ITEMS.index(item) for item in row] for row in LISTS]
    liked = [[ITEMS.index(item) for user, item in PAIRS["liked"] if user == own] for own in USERS]
    value = float(measure(spec, coded, known, 2, liked=liked).mean())
    assert f"{value:.4f}" == ours
    assert CONVERSIONS[factor](value) == pytest.approx(BY_DEFINITION[tool, name](), abs=1e-12)
    assert f"{BY_DEFINITION[tool, name]():.4f}" == theirs
