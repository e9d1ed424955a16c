"""The report page's sections: the definitions of metrics and systems, and each experiment with its figures."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from markupsafe import Markup

from recsens.conclusions.design_space import DesignSpace, base_designs, ranking_folder
from recsens.conclusions.verdicts.components import built, in_full, is_by_rating, ranks_systems, short_definition
from recsens.conclusions.verdicts.over_datasets import OverDatasets
from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.conclusions.verdicts.study_tables import Results
from recsens.conclusions.verdicts.uncertainty import uncertainties_of
from recsens.plugins import Plugin
from recsens.plugins.prose import definition
from recsens.plugins.specs import Spec
from recsens.recommenders.tuned import Tuned
from recsens.report.alerts import below_random, warnings
from recsens.report.html.picture import inline_svg
from recsens.report.sentences.effort import effort_sentences, how_searched
from recsens.report.sentences.evidence import HOW, component_sentences
from recsens.report.sentences.groups import group_sentences, how_to_read_groups
from recsens.report.sentences.options import titles_of
from recsens.report.sentences.over_datasets import how_combined, over_datasets_sentences
from recsens.report.sentences.unrated import READING as READING_UNRATED
from recsens.report.sentences.unrated import bounds_sentence, pushed_by_data, tipping_sentences
from recsens.report.settings.statement import differing_settings
from recsens.report.system_remarks import calibrated, remarks, untuned_sentence
from recsens.report.tables.of_dataset import TablesOfDataset, shorten_tables
from recsens.report.tables.questions import (
    effort_tables,
    group_tables,
    order_over_datasets,
    pairs_over_datasets,
    unrated_tables,
    won_by_effort,
)
from recsens.report.tables.tuning import how_tuned
from recsens.report.which_drawing import DESIGNS, usual_drawing
from recsens.study import Experiment, Study
from recsens.study.design import Design
from recsens.study.figures import Declared
from recsens.study.ignored import ignored
from recsens.study.taxonomy import decision
from recsens.tables.table import Table, slug


def experiment_section(
    part: Experiment, study: Study, results: Results, figures: Mapping[str, str], of_datasets: Mapping[str, TablesOfDataset]
) -> dict[str, Any]:
    """Collect the content of one experiment's section."""
    is_own = not set(part.datasets) & set(study.experiments)
    return {
        "study": part,
        "key": "own" if is_own else slug(part.title),
        "is_own": is_own,
        "dataset": "" if is_own else study.dataset_of(part.title),
        "differences": [] if is_own else differing_settings(part, study),
        "by_rating": is_by_rating(next(iter(base_designs(part).values()))),
        "has_own_systems": part.systems != study.systems,
        "folders": {} if is_own else {label: ranking_folder(design) for label, design in base_designs(part).items()},
        "varied": varied_decisions(part, results.summary),
        "warnings": warnings(part, results.counted),
        "below_random": below_random(part, results.summary),
        "components": {"how": HOW, "sentences": component_sentences(uncertainties_of(part, results.components))},
        "effort": _effort_content(part, results),
        "over_datasets": _over_datasets_content(part, results) if is_own else {},
        "unrated": _unrated_content(part, results),
        "groups": _groups_content(part, results),
        **_experiment_tables(part, study, results, figures, [of_datasets[label] for label in part.datasets]),
    }


def varied_decisions(study: Experiment, summary: pd.DataFrame) -> list[dict[str, Any]]:
    """List each varied decision with its options, both as written and in words, and with the metrics that ignore the decision."""
    unmoved, space = ignored(study), DesignSpace(summary)
    return [
        {
            "code": varied.code,
            "name": varied.name,
            "options": titles_of(varied, space.options(varied)),
            "ignored_by": [metric.written for metric in unmoved.get(varied.key, ())],
        }
        for varied in map(decision, study.vary)
    ]


def _effort_content(part: Experiment, results: Results) -> dict[str, Any]:
    """Collect what an experiment says about the effort of tuning; empty if it does not vary the effort."""
    if not part.effort or results.searches.empty:
        return {}
    verdicts = PairVerdicts.of(part, results.verdicts, results.effort)
    return {
        "how": how_searched(part),
        "sentences": effort_sentences(verdicts),
        "tables": shorten_tables(effort_tables(verdicts, results.searches)),
    }


def _over_datasets_content(part: Experiment, results: Results) -> dict[str, Any]:
    """Collect what data sets say together; empty if the experiment does not combine them."""
    over = OverDatasets(part, results)
    if not over.base:
        return {}
    tables = [pairs_over_datasets(over), won_by_effort(over), order_over_datasets(over)]
    return {
        "how": how_combined(over),
        "sentences": over_datasets_sentences(over),
        "tables": shorten_tables(table for table in tables if not table.is_empty),
    }


def _unrated_content(part: Experiment, results: Results) -> dict[str, Any]:
    """Collect what an experiment says about unrated items; empty if it does not ask, or if its lists hold none."""
    found = pushed_by_data(part, results)
    if not found:
        return {}
    return {
        "reading": READING_UNRATED,
        "bounds": [bounds_sentence(pairs) for pairs in found.values()],
        "sentences": tipping_sentences(part, results),
        "tables": shorten_tables(unrated_tables(part, results)),
    }


def _groups_content(part: Experiment, results: Results) -> dict[str, Any]:
    """Collect what an experiment says about groups; empty if it does not ask."""
    sentences = group_sentences(part, results)
    tables = shorten_tables(group_tables(part, results))
    return {"reading": how_to_read_groups(part), "sentences": sentences, "tables": tables} if sentences else {}


