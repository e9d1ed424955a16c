"""Every metric by its definition: slow, one user at a time, rank by rank."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

from metrics.rankings import User
from recsens import plugins
from recsens.files.scale import Scale
from recsens.metrics import WHOLE


@dataclass(frozen=True)
class Seen:
    """A user's ranking under a view: the rating at each rank, None if the item is not judged, and ratings of unranked items."""

    ranking: list[float | None]
    unranked: tuple[float, ...]
    scores: list[float | None]
    """Scores of the judged items in the ranking, in its order."""
    scale: Scale
    relevance: float
    n: int
    params: dict[str, object]

    @property
    def top(self) -> list[float | None]:
        return self.ranking[: self.n]

    @property
    def condensed(self) -> list[float]:
        return [rating for rating in self.ranking if rating is not None]

    @property
    def everything(self) -> list[float]:
        return [*self.condensed, *self.unranked]

    def likes(self, rating: float | None) -> bool:
        return rating is not None and (math.isnan(rating) or rating >= self.relevance)

    def dislikes(self, rating: float | None) -> bool:
        return rating is not None and not self.likes(rating)

    @property
    def n_relevant(self) -> int:
        return sum(map(self.likes, self.everything))

    @property
    def n_disliked(self) -> int:
        return len(self.everything) - self.n_relevant

    @property
    def hits(self) -> list[int]:
        """Ranks of the relevant items down to the cut-off."""
        return [k for k, rating in enumerate(self.top, start=1) if self.likes(rating)]

    def gain(self, rating: float | None) -> float:
        """The gain of a rating; an unjudged item has none."""
        if rating is None:
            return 0.0
        if math.isnan(rating):
            return 1.0
        low, high, tau = self.scale.lowest, self.scale.highest, self.relevance
        return {
            "binary": lambda: 1.0 if rating >= tau else 0.0,
            "linear": lambda: rating / high,
            "exp": lambda: (2 ** (rating - low) - 1) / (2 ** (high - low) - 1),
            "chapelle": lambda: (2 ** (rating - low) - 1) / 2 ** (high - low),
            "power": lambda: 2**rating - 1,
            "above": lambda: rating - tau + 1 if rating >= tau else 0.0,
            "ranksys": lambda: 2 ** (rating - tau + 1) - 1 if rating >= tau else 0.0,
        }[str(self.params["gain"])]()


def divided(part: float, whole: float, otherwise: float = 0.0) -> float:
    return part / whole if whole else otherwise


def p(seen: Seen) -> float:
    return len(seen.hits) / seen.n


def r(seen: Seen) -> float:
    return divided(len(seen.hits), seen.n_relevant)


def set_p(seen: Seen) -> float:
    return divided(len(seen.hits), len(seen.top))


def f1(seen: Seen) -> float:
    return divided(2 * p(seen) * r(seen), p(seen) + r(seen))


def set_f(seen: Seen) -> float:
    beta = float(seen.params["beta"])
    return divided((beta + 1) * set_p(seen) * r(seen), r(seen) + beta * set_p(seen))


def rprec(seen: Seen) -> float:
    return divided(sum(map(seen.likes, seen.ranking[: seen.n_relevant])), seen.n_relevant)


def anti_p(seen: Seen) -> float:
    return sum(map(seen.dislikes, seen.top)) / seen.n


def fallout(seen: Seen) -> float:
    return divided(sum(map(seen.dislikes, seen.top)), seen.n_disliked)


def success(seen: Seen) -> float:
    return float(any(map(seen.likes, seen.top)))


def rr(seen: Seen) -> float:
    return 1 / seen.hits[0] if seen.hits else 0.0


def arhr(seen: Seen) -> float:
    return sum(1 / k for k in seen.hits)


def arc(seen: Seen) -> float:
    return divided(sum(seen.hits), len(seen.hits), math.nan)


def ap(seen: Seen) -> float:
    total = sum(sum(map(seen.likes, seen.ranking[:k])) / k for k in seen.hits)
    whole = {"relevant": seen.n_relevant, "retrieved": len(seen.hits), "min": min(seen.n, seen.n_relevant), "shown": len(seen.top)}
    return divided(total, whole[str(seen.params["denominator"])])


