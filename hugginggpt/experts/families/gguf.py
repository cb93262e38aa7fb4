"""Language models in GGUF files, quantised or not, which llama.cpp runs in a process of its own (package xllamacpp)."""

from __future__ import annotations

import json
import weakref
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

from hugginggpt.common.paths import install_command
from hugginggpt.core.errors import BackendError, ExpertUnavailable
from hugginggpt.core.lenient_json import read_json
from hugginggpt.experts.extras import is_installed
from hugginggpt.experts.families import CHAT, Args, Loaded, family
from hugginggpt.experts.families.chats import CONTINUE_TOKENS, MAX_NEW_TOKENS, MOST_TOKENS, too_long
from hugginggpt.experts.families.pieces import checked
from hugginggpt.experts.source import Source
from hugginggpt.llm.embedded import TOO_LONG, grammar_of
from hugginggpt.llm.llama_process import ONE_REQUEST, SLOTS, LlamaProcess, acquire, release
from hugginggpt.media.decoding import Bounds, current_bounds

LLAMA_PACKAGE = "xllamacpp"
SILENT_SECONDS = 600.0
"""How long the process may take for the next piece, in seconds: it may have to read a long prompt first."""
PASSED_ON = ("temperature", "top_p", "seed", "stop", "logit_bias", "presence_penalty", "frequency_penalty")
"""What llama.cpp's server takes under the names of OpenAI's API."""


def is_gguf(source: Source) -> bool:
    return source.gguf is not None


def _bytes_needed(source: Source) -> int:
    """Those of the file; what the context takes besides is known when the process runs."""
    assert source.gguf
    return source.gguf.stat().st_size


@family("conversational", when=is_gguf, batch=SLOTS, bytes_needed=_bytes_needed)
def conversational(source: Source) -> Loaded:
    """The reply to a remark, and chats."""
    llama = _Llama(source)

    def reply(request: Args, bounds: Bounds) -> str:
        turn = {"role": "user", "content": checked(request["text"])}
        said = llama.chat({"messages": [turn], "max_tokens": MAX_NEW_TOKENS}, bounds)
        return str(said["text"]).strip()

    return {"conversational": _at_once(reply), CHAT: _at_once(llama.chat)}


@family("text-generation", when=is_gguf, batch=SLOTS, bytes_needed=_bytes_needed)
def text_generation(source: Source) -> Loaded:
    """The prompt and its completion, and chats."""
    llama = _Llama(source)

    def complete(request: Args, bounds: Bounds) -> str:
        prompt = checked(request["text"])
        written = llama.write("/completions", {"prompt": prompt, "max_tokens": CONTINUE_TOKENS}, bounds)
        return prompt + str(written["text"])

    return {"text-generation": _at_once(complete), CHAT: _at_once(llama.chat)}


def _at_once(answer: Callable[[Args, Bounds], Any]) -> Callable[[Sequence[Args]], list[Any]]:
    """A `Run` whose requests are answered at the same time, each in a slot of the process."""

    def run(requests: Sequence[Args]) -> list[Any]:
        bounds = current_bounds()  # of this thread
        if len(requests) == 1:
            return [answer(requests[0], bounds)]
        with ThreadPoolExecutor(len(requests)) as threads:
            return list(threads.map(lambda request: answer(request, bounds), requests))

    return run


class _Llama:
    """The process that runs a file; it ends when the model is unloaded."""

    def __init__(self, source: Source) -> None:
        import requests

        if not is_installed(LLAMA_PACKAGE):
            raise ExpertUnavailable(f"{source.id} needs the package {LLAMA_PACKAGE}: {install_command('llm')}.")
        assert source.gguf and source.llama
        self.id = source.id
        self.process: LlamaProcess = acquire(source.llama(source.gguf))
        source.when_unloaded.append(weakref.finalize(self, release, self.process))
        self.session = requests.Session()
        self.session.trust_env = False  # straight to loopback, past any proxy of the environment
        source.bytes_outside = self.process.running().memory

    def chat(self, request: Args, bounds: Bounds) -> dict[str, Any]:
        body: dict[str, Any] = {name: request[name] for name in PASSED_ON if request.get(name) is not None}
        if schema := request.get("schema"):
            body["grammar"] = grammar_of(schema)
        body |= {"messages": list(request["messages"]), "max_tokens": request.get("max_tokens") or MOST_TOKENS}
        return self.write("/chat/completions", body, bounds, request.get("tell") or (lambda _: None))

    def write(
        self, path: str, body: Mapping[str, Any], bounds: Bounds, tell: Callable[[str], None] = lambda _: None
    ) -> dict[str, Any]:
        """What the process writes, as `chats` says. Raises BackendError, Refused."""
        text, finish = "", "stop"
        usage: dict[str, Any] = {}
        asked = {**body, "stream": True, "stream_options": {"include_usage": True}, "cache_prompt": True}
        with closing(self._events(path, asked, bounds)) as events:
            for event in events:
                usage = event.get("usage") or usage
                for choice in event.get("choices") or ():
                    piece = choice.get("text") or (choice.get("delta") or {}).get("content") or ""
                    finish = choice.get("finish_reason") or finish
                    if piece:
                        text += piece
                        tell(piece)
        return {"text": text, "finish_reason": finish, **{name: int(usage.get(name, 0)) for name in _USAGE}}

    def _events(self, path: str, body: Mapping[str, Any], bounds: Bounds) -> Generator[dict[str, Any], None, None]:
        import requests

        served = self.process.running()
        headers = {**ONE_REQUEST, "Authorization": f"Bearer {served.key}"}
        try:
            with self.session.post(
                f"{served.url}/v1{path}", json=body, headers=headers, stream=True, timeout=SILENT_SECONDS
            ) as answer:
                if answer.status_code != 200:
                    raise self._failure(answer.content)
                for line in answer.iter_lines():
                    if bounds.is_over():
                        return
                    data = line.removeprefix(b"data: ")
                    if data not in (line, b"[DONE]"):
                        event = read_json(data)
                        if not isinstance(event, dict) or "error" in event:
                            raise self._failure(data)
                        yield event
        except (requests.RequestException, ValueError) as error:
            how = served.ending() if served.ended() else f"broke off ({type(error).__name__})"
            raise BackendError(f"The process of {self.id} {how}; the next request starts it again.") from error

    def _failure(self, body: bytes) -> Exception:
        try:
            message = str(json.loads(body)["error"]["message"])
        except (ValueError, KeyError, TypeError):
            message = "it sent something unreadable"
        if found := TOO_LONG.search(message):
            return too_long(int(found[1]), int(found[2]))
        return BackendError(f"{self.id} failed: {message.splitlines()[0][:300]}")


_USAGE = ("prompt_tokens", "completion_tokens")
