"""Judge every claim of a study."""

from typing import Unpack

from recsens.conclusions.claims import claim_rows
from recsens.pipeline.table_files import write_rows
from recsens.workflow.steps._tables import TableFiles, read_part


def claims(*, claims: str, **files: Unpack[TableFiles]) -> None:
    """Judge each claim by the study's tables, ``further`` ones included, and write the table of claims."""
    write_rows(claims, "claims", claim_rows(*read_part("claims", **files)))
