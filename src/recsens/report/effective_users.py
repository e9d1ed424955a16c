"""Users with different weights."""

import pandas as pd

EFFECTIVE_USERS = "Effective users: the number of equally weighted users who would be as informative, (Σ w)² / Σ w²."


def weigh_apart(rows: pd.DataFrame, n_users: str) -> bool:
    """Whether weights differ, so that the effective number of users is not their number; pooled values have no such number."""
    return bool((rows["effective_users"].notna() & (rows["effective_users"] != rows[n_users])).any())
