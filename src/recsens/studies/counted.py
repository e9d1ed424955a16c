"""Who is averaged under each design, who of them can score, and what is lost: a table, a sentence, and a warning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from recsens.config import Study
from recsens.studies.designset import DesignSet
from recsens.studies.naming import base_options, change_in_words, change_of, in_order
from recsens.studies.printed import MISSING, count, percentage
from recsens.studies.results import records
from recsens.studies.table import Cell, Group, Row, Table, slug
from recsens.studies.taxonomy import COLUMNS

MAX_FOLDS = 10
"""Folds that a table shows one by one; the CSV file holds all."""

MAX_DESIGNS = 30
"""Designs that a table shows; the CSV file holds all."""

_NAMED = 3
"""Different warnings that are given of one data set or experiment."""

ADVICE = (
    "With users: with_ratings(relevant=1), only users who can score are averaged; with train=0 in the brackets, users without "
    "train ratings too."
)
"""What to do where most users averaged cannot score, or most test ratings are lost."""

EFFECTIVE_USERS = "Effective users: how many of equal weight would say as much, (Σ w)² / Σ w²."

_NOTE = (
    "Only users with a relevant test rating can score; others count as a metric says of such users. Lost: test ratings of users "
    "who are not averaged."
)

_NUMBERS = ("averaged", "with_test", "with_relevant", "effective_users", "rankings", "test_ratings", "lost_ratings")


def counted_table(counted: pd.DataFrame, dataset: str, shown: DesignSet | None = None) -> Table:
    """Show who is averaged on a data set: fold by fold under the base design, or under each design of a set.

    Numbers that differ from fold to fold are given from the lowest to the highest. The table of a set is empty where all of its
    designs count the same users.
    """
    rows = counted[counted["dataset"] == dataset]
    if shown is None:
        found, key, title = _by_fold(rows[rows["is_base"]]), "base", "under the base design"
    else:
        by_design = dict(iter(rows.groupby(list(COLUMNS), sort=False)))
        found = {label: by_design[options] for label, options in shown.designs.items() if options in by_design}
        key, title = shown.key, shown.title
    cut = len(found) > MAX_DESIGNS
    found = dict(list(found.items())[:MAX_DESIGNS])
    every = pd.concat([rows.iloc[:0], *found.values()])
    columns = _columns(every)
    lines = tuple(Row(label, tuple(_cell(chosen, column) for column in columns)) for label, chosen in found.items())
    alike = shown is not None and len({line.cells for line in lines}) == 1
    notes = [_NOTE]
    if "effective_users" in columns:
        notes.append(EFFECTIVE_USERS)
    notes += [f"{label}: {sentence}" if shown else sentence for label, chosen in found.items() for sentence in _percentiles(chosen)]
    if cut:
        notes.append(f"Only the first {MAX_DESIGNS} rows are shown; counted.csv holds all.")
    return Table(
        f"counted-{key}-{slug(dataset)}",
        f"{dataset}: who is averaged {title}",
        "Fold" if shown is None else shown.corner,
        tuple(columns.values()),
        () if alike or not lines else (Group("", lines),),
        tuple(in_order(notes)),
    )


def base_counts(part: Study, counted: pd.DataFrame) -> list[str]:
    """Say in a sentence or two who is averaged under the base design, a data set or experiment each."""
    return [_sentence(label, rows) for label in part.datasets if not (rows := _base(counted, label)).empty]


def warnings(part: Study, counted: pd.DataFrame) -> list[str]:
    """Say where most users averaged cannot score, and where most test ratings are lost; nothing where neither is so."""
    return [sentence for label in part.datasets for sentence in warnings_on(counted, label)]


def warnings_on(counted: pd.DataFrame, label: str, shown: DesignSet | None = None, *, base_only: bool = False) -> list[str]:
    """Give the warnings of one data set or experiment: of all designs, of a set, or of the base alone.

    Designs that count alike share one, and the base design's comes first.
    """
    rows = counted[counted["dataset"] == label]
    if shown is not None:
        own = set(shown.designs.values())
        rows = rows[[found in own for found in rows[list(COLUMNS)].itertuples(index=False, name=None)]]
    elif base_only:
        rows = rows[rows["is_base"]]
    base = base_options(rows)
    alike: dict[str, list[str]] = {}
    for options, chosen in rows.groupby(list(COLUMNS), sort=False):
        if found := _what_is_wrong(chosen):
            change = change_in_words(change_of(dict(zip(COLUMNS, map(str, options), strict=True)), base))
            alike.setdefault(found, []).append(change)
    told = [
        f"On {label}, under {designs[0]}{_and_others(len(designs) - 1)}, {found}."
        for found, designs in list(alike.items())[:_NAMED]
    ]
    if len(alike) > _NAMED:
        n = sum(map(len, list(alike.values())[_NAMED:]))
        told.append(f"On {label}, so it is under {n} further design{'s' * (n > 1)}, with other numbers: see counted.csv.")
    return told


def _what_is_wrong(rows: pd.DataFrame) -> str:
    """Say of one design what a reader must not overlook; empty where there is nothing."""
    averaged, relevant = rows["averaged"].sum(), rows["with_relevant"].sum()
    lost, test = rows["lost_ratings"].sum(), rows["test_ratings"].sum()
    found = []
    if 2 * relevant < averaged:
        without = _span(rows["averaged"] - rows["with_relevant"])
        found.append(
            f"most of the users averaged cannot score: {without} of {_span(rows['averaged'])} have no relevant test rating and "
            "count as the metrics say of such users, mostly as zero"
        )
    if 2 * lost > test:
        share = percentage(lost / test)
        found.append(
            f"most test ratings are lost: {_span(rows['lost_ratings'])} of {_span(rows['test_ratings'])} ({share}) are of users "
            "who are not averaged"
        )
    return "; ".join(found)


def _and_others(n: int) -> str:
    return f" and {n} other design{'s' * (n > 1)}" if n else ""


def _base(counted: pd.DataFrame, label: str) -> pd.DataFrame:
    return counted[(counted["dataset"] == label) & counted["is_base"]]


def _sentence(label: str, rows: pd.DataFrame) -> str:
    weighing = f" (who weigh as much as {_span(rows['effective_users'])} equal ones)" if weigh_apart(rows, "averaged") else ""
    ranked = f" Each of their {_span(rows['rankings'])} relevant ratings has a ranking." if rows["rankings"].notna().all() else ""
    lost, test = rows["lost_ratings"].sum(), rows["test_ratings"].sum()
    fate = (
        f"Of {_span(rows['test_ratings'])} test ratings, {_span(rows['lost_ratings'])} ({percentage(lost / test)}) are lost: their "
        "users are not averaged."
        if lost
        else "No test rating is lost."
    )
    sentence = (
        f"On {label}, the base design averages {_span(rows['averaged'])} users{weighing}; {_who_of_them(rows)}.{ranked} {fate}"
    )
    return " ".join([sentence, *_percentiles(rows)])


def _who_of_them(rows: pd.DataFrame) -> str:
    if (rows["with_relevant"] == rows["averaged"]).all():
        return "all of them have relevant test ratings"
    tested = "all" if (rows["with_test"] == rows["averaged"]).all() else _span(rows["with_test"])
    return f"{tested} of them have test ratings, {_span(rows['with_relevant'])} of them relevant ones"


def _by_fold(rows: pd.DataFrame) -> Mapping[str, pd.DataFrame]:
    folds = in_order(rows["fold"])
    if len(folds) > MAX_FOLDS:
        return {f"all {len(folds)} folds": rows}
    named = [row["fold"] if row["systems"] == "all" else f"{row['fold']}, {row['systems']}" for row in records(rows)]
    return {label: rows.iloc[[place]] for place, label in enumerate(named)}


def _columns(rows: pd.DataFrame) -> dict[str, str]:
    """Name the columns that say something: effective users where users weigh differently, rankings where each rating has one."""
    headers = ("users averaged", "with test ratings", "with relevant ones", "effective users", "rankings", "test ratings", "lost")
    hidden = {
        name
        for name, said in (("effective_users", weigh_apart(rows, "averaged")), ("rankings", rows["rankings"].notna().any()))
        if not said
    }
    return {name: header for name, header in zip(_NUMBERS, headers, strict=True) if name not in hidden}


def weigh_apart(rows: pd.DataFrame, n_users: str) -> bool:
    """Whether users weigh differently: their effective number is not their number; a pooled value has none."""
    return bool((rows["effective_users"].notna() & (rows["effective_users"] != rows[n_users])).any())


def _cell(rows: pd.DataFrame, column: str) -> Cell:
    if column == "lost_ratings":
        test = rows["test_ratings"].sum()
        return Cell(_span(rows[column]), extra=f"({percentage(rows[column].sum() / test)})" if test else "")
    return Cell(_span(rows[column]))


def _span(numbers: pd.Series[float]) -> str:
    """Print a number, or the lowest and the highest where folds differ."""
    known = numbers.dropna()
    if known.empty:
        return MISSING
    ends = in_order(map(count, (known.min(), known.max())))
    return " to ".join(ends)


def _percentiles(rows: pd.DataFrame) -> Iterator[str]:
    """Say how the relevant ratings fall to the percentiles of popularity, where they do."""
    listed = [list(map(int, text.split())) for text in rows["ratings_by_percentile"] if text]
    if listed:
        spans = [_span(pd.Series(numbers, dtype=float)) for numbers in zip(*listed, strict=True)]
        yield f"Relevant ratings by percentile of popularity, the most popular first: {'; '.join(spans)}."
