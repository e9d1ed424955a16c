"""The explorer in a real browser agrees with the verdicts, by mouse, by keys, by link and without JavaScript."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pandas as pd
import pytest
import yaml
from playwright.sync_api import Browser, Locator, Page

from recsens.conclusions.design_space import base_designs
from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.conclusions.verdicts.study_tables import Results
from recsens.report.explorer import explorer, safe_json
from recsens.report.html.templates import templates
from recsens.report.page_content import render
from recsens.report.sentences.options import titles_of
from recsens.study import Study
from recsens.study.taxonomy import decision

pytestmark = pytest.mark.slow


def written(folder: Path, study: Study, results: Results) -> Path:
    path = folder / "report.html"
    path.write_text(render(study, results, name="n", designs=base_designs(study.own), figures={}), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def report(grid: Study, grid_results: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("page"), grid, grid_results)


@pytest.fixture
def opened(browser: Browser, report: Path) -> Iterator[Callable[..., Page]]:
    """Open the page; any error of its script fails the test."""
    pages, complaints = [], []

    def opened(fragment: str = "", path: Path = report, **options: object) -> Page:
        page = browser.new_page(**options)
        pages.append(page)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text))
        page.route("http*://**", lambda route: complaints.append(route.request.url))
        page.goto(path.as_uri() + fragment)
        return page

    yield opened
    for page in pages:
        page.close()
    assert complaints == []


def said(page: Page) -> str:
    return page.locator(".explorer .headline").inner_text().replace("\N{NO-BREAK SPACE}", " ")


def summary(page: Page) -> str:
    return page.locator(".explorer figure [role=status]").inner_text().replace("\N{NO-BREAK SPACE}", " ")


def choice(page: Page, name: str) -> Locator:
    return page.get_by_role("combobox", name=name, exact=True)


def one_pair(verdicts: list[PairVerdicts], metric: str = "P@10") -> pd.DataFrame:
    rows = verdicts[0].rows
    return rows[(rows[["dataset", "system_a", "system_b", "metric"]] == ["Alpha-1M", "kNN", "MF", metric]).all(axis=1)]


def test_the_sentence_says_what_the_base_design_says(opened: Callable[..., Page]):
    page = opened()
    assert said(page).startswith(
        "kNN is ahead of MF by .005 but does not win (95 % CI −.005 to .015, p = .223 for these splits and fits, 943 users)."
    )
    assert "This is the base design." in page.locator(".sentence").inner_text()


def test_a_choice_changes_the_sentence_and_what_it_contradicts_is_said(opened: Callable[..., Page]):
    page = opened()
    options = choice(page, "train/test split").locator("option").all_inner_texts()
    assert sum(text.endswith("· base") for text in options) == 1
    assert any(text.endswith("· kNN wins") for text in options)
    assert any(text.endswith("· MF wins") for text in options)
    choice(page, "train/test split").select_option(index=len(options) - 1)
    assert said(page).startswith("MF beats kNN by ")
    assert (
        "has a winner, unlike the base design, under which kNN is ahead of MF by .005 but does not win."
        in page.locator(".sentence").inner_text()
    )
    page.get_by_role("button", name="Back to the base design").click()
    assert "This is the base design." in page.locator(".sentence").inner_text()


def test_another_metric_and_experiment_are_shown(opened: Callable[..., Page]):
    page = opened()
    choice(page, "by").select_option("nDCG@10")
    assert "by nDCG@10 on Alpha-1M" in summary(page)
    choice(page, "on").select_option("Little data")
    assert "on Little data" in summary(page)
    assert choice(page, "relevant ratings").locator("option").all_inner_texts() == ["3 · base", "4.5"]


def test_shares_and_median_are_those_of_the_verdicts_left(opened: Callable[..., Page], verdicts: list[PairVerdicts]):
    page, rows = opened(), one_pair(verdicts)
    wins = {label: (rows["winner"] == label).mean() for label in ("kNN", "MF", "")}
    expected = f"kNN wins {wins['kNN']:.0%}, MF wins {wins['MF']:.0%}, and neither wins {wins['']:.0%}".replace("%", " %")
    assert f"{len(rows)} analyses, by P@10 on Alpha-1M: {expected}" in summary(page)
    box = page.get_by_role("checkbox", name="Keep train/test split").first
    words = box.get_attribute("aria-label").removeprefix("Keep train/test split ")
    box.uncheck()
    titles = titles_of(decision("split"), rows["split"].unique())
    left = rows[rows["split"].map(titles) != words]
    assert summary(page).startswith(f"{len(left)} analyses, 1 option removed")
    median = f"{abs(left['effect'].median()):.3f}".replace("0.", ".", 1)
    assert summary(page).endswith(f"the median effect size d_z is {'−' if left['effect'].median() < 0 else ''}{median}.")
    page.get_by_role("button", name="Put all options back").click()
    assert summary(page).startswith(f"{len(rows)} analyses, by")


def test_without_any_option_nothing_is_left(opened: Callable[..., Page]):
    page = opened()
    for box in page.get_by_role("checkbox", name="Keep full or condensed").all():
        box.uncheck()
    assert summary(page) == "No analysis is left: put an option back."


def pairs_reversed(rows: pd.DataFrame, column: str, others: list[str]) -> tuple[float, float]:
    """Compare all pairs of analyses, one by one."""
    found = [
        (a["winner"] != b["winner"], bool(a["winner"]) and bool(b["winner"]) and a["winner"] != b["winner"])
        for i, (_, a) in enumerate(rows.iterrows())
        for _, b in list(rows.iterrows())[:i]
        if a[column] != b[column] and all(a[other] == b[other] for other in others)
    ]
    return sum(differ for differ, _ in found) / len(found), sum(opposite for _, opposite in found) / len(found)


def percent(share: float) -> str:
    extremes = {"0%": "0%" if share == 0 else "< 1%", "100%": "100%" if share == 1 else "> 99%"}
    text = f"{share:.0%}"
    return extremes.get(text, text).replace("%", " %")


def test_how_much_a_decision_matters_is_counted_pair_by_pair(opened: Callable[..., Page], verdicts: list[PairVerdicts]):
    page, rows = opened(), one_pair(verdicts)
    shown = [text.replace("\N{NO-BREAK SPACE}", " ") for text in page.locator(".matters").all_inner_texts()]
    for text, (column, other) in zip(shown, [("split", "view"), ("view", "split")], strict=True):
        reversed_, opposite = pairs_reversed(rows, column, [other])
        means = rows.groupby(column)["effect"].transform("mean")
        variance = ((means - rows["effect"].mean()) ** 2).sum() / ((rows["effect"] - rows["effect"].mean()) ** 2).sum()
        numbers = [percent(share) for share in (reversed_, opposite, round(variance, 6))]
        assert text == f"changes {numbers[0]} of verdicts (opposite winner {numbers[1]}), explains {numbers[2]} of the variance"


def test_keys_walk_along_the_curve_and_select(opened: Callable[..., Page], verdicts: list[PairVerdicts]):
    page, rows = opened(), one_pair(verdicts)
    slider = page.get_by_role("slider", name="Analyses by effect size")
    slider.focus()
    page.keyboard.press("Home")
    assert slider.get_attribute("aria-valuetext") == f"1 of {len(rows)} by effect size"
    assert said(page).startswith("MF beats kNN")
    page.keyboard.press("Shift+ArrowRight")
    selected = page.locator(".selected").inner_text().replace("\N{NO-BREAK SPACE}", " ")
    assert selected.startswith(f"Selected: 2 analyses of {len(rows)}")
    assert "train/test split" in selected
    assert "(100 % here, 25 % of all)" in selected
    assert page.locator(".options th").filter(has_text="In the selection").count() == 1
    page.keyboard.press("Escape")
    assert page.locator(".selected").inner_text() == ""


def test_the_mouse_names_chooses_and_selects(opened: Callable[..., Page]):
    page = opened(viewport={"width": 1200, "height": 900})
    slider = page.get_by_role("slider")
    slider.scroll_into_view_if_needed()
    place = slider.bounding_box()
    y = place["y"] + 100
    page.mouse.move(place["x"] + place["width"] - 20, y)
    assert "kNN beats MF" in page.locator(".pointed").inner_text()
    page.mouse.down()
    page.mouse.up()
    assert said(page).startswith("kNN beats MF")
    page.mouse.down()
    page.mouse.move(place["x"] + place["width"] / 2 + 20, y, steps=5)
    page.mouse.up()
    assert page.locator(".selected").inner_text().startswith("Selected: 4 analyses of 8")


def test_a_decision_opens_the_curve_of_each_option(opened: Callable[..., Page]):
    page = opened()
    button = page.get_by_role("button", name="A2 Train/test split")
    assert button.get_attribute("aria-expanded") == "false"
    button.press("Enter")
    assert button.get_attribute("aria-expanded") == "true"
    assert page.locator(".multiples [role=img]").count() == 4
    assert "2 analyses, median" in page.locator(".multiples [role=img]").first.get_attribute("aria-label")


def test_a_link_leads_to_the_same_analysis(opened: Callable[..., Page], grid: Study):
    page = opened()
    choice(page, "full or condensed rankings").select_option(label="condensed")
    choice(page, "by").select_option("nDCG@10")
    page.get_by_role("checkbox", name="Keep train/test split").last.uncheck()
    page.locator(".citation summary").click()
    link = page.locator(".citation a").evaluate("link => link.href")
    page.wait_for_function("link => location.href === link", arg=link)
    again = opened("#" + link.partition("#")[2])
    assert said(again) == said(page)
    assert summary(again) == summary(page)
    text = again.locator(".citation pre").text_content()
    asked = Study.model_validate(yaml.safe_load(text))
    assert asked.design.view == "condensed"
    assert asked.design.split == grid.design.split
    assert "nDCG" in str(asked.metrics[0])


def test_a_link_to_what_the_study_lacks_says_so(opened: Callable[..., Page]):
    page = opened(f"#explorer?dataset=Alpha-1M&metric=P%4010&first=kNN&second=MF&split={quote('k_fold(k=5)')}&view=condensed")
    alert = page.get_by_role("alert").inner_text()
    assert "The link refers to choices that this study does not have: split k_fold(k=5)." in alert
    assert choice(page, "full or condensed rankings").evaluate("select => select.selectedIndex") == 1


def test_options_that_were_not_run_together_cannot_be_taken(
    opened: Callable[..., Page], study: Study, results: Results, tmp_path: Path
):
    page = opened(path=written(tmp_path, study, results))
    assert "one decision at a time" in page.locator(".sentence").inner_text()
    choice(page, "full or condensed rankings").select_option(index=1)
    texts = choice(page, "train/test split").locator("option").all_inner_texts()
    disabled = choice(page, "train/test split").locator("option[disabled]").all_inner_texts()
    assert disabled == [text for text in texts if "base" not in text]
    assert all(text.endswith("· not run") for text in disabled)


def test_words_of_a_study_are_never_markup(opened: Callable[..., Page], grid: Study, verdicts: list[PairVerdicts], tmp_path: Path):
    given = json.loads(explorer(grid, verdicts, base_designs(grid.own)))
    hostile = "</script><img src=x onerror='document.title = 1'>"
    # Labels may not contain these letters today, but the page does not rely on this.
    text = json.dumps(given).replace("MF", hostile).replace('"condensed"', json.dumps(hostile))
    body = templates().get_template("explorer/explorer.html.jinja").render(explorer=safe_json(json.loads(text)))
    path = tmp_path / "hostile.html"
    path.write_text(f"<!DOCTYPE html><meta charset=utf-8><title>sound</title>{body}", encoding="utf-8")
    page = opened(path=path)
    page.get_by_role("button", name="C1").click()
    choice(page, "full or condensed rankings").select_option(index=1)
    page.locator(".citation summary").click()
    assert hostile in said(page)
    assert page.locator(".explorer img").count() == 0
    assert page.title() == "sound"


def test_without_javascript_the_page_says_where_the_numbers_are(opened: Callable[..., Page]):
    page = opened(java_script_enabled=False)
    assert "JavaScript is off or not supported" in page.locator(".explorer").inner_text()
    assert page.locator(".explorer select").count() == 0
    assert page.locator("#settings").is_visible()


def test_print_has_the_sentence_and_no_controls(opened: Callable[..., Page]):
    page = opened()
    page.emulate_media(media="print")
    assert page.locator(".explorer .headline").is_visible()
    assert not page.get_by_role("button", name="Back to the base design").is_visible()
    assert not any(box.is_visible() for box in page.get_by_role("checkbox").all())


@pytest.mark.parametrize("width", [390, 1400])
def test_the_page_is_never_wider_than_the_window(opened: Callable[..., Page], width: int):
    page = opened(viewport={"width": width, "height": 800})
    page.get_by_role("button", name="A2 Train/test split").click()
    page.locator(".citation summary").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_every_control_has_a_name_and_tab_reaches_them_in_order(opened: Callable[..., Page]):
    page = opened()
    controls = page.locator(".explorer :is(select, input, button, [role=slider])")
    names = [control.evaluate("e => e.ariaLabel || e.labels?.[0]?.textContent || e.textContent") for control in controls.all()]
    assert all(name.strip() for name in names)
    choice(page, "Comparing").focus()
    reached = []
    for _ in range(7):
        reached.append(page.evaluate("document.activeElement.tagName.toLowerCase()"))
        page.keyboard.press("Tab")
    assert reached == ["select"] * 5 + ["button", "svg"]
