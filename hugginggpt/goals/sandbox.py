"""Runs Python programs of a workspace in a sandbox, on a copy of its files.

The files are copied in, and what the program has made or changed is copied out by the workspace's rules: no link is
followed, only regular files count, and the limits hold. What the program deletes stays in the workspace.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import socket
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path, PurePosixPath
from threading import Event

from hugginggpt.common.scratch import remove_abandoned, scratch_prefix
from hugginggpt.core.errors import BackendError, brief
from hugginggpt.goals import folders
from hugginggpt.goals.sandbox_kinds import KINDS, Kind, Place
from hugginggpt.goals.supervising import Outcome, SandboxLimits, supervise
from hugginggpt.goals.workspace import HISTORY, Workspace, WorkspaceError

__all__ = ["SandboxLimits", "SandboxResult", "SandboxStatus", "SandboxUnavailable", "run_python", "sandbox_status"]

PROBE_LIMITS = SandboxLimits(seconds=15)
PROBE = """
import os, socket, sys
secret, port = sys.argv[1:]
problems = []
try:
    open(secret).close()
    problems.append("it reads files of this machine")
except OSError:
    pass
try:
    socket.create_connection(("127.0.0.1", int(port)), 1).close()
    problems.append("it reaches the network")
except OSError:
    pass
if os.geteuid() == 0:
    problems.append("it runs as root")
