"""Folders that the exporter writes from Cornac, implicit and Surprise are audited and evaluated unedited."""

from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.sparse import csr_matrix

from exporter.frameworks import B_I, B_U, ITEMS, MEAN, TEST, TRAIN, USERS, P, Q, cornac, named, profile, surprise
from recsens.cli import main
from recsens.inputs.foreign_results import ForeignResults
from recsens.runs.audits._material import write_runs, write_sets

BIASED = MEAN + B_U[:, None] + B_I + P @ Q.T


@pytest.mark.parametrize("program", ["Cornac", "implicit", "Surprise"])
def test_an_exported_folder_is_its_split_and_its_scores(
    program: str, recsens_export: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    if program == "Cornac":
        exported = recsens_export.from_cornac(cornac(BIASED.__getitem__, u_factors=P, i_factors=Q, u_biases=B_U, i_biases=B_I))
    elif program == "implicit":
        np.savez("als.npz", user_factors=P.astype(np.float32), item_factors=Q.astype(np.float32))
        exported = recsens_export.from_implicit(
            SimpleNamespace(**np.load("als.npz")), USERS, ITEMS, csr_matrix(profile(values=True)), test=named(TEST)
        )
    else:
        exported = recsens_export.from_surprise(surprise(pu=P, qi=Q), test=named(TEST))
    exported.save("results/A.npz")
    exported.save("results/B.npy")
    exported.save_split("results")
    [given] = ForeignResults.of_folder("results").values()
    [fold] = given.folds.values()
    sets = write_sets(tmp_path, [fold.sets], {}, scale=None, relevance=None)
    assert sets.sizes == {"train": len(TRAIN), "test": len(TEST)}
    runs = write_runs(tmp_path, [fold], sets, {}, "score")
    assert {name: (run.n_rows, run.foreign.names) for name, run in runs.items()} == {"A": (0, []), "B": (0, [])}
    whole = CliRunner().invoke(main, ["evaluate", "results", "-m", "RR", "--format", "csv"])
    files = ("results/A.npz", "results/B.npy", "results/test.csv", "--train", "results/train.csv")
    assert whole.stdout == CliRunner().invoke(main, ["evaluate", *files, "-m", "RR", "--format", "csv"]).stdout != ""
