"""Names of the study's metrics in the parameters of a plug-in."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import BeforeValidator

from recsens.conclusions.verdicts.components import measured
from recsens.errors import SpecError, nearest
from recsens.metrics import MeasuredAt
from recsens.plugins.specs import Spec
from recsens.study import Experiment


def as_text(value: object) -> object:
    """Write a metric with parameters as text; the grammar parses a metric without a cut-off as a component."""
    return str(value) if isinstance(value, Spec) else value


def _as_texts(value: object) -> object:
    if isinstance(value, tuple):
        return tuple(map(as_text, value))
    return (str(value),) if isinstance(value, str | Spec) else value


Name = Annotated[str, BeforeValidator(as_text)]
"""The name of a metric, perhaps with parameters."""

Names = Annotated[tuple[str, ...], BeforeValidator(_as_texts, json_schema_input_type=str | tuple[str, ...])]
"""The name of a metric, or a list of such names."""


def metrics_of(experiment: Experiment, name: str, free: Sequence[str] = ()) -> list[MeasuredAt]:
    """Return the study's metrics with a name. The name omits parameters and cut-offs that are dimensions.

    Raises
    ------
    SpecError
        If there is no such metric.
    """
    spelled = {_named(at, free): at for at in experiment.metrics}
    matching = [at for at in experiment.metrics if name in {_named(at, free), at.written, at.short, str(at)} and _is_on(at, free)]
    if not matching and not free:
        try:
            matching = [at for at in experiment.metrics if str(at) == str(measured(name))]
        except SpecError:
            matching = []
    if not matching:
        raise SpecError(f"'{name}' is not among the metrics of the study{nearest(name, spelled)}", allowed=", ".join(spelled))
    return matching


def _is_on(at: MeasuredAt, free: Sequence[str]) -> bool:
    return not (at.is_whole and "cutoff" in free)


def _named(at: MeasuredAt, free: Sequence[str]) -> str:
    spec = at.metric.spec
    inner = [name.rpartition(".") for name in free if "." in name]
    spec = spec.without(*(name for plugin, _, name in inner if plugin == spec.name))
    if not free:
        return at.written
    return str(spec) if at.is_whole or "cutoff" in free else f"{spec}@{at.cutoff}"
