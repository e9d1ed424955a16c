"""The addresses of results below ``results/``. Only this module builds and parses addresses.

An address is a path whose folders name the decisions behind a result: the seed, the data set, the filter, the split, its fold, the
recommender, the target items, the policy for items without a score, and the order of equal scores. Folder names are slugs
(`recsens.plugins.specs`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath, PurePosixPath

from recsens.artefacts.filesets import InteractionFiles, ListFiles, PositionFiles, RankingFiles, SideFiles, TrialFiles
from recsens.errors import ArtefactError
from recsens.plugins.specs import SLUG
from recsens.vocabulary import TIES

RESULTS = PurePosixPath("results")

STEPS = ("seed", "dataset", "filter", "split", "fold", "recommender", "targets", "nc", "ties")
"""The decisions that the folders of an address name, from the outermost to the innermost."""

GRAMMAR: Mapping[str, str] = {
    **dict.fromkeys(STEPS, SLUG),
    "seed": r"\d+",
    "fold": r"repeat-\d+(\.fold-\d+)?",
    "ties": "|".join(TIES),
}
"""Regular expression for each step's name in addresses and the workflow's wildcards; the folder of a seed is ``seed-<seed>``."""

RELEVANCE = "relevance"
"""Name of the relevance threshold in the address of target items that depend on it; plug-ins have no such parameter."""

ASKED = r"[0-9a-f]{10}"
"""Regular expression for the digest in the name of a check's record."""

SHARD = r"\d+-of-\d+"
"""Regular expression for the name of a shard."""

_SEED = "seed-"
_FIT = "+fit-"
"""What stands between a system's slug, which has no such text, and the number of a further fit."""

_SHARD = "shard-"
_CHECKS = "checks"

FILES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(InteractionFiles.within(""), ("dataset", "filter")),
    **dict.fromkeys(SideFiles.within(""), ("filter",)),
    "truth.npz": ("dataset",),
    **dict.fromkeys(("roles.parquet", "split.json"), ("fold",)),
    **dict.fromkeys(("tuning.json", "model.npz"), ("recommender",)),
    **dict.fromkeys(RankingFiles.within(""), ("ties",)),
    **dict.fromkeys(TrialFiles.within(""), ("ties",)),
    "spec.json": ("dataset", "filter", "split", "recommender", "targets", "nc"),
}
"""File name -> the steps whose folders may contain it. `Address.check_record` names the files in a fold's folder ``checks``."""


def study_folder(name: str) -> PurePosixPath:
    """Return the folder of a study's own results."""
    return RESULTS / "studies" / name


