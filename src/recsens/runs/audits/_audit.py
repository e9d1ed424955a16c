"""Run an audit: compute verdicts under every decision that can be varied after ranking, and write the report."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Collection, Mapping, Sequence
from contextlib import chdir
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from threadpoolctl import threadpool_limits

from recsens.comparison.users import Users
from recsens.conclusions.verdicts.components import ranks_systems
from recsens.conclusions.verdicts.pairs import PairVerdicts, experiment_verdicts
from recsens.conclusions.verdicts.stability import Stability
from recsens.conclusions.verdicts.study_tables import Results, read_table
from recsens.errors import INSTALL_STUDY, ConfigError
from recsens.files.paths import are_paths
from recsens.inputs.foreign_results import ForeignResults
from recsens.inputs.forms import told_of
from recsens.inputs.matching import LEAST_MATCHED
from recsens.inputs.named_files import AUDIT as STUDY
from recsens.metrics import parse_measured_at
from recsens.plugins.specs import Spec
from recsens.report.frame import Frame, FrameSection
from recsens.report.sentences.headline import said_together, uninformative_in_words, ways_to_another_verdict
from recsens.report.sentences.unrated import tipping_sentences
from recsens.report.sentences.unscored import unscored_sentences
from recsens.runs.audits._analyses import analyses_in_words, correction_notes, identical, most_decisive, options_tried, without_test
from recsens.runs.audits._bounds import BoundedValue, BoundedVerdict, bounded, values_of, verdicts_of
from recsens.runs.audits._conventions import STUDY as CONVENTIONS
from recsens.runs.audits._conventions import VERDICT_COLUMNS, Tool, add_verdicts, experiments, has_test, tools, verdict_rows
from recsens.runs.audits._decisions import (
    base_options,
    bounded_metrics,
    has_bounds,
    is_bounded_by,
    list_depth,
    metrics_within,
    read_metrics,
    refuse_beyond_lists,
    tools_tried,
    varied,
    without_convention,
)
from recsens.runs.audits._material import INTERACTIONS, RunFile, Sets, with_catalogue, write_runs, write_sets
from recsens.runs.audits._required_wins import Options, Requirement
from recsens.runs.audits._sentences import (
    UNDER_BASE,
    WinCount,
    below_the_lists,
    bounded_in_short,
    bounds_section,
    closing_section,
    convention_sentences,
    conventions_section,
    opening,
    recognised_in_words,
    table_of_wins,
    uncomputed_metrics,
    unknown_in_words,
)
from recsens.runs.audits._study import StudyInProcess
from recsens.study import Study, label_of, load_study
from recsens.study.experiment import QUESTIONS
from recsens.workflow.plan import Plan


def study_of_files(
    given: ForeignResults,
    sets: Sets,
    runs: Mapping[str, RunFile],
    options: Options,
    *,
    base: Mapping[str, Any],
    vary: Mapping[str, Sequence[Any]],
    metrics: Sequence[str],
) -> dict[str, Any]:
    """Return the study behind an audit: it reads its data set, split and systems from files, and fits nothing."""
    matched = {} if options.least_matched is None else {"least_matched": options.least_matched}
    trainings = {} if len(given.trainings) == 1 else {"trainings": len(given.trainings)}
    return {
        "title": f"Audit of {given.name}",
        "seed": options.seed,
        "alpha": options.alpha,
        "margin": options.margin,
        "datasets": _datasets(given, sets),
        "systems": {label: str(Spec("from_file").with_params(path=run.path, **matched)) for label, run in runs.items()},
        "design": {"split": str(Spec("predefined").with_params(path=str(sets.roles), **trainings)), **base},
        "vary": {decision: list(tried) for decision, tried in vary.items() if tried},
        "combine": "grid",
        "metrics": list(metrics),
        **({"tipping": list(options.tipping)} if options.tipping else {}),
    }


def study_beyond_files(given: ForeignResults, sets: Sets, runs: Mapping[str, RunFile], metrics: Sequence[str]) -> dict[str, Any]:
    """Return a study that varies splits and training; it has the same ratings, and for each system a command to fill in."""
    commands = {label: f'program(run="python train.py {label} {{train}} {{scores}}")' for label in runs}
    return {
        "title": f"What the audit of {given.name} could not vary",
        "datasets": _datasets(given, sets),
        "systems": {"Popularity": "popularity", **commands},
        "design": {"split": "random(ratio=0.8)", "repeats": 5},
        "vary": {"split": ["random(ratio=0.5)"]},
        "metrics": list(metrics),
    }


def _datasets(given: ForeignResults, sets: Sets) -> dict[str, str]:
    catalogue = {} if sets.catalogue is None else {"catalogue": str(sets.catalogue)}
    scale = {name: value for name, value in asdict(sets.scale).items() if value is not None}
    return {given.name: str(Spec("parquet").with_params(path=str(INTERACTIONS), **scale, **catalogue))}


def write(path: str, study: Mapping[str, Any]) -> None:
    """Write a study file."""
    Path(path).write_text(yaml.safe_dump(dict(study), sort_keys=False, allow_unicode=True, width=128), encoding="utf-8")


BEYOND = "beyond.yaml"
"""The study that varies the decisions that an audit cannot vary."""

_KNOWN = "known.yaml"
"""The study of the same files without the items that no set has; it is not kept."""

_PAGE = "report.html"
_MOST_LINES = 8
"""Number of sentences in the printed form of an audit."""


@dataclass(frozen=True)
class BelowLists:
    """Bounds of values that cut lists do not determine.

    Attributes
    ----------
    depth
        Depth at which the shortest lists end.
    ends, verdicts
        Bounds of values, and verdicts from bounds of differences between runs, for metrics that read below this depth.
    unknown
        Metrics asked for that read below this depth and have no bounds, so that nothing is known of them.
    instead
        The metric of the base design, if the lists do not determine the first metric asked for; empty otherwise.
    """

    depth: int
    ends: Sequence[BoundedValue]
    verdicts: Sequence[BoundedVerdict]
    unknown: Sequence[str] = ()
    instead: str = ""


@dataclass(frozen=True)
class ByConventions:
    """The verdicts under the conventions of other tools.

    Attributes
    ----------
    tools
        The tools; each also lists what the files do not determine.
    rows
        One row for each pair of runs, metric and test; empty if no convention was tried.
    """

    tools: Sequence[Tool]
    rows: pd.DataFrame


@dataclass(frozen=True, repr=False)
class Audit:
    """The result of an audit.

    Attributes
    ----------
    folder
        Folder of the page, the tables and the study behind the audit.
    recognised
        How each file was read, line by line.
    verdicts
        The verdict on every pair of runs in every analysis of the study.
    lists
        Bounds of what cut lists do not determine; None if no run is cut.
    conventions
        The verdicts under other tools' conventions.
    summary
        The values of every run in every analysis of the study.
    unknown
        What the base verdicts would be without the items that no set has; empty if there are none.
    """

    folder: Path
    recognised: Sequence[str]
    verdicts: PairVerdicts
    lists: BelowLists | None
    conventions: ByConventions
    summary: pd.DataFrame
    unknown: str = ""

    def __repr__(self) -> str:
        said = self.told()
        more = [f"... and {len(said) - _MOST_LINES} more in .told()"] if len(said) > _MOST_LINES else []
        return "\n".join([f"Audit in {self.folder}", *said[:_MOST_LINES], *more])

    @property
    def page(self) -> Path:
        """The report page."""
        return self.folder / _PAGE

    @property
    def study(self) -> Study:
        """The study behind the audit."""
        with chdir(self.folder):
            return load_study(STUDY)

    @cached_property
    def pairs(self) -> list[Stability]:
        """The verdict on every pair of runs in every analysis, including analyses under other tools' conventions."""
        return add_verdicts(self.verdicts, self.conventions.rows)

    @cached_property
    def wins(self) -> list[WinCount]:
        """The analyses of every pair of runs, by who wins."""
        return list(map(WinCount.of, self.pairs))

    @property
    def bounds(self) -> Sequence[BoundedVerdict]:
        """The verdicts on comparisons that cut lists only bound."""
        return () if self.lists is None else self.lists.verdicts

    def table(self, name: str) -> pd.DataFrame:
        """Return one of the tables, such as ``summary`` or ``verdicts``."""
        return read_table(self.folder / f"{name}.csv", name)

    @cached_property
    def held(self) -> list[str]:
        """Sentences: which wins hold, which do not, which decision matters most, and what an analysis is."""
        return [
            " ".join(filter(None, [self.unknown, opening(self.wins)])),
            *([] if self.lists is None else uncomputed_metrics(self.lists.depth, self.lists.unknown, self.lists.instead)),
            *([] if self.lists is None else bounded_in_short(self.lists.depth, self.bounds, self.wins)),
            *([] if self.lists is not None else [said for _, said in unscored_sentences([self.verdicts.part], self.summary)]),
            *most_decisive(self.verdicts),
            *without_test(self.verdicts),
            *uninformative_in_words([self.verdicts]),
            *identical(self.verdicts),
            *correction_notes(self.verdicts),
            *analyses_in_words(self.verdicts, self.pairs, self.conventions.rows),
        ]

    @property
    def tried(self) -> list[str]:
        """The options that were tried, one line per decision."""
        return options_tried(self.verdicts)

    def told(self) -> list[str]:
        """Return sentences about the wins that hold, the wins that do not, and the result of all analyses together."""
        bounds = [] if self.lists is None else below_the_lists(self.lists.depth, self.bounds)
        together = said_together(self.table("joint"), self.verdicts.part.alpha)[:3]
        ways = ways_to_another_verdict([self.verdicts])[:3]
        return [*self.held, *convention_sentences(self.conventions.rows), *bounds, *together, *ways, *self.pushed()]

    def pushed(self, most: int | None = None) -> list[str]:
        """Return sentences about what unrated items could do to wins, and to how many; none if nothing was asked about them."""
        part = self.verdicts.part
        results = Results({name: self.table(name) for name in QUESTIONS["unrated"].tables} if part.tipping else {})
        return tipping_sentences(part, results) if most is None else tipping_sentences(part, results, most)


