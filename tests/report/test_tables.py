"""Tables for papers hold the right numbers, in bold where they should, in valid markup."""

import re

import pandas as pd
import pytest

from invented import rejudged
from recsens.report.system_remarks import remarks
from recsens.report.tables.comparisons import comparison_table
from recsens.report.tables.coverage import coverage_table
from recsens.report.tables.datasets import dataset_table, filter_table, split_table, target_table
from recsens.report.tables.design_sets import design_sets
from recsens.report.tables.published import agreement_with_print, order_table, published_tables
from recsens.report.tables.scores import result_table, sweep_table
from recsens.tables.latex import to_latex
from recsens.tables.latex_text import escape
from recsens.tables.markdown import escape as escape_markdown
from recsens.tables.markdown import to_markdown
from recsens.tables.table import Row, RowGroup, Table, TableCell


def rows_of(table):
    return {(group.title, row.label): [cell.text for cell in row.cells] for group in table.groups for row in group.rows}


def best_of(table):
    return [table.columns[place] for group in table.groups for row in group.rows for place, c in enumerate(row.cells) if c.is_best]


def test_the_base_table_has_scores_spreads_the_winner_in_bold_and_p(study, results):
    table = result_table(study.own, results.summary, results.verdicts, "Alpha-1M")
    assert table.columns == ("kNN", "MF", "Pop_1", "p, 1st and 2nd")
    assert rows_of(table)["", "P@10"] == [".410", ".405", ".280", ".223"]
    assert table.groups[0].rows[0].cells[0].extra == "±\N{NO-BREAK SPACE}.003"
    assert best_of(table) == ["kNN", "kNN"]
    assert any("nDCG(discount=log2,gain=binary,ideal=cut)@10" in note for note in table.notes)


def test_a_spread_over_four_folds_is_shown_with_two_digits(make_study, make_results):
    study = make_study(design={"split": "random(ratio=0.5)", "repeats": 4})
    results = make_results(study)
    first = result_table(study.own, results.summary, results.verdicts, "Alpha-1M").groups[0].rows[0].cells[0]
    assert (first.text, first.extra) == (".4100", "±\N{NO-BREAK SPACE}.0030")


def test_metrics_that_only_describe_have_no_winner_and_no_p(study, results):
    table = result_table(study.own, results.summary, results.verdicts, "Alpha-1M", ranking=False)
    assert rows_of(table) == {("", "Unrated@10"): [".500", ".600", ".500"]}
    assert best_of(table) == []


def test_options_of_a_sweep_stand_in_order_with_the_base_marked(study, results, split_at):
    split, view = design_sets(study.own, results.summary)
    table = sweep_table(study.own, split, results.summary, results.verdicts, "Alpha-1M")
    assert [row.label for row in table.groups[0].rows] == [
        split_at(0.2),
        split_at(0.35),
        f"{split_at(0.5)} (base)",
        split_at(0.8),
    ]
    assert rows_of(table)["P@10", split_at(0.8)] == [".392", ".420", ".268", "< .001"]
    assert list(view.designs) == ["full (base)", "condensed"]


def test_a_grid_shows_every_combination(make_study, make_results):
    study = make_study(combine="grid", vary={"split": ["random(ratio=0.5)", "random(.8)"], "view": ["full", "condensed"]})
    (shown,) = design_sets(study.own, make_results(study).summary)
    assert list(shown.designs) == [
        "the base design",
        "view condensed",
        "split random(.8)",
        "split random(.8) and view condensed",
    ]


def test_many_systems_become_rows(make_study, make_results):
    systems = {f"S{k}": f"lab_plugins.Neighbours(k={k})" for k in range(1, 8)}
    study = make_study(systems=systems, published=[], published_comparisons=[])
    tables = make_results(study)
    table = result_table(study.own, tables.summary, tables.verdicts, "Alpha-1M")
    assert table.columns == ("P@10", "nDCG@10")
    assert [row.label for row in table.groups[0].rows] == [*systems, "p, 1st and 2nd"]


