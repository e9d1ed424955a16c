"""Words for decisions, their options and the classes behind them."""

from sys import modules

from recsens.conclusions.verdicts.changes import Change
from recsens.conclusions.verdicts.components import built
from recsens.plugins import Plugin
from recsens.plugins.prose import summary_of
from recsens.plugins.specs import Chain, Spec, parse_chain


def change_in_words(change: Change) -> str:
    """Write a design's changes: ``split random(ratio=0.2) and view condensed``; for the base, ``the base design``."""
    return " and ".join(f"{key} {option}" for key, option in change) if change else "the base design"


def in_full(kind: str, text: str) -> Chain:
    """Write every parameter of a chain of specs; a spec whose plug-in is not installed stays unchanged."""
    return Chain(tuple(component.full_spec if (component := built(kind, link)) else link for link in parse_chain(text)))


def named_in_full(kind: str, option: Spec | Chain) -> str:
    """Write every parameter in a chain of specs; a spec whose plug-in is not installed stays unchanged."""
    return with_full(option.written, str(in_full(kind, str(option))))


def with_full(written: str, full: str) -> str:
    """Write an option as the study does and, if this hides a default, also with every parameter: ``t, in full t(...)``."""
    return written if written == full else f"{written}, in full {full}"


def concept(cls: type[Plugin]) -> str:
    """Return a short definition of a class: the first line of its module, or its line there; empty for a user's own class."""
    return summary_of(modules[cls.__module__].__doc__, cls.plugin_name()) if cls.__module__.startswith("recsens.") else ""
