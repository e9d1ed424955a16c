"""Expected values if the targets are in random order: every target is equally likely to be at each position."""

from collections.abc import Callable

import numpy as np

from recsens.metrics import Floats, Ints, Judged, share


def expected_sums(
    targets: Judged, values: Floats, cutoffs: tuple[int, ...], weight: Callable[[Ints], Floats] | None = None
) -> Floats:
    """Return E[Σ_{k <= n} w(k) v(i_k)] = (Σ_{i in T_u} v(i) / |T_u|) · Σ_{k <= min(n, |T_u|)} w(k), shape (n_users, n_cutoffs).

    Parameters
    ----------
    targets
        The targets, as for `Metric.at_random`.
    values
        Value v of each judged item, shape (n,); other targets have value 0.
    cutoffs
        Depths n.
    weight
        Function that maps positions to weights w(k), by default 1.
    """
    among = np.where(targets.position > 0, values, 0.0)
    density = share(np.bincount(targets.user, weights=among, minlength=targets.n_users).astype(np.float64), targets.listed)
    longest = int(targets.listed.max(initial=0))
    weights = np.ones(longest) if weight is None else weight(np.arange(1, longest + 1))
    totals = np.concatenate([[0.0], np.cumsum(weights)])
    return np.asarray(density[:, np.newaxis] * totals[np.minimum(targets.listed[:, np.newaxis], np.asarray(cutoffs))])


def expected_hits(targets: Judged, cutoffs: tuple[int, ...]) -> Floats:
    """Return the expected number of relevant items among the first n, shape (n_users, n_cutoffs)."""
    return expected_sums(targets, targets.is_relevant.astype(np.float64), cutoffs)
