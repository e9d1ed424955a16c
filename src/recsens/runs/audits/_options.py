"""The options of an audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from recsens.files.kinds import RankBy
from recsens.files.scale import Scale
from recsens.runs.audits._requirements import Requirement


@dataclass(frozen=True)
class Options:
    """The options of an audit.

    Attributes
    ----------
    metrics
        The metrics, starting with that of the base design; by default, the usual metrics that the lists determine.
    base, vary
        Options of the base design, and the options to try for each decision; by default, the usual ones.
    scale, relevance
        The rating scale and the lowest relevant rating; None derives them from the ratings.
    rank_by
        Whether scores or ranks order the items of a run.
    columns
        Columns of files whose headers are missing or unknown.
    tipping
        Rates at which unrated items in lists might be relevant, as in a study; none asks nothing about them.
    seed, alpha, margin
        The seed, the significance level and the margin, as in a study.
    least_matched
        The smallest share of users and of items that each run must have in common with the sets; None for the default.
    page
        Whether to draw figures and write the page.
    required
        Requirements; one that names a run that does not exist is refused before anything is computed.
    """

    metrics: Sequence[str] = ()
    base: Mapping[str, Any] = field(default_factory=dict)
    vary: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    scale: Scale | None = None
    relevance: float | None = None
    rank_by: RankBy = "score"
    columns: Sequence[str] = ()
    tipping: Sequence[float] = ()
    seed: int = 0
    alpha: float = 0.05
    margin: float | str = 0.0
    least_matched: float | None = None
    page: bool = True
    required: Sequence[Requirement] = ()
