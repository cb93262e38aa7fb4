"""The process that reads one document: a hostile file can cost it no more than its memory and its time.

It is started as a file. A line of JSON on standard input says what to read: {"path", "reader", "limits": {"pages",
"rows", "unpacked"}, "memory": bytes or null}, for pages to be drawn also {"pages": [3, 4], "folder"}. Standard output
gets one object: a document, {"drawn": paths}, or {"problem": why it cannot be read}.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

MODULES = {
    "pdf": "pdf", "word": "office", "slides": "office", "opendocument": "office", "sheets": "sheets", "epub": "web",
    "html": "web", "json": "plain", "subtitles": "plain",
}  # fmt: skip
"""The module of each reader, which is a function of that name in it."""


def main() -> None:
    told = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is not for our reader
    order = json.loads(sys.stdin.buffer.readline())
    _bound(order["memory"])
    json.dump(read(order), told)
    told.close()
    os._exit(0)


def _bound(memory: int | None) -> None:
    """Lets the system end this process where it takes more memory; on Windows only the time is bounded."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def read(order: dict[str, Any]) -> dict[str, Any]:
    """What is answered to an order."""
    from hugginggpt.media.formats import Limits, Unreadable

    try:
        module = importlib.import_module(f"hugginggpt.media.formats.{MODULES[order['reader']]}")
        if "pages" in order:
            return {"drawn": module.draw(Path(order["path"]), order["pages"], Path(order["folder"]))}
        document = getattr(module, order["reader"])(Path(order["path"]), Limits(**order["limits"]))
        return asdict(document)
    except Unreadable as why:
        return {"problem": str(why)}
    except ModuleNotFoundError as error:
        return {"problem": "", "package": error.name}
    except MemoryError:
        return {"problem": "takes more memory than a document may"}
    except RecursionError:
        return {"problem": "is nested too deeply"}
    except Exception as error:  # the libraries raise many types for broken files
        return {"problem": "cannot be read: it is damaged", "detail": f"{type(error).__name__}: {error}"[:500]}


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[3]))
    main()
