"""The report is one page: complete, safe, accessible, and with the same bytes in each run."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml

from invented import EXPERIMENT
from recsens import __version__
from recsens.conclusions.design_space import base_designs
from recsens.pipeline.table_files import write_rows
from recsens.report.figures import write_figure
from recsens.report.html.templates import templates
from recsens.report.page_content import MAX_EMBEDDED, download, render
from recsens.tables.table import Row, RowGroup, Table, TableCell
from recsens.workflow.steps.decide_winners import decide_winners
from recsens.workflow.steps.figure import figure
from recsens.workflow.steps.report import report

SILENT = {"script", "style", "svg", "title", "nav"}
MARKS = {"td": " | ", "th": " | ", "tr": "\n", "small": " ", "b": "**", "li": "\n- ", "p": "\n"}
MARKS |= {"summary": "\n+ ", "h2": "\n## ", "h3": "\n### "}
ENDS = {"b": "**", **dict.fromkeys(("h1", "h2", "h3", "p", "caption", "li", "summary", "div"), "\n")}
VOID = {"meta", "br", "wbr", "link", "img", "input", "hr"}


class Page(HTMLParser):
    """Collects elements and checks that they nest."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.texts = [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.handle_data(MARKS.get(tag, ""))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        self.handle_data(ENDS.get(tag, ""))

    def handle_data(self, data):
        if not SILENT & set(self.open):
            self.texts.append((self.open[-1] if self.open else "", data))

    def told(self):
        """What a reader sees, a line for each row of a table and each paragraph, with the best values between asterisks."""
        text = "".join(data for _, data in self.texts).replace(f"recsens {__version__}", "recsens VERSION")
        return re.sub(r"[ \t]*\n\s*", "\n", re.sub("[ \t]+", " ", text))

    def headings(self):
        return [data for tag, data in self.texts if tag in {"h1", "h2", "h3", "caption"} and data.strip()]

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


def test_the_page(page, approved):
    # Versions of libraries differ from machine to machine.
    approved(page.told().partition("## Software and files")[0])


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


PLAIN = {"published": [], "published_comparisons": []}
OTHERS = {
    "nothing varies": {"vary": {}, "metrics": ["P@10"], "design": {"split": "random(ratio=0.5)", "correction": "holm"}, **PLAIN},
    "a grid": {"combine": "grid", "vary": {"split": ["random(ratio=0.2)"], "view": ["full", "condensed"]}},
    "one system": {"systems": {"MF": "lab_plugins.Factors"}, **PLAIN},
    "an experiment": {"experiments": {"Little": EXPERIMENT}},
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_other_studies_have_otherwise(make_study, make_results, page, approved, name):
    """The lines that the page of the first study does not have."""
    study = make_study(**OTHERS[name])
    figures = dict.fromkeys(study.own.figures(), "<svg></svg>")
    other = Page(render(study, make_results(study), name="x", designs=base_designs(study.own), figures=figures))
    known = set(page.told().split("\n"))
    approved([line for line in other.told().split("\n") if line not in known])


def test_a_threshold_of_the_scale_is_resolved_from_the_data(study, results, drawings):
    rows = results.datasets[results.datasets["metric"] == "users"].assign(metric="relevance", value=4.0)
    known = results.with_tables(datasets=rows)
    text = render(study, known, name="x", designs=base_designs(study.own), figures=drawings)
    assert "Test ratings of 4 or more" in text


def test_a_grid_of_a_hundred_designs_does_not_print_a_hundred_tables(make_study, make_results):
    ratios = [f"random(ratio={share / 100})" for share in range(20, 70)]
    study = make_study(combine="grid", vary={"split": ratios, "view": ["full", "condensed"]}, metrics=["P@10"])
    text = render(study, make_results(study), name="x", designs=base_designs(study.own), figures={})
    assert "Only the first 30 of 100 designs are shown" in text
    assert text.count("<table class=") < 50


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
