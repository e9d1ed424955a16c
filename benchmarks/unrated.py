"""How often verdicts turn under complete relevance, by the tipping ratio that recsens prints.

    python benchmarks/unrated.py [--cm100k data/cm100k/ratings.tsv] [--write benchmarks/unrated.csv]

Every pair of six systems on simulated sets, whose complete relevance is known, and on CM100K, whose random test set is a sample
of it. Prints the tables of docs/unrated.md. Takes about five minutes on one core.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from command_line import markdown, parser
from recsens.comparison.significance.t import T
from recsens.data.datasets import DataSet, to_interactions
from recsens.data.datasets.simulated import Simulated
from recsens.data.interactions import Interactions
from recsens.data.splitting.random import Random
from recsens.metrics import Judged
from recsens.metrics.precision_recall import P
from recsens.outcomes.completions import Completions, OpenLists
from recsens.outcomes.paired import Paired
from recsens.outcomes.shared_panels import UserRows
from recsens.outcomes.tipping import OpenComparison
from recsens.plugins import build
from recsens.ranking import rank
from recsens.ranking.nc.drop import Drop
from recsens.ranking.targets.all_relevant import AR
from recsens.seeds import Stream
from recsens.study.margin import Margin
from recsens.vocabulary import Role

SYSTEMS = ("popularity", "user_knn(k=50)", "item_knn(k=50,of=profile)", "hkv(factors=10)", "ease", "pure_svd(factors=10)")
STRENGTHS = (0.0, 2.2, 4.0)
SIZE = {"users": 300, "items": 400, "ratings": 12000}
# Of each strength, so 201 in all.
REPLICATES, DEPTH, ALPHA, RATE = 67, 10, 0.05, 0.05
RELEVANT = (4.0, 5.0)
LIMITS = (0.0, 1.2, 2.0, 4.0, np.inf)

Truth = NDArray[np.float64]
"""Whether each user's every item is relevant, shape (n_users, n_items); NaN if it is not known."""


def main(command: Sequence[str] | None = None) -> None:
    accepted = parser(__doc__)
    accepted.add_argument("--cm100k", type=Path, help="ratings.tsv of CM100K")
    accepted.add_argument("--write", type=Path, help="file for the cells of all pairs")
    options = accepted.parse_args(command)
    replicates, systems = (2, SYSTEMS[:3]) if options.tiny else (REPLICATES, SYSTEMS)
    rows = [row for mnar in STRENGTHS for nth in range(replicates) for row in simulated(mnar, nth, systems)]
    if options.cm100k is not None:
        rows += list(cm100k(options.cm100k, systems))
    cells = pd.DataFrame(rows).round(4)
    if options.write:
        cells.to_csv(options.write, index=False, lineterminator="\n")
    for title, table in tables(cells).items():
        print(f"\n{title}\n\n{table}")


def simulated(mnar: float, replicate: int, systems: Sequence[str]) -> Iterator[dict[str, Any]]:
    component, stream = Simulated(mnar=mnar, replicate=replicate, **SIZE), Stream.of(replicate, "simulated", str(mnar))
    data = to_interactions(component.load([], stream))
    stars = component.truth(stream)["rating"]
    roles = Random(ratio=0.8).roles(data, 0, Stream.of(replicate, "split"))
    for relevance in RELEVANT:
        truth = (stars >= relevance).astype(np.float64)
        yield from compare(f"mnar {mnar:g}, {relevance:g} stars", replicate, data, roles, truth, relevance, systems)


def cm100k(path: Path, systems: Sequence[str]) -> Iterator[dict[str, Any]]:
    loaded = DataSet.build(f'cm100k(path="{path}")').load([path], Stream.of(0, "ingest"))
    data = to_interactions(loaded)
    truth = np.full((data.n_users, data.n_items), np.nan)
    truth[data.user, data.item] = np.asarray(data.rating) > 0
    table = pd.read_csv(path, sep="\t")
    users, items = np.asarray(loaded.user_ids, dtype=object), np.asarray(loaded.item_ids, dtype=object)
    keys = zip(map(str, users[data.user]), map(str, items[data.item]), strict=True)
    by_pair = table.assign(user=table["user"].astype(str), item=table["item"].astype(str)).set_index(["user", "item"])
    rows = by_pair.loc[list(keys)]
    fold, observed = rows["fold"].to_numpy(), rows["observed"].to_numpy() == 1
    for nth in np.unique(fold):
        roles = np.where(observed, np.where(fold == nth, Role.TEST, Role.TRAIN), Role.UNUSED).astype(np.uint8)
        yield from compare("CM100K", int(nth), data, roles, truth, 1.0, systems)


