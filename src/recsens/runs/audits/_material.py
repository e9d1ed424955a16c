"""The input of an audit: sets and runs, read in any accepted form and written in the form that a study reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from recsens.artefacts.addresses import Fold
from recsens.artefacts.storage import write_text
from recsens.errors import DataError
from recsens.files import FileTable, Names
from recsens.files.declared_columns import DeclaredColumns
from recsens.files.kinds import QRELS, RankBy
from recsens.files.parquet import write_table
from recsens.files.scale import Scale
from recsens.inputs.folders import FoldFiles
from recsens.inputs.forms import Source, read_any_rows, read_any_run, source_of
from recsens.inputs.matching import scores_rise
from recsens.outcomes.measuring.own_positions import guess_rating_scale
from recsens.runs.audits._matching import ForeignItems, SetsOfFold, refuse_test_as_train, refuse_two_spellings
from recsens.score_files import JudgedRanks, ScoreFile, files_of
from recsens.study.labels import file_name, label_of

FOLDER = Path("data")
"""The folder, in the folder of an audit, to which the sets and runs are written."""

INTERACTIONS, ROLES, CATALOGUE = FOLDER / "interactions.parquet", FOLDER / "roles.parquet", FOLDER / "catalogue.txt"

_MOST_USERS = 0.5
"""Lists count as cut at a length if at least this share of a run's users have lists of that length."""

_MOST_ITEMS = 0.5
"""Lists with the same items for all users count as whole if they have at least this share of the sets' items."""

_LATER_WINS = ("train", "validation", "test")
"""The sets, in order; a pair that is in two sets has the role of the later set."""


@dataclass(frozen=True)
class Sets:
    """The train, validation and test sets of all folds.

    Attributes
    ----------
    scale
        The rating scale: the option of the audit, or else derived from the ratings.
    relevance
        The relevance threshold; None for the default of the scale.
    sizes
        Number of rows of each set.
    shared
        Number of pairs that two sets share, by the names of these sets.
    users, items
        Names of all users and items.
    test_ratings
        The distinct ratings of the test set, ascending.
    lowest_train
        The lowest rating of train and validation.
    n_untrained
        Number of items without a train rating, in the fold with the most such items.
    tested
        Users with train and test ratings, fold by fold.
    trained
        The pairs in train and validation, fold by fold, as ascending codes: user * number of items + item.
    roles
        The table of roles; its name contains the number of folds, so tables with different numbers of folds have different names.
    catalogue
        The list of the items that are in a run but in no set; None if there are none.
    """

    scale: Scale
    relevance: float | None
    sizes: Mapping[str, int]
    shared: Mapping[tuple[str, str], int]
    users: Sequence[str]
    items: Sequence[str]
    test_ratings: Sequence[float]
    lowest_train: float
    n_untrained: int
    tested: Sequence[Sequence[str]]
    trained: Sequence[NDArray[np.int64]]
    roles: Path = ROLES
    catalogue: Path | None = None

    @property
    def threshold(self) -> float:
        """The lowest relevant rating."""
        return self.scale.threshold(self.relevance)

    def of_fold(self, number: int, least_matched: float) -> SetsOfFold:
        """Return the sets of a fold, with which its runs are compared."""
        return SetsOfFold(self.users, self.items, self.tested[number], self.trained[number], least_matched)


@dataclass(frozen=True)
class RunFile:
    """A run as a study reads it.

    Attributes
    ----------
    source
        The file or object that the user gave.
    path
        The file that the study reads: absolute, or relative to the folder of the audit.
    n_rows
        Number of rows; 0 for compact scores, which have no rows.
    lengths
        The smallest and largest number of rows of a user; both are 0 for compact scores.
    is_cut
        Whether its lists are cut at one depth: most users have as many rows as the user with the most rows, and this is not the
        number of all items that the system can score.
    foreign
        The items that are in the run but in no set, and the share of its rows that have one of them; they keep their places.
    has_places_only
        Whether it has judged ranks, and therefore no lists and no scores.
    n_trained_pairs
        Number of rows that contain a pair of train or validation; these pairs are not ranked. It is 0 for compact scores.
    scores_rise
        Whether the scores of every user rise from row to row, as ranks would.
    """

    source: str
    path: str
    n_rows: int
    lengths: tuple[int, int]
    is_cut: bool
    foreign: ForeignItems
    has_places_only: bool = False
    n_trained_pairs: int = 0
    scores_rise: bool = False

    @classmethod
    def of(cls, files: Sequence[RunFile]) -> RunFile:
        """Join the files of one run on several folds and trainings.

        Raises DataError if the files have different forms.
        """
        first, *others = files
        if not others:
            return first
        paths = list(dict.fromkeys(file.path.replace(Fold(0, number).name, "{fold}") for number, file in enumerate(files)))
        if len(paths) > 1:
            raise DataError(
                f"has the form {Path(first.path).suffix}, but another file of the run has {Path(paths[1]).suffix}",
                where=first.source,
                allowed="one form for all folds of a run",
            )
        return cls(
            source=f"{first.source} and {len(others)} more",
            path=paths[0],
            n_rows=sum(file.n_rows for file in files),
            lengths=(min(file.lengths[0] for file in files), max(file.lengths[1] for file in files)),
            is_cut=any(file.is_cut for file in files),
            foreign=ForeignItems(
                list(dict.fromkeys(name for file in files for name in file.foreign.names)),
                max(file.foreign.share for file in files),
            ),
            has_places_only=any(file.has_places_only for file in files),
            n_trained_pairs=sum(file.n_trained_pairs for file in files),
            scores_rise=all(file.scores_rise for file in files),
        )


