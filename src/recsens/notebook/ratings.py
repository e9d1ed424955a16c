"""Ratings: load and filter them, and record what was dropped."""

import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal, TypeGuard

import numpy as np
import pandas as pd
import pyarrow as pa

from recsens.arrays import Ints
from recsens.data.column_roles import guess_roles
from recsens.data.datasets import DataSet, Described, Loaded, fetch, locate_side, names_of_codes, to_interactions
from recsens.data.datasets.delimited import Delimited
from recsens.data.datasets.parquet import Parquet
from recsens.data.filtering import Filter
from recsens.data.inspection import Inspection
from recsens.data.interactions import NAMING, Interactions, SideTable
from recsens.errors import DataError
from recsens.files import FileTable
from recsens.files.column_names import role_called
from recsens.files.first_look import LOOKED_AT
from recsens.files.paths import are_paths, is_there
from recsens.files.scale import Scale
from recsens.files.timestamps import Dates, unit_of
from recsens.notebook.arguments import checked_seed, read_component, seed_or
from recsens.notebook.forms import HOLDS_RATINGS, frame_of, is_matrix, matrix_frame, refuse_wide, rename_columns
from recsens.notebook.shown_tables import describe_interactions, interactions_frame, sample_of
from recsens.pipeline.filtering import apply_filters
from recsens.plugins.specs import Chain, Spec, parse_chain
from recsens.report.html.templates import cell
from recsens.seeds import Origin, Stream
from recsens.study import Decisions
from recsens.study.design import Design

log = logging.getLogger(__name__)

_ENDINGS = (".csv", ".tsv")
_FRAME = Path("data frame")
"""The name of a user's data frame in messages."""


@dataclass(frozen=True)
class Ratings:
    """A data set in memory, filtered or not.

    Attributes
    ----------
    interactions
        Users, items, ratings and time stamps as arrays.
    component
        The data set, as in a study.
    seed
        Seed of all random streams, here and in everything made from these ratings.
    notes
        Numbers of rows dropped or merged during reading.
    filters
        Each applied filter, with the sizes before and after it.
    chain
        The applied filters.
    user_columns, item_columns, context_columns
        Tables of users, items and interactions: each column has one value per user, item or interaction.
    """

    interactions: Interactions
    component: DataSet
    seed: int
    notes: Mapping[str, int]
    filters: tuple[Mapping[str, Any], ...] = ()
    chain: tuple[Spec, ...] = ()
    user_columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    item_columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    context_columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    @property
    def identity(self) -> str:
        """Name of the data set in random streams, as in a study."""
        return self.component.identity

    @cached_property
    def design(self) -> Design:
        """Every decision made so far, and the defaults of all other decisions."""
        spec = self.component.spec.without(*self.component.identity_excludes)
        made = Design(seed=self.seed, dataset=spec, name=spec.name, **dict(Decisions()))
        return made.replaced(filter=Chain(self.chain)) if self.chain else made

    def with_tables(self, interactions: Interactions) -> Interactions:
        """Attach side information on users, items and contexts to some of these ratings, for recommenders that use it."""
        users, items, contexts = (
            SideTable.of({name: values for name, values in columns.items() if name not in NAMING})
            for columns in (self.user_columns, self.item_columns, self.context_columns)
        )
        context_table = contexts.take(_indices_among(interactions, self.interactions))
        return replace(interactions, user_table=users, item_table=items, context_table=context_table)

    @property
    def frame(self) -> pd.DataFrame:
        """The interactions: user, item and, if the data have them, rating and timestamp; users and items as in the raw data."""
        return interactions_frame(self.interactions)

    def __len__(self) -> int:
        return len(self.interactions)

    def __repr__(self) -> str:
        data = self.interactions
        kept = f", filtered by {Chain(self.chain)}" if self.chain else ""
        scale = "no ratings" if data.rating is None else f"scale {data.scale.lowest:g} to {data.scale.highest:g}"
        notes = "".join(f"; {note}: {count:,}" for note, count in self.notes.items())
        return f"<{self.component.spec}{kept}: {describe_interactions(data)}, {scale}{notes}>"

    def _repr_html_(self) -> str:
        return cell(repr(self).strip("<>"), tables=[sample_of(self.frame)])


