"""A finished study with every kind of result, which tests damage."""

from pathlib import Path

import numpy as np
import pytest

from workspaces import Workspace, copied, made_once

EVERY = {
    "datasets": {
        "One": "simulated(users=40,items=100,ratings=900)",
        "Two": 'delimited(path=ratings.csv,separator=",",header=true,users=users.csv,items=items.csv,contexts=contexts.csv)',
    },
    "systems": {"Mean": "tuned(of=average_rating,search=grid(damping=[1,5]))", "MF": "fm(factors=2)"},
    "design": {"split": "validated(of=random(ratio=0.6))", "fits": 2},
    "vary": {"split": ["validated(of=random(ratio=0.7))"], "effort": [0, 1]},
    "tipping": [0.05],
    "groups": ["activity", "popularity(n=2)"],
    "metrics": ["P@5", "MAE"],
    "over_datasets": {"families": {"Drawn": ["One"]}},
    "reference": {"under": {"split": "validated(of=random(ratio=0.7))"}, "metric": "P@5"},
    "claims": [{"claim": "wins(a=MF,b=Mean)", "dataset": "One", "source": "Table 1"}],
    "meta": [{"analysis": "sparsity(samples=2,sizes=[100,50])", "metrics": ["P@5", "AP"]}],
}
"""A study with two data sets, splits, systems and metrics, and with side tables, so that results can be mixed up."""


@pytest.fixture
def every(every_once: Workspace, tmp_path: Path) -> Workspace:
    """Copy a checkout in which the study with every kind of result has been run."""
    return Workspace(copied(every_once.root, tmp_path / "every"))


@pytest.fixture(scope="session")
def every_once(checkout_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Run the study with every kind of result once for all test processes; tests must not change the results."""

    def run(root: Path) -> None:
        workspace = Workspace(copied(checkout_once, root))
        write_ratings(root / "ratings.csv")
        write_side_tables(root)
        workspace.write_study("every", **EVERY)
        workspace.recsens("run", "every", "--cores", "2")

    return Workspace(made_once("every", run, tmp_path_factory))


def write_ratings(path: Path) -> None:
    """Write ratings drawn at random."""
    rng = np.random.default_rng(1)
    pairs = np.flatnonzero(rng.random(40 * 60) < 0.3)
    lines = [
        f"{pair // 60},{pair % 60},{rating}\n" for pair, rating in zip(pairs, rng.integers(1, 6, size=len(pairs)), strict=True)
    ]
    path.write_text("user,item,rating\n" + "".join(lines), encoding="utf-8")


def write_side_tables(folder: Path) -> None:
    """Describe the users, items and contexts of these ratings, with values of every kind."""
    users = "".join(f"{user},{20 + user % 30},{'north' if user % 3 else 'south'}\n" for user in range(40))
    (folder / "users.csv").write_text("user,age,region\n" + users, encoding="utf-8")
    items = "".join(f"{item},{'red|blue' if item % 2 else 'green'}\n" for item in range(60))
    contexts = "".join(f"{user},{item},{'phone' if (user + item) % 2 else 'desk'}\n" for user in range(40) for item in range(60))
    (folder / "contexts.csv").write_text("user,item,device\n" + contexts, encoding="utf-8")
    (folder / "items.csv").write_text("item,colours:set\n" + items, encoding="utf-8")
