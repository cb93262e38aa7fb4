"""A family of models that do what the text of a request says, in any process: for replicas on Ray, too.

`hold PORT`: connects there and waits until the connection is closed; `fail`, `memory`, `refuse`, `die`: an error of
each kind, and the end of the process; `pid SECONDS`: the process, after a sleep; `tell`: tells two pieces first; `sleep SECONDS`; else the text itself. With
a file: its name, and its size in bytes.
"""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path
from typing import Any

from hugginggpt.core.errors import MediaError
from hugginggpt.experts.families import Args, Family, Run
from hugginggpt.experts.source import Source

TASK = "text-generation"
MODEL_TYPE = "told"


def told(source: Source) -> Run:
    return lambda requests: [answer(request, len(requests)) for request in requests]


def answer(request: Args, together: int) -> Any:
    command, _, rest = request["text"].partition(" ")
    if isinstance(file := request.get("image"), Path):
        return f"{file.name} {len(file.read_bytes())}"
    if command == "hold":
        with socket.create_connection(("127.0.0.1", int(rest)), timeout=60) as held:
            held.recv(1)
    elif command == "sleep":
        time.sleep(float(rest))
    elif command == "fail":
        raise ValueError("bad input")
    elif command == "memory":
        raise MemoryError
    elif command == "refuse":
        raise MediaError("This file is refused.")
    elif command == "die":
        os._exit(1)
    elif command == "tell":
        request["tell"]("one")
        request["tell"]("two")
    elif command == "pid":
        time.sleep(float(rest or 0))
        return str(os.getpid())
    elif command == "together":
        return str(together)
    return request["text"]


def made_to_be_told() -> Family:
    """The family of these models."""
    return Family(TASK, told, lambda source: source.model_type == MODEL_TYPE, 4)


def write_model(folder: Path, count: int = 10) -> Path:
    """A folder with a model of so many float32 numbers."""
    from tests.serving.plain_family import weights

    weights(folder, count)
    (folder / "config.json").write_text(f'{{"model_type": "{MODEL_TYPE}"}}')
    return folder


def write_plugin(folder: Path) -> None:
    """The metadata of a package which has this module as a plug-in; the folder is to be on the import path."""
    info = folder / "told_models-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: told-models\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[hugginggpt.experts]\ntold = tests.serving.told_plugin\n")
