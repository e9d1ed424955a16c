"""Rules of the architecture: imports point down, packages use only public names, plug-ins are independent; and rules of style."""

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import recsens
from docs.generate.map import LAYERS
from recsens.plugins import PACKAGES

ROOT = Path(recsens.__file__).parent

MOST_LOOSE_MODULES = 7

SAME_CLASS_NAMES = {
    "Random",  # Two kinds have a plug-in `random`: a class has the name that a spec uses.
}
"""Names that several classes share because they mean the same thing; any other name belongs to one class."""


def level(unit: str) -> int:
    """Return the layer of a module or package of recsens, counted from the top."""
    depths = [depth for depth, units in enumerate(LAYERS) if unit in units]
    assert depths, f"recsens.{unit} is on no layer: add it to LAYERS of docs/generate/map.py"
    return depths[0]


@cache
def modules() -> tuple[str, ...]:
    """List every module but the file in ``exporter``, which users copy, and what a wheel ships beside the library."""
    paths = [path.relative_to(ROOT).with_suffix("") for path in ROOT.rglob("*.py")]
    return tuple(sorted(".".join(("recsens", *path.parts)) for path in paths if path.parts[0] not in {"exporter", "shipped"}))


def folder_of(package: str) -> Path:
    return ROOT.joinpath(*package.split("."))


def file_of(module: str) -> Path:
    return ROOT.joinpath(*module.split(".")[1:]).with_suffix(".py")


@cache
def tree(module: str) -> ast.Module:
    return ast.parse(file_of(module).read_text(encoding="utf-8"))


@cache
def nodes(module: str) -> tuple[ast.AST, ...]:
    """List all nodes of a module."""
    return tuple(ast.walk(tree(module)))


@cache
def imports(module: str) -> tuple[tuple[str, str | None, str], ...]:
    """List what a module imports from recsens, anywhere in it: a module, a name in that module or None, and its alias."""
    return tuple(_imports(module))


def _imports(module: str) -> Iterator[tuple[str, str | None, str]]:
    for node in nodes(module):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, None, alias.asname or alias.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                is_module = inner in KNOWN or f"{inner}.__init__" in KNOWN
                yield (inner if is_module else str(node.module)), (None if is_module else alias.name), alias.asname or alias.name
        elif isinstance(node, ast.Call) and dotted(node.func).rpartition(".")[2] == "import_module":
            # The part of the name that is written out: import_module(f"recsens.workflow.steps.{step}") knows the package.
            written = "".join(part.value for part in ast.walk(node.args[0]) if isinstance(part, ast.Constant)).rstrip(".")
            if written in KNOWN or f"{written}.__init__" in KNOWN:
                yield written, None, ""


@cache
def imported(module: str) -> frozenset[str]:
    """List the modules of recsens that a module imports."""
    inner = (name for name, _, _ in imports(module) if name.partition(".")[0] == "recsens")
    return frozenset(name if name in KNOWN else f"{name}.__init__" for name in inner)


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def private_imports(module: str) -> Iterator[str]:
    """List what a module uses of another package of recsens that is not public: private modules, names and attributes."""
    aliases = {}
    for name, inner, alias in imports(module):
        if not name.startswith("recsens.") or home_of(name) == home_of(module):
            continue
        if any(map(is_private, [*name.split("."), inner or ""])):
            yield f"{name}.{inner}" if inner else name
        elif inner is None:
            aliases[alias] = name
    for node in nodes(module):
        if isinstance(node, ast.Attribute) and is_private(node.attr) and dotted(node.value) in aliases:
            yield f"{aliases[dotted(node.value)]}.{node.attr}"


def unit_of(module: str) -> str:
    """Return the package or loose module of recsens to which a module belongs."""
    return module.split(".")[1]


def home_of(module: str) -> str:
    """Return the package whose private names a module may use: that of its stage, or a package inside it."""
    inner = ".".join(module.split(".")[1:3])
    return inner if f"recsens.{inner}.__init__" in KNOWN and unit_of(module) in SHARED_STAGES else unit_of(module)


