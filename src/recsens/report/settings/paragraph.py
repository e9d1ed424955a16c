"""The methods paragraph of a study: one sentence for every decision in its base designs, in the order of an experiment."""

import math
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from pathlib import Path

import pandas as pd

from recsens.arrays import grouped
from recsens.artefacts.storage import write_text
from recsens.conclusions.design_space import base_designs
from recsens.conclusions.verdicts.components import built, n_splits_of, splits_in_words
from recsens.conclusions.verdicts.study_tables import records
from recsens.metrics import MeasuredAt
from recsens.plugins import SOURCE, with_file_names
from recsens.plugins.prose import listed
from recsens.plugins.specs import Chain, Spec, format_value, parse
from recsens.report.sentences.effort import effort_in_methods
from recsens.report.sentences.groups import groups_in_methods
from recsens.report.sentences.over_datasets import over_datasets_in_methods
from recsens.report.sentences.unrated import tipping_in_methods
from recsens.report.settings.decisions import decision_line
from recsens.report.settings.statement import alpha_line, lines_of, pairs_line
from recsens.report.system_remarks import calibrated
from recsens.report.tables.tuning import how_tuned
from recsens.study import Experiment, Study
from recsens.study.design import Design
from recsens.study.taxonomy import decision
from recsens.tables.latex_text import escape_breakable
from recsens.tables.numbers import count
from recsens.tables.texts import escape


def methods_paragraph(study: Study, designs: Mapping[str, Design], datasets: pd.DataFrame) -> str:
    """Describe a study in one paragraph.

    Parameters
    ----------
    study
        The study.
    designs
        The base design on each of the study's data sets, by label.
    datasets
        The table of data sets, with their sizes and lowest relevant ratings.
    """
    own, *others = study.all_experiments()
    sentences = _experiment_sentences(own, designs, datasets)
    further = [sentence for part in others for sentence in _further_sentences(part, study, sentences, datasets)]
    reproduced = (
        f"All random draws derive from the seed {study.seed}; the study was run with recsens {metadata.version('recsens')}, and "
        "its decisions follow Cañamares, Castells and Moffat (2020)."
    )
    return " ".join([*sentences, *_varied_sentences(own), *further, reproduced])


def design_sentences(designs: Mapping[str, Design], metrics: Sequence[MeasuredAt], thresholds: Mapping[str, float]) -> list[str]:
    """Say, decision by decision, how a design turns ratings into system values.

    The designs differ only in the data set; ``thresholds`` are the lowest relevant ratings of data sets, by label.
    """
    lines = [line for key in _ORDER for line in lines_of(decision(key), designs, metrics, thresholds)]
    return [sentence for line in lines for sentence in line.sentences]


_ORDER = ("filter", "split", "repeats", "fits", "relevance", "targets", "nc", "ties", "view", "users", "aggregate", "coverage")
"""Decisions in the order of an experiment."""


def comparison_sentences(part: Experiment, design: Design) -> list[str]:
    """Say which pairs of systems were compared and by which test, and when a system wins; or say that no systems were compared."""
    if not part.pairs():
        return list(pairs_line(part).sentences)
    lines = [pairs_line(part), *(decision_line(decision(key), design, {}) for key in ("test", "correction")), alpha_line(part)]
    return [*(sentence for line in lines for sentence in line.sentences), *_p_over_splits_sentences(design)]


def _p_over_splits_sentences(design: Design) -> list[str]:
    """Say how p over splits is computed, if there are several splits."""
    n_splits = n_splits_of(str(design.split), str(design.repeats))
    if not 1 < n_splits < math.inf:
        return []
    how = f"by the corrected resampled t-test of Nadeau and Bengio (2003), {splits_in_words(n_splits)}"
    return [f"Whether a difference holds for other splits was tested {how}, without correction for several tests."]


def _experiment_sentences(part: Experiment, designs: Mapping[str, Design], datasets: pd.DataFrame) -> list[str]:
    named = [_system_in_words(label, spec, part.says.get(label)) for label, spec in part.systems.items()]
    splits = [design.split for design in part.designs()]
    chosen = [f"{label}: {sentence}" for label, spec in part.systems.items() for sentence in how_tuned(spec, splits)]
    chosen += [f"{label}: parameters chosen {words}." for label, words in part.chosen.items() if label in part.systems]
    return [
        _data_sentence(part, datasets),
        *design_sentences(designs, part.metrics, lowest_relevant(part, datasets)),
        f"We compared {_count_prefix(len(named), 'system')}{listed(named)}.",
        "Parameters not listed here have their default values.",
        *_refit_sentences(part),
        *chosen,
        *filter(None, [calibrated(part)]),
        f"We measured {listed([one.written if one.written == str(one) else f'{one.written} (= {one})' for one in part.metrics])}.",
        *comparison_sentences(part, next(iter(designs.values()))),
    ]


