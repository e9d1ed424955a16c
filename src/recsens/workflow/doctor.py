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
from recsens.errors import MissingExtraError
from recsens.recommenders import Recommender, learn
from recsens.seeds import Stream
from recsens.testing import crowd

_SETTINGS = ("RECSENS_", "OMP_", "OPENBLAS_", "MKL_", "BLIS_", "NUMBA_", "PYTHON")
_PROGRAMS = ("sbatch", "pdflatex", "docker", "conda", "git")
_EXTRAS = re.compile("'(study|slurm|generic|neural)'")
_GIB = 2**30
_ROUNDING = 1e-6
"""Deviation, as a share of the size of all scores, up to which they are only rounded otherwise than here."""

KNOWN: Mapping[str, tuple[str, tuple[float, ...]]] = {
    "popularity": ("b93c056143667daf", (1005.186549850325, 21.459656934702622, 81.10196877532778)),
    "user_knn(k=10)": ("53dcbfcaf74fd4d8", (261.1660552252243, -8.822151208953912, -4.170704894331857)),
    "item_knn(k=10)": ("dacc668062ff10c9", (242.02800250900884, 12.007289797062684, -51.4356942188717)),
    "rp3beta(k=49)": ("7c3a2b50c786792b", (2.785259457684007, -0.040649764583501606, 0.012968042728558013)),
    "ease": ("ab550ab357088e7f", (6.100650568009629, -0.16887491268332308, -0.024163109836395646)),
    "pure_svd(factors=4)": ("4fff85e2a1abb488", (64.6153463823436, -13.950305769431232, -12.163124341953774)),
    "wrmf(factors=4,epochs=2)": ("6fd018697030bfd1", (31.109504639224596, 1.2242454671799334, 3.0333499991391935)),
    "hkv(factors=4,epochs=2)": ("b71f155394d75803", (119.48142055600673, 1.1785477842216916, 20.097096851142766)),
    "bpr(factors=4,epochs=2)": ("61c94c70631adaf6", (13.854625105965884, -4.365044997303269, 13.098043650786536)),
}
"""Recommender -> digest of its scores of all items for all users of a small data set, and three sums over them (`_sums`), as a
processor with AVX2 and the libraries of requirements.lock compute them."""


def diagnosis() -> Iterator[str]:
    """Yield the lines of a page about this installation, whose last part says whether it computes what it should."""
    yield f"recsens {__version__}, {Path(__file__).parents[1]}"
    yield f"Python {platform.python_version()} ({sys.executable}), {platform.platform()}"
    yield f"processor: {_processor_name()}, {_cores_in_words()}"
    memory, disk = psutil.virtual_memory(), shutil.disk_usage(Path.cwd())
    yield f"memory: {memory.total / _GIB:.1f} GiB, {memory.available / _GIB:.1f} free; disk here: {disk.free / _GIB:.1f} GiB free"
    battery = None
    with suppress(OSError, AttributeError):  # containers may lack /sys
        battery = psutil.sensors_battery()
    power = "" if battery is None or battery.power_plugged else "; on battery, so times vary"
    yield f"load: {os.getloadavg()[0]:.1f}{power}; locale: {'.'.join(map(str, locale.getlocale()))}; time zone: {time.tzname[0]}"
    pools = [f"{pool['internal_api']} {pool.get('version')} with {pool['num_threads']} threads" for pool in threadpool_info()]
    yield f"thread pools: {', '.join(dict.fromkeys(pools)) or 'none'}"
    yield f"libraries: {', '.join(f'{name} {version}' for name, version in _library_versions())}"
    programs = [f"{name} {shutil.which(name) or 'absent'}" for name in _PROGRAMS]
    yield f"programs: {', '.join(programs)}"
    settings = [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith(_SETTINGS)]
    yield f"settings: {', '.join(settings) or 'none'}"


def check_numbers() -> Iterator[tuple[str, str, bool]]:
    """Compute a few scores by several recommenders; yield each, how far it is from what is known, and whether it is a fault.

    Scores that are only rounded otherwise, as another processor or another version of a library does, are no fault.
    """
    for spec, (digest, sums) in KNOWN.items():
        try:
            scores = scores_of(spec)
        except (ImportError, MissingExtraError) as error:  # a library that a light installation leaves out
            yield spec, f"not checked: {getattr(error, 'problem', error)}", False
            continue
        except Exception as error:  # noqa: BLE001 - whatever fails, the page says so and goes on
            yield spec, f"FAILED: {error}", True
            continue
        off = float(np.max(np.abs(_sums(scores) - np.array(sums))) / sums[0])
        if sha256(scores.tobytes()).hexdigest()[:16] == digest:
            yield spec, "as known, to the last bit", False
        elif off < _ROUNDING:
            yield spec, f"as known, but rounded otherwise, by up to {off:.0e} of their size", False
        else:
            yield spec, f"OTHER NUMBERS, by up to {off:.1g} of their size", True


def scores_of(spec: str) -> Floats:
    """Score every item for every user of a small data set."""
    train = crowd(n_users=60, n_items=50, share=0.3)
    fitted = learn(Recommender.build(spec), train, Stream.of(1).generator())
    return np.asarray(fitted.score(train, np.arange(train.n_users)), dtype=np.float64)


def _sums(scores: Floats) -> Floats:
    """Return the size of the scores, and two weighted sums, on which every score has an influence of its own."""
    flat = np.nan_to_num(scores.ravel(), nan=-1.0)
    places = np.arange(len(flat))
    return np.array([np.linalg.norm(flat), np.cos(places) @ flat, np.sin(places) @ flat])


def _processor_name() -> str:
    with suppress(OSError):
        names = [line.partition(":")[2].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line]
        return names[0] if names else platform.machine()
    return platform.processor() or platform.machine()


def _cores_in_words() -> str:
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else psutil.cpu_count()
    return f"{allowed} of {os.cpu_count()} cores usable"


def _library_versions() -> Iterator[tuple[str, str]]:
    """Yield what recsens requires, with its optional parts for users, and each library's version."""
    wanted = (each for each in metadata.requires("recsens") or () if "extra ==" not in each or _EXTRAS.search(each))
    for name in sorted({re.split(r"[^\w.-]", each, maxsplit=1)[0] for each in wanted} - {"recsens"}):
        try:
            yield name, metadata.version(name)
        except metadata.PackageNotFoundError:
            yield name, "absent"
