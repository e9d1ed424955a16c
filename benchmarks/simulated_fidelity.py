"""How closely simulated ratings resemble MovieLens 100K: shape, accuracy of known systems, verdicts that change.

    python benchmarks/simulated_fidelity.py [--movielens .../ml-100k/u.data] [--seeds 1 2 3]

Prints the tables of docs/simulated-data.md. Without ``--movielens``, the column of MovieLens is left out. Takes about two and a
half minutes on one core.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from command_line import markdown, parser
from recsens.comparison.significance.t import T
from recsens.data.datasets import to_interactions
from recsens.data.datasets.movielens import MovieLens
from recsens.data.datasets.simulated import Simulated
from recsens.data.interactions import Interactions
from recsens.data.splitting.random import Random
from recsens.metrics import Judged
from recsens.metrics.discounted_gain import NDCG
from recsens.metrics.precision_recall import P
from recsens.plugins import build
from recsens.ranking import rank
from recsens.ranking.nc.drop import Drop
from recsens.ranking.targets.all_relevant import AR
from recsens.seeds import Stream
from recsens.vocabulary import Role

SYSTEMS = ("random", "popularity", "user_knn(k=50)", "user_knn(k=100)", "hkv(factors=10)", "hkv(factors=20)", "hkv(factors=50)")
RATIOS = (0.1, 0.2, 0.4, 0.6, 0.8)
STRENGTHS = (0.0, 1.0, 2.2, 4.0)
DEPTH = 10
RELEVANT = 4
ALPHA = 0.05


@dataclass(frozen=True)
class Board:
    """What is simulated, and what is computed from it."""

    size: Mapping[str, int] = field(default_factory=dict)
    systems: Sequence[str] = SYSTEMS
    ratios: Sequence[float] = RATIOS
    strengths: Sequence[float] = STRENGTHS


TINY = Board({"users": 60, "items": 850, "ratings": 3000}, ("random", "popularity", "user_knn(k=50)"), (0.2, 0.8), (0.0, 4.0))

Measures = dict[tuple[str, float], dict[str, NDArray[np.float64]]]


def main(command: Sequence[str] | None = None) -> None:
    accepted = parser(__doc__)
    accepted.add_argument("--movielens", type=Path, help="u.data of MovieLens 100K")
    accepted.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    options = accepted.parse_args(command)
    board = TINY if options.tiny else Board()

    data: dict[str, Interactions] = {}
    truths: dict[str, NDArray[np.uint8]] = {}
    for seed in options.seeds[: 1 if options.tiny else None]:
        stream = Stream.of(seed, "simulated")
        data[f"simulated, seed {seed}"] = to_interactions(Simulated(**board.size).load([], stream))
        truths[f"simulated, seed {seed}"] = Simulated(**board.size).truth(stream)["rating"]
    if options.movielens:
        data["MovieLens 100K"] = to_interactions(MovieLens(release="100k").load([options.movielens], Stream.of(0)))

    print(markdown(["", *data], [[name, *map(figure, data.values())] for name, figure in SHAPE.items()]))
    for name, interactions in data.items():
        report_systems(name, interactions, truths.get(name), board)
    report_strengths(Stream.of(options.seeds[0], "simulated"), board)


def gini(counts: NDArray[np.int64]) -> float:
    ordered = np.sort(counts)
    n = len(ordered)
    return float(((2 * np.arange(1, n + 1) - n - 1) * ordered).sum() / (n * ordered.sum()))


def percentiles(counts: NDArray[np.int64]) -> str:
    return " ".join(f"{value:.0f}" for value in np.percentile(counts, [0, 25, 50, 75, 95, 100]))


def item_means(data: Interactions) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Mean ratings and counts of items with 20 ratings or more."""
    means = np.bincount(data.item, data.values, data.n_items) / np.maximum(data.item_counts, 1)
    often = data.item_counts >= 20
    return means[often], data.item_counts[often]


def user_means(data: Interactions) -> NDArray[np.float64]:
    return np.bincount(data.user, data.values, data.n_users) / np.maximum(data.user_counts, 1)


