"""Code digests: an edit that may change a result changes them, and any other does not."""

import ast
import importlib
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import llvmlite
import numba
import numpy as np
import pytest

import recsens
from recsens import plugins
from recsens.errors import SpecError
from recsens.metrics.precision_recall import P
from recsens.metrics.rbp import RBP
from recsens.ranking.targets.all_relevant import AR
from recsens.recommenders.nearest_neighbours import UserKNN
from recsens.recommenders.trivial import Popularity
from recsens.workflow import code_digests as provenance
from recsens.workflow.ask.study import _source_files
from recsens.workflow.code_digests import Kept, code_digest, parts_of_code, step_code

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
    """The user's own package, whose files a test may edit."""

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
        ("from . import tables\n", "from . import tables\n\nif TYPE_CHECKING:\n    from digestlab.sibling import X\n"),
    ],
    ids=["comment", "docstring", "no docstring", "docstring of the module", "layout", "types"],
)
def test_what_cannot_change_a_result_does_not_count(lab, old, new):
    before = lab.digest()
    lab.edit("models.py", old, new)
    assert lab.digest() == before


SPEAKING = """
from typing import ClassVar
from pydantic import Field
from recsens.plugins.prose import percent
from recsens.data.splitting import Splitter

class Early(Splitter):
    prose_lead: ClassVar[str] = "Split by"
    prose_shares = (("ratio", "data in train"),)

    ratio: float = Field(0.5, gt=0, description="what goes to train")

    def prose(self, whose="the ratings"):
        return f"We took {percent(self.ratio)} of {whose} {self.prose_end}."

    @property
    def prose_end(self):
        return "for training"

    def roles(self, interactions, fold, stream):
        return interactions.user < self.ratio
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We took", "We put"),
        ('return "for training"', 'return "to train"'),
        ('"Split by"', '"Divided by"'),
        ('(("ratio", "data in train"),)', "()"),
        ("from recsens.plugins.prose import percent\n", ""),
        ("what goes to train", "share of train"),
        ("{percent(self.ratio)} of {whose} {self.prose_end}", "some"),
    ],
    ids=["words", "a part of them", "lead", "shares", "import", "description", "none"],
)
def test_the_words_of_a_plug_in_do_not_count(lab, old, new):
    lab.write("splits.py", SPEAKING)
    before = lab.digest("digestlab.splits")
    lab.edit("splits.py", old, new)
    assert lab.digest("digestlab.splits") == before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("< self.ratio", "<= self.ratio"),
        ("0.5, gt=0", "0.6, gt=0"),
        ("gt=0,", "gt=0.1,"),
        ("< self.ratio", "< self.ratio and self.prose()"),
        ("< self.ratio", "< percent(self.ratio)"),
    ],
    ids=["code", "default", "bound", "words that compute", "helper that computes"],
)
def test_all_else_of_a_plug_in_that_speaks_counts(lab, old, new):
    lab.write("splits.py", SPEAKING)
    before = lab.digest("digestlab.splits")
    lab.edit("splits.py", old, new)
    assert lab.digest("digestlab.splits") != before


def test_words_that_something_computes_with_count(lab):
    lab.write("splits.py", SPEAKING.replace("< self.ratio", "< len(self.prose())"))
    before = lab.digest("digestlab.splits")
    lab.edit("splits.py", "We took", "We put")
    assert lab.digest("digestlab.splits") != before


@pytest.mark.parametrize("kind", ["filter", "split", "recommender", "targets", "nc", "users", "aggregate", "test"])
def test_the_words_of_no_shipped_plug_in_count(kind):
    for name in plugins.names(kind):
        module = plugins.load(kind, name).__module__
        tree = ast.parse(provenance._module_file(module).read_bytes())
        words = [node for node in ast.walk(tree) if getattr(node, "name", "") == "prose"]
        before = provenance.parse_code(ast.unparse(tree).encode())
        for node in words:
            node.body = ast.parse("return 'Other words.'").body
        assert provenance.parse_code(ast.unparse(tree).encode()) == before, name
        assert "recsens.plugins.prose" not in [each.module for each in before.imports], name


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
    first = code_digest(["recsens.workflow.steps.measure"], [own])
    assert first != code_digest(["recsens.workflow.steps.measure"])
    lab.edit("deep.py", "2 * x", "3 * x")
    assert lab.digest() != before
    assert code_digest(["recsens.workflow.steps.measure"], [plugins.load("metric", "digestlab.models.Newest")]) != first


def test_a_file_beside_the_package_counts_where_it_is_imported(lab):
    Path(lab.folder.parent, "digestlab_tools.py").write_text("def scale(x):\n    return 2 * x\n")
    lab.edit("deep.py", "def scale", "from digestlab_tools import scale as twice\n\n\ndef scale")
    before = lab.digest()
    Path(lab.folder.parent, "digestlab_tools.py").write_text("def scale(x):\n    return 3 * x\n")
    assert lab.digest() != before


def test_a_plugin_counts_and_its_siblings_do_not():
    assert code_digest(["recsens.workflow.steps.measure"], [P]) != code_digest(["recsens.workflow.steps.measure"], [RBP])
    assert code_digest(["recsens.workflow.steps.measure"], [P, RBP]) == code_digest(["recsens.workflow.steps.measure"], [RBP, P, P])


@pytest.mark.parametrize("step", ["ingest", "complete_relevance", "filter", "split", "fit", "rank", "measure", "count_ratings"])
def test_a_step_reaches_no_plugin_by_itself(step):
    reached = provenance._closure({f"recsens.workflow.steps.{step}"})
    assert f"recsens.workflow.steps.{step}" in reached
    chosen = {
        f"recsens.{package}.{path.stem}"
        for package in plugins.PACKAGES.values()
        for path in Path(recsens.__file__).parent.joinpath(*package.split(".")).glob("[!_]*.py")
    }
    assert len(chosen) > 100
    assert not reached & chosen


def test_a_recommenders_code_does_not_hold_that_of_another():
    reached = provenance._closure({Popularity.__module__, "recsens.workflow.steps.fit"})
    assert "recsens.recommenders.hkv" not in reached
    assert "recsens.recommenders.nearest_neighbours" not in reached


def homes(base: str, name: str) -> set[str]:
    """List the modules of the library on which ``from base import name`` depends."""
    return {each for each in provenance._candidate_modules(base, name) if provenance._module_file(each) is not None}


@pytest.mark.parametrize(
    ("base", "name", "expected"),
    [
        ("recsens.metrics", "Metric", {"recsens.metrics._base"}),
        ("recsens.comparison.significance", "adjusted", {"recsens.comparison.significance._corrections"}),
        ("recsens.metrics._base", "Metric", {"recsens.metrics._base"}),
        ("recsens.metrics", "_kernels", {"recsens.metrics._kernels"}),
        ("recsens", "plugins", {"recsens.plugins"}),
        ("recsens", "__version__", {"recsens"}),
        ("recsens.artefacts", "storage", {"recsens.artefacts.storage"}),
        ("recsens.plugins.own", "enforce", {"recsens.plugins.own._contract"}),
        ("recsens.metrics", "*", {"recsens.metrics"}),
    ],
)
def test_whoever_imports_a_name_from_a_package_depends_on_what_defines_it(base, name, expected):
    assert homes(base, name) == expected


def test_a_package_of_ones_own_counts_as_a_whole(lab):
    lab.write("helpers/__init__.py", "from .weights import weight\nfrom .heavy import other\n")
    lab.write("helpers/heavy.py", "def other():\n    return 1\n")
    lab.edit("models.py", "from digestlab.helpers.weights import weight", "from digestlab.helpers import weight")
    before = lab.digest()
    lab.edit("helpers/heavy.py", "1", "2")
    assert lab.digest() != before


def test_what_ones_own_code_can_reach_through_a_package_counts(lab):
    reached = {
        "import recsens\nfrom recsens.recommenders import Recommender as R": {"recsens.recommenders._memory_check"},
        "import recsens": {"recsens.notebook.rankings", "recsens.notebook.studies"},
        "from recsens import rank": {"recsens.notebook.rankings"},
    }
    for number, line in enumerate(reached):
        lab.write(f"reaching_{number}.py", f"{line}\n")
    lab.digest()
    for number, modules in enumerate(reached.values()):
        assert modules <= provenance._closure({f"digestlab.reaching_{number}"})


def test_packages_of_the_library_pass_names_on_and_do_nothing_when_they_are_imported():
    # Otherwise an importer would depend on more than the code that defines a name.
    harmless = (ast.Import, ast.ImportFrom, ast.FunctionDef)
    root = Path(recsens.__file__).parent
    for file in set(root.rglob("__init__.py")) - {root / "__init__.py"}:
        for line in ast.parse(file.read_bytes()).body:
            is_constant = isinstance(line, ast.Assign | ast.Expr) and not [n for n in ast.walk(line) if isinstance(n, ast.Call)]
            assert is_constant or isinstance(line, harmless), f"{file}: {ast.unparse(line)}"


def test_llvmlite_counts_where_numba_does(lab):
    lab.edit("models.py", "from . import tables\n", "import numba\nfrom . import tables\n")
    lab.digest()
    for modules in ({"digestlab.models"}, {"recsens.metrics._kernels"}):
        libraries = provenance._libraries(provenance._closure(modules))
        assert {f"numba {numba.__version__}", f"llvmlite {llvmlite.__version__}"} <= set(libraries)
    assert not [each for each in parts_of_code(step_code("filter"))[1] if each.startswith("llvmlite")]


def test_libraries_count_with_their_version(monkeypatch):
    before = code_digest(["recsens.workflow.steps.measure"])
    provenance._library_version.cache_clear()
    monkeypatch.setattr(provenance, "version", lambda name: "999" if name == "numpy" else "1")
    changed = code_digest(["recsens.workflow.steps.measure"])
    provenance._library_version.cache_clear()
    assert changed != before


def test_files_that_are_quoted_count_to_the_last_byte(tmp_path):
    (tmp_path / "a").write_text("text # remark")
    before = code_digest(["recsens.errors"], quoted=[tmp_path / "a"])
    (tmp_path / "a").write_text("text # Remark")
    assert code_digest(["recsens.errors"], quoted=[tmp_path / "a"]) != before


def test_the_report_quotes_the_words_of_bases_too():
    assert {"all_relevant.py", "_selection.py", "_base.py"} <= {path.name for path in _source_files(frozenset({AR}))}


# What the user's own plug-in imports


@pytest.mark.parametrize("file", ["__init__.py", "helpers/__init__.py"])
def test_the_file_of_a_package_around_a_module_counts(lab, file):
    lab.edit("models.py", "from . import tables", "import digestlab.tables as tables")
    before = lab.digest()
    lab.write(file, "SIDE_EFFECT = 1\n")
    assert lab.digest() != before


@pytest.mark.parametrize(
    "line",
    [
        "import digestlab_beside",
        "from digestlab_beside import SIZE",
        "import importlib; beside = importlib.import_module('digestlab_beside')",
        "from importlib import import_module as im, import_module; beside = import_module('digestlab_beside')",
        "beside = __import__('digestlab_beside')",
        "from . import beside",
        "from .beside import SIZE",
        "from .helpers.beside import SIZE",
        "import importlib; beside = importlib.import_module('.beside', __package__)",
    ],
)
def test_a_module_beside_a_plug_in_counts_however_it_is_imported(lab, line):
    lab.edit("models.py", "from . import tables\n", f"{line}\nfrom . import tables\n")
    places = ["../digestlab_beside.py", "beside.py", "helpers/beside.py"]
    for place in places:
        lab.write(place, "SIZE = 1\n")
    before = lab.digest()
    for place in places:
        lab.write(place, "SIZE = 2\n")
    assert lab.digest() != before


def test_a_compiled_module_beside_a_plug_in_counts_by_its_content(lab):
    lab.edit("models.py", "from . import tables\n", "from . import fast, tables\n")
    fast = f"fast{EXTENSION_SUFFIXES[0]}"
    lab.write(fast, "machine code")
    before = lab.digest()
    lab.write(fast, "other code")
    assert lab.digest() != before


WEIGHING = """
from typing import ClassVar
from recsens.comparison.users import Users

