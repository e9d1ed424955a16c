"""Every generated file."""

from functools import cache

from docs.generate.checklist import checklist_page
from docs.generate.conventions import conventions_page
from docs.generate.kinds import KINDS
from docs.generate.manual import study_manual
from docs.generate.map import packages_page
from docs.generate.moved import moved_page
from docs.generate.package import package_page
from docs.generate.plugin_pages import plugin_page
from docs.generate.rules import rules_page, rules_picture
from docs.generate.schema import study_schema


@cache
def pages() -> dict[str, str]:
    """Return the text of each generated file by its path below the checkout."""
    of_plugins = {f"docs/reference/{kind.page}.md": plugin_page(kind) for kind in KINDS}
    others = {
        "docs/reference/checklist.md": checklist_page(),
        "docs/reference/conventions.md": conventions_page(),
        "docs/reference/moved.md": moved_page(),
        "docs/reference/packages.md": packages_page(),
        "docs/reference/rules.md": rules_page(),
        "PACKAGE.md": package_page(),
        "config/README.md": study_manual(),
        "docs/rules.svg": rules_picture(),
        "workflow/schemas/study.schema.json": study_schema(),
    }
    return of_plugins | others
