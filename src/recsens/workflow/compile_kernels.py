"""Compile every module and numeric kernel once; then no job waits for a compiler.

``python -m recsens.workflow.compile_kernels`` runs the steps of a study on a tiny simulated data set: it fits and ranks with every
recommender, ranks target items of every kind, and computes every metric. These are separate tasks, which several processes share.
numba stores the machine code, which is specific to this processor, next to the sources.
"""

import contextlib
import logging
import multiprocessing
import os
import sys
from collections.abc import Callable, Collection, Iterator
from compileall import compile_dir
from functools import partial
from pathlib import Path
from py_compile import PycInvalidationMode
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import yaml

from recsens import plugins
from recsens.artefacts.addresses import Address
from recsens.data.datasets.simulated import call_kernels
from recsens.metrics import ListMetric, Metric
from recsens.pipeline.fitting import NO_SIDE_INFORMATION, fit_recommender
from recsens.plugins.specs import parse
from recsens.recommenders import Recommender
from recsens.score_files.in_lists import ListRows, found_in_lists
from recsens.seeds import Origin
from recsens.vocabulary import VIEWS, View
from recsens.workflow.steps.analyse_metrics import analyse_metrics
from recsens.workflow.steps.compare import compare
from recsens.workflow.steps.count_ratings import count_ratings
from recsens.workflow.steps.filter import filter as keep
from recsens.workflow.steps.fit import fit
from recsens.workflow.steps.ingest import ingest
from recsens.workflow.steps.measure import measure
from recsens.workflow.steps.multiverse import multiverse
from recsens.workflow.steps.overlap import overlap
from recsens.workflow.steps.rank import RankingTask, rank
from recsens.workflow.steps.split import split
from recsens.workflow.steps.unrated import unrated

DATA = "simulated(users=60,items=200,ratings=2000)"
SYSTEMS = {"A": "random", "B": "popularity"}
STUDY = {
    "title": "Kernels",
    "datasets": {"Tiny": DATA},
    "systems": SYSTEMS,
    "design": {"test": "randomisation(samples=4)"},
    "metrics": ["P@5", "RR@5"],
    "tipping": [0.05],
}
"""A study of two systems under the default design, for the kernels of comparisons."""

GAPS = "user_knn(k=1)"
"""A recommender that leaves some items without a score, for the policies that rank such items."""

TARGETS = (
    *("ar(items=test,n=5)", "ar(n=5,sampling=popularity)", "one_r", "one_r(n=5)", "one_r(n=5,sampling=popularity)"),
    *("one_r(n=5,draw=per_rating)", "p1r(m=2)", "p1r(m=2,n=5)", "p1r(m=2,n=5,draw=per_rating,sampling=popularity)"),
)
"""Target items that, together with the default (all items), reach every kernel for target items."""

RECOMMENDERS, METRICS = ("ht(mu=10)", "nncos_ib(k=5)"), ("TauAP(symmetric=true)",)
"""Components with parameters that reach a kernel that the defaults do not reach."""

FEW_FACTORS = {"pure_svd": "pure_svd(factors=20)"}
"""Recommenders with parameters for a tiny data set, on which their defaults would cause warnings."""

SMALL = {
    "discrimination": "discrimination(test=randomisation(samples=4))",
    "sparsity": "sparsity(sizes=[100,50],samples=1)",
    "split_half": "split_half(samples=2)",
}
"""Analyses with parameters that reach their kernels in less time than the defaults."""

_SEED = 0
_FOLD = "repeat-0"
_ORIGIN = Origin(_SEED, "kernels", _FOLD)
_AT = Address.of(_SEED, parse(DATA).slug) / "none" / "random" / _FOLD
_CUTOFFS = (5, 10)


_ALWAYS = ("pairs", "lists", "race")
"""Tasks whatever plug-ins a study names; "race" is quick, and a study may simulate data."""

_SLOW = (*TARGETS[:1], "slim", "user_knn", "nncos_ib")
"""Tasks that take a long time, and therefore begin first."""


