"""The fixtures of a small invented study: 2 data sets, 3 systems, 4 split ratios, 2 views, 3 metrics, 2 repeats."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from recsens import plugins
from recsens.comparison.significance import fixed_by_test
from recsens.conclusions.verdicts.study_tables import Results, read_results, read_table
from recsens.conclusions.verdicts.verdict_table import verdict_table
from recsens.study import Decisions, Study, file_name
from recsens.study.columns import TABLES
from recsens.study.design import Design

LAB = Path(__file__).parent / "lab"

STUDY = {
    "title": "Does the split ratio decide who wins?",
    "description": "Three systems on two invented data sets, from little training data to much, with full and condensed rankings.",
    "plugins": [str(LAB)],
    "datasets": {"Alpha-1M": "lab_plugins.Ratings(name=alpha)", "Beta_2": "lab_plugins.Ratings(name=beta)"},
    "systems": {"kNN": "lab_plugins.Neighbours(k=100)", "MF": "lab_plugins.Factors", "Pop_1": "lab_plugins.Popular"},
    "design": {"split": "random(ratio=0.5)", "repeats": 2},
    "vary": {"split": ["random(ratio=0.2)", "random(ratio=0.35)", "random(ratio=0.8)"], "view": ["condensed"]},
    "metrics": ["P@10", "nDCG@10", "Unrated@10"],
    "published": [
        {"dataset": "Alpha-1M", "system": "kNN", "metric": "P@10", "value": 0.416, "source": "Table 2, row 1"},
        {"dataset": "Alpha-1M", "system": "MF", "metric": "P@10", "value": 0.409, "source": "Table 2, row 1"},
    ],
    "published_comparisons": [
        {
            "dataset": "Alpha-1M",
            "system_a": "kNN",
            "system_b": "MF",
            "metric": "P@10",
            "p_value": 0.039,
            "source": "Table 2, row 1",
        },
    ],
}

# Score of each system with little and with much training data: kNN and MF cross, Popular stays behind.
ENDS = {"kNN": (0.44, 0.38), "MF": (0.38, 0.43), "Pop_1": (0.30, 0.26)}
DATASET_SHIFT = {"Alpha-1M": 0.0, "Beta_2": 0.06}
METRIC_SHIFT = {"P@10": 0.0, "nDCG@10": 0.04, "Unrated@10": 0.2}
N_USERS = 943


EXPERIMENT = {
    "dataset": "Beta_2",
    "description": "Who wins where there is little to learn from?",
    "design": {"split": "random(ratio=0.1)"},
    "systems": {"kNN": "lab_plugins.Neighbours(k=10)", "Pop_1": "lab_plugins.Popular"},
    "vary": {"coverage": ["reduced"]},
}


@pytest.fixture
def experiment():
    """A further experiment, as in a study file."""
    return EXPERIMENT


@pytest.fixture
def study_content():
    """The content of the study file."""
    return STUDY


@pytest.fixture(scope="session")
def make_study() -> Callable[..., Study]:
    """Build the study with some keys replaced."""

    def make(**changes: object) -> Study:
        return Study.model_validate({**STUDY, **changes})

    plugins.add_paths([LAB])
    return make


@pytest.fixture(scope="session")
def study(make_study: Callable[..., Study]) -> Study:
    """The study above, unchanged."""
    return make_study()


@pytest.fixture(scope="session")
def designs(study: Study) -> list[Design]:
    """The base design on each data set."""
    return [design_of(study, dataset, study.design) for dataset in study.datasets]


@pytest.fixture(scope="session")
def files(study: Study, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The tables, as the steps write them."""
    return write_files(study, tmp_path_factory.mktemp("results"))


@pytest.fixture(scope="session")
def results(files: dict[str, Path]) -> Results:
    """The tables, read."""
    return read_results(files.values())


@pytest.fixture(scope="session")
def make_results(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Results]:
    """Invent the tables of another study."""

    def make(study: Study, **options: float) -> Results:
        return read_results(write_files(study, tmp_path_factory.mktemp("other"), **options).values())

    return make


@pytest.fixture(scope="session")
def split_at() -> Callable[[float], str]:
    """Return the spec of the split at a ratio, as the study writes it."""
    return lambda ratio: f"random(ratio={ratio:g})"


def design_of(study: Study, dataset: str, decisions: Decisions) -> Design:
    """Return one design of the study on one data set."""
    taken = {key: getattr(decisions, key) for key in Decisions.model_fields}
    return Design(seed=study.seed, dataset=study.datasets[dataset], name=file_name(dataset), **taken)


