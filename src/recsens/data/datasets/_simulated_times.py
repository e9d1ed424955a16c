"""Times of simulated ratings."""

import numpy as np
from numpy.typing import NDArray

from recsens.seeds import Stream

_DAY = 86_400
_EPOCH = 946_684_800
_ENROLMENT = 215 * _DAY
_PAUSE = 45
_ABSENCE = 30 * _DAY
_SHARE_ABSENCES = 0.006


def rating_times(user: NDArray[np.int64], n_users: int, stream: Stream) -> NDArray[np.int64]:
    """Return each rating's time in seconds, shape (n,). Times strictly increase for each user, in row order.

    A user starts at a moment drawn uniformly from the 215 days after 2000-01-01. The gap between two ratings is an exponential
    variate with a mean of 45 seconds and, with probability .006, an additional absence of 30 days on average.

    Parameters
    ----------
    user
        The user of each rating, in ascending order; each user's ratings are in the order of time.
    """
    counts = np.bincount(user, minlength=n_users)
    first = (np.cumsum(counts) - counts)[user]
    rank = np.arange(len(user)) - first
    pauses = 1 + np.floor(-_PAUSE * np.log1p(-stream.uniform(user, rank, 0)))
    absences = np.floor(-_ABSENCE * np.log1p(-stream.uniform(user, rank, 1)))
    absences[stream.uniform(user, rank, 2) >= _SHARE_ABSENCES] = 0
    elapsed = np.cumsum(pauses + absences)
    start = np.floor(_ENROLMENT * stream.uniform(np.arange(n_users)))
    return np.asarray(_EPOCH + start[user] + elapsed - elapsed[first], dtype=np.int64)
