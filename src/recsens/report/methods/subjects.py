"""What was studied, in prose: data sets with their sizes, systems with their parameters, metrics."""

from collections.abc import Mapping

import pandas as pd

from recsens.conclusions.verdicts.components import built
from recsens.conclusions.verdicts.results import records
from recsens.plugins import SOURCE
from recsens.plugins.specs import Spec, format_value
from recsens.report.methods.phrases import listed
from recsens.report.remarks import calibrated
from recsens.report.tables.tuning import how_tuned
from recsens.study import Experiment
from recsens.tables.numbers import count

_SIZES = ("users", "items", "ratings")


def data_sentence(part: Experiment, datasets: pd.DataFrame) -> str:
    """Name the data sets, with their sizes after the base design's filter."""
    facts = datasets[(datasets["chain"] == "") & datasets["metric"].isin(_SIZES)]
    sizes = {(row["dataset"], row["metric"]): row["value"] for row in records(facts)}
    is_filtered = str(part.design.filter) != "none"
    named = [
        _data_set(label, spec, {size: sizes.get((label, size)) for size in _SIZES}, is_filtered=is_filtered)
        for label, spec in part.datasets.items()
    ]
    return f"We used {_counted(len(named), 'data set')}{listed(named)}."


def _data_set(label: str, spec: Spec, sizes: Mapping[str, float | None], *, is_filtered: bool) -> str:
    written = spec.without(SOURCE).written
    known = [f"{count(number)} {name}" for name, number in sizes.items() if number is not None]
    about = [
        *([written] if written != label else []),
        *([f"{'after filtering, ' if is_filtered else ''}{listed(known)}"] if known else []),
    ]
    return f"{label} ({'; '.join(about)})"


def system_sentences(part: Experiment) -> list[str]:
    """Name the systems, with parameters that differ from their defaults, and what chose them."""
    named = [_system(label, spec) for label, spec in part.systems.items()]
    chosen = [f"{label}: {sentence}" for label, spec in part.systems.items() for sentence in how_tuned(spec)]
    plain = "Parameters that are not named have their default values."
    return [f"We compared {_counted(len(named), 'system')}{listed(named)}.", plain, *chosen, *filter(None, [calibrated(part)])]


def metric_sentence(part: Experiment) -> str:
    """Name the metrics with every parameter."""
    named = [one.written if one.written == str(one) else f"{one.written} (= {one})" for one in part.metrics]
    return f"We measured {listed(named)}."


def _system(label: str, spec: Spec) -> str:
    component = built("recommender", spec)
    written = spec.written
    preset = getattr(component, "chosen_preset", None)
    if preset:
        values = [f"{name}={format_value(getattr(component, name))}" for name in preset.params]
        return f"{label} ({written}: {', '.join(values)})"
    return label if written.lower() == label.lower() else f"{label} ({written})"


def _counted(number: int, what: str) -> str:
    return "" if number == 1 else f"{number} {what}s: "