class Weighing(Users):
    files_beside: ClassVar[tuple[str, ...]] = ("weights.csv", "deep/table.txt")

    def admit(self, population):
        return population.train > 0
"""


def test_a_file_that_a_class_declares_counts_by_its_content(lab):
    lab.write("users.py", WEIGHING)
    lab.write("weights.csv", "1\n")
    lab.write("deep/table.txt", "a\n")
    (lab.folder / "deep.py").unlink()

    def digest() -> str:
        lab.digest("digestlab.users")
        return code_digest(["recsens.errors"], [plugins.load("users", "digestlab.users.Weighing")])

    before = digest()
    assert digest() == before
    lab.write("deep/table.txt", "b\n")
    assert digest() != before


@pytest.mark.parametrize(
    ("declared", "said"), [('("absent.csv",)', "there is no file"), ('"weights.csv"', "names of files"), ("(1,)", "names of files")]
)
def test_a_declaration_of_files_that_cannot_be_read_is_refused(lab, declared, said):
    lab.write("weights.csv", "1\n")
    lab.write("users.py", WEIGHING.replace('("weights.csv", "deep/table.txt")', declared))
    lab.digest("digestlab.users")
    with pytest.raises(SpecError, match=said) as refused:
        plugins.load("users", "digestlab.users.Weighing")
    assert "users.py" in str(refused.value)


def test_a_library_whose_distribution_has_another_name_counts_with_its_version(lab, monkeypatch):
    lab.edit("models.py", "from . import tables\n", "import digestlib\nfrom . import tables\n")
    monkeypatch.setattr(provenance, "packages_distributions", lambda: {"digestlib": ["digest-library"]})

    def version(name: str) -> str:
        if name == "digestlib":
            raise PackageNotFoundError
        return "2.0"

    monkeypatch.setattr(provenance, "version", version)
    lab.digest()
    assert "digest-library 2.0" in provenance._libraries(provenance._closure({"digestlab.models"}))


def test_the_libraries_of_a_step_are_named_with_their_versions():
    digest, named = parts_of_code(step_code("fit", frozenset({UserKNN})))
    assert len(digest) == 16
    assert f"numpy {np.__version__}" in named
    assert f"numba {numba.__version__}" in named
    assert named == sorted(set(named))
    assert set(parts_of_code(step_code("fit"))[1]) <= set(named)


# What is kept on disk


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / ".snakemake"
    path.mkdir()
    return path


def test_a_source_is_parsed_once(folder, monkeypatch):
    first = Kept(folder)
    tree = first.tree(b"import numpy\nfrom ..a import b\n")
    first.save()
    monkeypatch.setattr(provenance, "parse_code", None)
    assert Kept(folder).tree(b"import numpy\nfrom ..a import b\n") == tree
    with pytest.raises(TypeError):
        Kept(folder).tree(b"import scipy\n")


@pytest.mark.parametrize("damage", [b"", b"x", b"{}", "cut", "folder"])
def test_a_damaged_file_is_as_good_as_none(folder, damage):
    first = Kept(folder)
    tree = first.tree(b"import numpy\n")
    first.save()
    [file] = folder.iterdir()
    content = file.read_bytes()
    if damage == "folder":
        file.unlink()
        file.mkdir()
    else:
        file.write_bytes({"cut": content[:-3]}.get(damage, damage))
    again = Kept(folder)
    assert not again._known
    assert again.tree(b"import numpy\n") == tree
    again.save()


def test_another_version_of_python_does_not_read_what_one_kept(folder, monkeypatch):
    first = Kept(folder)
    first.tree(b"import numpy\n")
    first.save()
    monkeypatch.setattr(sys, "version", "4.0")
    other = Kept(folder)
    other.tree(b"import numpy\n")
    assert len(other._known) == 2


def test_without_a_folder_nothing_is_kept(tmp_path):
    first = Kept(tmp_path / ".snakemake")
    assert first.tree(b"x = 1\n").imports == ()
    first.save()
    assert not list(tmp_path.iterdir())
