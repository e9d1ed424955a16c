"""Write new locks of frameworks: `python tests/trials/frameworks/relock.py [NAME...]`, with the Python version to lock for.

pip chooses compatible versions, as for an installation; hashes are those of the files that it would install.
"""

import json
import subprocess
import sys
from pathlib import Path

WANTED = {
    "cornac": ["cornac==3.0.1", "torch==2.13.0", "tensorflow-cpu==2.21.0"],
    "implicit": ["implicit==0.7.3"],
    "lenskit": ["lenskit==2025.8.1", "torch==2.13.0", "scikit-learn==1.9.1"],
    # RecBole calls a method of sparse matrices that SciPy 1.12 no longer has, and aliases that NumPy 2 no longer has. Its quick
    # start imports Ray, which needs pkg_resources.
    "recbole": ["recbole==1.2.1", "torch==2.13.0", "numpy<2", "scipy<1.12", "pandas<2.3", "setuptools<81"],
    # PureSVD of RecTools passes SciPy a RandomState, which SciPy 1.15 no longer accepts.
    "rectools": ["rectools==0.19.0", "numpy<2", "scipy<1.15"],
    "replay": ["replay-rec[spark]==0.22.0"],
    "surprise": ["scikit-surprise==1.1.5"],
}
HEAD = "# For {}, on Linux, x86-64 and Python 3.11 ('make trials'); relock.py writes this file.\n"


def lock(name: str) -> str:
    """Return the distributions that pip would install, each with the hash of its file, and no address."""
    plain = ("install", "--quiet", "--dry-run", "--ignore-installed", "--report", "-")
    asked = [sys.executable, "-m", "pip", *plain, *WANTED[name]]
    chosen = json.loads(subprocess.run(asked, capture_output=True, text=True, check=True).stdout)["install"]
    entries = {each["metadata"]["name"].lower().replace("_", "-"): each for each in chosen}
    hashes = {label: each["download_info"]["archive_info"]["hashes"]["sha256"] for label, each in entries.items()}
    lines = [
        f"{label}=={each['metadata']['version']} \\\n    --hash=sha256:{hashes[label]}\n" for label, each in sorted(entries.items())
    ]
    return HEAD.format(WANTED[name][0]) + "".join(lines)


for name in sys.argv[1:] or WANTED:
    Path(__file__).with_name(f"{name}.lock").write_text(lock(name), encoding="utf-8")
