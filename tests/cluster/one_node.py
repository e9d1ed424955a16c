"""A real Slurm of one node, on the loopback interface, in a separate folder as far as Slurm allows."""

import fcntl
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import gettempdir

import pytest

CONFIGURATION = Path("/etc/slurm")
"""Within jobs, Slurm's own programs look only here; they do not receive the path of another folder."""

OWN = ("slurm.conf", "slurmdbd.conf")
"""The files that a test writes there; Slurm's packages leave others."""

MARK = ".of-a-test"

PROGRAMS = ("setpriv", "munged", "slurmctld", "slurmd", "slurmdbd", "mariadbd", "mariadb-install-db", "sbatch")
PACKAGES = "slurm-wlm munge slurmdbd mariadb-server"

SLURM = """\
ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
MpiDefault=none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
JobAcctGatherParams=OverMemoryKill
ReturnToService=2
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
KillWait=2
MinJobAge=300
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory={memory}
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""

ACCOUNTS = """\
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={accounts}
AccountingStoragePass={folder}/munge/socket
"""

NO_ACCOUNTS = "AccountingStorageType=accounting_storage/none\n"

SLURMDBD = """\
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={accounts}
SlurmUser=root
PidFile={folder}/slurmdbd.pid
LogFile={folder}/slurmdbd.log
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={database}
StorageUser=slurm
StoragePass=slurm
"""


def need_slurm() -> None:
    """Skip the test if Slurm cannot be started."""
    if os.geteuid() != 0:
        pytest.skip("starting a Slurm takes root")
    if missing := [name for name in PROGRAMS if found(name) is None]:
        pytest.skip(f"no {', '.join(missing)} here: apt-get install --no-install-recommends {PACKAGES}")
    if any((CONFIGURATION / name).exists() for name in OWN) and not (CONFIGURATION / MARK).exists():
        pytest.skip(f"{CONFIGURATION} belongs to a Slurm of this machine")


def found(program: str) -> str | None:
    return shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")


@contextmanager
def slurm(folder: Path, *, accounts: bool) -> Iterator[None]:
    """Run Slurm while the block runs; only one Slurm runs at a time on this machine."""
    with Path(gettempdir(), "recsens-slurm.lock").open("w") as lock, ExitStack() as daemons:
        fcntl.flock(lock, fcntl.LOCK_EX)
        need_slurm()
        started = Daemons(folder, daemons)
        names = {
            "folder": folder,
            "host": socket.gethostname().partition(".")[0],
            "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20 // 2,
            **dict(zip(("controller", "node", "accounts", "database"), free_ports(4), strict=True)),
        }
        for name in ("munge", "state", "spool"):
            (folder / name).mkdir(mode=0o755, parents=True)
        daemons.callback(remove_configuration)
        CONFIGURATION.mkdir(exist_ok=True)
        (CONFIGURATION / MARK).touch()
        (CONFIGURATION / "slurm.conf").write_text((SLURM + (ACCOUNTS if accounts else NO_ACCOUNTS)).format(**names))
        start_munge(folder, started)
        if accounts:
            (CONFIGURATION / "slurmdbd.conf").write_text(SLURMDBD.format(**names))
            (CONFIGURATION / "slurmdbd.conf").chmod(0o600)
            start_accounts(folder, started, names["database"])
        started.start("slurmctld", "-D", "-i")
        wait_for(lambda: "UP" in said_by("scontrol", "ping"))
        started.start("slurmd", "-D", "-N", names["host"])
        wait_for(lambda: "idle" in said_by("sinfo", "--noheader", "--format=%T"))
        # If jobs were still running, ending Slurm would kill them half-way.
        daemons.callback(end_jobs)
        yield


def remove_configuration() -> None:
    for name in (*OWN, MARK):
        (CONFIGURATION / name).unlink(missing_ok=True)


class Daemons:
    """Programs in the background that end with the test, or with the process that runs it."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder, self.stack = folder, stack

    def start(self, program: str, *arguments: str) -> None:
        with (self.folder / f"{program}.out").open("wb") as out:
            command = ["setpriv", "--pdeathsig", "TERM", found(program), *arguments]
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, process_group=0)
        self.stack.callback(end, process)


def start_munge(folder: Path, started: Daemons) -> None:
    own = folder / "munge"
    (own / "key").write_bytes(os.urandom(128))
    (own / "key").chmod(0o600)
    files = [f"--{name}-file={own / name}" for name in ("key", "log", "pid", "seed")]
    started.start("munged", "--foreground", "--force", f"--socket={own / 'socket'}", *files)
    wait_for((own / "socket").exists)


def start_accounts(folder: Path, started: Daemons, port: int) -> None:
    """Start a database with slurmdbd, and register the cluster with it."""
    data, plug = folder / "database", folder / "database.socket"
    install = [
        found("mariadb-install-db"),
        "--no-defaults",
        f"--datadir={data}",
        "--user=root",
        "--auth-root-authentication-method=normal",
    ]
    done(*install)
    options = [f"--datadir={data}", f"--socket={plug}", f"--port={port}", "--bind-address=127.0.0.1", "--user=root"]
    started.start("mariadbd", "--no-defaults", *options, f"--pid-file={folder / 'database.pid'}")
    wait_for(plug.exists)
    allow = "create user slurm@'127.0.0.1' identified by 'slurm'; create user slurm@localhost identified by 'slurm'; "
    grant = "grant all on slurm_acct_db.* to slurm@'127.0.0.1'; grant all on slurm_acct_db.* to slurm@localhost;"
    done("mariadb", "--no-defaults", f"--socket={plug}", "--user=root", "-e", allow + grant)
    started.start("slurmdbd", "-D")
    wait_for(lambda: "Cluster" in said_by("sacctmgr", "list", "cluster"))
    for what in (("cluster", "one"), ("account", "lab", "Cluster=one"), ("user", "root", "Account=lab")):
        done("sacctmgr", "--immediate", "add", *what)


def end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def end_jobs() -> None:
    said_by("scancel", "--me")
    wait_for(lambda: not said_by("squeue", "--noheader"))


def said_by(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60).stdout


def done(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, timeout=60)


def wait_for(come: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until a condition holds."""
    end_of_patience = time.monotonic() + seconds
    while not come():
        assert time.monotonic() < end_of_patience
        time.sleep(0.1)


def free_ports(n: int) -> list[int]:
    with ExitStack() as open_ones:
        sockets = [open_ones.enter_context(socket.socket()) for _ in range(n)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def jobs() -> list[tuple[str, str, str]]:
    """List every Slurm job so far: its number, its state and its purpose."""
    listed = said_by("squeue", "--noheader", "--states=all", "--format=%i|%T|%k").splitlines()
    return sorted((tuple(line.split("|", 2)) for line in listed), key=lambda job: int(job[0]))
