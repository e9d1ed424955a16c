"""What a report of a problem should say, and whether this machine computes the scores that it should."""

from __future__ import annotations

import locale
import os
import platform
import re
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from importlib import metadata
from pathlib import Path

import numpy as np
import psutil
from threadpoolctl import threadpool_info

from recsens import __version__
from recsens.arrays import Floats
from recsens.errors import RecsensError
from recsens.recommenders import Recommender, learn
from recsens.seeds import Stream
from recsens.testing import crowd

_SETTINGS = ("RECSENS_", "OMP_", "OPENBLAS_", "MKL_", "BLIS_", "NUMBA_", "PYTHON", "SLURM_JOB_ID", "SNAKEMAKE_", "XDG_CACHE_HOME")
_PROGRAMS = ("sbatch", "pdflatex", "docker", "conda", "git")
_EXTRAS = re.compile("'(study|slurm|generic|neural)'")
_GIB = 2**30
_ROUNDING = 1e-6
"""Relative deviation up to which a score is only rounded otherwise than here."""

KNOWN: Mapping[str, tuple[str, tuple[float, ...]]] = {
    "popularity": ("b93c056143667daf", (17.0, 23.0, 17.0)),
    "user_knn(k=10)": ("53dcbfcaf74fd4d8", (3.3774477000069982, 8.885388707502083, 0.5085439759171473)),
    "item_knn(k=10)": ("dacc668062ff10c9", (5.1333019794284045, 6.775933671931268, 1.8251041225026974)),
    "rp3beta(k=49)": ("7c3a2b50c786792b", (0.049004414739273215, 0.05616561837377841, 0.03790387319813)),
    "ease": ("ab550ab357088e7f", (0.10410113613403503, 0.14095420558436006, 0.06976352172447343)),
    "pure_svd(factors=4)": ("4fff85e2a1abb488", (0.29372634120210994, 2.950903607064846, -0.9176225665294893)),
    "wrmf(factors=4,epochs=2)": ("6fd018697030bfd1", (0.5109604361088769, 0.6394706174795708, 0.5745096927334954)),
    "hkv(factors=4,epochs=2)": ("b71f155394d75803", (0.593616109789306, 1.6799811672794984, 1.9314080665139612)),
    "bpr(factors=4,epochs=2)": ("61c94c70631adaf6", (-0.00682348652473732, 0.4016718847332249, 0.05267249583027866)),
}
"""Recommender -> digest of its scores of all items for all users of a small data set, and the first of them, as a processor with
AVX2 and the libraries of requirements.lock compute them."""


def diagnosis() -> Iterator[str]:
    """Yield the lines of a page about this installation, whose last part says whether it computes what it should."""
    yield f"recsens {__version__}, {Path(__file__).parents[1]}"
    yield f"Python {platform.python_version()} ({sys.executable}), {platform.platform()}"
    yield f"processor: {_processor()}, {_cores()}"
    memory, disk = psutil.virtual_memory(), shutil.disk_usage(Path.cwd())
    yield f"memory: {memory.total / _GIB:.1f} GiB, {memory.available / _GIB:.1f} free; disk here: {disk.free / _GIB:.1f} GiB free"
    battery = getattr(psutil, "sensors_battery", lambda: None)()
    power = "" if battery is None or battery.power_plugged else "; on battery, so times vary"
    yield f"load: {os.getloadavg()[0]:.1f}{power}; locale: {'.'.join(map(str, locale.getlocale()))}; time zone: {time.tzname[0]}"
    pools = [f"{pool['internal_api']} {pool.get('version')} with {pool['num_threads']} threads" for pool in threadpool_info()]
    yield f"thread pools: {', '.join(dict.fromkeys(pools)) or 'none'}"
    yield f"libraries: {', '.join(f'{name} {version}' for name, version in _libraries())}"
    programs = [f"{name} {shutil.which(name) or 'absent'}" for name in _PROGRAMS]
    yield f"programs: {', '.join(programs)}"
    settings = [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith(_SETTINGS)]
    yield f"settings: {', '.join(settings) or 'none'}"


def check_numbers() -> Iterator[tuple[str, str, bool]]:
    """Compute a few scores by several recommenders; yield each, how far it is from what is known, and whether it is a fault.

    Scores that are only rounded otherwise, as another processor or another version of a library does, are no fault.
    """
    for spec, (digest, first) in KNOWN.items():
        try:
            scores = scores_of(spec)
        except (RecsensError, ImportError) as error:
            yield spec, f"failed: {error}", True
            continue
        off = float(np.max(np.abs(scores.ravel()[: len(first)] / first - 1)))
        if sha256(scores.tobytes()).hexdigest()[:16] == digest:
            yield spec, "as known, to the last bit", False
        elif off < _ROUNDING:
            yield spec, f"as known, but rounded otherwise, by up to {off:.0e} of a score", False
        else:
            yield spec, f"OTHER NUMBERS, by up to {off:.1g} of a score", True


def scores_of(spec: str) -> Floats:
    """Score every item for every user of a small data set."""
    train = crowd(n_users=60, n_items=50, share=0.3)
    fitted = learn(Recommender.build(spec), train, Stream.of(1).generator())
    return np.asarray(fitted.score(train, np.arange(train.n_users)), dtype=np.float64)


def _processor() -> str:
    with suppress(OSError):
        names = [line.partition(":")[2].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line]
        return names[0] if names else platform.machine()
    return platform.processor() or platform.machine()


def _cores() -> str:
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else psutil.cpu_count()
    return f"{allowed} of {os.cpu_count()} cores usable"


def _libraries() -> Iterator[tuple[str, str]]:
    """Yield what recsens requires, with its optional parts for users, and each library's version."""
    wanted = (each for each in metadata.requires("recsens") or () if "extra ==" not in each or _EXTRAS.search(each))
    for name in sorted({re.split(r"[^\w.-]", each, maxsplit=1)[0] for each in wanted} - {"recsens"}):
        try:
            yield name, metadata.version(name)
        except metadata.PackageNotFoundError:
            yield name, "absent"
