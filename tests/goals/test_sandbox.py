"""The sandbox: real programs in real sandboxes, as root and as a user, the hostile ones among them."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from hugginggpt.common.paths import ROOT
from hugginggpt.goals import sandbox
from hugginggpt.goals.sandbox import (
    SandboxLimits,
    SandboxResult,
    SandboxUnavailable,
    remove_abandoned_places,
    run_in,
    run_python,
)
from hugginggpt.goals.sandbox_kinds import KINDS, Kind, Place, macos_profile
from hugginggpt.goals.system_calls import system_call_filter
from hugginggpt.goals.workspace import Workspace, WorkspaceError, WorkspaceLimits

NOBODY = 65534
BUBBLEWRAP, SANDLOCK, SANDBOX_EXEC = KINDS
SMALL = SandboxLimits(
    seconds=3, cpu_seconds=2, memory_bytes=300_000_000, processes=16, output_bytes=20_000, file_bytes=1_000_000,
    disk_bytes=10_000_000, files=200,
)  # fmt: skip
Run = Callable[[str], SandboxResult]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "space")


def needed(kind: Kind) -> Kind:
    """The kind of sandbox; where it is missing, the test is skipped, or fails if REQUIRE_SANDBOX is set."""
    if missing := kind.missing():
        if os.environ.get("REQUIRE_SANDBOX"):
            pytest.fail(f"{kind.name}: {missing}")
        pytest.skip(f"{kind.name}: {missing}")
    return kind


def run(workspace: Workspace, program: str, *arguments: str, limits: SandboxLimits = SMALL) -> SandboxResult:
    workspace.write("program.py", program)
    return run_in(needed(BUBBLEWRAP), workspace, "program.py", arguments, limits)


def left_running(token: str) -> list[psutil.Process]:
    """The processes that carry a token among their arguments."""
    return [p for p in psutil.process_iter(["cmdline", "status"])
            if token in " ".join(p.info["cmdline"] or ()) and p.info["status"] != psutil.STATUS_ZOMBIE
            and p.pid != os.getpid()]  # fmt: skip


# What a program can do


def test_a_program_reads_and_writes_its_copy(workspace: Workspace) -> None:
    workspace.write("data/n.csv", "1\n2\n")
    workspace.write("same.txt", "same")
    workspace.write("old.txt", "old")
    result = run(
        workspace,
        "import sys, os\nfrom pathlib import Path\n"
        "print(sum(map(int, open('data/n.csv'))), sys.argv[1:], input if not sys.stdin.read() else 0)\n"
        "print('careful', file=sys.stderr)\n"
        "Path('out/deep').mkdir(parents=True); Path('out/deep/r.txt').write_text('3')\n"
        "Path('same.txt').write_text('same'); Path('data/n.csv').write_text('3'); Path('old.txt').unlink()\nsys.exit(7)\n",
        "a b", "--x",
    )  # fmt: skip
    assert result.stdout == "3 ['a b', '--x'] <built-in function input>\n"
    assert (result.stderr, result.exit_code, result.timed_out, result.limit) == ("careful\n", 7, False, "")
    assert (result.files_changed, result.problems) == (("data/n.csv", "out/deep/r.txt"), ())
    assert workspace.read_text("out/deep/r.txt") == "3"
    assert workspace.read_text("old.txt") == "old"
    assert any(match.path.endswith("n.csv") for match in workspace.search(".history/former").matches)


def test_what_it_leaves_is_checked(tmp_path: Path) -> None:
    """Links, pipes and the history are not copied; nor is anything if there is no room for all."""
    workspace = Workspace(tmp_path / "space", WorkspaceLimits(file_bytes=5000, total_bytes=20_000))
    result = run(
        workspace,
        "import os\nos.symlink('/etc/shadow', 'shadow'); os.symlink('/etc', 'etc'); os.mkfifo('pipe')\n"
        "os.mkdir('.history'); open('.history/x', 'w'); open('a\\u202eb', 'w'); open('large', 'w').write('x' * 6000)\n"
        "open('fine', 'w')\nos.makedirs('/'.join('d' * 30))\n",
    )
    assert result.files_changed == ("fine",)
    assert len(result.problems) == 7
    assert all(problem.isprintable() for problem in result.problems)
    assert [file.path for file in workspace.files()] == ["fine", "program.py"]
    result = run(workspace, "for n in range(6):\n    open(f'{n}', 'w').write('x' * 4900)\n")
    assert result.files_changed == ()
    assert "29400 bytes are more than the" in result.problems[-1]


def test_what_was_there_before_does_not_count(workspace: Workspace) -> None:
    """A workspace that is larger than what a program may write."""
    for number in range(10):
        workspace.write(f"{number}.bin", b"x" * 100_000)
    few = replace(SMALL, disk_bytes=200_000, files=5)
    result = run(workspace, "open('a', 'w').write('x' * 100_000)", limits=few)
    assert (result.limit, result.files_changed, result.problems) == ("", ("a",), ())
    result = run(workspace, "for n in range(6):\n    open(f'new{n}', 'w').close()\n", limits=few)
    assert result.limit == "5 files"


def test_more_files_than_there_is_room_for(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "space", WorkspaceLimits(files=10))
    result = run(workspace, "for n in range(12):\n    open(f'{n}', 'w').close()\n")
    assert (result.files_changed, result.exit_code) == ((), 0)
    assert "there is room for" in result.problems[0]


def test_the_files_to_run(workspace: Workspace, tmp_path: Path) -> None:
    for path in ("none.py", "../x.py", "/etc/passwd", ""):
        with pytest.raises(WorkspaceError):
            run_in(BUBBLEWRAP, workspace, path, (), SMALL)
    (workspace.root / "link.py").symlink_to(__file__)
    with pytest.raises(WorkspaceError, match="no regular file"):
        run_in(BUBBLEWRAP, workspace, "link.py", (), SMALL)
    workspace.write("a.py", "")
    with pytest.raises(WorkspaceError, match="NUL"):
        run_in(BUBBLEWRAP, workspace, "a.py", ["\0"], SMALL)


def test_without_a_sandbox_nothing_is_run(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace.write("a.py", "open('ran', 'w')")
    monkeypatch.setattr(sandbox, "KINDS", [Kind("none", lambda: "install it", BUBBLEWRAP.prepared)])
    sandbox.sandbox_status.cache_clear()
    try:
        with pytest.raises(SandboxUnavailable, match="No sandbox works here, so no program is run: none: install it"):
            run_python(workspace, "a.py")
    finally:
        sandbox.sandbox_status.cache_clear()
    assert [file.path for file in workspace.files()] == ["a.py"]


def test_a_sandbox_that_does_not_confine_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """One whose programs can read files and reach the network, and one that does not start."""
    from contextlib import contextmanager

    @contextmanager
    def open_to_all(place: Place, limits: SandboxLimits, program: list[str]) -> Iterator[Any]:
        yield [sys.executable, str(place.work / program[0]), *program[1:]], ()

    @contextmanager
    def broken(place: Place, limits: SandboxLimits, program: list[str]) -> Iterator[Any]:
        yield ["/nowhere"], ()

    kinds = [Kind("open", lambda: "", open_to_all), Kind("broken", lambda: "", broken)]
    monkeypatch.setattr(sandbox, "KINDS", kinds)
    sandbox.sandbox_status.cache_clear()
    try:
        status = sandbox.sandbox_status()
    finally:
        sandbox.sandbox_status.cache_clear()
    assert not status.name
    (_, why), (_, broken_why) = status.others
    assert why.startswith("it reads files of this machine; it reaches the network")
    assert "No such file" in broken_why


def test_the_filter_of_system_calls_is_for_known_machines() -> None:
    assert system_call_filter("riscv64") == b""
    for machine in ("x86_64", "aarch64"):
        assert len(system_call_filter(machine)) % 8 == 0
        assert len(system_call_filter(machine)) > 400


def test_the_profile_for_macos_denies_by_default(tmp_path: Path) -> None:
    profile = macos_profile(Place(tmp_path))
    assert "(deny default)" in profile
    assert "network" not in profile
    assert f'(allow file-read* file-write* (subpath "{tmp_path.resolve()}/work"))' in profile
    assert '(subpath "/")' not in profile
    assert profile.count("(") == profile.count(")")


# What it finds

LOOK = """
import glob, json, os, socket, sys
token, port, host_file = sys.argv[1:]
found = {}
found["environ"] = any(token in v for v in os.environ.values())
leaks = []
for file in glob.glob("/proc/[0-9]*/environ"):
    try:
        leaks.append(token in open(file).read())
    except OSError:
        pass
