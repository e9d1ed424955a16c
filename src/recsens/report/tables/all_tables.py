"""The tables for papers, made from the results of a study."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Literal

from recsens.artefacts.storage import write_text
from recsens.conclusions.verdicts.pairs import PairVerdicts, changed_verdicts, of_all_experiments
from recsens.conclusions.verdicts.study_tables import Results
from recsens.report.alerts.unscorable import warnings_on
from recsens.report.metric_order import all_metric_orders
from recsens.report.system_remarks import untuned, which_untuned
from recsens.report.tables.captions import of_comparisons, of_scores
from recsens.report.tables.claims import claim_table
from recsens.report.tables.copies import copies_table
from recsens.report.tables.datasets import dataset_table
from recsens.report.tables.filters import filter_table
from recsens.report.tables.flips import changed_table
from recsens.report.tables.metric_ranking import metric_ranking
from recsens.report.tables.of_dataset import TablesOfDataset, tables_by_dataset
from recsens.report.tables.overlap import overlap_tables
from recsens.report.tables.paper import DataSetTable, PaperTable, paper_tables
from recsens.report.tables.published import order_table, p_value_table, published_score_table, with_provenance
from recsens.report.tables.robustness import robustness_table
from recsens.report.tables.tuning import merged_tuning_table
from recsens.study import Experiment, Study
from recsens.tables.csv_text import to_csv
from recsens.tables.decimals import with_common_decimals
from recsens.tables.latex import in_one_file, to_floats
from recsens.tables.markdown import in_one_page, table_as_markdown
from recsens.tables.table import Table


def made_tables(study: Study, results: Results, of_datasets: Mapping[str, TablesOfDataset] | None = None) -> list[Table]:
    """Make every table for papers, with common decimals; tables of data sets that exist are not made again."""
    verdicts = of_all_experiments(study, results.verdicts)
    own = of_datasets or tables_by_dataset(study, results)

    def made(form: PaperTable | DataSetTable) -> Table:
        if isinstance(form, DataSetTable):
            return _with_untuned(_of_data_set(form, own[form.label], results), form.part)
        return _of_study(form, study, verdicts, results)

    return [_as_printed(made(form), form.name) for form in paper_tables(study)]


def _as_printed(table: Table, name: str) -> Table:
    named = replace(with_common_decimals(table), key=name)
    return named.noted("There is nothing to show.") if named.is_empty else named


def _with_untuned(table: Table, part: Experiment) -> Table:
    """Mark the untuned systems among the labels, and explain the mark."""
    marked = untuned(part) & {*table.columns, *(row.label for group in table.groups for row in group.rows)}
    if not marked:
        return table
    return replace(table, remarks=dict.fromkeys(marked, "untuned")).noted(which_untuned(part))


def _of_study(table: PaperTable, study: Study, verdicts: list[PairVerdicts], results: Results) -> Table:
    match table.shows:
        case "metric-ranking":
            return metric_ranking(all_metric_orders(study, results.findings))
        case "flips" | "robustness" | "same-numbers" as shown:
            return _of_verdicts(shown, study, verdicts)
        case "datasets":
            return dataset_table(study, results.datasets)
        case "filters":
            return filter_table(results.datasets)
        case printed:
            return with_provenance(study, _beside_print(printed, results))


def _of_verdicts(table: Literal["flips", "robustness", "same-numbers"], study: Study, verdicts: list[PairVerdicts]) -> Table:
    match table:
        case "flips":
            return changed_table(study, changed_verdicts(verdicts))
        case "robustness":
            return robustness_table([row for one in verdicts for row in one.robustness()])
        case "same-numbers":
            return copies_table([row for one in verdicts for row in one.copied()])


def _beside_print(printed: Literal["claims", "published-scores", "published-order", "published-p"], results: Results) -> Table:
    match printed:
        case "claims":
            return claim_table(results.claims)
        case "published-scores":
            return published_score_table(results)
        case "published-order":
            return order_table(results.summary)
        case "published-p":
            return p_value_table(results.comparisons)


def _of_data_set(table: DataSetTable, own: TablesOfDataset, results: Results) -> Table:
    part, label = table.part, table.label
    match table.shows:
        case "scores" | "descriptive":
            return _scores(table, own)
        case "averaged":
            return own.counted(table.designs)
        case "comparisons":
            return of_comparisons(own.comparisons, part, own.results, label)
        case "coverage":
            return own.coverage()
        case "overlap":
            return _overlap(results, label)
        case "tuning":
            return merged_tuning_table(results.tuning, label, table.system)


def _scores(table: DataSetTable, own: TablesOfDataset) -> Table:
    """Show scores under the base design, or under each design of a set, with a complete caption."""
    ranking, designs = table.shows == "scores", own.designs(table.designs)
    warnings = warnings_on(own.results.counted, table.label, designs, base_only=designs is None)
    made = own.scores(table.designs, ranking=ranking)
    return of_scores(made, table.part, own.results, table.label, ranking=ranking).noted(*warnings)


def _overlap(results: Results, label: str) -> Table:
    nothing = Table("overlap", f"{label}: overlap of lists under the base design", "Systems", (), ())
    return next(iter(overlap_tables(results.overlap[results.overlap["dataset"] == label])), nothing)


def write_tables(study: Study, tables: Sequence[Table], files: Sequence[str | Path], *, tex: str | Path, md: str | Path) -> None:
    """Write tables to the files that are named after them, and all tables that have rows to one LaTeX and one Markdown file."""
    shown = [table.with_remarks() for table in tables]
    floats = {table.key: to_floats(table, study.latex_width) for table in shown}
    pages = {table.key: table_as_markdown(table) for table in shown}
    by_form = {
        ".csv": {table.key: to_csv(table) for table in tables},
        ".md": pages,
        ".tex": {key: in_one_file(own) for key, own in floats.items()},
    }
    for file in map(Path, files):
        write_text(file, by_form[file.suffix][file.stem])
    filled = [table.key for table in tables if not table.is_empty]
    write_text(tex, in_one_file(chain.from_iterable(floats[key] for key in filled)))
    write_text(md, in_one_page(study.title, [pages[key] for key in filled]))
