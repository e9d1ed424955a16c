"""Evaluate scores that you already have: one call, with frames, matrices or files of runs, test and train."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import pandas as pd

from recsens.comparison.significance import SignificanceTest
from recsens.errors import DesignError
from recsens.files.kinds import RankBy, role_of_order
from recsens.inputs.folders import FoldFiles
from recsens.inputs.foreign_results import EACH
from recsens.inputs.run_arguments import results_of
from recsens.notebook.arguments import refuse_other
from recsens.notebook.compared import Compared
from recsens.notebook.forms import Axes, is_matrix, refuse_other_shapes, rows_of_ratings, rows_of_scores
from recsens.runs.evaluation import Evaluation, Evaluator, mean_of
from recsens.runs.evaluation import compare as compare_runs
from recsens.tables.numbers import MISSING, score

MEAN = "mean"
"""Name of the row with means over folds."""


class Evaluations(Mapping[str, "Evaluation | Evaluations"]):
    """Evaluations by the name of the run or fold; ``means`` is the table of their means.

    Parameters
    ----------
    of
        ``run`` for the evaluations of several runs, ``fold`` for those of several folds.
    evaluations
        Each evaluation by name; for several runs on several folds, the evaluations of each run's folds by the name of the run.
    """

    def __init__(self, of: Literal["run", "fold"], evaluations: Mapping[str, Evaluation | Evaluations]) -> None:
        self.of, self._evaluations = of, dict(evaluations)

    def __getitem__(self, name: str) -> Evaluation | Evaluations:
        return self._evaluations[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._evaluations)

    def __len__(self) -> int:
        return len(self._evaluations)

    @property
    def means(self) -> pd.DataFrame:
        """Each evaluation's means, with one column per metric; if there are folds, the last row contains the means over folds."""
        several = {name: each.means for name, each in self.items() if isinstance(each, Evaluations)}
        if several:
            return pd.concat(several, names=[self.of])
        table = pd.DataFrame.from_dict({name: dict(each.means) for name, each in self.items()}, orient="index")
        if self.of == "fold":
            table.loc[MEAN] = [mean_of(table[label].to_numpy()) for label in table.columns]
        return table.rename_axis(index=self.of)

    def __repr__(self) -> str:
        named = ", ".join([*list(self)[:5], *(["..."] if len(self) > 5 else [])])
        return f"Evaluations of {len(self):,} {self.of}s: {named}\n{self.means.to_string(float_format=score, na_rep=MISSING)}"


log = logging.getLogger(__name__)

_MAKER = "recsens.evaluate(run, test, ...)"


def evaluate(
    run: Any,
    test: Any = None,
    metrics: str | Iterable[str] = (),
    *,
    train: Any = None,
    validation: Any = None,
    users: Sequence[Any] | None = None,
    items: Sequence[Any] | None = None,
    fold: str | int | None = None,
    **settings: Any,
) -> Evaluation | Evaluations:
    """Evaluate any program's scores against the ratings of a test set.

    Parameters
    ----------
    run
        The scores, in one of these forms:

        - a frame (pandas, polars, Arrow) with a row for each pair, whose columns are named user, item and score, or as other
          libraries name them (``userId``, ``item_id``, ``prediction``, ``user_id:token``);
        - a dense array or frame of users by items, in which NaN and -inf mean "not ranked", or a sparse matrix of scores;
        - the two arrays that implicit's ``recommend`` returns, items and scores, with one row per user;
        - a mapping of users to lists of items, best first, or to mappings of items to scores;
        - a tuple of three arrays, or the path of a file;
        - the path of a folder of results, such as those of WarpRec, Elliot or ``recsens_export.py``, which means the runs in it.
    test
        The ratings: a frame with a rating column, or without one if all ratings are 1; a sparse matrix; a mapping; a tuple; a path.
        A folder means its test set, and also its train set unless the runs are lists of a program. You can leave ``test`` out if
        the folder ``run`` contains the test set too.
    metrics
        Names of metrics, such as ``["nDCG@10", "AP"]``.
    train, validation
        The train set and, if there is one, the validation set, in any form of ``test``. Their pairs are left out of the run, unless
        ``train_items`` or the convention keeps some; ``notes`` says how many.
    users, items
        Names of the rows and columns of matrices; by default, their numbers, counted from 0.
    fold
        Which fold to measure, if there are several: in a column ``fold``, ``i_split`` or ``partition`` of a frame or file, or in a
        folder. ``each`` measures every fold separately.
    settings
        All other settings, as in `recsens.runs.evaluation.evaluate`: ``relevance``, ``ties``, ``no_relevant``, ``convention``, ...

    Returns
    -------
    Evaluation
        The evaluation. For a folder with several runs, a run whose column ``model``, ``algorithm`` or ``recommender`` names several
        systems, or with ``fold="each"``, the result is a mapping from the name of each run
        or fold to its evaluation; its ``means`` is a table. With several runs and ``fold="each"``, it is a mapping from runs to
        such mappings.

    Raises
    ------
    RecsensError
        If an argument has none of these forms (the message says what was given and what is allowed), if no metric has a given name,
        or if a setting is invalid.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_matrix
    >>> test = csr_matrix([[0, 0, 1], [1, 0, 0]])
    >>> train = csr_matrix([[1, 0, 0], [0, 1, 0]])
    >>> evaluate(np.array([[0.9, 0.2, 0.4], [0.1, 0.8, 0.7]]), test, ["RR"], train=train).means
    {'RR': 0.75}
    """
    axes = Axes(users, items)
    metrics = metrics if isinstance(metrics, str) else tuple(metrics)
    before = {name: given for name, given in (("train", train), ("validation", validation)) if given is not None}
    fold, role = None if fold is None else str(fold), role_of_order(settings.get("rank_by"))
    given = results_of([run], test, before)
    rows = replace(given, folds={name: _rows_of(own, axes, role) for name, own in given.folds.items()})
    found: dict[str, dict[str, Evaluation]] = {}
    for name, own in rows.measured(settings, fold).items():
        for label, scores in own.only_training.items():
            evaluator = Evaluator.of(own.sets["test"], metrics, **{**settings, **own.beside})
            found.setdefault(label, {})[name] = evaluator.evaluate(scores)
    by_run = {label: Evaluations("fold", each) if fold == EACH else each[""] for label, each in found.items()}
    return Evaluations("run", by_run) if len(by_run) > 1 else by_run[next(iter(by_run))]


