"""Sweeps: vary decisions in one call, and see which verdicts change."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from recsens.conclusions.verdicts.pairs import PairVerdicts, experiment_verdicts
from recsens.errors import ConfigError, nearest
from recsens.metrics import parse_measured_at
from recsens.notebook.arguments import checked_seed
from recsens.notebook.compared import MOST_LINES
from recsens.notebook.ratings import Ratings
from recsens.notebook.shown_tables import base_values, wins_by_pair
from recsens.notebook.studies import StudyTables, dataset_of, run, system_of, write_draft
from recsens.plugins import Plugin
from recsens.report.html.templates import cell
from recsens.report.sentences.answers import answers, unmoved_pairs
from recsens.report.sentences.best import base_sentences
from recsens.report.sentences.headline import headline
from recsens.study import Decisions, Study, load_study
from recsens.study.reading import STUDY_NAME


@dataclass(frozen=True, repr=False)
class SweepTables(StudyTables):
    """The results of a sweep: every verdict under every design.

    Attributes
    ----------
    folder
        Folder of the results.
    file
        The study file that gives the same results.
    """

    file: Path

    @property
    def study(self) -> Study:
        """The study in the file; relative paths in it start at the run's folder."""
        with chdir(self.folder.parents[2]):
            return load_study(self.file)

    @property
    def reverses(self) -> list[str]:
        """For each pair of systems with a changing verdict, say which system wins under which condition; contradictions first."""
        return [answer.finding for answer in answers(self._pair_verdicts)]

    @property
    def holds(self) -> list[str]:
        """Say which pairs have the same verdict in every analysis."""
        return unmoved_pairs(self._pair_verdicts)

    @property
    def headline(self) -> str:
        """Say in a few sentences how much the verdicts depend on the design."""
        return headline(self._pair_verdicts)

    def write(self, path: str | Path) -> Path:
        """Write the study file, with which ``recsens run`` gives the same results.

        Raises
        ------
        ConfigError
            If the file already exists, or if its name cannot be the name of a study.
        """
        path = Path(path)
        if path.suffix not in {".yaml", ".yml"} or not re.fullmatch(STUDY_NAME, path.stem):
            raise ConfigError(
                f"'{path.name}' cannot name a study", allowed="lower-case letters, digits and hyphens, and the ending .yaml"
            )
        if path.exists():
            raise ConfigError("this file already exists", where=str(path), remedy="choose another name, or delete it")
        path.write_text(self.file.read_text(encoding="utf-8"), encoding="utf-8")
        return path

    def __repr__(self) -> str:
        lines = [f"Sweep '{self.name}', {len(self.verdicts):,} verdicts: {self.headline}", *self.reverses, *self.holds]
        if len(lines) > MOST_LINES:
            n_more = len(lines) - MOST_LINES + 1
            lines = [*lines[: MOST_LINES - 1], f"... and {n_more} more in .reverses and .holds"]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        bests = [sentence for verdicts in self._pair_verdicts for sentence in base_sentences(verdicts, self.summary)]
        said = [*bests[:3], self.headline, *self.reverses[:5], *self.holds[:3]]
        return cell(f"Sweep: {self.name}", said=said, tables=[base_values(self.summary), wins_by_pair(self.verdicts)])

    @property
    def _pair_verdicts(self) -> list[PairVerdicts]:
        return experiment_verdicts(self.study, self.verdicts)


def sweep(
    ratings: Any,
    systems: Mapping[str, Any] | Sequence[Any],
    metrics: str | Iterable[str],
    *,
    combine: Literal["one_at_a_time", "grid"] = "one_at_a_time",
    seed: int | None = None,
    name: str | None = None,
    cores: int | None = None,
    checkout: str | Path = ".",
    keys: Mapping[str, Any] | None = None,
    **decisions: Any,
) -> SweepTables:
    """Run systems under varied decisions and return every verdict, like `run`, but without a study file.

    Parameters
    ----------
    ratings
        Anything that `load` accepts or returns; for several data sets, a mapping from labels to such objects.
    systems
        A mapping from labels to recommenders as in a study, or a list of recommenders.
    metrics
        Names of metrics, such as ``["nDCG@10", "P@10"]``.
    combine
        ``one_at_a_time``, or ``grid`` for every combination of options.
    seed
        Seed of all random streams; by default, the ratings' seed.
    name
        Name of the results; by default, a digest of the content, which ensures that a sweep does not replace another.
    cores, checkout
        As in `run`. The sweep's files are in the folder ``sweeps`` there.
    keys
        Further keys of a study file, such as ``{"margin": 0.005, "compare": [["kNN", "MF"]]}``.
    decisions
        Decisions of a study: one option for the base design, or a list. The first option of a list is for the base design, and the
        others are varied, as in ``split=["random(ratio=0.8)", "random(ratio=0.5)"]``.

    Raises
    ------
    RecsensError
        If there is no such decision or component (the message suggests the nearest name), or if the study cannot be run.
    """
    several = dict(ratings) if isinstance(ratings, Mapping) else {"Ratings": ratings}
    by_label = systems if isinstance(systems, Mapping) else {str(getattr(each, "spec", each)): each for each in systems}
    content: dict[str, Any] = {
        "title": f"Sweep of {', '.join(map(str, decisions)) or 'nothing'}",
        "seed": checked_seed(_seed_of(several) if seed is None else seed),
        "datasets": None,
        "systems": {str(label): system_of(each) for label, each in by_label.items()},
        **_base_and_options(decisions),
        "combine": combine,
        "metrics": _metric_texts(metrics),
        **(keys or {}),
    }
    if name is not None and not re.fullmatch(STUDY_NAME, name):
        raise ConfigError(f"name = {name!r}", allowed="lower-case letters, digits and hyphens")
    with chdir(checkout):
        content["datasets"] = {str(label): dataset_of(each) for label, each in several.items()}
        file = write_draft(content, name).resolve()
    done = run(file, cores=cores, checkout=checkout)
    return SweepTables(done.folder, file)


def _base_and_options(decisions: Mapping[str, Any]) -> dict[str, Any]:
    """Return the base design, and the options to vary."""
    design, vary = {}, {}
    for decision, options in decisions.items():
        if decision not in Decisions.model_fields:
            raise ConfigError(
                f"there is no decision '{decision}'{nearest(decision, Decisions.model_fields)}",
                allowed=", ".join(Decisions.model_fields),
                remedy="give other keys of a study as keys={...}",
            )
        listed = [_option_text(option) for option in (options if isinstance(options, list | tuple) else [options])]
        if not listed:
            raise ConfigError(f"{decision} has no options", allowed="one option, or a list of them")
        design[decision] = listed[0]
        if listed[1:]:
            vary[decision] = listed[1:]
    return {"design": design, "vary": vary}


def _option_text(option: Any) -> Any:
    return str(option.full_spec) if isinstance(option, Plugin) else option


def _metric_texts(metrics: str | Iterable[str]) -> list[str]:
    listed = [metrics] if isinstance(metrics, str) else [str(metric) for metric in metrics]
    for metric in listed:
        parse_measured_at(metric)
    return listed


def _seed_of(datasets: Mapping[Any, Any]) -> int:
    """Return the seed with which the ratings were loaded; 0 if they were not loaded."""
    seeds = {dataset.seed for dataset in datasets.values() if isinstance(dataset, Ratings)}
    if len(seeds) > 1:
        raise ConfigError(f"the data sets were loaded with the seeds {', '.join(map(str, sorted(seeds)))}", remedy="give seed=")
    return next(iter(seeds), 0)
