"""The error about a repeated pair, which a column of systems or folds may explain."""

from recsens.errors import DataError
from recsens.files import FileTable
from recsens.files.column_names import label_columns


def repeated_pair(run: FileTable, first: int, second: int) -> DataError:
    """Return the error for a repeated pair; it names unread columns that may explain the repetition."""
    error, labels = run.repeated(first, second), label_columns(run.ignored)
    if not labels:
        return error
    named = " and ".join(f"'{name}'" for name in labels.values())
    remedy = f"if {named} name systems or folds, measure each with the command 'recsens evaluate', or keep the rows of one"
    return DataError(error.problem, where=error.where, remedy=remedy)