def bpref(seen: Seen) -> float:
    relevant = seen.n_relevant
    bound = {"min": min(relevant, seen.n_disliked), "relevant": relevant, "relevant10": relevant + 10}[str(seen.params["bound"])]
    total = 0.0
    for k in seen.hits:
        above = sum(map(seen.dislikes, seen.ranking[:k]))
        total += 1 if above == 0 else 1 - min(above, bound) / bound
    return divided(total, len(seen.hits) if seen.params.get("denominator") == "retrieved" else relevant)


def infap(seen: Seen) -> float:
    total, epsilon = 0.0, 0.00001
    for k in seen.hits:
        above = seen.ranking[: k - 1]
        good, bad = sum(map(seen.likes, above)), sum(map(seen.dislikes, above))
        if k == 1:
            total += 1
            continue
        pooled = 1 if seen.params["pool"] == "all" else (good + bad) / (k - 1)
        total += 1 / k + (k - 1) / k * pooled * (good + epsilon) / (good + bad + 2 * epsilon)
    return divided(total, len(seen.hits) if seen.params.get("denominator") == "retrieved" else seen.n_relevant)


def discounted(gains: Sequence[float], discount: str) -> float:
    def at(k: int) -> float:
        if discount == "log2":
            return 1 / math.log2(k + 1)
        base = int(discount[2:])
        return 1.0 if k < base else 1 / math.log(k, base)

    return sum(gain * at(k) for k, gain in enumerate(gains, start=1))


def dcg(seen: Seen) -> float:
    return discounted([seen.gain(rating) for rating in seen.top], str(seen.params["discount"]))


def ndcg(seen: Seen) -> float:
    gains = [seen.gain(rating) for rating in seen.top]
    ideal = sorted(gains if seen.params["ideal"] == "list" else map(seen.gain, seen.everything), reverse=True)
    return divided(dcg(seen), discounted(ideal[: seen.n] if seen.params["ideal"] == "cut" else ideal, str(seen.params["discount"])))


def err(seen: Seen) -> float:
    total, goes_on = 0.0, 1.0
    for k, rating in enumerate(seen.top, start=1):
        total += goes_on * seen.gain(rating) / k
        goes_on *= 1 - seen.gain(rating)
    return total


def rbp(seen: Seen) -> float:
    phi = float(seen.params["phi"])
    return (1 - phi) * sum(seen.gain(rating) * phi ** (k - 1) for k, rating in enumerate(seen.top, start=1))


def rbp_residual(seen: Seen) -> float:
    phi = float(seen.params["phi"])
    unseen = sum(phi ** (k - 1) for k, rating in enumerate(seen.top, start=1) if rating is None)
    return (1 - phi) * unseen + phi ** len(seen.top)


def unrated(seen: Seen) -> float:
    return divided(seen.top.count(None), len(seen.top))


def judged_depth(seen: Seen) -> float:
    places = [place for place, rating in enumerate(seen.ranking, start=1) if rating is not None]
    return places[seen.n - 1] if len(places) >= seen.n else math.nan


# Pairs of ranked test items, in each of which the first item is above the second.


def pairs(seen: Seen) -> list[tuple[float, float, bool]]:
    """Ratings of the upper and the lower item of each pair, and whether the ranking ties them."""
    items = list(zip(seen.condensed, seen.scores, strict=True))
    by_score = seen.params.get("ties") == "score"
    return [(a, b, by_score and s is not None and s == t) for (a, s), (b, t) in combinations(items, 2)]


def auc(seen: Seen) -> float:
    mixed = [(seen.likes(a), tied) for a, b, tied in pairs(seen) if seen.likes(a) != seen.likes(b)]
    return divided(sum(0.5 if tied else float(good) for good, tied in mixed), len(mixed), 0.5)


def lauc(seen: Seen) -> float:
    """LAUC over all ranked or judged items; two items of which the first is not in the top are equally likely in either order."""
    labels = [*map(seen.likes, seen.ranking), *map(seen.likes, seen.unranked)]
    shown = min(seen.n, len(seen.ranking))
    mixed = [(a, place < shown) for place, a in enumerate(labels) for b in labels[place + 1 :] if a != b]
    return divided(sum(float(good) if is_seen else 0.5 for good, is_seen in mixed), len(mixed), 0.5)