def write_files(study: Study, folder: Path, *, noise: float = 0.01) -> dict[str, Path]:
    """Write the invented tables of a study."""
    tables = {
        "summary": pd.DataFrame(list(_summary(study))),
        "comparisons": pd.DataFrame(list(_comparisons(study, noise))),
        "datasets": pd.DataFrame(list(_datasets(study))),
        "splits": pd.DataFrame(list(_splits(study))),
        "counted": pd.DataFrame(list(_counted(study))),
    }
    paths = {name: folder / f"{name}.csv" for name in (*tables, "verdicts")}
    for name, table in tables.items():
        assert set(table.columns) <= set(TABLES[name].names), f"{name} has a column that no step writes"
        table.reindex(columns=TABLES[name].names).to_csv(paths[name], index=False)
    read = read_table(paths["summary"], "summary"), read_table(paths["comparisons"], "comparisons")
    verdict_table(study, *read).to_csv(paths["verdicts"], index=False)
    return paths


def rejudged(study: Study, tables: Results) -> Results:
    """The tables with the verdicts on their comparisons, which a test has changed."""
    return tables.with_tables(verdicts=verdict_table(study, tables.summary, tables.comparisons))


def value(dataset: str, system: str, short: str, decisions: Decisions) -> float:
    """The invented score: a straight line over the ratio, lifted by the condensed view."""
    low, high = ENDS.get(system, (0.2, 0.2))
    ratio = float(decisions.split.get("ratio") or 0.8)
    condensed = 0.3 if decisions.view == "condensed" else 0.0
    if short.startswith("Unrated"):
        return 0.0 if condensed else 0.5 + 0.4 * abs(ratio - 0.5) + (0.1 if system == "MF" else 0.0)
    swing = 0.25 if dataset.startswith("Beta") else 1.0
    middle = (low + high) / 2
    return (
        middle
        + swing * (low + (high - low) * ratio - middle)
        + condensed
        + DATASET_SHIFT.get(dataset, 0)
        + METRIC_SHIFT.get(short, 0)
    )


def _rows(study: Study):
    for part in study.all_experiments():
        for dataset in part.datasets:
            for decisions in part.designs():
                columns = {**design_of(part, dataset, decisions).columns(), "is_base": decisions == part.design}
                for metric in part.metrics:
                    yield part, dataset, decisions, columns, metric


def _summary(study: Study):
    printed = {(p.dataset, p.system, p.metric): p for p in study.published}
    for part, dataset, decisions, columns, metric in _rows(study):
        for system, spec in part.systems.items():
            found = value(dataset, system, metric.short, decisions)
            known = printed.get((dataset, system, metric.short)) if columns["is_base"] else None
            yield {
                "dataset": dataset,
                "system": system,
                "metric": metric.written,
                "metric_full": str(metric),
                "value": found,
                "spread": 0.003 if decisions.repeats > 1 else np.nan,
                "n_folds": decisions.repeats,
                "expected_random": 0.01 if decisions.view == "full" else 0.4,
                "random_p": 0.0,
                "published": known.value if known else np.nan,
                "deviation": found - known.value if known else np.nan,
                "source": known.source if known else "",
                "spec": str(spec),
                **columns,
                "n_users": N_USERS,
                "effective_users": N_USERS,
                "full": found,
                "reduced": found / (0.992 if system == "kNN" else 1.0),
                "scored": 1.0,
                "user_coverage": 0.992 if system == "kNN" else 1.0,
                "rating_coverage": np.nan,
                "coverage_at_cutoff": 0.987 if system == "kNN" else 1.0,
            }


