"""Self-information of items: the rarer an item's ratings, the more novel it is."""

import numpy as np

from recsens.metrics import Catalogue, Floats, Ints


def inverse_user_frequency(catalogue: Catalogue) -> Floats:
    """Return log2(|U| / |U_i|) of each item, shape (n_items,), U the users with a train rating; log2 |U| if no user rated it."""
    return np.asarray(np.log2(max(catalogue.n_active, 1) / np.maximum(catalogue.raters, 1)))


def information(raters: Ints, out_of: int) -> Floats:
    """Return log2(n / n_i) of each item, shape (n_items,); an unrated item gets the value of the rarest; 0 if nothing is rated."""
    rarest = raters[raters > 0].min(initial=max(out_of, 1))
    return np.asarray(np.log2(max(out_of, 1) / np.maximum(raters, rarest)))
