"""Folders of data are named after their file, and no result depends on the name."""

from pathlib import Path

import pytest
import yaml

from in_process import PRESENTED, compute, to_do
from recsens.workflow.job_inputs import statement_of

RATINGS = "".join(f"{user}\t{item}\t{1 + user * item % 5}\n" for user in range(30) for item in range(user % 3, 60, 3))
FITTING = {"ingest", "filter", "split", "fit", "rank", "measure"}


def write(folder: Path, file: str) -> None:
    """Write ratings into a file, and a study of them."""
    folder.mkdir(exist_ok=True)
    (folder / file).write_text(RATINGS, encoding="utf-8")
    study = {
        "title": "Own data",
        "datasets": {"Mine": f'delimited(path="{file}")'},
        "systems": {"Random": "random", "kNN": "user_knn(k=5)"},
        "design": {"split": "random(ratio=0.5)"},
        "metrics": ["P@5"],
    }
    (folder / "own.yaml").write_text(yaml.safe_dump(study, sort_keys=False), encoding="utf-8")


@pytest.mark.slow
def test_the_same_data_in_a_file_of_another_name_are_split_and_ranked_alike_in_the_folder_that_they_have(tmp_path: Path) -> None:
    contents = []
    for file in ("plays.tsv", "purchases.tsv"):
        folder = tmp_path / file.removesuffix(".tsv")
        write(folder, file)
        compute(folder, "own.yaml", without=PRESENTED)
        [seed] = (folder / "results").glob("seed-*")
        [data] = seed.iterdir()
        assert data.name.partition("@")[0] == folder.name
        results = [path for path in data.rglob("*") if path.suffix in {".parquet", ".npz"}]
        contents.append({str(path.relative_to(data)): statement_of(path).content for path in results})
    assert contents[0] == contents[1]
    assert {Path(name).name for name in contents[0]} >= {"roles.parquet", "model.npz", "positions.parquet"}

    write(tmp_path / "plays", "purchases.tsv")
    assert not FITTING & set(to_do(tmp_path / "plays", "own.yaml"))
    assert [path.name for path in (tmp_path / "plays/results/seed-0").iterdir()] == [
        path.name.replace("purchases@", "plays@") for path in (tmp_path / "purchases/results/seed-0").iterdir()
    ]
