"""Topic mixtures: divide ratings among topics."""

import numba
import numpy as np

from recsens.recommenders import Floats, Ints
from recsens.recommenders._compiled import compiled
from recsens.recommenders._rows import Rows

_PORTIONS = 64
"""Number of portions into which work is divided among threads. Row n is in portion n mod 64, which spreads long rows evenly."""


def share_out(lines: Ints, rows: Rows, own: Floats, other: Floats, least: float) -> Floats:
    """Return Σ_c x_rc a_rz b_cz / (Σ_y a_ry b_cy + ε), the part of row r that goes to topic z, shape (len(lines), n_topics).

    Every entry x of row r and column c is divided in proportion to a_rz b_cz; the shares themselves are never stored. This is the
    multiplicative update of Lee and Seung (2001), and also the E step and the M step of Hofmann (2004) combined. For K topics, it
    takes 4 K floating-point operations per entry.

    Parameters
    ----------
    lines
        Numbers r of the rows to divide.
    rows
        x >= 0.
    own
        a >= 0, shape (n_rows, n_topics).
    other
        b >= 0, shape (n_columns, n_topics).
    least
        ε > 0; without ε, an entry with no probability in any topic would be divided by 0.
    """
    shares = np.zeros((len(lines), own.shape[1]))
    _share_out(lines, rows, own, other, least, shares)
    return shares


@compiled(parallel=True, reorders_sums=True)
def _share_out(lines: Ints, rows: Rows, own: Floats, other: Floats, least: float, shares: Floats) -> None:
    n_topics = own.shape[1]
    for portion in numba.prange(_PORTIONS):
        for index in range(portion, len(lines), _PORTIONS):
            row = lines[index]
            out, mine = shares[index], own[row]
            for entry in range(rows.indptr[row], rows.indptr[row + 1]):
                theirs = other[rows.indices[entry]]
                product = 0.0
                for z in range(n_topics):
                    product += mine[z] * theirs[z]
                factor = rows.values[entry] / (product + least)
                for z in range(n_topics):
                    out[z] += factor * theirs[z]
            for z in range(n_topics):
                out[z] *= mine[z]
