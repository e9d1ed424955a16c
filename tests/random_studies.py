"""Random valid studies on small simulated data, and what must hold in the results of any study."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from in_process import compute
from recsens import plugins
from recsens.conclusions.verdicts.study_tables import read_table
from recsens.errors import RecsensError
from recsens.metrics import parse_measured_at
from recsens.study.taxonomy import FULL_COLUMNS

OPTIONS: dict[str, list[str]] = {
    "filter": [
        "none",
        "binarise(at_least=4,below=zero)",
        "drop_popular(count=15)",
        "k_core(users=6,items=4)",
        "rating_range(lowest=2)",
        "rating_threshold",
        "ratings_per_item(at_least=5)",
        "ratings_per_user(at_least=12)",
        "ratings_per_user(at_most=25)",
        "sample(users=0.7)",
        "sample(ratings=0.8)+k_core(users=3,items=2)",
        "time_window(start=2000-06-01)",
    ],
    "split": [
        "random(ratio=0.7)",
        "random(ratio=0.5,count=exact)",
        "k_fold(k=3)",
        "k_fold_users(of=random,k=2)",
        "given(n=6)",
        "leave_out(n=2)",
        "leave_out(n=1,which=last)",
        "min_train(of=random,n=4)",
        "per_item(n=4)",
        "per_user(of=random(count=exact))",
        "per_user(of=temporal)",
        "percentile(of=random,m=2)",
        "pruned(of=random,filter=k_core(users=2,items=2))",
        "rolling(windows=3,horizon=60)",
        "temporal(ratio=0.7)",
        "thinned(of=random,share=0.5)",
        "uniform(sigma=0.1,epsilon=0.4)",
        "validated(of=random,inside=random)",
        "complete(of=random)",
    ],
    "targets": [
        *("ar", "ar(items=train)", "ar(items=test)", "ar(n=20)", "one_r", "one_r(n=10)", "p1r(m=2)", "rel_plus_n(n=15)"),
        *("u1r(n=10)", "uar(n=10)"),
    ],
    "nc": ["drop", "append(by=popularity)", "append(by=random)", "merge(by=average_rating)"],
    "ties": ["random", "low_index", "high_index"],
    "relevance": ["3", "4", "5"],
    "users": ["with_ratings", "with_ratings(train=0)", "with_ratings(relevant=1)", "with_ratings(train=8)", "with_ratings(test=2)"],
    "view": ["full", "condensed", "relevant", "rate(0.1)"],
    "aggregate": [
        "mean",
        "median",
        "geometric",
        "georisk",
        "standardised",
        "trisk",
        "urisk",
        "weighted(by=test)",
        "weighted(by=relevant)",
        "weighted(by=train)",
    ],
    "coverage": ["full", "reduced"],
    "test": ["t", "wilcoxon", "sign", "randomisation(samples=500)", "bootstrap(samples=300)", "subsamples(n=20)"],
    "correction": ["none", "holm", "bh"],
}
"""Options of each decision of a design that is chosen among plug-ins or words; every plug-in without a file of its own is here."""

SIMULATED = "simulated(users=60,items=110,ratings=1500)"
RATINGS = 'delimited(path=ratings.csv,separator=",",header=true,user=user,item=item,rating=rating,timestamp=time)'

SHORT = {
    "biased_mf": "(factors=3,epochs=2)",
    "bpr": "(factors=3,epochs=2)",
    "bpr_implicit": "(factors=3,epochs=2)",
    "calibrated": "(of=user_knn(k=5))",
    "fm": "(factors=3,epochs=2)",
    "hkv": "(factors=3,epochs=2)",
    "item_knn": "(k=5)",
    "lda": "(factors=3,epochs=2)",
    "nmf": "(factors=3)",
    "plsa": "(topics=3,epochs=2)",
    "pure_svd": "(factors=3)",
    "tuned": "(of=user_knn,search=grid(k=[3,9]))",
    "user_knn": "(k=5)",
    "wrmf": "(factors=3,epochs=2)",
}
"""Parameters with which a recommender is fitted in a moment; the others keep their defaults."""

WITHOUT_FILES = [name for name in plugins.names("recommender") if name not in {"from_file", "program"}]
SYSTEMS = [f"{name}{SHORT.get(name, '')}" for name in WITHOUT_FILES if not plugins.missing_extra(plugins.load("recommender", name))]
PREDICTING = ["average_rating", "biased_mf(factors=3,epochs=2)", "fm(factors=3,epochs=2)", "calibrated(of=user_knn(k=5))"]
"""Recommenders that predict ratings, which metrics of predictions need of every system."""

GROUPS = ["activity(n=2)", "popularity", "cold(most=10,of=items)"]
ANALYSES = [
    "correlation",
    "correlation(of=cutoffs)",
    "dial",
    "discrimination",
    "popularity(shares=[0,20])",
    "sparsity(sizes=[50,100],samples=3)",
    "split_half(samples=20)",
]

FIGURES = {
    "agreement": "(analysis=m)",
    "bars": "",
    "bounds": "",
    "condensed_depth": "(depth=4)",
    "curve": "(analysis=m)",
    "dial": "(analysis=m)",
    "differences_by_option": "(varied={varied})",
    "distribution": "",
    "heatmap": "(across={varied})",
    "influence": "",
    "joint": "",
    "lines": "(x={varied})",
    "roc": "",
    "relevant_share": "(segments=5)",
    "robustness": "(analysis=m)",
    "scores_by_option": "(varied={varied})",
    "shortest": "",
    "specification_curve": "",
    "split_profile": "(segments=5)",
    "systems": "",
}
"""A drawing by each kind of figure."""

CLAIMS = [
    *("wins(a=A,b=B)", "differ(a=A,b=B)", "tied(a=A,b=B)", "not_significant(a=A,b=B)", "ranks(order=[B,A])"),
    *(
        "exceeds(a=A,b=B,factor=1.1)",
        "times_random(system=A,between=[1,2])",
        "within(of=A,value=0.1)",
        "statistic(of=users,value=9)",
    ),
    *("constant(system=A,over={varied})", "monotone(system=A,over={varied})", "peaks(system=A,over={varied},between=[0,9])"),
    *("crosses(a=A,b=B,over={varied})", "proportional(system=A,over={varied})"),
    *("metric_beats(analysis=m,a={0},b={1})", "metric_bounds(analysis=m,between=[0,1])", "metric_leads(analysis=m,metric={0})"),
    "metric_trend(analysis=m,metric=P)",
]

METRICS = [name for name in plugins.names("metric") if name not in {"Bound1R", "TemporalDiversity", "TemporalNovelty"}]

LINEAR = ("mean", "weighted", "urisk", "standardised")
"""Aggregates that are means of what is tested."""

SHOWN = ("figure", "report")
"""Steps that only show results; they take most of the time."""

WITHOUT_DRAWS = ("t", "wilcoxon", "sign")


def random_study(seed: int) -> dict[str, Any]:
    """Draw a study that varies one or two decisions; it may be refused, if the decisions contradict each other."""
    rng = np.random.default_rng(seed)

    def pick(options: list[str], n: int = 1) -> list[str]:
        return [str(each) for each in rng.choice(options, size=min(n, len(options)), replace=False)]

    varied = pick([*OPTIONS, "repeats"], int(rng.integers(1, 3)))
    design: dict[str, Any] = {"split": pick(OPTIONS["split"])[0]} if rng.random() < 0.5 else {}
    for key in pick(list(OPTIONS), int(rng.integers(0, 4))):
        design[key] = pick(OPTIONS[key])[0]
    if rng.random() < 0.4:
        design["repeats"] = 2
    if any("k_fold_users" in each for each in [design.get("split", ""), *OPTIONS["split"] * ("split" in varied)]):
        # Users whom a fold does not test would count as zero.
        design["users"] = "with_ratings(test=1)"
    vary: dict[str, Any] = {key: pick(OPTIONS[key], int(rng.integers(1, 4))) for key in varied if key in OPTIONS}
    if "repeats" in varied:
        vary["repeats"] = [3]
    for options in (design, *({key: option} for key, option in vary.items())):
        if "relevance" in options:
            chosen = options["relevance"]
            options["relevance"] = [int(each) for each in chosen] if isinstance(chosen, list) else int(chosen)
    vary = {key: [int(each) for each in own] if key == "relevance" else own for key, own in vary.items()}
    metrics = list(_metrics(rng))
    reads = {parse_measured_at(each)[0].metric.reads for each in metrics}
    systems = PREDICTING if "predictions" in reads else SYSTEMS
    study = {
        "title": f"study {seed}",
        "seed": seed,
        "datasets": {"S": SIMULATED if rng.random() < 0.3 else RATINGS},
        "systems": dict(zip("ABC", pick(systems, int(rng.integers(2, 4))), strict=False)),
        "design": design,
        "vary": {key: [option for option in own if option != design.get(key)] or own for key, own in vary.items()},
        **({"combine": "grid"} if rng.random() < 0.4 else {}),
        **({"margin": 0.01} if rng.random() < 0.3 else {}),
        "metrics": metrics,
    }
    return study | _shown(rng, next(iter(vary)))


def _shown(rng: np.random.Generator, varied: str) -> dict[str, Any]:
    """Draw an analysis of metrics, a figure and a claim, each in some studies."""
    keys: dict[str, Any] = {}
    if rng.random() < 0.3:
        keys["meta"] = {"m": {"analysis": str(rng.choice(ANALYSES)), "metrics": ["P@3,5", "nDCG@5"]}}
    if rng.random() < 0.25:
        name = str(rng.choice([name for name, given in FIGURES.items() if "meta" in keys or "analysis=m" not in given]))
        keys["figures"] = [f"{name}{FIGURES[name].format(varied=varied)}"]
    if rng.random() < 0.3:
        claim = str(rng.choice([claim for claim in CLAIMS if "meta" in keys or "analysis=m" not in claim])).format(
            "P@3", "P@5", varied=varied
        )
        keys["claims"] = [{"claim": claim, "dataset": "S", "source": "here", "says": "so"}]
    if rng.random() < 0.3:
        keys["groups"] = GROUPS
    return keys


def _metrics(rng: np.random.Generator) -> Iterator[str]:
    first = "nDCG" if rng.random() < 0.3 else "P"
    for name in [first, *rng.choice([metric for metric in METRICS if metric != first], size=3, replace=False)]:
        takes = plugins.build("metric", str(name)).takes_cutoff
        yield (
            f"{name}@{rng.choice([3, 5, 10])}" if takes == "always" or (takes == "optionally" and rng.random() < 0.5) else str(name)
        )


def write_ratings(folder: Path, seed: int) -> None:
    """Write ratings of 70 users, of whom some have two ratings and some 30, over a year."""
    rng = np.random.default_rng([seed, 1])
    lines = ["user,item,rating,time"]
    for user in range(70):
        items = rng.choice(60, size=2 + int(28 * rng.random() ** 2), replace=False, p=_POPULARITY)
        lines += [f"u{user},i{item},{rng.integers(1, 6)},{946_684_800 + rng.integers(365 * 86_400)}" for item in items]
    (folder / "ratings.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


_POPULARITY = (1 / np.arange(1, 61)) / (1 / np.arange(1, 61)).sum()


def write(folder: Path, name: str, study: dict[str, Any]) -> str:
    """Write a study into a folder, and return its file's name."""
    (folder / f"{name}.yaml").write_text(yaml.safe_dump(study, sort_keys=False), encoding="utf-8")
    return f"{name}.yaml"


