"""The report is one page: complete, safe, accessible, and with the same bytes in each run."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml

from recsens.conclusions.design_space import base_designs
from recsens.pipeline.table_files import write_rows
from recsens.report.figures import write_figure
from recsens.report.html.templates import templates
from recsens.report.page_content import MAX_EMBEDDED, download, render
from recsens.tables.table import Row, RowGroup, Table, TableCell
from recsens.workflow.steps.decide_winners import decide_winners
from recsens.workflow.steps.figure import figure
from recsens.workflow.steps.report import report

VOID = {"meta", "br", "wbr", "link", "img", "input", "hr"}


class Page(HTMLParser):
    """Collects elements and checks that they nest."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements = [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def all(self, tag):
        return [attributes for found, attributes in self.elements if found == tag]


@pytest.fixture(scope="module")
def drawn_files(study, results, tmp_path_factory, draw):
    folder = tmp_path_factory.mktemp("figures")
    for name in study.own.figures():
        write_figure(
            draw(name, study.own, results.summary, results.verdicts), svg=folder / f"{name}.svg", png=folder / f"{name}.png"
        )
    return {name: folder / f"{name}.svg" for name in study.own.figures()}


@pytest.fixture(scope="module")
def drawings(drawn_files):
    return {name: path.read_text() for name, path in drawn_files.items()}


@pytest.fixture(scope="module")
def html(study, results, drawings):
    return render(study, results, name="split-ratio", designs=base_designs(study.own), figures=drawings)


@pytest.fixture(scope="module")
def page(html):
    return Page(html)


def test_the_page_nests_and_its_names_are_unique(page):
    names = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(names) == len(set(names))


def test_every_link_within_the_page_leads_somewhere(page):
    names = {attributes["id"] for _, attributes in page.elements if "id" in attributes}
    targets = [link["href"][1:] for link in page.all("a") if link["href"].startswith("#")]
    assert len(targets) > 8
    assert set(targets) <= names


def test_the_page_needs_no_network(page, html):
    assert all("src" not in attributes for attributes in page.all("script"))
    assert not page.all("img")
    assert not page.all("link")
    outside = re.findall(r'(?:href|src)="(https?:[^"]+)"|url\((https?:[^)]+)\)|@import', html)
    assert outside == []


@pytest.mark.parametrize(
    "part",
    [
        "Does the split ratio decide who wins?",
        "Three systems on two invented data sets",
        "What this study says",
        "lead over MF on P@10",
        "The base design",
        "relevant=0,<wbr>test=0,<wbr>train=1)",
        "1,000,209",
        "a6898adb50b9ca05aa231689da44c217cb524e7ebd39d264c56e2832f2c54e20",
        "<b>.410</b>",
        "By train/test split",
        "Coverage@10",
        "full averages: a user without a ranking counts as zero",
        "What changes a verdict",
        "Specification curve",
        "What each filter leaves",
        "k_core(n=5)",
        "3600.500",
        "full average = user coverage × reduced average",
        "Unrated items",
        "Printed values and ours",
        "Normalised discounted cumulative gain.",
        "Valcarce et al. (2018), eq. 1",
        "Hu, Koren &amp; Volinsky (2008)",
        "snakemake",
    ],
)
def test_the_page_holds_what_a_reader_needs(html, part):
    assert part in html.replace("\N{NO-BREAK SPACE}", " ")


def test_every_figure_says_what_it_is(page):
    figures = page.all("svg")
    assert len(figures) == 3
    assert all(figure["role"] == "img" and figure["aria-labelledby"] for figure in figures)


def test_every_table_has_scoped_headers_and_scrolls_in_its_own_box(page):
    assert all("scope" in header for header in page.all("th"))
    boxes = [box for box in page.all("div") if "scroll" in box.get("class", "").split()]
    assert len(boxes) == len(page.all("table")) + len(page.all("svg"))
    assert all(box["aria-label"] and box["tabindex"] == "0" for box in boxes)