def test_comparisons_show_each_folds_own_p(study, results):
    table = comparison_table(study.own, results.comparisons, results.verdicts, "Alpha-1M")
    ci = "95\N{NO-BREAK SPACE}%\N{NO-BREAK SPACE}CI"
    assert table.columns == ("difference", ci, "d_z", "detectable", "p", "users", "resampled p", "median p", "repeat-0", "repeat-1")
    cells = [".005", "−.005 to .015", ".0326", "–", ".223", "943", ".335", ".290", ".290", ".290"]
    assert rows_of(table)["P@10", "kNN and MF"] == cells


def test_one_fold_has_no_p_of_its_own(make_study, make_results):
    study = make_study(design={"split": "random(ratio=0.5)"})
    tables = make_results(study)
    table = comparison_table(study.own, tables.comparisons, tables.verdicts, "Alpha-1M")
    assert table.columns[3:] == ("detectable", "p", "users")


def test_of_many_folds_only_the_median_is_shown(make_study, make_results):
    study = make_study(design={"split": "random(ratio=0.5)", "repeats": 12})
    tables = make_results(study)
    table = comparison_table(study.own, tables.comparisons, tables.verdicts, "Alpha-1M")
    assert table.columns[-1] == "median p"
    assert any("12 folds" in note for note in table.notes)


def test_a_corrected_p_stands_before_the_plain_one(make_study, make_results):
    study = make_study(design={"split": "random(ratio=0.5)", "correction": "holm"})
    tables = make_results(study)
    tables.comparisons["p_adjusted"] = 3 * tables.comparisons["p_value"]
    table = comparison_table(study.own, tables.comparisons, tables.verdicts, "Alpha-1M")
    assert rows_of(table)["P@10", "kNN and MF"][4:6] == [".669", ".223"]
    assert any("adjusted p (holm" in note for note in table.notes)


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


def test_the_share_of_significant_samples_is_shown_where_a_test_draws_them(study, results):
    table = comparison_table(study.own, results.comparisons.assign(share_significant=0.61), results.verdicts, "Alpha-1M")
    assert rows_of(table)["P@10", "kNN and MF"][6].startswith("61.0")


def test_full_and_reduced_averages_stand_side_by_side_with_coverage(study, results):
    table = coverage_table(study.own, results.summary, "Alpha-1M")
    assert table.columns == ("users averaged", "user coverage", "Coverage@10", "full average", "reduced average")
    # .410 = .992 x .413.
    found = [text.replace("\N{NO-BREAK SPACE}", " ") for text in rows_of(table)["P@10", "kNN"]]
    assert found == ["943", "99.2 %", "98.7 %", ".410", ".413"]
    assert any("full average = user coverage × reduced average" in note for note in table.notes)


def test_coverage_of_other_designs_is_shown_by_the_first_metric(study, results, split_at):
    split, _ = design_sets(study.own, results.summary)
    table = coverage_table(study.own, results.summary, "Alpha-1M", split)
    assert [group.title for group in table.groups][:2] == [split_at(0.2), split_at(0.35)]
    assert table.caption == "Alpha-1M: coverage by train/test split, P@10"


def test_each_filter_shows_what_it_leaves(results):
    table = filter_table(results.datasets)
    assert rows_of(table) == {
        ("Alpha-1M, k_core(n=5)+min(n=20)", "as read"): ["6,040"] * 3,
        ("Alpha-1M, k_core(n=5)+min(n=20)", "k_core(n=5)"): ["6,000"] * 3,
        ("Alpha-1M, k_core(n=5)+min(n=20)", "min(n=20)"): ["3,020"] * 3,
    }
    assert table.groups[0].rows[2].cells[0].extra == "(50.0\N{NO-BREAK SPACE}%)"


def test_target_items_have_a_table_of_their_own(results, split_at):
    table = target_table(results.splits, "Alpha-1M")
    assert table.columns == ("mean targets",)
    assert table.groups[0].title.startswith(f"{split_at(0.5)}, ar")
    assert not any("targets" in column for column in split_table(results.splits, "Alpha-1M").columns)


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


