"""Recognise the files in a folder of results: data sets, their folds and trainings, and the sets and runs of each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from pathlib import Path
from typing import Any

from recsens.arrays import grouped
from recsens.errors import DataError
from recsens.inputs.forms import names_of_runs
from recsens.inputs.named_files import NAME_THEM, SETS, UNITS, NamedFile, named_files

LISTS = "recs"
"""The folder in which WarpRec and Elliot store lists; these lists are measured unchanged."""

_WRITTEN_AT = re.compile(r"_(\d\d\.\d\d\.\d{4}_\d\d-\d\d-\d\d)$")
"""The time at the end of the names of WarpRec's lists."""

_ITERATION = re.compile(r"-it:\d+$")
"""The iteration at the end of the names of Elliot's lists."""

_EARLIER_COPY = "an earlier copy"


@dataclass(frozen=True)
class FoldFiles:
    """One fold: its sets, and the runs that belong to it.

    Attributes
    ----------
    sets
        The existing sets, by name: ``train``, ``validation`` and ``test``.
    runs
        The runs by name: one run for each training of the system on this fold.
    """

    sets: Mapping[str, Any]
    runs: Mapping[str, Sequence[Any]]

    def sources(self) -> list[Any]:
        """List all sources."""
        return [*self.sets.values(), *(source for sources in self.runs.values() for source in sources)]

    @property
    def beside(self) -> dict[str, Any]:
        """The sets with pairs that are not ranked, by name: train and validation, or none."""
        return {name: source for name, source in self.sets.items() if name != "test"}

    @property
    def only_training(self) -> dict[str, Any]:
        """The source of each run, by name, if the systems were trained once."""
        return {run: sources[0] for run, sources in self.runs.items()}


@dataclass(frozen=True)
class DataSetFiles:
    """The files of one data set.

    Attributes
    ----------
    name
        Its name; empty if the folder has only one data set.
    folds
        The folds by name, such as ``fold 1``; a single fold is named ``""``.
    trainings
        The trainings of each system on each fold, such as ``seed 1``; a single training is named ``""``.
    patterns
        The paths of each set, such as ``train``, and of each run, such as ``run A``; ``*`` stands for the numbers of folds and
        trainings.
    """

    name: str
    folds: Mapping[str, FoldFiles]
    trainings: Sequence[str]
    patterns: Mapping[str, str]


@dataclass(frozen=True)
class RecognisedFolder:
    """A folder of results.

    Attributes
    ----------
    path
        The folder.
    datasets
        The data sets in the folder.
    ignored
        Paths of files that are neither a train, validation or test set nor a run, each with the reason why it is ignored.
    lists
        Paths of runs that are lists, which are measured unchanged.
    """

    path: Path
    datasets: Sequence[DataSetFiles]
    ignored: Mapping[Path, str] = field(default_factory=dict)
    lists: frozenset[Path] = frozenset()

    def unread(self) -> list[str]:
        """Say which files were not read, and why."""
        return [f"not read: {path.as_posix()}, because {why}" for path, why in self.ignored.items()]


def recognised(folder: str | Path) -> RecognisedFolder:
    """Recognise, by their names, the files of a folder that are train, validation and test sets, and the files that are runs.

    Sets and runs of several folds, repeats and seeds belong together if their paths differ only in the number. Folders that each
    have a test set are data sets. `named_files` says how a path is read.

    Raises DataError if the folder does not exist, or can be read in two ways; the message names both ways.
    """
    root = Path(folder)
    if not root.is_dir():
        raise DataError("no such folder", where=str(folder), remedy=NAME_THEM)
    files, ignored = named_files(root)
    lists = [each.path for each in files if each.part == "run" and LISTS in each.path.parts[:-1]]
    for within in dict.fromkeys(path.parent for path in lists):
        own = [path for path in lists if path.parent == within]
        _refuse_two_times(root / within, own)
        _refuse_iterations(root / within, own)
    datasets = [_data_set(root, name, own) for name, own in _files_by_data_set(root, files).items()]
    return RecognisedFolder(root, datasets, ignored, frozenset(root / path for path in lists))


