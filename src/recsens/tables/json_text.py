"""Results as JSON, with every number in full."""

import json
import math
from collections.abc import Mapping
from typing import Any


def to_json(content: Mapping[str, Any]) -> str:
    """Write a result as JSON; numbers that JSON lacks (NaN and infinity) become null.

    Examples
    --------
    >>> print(to_json({"values": [0.25, float("nan")]}))
    {
      "values": [
        0.25,
        null
      ]
    }
    """
    return json.dumps(_finite(content), indent=2, ensure_ascii=False, allow_nan=False)


def _finite(content: Any) -> Any:
    if isinstance(content, Mapping):
        return {key: _finite(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_finite(value) for value in content]
    return None if isinstance(content, float) and not math.isfinite(content) else content