found["proc"] = any(leaks)
opened = []
for path in (host_file, "/etc/shadow", "/etc/passwd", "/root/.bashrc", "/proc/1/root/etc/passwd", "/proc/kcore"):
    try:
        open(path).close()
        opened.append(path)
    except OSError:
        pass
found["files"] = opened
reached = []
for address in (("127.0.0.1", int(port)), ("1.1.1.1", 53), ("169.254.169.254", 80)):
    try:
        socket.create_connection(address, 0.5).close()
        reached.append(address)
    except OSError:
        pass
for path in glob.glob("/run/**/*.sock", recursive=True) + glob.glob("/var/run/*") + ["\\0" + token]:
    try:
        s = socket.socket(socket.AF_UNIX); s.connect(path); reached.append(path)
    except OSError:
        pass
found["reached"] = reached
written = []
for path in ("/x", "/dev/x", "/usr/bin/x", "/run/x", "/etc/x", sys.prefix + "/lib/x", "/proc/sys/kernel/hostname"):
    try:
        open(path, "w").close()
        written.append(path)
    except OSError:
        pass
found["written"] = written
found["root"] = os.geteuid() == 0
found["signalled"] = []
for pid in (1, os.getppid()):
    try:
        os.kill(pid, 0); found["signalled"].append(pid)
    except OSError:
        pass
