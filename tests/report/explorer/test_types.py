"""The explorer's script has the types that its comments state."""

import subprocess
from shutil import which

import pytest

from recsens.report.html import templates
from workspaces import REPOSITORY

OPTIONS = [
    "--allowJs",
    "--checkJs",
    "--strict",
    "--noEmit",
    "--target",
    "es2023",
    "--lib",
    "es2023,dom,dom.iterable",
    "--types",
    "",
]


def test_the_script_is_typed():
    compiler = which("tsc")
    if compiler is None:
        pytest.skip("tsc is missing: see 'The script of the report' in docs/development.md")
    files = sorted((REPOSITORY / "src/recsens/report/html/explorer").glob("*.js"))
    done = subprocess.run([compiler, *OPTIONS, *map(str, files)], text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_page_has_every_file_of_the_script():
    template = templates.templates()
    body = template.get_template("explorer/explorer.html.jinja").render(explorer="{}")
    for path in (REPOSITORY / "src/recsens/report/html/explorer").glob("*.js"):
        assert path.read_text(encoding="utf-8") in body, path.name
