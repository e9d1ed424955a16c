"""Write the generated files, or check that they are up to date."""

import sys
from pathlib import Path

import click

from docs.generate.pages import pages, sections, with_section
from recsens.artefacts.storage import write_text
from recsens.errors import RecsensError


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--check", is_flag=True, help="Write nothing; fail where a file is out of date.")
def main(*, check: bool) -> None:
    """Write docs/reference, config/README.md, the schema of studies, the map of the library and the rules."""
    if not Path("Snakefile").is_file():
        raise click.ClickException("no checkout of recsens here: change into the folder that holds Snakefile")
    try:
        stale = {name: text for name, text in _up_to_date().items() if _read(name) != text}
    except RecsensError as error:
        raise click.ClickException(str(error)) from error
    if not check:
        for name, text in stale.items():
            write_text(Path(name), text)
            click.echo(f"wrote {name}", err=True)
    elif stale:
        for name in stale:
            click.echo(f"{name} is out of date", err=True)
        click.echo("'make docs' writes these files anew", err=True)
        sys.exit(1)


def _up_to_date() -> dict[str, str]:
    """Return the expected text of each file, by path."""
    return {**pages(), **{name: with_section(_read(name), section, name) for name, section in sections().items()}}


def _read(name: str) -> str:
    """Return the text of a file; empty if there is no file."""
    return Path(name).read_text(encoding="utf-8") if Path(name).is_file() else ""


if __name__ == "__main__":
    main()
