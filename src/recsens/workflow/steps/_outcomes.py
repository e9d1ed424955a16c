"""The outcomes of a study, built from the measures on disk."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NotRequired, TypedDict, Unpack

from recsens.artefacts import schemas, storage
from recsens.outcomes.measuring.stored_measures import Measured
from recsens.outcomes.summary import Outcomes
from recsens.plugins.specs import parse
from recsens.study.keys_by_step import load_part


class OutcomeFiles(TypedDict):
    """What a step gets that reads outcomes.

    Attributes
    ----------
    study
        The study file.
    measures
        The measures of each metric; none for a step that only needs the users.
    population
        The users of every ranking.
    user_tables, user_ids
        The tables of users by which designs weight users; the users of filtered data sets, if designs filter a data set
        differently.
    addresses
        The spec in each data set's path, by label.
    decisions
        The digest of the step's part of the study when the run was planned.
    """

    study: str
    measures: NotRequired[Sequence[str]]
    population: str
    user_tables: NotRequired[Sequence[str]]
    user_ids: NotRequired[Sequence[str]]
    addresses: Mapping[str, str]
    decisions: NotRequired[str | None]


def read_outcomes(step: str, **files: Unpack[OutcomeFiles]) -> Outcomes:
    """Read the outcomes for a step, which receives its part of the study."""
    asked = load_part(files["study"], step, files.get("decisions"))
    measures = {Path(path).stem: path for path in files.get("measures", ())}
    specs = {label: parse(spec) for label, spec in files["addresses"].items()}
    tables = {str(Path(path).parent): path for path in files.get("user_tables", ())}
    keys = {
        str(Path(path).parent): storage.column(storage.read_table(path, schemas.IDS, ["key"]), "key")
        for path in files.get("user_ids", ())
    }
    return Outcomes(asked, specs, Measured.read(measures, files["population"]), tables, keys)
