"""Fits that share work: the costly part of fitting serves all candidates of a search that differ only in what acts after it."""

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Self

import numpy as np

from recsens.data.interactions import Interactions
from recsens.errors import RecsensError
from recsens.recommenders._base import Recommender, freeze_arrays, learn


class SharedFit(Recommender):
    """A recommender whose fit is a costly part, `prepare`, and a cheap rest, `finish`.

    What `finish` learns is the same with whichever recommenders of the same `shared_by` the costly part is shared: to the last byte
    if nothing is drawn, and otherwise up to rounding.
    """

    draws = False

    @property
    @abstractmethod
    def shared_by(self) -> Hashable:
        """The values that recommenders must have in common to share the costly part."""

    @abstractmethod
    def prepare(self, train: Interactions, rng: np.random.Generator, sharing: Sequence[Self]) -> Any:
        """Return the result of the costly part for all that share it, this one among them; `finish` only reads it."""

    @abstractmethod
    def finish(self, train: Interactions, prepared: Any) -> None:
        """Put named arrays into ``self._learned``."""

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Prepare and finish; raises the errors of both."""
        self.finish(train, self.prepare(train, rng, [self]))
        return self


def group_by_shared_fit(recommenders: Sequence[Recommender]) -> list[list[int]]:
    """Group recommenders, by number, that share the costly part of their fits; all others are groups of one."""
    groups: dict[Hashable, list[int]] = {}
    for number, each in enumerate(recommenders):
        # A subclass may have a fit of its own.
        shares = isinstance(each, SharedFit) and type(each).fit is SharedFit.fit
        groups.setdefault((type(each), each.shared_by) if shares else number, []).append(number)  # type: ignore[attr-defined]
    return list(groups.values())


def learn_each(
    recommenders: Sequence[Recommender], train: Interactions, generator: Callable[[], np.random.Generator]
) -> Iterator[tuple[int, Recommender | RecsensError]]:
    """Fit recommenders on one train set, and yield each with its number, or the error that refuses it; only one is kept at a time.

    Each learns the same as by `learn` with a generator of its own (see `SharedFit`). Those that share work come one after another.
    """
    waiting = group_by_shared_fit(recommenders)[::-1]
    while waiting:
        numbers, prepared = waiting.pop(), None
        if len(numbers) > 1:
            sharing: list[Any] = [recommenders[number] for number in numbers]
            try:
                prepared = sharing[0].prepare(train, generator(), sharing)
            except RecsensError:
                # Fewer may fit into memory, and some may be possible where others are not.
                waiting += [numbers[len(numbers) // 2 :], numbers[: len(numbers) // 2]]
                continue
        for number in numbers:
            # The caller keeps its list, so a copy learns: what a hundred candidates learnt would not fit into memory.
            yield number, _learn_prepared(recommenders[number].model_copy(), train, generator(), prepared)


def _learn_prepared(recommender: Any, train: Interactions, rng: np.random.Generator, prepared: Any) -> Recommender | RecsensError:
    try:
        if prepared is None:
            return learn(recommender, train, rng)
        recommender.finish(train, prepared)
    except RecsensError as error:
        return error
    return freeze_arrays(recommender)
