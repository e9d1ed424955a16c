"""Formats of the field without a row for each interaction: recognised by their first lines, and refused with advice."""

from __future__ import annotations

import csv
import json
import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

from recsens.errors import DataError

_MOST_LINES, _MOST_COLUMNS, _MOST_LISTS = 50, 5, 0.8

_TREC = re.compile(r"\S+\s+Q0\s+\S+\s+[0-9]+\s+\S+\s+\S+")
"""A line of a run in the form of TREC."""

_PAIRS_BY_USER = "awk '{for (n = 2; n <= NF; n++) print $1 \"\\t\" $n}' FILE > pairs.tsv"


def _are_lists_of_items(path: Path, lines: Sequence[str]) -> bool:
    """Whether all fields are whole numbers between blanks, the first ones count the lines, and the others are not a rating."""
    rows = [line.split(" ") for line in lines]
    if len(rows) < 3 or any(not field.isdecimal() for row in rows for field in row if field):
        return False
    users, lengths = [int(row[0] or 0) for row in rows], {len(row) for row in rows}
    are_lists = len(lengths) > 1 or max(lengths) > _MOST_COLUMNS or path.name in {"train.txt", "test.txt"}
    return are_lists and max(lengths) > 2 and users == list(range(users[0], users[0] + len(users)))


_FORMATS: dict[str, tuple[Callable[[Path, Sequence[str]], bool], str]] = {
    "a web page or XML": (
        lambda _, lines: re.match(r"\s*<(?:!doctype|html|\?xml)\b", lines[0], re.IGNORECASE) is not None,
        "download the file itself; this may be a page that says why it could not be downloaded",
    ),
    "a dump of a database (SQL)": (
        lambda _, lines: any(re.match(r"(?i)(?:insert into|create table|copy) ", line) for line in lines),
        "write the table with the ratings as CSV",
    ),
    "a pointer of Git LFS, not the data": (
        lambda _, lines: lines[0].startswith("version https://git-lfs"),
        "fetch the data: git lfs pull",
    ),
    "a log of a web server (W3C)": (
        lambda _, lines: any(line.startswith("#Fields: ") for line in lines),
        "keep the names of its columns alone: sed 's/^#Fields: //; /^#/d' FILE > log.txt",
    ),
    "a list with lines around it": (
        lambda _, lines: (
            sum(re.fullmatch(r"[-+=|]{3,}", line.strip()) is not None for line in lines) > 1
            and any(re.fullmatch(r"\|.*\|", line.strip()) for line in lines)
        ),
        "keep the rows: grep '^ *|' FILE | sed 's/^ *|//; s/| *$//' > ratings.txt",
    ),
    "ratings of libFM (the rating, then numbers of features)": (
        lambda _, lines: all(re.fullmatch(r"[-+.0-9]+( [0-9]+:[.0-9]+)+ ?", line) for line in lines),
        "write the rating, the user and the item in each row: sed 's/:[^ ]*//g; 1i rating user item' FILE > ratings.txt",
    ),
    "a file for Vowpal Wabbit": (
        lambda _, lines: all(re.match(r"-?[.0-9]* (?:[^|]* )?\|\w", line) for line in lines),
        "write a row of user, item and rating for each line",
    ),
    "a table for Weka (ARFF)": (
        lambda _, lines: any(line.lower().startswith("@relation") for line in lines),
        "write it as CSV: java weka.core.converters.CSVSaver -i FILE -o ratings.csv",
    ),
    "ratings of Yahoo (a user and their number of ratings, then these)": (
        lambda _, lines: len(lines) > 1 and re.fullmatch(r"[0-9]+\|[0-9]+", lines[0]) is not None and "\t" in lines[1],
        "write the user in each row: awk -F'|' -v OFS='\\t' 'NF > 1 {user = $1; next} {print user, $0}' FILE > ratings.tsv",
    ),
    "a table below comments": (
        lambda _, lines: lines[0].startswith("#") and not re.search(r"[,;\t|]", lines[0]),
        "leave out the comments: grep -v '^#' FILE > ratings.csv",
    ),
    "a table as psql prints it": (
        lambda _, lines: len(lines) > 1 and re.fullmatch(r"[-+]*-\+-[-+]*", lines[1]) is not None,
        "write it as CSV: \\copy (SELECT ...) TO 'ratings.csv' CSV HEADER",
    ),
    "a table with dashes below its header, as sqlcmd prints it": (
        lambda _, lines: len(lines) > 1 and re.fullmatch(r" *-+(?:[;,|\t ]-+)+ *", lines[1]) is not None,
        "leave out the dashes and the count at the end: grep -v -e '^ *--' -e 'rows affected' FILE > ratings.csv",
    ),
    "a run of TREC": (
        lambda _, lines: len(lines) > 1 and all(_TREC.fullmatch(line.strip()) for line in lines),
        "measure it: recsens evaluate RUN... QRELS",
    ),
    "one row for each user, with a list of items": (
        lambda _, lines: _have_lists(lines),
        "write one row for each pair of a user and an item",
    ),
    "Netflix's ratings by film ('1:', then user,rating,date)": (
        lambda _, lines: (
            re.fullmatch(r"[0-9]+:", lines[0]) is not None
            and any(re.fullmatch(r"[0-9]+,[1-5],[0-9-]{10}", line) for line in lines[1:3])
        ),
        "read the prize's data with the data set netflix(path=...)",
    ),
    "MIND's impressions (news with -0 or -1 for a click)": (
        lambda _, lines: all(re.search(r"\tN[0-9]+-[01]( N[0-9]+-[01])*$", line) for line in lines),
        "write a row of user, item, click and time for each news article of an impression; the second column is the user",
    ),
    "MatrixMarket": (
        lambda _, lines: lines[0].startswith("%%MatrixMarket"),
        "in Python: recsens.load(scipy.io.mmread('FILE').tocsr())",
    ),
    "a KONECT network": (
        lambda _, lines: re.match(r"% (?:bip|sym|asym)", lines[0]) is not None,
        "leave out the comments: grep -v '^%' FILE > ratings.txt",
    ),
    "an R table with row names, but no name above them": (
        lambda _, lines: len(lines) > 1 and _has_row_names(lines),
        'write it without row names: write.table(..., row.names=FALSE, sep="\\t", quote=FALSE)',
    ),
    "one line for each user, followed by the items (as LightGCN and NGCF have it)": (
        _are_lists_of_items,
        f"write one row for each pair: {_PAIRS_BY_USER}",
    ),
    "columns that are aligned by blanks": (
        lambda _, lines: all("  " in line.strip() and "\t" not in line and "," not in line for line in lines[1:] or lines),
        "write a single separator between fields: awk -v OFS='\\t' '{$1=$1; print}' FILE > ratings.tsv",
    ),
    "side information of RecBole (.item, .user), not interactions": (
        lambda path, lines: path.suffix in {".item", ".user"} and ":token" in lines[0],
        "give the .inter file; side information is declared in a study as items= and users=",
    ),
}
"""The name of each format, whether a file's first lines have it, and how to read it."""


