"""What a run prints at its end: its verdicts and claims, worded as in the report, whom it averaged, and warnings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from recsens.conclusions.verdicts.pairs import experiment_verdicts
from recsens.conclusions.verdicts.study_tables import read_results, read_table, records
from recsens.report.alerts import alerts
from recsens.report.metric_order import all_metric_orders, metrics_judged
from recsens.report.sentences.answers import FirstScreen
from recsens.report.sentences.counts import base_counts
from recsens.report.sentences.evidence import over_splits
from recsens.report.sentences.groups import contrary_sentences
from recsens.report.sentences.headline import headline
from recsens.report.sentences.turning import what_would_turn
from recsens.report.sentences.unrated import summary_lines
from recsens.report.system_remarks import calibrated, unpromised, untuned_sentence
from recsens.report.tables.tuning import leaders_at_edges
from recsens.report.tables.verdicts import in_short, verdict_in_words
from recsens.study.experiment import tables_of
from recsens.workflow.ask import Ask
from recsens.workflow.plan import Plan

MOST_SENTENCES = 12
"""Largest number of sentences of one kind that a run prints at its end; the report contains all of them."""


def results_in_words(plan: Plan) -> Iterator[str]:
    """Yield the study's verdicts, worded as in its report."""
    names = ["summary", "comparisons", "counted", "splits", "ties", "verdicts", "datasets"]
    matched = ["matched"] if Ask(plan).arguments("study")["has_score_files"] else []
    own = [*(["tuning"] if plan.tunings else []), *(["findings"] if plan.study.meta else [])]
    further = [*matched, *own, *tables_of(plan.study.all_experiments())]
    results = read_results(Path(plan.folder) / f"{name}.csv" for name in (*names, *further))
    judgements = experiment_verdicts(plan.study, results.verdicts, results.effort)
    first = FirstScreen.of(plan.study, judgements, results)
    yield from _first((answer.finding for answer in first.asked), indent="")
    yield from _first(first.best, indent="")
    yield from _first([*first.named, *(answer.finding for answer in first.changing), *first.unmoved])
    yield from what_would_turn(plan.study, judgements, results)[:MOST_SENTENCES]
    yield from filter(None, [headline(judgements), *summary_lines(plan.study.all_experiments(), results), over_splits(judgements)])
    orders = all_metric_orders(plan.study, results.findings) if plan.study.meta else []
    yield from _first(metrics_judged(orders, named=len({order.dataset for order in orders}) > 1), indent="")
    yield from _first((said for part in plan.study.all_experiments() for said in contrary_sentences(part, results)), indent="")
    if plan.study.all_claims:
        claims = read_table(Path(plan.folder) / "claims.csv", "claims")
        yield in_short(claims)
        yield from _first(f"{verdict_in_words(row)}: {row['says']} ({row['source']}); {row['numbers']}" for row in records(claims))
    yield from filter(None, (remark(*plan.study.all_experiments()) for remark in (untuned_sentence, calibrated, unpromised)))
    yield from leaders_at_edges(judgements, results.summary, results.tuning)
    yield "Users averaged:"
    yield from _first(sentence for part in plan.study.all_experiments() for sentence in base_counts(part, results.counted))
    if warned := alerts(plan.study, results):
        yield "ATTENTION"
        yield from (f"  {sentence}" for sentence in warned)


def _first(sentences: Iterable[str], indent: str = "  ") -> Iterator[str]:
    """Yield the first sentences, indented, then a line that says how many more there are."""
    lines = list(sentences)
    yield from (f"{indent}{sentence}" for sentence in lines[:MOST_SENTENCES])
    if len(lines) > MOST_SENTENCES:
        yield f"{indent}and {len(lines) - MOST_SENTENCES} more, in the report"
