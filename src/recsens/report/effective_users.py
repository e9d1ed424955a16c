"""Check whether users have different weights."""

import pandas as pd

EFFECTIVE_USERS = (
    "Effective users: the number of equally weighted users who would be as informative as the weighted users, (Σ w)² / Σ w² with "
    "weights w."
)


def weigh_apart(rows: pd.DataFrame, n_users: str) -> bool:
    """Whether users have different weights, so the effective number of users is lower; False for pooled values."""
    return bool((rows["effective_users"].notna() & (rows["effective_users"] != rows[n_users])).any())
