"""Modules and classes with new names: plug-ins may import the former names, and a warning gives the new ones."""

import importlib
import re
import sys
import warnings

import pytest

from recsens.files.scale import Scale
from recsens.moved import MOVED, RENAMED, present_name
from recsens.plugins.registry import load
from recsens.workflow.code_digests import _candidate_modules, code_digest


def test_a_former_name_brings_the_module_and_says_its_present_name():
    for former, present in MOVED.items():
        sys.modules.pop(former, None)
        with warnings.catch_warnings(action="ignore"):
            importlib.import_module(former.rpartition(".")[0])  # A package that moved has its own warning too.
        with pytest.warns(FutureWarning, match=f"'{re.escape(former)}' is now '{re.escape(present)}'"):
            module = importlib.import_module(former)
        assert module is importlib.import_module(present)
        assert module.__spec__.name == module.__name__ == present
        del sys.modules[former]


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_a_class_is_the_same_by_either_name():
    drawn = importlib.import_module("recsens.splitting.random").Random
    assert drawn is load("split", "random")
    assert issubclass(drawn, importlib.import_module("recsens.splitting").Splitter)
    for name in ("recsens.splitting", "recsens.splitting.random"):
        del sys.modules[name]


def test_modules_that_stayed_keep_their_names():
    assert present_name("recsens.recommenders._base") == "recsens.recommenders._base"
    assert present_name("recsens.report.figures.lines") == "recsens.report.figures.lines"
    assert present_name("recsens.report.figures.ink") == "recsens.report.figure_style"
    assert present_name("recsens.splitting.random") == "recsens.data.splitting.random"


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_names_that_moved_between_packages_are_still_offered():
    assert importlib.import_module("recsens.interactions").Scale is Scale
    del sys.modules["recsens.interactions"]


def test_a_misspelt_module_is_missing_under_its_own_name():
    with pytest.raises(ModuleNotFoundError, match=r"recsens\.nowhere"):
        importlib.import_module("recsens.nowhere")


def test_what_a_plugin_imports_by_a_former_name_counts_as_its_code():
    assert code_digest(["recsens.splitting._base"]) == code_digest(["recsens.data.splitting._base"])


@pytest.mark.parametrize("former", RENAMED)
def test_a_class_is_offered_by_its_former_name(former):
    (package, name), present = former.rsplit(".", 1), RENAMED[former]
    with pytest.warns(FutureWarning, match=f"'{re.escape(former)}' is now '{re.escape(present)}'") as notices:
        offered = getattr(importlib.import_module(package), name)
    home, _, its_name = present.rpartition(".")
    assert offered is getattr(importlib.import_module(home), its_name)
    assert notices[0].filename == __file__


def test_a_name_that_never_was_is_missing():
    with pytest.raises(AttributeError, match="has no attribute 'Nowhere'"):
        importlib.import_module("recsens.comparison.aggregation").Nowhere  # noqa: B018


def test_what_a_plugin_imports_by_a_former_name_of_a_class_counts_as_its_code():
    assert "recsens.comparison.aggregation._base" in set(_candidate_modules("recsens.comparison.aggregation", "Scores"))
