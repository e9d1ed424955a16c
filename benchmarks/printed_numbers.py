"""How often the search for the convention behind a printed number succeeds, on 100 cases made beforehand.

    python benchmarks/printed_numbers.py [--cases 100] [--seed 1] [--show]

Each case takes a data set, a split and one to three printed numbers of one or two runs. The numbers are those of a definition drawn
from the conventions of other tools, with up to two decisions changed, and are printed with four digits under the usual name of the
metric. The class of the true definition is the one whose exact values are the true ones. Needs the folder ``RECSENS_DATA``.
"""

import hashlib
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import svds

from command_line import parser
from recsens.data.datasets import to_interactions
from recsens.data.datasets.simulated import Simulated
from recsens.errors import RecsensError
from recsens.metrics import Metric
from recsens.runs.evaluation import CONVENTIONS, Convention, Evaluator, Theirs
from recsens.runs.printed_values import look_up
from recsens.seeds import Stream

SEED, CASES, FIRST = 1, 100, 3
DEPTH, DIGITS = 100, 4
TEST, UNLISTED = 0.2, 0.05
SYSTEMS = ("popularity", "items", "factors")
CUTOFFS = (5, 10, 20, 50)
NUMBERS = (1, 1, 2, 3)
"""Printed numbers of a case: half of the cases have one."""
CHANGED = (0, 0, 1, 1, 2)
"""Decisions changed from the convention's own."""
WRITTEN = ("rounded",) * 17 + ("percent", "percent", "truncated")
SAME = 1e-9

FILES = {
    "ml-100k": ("ml-100k/u.data", {"sep": "\t", "names": ["user", "item", "rating"], "usecols": [0, 1, 2]}),
    "filmtrust": ("filmtrust/ratings.txt", {"sep": " ", "names": ["user", "item", "rating"]}),
    "ml-latest-small": ("ml-latest-small/ratings.csv", {"names": ["user", "item", "rating"], "usecols": [0, 1, 2], "header": 0}),
}

USUAL = {
    **dict.fromkeys(("ndcg", "ndcg_cut", "ndcgat", "ndcg_score"), "nDCG"),
    **dict.fromkeys(("ap", "map", "map_cut", "averageprecision", "meanaverageprecision", "meanaverageprecisionat"), "MAP"),
    "average_precision_score": "MAP",
    **dict.fromkeys(("p", "precision", "precisionat"), "Precision"),
    **dict.fromkeys(("r", "recall", "recallat"), "Recall"),
    **dict.fromkeys(("rr", "mrr", "recip_rank", "reciprank", "reciprocalrank"), "MRR"),
    **dict.fromkeys(("success", "hit", "hr", "hitrate", "hitratio"), "HR"),
    **dict.fromkeys(("f1", "f1beta"), "F1"),
    **dict.fromkeys(("auc", "rocauc"), "AUC"),
}
"""A tool's name of a metric, in lower case -> the name that papers print."""

OURS = (
    *(Theirs(name, name) for name in ("nDCG", "P", "R", "Success", "F1")),
    *(Theirs(name, name, "optionally") for name in ("AP", "RR")),
    Theirs("AUC", "AUC", "never"),
)

CHANGES = ("relevance", "relevant", "list", "ties", "train", "everyone", "formula", "cut-off")
GAINS = ("linear", "exp", "power", "ranksys")
DENOMINATORS = ("min", "retrieved")


@dataclass(frozen=True)
class Board:
    """A data set, split, with the runs of its systems: with train items in their lists or not, scores rounded or not."""

    train: pd.DataFrame
    test: pd.DataFrame
    runs: Mapping[str, pd.DataFrame]

    @property
    def n_all(self) -> int:
        """Users of any file."""
        return len(pd.concat([self.train["user"], self.test["user"], *(run["user"] for run in self.runs.values())]).unique())


@dataclass
class Case:
    """A case: its printed numbers by run and name, the true values in the same order, and what they are."""

    dataset: str
    runs: dict[str, pd.DataFrame]
    board: Board
    printed: list[tuple[str, str, str]] = field(default_factory=list)
    true: list[float] = field(default_factory=list)
    says: str = ""

    @property
    def line(self) -> str:
        numbers = ", ".join(f"{run} {name}={text}" for run, name, text in self.printed)
        return f"{self.dataset}: {numbers} [{self.says}]"


