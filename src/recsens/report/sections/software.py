"""The versions of the software that made a report."""

import platform
from importlib import metadata

_PACKAGES = (
    "recsens", "numpy", "scipy", "numba", "implicit", "scikit-learn", "pandas", "pyarrow", "matplotlib", "pydantic", "snakemake",
    "torch",
)  # fmt: skip


def versions() -> list[tuple[str, str]]:
    """List Python and all packages whose versions may change a result, with their versions."""
    listed = [("Python", platform.python_version())]
    for package in _PACKAGES:
        try:
            listed.append((package, metadata.version(package)))
        except metadata.PackageNotFoundError:
            continue
    return listed
