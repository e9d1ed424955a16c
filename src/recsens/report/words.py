"""Words for decisions, their options and the classes that fill them."""

from __future__ import annotations

from inspect import getdoc
from sys import modules

from recsens.errors import SpecError
from recsens.report.changes import Change
from recsens.report.components import built
from recsens.specs import Chain, parse_chain, parse_chain_slug
from recsens.study.taxonomy import Decision, decision

_LONGEST = 52
"""Longest option that is written in full in a sentence or a figure: two lines of a label."""


def change_in_words(change: Change) -> str:
    """Say what a design changes: ``split random(ratio=0.2) and view condensed``; the base is ``the base design``."""
    return (
        " and ".join(f"{key} {option_in_words(decision(key), option)}" for key, option in change) if change else "the base design"
    )


def in_full(kind: str, text: str) -> Chain:
    """Write every parameter of a chain of specs; a spec that is not installed stays as it is."""
    return Chain(tuple(component.full_spec if (component := built(kind, link)) else link for link in parse_chain(text)))


def option_in_full(varied: Decision, text: str) -> str:
    """Write an option of a decision with every parameter, so that no default hides."""
    return text if varied.kind is None else str(in_full(varied.kind, text))


def option_in_words(varied: Decision, text: str) -> str:
    """Write an option for a sentence or a figure: in full, or without defaults where that is too long."""
    full = option_in_full(varied, text)
    if varied.kind is None or len(full) <= _LONGEST:
        return full
    components = [(built(varied.kind, link), link) for link in parse_chain(text)]
    return str(Chain(tuple(component.spec if component else link for component, link in components)))


def from_folder(varied: Decision, folder: str) -> str:
    """Return in full the option behind a step of an address; an abbreviated name stays as it is."""
    try:
        return option_in_full(varied, str(parse_chain_slug(folder)))
    except SpecError:
        return folder


def concept(cls: type) -> str:
    """Return the first line of a class's module, which says what it is in a few words; empty for a user's own class."""
    return _first_line(modules[cls.__module__].__doc__) if cls.__module__.startswith("recsens.") else ""


def definition(cls: type) -> str:
    """Return the first line of a class's docstring, which says what it does, often as a formula."""
    return _first_line(getdoc(cls))


def _first_line(docstring: str | None) -> str:
    return (docstring or "").strip().partition("\n")[0].replace("``", "")
