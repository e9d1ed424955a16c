"""Score files and data sets that do not match, because one of them lacks users, items or pairs that the other has."""

import pandas as pd

from recsens.conclusions.verdicts.study_tables import in_order
from recsens.study import Experiment
from recsens.tables.numbers import span

_NOT_IN_DATA = "are not in the data set (a filter may have removed them)"


def unmatched(part: Experiment, matched: pd.DataFrame) -> list[str]:
    """Say, for each system that reads its scores from files, which users, items and pairs the file or the data lack.

    Users without a score cause a warning. Pairs without a score cause a warning only if the file has items that the data lack,
    because these may be the same items under other names. Pairs without a score alone cause no warning, because files often contain
    short lists. Users and items that are only in the file cause no warning, because a filter may have removed them from the data.
    """
    rows = matched[matched["dataset"].isin(list(part.datasets))]
    told = (
        _sentence(dataset, system, rows[(rows["dataset"] == dataset) & (rows["system"] == system)])
        for dataset in in_order(rows["dataset"])
        for system in in_order(rows.loc[rows["dataset"] == dataset, "system"])
    )
    return [sentence for sentence in told if sentence]


def _sentence(dataset: str, system: str, rows: pd.DataFrame) -> str:
    if _lacks_scores(rows):
        return _warning(dataset, system, rows)
    unknown = [_told(rows, f"unknown_{what}", f"file_{what}", what) for what in ("users", "items") if rows[f"unknown_{what}"].any()]
    return f"On {dataset}, {' and '.join(unknown)} in the score file of {system} {_NOT_IN_DATA}." if unknown else ""


def _lacks_scores(rows: pd.DataFrame) -> bool:
    lacks_users = rows["users_without"] > rows["cold_users"]
    lacks_items = (rows["unknown_items"] > 0) & (rows["pairs_without"] > 0)
    return bool((lacks_users | lacks_items).any())


def _warning(dataset: str, system: str, rows: pd.DataFrame) -> str:
    cold = f", {span(rows['cold_users'])} of them without train ratings" if rows["cold_users"].any() else ""
    return (
        f"On {dataset}, the score file of {system} does not match the data: {_told(rows, 'users_without', 'users', 'users')} with "
        f"test ratings have no score{cold}. {_told(rows, 'unknown_users', 'file_users', 'users')} and "
        f"{_told(rows, 'unknown_items', 'file_items', 'items')} in the file {_NOT_IN_DATA}. "
        f"{_told(rows, 'items_without', 'items', 'items')} of the data set and {_told(rows, 'pairs_without', 'pairs', 'pairs')} to "
        "rank have no score. Check that the file and the data set spell the names of users and items the same way; matched.csv has "
        "the counts."
    )


def _told(rows: pd.DataFrame, part: str, whole: str, what: str) -> str:
    return f"{span(rows[part])} of {span(rows[whole])} {what}"
