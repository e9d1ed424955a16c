"""The sections that define metrics and systems."""

from collections.abc import Mapping
from typing import Any

from recsens.conclusions.design_space import address
from recsens.conclusions.verdicts.components import built, concept, in_full
from recsens.plugins import Plugin
from recsens.plugins.prose import definition
from recsens.plugins.specs import Spec
from recsens.recommenders.tuned import Tuned
from recsens.report.system_remarks import remarks
from recsens.report.tables.tuning import how_tuned
from recsens.study import Study
from recsens.study.design import Design


def metric_definitions(study: Study) -> list[dict[str, str]]:
    """List a study's metrics, each with its names, range, direction, definition and source."""
    return [
        {
            "printed": str(metric),
            "short": metric.written,
            "range": metric.metric.values_range,
            "better": _better(metric.metric.is_descriptive, metric.metric.higher_is_better),
            **_about(metric.metric),
        }
        for metric in study.all_metrics()
    ]


def _better(is_descriptive: bool, higher: bool) -> str:
    if is_descriptive:
        return "neither direction is better"
    return "higher is better" if higher else "lower is better"


def system_definitions(study: Study, designs: Mapping[str, Design]) -> list[dict[str, Any]]:
    """List a study's systems, each with its recommender and every parameter, definition, source, remarks and folders."""
    systems = {(label, str(spec)): spec for experiment in study.all_experiments() for label, spec in experiment.systems.items()}
    return [_system(label, spec, designs) for (label, _), spec in systems.items()]


def _system(label: str, spec: Spec, designs: Mapping[str, Design]) -> dict[str, Any]:
    component = built("recommender", spec)
    defined = component.inner if isinstance(component, Tuned) else component
    return {
        "label": label,
        "spec": str(in_full("recommender", str(spec))),
        "remarks": [*remarks(spec), *how_tuned(spec)],
        "addresses": [address(design, spec) for design in designs.values()],
        **(_about(defined) if defined else {"concept": "", "definition": "", "source": "", "parameters": []}),
    }


def _about(component: Plugin) -> dict[str, Any]:
    cls = type(component)
    parameters = [f"{name}: {field.description}" for name, field in cls.model_fields.items() if field.description]
    return {"concept": concept(cls), "definition": definition(cls), "source": cls.source, "parameters": parameters}
