"""Collect every tuned system's candidates and their validation scores."""

from collections.abc import Mapping, Sequence

from recsens.artefacts import schemas, storage
from recsens.metrics import parse_measured_at
from recsens.pipeline.table_files import write_rows
from recsens.plugins.specs import parse
from recsens.recommenders.tuned import VALIDATION
from recsens.study.design import in_full
from recsens.workflow.steps._options import Options, fold_of


def describe_tuning(
    *, records: Sequence[str], labels: Sequence[tuple[str, str]], options: Options, metrics: Mapping[str, str], tuning: str
) -> None:
    """Write the table of tuning, one row per candidate; the path of a record contains its split and fold.

    ``options`` maps the options in these paths, and ``metrics`` maps metrics with every parameter, to the spelling in the study.
    """
    rows = []
    for path, (dataset, system) in zip(records, labels, strict=True):
        content = storage.read_json(path, schemas.TUNING)
        full, split = content["metric"], content["split"]
        metric = {"metric": metrics[full] if full in metrics else parse_measured_at(full)[0].short, "metric_full": full}
        split_in_full = split if split == VALIDATION else in_full("split", parse(split))
        validation = {"validation": split, "validation_full": split_in_full}
        for trial in content["trials"]:
            candidate = {"candidate": trial["candidate"], "spec": trial["spec"], "value": trial["mean"]}
            head = {"dataset": dataset, **fold_of(path, options), "system": system}
            told = {"chosen": trial["spec"] == content["chosen"], "refusal": trial.get("refusal")}
            rows.append({**head, **candidate, **metric, **validation, **told})
    write_rows(tuning, "tuning", rows)
