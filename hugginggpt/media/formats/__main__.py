"""The process that reads one document: a hostile file can cost it no more than its memory and its time.

It is started as a file. A line of JSON on standard input says what to read: {"path", "reader", "limits": {"pages",
"rows", "unpacked"}, "memory" and "told": the most bytes that it may take and write, "seconds" in all and "cpu" of a
processor}, for pages to be drawn
also {"pages": [3, 4], "folder"}, for PDFs to be made {"files": their sources (`pdf.assemble`), "folder"}. Standard
output gets one object: a document, {"drawn": paths}, {"made": paths}, or {"problem": why it cannot be read}. Whoever gave the order keeps standard input open: this process ends when it is closed.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import threading
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

MODULES = {
    "pdf": "pdf", "word": "office", "slides": "office", "opendocument": "office", "sheets": "sheets", "epub": "web",
    "html": "web", "mail": "mail", "json": "plain", "subtitles": "plain", "picture": "picture",
}  # fmt: skip
"""The module of each reader, which is a function of that name in it."""
PR_SET_PDEATHSIG = 1
"""Linux's prctl: the signal that a process gets when its parent is gone."""


def main() -> None:
    told = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace")
    os.dup2(2, 1)  # what a library prints is not for our reader
    order = json.loads(sys.stdin.buffer.readline())
    _end_with_parent()
    _bound(order)
    json.dump(read(order), told, ensure_ascii=False)
    told.close()
    os._exit(0)


def _end_with_parent() -> None:
    """Ends this process when the one that started it is gone: Linux does so whatever this one is busy with."""
    with suppress(ImportError, OSError, AttributeError, TypeError):  # elsewhere its end is told by standard input
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    threading.Thread(target=_end_with_input, daemon=True).start()


def _end_with_input() -> None:
    while os.read(0, 1024):
        pass
    os._exit(1)


def _bound(order: dict[str, Any]) -> None:
    """Lets the system end this process where it takes more; on Windows whoever started it bounds its time alone."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        signal.alarm(order["seconds"] + 1)
        for what, most, more in (
            (resource.RLIMIT_CORE, 0, 0),
            (resource.RLIMIT_CPU, order["cpu"], 1),  # the first of both tells why it ends
            (resource.RLIMIT_FSIZE, order["told"], 0),
            (resource.RLIMIT_AS, order["memory"], 0),
        ):
            with suppress(OSError, ValueError):  # a system may not know one of them
                resource.setrlimit(what, (most, most + more))


def read(order: dict[str, Any]) -> dict[str, Any]:
    """What is answered to an order."""
    from hugginggpt.media.formats import Limits, Unreadable

    try:
        module = importlib.import_module(f"hugginggpt.media.formats.{MODULES[order['reader']]}")
        if "files" in order:
            return {"made": module.assemble(order["files"], Path(order["folder"]))}
        if "pages" in order:
            return {"drawn": module.draw(Path(order["path"]), order["pages"], Path(order["folder"]))}
        document = getattr(module, order["reader"])(Path(order["path"]), Limits(**order["limits"]))
        return {each.name: getattr(document, each.name) for each in fields(document)}
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
