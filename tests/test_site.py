"""The site: its navigation is complete, and the built pages have no faults."""

import re
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest
from pygments.lexers import get_all_lexers

from docs.site import reports
from docs.site.built import faults
from docs.site.navigation import ROOT, Entry, entries, pages
from test_docs import PAGES, links_of
from workspaces import REPOSITORY


def test_the_navigation_names_every_page_once():
    named = Counter(page.as_posix() for page in pages(REPOSITORY) if page.suffix == ".md")
    assert [page for page, count in named.items() if count > 1] == []
    assert set(named) == {page.relative_to(REPOSITORY).as_posix() for page in PAGES} - {"README.md"}


def two_clicks_from_the_root() -> set[str]:
    """Follow the links that readers see on the first page, and the links on those pages."""
    reached = {(REPOSITORY / ROOT).resolve()}
    for _ in range(2):
        reached |= {(page.parent / target.partition("#")[0]).resolve() for page in reached for target in links_of(page)}
        reached = {page for page in reached if page.suffix == ".md"}
    return {page.relative_to(REPOSITORY).as_posix() for page in reached if page.is_relative_to(REPOSITORY)}


@pytest.mark.parametrize(
    "page",
    [
        pytest.param("docs/tutorials/own-data.md", id="how to use your own data"),
        pytest.param("docs/concepts.md", id="what a verdict means"),
        pytest.param("docs/reference/metrics.md", id="which metrics there are"),
        pytest.param("docs/clusters.md", id="how to run on Slurm"),
        pytest.param("docs/your-model.md", id="how to add a recommender"),
        pytest.param("docs/papers/canamares2020.md", id="how to reproduce a paper"),
        pytest.param("docs/audit.md", id="how to audit the results of others"),
        pytest.param("docs/leaks.md", id="how to look for leaks"),
        pytest.param("docs/printed.md", id="which convention gave a printed number"),
        pytest.param("docs/api.md", id="which Python functions there are"),
        pytest.param("docs/api-plugins.md", id="what a plug-in derives from"),
    ],
)
def test_what_readers_look_for_is_two_clicks_away(page: str):
    assert page in two_clicks_from_the_root()


def test_only_records_and_further_notebooks_are_farther_than_two_clicks():
    farther = {page.as_posix() for page in pages(REPOSITORY) if page.suffix == ".md"} - two_clicks_from_the_root()
    assert [page for page in farther if not page.startswith("docs/decisions/")] == []


def is_known(language: str) -> bool:
    return any(language in aliases for _, aliases, _, _ in get_all_lexers())


def test_every_language_of_a_block_is_known_to_the_generator():
    blocks = {found for page in PAGES for found in re.findall(r"^ *```(\w+)", page.read_text(encoding="utf-8"), re.MULTILINE)}
    ours = set(re.findall(r'"(\w+)"', (REPOSITORY / "docs/site/conf.py").read_text(encoding="utf-8")))
    assert {language for language in blocks - ours if not is_known(language)} == set()


def test_only_items_below_the_comment_are_navigation(tmp_path: Path):
    (tmp_path / "a.md").write_text("- [B](b.md)\n\n<!-- navigation -->\n\n- [C](docs/c.md): see [B](b.md)\n- of [B](b.md)\n")
    assert entries(tmp_path, Path("a.md")) == [Entry(Path("docs/c.md"), "C")]
    (tmp_path / "b.md").write_text("- [C](docs/c.md)\n")
    assert entries(tmp_path, Path("b.md")) == []


def test_files_of_a_pattern_follow_those_that_items_name_and_may_be_absent(tmp_path: Path):
    (tmp_path / "a.md").write_text("<!-- navigation: notebooks/*.ipynb -->\n\n- [Second](notebooks/2.ipynb)\n")
    second = Entry(Path("notebooks/2.ipynb"), "Second")
    assert entries(tmp_path, Path("a.md")) == [second]
    (tmp_path / "notebooks").mkdir()
    for name in ("1.ipynb", "2.ipynb"):
        (tmp_path / "notebooks" / name).write_text("{}")
    assert entries(tmp_path, Path("a.md")) == [second, Entry(Path("notebooks/1.ipynb"))]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        pytest.param('<a href="b.html#there">', None, id="link"),
        pytest.param('<a href="https://example.org">', None, id="link to elsewhere"),
        pytest.param('<img src="data:image/png;base64,AA==">', None, id="picture in the page"),
        pytest.param('<a href="c.html">', "'c.html' leads nowhere", id="no page"),
        pytest.param('<a href="b.html#here">', "'b.html#here' leads to no place of that page", id="no anchor"),
        pytest.param('<img src="c.png">', "'c.png' leads nowhere", id="no picture"),
        pytest.param('<script src="//example.org/a.js">', "loads '//example.org/a.js' from elsewhere", id="script"),
        pytest.param(
            '<link rel="preconnect" href="https://example.org">', "loads 'https://example.org' from elsewhere", id="connection"
        ),
        pytest.param(
            "<style>@import 'https://example.org/a.css';</style>", "loads 'https://example.org/a.css' from elsewhere", id="style"
        ),
    ],
)
def test_a_lost_link_and_a_load_from_elsewhere_are_found(tmp_path: Path, text: str, fault: str | None):
    (tmp_path / "a.html").write_text(text)
    (tmp_path / "b.html").write_text('<h1 id="there">B</h1>')
    assert faults(tmp_path) == ([f"a.html: {fault}"] if fault else [])


def test_a_style_sheet_loads_nothing_from_elsewhere(tmp_path: Path):
    (tmp_path / "a.css").write_text("p { background: url(p.png) } @font-face { src: url('https://example.org/a.woff2') }")
    assert faults(tmp_path) == ["a.css: loads 'https://example.org/a.woff2' from elsewhere"]


def test_a_report_that_is_there_is_shown_with_what_it_leads_to_and_another_is_told_missing(tmp_path: Path):
    results, site = tmp_path / "results", tmp_path / "site"
    (results / "quickstart/figures").mkdir(parents=True)
    (results / "quickstart/report.html").write_text('<a href="figures/a.svg">a</a> <a href="../other.csv">b</a>')
    (results / "quickstart/figures/a.svg").write_text("<svg/>")
    (results / "quickstart/truth.csv").write_text("not led to\n")
    (results / "other.csv").write_text("not below the report\n")
    said: list[str] = []
    reports.copy(results, site, said.append)
    copied = sorted(path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file())
    assert copied == ["reports/quickstart/figures/a.svg", "reports/quickstart/report.html"]
    assert said == ["no report of canamares2020-table2: the site says how to make it"]
    page = reports.with_reports("<!-- report: quickstart -->\n\n<!-- report: canamares2020-table2 -->\n", site)
    assert 'href="../reports/quickstart/report.html"' in page
    assert "holds no copy of the report" in page


@pytest.mark.slow
@pytest.mark.skipif(find_spec("sphinx") is None, reason="the site's generator is not installed: make site")
def test_the_site_is_built_without_a_warning(tmp_path: Path):
    command = [sys.executable, "-m", "docs.site", "--no-run", "--to", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=REPOSITORY, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    built = {path.relative_to(tmp_path / "site").with_suffix("") for path in (tmp_path / "site").rglob("*.html")}
    assert {page.with_suffix("") for page in pages(REPOSITORY)} <= built
    assert (tmp_path / "site/searchindex.js").stat().st_size > 0
