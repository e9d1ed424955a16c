"""The house stands as planned: imports point downwards, siblings do not know each other, habits are kept."""

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import recsens
from recsens.plugins import PACKAGES

ROOT = Path(recsens.__file__).parent

LAYERS = (
    {"errors", "vocabulary", "interactions"},
    {"specs", "seeds", "files", "columns", "moments", "describe", "popularity", "own"},
    {"tables", "plugins", "testing", "pairs"},
    {"costs"},
    {"datasets", "filtering", "splitting", "recommenders", "targets", "nc", "metrics", "users", "aggregation", "significance"},
    {"provenance", "artefacts", "ranking", "config", "design"},
    {"score_files", "ignored"},
    {"conflicts"},
    {"plan", "measures", "scoring", "paired"},
    {"measured", "tuning"},
    {"outcomes", "counting", "studies"},
    {"steps", "wiring", "exporting", "evaluation"},
    {"jobs", "running", "warming", "reference"},
    {"cli"},
)
"""What lies on what, from the ground up; a module imports from lower layers and, within a package, from its own."""


def level(unit: str) -> int:
    """Say on which layer a module or package of recsens stands."""
    found = [place for place, units in enumerate(LAYERS) if unit in units]
    assert found, f"recsens.{unit} stands on no layer: say in LAYERS where it belongs"
    return found[0]


def modules() -> list[str]:
    """List every module of recsens."""
    return sorted(".".join(("recsens", *path.relative_to(ROOT).with_suffix("").parts)) for path in ROOT.rglob("*.py"))


def file_of(module: str) -> Path:
    return ROOT.joinpath(*module.split(".")[1:]).with_suffix(".py")


@cache
def tree(module: str) -> ast.Module:
    return ast.parse(file_of(module).read_text(encoding="utf-8"))


def imported(module: str) -> Iterator[str]:
    """Name the modules of recsens that one imports, at its head or within a function."""
    known = set(modules())
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively"
            found = [
                f"{node.module}.{alias.name}" if f"{node.module}.{alias.name}" in known else str(node.module)
                for alias in node.names
            ]
        else:
            continue
        for name in found:
            if name.partition(".")[0] == "recsens":
                yield name if name in known else f"{name}.__init__"


def unit_of(module: str) -> str:
    return module.split(".")[1]


INNER = [module for module in modules() if module != "recsens.__init__"]


@pytest.mark.parametrize("module", INNER)
def test_imports_point_downwards(module):
    for other in imported(module):
        if unit_of(other) in {unit_of(module), "__init__"}:
            continue
        assert level(unit_of(other)) < level(unit_of(module)), f"{module} looks up to {other}"


def test_every_layer_holds_what_exists():
    existing = {unit_of(module) for module in INNER}
    assert existing <= set().union(*LAYERS)


def test_no_circle_among_modules():
    order = TopologicalSorter({module: set(imported(module)) for module in modules()})
    assert set(order.static_order()) >= set(modules())


@pytest.mark.parametrize("package", sorted(set(PACKAGES.values())))
def test_a_package_of_plugins_knows_no_other(package):
    for module in INNER:
        if unit_of(module) == package:
            others = {unit_of(other) for other in imported(module)} & set(PACKAGES.values())
            assert others <= {package}, module


@pytest.mark.parametrize("package", sorted(set(PACKAGES.values())))
def test_a_plugin_imports_no_other_plugin(package):
    public = [f"recsens.{package}.{path.stem}" for path in (ROOT / package).glob("[!_]*.py")]
    for module in public:
        assert not set(imported(module)) & set(public), module


@pytest.mark.parametrize("package", sorted(set(PACKAGES.values())))
def test_what_plugins_share_knows_no_plugin(package):
    for path in (ROOT / package).glob("_*.py"):
        module = f"recsens.{package}.{path.stem}"
        assert not [
            other for other in imported(module) if unit_of(other) == package and not other.rpartition(".")[2].startswith("_")
        ], module


def test_test_data_reach_only_targets_ranking_and_the_split():
    # Leakage is impossible by signature: what learns has no argument for test data.
    for module in INNER:
        if unit_of(module) == "recommenders":
            for node in ast.walk(tree(module)):
                if isinstance(node, ast.FunctionDef):
                    arguments = {argument.arg for argument in [*node.args.args, *node.args.kwonlyargs]}
                    assert not arguments & {"test", "roles", "positions"}, f"{module}.{node.name}"


# Habits


def public(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, ast.FunctionDef | ast.ClassDef]]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield f"{prefix}.{node.name}", node
            if isinstance(node, ast.ClassDef):
                yield from public(node.body, f"{prefix}.{node.name}")


@pytest.mark.parametrize("module", modules())
def test_every_module_class_and_function_says_what_it_is(module):
    assert ast.get_docstring(tree(module)), module
    for name, node in public(tree(module).body, module):
        assert ast.get_docstring(node), name


def dotted(node: ast.AST) -> str:
    """Write out a name such as np.random.default_rng."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


@pytest.mark.parametrize("module", modules())
def test_nothing_is_printed_evaluated_or_pickled(module):
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Call):
            name = dotted(node.func)
            assert name not in {"print", "eval", "exec", "input", "breakpoint", "__import__"}, f"{module}:{node.lineno}"
            assert not name.endswith(("_pickle", ".unsafe_load")), f"{module}:{node.lineno}"
            for keyword in node.keywords:
                claimed = isinstance(keyword.value, ast.Constant) and keyword.value.value is True
                assert not (keyword.arg == "allow_pickle" and claimed), f"{module}:{node.lineno}"
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [str(node.module)]
            assert not {name.partition(".")[0] for name in names} & {"pickle", "marshal", "shelve", "dill", "joblib", "cloudpickle"}


@pytest.mark.parametrize("module", [module for module in modules() if module != "recsens.seeds"])
def test_all_chance_comes_from_named_streams(module):
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Attribute):
            name = dotted(node)
            assert not (name.startswith(("np.random.", "numpy.random.")) and not name.endswith(".Generator")), (
                f"{module}:{node.lineno}: {name}"
            )
            assert node.attr not in {"default_rng", "RandomState", "getrandbits", "urandom"}, f"{module}:{node.lineno}: {name}"
        elif isinstance(node, ast.Import):
            assert not {alias.name for alias in node.names} & {"random", "secrets", "uuid", "numpy.random"}, module
        elif isinstance(node, ast.ImportFrom):
            assert node.module not in {"random", "secrets", "uuid", "numpy.random"}, module


@pytest.mark.parametrize("module", modules())
def test_files_of_results_are_read_and_written_in_one_place(module):
    own_files = {"recsens.columns", "recsens.datasets.parquet", "recsens.pairs._parquet"}
    if module == "recsens.tables" or module in own_files:
        return
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] + ([str(node.module)] if isinstance(node, ast.ImportFrom) else [])
            assert not {"pyarrow.parquet", "zipfile.ZipFile"} & set(names), module
        if isinstance(node, ast.Call):
            assert dotted(node.func) not in {"np.load", "np.save", "np.savez", "np.savez_compressed"}, f"{module}:{node.lineno}"
            assert not dotted(node.func).endswith((".read_parquet", ".to_parquet")), f"{module}:{node.lineno}"


@pytest.mark.parametrize("module", [module for module in modules() if unit_of(module) != "__init__"])
def test_no_result_holds_the_time_of_day(module):
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Call):
            assert not dotted(node.func).endswith((".now", ".utcnow", ".today", "time.time", ".ctime")), f"{module}:{node.lineno}"
