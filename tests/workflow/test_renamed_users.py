"""What users are called, in which order they come, and what else a study asks for change none of its numbers."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from in_process import compute
from random_studies import SHOWN, tables, write
from recsens.study.taxonomy import FULL_COLUMNS

KEYS = ["metric_full", *FULL_COLUMNS]
N_USERS, N_ITEMS = 40, 30

STUDY = {
    "title": "files",
    "datasets": {"S": 'delimited(path=ratings.csv,separator=",",header=true,user=user,item=item,rating=rating)'},
    "systems": {name: f'from_file(path="{name}-{{fold}}.csv",least_matched=0)' for name in "ABC"},
    "design": {"split": "predefined(path=two-folds.csv)", "users": "with_ratings(test=1)"},
    "vary": {"view": ["condensed"], "aggregate": ["weighted(by=relevant)", "geometric"], "test": ["wilcoxon"]},
    "metrics": ["nDCG@5", "P@5", "AP"],
}


def write_files(folder: Path, names: list[str]) -> None:
    """Write ratings, two folds and three systems' scores; ``names`` are the users, whose rows come in the order of their names."""
    rng = np.random.default_rng(5)
    ratings = [
        (user, item, rng.integers(1, 6)) for user in range(N_USERS) for item in rng.choice(N_ITEMS, 4 + user % 9, replace=False)
    ]
    table = pd.DataFrame(ratings, columns=["user", "item", "rating"])
    table["fold"] = rng.integers(0, 2, len(table))
    pairs = pd.MultiIndex.from_product([range(N_USERS), range(N_ITEMS)], names=["user", "item"]).to_frame(index=False)
    scores = {(name, fold): pairs.assign(score=rng.random(len(pairs))) for name in "ABC" for fold in range(2)}

    def written(rows: pd.DataFrame, columns: list[str], file: str) -> None:
        named = rows.assign(user=[names[user] for user in rows["user"]])
        named.sort_values(["user", "item"])[columns].to_csv(folder / file, index=False)

    written(table, ["user", "item", "rating"], "ratings.csv")
    written(table, ["user", "item", "fold"], "two-folds.csv")
    for (name, fold), rows in scores.items():
        written(rows, ["user", "item", "score"], f"{name}-repeat-0.fold-{fold}.csv")


def results(folder: Path, names: list[str], **changes: object) -> dict[str, pd.DataFrame]:
    folder.mkdir()
    write_files(folder, names)
    compute(folder, write(folder, "s", {**STUDY, **changes}), without=SHOWN)
    return tables(folder)


def assert_same(found: dict[str, pd.DataFrame], expected: dict[str, pd.DataFrame], *, joint: bool) -> None:
    """Compare the numbers of the designs and systems that both have; joint p are compared only if the family is the same."""
    compared = {
        "summary": (["system"], ["value", "n_users", "spread"]),
        "comparisons": (["system_a", "system_b", "fold"], ["difference", "low", "high", "p_value", "users", "value_difference"]),
        "multiverse": (["system_a", "system_b"], ["t", "users"]),
    }
    for table, (keys, names) in compared.items():
        both = expected[table].merge(found[table], on=[*KEYS, *keys], suffixes=("", "_found"))
        assert len(both) == min(len(expected[table]), len(found[table]))
        for name in names:
            np.testing.assert_allclose(both[f"{name}_found"], both[name], rtol=1e-12, atol=1e-12)
    if joint:
        both = expected["joint"].merge(found["joint"], on=["system_a", "system_b"], suffixes=("", "_found"))
        np.testing.assert_allclose(both["median_t_found"], both["median_t"], rtol=1e-12)
        # Signs are drawn by user, so p moves by what 10,000 draws leave open: four standard errors of at most .005.
        for name in ("p_median", "p_wins"):
            assert (both[f"{name}_found"] - both[name]).abs().max() < 0.02


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pd.DataFrame]:
    return results(tmp_path_factory.mktemp("expected") / "study", [f"u{user:02d}" for user in range(N_USERS)])


def test_users_may_have_other_names_in_another_order(expected, tmp_path):
    order = np.random.default_rng(1).permutation(N_USERS)
    assert_same(results(tmp_path / "s", [f"name {number}" for number in order]), expected, joint=True)


def test_a_further_system_leaves_the_numbers_of_the_others(expected, tmp_path):
    two = {name: spec for name, spec in STUDY["systems"].items() if name != "B"}
    assert_same(results(tmp_path / "s", [f"u{user:02d}" for user in range(N_USERS)], systems=two), expected, joint=True)


def test_further_designs_leave_the_numbers_of_the_others(expected, tmp_path):
    fewer = {"view": ["condensed"]}
    assert_same(results(tmp_path / "s", [f"u{user:02d}" for user in range(N_USERS)], vary=fewer), expected, joint=False)


def test_users_are_the_same_under_every_filter(tmp_path):
    """Under a filter that leaves out the first users, the others keep their differences, row by row of the joint test."""
    write_files(tmp_path, [f"u{user:02d}" for user in range(N_USERS)])
    study = {
        **STUDY,
        "systems": {"A": "popularity", "B": "average_rating"},
        "design": {"split": "leave_out(n=2)"},
        "vary": {"filter": ["ratings_per_user(at_least=8)", "k_core(users=5,items=2)"], "aggregate": ["weighted(by=relevant)"]},
        "combine": "grid",
    }
    compute(tmp_path, write(tmp_path, "s", study), without=SHOWN)
    together = tables(tmp_path)
    for option in study["vary"]["filter"]:
        alone = {**study, "design": {**study["design"], "filter": option}, "vary": {"aggregate": ["weighted(by=relevant)"]}}
        compute(tmp_path, write(tmp_path, "alone", alone), without=SHOWN)
        assert_same(together, tables(tmp_path, "alone"), joint=False)
