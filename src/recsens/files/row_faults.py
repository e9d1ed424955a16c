"""Collect all faulty rows of a file in one error, with the number of faults of each sort."""

from collections import Counter
from collections.abc import Callable, Sequence

from recsens.errors import DataError
from recsens.files import line_faults
from recsens.files.kinds import Column
from recsens.files.layout import Found
from recsens.files.table import FileTable

MOST_COUNTED = 1_000_000
"""Faults are counted in at most this many rows after the first fault, because the user waits for the message."""


class FaultyRowsError(DataError):
    """Rows in a file do not match the declaration. The message gives the first fault and the number of faults of each sort.

    Attributes
    ----------
    counted
        All faults with their counts, in words; empty if there is only one fault.
    sound
        The valid rows; None if they are not known.
    """

    counted: str = ""
    sound: FileTable | None = None

    def __str__(self) -> str:
        head, *tails = super().__str__().split("\n  allowed: ", maxsplit=1)
        return "\n  allowed: ".join([f"{head}\n  in all: {self.counted}" if self.counted else head, *tails])


class RowFaults:
    """The faults found so far: the first one, and counts by sort.

    Parameters
    ----------
    found
        The columns of the file.
    place
        Function that returns the location of a row with a given number.
    """

    def __init__(self, found: Found, place: Callable[[int], str]) -> None:
        self._found = found
        self._place = place
        self._first: DataError | None = None
        self._counts: Counter[str] = Counter()

    @property
    def n(self) -> int:
        """Number of faulty rows."""
        return self._counts.total()

    def note(self, number: int, fields: Sequence[str], faulty: Sequence[tuple[Column, str]]) -> None:
        """Record a faulty row and its ``faulty`` columns with their texts; if there are none, the number of fields is wrong."""
        if faulty:
            column, text = faulty[0]
            sort = column.sort_of_fault(text)
        else:
            sort = f"with more or fewer fields than {len(self._found.names)}"
        self._counts[sort] += 1
        if self._first is None:
            where, kind = self._place(number), self._found.kind
            if faulty:
                self._first = column.fault(text, where, self._found.ignored)
            else:
                self._first = line_faults.wrong_width(where, kind, fields, self._found.names)

    def error(self, sound: FileTable) -> FaultyRowsError:
        """Return the error with the first fault and all counts; it offers to skip rows only if valid rows would remain."""
        assert self._first is not None, "there is a fault"
        first = self._first if len(sound) else line_faults.without_skipping(self._first, self.n - 1)
        listed = ", ".join(f"{n:,} {sort}" for sort, n in self._counts.items())
        n_read = f"{self.n:,} of {self.n + len(sound):,} rows read"
        told = f"{n_read} are not as declared: {listed}" if len(self._counts) > 1 else f"{n_read} have this fault"
        error = FaultyRowsError(first.problem, where=first.where, allowed=first.allowed, remedy=first.remedy)
        error.counted, error.sound = told if self.n > 1 else "", sound
        return error
