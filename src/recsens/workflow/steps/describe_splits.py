"""Describe the folds of a study."""

from collections.abc import Sequence

from recsens.artefacts import schemas, storage
from recsens.pipeline.table_files import write_rows
from recsens.workflow.steps._options import Options, fold_of


def describe_splits(
    *,
    records: Sequence[str],
    labels: Sequence[str],
    checks: Sequence[str] = (),
    check_labels: Sequence[str] = (),
    options: Options,
    splits: str,
) -> None:
    """Write the table of splits, one row per statistic; the path of a record contains its split, fold and target items.

    ``options`` maps the options in these paths to the study's spelling.
    """
    rows = []
    for path, label in zip(records, labels, strict=True):
        described = {"dataset": label, **fold_of(path, options)}
        for name, value in storage.read_json(path, schemas.SPLIT).items():
            rows.append({**described, "metric": name, "value": value})
    for path, label in zip(checks, check_labels, strict=True):
        content = storage.read_json(path, schemas.CHECK)
        for figures in content["audiences"]:
            asked = {**options["targets"][content["targets"]], **options["users"][figures.pop("user_selection")]}
            described = {"dataset": label, **fold_of(path, options), **asked}
            for name, value in figures.items():
                rows.append({**described, "metric": name, "value": value})
    write_rows(splits, "splits", rows)
