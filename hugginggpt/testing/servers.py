"""Servers for tests: the real applications on a free port, in this process or as programs."""

from __future__ import annotations

import os
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests
from flask import Flask
from PIL import Image
from werkzeug.serving import make_server

from awesome_chat import Controller
from hugginggpt.common.paths import ROOT
from hugginggpt.config import Config
from hugginggpt.experts.families import Run, family_for
from hugginggpt.experts.source import Placement, Source
from hugginggpt.media.store import MediaStore
from hugginggpt.serving.app import create_app
from hugginggpt.serving.commands import make_model_registry, make_pool
from hugginggpt.serving.model_registry import ModelRegistry
from hugginggpt.serving.pool import Pool
from hugginggpt.web import app as web
from hugginggpt.web.batches import make_batches
from hugginggpt.web.goals import make_goals
from hugginggpt.web.stores import make_chats, make_runs

KEYS = ("OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "HF_TOKEN", "HUGGINGFACE_ACCESS_TOKEN")


@dataclass
class Serving:
    """A running model server."""

    url: str
    model_registry: ModelRegistry
    pool: Pool
    media: MediaStore

    def add(self, folder: Path, task: str) -> str:
        """Puts the model in a folder on the model_registry and returns its id."""
        return self.model_registry.add(f"{folder}:{task}").id

    def post(self, model: str, data: Mapping[str, Any] | None = None, **kwargs: Any) -> requests.Response:
        return requests.post(f"{self.url}/models/{model}", json=data, timeout=60, **kwargs)

    def ask(self, model: str, **data: Any) -> Any:
        """The answer of a model to a request that should succeed."""
        response = self.post(model, data)
        assert response.status_code == 200, response.text
        return response.json()

    def file(self, path: str) -> Path:
        return self.media.resolve(path)

    def picture(self, path: str) -> Image.Image:
        """A picture that a model made, as it was saved."""
        with Image.open(self.file(path)) as picture:
            picture.load()
            return picture


def loaded(folder: Path, task: str, dtype: str = "float32") -> Run:
    """A model without a server around it, on the CPU."""
    source = Source(folder.name, folder, task, Placement("cpu", dtype))
    return family_for(source).load(source)[task]


@contextmanager
def serving(config: Config, memory: float | None = 1.0) -> Iterator[Serving]:
    """Serves until the block ends; `memory` in GB."""
    model_registry, pool = make_model_registry(config), make_pool(config, memory)
    try:
        with served(create_app(config, model_registry, pool)) as url:
            yield Serving(url, model_registry, pool, MediaStore(config))
    finally:
        pool.close()


@contextmanager
def web_serving(controller: Controller, config: Config) -> Iterator[str]:
    """Serves a controller in this process until the block ends; gives the URL."""
    chats, runs, goals = make_chats(config), make_runs(config), make_goals(controller, config)
    batches = make_batches(controller)
    try:
        with served(web.create_app(controller, config, chats, runs, goals, batches)) as url:
            yield url
    finally:
        runs.close(5)
        goals.close(5)
        batches.close(5)
        chats.close()


@contextmanager
def served(app: Flask, ssl_context: ssl.SSLContext | None = None) -> Iterator[str]:
    """An application on a free port of this machine, over HTTPS if it has certificates; gives its URL."""
    server = make_server("127.0.0.1", 0, app, threaded=True, ssl_context=ssl_context)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"{'https' if ssl_context else 'http'}://127.0.0.1:{server.port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


@contextmanager
def program_serving(config_file: Path) -> Iterator[str]:
    """The controller's server as users start it, until the block ends, without keys of theirs; gives its URL."""
    with server_process(config_file) as (url, _):
        yield url


@contextmanager
def server_process(config_file: Path, *options: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """As `program_serving`, with the process, for tests that kill it; `options` of the command line."""
    program = [sys.executable, "-u", str(ROOT / "awesome_chat.py")]
    server = subprocess.Popen(
        [*program, "--mode", "server", "--config", str(config_file), *options],
        stdout=subprocess.PIPE, text=True, env={**os.environ, **dict.fromkeys(KEYS, "")},
    )  # fmt: skip
    try:
        assert server.stdout
        yield server.stdout.readline().split()[2], server
    finally:
        server.terminate()
        server.communicate(timeout=20)
