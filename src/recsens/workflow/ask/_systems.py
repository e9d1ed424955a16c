"""Answers for the rules in ``systems.smk``."""

from typing import Any

from recsens.artefacts.addresses import Address
from recsens.plugins import Plugin
from recsens.recommenders.tuned import Tuned
from recsens.workflow.ask._components import Components
from recsens.workflow.ask._wildcards import PROGRAMS, Wildcards
from recsens.workflow.code_digests import classes_of


class OfSystems(Components):
    """Answers about recommenders, their tuning and fitting, and their rankings."""

    programs = PROGRAMS

    def threads(self, wildcards: Wildcards) -> int:
        """Number of threads that the fit of a recommender can use."""
        return self.recommender(wildcards).n_threads

    def reads_side_tables(self, wildcards: Wildcards) -> bool:
        """Whether a recommender learns from side information."""
        return self.recommender(wildcards).side_information is not None

    def is_tuned(self, wildcards: Wildcards) -> bool:
        """Whether a recommender chooses its parameters on validation data."""
        return isinstance(self.recommender(wildcards), Tuned)

    def model(self, wildcards: Wildcards) -> str | list[str]:
        """The path of the fitted model; empty for a recommender that is cheap enough to be fitted when it ranks."""
        return [] if self.recommender(wildcards).is_trivial else self.plan.fitted_at(self.system(wildcards)).model

    def shards(self, wildcards: Wildcards) -> list[str]:
        """The files of every shard of a ranking; empty if a single job ranks all users."""
        return [path for name in self._shards(wildcards) for path in self._ranking(wildcards).shard(name)]

    def shard_costs(self, wildcards: Wildcards) -> list[str]:
        """The cost record of every shard."""
        return [self._ranking(wildcards).cost("rank_shard", name) for name in self._shards(wildcards)]

    @staticmethod
    def shard(wildcards: Wildcards) -> list[int]:
        """A shard's number, and the number of shards."""
        return list(map(int, wildcards.shard.split("-of-")))

    def _shards(self, wildcards: Wildcards) -> list[str]:
        n_shards = self.plan.n_shards(wildcards.dataset)
        return [f"{number}-of-{n_shards}" for number in range(n_shards)] if n_shards > 1 else []

    def _ranking(self, wildcards: Wildcards) -> Address:
        return self.system(wildcards) / wildcards.targets / wildcards.nc / wildcards.ties

    def ranking_files(self, wildcards: Wildcards) -> list[str]:
        """The user's own files that a ranking reads: for target items, for a fallback and, if no model is stored, for scores."""
        kinds = ("targets", "nc", "recommender") if self.recommender(wildcards).is_trivial else ("targets", "nc")
        return self.own_files(*kinds)(wildcards)

    def ranking_design(self, wildcards: Wildcards) -> dict[str, Any]:
        """The options that determine what is ranked, and how; components have every parameter."""
        return {
            "recommender": str(self.recommender(wildcards).full_spec),
            "targets": str(self.component("targets", wildcards).full_spec),
            "relevance": self.plan.targets_at(wildcards.targets)[1],
            "nc": str(self.component("nc", wildcards).full_spec),
            "ties": str(wildcards.ties),
        }

    # The classes of the components that a job names

    def fitted_classes(self, wildcards: Wildcards) -> frozenset[type[Plugin]]:
        """The classes of a recommender and of the recommenders inside it, without classes that only tuning needs."""
        return frozenset(each for each in self.classes("recommender")(wildcards) if each.kind == "recommender")

    def ranked_classes(self, wildcards: Wildcards) -> frozenset[type[Plugin]]:
        """The classes that a ranking depends on."""
        return self.fitted_classes(wildcards) | self._ranking_classes(wildcards)

    def built_to_rank(self, wildcards: Wildcards) -> frozenset[type[Plugin]]:
        """The classes that a ranking job builds."""
        return self.classes("recommender")(wildcards) | self._ranking_classes(wildcards)

    def _ranking_classes(self, wildcards: Wildcards) -> frozenset[type[Plugin]]:
        targets, _ = self.plan.targets_at(wildcards.targets)
        return classes_of([("targets", targets), ("nc", self.plan.component_at("nc", wildcards.nc))])
