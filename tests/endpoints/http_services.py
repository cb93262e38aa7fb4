"""Loopback fakes of the services of demos/http_experts.yaml: they refuse what the real ones do not take.

The shapes are those of the public documentation of each service.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping
from email import message_from_bytes
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import filetype
import yaml

from hugginggpt.common.paths import ROOT
from hugginggpt.testing.fakes import Server, png

DEMO = ROOT / "demos" / "http_experts.yaml"
BAIDU_KEY, BAIDU_SECRET, OPENAI_KEY = "baidu-api-key/1", "baidu+secret=key", "sk-openai-key-123"
KEYS = {"BAIDU_KEY": BAIDU_KEY, "BAIDU_SECRET": BAIDU_SECRET, "OPENAI_API_KEY": OPENAI_KEY}
MP3 = b"ID3\x04\x00\x00\x00\x00\x00\x00" + b"\xff\xfb\x90\x00" + bytes(400)


def demo_entries(url: str, *ids: str, **changes: Any) -> list[dict[str, Any]]:
    """Entries of the demonstration, all of them unless some are named, with one server in place of all services."""
    text = re.sub(r"https?://[a-z0-9.:-]+(?=/)", url, DEMO.read_text(encoding="utf-8"))
    entries = yaml.safe_load(text)["http_experts"]
    return [{**entry, **changes} for entry in entries if not ids or entry["id"] in ids]


class Refused(Exception):
    """What a service does not take."""


def _need(true: Any, why: str) -> None:
    if not true:
        raise Refused(why)


class Services(Server):
    """All services at one address. `replies` replaces the answer of a path, `token` is the valid one of Baidu."""

    def __init__(self) -> None:
        super().__init__()
        self.replies: dict[str, Callable[[Any], None]] = {}
        self.token_number = 0
        self.expires_in: Any = 2592000
        self.token = ""

    def paths(self) -> list[str]:
        return [request["path"] for request in self.requests]

    def calls(self, part: str) -> int:
        return sum(part in path for path in self.paths())

    def answer(self, call: Any) -> None:
        call.query = {name: values[0] for name, values in parse_qs(urlsplit(call.path).query).items()}
        try:
            if reply := self.replies.get(call.route):
                reply(call)
            else:
                _ROUTES[call.route](self, call)
        except Refused as error:
            call.json({"error": {"message": str(error), "type": "invalid_request_error"}}, 400)
        except KeyError as error:
            call.json({"error": f"no {error}"}, 404)


def fields(call: Any) -> dict[str, str]:
    """The fields of a form. Raises Refused for another body."""
    _need(call.headers["Content-Type"] == "application/x-www-form-urlencoded", "no form")
    return {name: values[0] for name, values in parse_qs(call.body.decode()).items()}


def parts(call: Any) -> dict[str, tuple[str | None, bytes]]:
    """The parts of a multipart body: their file names and contents."""
    head = f"Content-Type: {call.headers['Content-Type']}\r\n\r\n".encode()
    message = message_from_bytes(head + call.body)
    _need(message.is_multipart(), "no multipart body")
    found: dict[str, tuple[str | None, bytes]] = {}
    for part in message.get_payload():
        name = part.get_param("name", header="content-disposition")
        found[str(name)] = (part.get_filename(), part.get_payload(decode=True))
    return found


def _oauth(server: Services, call: Any) -> None:
    sent = fields(call)
    if (sent.get("client_id"), sent.get("client_secret")) != (BAIDU_KEY, BAIDU_SECRET):
        call.json({"error": "invalid_client", "error_description": f"unknown client id {sent.get('client_id')}"}, 401)
        return
    _need(sent["grant_type"] == "client_credentials", "grant_type")
    with server.lock:
        server.token_number += 1
        server.token = f"24.token/of+{server.token_number}"
        token = server.token
    call.json({"access_token": token, "expires_in": server.expires_in, "scope": "public"})


def _baidu_picture(rows: Callable[[bytes], dict[str, Any]]) -> Callable[[Services, Any], None]:
    def answer(server: Services, call: Any) -> None:
        if call.query.get("access_token") != server.token:
            call.json({"error_code": 110, "error_msg": "Access token invalid or no longer valid"})
            return
        data = base64.b64decode(fields(call)["image"], validate=True)
        _need(filetype.guess_mime(data) == "image/jpeg", "image format error")
        call.json({"log_id": 1, **rows(data)})

    return answer


LABELS = [
    {"root": "动物", "keyword": "giraffe", "score": 0.75},
    {"root": "动物", "keyword": "zebra", "score": "0.25"},
]


def _baidu_speech(server: Services, call: Any) -> None:
    sent = json.loads(call.body)
    if sent["token"] != server.token:
        call.json({"err_no": 3302, "err_msg": "authentication failed.", "sn": "1"})
        return
    sound = base64.b64decode(sent["speech"], validate=True)
    _need(sent["len"] == len(sound) and sent["rate"] == 16000 and sent["channel"] == 1, "3300 input error")
    _need(sent["format"] == "wav" and filetype.guess_mime(sound) == "audio/x-wav", "3301 format")
    _need(int.from_bytes(sound[24:28], "little") == 16000, "3311 rate")
    call.json({"corpus_no": "1", "err_no": 0, "err_msg": "success.", "result": ["how are you", "how old"], "sn": "1"})


def _baidu_voice(server: Services, call: Any) -> None:
    sent = fields(call)
    if sent["tok"] != server.token:
        call.json({"err_no": 502, "err_msg": "authentication failed.", "sn": "1", "idx": 1})
        return
    _need(sent["lan"] == "zh" and sent["ctp"] == "1" and sent["cuid"], "parameters")
    _need(unquote(sent["tex"]) == "Grüße & more", "tex is to be encoded twice")
    call.send(MP3, kind="audio/mp3")


def _authorized(call: Any) -> None:
    _need(call.headers["Authorization"] == f"Bearer {OPENAI_KEY}", "Incorrect API key provided")


def _openai_picture(server: Services, call: Any) -> None:
    _authorized(call)
    sent = json.loads(call.body)
    _need(set(sent) == {"model", "prompt", "n", "size"} and sent["prompt"], f"unknown parameter in {sorted(sent)}")
    call.json({"created": 1, "data": [{"b64_json": base64.b64encode(png()).decode()}]})


def _openai_voice(server: Services, call: Any) -> None:
    _authorized(call)
    sent = json.loads(call.body)
    _need(sent["input"] and sent["voice"] == "alloy" and sent["response_format"] == "mp3", "input")
    call.send(MP3, kind="audio/mpeg")


def _openai_transcript(server: Services, call: Any) -> None:
    _authorized(call)
    sent = parts(call)
    name, sound = sent["file"]
    _need(name and name.endswith(".wav") and filetype.guess_mime(sound) == "audio/x-wav", "file")
    _need(sent["model"] == (None, b"whisper-1"), "model")
    call.json({"text": "How are you?"})


def _tgi(server: Services, call: Any) -> None:
    sent = json.loads(call.body)
    _need(isinstance(sent["inputs"], str) and sent["parameters"]["max_new_tokens"] > 0, "inputs")
    call.json({"generated_text": f"{sent['inputs']} there was a king."})


def _chat(server: Services, call: Any) -> None:
    sent = json.loads(call.body)
    (message,) = sent["messages"]
    content = message["content"]
    if isinstance(content, list):
        picture, question = content
        _need(picture["image_url"]["url"].startswith("data:image/jpeg;base64,"), "image_url")
        content = question["text"]
    call.json({"id": "1", "choices": [{"index": 0, "message": {"role": "assistant", "content": f"({content})"}}]})


_ROUTES: Mapping[str, Callable[[Services, Any], None]] = {
    "/oauth/2.0/token": _oauth,
    "/rest/2.0/image-classify/v2/advanced_general": _baidu_picture(lambda _: {"result_num": 2, "result": LABELS}),
    "/rest/2.0/ocr/v1/general_basic": _baidu_picture(
        lambda _: {"words_result_num": 2, "words_result": [{"words": "Total"}, {"words": "12 EUR"}]}
    ),
    "/server_api": _baidu_speech,
    "/text2audio": _baidu_voice,
    "/v1/images/generations": _openai_picture,
    "/v1/audio/speech": _openai_voice,
    "/v1/audio/transcriptions": _openai_transcript,
    "/generate": _tgi,
    "/v1/chat/completions": _chat,
}
