"""The decisions of a design as written in a study file."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, PlainValidator

from recsens.errors import SpecError, nearest
from recsens.plugins.specs import Chain, Spec, format_number
from recsens.study.field_types import AggregateSpec, FilterChain, Keys, NcSpec, SplitSpec, TargetsSpec, TestSpec, UsersSpec
from recsens.vocabulary import RELEVANT, VIEWS, Correction, Coverage, Reading, Ties, View

READINGS: Mapping[str, View] = {"zero": "full", "left_out": "condensed"}
"""What an unrated item in a list counts, and the view that does so: under the key ``unrated``, another name of ``view``."""

_OTHERS = "relevant, or a rate between 0 and 1, such as rate(0.05)"

_WITH_DECISIONS = {"design", "vary", "under"}

_log = logging.getLogger(__name__)


def view_of(reading: object) -> Reading:
    """Return the option of ``view`` in which unrated items count so.

    Raises
    ------
    SpecError
        If there is no such option.
    """
    found = READINGS.get(str(reading)) or _parse_reading(reading)
    if not found:
        raise SpecError(f"unrated: '{reading}' is no reading of unrated items", allowed=f"{', '.join(READINGS)}, {_OTHERS}")
    return found


def _view(option: object) -> Reading:
    found = str(option) if option in VIEWS else _parse_reading(option)
    if not found:
        raise SpecError(f"'{option}' is not an option{nearest(str(option), VIEWS)}", allowed=f"{', '.join(VIEWS)}, {_OTHERS}")
    return found


def _parse_reading(reading: object) -> Reading:
    """Return ``relevant``, or a rate in canonical form, such as ``rate(0.05)``; empty if the reading is neither."""
    found = re.fullmatch(r"rate\((\d*\.\d+)\)", re.sub(r"\s", "", str(reading)))
    if found and 0 < float(found[1]) < 1:
        return f"rate({format_number(float(found[1]))})"
    return RELEVANT if reading == RELEVANT else ""


_Rate = Annotated[str, Field(pattern=r"^rate\(.*\)$")]
ViewOption = Annotated[Reading, PlainValidator(_view, json_schema_input_type=Literal["full", "condensed", "relevant"] | _Rate)]


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

    filter: FilterChain = Chain((Spec("none"),))
    """A1: which interactions are used."""
    split: SplitSpec = Spec("random")
    """A2: which interactions are in the train set, and which in the test set."""
    repeats: int = Field(1, ge=1, le=1000, strict=True)
    """A2: how often the split is drawn; each draw has its own random stream. A split that draws nothing is made once."""
    fits: int = Field(1, ge=1, le=100, strict=True)
    """B: how often each system that draws at random is fitted on the same train set; each fit has its own random stream.
    Systems that draw nothing are fitted once."""
    targets: TargetsSpec = Spec("ar")
    """Target items: which items are ranked for each user; by default, all that the user has not rated in the train set."""
    nc: NcSpec = Spec("drop")
    """B2: how items without a score are treated."""
    ties: Ties = "random"
    """B2: how equal scores are ordered: at random, with one draw per pair from a named stream, or by item index."""
    relevance: float | None = Field(None, strict=True)
    """C2: lowest relevant rating; null for that of the data set, which is the upper quarter of its scale, rounded up (4 on
    1-5), unless it declares another."""
    users: UsersSpec = Spec("with_ratings")
    """B1: which users are averaged; by default, those with a train rating."""
    view: ViewOption = "full"
    """C1: whether to rank all targets (full), or only judged targets (condensed); or, under the name 'unrated', whether unrated
    items in lists count as not relevant (zero), are left out (left_out), count as relevant (relevant), or as relevant with some
    probability, such as rate(0.05); the last two are options of 'view', too."""
    aggregate: AggregateSpec = Spec("mean")
    """C3: how users' values become a system's value."""
    coverage: Coverage = "full"
    """C4: whether users without a ranking count as zero (full) or are left out (reduced)."""
    test: TestSpec = Spec("t")
    """D: how two systems are compared."""
    correction: Correction = "none"
    """D: how a metric's p-values are adjusted for the number of pairs in the study: by Holm's step-down procedure (holm), by
    Benjamini and Hochberg's procedure (bh), or not at all (none)."""

    def changed(self, options: Mapping[str, Any]) -> Decisions:
        """Return the design with some decisions changed to options written as in a study file."""
        # Validate only the new options, because this design's decisions are already components, not text.
        taken = Decisions.model_validate(options)
        return self.model_copy(update={key: getattr(taken, key) for key in options})