class KnownFormatError(DataError):
    """A file is in a known format that is not a table of interactions."""


def refuse_known_formats(path: Path, lines: Sequence[str]) -> None:
    """Refuse a text file in a known format that is not a table of interactions, given its first lines.

    Raises KnownFormatError with the name of the format and how to read it.
    """
    first = [line for line in lines[:_MOST_LINES] if line.strip()]
    name, advice = next(((name, advice) for name, (fits, advice) in _FORMATS.items() if first and fits(path, first)), ("", ""))
    if name:
        allowed = "a table with one row for each interaction"
        advice = advice.replace("'FILE'", repr(str(path))).replace('"FILE"', json.dumps(str(path), ensure_ascii=False))
        remedy = advice.replace("FILE", shlex.quote(str(path)))
        raise KnownFormatError(f"this looks like {name}", where=f"{path}:1", allowed=allowed, remedy=remedy)


def _have_lists(lines: Sequence[str]) -> bool:
    """Whether the last field of nearly every row below a header is a list: two or more words with digits, or brackets."""
    fields = [re.split(r"[,\t;]", line, maxsplit=1)[1].strip('" ') for line in lines[1:] if re.search(r"[,\t;]", line)]
    words = [re.split(r"[ |]+", field) for field in fields]
    lists = [
        field.startswith("[") or (len(each) > 1 and all(re.fullmatch(r"[A-Za-z_-]*[0-9]+", word) for word in each))
        for field, each in zip(fields, words, strict=True)
    ]
    return len(lists) > 1 and sum(lists) > _MOST_LISTS * len(lists) and any(len(each) > 2 for each in words)


def _has_row_names(lines: Sequence[str]) -> bool:
    """Whether every row has one field more than the header, and begins with its number."""
    separator = next((each for each in "\t;," if each in lines[0]), " ")
    head, *rows = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    return all(len(row) == len(head) + 1 and row[0] == str(number) for number, row in enumerate(rows, start=1))
