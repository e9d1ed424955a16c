"""Specs: components as text and as folder names, with one grammar for reading and writing.

A *spec* is the name of a plug-in and the parameters that differ from its defaults. It is written in two forms with the same
content:

========  ======================================  =====================================
form      example                                 used for
========  ======================================  =====================================
text      ``user_knn(k=100,similarity=cosine)``   configuration, labels, reports
slug      ``user_knn@k=100@similarity=cosine``    one folder of an address
========  ======================================  =====================================

In a slug, letters, digits and ``._-`` are unchanged; any other character of a value is written ``~HH`` (its UTF-8 bytes in
hexadecimal). A slug has no commas, because Snakemake passes wildcards to sub-processes in a comma-separated argument. Chains join
specs by ``+``.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from recsens.errors import SpecError

_VALUES = 'number, true, false, null, name, "text", [list] or component(...)'

MAX_SLUG = 60
"""Largest number of characters of a slug; a longer one becomes ``name@sha=<10 hex>``, and a ``spec.json`` contains its text."""

MAX_DEPTH = 20
"""Deepest nesting of components and lists; meaningful specs have four levels."""

NAME = r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*"
"""A plug-in's name: an identifier, or a dotted path to a user's own class."""

SLUG = r"[A-Za-z0-9._~@=+\-]+"
"""Pattern of a slug's characters; the workflow's wildcard constraint and the config schema use it too."""

FOLDER = "folder.name"
"""A parameter that only addresses have: the text that replaces the plug-in's name in its slug. No plug-in's parameter has a dot."""

_BARE = re.compile(r"[A-Za-z0-9._/@\-]+")
_NAME = re.compile(NAME)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![A-Za-z0-9._/@\-])")
_DEPTH = re.compile(r"@[0-9]+")
_ABBREVIATION = re.compile(r"sha=[0-9a-f]{10}")
_SHOWN = 60
"""Number of characters that a message shows on each side of the point where parsing fails."""

_CONSTANTS = {"true": True, "false": False, "null": None}


@dataclass(frozen=True, slots=True)
class Spec:
    """A plug-in's name and its parameters, in alphabetical order.

    ``positional`` is one unnamed value, as in ``per_user(random(ratio=0.8))``; the plug-in's class determines which parameter it
    sets, and the canonical form always names the parameter. ``spelling`` is the text from which the spec was read, if any; specs
    that differ only in spelling are equal.
    """

    name: str
    params: tuple[tuple[str, Value], ...] = ()
    positional: Value = None
    spelling: str = field(default="", compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "params", tuple(sorted(self.params)))

    def __str__(self) -> str:
        inner = [f"{key}={format_value(value)}" for key, value in self.params]
        if self.positional is not None:
            inner.insert(0, format_value(self.positional))
        return f"{self.name}({','.join(inner)})" if inner else self.name

    @property
    def written(self) -> str:
        """The component as written or, if it was not parsed from text, the canonical text."""
        return self.spelling or str(self)

    def spelt(self, like: Spec) -> Spec:
        """Return the spec with the spelling of another spec."""
        return replace(self, spelling=like.spelling)

    @property
    def slug(self) -> str:
        """The folder name, from which the text can be restored; beyond ``MAX_SLUG`` characters, ``name@sha=<10 hex>``.

        For a dotted name, the abbreviation contains only the class. The parameter `FOLDER` is not part of the text.
        """
        name, rest = self.name, self._whole_slug.removeprefix(self.name)
        if self.has_digest:
            name, rest = name.rpartition(".")[2][: MAX_SLUG - 15], f"@sha={_text_digest(str(self.without(FOLDER)))}"
        return f"{self.get(FOLDER) or name}{rest}"

    @property
    def has_digest(self) -> bool:
        """Whether the folder name contains a digest; the text must then be stored in the folder."""
        return len(self._whole_slug) > MAX_SLUG

    @property
    def _whole_slug(self) -> str:
        assert self.positional is None, f"'{self}' is not canonical: its plug-in names the parameter"
        told = (f"{key}={_encode_for_path(format_value(value))}" for key, value in self.params if key != FOLDER)
        return "@".join([self.name, *told])

    def get(self, key: str) -> Value:
        """Return a parameter's value, or None if it is not given."""
        return dict(self.params).get(key)

    def with_params(self, **params: Value) -> Spec:
        """Return the spec with parameters added or replaced."""
        return replace(self, params=tuple({**dict(self.params), **params}.items()), spelling="")

    def without(self, *keys: str) -> Spec:
        """Return the spec without some parameters."""
        return replace(self, params=tuple((key, value) for key, value in self.params if key not in keys), spelling="")


