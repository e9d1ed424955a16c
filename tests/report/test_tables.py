"""Tables for papers hold the right numbers, in bold where they should, in valid markup."""

import re

import numpy as np
import pandas as pd
import pytest

from invented import rejudged
from recsens.report.system_remarks import remarks
from recsens.report.tables.coverage import design_sets
from recsens.report.tables.datasets import dataset_table, target_table
from recsens.report.tables.of_dataset import comparison_table, result_table
from recsens.report.tables.published import agreement_with_print, order_table, published_tables
from recsens.tables.latex import in_one_file, to_floats
from recsens.tables.latex_text import escape
from recsens.tables.table import Row, RowGroup, Table, TableCell
from recsens.tables.texts import escape as escape_markdown
from recsens.tables.texts import in_one_page, table_as_markdown


def rows_of(table):
    return {(group.title, row.label): [cell.text for cell in row.cells] for group in table.groups for row in group.rows}


PLAIN = {"published": [], "published_comparisons": []}
ONE_SET = {"datasets": {"Alpha-1M": "lab_plugins.Ratings"}, "metrics": ["P@10"], "vary": {}, **PLAIN}


def test_scores_and_comparisons_of_other_studies(make_study, make_results, approved):
    """Over four folds, a spread has two digits; many systems are rows; one fold has no p of its own, and twelve have a median."""
    studies = {
        "four folds": {"design": {"split": "random(ratio=0.5)", "repeats": 4}},
        "seven systems": {"systems": {f"S{k}": f"lab_plugins.Neighbours(k={k})" for k in range(1, 8)}},
        "twelve folds, and a test that draws samples": {"design": {"split": "random(ratio=0.5)", "repeats": 12}},
        "Holm's correction": {"design": {"split": "random(ratio=0.5)", "correction": "holm"}},
    }
    told = {}
    for name, changes in studies.items():
        study = make_study(**{**ONE_SET, **changes})
        tables = make_results(study)
        comparisons = (
            tables.comparisons.assign(p_adjusted=3 * tables.comparisons["p_value"]) if "Holm" in name else tables.comparisons
        )
        if "samples" in name:
            comparisons = comparisons.assign(share_significant=0.61)
        told[name] = [
            result_table(study.own, tables.summary, tables.verdicts, "Alpha-1M"),
            comparison_table(study.own, comparisons, tables.verdicts, "Alpha-1M").first(3, "cut"),
        ]
    approved(told)


def test_a_grid_shows_every_combination(make_study, make_results):
    study = make_study(combine="grid", vary={"split": ["random(ratio=0.5)", "random(.8)"], "view": ["full", "condensed"]})
    (shown,) = design_sets(study.own, make_results(study).summary)
    assert list(shown.designs) == ["the base design", "view condensed", "split random(.8)", "split random(.8) and view condensed"]


def test_the_detectable_difference_is_that_of_the_verdict_and_the_note_says_what_a_win_needs(make_study, make_results):
    study = make_study(design={"split": "random(ratio=0.5)", "correction": "holm"}, margin=0.005)
    tables = make_results(study)
    tables.comparisons["standard_error"] = 0.01
    table = comparison_table(study.own, tables.comparisons, rejudged(study, tables).verdicts, "Alpha-1M")
    # With three pairs, p at the first step requires 2.40 + .84 errors of .01, and the interval 1.96 + .84 beyond the margin.
    assert rows_of(table)["P@10", "kNN and MF"][3] == ".0330"
    assert rows_of(table)["Unrated@10", "kNN and MF"][3] == "–"
    [note] = [note for note in table.notes if note.startswith("Detectable")]
    needs = (
        "a p-value below α divided by the number of pairs (the first and strictest step of holm), and an interval that lies wholly "
        "beyond the margin"
    )
    means = "that would be a win with a probability of 80 %, given the number of users and the spread of their differences"
    assert note.endswith(
        f"{means}. A win needs {needs}. For metrics that only describe rankings, neither direction is better, "
        "so there is no winner."
    )


def test_target_items_are_described_for_each_threshold_of_relevance(results):
    rows = results.splits[(results.splits["dataset"] == "Alpha-1M") & (results.splits["targets"] != "")].iloc[[0, 0]]
    table = target_table(rows.assign(value=[10.5, 20.5]), "Alpha-1M")
    assert [[cell.text for row in group.rows for cell in row.cells] for group in table.groups] == [["10.500"], ["20.500"]]


