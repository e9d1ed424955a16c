"""Self-information of items: items with fewer ratings are more novel."""

import numpy as np

from recsens.metrics import Catalogue, Floats, Ints


def inverse_user_frequency(catalogue: Catalogue) -> Floats:
    """Return log2(|U| / |U_i|) for each item, shape (n_items,); log2 |U| for an unrated item.

    U are the users with a train rating.
    """
    return np.asarray(np.log2(max(catalogue.n_active, 1) / np.maximum(catalogue.raters, 1)))


def information(raters: Ints, out_of: int) -> Floats:
    """Return log2(n / n_i) for each item, shape (n_items,).

    An unrated item gets the value of the rarest item; all values are 0 if nothing is rated.
    """
    rarest = raters[raters > 0].min(initial=max(out_of, 1))
    return np.asarray(np.log2(max(out_of, 1) / np.maximum(raters, rarest)))