print("; ".join(problems) or "safe", end="")
"""
"""Run once in each sandbox before it is relied upon."""


class SandboxUnavailable(BackendError):
    """No sandbox works on this machine; the message says what to install."""


@dataclass(frozen=True)
class SandboxResult:
    """What a program did."""

    exit_code: int
    """128 + n if it was ended by signal n."""
    stdout: str
    stderr: str
    timed_out: bool
    files_changed: tuple[str, ...]
    """The paths of the files of the workspace that are new or different."""
    sandbox: str
    """The name of the sandbox."""
    limit: str = ""
    """The limit that ended it, in words; empty if it ended by itself."""
    problems: tuple[str, ...] = ()
    """What was not copied in or out, and why."""


@dataclass(frozen=True)
class SandboxStatus:
    """The sandbox that is used, and why the others are not."""

    name: str
    """Empty if none works."""
    others: tuple[tuple[str, str], ...]
    """(name, what to install or what failed)."""

    @property
    def sentence(self) -> str:
        """For `--doctor` and errors."""
        if self.name:
            return f"programs are run in {self.name}"
        return "no sandbox works here, so no program is run: " + "; ".join(
            f"{name}: {why}" for name, why in self.others
        )


@cache
def sandbox_status() -> SandboxStatus:
    """Tries the sandboxes in their order until one works; takes less than a second, once for a process.

    What killed processes have left is removed before.
    """
    remove_abandoned_places()
    others: list[tuple[str, str]] = []
    for kind in KINDS:
        problem = kind.missing() or _probe(kind)
        if not problem:
            return SandboxStatus(kind.name, tuple(others))
        others.append((kind.name, problem))
    return SandboxStatus("", tuple(others))


def run_python(
    workspace: Workspace,
    path: str,
    arguments: Sequence[str] = (),
    limits: SandboxLimits | None = None,
    cancelled: Event | None = None,
) -> SandboxResult:
    """Runs a Python file of the workspace in its folder, with arguments, no input, no network and no environment.

    Raises WorkspaceError if there is no such file, SandboxUnavailable if no sandbox works.
    """
    status = sandbox_status()
    kind = next((kind for kind in KINDS if kind.name == status.name), None)
    if kind is None:
        raise SandboxUnavailable(f"{status.sentence[0].upper()}{status.sentence[1:]}.")
    return run_in(kind, workspace, path, arguments, limits or SandboxLimits(), cancelled)


def run_in(
    kind: Kind,
    workspace: Workspace,
    path: str,
    arguments: Sequence[str],
    limits: SandboxLimits,
    cancelled: Event | None = None,
) -> SandboxResult:
    """As `run_python`, in a sandbox of that kind."""
    if any("\0" in argument for argument in arguments):
        raise WorkspaceError("An argument of a program may not contain NUL.")
    workspace.read_bytes(path)
    path = PurePosixPath(path.replace("\\", "/")).as_posix()
    with _place() as place:
        digests, problems = _copy_in(workspace, place)
        try:
            _give(place, kind.owner())
            with kind.prepared(place, limits, [path, *arguments]) as (command, descriptors):
                outcome = supervise(command, place.folder, limits, descriptors, cancelled)
        except OSError as error:
            raise SandboxUnavailable(f"{kind.name} cannot be started: {error.strerror}.") from error
        changed, more = _copy_out(workspace, place, digests)
    return _result(kind, outcome, changed, problems + more)


def _result(kind: Kind, outcome: Outcome, changed: Sequence[str], problems: Sequence[str]) -> SandboxResult:
    stdout, stderr = (text.decode("utf-8", errors="replace") for text in (outcome.stdout, outcome.stderr))
    return SandboxResult(
        outcome.exit_code, stdout, stderr, outcome.timed_out, tuple(changed), kind.name, outcome.limit, tuple(problems)
    )


def _probe(kind: Kind) -> str:
    """Why a sandbox cannot be relied upon; empty if the probing program was confined."""
    with (
        tempfile.NamedTemporaryFile(prefix=scratch_prefix()) as secret,
        socket.create_server(("127.0.0.1", 0)) as listener,
        _place() as place,
    ):
        Path(secret.name).chmod(0o644)
        (place.work / "probe.py").write_text(PROBE)
        program = ["probe.py", secret.name, str(listener.getsockname()[1])]
        try:
            _give(place, kind.owner())
            with kind.prepared(place, PROBE_LIMITS, program) as (command, descriptors):
                outcome = supervise(command, place.folder, PROBE_LIMITS, descriptors)
        except OSError as error:
            return brief(error)
        said = outcome.stdout.decode(errors="replace")
        errors = outcome.stderr.decode(errors="replace").strip().splitlines()
        return "" if said == "safe" else said or (errors[-1][:300] if errors else f"exit code {outcome.exit_code}")


# The files


@contextmanager
def _place() -> Iterator[Place]:
    """The folders of a run, removed afterwards whatever is in them."""
    folder = Path(tempfile.mkdtemp(prefix=scratch_prefix())).resolve()
    try:
        place = Place(folder)
        for part in place.all:
            part.mkdir(mode=0o700)
        yield place
    finally:
        _remove(folder)


def remove_abandoned_places() -> None:
    """Removes the folders of runs whose process was killed."""
    remove_abandoned(remove=_remove)


def _give(place: Place, uid: int) -> None:
    """Gives the folders and files to the user that the program runs as, where that is another."""
    if uid != os.geteuid():
        for top, names, files in os.walk(place.folder):
            for name in (*names, *files):
                os.chown(Path(top, name), uid, uid, follow_symlinks=False)


def _remove(folder: Path) -> None:
    """Removes a folder that a hostile program has filled: closed to its owner, nested deeper than Python removes."""
    pending = [folder]
    while pending:
        current = pending.pop()
        with folders.opened(current) as top:
            for entry in folders.walk(top):
                if entry.is_folder and entry.status.st_mode & 0o700 != 0o700:
                    os.chmod(entry.path, 0o700, dir_fd=top)
                if entry.is_folder and entry.depth == folders.MAX_DEPTH:
                    pending.append(folder.with_name(f"{folder.name}-{uuid.uuid4().hex}"))
                    os.rename(entry.path, pending[-1], src_dir_fd=top)
        shutil.rmtree(current, ignore_errors=True)


def _copy_in(workspace: Workspace, place: Place) -> tuple[dict[str, bytes], list[str]]:
    """Copies the files; gives their digests, and which are too large."""
    digests: dict[str, bytes] = {}
    problems = []
    for entry in workspace.files():
        try:
            content = workspace.read_bytes(entry.path)
        except WorkspaceError as error:
            problems.append(str(error))
            continue
        target = place.work / entry.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        digests[entry.path] = hashlib.sha256(content).digest()
    return digests, problems


def _copy_out(workspace: Workspace, place: Place, digests: dict[str, bytes]) -> tuple[list[str], list[str]]:
    """Copies what is new or different, or nothing if it does not fit; gives the paths, and what was left and why."""
    problems = []
    changed: dict[str, int] = {}
    files, room = workspace.room()
    with folders.opened(place.work) as work:
        entries = list(islice(folders.walk(work), workspace.limits.files + 1))
        for entry in entries:
            if entry.is_folder:
                if entry.depth == folders.MAX_DEPTH:
                    problems.append(f"{json.dumps(entry.path)} was not copied: its folders are too many.")
            elif not entry.is_file:
                problems.append(f"{json.dumps(entry.path)} was not copied: it is no regular file.")
            elif _digest(place, entry.path, workspace) != digests.get(entry.path):
                changed[entry.path] = entry.size
    if len(entries) > workspace.limits.files or len(changed) > files:
        return [], [*problems, f"Nothing was copied: there is room for {files} more files, and the program left more."]
    if sum(changed.values()) > room:
        return [], [*problems, f"Nothing was copied: {sum(changed.values())} bytes are more than the {room} left."]
    copied = []
    for path in changed:
        try:
            if path.partition("/")[0].casefold() == HISTORY:
                raise WorkspaceError(f"{path} is in {HISTORY}, which programs do not change.")
            copied.append(workspace.write(path, _content(place, path, workspace)).path)
        except WorkspaceError as error:
            problems.append(str(error))
        except (OSError, OverflowError) as error:
            problems.append(f"{json.dumps(path)} was not copied: {brief(error) or 'it is too large'}.")
    return copied, problems


def _digest(place: Place, path: str, workspace: Workspace) -> bytes:
    """The digest of a file that the program has left; empty if it cannot be read."""
    try:
        return hashlib.sha256(_content(place, path, workspace)).digest()
    except (OSError, OverflowError):
        return b""


def _content(place: Place, path: str, workspace: Workspace) -> bytes:
    *above, name = path.split("/")
    with folders.opened(place.work, above) as folder:
        return folders.read_file(name, folder, workspace.limits.file_bytes)