def _experiment_tables(
    part: Experiment, study: Study, results: Results, figures: Mapping[str, str], of_datasets: Sequence[TablesOfDataset]
) -> dict[str, Any]:
    keys = of_datasets[0].keys
    by_set = {key: shorten_tables(own.scores(key) for own in of_datasets) for key in keys}
    drawn = figures_shown(part, study, results, figures, by_set)
    descriptive = [str(metric) for metric in part.metrics if not ranks_systems(str(metric))]
    return {
        "results": shorten_tables(own.scores() for own in of_datasets),
        "counted": shorten_tables(own.counted() for own in of_datasets),
        "counted_by_set": shorten_tables(own.counted(key) for key in keys for own in of_datasets),
        "comparisons": shorten_tables(own.comparisons for own in of_datasets),
        "curves": [figure for figure in drawn if figure["is_curve"]],
        "drawn": [figure for figure in drawn if not figure["is_curve"]],
        "every_design": [
            table for tables in by_set.values() if not any(figure["tables"] is tables for figure in drawn) for table in tables
        ],
        "measures_unrated": any(metric.startswith("Unrated") for metric in descriptive),
        "descriptive": shorten_tables(own.scores(ranking=False) for own in of_datasets),
        "descriptive_by_set": shorten_tables(own.scores(key, ranking=False) for key in keys for own in of_datasets if descriptive),
        "coverage": shorten_tables(own.coverage() for own in of_datasets),
        "coverage_by_set": shorten_tables(own.coverage(key) for key in keys for own in of_datasets),
    }


def figures_shown(
    part: Experiment, study: Study, results: Results, figures: Mapping[str, str], tables: Mapping[str, Sequence[Table]]
) -> list[dict[str, Any]]:
    """List the figures of an experiment with title, caption and drawing.

    Parameters
    ----------
    part, study
        The experiment, and its study.
    results
        The tables of the experiment.
    figures
        The SVG text of each figure, by its file name. A figure without an SVG text is left out.
    tables
        The tables of each varied decision, by the decision's key; they appear below the decision's figure.
    """
    own = {
        name: key
        for name, (owner, key) in study.all_figures().items()
        if list(owner.datasets) == list(part.datasets) and name in figures
    }
    drawn = [
        page_figure(name, one.title or one.drawing.heading(part), figures[name], full_caption(one.drawing, part, one.caption))
        for name in own
        if (one := study.drawn.get(name))
    ]
    names = {decision(key).name: key for key in part.vary}
    changed = Counter(names.get(row["decision"], "") for row in PairVerdicts.of(part, results.verdicts).changed())
    by_change = sorted(((name, key) for name, key in own.items() if name not in study.drawn), key=lambda named: -changed[named[1]])
    return [*(_usual_figure(name, key, part, figures[name], tables.get(key, [])) for name, key in by_change), *drawn]


def _usual_figure(name: str, key: str, part: Experiment, svg: str, tables: Sequence[Table]) -> dict[str, Any]:
    drawing = usual_drawing(key)
    shown = page_figure(name, drawing.heading(part), svg, full_caption(drawing, part))
    return {**shown, "code": decision(key).code if key in part.vary else "", "tables": tables, "is_curve": key == DESIGNS}


def full_caption(drawing: Declared, part: Experiment, words: str = "") -> str:
    """Return the caption of a figure: the study's words, text that explains the figure, and remarks about its systems."""
    return " ".join(filter(None, [words, drawing.caption(part), calibrated(part), untuned_sentence(part)]))


def page_figure(name: str, title: str, svg: str, words: str) -> dict[str, Any]:
    """Return the title, drawing and caption of a figure that is not about a varied decision."""
    return {
        "name": name,
        "title": title,
        "code": "",
        # Our own code drew the figure, from labels that cannot contain markup, and its title is escaped.
        "svg": Markup(inline_svg(svg, name=f"figure-{name}", title=f"{words} The tables hold the same numbers.")),  # noqa: S704
        "caption": words,
        "tables": [],
        "is_curve": False,
    }


def metric_definitions(study: Study) -> list[dict[str, str]]:
    """List a study's metrics, each with its names, range, direction, definition and source."""
    return [
        {
            "printed": str(metric),
            "short": metric.written,
            "range": metric.metric.values_range,
            "better": "neither direction is better"
            if metric.metric.is_descriptive
            else f"{'higher' if metric.metric.higher_is_better else 'lower'} is better",
            **_component_facts(metric.metric),
        }
        for metric in study.all_metrics()
    ]


def system_definitions(study: Study, designs: Mapping[str, Design]) -> list[dict[str, Any]]:
    """List a study's systems, each with its recommender and every parameter, definition, source, remarks and folders."""
    systems = {(label, str(spec)): spec for experiment in study.all_experiments() for label, spec in experiment.systems.items()}
    splits = [design.split for experiment in study.all_experiments() for design in experiment.designs()]
    return [_system_entry(label, spec, designs, splits, study.chosen.get(label, "")) for (label, _), spec in systems.items()]


def _system_entry(label: str, spec: Spec, designs: Mapping[str, Design], splits: Sequence[Spec], words: str) -> dict[str, Any]:
    component = built("recommender", spec)
    defined = component.inner if isinstance(component, Tuned) else component
    return {
        "label": label,
        "spec": str(in_full("recommender", str(spec))),
        "remarks": [*remarks(spec, words), *how_tuned(spec, splits)],
        "addresses": [ranking_folder(design, spec) for design in designs.values()],
        **(_component_facts(defined) if defined else {"concept": "", "definition": "", "source": "", "parameters": []}),
    }


def _component_facts(component: Plugin) -> dict[str, Any]:
    cls = type(component)
    parameters = [f"{name}: {field.description}" for name, field in cls.model_fields.items() if field.description]
    return {"concept": short_definition(cls), "definition": definition(cls), "source": cls.source, "parameters": parameters}
