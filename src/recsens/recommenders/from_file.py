"""Scores from files: another program's scores in place of a model."""

import re
from collections.abc import Mapping, Sequence
from glob import escape, glob
from pathlib import Path
from typing import Literal, Self

import numpy as np
from pydantic import Field, PrivateAttr, model_validator

from recsens.data.interactions import Interactions
from recsens.errors import ConfigError, DataError, DesignError, nearest
from recsens.files.kinds import RankBy
from recsens.files.paths import is_file
from recsens.plugins.specs import SLUG
from recsens.recommenders import SPLIT_NAMES, Bools, Extent, Ints, Matching, Reals, Recommender, ScoredLists
from recsens.recommenders._score_file_arrays import (
    EXPORT,
    FileForm,
    empty_arrays,
    few_scores_for,
    form_by_name,
    has_places,
    holds_judged_ranks,
    learnt_from,
    placed,
    scores_for,
)
from recsens.score_files import files_of

_FOLD = "{fold}"
_PLACEHOLDERS = (*(f"{{{name}}}" for name in SPLIT_NAMES), _FOLD)
_FOLD_NAME = r"repeat-\d+(?:\.fold-\d+)?"
_ONLY_FOLD = "repeat-0"


class FromFile(Recommender):
    r"""s(u, i) is read from a file; a pair that is not in the file is not computable.

    Another program learns and scores; its scores are evaluated here. In ``path``, ``{fold}`` is replaced by the name of a fold,
    such as ``repeat-0`` or ``repeat-1.fold-2``. A path without ``{fold}`` is the file of a split's only fold. In a study with
    several splits, ``{split}`` is replaced by the split's name, such as ``random@ratio=0.5``, ``{filter}`` by the filter's name,
    and ``{dataset}`` by the data set's label in lower-case letters, digits and hyphens. ``recsens export`` uses these names for the
    folders that it writes. The files use the data set's raw names of users and items.

    ``csv`` files are separated by commas or tabs, and have a header with the columns user, item and score in any order. ``parquet``
    files have the same columns. ``trec`` files have lines with the fields ``user Q0 item rank score tag``, separated by spaces or
    tabs. Text files may be gzipped. ``npz`` and ``npy`` are compact scores, in the public format of docs/scores-format.md: factors,
    which are multiplied when scores are needed; dense scores; weights between items, which are summed over each user's train items;
    and lists. ``auto`` recognises the format by the end of the file name: .csv or .tsv, .parquet, .npz, .npy, or .trec, .run and
    .txt for runs. Names of text files may also end with .gz. Items are ordered by score, even if there is a column of ranks. For
    files with meaningless scores, use ``rank_by=rank``: the score is then minus the rank, and scores, which a table may omit, are
    not read.

    Scores of a user's train items are ignored. Users that are not in the data set are skipped, because a filter may have dropped
    them. A study ranks its own items, so that those below an item that it lacks move up, whereas ``recsens evaluate`` and ``audit``
    keep the places of such items. A file with items that the data set lacks is therefore refused, unless ``unknown_items=move_up``
    says that it is right to take them out. ``matched.csv`` gives the number of these names, and the numbers of users, items and
    candidate pairs without a score; the report and the output of a run give them too if there are such names, or if users with test
    ratings have no score. A file that matches too little is refused before anything is ranked. A share ``least_matched`` of the
    users with train and test ratings must have a score. The same share of the file's items must be in the data set; if the data set
    has fewer items than the file, this share of the data set's items must be in the file. Users without train ratings may be
    missing. With ``least_matched=0``, any user or item may be missing. The file of a fallback, ``append(by=from_file(...))``, is
    checked in the same way, but is not in ``matched.csv``. A file without any known name is an error. So are a missing field, a
    score that is not a finite number, a rank that is not an integer of at least 0, and a repeated pair; the message gives file and
    line. In compact scores, a missing array, or an array that violates the format, is an error. A file may also contain judged
    ranks: the ranks of a user's judged items among the candidates that the file counts for the user, which are all of the user's
    targets or fewer. A system with judged ranks has no lists, so metrics of lists are refused. Target items, tie orders and
    fallbacks other than the defaults are refused too. Without a path nothing is computable, and studies refuse it.
    """

    source = "Voorhees & Harman (2005), TREC: Experiment and Evaluation in Information Retrieval, for the format of runs"
    also_called = ("scores", "external", "precomputed", "file")
    draws = False

    path: str | None = Field(
        None,
        description=(
            "file of each fold, with {fold} for the fold's name, and {dataset}, {filter} and {split} for theirs; "
            "relative paths start at the study or the working directory"
        ),
    )
    format: Literal["auto", "csv", "trec", "parquet", "npz", "npy"] = Field(
        "auto", description="format of the files; auto decides by the file name"
    )
    rank_by: RankBy = Field("score", description="what orders the items: the score, highest first, or the rank, lowest first")
    least_matched: float = Field(
        0.8, ge=0, le=1, description="least share of judged users, and of items, that the file and the data must have in common"
    )

    unknown_items: Literal["refuse", "move_up"] = Field(
        "refuse", description="items that are not in the data set: refuse the file, or take them out, so that those below move up"
    )

    _file: Path | None = PrivateAttr(None)

    @model_validator(mode="after")
    def _check_format(self) -> Self:
        other = next((name for name in re.findall(r"\{.*?\}", self.path or "") if name not in _PLACEHOLDERS), None)
        if other is not None:
            raise ValueError(
                f"the path contains {other}, but only {', '.join(_PLACEHOLDERS)} are replaced{nearest(other, _PLACEHOLDERS)}"
            )
        if self.path is not None and self.format == "auto" and form_by_name(self.path) is None:
            raise ValueError(
                f"the format of the file cannot be inferred from the name '{self.path}'; add format=csv, trec, parquet, npz or npy"
            )
        return self

    def prose_title(self) -> str:
        """Name the files, without their folder."""
        return "" if self.path is None else f"scores from the file '{Path(self.path).name}'"

    def own_files(self) -> Sequence[Path]:
        """List the existing files of all folds, each together with its files of names."""
        return [each for _, file in self._folds() for each in files_of(file, self._form) if is_file(each)]

    @property
    def score_files(self) -> str | None:
        """The path of the score files, with placeholders."""
        return self.path

    def on_split(self, names: Mapping[str, str]) -> Self:
        """Return the recommender that reads the files of one split: all placeholders except ``{fold}`` are replaced by names."""
        if self.path is None:
            return self
        path = self.path
        for name, placeholder in zip(SPLIT_NAMES, _PLACEHOLDERS, strict=False):
            if placeholder in path:
                assert re.fullmatch(SLUG, names[name]), "a name of a folder leads nowhere else"
                path = path.replace(placeholder, names[name])
        return self.model_copy(update={"path": path})

    def on_fold(self, fold: str) -> Self:
        """Return the recommender that reads one fold's file.

        Raises
        ------
        ConfigError
            If there is no such file, or if the path still contains placeholders that only a study fills in.
        """
        if self.path is None:
            raise ConfigError(
                f"'{self.spec}' does not say which files to read", remedy='give their path: path="runs/mine-{fold}.csv"'
            )
        unknown = next((name for name in _PLACEHOLDERS if name != _FOLD and name in self.path), None)
        if unknown is not None:
            raise ConfigError(f"'{self.path}' contains {unknown}, which is filled in only in a study", remedy="write the name out")
        if _FOLD not in self.path and fold != _ONLY_FOLD:
            raise ConfigError(
                f"'{self.path}' names one file for all folds, but the split has several folds, such as '{fold}'",
                allowed=f"a path that contains {_FOLD}, such as 'runs/mine-{_FOLD}.csv'",
                remedy=f"write the scores of each fold into a separate file; {EXPORT}",
            )
        file = Path(self.path.replace(_FOLD, fold))
        if not is_file(file):
            present = ", ".join(name for name, _ in self._folds()) or "none"
            raise ConfigError(
                f"no scores of fold '{fold}': there is no file '{file}'",
                where=str(self.spec),
                allowed=f"one file for each fold; there are files for: {present}",
                remedy=EXPORT,
            )
        missing = next((each for each in files_of(file, self._form) if not is_file(each)), None)
        if missing is not None:
            raise ConfigError(
                f"the scores of fold '{fold}' have no names: there is no file '{missing}'",
                where=str(self.spec),
                allowed=f"next to '{file.name}', a file with the users' names and one with the items', one name per line",
                remedy="write them with the scores; see docs/scores-format.md",
            )
        bound = self.model_copy()
        bound._file = file  # noqa: SLF001 - of this class
        return bound

    def bytes_needed(self, extent: Extent) -> float:
        """Return twice the size of the largest compact score file, whose arrays are stored unchanged; 0 for tables and runs."""
        sizes = [file.stat().st_size for _, file in self._folds() if (self._form or form_by_name(file.name)) in {"npz", "npy"}]
        return 2.0 * max(sizes, default=0)

    @property
    def _form(self) -> FileForm | None:
        """The files' format; None if the file names show the format."""
        return None if self.format == "auto" else self.format

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Read the file and find its users and items in the train set.

        Raises
        ------
        DataError
            If the file does not have the declared format, or names no user of the train set.
        DesignError
            If the train set has no raw names.
        """
        file = self._file
        if file is None and self.path is not None:
            file = self.on_fold(_ONLY_FOLD)._file  # noqa: SLF001 - of this class
        if file is None:
            self._learned = empty_arrays(train)
            return self
        self._learned = learnt_from(file, train, self._form, self.rank_by)
        return self

    @property
    def matching(self) -> Matching | None:
        """How well the file matches the train set; None if no file was read."""
        return Matching.read(self._learned) if self.path is not None else None

    def check_judged(self, train: Interactions, judged: Bools) -> None:
        """Refuse a file that matches too few of the judged users, or that has items of its own.

        Raises
        ------
        DataError
            If too few users match; the message shows names from the file and from the data set. Also if items do not match, unless
            they are taken out.
        """
        if self.matching is None:
            return
        where, counts = f"from_file(path={self.path})", self.matching.counts
        self.matching.check(train, judged, self.least_matched, where=where)
        if counts.unknown_items and self.unknown_items == "refuse":
            raise DataError(
                f"the data set does not have {counts.unknown_items:,} of the file's {counts.file_items:,} items; a study ranks its "
                "own, so that those below them would move up",
                where=where,
                allowed="unknown_items=move_up, if a filter of this study has dropped them, or a file without them",
                remedy="'recsens evaluate' and 'recsens audit' measure the lists as they are, with the places of such items",
            )

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Look up or compute the scores.

        Raises
        ------
        DesignError
            If the file contains judged ranks.
        """
        if has_places(self._learned):
            raise DesignError(
                f"'{self.path}' holds judged ranks, which are places among a user's target items, not scores",
                allowed="scores: a table, a run, factors, dense scores, weights between items, or lists",
                remedy="measure the system itself, without a recommender around it",
            )
        return scores_for(self._learned, train, users)

    def score_targets(self, train: Interactions, users: Ints, targets: Bools) -> Reals:
        """Look up or compute the scores. Judged ranks become numbers that put judged items at their places among the targets.

        Raises
        ------
        DataError
            If judged ranks have more candidates for a user than there are targets.
        """
        if has_places(self._learned):
            return placed(self._learned, train, users, targets, str(self.path))
        return self.score(train, users)

    def scored_lists(self, train: Interactions, users: Ints) -> ScoredLists | None:
        """Look up the scores in lists; None if the lists contain a large share of all items."""
        # A class derived from this class may compute scores in another way.
        return few_scores_for(self._learned, train, users) if type(self) is FromFile else None

    @property
    def has_places_only(self) -> bool:
        """Whether a file contains judged ranks."""
        return any(holds_judged_ranks(file, self._form) for _, file in self._folds())

    def _folds(self) -> list[tuple[str, Path]]:
        """List the folds that have a file, with their files, in the order of the folds' names."""
        if self.path is None:
            return []
        if _FOLD not in self.path:
            return [(_ONLY_FOLD, Path(self.path))] if is_file(self.path) else []
        before, *after = self.path.split(_FOLD)
        name = re.compile(re.escape(before) + f"({_FOLD_NAME})" + r"\1".join(map(re.escape, after)))
        candidates = sorted(glob("repeat-*".join(map(escape, [before, *after]))))  # noqa: PTH207 - the path may be absolute
        matching = [(match[1], Path(file)) for file in candidates if (match := name.fullmatch(file))]
        return [(fold, file) for fold, file in matching if is_file(file)]