def audit(given: ForeignResults, to: Path, options: Options | None = None) -> Audit:
    """Audit runs: compute verdicts under every decision that can be varied after ranking, and write a study's page and tables.

    The values, p-values and verdicts are those of the study ``audit.yaml``, which is written to the same folder.

    Raises DataError if a file cannot be read or no rating is relevant, DesignError if decisions exclude each other, and ConfigError
    if ``to`` exists and is not an earlier audit.
    """
    options = options or Options()
    _check_target(given, to)
    if options.page and find_spec("matplotlib") is None:
        problem = "the page has figures drawn by matplotlib, which is not installed"
        raise ConfigError(problem, remedy=f"{INSTALL_STUDY}; or write only the tables: --no-page, page=False")
    told = told_of(options.columns)
    to.parent.mkdir(parents=True, exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix=f".{to.name}-", dir=to.parent)).resolve()
    try:
        given = replace(given.divided(told, rank_by=options.rank_by), name=label_of(given.name) or "these files")
        given.refuse_undivided()
        folds = list(given.folds.values())
        sets = write_sets(place, [fold.sets for fold in folds], told, scale=options.scale, relevance=options.relevance)
        least = LEAST_MATCHED if options.least_matched is None else options.least_matched
        runs = write_runs(place, folds, sets, told, options.rank_by, least)
        if len(runs) < 2:
            problem = f"only one run is given: {next(iter(runs), 'none')}"
            remedy = "name another: --run A=... --run B=...; for the values of a single run, use 'recsens evaluate'"
            raise ConfigError(problem, allowed="two or more runs", remedy=remedy)
        sets = with_catalogue(place, sets, runs.values())
        for requirement in options.required:
            requirement.check(runs)
        with chdir(place), threadpool_limits(1, "blas"):
            done = _compute_audit(given, sets, runs, options, to)
        _move_finished(place, to)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return done


