"""Several fits of each system that draws on the same train set; systems that draw nothing are fitted once."""

from pathlib import Path

import numpy as np
import pytest

from in_process import PRESENTED, compute, table
from recsens.comparison.significance import corrected_resampled_p
from recsens.study import Study
from recsens.study.keys_by_step import digest_for_step
from workspaces import STUDY, Workspace

SYSTEMS = {
    "Popularity": "popularity",
    "Random": "random",
    "MF": "hkv(factors=4,epochs=2)",
    "Tuned": "tuned(of=bpr(epochs=2),search=grid(factors=[2,4]))",
}


def rankings(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.glob("results/seed-0/**/positions.parquet"))}


def test_what_draws_is_fitted_again_under_any_split_and_the_first_fits_are_those_of_a_study_without_others(workspace: Workspace):
    root = workspace.root
    design = {"split": "random(ratio=0.5)", "repeats": 2}
    changes = {"systems": SYSTEMS, "vary": {"split": ["temporal(ratio=0.5)"]}, "metrics": ["P@5"]}
    workspace.write_study("once", **changes, design=design)
    first = compute(root, "once", without=PRESENTED)
    before = rankings(root)
    assert "fits" not in table(root, "once", "comparisons").columns
    assert not (root / "results/studies/once/components.csv").exists()
    workspace.write_study("often", **changes, design={**design, "fits": 3})
    jobs = compute(root, "often", without=PRESENTED)
    # On three folds, two systems besides 'random', which the ranking fits, have two further fits. Nothing is tuned again.
    assert (jobs["fit"], jobs["rank"], jobs["tune"], jobs["split"]) == (3 * 2 * 2, 3 * 3 * 2, 0, 0)
    assert first["tune"] == 3
    after = rankings(root)
    assert {path: after[path] for path in before} == before
    again = [path for path in after if "+fit-" in path]
    assert not any("popularity" in path for path in again)
    assert len({after[path] for path in again} | set(before.values())) == len(again) + len(before)
    compared = table(root, "often", "comparisons")
    rows = compared[(compared["system_a"] == "Random") & (compared["system_b"] == "MF") & compared["is_base"]]
    by_fold = rows.set_index("fold")["difference"].astype(float)
    assert list(by_fold.index[1:]) == [f"repeat-{draw}{fit}" for draw in (0, 1) for fit in ("", ".fit-1", ".fit-2")]
    assert by_fold["all"] == pytest.approx(by_fold.iloc[1:].mean())
    of_splits = by_fold.iloc[1:].to_numpy().reshape(2, 3).mean(axis=1)
    resampled = float(rows.loc[rows["fold"] == "all", "resampled_p"].iloc[0])
    assert resampled == pytest.approx(corrected_resampled_p(of_splits, n_train=1, n_test=1), abs=0.02)
    by_time = compared[compared["split"] == "temporal(ratio=0.5)"]
    assert set(by_time["fold"]) == {"all", "repeat-0", "repeat-0.fit-1", "repeat-0.fit-2"}
    assert set(by_time["resampled_p"]) == {""}
    found = table(root, "often", "components")
    assert set(found["component"]) >= {"user", "split", "fit", "user x split", "rest", "other users", "other users and fits"}
    # Two draws of a split say nothing of splits.
    assert set(found.loc[found["component"] == "split", ["variance", "error", "share"]].to_numpy().ravel()) == {""}
    assert "other users, splits and fits" not in set(found["component"])


def test_one_fit_leaves_what_steps_depend_on_as_it_was():
    plain, one, two = (
        Study.model_validate({**STUDY, "design": {"split": "random", **fits}}) for fits in ({}, {"fits": 1}, {"fits": 2})
    )
    for step in ("summarise", "compare", "components", "report", "figure"):
        assert digest_for_step(plain, step) == digest_for_step(one, step)
        assert digest_for_step(plain, step) != digest_for_step(two, step)


def test_components_of_a_pair_are_those_of_its_users_values(workspace: Workspace):
    root = workspace.root
    systems = {key: SYSTEMS[key] for key in ("Popularity", "MF")}
    workspace.write_study("drawn", systems=systems, design={"split": "k_fold(k=2)", "repeats": 3}, vary={}, metrics=["P@5"])
    compute(root, "drawn", without=PRESENTED)
    found = table(root, "drawn", "components").set_index("component")
    # The parts of a k-fold are no draws: there are three, and no fit is known apart from its split.
    assert list(found.index) == ["user", "split", "user x split", "other users", "other users, splits and fits"]
    assert int(found["levels"]["split"]) == 3
    compared = table(root, "drawn", "comparisons")
    over_users = float(compared.loc[compared["fold"] == "all", "standard_error"].iloc[0])
    assert float(found["error"]["other users"]) == pytest.approx(over_users, rel=0.02)
    parts = np.square([float(found["error"][source]) for source in ("user", "split", "user x split")])
    assert float(found["error"]["other users, splits and fits"]) == pytest.approx(parts.sum() ** 0.5)
    assert sum(float(share) for share in found["share"] if share) == pytest.approx(1)