def test_long_names_of_rows_wrap_and_leave_room_for_the_columns():
    labels = ("kNN", "A very long label of an item-based nearest neighbour")
    table = Table("t", "T", "System", ("P@10",), (RowGroup("", tuple(Row(label, (TableCell(".1"),)) for label in labels)),))
    headers = Page(templates().get_template("table.html.jinja").module.grid(table)).all("th")
    assert [header.get("class") for header in headers if header["scope"] == "row"] == [None, "long"]


def test_text_of_the_study_is_escaped(make_study, results, drawings):
    study = make_study(title="<script>alert(1)</script>", description="a & b < c")
    text = render(study, results, name="x", designs=base_designs(study.own), figures=drawings)
    assert "<script>" not in text
    assert "a &amp; b &lt; c" in text


def test_the_page_is_the_same_on_each_run_and_has_no_date(study, results, drawings, html):
    assert render(study, results, name="split-ratio", designs=base_designs(study.own), figures=drawings) == html


def test_a_study_that_varies_nothing_has_one_figure_and_no_options(make_study, make_results, tmp_path, draw):
    study = make_study(vary={}, published=[], published_comparisons=[], metrics=["P@10"])
    tables = make_results(study)
    write_figure(draw("systems", study.own, tables.summary, tables.verdicts), svg=tmp_path / "s.svg")
    figures = {"systems": (tmp_path / "s.svg").read_text()}
    text = render(study, tables, name="x", designs=base_designs(study.own), figures=figures)
    Page(text)
    assert "Systems side by side" in text
    assert "What varies" not in text
    assert "Unrated items" not in text


def test_a_grid_shows_every_design_in_a_fold(make_study, make_results, split_at):
    study = make_study(combine="grid", vary={"split": ["random(ratio=0.2)"], "view": ["full", "condensed"]})
    text = render(study, make_results(study), name="x", designs=base_designs(study.own), figures={})
    assert "Each design" in text
    assert f"split {split_at(0.2)} and view condensed" in text


def test_a_threshold_of_the_scale_is_resolved_from_the_data(study, results, drawings):
    rows = results.datasets[results.datasets["metric"] == "users"].assign(metric="relevance", value=4.0)
    known = results.with_tables(datasets=rows)
    text = render(study, known, name="x", designs=base_designs(study.own), figures=drawings)
    assert "Test ratings of 4 or more" in text


def test_small_files_travel_inside_the_page_and_large_ones_stay_beside_it(tmp_path):
    small, large = tmp_path / "study" / "small.csv", tmp_path / "study" / "large.csv"
    small.parent.mkdir()
    small.write_text("a,b\n")
    large.write_bytes(b"x" * (MAX_EMBEDDED + 1))
    assert download(small, tmp_path / "study" / "report.html").href == "data:text/csv;base64,YSxiCg=="
    assert download(large, tmp_path / "study" / "report.html").href == "large.csv"
    assert download(large, tmp_path / "report.html").href == "study/large.csv"


