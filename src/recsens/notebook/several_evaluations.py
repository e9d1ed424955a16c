"""Several evaluations: of the runs in a folder, or of the folds in a folder, frame or file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

import pandas as pd

from recsens.runs.evaluation import Evaluation, mean_of
from recsens.tables.numbers import MISSING, score

MEAN = "mean"
"""Name of the row with means over folds."""


class Evaluations(Mapping[str, "Evaluation | Evaluations"]):
    """Evaluations by the name of the run or fold; ``means`` is the table of their means.

    Parameters
    ----------
    of
        ``run`` for the evaluations of several runs, ``fold`` for those of several folds.
    evaluations
        Each evaluation by name; for several runs on several folds, the evaluations of each run's folds by the name of the run.
    """

    def __init__(self, of: Literal["run", "fold"], evaluations: Mapping[str, Evaluation | Evaluations]) -> None:
        self.of, self._evaluations = of, dict(evaluations)

    def __getitem__(self, name: str) -> Evaluation | Evaluations:
        return self._evaluations[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._evaluations)

    def __len__(self) -> int:
        return len(self._evaluations)

    @property
    def means(self) -> pd.DataFrame:
        """Each evaluation's means, with one column per metric; if there are folds, the last row contains the means over folds."""
        several = {name: each.means for name, each in self.items() if isinstance(each, Evaluations)}
        if several:
            return pd.concat(several, names=[self.of])
        table = pd.DataFrame.from_dict({name: dict(each.means) for name, each in self.items()}, orient="index")
        if self.of == "fold":
            table.loc[MEAN] = [mean_of(table[label].to_numpy()) for label in table.columns]
        return table.rename_axis(index=self.of)

    def __repr__(self) -> str:
        named = ", ".join([*list(self)[:5], *(["..."] if len(self) > 5 else [])])
        return f"Evaluations of {len(self):,} {self.of}s: {named}\n{self.means.to_string(float_format=score, na_rep=MISSING)}"
