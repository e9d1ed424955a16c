"""One job of the workflow: its threads, its log, and how it fails."""

from __future__ import annotations

import logging
import os
import sys
import traceback
from importlib import import_module
from pathlib import Path
from typing import Any

from recsens.errors import REFUSALS, RecsensError

logger = logging.getLogger(__name__)

ONE_BLAS_THREAD = {"OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "BLIS_NUM_THREADS": "1", "VECLIB_MAXIMUM_THREADS": "1"}
"""Environment of every job: a matrix product on two threads differs from one on one in the last bit, which flips near-ties."""


def run_step(step: str, /, *, log: str, threads: int, plugins: tuple[str, ...] = (), **bound: Any) -> None:
    """Run the step of a rule with its files and parameters.

    Everything logged, warned or raised goes to the log file. An error reaches the terminal too; about the input, without traceback.
    """
    # Before numpy and numba are imported, which read these once.
    os.environ.update(ONE_BLAS_THREAD)
    os.environ["OMP_NUM_THREADS"] = os.environ["NUMBA_NUM_THREADS"] = str(threads)
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(filename=log, filemode="w", level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    logging.captureWarnings(capture=True)
    try:
        import_module("recsens.plugins").add_paths(plugins)
        getattr(import_module(f"recsens.steps.{step}"), step)(**bound)
    except RecsensError as error:
        logger.error("refused: %s", error)  # noqa: TRY400 - no fault of the code, whose traceback would hide what is to be mended
        _note(str(error))
        sys.exit(f"recsens: {error}")
    except Exception as error:
        logger.exception("failed")
        # In one line: what numba says of types takes pages, and stands in the log.
        said = f"{type(error).__name__}: {error}".partition("\n")[0].removesuffix(": ")
        own = import_module("recsens.own").line_of(error)
        _note(f"{f'{own}: ' if own else ''}step '{step}' failed: {said}; see {log}")
        sys.exit(f"recsens: step '{step}' failed\n{traceback.format_exc()}")


def _note(reason: str) -> None:
    if file := os.environ.get(REFUSALS):
        with Path(file).open("a", encoding="utf-8") as noted:
            noted.write(reason + "\0")