def _compute_audit(given: ForeignResults, sets: Sets, runs: Mapping[str, RunFile], options: Options, to: Path) -> Audit:
    """Compute the audit in the working directory, which will become the folder ``to``."""
    tools_to_try = tools_tried(options.base, options.vary)
    base = base_options(sets, options.base)
    written = partial(study_of_files, given, runs=runs, options=options, sets=sets)
    # Rankings under the base design show how deep the lists are; this depth determines which decisions can be varied.
    first = read_metrics(options.metrics) or ["nDCG@10"]
    ranked = _with_rankings(STUDY, written(base=base, vary={}, metrics=first)).ranked()
    depths = {name: end for name, run in runs.items() if (end := list_depth(ranked[name], run)) is not None}
    depth = min(depths.values(), default=None)
    asked = read_metrics(options.metrics) or metrics_within(depth, len(sets.items))
    beyond = [text for text in asked if is_bounded_by(parse_measured_at(text)[0], depth)]
    metrics = [text for text in asked if text not in beyond]
    if not metrics:
        shortest = runs[min(depths, key=depths.__getitem__)]
        raise ConfigError(
            f"the lists have {depth} items{_removed_in_words(shortest)}, but every metric needs more: {', '.join(beyond)}",
            where=shortest.source,
            allowed=f"cut-offs up to {depth}, such as -m nDCG@{depth}",
            remedy="write longer lists, or scores of all items",
        )
    refuse_beyond_lists(depth, base, options.vary)
    _refuse_without_test(metrics, options.required)
    have_scores = not any(run.has_places_only for run in runs.values())
    vary = {**varied(sets, ranked, depth, base, options.base.keys(), have_scores=have_scores), **without_convention(options.vary)}
    write(BEYOND, study_beyond_files(given, sets, runs, metrics))
    steps = _with_rankings(STUDY, written(base=base, vary=vary, metrics=metrics))
    steps.conclude()
    study = load_study(STUDY)
    replaced = asked[0] in beyond
    lists = None if depth is None else _bound_below(steps, study, depth, beyond, metrics, depths.keys(), len(sets.items), replaced)
    has_ties = any(each.share_tied for each in ranked.values())
    found = tools(tools_to_try, sets, asked, depth, have_scores=have_scores)
    shared: dict[str, Any] = {key: base[key] for key in ("ties", "nc", "test", "correction") if key in base}
    by_tools = written(base=shared, vary={}, metrics=[parse_measured_at(metrics[0])[0].short])
    conventions = _by_conventions(by_tools, found, {key: vary[key] for key in ("test", "correction") if vary.get(key)})
    summary, judged = (read_table(steps.tables / f"{name}.csv", name) for name in ("summary", "verdicts"))
    [verdicts] = experiment_verdicts(study, judged)
    unknown = _resting_on_unknown_items(
        written(sets=replace(sets, catalogue=None), base=base, vary={}, metrics=metrics[:1]), runs, verdicts
    )
    equal = f"equal scores: order {base.get('ties', 'random')}, where 'recsens evaluate' goes by item name; ties.csv has the ranges"
    read = [*recognised_in_words(sets, runs, depths, given), *([equal] if has_ties else [])]
    done = Audit(to, read, verdicts, lists, conventions, summary, unknown)
    if options.page:
        steps.report(_page_frame(done, given, has_ties=has_ties))
    for path in sorted(steps.tables.iterdir()):
        if path.name != "measures":
            shutil.move(path, path.name)
    shutil.rmtree("results")
    return done


