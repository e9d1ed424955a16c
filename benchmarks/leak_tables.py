"""Tables of a page, from the cases of `leaks.py`."""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

from scipy.stats import beta, norm

from leaking_files import DATA
from planted_leaks import CLEAN, FAULTS, FITTED, STRENGTHS, TRAINED

Case = dict[str, Any]

_LEAST = ("items unknown to train", "users unknown to train")
"""Findings with a lower end alone."""

_BOUNDED = ("test users without a list",)
"""Findings with guaranteed bounds."""

_TRIED = ("user_knn(k=50)", "pure_svd(factors=16)", "ease")
_CONTROLS = {(name, "random") for name in _LEAST}
"""A system that learns nothing has learned nothing of what train lacks."""

_SAME = 1e-9

_CLEAN = "### Clean files\n"

_FAULTS = """### Planted faults

Runs found, and sizes (medians at the middle strength). If only a lower end or bounds are printed, they count in place of intervals:
"""

_FITTED = """### Models fitted on test pairs

The six systems are fitted on train and on a share of the test pairs, which the train file does not have. The table shows the runs
found by *knowledge of the test set*, *items unknown to train* or *users unknown to train*, the median of the true size, and how
often the truth is above the lower end that the last two print:
"""

_DETECTOR = """A detector for such models was tried and not kept. It compares the weight that a user's list gives to each relevant
test item with that of five unrated items that are about as popular, and about as similar to the user's train items (*matched
pairs*), and asks what refits by popularity and by item and user neighbours do not explain (*beyond refits*). But good models find a
user's test items without a leak, and better than simple refits do, so it accuses clean files:
"""


def tables(cases: Sequence[Case]) -> Iterator[str]:
    """Write all tables, each below a sentence."""
    yield from _of_clean([each for each in cases if not each["strength"]])
    yield from _of_faults([each for each in cases if each["case"] in FAULTS])
    yield from _of_fitted([each for each in cases if each["case"].startswith(TRAINED)])
    yield from _of_tried([each for each in cases if each.get("tried") or each["case"].startswith(TRAINED)])


def _of_clean(clean: Sequence[Case]) -> Iterator[str]:
    yield _CLEAN
    counts = {kind: _accused([each for each in clean if kind in {each["case"], "all"}]) for kind in [*CLEAN, "all"]}
    accused, n = counts.pop("all")
    named = sorted({detector for each in clean for detector in each["accused"]})
    yield f"Runs accused by any detector: {', '.join(f'{kind} {_of(*own)}' for kind, own in counts.items())}."
    yield f"The 95 % interval of the probability that a clean run is accused is {_interval(accused, n)} (Clopper & Pearson)."
    yield f"Detectors that accused a clean run: {', '.join(named) or 'none'}.\n"


def _accused(cases: Sequence[Case]) -> tuple[int, int]:
    """Count the runs that any detector accuses, and all runs."""
    return sum(len({run for runs in each["accused"].values() for run in runs}) for each in cases), sum(each["n"] for each in cases)


def _of_faults(cases: Sequence[Case]) -> Iterator[str]:
    yield _FAULTS
    heads = ("strengths", *(f"{each}: found" for each in STRENGTHS), "truth within the interval")
    yield from _table("fault", [*heads, "true size", "estimated size"])
    for fault, (amounts, _) in FAULTS.items():
        seen = [
            (case["strength"], own)
            for case in cases
            if case["case"] == fault
            for system, own in case["systems"].items()
            if (fault, system) not in _CONTROLS
        ]
        found = [[own["found"] for strength, own in seen if strength == each] for each in STRENGTHS]
        middle = [own for strength, own in seen if strength == "middle"]
        truth, size = (_median(own[which] for own in middle) for which in ("truth", "size"))
        shares = ", ".join(f"{amount:g}" for amount in amounts)
        counts = (_of(sum(each), len(each)) for each in found)
        yield _row(fault, shares, *counts, _coverage(fault, [own for _, own in seen]), truth, "–" if fault in _LEAST else size)
    yield ""


def _coverage(fault: str, seen: Sequence[dict[str, Any]]) -> str:
    """Count the truths within intervals, or above lower ends."""
    known = [own for own in seen if own["low"] is not None and own["truth"] is not None]
    if not known:
        return "no size"
    above = [own["low"] - _SAME <= own["truth"] for own in known]
    below = [fault in _LEAST or own["truth"] <= own["high"] + _SAME for own in known]
    within = [low and high for low, high in zip(above, below, strict=True)]
    kind = " (lower end)" if fault in _LEAST else " (bounds)" if fault in _BOUNDED else ""
    return f"{_of(sum(within), len(within))}{kind}"


def _of_fitted(cases: Sequence[Case]) -> Iterator[str]:
    yield _FITTED
    names = [name for name in DATA if any(each["data"] == name for each in cases)]
    yield from _table("share of the test pairs", [*(f"{name}: found, true size" for name in names), "lower ends right"])
    for share in (f"{each:.0%}" for each in FITTED):
        cells = []
        for name in names:
            runs = [run for each in cases if (each["strength"], each["data"]) == (share, name) for run in each["systems"].values()]
            found = sum(any(own["found"] for own in run["findings"].values()) for run in runs)
            cells.append(f"{_of(found, len(runs))}, {_median(run['truth'] for run in runs)}")
        ends = [
            own["low"] - _SAME <= run["truth"]
            for each in cases
            if each["strength"] == share
            for run in each["systems"].values()
            for detector, own in run["findings"].items()
            if detector in _LEAST and own["low"] is not None
        ]
        yield _row(share, *cells, _of(sum(ends), len(ends)))
    yield ""


def _of_tried(cases: Sequence[Case]) -> Iterator[str]:
    shares = ["", *(f"{each:.0%}" for each in FITTED)]
    scores: dict[tuple[str, str], list[float]] = {}
    for each in cases:
        for system in _TRIED:
            tried = each["tried"].get(system) if "tried" in each else each["systems"].get(system, {}).get("tried")
            for way, score in (tried or {}).items():
                scores.setdefault((way, each["strength"]), []).append(score)
    yield _DETECTOR
    for way in ("matched pairs", "beyond refits"):
        every = [scores.get((way, share), []) for share in shares]
        accused, found = (
            [_of(sum(score > limit for score in each), len(each)) for each in every]
            for limit in (norm.isf(0.01), max(every[0], default=0.0))
        )
        yield f"- *{way.capitalize()}*: {accused[0]} clean files accused with p at most .01. Above all clean scores are those of"
        yield f"  {found[1]} files with {shares[1]} and {found[-1]} with {shares[-1]} of the test pairs."
    yield ""


def _table(first: str, heads: Sequence[str]) -> Iterator[str]:
    yield _row(first, *heads)
    yield "|---" * (1 + len(heads)) + "|"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _of(count: int, n: int) -> str:
    return f"{count} of {n}"


def _interval(count: int, n: int) -> str:
    """Return the 95 % interval of a probability (Clopper & Pearson 1934)."""
    low = beta.ppf(0.025, count, n - count + 1) if count else 0.0
    high = beta.ppf(0.975, count + 1, n - count) if count < n else 1.0
    return f"{100 * low:.2f} to {100 * high:.2f} %" if n else "unknown"


def _median(values: Any) -> str:
    known = [value for value in values if value is not None]
    return f"{median(known):+.4f}" if known else "–"