def share_relevant_by_popularity(data: Interactions) -> str:
    order = np.argsort(-data.item_counts, kind="stable")
    relevant = np.bincount(data.item, data.values >= RELEVANT, data.n_items)
    groups = np.split(order, [50, 150, 400, 800])
    return " ".join(f"{relevant[group].sum() / data.item_counts[group].sum():.2f}" for group in groups)


def nestedness(data: Interactions) -> float:
    """Correlation over users of log activity with the mean log popularity of what they rated."""
    popularity = np.bincount(data.user, np.log(data.item_counts)[data.item], data.n_users) / data.user_counts
    return float(np.corrcoef(np.log(data.user_counts), popularity)[0, 1])


def residual_deviation(data: Interactions) -> float:
    """Standard deviation of ratings around shrunk user and item means."""
    centred = data.values - data.values.mean()
    of_users = np.bincount(data.user, centred, data.n_users) / (data.user_counts + 5)
    centred = centred - of_users[data.user]
    of_items = np.bincount(data.item, centred, data.n_items) / (data.item_counts + 5)
    return float(np.std(centred - of_items[data.item]))


def singular_values(data: Interactions) -> str:
    """Largest singular values of observed minus expected counts over the root of the expected, items with 5 ratings or more."""
    observed = np.zeros((data.n_users, data.n_items))
    observed[data.user, data.item] = 1
    expected = np.outer(data.user_counts, data.item_counts / len(data))
    often = data.item_counts >= 5
    values = np.linalg.svd(((observed - expected) / np.sqrt(expected))[:, often], compute_uv=False)
    return " ".join(f"{value:.0f}" for value in values[[0, 1, 2, 3, 5, 10, 20]])


SHAPE: dict[str, Callable[[Interactions], object]] = {
    "users / items / ratings": lambda d: f"{d.n_users} / {d.n_items} / {len(d)}",
    "density": lambda d: f"{len(d) / d.n_users / d.n_items:.4f}",
    "Gini of item counts": lambda d: f"{gini(d.item_counts):.3f}",
    "Gini of user counts": lambda d: f"{gini(d.user_counts):.3f}",
    "share of 1-5 stars, %": lambda d: " ".join(f"{100 * n / len(d):.1f}" for n in np.bincount(d.values.astype(int))[1:]),
    "mean rating": lambda d: f"{d.values.mean():.2f}",
    "ratings per user, percentiles 0 25 50 75 95 100": lambda d: percentiles(d.user_counts),
    "ratings per item, percentiles 0 25 50 75 95 100": lambda d: percentiles(d.item_counts),
    "items with one rating": lambda d: (d.item_counts == 1).sum(),
    "deviation of users' means": lambda d: f"{user_means(d).std():.2f}",
    "deviation of items' means (20 ratings or more)": lambda d: f"{item_means(d)[0].std():.2f}",
    "correlation of item mean and log count (same)": lambda d: (
        f"{np.corrcoef(item_means(d)[0], np.log(item_means(d)[1]))[0, 1]:.2f}"
    ),
    "share relevant by popularity rank: 50, 150, 400, 800, rest": share_relevant_by_popularity,
    "correlation of a user's log activity and mean log popularity": lambda d: f"{nestedness(d):.2f}",
    "correlation of a user's log activity and mean rating": lambda d: (
        f"{np.corrcoef(np.log(d.user_counts), user_means(d))[0, 1]:.2f}"
    ),
    "deviation of ratings around user and item means": lambda d: f"{residual_deviation(d):.2f}",
    "singular values of who rated what: 1 2 3 4 6 11 21": singular_values,
}


