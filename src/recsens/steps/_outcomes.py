"""The outcomes of a study, read from its files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from recsens.config import load_study
from recsens.measured import Measured
from recsens.outcomes import Outcomes
from recsens.specs import parse


def read_outcomes(
    study: str, measures: Sequence[str], population: str, addresses: Mapping[str, str], user_tables: Sequence[str] = ()
) -> Outcomes:
    """Read a study and its measures; ``addresses`` holds the spec of each data set's address by label."""
    files = {Path(path).stem: path for path in measures}
    specs = {label: parse(spec) for label, spec in addresses.items()}
    return Outcomes(load_study(study), specs, Measured(files, population), {str(Path(path).parent): path for path in user_tables})
