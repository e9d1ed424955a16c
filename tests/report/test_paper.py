"""The files of tables for papers: names known from the study alone, numbers in full as CSV, common decimals in print."""

import csv

from recsens.report.tables.all_tables import write_tables
from recsens.report.tables.paper import paper_tables
from recsens.tables.cells import with_common_decimals
from recsens.tables.latex import in_one_file, to_floats
from recsens.tables.numbers import MINUS
from recsens.tables.table import Row, RowGroup, Table, TableCell
from recsens.tables.texts import in_one_page, table_as_markdown, to_csv
from recsens.vocabulary import TABLE_FORMS


def column(*cells):
    return Table("k", "c", "What", ("a",), (RowGroup("", tuple(Row(str(n), (cell,)) for n, cell in enumerate(cells))),))


def read(text):
    return list(csv.DictReader(text.splitlines()))


def test_the_names_of_files_follow_from_the_study(make_study, experiment):
    names = [table.name for table in paper_tables(make_study(experiments={"Little": experiment}))]
    assert len(set(names)) == len(names)
    assert {
        *("flips", "robustness", "same-numbers", "datasets", "scores-alpha-1m", "descriptive-beta-2", "scores-by-split-alpha-1m"),
        *("comparisons-alpha-1m", "overlap-alpha-1m", "averaged-by-view-beta-2", "coverage-little", "scores-by-coverage-little"),
        *("published-scores", "published-order", "published-p"),
    } <= set(names)
    assert not {"filters", "scores-by-split-little"} & set(names)


def test_labels_that_differ_in_punctuation_have_files_of_their_own(make_study):
    labels = dict.fromkeys(("ML 1M", "ML-1M"), "lab_plugins.Ratings(name=alpha)")
    study = make_study(datasets=labels, published=[], published_comparisons=[])
    assert {"scores-ml-1m", "scores-ml-1m-2"} <= {table.name for table in paper_tables(study)}


def test_every_table_is_written_in_every_form(study, results, printed, tmp_path):
    tables = printed(study, results)
    files = [tmp_path / f"{table.key}.{form}" for table in tables for form in TABLE_FORMS]
    write_tables(study, tables, files, tex=tmp_path / "all.tex", md=tmp_path / "all.md")
    assert len(list(tmp_path.iterdir())) == 3 * len(tables) + 2
    filled = [table.with_remarks() for table in tables if not table.is_empty]
    assert (tmp_path / "all.tex").read_text() == in_one_file(part for table in filled for part in to_floats(table, 343))
    assert (tmp_path / "all.md").read_text() == in_one_page(study.title, map(table_as_markdown, filled))
    assert (
        (tmp_path / "scores-alpha-1m.md")
        .read_text()
        .startswith("## Alpha-1M: scores under the base design\n\nMeans over 943 users")
    )
    empty = (tmp_path / "overlap-alpha-1m.tex").read_text()
    assert "There is nothing to show." in empty


def test_untuned_systems_are_marked_in_print_and_keep_their_labels_in_csv(make_study, make_results, printed, tmp_path):
    systems = {"kNN": "user_knn", "MF": "user_knn(preset=canamares2020)", "Pop_1": "popularity"}
    study = make_study(systems=systems, published=[], published_comparisons=[])
    tables = {table.key: table for table in printed(study, make_results(study))}
    forms = ("md", "tex", "csv")
    files = [tmp_path / f"scores-alpha-1m.{form}" for form in forms]
    write_tables(study, list(tables.values()), files, tex=tmp_path / "all.tex", md=tmp_path / "all.md")
    markdown, latex, numbers = ((tmp_path / f"scores-alpha-1m.{form}").read_text() for form in forms)
    assert "| kNN (untuned) " in markdown
    assert r"kNN \\ (untuned)" in latex
    assert "MF (untuned)" not in markdown + latex
    assert "kNN is untuned: no validation data and no source stand behind the parameters." in markdown
    assert "untuned)" not in numbers


def test_csv_holds_numbers_in_full_with_spreads_and_both_ends_of_intervals(study, results, printed):
    tables = {table.key: table for table in printed(study, results)}
    scores = read(to_csv(tables["scores-alpha-1m"]))[0]
    assert (float(scores["kNN"]), float(scores["kNN, spread"])) == (0.41000000000000003, 0.003)
    compared = read(to_csv(tables["comparisons-alpha-1m"]))[0]
    low, high = (
        float(compared[f"95\N{NO-BREAK SPACE}% CI, {end}".replace("% CI", "%\N{NO-BREAK SPACE}CI")]) for end in ("from", "to")
    )
    assert low < float(compared["difference"]) < high
    assert compared["group"] == "P@10"
    assert 0 < float(compared["p"]) < 1
    assert read(to_csv(column(TableCell("–", numbers=(float("nan"),)), TableCell("–"))))[0]["a"] == ""


def test_numbers_of_the_same_kind_have_the_decimals_that_their_spread_supports():
    cells = [TableCell("?", numbers=(number,), spread=0.002, of="P@10", extra="±") for number in (0.41234, -0.4)]
    found = with_common_decimals(column(*cells, TableCell("kept", of=""), TableCell("?", numbers=(12.3456,), of="RMSE")))
    assert [row.cells[0].text for row in found.groups[0].rows] == [".412", f"{MINUS}.400", "kept", "12.3"]
    assert found.groups[0].rows[0].cells[0].extra == "±\N{NO-BREAK SPACE}.002"


def test_captions_say_who_is_averaged_and_by_which_test(make_study, make_results, printed, approved):
    study = make_study(design={"split": "k_fold(k=4)", "correction": "holm"}, vary={})
    tables = printed(study, make_results(study))
    approved({table.caption: table.details for table in tables if table.details and "Alpha" in table.caption})


def test_only_a_significant_winner_has_a_mark(study, results, printed):
    tables = {table.key: table for table in printed(study, results)}
    rows = [row for group in tables["scores-by-split-alpha-1m"].groups for row in group.rows]
    for row in rows:
        significant = row.cells[-1].numbers[0] < study.alpha
        assert [cell.mark for cell in row.cells[:-1] if cell.is_best] == ["*" if significant else ""]
