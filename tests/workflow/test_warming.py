"""After set-up no job compiles: what a study's steps call is what warming has compiled."""

import json
import subprocess
import sys

import pytest

from workspaces import Workspace

pytestmark = pytest.mark.workflow

PROGRAM = """
import json, sys
from pathlib import Path
from numba.core.registry import CPUDispatcher
from recsens.steps.fit import fit
from recsens.steps.measure import measure
from recsens.steps.rank import rank
from recsens.warming import warm

def signatures():
    found = {}
    for name, module in sorted(sys.modules.items()):
        if name.startswith("recsens"):
            for key, value in vars(module).items():
                if isinstance(value, CPUDispatcher):
                    found[f"{value.py_func.__module__}.{key}"] = sorted(map(str, value.signatures))
    return found

warm()
compiled = signatures()
fold = next(Path("results").glob("seed-*/*/*/*/repeat-0"))
data = {name: str(next(fold.parents[1].glob(f"{name}.*"))) for name in ("interactions", "user_ids", "item_ids", "dataset")}
said = {"identity": "any", "fold": "repeat-0", "seed": 0, "roles": str(fold / "roles.parquet")}
for spec in ("user_knn", "hkv", "wrmf"):
    model = fold / spec / "model.npz"
    there = model.parent / "ar" / "drop" / "random"
    there.mkdir(parents=True)
    made = {name: str(there / f"{name}.parquet") for name in ("positions", "users", "lists")}
    cost = str(there / "cost.json")
    fit(**data, **said, spec=spec, model=str(model), cost=cost)
    rank(**data, **said, **made, spec=spec, cost=cost, model=str(model), targets="ar", relevance=None, nc="drop", ties="random")
files = {"positions": [made["positions"]], "users": [made["users"]], "datasets": [data["dataset"]]}
for metric in ("P", "nDCG(gain=exp)", "RBP"):
    out = str(there / "measures.parquet")
    measure(**files, measures=out, metric=metric, cutoffs=(5, 10), cells=[[("full", None), ("condensed", None)]])
print(json.dumps({"compiled": compiled, "called": signatures()}))
"""


def test_the_steps_of_a_study_call_only_what_is_compiled(finished: Workspace):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=finished.root, env=finished.environment(), text=True, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["called"] == found["compiled"]
    assert {name for name, called in found["called"].items() if called} >= {
        "recsens.metrics._kernels.ideal_sums",
        "recsens.ranking._kernels.locate",
        "recsens.recommenders._least_squares.solve_rows",
    }
    assert "float32" in str(found["compiled"]["recsens.ranking._kernels.locate"])