print(json.dumps(found))
"""
NOTHING = {"environ": False, "proc": False, "files": [], "reached": [], "written": [], "root": False}


@pytest.mark.parametrize("kind", [BUBBLEWRAP, SANDLOCK], ids=lambda kind: kind.name)
def test_no_file_key_or_socket_of_the_host_is_found(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: Kind
) -> None:
    token = f"secret-{os.urandom(8).hex()}"
    monkeypatch.setenv("OPENAI_API_KEY", token)
    host_file = tmp_path / "host.txt"
    host_file.write_text(token)
    workspace.write("look.py", LOOK)
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind(f"\0{token}")
        abstract.listen()
        port = str(listener.getsockname()[1])
        result = run_in(needed(kind), workspace, "look.py", [token, port, str(host_file)], SandboxLimits(seconds=20))
    found = json.loads(result.stdout or result.stderr)
    signalled = found.pop("signalled")
    assert found == NOTHING
    assert kind is BUBBLEWRAP or not signalled  # in bubblewrap, the processes are its own namespace's


@pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap is for Linux")
def test_an_interpreter_that_the_sandbox_hides_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", "/tmp/clone/.venv")
    assert "install this in another folder" in BUBBLEWRAP.missing()


@pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap is for Linux")
def test_system_calls_that_escape_the_limits_are_refused(workspace: Workspace) -> None:
    result = run(
        workspace,
        "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "try:\n    os.memfd_create('x'); print('memfd')\nexcept OSError as e: print(e.errno)\n"
        "print(libc.unshare(0x10000000), libc.shmget(0, 4096, 0o1600), libc.ptrace(0, 0, 0, 0))\n"
        "import threading; t = threading.Thread(target=print, args=('a thread',)); t.start(); t.join()\n",
    )
    if system_call_filter():
        assert result.stdout == "1\n-1 -1 -1\na thread\n"


# What a hostile program can do

MEMORY = "a = []\nwhile True:\n    a.append(bytearray(50_000_000))\n"
HOSTILE: dict[str, tuple[str, str]] = {
    "fork bomb": ("import os, time\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass\n", "seconds"),
    "forks that sleep": ("import os, time\nfor _ in range(500):\n    try:\n        if not os.fork():\n            time.sleep(60)\n    except OSError:\n        pass\ntime.sleep(60)\n", "seconds|processes"),
    "threads": ("import threading, time\nwhile True:\n    threading.Thread(target=time.sleep, args=(60,)).start()\n", "|seconds"),
    "10 GB": ("a = bytearray(10_000_000_000)\n", ""),
    "10 GB in pieces": (MEMORY, "|memory"),
    "memory of many": ("import os\nfor _ in range(10):\n    if not os.fork():\n        break\na = [bytearray(os.urandom(1) * 60_000_000)]\nimport time; time.sleep(60)\n", "memory"),
    "endless print": ("while True:\n    print('x' * 1000)\n", "output"),
    "endless print of errors": ("import sys\nwhile True:\n    sys.stderr.write('x' * 1000)\n", "output"),
    "infinite loop": ("while True:\n    pass\n", "|seconds"),
    "deaf to signals": ("import signal\nfor n in range(1, 32):\n    try:\n        signal.signal(n, signal.SIG_IGN)\n    except OSError:\n        pass\nwhile True:\n    pass\n", "|seconds"),
    "sleep": ("import time\ntime.sleep(600)\n", "seconds"),
    "daemon": ("import os, time\nif not os.fork():\n    os.setsid()\n    if not os.fork():\n        time.sleep(600)\n", ""),
    "daemon that closes its output": ("import os, time\nif not os.fork():\n    os.setsid()\n    if not os.fork():\n        os.closerange(0, 50)\n        time.sleep(600)\n", ""),
    "full disk": ("n = 0\nwhile True:\n    n += 1\n    open(f'{n}', 'wb').write(b'x' * 900_000)\n", "files"),
    "full shared memory": ("n = 0\nwhile True:\n    n += 1\n    open(f'/tmp/{n}', 'wb').write(b'x' * 900_000)\n", "files|No such|denied"),
    "one large file": ("f = open('x', 'wb')\nwhile True:\n    f.write(b'x' * 900_000)\n", "|files"),
    "many files": ("import os\nfor n in range(100_000):\n    open(f'{n}', 'w').close()\nimport time; time.sleep(60)\n", "200 files"),
    "deep folders": ("import os, time\nwhile True:\n    try:\n        os.mkdir('d'); os.chdir('d')\n    except OSError:\n        break\ntime.sleep(60)\n", "within each other"),
    "closed folders": ("import os, time\nos.makedirs('a/b')\nopen('a/b/c', 'w')\nos.chmod('a', 0)\ntime.sleep(60)\n", "can be read"),
    "kills all": ("import os, signal\nos.kill(-1, signal.SIGKILL)\n", ""),
}  # fmt: skip
"""Programs, and what the limit that ends them is called; where several are possible, each of them, and none for "|"."""


def timed_run(
    kind: Kind, workspace: Workspace, arguments: list[str], limits: SandboxLimits
) -> tuple[float, SandboxResult]:
    """The result of program.py, and its seconds beyond what an empty program takes on this machine at the moment."""
    workspace.write("empty.py", "")
    begin = time.monotonic()
    run_in(kind, workspace, "empty.py", (), limits)
    between = time.monotonic()
    result = run_in(kind, workspace, "program.py", arguments, limits)
    return time.monotonic() - between - (between - begin), result


def check_ended(name: str, result: dict[str, Any], seconds: float, token: str, temporary: Path) -> None:
    assert seconds < SMALL.seconds + 20  # by itself none ends within a minute; a busy machine removes files slowly
    expected = HOSTILE[name][1].split("|")
    text = f"{result['limit']} {result['stderr']}"
    assert any(word in text if word else not result["limit"] for word in expected), result
    assert len(result["stdout"]) <= SMALL.output_bytes
    assert len(result["stderr"]) <= SMALL.output_bytes
    deadline = time.monotonic() + 1
    while (left := left_running(token)) and time.monotonic() < deadline:
        psutil.wait_procs(left, timeout=0.1)
    assert not left
    assert not list(temporary.glob("hugginggpt-*"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", [BUBBLEWRAP, SANDLOCK], ids=lambda kind: kind.name)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_programs_are_ended(workspace: Workspace, name: str, kind: Kind, bounded_tmp: Path) -> None:
    token = f"token-{os.urandom(8).hex()}"
    workspace.write("program.py", HOSTILE[name][0])
    needed(kind)
    seconds, result = timed_run(kind, workspace, [token], SMALL)
    check_ended(name, asdict(result), seconds, token, bounded_tmp)


@pytest.fixture
def bounded_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files of the test's own."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture(scope="module")
def nobodys() -> Iterator[tuple[str, Path]]:
    """An interpreter and a folder with what it needs that the user nobody can use, for tests that run as root."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only root can become another user; as one, the other tests are this one")
    folder = Path(tempfile.mkdtemp(prefix="nobodys-"))
    try:
        for source in (*ROOT.glob("hugginggpt/goals/*.py"), *ROOT.glob("hugginggpt/common/*.py"), *ROOT.glob("hugginggpt/core/*.py"),
                       ROOT / "hugginggpt" / "__init__.py", ROOT / "tests" / "goals" / "as_user.py"):  # fmt: skip
            target = folder / source.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
        shutil.copytree(Path(psutil.__file__).parent, folder / "psutil")
        (folder / "spaces").mkdir()
        (folder / "spaces").chmod(0o777)
        folder.chmod(0o755)
        check = "import sys, psutil; assert sys.version_info >= (3, 11)"
        for python in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
            try:
                if as_nobody([python, "-c", check], folder).returncode == 0:
                    yield python, folder
                    return
            except OSError:
                continue
        pytest.skip("nobody can run no Python here")
    finally:
        shutil.rmtree(folder)


