"""Attacks that must fail, over real HTTP."""

from __future__ import annotations

import hmac
import http.client
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import requests

from awesome_chat import make_controller
from hugginggpt.net import guard
from hugginggpt.testing import FakeExperts, FakeLLM, task, web_serving, write_config
from hugginggpt.testing.fakes import png
from tests.conftest import CATALOGUE_MODELS, MakeConfig, Start, controller_with

SECRET = "sk-of-the-server"


def port_of(url: str) -> int:
    return int(url.rpartition(":")[2])


@pytest.fixture(scope="module")
def services() -> Iterator[tuple[FakeLLM, FakeExperts]]:
    with FakeLLM() as llm, FakeExperts(CATALOGUE_MODELS) as experts:
        yield llm, experts


@pytest.fixture
def llm_server(services: tuple[FakeLLM, FakeExperts]) -> FakeLLM:
    services[0].reset()
    return services[0]


@pytest.fixture
def expert_server(services: tuple[FakeLLM, FakeExperts]) -> FakeExperts:
    services[1].reset()
    return services[1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the server of all tests of this module."""
    return tmp_path_factory.mktemp("server")


@pytest.fixture(scope="module")
def shared_port(services: tuple[FakeLLM, FakeExperts], folder: Path) -> Iterator[int]:
    llm, experts = services
    config = write_config(
        folder,
        local={"endpoint": llm.url, "api_key": SECRET},
        huggingface={"base_url": experts.url},
        embedded=False,
    )
    with closing(make_controller(config)) as controller, web_serving(controller, config) as url:
        yield port_of(url)


@pytest.fixture
def port(shared_port: int, llm_server: FakeLLM, expert_server: FakeExperts) -> int:
    """The server of all tests, whose services have seen no request; its public folder is `served`."""
    return shared_port


@pytest.fixture
def served(folder: Path) -> Path:
    return folder / "public"


def raw(
    port: int, target: str, method: str = "GET", headers: dict[str, str] | None = None, body: Any = None
) -> tuple[int, bytes]:
    """A request whose target is sent as it is written, without the client's tidying."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.putrequest(method, target, skip_host="Host" in (headers or {}))
    data = body.encode() if isinstance(body, str) else body
    for name, value in {**(headers or {}), **({"Content-Length": str(len(data))} if data else {})}.items():
        connection.putheader(name, value)
    connection.endheaders(data)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, content


def ask(port: int, **body: Any) -> requests.Response:
    messages = [{"role": "user", "content": "x"}]
    return requests.post(f"http://127.0.0.1:{port}/hugginggpt", json={"messages": messages, **body}, timeout=20)


# Files


@pytest.mark.parametrize(
    "target",
    ["/../secret.txt", "/..%2fsecret.txt", "/%2e%2e/secret.txt", "/%2e%2e%2fsecret.txt", "/examples/../../secret.txt",
     "/examples/..%5c..%5csecret.txt", "/....//secret.txt", "//etc/passwd", "/%00secret.txt", "/images/../../secret.txt",
     "/examples/%252e%252e/%252e%252e/secret.txt", "/../../../../../../etc/passwd", "/link.txt", "/images/link.txt"],
)  # fmt: skip
def test_no_file_outside_is_served(port: int, served: Path, target: str) -> None:
    secret = served.parent / "secret.txt"
    secret.write_text("the secret")
    (served / "images").mkdir(exist_ok=True)
    for link in (served / "link.txt", served / "images" / "link.txt"):
        if not link.exists():
            link.symlink_to(secret)
    code, content = raw(port, target)
    assert b"the secret" not in content and b"root:" not in content
    assert code in (301, 308, 400, 404)


@pytest.mark.parametrize(
    "image",
    ["/etc/passwd", "../secret.png", "file:///etc/passwd", "/images/link.png", "http://127.0.0.1:PORT/x.png",
     "http://localhost:PORT/x.png", "http://[::1]:PORT/x.png", "http://[::ffff:127.0.0.1]:PORT/x.png", "http://2130706433:PORT/x.png",
     "http://0x7f.1:PORT/x.png", "http://0177.0.0.1:PORT/x.png", "http://0.0.0.0:PORT/x.png", "http://169.254.169.254/latest/meta-data",
     "http://user@127.0.0.1:PORT/x.png", "gopher://127.0.0.1:PORT/x"],
)  # fmt: skip
def test_no_private_file_or_address_is_read_for_a_task(
    port: int, served: Path, llm_server: FakeLLM, expert_server: FakeExperts, image: str
) -> None:
    secret = served.parent / "secret.png"
    secret.write_bytes(png())
    link = served / "images" / "link.png"
    link.parent.mkdir(exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(secret)
    expert_server.files["/x.png"] = png()
    named = image.replace("PORT", str(expert_server.port))
    llm_server.replies["plan"] = json.dumps([task(0, "object-detection", image=named)])
    answer = ask(port).json()
    assert answer["files"] == []
    assert any(
        said in answer["message"]
        for said in ("There is no file", "is not a path or an http(s) URL", "cannot be fetched")
    )
    assert not [request for request in expert_server.requests if request["path"] == "/x.png"]
    assert not expert_server.inferences("hustvl/yolos-tiny")


@pytest.mark.parametrize("name", ["x.svg", "x.html", "x.xml", "x.js", "x.css", "x.pdf", "x"])
def test_generated_content_never_runs_in_the_page(port: int, served: Path, name: str) -> None:
    for folder in ("images", "uploads"):
        (served / folder).mkdir(exist_ok=True)
        (served / folder / name).write_text("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>")
        answer = requests.get(f"http://127.0.0.1:{port}/{folder}/{name}", timeout=5)
        assert answer.headers["Content-Disposition"] == "attachment"
        assert answer.headers["Content-Type"] == "application/octet-stream"
        assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("name", ["../../evil.png", "..\\evil.png", "<img src=x onerror=alert(1)>.png", 'a"; drop.png', "a\r\nSet-Cookie: x=1.png", "." * 300 + ".png", "名前.png"])  # fmt: skip
def test_names_of_uploads_are_tamed(port: int, served: Path, name: str) -> None:
    answer = requests.post(f"http://127.0.0.1:{port}/v1/files", files={"file": (name, png())}, timeout=5)
    path = answer.json()["path"]
    assert path.startswith("/uploads/")
    assert not set(path) & set("<>\"'\\ \r\n;") and ".." not in path
    assert "Set-Cookie" not in answer.headers
    assert not (served.parent / "evil.png").exists()


# The server's key


@pytest.mark.parametrize(
    "endpoint",
    ["http://127.0.0.1:PORT/v1/chat/completions", "https://evil.example/v1", "http://api.openai.com/v1/chat/completions",
     "https://api.openai.com.evil.example/v1", "https://api.openai.com@evil.example/v1", "https://evil.example/api.openai.com",
     "file:///etc/passwd", "//evil.example"],
)  # fmt: skip
@pytest.mark.parametrize("key", [None, "sk-of-the-client"])
def test_no_key_goes_to_an_address_that_a_client_names(
    port: int, llm_server: FakeLLM, endpoint: str, key: str | None
) -> None:
    own = {"api_key": key} if key else {}
    answer = ask(port, api_endpoint=endpoint.replace("PORT", str(llm_server.port)), api_type="openai", **own)
    assert answer.status_code == 403
    assert not llm_server.requests
    assert SECRET not in answer.text


def test_a_clients_key_is_used_for_its_request_alone(port: int, llm_server: FakeLLM) -> None:
    assert ask(port, api_key="sk-of-the-client").json()["message"] == "Hello!"
    with_key = [request["headers"]["Authorization"] for request in llm_server.requests if request["body"]]
    assert set(with_key) == {"Bearer sk-of-the-client"}
    llm_server.requests.clear()
    assert ask(port).json()["message"] == "Hello!"
    assert {request["headers"]["Authorization"] for request in llm_server.requests} == {f"Bearer {SECRET}"}


def test_an_address_on_the_list_may_be_named(make_config: MakeConfig, llm_server: FakeLLM, start: Start) -> None:
    listed = f"127.0.0.1:{llm_server.port}"
    port = port_of(start(make_config(http_listen={"llm_hosts": [listed]}, model="m")))
    answer = ask(port, api_key="sk-1", api_endpoint=f"http://{listed}/v1/chat/completions")
    assert answer.json()["message"] == "Hello!"


@pytest.mark.parametrize("path", ["/v1/status", "/openapi.json", "/healthz", "/v1/chats"])
def test_no_secret_in_what_anybody_may_ask(port: int, path: str) -> None:
    assert SECRET not in requests.get(f"http://127.0.0.1:{port}{path}", timeout=5).text


# Other sites


def test_pages_of_other_sites_may_not_call(port: int, llm_server: FakeLLM) -> None:
    body = json.dumps({"messages": [{"role": "user", "content": "x"}]})
    for headers in (
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": f"http://127.0.0.1:{port + 1}"},
        {"Sec-Fetch-Site": "cross-site"},
    ):
        for kind in ("application/json", "text/plain", "application/x-www-form-urlencoded"):
            answer = raw(port, "/hugginggpt", "POST", {**headers, "Content-Type": kind}, body)
            assert answer[0] == 403
    assert raw(port, "/v1/chats", "GET", {"Origin": "https://evil.example"})[0] == 403
    assert not llm_server.requests


def test_the_page_itself_and_the_client_of_jarvis_may_call(port: int) -> None:
    url = f"http://127.0.0.1:{port}"
    body = {"model": "gpt-3.5-turbo", "messages": [{"role": "user", "content": "x"}]}
    own = requests.post(f"{url}/hugginggpt", json=body, headers={"Origin": url}, timeout=10)
    assert own.ok
    assert "Access-Control-Allow-Origin" not in own.headers
    vue = "http://localhost:9999"
    before = requests.options(
        f"{url}/hugginggpt",
        headers={
            "Origin": vue,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "content-type",
        },
        timeout=5,
    )
    assert before.status_code == 204
    assert before.headers["Access-Control-Allow-Origin"] == vue
    assert "Content-Type" in before.headers["Access-Control-Allow-Headers"]
    answer = requests.post(f"{url}/hugginggpt", json=body, headers={"Origin": vue}, timeout=10)
    assert answer.headers["Access-Control-Allow-Origin"] == vue
    assert answer.json()["message"] == "Hello!"


def test_behind_a_proxy_with_tls_its_origin_is_set(make_config: MakeConfig, start: Start) -> None:
    """The server sees http where the browser sees https."""
    headers = {"Host": "desk.example", "Origin": "https://desk.example", "Authorization": "Bearer token-no-1"}
    for origins, status in ([], 403), (["https://desk.example"], 200):
        port = port_of(start(make_config(http_listen={"token": "token-no-1", "origins": origins})))
        body = json.dumps({"messages": [{"role": "user", "content": "Hello"}]})
        assert raw(port, "/tasks", "POST", {**headers, "Content-Type": "application/json"}, body)[0] == status


def test_names_and_origins_are_the_same_in_any_case(make_config: MakeConfig, start: Start) -> None:
    """Browsers send them in small letters, however they were typed."""
    listen = {"hosts": ["Desk.Local", "[FE80::1]"], "origins": ["https://Desk.Local:99/"]}
    port = port_of(start(make_config(llm="offline", http_listen=listen)))
    body = json.dumps({"messages": [{"role": "user", "content": "Hello"}]})
    headers = {"Origin": "https://desk.local:99", "Content-Type": "application/json"}
    for name in ("desk.local", "DESK.LOCAL", "[fe80::1]", "localhost"):
        assert raw(port, "/tasks", "POST", {**headers, "Host": f"{name}:{port}"}, body)[0] == 200


@pytest.mark.parametrize("detour", ["/app/../uploads/", "/app/%2e%2e/uploads/", "/app/..%2fuploads/"])
def test_a_detour_does_not_get_round_the_token(
    make_config: MakeConfig, public: Path, start: Start, detour: str
) -> None:
    (public / "uploads").mkdir()
    (public / "uploads" / "secret.csv").write_text("a,b")
    port = port_of(start(make_config(http_listen={"token": "token-no-1"})))
    status, body = raw(port, f"{detour}secret.csv")
    assert status in (401, 404)
    assert b"a,b" not in body


def test_half_a_character_in_a_request_is_replaced(make_config: MakeConfig, start: Start) -> None:
    port = port_of(start(make_config(llm="offline")))
    body = '{"messages": [{"role": "user", "content": "Hello \\ud83d"}], "chat": "new"}'
    answer = requests.post(
        f"http://127.0.0.1:{port}/v1/runs", data=body, headers={"Content-Type": "application/json"}, timeout=20
    )
    assert answer.status_code == 200
    assert "event: answer" in answer.text


def test_the_newest_record_is_not_told_by_that_name(make_config: MakeConfig, start: Start) -> None:
    config = make_config(llm="offline")
    url = start(config)
    controller = controller_with(config)
    for _ in controller.run(controller.prepare([{"role": "user", "content": "Hello"}])):
        pass
    assert controller.log.load("last")
    assert requests.get(f"{url}/v1/runs/last", timeout=5).status_code == 404


def test_another_name_for_our_address_is_refused(port: int) -> None:
    """DNS rebinding: a page of evil.example whose name resolves to this machine."""
    assert raw(port, "/v1/chats", headers={"Host": "evil.example"})[0] == 403
    assert raw(port, "/v1/chats", headers={"Host": f"localhost:{port}"})[0] == 200


def test_headers_that_keep_the_browser_in_check(port: int) -> None:
    headers = requests.get(f"http://127.0.0.1:{port}/healthz", timeout=5).headers
    policy = headers["Content-Security-Policy"]
    assert "script-src 'self'" in policy and "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "waitress" not in headers.get("Server", "")


# Bodies


@pytest.mark.parametrize(
    ("content_type", "body"),
    [("application/json", b"{" * 100_000), ("application/json", b'{"messages":' + b"[" * 100_000), ("application/json", b"\xff\xfe\x00"),
     ("text/plain", b'{"messages": []}'), ("application/xml", b"<x/>"), ("application/json", b'{"messages": {"a": 1}}'),
     ("application/json", b'{"messages": [{"role": "user", "content": {"$ne": 1}}]}')],
)  # fmt: skip
def test_a_malformed_body_is_a_400(port: int, llm_server: FakeLLM, content_type: str, body: bytes) -> None:
    for path in ("/hugginggpt", "/tasks", "/results", "/v1/runs"):
        answer = requests.post(
            f"http://127.0.0.1:{port}{path}", data=body, headers={"Content-Type": content_type}, timeout=10
        )
        assert answer.status_code == 400
        assert answer.json()["error"]["type"] == "request"
    assert not llm_server.requests


def test_a_body_that_never_ends_is_cut_off(port: int) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(100):
            yield b" " * 100_000

    try:
        answer = requests.post(
            f"http://127.0.0.1:{port}/hugginggpt",
            data=endless(),
            headers={"Content-Type": "application/json"},
            timeout=10,
        )
        assert answer.status_code in (400, 413)
    except requests.ConnectionError:
        pass  # the server hung up while we were still sending
    assert requests.get(f"http://127.0.0.1:{port}/healthz", timeout=5).ok


def test_made_up_markup_in_an_answer_stays_text(port: int, llm_server: FakeLLM) -> None:
    """The server sends what the model says as JSON; what the page makes of it is the page's tests' concern."""
    llm_server.replies["chat"] = "<script>alert(1)</script>"
    answer = ask(port)
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json()["message"] == "<script>alert(1)</script>"


def test_the_time_to_refuse_a_token_tells_nothing_of_it(
    make_config: MakeConfig, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every guess, near or far, long or short, is refused by the comparison whose time does not depend on it."""
    token, compared = "a" * 64, []

    def compare(sent: bytes, wanted: bytes) -> bool:
        compared.append((sent, wanted))
        return hmac.compare_digest(sent, wanted)

    port = port_of(start(make_config(http_listen={"token": token})))
    monkeypatch.setattr(guard, "hmac", SimpleNamespace(compare_digest=compare))
    guesses = ["b" * 64, "a" * 63 + "b", "a", token + "a"]
    for guess in guesses:
        assert raw(port, "/v1/chats", headers={"Authorization": f"Bearer {guess}"})[0] == 401
    assert compared == [(guess.encode(), token.encode()) for guess in guesses]
    assert raw(port, "/v1/chats", headers={"Authorization": f"Bearer {token}"})[0] == 200
