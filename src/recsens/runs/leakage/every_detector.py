"""All leak detectors, in the order of their rows in the table."""

from recsens.runs.leakage.detectors import (
    conventions,
    duplicated_users,
    fitted_on_test_pairs,
    future,
    missing_users,
    popularity,
    repeated_candidates,
    shared_pairs,
    target_first,
    tied_order,
    train_items,
    unknown,
    validation,
)
from recsens.runs.leakage.suspicion import Detector

DETECTORS: tuple[Detector, ...] = (
    shared_pairs.look,
    train_items.look,
    unknown.look,
    future.look,
    tied_order.look,
    target_first.look,
    repeated_candidates.look,
    popularity.look,
    fitted_on_test_pairs.look,
    missing_users.look,
    duplicated_users.look,
    validation.look,
    conventions.look,
)
"""All detectors."""
