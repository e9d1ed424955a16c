"""Judged positions in compact scores are those by sorting, byte for byte, in every form and however the scores lie."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from evaluation.by_sorting import positions_by_sorting
from ranking.test_by_counting import KINDS, scores_of
from recsens.runs.evaluation._evaluate import Evaluator
from recsens.runs.evaluation._file_positions import RankedScores
from recsens.score_files import ScoreFile, read_scores
from score_files.written import write, write_mapped

SHAPE = 23, 40
USERS, ITEMS = ([f"{letter}{n}" for n in range(count)] for letter, count in zip("ui", SHAPE, strict=True))
DECIDED: tuple[dict[str, Any], ...] = (
    {},
    {"convention": "trec_eval"},
    {"convention": "cornac"},
    {"train_items": "all"},
    {"train_items": "low", "unknown": "drop"},
)
"""Settings that change which scores are ranked, or which judgements are worth what."""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("recsens.runs.evaluation._file_positions.USERS_AT_ONCE", 6)


def rows(pairs: np.ndarray, rating: np.ndarray) -> pd.DataFrame:
    """List pairs; each side has users and items that no other side has."""
    user, item = np.nonzero(pairs)
    return pd.DataFrame(
        {"user": [f"u{n + 3}" for n in user], "item": [f"i{n + 2}" for n in item], "rating": rating[user, item]}
    ).sample(frac=1, random_state=1)


def files(scores: np.ndarray, rng: np.random.Generator) -> list[ScoreFile]:
    """Write scores in every form, in several types, with users and items in no order."""
    users, items = rng.permutation(USERS), rng.permutation(ITEMS)
    named = {"users": users, "items": items}
    single = np.clip(scores, -3e38, 3e38)
    whole = np.where(np.isnan(scores), 0.0, scores)
    weighed = csr_array(np.where(rng.random((SHAPE[1],) * 2) < 0.2, rng.choice([-0.5, 0.5, 1.0], (SHAPE[1],) * 2), 0.0))
    weights = {"indptr": weighed.indptr, "indices": weighed.indices, "data": weighed.data}
    written = [
        write("half.npz", "dense", **named, scores=np.clip(scores, -6e4, 6e4).astype(np.float16)),
        write_mapped(Path("single.npy"), single.astype(np.float32), users, items),
        write_mapped(Path("double.npy"), scores, users, items),
        write(
            "weights.npz", "item_weights", items=items, profile="ratings", unreached=str(rng.choice(["zero", "none"])), **weights
        ),
    ]
    if np.abs(whole).max() < 1e290:  # Factors that could give infinite scores are refused.
        written += [
            write("unit.npz", "factors", **named, user_factors=whole, item_factors=np.eye(SHAPE[1])),
            write("far.npz", "factors", **named, user_factors=whole, item_factors=np.full((SHAPE[1], SHAPE[1]), 1e10)),
        ]
    return [read_scores(Path(path), Path(path).suffix[1:], "score") for path in written]  # type: ignore[misc, arg-type]


@pytest.mark.parametrize("number", range(len(KINDS)), ids=KINDS)
def test_positions_are_those_by_sorting(number):
    rng = np.random.default_rng(number)
    role, rating = rng.random(SHAPE), rng.integers(-1, 6, SHAPE)
    # One user has judged everything, one nothing, and one has no candidate.
    role[5], role[6], role[7] = 0.1, 0.5, 0.9
    test, train = rows(role < 0.4, rating), rows(role > 0.7, rating)
    with np.errstate(over="ignore", invalid="ignore"):
        runs = files(scores_of(KINDS[number], SHAPE, rng).astype(np.float64), rng)
        for place, run in enumerate(runs):
            decided = DECIDED[(number + place) % len(DECIDED)]
            evaluator = Evaluator.of(test, train=train, **decided)
            given = run, evaluator.judgements, evaluator.settings
            found = RankedScores(*given, evaluator.train)
            for ties in ("item", "given", "pessimistic", "optimistic"):
                assert_same(found.under(ties), positions_by_sorting(*given, ties, evaluator.train))


def assert_same(found, expected) -> None:
    for name in ("position", "score", "listed"):
        ours, theirs = getattr(found, name), getattr(expected, name)
        assert (ours.dtype, ours.tobytes()) == (theirs.dtype, theirs.tobytes()), name
    assert (found.is_tied, found.n_tied, found.notes) == (expected.is_tied, expected.n_tied, expected.notes)
    assert found.matched == expected.matched
