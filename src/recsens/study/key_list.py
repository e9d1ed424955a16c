"""Every key of a study file in plain text, for the command line."""

from collections.abc import Iterator
from textwrap import wrap

from recsens.study.decisions import Decisions
from recsens.study.model import Study

_WIDTH = 100
_MARGIN = max(map(len, Study.model_fields)) + len("  ")


def described_keys() -> Iterator[str]:
    """Yield, line by line, the keys of a study and the decisions below ``design``, each with its meaning."""
    for key, field in Study.model_fields.items():
        yield from _described(key, field.description or "")
        if key == "design":
            for decision, choice in Decisions.model_fields.items():
                yield from _described(f"  {decision}", choice.description or "")


def _described(key: str, meaning: str) -> Iterator[str]:
    first, *others = wrap(meaning.replace(" (see below)", ""), _WIDTH - _MARGIN)
    yield f"{key:{_MARGIN}}{first}"
    yield from (f"{'':{_MARGIN}}{line}" for line in others)
