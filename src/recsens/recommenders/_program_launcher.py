"""Starts a recommender's program, after hiding folders from it and limiting what it may write.

This file runs as a separate program: the process that starts it may have many threads, so its forked child may only start a new
program. It uses only the standard library, and imports nothing of recsens.
"""

import ctypes
import json
import os
import resource
import sys
from contextlib import suppress
from pathlib import Path

_NEW_MOUNTS, _NEW_USER = 0x00020000, 0x10000000
_BIND, _PRIVATE, _ALL = 0x1000, 1 << 18, 0x4000
_READ_ONLY = 1
_DEATH_SIGNAL, _DROP_CAPABILITY = 1, 24
_ADMINISTRATION = 21
_KILL = 9


def _call(function: str, *arguments: object) -> None:
    """Call a C library function, and raise an exception if it fails."""
    library = ctypes.CDLL(None, use_errno=True)
    if getattr(library, function)(*arguments) != 0:
        raise OSError(ctypes.get_errno(), function)


def _mount(source: bytes, target: bytes, kind: bytes | None, flags: int, options: bytes | None = None) -> None:
    _call("mount", source, target, kind, ctypes.c_ulong(flags), options)


def _own_mounts() -> None:
    """Give this process a private view of the file system, without changing its user."""
    user, group = os.getuid(), os.getgid()
    try:
        _call("unshare", _NEW_MOUNTS)
    except OSError:
        _call("unshare", _NEW_USER | _NEW_MOUNTS)
        Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="ascii")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="ascii")
    _mount(b"none", b"/", None, _PRIVATE | _ALL)


def _hide(places: list[str]) -> None:
    """Cover each path with an empty folder or an empty file."""
    for place in map(os.fsencode, places):
        if Path(os.fsdecode(place)).is_dir():
            _mount(b"none", place, b"tmpfs", _READ_ONLY, b"size=4k,mode=0555")
        else:
            _mount(b"/dev/null", place, None, _BIND)
    # Give up the rights with which root could remove the covers again.
    with suppress(OSError):
        _call("prctl", _DROP_CAPABILITY, _ADMINISTRATION, 0, 0, 0)


def _become(told: int, given: dict[str, object], arguments: list[str]) -> None:
    os.set_inheritable(told, False)  # This lets the parent notice when this process becomes the program.
    places: list[str] = list(given["hidden"])  # type: ignore[call-overload]
    is_hidden = not places
    if sys.platform == "linux":
        if places:
            with suppress(OSError):
                _own_mounts()
                _hide(places)
                is_hidden = True
        _call("prctl", _DEATH_SIGNAL, _KILL, 0, 0, 0)
    # The current folder belongs to the old view of the file system; enter it again through the new view.
    os.chdir(str(given["folder"]))
    size = int(str(given["file_bytes"]))
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.write(told, json.dumps({"hidden": is_hidden}).encode() + b"\n")
    try:
        os.execvp(arguments[0], arguments)  # noqa: S606 - the user's own command
    except OSError as error:
        os.write(told, json.dumps({"error": os.strerror(error.errno or 0)}).encode() + b"\n")


if __name__ == "__main__":
    _become(int(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3:])
    sys.exit(127)
