"""The page in a real browser: on A4 nothing is cut off, and on a phone the answer and the scores fit the width."""

import re

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from recsens.cli import main
from recsens.conclusions.design_space import base_designs
from recsens.report.figures import write_figure
from recsens.report.page_content import render

pytestmark = pytest.mark.slow

PHONE, DESK = {"width": 390, "height": 844}, {"width": 1400, "height": 1000}


@pytest.fixture(scope="module")
def report(study, results, tmp_path_factory, draw):
    folder = tmp_path_factory.mktemp("page")
    figures = {}
    for name in study.own.figures():
        svg = folder / f"{name}.svg"
        write_figure(draw(name, study.own, results.summary, results.verdicts), svg=svg, png=svg.with_suffix(".png"))
        figures[name] = svg.read_text()
    path = folder / "report.html"
    path.write_text(render(study, results, name="n", designs=base_designs(study.own), figures=figures), encoding="utf-8")
    return path


@pytest.fixture
def opened(browser, report):
    pages = []

    def opened(**options):
        pages.append(browser.new_page(**options))
        pages[-1].goto(report.as_uri())
        return pages[-1]

    yield opened
    for page in pages:
        page.close()


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_the_page_is_no_wider_than_the_screen_and_the_first_answer_is_on_it(opened, size):
    page = opened(viewport=size)
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    box = page.locator(".answers li").first.bounding_box()
    assert box["y"] + box["height"] < size["height"]


def test_the_scores_of_the_first_screen_need_no_scrolling_on_a_phone(opened):
    for table in opened(viewport=PHONE).locator("table.stacked").all():
        assert table.evaluate("table => table.parentElement.scrollWidth <= table.parentElement.clientWidth")


def test_a_phone_leaves_out_the_empty_fields_of_a_system(opened):
    cells = opened(viewport=PHONE).locator("table.stacked td").all()
    assert [cell.inner_text() for cell in cells if cell.is_visible() and cell.inner_text() == "–"] == []


def test_scores_and_the_verdicts_at_a_glance_are_near_the_top_on_a_desk(opened):
    page = opened(viewport=DESK)
    assert page.locator("table.glance").first.bounding_box()["y"] < DESK["height"]
    assert page.locator("table.stacked").first.bounding_box()["y"] < 1.2 * DESK["height"]


def test_the_print_is_short_and_shows_every_setting(opened):
    page = opened(viewport=DESK)
    printed = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type /Page\b", printed)) <= 12
    page.emulate_media(media="print")
    assert all(
        page.locator(".printed").nth(n).locator("table, p").first.is_visible() for n in range(page.locator(".printed").count())
    )


def test_no_table_and_no_figure_is_wider_than_a_sheet(opened):
    # The width of A4 within the margins is 703 CSS pixels; up to 704, the page would have the styles of a phone.
    page = opened(viewport={"width": 705, "height": 1000})
    page.emulate_media(media="print")
    wide = page.evaluate(
        "[...document.querySelectorAll('table, td, svg')].filter(x => x.getBoundingClientRect().right > 706)"
        ".map(x => (x.caption || x).textContent.trim().slice(0, 60))"
    )
    assert wide == []


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_an_audit_is_no_wider_than_the_screen(browser, audited, size):
    page = browser.new_page(viewport=size)
    page.goto(audited.as_uri())
    assert "not measured here" in page.content(), "the longest lines of an audit"
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    page.close()


@pytest.fixture(scope="module")
def audited(tmp_path_factory):
    """Audit two runs of short lists; several metrics of other tools need longer lists."""
    folder, random = tmp_path_factory.mktemp("audit"), np.random.default_rng(1)
    pairs = pd.DataFrame({"user": np.repeat(np.arange(20), 30), "item": np.tile(np.arange(30), 20)})
    pairs["rating"], in_train = random.integers(1, 6, len(pairs)), random.random(len(pairs)) < 0.5
    pairs[in_train].to_csv(folder / "train.csv", index=False)
    pairs[~in_train].to_csv(folder / "test.csv", index=False)
    for name in ("A", "B"):
        scored = pairs[~in_train].assign(score=random.random((~in_train).sum())).sort_values("score", ascending=False)
        scored.groupby("user").head(5)[["user", "item", "score"]].to_csv(folder / f"{name}.csv", index=False)
    done = CliRunner().invoke(main, ["audit", str(folder), "--to", str(folder / "audit"), "-m", "AP@5", "-m", "nDCG@5", "-m", "RR"])
    assert done.exit_code == 0, done.output
    return folder / "audit" / "report.html"
