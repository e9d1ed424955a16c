"""Check that the scores for different train sets are read from different files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from recsens.errors import DesignError
from recsens.plugins.specs import Spec
from recsens.ranking.nc import NotComputable
from recsens.recommenders import SPLIT_NAMES, Recommender
from recsens.study import Study, file_name
from recsens.study.design import Design

_WORDS = {"dataset": "data set", "filter": "filter", "split": "split"}


@dataclass(frozen=True, slots=True)
class _SplitNames:
    """The names of one of a study's splits that a path may contain."""

    dataset: str
    filter: str
    split: str

    def told_by(self, template: str) -> tuple[str, ...]:
        """Return this split's values for the placeholders in a path; the data set's label is converted to a file name."""
        names = {"dataset": file_name(self.dataset), "filter": self.filter, "split": self.split}
        return tuple(names[name] for name in SPLIT_NAMES if f"{{{name}}}" in template)


def refuse_shared_files(study: Study, designs: Mapping[str, Sequence[Design]]) -> None:
    """Refuse score files that several splits would share.

    Raises
    ------
    DesignError
        If there are such files; the message names two of the splits, and a path that distinguishes them.
    """
    for label, spec, splits in _read(study, designs):
        template = str(Recommender.build(spec).score_files)
        seen: dict[tuple[str, ...], _SplitNames] = {}
        for split in splits:
            first = seen.setdefault(split.told_by(template), split)
            if first != split:
                raise _shared(label, spec, template, first, split)


def _read(study: Study, designs: Mapping[str, Sequence[Design]]) -> Iterator[tuple[str, Spec, list[_SplitNames]]]:
    """Yield each system and fallback that reads score files, with the splits for which it reads them."""
    readers: dict[tuple[str, Spec], dict[_SplitNames, None]] = {}
    for label, experiment in study.by_label().items():
        for design in designs[label]:
            split = _SplitNames(study.dataset_of(label), design.filter.written, design.split.written)
            for written, spec in (*experiment.systems.items(), *_fallback(design)):
                if Recommender.build(spec).score_files is not None:
                    readers.setdefault((written, spec), {})[split] = None
    return ((label, spec, list(splits)) for (label, spec), splits in readers.items())


def _fallback(design: Design) -> Iterator[tuple[str, Spec]]:
    """Yield the fallback recommender for items without a score, if there is one."""
    policy = NotComputable.build(design.nc)
    if policy.fallback is None:
        return
    template = Recommender.build(policy.fallback).score_files or ""
    named = next((f"{{{name}}}" for name in SPLIT_NAMES if f"{{{name}}}" in template), None)
    if named is not None:
        raise DesignError(
            f"the path '{template}' contains {named}, which is only replaced in the path of a system",
            where=f"nc: {design.nc.written}",
            allowed="{fold}",
            remedy="give each split its own experiment, with its own 'nc'",
        )
    yield f"nc: {design.nc.written}", policy.fallback


def _shared(label: str, spec: Spec, template: str, first: _SplitNames, second: _SplitNames) -> DesignError:
    """Return the error about two splits that would share files; the message has the names that would distinguish them."""
    differing = [name for name in SPLIT_NAMES if getattr(first, name) != getattr(second, name)]
    one, other = (", ".join(f"{_WORDS[name]} '{getattr(split, name)}'" for name in differing) for split in (first, second))
    missing = [f"{{{name}}}" for name in differing if f"{{{name}}}" not in template]
    path = PurePath(template)
    return DesignError(
        f"the scores of '{label}' are read from files, but '{template}' is the same for {one} and {other}",
        where=f"system '{spec}'",
        allowed=f"this path tells them apart: '{path.parent.joinpath(*missing, path.name)}'" if missing else None,
        remedy="'recsens export' with the study's name writes the train sets, and explains each name"
        if missing
        else "rename one of the data sets: labels that differ only in punctuation or capitals become the same in a path",
    )