def write_sets(
    folder: Path,
    folds: Sequence[Mapping[str, Source]],
    told: Mapping[str, DeclaredColumns],
    *,
    scale: Scale | None,
    relevance: float | None,
) -> Sets:
    """Read the sets of each fold, and write all interactions and their roles to the folder of an audit.

    Raises DataError if a set cannot be read, repeats a pair, has several folds, or has a rating that is not on a given ``scale``;
    if the test set contains every pair of the train set, or spells names differently from the train set; if a pair has different
    ratings in two folds; or if no test rating is relevant.
    """
    read = [(fold, name, sets[name]) for fold, sets in enumerate(folds) for name in _LATER_WINS if name in sets]
    tables = [_read_set(source, name, told.get("rating")) for _, name, source in read]
    if scale is not None:
        for (_, name, _), table in zip(read, tables, strict=True):
            _refuse_ratings_beside(scale, table, f"the {name} set")
    names = [name for name in _LATER_WINS if any(name in sets for sets in folds)]
    tested = []
    for number, sources in enumerate(folds):
        own = {name: table for (at, name, _), table in zip(read, tables, strict=True) if at == number}
        refuse_two_spellings(own["train"], own["test"], where=source_of(sources["test"]))
        with_train = set(own["train"].user.names)
        tested.append([name for name in own["test"].user.names if name in with_train])
    whole = FileTable.joined("the sets", tables)
    users, items, value = whole.user, whole.item, whole.value
    sizes = list(map(len, tables))
    role = np.repeat([names.index(name) for _, name, _ in read], sizes)
    fold = np.repeat([number for number, _, _ in read], sizes)
    pairs = users.code.astype(np.int64) * len(items.names) + items.code
    kept = ~pd.Series(fold * (len(users.names) * len(items.names)) + pairs).duplicated(keep="last").to_numpy()
    n_trained = [len(set(table.item.names)) for (_, name, _), table in zip(read, tables, strict=True) if name == "train"]
    known = scale or guess_rating_scale(value)
    test = value[role == names.index("test")]
    threshold = guess_rating_scale(test).relevance if scale is None and relevance is None else known.threshold(relevance)
    if not (test >= threshold).any():
        raise DataError(
            f"nothing is relevant: no test rating reaches {threshold:g}",
            where=source_of(folds[0]["test"]),
            allowed=f"up to {test.max():g}, the highest rating of the test set",
            remedy="give the lowest relevant rating: --relevance, relevance=...",
        )
    rated = np.flatnonzero(kept)
    first = _first_of_each(pairs[rated])
    _refuse_two_ratings(value, rated, first, users, items)
    rows = rated[first == np.arange(len(first))]
    roles = {
        **{name: _name_column(column, rated) for name, column in (("user", users), ("item", items))},
        **({"fold": pa.array(list(map(str, fold[rated].tolist())))} if len(folds) > 1 else {}),
        "role": pa.DictionaryArray.from_arrays(pa.array(role[rated].astype(np.int8)), pa.array(names)),
    }
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    interactions = {"user": _name_column(users, rows), "item": _name_column(items, rows), "rating": value[rows]}
    write_table(pa.table(interactions), folder / INTERACTIONS)
    place = ROLES if len(folds) == 1 else ROLES.with_stem(f"roles-of-{len(folds)}-folds")
    write_table(pa.table(roles), folder / place)
    shared: Counter[tuple[str, str]] = Counter()
    trained = []
    for number in range(len(folds)):
        is_own = fold == number
        found = _count_shared(pairs[is_own], role[is_own], names)
        n_train = int((role[is_own] == names.index("train")).sum())
        refuse_test_as_train(n_train, found.get(("train", "test"), 0), where=source_of(folds[number]["train"]))
        shared.update(found)
        trained.append(np.sort(pairs[is_own & kept & (role != names.index("test"))]))
    return Sets(
        scale=known,
        relevance=None if threshold == known.relevance else threshold,
        sizes={name: int((role == number).sum()) for number, name in enumerate(names)},
        shared=dict(shared),
        users=users.names,
        items=items.names,
        test_ratings=np.unique(test).tolist(),
        lowest_train=float(value[role != names.index("test")].min()),
        n_untrained=len(items.names) - min(n_trained),
        tested=tested,
        trained=trained,
        roles=place,
    )


