"""Whether the verdict on a pair of systems holds under all analyses."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recsens.conclusions.verdicts.pairs import UNINFORMATIVE, PairVerdicts, pair_of


@dataclass(frozen=True, slots=True)
class Stability:
    """The base verdict on a pair of systems, and every other analysis of this pair, on one data set.

    Attributes
    ----------
    verdicts
        All verdicts of the experiment.
    base
        The row of the base verdict.
    others
        The rows of all other distinct analyses.
    """

    verdicts: PairVerdicts
    base: Mapping[str, Any]
    others: Sequence[Mapping[str, Any]]

    @property
    def is_contradicted(self) -> bool:
        """Whether two analyses have opposite winners."""
        return len({row["winner"] for row in (self.base, *self.others) if row["winner"]}) > 1

    @property
    def is_stable(self) -> bool:
        """Whether every analysis agrees with the base verdict."""
        return all(row["beside_base"] == "agrees" for row in self.others)

    @property
    def is_asked(self) -> bool:
        """Whether the experiment asks about this pair."""
        return self.verdicts.part.asked == {self.base["system_a"], self.base["system_b"]}

    @property
    def analyses(self) -> list[Mapping[str, Any]]:
        """All distinct analyses that can tell the systems apart, the base analysis first."""
        return [row for row in (self.base, *self.others) if row["verdict"] != UNINFORMATIVE]

    @property
    def n_copies(self) -> int:
        """Number of analyses that repeat the numbers of another analysis."""
        return self.verdicts.n_copies.get(pair_of(self.base), 0)

    @property
    def n_distinct(self) -> int:
        """Number of distinct analyses, including the base analysis."""
        return len(self.analyses)


def stabilities(verdicts: PairVerdicts) -> Iterator[Stability]:
    """Yield an experiment's pairs of systems, in the study's order."""
    for key, base in verdicts.base.items():
        yield Stability(verdicts, base, verdicts.others_of.get(key, []))