def as_nobody(command: list[str], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    environment |= {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(folder), "TMPDIR": str(folder / "spaces")}
    return subprocess.run(
        command, user=NOBODY, group=NOBODY, extra_groups=[], env=environment, cwd="/", capture_output=True, text=True, timeout=60,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_programs_of_a_user_are_ended(nobodys: tuple[str, Path], name: str) -> None:
    needed(BUBBLEWRAP)
    python, folder = nobodys
    token = folder / "spaces" / f"token-{os.urandom(8).hex()}"
    program = str(folder / "tests" / "goals" / "as_user.py")
    limits = json.dumps(asdict(SMALL))
    done = as_nobody([python, program, "bubblewrap", str(token), HOSTILE[name][0], limits], folder)
    assert done.returncode == 0, done.stderr
    seconds, result = json.loads(done.stdout)
    check_ended(name, result, seconds, token.name, folder / "spaces")


@pytest.mark.slow
def test_no_file_key_or_socket_of_a_user_is_found(nobodys: tuple[str, Path]) -> None:
    needed(BUBBLEWRAP)
    python, folder = nobodys
    token = f"secret-{os.urandom(8).hex()}"
    host_file = folder / "spaces" / "host.txt"
    host_file.write_text(token)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        given = (token, str(listener.getsockname()[1]), str(host_file))
        program = LOOK.replace("sys.argv[1:]", repr(given))
        command = [
            python,
            str(folder / "tests" / "goals" / "as_user.py"),
            "bubblewrap",
            str(folder / "spaces" / "look"),
            program,
            "{}",
        ]
        done = as_nobody(command, folder, OPENAI_API_KEY=token)
    found = json.loads(json.loads(done.stdout)[1]["stdout"])
    del found["signalled"]
    assert found == NOTHING


@pytest.mark.slow
@pytest.mark.parametrize("kind", [BUBBLEWRAP, SANDLOCK], ids=lambda kind: kind.name)
def test_a_program_ends_with_ours(
    workspace: Workspace, kind: Kind, bounded_tmp: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever runs the sandbox is killed; the program, in the background by then, does not outlive it, and the next
    start removes its folders.
    """
    needed(kind)
    token = f"token-{os.urandom(8).hex()}"
    program = "import os, time\nif not os.fork():\n    os.setsid()\nprint(os.getpid())\ntime.sleep(600)\n"
    command = [
        sys.executable,
        "-m",
        "tests.goals.as_user",
        kind.name,
        str(bounded_tmp / token),
        program,
        json.dumps(asdict(SandboxLimits())),
    ]
    environment = {**os.environ, "TMPDIR": str(bounded_tmp)}
    ours = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 10
    while len(left_running(token)) < 4 and time.monotonic() < deadline:  # ours, the sandbox, the program twice
        psutil.wait_procs(left_running(token), timeout=0.1)
    assert len(left_running(token)) >= 4
    ours.kill()
    ours.wait()
    deadline = time.monotonic() + 2
    while left_running(token) and time.monotonic() < deadline:
        psutil.wait_procs(left_running(token), timeout=0.1)
    assert not left_running(token)
    assert list(bounded_tmp.glob("hugginggpt-*"))
    monkeypatch.setattr(tempfile, "tempdir", str(bounded_tmp))
    remove_abandoned_places()
    assert not list(bounded_tmp.glob("hugginggpt-*"))


@pytest.mark.slow
@pytest.mark.alone
def test_a_program_can_be_cancelled(workspace: Workspace) -> None:
    workspace.write("program.py", "import time\ntime.sleep(600)\n")
    cancelled = threading.Event()
    threading.Timer(0.5, cancelled.set).start()
    begin = time.monotonic()
    result = run_in(needed(BUBBLEWRAP), workspace, "program.py", (), SandboxLimits(), cancelled)
    assert time.monotonic() - begin < 1.5
    assert (result.limit, result.timed_out) == ("it was cancelled", False)


@pytest.mark.slow
def test_a_table_with_pandas(workspace: Workspace) -> None:
    """The interpreter's packages are there, within the default limits."""
    workspace.write("n.csv", "name,n\na,1\nb,2\n")
    result = run(workspace, "import pandas\nprint(pandas.read_csv('n.csv').n.sum())\n", limits=SandboxLimits())
    assert (result.stdout, result.stderr, result.exit_code) == ("3\n", "", 0)