def signs(seen: Seen) -> tuple[int, int]:
    untied = [(a, b) for a, b, tied in pairs(seen) if not tied]
    return sum(a > b for a, b in untied), sum(a < b for a, b in untied)


def kendall_tau(seen: Seen) -> float:
    agree, against = signs(seen)
    found = pairs(seen)
    if seen.params["variant"] == "a":
        return divided(agree - against, len(found))
    rated_apart, ranked_apart = sum(a != b for a, b, _ in found), sum(not tied for _, _, tied in found)
    return divided(agree - against, math.sqrt(rated_apart * ranked_apart))


def ndpm(seen: Seen) -> float:
    _, against = signs(seen)
    different = [tied for a, b, tied in pairs(seen) if a != b]
    return divided(2 * against + sum(different), 2 * len(different), 0.5)


def spearman(seen: Seen) -> float:
    n = len(seen.condensed)
    by_rating = [1 + sum(b > a for b in seen.condensed) + (seen.condensed.count(a) - 1) / 2 for a in seen.condensed]
    tied = [(i, j) for i in range(n) for j in range(n) if i != j and seen.params["ties"] == "score"]
    tied = [(i, j) for i, j in tied if seen.scores[i] is not None and seen.scores[i] == seen.scores[j]]
    groups = [[i, *(j for k, j in tied if k == i)] for i in range(n)]
    by_rank = [1 + sum(group) / len(group) for group in groups]
    middle = (n + 1) / 2
    joint = sum((a - middle) * (b - middle) for a, b in zip(by_rating, by_rank, strict=True))
    spreads = [sum((a - middle) ** 2 for a in ranks) for ranks in (by_rating, by_rank)]
    return divided(joint, math.sqrt(spreads[0] * spreads[1]))


def ideal_order(seen: Seen) -> list[int]:
    """Positions in the condensed ranking, in descending order of ratings."""
    return sorted(range(len(seen.condensed)), key=lambda place: -seen.condensed[place])


def tau_ap(seen: Seen) -> float:
    def one_way(estimate: Sequence[int], truth: Sequence[int]) -> float:
        n = len(estimate)
        if n < 2:
            return 0.0
        belongs = [
            sum(truth.index(other) < truth.index(item) for other in estimate[:place]) / place
            for place, item in enumerate(estimate)
            if place > 0
        ]
        return 2 * sum(belongs) / (n - 1) - 1

    system, ideal = list(range(len(seen.condensed))), ideal_order(seen)
    there, back = one_way(system, ideal), one_way(ideal, system)
    return (there + back) / 2 if seen.params["symmetric"] == "true" else there


def rbo(seen: Seen) -> float:
    phi, ideal = float(seen.params["phi"]), ideal_order(seen)
    n = len(ideal)
    overlaps = [len(set(range(depth)) & set(ideal[:depth])) for depth in range(1, n + 1)]
    truncated = (1 - phi) * sum(phi ** (d - 1) * overlap / d for d, overlap in enumerate(overlaps, start=1))
    if n == 0:
        return 0.0
    return {
        "truncated": truncated,
        "normalised": truncated / (1 - phi**n),
        "extrapolated": overlaps[-1] / n * phi**n + (1 - phi) / phi * sum(x / d * phi**d for d, x in enumerate(overlaps, start=1)),
    }[str(seen.params["form"])]


DEFINITIONS: dict[str, Callable[[Seen], float]] = {
    "AP": ap,
    "AntiP": anti_p,
    "ARC": arc,
    "ARHR": arhr,
    "AUC": auc,
    "Bpref": bpref,
    "DCG": dcg,
    "JudgedDepth": judged_depth,
    "ERR": err,
    "F1": f1,
    "Fallout": fallout,
    "KendallTau": kendall_tau,
    "LAUC": lauc,
    "NDPM": ndpm,
    "P": p,
    "R": r,
    "RBO": rbo,
    "RBP": rbp,
    "RBPResidual": rbp_residual,
    "RR": rr,
    "Rprec": rprec,
    "SetF": set_f,
    "SetP": set_p,
    "Spearman": spearman,
    "Success": success,
    "TauAP": tau_ap,
    "Unrated": unrated,
    "infAP": infap,
    "nDCG": ndcg,
}

