"""Check that decisions made call by call can be combined, by the same rules as in a study."""

from collections.abc import Iterable, Mapping

from recsens.errors import DesignError, RecsensError
from recsens.metrics import MeasuredAt
from recsens.plugins import build
from recsens.plugins.specs import Spec
from recsens.recommenders import Recommender
from recsens.study.conflicts import conflicts
from recsens.study.design import Design


def refuse_conflicts(design: Design, systems: Mapping[str, Recommender], metrics: Iterable[MeasuredAt]) -> None:
    """Refuse decisions that cannot be combined.

    Raises
    ------
    DesignError
        The message names both decisions and what can be combined.
    """
    named = {label: _named(recommender) for label, recommender in systems.items()}
    for conflict in conflicts(design, named, list(metrics)):
        raise DesignError(
            f"'{conflict.first}' and '{conflict.second}' do not go together: {conflict.reason}", allowed=conflict.allowed
        )


def _named(recommender: Recommender) -> Spec:
    """Return the spec of a recommender; if no study can name its class, of one that is the same as far as conflicts go."""
    try:
        build("recommender", recommender.spec)
    except RecsensError:
        return Spec("average_rating" if recommender.predicts_ratings else "random")
    return recommender.spec
