"""How often intervals over data sets cover what they are for: simulated families of data sets with known effects.

    python benchmarks/over_datasets.py

The table of docs/over-datasets.md. Each row is 2,000 simulated studies; nominal is 95 %.
"""

from collections.abc import Sequence

import numpy as np
from scipy import stats

from command_line import parser
from recsens.comparison.random_effects import RandomEffects

MEAN = 0.01
ERRORS = ("equal", "unequal", "one precise")
"""The errors of families: all equal; drawn from .003 to .015; the first a tenth of the others."""


def coverage(n_families: int, spread: float, errors: str, *, n_studies: int, seed: int = 1) -> dict[str, float]:
    """Simulate studies with a standard deviation between families of ``spread`` times the largest typical error.

    Returns the share of intervals that cover, by name.
    """
    generator = np.random.default_rng([seed, n_families, int(10 * spread), ERRORS.index(errors)])
    of_families = np.full((n_studies, n_families), 0.01)
    if errors == "unequal":
        of_families = generator.uniform(0.003, 0.015, of_families.shape)
    elif errors == "one precise":
        of_families[:, 0] = 0.001
    tau = spread * 0.01
    effects = generator.normal(generator.normal(MEAN, tau, of_families.shape), of_families)
    new = generator.normal(MEAN, tau, n_studies)
    found = RandomEffects(effects, of_families)
    weights = 1 / (of_families**2 + found.tau[:, np.newaxis] ** 2)
    centre, variance = (weights * effects).sum(axis=1) / weights.sum(axis=1), 1 / weights.sum(axis=1)

    def by_weights(truth: float | np.ndarray, squares: np.ndarray, freedom: int) -> float:
        return float(np.mean(np.abs(truth - centre) <= stats.t.ppf(0.975, freedom) * np.sqrt(squares)))

    low, high = found.tau_interval
    return {
        "mean": float(np.mean((found.alike.low <= MEAN) & (found.alike.high >= MEAN))),
        "weighted mean": by_weights(MEAN, variance, n_families - 1),
        "new": float(np.mean((found.new[0] <= new) & (found.new[1] >= new))),
        "new by t with J - 1": by_weights(new, variance + found.tau**2, n_families - 1),
        "new by t with J - 2": by_weights(new, variance + found.tau**2, n_families - 2),
        "tau": float(np.mean((low <= tau) & (high >= tau))),
    }


def main(command: Sequence[str] | None = None) -> None:
    n_studies = 20 if parser(__doc__).parse_args(command).tiny else 2000
    print("families | tau | what |", " | ".join(ERRORS))
    for n_families in (3, 5, 8, 15):
        for spread in (0.0, 1.0, 3.0):
            found = [coverage(n_families, spread, errors, n_studies=n_studies) for errors in ERRORS]
            for name in found[0]:
                print(f"{n_families} | {spread:g} | {name} | {' | '.join(f'{each[name]:.3f}' for each in found)}", flush=True)


if __name__ == "__main__":
    main()
