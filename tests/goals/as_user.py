"""Runs a program in a sandbox and prints, as JSON, its seconds beyond those of an empty program and the result.

For tests that do so as another user: `python as_user.py SANDBOX FOLDER PROGRAM LIMITS`; only the standard library and psutil are needed.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

from hugginggpt.goals.sandbox import SandboxLimits, run_in
from hugginggpt.goals.sandbox_kinds import KINDS
from hugginggpt.goals.workspace import Workspace


def main(name: str, folder: str, program: str, limits: str) -> None:
    workspace = Workspace(Path(folder))
    workspace.write("program.py", program)
    (kind,) = (kind for kind in KINDS if kind.name == name)
    workspace.write("empty.py", "")
    begin = time.monotonic()
    run_in(kind, workspace, "empty.py", (), SandboxLimits())
    between = time.monotonic()
    result = run_in(kind, workspace, "program.py", [folder], SandboxLimits(**json.loads(limits)))
    print(json.dumps([time.monotonic() - between - (between - begin), asdict(result)]))


if __name__ == "__main__":
    main(*sys.argv[1:])
