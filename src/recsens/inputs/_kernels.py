"""Compiled loops over the rows of a file."""

from recsens.compiled.machine_code import njit


@njit()
def code_numbers(values, lowest, code_of, code, distinct):
    """Code integers in order of first occurrence, and return the number of distinct integers.

    ``code_of[v - lowest]`` must be -1 for each value v, and receives its code; ``code`` is filled row by row, ``distinct`` with
    the values in the order of their codes.
    """
    n_distinct = 0
    for row in range(len(values)):
        at = values[row] - lowest
        if code_of[at] < 0:
            code_of[at] = n_distinct
            distinct[n_distinct] = values[row]
            n_distinct += 1
        code[row] = code_of[at]
    return n_distinct
