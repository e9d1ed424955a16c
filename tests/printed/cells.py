"""Numbers that the pages print, each with the cell of a run that it is rounded from.

Next to this module is a CSV file for each page. A row says where a number is on the page and which cell it quotes, and holds
the value of that cell with all its digits:

======================== ============================================================================================
table, row, column, nth  the number's table on the page, its row by label, its column counted from the label, and its place
                         among the numbers there; of a number in a sentence, the row is the sentence around it, with {} for it
study, file, where       the table of a study, and what its columns hold in the row of the cell
field, value             the column of the cell, and what it holds; ``A - B`` and ``A / B`` are of two columns, and of two rows if
                         there are two of ``where``; ``1 - A`` is the rest of a share, ``size A`` a value without its sign,
                         ``expm1 A`` and ``expm1 -A`` the share that a logarithm stands for, ``mean A - B`` a mean over rows,
                         ``count`` how many rows there are, and ``count A >= 0.05`` those of them whose A is no less
======================== ============================================================================================

``others.csv`` lists the numbers in sentences that are not compared. It gives the words around each number and the reason: a value
that a paper prints, a setting, a size, or a number that is compared elsewhere or has no cell. Numbers in names, such as Fig. 2,
P@10 and code, do not count.

``python tests/printed/cells.py RESULTS`` reads the values anew from finished runs; with ``--check``, it only says what differs.
"""

import argparse
import csv
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from functools import cache
from math import expm1
from pathlib import Path
from statistics import fmean

HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs"
PAGES = {
    path.stem: path
    for path in [
        *(DOCS / f"{name}.md" for name in ("baselines", "five-data-sets", "strong-baselines", "truth")),
        *sorted(path for path in (DOCS / "papers").glob("*.md") if path.stem != "metrics-blog"),
    ]
}
"""Every page that prints results of studies, by name."""

_NUMBER = re.compile(r"(?<![\w.])[−-]?(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)(?: %)?")
_OUTSIDE_PROSE = re.compile(r"^```.*?^```|^\|.*?$|^#.*?$|`[^`]*`|\]\([^)]*\)", re.MULTILINE | re.DOTALL)
_PART = r"\d[\d.]*(?:(?:, | and | to |–)\d[\d.]*)*"
_NAME = re.compile(
    rf"\b(?:Figs?\.|[Ff]igures?|Tables?|Eqs?\.|(?:Equation|equation)s?|[Ss]ections?|[Cc]hapters?) {_PART}"
    r"|[A-Za-z]+@\d+|\b(?:MovieLens|ML-?) ?\d+[MK]|\b(?:19|20)\d\d\b(?!\.\d)|(?<![\w.])\d+[A-Za-z]\w*"
)


@dataclass(frozen=True)
class Cell:
    """A printed number's place on its page, and the cell of a run behind it."""

    table: str
    row: str
    column: str
    nth: str
    study: str
    file: str
    where: str
    field: str
    value: str

    @property
    def place(self) -> tuple[str, str, str, str]:
        return self.table, self.row, self.column, self.nth

    def table_in(self, results: Path) -> Path:
        return results / self.study / self.file

    def now(self, results: Path) -> str:
        """Read the value from a finished run."""
        wanted = json.loads(self.where)
        found = [self._rows(results, where) for where in (wanted if isinstance(wanted, list) else [wanted])]
        over = self._over([row for rows in found for row in rows])
        if over is not None:
            return over
        if any(len(rows) != 1 for rows in found):
            raise ValueError(f"{self.study}/{self.file}: {[len(rows) for rows in found]} rows with {self.where}")
        return self._of(found[0][0], found[-1][0])

    def _over(self, rows: list[dict[str, str]]) -> str | None:
        """Count or average rows, if the field says so."""
        match self.field.split():
            case ["count"]:
                return str(len(rows))
            case ["count", one, ">=", least]:
                return str(sum(float(row[one]) >= float(least) for row in rows))
            case ["mean", one, "-", other]:
                return str(fmean(float(row[one]) - float(row[other]) for row in rows))
        return None

    def _of(self, first: dict[str, str], last: dict[str, str]) -> str:
        match self.field.split():
            case ["1", "-", one]:
                return str(1 - float(first[one]))
            case [one, "-", other]:
                return str(float(first[one]) - float(last[other]))
            case [one, "/", other]:
                return str(float(first[one]) / float(last[other]))
            case ["size", one]:
                return first[one].lstrip("-")
            case ["expm1", one]:
                return str(expm1(-float(first[one[1:]]) if one.startswith("-") else float(first[one])))
        return first[self.field]

    def _rows(self, results: Path, where: dict[str, str]) -> list[dict[str, str]]:
        return [row for row in _rows(self.table_in(results)) if where.items() <= row.items()]


