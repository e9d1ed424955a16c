"""Random valid studies from end to end: nothing fails, and the tables of each agree with each other."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from in_process import compute
from random_studies import (
    ANALYSES,
    CLAIMS,
    FIGURES,
    GROUPS,
    METRICS,
    OPTIONS,
    RATINGS,
    SHOWN,
    SYSTEMS,
    check_alone,
    check_swapped,
    check_tables,
    computed,
    random_study,
    tables,
    write,
    write_ratings,
)
from recsens import plugins
from recsens.study.taxonomy import DESIGN


def check(folder: Path, seed: int) -> bool:
    """Compute a random study and check its tables; return False if it is refused."""
    folder.mkdir()
    study = random_study(seed)
    # Every tenth study also draws its figures and its page.
    if not computed(folder, study, draws=seed % 10 == 0):
        return False
    found = tables(folder)
    check_tables(study, found)
    (check_swapped if seed % 2 else check_alone)(folder, study, found)
    return True


def test_random_studies_draw_every_plug_in_that_needs_no_file():
    drawn = {
        "recommender": SYSTEMS,
        "analysis": ANALYSES,
        "figure": FIGURES,
        "claim": CLAIMS,
        "metric": METRICS,
        **{kind: OPTIONS[key] for key, kind in (("filter",) * 2, ("split",) * 2, ("targets",) * 2, ("nc",) * 2, ("users",) * 2)},
        **{kind: OPTIONS[kind] for kind in ("aggregate", "test")},
        "group": GROUPS,
    }
    lacking = {
        "from_file",
        "program",
        "predefined",
        "revealed",
        "listed",
        "Bound1R",
        "column",
        "TemporalDiversity",
        "TemporalNovelty",
    }
    needs_keys = {"effort", "forest", "tipping", "components", "robust_to_unrated", "by_group"}
    for kind, texts in drawn.items():
        known = {name for name in plugins.names(kind) if not plugins.missing_extra(plugins.load(kind, name))}
        assert known - {each.partition("(")[0] for text in texts for each in text.split("+")} <= lacking | needs_keys, kind


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 80, 20))
def test_random_studies_agree_with_themselves(first: int, tmp_path: Path):
    n_computed = sum(check(tmp_path / str(seed), seed) for seed in range(first, first + 10))
    assert n_computed >= 3


@pytest.mark.trial
@pytest.mark.parametrize("first", range(1000, 2200, 100))
def test_hundreds_of_random_studies_agree_with_themselves(first: int, tmp_path: Path):
    """RECSENS_SEED moves the seeds, to try other studies."""
    first += int(os.environ.get("RECSENS_SEED", "0"))
    n_computed = sum(check(tmp_path / str(seed), seed) for seed in range(first, first + 100))
    assert n_computed >= 45, f"of the seeds {first} to {first + 99}, {n_computed} were computed, and the others refused"


@pytest.mark.trial
@pytest.mark.parametrize("first", range(5000, 5040, 10))
def test_random_studies_run_without_a_traceback(first: int, tmp_path: Path):
    """RECSENS_SEED moves the seeds, to try other studies."""
    done = []
    for seed in range(first, first + 10):
        folder = tmp_path / str(seed)
        folder.mkdir()
        write_ratings(folder, seed)
        study = random_study(seed + int(os.environ.get("RECSENS_SEED", "0")))
        ran = subprocess.run(
            [Path(sys.executable).with_name("recsens"), "run", write(folder, "s", study), "--cores", "1"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        said = ran.stdout + ran.stderr
        assert "Traceback" not in said, f"seed {seed}: {said}"
        if ran.returncode == 0:
            assert (folder / "results/report.html").is_file()
            check_tables(study, tables(folder))
            done.append(seed)
    assert len(done) >= 4, f"of the seeds {first} to {first + 9}, only {done} were computed"


ANOTHER = {
    "filter": "k_core(users=6,items=4)",
    "split": "random(ratio=0.5)",
    "repeats": 3,
    "fits": 2,
    "targets": "ar(items=test)",
    "nc": "append(by=popularity)",
    "ties": "low_index",
    "relevance": 3,
    "users": "with_ratings(relevant=1)",
    "view": "condensed",
    "aggregate": "weighted(by=relevant)",
    "coverage": "reduced",
    "test": "wilcoxon",
    "correction": "holm",
}
"""Another option of each decision than the base design's."""


@pytest.mark.slow
@pytest.mark.parametrize("key", ANOTHER)
def test_each_decision_varies_alone_and_with_each_other_decision(key: str, tmp_path: Path):
    assert set(ANOTHER) == {decision.key for decision in DESIGN}
    write_ratings(tmp_path, seed=0)
    systems = {"A": "user_knn(k=5)", "B": "popularity", "C": "average_rating"}
    study = {"title": key, "datasets": {"S": RATINGS}, "systems": systems, "metrics": ["P@5", "nDCG@5"], "combine": "grid"}
    others = list(ANOTHER)[list(ANOTHER).index(key) + 1 :]
    for varied in ([key], *([key, other] for other in others)):
        compute(tmp_path, write(tmp_path, "s", {**study, "vary": {each: [ANOTHER[each]] for each in varied}}), without=SHOWN)
        found = tables(tmp_path)
        check_tables(study, found)
        assert len(found["verdicts"]) == 3 * 2 * 2 ** len(varied)
