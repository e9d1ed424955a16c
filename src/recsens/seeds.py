"""Random streams derived from names, never from the order in which jobs run.

A stream's key is a SHA-256 of the root seed and of names (data set, stage, plug-in, fold), so a job draws the same numbers whatever
jobs ran before it. The parameter that a sweep varies is not among the names, so the designs of a sweep use the same random numbers.
Draws in bulk are hashes of ids (counter-based), so they do not depend on the order of rows.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


@dataclass(frozen=True, slots=True)
class Stream:
    """A named source of randomness."""

    key: int

    @classmethod
    def of(cls, root: int, *names: str | int) -> Stream:
        """Derive the stream with these names from a root seed."""
        text = "\x1f".join([str(root), *map(str, names)])
        return cls(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little"))

    def child(self, *names: str | int) -> Stream:
        """Derive a stream from this one by further names."""
        return Stream.of(self.key, *names)

    def generator(self) -> np.random.Generator:
        """Return a fresh generator; every call starts at the beginning of the stream."""
        return np.random.default_rng(self.key)

    def hashes(self, *ids: ArrayLike) -> NDArray[np.uint64]:
        """Hash tuples of non-negative ids, given as arrays, to 64 bits each (SplitMix64, Steele et al. 2014)."""
        state = np.asarray(initial_state(self))
        for part in ids:
            state = mix_bits(state ^ mix_bits(part))
        return np.asarray(state)

    def uniform(self, *ids: ArrayLike) -> NDArray[np.float64]:
        """Draw one uniform number in [0, 1) for each tuple of ids, with 53 random bits."""
        return np.asarray((self.hashes(*ids) >> np.uint64(11)) * (1.0 / 2**53), dtype=np.float64)


class Origin(NamedTuple):
    """The seed, data set and fold that identify a job's random streams."""

    seed: int
    """Root of all random streams."""
    identity: str
    """The data set's spec, without the path or digest of its files."""
    fold: str = ""
    """The fold's folder name; empty before the split."""
    fit: int = 0
    """The number of the fit on the fold, counted from 0."""

    @property
    def named(self) -> dict[str, str | int]:
        """The names as arguments; without the number of the first fit, results state the same as before there were further fits."""
        return {name: value for name, value in self._asdict().items() if name != "fit" or value}

    def stream(self, *names: str | int) -> Stream:
        """Return the stream of a stage on this data set; ``names`` are the stage and whatever distinguishes its draws."""
        return Stream.of(self.seed, self.identity, *names)


def initial_state(stream: Stream) -> np.uint64:
    """Return the state from which `Stream.hashes` starts, for kernels that compute hashes themselves."""
    return np.uint64(mix_bits(stream.key))


def mix_bits(ids: ArrayLike) -> NDArray[np.uint64]:
    """Mix the bits of each non-negative id, as `Stream.hashes` does at each step."""
    with np.errstate(over="ignore"):
        state = np.asarray(ids).astype(np.uint64) + _GOLDEN
        state = (state ^ (state >> np.uint64(30))) * _MIX_1
        state = (state ^ (state >> np.uint64(27))) * _MIX_2
        return np.asarray(state ^ (state >> np.uint64(31)))


def draw_random_state(rng: np.random.Generator) -> np.random.RandomState:
    """Return a generator for the ``random_state`` of scikit-learn, seeded with a draw from ``rng``."""
    return np.random.RandomState(int(rng.integers(2**31)))