def report_systems(name: str, data: Interactions, truth: NDArray[np.uint8] | None, board: Board) -> None:
    measures = measure_systems(data, truth, board.systems, board.ratios)
    for metric in next(iter(measures.values())):
        print(f"\n{name}: {metric}\n")
        rows = [[system, *(f"{measures[system, ratio][metric].mean():.3f}" for ratio in board.ratios)] for system in board.systems]
        print(markdown(["train ratio", *map(str, board.ratios)], rows))
    for metric in ("P@10", "nDCG@10"):
        print(f"\n{name}: verdicts by {metric} that change (difference, p; * p < {ALPHA})\n")
        print(markdown(["pair", *map(str, board.ratios)], changing_verdicts(measures, metric, board)))


def report_strengths(stream: Stream, board: Board) -> None:
    """Print, at a ratio of .8, how missingness changes the measured values while the truth stays the same."""
    rows = []
    for mnar in board.strengths:
        component = Simulated(mnar=mnar, **board.size)
        data, truth = to_interactions(component.load([], stream)), component.truth(stream)["rating"]
        of_item = truth.mean(axis=0)[data.item].mean()
        measures = measure_systems(data, truth, board.systems, ratios=(0.8,))
        cells = [
            f"{measures[system, 0.8]['P@10'].mean():.3f} / {measures[system, 0.8]['P@10 under the complete truth'].mean():.3f}"
            for system in board.systems
        ]
        rows.append([mnar, f"{truth.mean():.2f} {of_item:.2f} {data.values.mean():.2f}", *cells])
    print(
        "\nStrength of missingness: mean true rating of all pairs, of the rated items, of the rated pairs; P@10 observed / true\n"
    )
    print(markdown(["mnar", "means", *board.systems], rows))


def measure_systems(
    data: Interactions, truth: NDArray[np.uint8] | None, systems: Sequence[str], ratios: Sequence[float]
) -> Measures:
    measures: Measures = {}
    for ratio in ratios:
        roles = Random(ratio=ratio).roles(data, 0, Stream.of(1, "split"))
        train, test = data.take(roles == Role.TRAIN), data.take(roles == Role.TEST)
        admitted = train.user_counts > 0
        for system in systems:
            values = measure_system(system, train, test, truth)
            measures[system, ratio] = {metric: value[admitted] for metric, value in values.items()}
    return measures


def measure_system(
    system: str, train: Interactions, test: Interactions, truth: NDArray[np.uint8] | None
) -> dict[str, NDArray[np.float64]]:
    model = build("recommender", system).fit(train, Stream.of(1, "fit").generator())
    rankings = rank(
        model,
        train,
        test,
        targets=AR(),
        relevance=4,
        nc=Drop(),
        fallback=None,
        ties="random",
        list_depth=DEPTH,
        tie_stream=Stream.of(1, "ties"),
        target_stream=Stream.of(1, "targets"),
    )
    positions = rankings.positions
    judged = Judged.of(
        user=positions["user"],
        position=positions["position"].filled(0).astype(np.int64),
        rating=positions["rating"].filled(np.nan),
        targets_ranked=rankings.users["scored"],
        view="full",
        scale=test.scale,
        relevance=RELEVANT,
    )
    values = {"P@10": P().measure(judged, (DEPTH,))[:, 0], "nDCG@10": NDCG().measure(judged, (DEPTH,))[:, 0]}
    if truth is not None:
        lists = rankings.lists
        hits = truth[lists["user"], lists["item"]] >= RELEVANT
        values["P@10 under the complete truth"] = np.bincount(lists["user"], hits, train.n_users) / DEPTH
    return values


def changing_verdicts(measures: Measures, metric: str, board: Board) -> list[list[str]]:
    """List the pairs in which each system wins significantly at some ratio."""
    rows, stream = [], Stream.of(1, "test")
    for a, b in combinations(board.systems, 2):
        found = [T().compare(measures[a, ratio][metric], measures[b, ratio][metric], stream) for ratio in board.ratios]
        winners = {np.sign(one.difference) for one in found if one.p_value < ALPHA}
        if len(winners) > 1:
            cells = [f"{one.difference:+.3f} ({one.p_value:.1g}){'*' if one.p_value < ALPHA else ''}" for one in found]
            rows.append([f"{a} - {b}", *cells])
    return rows


if __name__ == "__main__":
    main()
