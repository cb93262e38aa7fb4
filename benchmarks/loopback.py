"""A language model service and a Hub that answer on loopback after a fixed latency.

    python -m benchmarks.loopback [--llm MS] [--expert MS] [--tokens-per-second N] [--others SHARE]

One process with one event loop, to disturb the measurement as little as possible; it busy-waits only for the last half
millisecond before an answer is due. A request contains its tag, and names its plan as [[plan:SHAPE]] (shapes.py); every text
and picture generated from it contains the tag, too (a picture in its metadata), so that mixed-up results are detected.
GET /stats returns the number of calls by kind, and of bytes; POST /reset sets it to zero.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import hashlib
import io
import json
import re
import selectors
import wave
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

from PIL import Image, PngImagePlugin

from benchmarks.shapes import named
from hugginggpt.common.paths import CATALOGUE

TAG = re.compile(r"tag[0-9a-f]{8}")
ENCODED_PICTURE = re.compile(rb'"(?:image|inputs)": ?"([A-Za-z0-9+/]{80,})')
TOKEN = re.compile(r"\w{1,4}|[^\w\s]|\s+")
"""An approximation of a language model's tokens."""
LATE_SECONDS = 0.0005
"""On an idle machine a sleep takes about half a millisecond longer than requested. On a busy one it is late enough to
need no busy-waiting."""


class Backends:
    """Implements both services; `llm` and `expert` are latencies in seconds, `rate` tokens per second of a stream,
    `others` the share of choices that are not the candidate that ranks first.
    """

    def __init__(self, llm: float, expert: float, rate: float, others: float = 0.0) -> None:
        self.llm = llm
        self.expert = expert
        self.rate = rate
        self.others = others
        self.calls: Counter[str] = Counter()
        self.bytes: Counter[str] = Counter()
        self.connections = 0
        lines = CATALOGUE.read_text(encoding="utf-8").splitlines()
        self.tasks = {card["id"]: card["task"] for card in map(json.loads, lines)}

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serves one keep-alive connection."""
        self.connections += 1
        writer = Counted(writer, self.bytes)  # type: ignore[assignment]
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                lines = head.decode("latin-1").split("\r\n")
                method, path, _ = lines[0].split(" ")
                headers = {
                    name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])
                }
                arrival = asyncio.get_running_loop().time()
                body = await _body(reader, headers)
                self.bytes["received"] += len(head) + len(body)
                await self.answer(method, path.partition("?")[0], body, writer, arrival)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def answer(self, method: str, path: str, body: bytes, writer: asyncio.StreamWriter, arrival: float) -> None:
        """Answers a request; the time to create the answer is part of the latency."""
        model = path.partition("/models/")[2]
        if path == "/stats":
            _send(writer, {"calls": dict(self.calls), "bytes": dict(self.bytes), "connections": self.connections})
        elif path == "/reset":
            self.calls.clear()
            self.bytes.clear()
            self.connections = 0
            _send(writer, {})
        elif path.endswith("/chat/completions"):
            await self._complete(json.loads(body), writer, arrival)
        elif path.endswith("/models"):
            _send(writer, {"object": "list", "data": [{"id": "loopback", "object": "model"}]})
        elif method == "GET" and model in self.tasks:
            self.calls["status"] += 1
            live = {"status": "live", "providerId": model, "task": self.tasks[model]}
            _send(
                writer,
                {"id": model, "pipeline_tag": self.tasks[model], "inferenceProviderMapping": {"hf-inference": live}},
            )
        elif model in self.tasks:
            self.calls["expert"] += 1
            result = self._infer(self.tasks[model], body)
            await _until(arrival + self.expert)
            kind = "audio/wav" if self.tasks[model] == "text-to-speech" else "image/png"
            _send(writer, result, kind if isinstance(result, bytes) else "application/json")
        else:
            _send(writer, {"error": f"nothing at {path}"}, status="404 Not Found")

    def _infer(self, task: str, body: bytes) -> Any:
        tag = _tag(body)
        match task:
            case "text-to-image" | "image-to-image":
                return picture(tag)
            case "text-to-speech":
                return _recording(tag)
            case "visual-question-answering":
                return [{"answer": f"two of {tag}", "score": 0.9}]
            case "object-detection":
                return [{"label": f"cat of {tag}", "score": 0.9, "box": {"xmin": 5, "ymin": 5, "xmax": 40, "ymax": 40}}]
            case "image-classification":
                return [{"label": f"cat of {tag}", "score": 0.9}, {"label": "dog", "score": 0.1}]
            case "token-classification":
                return [{"entity_group": "PER", "word": f"Ada of {tag}", "score": 0.99, "start": 0, "end": 3}]
        return [{"generated_text": f"a picture of {tag}"}]

    async def _complete(self, request: dict[str, Any], writer: asyncio.StreamWriter, arrival: float) -> None:
        messages = request["messages"]
        start, last = messages[0]["content"][:40], messages[-1]["content"]
        stage = next(
            (name for mark, name in (("#1", "plan"), ("#2", "select"), ("#4", "respond")) if mark in start), "chat"
        )
        self.calls[stage] += 1
        recent_text = " ".join(message["content"] for message in messages[-3:])
        if stage == "plan":
            shape = named(re.findall(r"\[\[plan:(\w+)\]\]", last)[-1])
            text = json.dumps({"tasks": shape.plan(TAG.findall(last)[-1])})
        elif stage == "select":
            text = json.dumps(first_choices(last, others=self.others))
        else:
            text = "Done: " + " ".join(sorted(set(TAG.findall(recent_text))))
        await _until(arrival + self.llm)
        if not request.get("stream"):
            _send(writer, _completion(text))
            return
        rate = self.rate if stage == "plan" else 0.0
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        async for token in _pieces(text, rate):
            _chunk(writer, {"choices": [{"index": 0, "delta": {"content": token}}]})
            await writer.drain()
        _chunk(writer, {"choices": [], "usage": USAGE})
        writer.write(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")


class Counted:
    """A writer that counts what is sent."""

    def __init__(self, writer: asyncio.StreamWriter, count: Counter[str]) -> None:
        self._writer, self._count = writer, count
        self.drain, self.close = writer.drain, writer.close

    def write(self, data: bytes) -> None:
        self._count["sent"] += len(data)
        self._writer.write(data)


QUESTION = re.compile(r"^((?:Task \d+: .*\n)+)- (\S+?)(?: \(|: |$)", re.MULTILINE)
CANDIDATE = re.compile(r"^- (\S+?)(?: \(|: |$)", re.MULTILINE)
OF_ONE_REQUEST = re.compile(rf"\[\[plan:[^\]]*\]\]|{TAG.pattern}")


def first_choices(question: str, reason: str = "It fits.", others: float = 0.0) -> dict[str, Any]:
    """Chooses the first candidate, for each task of a batch question; for a share of the questions about one task the
    second one, always for the same.
    """
    choices = [
        {"task": int(task), "id": model, "reason": reason}
        for tasks, model in QUESTION.findall(question)
        for task in re.findall(r"^Task (\d+): ", tasks, re.MULTILINE)
    ]
    if choices:
        return {"choices": choices}
    candidates = [*CANDIDATE.findall(question), "", ""]
    digest = hashlib.sha256(OF_ONE_REQUEST.sub("", question).encode()).digest()
    is_second = digest[0] < others * 256 and bool(candidates[1])
    return {"id": candidates[is_second], "reason": reason}


async def _until(moment: float) -> None:
    """Sleeps until shortly before the moment and then busy-waits, because a sleeping process wakes up late."""
    clock = asyncio.get_running_loop().time
    await asyncio.sleep(max(0.0, moment - LATE_SECONDS - clock()))
    while clock() < moment:
        await asyncio.sleep(0)


USAGE = {"prompt_tokens": 900, "completion_tokens": 100, "total_tokens": 1000}


async def _pieces(text: str, rate: float) -> AsyncIterator[str]:
    """The text token by token at that rate, or at once."""
    if not rate:
        yield text
        return
    loop = asyncio.get_running_loop()
    start = loop.time()
    for count, token in enumerate(TOKEN.findall(text), 1):
        await asyncio.sleep(max(0.0, start + count / rate - loop.time()))
        yield token


def tokens(text: str) -> int:
    """The number of tokens of a streamed text."""
    return len(TOKEN.findall(text))


def _completion(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {
        "id": "1", "object": "chat.completion", "created": 1, "model": "loopback", "usage": USAGE,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
    }  # fmt: skip


def _tag(body: bytes) -> str:
    """The tag of a text, of a picture, or of a picture as base64 in JSON. Only the likely positions are searched:
    the services share the machine with the measured program.
    """
    near_an_end = body if len(body) < 4000 else body[:2000] + body[-2000:]
    if match := TAG.search(near_an_end.decode("latin-1")):
        return match[0]
    encoded = ENCODED_PICTURE.search(body[:2000])
    match = (
        TAG.search(base64.b64decode(encoded[1][: min(400, len(encoded[1]) // 4 * 4)]).decode("latin-1"))
        if encoded
        else None
    )
    return match[0] if match else "nothing"


def picture(tag: str) -> bytes:
    metadata = PngImagePlugin.PngInfo()
    metadata.add_text("tag", tag)
    buffer = io.BytesIO()
    Image.new("RGB", (64, 64), (200, 100, 50)).save(buffer, "PNG", pnginfo=metadata)
    return buffer.getvalue()


def _recording(tag: str) -> bytes:
    """A recording of a tenth of a second with the tag in its samples."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(f"{tag:16}".encode() * 100)
    return buffer.getvalue()


