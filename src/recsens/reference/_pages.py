"""Every generated file, and the generated sections of hand-written files."""

from functools import cache

from recsens.reference._columns import columns_page
from recsens.reference._kinds import KINDS
from recsens.reference._manual import study_manual
from recsens.reference._plugins import plugin_page
from recsens.reference._rooms import rooms
from recsens.reference._schema import study_schema


@cache
def pages() -> dict[str, str]:
    """Return the text of each generated file by its path below the checkout."""
    of_plugins = {f"docs/reference/{kind.page}.md": plugin_page(kind) for kind in KINDS}
    others = {
        "docs/reference/columns.md": columns_page(),
        "config/README.md": study_manual(),
        "workflow/schemas/study.schema.json": study_schema(),
    }
    return of_plugins | others


def sections() -> dict[str, str]:
    """Return the text of the generated section of each file that is otherwise written by hand, by path below the checkout."""
    return {"docs/development.md": rooms()}