def test_the_steps_write_every_file(study_content, files, drawn_files, tmp_path):
    asked = tmp_path / "study.yaml"
    asked.write_text(yaml.safe_dump(study_content))
    judged = {name: str(tmp_path / f"{name}.csv") for name in ("verdicts", "flips", "influence", "shortest")}
    together = {name: str(tmp_path / f"{name}.csv") for name in ("multiverse", "joint")}
    for name, path in together.items():
        write_rows(path, name, [])
    read = {name: str(files[name]) for name in ("summary", "comparisons")}
    decide_winners(study=str(asked), **read, multiverse=together["multiverse"], **judged)
    judged |= together
    judged["overlap"] = str(tmp_path / "overlap.csv")
    judged["ties"] = str(tmp_path / "ties.csv")
    write_rows(judged["ties"], "ties", [])
    row = {"dataset": "Beta_2", "fold": "repeat-0", "system_a": "kNN", "system_b": "MF", "cutoff": 10, "overlap": 0.25}
    write_rows(judged["overlap"], "overlap", [{**row, "jaccard": 0.1, "rbo": 0.2, "n_users": 9}])
    forms = {form: str(tmp_path / f"view.{form}") for form in ("svg", "png", "pdf")}
    figure(study=str(asked), name="view", **read, verdicts=judged["verdicts"], **forms)
    drawn = [str(path) for path in ({**drawn_files, "view": forms["svg"]}).values()]
    paths = {key: str(path) for key, path in files.items()}
    html, tex, md = (str(tmp_path / name) for name in ("report.html", "tables.tex", "tables.md"))
    addresses = {"Alpha-1M": "lab_plugins.Ratings(name=digest)"}
    pictures = [str(Path(svg).with_suffix(".png")) for svg in drawn]
    own = [str(tmp_path / "tables" / name) for name in ("flips.csv", "scores-alpha-1m.tex", "methods.md")]
    written = {"html": html, "tex": tex, "md": md, "tables": own[:2], "methods": own[2:]}
    found = list((paths | judged).values())
    report(study=str(asked), name="study", results=found, figures=[*drawn, *pictures], **written, addresses=addresses)
    text = (tmp_path / "report.html").read_text()
    Page(text)
    assert "lab_plugins.Ratings@name=digest" in text
    assert "Beta_2: overlap of lists under the base design" in text
    assert {link["download"] for link in Page(text).all("a") if "download" in link} == {
        *(f"{name}.csv" for name in (*paths, *judged)), "tables.tex", "tables.md",
        *(f"{name}.{form}" for name in ("split", "view", "designs") for form in ("svg", "png")),
    }  # fmt: skip
    assert (tmp_path / "tables.tex").read_text().startswith("% Needs")
    assert (tmp_path / "tables.md").read_text().startswith("# Does the split ratio")


def test_a_study_of_one_system_is_reported_without_verdicts(make_study, make_results, tmp_path, draw):
    study = make_study(systems={"MF": "lab_plugins.Factors"}, published=[], published_comparisons=[])
    tables = make_results(study)
    figures = {}
    for name in study.own.figures():
        drawn = draw(name, study.own, tables.summary, tables.verdicts)
        write_figure(drawn, svg=tmp_path / f"{name}.svg")
        figures[name] = (tmp_path / f"{name}.svg").read_text()
    text = render(study, tables, name="x", designs=base_designs(study.own), figures=figures)
    Page(text)
    assert "No two systems were compared" in text


def test_the_page_says_what_its_p_values_speak_of(make_study, make_results, html):
    assert "not to other splits. The p-values of single folds" in html
    assert "does not adjust p-values for this number" in html
    study = make_study(vary={}, design={"split": "random(ratio=0.5)", "correction": "holm"})
    alone = render(study, make_results(study), name="alone", designs=base_designs(study.own), figures={})
    assert "not to other splits. " in alone
    assert "p-values are adjusted by Holm" in alone


def test_the_first_screen_says_for_which_splits_and_fits_p_values_hold(html):
    first_screen = html.partition('id="grounds"')[0]
    assert '<p class="note">p-values generalise to other users, not to other splits. ' in first_screen


def test_contradictions_lead(html):
    assert html.index("For 1 of 6 pairs of systems, analyses contradict") < html.index("The best system under the base design")


def test_an_experiment_has_a_section_with_what_its_base_design_takes_otherwise(make_study, make_results, experiment, split_at):
    study = make_study(experiments={"Little": experiment})
    text = render(study, make_results(study), name="x", designs=base_designs(study.own), figures={})
    Page(text)
    section = text[text.index('<h2 id="part-little">') :]
    assert "Who wins where there is little to learn from?" in section
    assert "An experiment on Beta_2. Its base design differs" in section
    assert split_at(0.1).replace(",", ",<wbr>").replace("(", "(<wbr>") in section
    assert "Systems: kNN, Pop_1." in section
    assert "Little: scores under the base design" in section
    assert "lab_plugins.Neighbours(<wbr>k=10)" in text


def test_a_grid_of_a_hundred_designs_does_not_print_a_hundred_tables(make_study, make_results):
    ratios = [f"random(ratio={share / 100})" for share in range(20, 70)]
    study = make_study(combine="grid", vary={"split": ratios, "view": ["full", "condensed"]}, metrics=["P@10"])
    text = render(study, make_results(study), name="x", designs=base_designs(study.own), figures={})
    assert "Only the first 30 of 100 designs are shown" in text
    assert text.count("<table class=") < 50
