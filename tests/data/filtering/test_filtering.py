"""Filters, and the step that applies them and renumbers what they keep."""

from pathlib import Path

import numpy as np
import pytest

from recsens import plugins
from recsens.artefacts import schemas, storage
from recsens.artefacts.filesets import InteractionFiles
from recsens.artefacts.folds import read_interactions, write_interactions
from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.seeds import Origin, Stream
from recsens.testing import crowd, from_rows
from recsens.workflow.steps.filter import filter as filter_step

X = None


@pytest.fixture
def filtered(tmp_path):
    """Apply a chain of filters to interactions on disk."""
    plugins.add_paths([Path(__file__).parent])

    def apply(data: Interactions, chain: str) -> tuple[Interactions, dict]:
        raw, kept = (InteractionFiles.within(tmp_path / name) for name in ("in", "out"))
        write_interactions(
            data,
            user_ids=[f"u{key}" for key in data.user_keys],
            item_ids=[f"i{key}" for key in data.item_keys],
            record={"spec": "tiny"},
            files=raw,
        )
        filter_step(data=raw, kept=kept, chain=chain, origin=Origin(0, "tiny"))
        return read_interactions(kept), {
            "record": storage.read_json(kept.dataset, schemas.DATASET),
            "users": storage.read_table(kept.user_ids, schemas.IDS).to_pylist(),
            "items": storage.read_table(kept.item_ids, schemas.IDS).to_pylist(),
        }

    return apply


def test_none_keeps_everything():
    data = crowd(50, 20)
    assert plugins.build("filter", "none").apply(data, Stream.of(0)) is data


def test_who_is_left_is_renumbered_and_keeps_key_and_name(filtered):
    data = from_rows([[5, 1, X], [X, 2, X], [X, 2, 4]])
    kept, files = filtered(data, "own_filters.FromThree")
    assert (kept.user.tolist(), kept.item.tolist(), kept.rating.tolist()) == ([0, 1], [0, 1], [5, 4])
    assert (kept.user_keys.tolist(), kept.item_keys.tolist()) == ([0, 2], [0, 2])
    assert files["users"] == [{"key": 0, "id": "u0"}, {"key": 2, "id": "u2"}]
    assert [item["id"] for item in files["items"]] == ["i0", "i2"]


def test_each_filters_effect_is_recorded(filtered):
    data = from_rows([[5, 1, X], [X, 2, X], [X, 2, 4]])
    _, files = filtered(data, "none+own_filters.FromThree")
    whole = {"users": 3, "items": 3, "ratings": 5}
    assert files["record"]["filters"] == [
        {"filter": "none", "before": whole, "after": whole},
        {"filter": "own_filters.FromThree", "before": whole, "after": {"users": 2, "items": 2, "ratings": 2}},
    ]


def test_a_filter_that_stands_twice_draws_twice(filtered):
    once, _ = filtered(crowd(60, 50, share=0.5), "own_filters.Half")
    twice, _ = filtered(crowd(60, 50, share=0.5), "own_filters.Half+own_filters.Half")
    assert 0.35 < len(twice) / len(once) < 0.65


def test_items_that_nobody_had_rated_stay_as_they_can_be_recommended_and_users_go(filtered):
    kept, _ = filtered(from_rows([[5, X], [X, X]]), "none")
    assert (kept.n_users, kept.n_items) == (1, 2)


def test_a_filter_that_leaves_nothing_is_refused(filtered):
    with pytest.raises(DesignError, match="leaves no interaction of 'tiny'"):
        filtered(from_rows([[5]]), "own_filters.Nothing")


def test_what_is_written_is_read_back(filtered):
    data = crowd(60, 30, share=0.5)
    kept, _ = filtered(data, "none")
    for name in ("user", "item", "rating", "user_keys", "item_keys"):
        np.testing.assert_array_equal(getattr(kept, name), getattr(data, name))
    assert kept.timestamp is None
    assert kept.scale == data.scale
