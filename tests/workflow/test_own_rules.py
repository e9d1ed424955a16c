"""The user's own rules after those of recsens, as docs/workflow.md shows them."""

import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from workspaces import REPOSITORY, Workspace, copied

PAGE = (REPOSITORY / "docs/workflow.md").read_text(encoding="utf-8")
SHOWN = dict(re.findall(r"^```python (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
FROM_ELSEWHERE = 'github("<owner>/recsens", path="workflow/Snakefile", tag="<release>")'


def check_table(root: Path) -> None:
    """Look for a share of users for each ranking and view."""
    table = pd.read_csv(root / "served/P.csv")
    assert list(table.columns) == ["ranking", "view", "@5"]
    assert len(table) == 4
    assert table["@5"].between(0, 1).all()


@pytest.mark.slow
@pytest.mark.workflow
def test_a_rule_of_ones_own_reads_measures_in_a_checkout(finished: Workspace):
    for name in ("served.smk", "served.py"):
        (finished.root / name).write_text(SHOWN[name], encoding="utf-8")
    said = finished.snakemake("tiny", "--snakefile", "served.smk", "--cores", "1", "--", "served/P.csv")
    assert re.findall(r"^(\w+) +1$", said, re.MULTILINE)[:2] == ["served", "total"]
    check_table(finished.root)


@pytest.mark.slow
@pytest.mark.workflow
def test_a_rule_of_ones_own_reads_measures_of_a_module(finished: Workspace, tmp_path: Path):
    root = tmp_path / "own"
    for name in ("config", "results"):
        copied(finished.root / name, root / name)
    (root / "workflow").mkdir()
    assert FROM_ELSEWHERE in SHOWN["workflow/Snakefile"]
    module = SHOWN["workflow/Snakefile"].replace(FROM_ELSEWHERE, repr(str(finished.root / "workflow/Snakefile")))
    (root / "workflow/Snakefile").write_text(module, encoding="utf-8")
    (root / "served.py").write_text(SHOWN["served.py"], encoding="utf-8")
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--config", "study=tiny", "--", "served/P.csv"]
    subprocess.run(command, cwd=root, env=finished.environment(), check=True)
    check_table(root)
