"""A copy of the checkout, and the command line run in it."""

import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import yaml

REPOSITORY = Path(__file__).resolve().parents[1]

STUDY = {
    "title": "A tiny study",
    "datasets": {"Tiny": "simulated(users=60,items=200,ratings=2000)"},
    "systems": {"Popularity": "popularity", "kNN": "user_knn(k=10)"},
    "design": {"split": "random(ratio=0.5)"},
    "vary": {"view": ["condensed"]},
    "metrics": ["P@5", "nDCG@5"],
}


@dataclass(frozen=True)
class Workspace:
    """A copy of what a checkout holds, and the command line run in it."""

    root: Path

    def write_study(self, name: str, **changes: object) -> None:
        """Write a study: the tiny one with some keys changed."""
        path = self.root / "config" / "studies" / f"{name}.yaml"
        path.write_text(yaml.safe_dump({**STUDY, **changes}, sort_keys=False), encoding="utf-8")

    def environment(self) -> dict[str, str]:
        """Let the copied sources come before the installed ones."""
        return {**os.environ, "PYTHONPATH": str(self.root / "src"), "PYTHONDONTWRITEBYTECODE": "1"}

    def command(self, *arguments: str) -> list[str]:
        """Write out a call of the command line."""
        return [str(Path(sys.executable).with_name("recsens")), *arguments]

    def recsens(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Call the command line and wait."""
        done = subprocess.run(
            self.command(*arguments), cwd=self.root, env=self.environment(), text=True, capture_output=True, check=False
        )
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done

    def planned(self, study: str) -> Counter[str]:
        """Count the jobs by rule that a run would do."""
        done = self.recsens("run", study, "--dry-run")
        found = re.findall(r"^(\w+) +(\d+)$", (done.stdout + done.stderr).partition("Job stats:")[2], re.MULTILINE)
        return Counter({rule: int(count) for rule, count in found if rule not in {"total", "all"}})

    def results(self) -> dict[str, bytes]:
        """Read every file that must not depend on how it was computed."""
        root = self.root / "results"
        return {
            str(path.relative_to(root)): path.read_bytes()
            for path in sorted(root.rglob("*"))
            if path.is_file() and not {"logs", "benchmarks"} & set(path.relative_to(root).parts)
        }

    def edit(self, file: str, old: str, new: str) -> None:
        """Change a source file."""
        path = self.root / file
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")
