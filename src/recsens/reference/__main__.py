"""Write the generated files, or check that they are up to date."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from recsens.reference import pages
from recsens.tables import write_text


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--check", is_flag=True, help="Write nothing; fail where a file is out of date.")
def main(*, check: bool) -> None:
    """Write docs/reference, config/README.md and the schema of study files into the checkout that is the working directory."""
    if not Path("Snakefile").is_file():
        raise click.ClickException("no checkout of recsens here: change into the folder that holds Snakefile")
    stale = [name for name, text in pages().items() if not Path(name).is_file() or Path(name).read_text(encoding="utf-8") != text]
    if not check:
        for name in stale:
            write_text(Path(name), pages()[name])
            click.echo(f"wrote {name}", err=True)
    elif stale:
        for name in stale:
            click.echo(f"{name} is out of date", err=True)
        click.echo("'make docs' writes these files anew", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