def write_runs(
    folder: Path,
    folds: Sequence[FoldFiles],
    sets: Sets,
    told: Mapping[str, DeclaredColumns],
    rank_by: RankBy,
    least_matched: float = 0.0,
) -> dict[str, RunFile]:
    """Read runs one at a time, and write each as rows of user, item and score; files of compact scores are not moved.

    Raises DataError if a run cannot be read, if it matches a smaller share of the sets than ``least_matched``, or if two runs have
    the same name.
    """
    runs: dict[str, RunFile] = {}
    for given in folds[0].runs:
        sources = [(source, number) for number, fold in enumerate(folds) for source in fold.runs[given]]
        found = []
        for at, (source, number) in enumerate(sources):
            ending = "" if len(sources) == 1 else f"-{Fold(0, at).name}"
            file = _FileOfRun(folder, source, ending, sets.of_fold(number, least_matched))
            label, run = file.read(given, told.get(rank_by), rank_by)
            found.append(run)
        if file_name(label) in map(file_name, runs):
            raise DataError(
                f"two runs are called '{label}'",
                where=source_of(sources[0][0]),
                remedy="give them names whose letters and digits differ: --run A=... --run B=..., or rename the files or systems",
            )
        runs[label] = RunFile.of(found)
    return runs


def with_catalogue(folder: Path, sets: Sets, runs: Iterable[RunFile]) -> Sets:
    """Write the items that are in a run but in no set: they keep their places in lists, and are never relevant."""
    foreign = sorted({name for run in runs if not run.has_places_only for name in run.foreign.names})
    if not foreign:
        return sets
    write_text(folder / CATALOGUE, "".join(f"{name}\n" for name in foreign))
    return replace(sets, catalogue=CATALOGUE, n_untrained=sets.n_untrained + len(foreign))


