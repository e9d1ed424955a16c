"""The options of a varied decision: their order, and a number for each option if they differ only in a numeric parameter."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recsens.conclusions.verdicts.words import in_full
from recsens.plugins.specs import Spec, Value
from recsens.study.taxonomy import Decision


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a varied decision.

    Attributes
    ----------
    text
        The option as the study writes it.
    number
        The value of the only parameter in which the options differ; None if the options differ in any other way.
    is_base
        Whether it is the base design's option.
    """

    text: str
    number: float | None
    is_base: bool


@dataclass(frozen=True, slots=True)
class Sweep:
    """The options of one decision, sorted by number; without numbers, first the base option, then the others as in the study.

    Attributes
    ----------
    varied
        The decision.
    options
        Its options.
    parameter
        The parameter in which numeric options differ; empty if the options have no such parameter.
    """

    varied: Decision
    options: tuple[Option, ...]
    parameter: str = ""

    @property
    def is_numeric(self) -> bool:
        """Whether every option has a number."""
        return all(option.number is not None for option in self.options)


def sweep(varied: Decision, texts: Sequence[str], base: str) -> Sweep:
    """Order the options of a decision."""
    numbers, parameter = _numbers(varied, texts)
    options = [Option(text, numbers.get(text), text == base) for text in texts]
    if numbers:
        options.sort(key=lambda option: option.number or 0.0)
    else:
        options.sort(key=lambda option: not option.is_base)
    return Sweep(varied, tuple(options), parameter)


def _numbers(varied: Decision, texts: Sequence[str]) -> tuple[dict[str, float], str]:
    """Return each option's number, and the parameter's name; both are empty unless the options differ in exactly one number."""
    if varied.kind is None:
        return _plain_numbers(varied, texts)
    flat = {text: parameters(varied.kind, text) for text in texts}
    keys = {key for each in flat.values() for key in each}
    differing = [key for key in sorted(keys) if len({repr(each.get(key)) for each in flat.values()}) > 1]
    if len(differing) != 1:
        return {}, ""
    key = differing[0]
    values = {text: each.get(key) for text, each in flat.items()}
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in values.values()):
        return {}, ""
    name = key.rpartition("/")[2]
    return {text: float(value) for text, value in values.items() if isinstance(value, int | float)}, name


def _plain_numbers(varied: Decision, texts: Sequence[str]) -> tuple[dict[str, float], str]:
    try:
        return {text: float(text) for text in texts}, varied.key
    except ValueError:
        return {}, ""


def parameters(kind: str, text: str) -> Mapping[str, Value]:
    """Flatten a chain of specs with all defaults: ``0`` is the name of the first link, and ``0/ratio`` its parameter ``ratio``."""
    flat: dict[str, Value] = {}
    for number, link in enumerate(in_full(kind, text)):
        _flatten(link, str(number), flat)
    return flat


def _flatten(spec: Spec, path: str, flat: dict[str, Value]) -> None:
    flat[path] = spec.name
    for key, value in spec.params:
        if isinstance(value, Spec):
            _flatten(value, f"{path}/{key}", flat)
        else:
            flat[f"{path}/{key}"] = value
