"""What clients send to a controller over Redis, PostgreSQL and S3: odd texts, names, numbers and sizes do no harm."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import requests

from hugginggpt.testing.fakes import FakeExperts, FakeLLM, png
from hugginggpt.testing.services import s3_service
from hugginggpt.web.feeds import sent
from tests.conftest import MakeConfig, Start
from tests.media.test_file_store import BUCKET, s3
from tests.services import postgres_url, redis_url, running_postgres, running_redis
from tests.web.test_runs import PLAN, stream

__all__ = ["postgres_url", "redis_url", "running_postgres", "running_redis", "s3", "s3_service"]
TEXTS = (
    "\0", "a\0b", "'; DROP TABLE chats; --", "$1 %s ? :x", "%_!\\", "\u202e\u2028 𝕏 猫 \u0301\ufffe", "\r\n$3\r\nfoo\r\n",
    "{hugginggpt}:going", "x" * 90_000,
)  # fmt: skip
IDS = ("x" * 5000, "%00", "..%2f..", "{hugginggpt}:going", "*", "%F0%9D%95%8F", "'%20OR%201=1--", "0" * 12, "0" * 32)
NAMES = (
    "../../etc/cron.d/x.png",
    "a" * 300 + ".png",
    "a\nb\r.png",
    "%2e%2e%2fx.png",
    "猫 𝕏.png",
    "-rf.png",
    ".png",
    "x.png\0.html",
)
PATHS = ("/images/" + "a" * 5000 + ".png", "/images/" + "猫" * 70 + ".png", "/images/%00.png", "/images/..%2f..%2fx", "/uploads/*",
         "/images/a/b/c.png", "//images/x.png", "/images/none.png?x=1")  # fmt: skip
SECONDS = 60


@pytest.fixture
def url(
    make_config: MakeConfig, start: Start, redis_url: str, postgres_url: str, s3: str, tmp_path: Path,
    llm_server: FakeLLM, expert_server: FakeExperts,
) -> str:  # fmt: skip
    llm_server.replies["plan"] = json.dumps(PLAN)
    services = {"local": {"endpoint": llm_server.url}, "huggingface": {"base_url": expert_server.url}}
    shared = {"run_store": redis_url, "database": postgres_url, "file_store": s3, "public": tmp_path / "public"}
    return start(make_config(embedded=False, **services, **shared))


def test_the_data_of_an_event_are_one_line_for_every_client() -> None:
    data = {"text": "a\u2028b\u2029c\x85d\n\r\x0b\x0c\x1c\x1e"}
    kind, line = sent("token", data).strip().splitlines()
    assert (kind, json.loads(line.removeprefix("data: "))) == ("event: token", data)


@pytest.mark.slow
def test_texts_and_numbers(url: str) -> None:
    for text in TEXTS:
        body = {"messages": [{"role": "user", "content": f"What is in it? {text}"}], "chat": "new"}
        events = list(stream(requests.post(f"{url}/v1/runs", json=body, stream=True, timeout=SECONDS)))
        assert events[-1]["data"]["stop"] == "answered", text[:50]
        chat = events[0]["data"]["chat"]
        (turn,) = requests.get(f"{url}/v1/chats/{chat}", timeout=SECONDS).json()["turns"]
        assert turn["request"] == f"What is in it? {text}".replace("\0", "\ufffd")
        renamed = requests.patch(f"{url}/v1/chats/{chat}", json={"title": text[:200]}, timeout=SECONDS)
        assert renamed.status_code in (200, 400)
        listed = requests.get(f"{url}/v1/chats", params={"search": text[:1000]}, timeout=SECONDS)
        assert listed.ok and all(set(row) >= {"id", "title"} for row in listed.json()["chats"])
    half = '{"messages": [{"role": "user", "content": "half \\ud800 a character"}], "chat": "new"}'
    refused = requests.post(f"{url}/v1/runs", half, headers={"Content-Type": "application/json"}, timeout=SECONDS)
    assert refused.status_code in (200, 400)
    for number in ("-1", "9" * 18, "9" * 30, "x", "1.5"):
        for path in ("/v1/runs?limit=", "/v1/chats?offset=", f"/v1/runs/{'0' * 12}/events?after="):
            assert requests.get(f"{url}{path}{number}", timeout=SECONDS).status_code in (200, 400, 404), path
    assert len(requests.get(f"{url}/v1/chats", timeout=SECONDS).json()["chats"]) >= len(TEXTS)


@pytest.mark.slow
def test_ids(url: str) -> None:
    """None of them makes the services count as out of order, for others either."""
    for odd in IDS:
        for method, path in (
            ("GET", "/v1/runs/{}"), ("DELETE", "/v1/runs/{}"), ("GET", "/v1/runs/{}/events"), ("GET", "/v1/chats/{}"),
            ("DELETE", "/v1/chats/{}"),
        ):  # fmt: skip
            answer = requests.request(method, url + path.format(odd), timeout=SECONDS)
            assert answer.status_code in (400, 404, 405, 414, 431), (method, path, odd[:30], answer.text[:200])
        body = {"messages": [{"role": "user", "content": "x"}], "chat": odd}
        assert requests.post(f"{url}/v1/runs", json=body, timeout=SECONDS).status_code in (200, 400, 404)
        body = {"resume": odd}
        assert requests.post(f"{url}/v1/runs", json=body, timeout=SECONDS).status_code in (400, 404)
    assert requests.get(f"{url}/v1/runs", timeout=SECONDS).ok


@pytest.mark.slow
def test_names_of_files(url: str) -> None:
    for name in NAMES:
        sent = requests.post(f"{url}/v1/files", files={"file": (name, png())}, timeout=SECONDS)
        assert sent.status_code in (200, 201, 400), (name, sent.text[:200])
        if sent.ok:
            assert re.fullmatch(r"/uploads/[\w-]{1,60}\.png", sent.json()["path"], re.ASCII), sent.text
            assert requests.get(url + sent.json()["path"], timeout=SECONDS).content == png()
    for path in PATHS:
        assert requests.get(url + path, timeout=SECONDS).status_code in (400, 404, 414), path[:60]
        body = {"messages": [{"role": "user", "content": "What is in it?"}], "files": [path]}
        assert requests.post(f"{url}/v1/runs", json=body, timeout=SECONDS).status_code in (200, 400, 404, 422), path[
            :60
        ]
    import boto3

    keys = [each["Key"] for each in boto3.client("s3").list_objects_v2(Bucket=BUCKET).get("Contents", ())]
    assert keys and all(re.fullmatch(r"public/(uploads|images)/[\w-]{1,60}\.(png|jpg)", key, re.ASCII) for key in keys)
