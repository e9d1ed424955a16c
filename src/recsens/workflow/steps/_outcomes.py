"""The outcomes of a study, built from the measures on disk."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from recsens.artefacts import schemas, storage
from recsens.outcomes.measuring.stored_measures import Measured
from recsens.outcomes.summary import Outcomes
from recsens.plugins.specs import parse
from recsens.study import Study


def read_outcomes(
    study: Study,
    measures: Sequence[str],
    population: str,
    addresses: Mapping[str, str],
    user_tables: Sequence[str] = (),
    user_ids: Sequence[str] = (),
) -> Outcomes:
    """Read a study's measures; ``addresses`` maps each data set's label to the spec in its path.

    ``user_ids`` are the files of the users of filtered data sets, if several designs filter a data set differently.
    """
    files = {Path(path).stem: path for path in measures}
    specs = {label: parse(spec) for label, spec in addresses.items()}
    tables = {str(Path(path).parent): path for path in user_tables}
    keys = {str(Path(path).parent): storage.column(storage.read_table(path, schemas.IDS, ["key"]), "key") for path in user_ids}
    return Outcomes(study, specs, Measured.read(files, population), tables, keys)
