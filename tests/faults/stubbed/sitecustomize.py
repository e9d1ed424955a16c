"""Imported first by every Python with this folder on its path. In a worker, each step then only writes a digest of its arguments.

Such runs show what the engine alone costs. A digest has only three values, so some changes of inputs do not change the output.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_loader
from types import CodeType, ModuleType
from typing import Any

WORKER, STEPS = "recsens.workflow.worker", "recsens.workflow.steps"

LEFT_OUT = {
    b"    _import_library()\n": b"    import_module('recsens.artefacts.storage')\n",
    b"    _set_threads(job.threads)\n": b"",
}
"""Lines of the worker that import numeric libraries, which stubs do not need."""


class Stubs:
    """Finds a stub in place of every step, and the worker without its numeric libraries."""

    @classmethod
    def find_spec(cls, name: str, path: Sequence[str] | None = None, _: object = None) -> ModuleSpec | None:
        package, _, last = name.rpartition(".")
        if name == WORKER:
            found = PathFinder.find_spec(name, path)
            assert found is not None
            assert found.origin is not None
            return spec_from_loader(name, LightWorker(name, found.origin))
        return spec_from_loader(name, cls) if package == STEPS and not last.startswith("_") else None  # type: ignore[arg-type]

    @staticmethod
    def create_module(_: ModuleSpec) -> None:
        return None

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        setattr(module, module.__name__.rpartition(".")[2], stub)


class LightWorker(SourceFileLoader):
    """Loads the worker with some lines left out."""

    def get_code(self, _: str) -> CodeType:
        source = self.get_data(self.path)
        for line, instead in LEFT_OUT.items():
            assert line in source
            source = source.replace(line, instead)
        return compile(source, self.path, "exec")


def stub(**given: Any) -> None:
    """Write a digest of a job's inputs to every file that the job makes."""
    from recsens.artefacts import statements  # only a worker needs it

    made = statements._making.get()  # it says which paths are inputs
    assert made is not None
    for path in dict.fromkeys(results(given)):
        if (name := statements.below_results(path)) not in made.inputs:
            write(path, int(statements.digest_of([name, made.step, made.inputs, made.params, made.code]), 16) % 3)


def results(value: Any) -> Iterator[str]:
    """Yield the results among the arguments of a step."""
    if isinstance(value, str):
        yield from [value] if value.startswith("results/") else []
    elif isinstance(value, Mapping | list | tuple):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from results(inner)


def write(path: str, value: int) -> None:
    """Write a value to a file of any form."""
    from recsens.artefacts import schemas, storage

    match path.rpartition(".")[2]:
        case "parquet":
            storage.write_table(path, schemas.IDS, {"key": [value], "id": ["stub"]})
        case "npz":
            storage.write_arrays(path, {}, {"value": [value]}, "stub 1")  # type: ignore[dict-item]
        case "json":
            storage.write_json(path, {"value": value}, "stub 1")
        case _:
            storage.write_text(path, f"{value}\n")


if WORKER in sys.orig_argv:
    sys.meta_path.insert(0, Stubs)  # type: ignore[arg-type]
