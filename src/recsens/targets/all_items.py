"""AI-AR-AN: every item that the user has no train rating for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recsens.interactions import Interactions
from recsens.seeds import Stream
from recsens.targets._base import Targets


class AllItems(Targets):
    """T_u = I - R_train(u): all items of the (filtered) data set, relevant or not, that are not in the user's train set."""

    source = "Bellogín (2012), section 4.2, 'AI-AR-AN'; Cañamares, Castells & Moffat (2020), section 3.4"

    def mask(self, train: Interactions, test: Interactions, users: NDArray[np.int64], stream: Stream) -> NDArray[np.bool_]:
        """Take every item but those of train."""
        chosen = np.ones((len(users), train.n_items), dtype=np.bool_)
        matrix = train.matrix
        lengths = np.diff(matrix.indptr)[users]
        rows = np.repeat(np.arange(len(users)), lengths)
        starts = np.repeat(matrix.indptr[users], lengths)
        offsets = np.arange(len(rows)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        chosen[rows, matrix.indices[starts + offsets]] = False
        return chosen
