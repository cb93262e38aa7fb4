"""Serving the application with waitress."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import partial

from hugginggpt.batch.workers import MakeController
from hugginggpt.common.threads import spawn
from hugginggpt.config import Config
from hugginggpt.net import listener as listening
from hugginggpt.net.draining import DrainingServer
from hugginggpt.stages.run import Runner
from hugginggpt.web.app import create_app
from hugginggpt.web.batches import make_batches
from hugginggpt.web.goals import make_goals
from hugginggpt.web.stores import make_chats, make_runs

LAST_RUNS_SECONDS = 10
LAST_GOALS_SECONDS = 3
LAST_BATCHES_SECONDS = 5
LAST_ANSWERS_SECONDS = 5
"""How long the shutdown waits for runs to end, for goals and batches to stop, for the last responses; in seconds."""


_announce: Callable[[str], None] = partial(print, flush=True)  # a pipe would keep the line back


def serve(
    controller: Runner,
    config: Config,
    ready: Callable[[str], None] = _announce,
    inherited: int | None = None,
    make_controller: MakeController | None = None,
) -> None:
    """Serves, on the `inherited` socket or on one of its own, until SIGTERM or Ctrl-C: active runs are then handed over
    or cancelled, their clients notified and their records kept; goals and batches stop where they stand. With
    `make_controller`, batches have worker processes.

    Raises ConfigError when the address is not allowed or cannot be used.
    """
    listen = config.http_listen
    listening.check_reachable(listen)
    listener, url = listening.listen(listen.host, listen.port) if inherited is None else listening.inherit(inherited)
    chats, runs = make_chats(config), make_runs(config, is_one_of_several=inherited is not None)
    goals = make_goals(controller, config)
    batches = make_batches(controller, make_controller)
    app = create_app(controller, config, chats, runs, goals, batches)
    server = DrainingServer(
        app, listener, threads=listen.threads, max_request_body_size=app.config["MAX_CONTENT_LENGTH"]
    )
    try:
        spawn(_warm_up, config)
        ready(f"Listening on {url} (language model: {config.llm_name}). Ctrl-C ends it.")
        server.run()
    except (KeyboardInterrupt, SystemExit):  # stopped before it began to serve
        pass
    finally:
        runs.close(LAST_RUNS_SECONDS)
        goals.close(LAST_GOALS_SECONDS)
        batches.close(LAST_BATCHES_SECONDS)
        server.drain(LAST_ANSWERS_SECONDS)
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
