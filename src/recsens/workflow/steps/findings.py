"""Collect the findings of all analyses of metrics on every fold."""

from collections.abc import Sequence

import pandas as pd

from recsens.artefacts import storage
from recsens.conclusions.meta import FINDINGS, MetricAnalysis, average_over_folds
from recsens.pipeline.table_files import write_frame


def findings(*, parts: Sequence[str], labels: Sequence[tuple[str, str, str, str]], seed: int, findings: str) -> None:
    """Write the table of findings: for each analysis, the findings on every fold, then the means over all folds.

    Parameters
    ----------
    parts, labels
        The findings on each fold, and their labels: data set, name of the analysis, plug-in with every parameter, and fold.
    seed
        Root of all random streams.
    findings
        The file to write.
    """
    by_analysis: dict[tuple[str, str, str], list[pd.DataFrame]] = {}
    for path, (dataset, name, spec, fold) in zip(parts, labels, strict=True):
        of_fold = storage.read_table(path, FINDINGS).to_pandas().assign(fold=fold)
        by_analysis.setdefault((dataset, name, spec), []).append(of_fold)
    frames = []
    for (dataset, name, spec), folds in by_analysis.items():
        each = pd.concat(folds, ignore_index=True)
        joined = pd.concat([each, average_over_folds(MetricAnalysis.build(spec), each)], ignore_index=True)
        frames.append(joined.assign(dataset=dataset, analysis=name, seed=seed))
    write_frame(findings, "findings", pd.concat(frames, ignore_index=True))
