"""Fit recommenders, each with its own random stream."""

import logging
from collections.abc import Iterator, Sequence

from recsens.data.interactions import Interactions, refuse_missing
from recsens.errors import RecsensError
from recsens.plugins.specs import Spec
from recsens.recommenders import Recommender, learn, learn_each
from recsens.seeds import Origin

log = logging.getLogger(__name__)

NO_SIDE_INFORMATION = "'%s' can use side information, but this data set has none: it is fitted on interactions only"
"""Warning if the data set has no side information for a recommender that can use it."""


def fit_recommender(
    spec: str | Recommender, train: Interactions, origin: Origin, *, stage: str = "fit", choice: Spec | None = None
) -> Recommender:
    """Fit a recommender with the random stream for its name, data set, fold and fit; a fallback's stream has the stage ``nc``.

    ``choice`` is the spec that tuning chose, for a tuned recommender. Raises the same errors as `recsens.recommenders.learn`.
    """
    named = Recommender.build(spec) if isinstance(spec, str) else spec
    _check_side_information(named, train, origin)
    recommender = (named if choice is None else named.choosing(choice)).on_fold(origin.fold)
    # The first fit has the stream that it has in a study without further fits.
    further = [origin.fit] if origin.fit else []
    return learn(recommender, train, origin.stream(stage, recommender.stream_name, origin.fold, *further).generator())


def fit_recommenders(specs: Sequence[str], train: Interactions, origin: Origin) -> Iterator[Recommender]:
    """Yield recommenders of one class in order, each fitted as by `fit_recommender`; neighbours that share work share it.

    Raises the same errors.
    """
    named = [Recommender.build(spec).on_fold(origin.fold) for spec in specs]
    _check_side_information(named[0], train, origin)
    stream = origin.stream("fit", named[0].stream_name, origin.fold)
    for number, fitted in learn_each(named, train, stream.generator):
        if isinstance(fitted, RecsensError):
            raise fitted.at(f"candidate '{specs[number]}'") from fitted
        yield fitted


def _check_side_information(recommender: Recommender, train: Interactions, origin: Origin) -> None:
    """Refuse a data set without the columns that a recommender needs; warn if it has none of the columns that could be used."""
    needs = recommender.side_information
    if needs is None:
        return
    tables = {"user": train.user_table, "item": train.item_table, "context": train.context_table}
    columns = {of: () if table is None else tuple(table.columns) for of, table in tables.items()}
    refuse_missing(needs, columns, dataset=origin.identity, system=str(recommender.spec))
    if not any(columns.values()):
        log.warning(NO_SIDE_INFORMATION, recommender.spec)
