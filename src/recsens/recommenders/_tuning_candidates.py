"""Tuning candidates: every combination of listed values, or random draws from a recommender's own search space or another one."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np

from recsens import plugins
from recsens.errors import RecsensError, SpecError, nearest
from recsens.plugins.specs import Spec, Value, format_value
from recsens.recommenders._base import Recommender
from recsens.seeds import Stream

MAX_CANDIDATES = 1000
"""Maximum number of candidates in one search."""

_FORMS = "grid(k=[10,50]) or random(trials=20,k=[10,50],alpha=log_uniform(low=0.1,high=100))"
_RANGES = "a list such as [10,50], uniform(low=0,high=1) or log_uniform(low=0.1,high=100)"
_TRIALS = "trials"
_AS_WRITTEN = "as_written"
_DEFAULT_TRIALS = 20
_DIGITS = 4
"""Number of significant digits of a drawn value; few, because candidates appear in addresses and reports."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One assignment of values to the searched parameters.

    Attributes
    ----------
    params
        The searched parameters with their values, including values that equal the default.
    spec
        The recommender with these parameters, canonical.
    """

    params: tuple[tuple[str, Value], ...]
    spec: Spec

    def __str__(self) -> str:
        return ", ".join(f"{name}={format_value(value)}" for name, value in self.params)


@cache
def check_search(search: Spec, of: Spec) -> None:
    """Check a search over a recommender's parameters, including every value that can be checked before drawing.

    Raises SpecError if ``search`` is not a search, names an unknown parameter, or has too many candidates; if it names no parameter
    and the recommender has no search space; or if a candidate cannot be built.
    """
    search = in_full(search, of)
    where = f"search '{search}'"
    if search.name not in {"grid", "random"}:
        raise SpecError(f"there is no search '{search.name}'{nearest(search.name, ['grid', 'random'])}", allowed=_FORMS)
    if search.name == "grid" and search.positional is not None:
        raise SpecError(f"{where}: the value {format_value(search.positional)} has no parameter name", allowed=_FORMS)
    if not isinstance(search.get(_AS_WRITTEN) or False, bool):
        raise SpecError(f"{where}: {_AS_WRITTEN} = {format_value(search.get(_AS_WRITTEN))}", allowed="true or false")
    space = _search_space(search)
    if not space:
        left = "" if search.name == "grid" else f", and '{of}' leaves none of its own search space"
        raise SpecError(f"{where} names no parameter to search{left}", allowed=_FORMS)
    cls = plugins.load("recommender", of.name)
    # A preset may have been chosen on test data.
    fixed = {*cls.identity_excludes, "preset", *getattr(cls, "never_searched", ())}
    known = [name for name in cls.model_fields if name not in fixed]
    # The parameters of a program are not fields; they appear only in its command.
    takes_others = cls.model_config.get("extra") == "allow"
    for name, values in space.items():
        if name not in known and (name in cls.model_fields or not takes_others):
            raise SpecError(
                f"{where}: '{of.name}' has no parameter '{name}' to search{nearest(name, known)}",
                allowed=", ".join(known) or "a recommender with parameters",
            )
        _check_values(f"{where}: {name}", values, is_grid=search.name == "grid")
    _check_number(where, _n_trials(search))
    if search.name == "grid":
        _grid_candidates(search, of)
        return
    for name, values in space.items():
        # If values are drawn, the ends of each range are checked, one parameter at a time.
        for value in _range_ends(name, values, of):
            _candidate({name: value}, of)


def in_full(search: Spec, of: Spec) -> Spec:
    """Return a random search with its parameters; if it names none, with the search space of ``of``, but for what ``of`` sets."""
    own = plugins.load("recommender", of.name).search_space  # type: ignore[attr-defined]
    if search.name != "random" or _search_space(search) or own is None:
        return search
    return search.with_params(**{name: values for name, values in own.params.items() if name not in dict(of.params)})


def candidates(search: Spec, of: Spec, stream: Stream) -> list[Candidate]:
    """List the distinct candidates of a checked search, first ``of`` itself if it searches the recommender's own space.

    ``as_written=true`` has ``of`` itself first in any search. The others are those of `trials`.
    """
    full = in_full(search, of)
    listed = trials(search, of, stream)
    if full != search or search.get(_AS_WRITTEN) is True:
        usual = Recommender.build(of)
        listed.insert(0, Candidate(tuple((name, getattr(usual, name, None)) for name in _search_space(full)), usual.spec))
    first: dict[str, Candidate] = {}
    for each in listed:
        first.setdefault(str(each.spec), each)
    return list(first.values())


def trials(search: Spec, of: Spec, stream: Stream) -> list[Candidate]:
    """List the candidate of every trial of a checked search, without ``of`` itself; two trials may have the same candidate.

    In a grid, the alphabetically last parameter changes fastest. Random draws come from ``stream``, with a child stream for each
    parameter. Therefore more trials only add candidates, and a further parameter does not change the draws of the other parameters.
    """
    return list(_grid_candidates(search, of)) if search.name == "grid" else list(_drawn_candidates(in_full(search, of), of, stream))


@cache
def _grid_candidates(search: Spec, of: Spec) -> list[Candidate]:
    space = _search_space(search)
    return [_candidate(dict(zip(space, values, strict=True)), of) for values in product(*space.values())]  # type: ignore[arg-type]


def _drawn_candidates(search: Spec, of: Spec, stream: Stream) -> Iterator[Candidate]:
    trials = np.arange(int(_n_trials(search)))  # type: ignore[arg-type]
    columns = {
        name: [_value_at(name, values, float(share), of) for share in stream.child(name).uniform(trials)]
        for name, values in _search_space(search).items()
    }
    for trial in trials:
        yield _candidate({name: column[trial] for name, column in columns.items()}, of)


def _candidate(params: Mapping[str, Value], of: Spec) -> Candidate:
    try:
        built = Recommender.build(of.with_params(**params))
    except RecsensError as error:
        raise error.at("candidate") from error
    return Candidate(tuple(params.items()), built.spec)


def _search_space(search: Spec) -> dict[str, Value]:
    reserved = {_AS_WRITTEN, *([_TRIALS] if search.name == "random" else [])}
    return {name: value for name, value in search.params if name not in reserved}


def with_trials(search: Spec, of: Spec, number: int) -> Spec:
    """Return a random search with another number of trials, or a grid as it is; ``of`` itself is among the candidates."""
    own = in_full(search, of) != search
    numbered = search if search.name == "grid" else Spec(search.name, ()).with_params(**_search_space(search), **{_TRIALS: number})
    return numbered if own else numbered.with_params(**{_AS_WRITTEN: True})


def draws_own_space(search: Spec, of: Spec) -> bool:
    """Whether a search with ``of`` itself as a candidate spells out the recommender's own search space."""
    own = plugins.load("recommender", of.name).search_space  # type: ignore[attr-defined]
    return search.get(_AS_WRITTEN) is True and own is not None and _search_space(search) == dict(own.params)


