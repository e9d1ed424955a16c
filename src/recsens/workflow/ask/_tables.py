"""Answers for the rules that write tables about the base designs."""

from collections.abc import Callable, Iterator

from recsens import plugins
from recsens.artefacts.addresses import Fold
from recsens.artefacts.filesets import flat
from recsens.outcomes.measuring.tied import depends_on_ties
from recsens.ranking.targets import Targets
from recsens.recommenders import Recommender
from recsens.study import Experiment
from recsens.study.design import Design, in_full
from recsens.study.designs import folds
from recsens.vocabulary import LIST_DEPTH
from recsens.workflow.ask._components import own_files_of
from recsens.workflow.ask._results import OfResults
from recsens.workflow.ask._wildcards import Wildcards
from recsens.workflow.plan import Ranking


class OfTables(OfResults):
    """Answers about overlap, predictions, matches, ties, data, splits and tuning."""

    def overlapping(self, _: Wildcards) -> list[tuple[str, str, list[str], list[list[str]], list[int]]]:
        """Label, fold, systems, pairs of systems and cut-offs of each comparison of lists under the base designs."""
        return [
            (label, fold.name, list(experiment.systems), list(map(list, experiment.pairs())), _list_cutoffs(experiment))
            for label, experiment, _, fold in self._with_lists()
        ]

    def overlapping_lists(self, _: Wildcards) -> list[str]:
        """The top lists of every system under the base designs, in the order of `overlapping`."""
        return [
            design.ranking_address(fold, spec).ranking.lists
            for _, experiment, design, fold in self._with_lists()
            for spec in experiment.systems.values()
        ]

    def _with_lists(self) -> Iterator[tuple[str, Experiment, Design, Fold]]:
        """Yield every fold under the base designs in which users have lists."""
        for label, experiment, design in self._bases():
            if Targets.build(design.targets).unit == "user":
                for fold in folds(design):
                    yield label, experiment, design, fold

    def predicted_rankings(self, _: Wildcards) -> list[str]:
        """The files of every ranking under the base designs with predicted ratings to measure, as in `rankings`."""
        return flat(ranked.address.measured for *_, ranked in self._predicted())

    def predicted_labels(self, _: Wildcards) -> list[tuple[str, str, str]]:
        """The data set or experiment, fold and system of each ranking in `predicted_rankings`."""
        return [(label, ranked.fold.name, system) for label, system, ranked in self._predicted()]

    def has_predictions(self, _: Wildcards) -> bool:
        """Whether the study measures any predicted ratings."""
        return any(self._predicted())

    def _predicted(self) -> Iterator[tuple[str, str, Ranking]]:
        experiments = self.plan.study.by_label()
        for label, system, ranked in self._base_rankings():
            if any(measured.metric.reads == "predictions" for measured in experiments[label].metrics):
                yield label, system, ranked

    def matched_models(self, _: Wildcards) -> list[str]:
        """The model of every system that reads its scores from files, under the base designs."""
        return [self.plan.fitted_at(ranked.address.up_to("recommender")).model for *_, ranked in self._from_files()]

    def matched_users(self, _: Wildcards) -> list[str]:
        """The counts of users in the ranking of each model in `matched_models`."""
        return [ranked.address.ranking.users for *_, ranked in self._from_files()]

    def matched_labels(self, _: Wildcards) -> list[tuple[str, str, str]]:
        """The data set or experiment, fold and system of each model in `matched_models`."""
        return [(label, ranked.fold.name, system) for label, system, ranked in self._from_files()]

    def has_score_files(self, _: Wildcards | None = None) -> bool:
        """Whether any system reads its scores from files."""
        return any(self._from_files())

    def _from_files(self) -> Iterator[tuple[str, str, Ranking]]:
        for label, system, ranked in self._base_rankings():
            if Recommender.build(ranked.system).score_files is not None:
                yield label, system, ranked

    def base_rankings(self, _: Wildcards) -> list[str]:
        """The files of every ranking under the base designs, data set by data set, system by system, fold by fold."""
        return flat(ranked.address.measured for *_, ranked in self._base_rankings())

    def tied_files(self, _: Wildcards) -> list[str]:
        """The user's own files that aggregates, and metrics that depend on ties, read."""
        tied = (measured.metric for measured in self.plan.study.all_metrics() if depends_on_ties(measured.metric))
        return list(dict.fromkeys([*own_files_of(tied), *self.own_files_of_outcomes("aggregate")]))

    def described_data(self, _: Wildcards) -> list[str]:
        """The files of all data sets of the study after the base design's filter, data set by data set."""
        return flat(address.data for address in self.plan.filtered.values())

    def filtered_records(self, _: Wildcards) -> list[str]:
        """The record of every filtered data set."""
        return list(dict.fromkeys(ranking.address.measured.dataset for ranking in self.plan.rankings.values()))

    def labels(self, _: Wildcards) -> list[str]:
        """Labels of data sets and experiments, in the order of `described_data`."""
        return list(self.plan.filtered)

    def base_thresholds(self, _: Wildcards) -> list[float | None]:
        """Relevance threshold of the base design for each data set and experiment, in the order of `described_data`."""
        return [designs[0].relevance for designs in self.plan.designs.values()]

    def filter_chains(self, _: Wildcards) -> dict[str, list[tuple[str, str]]]:
        """The filters of each chain, as the study writes them and in full, by the chain's folder name."""
        chains = {design.filter.slug: design.filter for design in self.plan.all_designs}
        return {slug: [(link.written, in_full("filter", link)) for link in chain] for slug, chain in chains.items()}

    def split_records(self, _: Wildcards) -> list[str]:
        """The record of every fold."""
        return [fold.split_record for fold in self.plan.splits]

    def split_labels(self, _: Wildcards) -> list[str]:
        """Label of the data set for each fold in `split_records`."""
        return list(self.plan.splits.values())

    def check_labels(self, _: Wildcards) -> list[str]:
        """Label of the data set or experiment for each check, in the order of `all_checks`."""
        return list(self.plan.checks.values())

    def options(self, _: Wildcards) -> dict[str, dict[str, dict[str, str | int]]]:
        """Table cells for options, by decision and by the option's name in records of data and target items."""
        called: dict[str, Callable[[Design], str]] = {
            "filter": lambda design: design.filter.slug,
            "split": lambda design: plugins.address("split", design.split).slug,
            "targets": lambda design: in_full("targets", design.targets),
            "users": lambda design: str(design.users),
        }
        return {key: {name(design): design.cells(key) for design in self.plan.all_designs} for key, name in called.items()}

    def has_tuning(self, _: Wildcards) -> bool:
        """Whether the study tunes a system."""
        return bool(self.plan.tunings)

    def tuning_records(self, _: Wildcards) -> list[str]:
        """The record of every tuning."""
        return list(self.plan.tunings)

    def tuning_labels(self, _: Wildcards) -> list[tuple[str, str]]:
        """Label of the data set or experiment, and label of the system, for each record in `tuning_records`."""
        return list(self.plan.tunings.values())

    def metrics_as_written(self, _: Wildcards) -> dict[str, str]:
        """The study's spelling of each metric, by the metric's full name."""
        return {str(measured): measured.written for measured in self.plan.study.all_metrics()}


def _list_cutoffs(experiment: Experiment) -> list[int]:
    """The depth to which lists are stored, and an experiment's cut-offs (10 if it has none) up to this depth."""
    shallow = {measured.cutoff for measured in experiment.metrics if measured.cutoff <= LIST_DEPTH}
    return sorted({*(shallow or {10}), LIST_DEPTH})
