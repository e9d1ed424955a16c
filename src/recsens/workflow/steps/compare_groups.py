"""Compare every pair of systems within groups of users or items."""

from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

from recsens.artefacts.filesets import InteractionFiles, PositionFiles, SideFiles
from recsens.outcomes.groups import GroupedOutcomes, GroupFiles
from recsens.pipeline.table_files import write_rows
from recsens.workflow.steps._outcomes import OutcomeFiles, read_outcomes


def compare_groups(
    *,
    data: Sequence[InteractionFiles],
    side: Sequence[SideFiles],
    roles: Sequence[str],
    labels: Sequence[tuple[str, int]],
    rankings: Sequence[PositionFiles],
    groups: str,
    values: str,
    **files: Unpack[OutcomeFiles],
) -> None:
    """Write the table of comparisons by group, and that of values by group.

    Each of the ``labels`` has its ``data``, its side tables, and so many of the ``roles``, in order.
    """
    left = iter(roles)
    made_of = {
        label: GroupFiles(own, tables, [next(left) for _ in range(n_folds)])
        for (label, n_folds), own, tables in zip(labels, data, side, strict=True)
    }
    ranked = {str(Path(own.positions).parent): own for own in rankings}
    of_pairs, of_systems = GroupedOutcomes(read_outcomes("compare_groups", **files), made_of, ranked).rows()
    write_rows(groups, "groups", of_pairs)
    write_rows(values, "group_values", of_systems)