def load(
    source: str | Path | pd.DataFrame | DataSet | Any,
    *,
    scale: Scale | tuple[float, float] | tuple[float, float, float] | None = None,
    duplicates: Literal["error", "first", "last", "mean", "max", "sum", "count"] | None = None,
    invalid: Literal["error", "skip"] | None = None,
    dates: Dates | None = None,
    seed: int = 0,
) -> Ratings:
    """Load a data set: any data set that a study can name, a file, a data frame, or a sparse matrix.

    Parameters
    ----------
    source
        A spec such as ``movielens(release=100k)``, downloaded if it is missing; the path of a file; a frame
        (pandas, polars, Arrow); or a sparse matrix of users by items. Files and frames have the columns user and item, and
        optionally rating and timestamp, or other common names of these, and are read as ``recsens inspect`` reads them, unless
        their content can mean two things; then give a spec: ``delimited(path="u.data",...)``. Several paths are one data set. Rows
        and columns of a matrix are named by their numbers, counted from 0. A frame gives the same result as the data set
        ``parquet``, including random streams.
    scale
        Lowest and highest rating of a file or frame and, unless it is 1, the step between neighbouring ratings (0 allows any
        value); by default, the usual scale that the ratings seem to have, such as 1 to 5.
    duplicates, invalid
        How to treat a repeated pair of a user and an item, and a row that does not match the declaration, in a file or frame. By
        default, both are errors; otherwise ``notes`` counts the rows merged or left out.
    dates
        The order of day and month in dates such as 3/1/2021, ``day_first`` or ``month_first``. By default, the only order in which
        all can be read.
    seed
        Seed of the random streams of everything made from these ratings, as ``seed`` in a study.

    Raises
    ------
    SpecError
        If there is no such data set (the message suggests the nearest name), or if a declaration is invalid.
    DataError
        If the data are missing or do not match the declaration; the message names the file or frame, and the row.
    DesignError
        If the seed is not a whole number.

    Examples
    --------
    >>> import pandas as pd
    >>> load(pd.DataFrame({"user": ["ann", "bob"], "item": ["dune", "dune"], "rating": [5, 3]}))
    <parquet: 2 interactions, 2 users, 1 item, scale 1 to 5>
    """
    seed = checked_seed(seed)
    source = _as_frame(source)
    declarable = {"scale": scale, "duplicates": duplicates, "invalid": invalid, "dates": dates}
    declared = {name: value for name, value in declarable.items() if value is not None}
    if isinstance(source, pd.DataFrame):
        _check_frame(source.columns.tolist(), declared)
        with _remedies_in_python():
            component, rows = _guess_data_set(source, declared)
            assert isinstance(component, Parquet)
            if rows is not None:
                return _make_ratings(component, component.assembled(rows), seed)
            read = [component.user, component.item, component.rating, component.timestamp]
            table = _arrow_table(source, [name for name in read if name is not None])
            return _make_ratings(component, component.take(table, str(_FRAME)), seed)
    component, rows = _guess_data_set(source, declared) if _is_path(source) else (_read_data_set(source, declared), None)
    with _remedies_in_python() if _is_path(source) else nullcontext():
        files, stream = fetch(component), Stream.of(seed, component.identity, "ingest")
        if rows is not None and isinstance(component, Delimited | Parquet):
            loaded = component.assembled(rows)
        else:
            loaded = component.load(list(files), stream)
        side = locate_side(component, files)
        described = component.describe(side, loaded.user_ids, loaded.item_ids)
        names = names_of_codes(loaded.user_ids, loaded.user), names_of_codes(loaded.item_ids, loaded.item)
        return _make_ratings(component, loaded, seed, described, component.describe_interactions(side, *names))


def as_ratings(source: Any) -> Ratings:
    """Return ratings unchanged, and load anything else that contains ratings; raises the same errors as `load`."""
    return source if isinstance(source, Ratings) else load(source)


def _as_frame(source: Any) -> Any:
    """Convert any library's table, or a sparse matrix, to a frame with columns ``user`` and ``item``; keep anything else.

    Raises
    ------
    DataError
        If ``source`` is of a type that cannot contain ratings.
    """
    if isinstance(source, str | Path | DataSet) or are_paths(source):
        return source
    if is_matrix(source):
        return matrix_frame(source)
    frame = frame_of(source)
    if frame is None:
        raise DataError(
            f"ratings cannot be read from a {type(source).__name__}", allowed=f"the name of a data set, {HOLDS_RATINGS}"
        )
    refuse_wide(frame, str(_FRAME))
    roles = [role for role in ("user", "item") if role not in frame.columns]
    return rename_columns(frame, (), roles, what=str(_FRAME)) if roles else frame


