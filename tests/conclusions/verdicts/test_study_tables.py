"""A study's tables are read with their types, or refused."""

import pytest

from recsens.conclusions.verdicts.study_tables import read_table
from recsens.errors import ArtefactError


def test_numbers_are_numbers_and_decisions_stay_text(results):
    row = results.summary.iloc[0]
    assert (row["repeats"], row["relevance"], row["seed"]) == ("2", "scale", "0")
    assert row["value"] == pytest.approx(0.41)
    assert row["is_base"] is True or row["is_base"] == True  # noqa: E712 - a numpy boolean
    assert results.summary["published"].notna().sum() == 2


def test_a_system_called_na_is_not_missing(results, tmp_path):
    renamed = results.summary.replace({"system": {"MF": "NA"}})
    renamed.to_csv(tmp_path / "summary.csv", index=False)
    assert "NA" in set(read_table(tmp_path / "summary.csv", "summary")["system"])


def test_a_table_without_a_column_is_refused_by_its_name(results, tmp_path):
    results.summary.drop(columns="spread").to_csv(tmp_path / "summary.csv", index=False)
    with pytest.raises(ArtefactError, match="lacks the column 'spread'"):
        read_table(tmp_path / "summary.csv", "summary")


def test_a_word_in_a_column_of_numbers_is_refused(results, tmp_path):
    results.datasets.assign(value="many").to_csv(tmp_path / "datasets.csv", index=False)
    with pytest.raises(ArtefactError, match="column 'value'"):
        read_table(tmp_path / "datasets.csv", "datasets")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ArtefactError, match=r"summary\.csv"):
        read_table(tmp_path / "summary.csv", "summary")
