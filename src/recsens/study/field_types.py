"""Types of values that a study file writes as text: components, chains of components, and metrics with cut-offs."""

import re
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, PlainValidator, model_validator

from recsens import plugins
from recsens.errors import SpecError
from recsens.metrics import MeasuredAt, parse_measured_at
from recsens.plugins.specs import Chain, Spec, parse, parse_chain
from recsens.study.refusals import NO_VALUE


class Keys(BaseModel):
    """A mapping in a study file. Unknown keys are refused, and values do not change after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True, allow_inf_nan=False)


class PluginEntry(Keys):
    """A mapping in which the first key names a plug-in; the plug-in alone, as text, may replace the whole mapping."""

    @model_validator(mode="before")
    @classmethod
    def _as_mapping(cls, content: Any) -> Any:
        return {next(iter(cls.model_fields)): content} if isinstance(content, str) else content


def check_names(content: object, what: str) -> Any:
    """Check that a mapping's keys can be file names, and return the mapping; any other content is returned unchanged."""
    for name in content if isinstance(content, dict) else ():
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", str(name)):
            raise ValueError(f"'{name}' cannot be the name of {what}; allowed: lower-case letters, digits and hyphens")
    return content


def _component_check(kind: str) -> Callable[[object], Spec]:
    """Check a component against its plug-in, and make it canonical."""

    def check(value: object) -> Spec:
        component = plugins.build(kind, _check_text(value, kind))
        return component.spec

    return check


def _labelled_check(kind: str) -> Callable[[object], Spec]:
    """Check a component that has a label; its spelling keeps every parameter that the study writes, for the methods paragraph."""
    return lambda value: plugins.spelt_out(kind, _check_text(value, kind))


def _option_check(kind: str) -> Callable[[object], Spec]:
    """Check a component that tables show as the study writes it; data sets and systems are shown by labels instead."""
    canonical = _component_check(kind)
    return lambda value: canonical(value).spelt(parse(_check_text(value, kind)))


def _parse_filters(value: object) -> Chain:
    chain = parse_chain(_check_text(value, "filter"))
    return Chain(tuple(plugins.build("filter", link).spec.spelt(link) for link in chain), chain.spelling)


def _check_text(value: object, kind: str) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        raise SpecError(NO_VALUE)
    allowed = "a name, or a name with parameters: user_knn(k=50)"
    raise SpecError(f"write a component as text, not as {value!r}", allowed=allowed, remedy=_remedy_for(value, kind))


def _remedy_for(value: object, kind: str) -> str | None:
    if isinstance(value, bool):
        return "if it is a name, put it in quotes: YAML reads no, off, yes and on as false and true"
    if kind == "split" and (meant := suggest_splits(value)):
        return f"write {meant[0]}" if len(meant) == 1 else f"to try several, write 'vary: {{split: [{', '.join(meant)}]}}'"
    if kind == "filter" and isinstance(value, list):
        return "to apply several filters in turn, write a chain: k_core+sample(ratings=0.5)"
    return f"write one {kind} here, and list further options under 'vary'" if isinstance(value, list) else None


def suggest_splits(value: object) -> list[str]:
    """Return the splits that numbers suggest: a number is a train share or a count of folds. Empty if a value is not a number."""
    options = value if isinstance(value, list) else [value]
    numbers = [option for option in options if isinstance(option, int | float)]
    meant = [f"random(ratio={number:g})" if 0 < number < 1 else f"k_fold(k={number:g})" for number in numbers]
    return meant if len(meant) == len(options) else []


def _parse_metrics(value: object) -> list[MeasuredAt]:
    if not isinstance(value, list) or not value:
        raise SpecError("write the metrics as a list with at least one entry", allowed="[P@10, nDCG@10]")
    number = next((entry for entry in value if isinstance(entry, int | float)), None)
    if number is not None:
        raise SpecError(f"{number} is not a metric", remedy="put a metric with several cut-offs in quotes: ['P@5,10']")
    metrics = [measured for entry in value for measured in parse_measured_at(_check_text(entry, "metric"))]
    spelt: dict[str, MeasuredAt] = {}
    seen: set[str] = set()
    for measured in metrics:
        first = spelt.setdefault(measured.metric.printed, measured)
        if first.spelling != measured.spelling:
            raise SpecError(
                f"'{first.written}' and '{measured.written}' are two spellings of the same metric",
                remedy="spell it the same way everywhere: tables and figures show a metric as the study writes it",
            )
        if str(measured) in seen:
            raise SpecError(f"the metric '{measured.written}' appears twice")
        seen.add(str(measured))
    return metrics


def _one_line(text: str) -> str:
    words = text.strip()
    if len(words.splitlines()) != 1:
        raise ValueError("write what the system is in one line: a two-layer network trained on clicks")
    return words


Words = Annotated[str, AfterValidator(_one_line)]
DataSetSpec = Annotated[Spec, PlainValidator(_labelled_check("dataset"), json_schema_input_type=str)]
FilterChain = Annotated[Chain, PlainValidator(_parse_filters, json_schema_input_type=str)]
SplitSpec = Annotated[Spec, PlainValidator(_option_check("split"), json_schema_input_type=str)]
RecommenderSpec = Annotated[Spec, PlainValidator(_labelled_check("recommender"), json_schema_input_type=str)]
NcSpec = Annotated[Spec, PlainValidator(_option_check("nc"), json_schema_input_type=str)]
TargetsSpec = Annotated[Spec, PlainValidator(_option_check("targets"), json_schema_input_type=str)]
UsersSpec = Annotated[Spec, PlainValidator(_option_check("users"), json_schema_input_type=str)]
GroupSpec = Annotated[Spec, PlainValidator(_option_check("group"), json_schema_input_type=str)]
AggregateSpec = Annotated[Spec, PlainValidator(_option_check("aggregate"), json_schema_input_type=str)]
TestSpec = Annotated[Spec, PlainValidator(_option_check("test"), json_schema_input_type=str)]
FigureSpec = Annotated[Spec, PlainValidator(_component_check("figure"), json_schema_input_type=str)]
ClaimSpec = Annotated[Spec, PlainValidator(_option_check("claim"), json_schema_input_type=str)]
AnalysisSpec = Annotated[Spec, PlainValidator(_option_check("analysis"), json_schema_input_type=str)]
MetricList = Annotated[list[MeasuredAt], PlainValidator(_parse_metrics, json_schema_input_type=list[str])]
