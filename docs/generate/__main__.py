"""Write the generated files, or check that they are up to date."""

import sys
from pathlib import Path

import click

from docs.generate.pages import pages
from recsens.artefacts.storage import write_text


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--check", is_flag=True, help="Write nothing; fail where a file is out of date.")
def main(*, check: bool) -> None:
    """Write docs/reference, PACKAGE.md, config/README.md, the picture of the rules and the schema of studies."""
    if not Path("Snakefile").is_file():
        raise click.ClickException("no checkout of recsens here: change into the folder that holds Snakefile")
    stale = {name: text for name, text in pages().items() if _read(name) != text}
    if not check:
        for name, text in stale.items():
            write_text(Path(name), text)
            click.echo(f"wrote {name}", err=True)
    elif stale:
        for name in stale:
            click.echo(f"{name} is out of date", err=True)
        click.echo("'make docs' writes these files anew", err=True)
        sys.exit(1)


def _read(name: str) -> str:
    """Return the text of a file; empty if there is no file."""
    return Path(name).read_text(encoding="utf-8") if Path(name).is_file() else ""


if __name__ == "__main__":
    main()
