"""The process of the embedded language model: llama.cpp's own HTTP server on loopback, behind a random key.

It is started as a file, with nothing of this project imported: a line of JSON on its standard input says what to
serve, a line of JSON on its standard output where it is served or why not. It ends when its standard input ends, which
is when the program that started it has ended, in whatever way.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from typing import Any

MEASURED_WORDS = " a b c d" * 16
"""A prompt of 64 tokens or somewhat more."""
MEASURED_TOKENS = 8
BATCH = 128
"""Tokens read at a time: between two batches the server tells how far it is, and sees that nobody waits any more."""


def main() -> None:
    told = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the library prints is not for our reader
    settings = json.loads(sys.stdin.buffer.readline())
    _end_with_the_starter()
    try:
        server, about = _serve(settings)
        about["url"] = server.listening_address
    except Exception as error:  # whatever the library raises is told to the starter
        about = {"error": (str(error).strip() or type(error).__name__).splitlines()[0]}
    with suppress(OSError):  # the starter has ended
        print(json.dumps(about), file=told, flush=True)
    if "error" not in about:
        sys.stdin.buffer.read()
    os._exit(0)


def _end_with_the_starter() -> None:
    """Lets the system end this process as soon as standard input ends, also while the library loads a model and no
    Python runs. Where a system cannot, `main` sees it when the model is loaded.
    """
    with suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)  # the signal's default is to end


def _serve(settings: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The server that runs, and the threads it uses with the tokens a second that were measured, if they were."""
    if len(settings["threads"]) == 1:
        return _server(settings, settings["threads"][0]), {"threads": settings["threads"][0]}
    measured: dict[int, float] = {}
    server = None
    for threads in settings["threads"]:
        server = None  # the memory of one model is enough
        server = _server(settings, threads)
        measured[threads] = _seconds(server)
    best = min(measured, key=lambda threads: measured[threads])
    if best != settings["threads"][-1]:
        server = None
        server = _server(settings, best)
    return server, {"threads": best, "measured": measured}


def _server(settings: dict[str, Any], threads: int) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = settings["file"]
    params.hostnames, params.port, params.api_keys = ["127.0.0.1"], 0, [settings["key"]]
    # The text as it is written: the parsers for reasoning and tool calls reject what a model leaves unfinished.
    params.force_pure_content_parser, params.enable_reasoning = True, 0
    params.ui, params.cors_origins, params.use_jinja = False, "", True
    # The slots share the context; each keeps the prompt of its stage, and none is kept elsewhere in memory.
    params.n_ctx, params.n_parallel, params.kv_unified = settings["context"], settings["slots"], True
    params.cache_ram_mib, params.slot_save_path = 0, settings["kept"] + os.sep
    params.n_batch = params.n_ubatch = BATCH
    params.n_predict = settings["reply_tokens"]  # no answer is longer, whatever the model does
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.cpuparams.poll = params.cpuparams_batch.poll = 0
    if settings["gpu_layers"] is not None:
        params.n_gpu_layers = settings["gpu_layers"]
    return xllamacpp.Server(params)


def _seconds(server: Any) -> float:
    """How long it takes to read and write a few tokens."""
    ask = {"prompt": MEASURED_WORDS, "n_predict": MEASURED_TOKENS, "cache_prompt": False, "ignore_eos": True}
    timings = server.handle_completions(ask)["timings"]
    return float(timings["prompt_ms"] + timings["predicted_ms"]) / 1000


if __name__ == "__main__":
    main()
