"""Users who weigh differently."""

import pandas as pd

EFFECTIVE_USERS = "Effective users: how many of equal weight would say as much, (Σ w)² / Σ w²."


def weigh_apart(rows: pd.DataFrame, n_users: str) -> bool:
    """Whether users weigh differently, so that their effective number is not their number; pooled values have none."""
    return bool((rows["effective_users"].notna() & (rows["effective_users"] != rows[n_users])).any())
