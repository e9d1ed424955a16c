"""The outcomes of a study, read from its files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from recsens.config import load_study
from recsens.outcomes import Measured, Outcomes
from recsens.specs import parse


def read_outcomes(study: str, measures: Sequence[str], population: str, addresses: Mapping[str, str]) -> Outcomes:
    """Read a study and its measures; ``addresses`` holds the spec of each data set's address by label."""
    files = {Path(path).stem: path for path in measures}
    return Outcomes(load_study(study), {label: parse(spec) for label, spec in addresses.items()}, Measured(files, population))
