"""Schemas of result files: the columns of every table, and the kind and version of every file.

Whoever changes a schema raises its version. Readers refuse a file that states a different version.
"""

from functools import partial

import pyarrow as pa

_CODE, _BYTE = (pa.field("", type_, nullable=False) for type_ in (pa.int32(), pa.uint8()))
_KEY, _NAME = (pa.field("", type_, nullable=False) for type_ in (pa.int64(), pa.string()))
_NUMBER, _COUNT, _TIME = map(partial(pa.field, ""), (pa.float64(), pa.int32(), pa.int64()))
"""Types of columns. Codes, keys, names and bytes are never null; numbers, counts and times may be."""


def _table(kind: str, **columns: pa.Field) -> pa.Schema:
    return pa.schema([column.with_name(name) for name, column in columns.items()], metadata={"kind": kind})


INTERACTIONS = _table("interactions 1", user=_CODE, item=_CODE, rating=_NUMBER, timestamp=_TIME)
"""One row per interaction; user and item are row numbers of the id tables. A column that the data set lacks is all null."""

IDS = _table("ids 1", key=_KEY, id=_NAME)
"""The row number is the code, ``key`` is the code before any filter, and ``id`` is the name in the raw file."""

SIDE_COLUMNS = _table("side columns 1", key=_KEY)
"""Side information on users or items; the rows are those of the id table. The columns of the side table follow."""

CONTEXTS = _table("contexts 1", user=_CODE, item=_CODE)
"""Side information on interactions; the rows are those of interactions.parquet. The columns of the contexts follow."""

ROLES = _table("roles 1", role=_BYTE)
"""One row per interaction, in the order of interactions.parquet."""

POSITIONS = _table(
    "positions 1", user=_CODE, item=_CODE, rating=_NUMBER, score=_NUMBER, above=_COUNT, tied=_COUNT, position=_COUNT, state=_BYTE
)
"""One row per user and judged item, sorted by user, then by item.

``score``, ``above``, ``tied`` and ``position`` are null for unranked items. For filled-in items, which a fallback ranks, only
``score`` is null.
"""

RATING_POSITIONS = _table("positions 1", **{each.name: each for each in POSITIONS}, targets=_CODE, ranked=_CODE, percentile=_CODE)
"""Under 1R, each relevant test rating has its own ranking, and one row.

``targets`` and ``ranked`` are the numbers of targets and of ranked targets in this ranking; ``percentile`` is the item's percentile
of popularity (0 without percentiles).
"""

RANKED_USERS = _table("users 1", train=_CODE, test=_CODE, targets=_CODE, scored=_CODE, filled=_CODE)
"""The row number is the user. Columns are the numbers of train, test, target, scored and filled-in items.

Under 1R, ``targets`` counts the items from which the targets of the user's rankings are taken.
"""

LISTS = _table("lists 1", user=_CODE, rank=_CODE, item=_CODE, score=_NUMBER)
"""The top of each ranking, best first; an item that was filled in has no score."""

DATASET = "dataset 1"
"""Record of a data set: its source, counts from reading it, the filters applied, and the scale."""

SPLIT = "split 1"
"""Record of a fold: its sizes."""

CHECK = "check 1"
"""Record of a check of target items."""

TUNING = "tuning 1"
"""Record of tuning: every candidate, and the chosen candidate."""

TUNING_SHARD = "tuning shard 1"
"""Candidates of one shard of a search, with their values."""

COSTS = "costs 1"
"""Record of a job's costs."""

MODEL = "model 1"
"""The arrays that a recommender learnt."""

TRUTH = "truth 1"
"""Complete relevance of a simulated data set."""


def kind_of(schema: pa.Schema) -> str:
    """Return the kind of table that a schema describes, with the schema's version."""
    return str((schema.metadata or {}).get(b"kind", b"").decode())