def compare(
    name: str, replicate: int, data: Interactions, roles: NDArray[np.uint8], truth: Truth, relevance: float, systems: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Compare every pair on one fold, as measured and under the truth."""
    train, test = data.take(roles == Role.TRAIN), data.take(roles == Role.TEST)
    admitted = (train.user_counts > 0) & ((test.user_counts > 0) | (name != "CM100K"))
    is_known = not np.isnan(truth).any()
    found = {system: listed(system, train, test, relevance) for system in systems}
    for a, b in combinations(systems, 2):
        (first, by_place), (second, _) = found[a], found[b]
        completions = Completions(by_place, first, second)
        paired = Paired(np.zeros((2, len(admitted))), np.broadcast_to(admitted, (2, len(admitted))), None)
        compared = OpenComparison([completions], [UserRows()], [paired], ALPHA, Margin(), 0.95)
        if not compared.is_significant:
            continue
        lead, rest = (first, second) if compared.leader > 0 else (second, first)
        kinds = completions.kinds if compared.leader > 0 else completions.kinds[::-1]
        rates = [share_of(each, kind == 1, truth, admitted) for each, kind in zip((lead, rest), kinds, strict=True)]
        values = [values_under(each, truth)[admitted] for each in (lead, rest)]
        true = T().compare(*values, Stream.of(0, "test"))
        at_true = compared.ratios(rates[0]) if 0 < rates[0] < 1 else (np.nan, np.nan)
        yield {
            "data": name,
            "replicate": replicate,
            "leader": a if compared.leader > 0 else b,
            "other": b if compared.leader > 0 else a,
            "lost": compared.ratios(RATE).lost,
            "level": compared.ratios(RATE).level,
            "rate": rates[0],
            "ratio": rates[1] / rates[0] if rates[0] > 0 else np.nan,
            "lost_at_rate": at_true[1],
            "level_at_rate": at_true[0],
            # On CM100K, the truth is a sample: it knows rates, but no user's list.
            "turned": true.difference < 0 if is_known else rates[1] / rates[0] > at_true[0],
            "unconfirmed": true.difference < 0 or true.p_value >= ALPHA if is_known else None,
        }


def listed(system: str, train: Interactions, test: Interactions, relevance: float) -> tuple[OpenLists, Any]:
    model = build("recommender", system).fit(train, Stream.of(1, "fit").generator())
    rankings = rank(
        model, train, test, targets=AR(), relevance=relevance, nc=Drop(), fallback=None, ties="random", list_depth=DEPTH,
        tie_stream=Stream.of(1, "ties"), target_stream=Stream.of(1, "targets"),
    )  # fmt: skip
    positions, lists = rankings.positions, rankings.lists
    judged = Judged.of(
        user=positions["user"],
        position=positions["position"].filled(0).astype(np.int64),
        rating=positions["rating"].filled(np.nan),
        targets_ranked=rankings.users["scored"],
        view="full",
        scale=test.scale,
        relevance=relevance,
    )
    by_place = P().by_place(judged, DEPTH)
    starts = np.concatenate([[0], np.cumsum(np.bincount(lists["user"], minlength=train.n_users))])
    return OpenLists.of(judged, by_place.gain, lists["item"], starts, DEPTH), by_place


def share_of(lists: OpenLists, chosen: NDArray[np.bool_], truth: Truth, admitted: NDArray[np.bool_]) -> float:
    """Return the true share of relevant items among some listed items."""
    relevant = np.take_along_axis(truth, lists.item.astype(np.int64), axis=1)[chosen & admitted[:, np.newaxis]]
    return float(np.nanmean(relevant)) if np.isfinite(relevant).any() else np.nan


def values_under(lists: OpenLists, truth: Truth) -> NDArray[np.float64]:
    """Return each user's precision if unrated items count by the truth; those of unknown relevance count as not relevant."""
    relevant = np.nan_to_num(np.take_along_axis(truth, lists.item.astype(np.int64), axis=1))
    return np.where(lists.is_unrated, relevant, lists.gain).sum(axis=1) / DEPTH


def tables(cells: pd.DataFrame) -> dict[str, str]:
    """Return the tables of docs/unrated.md, by title."""
    groups = list(cells.groupby(cells["data"].str.replace(r"mnar [\d.]+", "simulated", regex=True), sort=False))
    quantiles = [
        [
            name,
            len(own),
            *(f"{value:.2f}" for value in own["rate"].quantile([0.1, 0.5, 0.9])),
            *(f"{value:.2f}" for value in own["ratio"].quantile([0.05, 0.25, 0.5, 0.75, 0.95])),
        ]
        for name, own in groups
    ]
    found = {
        "True rates and ratios": markdown(
            ["data", "wins", *(f"rate, {q} %" for q in (10, 50, 90)), *(f"ratio, {q} %" for q in (5, 25, 50, 75, 95))], quantiles
        )
    }
    for title, column in (("at the true rate", "at_rate"), (f"at a rate of {RATE:g}", "")):
        lost, level = (f"{each}_{column}" if column else each for each in ("lost", "level"))
        rows = []
        for name, own in groups:
            row = [name]
            for low, high in pairwise(LIMITS):
                inside = own[(own[level] > low) & (own[level] <= high)] if high < np.inf else own[own[level] > low]
                row.append(f"{inside['turned'].sum()} of {len(inside)}")
            for limit in LIMITS[1:-1]:
                above = own[own[lost] > limit]
                known = above["unconfirmed"].notna().all()
                row.append(f"{int(above['unconfirmed'].sum())} of {len(above)}" if known else "")
            rows.append(row)
        heads = [f"level {low:g} to {high:g}" if high < np.inf else f"level above {low:g}" for low, high in pairwise(LIMITS)]
        found[f"Wins that turned to the other system, and wins not confirmed, by the ratio {title}"] = markdown(
            ["data", *heads, *(f"lost above {limit:g}" for limit in LIMITS[1:-1])], rows
        )
    return found


if __name__ == "__main__":
    main()
