"""Small files in the layouts of data sets that readers bring, to run the studies that need them.

    python benchmarks/stand_ins.py --to build/stand-ins
    RECSENS_DATA=build/stand-ins recsens run valcarce2018-files

'make stand-in STUDY=valcarce2018-files' does both.

The ratings are simulated, so the results of such a run say nothing about the data set; they show that a study runs, and reads each
layout. Ratings, plays and half stars follow from simulated stars of 1 to 5. Goal: each file is read back with every pair that was
written.
"""

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from command_line import parser
from recsens.data.datasets import DataSet
from recsens.seeds import Stream

Row = tuple[int, int, int, int]
"""User, item, stars and seconds since 1970."""

READ = {
    "librarything/UI2.txt": "librarything",
    "beeradvocate/beeradvocate.txt": "beeradvocate",
    "lastfm-dataset-1K/userid-timestamp-artid-artname-traid-traname.tsv": "lastfm(release=1k)",
    "netflix/combined_data_1.txt": "netflix",
    "book-crossing/BX-Book-Ratings.csv": "book_crossing",
    "renttherunway/renttherunway_final_data.json": "rent_the_runway",
    "amazon/reviews_Clothing_Shoes_and_Jewelry_5.json.gz": "amazon",
    "filmtrust/ratings.txt": "delimited",
}
"""File below the folder of stand-ins -> the data set that reads it."""

_OF_NETFLIX = 4


def rows(users: int, items: int, ratings: int, replicate: int = 0) -> list[Row]:
    """Simulate ratings, user by user."""
    spec = f"simulated(users={users},items={items},ratings={ratings},replicate={replicate})"
    loaded = DataSet.build(spec).load([], Stream(replicate))
    assert loaded.rating is not None
    assert loaded.timestamp is not None
    columns = (loaded.user, loaded.item, loaded.rating, loaded.timestamp)
    return sorted(zip(*(np.asarray(column).astype(int).tolist() for column in columns), strict=True))


def write(folder: Path, simulated: Sequence[Row]) -> None:
    """Write every file of `READ`, and the other files of Netflix."""
    for name in READ:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        content = "".join(_LAYOUTS[path.parent.name](simulated))
        packed = content.encode("latin-1" if "BX" in name else "utf-8")
        path.write_bytes(gzip.compress(packed, mtime=0) if path.suffix == ".gz" else packed)
    for part in range(2, _OF_NETFLIX + 1):
        (folder / f"netflix/combined_data_{part}.txt").write_text("".join(_netflix(simulated, part)), encoding="utf-8")


def _librarything(simulated: Sequence[Row]) -> Iterator[str]:
    # Each tag has its own line, and the rating is doubled.
    for user, item, stars, _ in simulated:
        yield from (f"{user} {item} {2 * stars - item % 2} {tag}\n" for tag in ("own", "to read")[: 1 + (user + item) % 2])


def _beeradvocate(simulated: Sequence[Row]) -> Iterator[str]:
    for user, item, stars, time in simulated:
        taste = f"review/taste: {stars}\nreview/appearance: {stars}\nreview/aroma: {stars}\nreview/palate: {stars}\n"
        yield f"beer/name: Beer {item}\nbeer/beerId: {item}\n{taste}review/overall: {max(1, stars - item % 2 / 2)}\n"
        yield f"review/time: {time}\nreview/profileName: drinker {user}\nreview/text: A lot of foam\n\n"


