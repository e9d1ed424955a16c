"""TREC's form of runs and judgements: fields separated by blanks, comments, and extra fields after a run's tag."""

import io

import numpy as np

from recsens.errors import DataError
from recsens.files.kinds import Kind, is_number
from recsens.files.table import FileTable


def fields_of(line: str, kind: Kind) -> list[str]:
    """Return a line's fields, or an empty list for an empty line or a comment. In a run, fields after the tag are dropped.

    A comment starts with # and does not look like a row: a row would have a name after the #, the right number of fields, and a
    number among them.
    """
    fields, width = [field for field in line.rstrip("\r\n").replace("\t", " ").split(" ") if field], len(kind.fields)
    if fields and fields[0].startswith("#"):
        at = kind.fields.index(kind.roles[-1])
        return fields if len(fields) == width and is_number(fields[at]) and fields[0].strip("#") else []
    # If the rank is not a whole number, or if the tag is a number, a blank in a name has shifted the fields.
    has_more = kind.fields[-1] == "tag" and len(fields) > width and not is_number(fields[width - 1])
    return fields[:width] if has_more and fields[3].isascii() and fields[3].isdecimal() else fields


def tidy_lines(text: bytes, kind: Kind) -> bytes:
    """Return whole lines with single spaces between fields, without empty lines."""
    text = text.replace(b"\t", b" ")
    text = text.replace(b"\r\n", b"\n") if b"\r" in text else text
    if _is_tidy(b"\n" + text, len(kind.fields)):
        return text
    rows = (fields_of(line, kind) for line in io.StringIO(text.decode(), newline=""))
    return "".join(" ".join(fields) + "\n" for fields in rows if fields).encode()


def _is_tidy(text: bytes, width: int) -> bool:
    """Whether no line is a comment, and every line has ``width`` fields between single spaces. Most files pass this quick check."""
    byte = np.frombuffer(text, dtype=np.uint8)
    is_blank = byte <= ord(" ")
    n_lines = np.count_nonzero(byte == ord("\n")) - 1
    is_plain = text.endswith(b"\n") and b"\r" not in text and not (b"#" in text and b"\n#" in text)
    return is_plain and np.count_nonzero(is_blank) == width * n_lines + 1 and not (is_blank[1:] & is_blank[:-1]).any()


def refuse_what_may_be_otherwise(table: FileTable, kind: Kind) -> None:
    """Refuse rows that can be read in two ways."""
    marked = [code for code, name in enumerate(table.user.names) if name.startswith("#")]
    if marked:
        row = int(np.argmax(table.user.code == marked[0]))
        problem = f"the line starts with #, as a comment does, but has the fields of a row of user '{table.user[row]}'"
        remedy = "remove the comment, or put a space after the #; if users have such names, write CSV"
        raise DataError(problem, where=table.place(row), remedy=remedy)
    if kind.constant is not None and len((second := table.names(kind.constant)).names) > 1:
        row = int(np.argmax(second.code != second.code[0]))
        problem = (
            f"the second field is '{second[row]}', but in the first row it is '{second[0]}': this does not look like judgements"
        )
        allowed = f"lines with {', '.join(kind.fields)}, where the second field is the same in all"
        remedy = "if these are ratings with time stamps, write CSV with the first line user,item,rating,timestamp"
        raise DataError(problem, where=table.place(row), allowed=allowed, remedy=remedy)