def main(command: Sequence[str] | None = None) -> None:
    accepted = parser(__doc__)
    accepted.add_argument("--cases", type=int, default=CASES)
    accepted.add_argument("--seed", type=int, default=SEED)
    accepted.add_argument("--show", action="store_true", help="print every case")
    options = accepted.parse_args(command)
    boards = {"simulated": simulated()} if options.tiny else {name: board_of(read(name), name) for name in FILES}
    made = list(cases(boards, options.seed, 3 if options.tiny else options.cases))
    digest = hashlib.sha256("\n".join(case.line for case in made).encode()).hexdigest()
    print(f"{len(made)} cases of {', '.join(boards)}; sha256 of their lines {digest[:16]}")
    places: dict[str, list[int | None]] = {}
    seconds = []
    for number, case in enumerate(made):
        begun = time.process_time()
        place, n_classes = place_of(case)
        seconds.append(time.process_time() - begun)
        for group in ("all", case.dataset, f"{len(case.printed)} printed"):
            places.setdefault(group, []).append(place)
        if options.show:
            print(f"{number}: class {place or 'none'} of {n_classes}, {seconds[-1]:.1f} s: {case.line}", flush=True)
    print("| cases | number | first | among the first three | found |\n|---|---:|---:|---:|---:|")
    for group, own in sorted(places.items()):
        found = [place for place in own if place is not None]
        print(f"| {group} | {len(own)} | {found.count(1)} | {sum(place <= FIRST for place in found)} | {len(found)} |")
    print(f"median {np.median(seconds):.1f} s, at most {max(seconds):.1f} s of processor time for a case")


def place_of(case: Case) -> tuple[int | None, int]:
    """Return the place of the class whose values are the true ones, None if there is none, and the number of classes."""
    numbers: dict[str, dict[str, str]] = {}
    for run, label, text in case.printed:
        numbers.setdefault(run, {})[label] = text
    found = look_up(numbers, case.runs, case.board.test, train=case.board.train)
    labels = [label for _, label, _ in case.printed]
    # Values are in the order of the labels.
    true = [case.true[place] for place in sorted(range(len(labels)), key=lambda place: labels.index(labels[place]))]
    places = (place for place, one in enumerate(found.classes, 1) if np.allclose(one["values"], true, rtol=0, atol=SAME))
    return next(places, None), len(found.classes)


def read(name: str) -> pd.DataFrame:
    path, layout = FILES[name]
    rows = pd.read_csv(Path(os.environ["RECSENS_DATA"]) / path, **layout)
    return rows.drop_duplicates(["user", "item"], ignore_index=True)


def simulated() -> Board:
    data = to_interactions(Simulated(users=60, items=850, ratings=3000).load([], Stream.of(1, "simulated")))
    return board_of(pd.DataFrame({"user": data.user, "item": data.item, "rating": data.values}), "simulated")  # noqa: PD011 - no frame


def board_of(rows: pd.DataFrame, name: str) -> Board:
    draw = np.random.default_rng([SEED, *name.encode()])
    is_test = draw.random(len(rows)) < TEST
    train, test = rows[~is_test].reset_index(drop=True), rows[is_test].reset_index(drop=True)
    users, items = np.unique(train["user"]), np.unique(train["item"])
    matrix = csr_array(
        (train["rating"].to_numpy(float), (np.searchsorted(users, train["user"]), np.searchsorted(items, train["item"]))),
        shape=(len(users), len(items)),
    )
    absent = draw.random(len(users)) < UNLISTED
    runs = {}
    for system in SYSTEMS:
        exact = scores(system, matrix)
        for form in ("exact", "rounded"):
            values = exact if form == "exact" else np.round(exact / exact.max(), 2)
            for lists in ("clean", "raw"):
                kept = values if lists == "raw" else np.where(matrix.toarray() > 0, -np.inf, values)
                for who in ("all", "most"):
                    runs[f"{system} {form} {lists} {who}"] = top(kept, users, items, absent & (who == "most"))
    return Board(train, test, runs)


def scores(system: str, matrix: csr_array) -> NDArray[np.float64]:
    """Return the scores of all items for all users, shape (n_users, n_items)."""
    if system == "popularity":
        return np.tile(np.asarray((matrix > 0).sum(axis=0), dtype=float), (matrix.shape[0], 1))
    if system == "factors":
        left, values, right = svds(matrix, k=20, v0=np.ones(min(matrix.shape)))
        return np.round((left * values) @ right, 6)
    norms = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=0)))
    unit = matrix.multiply(1 / norms).tocsr()
    return np.round(((matrix > 0) @ (unit.T @ unit)).toarray(), 6)


def top(values: NDArray[np.float64], users: NDArray[np.int64], items: NDArray[np.int64], absent: NDArray[np.bool_]) -> pd.DataFrame:
    """Return lists of the best items, best first; items with equal scores are in the order of their numbers."""
    order = np.argsort(-values, axis=1, kind="stable")[:, :DEPTH]
    best = np.take_along_axis(values, order, axis=1)
    frame = pd.DataFrame({"user": np.repeat(users, order.shape[1]), "item": items[order.ravel()], "score": best.ravel()})
    return frame[np.isfinite(frame["score"]) & ~np.repeat(absent, order.shape[1])].reset_index(drop=True)


def cases(boards: Mapping[str, Board], seed: int, n: int) -> Iterator[Case]:
    names = list(boards)
    for number in range(n):
        for again in range(100):
            draw = np.random.default_rng([seed, number, again])
            name = names[number % len(names)]
            made = case_of(name, boards[name], draw, n_numbers=NUMBERS[number % len(NUMBERS)])
            if made is not None:
                yield made
                break


