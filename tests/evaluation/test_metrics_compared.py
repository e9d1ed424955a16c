"""The page that compares tools says what recsens computes under their conventions."""

import re

import pytest

from recsens.errors import DataError
from recsens.evaluation import CONVENTIONS, evaluate
from recsens.evaluation._settings import TIES_MEANING
from recsens.evaluation.conventions import OWN
from workspaces import REPOSITORY

PAGE = (REPOSITORY / "docs" / "metrics-compared.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^```trec (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))


def cells(heading: str) -> list[list[str]]:
    """Read the rows of the tables below a heading, down to the next of its level."""
    level = heading.partition(" ")[0]
    part = f"\n{PAGE}".split(f"\n{heading}\n")[1].split(f"\n{level} ")[0]
    rows = re.findall(r"^\| (.+) \|$", part, re.MULTILINE)
    return [row.split(" | ") for row in rows if row.partition(" ")[0] in CONVENTIONS]


SAME_LIST = cells("## One list of three")


@pytest.fixture
def files(tmp_path, monkeypatch):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def test_every_metric_of_every_tool_is_listed_once():
    listed = [(tool, name.strip("`"), ours.strip("`")) for tool, name, ours, *_ in SAME_LIST]
    found = []
    for tool, known in CONVENTIONS.items():
        for metric in known.metrics:
            # Of a metric of several levels, one stands for all.
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
            assert f"{evaluate('run', 'qrels', [metric], convention=tool).means[metric]:.4f}" == value


def test_who_is_averaged(files):
    rows = cells("## Who is averaged")
    assert {row[0] for row in rows} == set(CONVENTIONS)
    for tool, metric, n_users, value in rows:
        found = evaluate("run-users", "qrels-users", [metric.strip("`")], convention=tool)
        assert (str(found.n_users), f"{found.means[metric.strip('`')]:.4f}") == (n_users, value), tool


def test_equal_scores(files):
    rows = cells("## Equal scores")
    assert {row[0] for row in rows} == set(CONVENTIONS)
    for tool, metric, _, value in rows:
        if value == "–":
            with pytest.raises(DataError):
                evaluate("run-ties", "qrels-ties", [metric.strip("`")], convention=tool)
        else:
            found = evaluate("run-ties", "qrels-ties", [metric.strip("`")], convention=tool)
            assert f"{found.means[metric.strip('`')]:.4f}" == value, tool


def test_policies_are_those_of_the_conventions():
    rows = {row[0]: row[1:] for row in cells("# Metrics compared") if len(row) == 5 and row[0] in CONVENTIONS and "`" not in row[1]}
    for name, known in CONVENTIONS.items():
        relevant = {"all": "whatever is judged", None: "by the scale"}.get(known.relevance, f"from {known.relevance} on")
        ties = TIES_MEANING[known.ties] if known.order == "score" else "none: lists as the rows stand"
        assert rows[name] == [relevant, ties, known.no_relevant, known.no_list]
        assert not known.metrics or f"- **{name}**: {known.about}" in PAGE
