"""Wheels and source distributions of this checkout, and environments in which a wheel is installed."""

import os
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

from workspaces import REPOSITORY


def call(*command: str | Path, folder: Path, **variables: str) -> str:
    """Call a program and return its output; it must succeed, finds only the installed library, and keeps compiled files."""
    left_out = {"PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "RECSENS_DATA"}
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    done = subprocess.run(command, cwd=folder, env={**kept, **variables}, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def build(target: str, folder: Path, sources: Path = REPOSITORY) -> Path:
    """Build a ``wheel`` or an ``sdist``, and return its file."""
    call(sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", folder, folder=sources)
    (found,) = folder.glob("*.whl" if target == "wheel" else "*.tar.gz")
    return found


@dataclass(frozen=True)
class Installed:
    """A separate environment that contains a wheel, and finds all other libraries in the environment of the tests."""

    root: Path

    @classmethod
    def of(cls, wheel: Path, root: Path) -> "Installed":
        """Install a wheel."""
        venv.create(root, with_pip=False, symlinks=True)
        made = cls(root)
        pip = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps")
        call(*pip, "--target", made.packages, wheel, folder=root)
        others = [path for path in sys.path if Path(path).name == "site-packages"]
        (made.packages / "others.pth").write_text("\n".join(others), encoding="utf-8")
        return made

    @property
    def packages(self) -> Path:
        """The folder of installed packages."""
        (found,) = self.root.glob("lib/python3*/site-packages")
        return found

    @property
    def python(self) -> Path:
        """The interpreter."""
        return self.root / "bin" / "python"

    def recsens(self, *arguments: str, folder: Path, **variables: str) -> str:
        """Call the command line in a folder, and return its output."""
        return call(self.python, "-c", "from recsens.cli import main; main()", *arguments, folder=folder, **variables)