@dataclass
class Definition:
    """The decisions behind a case: a tool's, some of them changed."""

    convention: Convention
    labels: list[Theirs]
    specs: list[str] = field(default_factory=list)
    decisions: dict[str, object] = field(default_factory=dict)
    is_everyone: bool = False
    is_silent: bool = False

    def change(self, what: str, draw: np.random.Generator, values: NDArray[np.float64]) -> None:
        """Change one decision."""
        flipped = {"zero": "skip", "skip": "zero"}
        match what:
            case "relevance":
                self.decisions["relevance"] = float(values[draw.integers(1, len(values))])
            case "relevant":
                self.decisions["no_relevant"] = flipped[self.convention.no_relevant]
            case "list":
                self.decisions["no_list"] = flipped[self.convention.no_list]
            case "ties":
                self.decisions["ties"] = ("item", "given", "pessimistic", "optimistic")[draw.integers(4)]
            case "train":
                self.decisions["train_items"] = "all"
            case "everyone":
                self.is_everyone = True
            case "formula":
                key, options = {"nDCG": ("gain", GAINS), "AP": ("denominator", DENOMINATORS)}[self.specs[0]]
                self.specs[0] = f"{self.specs[0]}({key}={options[draw.integers(len(options))]})"
            case "cut-off":
                self.is_silent = True


def case_of(name: str, board: Board, draw: np.random.Generator, *, n_numbers: int) -> Case | None:
    """Draw a case; None if the drawn decisions cannot be combined, or a number is 0 or undefined."""
    tools = [tool for tool in CONVENTIONS if tool != "surprise"]
    tool = tools[draw.integers(len(tools))]
    convention = CONVENTIONS[tool]
    drawable = [one for one in convention.metrics or OURS if one.name.partition("(")[0].lower() in USUAL and not one.takes]
    form = " ".join([("exact", "rounded")[draw.integers(2)], ("clean", "raw")[draw.integers(2)], ("all", "most")[draw.integers(2)]])
    systems = draw.permutation(SYSTEMS)[:2].tolist()
    labels = [drawable[place] for place in draw.permutation(len(drawable))[:2]]
    if n_numbers == 3 and len(labels) < 2:
        return None
    truth = Definition(convention, labels, [one.ours for one in labels], {"ties": "given"} if tool == "sklearn" else {})
    drawn = draw.permutation(CHANGES)
    changes = [str(change) for change in drawn[: CHANGED[draw.integers(len(CHANGED))]]]
    for change in changes:
        if change == "formula" and truth.specs[0] not in {"nDCG", "AP"}:
            return None
        truth.change(change, draw, np.unique(board.test["rating"]))
    written = WRITTEN[draw.integers(len(WRITTEN))]
    made, cutoffs = Case(name, {}, board), dict[int, int]()
    for run, place in [("A", 0), ("B", 0), ("A", 1)][:n_numbers]:
        made.runs[run] = board.runs[f"{systems['AB'.index(run)]} {form}"]
        label = labels[place]
        cutoff = cutoffs.setdefault(place, int(CUTOFFS[draw.integers(len(CUTOFFS))]))
        at = f"@{cutoff}" if label.cutoff != "never" else ""
        value = true_value(board, made.runs[run], truth.specs[place] + at, truth)
        if value is None or not any(sign in "123456789" for sign in text_of(value, written)):
            return None
        said = USUAL[label.name.partition("(")[0].lower()] + ("" if truth.is_silent else at)
        made.printed.append((run, said, text_of(value, written)))
        made.true.append(value)
    named = "; ".join(truth.specs[: 2 if n_numbers == 3 else 1])
    made.says = f"{tool}; {named}; {form}; changed: {', '.join(changes) or 'nothing'}; {written}"
    return made


def true_value(board: Board, run: pd.DataFrame, metric: str, truth: Definition) -> float | None:
    """Return the mean over the convention's users, or over all users of any file, of whom those whom it leaves out count 0."""
    # With our own names only: the convention decides everything else.
    convention = replace(truth.convention, metrics=())
    try:
        evaluator = Evaluator.of(board.test, [metric], convention=convention, train=board.train, **truth.decisions)
        found = evaluator.evaluate(run)
    except RecsensError:
        return None
    (value,) = found.means.values()
    is_pooled = Metric.build(metric.partition("@")[0]).unit == "pooled"
    if truth.is_everyone and not is_pooled:
        value = value * found.n_users / board.n_all
    return float(value) if np.isfinite(value) else None


def text_of(value: float, written: str) -> str:
    """Print a value with four decimals, the last one rounded or cut off, or as a percentage with two."""
    if written == "percent":
        return f"{100 * value:.{DIGITS - 2}f}%"
    return f"{np.floor(value * 10**DIGITS) / 10**DIGITS if written == 'truncated' else value:.{DIGITS}f}"


if __name__ == "__main__":
    main()
