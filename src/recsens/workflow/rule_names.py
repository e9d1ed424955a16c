"""Find the rules of a Snakefile that belong to this workflow, and the step of each rule."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

_STEPS = "recsens.workflow.steps"

_SCRIPT = "recsens_step.py"
"""The script of every rule with a step."""


def is_step(rule: Any) -> bool:
    """Whether a Snakemake rule runs a step; targets, and rules with another script, do not."""
    return rule.script is not None and Path(rule.script).name == _SCRIPT


def step_of(rule: str) -> str:
    """Return the step of a rule: ``fit`` for ``fit``, and also for ``mine_fit`` after ``use rule * ... as mine_*``.

    Raises
    ------
    LookupError
        If the rule's name does not end with a step's name.
    """
    found = [step for step in _steps() if rule == step or rule.endswith(f"_{step}")]
    if not found:
        raise LookupError(f"the rule '{rule}' has no step: its name must end with the name of a recsens rule, as 'mine_fit' does")
    # Return the longest match: describe_splits instead of a step 'splits'.
    return max(found, key=len)


def _steps() -> list[str]:
    """List the steps without importing them, because a job imports only its own step."""
    package = find_spec(_STEPS)
    assert package is not None
    folders = package.submodule_search_locations or ()
    return [file.stem for folder in folders for file in Path(folder).glob("[a-z]*.py")]
