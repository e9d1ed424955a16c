"""Arguments that all calls share: convert them to components, whole numbers and seeds, and refuse invalid combinations."""

from collections.abc import Callable, Iterable, Mapping
from operator import index
from typing import Any, TypeVar

from threadpoolctl import threadpool_limits

from recsens.errors import DesignError, RecsensError, SpecError
from recsens.metrics import MeasuredAt
from recsens.plugins import Plugin, build
from recsens.plugins.specs import Spec
from recsens.recommenders import Recommender
from recsens.study.conflicts import conflicts
from recsens.study.design import Design

P = TypeVar("P", bound=Plugin)

LARGEST_SEED = 2**63 - 1


def read_component(kind: str, argument: str | P, make: Callable[[str], P]) -> P:
    """Return the component that a text names; a component is returned unchanged.

    Raises
    ------
    SpecError
        If the argument is neither text nor a component, or if no component has that name; the message suggests the nearest name.
    """
    if isinstance(argument, str):
        try:
            return make(argument)
        except SpecError as error:
            if error.remedy is not None and "'plugins:'" in error.remedy:
                error.remedy = "pass an object of your own class, not its name"
            raise
    if not isinstance(argument, Plugin) or argument.kind != kind:
        raise SpecError(
            f"{kind} = {argument!r} is neither text nor a component",
            allowed=f"text as in a study file, or an object of kind {kind}",
            remedy=f"make an object of the class: {argument.__name__}()" if isinstance(argument, type) else None,
        )
    return argument


def whole_number(name: str, value: Any, *, least: int = 0, most: int | None = None) -> int:
    """Return a whole number as a Python int. Random streams are named by the number's text: 1.0 would name another stream than 1.

    Raises
    ------
    DesignError
        If the value has another type, such as bool, or if it is outside the bounds.
    """
    try:
        number = None if isinstance(value, bool) else index(value)
    except TypeError:
        number = None
    if number is None or number < least or (most is not None and number > most):
        upper = "" if most is None else f" to {most}"
        raise DesignError(f"{name} = {value!r}", allowed=f"whole numbers from {least}{upper}")
    return number


def seed_or(seed: Any, usual: int) -> int:
    """Return a seed, or the default seed if none is given.

    Raises
    ------
    DesignError
        If the seed is not a whole number that a study file may have as its seed.
    """
    return usual if seed is None else checked_seed(seed)


def checked_seed(seed: Any) -> int:
    """Return a seed after checking it.

    Raises
    ------
    DesignError
        If the seed is not a whole number that a study file may have as its seed.
    """
    return whole_number("seed", seed, most=LARGEST_SEED)


def refuse_other(what: str, value: object, wanted: type, maker: str) -> None:
    """Refuse an argument of the wrong type, and name the call that makes the right one.

    Raises
    ------
    RecsensError
        If the argument has another type.
    """
    if not isinstance(value, wanted):
        raise RecsensError(f"{what} is of type {type(value).__name__}, not {wanted.__name__}", remedy=f"make one with {maker}")


def refuse_conflicts(design: Design, systems: Mapping[str, Recommender], metrics: Iterable[MeasuredAt]) -> None:
    """Refuse decisions that cannot be combined.

    Raises
    ------
    DesignError
        If two decisions cannot be combined; the message names both and the allowed combinations.
    """
    named = {label: _nameable_spec(recommender) for label, recommender in systems.items()}
    for conflict in conflicts(design, named, list(metrics)):
        raise DesignError(
            f"'{conflict.first}' and '{conflict.second}' do not go together: {conflict.reason}", allowed=conflict.allowed
        )


def _nameable_spec(recommender: Recommender) -> Spec:
    """Return the recommender's spec or, if a study cannot name its class, the spec of a recommender with the same conflicts."""
    try:
        build("recommender", recommender.spec)
    except RecsensError:
        return Spec("average_rating" if recommender.predicts_ratings else "random")
    return recommender.spec


def one_blas_thread() -> threadpool_limits:
    """Run BLAS on one thread, as in the jobs of a study.

    With two threads, the last bits of products differ, which can change ties.
    """
    return threadpool_limits(limits=1, user_api="blas")
