"""The system calls that a program in bubblewrap may not use: a seccomp filter in classic BPF.

bubblewrap isolates files, processes and the network. What is left open is memory that belongs to no process and so
escapes the limits (memfd, System V), and parts of the kernel that computing does not need and attacks use: user
namespaces, mounts, io_uring, eBPF, tracing, keyrings.
"""

from __future__ import annotations

import errno
import platform
import struct

LOAD, JUMP_EQUAL, JUMP_AT_LEAST, JUMP_ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER_AT, ARCHITECTURE_AT, FIRST_ARGUMENT_AT = 0, 4, 16
ALLOW, ERROR, END_PROCESS = 0x7FFF0000, 0x00050000, 0x80000000
CLONE_NEWUSER = 0x10000000
X32_BIT = 0x40000000

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
CALLS = {  # name: the number on x86_64, on aarch64
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194), "unshare": (272, 97),
    "setns": (308, 268),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "keyctl": (250, 219),
    "add_key": (248, 217), "request_key": (249, 218), "bpf": (321, 280), "perf_event_open": (298, 241),
    "userfaultfd": (323, 282), "io_uring_setup": (425, 425), "mount": (165, 40), "umount2": (166, 39),
    "pivot_root": (155, 41), "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "mount_setattr": (442, 442), "kexec_load": (246, 104), "init_module": (175, 105), "finit_module": (313, 273),
    "open_by_handle_at": (304, 265), "syslog": (103, 116),
}  # fmt: skip
CLONE, CLONE3 = (56, 220), (435, 435)


def system_call_filter(machine: str = "") -> bytes:
    """The filter for a machine (by default this one) as bubblewrap takes it; empty where the numbers are not known."""
    machine = machine or platform.machine()
    if machine not in ARCHITECTURES:
        return b""
    column = list(ARCHITECTURES).index(machine)
    program = [
        _step(LOAD, ARCHITECTURE_AT),
        _step(JUMP_EQUAL, ARCHITECTURES[machine], 1, 0),
        _step(RETURN, END_PROCESS),
        _step(LOAD, NUMBER_AT),
        _step(JUMP_AT_LEAST, X32_BIT, 0, 1),
        _step(RETURN, ERROR | errno.EPERM),
    ]
    for numbers in CALLS.values():
        program += [_step(JUMP_EQUAL, numbers[column], 0, 1), _step(RETURN, ERROR | errno.EPERM)]
    program += [
        _step(JUMP_EQUAL, CLONE3[column], 0, 1),  # its flags cannot be looked at; the C library then uses clone
        _step(RETURN, ERROR | errno.ENOSYS),
        _step(JUMP_EQUAL, CLONE[column], 0, 3),
        _step(LOAD, FIRST_ARGUMENT_AT),
        _step(JUMP_ANY_BIT, CLONE_NEWUSER, 0, 1),
        _step(RETURN, ERROR | errno.EPERM),
        _step(RETURN, ALLOW),
    ]
    return b"".join(program)


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """An instruction (struct sock_filter); the jumps say how many instructions to skip."""
    return struct.pack("=HBBI", code, if_true, if_false, value)