def _comparisons(study: Study, noise: float):
    printed = {(p.dataset, p.system_a, p.system_b, p.metric): p for p in study.published_comparisons}
    for part, dataset, decisions, columns, metric in _rows(study):
        for a, b in part.pairs():
            difference = value(dataset, a, metric.short, decisions) - value(dataset, b, metric.short, decisions)
            p = float(np.exp(-abs(difference) / noise * 3))
            known = printed.get((dataset, a, b, metric.short)) if columns["is_base"] else None
            for fold in ["all", *(f"repeat-{repeat}" for repeat in range(decisions.repeats))]:
                yield {
                    "dataset": dataset,
                    "system_a": a,
                    "system_b": b,
                    "metric": metric.written,
                    "metric_full": str(metric),
                    "fold": fold,
                    "difference": difference,
                    "value_difference": difference,
                    "low": difference - noise,
                    "high": difference + noise,
                    # The half width of an interval is about two standard deviations of the mean.
                    "effect": difference / (noise / 2 * np.sqrt(N_USERS)),
                    "p_adjusted": p if fold == "all" else min(1.0, p * 1.3),
                    "share_significant": np.nan,
                    "resampled_p": min(1.0, 1.5 * p) if fold == "all" and decisions.repeats > 1 else np.nan,
                    "p_value": p if fold == "all" else min(1.0, p * 1.3),
                    "median_p": min(1.0, p * 1.3) if fold == "all" else np.nan,
                    "published": known.p_value if known and fold == "all" else np.nan,
                    "deviation": p - known.p_value if known and fold == "all" else np.nan,
                    "source": known.source if known and fold == "all" else "",
                    "users": N_USERS,
                    "effective_users": N_USERS,
                    "hypothesis": f"for {fixed_by_test(decisions.repeats)}, the mean of the users' differences is 0",
                    # No two analyses are the same numbers, even where the invented scores are.
                    "digest": f"{dataset} {a} {b} {metric} {columns}" if fold == "all" else "",
                    **columns,
                }


def _counted(study: Study):
    for part in study.all_experiments():
        for dataset in part.datasets:
            for decisions in part.designs():
                for repeat in range(decisions.repeats):
                    yield {
                        "dataset": dataset,
                        "fold": f"repeat-{repeat}",
                        "systems": "all",
                        "users": N_USERS,
                        "averaged": N_USERS,
                        "with_test": N_USERS,
                        "with_relevant": N_USERS - 3 - repeat,
                        "effective_users": N_USERS,
                        "test_ratings": 20000,
                        "lost_ratings": 0,
                        "share_lost": 0.0,
                        "rankings": np.nan,
                        "ratings_by_percentile": "",
                        **design_of(part, dataset, decisions).columns(),
                        "is_base": decisions == part.design,
                    }


def _datasets(study: Study):
    numbers = {"users": 6040, "items": 3706, "ratings": 1000209, "density": 0.0447, "gini": 0.634, "mean_rating": 3.5816}
    numbers |= {"ratings_per_user_mean": 165.5975, "ratings_per_user_median": 96, "ratings_per_user_min": 20}
    numbers |= {
        f"share of rating {rating}": share for rating, share in zip("12345", (0.056, 0.108, 0.261, 0.349, 0.226), strict=True)
    }
    for dataset, spec in ((label, spec) for part in study.all_experiments() for label, spec in part.datasets.items()):
        for metric, number in numbers.items():
            yield {
                "dataset": dataset,
                "metric": metric,
                "value": number,
                "spec": str(spec),
                "digest": "a6898adb50b9ca05aa231689da44c217cb524e7ebd39d264c56e2832f2c54e20",
                "chain": "",
                "step": "",
                "filter": "",
            }
    for step, (link, left) in enumerate([("", 6040), ("k_core(n=5)", 6000), ("min(n=20)", 3020)]):
        for metric in ("users", "items", "ratings"):
            empty = {"spec": "", "digest": ""}
            chain = "k_core(n=5)+min(n=20)"
            place = {"chain": chain, "chain_full": chain, "step": step, "filter": link, "filter_full": link}
            yield {"dataset": "Alpha-1M", "metric": metric, "value": left, **empty, **place}


def _splits(study: Study):
    seen = []
    for dataset in study.datasets:
        for decisions in study.own.designs():
            if (dataset, decisions.split) in seen:
                continue
            seen.append((dataset, decisions.split))
            ratio = float(decisions.split.get("ratio") or 0.8)
            for repeat in range(decisions.repeats):
                record = {"train": round(1e6 * ratio), "test": round(1e6 * (1 - ratio)), "users_without_train": 0, "ratio": ratio}
                for metric, number in record.items():
                    yield {
                        "dataset": dataset,
                        **design_of(study.own, dataset, decisions).cells("filter", "split"),
                        "fold": f"repeat-{repeat}",
                        "metric": metric,
                        "value": number,
                    }
                yield {
                    "dataset": dataset,
                    **design_of(study.own, dataset, decisions).cells("filter", "split", "targets", "users"),
                    "fold": f"repeat-{repeat}",
                    "metric": "mean_targets",
                    "value": 3600.5,
                }
