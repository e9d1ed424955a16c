"""Features from the side tables of users, items or contexts, scaled for models that sum features."""

import numpy as np
from scipy.sparse import csr_array, hstack

from recsens.data.interactions import SideColumn, SideTable
from recsens.recommenders import Floats, Ids


def side_features(n: int, table: SideTable | None) -> csr_array:
    """Return n rows' features: one for each level of a category or set, and one for each numeric column.

    A number is standardised over the rows with a value; a set of n levels has 1/n at each of them. Rows without a value have zeros.
    A level that no row has, perhaps because only test ratings have it, is a feature too; its only effect is that more numbers are
    drawn.
    """
    columns = () if table is None else table.columns.values()
    features = csr_array(hstack([csr_array((n, 0)), *map(_scaled, columns)], format="csr"))
    features.sort_indices()
    return features


def means_by_user(rows: Floats, user: Ids, n_users: int) -> Floats:
    """Return the mean of each user's rows; users without rows get the mean of all rows. ``user`` gives the user of each row.

    The context of future interactions is unknown; the mean of past contexts is the best guess.
    """
    counts = np.bincount(user, minlength=n_users)
    weights = csr_array((1.0 / counts[user], (user, np.arange(len(user)))), shape=(n_users, len(user)))
    means = np.asarray(weights @ rows)
    if len(user):
        means[counts == 0] = rows.mean(axis=0)
    return means


def _scaled(column: SideColumn) -> csr_array:
    features = csr_array(column.features, copy=True)
    if column.kind == "number":
        known = features.data
        spread = known.std() if len(known) else 0.0
        features.data = (known - known.mean()) / spread if spread > 0 else np.zeros_like(known)
    else:
        sizes = np.diff(features.indptr)
        features.data = np.repeat(1.0 / np.maximum(sizes, 1), sizes)
    return features
