"""Every table that a paper may want: their names, known from the study alone, and how each is made of its results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

import pandas as pd

from recsens.recommenders.tuned import Tuned
from recsens.report.alerts.unscorable import warnings_on
from recsens.report.base_designs import base_designs, is_by_rating
from recsens.report.components import built
from recsens.report.metric_names import ranks_systems
from recsens.report.results import Results
from recsens.report.tables.captions import of_comparisons, of_scores
from recsens.report.tables.comparisons import comparison_table
from recsens.report.tables.copies import copies_table
from recsens.report.tables.counted import counted_table
from recsens.report.tables.coverage import coverage_table
from recsens.report.tables.datasets import dataset_table
from recsens.report.tables.decimals import with_common_decimals
from recsens.report.tables.design_sets import DesignSet, design_sets
from recsens.report.tables.filters import filter_table
from recsens.report.tables.flips import flip_table
from recsens.report.tables.overlap import overlap_tables
from recsens.report.tables.published import published_score_table, with_provenance
from recsens.report.tables.published_order import order_table
from recsens.report.tables.published_p import p_value_table
from recsens.report.tables.robustness import robustness_table
from recsens.report.tables.scores import result_table, sweep_table
from recsens.report.tables.table import Table
from recsens.report.tables.tuning import merged_tuning_table
from recsens.report.verdicts.pairs import PairVerdicts, all_flips, judge
from recsens.study import Experiment, Study, file_name


def _no_rows() -> pd.DataFrame:
    return pd.DataFrame(columns=["dataset", "system"])


@dataclass(frozen=True)
class Sources:
    """What tables are made of.

    Attributes
    ----------
    results
        The outcomes of the study.
    overlaps
        How far the lists of systems overlap; empty in a study without lists.
    tuning
        The values of the candidates of tuned systems; empty in a study without any.
    """

    results: Results
    overlaps: pd.DataFrame = field(default_factory=_no_rows)
    tuning: pd.DataFrame = field(default_factory=_no_rows)


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table of a study, not yet made.

    Attributes
    ----------
    name
        The name of its files: lower-case letters, digits and hyphens. The same study has the same names, whatever comes out.
    make
        Makes it; without rows where there is nothing to show.
    """

    name: str
    make: Callable[[Sources], Table]

    def of(self, sources: Sources) -> Table:
        """Make the table as a paper prints it: with its name as its key, and common decimals."""
        table = replace(with_common_decimals(self.make(sources)), key=self.name)
        return table.noted("There is nothing to show.") if table.is_empty else table


def paper_tables(study: Study) -> list[PaperTable]:
    """List every table that a paper may want, in the order of the report."""
    tables = [*_of_verdicts(study), PaperTable("datasets", lambda sources: dataset_table(study, sources.results.datasets))]
    if any(str(link) != "none" for part in study.all_experiments() for design in part.designs() for link in design.filter):
        tables.append(PaperTable("filters", lambda sources: filter_table(sources.results.datasets)))
    names = _unique(label for part in study.all_experiments() for label in part.datasets)
    for part in study.all_experiments():
        for label in part.datasets:
            tables += _of_label(part, label, names[label])
    return [*tables, *_beside_print(study)]


def _unique(labels: Iterable[str]) -> dict[str, str]:
    """Give each label a file name of its own."""
    names: dict[str, str] = {}
    for label in labels:
        name, number = file_name(label), 2
        while name in names.values():
            name, number = f"{file_name(label)}-{number}", number + 1
        names[label] = name
    return names


def _of_verdicts(study: Study) -> list[PaperTable]:
    parts = study.all_experiments()
    if not any(part.pairs() and len(part.designs()) * len(_ranking(part)) > 1 for part in parts):
        return []

    def verdicts(sources: Sources) -> list[PairVerdicts]:
        return [judge(part, sources.results.summary, sources.results.comparisons) for part in parts]

    return [
        PaperTable("flips", lambda sources: flip_table(study, all_flips(verdicts(sources)))),
        PaperTable("robustness", lambda sources: robustness_table([row for one in verdicts(sources) for row in one.robustness()])),
        PaperTable("same-numbers", lambda sources: copies_table([row for one in verdicts(sources) for row in one.copied()])),
    ]