def filter(ratings: Ratings, chain: str | Filter, *, seed: int | None = None) -> Ratings:  # noqa: A001 - the name of the decision
    """Filter ratings by one filter or a chain, such as ``ratings_per_user(at_least=20)+sample(ratings=0.5)``.

    Filters in a later call have the same random draws as if they came later in the same chain.

    Parameters
    ----------
    ratings
        The ratings to filter, or anything that `load` accepts.
    chain
        As ``filter`` in a study.
    seed
        Seed of random streams; by default, the ratings' seed.

    Raises
    ------
    SpecError
        If there is no such filter (the message suggests the nearest name), or if a parameter is invalid.
    DesignError
        If no ratings are left, or if the data lack columns that the filter needs.
    """
    ratings = as_ratings(ratings)
    links = (
        list(map(Filter.build, parse_chain(chain))) if isinstance(chain, str) else [read_component("filter", chain, Filter.build)]
    )
    origin = Origin(seed_or(seed, ratings.seed), ratings.identity)
    left = apply_filters(ratings.interactions, links, origin, earlier=ratings.chain)
    rows = _indices_among(left.interactions, ratings.interactions) if ratings.context_columns else ()
    return replace(
        ratings,
        interactions=left.interactions,
        filters=(*ratings.filters, *left.effects),
        chain=(*ratings.chain, *(link.spec for link in links)),
        context_columns={name: [column[row] for row in rows] for name, column in ratings.context_columns.items()},
        user_columns={name: [column[code] for code in left.users] for name, column in ratings.user_columns.items()},
        item_columns={name: [column[code] for code in left.items] for name, column in ratings.item_columns.items()},
    )


def _indices_among(some: Interactions, among: Interactions) -> Ints:
    """For each interaction of ``some``, return its index in ``among``, which is found by the keys of user and item."""
    base = int(among.item_keys.max(initial=0)) + 1
    pairs, wanted = (part.user_keys[part.user] * base + part.item_keys[part.item] for part in (among, some))
    order = np.argsort(pairs)
    return np.asarray(order[np.searchsorted(pairs, wanted, sorter=order)])


def _read_data_set(source: str | DataSet, declared: Mapping[str, Any]) -> DataSet:
    if declared:
        raise DataError(
            f"'{source}' is a data set with its own declaration: {', '.join(declared)} cannot be given with it",
            allowed=f"{', '.join(declared)} with a file or a data frame",
            remedy="write the parameters that the data set has into its spec: "
            "delimited(lowest=0.5,highest=5,step=0.5,duplicates=last)",
        )
    build: Callable[[str], DataSet] = DataSet.build
    return read_component("dataset", source, build)


@contextmanager
def _remedies_in_python() -> Iterator[None]:
    """Rewrite an option of a data set in an error's advice as an argument of `load`: ``invalid="skip"``."""
    try:
        yield
    except DataError as error:
        error.remedy, error.allowed = (
            text and re.sub(r"\b(invalid|duplicates)=(\w+)", r'\1="\2"', text) for text in (error.remedy, error.allowed)
        )
        raise


def _is_path(source: str | Path | DataSet | Sequence[str | Path]) -> TypeGuard[str | Path | Sequence[str | Path]]:
    """Whether a source is a path: it names a file, or has slashes or a lower-case ending, unlike the names of data sets."""
    if not isinstance(source, str):
        return isinstance(source, Path) or are_paths(source)
    path = Path(source)
    return "(" not in source and ("/" in source or path.suffix.islower() or _file_ending(path) in _ENDINGS or is_there(path))


def _file_ending(path: Path) -> str:
    """Return a file name's ending in lower case, ignoring the ending of a gzipped file."""
    return Path(path.name.lower().removesuffix(".gz")).suffix