def computed(folder: Path, study: dict[str, Any], *, draws: bool) -> bool:
    """Compute a study, with its figures and page if it ``draws``; return False if it is refused in a message."""
    write_ratings(folder, study["seed"])
    try:
        compute(folder, write(folder, "s", study), without=() if draws else SHOWN)
    except RecsensError:
        return False
    return True


def tables(folder: Path, name: str = "s") -> dict[str, pd.DataFrame]:
    """Read the tables of a study."""
    at = folder / "results" / "studies" / name
    return {
        table: read_table(at / f"{table}.csv", table)
        for table in ("summary", "comparisons", "verdicts", "flips", "multiverse", "joint")
    }


_KEYS = ["dataset", "metric_full", *FULL_COLUMNS]
_PAIR = ["system_a", "system_b"]


def check_tables(study: dict[str, Any], found: dict[str, pd.DataFrame]) -> None:
    """Assert what must hold in the tables of any study."""
    summary, comparisons = found["summary"], found["comparisons"]
    whole = comparisons[comparisons["fold"] == "all"]
    values = {(*key, system): row for *key, system, row in _rows_by(summary, [*_KEYS, "system"])}
    folds = dict(iter(comparisons[comparisons["fold"] != "all"].groupby([*_KEYS, *_PAIR], sort=False)))
    for row in whole.to_dict("records"):
        key = tuple(row[name] for name in _KEYS)
        a, b = (values[(*key, row[name])] for name in _PAIR)
        _close(row["value_difference"], a["value"] - b["value"])
        assert not row["users"] > min(a["n_users"], b["n_users"])
        own = folds[(*key, row["system_a"], row["system_b"])]
        is_linear = row["aggregate"].split("(")[0] in LINEAR and "log=true" not in row["test_full"]
        # A metric may be undefined for other users of each system, on a fold of several, too.
        is_same = len(own) == 1 or (own["difference"] - own["value_difference"]).abs().max() < 1e-12
        if is_linear and is_same and row["users"] == a["n_users"] == b["n_users"]:
            _close(row["difference"], row["value_difference"])
        on_folds = own["difference"].dropna()
        # A value of all users together that one fold does not have is not defined over all folds either.
        if len(on_folds) and not np.isnan(row["value_difference"]):
            # What is tested over all folds is the mean of what is tested on each of them.
            assert on_folds.min() - 1e-12 <= row["difference"] <= on_folds.max() + 1e-12
        if row["uninformative"]:
            assert np.isnan(row["difference"]) or abs(row["difference"]) < 1e-9
            assert not row["p_value"] < 1
    _check_verdicts(study, found, whole)
    for row in found["joint"].to_dict("records"):
        assert row["analyses"] >= row["entered"] >= row["distinct"]
    entered = found["multiverse"][found["multiverse"]["left_out"] == ""]
    both = entered.merge(whole, on=[*_KEYS, *_PAIR], suffixes=("", "_compared"))
    assert len(both) == len(entered)
    assert (both["users"] == both["users_compared"]).all()
    assert (both["uninformative"] == "").all()


