"""Check that the scores for different train sets are read from different files."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

from recsens.errors import DesignError
from recsens.plugins.specs import Spec
from recsens.ranking.nc import NotComputable
from recsens.recommenders import SPLIT_NAMES, Recommender
from recsens.study import Study, file_name
from recsens.study.design import Design

_WORDS = {"dataset": "data set", "filter": "filter", "split": "split"}


def refuse_shared_files(study: Study, designs: Mapping[str, Sequence[Design]]) -> None:
    """Refuse score files that several splits would share.

    Raises
    ------
    DesignError
        If there are such files; the message names two of the splits, and a path that distinguishes them.
    """
    seen: dict[tuple[str, Spec, tuple[str, ...]], dict[str, str]] = {}
    for label, experiment in study.by_label().items():
        for design in designs[label]:
            names = {"dataset": study.dataset_of(label), "filter": design.filter.written, "split": design.split.written}
            in_path = {**names, "dataset": file_name(names["dataset"])}
            for written, spec in (*experiment.systems.items(), *_fallback(design)):
                template = Recommender.build(spec).score_files
                if template is None:
                    continue
                told = tuple(in_path[name] for name in SPLIT_NAMES if f"{{{name}}}" in str(template))
                first = seen.setdefault((written, spec, told), names)
                if first != names:
                    raise _shared(written, spec, str(template), first, names)


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


def _shared(label: str, spec: Spec, template: str, first: Mapping[str, str], second: Mapping[str, str]) -> DesignError:
    """Return the error about two splits that would share files; the message has the names that would distinguish them."""
    differing = [name for name in SPLIT_NAMES if first[name] != second[name]]
    one, other = (", ".join(f"{_WORDS[name]} '{split[name]}'" for name in differing) for split in (first, second))
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
