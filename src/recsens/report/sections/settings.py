"""The settings: first the study's own decisions, then the decisions that keep their defaults."""

from collections.abc import Sequence

from recsens.report.settings.setting import Setting
from recsens.study import Decisions, Study
from recsens.study.taxonomy import DECISIONS


def own_and_default(study: Study, settings: Sequence[Setting]) -> tuple[list[Setting], list[Setting]]:
    """Divide a report's settings into decisions that the study changes or varies, and decisions that keep their defaults.

    A default that the study file writes out is a default too, because the results are the same. The lines about special cases of
    metrics, and about the root seed, count as defaults.
    """
    changed = {key for key in Decisions.model_fields if getattr(study.design, key) != getattr(Decisions(), key)}
    kept = {each.name for each in DECISIONS if each.key not in {*changed, *study.vary}}
    special = {line.name for line in settings} - {each.name for each in DECISIONS} - _WRITTEN
    is_default = [line.name in kept or (line.name in special and not line.name.startswith("Data set ")) for line in settings]
    own = [line for line, default in zip(settings, is_default, strict=True) if not default]
    return own, [line for line, default in zip(settings, is_default, strict=True) if default]


_WRITTEN = {"Systems", "Metrics", "Pairs compared", "Threshold of significance"}
"""Lines of a statement that count as the study's own, because they have no default or because the verdicts depend on them."""
