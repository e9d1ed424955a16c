"""The options of decisions as the study writes them, for records that contain only folder names."""

from collections.abc import Mapping
from typing import TypeAlias

from recsens.artefacts.addresses import Address

Options: TypeAlias = Mapping[str, Mapping[str, Mapping[str, str]]]
"""The table cells for an option, by the option's decision and by its name in addresses and records."""


def fold_of(record: str, options: Options) -> dict[str, str]:
    """Return the cells with a record's filter, split and fold."""
    address = Address.parse(record)
    cells = {name: text for step in ("filter", "split") for name, text in options[step][address.step(step)].items()}
    return {**cells, "fold": address.step("fold")}
