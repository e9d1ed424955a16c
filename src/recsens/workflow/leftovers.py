"""What a broken run leaves behind: processes that keep writing, Snakemake's locks, half-written files, orphaned statements."""

import logging
import os
import re
import shutil
from contextlib import suppress
from pathlib import Path

import psutil

from recsens.artefacts.filesets import RankingFiles
from recsens.artefacts.statements import SIDECARS
from recsens.recommenders.program import Program
from recsens.workflow.lock import RunError, marked

log = logging.getLogger(__name__)

_LOCKS = Path(".snakemake/locks")
_HALF_WRITTEN = re.compile(r"\..+\.\d+\.part")
"""Temporary names of `recsens.artefacts.storage.atomic_path`, and of the folder for results fetched from a store."""

_SHARDS = {"shard-*-of-*.parquet": RankingFiles.within("").positions, "shard-*-of-*.tuning.json": "tuning.json"}
"""Parts of a ranking, or of a search, which are removed once the whole exists."""

_COSTS_OF_SHARDS = "benchmarks/*_shard/**/*.json"


def end_orphans(results: Path) -> None:
    """End the processes of killed runs that would keep writing, and remove the folders of programs whose job was killed.

    These are the processes of a writer that has ended on this host, and that wrote the same results from any checkout or was
    started in this folder. The relative paths of such processes lead here, even if ``results`` is now a different link.
    """
    here, folder = str(results.resolve()), str(Path.cwd())
    orphans = [process for process, writer in marked() if writer.is_over and (writer.results == here or writer.folder == folder)]
    for process in orphans:
        log.warning("ending process %d, left behind by an earlier run", process.pid)
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(orphans, timeout=10)
    Program.clear_up()


def is_locked() -> bool:
    """Whether Snakemake's locks are in this folder, because a Snakemake is running or was killed."""
    return any(_LOCKS.glob("*"))


def clear_up(results: Path) -> None:
    """Remove Snakemake's locks from this folder, and half-written files from the results; the caller must hold the results lock.

    Raises
    ------
    RunError
        If Snakemake is running in this folder. Its locks then stay.
    """
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            # 'snakemake …', 'python …/bin/snakemake …' or 'python -m snakemake …'
            is_snakemake = "snakemake" in {Path(argument).name for argument in process.cmdline()[:4]}
            is_here = is_snakemake and process.pid != os.getpid() and Path(process.cwd()) == Path.cwd()
            if is_here and process.status() != psutil.STATUS_ZOMBIE:
                raise RunError(
                    f"Snakemake is already running in this folder (process {process.pid})",
                    where=str(Path.cwd()),
                    remedy="wait until it ends, or end it; its finished results stay",
                )
    shutil.rmtree(_LOCKS, ignore_errors=True)
    remove_leftovers(results)


def remove_leftovers(results: Path) -> None:
    """Remove half-written files and similar leftovers from the results; no process may be writing there."""
    for path in leftovers(results):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def leftovers(results: Path) -> list[Path]:
    """Find half-written files, shards of finished rankings and searches, and statements without a file.

    A run may still be writing the first.
    """
    return sorted(
        [
            *(path for path in results.rglob(f"{SIDECARS}/*.json") if not (path.parent.parent / path.stem).exists()),
            *(path for path in results.rglob(".*.part") if _HALF_WRITTEN.fullmatch(path.name)),
            *(path for shards, whole in _SHARDS.items() for path in results.rglob(shards) if _is_needless(path, whole)),
            *(path for path in results.glob(_COSTS_OF_SHARDS) if _is_empty(path)),
        ]
    )


def _is_needless(shard: Path, whole: str) -> bool:
    """Whether a shard is no longer needed: it is empty, or the whole exists and is not older than the shard."""
    try:
        return _is_empty(shard) or shard.with_name(whole).stat().st_mtime >= shard.stat().st_mtime
    except FileNotFoundError:
        return False  # There is no whole, or a current run has just removed the shard.


def _is_empty(path: Path) -> bool:
    try:
        return path.stat().st_size == 0
    except FileNotFoundError:
        return False