def _of_label(part: Experiment, label: str, name: str) -> Iterator[PaperTable]:
    yield from _scores(part, label, name)
    yield PaperTable(f"averaged-{name}", lambda sources: counted_table(sources.results.counted, label))
    for key in _set_keys(part):
        yield PaperTable(
            f"averaged-by-{key}-{name}",
            partial(_averaged, part, label, key),
        )
    if part.pairs():
        yield PaperTable(
            f"comparisons-{name}",
            lambda sources: of_comparisons(
                comparison_table(part, sources.results.comparisons, label), part, sources.results, label
            ),
        )
    yield PaperTable(f"coverage-{name}", lambda sources: coverage_table(part, _own(part, sources).summary, label))
    if part.pairs() and not is_by_rating(next(iter(base_designs(part).values()))):
        yield PaperTable(f"overlap-{name}", lambda sources: _overlap(sources, label))
    tuned = [system for system, spec in part.systems.items() if isinstance(built("recommender", spec), Tuned)]
    for system, system_name in _unique(tuned).items():
        yield PaperTable(f"tuning-{system_name}-{name}", partial(_tuning, label, system))


def _scores(part: Experiment, label: str, name: str) -> Iterator[PaperTable]:
    """List scores under the base design and under each set of designs, of metrics that rank systems and of those that describe."""
    kinds = [(True, "scores")] * bool(_ranking(part)) + [(False, "descriptive")] * (len(_ranking(part)) < len(part.metrics))
    for ranking, kind in kinds:
        yield PaperTable(f"{kind}-{name}", partial(_base_scores, part, label, ranking=ranking))
        for key in _set_keys(part):
            yield PaperTable(
                f"{kind}-by-{key}-{name}",
                partial(_swept_scores, part, label, key, ranking=ranking),
            )


def _base_scores(part: Experiment, label: str, sources: Sources, *, ranking: bool) -> Table:
    own = _own(part, sources)
    table = result_table(part, own.summary, own.comparisons, label, ranking=ranking, predictions=own.predictions)
    return of_scores(table, part, own, label, ranking=ranking).noted(*warnings_on(own.counted, label, base_only=True))


def _swept_scores(part: Experiment, label: str, key: str, sources: Sources, *, ranking: bool) -> Table:
    own, shown = _own(part, sources), _set(part, sources, key)
    table = sweep_table(part, shown, own.summary, own.comparisons, label, ranking=ranking)
    return of_scores(table, part, own, label, ranking=ranking).noted(*warnings_on(own.counted, label, shown))


def _averaged(part: Experiment, label: str, key: str, sources: Sources) -> Table:
    return counted_table(sources.results.counted, label, _set(part, sources, key))


def _tuning(label: str, system: str, sources: Sources) -> Table:
    return merged_tuning_table(sources.tuning, label, system)


def _overlap(sources: Sources, label: str) -> Table:
    nothing = Table("overlap", f"{label}: overlap of lists under the base design", "Systems", (), ())
    return next(iter(overlap_tables(sources.overlaps[sources.overlaps["dataset"] == label])), nothing)


def _beside_print(study: Study) -> Iterator[PaperTable]:
    if study.published:
        yield PaperTable("published-scores", lambda sources: with_provenance(study, published_score_table(sources.results)))
        yield PaperTable("published-order", lambda sources: with_provenance(study, order_table(sources.results.summary)))
    if study.published_comparisons:
        yield PaperTable("published-p", lambda sources: with_provenance(study, p_value_table(sources.results.comparisons)))


def _ranking(part: Experiment) -> list[str]:
    return [str(metric) for metric in part.metrics if ranks_systems(str(metric))]


def _own(part: Experiment, sources: Sources) -> Results:
    return sources.results.of(part)


def _set_keys(part: Experiment) -> list[str]:
    """List the keys of `design_sets` without results."""
    if part.combine == "grid" and len(part.vary) > 1:
        return ["grid"]
    designs = part.designs()
    return [key for key in part.vary if len({str(getattr(design, key)) for design in designs}) > 1]


def _set(part: Experiment, sources: Sources, key: str) -> DesignSet:
    return next(shown for shown in design_sets(part, _own(part, sources).summary) if shown.key == key)
