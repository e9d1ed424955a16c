"""Common names of user, item, rating, score and time columns, and functions that find the role of each column of a file."""

import logging
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal

from recsens.errors import DataError
from recsens.files.column_words import WHOLE, WORDS

_log = logging.getLogger(__name__)

ROLES = ("user", "item", "rating", "timestamp")

_SPELT = str.maketrans({"ł": "l", "ø": "o", "æ": "ae", "œ": "oe", "ı": "i", "đ": "d", "ð": "d"})


def _without_accents(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold().translate(_SPELT))
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


_MEANING = {word: kind for kind, words in reversed(WORDS.items()) for word in _without_accents(words).split()}
_WHOLE = {word: kind for kind, words in WHOLE.items() for word in words.split()}

_ENDINGS = ("", *"senauyioаяыиу", "ns", "ow", "ov", "em", "om", "es", "en", "os", "as")
"""Endings of plurals and cases, after four letters or more."""

_LONGEST = 30
"""Number of letters beyond which a word is not taken apart."""

_SHORT = frozenset(("id", "cd", "nr", "no", "de", "du", "da", "do", "di", "at", "on"))
"""Words of two letters that may be written together with others, as in ``customerid``."""

_MOMENT = re.compile("[A-Za-z](?:[ _](?:at|on|AT|ON)|At)$")
"""The end of a name such as ``liked_at``."""

_FIRST: dict[str, tuple[str, ...]] = {
    "user": ("user", "u", "uid"),
    "item": ("item", "i", "iid", "parentasin"),
    "rating": ("rating", "r"),
    "timestamp": ("timestamp", "ts", "t", "time"),
    "score": ("score", "prediction", "predictedrating", "est"),
    "rank": ("rank",),
    "query": ("query",),
}
"""Role -> the names to look for first: in a file with ``user_id`` and ``session_id``, ``user_id`` is the user."""

Label = Literal["model", "fold"]
"""What a column may name: the system of a row, or its fold."""

_LABELLED: dict[Label, tuple[str, ...]] = {"model": ("model", "algorithm", "recommender"), "fold": ("isplit", "fold", "partition")}
"""Column names for each label, without capitals and punctuation; RecTools uses ``model`` and ``i_split``."""

LABELS: tuple[Label, ...] = tuple(_LABELLED)


def role_called(name: str | int) -> str | None:
    """Return the role that a column's name indicates, if any.

    Examples
    --------
    >>> [role_called(name) for name in ("user_id:token", "movieId", "Stars", "ordered at", "price")]
    ['user', 'item', 'rating', 'timestamp', None]
    """
    return _role_and_weakness(name)[0]


def column_of(where: str, role: str, names: Sequence[str]) -> str:
    """Return the file's column for a role: the column with the role's own name, or else the only one with an equivalent name.

    ``user_id``, ``userId``, ``uid`` and RecBole's ``user_id:token`` are equivalent to ``user``. If no column has an equivalent
    name, the role itself is returned.

    Raises
    ------
    DataError
        If several columns have equivalent names, but none has the role's own name.
    """
    if role in names:
        return role
    claims = {name: claim for name in names if (claim := _claim(name, role)) is not None}
    fitting = [name for name, claim in claims.items() if claim == min(claims.values())]
    fitting = [name for name in fitting if not describes(name)] or fitting
    if len(fitting) > 1:
        listed = " and ".join(f"'{name}'" for name in fitting)
        raise DataError(f"{listed} could both be the {role}", where=where, remedy=f"declare {role}=, or rename the others")
    return fitting[0] if fitting else role


def _claim(name: str, role: str) -> int | None:
    """Return how weak a name's claim to a role of any kind of file is; None if it makes none."""
    if _is_first(name, role) or (role == "user" and _is_first(name, "query")):
        return 1 - _is_first(name, role)
    # A file with a column of scores is a run; it must not be mistaken for judgements.
    is_score = role == "rating" and _is_first(name, "score")
    return weakness(name, role) if role_called(name) == role and not is_score else None


def describes(name: str | int) -> bool:
    """Whether a column's name says that it holds titles or addresses, which give way to codes of users and items."""
    return bool({"title", "name"} & set(kinds_in(name))) or re.search(r"(?i)(?:name|e-?mail)$", str(name)) is not None


def tell(source: str, columns: Mapping[str, str]) -> None:
    """Log which columns of a file have which roles, except columns that have the name of their role."""
    taken = [f"'{name}' as {role}" for role, name in columns.items() if name != role]
    if taken:
        _log.info("%s: columns read: %s", source, ", ".join(taken))


def counts_by_name(name: str | int | None) -> bool:
    """Whether a column's name says that its numbers are counts, such as plays: the lowest is already positive."""
    return name is not None and role_called(name) == "rating" and "count" in kinds_in(name)


def weakness(name: str | int, role: str) -> int:
    """Return how weak a claim to a role a column's name makes: 0 for a first name, such as ``user_id``, 2 or 3 for a vague one."""
    return 0 if _is_first(name, role) else _role_and_weakness(name)[1]


