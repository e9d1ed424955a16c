"""The table of columns, compared with the tables of finished studies, and what a new spelling recomputes."""

import csv
import math
import re

import pytest

from in_process import call, compute
from recsens.study.columns import TABLES
from workspaces import REPOSITORY, Workspace

pytestmark = pytest.mark.workflow

EXPLAINED = {
    section.partition("`")[0]: [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| `")]
    for section in (REPOSITORY / "docs/reference/columns.md").read_text(encoding="utf-8").split("\n## `")[1:]
}
"""The rows of the page on columns, by file: name, type, range, meaning, and where cells are empty."""


def fits(holds: str, empty: str, text: str) -> bool:
    """Whether a field has the content that its column should have."""
    if text == "":
        return bool(empty)
    if holds == "true or false":
        return text in {"True", "False"}
    if holds == "whole number":
        return float(text).is_integer()
    return holds == "text" or not math.isnan(float(text))


def test_the_page_on_columns_explains_every_column():
    assert {file: [(name.strip("`"), holds) for name, holds, *_ in rows] for file, rows in EXPLAINED.items()} == {
        table.file: [(column.name, column.holds) for column in table.columns] for table in TABLES.values()
    }
    assert all(meaning.endswith(".") for rows in EXPLAINED.values() for _, _, _, meaning, *_ in rows)


def check_tables(workspace: Workspace, absent: set[str]) -> None:
    folder = workspace.root / "results/studies/tiny"
    written = {str(path.relative_to(folder)): path for path in folder.rglob("*.csv") if path.parent.name != "tables"}
    assert set(written) == {table.file for name, table in TABLES.items() if name not in absent}
    for table in TABLES.values():
        if table.file in written:
            with written[table.file].open(encoding="utf-8") as file:
                header, *rows = csv.reader(file)
            assert header == [each.name for each in table.columns if each.unwritten is None or each.name in header]
            explained = [row for row in EXPLAINED[table.file] if row[0].strip("`") in header]
            for (name, holds, _, _, *empty), *fields in zip(explained, *rows, strict=True):
                assert {field for field in fields if not fits(holds, "".join(empty), field)} == set(), (table.file, name)


def test_the_tables_of_a_study_have_the_columns_of_the_dictionary(finished_once: Workspace) -> None:
    check_tables(
        finished_once,
        absent={
            "tuning",
            "components",
            "effort",
            "searches",
            "over_datasets",
            "effects",
            "unrated",
            "unrated_rates",
            "groups",
            "group_values",
            "predictions",
            "matched",
            "claims",
            "findings",
            "truth",
        },
    )


def test_values_lie_between_those_of_the_worst_and_the_best_order_of_equal_scores(finished_once: Workspace) -> None:
    folder = finished_once.root / "results/studies/tiny"
    with (folder / "summary.csv").open(encoding="utf-8") as file:
        values = {(row["system"], row["metric"]): float(row["value"]) for row in csv.DictReader(file) if row["is_base"] == "True"}
    with (folder / "ties.csv").open(encoding="utf-8") as file:
        rows = {(row["system"], row["metric"]): row for row in csv.DictReader(file)}
    assert {("Popularity", "P@5"), ("Popularity", "nDCG@5")} <= rows.keys() <= values.keys()
    for key, row in rows.items():
        assert float(row["pessimistic"]) <= values[key] <= float(row["optimistic"])
        assert 0 < int(row["tied"]) <= int(row["ranked"])
    assert float(rows["Popularity", "nDCG@5"]["pessimistic"]) < float(rows["Popularity", "nDCG@5"]["optimistic"])


@pytest.mark.slow
def test_so_have_those_of_a_study_that_writes_every_table(workspace: Workspace) -> None:
    workspace.write_study(
        "tiny",
        systems={"Average": "average_rating", "Tuned": "tuned(of=average_rating,search=grid(damping=[1,5]),split=validation)"},
        metrics=["P@5", "RMSE", "AP"],
        design={"split": "validated(random(.5))", "repeats": 2, "fits": 2},
        vary={"filter": ["ratings_per_user( 5 ) + ratings_per_item(2)"], "users": ["with_ratings(test=1)"], "effort": [0, 1]},
        tipping=[0.05],
        groups=["activity", "popularity(n=2)"],
        meta=[{"analysis": "sparsity(samples=2)", "metrics": ["P@5", "AP"]}],
        claims=[{"claim": "within(of=Tuned,value=0.1)", "source": "Table 1"}],
        reference={"under": {"users": "with_ratings(test=1)"}, "metric": "P@5"},
        over_datasets={"families": {"Drawn": ["Tiny"]}},
        published=[{"dataset": "Tiny", "system": "Tuned", "metric": "precision@5", "value": 0.1, "source": "Table 1"}],
    )
    compute(workspace.root, "tiny")
    check_tables(workspace, absent={"matched", "costs"})


@pytest.mark.slow
def test_a_claim_makes_nothing_anew_but_its_table_and_the_page(finished: Workspace) -> None:
    for claim, answer in (("exceeds(a=kNN,b=2)", "not held"), ("exceeds(a=kNN,b=-1)", "held")):
        finished.write_study("tiny", claims=[{"claim": claim, "source": "Section 1", "says": "It is <b>so</b>."}])
        told = call(finished.root, "run", "tiny", "--dry-run").stdout
        assert re.findall(r"^ +1 (\w+)$", told, re.MULTILINE) == ["claims", "report"], told
        assert compute(finished.root, "tiny") == {"claims": 1, "report": 1}
        assert f"{answer}: It is <b>so</b>. (Section 1)" in call(finished.root, "run", "tiny").stdout
        folder = finished.root / "results/studies/tiny"
        with (folder / "claims.csv").open(encoding="utf-8") as file:
            [row] = csv.DictReader(file)
        assert (row["claim"], row["verdict"]) == (claim, answer)
        report = (folder / "report.html").read_text(encoding="utf-8")
        assert answer in report
        assert "It is &lt;b&gt;so&lt;/b&gt;." in report
        assert answer in (folder / "tables/claims.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_new_spelling_shows_in_tables_and_makes_nothing_else_anew(finished: Workspace) -> None:
    before, split = finished.results(), "Random( ratio = .5 )"
    finished.write_study("tiny", design={"split": split}, metrics=["precision@5", "ndcg@5"])
    made_anew = {
        "summarise",
        "compare",
        "count_users",
        "multiverse",
        "decide_winners",
        "describe_splits",
        "describe_ties",
        "figure",
        "report",
    }
    assert set(compute(finished.root, "tiny")) == made_anew
    after = finished.results()
    assert after.keys() == before.keys()
    changed = {name for name in after if after[name] != before[name] and "statements" not in name}
    assert all(name.startswith("studies/tiny/") and "/measures/" not in name for name in changed)
    with (finished.root / "results/studies/tiny/summary.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {(row["split"], row["split_full"]) for row in rows} == {(split, "random(count=binomial,ratio=0.5)")}
    assert {row["metric"] for row in rows} == {"precision@5", "ndcg@5"}
    report = (finished.root / "results/studies/tiny/report.html").read_text(encoding="utf-8")
    assert split in report
    assert "precision@5" in report