def test_data_sets_stand_side_by_side(study, results):
    table = dataset_table(study, results.datasets)
    assert table.columns == ("Alpha-1M", "Beta_2")
    assert rows_of(table)["", "ratings"] == ["1,000,209", "1,000,209"]
    assert [text.replace("\N{NO-BREAK SPACE}", " ") for text in rows_of(table)["", "density"]] == ["4.47 %", "4.47 %"]
    assert table.notes == ()


def test_a_time_stamp_is_printed_as_a_day(study, results):
    rows = results.datasets.iloc[:1].assign(metric="first_time", value=956703932.0)
    assert rows_of(dataset_table(study, rows))["", "first time"][0] == "2000-04-25"


def test_splits_are_titled_by_the_spec_behind_their_folder(results, split_at):
    table = split_table(results.splits, "Alpha-1M")
    assert [group.title for group in table.groups][:2] == [split_at(0.5), split_at(0.2)]
    assert rows_of(table)[split_at(0.2), "repeat-0"] == ["200,000", "800,000", "0", ".200"]


def test_printed_values_stand_beside_ours(study, results):
    scores, tests = published_tables(study, results)
    assert rows_of(scores)["Alpha-1M", "kNN, P@10"] == [".416", ".410", "−.006", "−1.4", ".003", "Table 2, row 1"]
    assert rows_of(tests)["Alpha-1M", "kNN and MF, P@10"] == [
        ".039",
        ".290",
        ".290 to .290",
        "kNN, in 2 of 2 folds",
        "Table 2, row 1",
    ]


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


def test_agreement_with_print_names_the_largest_deviation_and_the_winner(results):
    assert agreement_with_print(results.summary) == (
        "2 of our scores have a printed counterpart; the largest deviation is .006 (kNN, P@10). "
        "In 1 of 1 case (a metric on a data set), the system with the best printed score also has the best score here."
    )


def test_a_printed_tie_neither_agrees_nor_disagrees(results):
    summary = results.summary.copy()
    summary.loc[summary["published"].notna(), "published"] = 0.41
    assert "ahead" not in agreement_with_print(summary)


def test_an_order_that_differs_from_print_is_counted(results):
    summary = results.summary.copy()
    printed = summary["published"].notna()
    summary.loc[printed, "published"] = -summary.loc[printed, "published"]
    assert (
        "In 0 of 1 case (a metric on a data set), the system with the best printed score also has the best score here."
        in agreement_with_print(summary)
    )


def test_without_printed_scores_nothing_is_said(results):
    assert agreement_with_print(results.summary.assign(published=float("nan"))) == ""


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
    text = to_latex(printed(study, results), 343)
    assert text.startswith("% Needs \\usepackage{booktabs,tabularx}\n")
    assert text.count(r"\begin{table") == text.count(r"\end{table") == text.count(r"\toprule") == text.count(r"\bottomrule")
    assert r"Pop\_1" in text
    assert not re.search(r"(?<!\\)[_%#]", text.split("\n", 1)[1])
    assert r"\textbf{.428}$^{*}$ {\scriptsize $\pm$~.003}" in text
    assert text.isascii()


def test_every_latex_row_has_as_many_cells_as_the_header(study, results, printed):
    for block in to_latex(printed(study, results), 343).split(r"\toprule")[1:]:
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
    assert re.findall(r"<(?=[A-Za-z/!?])", to_markdown("<img src=x>", [table])) == []


def test_markdown_is_a_table_with_bold_winners(study, results, split_at, printed):
    text = to_markdown("A *study*", printed(study, results))
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
    assert table.first(4, "cut").n_rows == 4
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
    assert caption("view", study.own).endswith(sentence)
    assert all(sentence in table.notes for table in published_tables(study, results))
    assert remarks(study.systems["MF"]) == ["Parameters chosen on test data: the released scores"]
