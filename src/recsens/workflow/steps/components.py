"""Divide the uncertainty of differences among users, splits and fits."""

from typing import Unpack

from recsens.outcomes.variance_components import component_rows
from recsens.pipeline.table_files import write_rows
from recsens.workflow.steps._outcomes import OutcomeFiles, read_outcomes


def components(*, components: str, **files: Unpack[OutcomeFiles]) -> None:
    """Write the table of components."""
    write_rows(components, "components", list(component_rows(read_outcomes("components", **files))))
