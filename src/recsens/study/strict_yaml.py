"""Strict YAML: keys must not be repeated, text must be printable, and depth and size are bounded."""

import re
from collections.abc import Hashable
from typing import Any

import yaml

MAX_DEPTH = 50
"""Greatest depth of nested lists and mappings; a study needs six."""

MAX_SIZE = 100_000
"""Largest number of values in a study. An alias's values count at each use: nine short lines could produce a billion."""

_MERGE = "tag:yaml.org,2002:merge"
"""YAML's tag for the key ``<<``, which merges the keys of another mapping."""

_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
"""Characters that YAML allows only as escapes; UTF-8 cannot encode some of them, and figures cannot show some."""

_TYPES = {"int": "a whole number", "float": "a number", "bool": "true or false", "timestamp": "a date or time"}
"""The name of each YAML type in messages."""


class BeyondLimitsError(yaml.MarkedYAMLError):
    """Well-formed YAML that is too deep or too large for a study."""


class StudyLoader(yaml.SafeLoader):
    """A YAML loader that refuses content that is too deep or too large, and repeated keys, of which YAML would drop the first."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = 0
        self._sizes: dict[int, int] = {}

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Compose a value with all values inside it, and count them."""
        if self._depth == MAX_DEPTH:
            raise _beyond(f"lists and mappings are nested more than {MAX_DEPTH} levels deep", parent)
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        if node is not None and self._size(node) > MAX_SIZE:
            raise _beyond(f"there are more than {MAX_SIZE:,} values here, counting what aliases (*name) repeat", node)
        return node

    def _size(self, node: yaml.Node) -> int:
        """Count the values in a node, including itself; the nodes inside it have already been counted."""
        if id(node) not in self._sizes:
            if node.end_mark is None:
                raise _beyond("an alias (*name) occurs inside the value that it repeats", node)
            within = [each for pair in node.value for each in pair] if isinstance(node, yaml.MappingNode) else node.value
            self._sizes[id(node)] = 1 if isinstance(node, yaml.ScalarNode) else 1 + sum(map(self._size, within))
        return self._sizes[id(node)]

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Construct a value; an error about an invalid number or date names its line and column."""
        try:
            return super().construct_object(node, deep=deep)
        except (ValueError, OverflowError, LookupError, AttributeError) as error:
            kind = node.tag.rpartition(":")[2]
            why = f": {error}" if kind == "timestamp" else ""
            text = str(node.value)
            quoted = f"'{text[:30]}...' ({len(text):,} characters)" if len(text) > 40 else f"'{text}'"
            raise yaml.constructor.ConstructorError(
                problem=f"YAML reads {quoted} as {_TYPES.get(kind, kind)}, but it is not a valid one{why}",
                problem_mark=node.start_mark,
            ) from error

    def construct_scalar(self, node: yaml.ScalarNode | yaml.MappingNode) -> Any:
        """Return the text of a scalar."""
        text = super().construct_scalar(node)
        unprintable = _UNPRINTABLE.search(text) if isinstance(text, str) else None
        if unprintable is not None:
            what = "half of a character" if "\ud800" <= unprintable[0] <= "\udfff" else "a control character"
            raise _beyond(f"the text contains {what}, {ascii(unprintable[0])[1:-1]}", node)
        return text

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Return a mapping; refuse repeated keys, and keys that are not text."""
        seen: set[Hashable] = set()
        for key_node, _ in node.value:
            if key_node.tag == _MERGE:
                continue
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, Hashable):
                raise yaml.constructor.ConstructorError(problem=f"the key {key} is not text", problem_mark=key_node.start_mark)
            if key in seen:
                raise yaml.constructor.ConstructorError(problem=f"the key '{key}' appears twice", problem_mark=key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep=deep)


def _beyond(problem: str, node: yaml.Node | None) -> BeyondLimitsError:
    return BeyondLimitsError(problem=problem, problem_mark=None if node is None else node.start_mark)
