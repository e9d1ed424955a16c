"""What a run prints at its end: its verdicts and claims, worded as in the report, whom it averaged, and warnings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from recsens.conclusions.verdicts.pairs import of_all_experiments
from recsens.conclusions.verdicts.study_tables import read_claims, read_matched, read_table, records
from recsens.report.alerts.study import alerts
from recsens.report.sentences.counts import base_counts
from recsens.report.sentences.first_screen import FirstScreen
from recsens.report.sentences.headline import headline
from recsens.report.sentences.over_splits import over_splits
from recsens.report.system_remarks import calibrated, unpromised, which_untuned
from recsens.report.tables.claims import in_short, verdict_in_words
from recsens.workflow.ask import Ask
from recsens.workflow.plan import Plan

MOST_SENTENCES = 12
"""Largest number of sentences of one kind that a run prints at its end; the report contains all of them."""


def results_in_words(plan: Plan) -> Iterator[str]:
    """Yield the study's verdicts, worded as in its report."""
    folder = Path(plan.folder)
    summary, comparisons, counted, splits, ties, verdicts = (
        read_table(folder / f"{name}.csv", name) for name in ("summary", "comparisons", "counted", "splits", "ties", "verdicts")
    )
    judgements = of_all_experiments(plan.study, verdicts)
    first = FirstScreen.of(plan.study, judgements, summary, counted)
    yield from _first((answer.finding for answer in first.asked), indent="")
    yield from _first(first.best, indent="")
    yield from _first([*first.named, *(answer.finding for answer in first.changing), *first.unmoved])
    yield headline(judgements)
    if fixed := over_splits(judgements):
        yield fixed
    yield from _claims(plan)
    if plain := which_untuned(*plan.study.all_experiments()):
        yield plain
    if flattered := calibrated(*plan.study.all_experiments()):
        yield flattered
    if foreign := unpromised(*plan.study.all_experiments()):
        yield foreign
    yield "Users averaged:"
    yield from _first(sentence for experiment in plan.study.all_experiments() for sentence in base_counts(experiment, counted))
    matched = read_matched([str(folder / "matched.csv")] if Ask(plan).arguments("study")["has_score_files"] else [])
    further = {"datasets": read_table(folder / "datasets.csv", "datasets"), "matched": matched, "ties": ties}
    if warned := alerts(plan.study, summary, comparisons, counted, splits, **further):
        yield "ATTENTION"
        yield from (f"  {sentence}" for sentence in warned)


def _claims(plan: Plan) -> Iterator[str]:
    """Yield the outcome of the study's claims, if it has any."""
    if plan.study.all_claims:
        claims = read_claims(str(Path(plan.folder) / "claims.csv"))
        yield in_short(claims)
        yield from _first(f"{verdict_in_words(row)}: {row['says']} ({row['source']})" for row in records(claims))


def _first(sentences: Iterable[str], indent: str = "  ") -> Iterator[str]:
    """Yield the first sentences, indented, then a line that says how many more there are."""
    lines = list(sentences)
    yield from (f"{indent}{sentence}" for sentence in lines[:MOST_SENTENCES])
    if len(lines) > MOST_SENTENCES:
        yield f"{indent}and {len(lines) - MOST_SENTENCES} more, in the report"
