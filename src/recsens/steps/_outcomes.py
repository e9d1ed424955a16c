"""The outcomes of a study, built from the measures on disk."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from recsens.outcomes.measuring.stored_measures import Measured
from recsens.outcomes.summary import Outcomes
from recsens.plugins.specs import parse
from recsens.study import Study


def read_outcomes(
    study: Study, measures: Sequence[str], population: str, addresses: Mapping[str, str], user_tables: Sequence[str] = ()
) -> Outcomes:
    """Read a study's measures; ``addresses`` maps each data set's label to the spec in its path."""
    files = {Path(path).stem: path for path in measures}
    specs = {label: parse(spec) for label, spec in addresses.items()}
    return Outcomes(study, specs, Measured(files, population), {str(Path(path).parent): path for path in user_tables})
