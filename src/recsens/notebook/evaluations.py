"""Evaluate scores that you already have: one call, from frames and matrices of train and test."""

import logging
import math
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from recsens.comparison.significance import SignificanceTest
from recsens.errors import DesignError
from recsens.evaluation import Evaluation, Evaluator, of_one_fold, run_of
from recsens.evaluation import compare as compare_runs
from recsens.files.kinds import RankBy
from recsens.notebook.arguments import refuse_other
from recsens.notebook.compared import Compared
from recsens.notebook.forms import Axes, is_matrix, rows_of_ratings, rows_of_scores

log = logging.getLogger(__name__)

_MAKER = "recsens.evaluate(run, test, ...)"


def evaluate(
    run: Any,
    test: Any,
    metrics: str | Iterable[str] = (),
    *,
    train: Any = None,
    validation: Any = None,
    users: Sequence[Any] | None = None,
    items: Sequence[Any] | None = None,
    fold: str | int | None = None,
    **settings: Any,
) -> Evaluation:
    """Evaluate any program's scores against the ratings of a test set.

    Parameters
    ----------
    run
        The scores, in one of these forms:

        - a frame (pandas, polars, Arrow) with a row for each pair, whose columns are named user, item and score, or as other
        libraries name them (``userId``, ``item_id``, ``prediction``, ``user_id:token``);
        - a dense array or frame of users by items, in which NaN and -inf mean "not ranked", or a sparse matrix of scores;
        - the two arrays that implicit's ``recommend`` returns, of items and of scores, with one row per user;
        - a mapping of users to lists of items, best first, or to mappings of items to scores;
        - a tuple of three arrays, or the path of a file.
    test
        The ratings: a frame with a rating column, or without one if all are 1; a sparse matrix; a mapping; a tuple; a path.
    metrics
        Such as ``["nDCG@10", "AP"]``.
    train, validation
        The train set and, if there is one, the validation set, in any form of ``test``. Their pairs are left out of the run, unless
        ``train_items`` or the convention keeps some; ``notes`` says how many.
    users, items
        Names of the rows and columns of matrices; by default, their numbers, counted from 0.
    fold
        Which fold to measure, if a column ``fold``, ``i_split`` or ``partition`` of a frame or file names several. A run must have
        one system: its column ``model``, ``algorithm`` or ``recommender`` must not name several.
    settings
        Everything else, as in `recsens.evaluation.evaluate`: ``relevance``, ``ties``, ``no_relevant``, ``convention``, ...

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
    role: RankBy = "rank" if settings.get("rank_by") == "rank" else "score"
    judged = rows_of_ratings(test, axes, what="the test set")
    before = {"train": train, "validation": validation}
    rated = {name: rows_of_ratings(given, axes, what=f"the {name} set") for name, given in before.items() if given is not None}
    scores = rows_of_scores(run, axes, what="the run", role=role)
    scores, judged, decided = of_one_fold(scores, judged, {**settings, **rated}, fold)
    evaluator = Evaluator.of(judged, metrics, **decided)
    if train is None and is_matrix(run):
        log.warning("the run scores all items; train items are ranked too unless they are NaN or -inf: give train=")
    return evaluator.evaluate(run_of(scores, role))


def compare_evaluations(a: Any, b: Any, test: SignificanceTest) -> Compared:
    """Compare two evaluations on every metric, over the users averaged in both.

    Raises
    ------
    DesignError
        If they differ in judgements, metrics or settings.
    """
    for given in (a, b):
        refuse_other("what is compared", given, Evaluation, _MAKER)
    _refuse_unlike(a, b)
    by_metric = zip(a.labels, a.definitions, compare_runs({"b": b, "a": a}, test)["a"], strict=True)
    rows = []
    for label, definition, one in by_metric:
        comparison = one.comparison
        rows.append(
            {
                "metric": label,
                "value_a": one.mean,
                "value_b": one.versus_mean,
                **{
                    name: getattr(comparison, name) for name in ("difference", "low", "high", "effect", "standard_error", "p_value")
                },
                "users": comparison.n_users,
                "share_significant": comparison.share_significant,
                "definition": definition,
                "test": str(test.spec) if not math.isnan(comparison.p_value) else "",
                "settings": str(a.settings),
            }
        )
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
