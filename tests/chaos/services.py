"""A language model, a Hub and a model server that fail as each request tells them to.

    python -m tests.chaos.services PUBLIC      prints their ports as JSON, serves until standard input ends

They keep nothing of the runs but counts. What the language model says and what goes wrong is written in the request
itself (see `plans`); a task's fault is written in one of its arguments. So runs at the same time cannot disturb each
other here, and whatever of one run turns up in another was mixed up by the product. Everything that is answered
carries the nonce of the run that asked.
"""

from __future__ import annotations

import base64
import io
import json
import re
import socket
import struct
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PIL import Image

from hugginggpt.testing.fakes import FakeLLM, Server, wav

NONCE = re.compile(rb"n[0-9a-f]{10}z")
MARK = re.compile(rb"\(\((n[0-9a-f]{10}z)\.(\d+)\.(\w+)\.(once|always)\)\)")
PACKED = re.compile(r"(HEAD|PLAN)\[([A-Za-z0-9+/=]+)\]")
HUGE_BYTES = 200_000_000
STALL_SECONDS = 30
DRIP_SECONDS = 0.05
MODELS_OF = {
    "question-answering": 3, "text-classification": 2, "token-classification": 2, "zero-shot-classification": 2,
    "summarization": 2, "image-to-text": 2, "visual-question-answering": 2, "object-detection": 2, "text-to-image": 2,
    "image-to-image": 2, "text-to-speech": 2, "automatic-speech-recognition": 2,
}  # fmt: skip
"""How many models each place has for a task."""


def model_ids(place: str) -> dict[str, str]:
    """The ids of a place's models, and their tasks."""
    return {f"chaos/{place}-{task}-{n}": task for task, most in MODELS_OF.items() for n in range(most)}