def _check_verdicts(study: dict[str, Any], found: dict[str, pd.DataFrame], whole: pd.DataFrame) -> None:
    """Assert that verdicts follow from the comparisons, and changed verdicts from the verdicts."""
    verdicts = found["verdicts"]
    joined = verdicts.merge(whole[[*_KEYS, *_PAIR, "p_adjusted", "difference"]], on=[*_KEYS, *_PAIR], suffixes=("", "_of"))
    assert len(joined) == len(verdicts)
    margin = float(study.get("margin", 0))
    for row in joined.to_dict("records"):
        sign = 1 if parse_measured_at(row["metric_full"])[0].metric.higher_is_better else -1
        favoured = np.sign(sign * np.nan_to_num(row["difference_of"]))
        beyond = margin == 0 or row["low"] > margin or row["high"] < -margin
        wins = row["p_adjusted_of"] < 0.05 and favoured == row["better"] and favoured != 0 and beyond
        expected = row["system_a" if favoured > 0 else "system_b"] if wins else ""
        assert row["winner"] == expected
        if row["uninformative"]:
            assert row["verdict"] == "uninformative"
            assert not expected
    changed = verdicts[verdicts["beside_base"].isin(["contradicts", "undecides", "decides"])]
    single = changed[changed["n_changed"] + ~changed["is_base_metric"] == 1]
    assert len(found["flips"]) <= len(single)
    for row in found["flips"].to_dict("records"):
        alike = single[(single["system_a"] == row["system_a"]) & (single["system_b"] == row["system_b"])]
        assert ((alike["verdict"] == row["verdict"]) & (alike["beside_base"] == row["kind"])).any()


