"""Judge every claim of a study."""

from collections.abc import Sequence

from recsens.conclusions.claims import claim_rows
from recsens.conclusions.verdicts.study_tables import read_results
from recsens.pipeline.table_files import write_rows
from recsens.study.keys_by_step import load_part


def claims(
    *,
    study: str,
    summary: str,
    comparisons: str,
    verdicts: str,
    further: Sequence[str] = (),
    claims: str,
    decisions: str | None = None,
) -> None:
    """Judge each claim by the study's tables, ``further`` ones included, and write the table of claims."""
    asked = load_part(study, "claims", decisions)
    results = read_results([summary, comparisons, verdicts, *further])
    write_rows(claims, "claims", claim_rows(asked, results))
