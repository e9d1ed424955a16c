"""Scores that are read from files: each train set of a study has files of its own, which the path tells apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from recsens import plugins
from recsens.config import Study, file_name
from recsens.design import Design
from recsens.errors import DesignError
from recsens.nc import NotComputable
from recsens.recommenders import SPLIT_NAMES, Recommender
from recsens.specs import Spec

_WORDS = {"dataset": "data set", "filter": "filter", "split": "split"}


@dataclass(frozen=True, slots=True)
class _Split:
    """One split of a study, by the names that a path may hold."""

    dataset: str
    filter: str
    split: str

    def told_by(self, template: str) -> tuple[str, ...]:
        """Return what the path of its files is made of; labels enter as file names."""
        names = {"dataset": file_name(self.dataset), "filter": self.filter, "split": self.split}
        return tuple(names[name] for name in SPLIT_NAMES if f"{{{name}}}" in template)


def refuse_shared_files(study: Study, designs: Mapping[str, Sequence[Design]]) -> None:
    """Refuse scores in files that would stand in for the models of several splits.

    Raises
    ------
    DesignError
        The message names two such splits, and a path that tells them apart.
    """
    for label, spec, splits in _read(study, designs):
        template = str(_recommender(spec).score_files)
        seen: dict[tuple[str, ...], _Split] = {}
        for split in splits:
            first = seen.setdefault(split.told_by(template), split)
            if first != split:
                raise _shared(label, spec, template, first, split)


def _read(study: Study, designs: Mapping[str, Sequence[Design]]) -> Iterator[tuple[str, Spec, list[_Split]]]:
    """Visit the systems and fallbacks that read files, each once, with the splits on which they do."""
    found: dict[tuple[str, Spec], dict[_Split, None]] = {}
    for part in study.parts():
        for label in part.datasets:
            for design in designs[label]:
                split = _Split(study.dataset_of(label), str(design.filter), str(design.split))
                for written, spec in (*part.systems.items(), *_fallback(design)):
                    if _recommender(spec).score_files is not None:
                        found.setdefault((written, spec), {})[split] = None
    return ((label, spec, list(splits)) for (label, spec), splits in found.items())


def _fallback(design: Design) -> Iterator[tuple[str, Spec]]:
    """Visit the recommender that ranks items without a score, if it is one."""
    policy: NotComputable = plugins.build("nc", design.nc)
    if policy.fallback is None:
        return
    template = _recommender(policy.fallback).score_files or ""
    named = next((f"{{{name}}}" for name in SPLIT_NAMES if f"{{{name}}}" in template), None)
    if named is not None:
        raise DesignError(
            f"the path '{template}' holds {named}, which stands for something in the path of a system only",
            where=f"nc: {design.nc}",
            allowed="{fold}",
            remedy="give each split an experiment of its own, with its own 'nc'",
        )
    yield f"nc: {design.nc}", policy.fallback


def _recommender(spec: Spec) -> Recommender:
    built: Recommender = plugins.build("recommender", spec)
    return built


def _shared(label: str, spec: Spec, template: str, first: _Split, second: _Split) -> DesignError:
    """Say which splits would share files, and which names would tell them apart."""
    differing = [name for name in SPLIT_NAMES if getattr(first, name) != getattr(second, name)]
    one, other = (", ".join(f"{_WORDS[name]} '{getattr(split, name)}'" for name in differing) for split in (first, second))
    missing = [f"{{{name}}}" for name in differing if f"{{{name}}}" not in template]
    path = PurePath(template)
    return DesignError(
        f"the scores of '{label}' are read from files, and '{template}' is the same for {one} as for {other}",
        where=f"system '{spec}'",
        allowed=f"a path that tells them apart: '{path.parent.joinpath(*missing, path.name)}'" if missing else None,
        remedy="'recsens export' with the study's name writes the train sets, and beside them what each name stands for"
        if missing
        else "rename one of the data sets: labels that differ in signs or capitals alone are one in a path",
    )