KNOWN = set(modules())
INNER = [module for module in modules() if module != "recsens.__init__"]
SHARED_STAGES = {"plugins", "data", "ranking", "comparison", "outcomes", "conclusions", "runs"}
"""Stages with several packages, each with its own public names."""
CHOSEN = {package for kind, package in PACKAGES.items() if kind not in {"figure", "claim", "analysis"}}
"""Packages of plug-ins that compute; other plug-ins show or judge the results."""
PLUGGED = sorted(set(PACKAGES.values()))


def test_imports_point_downwards():
    assert not [
        f"{module} looks up to {other}"
        for module in INNER
        for other in imported(module)
        if unit_of(other) not in {unit_of(module), "__init__"} and level(unit_of(other)) <= level(unit_of(module))
    ]


def test_the_layers_hold_every_package_and_module_once():
    assert sorted(unit for units in LAYERS for unit in units) == sorted({unit_of(module) for module in INNER})


def test_a_package_is_used_by_its_public_names():
    assert not {module: names for module in INNER if (names := list(private_imports(module)))}


def test_few_modules_lie_loose():
    loose = {path.stem for path in ROOT.glob("*.py")} - {"__init__"}
    assert len(loose) <= MOST_LOOSE_MODULES, f"move some into a package: {sorted(loose)}"


def test_a_class_name_means_one_thing():
    homes: dict[str, list[str]] = {}
    for module in modules():
        for node in nodes(module):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(module)
    shared = {name: places for name, places in homes.items() if len(places) > 1}
    assert {name: places for name, places in shared.items() if name not in SAME_CLASS_NAMES} == {}
    assert shared.keys() >= SAME_CLASS_NAMES, "an allowance that nothing needs"


def test_no_circle_among_modules():
    order = TopologicalSorter({module: imported(module) for module in modules()})
    assert set(order.static_order()) >= set(modules())


def test_a_package_of_plugins_knows_no_other():
    knowing = {}
    for package in PLUGGED:
        peers = (CHOSEN if package in CHOSEN else {PACKAGES["figure"], PACKAGES["claim"]}) - {package}
        for module in INNER:
            if module.startswith(f"recsens.{package}."):
                knowing[module] = {peer for peer in peers for other in imported(module) if other.startswith(f"recsens.{peer}.")}
    assert not {module: others for module, others in knowing.items() if others}


def test_a_plugin_imports_no_other_plugin():
    assert not {module: others for package in PLUGGED for module in named(package, "[!_]") if (others := plugins_known(module))}


def test_what_plugins_share_knows_no_plugin():
    assert not {module: others for package in PLUGGED for module in named(package, "_") if (others := plugins_known(module))}


def named(package: str, first: str) -> list[str]:
    """List the modules of a package whose names begin with this prefix."""
    return [f"recsens.{package}.{path.stem}" for path in folder_of(package).glob(f"{first}*.py")]


def plugins_known(module: str) -> set[str]:
    """List the plug-ins of its own package that a module imports."""
    home = module.rpartition(".")[0]
    return {other for other in imported(module) if other.startswith(f"{home}.") and not other.rpartition(".")[2].startswith("_")}


def test_test_data_reach_only_targets_ranking_and_the_split():
    # Signatures make leakage impossible: methods that learn have no argument for test data.
    assert not [
        f"{module}.{node.name}"
        for module in INNER
        if unit_of(module) == "recommenders"
        for node in nodes(module)
        if isinstance(node, ast.FunctionDef)
        and {argument.arg for argument in [*node.args.args, *node.args.kwonlyargs]} & {"test", "roles", "positions"}
    ]


# Habits


def public(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, ast.FunctionDef | ast.ClassDef]]:
    for node in body:
        # Only the last definition of an overloaded function has a docstring.
        is_signature = isinstance(node, ast.FunctionDef) and "overload" in map(dotted, node.decorator_list)
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_") and not is_signature:
            yield f"{prefix}.{node.name}", node
            if isinstance(node, ast.ClassDef):
                yield from public(node.body, f"{prefix}.{node.name}")