def _files_by_data_set(root: Path, files: Sequence[NamedFile]) -> dict[str, list[NamedFile]]:
    """Divide files among data sets, which are the folders that have a test set."""
    homes = list(dict.fromkeys(each.home for each in files if each.part == "test"))
    if len(homes) < 2:
        return {"": list(files)}
    for outer, inner in product(homes, homes):
        if outer != inner and inner[: len(outer)] == outer:
            within, without = ("/".join([str(root), *home]) for home in (inner, outer))
            raise DataError(
                f"{within} could be {_EARLIER_COPY} of the sets in {without}, or another data set",
                where=str(root),
                allowed="a folder with one data set, or with several data sets side by side",
            )
    names = _distinct_names(homes)
    divided: dict[str, list[NamedFile]] = {name: [] for name in names.values()}
    for each in files:
        own = [name for home, name in names.items() if _lies_in(each.home, name.split("/")) or each.home == home]
        if len(own) != 1:
            between, named = " or to ".join(own or divided), "both" if own else "none"
            raise DataError(
                f"{each.path.as_posix()} could belong to {between}: its path names {named}",
                where=str(root),
                allowed=f"a folder for each data set, such as {own[0] if own else next(iter(divided))}/, with its sets and runs",
            )
        divided[own[0]].append(each)
    if all(len({(each.home, each.rest) for each in own if each.part == "run"}) == 1 for own in divided.values()):
        raise DataError(
            f"{', '.join(divided)} could be {len(divided)} data sets with one run each, or {len(divided)} systems on the same sets",
            where=str(root),
            allowed="two or more runs for each data set, or the sets only once, in the folder of all runs",
        )
    return divided


def _distinct_names(homes: Sequence[tuple[str, ...]]) -> dict[tuple[str, ...], str]:
    """Name each list of folders by its first folders that differ from those of the other lists."""
    before = next(n for n in range(min(map(len, homes)) + 1) if len({home[: n + 1] for home in homes}) > 1)
    after = next(n for n in range(before + 1, max(map(len, homes)) + 1) if len({home[:n] for home in homes}) == len(homes))
    return {home: "/".join(home[before:after]) for home in homes}


def _lies_in(home: Sequence[str], name: Sequence[str]) -> bool:
    return any(list(home[n : n + len(name)]) == list(name) for n in range(len(home) - len(name) + 1))


def _data_set(root: Path, name: str, files: Sequence[NamedFile]) -> DataSetFiles:
    sets, runs = ([each for each in files if (each.part == "run") == is_run] for is_run in (False, True))
    labels = _labels_of_sets(root, sets)
    units = _sorted_keys(each.of(labels) for each in sets) or [()]
    by_unit = {unit: _sets_of(root, [each for each in sets if each.of(labels) == unit], labels, unit) for unit in units}
    lacking = next(((unit, part) for unit in units for part in _present_sets(sets) if part not in by_unit[unit]), None)
    if lacking is not None and lacking[1] != "validation":
        raise DataError(
            f"{_labels_in_words(labels, lacking[0])} has no {lacking[1]} set, but another one has",
            where=str(root),
            remedy="add it, or leave the fold out",
        )
    of_runs = grouped(("/".join([*each.home, each.rest]), each) for each in runs)
    of_runs = dict(zip(names_of_runs(list(of_runs)), of_runs.values(), strict=True)) if of_runs else {}
    further = _labels_of_trainings(root, of_runs, labels, bool(sets))
    trainings = _sorted_keys(each.of(further) for each in runs) or [()]
    found: dict[str, dict[tuple[str, ...], Path]] = {}
    for run, own in of_runs.items():
        found[run] = _all_of_run(root, run, own, labels, further, list(product(units, trainings)))
    folds = {
        _labels_in_words(labels, unit): FoldFiles(
            {part: root / path for part, path in by_unit[unit].items()},
            {run: [root / own[unit + training] for training in trainings] for run, own in found.items()},
        )
        for unit in units
    }
    trained = [_labels_in_words(further, training) for training in trainings]
    return DataSetFiles(name, folds, trained, _all_patterns(sets, of_runs))


def _labels_of_sets(root: Path, sets: Sequence[NamedFile]) -> frozenset[str]:
    """Return the labels (fold, repeat, seed) that all sets name."""
    for one, other in pairwise(sets):
        if one.labels != other.labels:
            more, less = sorted((one, other), key=lambda each: len(each.labels), reverse=True)
            label = next(iter(more.labels - less.labels))
            raise DataError(
                f"{less.path.as_posix()} names no {label}, but {more.path.as_posix()} does: the first file could be the "
                f"{less.part} set of each {label}, or have the ratings of all",
                where=str(root),
                allowed=f"a {less.part} set for each {label}",
            )
    return sets[0].labels if sets else frozenset()


