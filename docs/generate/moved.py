"""The page of former names, from the code that still understands them."""

from docs.generate.markdown import NOTICE, code, table
from recsens.moved import MOVED, RENAMED

_INTRO = """# Imports that moved

Modules and classes that version 0.3 renamed. The old names work until version 0.4, with a `FutureWarning` that gives the new name.
"""

_REST = """
The classes `IMAE`, `UMAE`, `IRMSE` and `URMSE` are gone: `MAE` and `RMSE` have the option `over`, and studies may still write
`uMAE`.

Other modules within these packages moved with them: `recsens.splitting.random` is now `recsens.data.splitting.random`.
`recsens.recommenders`, `recsens.metrics`, `recsens.ranking`, `recsens.plugins`, `recsens.artefacts`, `recsens.study` and everything
that `import recsens` provides did not move otherwise.
"""


def moved_page() -> str:
    """Write the page: a table of modules, and one of classes and functions."""
    modules, others = ([[code(name) for name in pair] for pair in sorted(names.items())] for names in (MOVED, RENAMED))
    heads = (["formerly", "now"], ["class or function, formerly", "now"])
    return "\n".join([NOTICE, "", _INTRO, table(heads[0], modules), "", table(heads[1], others), _REST])
