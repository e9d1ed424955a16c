"""Build the site, strictly: a warning, a lost link and whatever is loaded from elsewhere are errors."""

import shutil
import subprocess
import sys
from pathlib import Path

import click

from docs.site import built, reports

_BUILT = Path("build/site")
_RESULTS = Path("results/studies")
_CACHE = Path("build/site-cache")


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--to", type=click.Path(path_type=Path), default=_BUILT, show_default=True, help="Folder to write anew.")
@click.option("--no-run", is_flag=True, help="Show the reports that are there, and notebooks without outputs.")
def main(*, to: Path, no_run: bool) -> None:
    """Build the pages as a site, with the reports of the studies whose data are on this machine."""
    if not Path("Snakefile").is_file():
        raise click.ClickException("no checkout of recsens here: change into the folder that holds Snakefile")
    if not no_run:
        _run_studies()
    shutil.rmtree(to, ignore_errors=True)
    reports.copy(_RESULTS, to, _say)
    _build(to, runs_notebooks=not no_run)
    if found := built.faults(to):
        raise click.ClickException("\n".join(found))
    _say(f"open {to / 'index.html'}")


def _run_studies() -> None:
    for study in reports.STUDIES:
        _say(f"bringing the report of {study} up to date")
        if reason := reports.run(study):
            _say(reason)


def _build(to: Path, *, runs_notebooks: bool) -> None:
    strictly = ["--fail-on-warning", "--keep-going", "--nitpicky", "--fresh-env", "--quiet"]
    notebooks = [] if runs_notebooks else ["--define", "nb_execution_mode=off"]
    options = [*strictly, *notebooks, "--conf-dir", "docs/site", "--doctree-dir", str(_CACHE)]
    command = [sys.executable, "-m", "sphinx", *options, ".", str(to)]
    if subprocess.run(command, check=False).returncode:  # noqa: S603 - our own command
        raise click.ClickException("the pages have faults, listed above")


def _say(text: str) -> None:
    click.echo(text, err=True)


if __name__ == "__main__":
    main()
