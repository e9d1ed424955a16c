"""User and item factors: s(u, i) = b + b_u + b_i + p_u · q_i."""

from recsens.score_files._archive import NamedArrays
from recsens.score_files._forms import ScoreFile
from recsens.score_files._names import names_in

ARRAYS = ("users", "items", "user_factors", "item_factors", "user_biases", "item_biases", "global_bias", "combine")
"""The arrays of this form; biases and ``combine`` may be missing."""


def read(arrays: NamedArrays) -> ScoreFile:
    """Read factors, and biases if the file has them; all values must be finite.

    Raises DataError if an array is missing, damaged or invalid.
    """
    users, items = names_in(arrays, "users"), names_in(arrays, "items")
    user_factors = arrays.finite("user_factors", (len(users), None))
    found = {"user_factors": user_factors, "item_factors": arrays.finite("item_factors", (len(items), user_factors.shape[1]))}
    for name, shape in (("user_biases", (len(users),)), ("item_biases", (len(items),)), ("global_bias", ())):
        if name in arrays.names:
            found[name] = arrays.finite(name, shape)
    arrays.word("combine", ("dot",), default="dot")
    return ScoreFile(arrays.source, "factors", users, items, found)
