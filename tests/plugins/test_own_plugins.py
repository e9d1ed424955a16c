"""The user's own plug-ins are imported only from the study's folders; a refusal names the faulty line."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pydantic
import pytest
import yaml

from recsens import plugins
from recsens.errors import ConfigError, DesignError, SpecError
from recsens.plugins.own import _modules, import_own
from recsens.study import load_study
from recsens.testing import from_rows
from recsens.workflow.job import Job, reason_in, run

MODEL = """\
import numpy as np
from pydantic import Field
from recsens.recommenders import Recommender


class Mine(Recommender):
    k: int = Field(3, ge=1, description="size")

    def fit(self, train, rng):
        self._learned = {"n": train.item_counts}
        return self

    def score(self, train, users):
        return np.tile(self._learned["n"] * 1.0, (len(users), 1))
"""


class Lab:
    """A folder that a study names, with modules that a test writes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        plugins.add_paths([folder])

    def write(self, file: str, text: str = MODEL) -> Path:
        path = self.folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path


@pytest.fixture
def lab(tmp_path, monkeypatch):
    """Write modules into the folder lab of the working directory; they are forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_modules, "_FOLDERS", [])
    yield Lab(Path("lab"))
    for name in [name for name in sys.modules if name.startswith("mine")]:
        del sys.modules[name]


def refused(spec: str) -> str:
    with pytest.raises(SpecError) as found:
        plugins.build("recommender", spec)
    return str(found.value)


# Where modules come from


@pytest.mark.parametrize("file", ["minelab.py", "minelab/__init__.py", "minelab/models.py", "minelab/deep/models.py"])
@pytest.mark.parametrize("has_init", [True, False], ids=["a package", "a folder"])
def test_a_class_is_found_in_a_module_a_package_and_a_package_within(lab, file, has_init):
    path = lab.write(file)
    for folder in [parent for parent in path.parents if has_init and parent not in (lab.folder, *lab.folder.parents)]:
        (folder / "__init__.py").touch()
    module = ".".join(Path(file).with_suffix("").parts).removesuffix(".__init__")
    path.write_text(MODEL)
    assert str(plugins.build("recommender", f"{module}.Mine(k=4)").spec) == f"{module}.Mine(k=4)"


def test_a_module_is_read_from_its_source_though_an_earlier_one_had_its_size_and_time(lab, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    plugins.add_paths([lab.folder])
    for k in (1, 2):
        os.utime(lab.write("minelab/models.py", f"K = {k}\n"), (0, 0))
        sys.modules.pop("minelab.models", None)
        assert k == import_own("minelab.models").K


def test_an_installed_module_is_not_imported_whatever_a_study_says(tmp_path):
    study = {
        "title": "t",
        "datasets": {"S": "simulated"},
        "systems": {"A": "this.X", "B": "antigravity.Y", "C": "os.path.join", "D": "yaml.Loader"},
        "metrics": ["P@5"],
    }
    (tmp_path / "s.yaml").write_text(yaml.safe_dump(study))
    script = (
        "import sys\nfrom recsens.study import load_study\n"
        "try:\n    load_study('s.yaml')\nexcept Exception as error:\n    print(error)\n"
        "print([name for name in ('this', 'antigravity') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    for label, module in (("A", "this"), ("B", "antigravity"), ("C", "os"), ("D", "yaml")):
        assert f"systems.{label}: recommender '{study['systems'][label]}': no module '" in done.stdout
        assert f"the installed '{module}' is not imported" in done.stdout
    assert "name the file's folder in 'plugins:'" in done.stdout
    assert done.stdout.endswith("[]\n")
    assert "Zen" not in done.stdout


def test_the_folders_that_were_searched_are_named(lab):
    assert "no module 'elsewhere.models' in lab\n  what to do: add the folder that contains it" in refused("elsewhere.models.Foo")
    lab.write("minelab/models.py")
    assert "no module 'minelab.model'\n  what to do: check the name" in refused("minelab.model.Mine")


@pytest.mark.parametrize("file", ["random.py", "this.py", "json/models.py"])
def test_a_file_that_bears_the_name_of_one_of_pythons_is_refused(lab, file):
    lab.write(file)
    name = Path(file).parts[0].removesuffix(".py")
    said = refused(".".join([*Path(file).with_suffix("").parts, "Mine"]))
    assert f"'{name}' means {Path('lab', file if '/' not in file else name)}" in said
    assert "but Python would import its own module of that name" in said
    assert "rename lab/" in said


def test_a_file_that_bears_the_name_of_an_installed_module_is_refused(lab):
    lab.write("pydantic.py")
    said = refused("pydantic.Mine")
    assert "'pydantic' means lab/pydantic.py, but Python would import " in said
    assert str(Path("pydantic", "__init__.py")) in said


def test_a_name_that_two_folders_hold_is_refused(lab, tmp_path):
    lab.write("minelab.py")
    other = Lab(Path("other"))
    other.write("minelab/models.py")
    assert "'minelab' may mean lab/minelab.py and other/minelab" in refused("minelab.Mine")


def test_a_module_of_that_name_that_is_loaded_already_is_not_taken_for_the_one_meant(lab, tmp_path, monkeypatch):
    path = Path("elsewhere/minelab.py")
    path.parent.mkdir()
    path.write_text(MODEL)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "elsewhere"), *sys.path])
    importlib.import_module("minelab")
    lab.write("minelab.py")
    assert "'minelab' means lab/minelab.py, but Python would import elsewhere/minelab.py" in refused("minelab.Mine")


def test_a_module_may_import_from_its_folder_and_from_what_is_installed(lab):
    lab.write("minehelp.py", "SIZE = 3\n")
    lab.write("numpy/readme.txt", "a folder, and no package")
    lab.write("minelab.py", f"import minehelp\nimport scipy\n{MODEL}")
    assert plugins.build("recommender", "minelab.Mine").k == 3


def test_a_study_that_is_checked_runs_its_plug_ins_and_only_those(lab, tmp_path):
    lab.write("minelab.py", f"from pathlib import Path\n\nPath('was-run').touch()\n{MODEL}")
    lab.write("otherlab.py", "from pathlib import Path\n\nPath('was-run-too').touch()\n")
    study = {"title": "t", "plugins": ["lab"], "datasets": {"S": "simulated"}, "systems": {"A": "minelab.Mine"}, "metrics": ["P@5"]}
    Path("s.yaml").write_text(yaml.safe_dump(study))
    load_study("s.yaml")
    assert Path("was-run").exists()
    assert not Path("was-run-too").exists()


# What is wrong in a plug-in, without running it

PARAMETER = '    k: int = Field(3, ge=1, description="size")\n'


@pytest.mark.parametrize(
    ("old", "new", "line", "parts"),
    [
        pytest.param("class Mine(Recommender)", "class Mine(Recommender", 6, ["SyntaxError"], id="syntax error"),
        pytest.param(PARAMETER, "    k = 3\n", 6, ["`k = 3`", "require a type annotation", "ClassVar"], id="no type"),
        pytest.param(PARAMETER, "    k: int\n", 6, ["the parameter 'k' has no default"], id="no default"),
        pytest.param(
            PARAMETER,
            '    k: "integer" = 3\n',
            6,
            # Before 2.14, pydantic raises its own error here, which does not name the type.
            ["of the type 'integer', which is not defined"] if pydantic.VERSION >= "2.14" else ["cannot be imported"],
            id="unknown type",
        ),
        pytest.param("def score", "def scores", 6, ["does not define score", "score(self, train, users)"], id="missing method"),
        pytest.param(
            "def fit(self, train, rng)", "def fit(self, train)", 9, ["fit(self, train) does not accept", "rng"], id="too few"
        ),
        pytest.param(
            "        return self\n",
            "        self.pop = train.item_counts\n        return self\n",
            11,
            ["self.pop cannot be set", "self._learned = {'pop': ...}"],
            id="set in fit",
        ),
        pytest.param(
            "        return self\n", "        self.k += 1\n        return self\n", 11, ["self.k cannot be set"], id="changed"
        ),
        pytest.param(PARAMETER, "    def __init__(self):\n        self.k = 3\n", 7, ["defines __init__"], id="__init__"),
    ],
)
def test_a_mistake_in_a_plug_in_is_told_with_its_line_when_the_study_is_checked(lab, old, new, line, parts):
    assert old in MODEL
    lab.write("minelab.py", MODEL.replace(old, new))
    study = {"title": "t", "plugins": ["lab"], "datasets": {"S": "simulated"}, "systems": {"A": "minelab.Mine"}, "metrics": ["P@5"]}
    Path("s.yaml").write_text(yaml.safe_dump(study))
    with pytest.raises(ConfigError) as found:
        load_study("s.yaml")
    for part in ("s.yaml: systems.A: ", f"lab/minelab.py:{line}: ", *parts):
        assert part in str(found.value)


def test_what_a_method_may_set_is_not_refused(lab):
    text = MODEL.replace(
        "        return self\n", "        self._size, other = 3, Other()\n        other.size = 3\n        return self\n"
    )
    lab.write("minelab.py", f"{text}\n\nclass Other:\n    pass\n")
    assert plugins.build("recommender", "minelab.Mine").k == 3


def test_a_mistake_in_a_base_class_of_ones_own_is_told_at_its_line(lab):
    lab.write("minebase.py", MODEL.replace("return self", "self.pop = 3"))
    lab.write("minelab.py", "from minebase import Mine as Base\n\n\nclass Mine(Base):\n    pass\n")
    assert "lab/minebase.py:11: recommender 'minelab.Mine': self.pop cannot be set" in refused("minelab.Mine")


def test_a_plug_in_of_another_kind_is_told_where_to_keep_values(lab):
    text = "from recsens.data.filtering import Filter\n\n\nclass Mine(Filter):\n    def apply(self, interactions, stream):\n"
    lab.write("minelab.py", f"{text}        self.seen = 1\n        return interactions\n")
    with pytest.raises(SpecError, match=r"lab/minelab.py:6: .*self.seen cannot be set") as found:
        plugins.build("filter", "minelab.Mine")
    assert "whose name begins with _" in str(found.value)


# What goes wrong while it runs


def test_an_attribute_that_fit_did_not_keep_is_told_with_what_it_should_do(lab):
    path = lab.write("minekeep.py", MODEL.replace('np.tile(self._learned["n"]', "np.tile(self._counts"))
    with pytest.raises(DesignError) as found:
        plugins.build("recommender", "minekeep.Mine").score(from_rows([[1]]), np.array([0]))
    assert f"{path}:14: Mine reads self._counts, which was never set" in str(found.value)
    assert "self._learned = {'counts': ...}" in str(found.value)


def test_a_job_names_the_line_of_the_users_own_that_failed(lab, tmp_path, monkeypatch):
    lab.write("minefail.py", "def apply(x):\n    return {}[x]\n")
    monkeypatch.setattr(os, "environ", dict(os.environ))

    def step(**_: object) -> None:
        importlib.import_module("minefail").apply("k")

    monkeypatch.setattr("recsens.workflow.steps.fit.fit", step)
    with pytest.raises(SystemExit):
        run(Job("fit", log="logs/fit.log", params={"plugins": ("lab",)}))
    assert reason_in(Path("logs/fit.log")) == "lab/minefail.py:2: step 'fit' failed: KeyError: 'k'; see logs/fit.log"
