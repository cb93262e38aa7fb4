"""The sandboxes that a program can be run in: bubblewrap and sandlock on Linux, sandbox-exec on macOS.

Each lets the program read the interpreter, its packages and the system's libraries, and write to the folders of a run;
it has no network, no environment, and no rights of root.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from hugginggpt.common.paths import install_command
from hugginggpt.goals import launch, launch_sandlock
from hugginggpt.goals.supervising import SandboxLimits
from hugginggpt.goals.system_calls import system_call_filter

LIBRARIES = ("/usr/lib", "/usr/lib32", "/usr/lib64", "/lib", "/lib64", "/usr/bin", "/bin")
SETTINGS = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/usr/share/zoneinfo")
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")
NOBODY = 65534
FIRST_UID, UIDS = 60100, 4000
"""Ids that no distribution gives to users: each sandbox of root runs as one of its own, whose processes are counted."""
OPEN_FILES = 128


@dataclass(frozen=True)
class Place:
    """The folders of a run: its files, and those for temporary files and shared memory."""

    folder: Path

    @property
    def work(self) -> Path:
        return self.folder / "work"

    @property
    def temporary(self) -> Path:
        return self.folder / "temporary"

    @property
    def shared(self) -> Path:
        return self.folder / "shared"

    @property
    def all(self) -> tuple[Path, ...]:
        return (self.work, self.temporary, self.shared)


Prepared = tuple[list[str], tuple[int, ...]]
"""A command, and the descriptors that it inherits."""


@dataclass(frozen=True)
class Kind:
    """A way to confine programs."""

    name: str
    missing: Callable[[], str]
    """What to install, or why it cannot be used on this system; empty if it is there."""
    prepared: Callable[[Place, SandboxLimits, Sequence[str]], AbstractContextManager[Prepared]]
    """The command that runs a Python program, given its path in the working folder and its arguments."""
    owner: Callable[[], int] = lambda: os.geteuid()  # noqa: PLW0108  there is none on Windows
    """The user whose the program's files have to be."""


# bubblewrap


def _no_bubblewrap() -> str:
    if sys.platform != "linux":
        return "it is for Linux"
    if any(Path(prefix).is_relative_to("/tmp") for prefix in (sys.prefix, sys.base_prefix)):  # noqa: S108  not ours
        return "its programs have a /tmp of their own, which hides the Python there: install this in another folder"
    return "" if shutil.which("bwrap") else "install bubblewrap (apt install bubblewrap, dnf install bubblewrap)"


@contextmanager
def _in_bubblewrap(place: Place, limits: SandboxLimits, program: Sequence[str]) -> Iterator[Prepared]:
    """As root, the mounts are made with root's rights, and the launcher gives them up: a namespace of users would only
    hide that the processes are root's, which no limit on their number holds for.
    """
    root = os.geteuid() == 0
    users = [] if root else ["--unshare-user", "--uid", str(NOBODY), "--gid", str(NOBODY)]
    binds = []
    for path in _there(*LIBRARIES, *SETTINGS, *_interpreter()):
        above = [str(folder) for folder in reversed(Path(path).parents[:-1])]  # else closed to others
        binds += [*_each("--dir", above), "--ro-bind", path, path]
    launcher = "/run/launch.py"
    order = _order(limits, ("/workspace", *program), owner() if root else 0, count_processes=True)
    filters = system_call_filter()
    reading, writing = os.pipe()
    try:
        os.write(writing, filters)
        os.close(writing)
        yield (
            [
                str(shutil.which("bwrap")), "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts",
                "--unshare-cgroup-try", *users, "--die-with-parent", "--new-session", "--hostname", "sandbox", *binds,
                "--ro-bind", launch.__file__, launcher, "--proc", "/proc", "--dev", "/dev",
                "--bind", str(place.shared), "/dev/shm", "--bind", str(place.temporary), "/tmp",  # noqa: S108  not ours
                "--bind", str(place.work), "/workspace", "--remount-ro", "/dev", "--remount-ro", "/",
                "--chdir", "/workspace",
                "--clearenv", *_set("--setenv", _environment("/workspace", "/tmp")),  # noqa: S108
                *(("--seccomp", str(reading)) if filters else ()),
                "--", sys.executable, "-I", "-S", launcher, order,
            ],
            (reading,),
        )  # fmt: skip
    finally:
        os.close(reading)


def owner() -> int:
    """The user that programs in bubblewrap run as: for root one that nobody else is."""
    return os.geteuid() or FIRST_UID + os.getpid() % UIDS


# sandlock


def _no_sandlock() -> str:
    if sys.platform != "linux":
        return "it is for Linux"
    return "" if importlib.util.find_spec("sandlock") else f"{install_command('goals')} (for Linux 6.7 or newer)"


