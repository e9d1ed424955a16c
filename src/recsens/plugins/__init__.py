"""Plug-ins, which are found by file name, configured by typed parameters, and written as specs."""

from recsens.plugins.own import add_paths
from recsens.plugins.parameters import describe
from recsens.plugins.registry import (
    EXTRAS,
    PACKAGES,
    SOURCE,
    Component,
    Plugin,
    address,
    build,
    component,
    load,
    missing_extra,
    names,
    refuse_missing_extra,
    spelt_out,
    with_file_names,
    without_paths,
)

__all__ = ["PACKAGES", "Component", "Plugin"]
