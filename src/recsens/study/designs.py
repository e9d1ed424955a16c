"""A study's designs for each data set and experiment, and each design's folds."""

from collections.abc import Mapping
from functools import cache

from recsens import plugins
from recsens.artefacts.addresses import Fold
from recsens.data.splitting import Splitter
from recsens.errors import DesignError
from recsens.plugins.specs import Spec
from recsens.study import Study, file_name
from recsens.study.design import Design
from recsens.study.taxonomy import DESIGN


def expand(study: Study, addresses: Mapping[str, Spec]) -> dict[str, list[Design]]:
    """List a study's designs, base design first, for each label; ``addresses`` has the address of each label's data set."""
    designs: dict[str, list[Design]] = {}
    for label, experiment in study.by_label().items():
        for decisions in experiment.designs():
            taken = {each.key: getattr(decisions, each.key) for each in DESIGN}
            design = Design(seed=study.seed, dataset=addresses[label], name=file_name(study.dataset_of(label)), **taken)
            designs.setdefault(label, []).append(design)
    return designs


def folds(design: Design) -> list[Fold]:
    """List a design's folds, repeat by repeat.

    Raises
    ------
    DesignError
        If the study repeats a split that is not random.
    """
    n, is_random = _drawn(design.split, _content(design.split))
    if design.repeats > 1 and not is_random:
        raise DesignError(
            f"split '{design.split.written}' is not random, so 'repeats: {design.repeats}' would repeat it unchanged",
            allowed="repeats: 1",
            remedy=("to use it in a study with repeated splits, give it a separate experiment: design: {split: ..., repeats: 1}"),
        )
    return [Fold(repeat, part if n > 1 else None) for repeat in range(design.repeats) for part in range(n)]


def _content(split: Spec) -> Spec | None:
    """Return a split's address, with a digest of its files; None if a file is missing, because the split reports such files."""
    try:
        return plugins.address("split", split)
    except FileNotFoundError:
        return None


@cache
def _drawn(split: Spec, _content: Spec | None) -> tuple[int, bool]:
    """Return the number of folds of one draw of a split, and whether the draw is random; computed once for identical files."""
    splitter = Splitter.build(split)
    return splitter.n_folds, splitter.is_random