@contextmanager
def _in_sandlock(place: Place, limits: SandboxLimits, program: Sequence[str]) -> Iterator[Prepared]:
    settings = {
        "fs_readable": _there(*LIBRARIES, *SETTINGS, *DEVICES, *_interpreter(), launch.__file__),
        "fs_writable": [*map(str, place.all), "/dev/null"],
        "clean_env": True,
        "env": _environment(str(place.work), str(place.temporary)),
        "cwd": str(place.work),
        "max_memory": 2 * limits.memory_bytes,  # beyond it, sandlock ends it without a word
        "max_processes": limits.processes,
        "no_coredump": True,
        "uid": NOBODY,
        "gid": NOBODY,
    }
    order = _order(limits, (str(place.work), *program), 0, count_processes=False)
    command = [sys.executable, "-I", "-S", launch.__file__, order]
    orders = json.dumps({"settings": settings, "command": command})
    yield [sys.executable, "-I", "-W", "ignore", launch_sandlock.__file__, orders], ()


# sandbox-exec


def _no_sandbox_exec() -> str:
    if sys.platform != "darwin":
        return "it is for macOS"
    return "" if shutil.which("sandbox-exec") else "sandbox-exec, which comes with macOS, is not on the PATH"


@contextmanager
def _in_sandbox_exec(place: Place, limits: SandboxLimits, program: Sequence[str]) -> Iterator[Prepared]:
    order = _order(limits, (str(place.work.resolve()), *program), 0, count_processes=False)
    environment = _environment(str(place.work.resolve()), str(place.temporary.resolve()))
    yield (
        [
            str(shutil.which("sandbox-exec")), "-p", macos_profile(place), "/usr/bin/env", "-i",
            *(f"{name}={value}" for name, value in environment.items()),
            sys.executable, "-I", "-S", launch.__file__, order,
        ],
        (),
    )  # fmt: skip


def macos_profile(place: Place) -> str:
    """What sandbox-exec allows: everything else, the network among it, is denied."""
    readable = [
        *_there("/usr/lib", "/usr/bin", "/bin", "/System", "/Library/Frameworks", *_interpreter()),
        launch.__file__,
    ]
    writable = [str(path.resolve()) for path in place.all]
    return "\n".join(
        [
            "(version 1)",
            "(deny default)",
            "(allow process-fork process-exec sysctl-read)",
            "(allow signal (target same-sandbox))",
            '(allow file-read-metadata)(allow file-read* (literal "/") (literal "/dev/urandom") (literal "/dev/null"))',
            '(allow file-write* (literal "/dev/null"))',
            *(f"(allow file-read* (subpath {json.dumps(path)}))" for path in readable),
            *(f"(allow file-read* file-write* (subpath {json.dumps(path)}))" for path in writable),
        ]
    )


# What they have in common


def _interpreter() -> list[str]:
    """The files of this interpreter and its packages; of their folders, nothing else."""
    parts = ("bin", "lib", "lib64", "pyvenv.cfg", "Python3", "Python", "Resources")
    return _there(*(f"{prefix}/{part}" for prefix in dict.fromkeys((sys.base_prefix, sys.prefix)) for part in parts))


def _there(*paths: str) -> list[str]:
    return [path for path in paths if os.path.exists(path)]  # noqa: PTH110


def _environment(work: str, temporary: str) -> dict[str, str]:
    """All that a program has of an environment. The threads of numeric libraries would each reserve memory."""
    return {
        "PATH": "/usr/bin:/bin", "HOME": work, "TMPDIR": temporary, "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "Agg",
    }  # fmt: skip


def _set(option: str, values: dict[str, str]) -> list[str]:
    return [part for name, value in values.items() for part in (option, name, value)]


def _each(option: str, values: Sequence[str]) -> list[str]:
    return [part for value in values for part in (option, value)]


def _order(limits: SandboxLimits, program: Sequence[str], uid: int, count_processes: bool) -> str:
    """The launcher's argument; `program` is the folder, the path of the program in it, and its arguments.

    The system's limit of processes counts all of a user: it fits only where the user has no others. That of addresses
    is twice the memory: much is reserved and never used.
    """
    folder, script, *arguments = program
    values = {
        "RLIMIT_CORE": 0,
        "RLIMIT_CPU": limits.cpu_seconds,
        "RLIMIT_FSIZE": limits.file_bytes,
        "RLIMIT_NOFILE": OPEN_FILES,
        "RLIMIT_AS": 2 * limits.memory_bytes,
    }
    if count_processes:
        values["RLIMIT_NPROC"] = limits.processes
    return json.dumps({"limits": values, "uid": uid, "command": [sys.executable, f"{folder}/{script}", *arguments]})


KINDS = (
    Kind("bubblewrap", _no_bubblewrap, _in_bubblewrap, owner),
    Kind("sandlock", _no_sandlock, _in_sandlock),
    Kind("sandbox-exec", _no_sandbox_exec, _in_sandbox_exec),
)
"""In the order in which they are tried."""