def compile_for(plugin_names: Collection[str] = (), n_processes: int | None = None) -> None:
    """Compile every kernel that a study's steps reach, by calling it.

    There are twice as many processes as processors, because a process waits for a kernel that another process is compiling.

    Parameters
    ----------
    plugin_names
        Names of the plug-ins that a study uses, to compile only their kernels; empty for all.
    n_processes
        Number of processors to use; by default, all.
    """
    n = n_processes or len(os.sched_getaffinity(0))
    wanted = {*plugin_names, *_ALWAYS}
    names = [name for name in tasks() if not plugin_names or parse(name).name in wanted]
    names.sort(key=lambda name: name not in _SLOW)
    # The tiny data set has no side information, but this makes no difference to kernels.
    logging.getLogger(fit_recommender.__module__).addFilter(lambda record: record.msg != NO_SIDE_INFORMATION)
    with TemporaryDirectory() as scratch:
        if n == 1:
            for name in names:
                _run_task(scratch, name)
            return
        # Fork, so each process starts with imported libraries; this is safe, because there are no threads yet.
        with multiprocessing.get_context("fork").Pool(2 * n) as pool:
            for _ in pool.imap_unordered(partial(_run_task, scratch), names):
                pass


def tasks() -> dict[str, Callable[[], object]]:
    """Return tasks that compile all kernels together, by name; each task can run alone."""
    recommenders = {str(recommender.spec): partial(_rank, recommender) for recommender in _recommenders()}
    targets = {name: partial(_rank, Recommender.build(GAPS), name) for name in TARGETS}
    metrics = {metric: partial(_measure, metric) for metric in (*plugins.names("metric"), *METRICS)}
    analyses = {analysis: partial(_analyse, analysis) for analysis in plugins.names("analysis")}
    files: dict[str, Callable[[], object]] = {"from_file": _find_in_lists}
    # The tiny data set is simulated without the kernels of large simulations.
    simulate = partial(call_kernels, _ORIGIN.stream("ingest"))
    return recommenders | files | targets | metrics | analyses | dict(zip(_ALWAYS, (_compare, _overlap, simulate), strict=True))


def _run_task(scratch: str, name: str) -> None:
    """Run one task in a folder private to this process."""
    folder = Path(scratch) / str(os.getpid())
    folder.mkdir(exist_ok=True)
    with contextlib.chdir(folder):
        _make_fold()
        tasks()[name]()


def _make_fold() -> None:
    """Write the data for all tasks, unless the data exist."""
    if Path(_AT.split_record).exists():
        return
    dataset, filtered = _AT.up_to("dataset"), _AT.up_to("filter")
    ingest(data=dataset.data, spec=DATA, address=DATA, origin=_ORIGIN)
    keep(data=dataset.data, kept=filtered.data, chain="none", origin=_ORIGIN)
    split(data=filtered.data, roles=_AT.roles, record=_AT.split_record, spec="random(ratio=0.5)", origin=_ORIGIN)


def _recommenders() -> Iterator[Recommender]:
    """Build every recommender except those that read the user's files; `_find_in_lists` calls the kernel of these."""
    for name in plugins.names("recommender"):
        recommender = plugins.load("recommender", name)
        if not set(recommender.identity_excludes) & set(recommender.model_fields) and plugins.missing_extra(recommender) is None:
            yield Recommender.build(FEW_FACTORS.get(name, name))
    yield from map(Recommender.build, RECOMMENDERS)


def _find_in_lists() -> None:
    """Call the kernel that searches lists from files, with empty lists."""
    numbers, codes = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
    lists = ListRows(numbers, np.zeros(1, dtype=np.int64), codes, np.zeros(0), np.zeros(0, dtype=np.uint64), are_of_items=True)
    found_in_lists(lists, 0, numbers, np.zeros(1, dtype=np.int64), codes)