@dataclass(frozen=True, slots=True)
class Fold:
    """One fold of one repeat of a split, such as ``repeat-0`` or ``repeat-2.fold-1``.

    Attributes
    ----------
    repeat
        Number of the draw of the split, counted from 0.
    part
        Number of the fold in the draw, counted from 0; None if a draw has only one fold.
    fit
        Number of the fit of the systems on the fold, counted from 0; the name of the fold's folder is without it.
    """

    repeat: int
    part: int | None = None
    fit: int = 0

    @property
    def name(self) -> str:
        """Folder name; without the fold's number if a draw has only one fold."""
        return f"repeat-{self.repeat}" if self.part is None else f"repeat-{self.repeat}.fold-{self.part}"

    @property
    def label(self) -> str:
        """Name in tables, with the number of the fit unless it is the first."""
        return f"{self.name}.fit-{self.fit}" if self.fit else self.name

    @classmethod
    def parse(cls, name: str) -> Fold:
        """Parse a folder name such as ``repeat-2.fold-1``.

        Raises
        ------
        ArtefactError
            If the name is not the name of a fold.
        """
        if re.fullmatch(GRAMMAR["fold"], name) is None:
            raise ArtefactError(f"'{name}' is not the name of a fold", allowed="repeat-0, or repeat-0.fold-1 of several")
        repeat, _, part = name.removeprefix("repeat-").partition(".fold-")
        return cls(int(repeat), int(part) if part else None)


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a folder of results, or of a file in the folder. `Address.parse` parses the text that `path` returns.

    Attributes
    ----------
    steps
        Names of the folders, in the order of `STEPS`.
    file
        A file in the innermost folder; empty for the folder itself.
    results
        The folder of all results.
    """

    steps: tuple[str, ...]
    file: str = ""
    results: PurePosixPath = RESULTS

    @classmethod
    def of(cls, seed: int, dataset: str) -> Address:
        """Return the address of a data set under a seed; add further steps with ``/``, as in a path."""
        return cls((f"{_SEED}{seed}", dataset))

    @classmethod
    def parse(cls, path: str | PurePath) -> Address:
        """Parse the address of a folder or file; the results folder may be anywhere.

        Raises
        ------
        ArtefactError
            If the path is not an address: it lacks a seed or a data set, the name of a folder is not allowed at its level, or the
            file does not belong in a folder of this level.
        """
        parts = PurePosixPath(path).parts
        start = max((index for index, part in enumerate(parts) if re.fullmatch(_SEED + GRAMMAR["seed"], part)), default=len(parts))
        steps, file = _split_path(parts[start:])
        if not 2 <= len(steps) <= len(STEPS):
            raise _address_error(path, f"{len(steps)} folders from the seed on" if steps else "no folder is called seed-<number>")
        for step, name in zip(STEPS[1:], steps[1:], strict=False):
            if re.fullmatch(GRAMMAR[step], name) is None:
                raise _address_error(path, f"'{name}' is not allowed as the {step}")
        address = cls(steps, file, PurePosixPath(*parts[:start]))
        if file and not address._may_hold(file):
            raise _address_error(path, f"'{file}' is not a file in the folder of a {address.last}")
        return address

    def __truediv__(self, name: str) -> Address:
        """Return the address of the folder ``name`` in this folder; the folder belongs to the next step."""
        return Address((*self.steps, name), results=self.results)

    @property
    def last(self) -> str:
        """The innermost step."""
        return STEPS[len(self.steps) - 1]

    def step(self, name: str) -> str:
        """Return a step's folder name.

        Raises
        ------
        ArtefactError
            If the address ends before this step.
        """
        return self.up_to(name).steps[-1]

    @property
    def fold(self) -> Fold:
        """The fold; raises the same errors as `step`."""
        return Fold.parse(self.step("fold"))

    @property
    def fit(self) -> int:
        """The number of the fit, counted from 0."""
        return system_and_fit(self.step("recommender"))[1]

    def refitted(self, fit: int) -> Address:
        """Return the address of a further fit of the same system."""
        return self.up_to("fold") / f"{self.step('recommender')}{_FIT}{fit}"

    @property
    def first_fit(self) -> Address:
        """The address of the first fit of the same system on the same fold; other fits take the parameters chosen for it."""
        return self.up_to("fold") / system_and_fit(self.step("recommender"))[0]

    def up_to(self, step: str) -> Address:
        """Return the address of the folder that belongs to a step: an earlier step, or the innermost one.

        Raises
        ------
        ArtefactError
            If the address ends before this step.
        """
        n_steps = STEPS.index(step) + 1
        if len(self.steps) < n_steps:
            raise _address_error(self.path, f"names no {step}")
        return replace(self, steps=self.steps[:n_steps], file="")

    @property
    def folder(self) -> PurePosixPath:
        """The innermost folder."""
        return self.results.joinpath(*self.steps)

    @property
    def path(self) -> PurePosixPath:
        """The path of the file, or of the folder if ``file`` is empty."""
        return self.folder / self.file

    @property
    def on_earlier_folds(self) -> list[Address]:
        """The addresses of the same result on the earlier folds of the same draw of the split, the first fold first."""
        repeat, part, at = self.fold.repeat, self.fold.part, STEPS.index("fold")
        names = [Fold(repeat, earlier).name for earlier in range(part or 0)]
        return [replace(self, steps=(*self.steps[:at], name, *self.steps[at + 1 :])) for name in names]

    # Files of a data set, filtered or not

    @property
    def data(self) -> InteractionFiles:
        """The files of interactions."""
        return InteractionFiles(*map(self._path_of, InteractionFiles.within("")))

    @property
    def side(self) -> SideFiles:
        """The side information on users, items and interactions; only a filtered data set has it."""
        return SideFiles(*map(self._path_of, SideFiles.within("")))

    @property
    def truth(self) -> str:
        """The complete relevance of a simulated data set."""
        return self._path_of("truth.npz")

    # Files of a fold

    @property
    def roles(self) -> str:
        """The role of each interaction."""
        return self._path_of("roles.parquet")

    @property
    def split_record(self) -> str:
        """The sizes of the fold."""
        return self._path_of("split.json")

    def check_record(self, targets: str, asked: str) -> str:
        """Return the record of a check of target items. ``asked`` is a digest of the check's other inputs."""
        return self._path_of(f"{_CHECKS}/{targets}.{asked}.json")

    # Files of a system

    @property
    def tuning(self) -> str:
        """The tuning record."""
        return self._path_of("tuning.json")

    def tuning_shard(self, name: str) -> str:
        """Return the record of one shard of a search, such as ``0-of-3``, which lies here until shards are joined."""
        return str(self.folder / f"{_SHARD}{name}.tuning.json")

    @property
    def model(self) -> str:
        """The fitted model."""
        return self._path_of("model.npz")

    # Files of a ranking

    @property
    def ranking(self) -> RankingFiles:
        """The files of a ranking."""
        return RankingFiles(*map(self._path_of, RankingFiles.within("")))

    def shard(self, name: str) -> RankingFiles:
        """Return the files of one shard of a ranking, such as ``0-of-3``. They lie next to the ranking until shards are merged."""
        return RankingFiles(*(str(self.folder / f"{_SHARD}{name}.{file}") for file in RankingFiles.within("")))

    @property
    def measured(self) -> PositionFiles:
        """The ranking files that position metrics read."""
        positions, users, _ = self.ranking
        return PositionFiles(positions, users, self.up_to("filter").data.dataset)

    @property
    def trials(self) -> TrialFiles:
        """The rankings of every candidate of a search."""
        return TrialFiles(*map(self._path_of, TrialFiles.within("")))

    @property
    def listed(self) -> ListFiles:
        """The additional ranking files that list metrics read."""
        data = self.up_to("filter").data
        return ListFiles(self.ranking.lists, data.interactions, data.item_ids, self.up_to("fold").roles)

    # Files about the jobs that made the result

    def cost(self, job: str, *names: str) -> str:
        """Return a job's own record of its costs; ``names`` distinguish several jobs that write to one address."""
        return f"{self.results.joinpath('benchmarks', job, *self.steps, *names)}.json"

    def _path_of(self, file: str) -> str:
        assert self._may_hold(file), f"no {file} in the folder of a {self.last}"
        return str(self.folder / file)

    def _may_hold(self, file: str) -> bool:
        return self.last in FILES.get(file, ("fold",))


def system_and_fit(step: str) -> tuple[str, int]:
    """Divide the name of a system's folder into the system's slug and the number of the fit, counted from 0."""
    slug, _, fit = step.partition(_FIT)
    return slug, int(fit or 0)


def _split_path(parts: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """Separate the folders of an address from the file in the innermost folder."""
    if len(parts) > 1 and parts[-2] == _CHECKS and parts[-1].endswith(".json"):
        return parts[:-2], "/".join(parts[-2:])
    return (parts[:-1], parts[-1]) if parts and parts[-1] in FILES else (parts, "")


def _address_error(path: str | PurePath, problem: str) -> ArtefactError:
    steps = "/".join(f"<{step}>" for step in STEPS[1:])
    allowed = f"results/seed-<number>/{steps}, a folder above, or a file in one"
    return ArtefactError(f"is not the address of a result: {problem}", where=str(path), allowed=allowed)