async def _body(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
    if headers.get("transfer-encoding") != "chunked":
        return await reader.readexactly(int(headers.get("content-length") or 0))
    body = b""
    while size := int(await reader.readline(), 16):
        body += (await reader.readexactly(size + 2))[:-2]
    await reader.readline()
    return body


def _send(writer: asyncio.StreamWriter, value: Any, kind: str = "application/json", status: str = "200 OK") -> None:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)


def _chunk(writer: asyncio.StreamWriter, value: dict[str, Any]) -> None:
    chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "loopback", **value}
    data = f"data: {json.dumps(chunk)}\n\n".encode()
    writer.write(b"%x\r\n%s\r\n" % (len(data), data))


async def serve(backends: Backends) -> None:
    server = await asyncio.start_server(backends.serve, "127.0.0.1", 0, limit=2**24, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--llm", type=float, default=100, help="milliseconds until the language model answers")
    parser.add_argument("--expert", type=float, default=100, help="milliseconds until an expert answers")
    parser.add_argument("--tokens-per-second", type=float, default=0, help="of a streamed plan; 0: all at once")
    parser.add_argument("--others", type=float, default=0, help="share of choices that are not the first candidate")
    args = parser.parse_args()
    with asyncio.Runner(loop_factory=_exact_loop) as runner:
        runner.run(serve(Backends(args.llm / 1000, args.expert / 1000, args.tokens_per_second, args.others)))


def _exact_loop() -> asyncio.AbstractEventLoop:
    """An event loop with exact timers: select takes microseconds, whereas epoll rounds up to milliseconds."""
    return asyncio.SelectorEventLoop(selectors.SelectSelector())


if __name__ == "__main__":
    main()