def _rank(recommender: Recommender, targets: str = "ar", nc: str = "drop") -> Address:
    """Fit a recommender, if fitting is a separate job, and rank, unless the files exist; return the ranking's address."""
    spec = str(recommender.spec)
    address = _AT / parse(spec).slug / parse(targets).slug / nc / "random"
    if Path(address.cost("rank")).exists():
        return address
    system, data = address.up_to("recommender"), _AT.up_to("filter").data
    model = None if recommender.is_trivial else system.model
    if model is not None and not Path(model).exists():
        fit(data=data, roles=_AT.roles, model=model, cost=system.cost("fit"), spec=spec, origin=_ORIGIN)
    rank(
        data=data,
        roles=_AT.roles,
        model=model,
        ranking=address.ranking,
        cost=address.cost("rank"),
        design=RankingTask(spec, targets, None, nc, "random"),
        origin=_ORIGIN,
    )
    return address


def _measure(metric: str) -> None:
    """Measure users' rankings and, unless the metric reads lists, also rankings for ratings (1R), in the same call.

    Metrics that read item features or earlier lists are left out, because the tiny data set has none and they have no kernels.
    """
    component = Metric.build(metric)
    if isinstance(component, ListMetric) and (component.item_columns or component.reads_earlier):
        return
    lists = component.reads == "lists"
    rankings = [_rank(Recommender.build(GAPS), nc="append"), *([] if lists else [_rank(Recommender.build(GAPS), "one_r")])]
    cells: list[list[tuple[View, None]]] = [[(view, None) for view in VIEWS], [("full", None)]]
    measure(
        rankings=[ranking.measured for ranking in rankings],
        lists=[ranking.listed for ranking in rankings] if lists else (),
        measures="measures.parquet",
        metric=metric,
        cutoffs=_CUTOFFS,
        cells=cells[: len(rankings)],
        selections=["with_ratings"],
    )


def _systems() -> list[Address]:
    """Rank with each of the two `SYSTEMS`, and return where the results are."""
    return [_rank(Recommender.build(spec)) for spec in SYSTEMS.values()]


def _overlap() -> None:
    overlap(
        lists=[system.ranking.lists for system in _systems()],
        table="overlap.csv",
        groups=[("Tiny", _FOLD, list(SYSTEMS), [("A", "B")], _CUTOFFS)],
    )


def _compare() -> None:
    """Compare two systems with the tests that use kernels."""
    Path("study.yaml").write_text(yaml.safe_dump(STUDY), encoding="utf-8")
    rankings = [system.measured for system in _systems()]
    cells: list[list[tuple[View, None]]] = [[("full", None)]] * len(rankings)
    count_ratings(rankings=rankings, population="population.parquet", cells=cells)
    for metric in ("P", "RR"):
        measure(rankings=rankings, measures=f"{metric}.parquet", metric=metric, cutoffs=[5], cells=cells)
    read: dict[str, Any] = {
        "study": "study.yaml",
        "measures": ["P.parquet", "RR.parquet"],
        "population": "population.parquet",
        "addresses": {"Tiny": DATA},
    }
    compare(**read, comparisons="comparisons.csv")
    multiverse(**read, multiverse="multiverse.csv", joint="joint.csv")
    lists = [system.ranking.lists for system in _systems()]
    unrated(**read, rankings=rankings, lists=lists, unrated="unrated.csv", rates="rates.csv")


def _analyse(analysis: str) -> None:
    """Run an analysis of metrics with two systems."""
    data = _AT.up_to("filter").data
    analyse_metrics(
        rankings=[system.measured for system in _systems()],
        interactions=data.interactions,
        item_ids=data.item_ids,
        roles=_AT.roles,
        findings="findings.parquet",
        analysis=SMALL.get(analysis, analysis),
        asked={"systems": list(SYSTEMS), "metrics": [["P", 5, ""], ["P", 10, ""]], "pairs": [("A", "B")], "alpha": 0.05},
        origin=_ORIGIN,
        rules={"view": "full", "relevance": None, "users": "with_ratings", "coverage": "full", "aggregate": "mean"},
    )


if __name__ == "__main__":
    if sys.argv[1:]:
        compile_for(sys.argv[1:])
    else:
        # Python compares these files with their sources by content. Whoever edits the library may do so twice within a second.
        compile_dir(Path(__file__).parents[1], quiet=1, force=True, invalidation_mode=PycInvalidationMode.CHECKED_HASH)
        compile_for()
