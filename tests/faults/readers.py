"""How the steps read each kind of result; they return a file's content as text, for comparison."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd
import pyarrow as pa

from recsens.artefacts import schemas, storage
from recsens.artefacts.statements import SIDECARS
from recsens.conclusions.meta import FINDINGS
from recsens.conclusions.verdicts import study_tables
from recsens.outcomes.measuring.stored_rankings import CELL, POPULATION
from recsens.workflow import job_inputs
from recsens.workflow.prepare_run import LATEST

Reader = Callable[[Path], object]


def _table(schema: pa.Schema) -> Reader:
    return lambda path: storage.read_table(path, schema).to_pydict()


def _arrays(kind: str) -> Reader:
    def read(path: Path) -> object:
        header, arrays = storage.read_arrays(path, kind)
        return header, {name: (array.dtype.str, array.shape, array.tobytes()) for name, array in arrays.items()}

    return read


def _record(kind: str) -> Reader:
    return partial(storage.read_json, kind=kind)


def _frame(read: Callable[[Path], pd.DataFrame]) -> Reader:
    return lambda path: read(path).to_csv()


READERS: dict[str, Reader] = {
    "interactions.parquet": _table(schemas.INTERACTIONS),
    "user_ids.parquet": _table(schemas.IDS),
    "item_ids.parquet": _table(schemas.IDS),
    "user_columns.parquet": _table(schemas.SIDE_COLUMNS),
    "item_columns.parquet": _table(schemas.SIDE_COLUMNS),
    "contexts.parquet": _table(schemas.CONTEXTS),
    "dataset.json": _record(schemas.DATASET),
    "truth.npz": _arrays(schemas.TRUTH),
    "roles.parquet": _table(schemas.ROLES),
    "split.json": _record(schemas.SPLIT),
    "checks/*.json": _record(schemas.CHECK),
    "tuning.json": _record(schemas.TUNING),
    "model.npz": _arrays(schemas.MODEL),
    "positions.parquet": _table(schemas.POSITIONS),
    "users.parquet": _table(schemas.RANKED_USERS),
    "lists-100.parquet": _table(schemas.LISTS),
    "trials-positions.parquet": _table(schemas.POSITIONS),
    "trials-users.parquet": _table(schemas.RANKED_USERS),
    "benchmarks/**/*.json": _record(schemas.COSTS),
    "measures/metric/*.parquet": _table(CELL),
    "measures/population.parquet": _table(POPULATION),
    "meta/*/*.parquet": _table(FINDINGS),
    "every/findings.csv": _frame(lambda path: study_tables.read_table(path, "findings")),
    "every/summary.csv": _frame(partial(study_tables.read_table, name="summary")),
    "every/comparisons.csv": _frame(partial(study_tables.read_table, name="comparisons")),
    "every/counted.csv": _frame(partial(study_tables.read_table, name="counted")),
    "every/datasets.csv": _frame(partial(study_tables.read_table, name="datasets")),
    "every/splits.csv": _frame(partial(study_tables.read_table, name="splits")),
    "every/predictions.csv": _frame(partial(study_tables.read_table, name="predictions")),
    "every/ties.csv": _frame(partial(study_tables.read_table, name="ties")),
    "every/multiverse.csv": _frame(partial(study_tables.read_table, name="multiverse")),
    "every/joint.csv": _frame(partial(study_tables.read_table, name="joint")),
    "every/overlap.csv": _frame(partial(study_tables.read_table, name="overlap")),
    "every/components.csv": _frame(partial(study_tables.read_table, name="components")),
    "every/effort.csv": _frame(partial(study_tables.read_table, name="effort")),
    "every/over_datasets.csv": _frame(partial(study_tables.read_table, name="over_datasets")),
    "every/effects.csv": _frame(partial(study_tables.read_table, name="effects")),
    "every/groups.csv": _frame(partial(study_tables.read_table, name="groups")),
    "every/group_values.csv": _frame(partial(study_tables.read_table, name="group_values")),
    "every/unrated.csv": _frame(partial(study_tables.read_table, name="unrated")),
    "every/unrated_rates.csv": _frame(partial(study_tables.read_table, name="unrated_rates")),
    "every/searches.csv": _frame(partial(study_tables.read_table, name="searches")),
    "every/tuning.csv": _frame(partial(study_tables.read_table, name="tuning")),
    **dict.fromkeys(
        ("every/verdicts.csv", "every/flips.csv", "every/claims.csv", "costs.csv", "costs.html", "tables.tex", "tables.md"),
        storage.read_bytes,
    ),
    **dict.fromkeys(("every/influence.csv", "every/shortest.csv", "every/truth.csv", "every/truth.md"), storage.read_bytes),
    **dict.fromkeys(("tables/*.csv", "tables/*.tex", "tables/*.md", "tables/*.txt"), storage.read_bytes),
    **dict.fromkeys(("report.html", "figures/*.svg", "figures/*.png", "figures/*.pdf"), storage.read_bytes),
}
"""Pattern of the files of each kind of result -> what reads them."""


def read(pattern: str, path: Path) -> str:
    """Read a result as a job does: first the statements of all inputs, then the content."""
    job_inputs.digests_of([str(path)])
    return repr(READERS[pattern](path))


def files_of(pattern: str) -> list[Path]:
    """List the results of a kind."""
    found = (path for path in Path("results").rglob(pattern) if SIDECARS not in path.parts)
    return sorted(path for path in found if path != LATEST)