class Service(Server):
    """Answers, or fails in the way that is asked for. The bytes go out as they are, without the library's help."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.seen: Counter[str] = Counter()
        self.changed = threading.Condition()

    def note(self, key: str) -> int:
        """Counts a request; gives the number of those like it before."""
        with self.changed:
            self.seen[key] += 1
            self.changed.notify_all()
            return self.seen[key] - 1

    def awaited(self, call: Any) -> None:
        """GET /awaited/KEY answers once a request of that key has come."""
        key = call.route.removeprefix("/awaited/")
        with self.changed:
            came = self.changed.wait_for(lambda: self.seen[key] > 0, timeout=20)
        call.json({"came": came})

    def fail(self, call: Any, fault: str) -> None:
        call.close_connection = True
        try:
            for piece in _bad_answer(fault, self.over):
                call.connection.sendall(piece)
            if fault in ("reset", "half"):  # an end without the usual farewell
                call.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        except OSError:
            pass  # the client had enough


def _bad_answer(fault: str, over: threading.Event) -> Iterator[bytes]:
    """The bytes of a bad answer, as they come."""
    match fault:
        case "drop" | "reset":
            return
        case "stall":
            over.wait(STALL_SECONDS)
        case "drip":
            yield _head(10_000)
            while not over.wait(DRIP_SECONDS):
                yield b" "
        case "slow_head":
            for byte in b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 100:
                if over.wait(DRIP_SECONDS):
                    return
                yield bytes([byte])
        case "huge":
            yield _head(HUGE_BYTES) + b'{"generated_text": "'
            for _ in range(HUGE_BYTES // 100_000):
                yield b"a" * 100_000
        case _:
            yield WHOLE[fault]


def _head(length: int, code: int = 200, kind: bytes = b"application/json", extra: bytes = b"") -> bytes:
    head = b"HTTP/1.1 %d X\r\nContent-Type: %s\r\nContent-Length: %d\r\n" % (code, kind, length)
    return head + extra + b"Connection: close\r\n\r\n"


def _whole(body: bytes, code: int = 200, kind: bytes = b"application/json", extra: bytes = b"") -> bytes:
    return _head(len(body), code, kind, extra) + body


ERROR = b'{"error": {"message": "scripted", "type": "error"}}'
LATER = b"Retry-After: 1\r\n"
WHOLE = {
    "half": _head(1000) + b'{"choices": [{"mess',
    "429": _whole(ERROR, 429),
    "429_after": _whole(ERROR, 429, extra=LATER),
    "500": _whole(ERROR, 500),
    "503": _whole(ERROR, 503),
    "503_after": _whole(ERROR, 503, extra=LATER),
    "html": _whole(b"<html><body>Please log in to the hotel's network</body></html>", kind=b"text/html"),
    "half_json": _whole(b'{"choices": [{"message": {"content": "a'),
    "wrong_type": _whole(b'{"choices": 7, "path": [1], "generated_text": {"a": 1}, "label": null, "error": 0}'),
    "wrong_shape": _whole(b'[{"label": {"x": 1}, "score": "high", "answer": [], "word": 3, "box": {"xmin": "a"}}]'),
    "empty": _whole(b""),
    "nested": _whole(b"[" * 100_000 + b"]" * 100_000),
    "garbage": b"\x16\x03\x01\x02\x00 this is no HTTP\r\n\r\n",
}
"""Bad answers that are sent at once."""
FAULTS = ("drop", "reset", "stall", "drip", "slow_head", "huge", *WHOLE)


def unpacked(text: str) -> tuple[dict[str, Any], list[Any]]:
    """What a request tells the language model: its nonce and faults, and the plan."""
    found = {name: json.loads(base64.b64decode(packed)) for name, packed in PACKED.findall(text)}
    return found.get("HEAD", {"nonce": "", "faults": {}}), found.get("PLAN", [])


class ChaosLLM(Service, FakeLLM):
    """The language model: the plan that the request asks for, answers with its nonce in them."""

    def answer(self, call: Any) -> None:
        if call.route.startswith("/awaited/"):
            return self.awaited(call)
        if call.command == "GET":
            return super().answer(call)
        data = json.loads(call.body)
        text = "".join(message["content"] for message in data["messages"])
        stage, mark = self.stage(data), MARK.search(data["messages"][-1]["content"].encode())
        if stage == "chat" and mark:
            return self._task(call, data, mark)
        head, plan = unpacked(text)
        nonce = head["nonce"]
        times = self.note(f"{nonce}.{stage}")
        fault, mode = head["faults"].get(stage, ("", ""))
        if fault and (mode == "always" or times == 0):
            return self.fail(call, fault)
        said = {"plan": json.dumps({"tasks": plan}), "select": self.choice(data)}
        return self._say(call, data, said.get(stage, f"Done for {nonce}."))

    def _task(self, call: Any, data: dict[str, Any], mark: re.Match[bytes]) -> None:
        nonce, number, fault, mode = (group.decode() for group in mark.groups())
        times = self.note(f"{nonce}.{number}")
        if fault != "ok" and (mode == "always" or times == 0):
            return self.fail(call, fault)
        return self._say(call, data, f"made for {nonce} by task {number}")

    def _say(self, call: Any, data: dict[str, Any], text: str) -> None:
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        head = {"id": "x", "created": 1, "model": data["model"]}
        if not data.get("stream"):
            choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
            return call.json({**head, "object": "chat.completion", "choices": [choice], "usage": usage})
        chunks: list[Any] = [
            {**head, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": piece}}]}
            for piece in re.findall(r"(?s).{1,40}", text)
        ]
        return call.events([*chunks, {**head, "choices": [], "usage": usage}], whole=True)


class ChaosExperts(Service):
    """The Hub's routes and those of a model server; `place` is which of them it plays."""

    def __init__(self, place: str, public: Path) -> None:
        super().__init__()
        self.public = public
        self.place = place
        self.models = model_ids(place)
        self.files: dict[str, bytes] = {}

    def answer(self, call: Any) -> None:
        route = call.route
        if route in self.files:
            return call.send(self.files[route], kind="application/octet-stream")
        if call.command == "GET":
            return self._about(call, route)
        model = route.removeprefix("/hf-inference").removeprefix("/models/")
        if model not in self.models:
            return call.json({"error": "no such model"}, 404)
        mark = MARK.search(call.body)
        nonce = next(iter(sorted(self._nonces(call.body))), "")
        number, fault, mode = (group.decode() for group in mark.groups()[1:]) if mark else ("-", "ok", "once")
        times = self.note(f"{nonce}.{number}")
        if fault != "ok" and (mode == "always" or times == 0):
            return self.fail(call, fault)
        return self._infer(call, self.models[model], nonce, number)

    def _nonces(self, body: bytes) -> set[str]:
        """The nonces in a request and in the file of the public folder that it names."""
        named = re.search(rb'"(?:img_url|audio_url)": "public/([^"]+)"', body)
        file = self.public / named[1].decode() if named else None
        return nonces_in(body) | (nonces_in(file.read_bytes()) if file and file.is_file() else set())

    def _about(self, call: Any, route: str) -> None:
        if route.startswith("/awaited/"):
            return self.awaited(call)
        if route == "/running":
            return call.json({"running": True})
        if route == "/models":
            listed = [{"id": model, "tasks": [task], "description": "x"} for model, task in self.models.items()]
            return call.json({"models": listed})
        model = route.removeprefix("/api/models/")
        if model not in self.models:
            return call.json({"error": "no such model"}, 404)
        task = self.models[model]
        mapping = {"hf-inference": {"status": "live", "providerId": model, "task": task}}
        return call.json({"id": model, "pipeline_tag": task, "tags": [], "inferenceProviderMapping": mapping})

    def _infer(self, call: Any, task: str, nonce: str, number: str) -> None:
        text = f"made for {nonce} by task {number}"
        made = {"text-to-image": _png, "image-to-image": _png, "text-to-speech": _wav}.get(task)
        if made:
            data, kind = made(nonce)
            if self.place == "hub":
                return call.send(data, kind=kind)
            path = f"/{kind.partition('/')[0]}s/{nonce}-{len(self.files)}.{kind[-3:]}"
            self.files[path] = data
            return call.json({"path": path})
        box = {"xmin": 5, "ymin": 5, "xmax": 40, "ymax": 40}
        answers: dict[str, Any] = {
            "question-answering": {"answer": text, "score": 0.5, "start": 0, "end": 1},
            "text-classification": [[{"label": text, "score": 0.5}]],
            "zero-shot-classification": [{"label": text, "score": 0.5}],
            "token-classification": [{"entity_group": "PER", "word": text, "score": 0.5, "start": 0, "end": 1}],
            "summarization": [{"summary_text": text}],
            "image-to-text": [{"generated_text": text}],
            "visual-question-answering": [{"answer": text, "score": 0.5}],
            "object-detection": [{"label": text, "score": 0.5, "box": box}],
            "automatic-speech-recognition": {"text": text},
        }
        return call.json(answers[task])


def nonces_in(data: bytes) -> set[str]:
    """The nonces in what a service got or a run made; of a picture, in its pixels."""
    found = set(NONCE.findall(data))
    if data.startswith(b"\x89PNG"):
        with Image.open(io.BytesIO(data)) as image:
            found |= set(NONCE.findall(image.convert("RGB").tobytes()))
    return {nonce.decode() for nonce in found}


def picture(nonce: str) -> bytes:
    """A PNG with the nonce in its pixels."""
    out = io.BytesIO()
    Image.frombytes("RGB", (64, 64), nonce.encode().ljust(64 * 64 * 3, b".")).save(out, "PNG")
    return out.getvalue()


def _png(nonce: str) -> tuple[bytes, str]:
    return picture(nonce), "image/png"


def _wav(nonce: str) -> tuple[bytes, str]:
    return wav() + nonce.encode(), "audio/wav"


def main() -> None:
    public = Path(sys.argv[1])
    with ChaosLLM() as llm, ChaosExperts("hub", public) as hub, ChaosExperts("local", public) as local:
        print(json.dumps({"llm": llm.port, "hub": hub.port, "local": local.port}), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
