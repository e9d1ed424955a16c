"""Every generated file with its content."""

from __future__ import annotations

from functools import cache

from recsens.reference._kinds import KINDS
from recsens.reference._manual import study_manual
from recsens.reference._plugins import plugin_page
from recsens.reference._schema import study_schema


@cache
def pages() -> dict[str, str]:
    """Return the text of each generated file by its path below the checkout."""
    found = {f"docs/reference/{kind.page}.md": plugin_page(kind) for kind in KINDS}
    return {**found, "config/README.md": study_manual(), "workflow/schemas/study.schema.json": study_schema()}
