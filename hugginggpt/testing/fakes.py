"""Loopback servers that play a language model service, the Hub and a model server, and misbehave on demand.

A server is told what to do by `faults`: {what: [Fault, ...]}, used up one a request ("what" is a stage, a
model id or "all"); it keeps what it was asked in `requests`. Nothing sleeps: a server that hangs waits
until the test is over.
"""

from __future__ import annotations

import base64
import copy
import io
import json
import re
import threading
import wave
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

from PIL import Image


@dataclass
class Fault:
    """One bad answer."""

    status: int = 200
    body: str | bytes = b""
    type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    drop: bool = False
    hang: bool = False
    half: bool = False  # of a stream: some chunks, then the connection ends
    ends: str = ""  # of a language model: half the answer, and why it ends there (finish_reason)
    error: str = ""  # of a stream: half the answer, and an event that tells of an error
    part: float = 0.5  # how much of the answer is half of it

    @property
    def cuts(self) -> bool:
        return bool(self.half or self.ends or self.error)


def status(code: int, **headers: str) -> Fault:
    body = {"error": {"message": f"scripted {code}", "type": "error", "code": None, "param": None}}
    return Fault(code, json.dumps(body), headers={k.replace("_", "-"): v for k, v in headers.items()})


HTML = Fault(body="<html><body>Welcome to the hotel's network</body></html>", type="text/html")
NOTHING = Fault(body=b"")
DROP = Fault(drop=True)
HANG = Fault(hang=True)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.faults: dict[str, list[Fault]] = {}
        self.always: dict[str, Fault] = {}
        self.requests: list[dict[str, Any]] = []
        self.over = threading.Event()
        self.lock = threading.Lock()
        self.connections = 0

    def reset(self) -> None:
        """Forgets the requests and what went wrong, for the next test that uses the server; what hung goes on."""
        self.over.set()
        with self.lock:
            self.over = threading.Event()
            self.faults, self.always = {}, {}
            self.requests = []

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Any:
        self.thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.shutdown()
        self.server_close()
        self.thread.join()

    def fault(self, *kinds: str) -> Fault | None:
        with self.lock:
            for kind in kinds:
                if self.faults.get(kind):
                    return self.faults[kind].pop(0)
                if kind in self.always:
                    return self.always[kind]
        return None

    def answer(self, call: _Handler) -> None:
        raise NotImplementedError

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # clients that hang up are part of the tests


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: Server

    def setup(self) -> None:
        super().setup()
        with self.server.lock:
            self.server.connections += 1

    def log_message(self, *_: Any) -> None:
        pass

    def handle_all(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        self.body = self.rfile.read(length)
        self.route = unquote(urlsplit(self.path).path)
        with self.server.lock:
            self.server.requests.append(
                {
                    "path": self.route,
                    "headers": {name.title(): value for name, value in self.headers.items()},
                    "body": self.body,
                }
            )
        self.server.answer(self)
        self.wfile.flush()

    do_GET = do_POST = do_HEAD = handle_all

    def misbehave(self, fault: Fault) -> None:
        if fault.hang:
            self.server.over.wait(60)
        if fault.hang or fault.drop:
            self.close_connection = True
            return
        body = fault.body.encode() if isinstance(fault.body, str) else fault.body
        self.send(body, fault.status, fault.type, fault.headers)

    def send(
        self, body: bytes, code: int = 200, kind: str = "application/json", headers: Mapping[str, str] | None = None
    ) -> None:
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def json(self, value: Any, code: int = 200) -> None:
        self.send(json.dumps(value).encode(), code)

    def events(self, values: list[Any], whole: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for value in [*map(json.dumps, values), *(["[DONE]"] if whole else [])]:
            data = f"data: {value}\n\n".encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        if whole:
            self.wfile.write(b"0\r\n\r\n")
        else:
            self.close_connection = True


STAGES = {"#1": "plan", "#2": "select", "#4": "respond", "#5": "goal"}
"""How the first message of each stage begins."""
Answers = str | dict[str, Any] | list[str | dict[str, Any]]
"""A text, a message with tool_calls, or a list of them, each for one call."""


class FakeLLM(Server):
    """An OpenAI-compatible service. `replies` says what is answered at each stage: plan, select, respond, chat, goal.

    Without a scripted choice the first candidate is chosen.
    """

    def __init__(self, **replies: Answers) -> None:
        super().__init__()
        usual = {"plan": '{"tasks": []}', "respond": "It is done.", "chat": "Hello!"}
        self.first_replies: dict[str, Answers] = {**usual, **replies}
        self.replies = copy.deepcopy(self.first_replies)

    def reset(self) -> None:
        super().reset()
        self.replies = copy.deepcopy(self.first_replies)

    def next_reply(self, stage: str) -> str | dict[str, Any] | None:
        replies = self.replies.get(stage)
        if not isinstance(replies, list):
            return replies
        with self.lock:
            return replies.pop(0) if replies else None

    def answer(self, call: _Handler) -> None:
        if call.command == "GET":
            return call.json({"object": "list", "data": [{"id": "fake-model", "object": "model"}]})
        data = json.loads(call.body)
        stage = self.stage(data)
        fault = self.fault(stage, "all")
        if fault and not fault.cuts:
            return call.misbehave(fault)
        reply = self.next_reply(stage) or self.choice(data)
        message = reply if isinstance(reply, dict) else {"content": reply}
        text = message.get("content") or ""
        text = text[: int(len(text) * fault.part)] if fault else text
        ends = (fault and fault.ends) or "stop"
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        head = {"id": "x", "created": 1, "model": data["model"]}
        if "prompt" in data:
            choices = [{"index": 0, "text": text, "finish_reason": ends}]
            return call.json({**head, "object": "text_completion", "choices": choices, "usage": usage})
        if not data.get("stream"):
            message = {"role": "assistant", **message, "content": text}
            choices = [{"index": 0, "message": message, "finish_reason": ends}]
            return call.json({**head, "object": "chat.completion", "choices": choices, "usage": usage})
        chunk = {**head, "object": "chat.completion.chunk"}
        chunks: list[Any] = [
            {**chunk, "choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]}
            for piece in re.findall(r"(?s).{1,5}", text)
        ]
        chunks += [
            {**chunk, "choices": [{"index": 0, "delta": {"tool_calls": [piece]}, "finish_reason": None}]}
            for piece in _pieces_of(message.get("tool_calls") or [])
        ]
        if fault and fault.half:
            return call.events(chunks, whole=False)
        if fault and fault.error:
            return call.events([*chunks, {"error": {"message": fault.error, "type": "server_error"}}], whole=True)
        chunks.append({**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": ends}]})
        if (data.get("stream_options") or {}).get("include_usage"):
            chunks.append({**chunk, "choices": [], "usage": usage})
        return call.events(chunks, whole=True)

    @staticmethod
    def stage(data: dict[str, Any]) -> str:
        text = data["prompt"][:60] if "prompt" in data else data["messages"][0]["content"]
        return next((s for n, s in STAGES.items() if n in text[:60]), "chat")

    @staticmethod
    def choice(data: dict[str, Any]) -> str:
        first = re.search(r'^- (\S+?)(?: \(|: |$)|"id": "([^"]+)", "inf', data["messages"][-1]["content"], re.MULTILINE)
        return json.dumps({"id": (first[1] or first[2]) if first else "", "reason": "It fits."})

    def bodies(self, stage: str) -> list[dict[str, Any]]:
        """The bodies of the requests of a stage."""
        posts = [json.loads(r["body"]) for r in self.requests if r["body"]]
        return [body for body in posts if self.stage(body) == stage]


def _pieces_of(calls: Any) -> list[dict[str, Any]]:
    """Tool calls as they are streamed: the name first, then the arguments in pieces."""
    pieces: list[dict[str, Any]] = []
    for index, call in enumerate(calls):
        function = call["function"]
        arguments = function["arguments"]
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        pieces.append({**call, "index": index, "function": {**function, "arguments": ""}})
        pieces += [{"index": index, "function": {"arguments": piece}} for piece in re.findall(r"(?s).{1,9}", text)]
    return pieces


class FakeExperts(Server):
    """The Hub (/api/models/ID, /hf-inference/models/ID) and a model server (/running, /status/ID, /models/ID).

    `models` are the ids it knows and their tasks. Its answers have the shapes of the real services.
    """

    def __init__(self, models: Mapping[str, str]) -> None:
        super().__init__()
        self.first_models = dict(models)
        self.models = dict(models)
        self.files: dict[str, bytes] = {}
        self.lists: dict[str, dict[str, Any]] = {}

    def reset(self) -> None:
        super().reset()
        self.models, self.files, self.lists = dict(self.first_models), {}, {}

    def answer(self, call: _Handler) -> None:
        route = call.route
        if route == "/running":
            return call.json({"running": True})
        if route in self.files:
            return call.send(self.files[route], kind="application/octet-stream")
        kind, _, model = route.removeprefix("/api").removeprefix("/hf-inference").lstrip("/").partition("/")
        if kind == "status":
            fault = self.fault(f"status {model}")
            return call.misbehave(fault) if fault else call.json({"loaded": model in self.models})
        if kind != "models" or model not in self.models:
            return call.json({"error": "no such model"}, 404)
        if call.command == "GET":
            fault = self.fault(f"info {model}")
            return call.misbehave(fault) if fault else call.json(self.info(model))
        if fault := self.fault(model, "all"):
            return call.misbehave(fault)
        return self.hub(call, model) if route.startswith("/hf-inference") else self.local(call, model)

    def info(self, model: str) -> dict[str, Any]:
        if model in self.lists:
            return self.lists[model]
        mapping = {"hf-inference": {"status": "live", "providerId": model, "task": self.models[model]}}
        return {"id": model, "pipeline_tag": self.models[model], "tags": [], "inferenceProviderMapping": mapping}

    def hub(self, call: _Handler, model: str) -> None:
        task = self.models[model]
        if task in ("text-to-image", "image-to-image"):
            return call.send(png(), kind="image/png")
        if task == "text-to-speech":
            return call.send(wav(), kind="audio/wav")
        if task == "audio-to-audio":
            blob = base64.b64encode(wav()).decode()
            return call.json([{"label": "a", "content-type": "audio/wav", "blob": blob}])
        if task == "image-segmentation":
            mask = base64.b64encode(png("L")).decode()
            return call.json([{"label": "sky", "score": 0.9, "mask": mask}])
        return call.json(SHAPES[task])

    def local(self, call: _Handler, model: str) -> None:
        task = self.models[model]
        made: dict[str, tuple[str, str, Callable[[], bytes]]] = {
            "text-to-image": ("images", "png", png),
            "image-to-image": ("images", "png", png),
        }
        made["text-to-speech"] = ("audios", "wav", wav)
        if task not in made:
            text = {"generated text": "a picture of a cat"}
            return call.json(text if task == "image-to-text" else SHAPES[task])
        folder, suffix, make = made[task]
        path = f"/{folder}/{len(self.files):04d}.{suffix}"
        self.files[path] = make()
        return call.json({"path": path})

    def inferences(self, model: str) -> list[dict[str, Any]]:
        return [r for r in self.requests if r["path"].endswith(f"/models/{model}") and r["body"]]


BOX = {"xmin": 5, "ymin": 5, "xmax": 40, "ymax": 40}
SHAPES: dict[str, Any] = {
    "text-classification": [[{"label": "POSITIVE", "score": 0.9}, {"label": "NEGATIVE", "score": 0.1}]],
    "zero-shot-classification": [{"label": "sport", "score": 0.8}, {"label": "food", "score": 0.2}],
    "token-classification": [{"entity_group": "PER", "word": "Ada", "score": 0.99, "start": 0, "end": 3}],
    "question-answering": {"answer": "forty-two", "score": 0.8, "start": 0, "end": 9},
    "summarization": [{"summary_text": "in short"}],
    "translation": [{"translation_text": "bonjour"}],
    "text-generation": [{"generated_text": "once upon a time"}],
    "fill-mask": [{"sequence": "Paris is big", "score": 0.5, "token": 1, "token_str": "big"}],
    "sentence-similarity": [0.87],
    "tabular-classification": ["a", "b"],
    "table-question-answering": {
        "answer": "SUM > 1, 2",
        "coordinates": [[0, 0], [1, 0]],
        "cells": ["1", "2"],
        "aggregator": "SUM",
    },
    "object-detection": [{"label": "cat", "score": 0.9, "box": BOX}, {"label": "cat", "score": 0.8, "box": BOX}],
    "image-classification": [{"label": "cat", "score": 0.9}, {"label": "dog", "score": 0.1}],
    "image-to-text": [{"generated_text": "a picture of a cat"}],
    "visual-question-answering": [{"answer": "two", "score": 0.9}],
    "document-question-answering": [{"answer": "page 3", "score": 0.9, "start": 0, "end": 1}],
    "automatic-speech-recognition": {"text": "hello world"},
    "audio-classification": [{"label": "speech", "score": 0.9}],
}
"""What Hugging Face's tasks answer."""


def png(mode: str = "RGB", size: tuple[int, int] = (64, 64)) -> bytes:
    out = io.BytesIO()
    Image.new(mode, size, 200 if mode == "L" else (200, 100, 50)).save(out, "PNG")
    return out.getvalue()


def wav(seconds: float = 0.1, rate: int = 8000) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(b"\0\0" * int(seconds * rate))
    return out.getvalue()
