"""A number on a page of results is the cell of a run, rounded once."""

from fnmatch import fnmatchcase

import pytest

from printed.cells import PAGES, Cell, cells, in_sentence, in_tables, is_rounded, others, refreshed, unknown

QUOTED = {
    "aftab2022": ["1|*"],
    "baselines": ["3|*", "4|*"],
    "canamares2020": ["1|*|1", "1|*|3"],
    "he2017": ["1|the *|*"],
    "strong-baselines": ["1|tuning: *", "3|*"],
    "truth": ["1|*", "2|*", "5|*|1", "5|*|3"],
    "valcarce2018": ["1|DP, printed|*"],
}
"""Page -> table|row|column of what names figures, quotes others, holds bounds and ratios of cells, or was tried beside a study."""
WITH_CELLS = [page for page in PAGES if cells(page)]


def is_quoted(page: str, table: str, row: str, column: str) -> bool:
    return any(fnmatchcase(f"{table}|{row}|{column}", pattern) for pattern in QUOTED.get(page, []))


def test_every_page_of_results_has_cells_and_every_cell_a_value():
    assert list(PAGES) == WITH_CELLS
    assert {cell.study for page in PAGES for cell in cells(page) if not cell.value} == set(), "cells.py reads them from a run"


@pytest.mark.parametrize("page", WITH_CELLS)
def test_every_number_of_a_table_is_its_cell_rounded_once(page):
    known = {cell.place: cell.value for cell in cells(page)}
    wrong = [
        f"{' | '.join(place)}: {printed}, not {known.get(place, 'any cell')}"
        for place, printed in in_tables(PAGES[page].read_text(encoding="utf-8"))
        if not is_quoted(page, *place[:3]) and not (place in known and (not known[place] or is_rounded(printed, known[place])))
    ]
    assert wrong == []


@pytest.mark.parametrize("page", WITH_CELLS)
def test_a_number_of_a_sentence_is_its_cell_rounded_once(page):
    text = PAGES[page].read_text(encoding="utf-8")
    found = [(in_sentence(text, cell.row), cell.value) for cell in cells(page) if cell.value and not cell.table]
    assert [(printed, value) for printed, value in found if not is_rounded(printed, value)] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_number_of_a_sentence_has_a_cell_or_a_reason_for_none(page):
    sentences = [cell.row for cell in cells(page) if not cell.table]
    assert unknown(PAGES[page].read_text(encoding="utf-8"), sentences, others(page)) == []


@pytest.mark.parametrize("page", PAGES)
def test_every_part_of_a_sentence_without_cells_is_on_its_page(page):
    plain = " ".join(PAGES[page].read_text(encoding="utf-8").split())
    assert [part for part in others(page) if part not in plain] == []


@pytest.mark.parametrize("page", WITH_CELLS)
def test_every_cell_is_printed(page):
    places = {place for place, _ in in_tables(PAGES[page].read_text(encoding="utf-8"))}
    assert [cell.place for cell in cells(page) if cell.table and cell.place not in places] == []


@pytest.mark.parametrize(
    ("printed", "value", "once"),
    [
        (".992", "0.992488915034", True),
        # Rounded first to .99249, and then to .993.
        (".993", "0.992488915034", False),
        (".0116", "0.011649", True),
        (".0117", "0.011649", False),
        ("72.4 %", "0.72361", True),
        ("−.071", "-0.0708", True),
        ("1,580", "1579.8", True),
        ("2.4", "2.35", True),
    ],
)
def test_rounded_once(printed, value, once):
    assert is_rounded(printed, value) is once


def test_numbers_are_found_in_tables_and_in_sentences():
    page = "A tau of −.07 here.\n\n| system | P@10 | tau |\n| --- | --- | --- |\n| A 1 | **.41**\\* | .5 (−.1 to 12 %) |\n"
    assert list(in_tables(page)) == [
        (("1", "A 1", "1", "1"), ".41"),
        (("1", "A 1", "2", "1"), ".5"),
        (("1", "A 1", "2", "2"), "−.1"),
        (("1", "A 1", "2", "3"), "12 %"),
    ]
    assert in_sentence(page, "A tau of {} here") == "−.07"


def test_a_number_in_a_sentence_without_a_cell_or_a_reason_is_unknown():
    page = (
        "# Of 3\n\nIn 2012, Fig. 2 of `a=5` has a P@10 of .41 at\nα = 1.5, and .7 on MovieLens 1M.\n\n| A | .5 |\n| --- | --- |\n"
    )
    assert len(unknown(page, [], [])) == 3
    (left,) = unknown(page, ["P@10 of {} at α"], ["α = 1.5"])
    assert ".7 on MovieLens" in left


def test_a_cell_is_read_anew_from_a_run(tmp_path, monkeypatch):
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "summary.csv").write_text("system,metric,value,low\nA,P@5,0.25,0.0\nB,P@5,0.5,0.25\n", encoding="utf-8")
    cell = Cell("1", "B", "1", "1", "tiny", "summary.csv", '{"system": "B"}', "value", "0.4")
    other = Cell("1", "B", "2", "1", "not run", "summary.csv", '{"system": "B"}', "value", "0.4")
    monkeypatch.setattr("printed.cells.cells", lambda page: [cell, other])
    assert [each.value for each in refreshed("any", tmp_path)] == ["0.5", "0.4"]
    both = '[{"system": "B"}, {"system": "A"}]'
    for where, field, value in [
        (both, "value - value", "0.25"),
        (both, "value / value", "2.0"),
        ("{}", "count", "2"),
        (both, "count", "2"),
        ("{}", "count value >= 0.3", "1"),
        ("{}", "mean value - low", "0.25"),
        ('{"system": "A"}', "1 - value", "0.75"),
        ('{"system": "A"}', "size value", "0.25"),
    ]:
        assert Cell("", "{}", "", "", "tiny", "summary.csv", where, field, "").now(tmp_path) == value
    with pytest.raises(ValueError, match="2\\] rows"):
        Cell("1", "B", "1", "1", "tiny", "summary.csv", '{"metric": "P@5"}', "value", "").now(tmp_path)
