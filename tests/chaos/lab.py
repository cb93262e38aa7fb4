"""The environment of the fault suite: a folder, the faulty services in a separate process, configurations."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from awesome_chat import Controller
from hugginggpt import config as settings
from hugginggpt.common.paths import ROOT
from hugginggpt.config import Config
from hugginggpt.core.errors import StopReason
from hugginggpt.core.events import Event, RunRecord
from tests.chaos.invariants import check, check_events, check_files
from tests.chaos.plans import Case
from tests.chaos.services import model_ids

LIMITS = {
    "max_seconds": 8, "task_seconds": 5, "llm_seconds": 1, "llm_retries": 1, "inference_seconds": 1,
    "connect_seconds": 1, "status_seconds": 60, "max_file_mb": 5,
}  # fmt: skip
SLACK_SECONDS = 4.0
"""What a run may take beyond its limit: this machine may be busy with other things."""
DRAIN_SECONDS = 15.0
"""How long threads and sockets may outlive a run: the limits of the calls that it left behind, their repetition, and
the slack."""


@dataclass(frozen=True)
class Lab:
    """`ports` are those of the language model, the Hub and the model server."""

    folder: Path
    ports: dict[str, int]

    @property
    def public(self) -> Path:
        return self.folder / "public"

    def config_file(self, name: str = "config", **own: Any) -> Path:
        """A configuration with all three services; `own` settings over it."""
        file = self.folder / f"{name}.yaml"
        base: dict[str, Any] = {
            "planner": "llm",  # the plans are in the requests
            "local": {"endpoint": f"http://127.0.0.1:{self.ports['llm']}"},
            "huggingface": {"base_url": f"http://127.0.0.1:{self.ports['hub']}"},
            "local_inference_endpoint": {"host": "127.0.0.1", "port": self.ports["local"]},
            "embedded": False,
            "catalog": str(self.folder / "catalog.jsonl"),
            "public": str(self.public),
            "log_file": str(self.folder / "logs" / "debug.log"),
            "database": str(self.folder / "chats.sqlite"),
            "keep_runs": 10_000,
        }
        limits = {**LIMITS, **own.pop("limits", {})}
        file.write_text(yaml.safe_dump({**base, "limits": limits, **own}), encoding="utf-8")
        return file

    def config(self, **own: Any) -> Config:
        return settings.load(self.config_file(**own), {})


@contextmanager
def open_lab(folder: Path) -> Iterator[Lab]:
    """A lab in a new folder, which also holds all temporary files until it is closed."""
    (folder / "public").mkdir(parents=True)
    (folder / "tmp").mkdir()
    cards = [
        {"id": model, "task": task, "downloads": 10**9, "likes": 1, "meta": {}, "description": "x"}
        for model, task in model_ids("hub").items()
    ]
    (folder / "catalog.jsonl").write_text("\n".join(map(json.dumps, cards)), encoding="utf-8")
    command = [sys.executable, "-m", "tests.chaos.services", str(folder / "public")]
    before, tempfile.tempdir = tempfile.tempdir, str(folder / "tmp")
    try:
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as services:
            assert services.stdout and services.stdin
            yield Lab(folder, json.loads(services.stdout.readline()))
            services.stdin.close()  # which ends them
    finally:
        tempfile.tempdir = before
        shutil.rmtree(folder, ignore_errors=True)


def run_case(controller: Controller, case: Case, config: Config, until: Any = "answer") -> Counter[str]:
    """Runs a case and checks all that can be checked by itself."""
    began = time.monotonic()
    events: list[Event] = []
    record = RunRecord()
    run = controller.prepare([{"role": "user", "content": case.request}])
    for event in controller.run(run, until):
        events.append(event)
        record.apply(event)
    took = time.monotonic() - began
    check(took < config.limits.max_seconds + SLACK_SECONDS, f"it took {took:.1f} s")
    check(record.stop in set(StopReason), f"its outcome is {record.stop}")
    counts = check_events(events, case)
    check_files(record, case, config.public_dir)
    check(controller.log.load(run.id) is not None or controller.log.folder is None, "its record was not kept")
    return counts


def quiet_environment() -> dict[str, str]:
    """The environment of programs that are started: no keys, nothing shown that is not asked for."""
    keys = ("OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "HF_TOKEN", "HUGGINGFACE_ACCESS_TOKEN")
    return {**os.environ, **dict.fromkeys(keys, "")}
