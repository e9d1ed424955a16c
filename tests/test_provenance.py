"""Fingerprints of code: an edit that may change a result changes them, any other does not."""

import importlib
import sys
from pathlib import Path

import pytest

from recsens import plugins, provenance
from recsens.metrics.p import P
from recsens.metrics.rbp import RBP
from recsens.provenance import code_digest
from recsens.recommenders.popularity import Popularity
from recsens.recommenders.random import Random

MODELS = '''"""Models."""
from digestlab.helpers.weights import weight
from . import tables

class Newest:
    """Recommend the newest."""

    def score(self):
        # A remark.
        return weight(1) + tables.SIZE
'''


class Lab:
    """A package of one's own, whose files a test may edit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, file: str, text: str) -> None:
        path = self.folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def edit(self, file: str, old: str, new: str) -> None:
        text = (self.folder / file).read_text(encoding="utf-8")
        assert old in text
        self.write(file, text.replace(old, new))

    def digest(self, module: str = "digestlab.models") -> str:
        """Digest as a new process would."""
        for name in [name for name in sys.modules if name.partition(".")[0] == "digestlab"]:
            del sys.modules[name]
        importlib.invalidate_caches()
        for cached in vars(provenance).values():
            if hasattr(cached, "cache_clear"):
                cached.cache_clear()
        return code_digest([module])


@pytest.fixture
def lab(tmp_path):
    """A package with a module that imports two others, one of which imports a third, and one that nobody imports."""
    plugins.add_paths([tmp_path])
    lab = Lab(tmp_path / "digestlab")
    lab.write("__init__.py", "")
    lab.write("models.py", MODELS)
    lab.write("tables.py", "SIZE = 3\n")
    lab.write("helpers/__init__.py", "")
    lab.write("helpers/weights.py", "from ..deep import scale\n\n\ndef weight(x):\n    return scale(x)\n")
    lab.write("deep.py", "def scale(x):\n    return 2 * x\n")
    lab.write("sibling.py", "X = 1\n")
    return lab


def test_the_same_code_has_the_same_digest(lab):
    assert lab.digest() == lab.digest()
    assert len(lab.digest()) == 16


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# A remark.", "# Another remark."),
        ('"""Recommend the newest."""', '"""Recommend the latest."""'),
        ('    """Recommend the newest."""\n\n', ""),
        ('"""Models."""\n', '"""Models.\n\nMore of them.\n"""\n\n\n'),
        ("weight(1) + tables.SIZE", "(weight(1)\n            + tables.SIZE)"),
    ],
    ids=["comment", "docstring", "no docstring", "docstring of the module", "layout"],
)
def test_what_cannot_change_a_result_does_not_count(lab, old, new):
    before = lab.digest()
    lab.edit("models.py", old, new)
    assert lab.digest() == before


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("models.py", "weight(1)", "weight(2)"),
        ("models.py", "def score(self)", "def score(self, k=1)"),
        ("helpers/weights.py", "scale(x)", "scale(x) + 1"),
        ("tables.py", "3", "4"),
        ("deep.py", "2 * x", "3 * x"),
    ],
    ids=["itself", "a default", "imported by its full name", "imported from its own package", "imported by what it imports"],
)
def test_an_edit_of_anything_that_is_imported_counts(lab, file, old, new):
    before = lab.digest()
    lab.edit(file, old, new)
    assert lab.digest() != before


def test_a_sibling_that_is_not_imported_does_not_count(lab):
    before = lab.digest()
    lab.edit("sibling.py", "1", "2")
    lab.write("new.py", "Y = 1\n")
    assert lab.digest() == before


def test_an_import_inside_a_function_counts(lab):
    lab.edit("models.py", "        # A remark.", "        from digestlab.sibling import X")
    before = lab.digest()
    lab.edit("sibling.py", "1", "2")
    assert lab.digest() != before


def test_modules_that_import_each_other_are_no_trap(lab):
    lab.write("deep.py", "import digestlab.models\n\n\ndef scale(x):\n    return 2 * x\n")
    before = lab.digest()
    lab.edit("deep.py", "2 * x", "3 * x")
    assert lab.digest() != before


def test_code_is_read_and_not_run(lab):
    lab.edit("models.py", "        # A remark.", "        from digestlab.elsewhere import fast")
    lab.write("elsewhere.py", "raise RuntimeError('only on the cluster')\nfast = 1\n")
    before = lab.digest()
    lab.edit("elsewhere.py", "1", "2")
    assert lab.digest() != before


def test_relative_imports_are_followed_from_a_package_itself(lab):
    lab.write("helpers/__init__.py", "from .weights import weight\nfrom .. import sibling\n")
    before = lab.digest("digestlab.helpers")
    lab.edit("sibling.py", "1", "2")
    assert lab.digest("digestlab.helpers") != before
    before = lab.digest("digestlab.helpers")
    lab.edit("deep.py", "2 * x", "3 * x")
    assert lab.digest("digestlab.helpers") != before


def test_a_package_without_init_file_is_followed(lab):
    for path in ("__init__.py", "helpers/__init__.py"):
        (lab.folder / path).unlink()
    before = lab.digest()
    lab.edit("deep.py", "2 * x", "3 * x")
    assert lab.digest() != before


def test_a_plugin_of_ones_own_counts_with_its_own_package(lab, monkeypatch):
    metric = MODELS.replace("class Newest:", "from recsens.metrics import Metric\n\nclass Newest(Metric):")
    lab.write("models.py", metric.replace("score(self)", "measure(self, judged, cutoffs)"))
    before = lab.digest()
    own = plugins.load("metric", "digestlab.models.Newest")
    first = code_digest(["recsens.steps.measure"], [own])
    assert first != code_digest(["recsens.steps.measure"])
    lab.edit("deep.py", "2 * x", "3 * x")
    assert lab.digest() != before
    assert code_digest(["recsens.steps.measure"], [plugins.load("metric", "digestlab.models.Newest")]) != first


def test_a_file_beside_the_package_counts_where_it_is_imported(lab):
    Path(lab.folder.parent, "digestlab_tools.py").write_text("def scale(x):\n    return 2 * x\n")
    lab.edit("deep.py", "def scale", "from digestlab_tools import scale as twice\n\n\ndef scale")
    before = lab.digest()
    Path(lab.folder.parent, "digestlab_tools.py").write_text("def scale(x):\n    return 3 * x\n")
    assert lab.digest() != before


def test_a_plugin_counts_and_its_siblings_do_not():
    assert code_digest(["recsens.steps.measure"], [P]) != code_digest(["recsens.steps.measure"], [RBP])
    assert code_digest(["recsens.steps.measure"], [P, RBP]) == code_digest(["recsens.steps.measure"], [RBP, P, P])


@pytest.mark.parametrize("step", ["ingest", "filter", "split", "fit", "rank", "measure", "population"])
def test_a_step_reaches_no_plugin_by_itself(step):
    reached = provenance._closure({f"recsens.steps.{step}"})
    assert f"recsens.steps.{step}" in reached
    chosen = {
        f"recsens.{package}.{path.stem}"
        for package in plugins.PACKAGES.values()
        for path in Path(provenance.__file__).with_name(package).glob("[!_]*.py")
    }
    assert not reached & chosen


def test_a_recommenders_code_does_not_hold_that_of_another():
    reached = provenance._closure({Popularity.__module__, "recsens.steps.fit"})
    assert Random.__module__ not in reached
    assert "recsens.recommenders.user_knn" not in reached


def test_libraries_count_with_their_version(monkeypatch):
    before = code_digest(["recsens.steps.measure"])
    provenance._version.cache_clear()
    monkeypatch.setattr(provenance, "version", lambda name: "999" if name == "numpy" else "1")
    changed = code_digest(["recsens.steps.measure"])
    provenance._version.cache_clear()
    assert changed != before


def test_files_that_are_quoted_count_to_the_last_byte(tmp_path):
    (tmp_path / "a").write_text("text # remark")
    before = code_digest(["recsens.errors"], quoted=[tmp_path / "a"])
    (tmp_path / "a").write_text("text # Remark")
    assert code_digest(["recsens.errors"], quoted=[tmp_path / "a"]) != before