def _guess_data_set(source: Any, declared: Mapping[str, Any]) -> tuple[DataSet, FileTable | None]:
    """Return a data set for a frame or file whose content shows how to read it, and its rows; None if they must be read again.

    The log says how the file is read, and what speaks against it.

    Raises DataError if the values would depend on a guess.
    """
    if isinstance(source, pd.DataFrame):
        found = Inspection.of_table(_first_rows(source), partial(_arrow_table, source), str(_FRAME), declared.get("dates"))
    else:
        for each in source if are_paths(source) else [str(source)]:
            if not is_there(Path(each)):
                raise DataError("no such file", where=str(each), remedy=f"check the path; relative paths start at {Path.cwd()}")
        found = Inspection.of(source, declared.get("dates"))
    found.refuse_doubts(*declared)
    spec = found.component.spec.without("duplicates", "invalid")
    log.info("%s: read as %s", found.path, spec)
    for doubt in found.doubts:
        log.warning("%s: %s", found.path, doubt.said)
    others = {key: value for key, value in declared.items() if key != "scale"}
    if "scale" in declared:
        # On a declared scale, ratings that are all equal say something.
        others["rating"] = guess_roles(found.columns)["rating"]
    component = DataSet.build(
        Spec(spec.name, tuple({**dict(spec.params), **_declared_scale(declared.get("scale")), **others}.items()))
    )
    columns = {role: column for role, column in found.table.columns.items() if found.roles[role] is not None}
    is_whole = found.fault is None and "scale" not in declared
    return component, replace(found.table, columns=columns) if is_whole else None


def _check_frame(columns: Sequence[Any], declared: Mapping[str, Any]) -> None:
    """Refuse a frame with two columns of one name, and a scale for a frame without ratings."""
    twice = next((name for name in columns if columns.count(name) > 1), None)
    if twice is not None:
        raise DataError(
            f"there are {columns.count(twice)} columns '{twice}'",
            where=str(_FRAME),
            allowed="the columns user and item, each once, and optionally rating and timestamp",
            remedy="rename or drop one of them",
        )
    if "scale" in declared and not any(role_called(name) == "rating" for name in columns):
        raise DataError(
            f"scale = {declared['scale']!r} is given for data without a column 'rating'",
            where=str(_FRAME),
            remedy="leave scale out, or rename the rating column to rating",
        )


def _declared_scale(scale: Any) -> dict[str, float]:
    if scale is None:
        return {}
    if isinstance(scale, Scale):
        scale = (scale.lowest, scale.highest, scale.step)
    if not isinstance(scale, tuple | list) or len(scale) not in {2, 3} or not all(isinstance(end, int | float) for end in scale):
        raise DataError(f"scale = {scale!r}", allowed="lowest and highest rating, and the step between two: (0.5, 5, 0.5)")
    return dict(zip(("lowest", "highest", "step"), map(float, scale), strict=False))


def _first_rows(frame: pd.DataFrame) -> pa.Table:
    """Return the first rows of a frame; columns that a table cannot have are left out if their names suggest no role."""
    first, columns = frame.head(LOOKED_AT), {}
    for name in frame.columns:
        with suppress(DataError) if role_called(name) is None else nullcontext():
            columns[str(name)] = _arrow_table(first, [name]).column(0)
    return pa.table(columns)


def _arrow_table(frame: pd.DataFrame, names: Sequence[str]) -> pa.Table:
    try:
        return pa.Table.from_pandas(frame[names], preserve_index=False)
    except pa.ArrowException as error:
        raise DataError(
            f"a column contains values of several kinds: {error.args[0]}",
            where=str(_FRAME),
            allowed="user and item as text or whole numbers, rating as numbers, timestamp as whole numbers or times",
        ) from error


def _make_ratings(
    component: DataSet,
    loaded: Loaded,
    seed: int,
    described: Described | None = None,
    contexts: Mapping[str, Sequence[Any]] | None = None,
) -> Ratings:
    if loaded.timestamp is not None and (unit := unit_of(loaded.timestamp.max())) != "seconds":
        log.warning("the time stamps look like %s since 1970, and are compared with dates as such", unit)
    for note, count in loaded.notes.items():
        log.warning("%s: %s", note, f"{count:,}")
    user_ids, item_ids = (np.asarray(ids, dtype=np.object_) for ids in (loaded.user_ids, loaded.item_ids))
    return Ratings(
        interactions=replace(to_interactions(loaded), user_ids=user_ids, item_ids=item_ids),
        component=component,
        seed=seed,
        notes=dict(loaded.notes),
        user_columns={} if described is None else dict(described.users),
        item_columns={} if described is None else dict(described.items),
        context_columns=dict(contexts or {}),
    )
