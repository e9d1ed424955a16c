"""Compact scores in a whole study: same results as from a table of the scores, and recomputed if a file of names changes."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from in_process import compute, to_do
from score_files.written import write, write_mapped

USERS, ITEMS = 30, 60
RATINGS = "".join(f"{user}\t{item}\t{1 + user * item % 5}\n" for user in range(USERS) for item in range(user % 3, ITEMS, 3))


def write_scores(folder: Path) -> None:
    """Write the scores of one model as a table and in three compact forms, with an item that the data set does not know."""
    users, items = np.array([f"{user}" for user in range(USERS)]), np.array([f"{item}" for item in range(ITEMS + 1)])
    rng = np.random.default_rng(0)
    p, q = rng.integers(-3, 4, (USERS, 4)).astype(np.float64), rng.integers(-3, 4, (ITEMS + 1, 4)).astype(np.float64)
    scores = p @ q.T
    row, column = np.indices(scores.shape).reshape(2, -1)
    pd.DataFrame({"user": users[row], "item": items[column], "score": scores.ravel()}).to_csv(folder / "repeat-0.csv", index=False)
    write(folder / "f-repeat-0.npz", "factors", users=users, items=items, user_factors=p, item_factors=q.astype(np.float16))
    write(folder / "d-repeat-0.npz", "dense", users=users, items=items, scores=scores.astype(np.float32))
    write_mapped(folder / "m-repeat-0.npy", scores, users, items)


@pytest.mark.slow
def test_every_form_has_the_results_of_a_table_of_the_same_scores(tmp_path: Path) -> None:
    (tmp_path / "ratings.tsv").write_text(RATINGS, encoding="utf-8")
    write_scores(tmp_path)
    names = {"Table": "{fold}.csv", "Factors": "f-{fold}.npz", "Dense": "d-{fold}.npz", "Mapped": "m-{fold}.npy"}
    study = {
        "title": "Forms",
        "datasets": {"Mine": 'delimited(path="ratings.tsv")'},
        "systems": {label: f'from_file(path="{path}",unknown_items=move_up)' for label, path in names.items()},
        "design": {"split": "random(ratio=0.5)"},
        "metrics": ["nDCG@5", "AP"],
    }
    (tmp_path / "forms.yaml").write_text(yaml.safe_dump(study, sort_keys=False), encoding="utf-8")
    compute(tmp_path, "forms.yaml")

    results = tmp_path / "results/studies/forms"
    summary = pd.read_csv(results / "summary.csv").pivot_table(index="metric", columns="system", values="value")
    assert len(summary) == 2
    assert all((summary[label] == summary["Table"]).all() for label in names)
    matched = pd.read_csv(results / "matched.csv").drop(columns="system")
    assert len(matched) == 4
    assert len(matched.drop_duplicates()) == 1
    assert matched["unknown_items"].tolist() == [1] * 4
    ties = pd.read_csv(results / "ties.csv").drop(columns="system")
    assert len(ties.drop_duplicates()) * 4 == len(ties)

    assert not to_do(tmp_path, "forms.yaml")
    names_of_items = tmp_path / "m-repeat-0.items.txt"
    names_of_items.write_text(names_of_items.read_text(encoding="utf-8").replace("60\n", "unknown\n"), encoding="utf-8")
    assert {step: to_do(tmp_path, "forms.yaml")[step] for step in ("split", "fit", "rank")} == {"split": 0, "fit": 1, "rank": 1}