def _resting_on_unknown_items(study: dict[str, Any], runs: Mapping[str, RunFile], verdicts: PairVerdicts) -> str:
    """Say what the base verdicts are without the items that no set has, if runs list such items; the study leaves them out."""
    listed = {label: run.foreign for label, run in runs.items() if run.foreign.names and not run.has_places_only}
    if not listed:
        return ""
    systems = {
        label: f"{spec[:-1]},unknown_items=move_up)" if label in listed else spec for label, spec in study["systems"].items()
    }
    steps = _with_rankings(_KNOWN, {**study, "systems": systems, "tipping": []})
    steps.decide()
    [known] = experiment_verdicts(load_study(_KNOWN), read_table(steps.tables / "verdicts.csv", "verdicts"))
    Path(_KNOWN).unlink()
    return unknown_in_words(listed, [(row, known.base[pair]) for pair, row in verdicts.base.items() if pair in known.base])


def _with_rankings(path: str, study: Mapping[str, Any]) -> StudyInProcess:
    """Write a study, and rank its systems under every design."""
    write(path, study)
    steps = StudyInProcess(Plan(path))
    steps.rank()
    return steps


def _removed_in_words(run: RunFile) -> str:
    """Say how many rows of a run are train pairs; empty if none are."""
    if not run.n_trained_pairs:
        return ""
    return f" ({run.n_trained_pairs:,} of {run.n_rows:,} rows are train or validation pairs, which are not ranked)"