GAINS = ("binary", "exp", "linear", "chapelle", "power", "above", "ranksys")

METRICS: list[tuple[str, dict[str, object]]] = [
    *((name, {}) for name in ("P", "R", "F1", "Rprec", "Success", "RR", "ARHR", "SetP", "LAUC", "Unrated", "AntiP", "Fallout")),
    *(("SetF", {"beta": beta}) for beta in (1, 0, 2.5)),
    *(("AP", {"denominator": denominator}) for denominator in ("relevant", "retrieved", "min", "shown")),
    *(("Bpref", {"bound": bound}) for bound in ("min", "relevant", "relevant10")),
    *(("infAP", {"pool": pool}) for pool in ("all", "judged")),
    ("Bpref", {"bound": "min", "denominator": "retrieved"}),
    ("infAP", {"pool": "all", "denominator": "retrieved"}),
    *(("nDCG", {"gain": gain, "ideal": ideal, "discount": "log2"}) for gain in GAINS for ideal in ("cut", "uncut", "list")),
    *(("nDCG", {"gain": "linear", "ideal": ideal, "discount": "jk2"}) for ideal in ("cut", "uncut", "list")),
    ("nDCG", {"gain": "exp", "ideal": "cut", "discount": "jk10"}),
    *(("ERR", {"gain": gain}) for gain in ("chapelle", "binary", "linear", "exp")),
    *(("RBP", {"gain": gain, "phi": phi}) for gain, phi in (("binary", 0.8), ("exp", 0.5), ("linear", 0.95), ("chapelle", 0.8))),
    ("RBPResidual", {"phi": 0.8}),
    ("RBPResidual", {"phi": 0.3}),
    *(("AUC", {"ties": ties}) for ties in ("broken", "score")),
]
"""Metrics of relevance and gains, each with all of its parameters."""

OF_SUMS: list[tuple[str, dict[str, object]]] = [
    ("DCG", {"gain": gain, "discount": discount}) for gain in GAINS for discount in ("log2", "jk2")
]
"""Metrics without an upper bound."""

OF_DEPTH: list[tuple[str, dict[str, object]]] = [("JudgedDepth", {}), ("ARC", {})]
"""Metrics whose values are positions."""

OF_TWO_RANKINGS: list[tuple[str, dict[str, object]]] = [
    *(("KendallTau", {"variant": variant, "ties": ties}) for variant in "ab" for ties in ("broken", "score")),
    *(("Spearman", {"ties": ties}) for ties in ("broken", "score")),
    *(("NDPM", {"ties": ties}) for ties in ("broken", "score")),
    *(("TauAP", {"symmetric": symmetric}) for symmetric in ("false", "true")),
    *(("RBO", {"phi": 0.8, "form": form}) for form in ("truncated", "normalised", "extrapolated")),
    ("RBO", {"phi": 0.5, "form": "extrapolated"}),
]
"""Metrics that compare the ranking with the order of the ratings, each with all of its parameters."""


OF_POSITIONS = [
    name
    for name in plugins.names("metric")
    if getattr(plugins.load("metric", name), "reads", "positions") == "positions" and plugins.load("metric", name).unit == "user"
]
"""Every metric that is computed from judged positions for each user."""


def written(name: str, params: dict[str, object]) -> str:
    """Write a metric with parameters as a spec."""
    return f"{name}({','.join(f'{key}={value}' for key, value in params.items())})" if params else name


def by_definition(name: str, params: dict[str, object], user: User, view: str, n: int, scale: Scale, relevance: float) -> float:
    """Measure one user."""
    ranking = [user.ranked.get(rank) for rank in range(1, user.listed + 1)]
    if view == "condensed":
        ranking = [rating for rating in ranking if rating is not None]
    scores = [dict(user.scores).get(rank) for rank in sorted(user.ranked)]
    return DEFINITIONS[name](Seen(ranking, user.unranked, scores, scale, relevance, min(n, WHOLE), params))
