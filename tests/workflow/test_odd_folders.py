"""A study runs in folders whose names have a meaning for Snakemake, YAML or a shell."""

import json
import shutil
from pathlib import Path

import pytest

from in_process import call
from workspaces import STUDY, Workspace

pytestmark = pytest.mark.workflow

CHECKOUT = "a: 'b' \"c\" #d, 100% $HOME `ls` \\n &;|<>*?[e] é ~"
FOLDER = "a: {} #b - 'y' \"z\", %20 $HOME [w] ü"


@pytest.mark.slow
def test_a_study_runs_in_folders_of_any_name(workspace: Workspace, tmp_path: Path) -> None:
    odd = Workspace(Path(shutil.move(workspace.root, tmp_path / CHECKOUT)))
    folder = odd.root / FOLDER
    folder.mkdir()
    ratings = folder / "ratings: {} #1.csv"
    ratings.write_text("".join(f"u{u},i{(7 * u + 3 * k) % 40},{(u + k) % 5 + 1}\n" for u in range(30) for k in range(12)))
    path = json.dumps(str(ratings.relative_to(odd.root)), ensure_ascii=False)
    study = {**STUDY, "datasets": {"Own": f'delimited(path={path},separator=",")'}, "vary": {}, "metrics": ["P@5"], "figures": []}
    (folder / "tiny.yaml").write_text(json.dumps(study), encoding="utf-8")
    odd.recsens("run", f"{FOLDER}/tiny.yaml", "--cores", "2")
    assert (odd.root / "results/studies/tiny/report.html").exists()
    assert "Nothing to do" in call(odd.root, "run", f"{FOLDER}/tiny.yaml").stdout
