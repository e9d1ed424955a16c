"""Files of scores and data that lack users, items or pairs of each other."""

import pandas as pd

from recsens.conclusions.verdicts.results import in_order
from recsens.study import Experiment
from recsens.tables.numbers import span


def unmatched(part: Experiment, matched: pd.DataFrame) -> list[str]:
    """Say of each system with scores from files how much of them is unknown to the data, and how much of the data to them.

    Pairs without a score alone are normal, since files often hold lists; users and items are not.
    """
    rows = matched[matched["dataset"].isin(list(part.datasets))]
    return [
        _sentence(dataset, system, own)
        for dataset in in_order(rows["dataset"])
        for system in in_order(rows.loc[rows["dataset"] == dataset, "system"])
        if _is_short(own := rows[(rows["dataset"] == dataset) & (rows["system"] == system)])
    ]


def _is_short(rows: pd.DataFrame) -> bool:
    lacking = (rows["users_without"] - rows["cold_users"], rows["unknown_users"], rows["unknown_items"])
    return any((each > 0).any() for each in lacking)


def _sentence(dataset: str, system: str, rows: pd.DataFrame) -> str:
    def told(part: str, whole: str) -> str:
        return f"{span(rows[part])} of {span(rows[whole])}"

    cold = f", {span(rows['cold_users'])} of them without train ratings" if rows["cold_users"].any() else ""
    return (
        f"On {dataset}, the score file of {system} does not match the data: {told('users_without', 'users')} users with test "
        f"ratings have no score{cold}. The data set does not know {told('unknown_users', 'file_users')} users and "
        f"{told('unknown_items', 'file_items')} items of the file. {told('items_without', 'items')} items of the data set and "
        f"{told('pairs_without', 'pairs')} pairs to rank have no score. Check that names are spelt alike: see matched.csv."
    )