def _lastfm(simulated: Sequence[Row]) -> Iterator[str]:
    # As many plays as stars; users listen for months, whereas simulated ones rate within a day.
    for user, item, stars, time in simulated:
        for play in range(stars):
            moment = datetime.fromtimestamp(time + 86_400 * (37 * item % 215) + 60 * play, tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            yield f"user_{user:06}\t{moment}\t{f'mbid-{item}' if item % 3 else ''}\tArtist {item}\t\tTrack {play}\n"


def _netflix(simulated: Sequence[Row], part: int = 1) -> Iterator[str]:
    films: dict[int, list[str]] = {}
    for user, item, stars, time in simulated:
        if item % _OF_NETFLIX == part - 1:
            films.setdefault(item + 1, []).append(f"{user + 1},{stars},{datetime.fromtimestamp(time, tz=UTC):%Y-%m-%d}\n")
    for film, lines in films.items():
        yield f"{film}:\n{''.join(lines)}"


def _book_crossing(simulated: Sequence[Row]) -> Iterator[str]:
    yield '"User-ID";"ISBN";"Book-Rating"\n'
    yield from (f'"{user}";"ISBN{item:06}";"{2 * stars - item % 2}"\n' for user, item, stars, _ in simulated)
    # Rows without a rating.
    yield from (f'"{user}";"unread";"0"\n' for user in sorted({user for user, *_ in simulated}))


def _renttherunway(simulated: Sequence[Row]) -> Iterator[str]:
    for user, item, stars, time in simulated:
        day = datetime.fromtimestamp(time, tz=UTC)
        said = {"rented for": ("wedding", "party")[user % 2], "body type": ("petite", "athletic")[user % 3 // 2], "fit": "fit"}
        rented = {
            "user_id": str(user),
            "item_id": str(item),
            "rating": str(2 * stars),
            "age": str(20 + user % 40),
            "height": f"5' {user % 11}\"",
            "size": item % 20,
        }
        yield json.dumps({**rented, **said, "review_date": f"{day:%B} {day.day}, {day.year}"}) + "\n"


def _amazon(simulated: Sequence[Row]) -> Iterator[str]:
    for user, item, stars, time in simulated:
        yield json.dumps({"reviewerID": f"A{user}", "asin": f"B{item}", "overall": float(stars), "unixReviewTime": time}) + "\n"


def _filmtrust(simulated: Sequence[Row]) -> Iterator[str]:
    yield from (f"{user} {item} {stars * 0.8 // 0.5 * 0.5 or 0.5}\n" for user, item, stars, _ in simulated)


_LAYOUTS: dict[str, Callable[[Sequence[Row]], Iterator[str]]] = {
    "librarything": _librarything,
    "beeradvocate": _beeradvocate,
    "lastfm-dataset-1K": _lastfm,
    "netflix": _netflix,
    "book-crossing": _book_crossing,
    "renttherunway": _renttherunway,
    "amazon": _amazon,
    "filmtrust": _filmtrust,
}


def _read_back(folder: Path, n_pairs: int) -> Iterator[str]:
    for name, label in READ.items():
        where = folder / name if label not in {"netflix", "lastfm(release=1k)"} else (folder / name).parent
        kind, _, given = label.partition("(")
        more = ',separator=" ",lowest=0.5,highest=4,step=0.5' if kind == "delimited" else ""
        spec = f'{kind}(path="{where}"{more}{"," + given if given else ")"}'
        data_set = DataSet.build(spec)
        files = (
            [where / f"combined_data_{part}.txt" for part in range(1, _OF_NETFLIX + 1)] if kind == "netflix" else [folder / name]
        )
        loaded = data_set.load(files, Stream(0))
        if len(loaded.user) != n_pairs:
            raise SystemExit(f"{name}: {n_pairs} pairs were written, and {len(loaded.user)} are read")
        yield f"{name}: {len(loaded.user)} pairs of {len(loaded.user_ids)} users"


def main(command: Sequence[str] | None = None) -> None:
    """Write the files, and read them back."""
    accepted = parser(__doc__)
    accepted.add_argument("--to", type=Path, help="folder for the files; by default one that is deleted")
    options = accepted.parse_args(command)
    simulated = rows(60, 100, 1_500) if options.tiny else rows(250, 500, 12_000)
    with TemporaryDirectory() as passing:
        folder = options.to or Path(passing)
        write(folder, simulated)
        for line in _read_back(folder, len(simulated)):
            print(line)


if __name__ == "__main__":
    main()
