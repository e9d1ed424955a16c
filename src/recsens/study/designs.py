"""A study's designs for each data set and experiment, and each design's folds."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache

from recsens import plugins
from recsens.artefacts.addresses import Fold
from recsens.data.splitting import Splitter
from recsens.errors import DesignError
from recsens.plugins.specs import Spec
from recsens.study import Study, file_name
from recsens.study.design import Design


def expand(study: Study, addresses: Mapping[str, Spec]) -> dict[str, list[Design]]:
    """List a study's designs, base design first, for each label; ``addresses`` has the address of each label's data set."""
    designs: dict[str, list[Design]] = {}
    for label, experiment in study.by_label().items():
        for decisions in experiment.designs():
            name = file_name(study.dataset_of(label))
            design = Design(seed=study.seed, dataset=addresses[label], name=name, **dict(decisions))
            designs.setdefault(label, []).append(design)
    return designs


def folds(design: Design) -> list[Fold]:
    """List a design's folds, draw by draw; a split that draws nothing at random is made once, however often others are drawn."""
    n, is_random = _folds_of_draw(design.split, _split_content(design.split))
    repeats = design.repeats if is_random else 1
    return [Fold(repeat, part if n > 1 else None) for repeat in range(repeats) for part in range(n)]


def fitted(design: Design) -> list[Fold]:
    """List every fit on each of a design's folds; systems that draw nothing have the same rankings for all fits on a fold."""
    return [replace(fold, fit=fit) for fold in folds(design) for fit in range(design.fits)]


def refuse_vain_repeats(designs: Iterable[Design]) -> None:
    """Refuse designs that are to draw their splits several times if none of these splits draws anything.

    Raises
    ------
    DesignError
        If all splits with several repeats would be repeated unchanged.
    """
    repeated = [design for design in designs if design.repeats > 1]
    if repeated and not any(_folds_of_draw(design.split, _split_content(design.split))[1] for design in repeated):
        first = repeated[0]
        raise DesignError(
            f"split '{first.split.written}' is not random, so 'repeats: {first.repeats}' would repeat it unchanged",
            allowed="repeats: 1, or a split that draws at random beside it",
        )


def _split_content(split: Spec) -> Spec | None:
    """Return a split's address, with a digest of its files; None if a file is missing, because the split reports such files."""
    try:
        return plugins.address("split", split)
    except FileNotFoundError:
        return None


@cache
def _folds_of_draw(split: Spec, _content: Spec | None) -> tuple[int, bool]:
    """Return the number of folds of one draw of a split, and whether the draw is random; computed once for identical files."""
    splitter = Splitter.build(split)
    return splitter.n_folds, splitter.is_random
