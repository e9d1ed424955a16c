"""Fixtures: the invented study, its tables for papers, a browser, and a check of the texts in a figure."""

from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import which

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from playwright.sync_api import Browser, sync_playwright

from invented import designs, experiment, files, make_results, make_study, results, split_at, study, study_content
from recsens.conclusions.verdicts.study_tables import Results
from recsens.report.figure_style import house_style
from recsens.report.figures import FigureData
from recsens.report.figures._fitting import text_boxes, texts_of
from recsens.report.sections import full_caption
from recsens.report.tables.all_tables import make_tables
from recsens.report.which_drawing import usual_drawing
from recsens.study import Experiment
from recsens.tables.table import Table

__all__ = ["designs", "experiment", "files", "make_results", "make_study", "results", "split_at", "study", "study_content"]


@pytest.fixture(scope="session")
def draw() -> Callable[..., Figure]:
    """Draw one of the usual figures of an experiment."""

    def drawn(name: str, part: Experiment, summary: pd.DataFrame, verdicts: pd.DataFrame) -> Figure:
        with house_style():
            return usual_drawing(name).draw(FigureData(part, Results({"summary": summary, "verdicts": verdicts})))

    return drawn


@pytest.fixture(scope="session")
def caption() -> Callable[[str, Experiment], str]:
    """Return the caption of one of the usual figures of an experiment."""
    return lambda name, part: full_caption(usual_drawing(name), part)


@pytest.fixture(scope="session")
def printed() -> Callable[..., list[Table]]:
    """Make every table for papers of a study."""
    return make_tables


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium of Debian or another system; a process can have one driver at a time, so each module closes its driver."""
    path = which("chromium") or which("chromium-browser") or which("google-chrome")
    if path is None:
        pytest.skip("there is no Chromium")
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=Path(path))
        yield opened
        opened.close()


def _texts(figure: Figure) -> Iterator[Text]:
    """List the texts of a figure: those of panels, of legends, and its own."""
    for axes in figure.axes:
        yield from texts_of(axes)
    for legend in figure.legends:
        yield from legend.get_texts()
    yield from figure.texts


def _check_texts(figure: Figure) -> None:
    figure.draw_without_rendering()
    texts = [text for text in _texts(figure) if text.get_visible() and text.get_text().strip()]
    found = text_boxes(texts)
    for number, (text, box) in enumerate(zip(texts, found, strict=True)):
        inside = Bbox.intersection(box, figure.bbox.padded(1))
        assert np.array_equal(inside, box), f"{text.get_text()!r} is cropped"
        for other, beside in zip(texts[:number], found, strict=False):
            assert not box.padded(-1).overlaps(beside.padded(-1)), f"{text.get_text()!r} overlaps {other.get_text()!r}"


@pytest.fixture(scope="session")
def check_texts() -> Callable[[Figure], None]:
    """Check that no text of a figure overlaps another or leaves the canvas."""
    return _check_texts
