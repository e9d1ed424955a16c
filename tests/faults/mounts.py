"""Temporary disks: mounted for one command, in a namespace that ends with it."""

import shlex
import shutil
import subprocess
from collections.abc import Sequence

import pytest

from workspaces import Workspace


def within_mounts(workspace: Workspace, script: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run the lines of a script in a checkout; its mounts are invisible to others. The test is skipped if mounting is not allowed.

    In the script, ``recsens`` calls the command line.
    """
    unshare = shutil.which("unshare")
    if not unshare or subprocess.run([unshare, "--mount", "true"], capture_output=True, check=False).returncode:
        pytest.skip("no permission to mount")
    head = ["set -e", f'recsens() {{ {shlex.quote(workspace.command()[0])} "$@"; }}']
    command = [unshare, "--mount", "bash", "-c", "\n".join([*head, *script])]
    return subprocess.run(command, cwd=workspace.root, env=workspace.environment(), capture_output=True, text=True, check=False)
