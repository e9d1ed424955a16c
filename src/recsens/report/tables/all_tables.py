"""The tables for papers, made from the results of a study."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pandas as pd

from recsens.arrays import in_order
from recsens.artefacts.storage import write_text
from recsens.conclusions.design_space import base_designs
from recsens.conclusions.verdicts.components import built, designs_of, folds_in_words, is_by_rating, ranks_systems, short_definition
from recsens.conclusions.verdicts.over_datasets import OverDatasets
from recsens.conclusions.verdicts.pairs import changed_verdicts, experiment_verdicts
from recsens.conclusions.verdicts.study_tables import Results
from recsens.plugins.prose import definition
from recsens.report.alerts import warnings_on
from recsens.report.metric_order import all_metric_orders, metric_ranking
from recsens.report.sentences.evidence import interval_name
from recsens.report.system_remarks import untuned_sentence, untuned_systems
from recsens.report.tables.coverage import overlap_tables
from recsens.report.tables.datasets import dataset_table, filter_table
from recsens.report.tables.of_dataset import TablesOfDataset, tables_by_dataset
from recsens.report.tables.paper import DataSetTable, PaperTable, paper_tables
from recsens.report.tables.published import order_table, p_value_table, published_score_table, with_provenance
from recsens.report.tables.questions import order_over_datasets, pairs_over_datasets, won_by_effort
from recsens.report.tables.tuning import merged_tuning_table
from recsens.report.tables.verdicts import changed_table, claim_table, copies_table, robustness_table
from recsens.study import Experiment, Study
from recsens.tables.cells import with_common_decimals
from recsens.tables.latex import in_one_file, to_floats
from recsens.tables.numbers import level, span
from recsens.tables.table import Table
from recsens.tables.texts import in_one_page, table_as_markdown, to_csv

_CORRECTIONS = {
    "none": "not corrected for the number of comparisons",
    "holm": "corrected by Holm's procedure over all pairs on one metric",
    "bh": "corrected by the procedure of Benjamini and Hochberg over all pairs on one metric",
}


def with_scores_caption(table: Table, part: Experiment, results: Results, dataset: str, *, ranking: bool) -> Table:
    """Complete the caption of a table of scores."""
    summary = results.summary[results.summary["dataset"] == dataset]
    rows = summary[[ranks_systems(metric) == ranking for metric in summary["metric"]]]
    design = next(iter(base_designs(part).values()))
    aggregate = built("aggregate", design.aggregate)
    is_mean = aggregate is None or bool(getattr(aggregate, "averages_values", False))
    what = "Means" if is_mean else f"Values by {design.aggregate}"
    whom = "the relevant test ratings of " if is_by_rating(design) else ""
    metrics = in_order(rows["metric"])
    of = "" if len(metrics) != 1 or metrics[0] in (*table.columns, table.corner) else f" of {metrics[0]}"
    details = [f"{what}{of} over {whom}{span(rows['n_users'])} users{_folds_in_words(rows)}."]
    if any(cell.is_best for group in table.groups for row in group.rows for cell in row.cells):
        details.append("Bold: the best system.")
    if any(cell.mark for group in table.groups for row in group.rows for cell in row.cells):
        details.append(
            f"*: better than the second best, p < {level(part.alpha)} by {test_name(part)}, {_CORRECTIONS[part.design.correction]}."
        )
    return replace(table, details=tuple(details), notes=tuple(note for note in table.notes if note not in details))


def with_comparisons_caption(table: Table, part: Experiment, results: Results, dataset: str) -> Table:
    """Complete the caption of a table of comparisons."""
    rows = results.comparisons
    pooled = rows[(rows["dataset"] == dataset) & rows["is_base"] & (rows["fold"] == "all")]
    n_pairs = len(part.pairs())
    compared = f"{n_pairs} pairs" if n_pairs > 1 else "One pair"
    interval = f"{interval_name(part)} and p" if pooled["low"].notna().any() else "p"
    details = (
        f"{compared} of systems, compared over the same {span(pooled['users'])} users{_folds_in_words(pooled)}.",
        f"{interval} from {test_name(part)}; p is {_CORRECTIONS[part.design.correction]}.",
    )
    return replace(table, details=details)


def test_name(part: Experiment) -> str:
    """Name the test of the base design for a sentence, such as ``a paired two-tailed t-test over users``."""
    test = built("test", part.design.test)
    if test is None:
        return str(part.design.test)
    name = (short_definition(type(test)) or definition(type(test))).rstrip(".").partition(":")[0]
    lower = f"{name[0].lower()}{name[1:]}" if not name.startswith(("Fisher", "Wilcoxon")) else name
    if lower.startswith(("the ", "Fisher", "Wilcoxon")):
        return f"the {name[4:]}" if lower.startswith("the ") else name
    return f"a {lower}"


def _folds_in_words(rows: pd.DataFrame) -> str:
    folds = folds_in_words(designs_of(rows))
    return f", averaged over {folds}" if folds else ""


def make_tables(study: Study, results: Results, of_datasets: Mapping[str, TablesOfDataset] | None = None) -> list[Table]:
    """Make every table for papers, with common decimals; tables of data sets that exist are not made again."""
    verdicts = experiment_verdicts(study, results.verdicts)
    own = of_datasets or tables_by_dataset(study, results)

    def made(form: PaperTable | DataSetTable) -> Table:
        if isinstance(form, DataSetTable):
            return _with_untuned(_data_set_table(form, own[form.label], results), form.part)
        makers: Mapping[str, Callable[[], Table]] = {
            "claims": lambda: with_provenance(study, claim_table(results.claims)),
            "metric-ranking": lambda: metric_ranking(all_metric_orders(study, results.findings)),
            "flips": lambda: changed_table(study, changed_verdicts(verdicts)),
            "robustness": lambda: robustness_table([row for one in verdicts for row in one.robustness()]),
            "over-datasets": lambda: pairs_over_datasets(OverDatasets(study.own, results)),
            "over-datasets-effort": lambda: won_by_effort(OverDatasets(study.own, results)),
            "over-datasets-order": lambda: order_over_datasets(OverDatasets(study.own, results)),
            "same-numbers": lambda: copies_table([row for one in verdicts for row in one.copied()]),
            "datasets": lambda: dataset_table(study, results.datasets),
            "filters": lambda: filter_table(results.datasets),
            "published-scores": lambda: with_provenance(study, published_score_table(results)),
            "published-order": lambda: with_provenance(study, order_table(results.summary)),
            "published-p": lambda: with_provenance(study, p_value_table(results.comparisons)),
        }
        return makers[form.name]()

    return [_as_printed(made(form), form.name) for form in paper_tables(study)]


def _as_printed(table: Table, name: str) -> Table:
    named = replace(with_common_decimals(table), key=name)
    return named.noted("There is nothing to show.") if named.is_empty else named


def _with_untuned(table: Table, part: Experiment) -> Table:
    """Mark the untuned systems among the labels, and explain the mark."""
    marked = untuned_systems(part) & {*table.columns, *(row.label for group in table.groups for row in group.rows)}
    if not marked:
        return table
    return replace(table, remarks=dict.fromkeys(marked, "untuned")).noted(untuned_sentence(part))


def _data_set_table(table: DataSetTable, own: TablesOfDataset, results: Results) -> Table:
    part, label = table.part, table.label
    match table.shows:
        case "scores" | "descriptive":
            ranking, designs = table.shows == "scores", own.designs(table.designs)
            warnings = warnings_on(own.results.counted, table.label, designs, base_only=designs is None)
            made = own.scores(table.designs, ranking=ranking)
            return with_scores_caption(made, table.part, own.results, table.label, ranking=ranking).noted(*warnings)
        case "averaged":
            return own.counted(table.designs)
        case "comparisons":
            return with_comparisons_caption(own.comparisons, part, own.results, label)
        case "coverage":
            return own.coverage()
        case "overlap":
            nothing = Table("overlap", f"{label}: overlap of lists under the base design", "Systems", (), ())
            return next(iter(overlap_tables(results.overlap[results.overlap["dataset"] == label])), nothing)
        case "tuning":
            return merged_tuning_table(results.tuning, label, table.system)


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