def _sets_of(root: Path, sets: Sequence[NamedFile], labels: Iterable[str], unit: tuple[str, ...]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for part in SETS:
        paths = [each.path for each in sets if each.part == part]
        if len(paths) > 1:
            of = f" of {_labels_in_words(labels, unit)}" if unit else ""
            named = ", ".join(path.as_posix() for path in paths)
            raise DataError(f"{len(paths)} files could be the {part} set{of}: {named}", where=str(root), remedy=NAME_THEM)
        found |= dict.fromkeys((part,), paths[0]) if paths else {}
    return found


def _present_sets(sets: Iterable[NamedFile]) -> list[str]:
    present = {each.part for each in sets}
    return [part for part in SETS if part in present]


def _labels_of_trainings(
    root: Path, runs: Mapping[str, Sequence[NamedFile]], labels: frozenset[str], has_sets: bool
) -> frozenset[str]:
    """Return the labels in the paths of runs that are not in the paths of sets: repeats or seeds of training."""
    found: dict[frozenset[str], str] = {}
    for run, files in runs.items():
        for each in files:
            own = each.labels
            if has_sets and (missing := labels - own):
                label = next(iter(missing))
                raise DataError(
                    f"run {run} ({each.path.as_posix()}) names no {label}, but the sets do: it could be of one {label}, or of all",
                    where=str(root),
                    allowed=f"a file of the run for each {label}, or files in which a column names it",
                )
            if has_sets and "fold" in own - labels:
                raise DataError(
                    f"run {run} ({each.path.as_posix()}) names a fold, but the sets do not: the test set could belong to one "
                    "fold, or the folds could be repeated trainings",
                    where=str(root),
                    allowed="the sets of each fold, such as fold0/test.csv; or seeds of training, such as seed0",
                )
            found.setdefault(own - labels, each.path.as_posix())
    if len(found) > 1:
        (first, one), (second, other), *_ = found.items()
        label = next(iter(first ^ second))
        less, more = (one, other) if label in second else (other, one)
        raise DataError(
            f"{less} names no {label}, but {more} does: the first could belong to one {label}, or be the same for all",
            where=str(root),
            allowed=f"a file of each run for each {label}",
        )
    return next(iter(found), frozenset())


def _all_of_run(
    root: Path,
    run: str,
    files: Sequence[NamedFile],
    labels: frozenset[str],
    further: frozenset[str],
    wanted: Sequence[tuple[tuple[str, ...], tuple[str, ...]]],
) -> dict[tuple[str, ...], Path]:
    """Return a run's file for each fold and training."""
    found: dict[tuple[str, ...], Path] = {}
    for each in files:
        key = each.of(labels) + each.of(further)
        if key in found:
            both = f"{found[key].as_posix()} and {each.path.as_posix()}"
            raise DataError(f"two files could be run {run}: {both}", where=str(root), remedy="rename or remove one")
        found[key] = each.path
    for unit, training in wanted:
        if unit + training not in found:
            of = " of ".join(filter(None, (_labels_in_words(further, training), _labels_in_words(labels, unit))))
            raise DataError(
                f"run {run} has no file for {of}, but other runs have",
                where=str(root),
                allowed="every run on every fold, with the same trainings",
                remedy="add the file, or remove the run or the fold",
            )
    strange = next((path for key, path in found.items() if key not in {unit + training for unit, training in wanted}), None)
    if strange is not None:
        raise DataError(f"{strange.as_posix()} belongs to a fold without a test set", where=str(root), remedy="add the fold's sets")
    return found


def _sorted_keys(keys: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    return sorted(set(keys), key=lambda key: tuple(map(int, key)))


def _labels_in_words(labels: Iterable[str], numbers: Sequence[str]) -> str:
    return ", ".join(f"{label} {number}" for label, number in zip([each for each in UNITS if each in labels], numbers, strict=True))


def _all_patterns(sets: Sequence[NamedFile], runs: Mapping[str, Sequence[NamedFile]]) -> dict[str, str]:
    of_sets = {part: [each for each in sets if each.part == part] for part in _present_sets(sets)}
    return {what: _patterns(files) for what, files in {**of_sets, **{f"run {run}": own for run, own in runs.items()}}.items()}


def _patterns(files: Sequence[NamedFile]) -> str:
    counts: dict[str, int] = {}
    for each in files:
        counts[each.pattern] = counts.get(each.pattern, 0) + 1
    return ", ".join(f"{pattern} ({n} files)" if n > 1 else pattern for pattern, n in counts.items())


def _refuse_two_times(folder: Path, lists: Sequence[Path]) -> None:
    """Refuse WarpRec's lists of several experiments, because each experiment overwrites the split, perhaps with a different one."""
    times = sorted({found[1] for file in lists if (found := _WRITTEN_AT.search(file.stem))})
    if len(times) > 1:
        raise DataError(
            f"the lists were written at {len(times)} times: {', '.join(times)}; the split belongs to the last experiment",
            where=str(folder),
            allowed="the lists of the last experiment with this split, or all lists if the split was the same",
            remedy=f"give the files, not the folder: recsens evaluate {folder}/... {folder.parent}/split/test.tsv",
        )


def _refuse_iterations(folder: Path, lists: Sequence[Path]) -> None:
    """Refuse lists of several iterations of one model: Elliot saves the lists of every iteration that improves the result."""
    models = [_ITERATION.sub("", file.stem) for file in lists]
    again = next((model for model in models if models.count(model) > 1), None)
    if again is not None:
        raise DataError(
            f"contains lists of {models.count(again)} iterations of {again}",
            where=str(folder),
            allowed="the last iteration of each model, as Elliot reports it, or each iteration as a separate run",
            remedy=f"give the files, not the folder: recsens evaluate {folder}/... TEST",
        )
