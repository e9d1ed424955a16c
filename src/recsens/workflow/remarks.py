"""Remarks on a plan. They refuse nothing, but warn that a result may mean something else than a reader expects."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from shutil import which

from recsens.files.paths import is_file
from recsens.recommenders.program import Program
from recsens.study.ignored import remarks
from recsens.workflow.plan import Plan
from recsens.workflow.programs import programs_of


def remarks_on(plan: Plan) -> Iterator[str]:
    """Say which metrics are left out or ignore which varied decisions, and which files that a study runs could change unnoticed."""
    yield from plan.remarks_on_metrics()
    yield from remarks(plan.study)
    for label, programs in programs_of(plan).items():
        for program in programs:
            yield from (f"{label}: {told}" for told in _uncounted(program, plan.path.parent))


def _uncounted(program: Program, folder: Path) -> Iterator[str]:
    """Yield a remark for each file next to the study that a command runs although ``files`` does not list it."""
    assert program.run is not None
    counted = {Path(file).resolve() for file in program.files}
    first, *others = shlex.split(program.run)
    if "/" not in first and is_file(folder / first) and which(first) is None:
        yield f"'{first}' is not in PATH; to run the file next to the study, write ./{first} and files=[\"{first}\"]"
    for argument in (first, *others):
        path = Path(argument)
        is_beside = path.is_absolute() and is_file(argument) and path.parent.resolve() == folder.resolve()
        if is_beside and path.resolve() not in counted:
            yield f"the command runs '{argument}', but a change of this file recomputes no result: add files=[\"{path.name}\"]"
