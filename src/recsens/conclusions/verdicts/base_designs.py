"""The base design on each data set of a study."""

from collections.abc import Mapping

from recsens.artefacts.addresses import Fold
from recsens.conclusions.verdicts.components import built
from recsens.plugins.specs import Spec
from recsens.study import Decisions, Experiment, file_name
from recsens.study.design import Design


def base_designs(study: Experiment, addresses: Mapping[str, Spec] | None = None) -> dict[str, Design]:
    """Return each data set's base design, by label; ``addresses`` maps the labels of data sets to their specs in paths."""
    decisions = {key: getattr(study.design, key) for key in Decisions.model_fields}
    return {
        label: Design(seed=study.seed, dataset=(addresses or {}).get(label, spec), name=file_name(label), **decisions)
        for label, spec in study.datasets.items()
    }


def address(design: Design, system: Spec | None = None) -> str:
    """Return the folder of a design's ranking on its first fold; without a system, the path has the placeholder ‹system›."""
    if system is not None:
        return f"{design.ranking_folder(Fold(0), system)}/"
    # Only `Design` names folders, so the path is made with an arbitrary system, which is then replaced.
    example = Spec("random")
    tail = design.ranking_folder(Fold(0), example).relative_to(design.system_folder(Fold(0), example))
    return f"{design.fold_folder(Fold(0))}/‹system›/{tail}/"


def is_by_rating(design: Design) -> bool:
    """Whether each relevant test rating has its own ranking (1R)."""
    return getattr(built("targets", design.targets), "unit", "user") == "rating"