@cache
def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def cells(page: str) -> list[Cell]:
    """Read the cells of a page, if it has any."""
    path = HERE / f"{page}.csv"
    return [Cell(**row) for row in _rows(path)] if path.is_file() else []


def write(page: str, found: list[Cell]) -> None:
    with (HERE / f"{page}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        names = [field.name for field in fields(Cell)]
        writer.writerow(names)
        writer.writerows([getattr(cell, name) for name in names] for cell in found)


def numbers(text: str) -> list[str]:
    """List the numbers in a text; a percentage includes its sign."""
    return _NUMBER.findall(text)


def is_rounded(printed: str, value: str) -> bool:
    """Whether a number is the value, or for a percentage 100 times the value, rounded once to the number's decimals."""
    text = printed.removesuffix(" %").replace("−", "-").replace(",", "")
    exact = Decimal(value) * (100 if printed.endswith(" %") else 1)
    return abs(Decimal(text) - exact) <= Decimal(1).scaleb(-len(text.partition(".")[2])) / 2


def in_tables(text: str) -> Iterator[tuple[tuple[str, str, str, str], str]]:
    """Yield the place and the printed form of every number in a page's tables, except in labels of rows and columns."""
    tables = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    for number, table in enumerate(tables, start=1):
        for line in table.splitlines()[2:]:
            label, *columns = [part.strip() for part in line.strip().strip("|").split("|")]
            for column, content in enumerate(columns, start=1):
                for nth, printed in enumerate(numbers(content), start=1):
                    yield (str(number), label, str(column), str(nth)), printed


def in_sentence(text: str, sentence: str) -> str:
    """Return the number in a sentence of a page at the place of ``{}``."""
    plain = " ".join(text.split())
    start, end = _spot(plain, sentence)
    return plain[start:end]


def others(page: str) -> list[str]:
    """List the parts of sentences whose numbers are not compared; the file gives the reason for each."""
    return [row["text"] for row in _rows(HERE / "others.csv") if row["page"] == page]


def unknown(text: str, sentences: list[str], parts: list[str]) -> list[str]:
    """List the numbers in a page's prose outside these sentences (with ``{}`` for the number) and parts of sentences."""
    plain = " ".join(text.split())
    prose = _NAME.sub(_veiled, " ".join(_OUTSIDE_PROSE.sub(_veiled, text).split()))
    known = [_spot(plain, sentence) for sentence in sentences]
    known += [found.span() for part in parts for found in re.finditer(re.escape(part), plain)]
    return [
        plain[max(0, number.start() - 30) : number.end() + 20]
        for number in _NUMBER.finditer(prose)
        if not any(start <= number.start() and number.end() <= end for start, end in known)
    ]


def _veiled(found: re.Match[str]) -> str:
    return re.sub(r"\d", "#", found[0])


def _spot(plain: str, sentence: str) -> tuple[int, int]:
    before, after = map(re.escape, sentence.split("{}"))
    (found,) = re.finditer(f"{before}({_NUMBER.pattern}){after}", plain)
    return found.span(1)


def refreshed(page: str, results: Path) -> list[Cell]:
    """Return the cells of a page with the values of finished runs; cells of other studies do not change."""
    return [replace(cell, value=cell.now(results)) if cell.table_in(results).is_file() else cell for cell in cells(page)]


def main() -> int:
    """Read all values anew, or check them; return how many differ if checked."""
    parser = argparse.ArgumentParser(description="Bring the cells behind printed numbers up to date with finished runs.")
    parser.add_argument("results", type=Path, help="folder with a folder of tables for each study, such as results/studies")
    parser.add_argument("--check", action="store_true", help="write nothing, and fail where a cell differs")
    asked = parser.parse_args()
    changed = 0
    for page in PAGES:
        before, after = cells(page), refreshed(page, asked.results)
        for old, new in zip(before, after, strict=True):
            if old != new:
                changed += 1
                sys.stdout.write(f"{page}: {' | '.join(old.place)}: {old.value} is {new.value}\n")
        if after != before and not asked.check:
            write(page, after)
    return int(asked.check and changed > 0)


if __name__ == "__main__":
    sys.exit(main())
