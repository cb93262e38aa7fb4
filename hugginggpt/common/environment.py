"""The environment of programs that we start for texts and documents of others: without keys."""

from __future__ import annotations

import os
import re

_INHERITED = re.compile(r"(?i)path|systemroot|temp|tmp|tmpdir|home|lang|lc_.*|virtual_env|ld_library_path")


def without_keys() -> dict[str, str]:
    """The variables that a program needs to find its files and libraries, and no others."""
    return {name: value for name, value in os.environ.items() if _INHERITED.fullmatch(name)}