def _rows_by(table: pd.DataFrame, keys: list[str]) -> Iterator[tuple[Any, ...]]:
    for row in table.to_dict("records"):
        yield *(row[key] for key in keys), row


def check_swapped(folder: Path, study: dict[str, Any], found: dict[str, pd.DataFrame]) -> None:
    """Assert that naming each pair the other way round changes signs alone."""
    labels = list(study["systems"])
    pairs = [[b, a] for nth, a in enumerate(labels) for b in labels[nth + 1 :]]
    compute(folder, write(folder, "swapped", {**study, "compare": pairs}), without=SHOWN)
    swapped = tables(folder, "swapped")
    turned = swapped["comparisons"].rename(columns={"system_a": "system_b", "system_b": "system_a"})
    both = found["comparisons"].merge(turned, on=[*_KEYS, *_PAIR, "fold"], suffixes=("", "_of"))
    assert len(both) == len(found["comparisons"])
    for name in ("difference", "value_difference", "effect"):
        _close(both[name], -both[f"{name}_of"])
    for name, other in (("low", "high"), ("high", "low")):
        _close(both[name], -both[f"{other}_of"])
    for name in ("p_value", "p_adjusted", "standard_error", "users"):
        _close(both[name], both[f"{name}_of"])
    of_turned = swapped["verdicts"].rename(columns={"system_a": "system_b", "system_b": "system_a"})
    verdicts = found["verdicts"].merge(of_turned, on=[*_KEYS, *_PAIR], suffixes=("", "_of"))
    for name in ("verdict", "winner", "beside_base", "uninformative"):
        assert verdicts[name].tolist() == verdicts[f"{name}_of"].tolist()


