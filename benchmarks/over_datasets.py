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
UNEQUAL = 0.003, 0.015
"""The errors of families are equal, or drawn between these ends, whose mean square is that of the equal error."""


def coverage(n_families: int, spread: float, *, equal: bool, n_studies: int, seed: int = 1) -> dict[str, float]:
    """Simulate studies with a standard deviation between families of ``spread`` times the errors; return shares of coverage."""
    generator, shape = np.random.default_rng([seed, n_families, int(10 * spread), equal]), (n_studies, n_families)
    typical = np.sqrt((UNEQUAL[0] ** 2 + UNEQUAL[0] * UNEQUAL[1] + UNEQUAL[1] ** 2) / 3)
    errors = np.full(shape, typical) if equal else generator.uniform(*UNEQUAL, shape)
    tau = spread * typical
    found = RandomEffects(generator.normal(generator.normal(MEAN, tau, shape), errors), errors)
    new = generator.normal(MEAN, tau, n_studies)

    def predicted(freedom: int) -> float:
        half = stats.t.ppf(0.975, freedom) * np.sqrt(found.tau**2 + found.alike.error**2)
        return float(np.mean(np.abs(new - found.alike.value) <= half))

    low, high = found.tau_interval
    return {
        "mean": float(np.mean((found.alike.low <= MEAN) & (found.alike.high >= MEAN))),
        "new": float(np.mean((found.new[0] <= new) & (found.new[1] >= new))),
        "new by t with J - 1": predicted(n_families - 1),
        "new by t with J - 2": predicted(n_families - 2),
        "spread": float(np.mean((low <= tau) & (high >= tau))),
    }


def main(command: Sequence[str] | None = None) -> None:
    n_studies = 20 if parser(__doc__).parse_args(command).tiny else 2000
    for n_families in (3, 5, 8, 15):
        for spread in (0.0, 1.0, 3.0):
            for equal in (True, False):
                found = coverage(n_families, spread, equal=equal, n_studies=n_studies)
                shares = ", ".join(f"{name} {share:.3f}" for name, share in found.items())
                print(f"{n_families} families, spread {spread:g} x error, {'equal' if equal else 'unequal'}: {shares}", flush=True)


if __name__ == "__main__":
    main()
