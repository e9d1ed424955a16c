"""The table of data sets shows what each filter leaves."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from recsens.artefacts.addresses import Address
from recsens.artefacts.filesets import InteractionFiles
from recsens.artefacts.folds import write_interactions
from recsens.conclusions.verdicts.study_tables import read_table
from recsens.files.scale import Scale
from recsens.report.tables.datasets import dataset_table
from recsens.seeds import Origin
from recsens.testing import from_rows
from recsens.workflow.steps.describe_datasets import describe_datasets
from recsens.workflow.steps.filter import filter as keep


def read(path):
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def test_each_filter_of_a_chain_has_the_sizes_after_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = from_rows([[5, 4, 3], [4, None, None], [2, 1, None]])
    dataset = Address.of(0, "simulated")
    raw = dataset.data
    record = {"spec": "simulated", "sha256": [], "notes": {}}
    write_interactions(data, user_ids=list("abc"), item_ids=list("xyz"), record=record, files=raw)
    kept = []
    links = [("ratings_per_user( 2 )", "ratings_per_user(at_least=2)"), ("ratings_per_item(2)", "ratings_per_item(at_least=2)")]
    for name, chain in (("none", "none"), ("chain", "+".join(full for _, full in links))):
        kept.append((dataset / name).data)
        keep(data=raw, kept=kept[-1], chain=chain, origin=Origin(0, "simulated"))
    describe_datasets(
        data=kept[:1],
        labels=["D"],
        relevances=[None],
        filtered=[files.dataset for files in kept],
        chains={"none": [("none", "none")], "chain": links},
        datasets=str(tmp_path / "datasets.csv"),
    )
    table = read(tmp_path / "datasets.csv")
    facts, effects = table[table["chain"] == ""], table[table["chain"] != ""]
    assert list(map(float, facts[facts["metric"] == "ratings"]["value"])) == [6]
    # The second user has one rating; without this user, the third item is rated once.
    found = {(row["step"], row["metric"]): float(row["value"]) for row in effects.to_dict("records")}
    assert [found[step, "ratings"] for step in "012"] == [6, 5, 4]
    assert [found[step, "users"] for step in "012"] == [3, 2, 2]
    assert [found[step, "items"] for step in "012"] == [3, 3, 2]
    assert set(effects["dataset"]) == {"D"}
    # As the study writes them, and in full.
    assert set(effects["chain"]) == {"ratings_per_user( 2 )+ratings_per_item(2)"}
    assert set(zip(effects["step"], effects["filter"], effects["filter_full"], strict=True)) == {
        ("0", "", ""),
        ("1", *links[0]),
        ("2", *links[1]),
    }


def test_ratings_and_relevant_ratings_go_together_over_users_and_over_items(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # Users have 3, 2, 1 ratings, of which 2, 0, 0 are relevant; items have 3, 2, 1, of which 1, 1, 0.
    data = from_rows([[5, 4, 3], [1, 2, None], [2, None, None]])
    table = read(describe_alone(tmp_path, data, relevance=4.0)).set_index("metric")["value"]
    found = [float(table[f"correlation_with_relevant_per_{side}"]) for side in ("user", "item")]
    assert found == pytest.approx([np.sqrt(3) / 2, np.sqrt(3) / 2])


def test_a_claim_may_be_about_every_statistic(tmp_path, monkeypatch, make_study):
    monkeypatch.chdir(tmp_path)
    timed = replace(from_rows([[5, 4, 3], [1, 2, None]]), timestamp=np.arange(5))
    for metric in read(describe_alone(tmp_path, timed))["metric"]:
        claim = {"claim": f"statistic(of={metric})", "source": "x", "dataset": "Alpha-1M"}
        assert make_study(claims=[claim]).claims[0].assertion.of == metric


def describe_alone(folder, data, label="Alpha-1M", relevance=None):
    """Write the table of one data set."""
    files = InteractionFiles.within(folder / "seed-0" / "alpha" / "none")
    ids = [[f"{name}{code}" for code in range(n)] for name, n in (("u", data.n_users), ("i", data.n_items))]
    record = {"spec": "delimited", "sha256": [], "notes": {}}
    write_interactions(data, user_ids=ids[0], item_ids=ids[1], record=record, files=files)
    describe_datasets(data=[files], labels=[label], relevances=[relevance], chains={}, datasets=str(folder / "datasets.csv"))
    return folder / "datasets.csv"


@pytest.mark.parametrize(
    ("first", "last", "shown", "unit"),
    [
        (956703932, 1046454590, ("2000-04-25", "2003-02-28"), None),
        (0, 99_999_999_999, ("1970-01-01", "5138-11-16"), None),
        (-(10**10), 0, ("1653-02-10", "1970-01-01"), None),
        (956703932_000, 1046454590_000, ("2000-04-25", "2003-02-28"), "milliseconds"),
        # A time stamp of 0 replaces one that is missing.
        (0, 1046454590_000_000, ("1970-01-01", "2003-02-28"), "microseconds"),
        (956703932_000_000_000, 2**63 - 1, ("2000-04-25", "2262-04-11"), "nanoseconds"),
        (253_402_300_800, 253_402_300_801, ("1978-01-11", "1978-01-11"), "milliseconds"),
        (-(2**63), 0, (f"{-(2**63)} s", "1970-01-01"), None),
    ],
)
def test_every_time_stamp_can_be_reported(make_study, tmp_path, first, last, shown, unit):
    data = replace(from_rows([[5, 4]]), timestamp=np.array([first, last], dtype=np.int64))
    table = dataset_table(make_study(), read_table(describe_alone(tmp_path, data), "datasets"))
    rows = {row.label: [cell.text for cell in row.cells] for group in table.groups for row in group.rows}
    assert (rows["first time"][0], rows["last time"][0]) == shown
    assert [unit for note in table.notes if f"The time stamps of Alpha-1M look like {unit} since 1970" in note] == [unit] * bool(
        unit
    )


def test_a_rating_of_any_value_does_not_fill_the_table_with_shares(tmp_path):
    ratings = [[1 + 4 * place / 150 for place in range(151)]]
    table = read_table(describe_alone(tmp_path, from_rows(ratings, scale=Scale(1, 5, 0))), "datasets")
    values = dict(zip(table["metric"], table["value"], strict=True))
    assert values["distinct_ratings"] == 151
    assert not [name for name in values if name.startswith("share_of_rating")]


@pytest.mark.parametrize(("relevance", "told"), [(None, ["4.0"]), (5.0, ["5.0"]), (2.5, ["2.5"])])
def test_the_threshold_of_relevance_is_the_designs(tmp_path, relevance, told):
    assert threshold(tmp_path, from_rows([[5, 4, 3], [2, 1, None]]), relevance) == told


def test_data_without_ratings_have_no_threshold_of_relevance(tmp_path):
    data = replace(from_rows([[5, 4, 3], [2, 1, None]]), rating=None)
    assert threshold(tmp_path, data, 5.0) == [""]


def threshold(folder, data, relevance):
    table = read(describe_alone(folder, data, relevance=relevance))
    return list(table[table["metric"] == "relevance"]["value"])
