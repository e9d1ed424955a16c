"""Strict YAML: keys must not be repeated, and text must be printable."""

import re
from collections.abc import Hashable
from typing import Any

import yaml

_MERGE = "tag:yaml.org,2002:merge"
"""YAML's tag for the key ``<<``, which merges the keys of another mapping."""

_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
"""Characters that YAML allows only as escapes; UTF-8 cannot encode some of them, and figures cannot show some."""

_TYPES = {"int": "a whole number", "float": "a number", "bool": "true or false", "timestamp": "a date or time"}
"""The name of each YAML type in messages."""


class UnprintableTextError(yaml.MarkedYAMLError):
    """Well-formed YAML with text that cannot be shown or stored."""


class StudyLoader(yaml.SafeLoader):
    """A YAML loader that refuses unprintable text, and repeated keys, of which YAML would drop the first."""

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
            problem = f"the text contains {what}, {ascii(unprintable[0])[1:-1]}"
            raise UnprintableTextError(problem=problem, problem_mark=node.start_mark)
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