@dataclass(frozen=True)
class _FileOfRun:
    """A file or object with one or more runs on one fold and training.

    Attributes
    ----------
    folder
        The folder of the audit, to which the runs are written.
    source
        The file or object.
    ending
        The end of the names of written files; empty if there is a single fold and training.
    sets
        The sets with which the runs are compared.
    """

    folder: Path
    source: Source
    ending: str
    sets: SetsOfFold

    def read(self, given: str, told: DeclaredColumns | None, rank_by: RankBy) -> tuple[str, RunFile]:
        """Read the file, called ``given``, and write its run; return the run's label too."""
        label = self._label(given)
        try:
            read = read_any_run(self.source, rank_by, told)
        except DataError as fault:
            # If the fault is in the first line, the file may not be a run at all.
            if fault.where == f"{self.source}:1":
                fault.remedy = f"{fault.remedy}; if the file is not a run, move it out of the folder"
            raise
        if isinstance(read, JudgedRanks):
            return label, self._write_ranks(label, read)
        return label, self._write_compact(label, read) if isinstance(read, ScoreFile) else self._write_rows(label, read)

    def _write_rows(self, name: str, table: FileTable) -> RunFile:
        """Write the rows of a system."""
        table.refuse_repeats()
        user, item = table.user, table.item
        listed = np.bincount(item.code, minlength=len(item.names))
        foreign = self.sets.check(user.names, item.names, where=source_of(self.source), listed=listed)
        score = -table.value if "rank" in table.columns else table.value
        path = self._write_pairs(name, user, item, {"score": score})
        n_rows = np.bincount(user.code)
        most = int(n_rows.max())
        lists_every_item = most == len(item.names) and most >= _MOST_ITEMS * len(self.sets.items)
        return RunFile(
            source_of(self.source),
            path,
            len(table),
            (int(n_rows.min()), most),
            is_cut=bool((n_rows == most).mean() >= _MOST_USERS) and not lists_every_item,
            foreign=foreign,
            n_trained_pairs=self.sets.n_trained(user, item),
            scores_rise=scores_rise(user.code, score),
        )

    def _write_compact(self, name: str, read: ScoreFile) -> RunFile:
        """Check compact scores without moving them; if there are several folds, add links that are named after the fold."""
        foreign = self.sets.check(read.users, read.items, where=source_of(self.source))
        path = Path(read.source).resolve()
        if self.ending:
            place = self._path_of(name, path.suffix)
            for own in files_of(path):
                (self.folder / place).with_name(own.name.replace(path.stem, place.stem, 1)).symlink_to(own)
            path = place
        return RunFile(source_of(self.source), str(path), 0, (0, 0), is_cut=False, foreign=foreign)

    def _write_ranks(self, name: str, read: JudgedRanks) -> RunFile:
        """Write judged ranks."""
        foreign = self.sets.check(read.users, read.items, where=source_of(self.source))
        user, item = (Names(list(names), code) for names, code in ((read.users, read.user), (read.items, read.item)))
        of_rows = read.candidates[read.user]
        path = self._write_pairs(name, user, item, {"above": read.above, "equal": read.equal, "candidates": of_rows})
        few_and_many = (int(of_rows.min()), int(of_rows.max()))
        return RunFile(source_of(self.source), path, len(user), few_and_many, is_cut=False, foreign=foreign, has_places_only=True)

    def _write_pairs(self, name: str, user: Names, item: Names, numbers: Mapping[str, NDArray[Any]]) -> str:
        """Write a table of pairs with their numbers; return its path in the folder of the audit."""
        path = self._path_of(name, ".parquet")
        columns = {"user": _name_column(user), "item": _name_column(item)}
        write_table(pa.table({**columns, **numbers}), self.folder / path)
        return str(path)

    def _path_of(self, name: str, suffix: str) -> Path:
        return FOLDER / f"run-{file_name(name) or 'unnamed'}{self.ending}{suffix}"

    def _label(self, name: str) -> str:
        """Convert the name of a run to a label.

        Raises DataError if the name has no letter or digit that a label may have.
        """
        label = label_of(name)
        if not label:
            remedy = "name it with letters A to Z: rename the file, or --run A=..."
            raise DataError(f"the name '{name}' cannot be shown in tables and figures", where=source_of(self.source), remedy=remedy)
        return label


def _read_set(source: Source, name: str, told: DeclaredColumns | None) -> FileTable:
    table = read_any_rows(source, QRELS, told, what=f"the {name} set")
    table.refuse_repeats(f"the {name} set")
    return table


def _refuse_ratings_beside(scale: Scale, table: FileTable, what: str) -> None:
    """Refuse a rating that is not on the scale that the options of the audit declare."""
    outside = np.flatnonzero(~scale.holds(table.value))
    if len(outside):
        problem, _ = scale.miss_in_words(float(table.value[outside[0]]))
        raise DataError(
            f"{problem}, as are {len(outside):,} of {len(table):,} ratings",
            where=f"{what}, {table.place(int(outside[0]))}",
            allowed=scale.describe(),
            remedy="give the lowest and the highest rating of all sets: --scale, scale=...",
        )


def _name_column(names: Names, kept: NDArray[np.int64] | slice = slice(None)) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(names.code[kept]), pa.array(names.names, pa.string()))


def _first_of_each(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return, for each row, the first row of its pair."""
    _, first, same = np.unique(pairs, return_index=True, return_inverse=True)
    return np.asarray(first[same])


def _refuse_two_ratings(
    value: NDArray[np.float64], rated: NDArray[np.int64], first: NDArray[np.int64], users: Names, items: Names
) -> None:
    """Refuse a pair with different ratings among the ``rated`` rows; ``first`` is the index of the first of them with the pair."""
    own = value[rated]
    other = np.flatnonzero(own != own[first])
    if len(other):
        row = int(rated[other[0]])
        both = f"{own[first[other[0]]]:g} in one fold and {value[row]:g} in another"
        raise DataError(
            f"user '{users[row]}' rates item '{items[row]}' {both}",
            allowed="folds of the same ratings",
            remedy="audit them one at a time",
        )


def _count_shared(pairs: NDArray[np.int64], role: NDArray[np.int64], names: Sequence[str]) -> dict[tuple[str, str], int]:
    """Count the pairs that two sets share."""
    of = {name: pairs[role == number] for number, name in enumerate(names)}
    counts = {(a, b): len(np.intersect1d(of[a], of[b], assume_unique=True)) for a, b in combinations(of, 2)}
    return {both: n for both, n in counts.items() if n}
