"""Results shared between checkouts: a store of what jobs made, keyed by what they made it from."""

from recsens.workflow.shared._entries import Entry
from recsens.workflow.shared._sharing import SHARED, Sharing
from recsens.workflow.shared._store import Store
from recsens.workflow.shared._upkeep import Kept, kept_in, remove_left_over, trim, verified

__all__ = ["SHARED", "Entry", "Kept", "Sharing", "Store", "kept_in", "remove_left_over", "trim", "verified"]
