"""How Sphinx builds the site. Its sources are the Markdown pages of the checkout, each in its place, so that all links hold."""

from pathlib import Path

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

from docs.site.navigation import Entry, entries, pages
from docs.site.reports import with_reports

CHECKOUT = Path(__file__).resolve().parents[2]

project = "recsens"
author = "The recsens developers"
project_copyright = "the recsens developers, MIT licence"
language = "en"
# Text stays as written: two hyphens begin an option.
smartquotes = False

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
# Docstrings write names and formulas in single backticks too.
default_role = "literal"
autodoc_member_order = "bysource"
autodoc_default_options = {"exclude-members": "model_config, model_post_init"}
# The types of other libraries have no page here.
nitpick_ignore_regex = [("py:.*", ".*")]
root_doc = "docs/index"
include_patterns = sorted({path.as_posix() for path in pages(CHECKOUT)} | {"docs/**/*.md", "docs/**/*.ipynb"})
# Sphinx would look for pages in all of these.
exclude_patterns = [".*", "build", "exports", "results", "src", "tests", "workflow", "docs/generate", "docs/site", "**/.*"]

# Headings have the anchors that code hosts give them.
myst_heading_anchors = 6
# Notebooks are kept without outputs, and run while the site is built, in a folder that is deleted afterwards.
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_timeout = 600
nb_execution_raise_on_error = True
nb_output_stderr = "remove"
highlight_language = "none"
nitpicky = True

html_theme = "pydata_sphinx_theme"
html_title = "recsens"
html_context = {"default_mode": "auto"}
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_extra_path = ["root"]
html_copy_source = False
html_use_index = False
html_show_sourcelink = False
html_show_sphinx = False
html_sidebars: dict[str, list[str]] = {root_doc: []}
html_theme_options = {
    "logo": {"text": "recsens"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "show_nav_level": 1,
    "footer_start": ["copyright"],
    "footer_end": [],
}


def add_navigation(_: Sphinx, page: str, source: list[str]) -> None:
    """Tell Sphinx which pages are below a page: those that its list names."""
    path = next((path for suffix in (".md", ".ipynb") if (path := Path(f"{page}{suffix}")) and (CHECKOUT / path).is_file()), None)
    below = entries(CHECKOUT, path) if path else []
    if below:
        lines = "\n".join(map(_line, below))
        source[0] += f"\n\n```{{toctree}}\n:hidden:\n\n{lines}\n```\n"


def _line(entry: Entry) -> str:
    page = f"/{entry.page.with_suffix('').as_posix()}"
    return f"{entry.title} <{page}>" if entry.title else page


def show_reports(app: Sphinx, page: str, source: list[str]) -> None:
    """Let the page about reports show those that were put into the site."""
    if page == "docs/reports":
        source[0] = with_reports(source[0], app.outdir)


def setup(app: Sphinx) -> None:
    """Change pages while they are read, and read the kinds of text that only we have."""
    app.connect("source-read", show_reports)
    app.connect("source-read", add_navigation)
    for kind in ("csv", "output", "pairs", "trec"):
        app.add_lexer(kind, TextLexer)
