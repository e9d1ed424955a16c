"""Base class for recommenders that wrap another recommender."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, PrivateAttr

from recsens.plugins import component
from recsens.plugins.specs import Spec
from recsens.recommenders import Extent, Recommender


class Wrapper(Recommender):
    """A recommender that fits another recommender, and has the same randomness, threads and files as that recommender."""

    of: Annotated[Spec, *component("recommender")] = Field(description="the inner recommender")

    _fold: str | None = PrivateAttr(None)

    @property
    def inner(self) -> Recommender:
        """The inner recommender."""
        inner = Recommender.build(self._fitted_spec())
        return inner if self._fold is None else inner.on_fold(self._fold)

    def _fitted_spec(self) -> Spec:
        return self.of

    @property
    def deterministic(self) -> bool:  # type: ignore[override]
        """Whether the inner recommender is deterministic."""
        return self.inner.deterministic

    @property
    def draws(self) -> bool:  # type: ignore[override]
        """Whether the inner recommender draws at random."""
        return self.inner.draws

    @property
    def n_threads(self) -> int:  # type: ignore[override]
        """Number of threads that the inner recommender can use."""
        return self.inner.n_threads

    @property
    def pace(self) -> float:  # type: ignore[override]
        """The pace of the inner recommender."""
        return self.inner.pace

    def bytes_needed(self, extent: Extent) -> float:
        """Return the memory that the inner recommender needs, in bytes."""
        return self.inner.bytes_needed(extent)

    def seconds_needed(self, extent: Extent) -> float:
        """Return the time that the inner recommender needs, in seconds."""
        return self.inner.seconds_needed(extent)

    @property
    def stream_name(self) -> str:
        """The inner recommender's name; scores are then the same as without the wrapper."""
        return self.inner.stream_name

    def own_files(self) -> Sequence[Path]:
        """List the files of the inner recommender."""
        return self.inner.own_files()

    def on_split(self, names: Mapping[str, str]) -> Self:
        """Return the wrapper around the inner recommender for one split of a data set."""
        return self.model_copy(update={"of": self.inner.on_split(names).spec})

    def on_fold(self, fold: str) -> Self:
        """Return the wrapper around the inner recommender for one fold; raises the same errors as `Recommender.on_fold`."""
        bound = self.model_copy()
        bound._fold = fold  # noqa: SLF001 - of this class
        bound.inner  # noqa: B018 - refuses a fold without a file
        return bound