def _is_first(name: str | int, role: str) -> bool:
    plain = _plain(name).removesuffix("s")
    return bool({plain, re.sub("ids?$", "", plain) if role in {"user", "item", "query"} else plain} & set(_FIRST.get(role, ())))


@lru_cache(maxsize=4096)
def kinds_in(name: str | int) -> tuple[str, ...]:
    """Return what each word in a column's name means, such as (order, time) for ``orderDate``; ? for an unknown word.

    Examples
    --------
    >>> [kinds_in(name) for name in ("codeProduit", "kundennr", "date d'achat", "user_agent")]
    [('code', 'item'), ('user', 'code'), ('time', 'order'), ('user', 'fact')]
    """
    plain = _plain(name)
    if whole := _WHOLE.get(plain) or _MEANING.get(plain):
        return (whole,)
    text = re.sub(r"\(.*?\)|\.\$[A-Za-z]+$", "", str(name).partition(":")[0])
    text = re.sub("(?i)(mail)[ _-]?address", r"\1", text)
    text = re.sub("(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", text)
    words = [word for word in re.split(r"[\W\d_]+", _without_accents(text)) if len(word) > 1 or word == "n" or word > "\x7f"]
    found = [kind for word in words for kind in ((_MEANING[word],) if word in _MEANING else _composed(word) or ("?",))]
    if re.search("[ _-][0-9]+$", text) and {"user", "item"} & set(found):
        return ("?",)
    return tuple(kind for kind in found if kind != "glue")


@lru_cache(maxsize=4096)
def _composed(word: str) -> tuple[str, ...] | None:
    """Return the meanings of the fewest known words of which a word is composed, if it is."""
    stems = (word.removesuffix(ending) for ending in _ENDINGS if word.endswith(ending))
    known = next((_MEANING[stem] for stem in stems if stem in _MEANING and (stem == word or len(stem) >= len("four"))), None)
    if known and (len(word) > len("id") or word > "\x7f" or word in _SHORT):
        return (known,)
    cuts = range(len(word) - 1, 1 if word < "\x7f" else 0, -1) if len(word) <= _LONGEST else ()
    parts = [(*first, *rest) for at in cuts if (first := _composed(word[:at])) and (rest := _composed(word[at:]))]
    if parts:
        return min(parts, key=len)
    tails = (known for at in range(3, len(word) - 4) if (known := _MEANING.get(word[at:])) in {"rating", "user", "item", "time"})
    return next((("?", tail) for tail in tails), None)


@lru_cache(maxsize=4096)
def _role_and_weakness(name: str | int) -> tuple[str | None, int]:
    """Return the role that a name indicates, and how weak its claim is: 1, 2 for a vague word, 3 beside an unknown word.

    The last word decides between users and items. A date of any kind is a time; any other fact has no role.
    """
    kinds = kinds_in(name)
    own = [kind.removesuffix("?") for kind in kinds if kind not in {"code", "name"}]
    there, rest = set(own), set(own) - {"user", "item", "order", "title", "rating"}
    is_vague = any(kind.endswith("?") and kind != "?" for kind in kinds)
    is_strange = "" in there
    if own and _MOMENT.search(str(name)):
        own, there = [*own, "time"], {*there - {"rating", "count"}, "time"}
    if "." in str(name) and (inner := str(name).rpartition(".")[2]) and is_strange:
        return _role_and_weakness(inner)
    if "time" in there and not there & {"fact", "group", "quantity", "later", "count"}:
        return "timestamp", 3 if is_strange else 1 + is_vague
    rest.discard("")
    if there & {"rating", "count"} and not rest - {"text", "count"} and not ("count" in there and own[-1] in {"user", "item"}):
        is_loose = is_strange and re.search("score|value|label|grade|mark|point|click|like|target", _plain(name))
        is_number = (
            "code" in kinds
            or kinds[-1] in {"name", "title"}
            or ("rating" in there and "count" in there)
            or (rest & {"count", "text"} and is_strange)
        )
        if not (is_loose or (is_number and there != {"count"})):
            return "rating", 2 if is_vague or (is_strange and "rating" not in _plain(name)) else 1
    rest.discard("count")
    people = [kind for kind in kinds if kind in {"user", "item"}] or [kind for kind in own if kind in {"user", "item"}]
    if people and rest <= ({"text"} if own[-1] in people else set()) and "rating" not in there:
        is_line = people[-1] == "item" and re.search("item", _plain(name)) and "order" in there
        return (
            (None, 0)
            if is_line or re.search(r"[ _-][0-9]+$", str(name))
            else (people[-1], 3 + is_vague if is_strange else 2 if is_vague or "order" in there else 1)
        )
    return ("item", 2) if own == ["title"] else (None, 0)


def _plain(name: str | int) -> str:
    return re.sub(r"\(.*?\)|\.\$[a-z]+$|[\W_]", "", _without_accents(str(name).partition(":")[0]))


def label_columns(names: Iterable[str]) -> dict[str, str]:
    """Return the column for each label: the first of the label's names that is a column of the table."""
    plain = {_plain(name): name for name in names}
    found: dict[str, str | None] = {
        label: next((plain[each] for each in called if each in plain), None) for label, called in _LABELLED.items()
    }
    return {label: name for label, name in found.items() if name is not None}