def test_every_module_class_and_function_says_what_it_is():
    stating = [found for module in modules() for found in [(module, tree(module)), *public(tree(module).body, module)]]
    assert not [name for name, node in stating if not ast.get_docstring(node)]


STATIONS = {
    "ranking",
    "metrics",
    "aggregation",
    "significance",
    "measuring",
    "outcomes",
    "verdicts",
    "tables",
    "report",
    "evaluation",
}


def package_of(module: str) -> str:
    return home_of(module).rpartition(".")[2]


def classes(chosen: Iterator[str]) -> Iterator[tuple[str, str]]:
    """Visit the classes of modules, including private ones, each by its bare name with the module."""
    for module in chosen:
        for node in nodes(module):
            if isinstance(node, ast.ClassDef):
                yield node.name.lstrip("_"), module


def test_from_ranking_to_report_no_name_of_a_class_means_two_things():
    # Modules that read files, and plug-ins of one kind, may use a class name that another module uses.
    apart = {"files", "datasets", "splitting", "targets", "recommenders"}
    owners: dict[str, set[str]] = {}
    for name, module in classes(module for module in INNER if package_of(module) not in apart):
        owners.setdefault(name, set()).add(module)
    shared = {name: modules for name, modules in owners.items() if len(modules) > 1}
    assert not {name for name, modules in shared.items() if set(map(package_of, modules)) & STATIONS}


def dotted(node: ast.AST) -> str:
    """Write out a name such as np.random.default_rng."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def calls(module: str) -> Iterator[tuple[str, ast.Call, str]]:
    """Visit the calls in a module: place, call, and name of the called function."""
    for node in nodes(module):
        if isinstance(node, ast.Call):
            yield f"{module}:{node.lineno}: {dotted(node.func)}", node, dotted(node.func)


def brought(module: str) -> set[str]:
    """List what a module imports: each module, and each name with its module."""
    return {each for name, inner, _ in imports(module) for each in (name, f"{name}.{inner}")}


def test_nothing_is_printed_evaluated_or_pickled():
    told = {"print", "eval", "exec", "input", "breakpoint", "__import__"}
    pickles = {"pickle", "marshal", "shelve", "dill", "joblib", "cloudpickle"}
    places = [
        place
        for module in modules()
        for place, node, name in calls(module)
        if name in told or name.endswith(("_pickle", ".unsafe_load")) or any(map(allows_pickle, node.keywords))
    ]
    assert not places
    assert not [module for module in modules() if {name.partition(".")[0] for name in brought(module)} & pickles]


def allows_pickle(keyword: ast.keyword) -> bool:
    return keyword.arg == "allow_pickle" and isinstance(keyword.value, ast.Constant) and keyword.value.value is True


def test_all_chance_comes_from_named_streams():
    drawing = {"default_rng", "RandomState", "getrandbits", "urandom"}
    others = [module for module in modules() if module != "recsens.seeds"]
    assert not [
        f"{module}:{node.lineno}: {dotted(node)}"
        for module in others
        for node in nodes(module)
        if isinstance(node, ast.Attribute)
        and (node.attr in drawing or (dotted(node).startswith(("np.random.", "numpy.random.")) and node.attr != "Generator"))
    ]
    assert not [module for module in others if brought(module) & {"random", "secrets", "uuid", "numpy.random"}]


def test_files_of_results_are_read_and_written_in_one_place():
    written_by = {"np.load", "np.save", "np.savez", "np.savez_compressed"}
    at_home = ("recsens.artefacts.storage", "recsens.files.parquet")
    others = [module for module in modules() if not module.startswith(at_home)]
    assert not [
        place
        for module in others
        for place, _, name in calls(module)
        if name in written_by or name.endswith((".read_parquet", ".to_parquet"))
    ]
    assert not [module for module in others if brought(module) & {"pyarrow.parquet", "zipfile.ZipFile"}]


def test_no_result_holds_the_time_of_day():
    assert not [
        place
        for module in INNER
        for place, _, name in calls(module)
        if name.endswith((".now", ".utcnow", ".today", "time.time", ".ctime"))
    ]
