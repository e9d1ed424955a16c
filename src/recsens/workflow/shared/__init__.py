"""Results shared between checkouts: a store of what jobs made, keyed by what they made it from."""

from recsens.workflow.shared._entries import Entry
from recsens.workflow.shared._sharing import SHARED, Sharing, needed_store
from recsens.workflow.shared._store import Store
from recsens.workflow.shared._upkeep import Held, kept_in, sweep, told, trim, verified

__all__ = ["SHARED", "Entry", "Held", "Sharing", "Store", "kept_in", "needed_store", "sweep", "told", "trim", "verified"]
