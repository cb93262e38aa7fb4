"""A controller for workers in processes of their own: its expert tells of its file, and dies of one."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError
from hugginggpt.stages.run import Runner
from hugginggpt.testing import FakeEndpoint, controller_at

DEADLY, FAILING = b"deadly", b"failing"


def size_of(model: str, task: Any, args: Mapping[str, Any]) -> dict[str, Any]:
    """What the expert answers: how many bytes the picture has."""
    content = Path(args["image"]).read_bytes()
    if DEADLY in content:
        os.kill(os.getpid(), signal.SIGKILL)
    if FAILING in content:
        raise BackendError("It cannot be seen.")
    return {"generated text": f"{len(content)} bytes"}


def make_fake(config: Config) -> Runner:
    """Called in the worker."""
    return controller_at(config, None, FakeEndpoint("place", {"image-to-text": ["teller"]}, size_of))


def make_none(config: Config) -> Runner:
    """Called in the worker, which ends by it."""
    raise SystemExit(3)