def test_target_items_are_described_for_each_selection_of_users(results):
    rows = results.splits[(results.splits["dataset"] == "Alpha-1M") & (results.splits["targets"] != "")].iloc[[0, 0]]
    selections = {"user_selection": ["with_ratings", "with_ratings(relevant=1)"], "user_selection_full": ["all", "relevant"]}
    table = target_table(rows.assign(value=[10.5, 20.5], **selections), "Alpha-1M")
    assert [group.title.rpartition(", ")[2] for group in table.groups] == selections["user_selection"]
    assert any("Values are means over the averaged users." in note for note in table.notes)


def test_an_experiment_on_the_same_data_has_no_column_of_its_own(make_study, make_results, experiment):
    study = make_study(experiments={"Little": experiment})
    tables = make_results(study)
    assert dataset_table(study, tables.datasets).columns == ("Alpha-1M", "Beta_2")
    other = tables.datasets.copy()
    other.loc[(other["dataset"] == "Little") & (other["metric"] == "users"), "value"] = 100
    assert dataset_table(study, other).columns == ("Alpha-1M", "Beta_2", "Little")


def test_a_time_stamp_is_printed_as_a_day(study, results):
    rows = results.datasets.iloc[:1].assign(metric="first_time", value=956703932.0)
    assert rows_of(dataset_table(study, rows))["", "first time"][0] == "2000-04-25"


def test_a_note_on_a_printed_value_stands_in_the_table(study, results):
    summary = results.summary.assign(note=["tried k = 50, too" if source else "" for source in results.summary["source"]])
    scores = published_tables(study, results.with_tables(summary=summary))[0]
    assert scores.columns == ("printed", "ours", "deviation", "in %", "spread", "source", "note")
    assert {row.cells[-1].text for group in scores.groups for row in group.rows} == {"tried k = 50, too"}


def test_the_order_of_systems_is_compared_with_the_printed_one(results):
    # Printed A > B > C > D. Ours has C and D the wrong way round: five of six pairs agree, τ = 4/6. C and D are 5 % apart, so of
    # the five pairs a tenth apart all agree.
    base = results.summary[(results.summary["dataset"] == "Alpha-1M") & results.summary["is_base"]]
    row = base[base["metric"] == "P@10"].iloc[[0]]
    rows = [
        row.assign(system=name, published=p, value=v) for name, p, v in zip("ABCD", (4.0, 3.0, 2.0, 1.9), (8, 7, 5, 6), strict=True)
    ]
    assert rows_of(order_table(pd.concat(rows)))["Alpha-1M", "P@10"] == ["4", "6", ".667", "5", "1.000"]
    assert order_table(pd.concat(rows[:2])).is_empty
    # A twin of A, and a system without a value, change nothing.
    twin, absent = rows[0].assign(system="A2", published=3.99), rows[0].assign(system="E", published=1.0, value=float("nan"))
    assert rows_of(order_table(pd.concat([*rows, twin, absent]))) == rows_of(order_table(pd.concat(rows)))
    # 3.0 and 2.7 are a tenth apart, but not in floating point.
    tenths = [row.assign(system=name, published=p) for name, row, p in zip("ABC", rows, (0.3, 0.27, 0.1), strict=False)]
    assert rows_of(order_table(pd.concat(tenths)))["Alpha-1M", "P@10"][3] == "3"


def test_agreement_with_print(results, approved):
    published = results.summary["published"]
    others = {
        "as printed": published,
        "a printed tie": published.where(published.isna(), 0.41),
        "turned": -published,
        "none": np.nan,
    }
    approved({name: agreement_with_print(results.summary.assign(published=column)) for name, column in others.items()})


def test_every_table_has_its_own_label(study, results, printed):
    tables = printed(study, results)
    assert len({table.key for table in tables}) == len(tables)
    assert len({table.caption for table in tables}) == len(tables)
    assert [table.key for table in tables][:5] == ["claims", "flips", "robustness", "same-numbers", "datasets"]


def test_experiments_have_tables_of_their_own(make_study, make_results, experiment, printed):
    study = make_study(experiments={"Little": experiment})
    keys = [table.key for table in printed(study, make_results(study))]
    assert {"scores-little", "scores-by-coverage-little", "comparisons-little"} <= set(keys)
    assert "scores-by-split-little" not in keys


def test_latex_is_balanced_and_names_the_packages_it_needs(study, results, printed):
    text = in_one_file(part for table in printed(study, results) for part in to_floats(table, 343))
    assert text.startswith("% Needs \\usepackage{booktabs,tabularx}\n")
    assert text.count(r"\begin{table") == text.count(r"\end{table") == text.count(r"\toprule") == text.count(r"\bottomrule")
    assert r"Pop\_1" in text
    assert not re.search(r"(?<!\\)[_%#]", text.split("\n", 1)[1])
    assert r"\textbf{.428}$^{*}$ {\scriptsize $\pm$~.003}" in text
    assert text.isascii()


