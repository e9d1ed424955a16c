"""Set-up prints nothing, and afterwards no job compiles: each kernel has one signature, which all steps of a study use."""

import json
import subprocess
import sys
from importlib.util import find_spec

import pytest

from workspaces import Workspace

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

PROGRAM = """
import json, sys
from numba.core.registry import CPUDispatcher
from recsens import plugins
from recsens.artefacts.addresses import Address
from recsens.workflow.compile_kernels import compile_for
from recsens.seeds import Origin
from recsens.workflow.steps.fit import fit
from recsens.workflow.steps.measure import measure
from recsens.workflow.steps.overlap import overlap
from recsens.workflow.steps.rank import RankingTask, rank
from recsens.workflow.steps.tune import tune

def kernels():
    found = {}
    for name, module in sorted(sys.modules.items()):
        if name.startswith("recsens"):
            for key, value in vars(module).items():
                if isinstance(value, CPUDispatcher) and value.py_func.__module__ == name:
                    found[f"{name}.{key}"] = value
    return found

def signatures():
    return {name: sorted(map(str, kernel.signatures)) for name, kernel in kernels().items()}

compile_for(n_processes=1)
print("set up", file=sys.stderr)
compiled = signatures()
# A kernel that another one calls is compiled with it, and has no signature of its own.
inner = {each for kernel in kernels().values() for each in kernel.py_func.__code__.co_names}

plugins.add_paths(["."])
[fold] = {Address.parse(path).up_to("fold") for path in sys.argv[1:]}
given = {"data": fold.up_to("filter").data, "roles": fold.roles, "origin": Origin(0, "any", "repeat-0")}
tune(**given, tuning="tuning.json", cost="cost.json", outer="random", spec="tuned(of=user_knn,search=grid(k=[3,5]),metric=nDCG@5)")
rankings = []
for spec, targets, nc, ties in (
    ("user_knn", "ar", "drop", "random"),
    ("hkv", "one_r(n=5)", "append", "low_index"),
    ("wrmf", "ar(n=20,sampling=popularity)", "append(by=popularity)", "high_index"),
    ("single.Single", "p1r(m=3)", "drop", "random"),
    ("single.Single", "ar", "append", "random"),
):
    at = fold / spec.replace("(", "@").replace(")", "") / targets.split("(")[0] / nc.split("(")[0] / ties
    model = at.up_to("recommender").model
    fit(**given, spec=spec, model=model, cost="cost.json")
    rank(**given, ranking=at.ranking, cost="cost.json", model=model, design=RankingTask(spec, targets, None, nc, ties))
    rankings.append(at)
by_user, by_rating = rankings[0], rankings[3]
asked = {"measures": "m.parquet", "cutoffs": (5, 10), "selections": ["with_ratings"]}
both = [[("full", None), ("condensed", None)]]
for metric in ("P", "nDCG(gain=exp)", "RBP", "RMSE", "AUC"):
    measure(**asked, rankings=[by_user.measured], metric=metric, cells=both)
measure(**asked, rankings=[by_rating.measured], metric="nDCG", cells=[[("full", None)]])
for metric in ("ILD", "Gini", "EPC"):
    measure(**asked, rankings=[by_user.measured], lists=[by_user.listed], metric=metric, cells=both)
heads = [by_user.ranking.lists, rankings[4].ranking.lists]
overlap(lists=heads, table="overlap.csv", groups=[("any", "repeat-0", ["A", "B"], [("A", "B")], (5, 10))])
print(json.dumps({"compiled": compiled, "called": signatures(), "inner": sorted(inner)}))
"""

SINGLE = """
from recsens.recommenders.trivial import Random


class Single(Random):
    is_trivial = False

    def score(self, train, users):
        return super().score(train, users).astype("float32")
"""
"""Scores in single precision, as a user's own recommender may return them."""


@pytest.fixture
def found(finished: Workspace) -> dict:
    """Call steps of many kinds after compiling; return the signatures of every kernel before and after."""
    (finished.root / "single.py").write_text(SINGLE)
    fold = next((finished.root / "results").glob("seed-*/*/*/*/repeat-0")).relative_to(finished.root)
    command = [sys.executable, "-c", PROGRAM, str(fold)]
    done = subprocess.run(command, cwd=finished.root, env=finished.environment(), text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return {**json.loads(done.stdout), "said": done.stderr}


def test_set_up_warns_of_nothing_and_each_kernel_has_one_signature_to_which_the_steps_of_a_study_add_none(found):
    outer = {
        name: len(signatures) for name, signatures in found["compiled"].items() if name.rpartition(".")[2] not in found["inner"]
    }
    if find_spec("torch") is None:
        # If no network can be fitted, nothing calls the kernel that scores its model.
        assert outer.pop("recsens.recommenders._neural_networks._add_towers") == 0
    assert outer == dict.fromkeys(outer, 1)
    assert outer.keys() >= {
        "recsens.data.datasets._kernels.fill_draws",
        "recsens.data.datasets._kernels.fill_sums",
        "recsens.metrics._kernels.fill_ideal_sums",
        "recsens.metrics._kernels.count_joint",
        "recsens.ranking.kernels.among_targets.rank_targets",
        "recsens.score_files.in_lists.find_in_lists",
        "recsens.recommenders._least_squares.solve_rows",
        "recsens.comparison.significance._kernels.add_flipped",
        "recsens.ranking.targets._kernels.draw",
    }
    assert found["called"] == found["compiled"]
    # What a newcomer sees first.
    assert found["said"].startswith("set up\n")
