"""The scorecard on the page, shown if a study names a reference, with figure and table, on a desktop and on a phone."""

from html import unescape

import pandas as pd
import pytest

from recsens.conclusions.design_space import DesignSpace, base_designs
from recsens.conclusions.scorecard import scorecard_lines
from recsens.report.figure_style import house_style
from recsens.report.figures import draw_scorecard, write_figure
from recsens.report.page_content import render

SHARES = ("right", "wrong", "open")


@pytest.fixture(scope="module")
def scored(results):
    """The results with a scorecard: the later an analysis is in the summary, the farther it is from the truth."""
    summary = results.summary
    analyses = summary[summary["dataset"] == summary["dataset"].iloc[0]].drop_duplicates(["metric_full", "split_full", "view"])
    rows = []
    for number, row in enumerate(analyses.to_dict("records")):
        tau, wrong = 0.9 - 0.1 * number, min(0.05 * number, 0.6)
        head = {**row, "data": "Alpha-1M", "true_metric": "P@10", "is_reference": False}
        rows.append({**head, "quantity": "tau", "value": tau, "low": tau - 0.04, "high": tau + 0.04})
        rows += [
            {**head, "quantity": name, "value": share, "low": float("nan"), "high": float("nan")}
            for name, share in zip(SHARES, (0.9 - wrong, wrong, 0.1), strict=True)
        ]
    return results.with_tables(truth=pd.DataFrame(rows))


@pytest.fixture(scope="module")
def page(study, scored, tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    svg = folder / "truth.svg"
    with house_style():
        drawn = draw_scorecard(scorecard_lines(scored.truth, DesignSpace(scored.summary)))
    write_figure(drawn, svg=svg)
    designs = base_designs(study.own)
    html = render(study, scored, name="n", designs=designs, figures={"truth": svg.read_text(encoding="utf-8")})
    path = folder / "report.html"
    path.write_text(html, encoding="utf-8")
    return path


def test_the_page_says_shows_and_tables_how_near_designs_come_to_the_truth(page):
    html = unescape(page.read_text(encoding="utf-8"))
    assert html.index("On Alpha-1M, P@10 under the base design has a Kendall's tau of") < html.index('id="grounds"')
    section = html[html.index('<h2 id="believed">') :].partition("</section>")[0]
    assert '<a href="#believed">' in html
    assert "On Alpha-1M, P@10 under the base design has a Kendall's tau of .90" in section
    assert "certainly farther from the truth" in section
    assert section.count('id="figure-truth-title"') == 1
    assert "<table" in section


def test_a_study_without_a_reference_has_no_such_section(study, results):
    html = render(study, results, name="n", designs=base_designs(study.own), figures={})
    assert 'id="believed"' not in html


@pytest.mark.slow
@pytest.mark.parametrize("width", [1400, 390])
def test_the_scorecard_is_no_wider_than_the_screen(browser, page, width):
    opened = browser.new_page(viewport={"width": width, "height": 1000})
    opened.goto(page.as_uri())
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    assert opened.locator("section[aria-labelledby=believed] svg").bounding_box()["height"] > 100
    opened.close()
