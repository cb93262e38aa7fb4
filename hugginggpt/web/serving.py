"""Serving the application with waitress."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import waitress

from hugginggpt.common.threads import spawn
from hugginggpt.config import Config
from hugginggpt.core.errors import ConfigError
from hugginggpt.net import listener as listening
from hugginggpt.stages.run import Runner
from hugginggpt.web.app import create_app
from hugginggpt.web.chats import Chats
from hugginggpt.web.guard import is_loopback
from hugginggpt.web.runs import Runs

LAST_RUNS_SECONDS = 10
LAST_ANSWERS_SECONDS = 5
"""How long the shutdown waits for runs to end and for the last responses to be sent, in seconds."""


def serve(controller: Runner, config: Config, ready: Callable[[str], None] = print) -> None:
    """Serves until SIGTERM or Ctrl-C: active runs are then cancelled, their clients notified and their records kept.

    Raises ConfigError when the address is not allowed or cannot be used.
    """
    listen = config.http_listen
    if not is_loopback(listen.host) and not listen.token:
        raise ConfigError(
            f"http_listen.host {listen.host} can be reached from other machines: set http_listen.token, "
            "or host 127.0.0.1."
        )
    listener, url = listening.listen(listen.host, listen.port)
    chats, runs = Chats(config.path(config.database)), Runs(listen.max_runs)
    app = create_app(controller, config, chats, runs)
    server: Any = waitress.create_server(
        app,
        sockets=[listener],
        threads=listen.threads,
        ident=None,
        channel_timeout=600,
        max_request_body_size=app.config["MAX_CONTENT_LENGTH"],
    )
    answer_the_last = server.task_dispatcher.shutdown

    def shutdown() -> None:  # waitress calls it on shutdown
        runs.close(LAST_RUNS_SECONDS)
        answer_the_last(timeout=LAST_ANSWERS_SECONDS)

    server.task_dispatcher.shutdown = shutdown
    try:
        spawn(_warm_up, config)
        ready(f"Listening on {url} (language model: {config.llm_name}). Ctrl-C ends it.")
        server.run()
    except (KeyboardInterrupt, SystemExit):  # stopped before it began to serve
        shutdown()
    finally:
        server.close()
        chats.close()


def _warm_up(config: Config) -> None:
    """Imports what the first request would wait for, and freezes it for the garbage collector: a collection of all
    modules takes some 50 ms, during which every run stands still.
    """
    if config.llm_name != "offline":
        import openai  # noqa: F401
    if config.inference_mode != "local" and (config.huggingface.token or config.huggingface.base_url):
        from huggingface_hub import HfApi, InferenceClient  # noqa: F401
    gc.collect()
    gc.freeze()