Value = None | bool | int | float | str | Spec | tuple[Any, ...]
"""What a parameter may contain; the entries of a list are values too."""


@dataclass(frozen=True, slots=True)
class Chain:
    """Specs that are applied one after another, written ``a(..)+b(..)``; ``spelling`` is as in `Spec`."""

    links: tuple[Spec, ...]
    spelling: str = field(default="", compare=False, repr=False)

    def __iter__(self) -> Iterator[Spec]:
        return iter(self.links)

    def __str__(self) -> str:
        return "+".join(map(str, self.links))

    @property
    def written(self) -> str:
        """The chain as written or, if it was not parsed from text, the canonical text."""
        return self.spelling or str(self)

    @property
    def slug(self) -> str:
        """Folder name: the links' folder names joined by ``+``, abbreviated like the folder name of a spec if it is too long."""
        return f"chain@sha={_text_digest(str(self))}" if self.has_digest else self._whole_slug

    @property
    def has_digest(self) -> bool:
        """Whether the folder name contains a digest; the text must then be stored in the folder."""
        return len(self._whole_slug) > MAX_SLUG

    @property
    def _whole_slug(self) -> str:
        return "+".join(link.slug for link in self.links)


def parse(text: str) -> Spec:
    """Parse one spec from text.

    Raises
    ------
    SpecError
        If the text does not follow the grammar; the message points at the character.
    """
    reader = _Reader(text)
    spec = reader.spelt_spec()
    reader.end()
    return spec


def parse_chain(text: str) -> Chain:
    """Parse specs joined by ``+`` from text."""
    reader = _Reader(text)
    links = [reader.spelt_spec()]
    while reader.take("+"):
        links.append(reader.spelt_spec())
    reader.end()
    return Chain(tuple(links), _one_line(text))


def parse_slug(slug: str) -> Spec:
    """Parse one spec from a folder name; refuse a folder name that is not canonical.

    Raises
    ------
    SpecError
        If the slug does not follow the grammar, is not canonical, or is an abbreviation (``name@sha=...``).
    """
    name, *pieces = slug.split("@")
    if len(pieces) == 1 and _ABBREVIATION.fullmatch(pieces[0]):
        raise SpecError(
            f"the folder name '{slug}' only abbreviates a component, which this study does not name",
            remedy="use a study that names it",
        )
    params: dict[str, Value] = {}
    for piece in pieces:
        key, equals, value = piece.partition("=")
        if not equals or not key.isidentifier() or key in params:
            raise SpecError(f"'{piece}' in the folder name '{slug}' is not 'parameter=value'")
        reader = _Reader(_decode_path(value, slug))
        params[key] = reader.value()
        reader.end()
    if not _NAME.fullmatch(name):
        raise SpecError(f"'{name}' in the folder name '{slug}' is not a plug-in's name")
    spec = Spec(name, tuple(params.items()))
    if spec.slug != slug:
        raise SpecError(f"the folder name '{slug}' is not canonical", allowed=spec.slug)
    return spec


def parse_chain_slug(slug: str) -> Chain:
    """Read a chain from a folder name."""
    return Chain(tuple(parse_slug(link) for link in slug.split("+")))


def format_number(value: float) -> str:
    """Write a number in canonical form: no exponent, no trailing zero, a digit before the point."""
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        raise SpecError(f"{value} is not a finite number")
    if value.is_integer():
        return str(int(value))
    return format(Decimal(repr(value)), "f")


def format_value(value: Value) -> str:
    """Write a parameter's value in its only canonical text form."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return format_number(value)
        case Spec():
            # A component without parameters looks like a name; the plug-in's schema distinguishes the two.
            return str(value)
        case tuple():
            return f"[{','.join(map(format_value, value))}]"
        case _:
            plain = _BARE.fullmatch(value) and not _NUMBER.fullmatch(value) and value not in _CONSTANTS
            return value if plain else json.dumps(value, ensure_ascii=False)


def _one_line(text: str) -> str:
    """Join a text's lines, without blanks at their ends; otherwise, the text stays as written."""
    return " ".join(line.strip() for line in text.splitlines()).strip()


def _text_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def _encode_for_path(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._\-]", lambda m: "".join(f"~{byte:02X}" for byte in m[0].encode()), text)


def _decode_path(text: str, slug: str) -> str:
    try:
        raw = re.sub(rb"~([0-9A-F]{2})", lambda m: bytes([int(m[1], 16)]), text.encode())
        return raw.decode()
    except UnicodeDecodeError as error:
        raise SpecError(f"'{text}' in the folder name '{slug}' is not valid UTF-8 after decoding '~HH'") from error