def check_alone(folder: Path, study: dict[str, Any], found: dict[str, pd.DataFrame]) -> None:
    """Assert that the base design has the same numbers without the other designs."""
    one = {key: value for key, value in study.items() if key not in {"vary", "combine", "figures", "claims"}}
    # Beside other designs, a metric that only they can measure is left out of the base design; alone, it would be refused.
    base = {
        str(each)
        for text in found["summary"].query("is_base").dropna(subset="value")["metric_full"]
        for each in parse_measured_at(text)
    }
    one["metrics"] = [text for text in study["metrics"] if any(str(each) in base for each in parse_measured_at(text))]
    compute(folder, write(folder, "alone", one), without=SHOWN)
    alone = tables(folder, "alone")
    for table, keys, names in (
        ("summary", [*_KEYS, "system"], ["value", "n_users", "full", "reduced", "expected_random"]),
        ("comparisons", [*_KEYS, *_PAIR, "fold"], ["difference", "low", "high", "standard_error", "users", "p_value"]),
    ):
        own = alone[table]
        both = own.merge(found[table], on=keys, suffixes=("", "_of"))
        assert len(both) == len(own)
        for name in names:
            has_draws = table == "comparisons" and ~both["test"].str.split("(").str[0].isin(WITHOUT_DRAWS)
            if name in {"p_value", "low", "high"} and np.any(has_draws):
                continue
            _close(both[name], both[f"{name}_of"])


def _close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(
        np.asarray(found, dtype=float), np.asarray(expected, dtype=float), rtol=1e-9, atol=1e-12, equal_nan=True
    )
