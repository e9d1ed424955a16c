"""Programs inside other components. A program under ``nc`` cannot have ``versions``, because it stores no model to compare with."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from recsens.errors import ConfigError
from recsens.plugins.specs import Spec, Value, parse
from recsens.ranking.nc import NotComputable
from recsens.recommenders import Recommender
from recsens.recommenders.program import Program

_LOCK_FILE = "requirements.lock"


def programs_in(system: Recommender | Spec) -> list[Program]:
    """List the programs that a recommender is or contains."""
    built = Recommender.build(system) if isinstance(system, Spec) else system
    every = [built, *(Recommender.build(spec) for kind, spec in built.nested() if kind == built.kind)]
    return [each for each in every if isinstance(each, Program) and each.run is not None]


def versions_under_nc(policies: Iterable[Spec]) -> Iterator[ConfigError]:
    """Yield an error for each policy with a program that has ``versions``; the error shows what to write instead."""
    for policy in dict.fromkeys(policies):
        fallback = NotComputable.build(policy).fallback
        asked = [program for program in ([] if fallback is None else programs_in(fallback)) if program.versions is not None]
        if asked:
            first = asked[0]
            made = "" if first.environment else f", where {_LOCK_FILE} holds what '{first.versions}' prints"
            yield ConfigError(
                f"the program '{first.run}' under nc cannot use 'versions': it stores no model whose versions a run could compare",
                allowed="environment: if the lock file changes, the results are computed anew",
                remedy=f"write nc: {_with_lock_file(parse(policy.written))}{made}",
            )


def _with_lock_file(value: Value) -> Value:
    """Return a component in which programs name a lock file instead of the command ``versions``."""
    if isinstance(value, tuple):
        return tuple(map(_with_lock_file, value))
    if not isinstance(value, Spec):
        return value
    inner = {name: _with_lock_file(each) for name, each in value.params if name != "versions"}
    if value.get("versions") is not None:
        inner.setdefault("environment", _LOCK_FILE)
    return replace(value, params=tuple(inner.items()), positional=_with_lock_file(value.positional), spelling="")
