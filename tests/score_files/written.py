"""Score files as another program writes them, with numpy alone."""

from pathlib import Path
from typing import Any

import numpy as np

USERS, ITEMS = ["u1", "u2", "u3"], ["i1", "i2", "i3", "i4"]


def write(path: Path | str, kind: str, **arrays: Any) -> Path:
    """Write an archive of version 1; an array that is None is left out."""
    given = {"recsens_scores": 1, "kind": kind, **arrays}
    np.savez(path, **{name: np.asarray(array) for name, array in given.items() if array is not None})
    return Path(path)


def factors(**changed: Any) -> dict[str, Any]:
    """Return the arrays of a small model of two factors."""
    rng = np.random.default_rng(1)
    return {
        "users": USERS,
        "items": ITEMS,
        "user_factors": rng.normal(size=(3, 2)).astype(np.float32),
        "item_factors": rng.normal(size=(4, 2)).astype(np.float32),
        **changed,
    }


def dense(**changed: Any) -> dict[str, Any]:
    """Return the arrays of small dense scores."""
    return {"users": USERS, "items": ITEMS, "scores": np.arange(12, dtype=np.float32).reshape(3, 4), **changed}


def weights(**changed: Any) -> dict[str, Any]:
    """Return the arrays of small weights between items."""
    held = {"indptr": [0, 2, 3, 3, 4], "indices": [1, 2, 0, 3], "data": [0.5, 0.25, 0.5, 1.0]}
    return {"items": ITEMS, **held, **changed}


def lists(**changed: Any) -> dict[str, Any]:
    """Return the arrays of small lists, one of them empty."""
    return {"users": USERS, "items": ITEMS, "indptr": [0, 2, 2, 5], "indices": [3, 0, 1, 2, 0], **changed}


def ranks(**changed: Any) -> dict[str, Any]:
    """Return the arrays of small judged ranks."""
    held = {"user": [0, 0, 2], "item": [1, 3, 0], "above": [0, 1, 2], "equal": [0, 1, 0], "candidates": [4, 4, 3]}
    return {"users": USERS, "items": ITEMS, **held, **changed}


WHOLE = {"factors": factors, "dense": dense, "item_weights": weights, "lists": lists, "judged_ranks": ranks}


def write_mapped(path: Path, scores: np.ndarray, users: Any = USERS, items: Any = ITEMS) -> Path:
    """Write a matrix, and the names of its rows and columns into separate files."""
    np.save(path, scores)
    for what, names in (("users", users), ("items", items)):
        path.with_name(f"{path.stem}.{what}.txt").write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
    return path
