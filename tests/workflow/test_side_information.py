"""Side information is a separate artefact: adding or changing it recomputes only what reads it."""

from pathlib import Path

import pytest

from in_process import call, compute, to_do
from recsens.pipeline.fitting import NO_SIDE_INFORMATION
from workspaces import Workspace

N_USERS, N_ITEMS = 40, 30
SIDE = {"user_columns.parquet", "item_columns.parquet", "contexts.parquet"}


@pytest.fixture
def rated(workspace: Workspace) -> Workspace:
    """Write ratings in MovieLens 1M's form into a checkout, and a study of one system that reads side files and two that do not."""
    lines = (
        f"{user}::{item}::{1 + (user * item) % 5}::{1000 * user + item}\n"
        for user in range(1, N_USERS + 1)
        for item in range(1, N_ITEMS + 1)
        if (user + 3 * item) % 4
    )
    folder(workspace).mkdir()
    (folder(workspace) / "ratings.dat").write_text("".join(lines))
    workspace.write_study(
        "tiny",
        datasets={"Mine": f'movielens(release=1m,path="{folder(workspace)}")'},
        systems={"FM": "fm(epochs=2,factors=2)", "Popularity": "popularity", "kNN": "user_knn(k=5)"},
        design={"split": "random(ratio=0.5)"},
        vary={},
        metrics=["P@5"],
    )
    return workspace


def folder(workspace: Workspace) -> Path:
    return workspace.root / "mine"


def write_users(workspace: Workspace) -> None:
    lines = (f"{user}::{'FM'[user % 2]}::{20 + user % 7}::{user % 3}::0\n" for user in range(1, N_USERS + 1))
    (folder(workspace) / "users.dat").write_text("".join(lines))


def write_items(workspace: Workspace, genres: str = "Drama|War") -> None:
    lines = (f"{item}::Film {item}::{'War' if item % 2 else genres}\n" for item in range(1, N_ITEMS + 1))
    (folder(workspace) / "movies.dat").write_text("".join(lines))


def state(workspace: Workspace) -> dict[str, tuple[int, bytes]]:
    """Read every result, with its file's inode number, which changes if the file is rewritten."""
    root = workspace.root / "results"
    return {name: ((root / name).stat().st_ino, content) for name, content in workspace.results().items()}


def written(before: dict[str, tuple[int, bytes]], after: dict[str, tuple[int, bytes]]) -> set[str]:
    """List the shared results, from the filter on, that were written between two states; none may have disappeared."""
    assert set(before) <= set(after)
    found = {name for name in after if before.get(name) != after[name] and name.startswith("seed-")}
    return {name.partition("/none/")[2] or name for name in found}


@pytest.mark.slow
def test_a_side_file_that_is_added_or_changed_refits_only_what_reads_it(rated: Workspace, caplog: pytest.LogCaptureFixture) -> None:
    compute(rated.root, "tiny")
    without = state(rated)
    assert NO_SIDE_INFORMATION.partition(" ")[2] in caplog.text
    fm = {name.partition("/none/")[2] for name in without if "/fm@" in name and not name.endswith("spec.json")}
    assert {Path(name).name for name in fm} >= {"model.npz", "positions.parquet"}

    write_users(rated)
    assert "users.dat" in call(rated.root, "check", "tiny").stdout
    caplog.clear()
    compute(rated.root, "tiny")
    added = state(rated)
    assert written(without, added) == SIDE | fm
    assert NO_SIDE_INFORMATION.partition(" ")[2] not in caplog.text

    # A file with the same information in another form: only the tables are recomputed, with the same content.
    with (folder(rated) / "users.dat").open("a") as users:
        users.write("999::F::50::1::0\n")
    compute(rated.root, "tiny")
    assert written(added, state(rated)) == SIDE
    assert not to_do(rated.root, "tiny")


def test_what_reads_no_side_file_runs_with_a_broken_one(rated: Workspace) -> None:
    (folder(rated) / "users.dat").write_text("this line does not have the publisher's layout\n")
    rated.write_study("tiny", datasets={"Mine": f'movielens(release=1m,path="{folder(rated)}")'}, vary={}, metrics=["P@5"])
    planned = to_do(rated.root, "tiny")
    assert planned["ingest"] == 1
    assert not planned["side_tables"]


@pytest.mark.slow
def test_metrics_and_weights_read_the_columns_that_they_name(rated: Workspace) -> None:
    write_users(rated)
    write_items(rated)
    rated.write_study(
        "tiny",
        datasets={"Mine": f'movielens(release=1m,path="{folder(rated)}")'},
        design={"split": "random(ratio=0.5)", "aggregate": "weighted(by=age)"},
        vary={},
        metrics=["P@5", "ILD(by=genres)@5"],
        meta={"halves": {"analysis": "split_half(samples=2)", "metrics": ["P@5"]}},
    )
    compute(rated.root, "tiny")
    before = state(rated)
    write_items(rated, genres="War")
    compute(rated.root, "tiny")
    after = state(rated)
    assert {Path(name).name for name in written(before, after)} >= {"item_columns.parquet"}
    assert not {name for name in written(before, after) if name.endswith(("positions.parquet", "roles.parquet", "model.npz"))}
    measures = {name for name in after if name.startswith("studies/tiny/measures/") and after[name] != before[name]}
    assert measures == {"studies/tiny/measures/metric/ILD@by=genres.parquet"}


def test_the_same_ratings_are_not_described_twice(rated: Workspace) -> None:
    other = rated.root / "other"
    other.mkdir()
    (other / "ratings.dat").write_bytes((folder(rated) / "ratings.dat").read_bytes())
    write_users(rated)
    sets = {label: f'movielens(release=1m,path="{place}")' for label, place in (("Mine", folder(rated)), ("Other", other))}
    rated.write_study("tiny", datasets=sets)
    said = call(rated.root, "check", "tiny")
    assert said.exit_code
    assert "'Mine' and 'Other' have the same ratings but different side files" in said.output


@pytest.mark.slow
def test_side_tables_of_own_files_are_as_much_files_of_their_own(rated: Workspace) -> None:
    ratings = folder(rated) / "ratings.tsv"
    ratings.write_text((folder(rated) / "ratings.dat").read_text().replace("::", "\t"))
    users = folder(rated) / "users.csv"
    users.write_text("who,age,town\n" + "".join(f"{user},{20 + user % 7},{'OR'[user % 2]}\n" for user in range(1, N_USERS + 1)))

    def study(**side: str) -> None:
        named = "".join(f',{name}="{path}"' for name, path in side.items())
        rated.write_study(
            "tiny",
            datasets={"Mine": f'delimited(path="{ratings}"{named})'},
            systems={"FM": "fm(epochs=2,factors=2)", "Popularity": "popularity"},
            vary={},
            metrics=["P@5"],
        )

    study()
    compute(rated.root, "tiny")
    without = state(rated)
    study(users=str(users))
    compute(rated.root, "tiny")
    described = state(rated)
    fm = {name.partition("/none/")[2] for name in without if "/fm@" in name and not name.endswith("spec.json")}
    assert written(without, described) == SIDE | fm

    contexts = folder(rated) / "contexts.csv"
    pairs = ((user, item) for user in range(1, N_USERS + 1) for item in range(1, N_ITEMS))
    rows = (f"{user},{item},{'odd' if (user + item) % 2 else 'even'}\n" for user, item in pairs)
    contexts.write_text("who,what,day\n" + "".join(rows))
    study(users=str(users), contexts=str(contexts))
    compute(rated.root, "tiny")
    assert written(described, state(rated)) == SIDE | fm