def n_candidates(search: Spec) -> int:
    """Return the maximum number of candidates that a checked search tries."""
    return int(_n_trials(search)) + (not _search_space(search) or search.get(_AS_WRITTEN) is True)  # type: ignore[arg-type]


def _n_trials(search: Spec) -> Value:
    if search.name == "grid":
        return math.prod(len(values) for values in _search_space(search).values() if isinstance(values, tuple))
    trials = search.get(_TRIALS) if search.positional is None else search.positional
    return _DEFAULT_TRIALS if trials is None else trials


def _check_number(where: str, number: Value) -> None:
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= MAX_CANDIDATES:
        raise SpecError(
            f"{where} has {format_value(number)} candidates",
            allowed=f"1 to {MAX_CANDIDATES}",
            remedy="list fewer values, or draw some of them: random(trials=100,...)",
        )


def _check_values(where: str, values: Value, *, is_grid: bool) -> None:
    if isinstance(values, tuple):
        if not values:
            raise SpecError(f"{where} is an empty list", allowed=_RANGES)
        return
    if not isinstance(values, Spec) or values.name not in {"uniform", "log_uniform"} or is_grid:
        written = format_value(values)
        remedy = "to draw from a range, use random(trials=20,...)" if is_grid and isinstance(values, Spec) else None
        raise SpecError(f"{where} = {written} is not a list of values", allowed="[10,50]" if is_grid else _RANGES, remedy=remedy)
    unknown = next((key for key, _ in values.params if key not in {"low", "high"}), None)
    low, high = values.get("low"), values.get("high")
    is_range = _is_number(low) and _is_number(high) and unknown is None and values.positional is None
    if not is_range or not low < high or (values.name == "log_uniform" and low <= 0):  # type: ignore[operator]
        raise SpecError(
            f"{where} = {values} is not a range to draw from",
            allowed=f"{values.name}(low=...,high=...), two numbers with low below high"
            + (", both above 0" if values.name == "log_uniform" else ""),
        )


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _range_ends(name: str, values: Value, of: Spec) -> tuple[Value, ...]:
    if isinstance(values, tuple):
        return values
    return _value_at(name, values, 0.0, of), _value_at(name, values, 1.0, of)


def _value_at(name: str, values: Value, share: float, of: Spec) -> Value:
    """Return the value at a given fraction of a list or range; it is an integer if the parameter is an integer."""
    if isinstance(values, tuple):
        listed: Value = values[int(share * len(values))]
        return listed
    assert isinstance(values, Spec)
    low, high = float(values.get("low")), float(values.get("high"))  # type: ignore[arg-type]
    is_log = values.name == "log_uniform"
    if _is_whole(name, of):
        first, last = math.ceil(low), math.floor(high)
        if first > last:
            raise SpecError(f"{name} = {values} contains no whole number", allowed="a range that contains one")
        # The range is extended by half a step at both ends; its ends are then as likely as the values between them.
        return min(max(round(_value_at_share(share, first - 0.5, last + 0.5, is_log=is_log)), first), last)
    return min(max(float(f"{_value_at_share(share, low, high, is_log=is_log):.{_DIGITS}g}"), low), high)


def _value_at_share(share: float, low: float, high: float, *, is_log: bool) -> float:
    return low * (high / low) ** share if is_log else low + share * (high - low)


@cache
def _is_whole(name: str, of: Spec) -> bool:
    schema = plugins.load("recommender", of.name).model_json_schema()["properties"].get(name)
    if schema is None:
        return isinstance(of.get(name), int)
    return "integer" in {option.get("type") for option in schema.get("anyOf", [schema])}
