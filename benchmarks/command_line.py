"""The command line that all benchmarks share; with ``--tiny``, a benchmark runs on a tiny data set, as the tests do."""

import json
import subprocess
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterator, Sequence
from typing import Any


def parser(description: str | None) -> ArgumentParser:
    """Return a parser with the option ``--tiny``, to which each benchmark adds its own options."""
    made = ArgumentParser(description=description, formatter_class=RawDescriptionHelpFormatter)
    made.add_argument(
        "--tiny", action="store_true", help="run on a tiny board, which shows that the benchmark runs; its figures mean nothing"
    )
    return made


def markdown(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Write a table in Markdown."""
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in (head, ["---"] * len(head), *rows))


def each_alone(command: Sequence[str], specs: Sequence[str], *, tiny: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """Measure each spec in a separate process, which prints a line of JSON per spec; if ``tiny``, use one process for all."""
    for group in [list(specs)] if tiny else [[spec] for spec in specs]:
        done = subprocess.run([sys.executable, *command, *group], check=True, capture_output=True, text=True)
        yield from zip(group, map(json.loads, done.stdout.splitlines()), strict=True)
