"""Count the averaged users under every design, those of them who can score above zero, and the test ratings of all others."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from recsens.outcomes.counting import counted_rows
from recsens.outcomes.measuring.stored_measures import Measured
from recsens.pipeline.table_files import write_rows
from recsens.plugins.specs import parse
from recsens.study.keys_by_step import load_part


def count_users(
    *,
    study: str,
    population: str,
    user_tables: Sequence[str] = (),
    counted: str,
    addresses: Mapping[str, str],
    decisions: str | None = None,
) -> None:
    """Write the table of averaged users: one row for each data set or experiment, design and fold."""
    specs = {label: parse(spec) for label, spec in addresses.items()}
    by_folder = {str(Path(path).parent): path for path in user_tables}
    asked = load_part(study, "count_users", decisions)
    write_rows(counted, "counted", counted_rows(asked, specs, Measured.read({}, population), by_folder))