def _rows_of(fold: FoldFiles, axes: Axes, role: RankBy) -> FoldFiles:
    """Convert the objects of a fold to rows or paths."""
    if "train" not in fold.sets and any(map(is_matrix, fold.only_training.values())):
        log.warning("the run scores all items; train items are ranked too unless they are NaN or -inf: give train=")
    names = {name: "the test set" if name == "test" else f"the {name} set" for name in fold.sets}
    run = next(iter(fold.only_training.values()), None)
    refuse_other_shapes({**{names[name]: source for name, source in fold.sets.items()}, "the run": run})
    sets = {name: rows_of_ratings(source, axes, what=names[name]) for name, source in fold.sets.items()}
    runs = {label: [rows_of_scores(run, axes, what="the run", role=role)] for label, run in fold.only_training.items()}
    return FoldFiles(sets, runs)


def compare_each_fold(a: Any, b: Any, test: SignificanceTest) -> Compared:
    """Compare two systems on every fold and metric, each fold separately.

    Raises
    ------
    DesignError
        If a system has no folds, if the folds of the two systems differ, or in the same cases as `compare_evaluations`.
    """
    for name, given in (("a", a), ("b", b)):
        refuse_other("what is compared", given, Evaluations, 'recsens.evaluate(run, test, ..., fold="each")')
        if given.of != "fold":
            raise DesignError(
                f"'{name}' has the evaluations of {len(given)} runs: {', '.join(given)}",
                allowed="the evaluation of one run",
                remedy=f"choose one: {name}[{next(iter(given))!r}]",
            )
    if list(a) != list(b):
        raise DesignError(f"the folds are {', '.join(a)}, and {', '.join(b)}", allowed="the same folds for both systems")
    table = pd.concat({fold: pd.DataFrame(compare_evaluations(a[fold], b[fold], test)) for fold in a}, names=["fold"])
    return Compared(table)


def compare_evaluations(a: Any, b: Any, test: SignificanceTest) -> Compared:
    """Compare two evaluations on every metric, over the users averaged in both.

    Raises
    ------
    DesignError
        If the two evaluations differ in judgements, metrics or settings.
    """
    for given in (a, b):
        refuse_other("what is compared", given, Evaluation, _MAKER)
    _refuse_unlike(a, b)
    by_metric = zip(a.labels, a.definitions, compare_runs({"b": b, "a": a}, test)["a"], strict=True)
    rows = []
    for label, definition, one in by_metric:
        comparison = one.comparison
        head = {"metric": label, "value_a": one.mean, "value_b": one.versus_mean}
        names = ("difference", "low", "high", "effect", "standard_error", "p_value")
        results = {name: getattr(comparison, name) for name in names}
        users = {"users": comparison.n_users, "share_significant": comparison.share_significant}
        asked = {"test": "" if math.isnan(comparison.p_value) else str(test.spec), "settings": str(a.settings)}
        rows.append({**head, **results, **users, "definition": definition, **asked})
    return Compared(pd.DataFrame(rows).set_index("metric"))


def _refuse_unlike(a: Evaluation, b: Evaluation) -> None:
    for what, ours, theirs in (
        ("settings", a.settings, b.settings),
        ("metrics", a.labels, b.labels),
        ("users judged", a.users, b.users),
        ("items judged", list(a.matched.judged_items), list(b.matched.judged_items)),
        ("pairs judged", a.matched.n_judged_pairs, b.matched.n_judged_pairs),
    ):
        if ours != theirs:
            told = f": {ours} and {theirs}" if what in {"settings", "metrics", "pairs judged"} else ""
            raise DesignError(
                f"the two evaluations have different {what}{told}",
                allowed="two runs evaluated against the same test set, by the same metrics, under the same settings",
                remedy="evaluate both with the same test, metrics and settings",
            )
