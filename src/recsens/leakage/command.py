"""The command ``recsens audit --leaks``."""

from __future__ import annotations

from typing import Any

import click

from recsens.errors import DataError, DesignError


@click.command(short_help="Look for leaks in train, test and runs of any program.")
@click.option("--leaks", is_flag=True, help="Look for twelve ways to fool oneself, each with its size in units of the metric.")
@click.option("--train", required=True, help="The train set.")
@click.option("--test", required=True, help="The test set.")
@click.option("--validation", default=None, help="The validation set.")
@click.option(
    "--run", "runs", multiple=True, required=True, metavar="NAME=FILE", help="A run, such as A=lists.csv; may be repeated."
)
@click.option("--metric", "-m", default="nDCG@10", show_default=True, help="The metric in whose units sizes are.")
@click.option("--relevance", type=float, default=None, help="Lowest relevant rating; by default from the scale.")
@click.option("--scale", type=float, nargs=2, default=None, help="Lowest and highest rating; by default from the test set.")
@click.option(
    "--rank-by", type=click.Choice(["score", "rank"]), default="score", show_default=True, help="What orders the items of a run."
)
@click.option("--columns", multiple=True, help="Columns of files without usable names, as for 'evaluate'.")
@click.option("--alpha", type=float, default=0.01, show_default=True, help="Level of all findings together.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Root of all random draws.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON in place of text.")
def audit(leaks: bool, runs: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Audit results made elsewhere, without a study: files of train, test and runs, in the forms that 'evaluate' reads."""
    if not leaks:
        raise DesignError(
            "it is not said what to look for", allowed="--leaks", remedy="recsens audit --leaks --train ... --test ... --run ..."
        )
    from recsens.leakage.hunting import hunt  # noqa: PLC0415 - a help text should not wait

    table = hunt(options.pop("train"), options.pop("test"), _named(runs), options.pop("validation"), **options)
    click.echo(table.to_json() if as_json else repr(table))


def _named(runs: tuple[str, ...]) -> dict[str, str]:
    """Split NAME=FILE.

    Raises DataError if a run has no name, or two have the same.
    """
    named: dict[str, str] = {}
    for text in runs:
        name, sign, path = text.partition("=")
        if not (name and sign and path):
            raise DataError(f"--run: '{text}' is no name and file", allowed="NAME=FILE, such as A=lists.csv")
        if name in named:
            raise DataError(f"--run: two runs are called '{name}'", allowed="different names")
        named[name] = path
    return named
