"""Huge pages: which memory is gathered, and that what it holds stays."""

import numpy as np

from recsens.workflow import huge_pages

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
    assert huge_pages._stretches(MAPS) == [(0x55D000000000, 0x800000), (0x7F0000000000, 0x400000)]


def test_memory_holds_what_it_held():
    held = np.arange(4_000_000)
    total = int(held.sum())
    huge_pages.gather()
    held[7] += 1
    assert int(held.sum()) == total + 1


def test_elsewhere_nothing_is_done(monkeypatch):
    monkeypatch.setattr(huge_pages.sys, "platform", "darwin")
    monkeypatch.setattr(huge_pages, "_MAPS", None)
    huge_pages.gather()
