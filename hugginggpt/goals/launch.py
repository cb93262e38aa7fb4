"""The first program in a sandbox: limits itself, gives up root's rights and becomes the program that is to run.

It is run as a file of its own, by a Python without packages; its argument is JSON: `limits` of the module resource by
name, `uid` (0 to stay who one is) and `command`.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

NICE = 10


def main(order: str) -> NoReturn:
    """Raises OSError or ValueError if a limit or the change of the user is refused."""
    import resource

    orders = json.loads(order)
    for name, value in orders["limits"].items():
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        most = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (most, most))
    os.nice(NICE)
    with suppress(OSError):  # the first to be ended where memory is short
        Path("/proc/self/oom_score_adj").write_text("1000")
    if orders["uid"]:
        os.setgroups([])
        os.setgid(orders["uid"])
        os.setuid(orders["uid"])
    os.execv(orders["command"][0], orders["command"])  # noqa: S606  no shell is meant


if __name__ == "__main__":
    main(sys.argv[1])
