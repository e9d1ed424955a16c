"""The rules that tune, fit and rank."""

from functools import cached_property
from typing import Any

from recsens.artefacts.addresses import Address
from recsens.plugins import Plugin
from recsens.recommenders.tuned import Tuned
from recsens.workflow.code_digests import classes_of
from recsens.workflow.wiring._jobs import Wiring
from recsens.workflow.wiring._rule import Rule, Wildcards

FILTERED, FOLD, SYSTEM, RANKING = map(Address.pattern, ("filter", "fold", "recommender", "ties"))


class SystemWiring(Wiring):
    """The rules in ``system.smk``."""

    def rules(self) -> tuple[Rule, ...]:
        """Every rule of this stage."""
        return (self.tune, self.fit, self.rank_shard, self.rank)

    @cached_property
    def tune(self) -> Rule:
        """The parameters of a recommender, chosen by validation data."""
        return Rule.at(
            SYSTEM,
            "tune",
            inputs={
                "data": FILTERED.data,
                "roles": FOLD.roles,
                "side": self.side,
                "own_files": self.own_files("recommender"),
            },
            outputs={"tuning": SYSTEM.tuning, "cost": SYSTEM.cost("tune")},
            params={
                "spec": self.spec("recommender"),
                "origin": self.origin,
                "own_digests": self.digests_of(self.own_files("recommender")),
                # The code of the recommender, the split, the ranking and the metric.
                **self.coded("tune", self._classes),
            },
        )

    @cached_property
    def fit(self) -> Rule:
        """A model fitted on the train set."""
        return Rule.at(
            SYSTEM,
            "fit",
            inputs={
                "data": FILTERED.data,
                "roles": FOLD.roles,
                "side": self.side,
                "tuning": self.tuning,
                "own_files": self.own_files("recommender"),
            },
            outputs={"model": SYSTEM.model, "cost": SYSTEM.cost("fit")},
            params={
                "spec": self.spec("recommender"),
                "origin": self.origin,
                "own_digests": self.digests_of(self.own_files("recommender")),
                **self.coded("fit", self._fitted_classes, built=self._classes),
            },
        )

    @cached_property
    def rank_shard(self) -> Rule:
        """The positions of judged items in the rankings of a part of the users, until those of all are put together."""
        return Rule.at(
            RANKING,
            "rank_shard",
            "{shard}",
            inputs=self._read_to_rank(),
            outputs={"ranking": RANKING.shard("{shard}"), "cost": RANKING.cost("rank_shard", "{shard}")},
            params={**self._told_to_rank("rank_shard"), "shard": _shard},
        )

    @cached_property
    def rank(self) -> Rule:
        """The positions of judged items in every user's ranking: ranked here, or put together from shards."""
        return Rule.at(
            RANKING,
            "rank",
            inputs={**self._read_to_rank(), "shards": self.shards, "shard_costs": self.shard_costs},
            outputs={"ranking": RANKING.ranking, "cost": RANKING.cost("rank")},
            params=self._told_to_rank("rank"),
        )

    def _read_to_rank(self) -> dict[str, Any]:
        return {
            "data": FILTERED.data,
            "roles": FOLD.roles,
            "truth": self.truth_read,
            "model": self.model,
            "own_files": self.ranking_files,
        }

    def _told_to_rank(self, step: str) -> dict[str, Any]:
        return {
            "design": self.design,
            "origin": self.origin,
            "own_digests": self.digests_of(self.ranking_files),
            **self.coded(step, self._ranked_classes, built=self._built_to_rank),
        }

    # Inputs and parameters

    def threads(self, wildcards: Wildcards) -> int:
        """Threads that fitting a recommender can use."""
        return self.recommender(wildcards).n_threads

    def side(self, wildcards: Wildcards) -> list[str]:
        """What is known of users and items; empty for a recommender that does not read it."""
        return [] if self.recommender(wildcards).side_information is None else self.side_of(wildcards)

    def tuning(self, wildcards: Wildcards) -> str | list[str]:
        """Path of the record of tuning; empty for a recommender that is not tuned."""
        return self.system(wildcards).tuning if isinstance(self.recommender(wildcards), Tuned) else []

    def model(self, wildcards: Wildcards) -> str | list[str]:
        """Path of the fitted model; empty for a recommender so cheap that it is fitted when it ranks."""
        return [] if self.recommender(wildcards).is_trivial else self.plan.fitted_at(self.system(wildcards)).model

    def shards(self, wildcards: Wildcards) -> list[str]:
        """The files of every shard of a ranking; empty if one job ranks all users."""
        return [path for name in self._shards(wildcards) for path in self._ranking(wildcards).shard(name)]

    def shard_costs(self, wildcards: Wildcards) -> list[str]:
        """The record of costs of every shard."""
        return [self._ranking(wildcards).cost("rank_shard", name) for name in self._shards(wildcards)]

    def _shards(self, wildcards: Wildcards) -> list[str]:
        n_shards = self.plan.n_shards(wildcards.dataset)
        return [f"{number}-of-{n_shards}" for number in range(n_shards)] if n_shards > 1 else []

    def _ranking(self, wildcards: Wildcards) -> Address:
        return self.system(wildcards) / wildcards.targets / wildcards.nc / wildcards.ties

    def ranking_files(self, wildcards: Wildcards) -> list[str]:
        """The user's own files that a ranking reads: of target items, of a fallback, and of the scores if no model is stored."""
        kinds = ("targets", "nc", "recommender") if self.recommender(wildcards).is_trivial else ("targets", "nc")
        return list(dict.fromkeys(path for kind in kinds for path in self.own_files(kind)(wildcards)))

    def design(self, wildcards: Wildcards) -> dict[str, Any]:
        """What is ranked, and how; each component with every parameter."""
        return {
            "recommender": str(self.recommender(wildcards).full_spec),
            "targets": str(self.component("targets", wildcards).full_spec),
            "relevance": self.plan.targets_at(wildcards.targets)[1],
            "nc": str(self.component("nc", wildcards).full_spec),
            "ties": str(wildcards.ties),
        }

    # Classes of the components that a job names

    def _classes(self, wildcards: Wildcards) -> frozenset[type[Plugin]]:
        return classes_of([("recommender", self.plan.component_at("recommender", wildcards.recommender))])

    def _fitted_classes(self, wildcards: Wildcards) -> frozenset[type[Plugin]]:
        """Return the classes of a recommender and of those within it; what tunes them neither fits nor ranks."""
        return frozenset(each for each in self._classes(wildcards) if each.kind == "recommender")

    def _ranked_classes(self, wildcards: Wildcards) -> frozenset[type[Plugin]]:
        return self._fitted_classes(wildcards) | self._ranking_classes(wildcards)

    def _built_to_rank(self, wildcards: Wildcards) -> frozenset[type[Plugin]]:
        return self._classes(wildcards) | self._ranking_classes(wildcards)

    def _ranking_classes(self, wildcards: Wildcards) -> frozenset[type[Plugin]]:
        targets, _ = self.plan.targets_at(wildcards.targets)
        return classes_of([("targets", targets), ("nc", self.plan.component_at("nc", wildcards.nc))])


def _shard(wildcards: Wildcards) -> list[int]:
    """Return the number of a shard, and how many there are."""
    return list(map(int, wildcards.shard.split("-of-")))
