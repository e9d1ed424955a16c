"""The Dockerfile: the files that it copies exist, its steps are those of 'make setup', and it leaves no package lists behind."""

import re
from fnmatch import fnmatch

import yaml

from workspaces import REPOSITORY


def instructions() -> list[tuple[str, str]]:
    """Return each instruction with its arguments, without comments and line ends."""
    text = re.sub(r"^#.*\n", "", (REPOSITORY / "Dockerfile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    lines = re.sub(r"\s*\\\n\s*", " ", text).splitlines()
    return [(word, given) for word, _, given in (line.partition(" ") for line in lines if line.strip())]


def test_everything_copied_is_there_and_set_up_after():
    steps = instructions()
    copied = [source for word, given in steps if word == "COPY" for source in given.split()[:-1]]
    for source in copied:
        assert (REPOSITORY / source).exists(), source
    # Files that the Makefile's rule reads, and files from which the package is built.
    assert {"Makefile", "requirements.lock", "pyproject.toml", "PACKAGE.md", "LICENSE", "src"} <= set(copied)
    last = max(index for index, (word, _) in enumerate(steps) if word == "COPY")
    assert ("RUN", "make setup") in steps[last:]
    assert "setup: $(READY)" in (REPOSITORY / "Makefile").read_text(encoding="utf-8")


def test_the_image_runs_a_python_that_the_package_allows():
    ((_, image), *_) = instructions()
    version = re.search(r"python:(3\.\d+)", image)[1]
    environment = yaml.safe_load((REPOSITORY / "environment.yml").read_text(encoding="utf-8"))
    (python,) = (each for each in environment["dependencies"] if isinstance(each, str) and fnmatch(each, "python*"))
    assert version in python
