"""The decisions of a design as written in a study file."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from recsens.errors import SpecError
from recsens.plugins.specs import Chain, Spec
from recsens.study.field_types import AggregateSpec, FilterChain, Keys, NcSpec, SplitSpec, TargetsSpec, TestSpec, UsersSpec
from recsens.vocabulary import Correction, Coverage, Ties, View

READINGS: Mapping[str, View] = {"zero": "full", "left_out": "condensed"}
"""What an unrated item in a list counts, and the view that does so: under the key ``unrated``, another name of ``view``."""

_WITH_DECISIONS = {"design", "vary", "under"}

_log = logging.getLogger(__name__)


def view_of(reading: object) -> View:
    """Return the view in which unrated items count so.

    Raises
    ------
    SpecError
        If there is no such view, as for rates of relevance, at which ``tipping`` gives values.
    """
    if not isinstance(reading, str) or reading not in READINGS:
        remedy = "for values at rates of relevance, write 'tipping: [0.05, 0.2]'"
        raise SpecError(f"unrated: '{reading}' is no reading of unrated items", allowed=", ".join(READINGS), remedy=remedy)
    return READINGS[reading]


def with_views(content: Any, *, is_design: bool = False) -> Any:
    """Rename ``unrated`` to ``view`` in a study's designs, and in everything that lists decisions; other keys stay."""
    if isinstance(content, list):
        return [with_views(each, is_design=is_design) for each in content]
    if not isinstance(content, dict):
        return content
    if is_design and "unrated" in content:
        if "view" in content:
            raise SpecError("'view' and 'unrated' are names of the same key", remedy="write everything under 'view'")
        written = content["unrated"]
        views = list(map(view_of, written)) if isinstance(written, list) else view_of(written)
        _log.info("key 'unrated' is read as view: %s", views)
        content = {"view" if key == "unrated" else key: views if key == "unrated" else value for key, value in content.items()}
    return {key: with_views(value, is_design=key in _WITH_DECISIONS) for key, value in content.items()}


class Decisions(Keys):
    """The base design: an option for every decision, from A1 to D. Every key has a default, and every report lists all options."""

    filter: FilterChain = Field(Chain((Spec("none"),)), description="A1: which interactions are used.")
    split: SplitSpec = Field(Spec("random"), description="A2: which interactions are in the train set, and which in the test set.")
    repeats: int = Field(
        1,
        ge=1,
        le=1000,
        strict=True,
        description=(
            "A2: how often the split is drawn; each draw has its own random stream. A split that draws nothing is made once."
        ),
    )
    fits: int = Field(
        1,
        ge=1,
        le=100,
        strict=True,
        description=(
            "B: how often each system that draws at random is fitted on the same train set; each fit has its own random stream. "
            "Systems that draw nothing are fitted once."
        ),
    )
    targets: TargetsSpec = Field(
        Spec("ar"),
        description=(
            "Target items: which items are ranked for each user; by default, all that the user has not rated in the train set."
        ),
    )
    nc: NcSpec = Field(Spec("drop"), description="B2: how items without a score are treated.")
    ties: Ties = Field(
        "random",
        description="B2: how equal scores are ordered: at random, with one draw per pair from a named stream, or by item index.",
    )
    relevance: float | None = Field(
        None,
        strict=True,
        description="C2: lowest relevant rating; null for the upper quarter of the data set's scale, rounded up (4 on 1-5).",
    )
    users: UsersSpec = Field(
        Spec("with_ratings"), description="B1: which users are averaged; by default, those with a train rating."
    )
    view: View = Field(
        "full",
        description=(
            "C1: whether to rank all targets (full), or only judged targets (condensed); or, under the name 'unrated', whether "
            "unrated items count as not relevant (zero) or are left out (left_out)."
        ),
    )
    aggregate: AggregateSpec = Field(Spec("mean"), description="C3: how users' values become a system's value.")
    coverage: Coverage = Field(
        "full", description=("C4: whether users without a ranking count as zero (full) or are left out (reduced).")
    )
    test: TestSpec = Field(Spec("t"), description="D: how two systems are compared.")
    correction: Correction = Field(
        "none",
        description=(
            "D: how a metric's p-values are adjusted for the number of pairs in the study: by Holm's step-down procedure (holm), "
            "by Benjamini and Hochberg's procedure (bh), or not at all (none)."
        ),
    )

    def changed(self, options: Mapping[str, Any]) -> Decisions:
        """Return the design with some decisions changed to options written as in a study file."""
        # Validate only the new options, because this design's decisions are already components, not text.
        taken = Decisions.model_validate(options)
        return self.model_copy(update={key: getattr(taken, key) for key in options})
