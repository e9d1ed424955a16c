"""The claims that a study tests: a paper's conclusions, the numbers that they are about, and where the paper states them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, cast

from pydantic import Field

from recsens import plugins
from recsens.study.decisions import Decisions
from recsens.study.experiment import Experiment
from recsens.study.field_types import ClaimSpec, Keys

Origin = Literal["written", "printed"]
"""The origin of a claim: the study states it (written), or it follows from printed values and p-values (printed)."""


OVER_DATASETS = "over data sets"
"""In the place of a data set, all that an experiment combines."""


@dataclass(frozen=True)
class Ground:
    """The ground of a claim: the numbers of one design on one data set of an experiment.

    Attributes
    ----------
    experiment
        The experiment.
    dataset
        Label of the data set in the experiment's tables; `OVER_DATASETS` if the claim is about all together.
    design
        One of the experiment's designs.
    """

    experiment: Experiment
    dataset: str
    design: Decisions


class Asserted(Protocol):
    """The interface that a claim plug-in must offer a study; its base class is `recsens.conclusions.claims.Claim`."""

    further_tables: ClassVar[Sequence[str]]

    def check(self, ground: Ground) -> None:
        """Raise a `recsens.errors.SpecError` if the experiment lacks something that the claim is about."""

    @property
    def is_over_datasets(self) -> bool:
        """Whether the claim is about all data sets together."""


class ClaimEntry(Keys):
    """A claim that a study judges."""

    claim: ClaimSpec = Field(description="The plug-in of the claim.")
    source: str = Field(min_length=1, description="Where it is claimed: section, table, figure.")
    says: str = Field("", description="The claim in words; by default, the plug-in's words.")
    under: dict[str, Any] = Field(
        default_factory=dict,
        description="Decisions in which the claim's design differs from the base design; the study must include this design.",
    )
    experiment: str = Field("", description="Label of the further experiment that the claim is about; by default, the study's own.")
    dataset: str = Field("", description="Label of the data set, if the experiment has several.")
    calibrated: bool = Field(
        default=False,
        description=(
            "Whether parameters were chosen to make the claim hold; such a claim can hardly fail, so it is counted separately."
        ),
    )

    @property
    def assertion(self) -> Asserted:
        """The plug-in that judges the claim."""
        return cast("Asserted", plugins.build("claim", self.claim))


def in_words(under: Mapping[str, Any]) -> str:
    """Write the options in ``under`` as text, such as ``view: condensed, split: random(ratio=0.2)``."""
    return ", ".join(f"{key}: {option}" for key, option in under.items())
