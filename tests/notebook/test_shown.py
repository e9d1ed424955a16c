"""Results print in at most ten lines, and a notebook shows them with a separate style sheet."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import recsens
from recsens.errors import DesignError
from recsens.notebook.shown_tables import facts_table

METRICS = ["nDCG@1,5,10,20", "P@1,5,10,20", "R@1,5,10,20", "AP"]


@pytest.fixture(scope="module")
def results() -> dict[str, object]:
    """Make one result of each kind."""
    ratings = recsens.load("simulated(users=40,items=100,ratings=950)", seed=1)
    folds = recsens.folds(ratings, "k_fold(k=2)")
    train, test = folds[0]
    models = {"Popularity": recsens.fit("popularity", train), "<kNN>": recsens.fit("user_knn(k=5)", train)}
    measures = {label: recsens.measure(recsens.rank(model, test), METRICS) for label, model in models.items()}
    shape = (12, 30)
    rated = sp.random(*shape, density=0.2, random_state=1, format="csr")
    rated.data[:] = 1
    run = recsens.evaluate(np.arange(360.0).reshape(shape), rated, METRICS)
    return {
        "ratings": ratings,
        "folds": folds,
        "fold": folds[0],
        "train": train,
        "model": models["<kNN>"],
        "ranking": recsens.rank(models["<kNN>"], test),
        "measures": measures["<kNN>"],
        "summary": recsens.summarise(measures),
        "compared": recsens.compare(*measures.values()),
        "all": recsens.compare_all(measures, correction="holm"),
        "evaluation": run,
        "evaluations": recsens.compare(run, recsens.evaluate(-np.arange(360.0).reshape(shape), rated, METRICS)),
    }


def depths(style: str) -> Iterator[int]:
    """Count the open braces after each closing brace."""
    depth = 0
    for brace in re.findall(r"[{}]", style):
        depth += 1 if brace == "{" else -1
        yield depth


KINDS = (
    *("ratings", "folds", "fold", "train", "model", "ranking", "measures"),
    *("summary", "compared", "all", "evaluation", "evaluations"),
)


@pytest.mark.parametrize("kind", KINDS)
def test_a_result_prints_in_ten_lines(results: dict[str, object], kind: str):
    assert 1 <= len(repr(results[kind]).splitlines()) <= 10


@pytest.mark.parametrize("kind", KINDS)
def test_a_notebook_shows_a_result_in_its_own_style(results: dict[str, object], kind: str):
    page = results[kind]._repr_html_()
    assert page.startswith('<div class="recsens"><style>.recsens.recsens {')
    assert page.endswith("</div>")
    style, _, body = page.partition("</style>")
    assert "prefers-color-scheme: dark" in style
    assert 'data-jp-theme-light="false"' in style
    assert style.count("{") == style.count("}")
    assert all(depth > 0 for depth in depths(style.partition("<style>")[2].strip()[:-1]))
    # No rule affects other content of the page: all are nested, and none applies to the whole page.
    assert ":root" not in style
    assert "<kNN>" not in body


@pytest.mark.parametrize("kind", ["measures", "summary", "compared", "all", "evaluation", "evaluations"])
def test_a_result_is_drawn_and_saved(results: dict[str, object], kind: str, tmp_path: Path):
    picture = results[kind].plot()
    assert "<svg" in picture._repr_html_()
    assert "var(--series-1)" in picture._repr_html_()
    assert picture.save(tmp_path / "a.svg").read_text(encoding="utf-8").startswith("<?xml")
    with pytest.raises(DesignError, match=r"allowed: \.svg, \.png, \.pdf"):
        picture.save(tmp_path / "a.bmp")


def test_folds_show_progress_only_if_asked(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    from recsens.recommenders import _progress

    monkeypatch.setattr(_progress, "_PATIENCE", 0)
    folds = recsens.folds("simulated(users=40,items=100,ratings=950)", "k_fold(k=2)")
    assert len([train for train, _ in folds]) == 2
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("RECSENS_PROGRESS", "on")
    assert len([train for train, _ in folds]) == 2
    assert "folds" in capsys.readouterr().err
    monkeypatch.setenv("RECSENS_PROGRESS", "loud")
    with pytest.raises(DesignError, match="on, off"):
        list(folds)


def test_evaluating_and_comparing_wait_for_nothing_heavy():
    program = (
        "import sys, recsens; a = recsens.evaluate({1: [1, 2]}, {1: [2], 2: [1]}, ['RR']);"
        "repr(recsens.compare(a, a)); a._repr_html_();"
        "sys.exit(', '.join({'matplotlib', 'snakemake', 'implicit', 'sklearn'} & set(sys.modules)) or None)"
    )
    done = subprocess.run([sys.executable, "-c", program], text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_studies_are_read_without_what_runs_and_draws_them():
    left_out = "dict.fromkeys(('matplotlib', 'snakemake', 'implicit', 'sklearn'))"
    program = f"import sys; sys.modules.update({left_out}); from recsens.cli import main; main(['studies'])"
    done = subprocess.run([sys.executable, "-c", program], text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "quickstart: Quick start" in done.stdout
    assert "valcarce2018:" in done.stdout


def test_numbers_of_folds_are_counts_or_values():
    (group,) = facts_table({1: {"train": 1_234_567.0, "ratio": 2 / 3}}).groups
    assert [cell.text for cell in group.rows[0].cells] == ["1,234,567", ".667"]


def test_a_table_of_pairs_says_which_system_is_which(results):
    assert "A, B, metric" in results["all"]._repr_html_()
