"""Huge pages: which memory is merged, and that its content stays the same."""

import re
import sys
from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap
from pathlib import Path

import numpy as np
import pytest

from recsens.workflow import worker

MAPS = """\
55d000000000-55d000800000 rw-p 00000000 00:00 0                          [heap]
7f0000000000-7f0000400000 rw-p 00000000 00:00 0
7f0001000000-7f00013ff000 rw-p 00000000 00:00 0
7f0002000000-7f0003000000 r--p 00000000 00:00 0
7f0004000000-7f0005000000 rw-p 00000000 fe:01 4711                       /usr/lib/a library.so
7f0006000000-7f0007000000 rw-s 00000000 00:01 12                         /memfd:told (deleted)
7ffc00000000-7ffc00800000 rw-p 00000000 00:00 0                          [stack]
"""


def test_large_stretches_of_a_processs_own_are_gathered():
    assert worker._large_ranges(MAPS) == [(0x55D000000000, 0x800000), (0x7F0000000000, 0x400000)]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists a process's memory")
def test_memory_is_gathered_and_holds_what_it_held():
    with mmap(-1, 1 << 25, MAP_PRIVATE | MAP_ANONYMOUS) as memory:
        held = np.frombuffer(memory, dtype=np.int64)
        held[:] = np.arange(len(held))
        before = huge_kib()
        worker.gather_huge_pages()
        gathered = huge_kib() - before
        np.testing.assert_array_equal(held, np.arange(len(held)))
        del held
    if gathered == 0:
        pytest.skip("this system gathers no pages: Linux does from 6.1 on")
    assert gathered >= 15 << 11


def huge_kib() -> int:
    """KiB of this process's memory in huge pages."""
    found = re.search(r"AnonHugePages: +(\d+) kB", Path("/proc/self/smaps_rollup").read_text(encoding="utf-8"))
    assert found is not None
    return int(found[1])


def test_elsewhere_nothing_is_done(monkeypatch):
    monkeypatch.setattr(worker.sys, "platform", "darwin")
    monkeypatch.setattr(worker, "_MAPS", None)
    worker.gather_huge_pages()
