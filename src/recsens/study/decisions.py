"""The decisions of a design as written in a study file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from recsens.plugins.specs import Chain, Spec
from recsens.study.field_types import AggregateSpec, FilterChain, Keys, NcSpec, SplitSpec, TargetsSpec, TestSpec, UsersSpec
from recsens.vocabulary import Correction, Coverage, Ties, View


class Decisions(Keys):
    """The base design: an option for every decision, A1 to D. Each key has a default, and every report lists all options."""

    filter: FilterChain = Field(Chain((Spec("none"),)), description="A1: which interactions are used.")
    split: SplitSpec = Field(Spec("random"), description="A2: which interactions are in train and which in test.")
    repeats: int = Field(
        1, ge=1, le=1000, strict=True, description="A2: how often the split is repeated; each repeat has its own random stream."
    )
    targets: TargetsSpec = Field(
        Spec("ar"),
        description="Target items: what is ranked for each user; by default all items without a train rating of the user.",
    )
    nc: NcSpec = Field(Spec("drop"), description="B2: how items without a score are treated.")
    ties: Ties = Field(
        "random",
        description="B2: how equal scores are ordered: at random, drawn for each pair from a named stream, or by item index.",
    )
    relevance: float | None = Field(
        None,
        strict=True,
        description="C2: lowest relevant rating; null is the upper quarter of the data set's scale, rounded up (4 on 1-5).",
    )
    users: UsersSpec = Field(Spec("with_ratings"), description="B1: who is averaged; by default the users with a train rating.")
    view: View = Field("full", description="C1: rankings of all targets (full), or of the judged ones among them (condensed).")
    aggregate: AggregateSpec = Field(Spec("mean"), description="C3: how users' values become a system's value.")
    coverage: Coverage = Field("full", description="C4: users without a ranking count as zero (full), or are left out (reduced).")
    test: TestSpec = Field(Spec("t"), description="D: how two systems are compared.")
    correction: Correction = Field(
        "none",
        description=(
            "D: how the p-values of all pairs of a study by one metric are adjusted for their number: by Holm's step-down "
            "procedure (holm), by that of Benjamini and Hochberg (bh), or not at all (none)."
        ),
    )

    def changed(self, options: Mapping[str, Any]) -> Decisions:
        """Return the design with some decisions changed to options as written in a study file."""
        # Validated alone: the decisions of this design are components already, not text.
        taken = Decisions.model_validate(options)
        return self.model_copy(update={key: getattr(taken, key) for key in options})