class _Reader:
    """A recursive-descent reader of the text form."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.depth = 0

    def fail(self, wanted: str) -> SpecError:
        before, after = self.text[: self.position], self.text[self.position :]
        cut = [f"...{before[-_SHOWN:]}" if len(before) > 2 * _SHOWN else before]
        cut.append(f"{after[:_SHOWN]}..." if len(after) > 2 * _SHOWN else after)
        marker = "▸".join(cut)
        # In a list or mapping on one line, YAML ends a component at its first comma.
        is_cut = self.position == len(self.text) and self.text.count("(") > self.text.count(")")
        remedy = 'close the bracket; within [...] or {...}, put a component that contains a comma in quotes: ["a(x=1,y=2)"]'
        # A character that the grammar does not use must belong to text.
        is_text = self.position > 0 and self.text[self.position : self.position + 1].strip('()[],=@+"') != ""
        quotes = 'put a text with characters other than letters, digits and ._/- in double quotes: path="runs/{fold}.csv"'
        cure = remedy if is_cut else quotes if is_text else None
        return SpecError(f"cannot read '{marker}' (▸ marks the place)", allowed=wanted, remedy=cure)

    def skip(self) -> None:
        while self.position < len(self.text) and self.text[self.position].isspace():
            self.position += 1

    def take(self, token: str) -> bool:
        self.skip()
        if self.text.startswith(token, self.position):
            self.position += len(token)
            return True
        return False

    def match(self, pattern: re.Pattern[str]) -> str | None:
        self.skip()
        matched = pattern.match(self.text, self.position)
        if matched is None:
            return None
        self.position = matched.end()
        return matched[0]

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise SpecError(
                f"'{self.text[:_SHOWN]}...' nests components or lists more than {MAX_DEPTH} deep",
                remedy="use fewer levels; components that make sense are nested only a few levels deep",
            )

    def end(self) -> None:
        self.skip()
        if self.position != len(self.text):
            raise self.fail("the end of the component here")

    def spec(self) -> Spec:
        name = self.match(_NAME)
        if name is None:
            raise self.fail("a plug-in's name, such as user_knn(k=100)")
        return self.arguments(name)

    def spelt_spec(self) -> Spec:
        start = self.position
        spec = self.spec()
        return replace(spec, spelling=_one_line(self.text[start : self.position]))

    def arguments(self, name: str) -> Spec:
        params: dict[str, Value] = {}
        positional: Value = None
        self.deeper()
        if self.take("(") and not self.take(")"):
            while True:
                start = self.position
                key = self.match(_NAME)
                if key is not None and self.take("="):
                    if key in params:
                        raise self.fail(f"'{key}' only once")
                    params[key] = self.value()
                elif positional is None and not params:
                    self.position = start
                    positional = self.value()
                else:
                    raise self.fail("parameter=value")
                if self.take(")"):
                    break
                if not self.take(","):
                    raise self.fail("',' or ')'")
        self.depth -= 1
        return Spec(name, tuple(params.items()), positional)

    def value(self) -> Value:
        if self.take("["):
            return self.listed()
        if self.take('"'):
            return self.quoted()
        number = self.match(_NUMBER)
        if number is not None:
            return _parse_number(number)
        token = self.match(_BARE)
        if token is None:
            raise self.fail(f"a value: {_VALUES}")
        if token in _CONSTANTS:
            return _CONSTANTS[token]
        if self.text.startswith("(", self.position) and _NAME.fullmatch(token):
            component = self.arguments(token)
            # A metric at a cut-off is text, whatever its parameters.
            depth = self.match(_DEPTH)
            return component if depth is None else f"{component}{depth}"
        return token

    def listed(self) -> tuple[Value, ...]:
        values: list[Value] = []
        self.deeper()
        while not self.take("]"):
            if values and not self.take(","):
                raise self.fail("',' or ']'")
            values.append(self.value())
        self.depth -= 1
        return tuple(values)

    def quoted(self) -> str:
        try:
            value, end = json.JSONDecoder().raw_decode(self.text, self.position - 1)
        except json.JSONDecodeError as error:
            if error.msg.startswith("Invalid \\"):
                raise self.fail('text with each backslash written twice, or replaced by "/"') from error
            raise self.fail("a closing quotation mark") from error
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise self.fail("text without surrogates (\\ud800 to \\udfff), which are only halves of characters")
        self.position = end
        return str(value)


def _parse_number(token: str) -> int | float:
    value = float(token)
    if not math.isfinite(value):
        raise SpecError(f"{token} is not a finite number")
    # 100, 100.0 and 1e2 are the same number and must give the same folder.
    return int(token) if re.fullmatch(r"[+-]?\d+", token) else int(value) if value.is_integer() else value
