"""Recommenders around another one: their common part."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, PrivateAttr

from recsens.plugins import component
from recsens.plugins.specs import Spec
from recsens.recommenders import Extent, Recommender


class Wrapper(Recommender):
    """A recommender that fits another one, with the randomness, threads and files of that one."""

    of: Annotated[Spec, *component("recommender")] = Field(description="the recommender within")

    _fold: str | None = PrivateAttr(None)

    @property
    def inner(self) -> Recommender:
        """The recommender within."""
        inner = Recommender.build(self._fitted_spec())
        return inner if self._fold is None else inner.on_fold(self._fold)

    def _fitted_spec(self) -> Spec:
        return self.of

    @property
    def deterministic(self) -> bool:  # type: ignore[override]
        """Whether the recommender within is."""
        return self.inner.deterministic

    @property
    def n_threads(self) -> int:  # type: ignore[override]
        """The threads of the recommender within."""
        return self.inner.n_threads

    @property
    def pace(self) -> float:  # type: ignore[override]
        """The pace of the recommender within."""
        return self.inner.pace

    def bytes_needed(self, extent: Extent) -> float:
        """Return the memory of the recommender within."""
        return self.inner.bytes_needed(extent)

    def seconds_needed(self, extent: Extent) -> float:
        """Return the seconds of the recommender within."""
        return self.inner.seconds_needed(extent)

    @property
    def stream_name(self) -> str:
        """The stream of the recommender within, so that it gives the scores that it would give on its own."""
        return self.inner.stream_name

    def own_files(self) -> Sequence[Path]:
        """List the files of the recommender within."""
        return self.inner.own_files()

    def on_split(self, names: Mapping[str, str]) -> Self:
        """Return the recommender for one split of a data set, as the recommender within does."""
        return self.model_copy(update={"of": self.inner.on_split(names).spec})

    def on_fold(self, fold: str) -> Self:
        """Return the recommender for one fold of the study's split; raises as the recommender within does."""
        bound = self.model_copy()
        bound._fold = fold  # noqa: SLF001 - of this class
        bound.inner  # noqa: B018 - refuses a fold without a file
        return bound
