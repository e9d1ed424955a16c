"""Names of rules: those of their steps, which a Snakefile that uses this workflow as a module may put a prefix before."""

from importlib.util import find_spec
from pathlib import Path

_STEPS = "recsens.steps"


def step_of(rule: str) -> str:
    """Return the step that does the work of a rule: ``fit`` for ``fit``, and for ``mine_fit`` after ``use rule * ... as mine_*``.

    Raises
    ------
    LookupError
        If the name of the rule ends with that of no step.
    """
    found = [step for step in _steps() if rule == step or rule.endswith(f"_{step}")]
    if not found:
        raise LookupError(f"the rule '{rule}' has no step: its name must end with that of a rule of recsens, such as 'mine_fit'")
    # describe_splits, not a step 'splits'.
    return max(found, key=len)


def _steps() -> list[str]:
    """List the steps without importing one: a job imports its own alone."""
    package = find_spec(_STEPS)
    assert package is not None
    folders = package.submodule_search_locations or ()
    return [file.stem for folder in folders for file in Path(folder).glob("[a-z]*.py")]
