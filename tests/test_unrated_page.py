"""What docs/unrated.md says about ratios: its tables and numbers against the cells of its benchmark."""

import re
from pathlib import Path

import pandas as pd
import pytest

from recsens.conclusions.claims.systems import RobustToUnrated

ROOT = Path(__file__).parents[1]
BINS = ((0, 1.2), (1.2, 2), (2, 4), (4, float("inf")))


@pytest.fixture
def cells() -> pd.DataFrame:
    return pd.read_csv(ROOT / "benchmarks/unrated.csv")


@pytest.fixture
def page() -> str:
    return re.sub(r"\s+", " ", (ROOT / "docs/unrated.md").read_text(encoding="utf-8"))


def test_the_tables_are_those_of_the_cells(cells: pd.DataFrame, page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    import unrated

    first, _, last = unrated.tables(cells).values()
    for table in (first, last):
        assert re.sub(r"\s+", " ", table) in page


def test_so_are_the_numbers_in_the_text(cells: pd.DataFrame, page: str) -> None:
    cm100k = cells["data"] == "CM100K"
    simulated, popular = cells[~cm100k], cells[cm100k & (cells["leader"] == "popularity")]
    assert simulated["ratio"].median() < 0.78
    assert f"{(simulated['ratio'] > 1.2).sum()} of {len(simulated):,} true ratios are above 1.2" in page
    assert f"Of its {len(popular)} wins, {popular['turned'].sum()} turned" in page
    assert popular["ratio"].round(1).agg(["min", "median", "max"]).tolist() == [1.0, 1.5, 2.0]
    assert popular["level"].round(2).agg(["min", "max"]).tolist() == [1.13, 1.4]
    others = cells[cm100k & (cells["leader"] != "popularity")]
    assert (len(others), others["turned"].sum()) == (20, 0)
    assert others["ratio"].round(1).agg(["min", "max"]).tolist() == [0.6, 1.1]
    for low, high in BINS:
        inside = cells[(cells["level"] > low) & (cells["level"] <= high)]
        of_simulated = inside[inside["data"] != "CM100K"]
        assert f"{of_simulated['turned'].sum() or 'none'} of {len(of_simulated):,}" in page
    claim = re.sub(r"\s+", " ", RobustToUnrated.__doc__ or "")
    assert "1.0 to 2.0 times as often as those that only popularity lists, 1.5 times in the middle" in claim
    assert f"at a rate of about {popular['rate'].median():.2f}" in claim
    assert cells["ratio"].max().round(1) == 2.0