def _refuse_without_test(metrics: Sequence[str], required: Sequence[Requirement]) -> None:
    """Refuse the metrics if the first one that ranks systems has only one value for all users, so that no test is possible.

    If a win is required, refuse also metrics of which none ranks systems. Raises ConfigError.
    """
    ranking = [str(each) for text in metrics for each in parse_measured_at(text) if ranks_systems(str(each))]
    if ranking and not has_test(ranking[0]):
        problem = f"{ranking[0]} has one value for all users, so no test can compare two runs"
        raise ConfigError(
            problem, allowed="a first metric with a value for each user", remedy="name another metric first: -m nDCG@10"
        )
    if required and not ranking:
        raise ConfigError("a win is required, but no metric says which run is better", allowed="a metric such as -m nDCG@10")


def _by_conventions(study: dict[str, Any], found: Sequence[Tool], vary: Mapping[str, Sequence[Any]]) -> ByConventions:
    """Compute the verdicts under other tools' conventions from the same rankings, and write them as a table."""
    [dataset] = study["datasets"]
    of_tools = experiments(found, dataset, vary)
    if not of_tools:
        return ByConventions(found, pd.DataFrame(columns=VERDICT_COLUMNS))
    title = f"{study['title']}, by the conventions of other tools"
    steps = _with_rankings(CONVENTIONS, {**study, "title": title, "experiments": of_tools})
    steps.decide()
    summary, verdicts = (read_table(steps.tables / f"{name}.csv", name) for name in ("summary", "verdicts"))
    rows = verdict_rows(found, experiment_verdicts(load_study(CONVENTIONS), verdicts), summary)
    rows.to_csv("conventions.csv", index=False, lineterminator="\n")
    return ByConventions(found, rows)


def _bound_below(
    steps: StudyInProcess,
    study: Study,
    depth: int,
    beyond: Sequence[str],
    metrics: Sequence[str],
    cut: Collection[str],
    n_items: int,
    is_replaced: bool,
) -> BelowLists:
    """Bound the values that the lists do not determine, and write the bounds as tables; see `bounded` for what they use."""
    design, part = study.design, study.own
    ends = bounded(
        steps.base_rankings(),
        bounded_metrics(beyond, metrics, n_items),
        users=Users.build(design.users),
        relevance=design.relevance,
        cut=cut,
    )
    found = BelowLists(
        depth,
        list(values_of(ends)),
        list(verdicts_of(ends, part.pairs(), part.alpha, part.margin)),
        unknown=[text for text in beyond if not has_bounds(parse_measured_at(text)[0].metric)],
        instead=metrics[0] if is_replaced else "",
    )
    for name, rows in (("bounds", found.ends), ("bounded-verdicts", found.verdicts)):
        pd.DataFrame(map(asdict, rows)).to_csv(f"{name}.csv", index=False, lineterminator="\n")
    return found


def _page_frame(done: Audit, given: ForeignResults, *, has_ties: bool) -> Frame:
    first, *further = done.held
    lists, conventions = done.lists, done.conventions
    bounds = [] if lists is None else [bounds_section(lists.depth, lists.ends, lists.verdicts, done.wins)]
    is_tried = any(tool.metrics for tool in conventions.tools)
    tools = [conventions_section(conventions.tools, conventions.rows, has_ties=has_ties)] if is_tried else []
    return Frame(
        eyebrow="Audit",
        heading="What these files say",
        opening=first,
        wins=table_of_wins(done.wins),
        base=UNDER_BASE,
        further=further,
        sections=[FrameSection("recognised", "What was recognised", lines=done.recognised), *tools, *bounds],
        closing=closing_section(BEYOND, len(given.folds), len(given.trainings)),
    )


def _check_target(given: ForeignResults, to: Path) -> None:
    """Refuse an output folder that exists and is not an earlier audit, or that contains an input file."""
    if to.exists() and not (to / STUDY).is_file():
        raise ConfigError(
            "exists, but is not an earlier audit",
            where=str(to),
            allowed="a new folder, or an earlier audit's, which is replaced",
            remedy="name another folder: --to",
        )
    named = [path for source in given.sources() for path in (source if are_paths(source) else [source])]
    sources = [Path(path) for path in named if isinstance(path, str | Path)]
    within = next((source for source in sources if source.resolve().is_relative_to(to.resolve())), None)
    if within is not None:
        raise ConfigError(f"would be replaced, but contains the input {within}", where=str(to), remedy="name another folder: --to")


def _move_finished(place: Path, to: Path) -> None:
    """Move the finished folder to its name, replacing an earlier audit."""
    place.chmod(0o755)
    if to.exists():
        shutil.rmtree(to)
    place.rename(to)