def _refit_sentences(part: Experiment) -> list[str]:
    """Say which systems were fitted several times on the same train set, and which once; empty if all were fitted once."""
    if all(design.fits == 1 for design in part.designs()):
        return []
    draws = grouped((getattr(built("recommender", spec), "draws", True), label) for label, spec in part.systems.items())
    if len(draws) == 1:
        return ["All systems draw at random." if True in draws else "No system draws at random, so all were fitted once."]
    return [f"Of these systems, only {listed(draws[True])} draw{'s' * (len(draws[True]) == 1)} at random."]


def _further_sentences(part: Experiment, study: Study, said: Sequence[str], datasets: pd.DataFrame) -> list[str]:
    """Say how a further experiment differs from the study's own; sentences that both have are left out."""
    sentences = _experiment_sentences(part, base_designs(part), datasets)
    other = [sentence for sentence in sentences[1:] if sentence not in said]
    lead = f"In a further experiment, {part.title}, on {study.dataset_of(part.title)}, the following was different."
    alike = f"A further experiment, {part.title}, on {study.dataset_of(part.title)}, had the same base design."
    return [*([lead, *other] if other else [alike]), *_varied_sentences(part)]


def _varied_sentences(part: Experiment) -> list[str]:
    base = part.design
    changed = ((key, getattr(design, key)) for design in part.designs() for key in part.vary)
    options = grouped((key, _option_text(key, option)) for key, option in changed if option != getattr(base, key))
    tuned = [effort_in_methods(part)] if part.effort else []
    tuned += [over_datasets_in_methods(part)] if part.families else []
    tuned += [tipping_in_methods(part)] if part.tipping else []
    tuned += [groups_in_methods(part)] if part.groups else []
    if not options:
        return tuned
    how = "in every combination" if part.combine == "grid" and len(options) > 1 else "one decision at a time"
    varied = "; ".join(f"{decision(key).name.lower()} ({', '.join(dict.fromkeys(tried))})" for key, tried in options.items())
    return [f"We varied this base design {how}: {varied}.", *tuned]


def _option_text(key: str, option: object) -> str:
    kind = decision(key).kind
    if isinstance(option, Spec | Chain):
        return option.written if kind is None or isinstance(option, Chain) else with_file_names(kind, option).written
    return "scale" if key == "relevance" and option is None else str(option)


def lowest_relevant(part: Experiment, datasets: pd.DataFrame) -> dict[str, float]:
    """Return the lowest relevant rating of an experiment's data sets, by label, where it follows from a known scale."""
    rows = datasets[(datasets["metric"] == "relevance") & datasets["value"].notna()]
    by_label = dict(zip(rows["dataset"], rows["value"], strict=True))
    return {label: float(by_label[label]) for label in part.datasets if label in by_label}


_SIZES = ("users", "items", "ratings")


def _data_sentence(part: Experiment, datasets: pd.DataFrame) -> str:
    """Name the data sets, with their sizes after the base design's filter."""
    facts = datasets[(datasets["chain"] == "") & datasets["metric"].isin(_SIZES)]
    sizes = {(row["dataset"], row["metric"]): row["value"] for row in records(facts)}
    is_filtered = str(part.design.filter) != "none"
    named = [
        _data_set_in_words(label, spec, {size: sizes.get((label, size)) for size in _SIZES}, is_filtered=is_filtered)
        for label, spec in part.datasets.items()
    ]
    return f"We used {_count_prefix(len(named), 'data set')}{listed(named)}."


def _data_set_in_words(label: str, spec: Spec, sizes: Mapping[str, float | None], *, is_filtered: bool) -> str:
    written = str(with_file_names("dataset", parse(spec.without(SOURCE).written if spec.get(SOURCE) else spec.written)))
    counts = [f"{count(number)} {name}" for name, number in sizes.items() if number is not None]
    about = [
        *([written] if written != label else []),
        *([f"{'after filtering, ' if is_filtered else ''}{listed(counts)}"] if counts else []),
    ]
    return f"{label} ({'; '.join(about)})"


def _system_in_words(label: str, spec: Spec, words: str | None) -> str:
    component = built("recommender", spec)
    if words := words or (component.prose_title() if component else ""):
        return f"{label} ({words})"
    written = str(with_file_names("recommender", parse(spec.written)))
    preset = getattr(component, "chosen_preset", None)
    if preset:
        values = [f"{name}={format_value(getattr(component, name))}" for name in preset.params]
        return f"{label} ({written}: {', '.join(values)})"
    return label if written.lower() == label.lower() else f"{label} ({written})"


def _count_prefix(number: int, what: str) -> str:
    return "" if number == 1 else f"{number} {what}s: "


_WRITERS: Mapping[str, Callable[[str], str]] = {
    "txt": str,
    "md": escape,
    # Lines are loose, because specs have few line breaks, so tight lines might be wider than the column.
    "tex": lambda paragraph: f"\\begin{{sloppypar}}\n{escape_breakable(paragraph)}\n\\end{{sloppypar}}",
}
"""Writers by form (`recsens.vocabulary.METHODS_FORMS`)."""


def write_methods(paragraph: str, files: Sequence[str | Path]) -> None:
    """Write a paragraph to files, in the formats that their suffixes name."""
    for file in map(Path, files):
        write_text(file, f"{_WRITERS[file.suffix[1:]](paragraph)}\n")
