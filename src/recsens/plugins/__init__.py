"""Plug-ins: found by file name, configured by typed parameters, written as specs."""

from recsens.plugins.registry import (
    EXTRAS,
    PACKAGES,
    SOURCE,
    Component,
    Plugin,
    absent,
    add_paths,
    address,
    build,
    component,
    describe,
    load,
    names,
    refuse_absent,
    without_paths,
)

__all__ = [
    "EXTRAS",
    "PACKAGES",
    "SOURCE",
    "Component",
    "Plugin",
    "absent",
    "add_paths",
    "address",
    "build",
    "component",
    "describe",
    "load",
    "names",
    "refuse_absent",
    "without_paths",
]
