"""The methods paragraph of a study: every decision of its base designs in a sentence, in the order of an experiment."""

from collections.abc import Mapping, Sequence
from importlib import metadata

import pandas as pd

from recsens.conclusions.verdicts.base_designs import base_designs
from recsens.metrics import MeasuredAt
from recsens.plugins.specs import Chain, Spec
from recsens.report.methods.averages import average_sentences
from recsens.report.methods.filters import filter_sentences
from recsens.report.methods.rankings import ranking_sentences
from recsens.report.methods.splits import split_sentences
from recsens.report.methods.subjects import data_sentence, metric_sentence, system_sentences
from recsens.report.methods.tests_of_pairs import comparison_sentences
from recsens.report.settings.decisions import line_of, without_ratings
from recsens.study import Experiment, Study
from recsens.study.design import Design
from recsens.study.taxonomy import decision


def methods_paragraph(study: Study, designs: Mapping[str, Design], datasets: pd.DataFrame) -> str:
    """Write what a study did as one paragraph.

    Parameters
    ----------
    study
        The study.
    designs
        The base design on each of its data sets, by label.
    datasets
        The table of data sets, which knows their sizes and the lowest relevant ratings.
    """
    own, *others = study.all_experiments()
    sentences = _of_experiment(own, designs, datasets)
    further = [sentence for part in others for sentence in _further(part, study, sentences, datasets)]
    return " ".join([*sentences, *_varied(own), *further, *_reproduced(study)])


def design_sentences(designs: Mapping[str, Design], metrics: Sequence[MeasuredAt], thresholds: Mapping[str, float]) -> list[str]:
    """Say what a design decides on the way from ratings to the values of systems, decision by decision.

    The designs differ in the data set alone; ``thresholds`` are the lowest relevant ratings of data sets, by label.
    """
    design = next(iter(designs.values()))
    relevance = without_ratings(line_of(decision("relevance"), design, thresholds), designs)
    return [
        *filter_sentences(design.filter),
        *split_sentences(design.split, design.repeats),
        relevance.meaning,
        *ranking_sentences(design),
        line_of(decision("ties"), design, {}).meaning,
        line_of(decision("view"), design, {}).meaning,
        *average_sentences(design, metrics),
    ]


def _of_experiment(part: Experiment, designs: Mapping[str, Design], datasets: pd.DataFrame) -> list[str]:
    return [
        data_sentence(part, datasets),
        *design_sentences(designs, part.metrics, _thresholds(part, datasets)),
        *system_sentences(part),
        metric_sentence(part),
        *comparison_sentences(part, next(iter(designs.values()))),
    ]


def _further(part: Experiment, study: Study, said: Sequence[str], datasets: pd.DataFrame) -> list[str]:
    """Say in what a further experiment differs: those of its sentences that the study's own experiment does not have."""
    sentences = _of_experiment(part, base_designs(part), datasets)
    other = [sentence for sentence in sentences[1:] if sentence not in said]
    lead = f"In a further experiment, {part.title}, on {study.dataset_of(part.title)}, the following was different."
    alike = f"A further experiment, {part.title}, on {study.dataset_of(part.title)}, had the same base design."
    return [*([lead, *other] if other else [alike]), *_varied(part)]


def _varied(part: Experiment) -> list[str]:
    base = part.design
    options: dict[str, list[str]] = {}
    for design in part.designs():
        for key in part.vary:
            if getattr(design, key) != getattr(base, key):
                options.setdefault(key, []).append(_text(key, getattr(design, key)))
    if not options:
        return []
    how = "in every combination" if part.combine == "grid" and len(options) > 1 else "one decision at a time"
    varied = "; ".join(f"{decision(key).name.lower()}: {', '.join(dict.fromkeys(tried))}" for key, tried in options.items())
    return [f"Besides this base design we tried, {how}, {varied}."]


def _text(key: str, option: object) -> str:
    if isinstance(option, Spec | Chain):
        return option.written
    return "scale" if key == "relevance" and option is None else str(option)


def _thresholds(part: Experiment, datasets: pd.DataFrame) -> dict[str, float]:
    rows = datasets[(datasets["metric"] == "relevance") & datasets["value"].notna()]
    known = dict(zip(rows["dataset"], rows["value"], strict=True))
    return {label: float(known[label]) for label in part.datasets if label in known}


def _reproduced(study: Study) -> list[str]:
    drawn = f"All random draws derive from the seed {study.seed}"
    source = "its decisions follow Cañamares, Castells and Moffat (2020)"
    return [f"{drawn}; the study was run with recsens {metadata.version('recsens')}, and {source}."]
