"""The versions that a report was made with."""

import platform
from importlib import metadata

_PACKAGES = (
    "recsens", "numpy", "scipy", "numba", "implicit", "scikit-learn", "pandas", "pyarrow", "matplotlib", "pydantic", "snakemake",
    "torch",
)  # fmt: skip


def versions() -> list[tuple[str, str]]:
    """List Python and the packages whose versions may change a result, each with its version."""
    listed = [("Python", platform.python_version())]
    for package in _PACKAGES:
        try:
            listed.append((package, metadata.version(package)))
        except metadata.PackageNotFoundError:
            continue
    return listed
