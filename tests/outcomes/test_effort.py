"""Shares of searches over several folds, against every subset of the trials and SciPy's t-test."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from recsens.comparison.aggregation import Cover
from recsens.comparison.users import Population
from recsens.metrics import parse_measured_at
from recsens.outcomes.effort import N_SIMULATED, EffortOutcomes, SearchedSystem
from recsens.outcomes.panels import FoldMeasures
from recsens.outcomes.searches import RandomSearch
from recsens.plugins.specs import parse
from recsens.study import Study
from recsens.study.designs import expand

N_USERS, N_FOLDS, N_TRIALS = 40, 2, 5


def measured(values: np.ndarray) -> FoldMeasures:
    ones = np.ones(len(values), dtype=np.int64)
    return FoldMeasures.of(
        values[np.newaxis], ones[np.newaxis], ones > 0, Population(ones, ones, ones, ones), Cover(ones, ones, {})
    )


def drawn(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw users' values of a system as written and its trials, shape (n_folds, n_candidates, n_users), and validation values."""
    quality = rng.normal(0.5, 0.1, (N_FOLDS, N_TRIALS + 1))
    values = rng.normal(quality[..., np.newaxis], 0.2, (*quality.shape, N_USERS))
    return values, quality + rng.normal(0, 0.05, quality.shape)


def test_shares_over_folds_are_those_of_all_subsets_of_the_trials():
    rng = np.random.default_rng(7)
    found = {"A": drawn(rng), "B": drawn(rng)}
    study = Study.model_validate(
        {
            "title": "T",
            "datasets": {"D": "simulated"},
            "systems": {"A": "ease", "B": "item_knn"},
            "design": {"split": "k_fold(k=2)"},
            "metrics": ["P@5"],
            "effort": [0, 1, 3],
        }
    )
    design = expand(study, {"D": parse("simulated")})["D"][0]
    systems = {
        name: SearchedSystem(
            name, RandomSearch(validation, np.arange(1, N_TRIALS + 1)), [[measured(own) for own in fold] for fold in values]
        )
        for name, (values, validation) in found.items()
    }
    outcomes = EffortOutcomes(study.own, "D", "D", design, parse_measured_at("P@5")[0], systems, {})

    def chosen(name: str, k: int) -> list[np.ndarray]:
        """Return each user's mean over folds, for every subset of k trials; a search chooses on each fold by itself."""
        values, validation = found[name]
        subsets = [[0, *subset] for subset in combinations(range(1, N_TRIALS + 1), k)]
        best = [[max(subset, key=lambda own: validation[fold, own]) for fold in range(N_FOLDS)] for subset in subsets]
        return [np.mean([values[fold, own] for fold, own in enumerate(choice)], axis=0) for choice in best]

    for row in outcomes.of_pairs():
        met = list(product(chosen("A", row["effort_a"]), chosen("B", row["effort_b"])))
        won = [np.sign((a - b).mean()) * (stats.ttest_rel(a, b).pvalue < 0.05) for a, b in met]
        for side, name in ((1, "a"), (-1, "b"), (0, "neither")):
            share = np.mean([own == side for own in won])
            spread = np.sqrt(share * (1 - share) / N_SIMULATED)
            assert row[f"share_{name}"] == pytest.approx(share, abs=4 * spread + 1e-12), (row, share)