def test_every_latex_row_has_as_many_cells_as_the_header(study, results, printed):
    for block in in_one_file(part for table in printed(study, results) for part in to_floats(table, 343)).split(r"\toprule")[1:]:
        lines = [line for line in block.split(r"\bottomrule")[0].splitlines() if line.endswith(r"\\") and "multicolumn" not in line]
        assert len({line.count(" & ") for line in lines}) == 1


@pytest.mark.parametrize(
    ("text", "written"),
    [("a_b", r"a\_b"), ("50%", r"50\%"), ("a&b", r"a\&b"), ("{x}", r"\{x\}"), ("−.1", "$-$.1"), ("\\", r"\textbackslash{}")],
)
def test_latex_prints_labels_as_they_stand(text, written):
    assert escape(text) == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("<script>x</script>", "&lt;script\\>x&lt;/script\\>"),
        ("<!-- a -->, <?php", "&lt;!-- a --\\>, &lt;?php"),
        ("&lt;b&gt; &copy; &#60; R&D & more", "&amp;lt;b&amp;gt; &amp;copy; &amp;#60; R&D & more"),
        ("p < .001 and <.001", "p \\< .001 and \\<.001"),
        ("a\n| b", "a \\| b"),
    ],
)
def test_tags_and_entities_are_no_html_in_any_markdown(text, written):
    assert escape_markdown(text) == written


def test_titles_and_notes_carry_no_html_into_markdown():
    cells = (TableCell("<i>x</i>"), TableCell("1", extra="<u>y</u>"))
    rows = (RowGroup("<em>g</em>", (Row("<s>r</s>", cells),)),)
    table = Table("t", "<b>caption</b>", "<q>corner</q>", ("<tt>a</tt>", "b"), rows).noted("<script>note</script>")
    assert re.findall(r"<(?=[A-Za-z/!?])", in_one_page("<img src=x>", [table_as_markdown(table)])) == []


def test_markdown_is_a_table_with_bold_winners(study, results, split_at, printed):
    text = in_one_page("A *study*", map(table_as_markdown, printed(study, results)))
    assert text.startswith("# A \\*study\\*\n")
    assert re.search(rf"\| {re.escape(split_at(0.8))} +\| \.392", text)
    assert "**.420**\\*" in text
    for block in re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1


def test_a_cut_table_says_so():
    table = Table(
        "k",
        "c",
        "r",
        ("x",),
        (RowGroup("a", (Row("1", (TableCell("2"),)),) * 3), RowGroup("b", (Row("1", (TableCell("2"),)),) * 3)),
    )
    assert len(table.first(4, "cut").rows) == 4
    assert table.first(4, "cut").notes == ("cut",)
    assert table.first(3, "cut").groups[-1].title == "a"
    assert table.first(6, "cut") is table


def test_a_transposed_table_swaps_rows_and_columns():
    table = Table("k", "c", "r", ("x", "y"), (RowGroup("", (Row("1", (TableCell("a"), TableCell("b"))),)),))
    turned = table.transposed("column")
    assert (turned.corner, turned.columns) == ("column", ("1",))
    assert rows_of(turned) == {("", "x"): ["a"], ("", "y"): ["b"]}


def test_groups_with_different_rows_cannot_be_transposed():
    groups = (RowGroup("a", (Row("1", (TableCell("2"),)),)), RowGroup("b", (Row("3", (TableCell("4"),)),)))
    with pytest.raises(ValueError, match="different rows"):
        Table("k", "c", "r", ("x",), groups).transposed("y")


def test_tables_and_captions_name_systems_that_were_calibrated_on_test_data(make_study, make_results, caption):
    study = make_study(systems={"MF": "lab_plugins.Calibrated(preset=met)", "kNN": "lab_plugins.Neighbours(k=100)"}, published=[])
    study = study.model_copy(update={"published_comparisons": ()})
    results = make_results(study)
    sentence = "The parameters of these systems were chosen on test data, which makes their scores look too good: MF."
    assert sentence in result_table(study.own, results.summary, results.verdicts, "Alpha-1M").notes
    assert sentence in comparison_table(study.own, results.comparisons, results.verdicts, "Alpha-1M").notes
    assert sentence in caption("view", study.own)
    assert all(sentence in table.notes for table in published_tables(study, results))
    assert remarks(study.systems["MF"]) == ["Parameters chosen on test data: the released scores"]
