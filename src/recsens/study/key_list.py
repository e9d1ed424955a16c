"""Every key of a study file in plain text, for the command line."""

import ast
from collections.abc import Iterator
from inspect import getsource
from itertools import pairwise
from textwrap import wrap

from pydantic import BaseModel

from recsens.study.decisions import Decisions
from recsens.study.model import Study

_WIDTH = 100
_MARGIN = max(map(len, Study.model_fields)) + len("  ")


def key_meanings(model: type[BaseModel]) -> dict[str, str]:
    """Return what each key of a model means: the text below it in the code, or its description."""
    texts = {key: field.description or "" for key, field in model.model_fields.items()}
    [written] = ast.parse(getsource(model)).body
    assert isinstance(written, ast.ClassDef)
    for line, below in pairwise(written.body):
        match line, below:
            case ast.AnnAssign(target=ast.Name(key)), ast.Expr(ast.Constant(str(text))):
                texts[key] = " ".join(text.split())
    return texts


def described_keys() -> Iterator[str]:
    """Yield, line by line, the keys of a study and the decisions below ``design``, each with its meaning."""
    for key, meaning in key_meanings(Study).items():
        yield from _key_lines(key, meaning)
        if key == "design":
            for decision, choice in key_meanings(Decisions).items():
                yield from _key_lines(f"  {decision}", choice)


def _key_lines(key: str, meaning: str) -> Iterator[str]:
    first, *others = wrap(meaning.replace(" (see below)", ""), _WIDTH - _MARGIN)
    yield f"{key:{_MARGIN}}{first}"
    yield from (f"{'':{_MARGIN}}{line}" for line in others)
