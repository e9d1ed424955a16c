"""Environments of other frameworks, each made from its lock and kept in ``build/trials``, and calls of programs in them."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from workspaces import REPOSITORY

PROGRAMS = Path(__file__).with_name("frameworks")


def call(*command: str | Path, folder: Path) -> str:
    """Call a program, which must succeed, without this checkout on its path; return its output."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    environment.pop("PYTHONPATH", None)
    done = subprocess.run(command, cwd=folder, env=environment, text=True, capture_output=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout


def python_of(name: str) -> Path:
    """Return the Python of a framework's environment, which is made again if its lock has changed."""
    lock = PROGRAMS / f"{name}.lock"
    entries = [line for line in lock.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    digest = hashlib.sha256("\n".join(entries).encode()).hexdigest()[:12]
    folder = REPOSITORY / "build" / "trials" / f"{name}-{digest}"
    python = folder / "bin" / "python"
    if not (folder / "whole").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        call(sys.executable, "-m", "venv", folder, folder=REPOSITORY)
        call(python, "-m", "pip", "install", "--no-deps", "--require-hashes", "--requirement", lock, folder=REPOSITORY)
        (folder / "whole").touch()
    return python
