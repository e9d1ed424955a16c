"""The exporter as a user gets it: a file, loaded by its path."""

import importlib.util
import sys
from types import ModuleType

import pytest

from recsens.workflow.shipped import exporter_file


@pytest.fixture(scope="session")
def recsens_export() -> ModuleType:
    spec = importlib.util.spec_from_file_location("recsens_export", exporter_file())
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
