"""What the files of results hold: the columns of every table, and a kind with a version for every file.

A change of a schema raises its version: a reader refuses what states another.
"""

import pyarrow as pa

INTERACTIONS = pa.schema(
    [
        pa.field("user", pa.int32(), nullable=False),
        pa.field("item", pa.int32(), nullable=False),
        pa.field("rating", pa.float64()),
        pa.field("timestamp", pa.int64()),
    ],
    metadata={"kind": "interactions 1"},
)
"""One row per interaction, with the codes of the id tables beside it; a column that the data set lacks holds nulls."""

IDS = pa.schema(
    [pa.field("key", pa.int64(), nullable=False), pa.field("id", pa.string(), nullable=False)], metadata={"kind": "ids 1"}
)
"""Row number = code; ``key`` is the code given at ingest, ``id`` the name in the raw file."""

SIDE_COLUMNS = pa.schema([pa.field("key", pa.int64(), nullable=False)], metadata={"kind": "side columns 1"})
"""What is known of users, or of items: row for row as the id table beside it. A column follows for each of the side table."""

CONTEXTS = pa.schema(
    [pa.field("user", pa.int32(), nullable=False), pa.field("item", pa.int32(), nullable=False)], metadata={"kind": "contexts 1"}
)
"""What is known of interactions: row for row as interactions.parquet. A column follows for each thing known."""

ROLES = pa.schema([pa.field("role", pa.uint8(), nullable=False)], metadata={"kind": "roles 1"})
"""One row per interaction, in the order of interactions.parquet."""

POSITIONS = pa.schema(
    [
        pa.field("user", pa.int32(), nullable=False),
        pa.field("item", pa.int32(), nullable=False),
        pa.field("rating", pa.float64()),
        pa.field("score", pa.float64()),
        pa.field("above", pa.int32()),
        pa.field("tied", pa.int32()),
        pa.field("position", pa.int32()),
        pa.field("state", pa.uint8(), nullable=False),
    ],
    metadata={"kind": "positions 1"},
)
"""One row per user and judged item, by user and item; null if the item is not ranked, ``score`` also if it was filled in."""

RATING_POSITIONS = pa.schema(
    [*POSITIONS, *(pa.field(name, pa.int32(), nullable=False) for name in ("targets", "ranked", "percentile"))],
    metadata={"kind": "positions 1"},
)
"""Under 1R, one row per relevant test rating: with the number of its targets, how many of them are ranked, and its percentile."""

RANKED_USERS = pa.schema(
    [pa.field(name, pa.int32(), nullable=False) for name in ("train", "test", "targets", "scored", "filled")],
    metadata={"kind": "users 1"},
)
"""Row number = user: numbers of train, test, target and ranked items, and how many of the ranked were filled in.

Under 1R the targets are those that the rankings of the user draw from.
"""

LISTS = pa.schema(
    [
        pa.field("user", pa.int32(), nullable=False),
        pa.field("rank", pa.int32(), nullable=False),
        pa.field("item", pa.int32(), nullable=False),
        pa.field("score", pa.float64()),
    ],
    metadata={"kind": "lists 1"},
)
"""The top of each ranking, best first; no score for an item that was filled in."""

DATASET = "dataset 1"
"""Record of a data set: its source, what was found in it, the filters applied and the scale."""

SPLIT = "split 1"
"""Record of a fold: its sizes."""

CHECK = "check 1"
"""Record of a check of target items."""

TUNING = "tuning 1"
"""Record of tuning: every candidate, and the one chosen."""

COSTS = "costs 1"
"""Record of a job's costs."""

MODEL = "model 1"
"""What a recommender learnt."""

TRUTH = "truth 1"
"""Complete relevance of a simulated data set."""


def kind_of(schema: pa.Schema) -> str:
    """Return what a table of a schema holds, with the version of the schema."""
    return str((schema.metadata or {}).get(b"kind", b"").decode())
