"""The web of goals: what is fetched, what is refused, and how services of web search are asked."""

from __future__ import annotations

import inspect
import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError, ConfigError, MediaError, UserError
from hugginggpt.goals import web, web_search
from hugginggpt.goals.commands import LeadsElsewhere
from hugginggpt.goals.web import Hit, Link, browse, fetch_document, search, search_status
from hugginggpt.media.store import MediaStore
from hugginggpt.testing.fakes import Fault, Server
from tests.conftest import MakeConfig

PAGE = """<html><head><title>Bread &amp; \u202ebutter</title></head><body>
<nav><a href="/home">Home</a></nav>
<article><h1>Baking bread</h1>
<p>Bread is baked from flour, water, salt and yeast. The dough rests for an hour, and then it is <a href="more#oven">baked
in a hot oven</a> until its crust is brown. Zero\u200bwidth.</p>
<p>A second paragraph tells of butter, which is spread on the bread when it has cooled down; so it is eaten everywhere.</p>
<a href="javascript:alert(1)">x</a><a href="file:///etc/passwd">y</a><a href="/home">again</a><a href="http://[::1">z</a>
<a href="https://other.test/a?b=c">Elsewhere</a></article><script>alert("no text")</script></body></html>"""


class Pages(Server):
    """A server of pages by path, of faults, and of what never ends."""

    def __init__(self) -> None:
        super().__init__()
        self.pages: dict[str, tuple[bytes, str]] = {}
        self.endless: dict[str, Callable[[Any], Iterator[bytes]]] = {}

    def answer(self, call: Any) -> None:
        fault = self.fault(call.route)
        if fault:
            call.misbehave(fault)
        elif call.route in self.endless:
            call.close_connection = True
            for piece in self.endless[call.route](call):
                call.wfile.write(piece)
                if self.over.is_set():
                    return
        elif call.route in self.pages:
            body, kind = self.pages[call.route]
            call.send(body, 200, kind)
        else:
            call.send(b"nothing", 404, "text/plain")


@pytest.fixture
def pages() -> Iterator[Pages]:
    with Pages() as server:
        yield server


@pytest.fixture
def allowing(make_config: MakeConfig) -> Config:
    """A configuration that lets the loopback server be read."""
    return make_config(allowed_hosts=["127.0.0.1"], limits={"inference_seconds": 1})


# Pages


def test_a_page_as_text(pages: Pages, allowing: Config) -> None:
    pages.pages["/a"] = PAGE.encode(), "text/html; charset=utf-8"
    page = browse(f"{pages.url}/a#part", config=allowing)
    assert (page.url, page.title, page.page, page.pages) == (f"{pages.url}/a", "Bread & butter", 1, 1)
    assert "flour, water, salt" in page.text
    assert "Zerowidth" in page.text
    assert "no text" not in page.text
    assert page.links == (
        Link(1, "Home", f"{pages.url}/home"),
        Link(2, "baked in a hot oven", f"{pages.url}/more"),
        Link(3, "Elsewhere", "https://other.test/a?b=c"),
    )
    assert len(pages.requests) == 1


def test_a_long_page_is_read_in_parts(pages: Pages, allowing: Config) -> None:
    pages.pages["/a.txt"] = ("word " * 4000).encode(), "text/plain"
    parts = [browse(f"{pages.url}/a.txt", number, allowing) for number in (1, 2, 3)]
    assert [part.page for part in parts] == [1, 2, 3]
    assert {part.pages for part in parts} == {3}
    assert "".join(part.text for part in parts) == ("word " * 4000).strip() + " "
    with pytest.raises(UserError, match="pages 1 to 3, and no page 4"):
        browse(f"{pages.url}/a.txt", 4, allowing)
    assert fetch_document(f"{pages.url}/a.txt", allowing).text.startswith("word word")


def test_other_types(pages: Pages, allowing: Config) -> None:
    pages.pages |= {
        "/data.json": (b'{"a": 1}', "application/json"),
        "/list": (b"<html><body><ul><li>one</li><li>two</li></ul></body></html>", "text/html"),
        "/empty": (b"", "text/html"),
        "/broken": (b"\x00\xff<p" * 1000, "text/html"),
        "/deep": (b"<div>" * 50_000 + b"deep", "text/html"),
        "/paper.pdf": (b"%PDF-1.7", "application/pdf"),
    }
    assert browse(f"{pages.url}/data.json", config=allowing).text == '{"a": 1}'
    assert "two" in browse(f"{pages.url}/list", config=allowing).text
    assert browse(f"{pages.url}/empty", config=allowing).text == ""
    for path in ("/broken", "/deep"):
        assert browse(f"{pages.url}{path}", config=allowing).pages >= 1
    with pytest.raises(UserError, match="no page but a file of the type application/pdf"):
        browse(f"{pages.url}/paper.pdf", config=allowing)
    with pytest.raises(UserError, match="answers 404"):
        browse(f"{pages.url}/none", config=allowing)


# What is refused


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f000001", "017700000001", "127.1", "0.0.0.0", "[::ffff:127.0.0.1]", "[::]"],
)  # fmt: skip
def test_this_machine_is_refused_however_it_is_spelt(pages: Pages, host: str) -> None:
    pages.pages["/a"] = PAGE.encode(), "text/html"
    with pytest.raises(UserError, match="cannot be fetched"):
        browse(f"http://{host}:{pages.port}/a")
    assert not pages.requests


@pytest.mark.parametrize(
    "host", ["169.254.169.254", "10.0.0.1", "192.168.1.1", "100.64.0.1", "[fe80::1]", "[fc00::1]", "224.0.0.1"]
)
def test_private_networks_are_refused_at_once(host: str) -> None:
    begin = time.monotonic()
    with pytest.raises(UserError, match="of a private network"):
        browse(f"http://{host}/latest/meta-data/")
    assert time.monotonic() - begin < 1


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "ftp://example.org/x", "gopher://127.0.0.1:25/_x", "data:text/html,x", "javascript:1", "", "example.org",
     "//example.org", "http://", "http:///x", "http://a b", "http://exa\u202emple.org", "http://x\r\nHost: y/", "http://[::1", "http://" + "x" * 3000],
)  # fmt: skip
def test_what_is_no_address_of_the_web(url: str) -> None:
    with pytest.raises(UserError, match="is not an address of the web") as error:
        browse(url)
    assert str(error.value).isprintable()


def test_a_redirect_to_a_private_address_is_not_followed(pages: Pages, allowing: Config) -> None:
    for target in (
        f"http://localhost:{pages.port}/secret",
        "http://169.254.169.254/",
        "file:///etc/passwd",
        "//[::1]/x",
    ):
        pages.always["/moved"] = Fault(302, headers={"Location": target})
        with pytest.raises(UserError, match="leads to"):
            browse(f"{pages.url}/moved", config=allowing)
    pages.always["/moved"] = Fault(302, headers={"Location": "/moved"})
    with pytest.raises(UserError, match="more than 5 redirects"):
        browse(f"{pages.url}/moved", config=allowing)
    assert {request["path"] for request in pages.requests} == {"/moved"}


def test_a_redirect_to_another_host_is_told_and_not_followed(pages: Pages, make_config: MakeConfig) -> None:
    both = make_config(allowed_hosts=["127.0.0.1", "localhost"])
    target = f"http://localhost:{pages.port}/a?b"
    pages.pages["/a"] = b"text", "text/plain"
    pages.always["/moved.txt"] = Fault(302, headers={"Location": target})
    pages.always["/near"] = Fault(302, headers={"Location": "/a"})
    with pytest.raises(LeadsElsewhere) as error:
        fetch_document(f"{pages.url}/moved.txt", both)
    assert error.value.target == target
    assert fetch_document(f"{pages.url}/near", both).text == "text"
    media = MediaStore(both)
    with pytest.raises(MediaError, match="leads to another host"):
        media.fetch(f"{pages.url}/moved.txt", may_redirect=lambda address: address != target)
    assert [request["path"] for request in pages.requests] == ["/moved.txt", "/near", "/a", "/moved.txt"]
    assert media.fetch(f"{pages.url}/moved.txt", may_redirect=lambda address: address == target).read_bytes() == b"text"


def test_a_name_that_is_rebound_between_check_and_use(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first answer of the name service is public, all later ones this machine."""
    answers = []

    def resolve(host: str, port: int | None, *args: Any, **kwargs: Any) -> list[Any]:
        answers.append(host)
        address = "93.184.215.14" if len(answers) == 1 else "127.0.0.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port or 0))]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with pytest.raises(UserError, match=r"rebound\.test is an address of a private network") as refused:
        browse(f"http://rebound.test:{pages.port}/a")
    assert "127.0.0.1" not in str(refused.value)
    assert len(answers) >= 2
    assert not pages.requests


def test_what_never_ends_is_ended(pages: Pages, allowing: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"

    def endless_body(_: Any) -> Iterator[bytes]:
        yield head + b"\r\n"
        while True:
            yield b"x" * 65536

    def slow(start: bytes) -> Callable[[Any], Iterator[bytes]]:
        def answer(call: Any) -> Iterator[bytes]:
            yield start
            while not pages.over.wait(0.2):
                yield b"X-A: b\r\n"
                call.wfile.flush()

        return answer

    pages.endless = {"/body": endless_body, "/drips": slow(head + b"\r\n"), "/headers": slow(head)}
    monkeypatch.setattr(web, "CONNECT_SECONDS", 0.2)
    expected = {"/body": "larger than the 3 MB", "/drips": "took longer than 1 s", "/headers": "took longer than 1 s"}
    for path, message in expected.items():
        begin = time.monotonic()
        with pytest.raises(UserError, match=message):
            browse(f"{pages.url}{path}", config=allowing)
        assert time.monotonic() - begin < 3


@pytest.mark.parametrize("start", [b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\n\r\n"], ids=["headers", "body"])
def test_a_server_that_never_comes_to_an_end_is_cut_off(pages: Pages, allowing: Config, start: bytes) -> None:
    """Nothing holds the connection beyond the limit: the server finds it closed."""
    closed = threading.Event()

    def answer(call: Any) -> Iterator[bytes]:
        yield start
        while not pages.over.wait(0.05):
            try:
                call.wfile.write(b"X-A: b\r\n")
                call.wfile.flush()
            except OSError:
                closed.set()
                return

    pages.endless = {"/": answer}
    with pytest.raises(UserError, match="took longer than 1 s to answer"):
        browse(f"{pages.url}/", config=allowing)
    assert closed.wait(30)


# Searching


def searching(make_config: MakeConfig, pages: Pages, service: str, **settings: Any) -> Config:
    limits = {"inference_seconds": 1}
    return make_config(web_search={"service": service, "endpoint": pages.url, **settings}, limits=limits)


RESULTS = {
    "searxng": ("/search", {"results": [{"title": "A", "url": "https://a.test/", "content": "about a"}]}),
    "brave": (
        "/",
        {"web": {"results": [{"title": "A", "url": "https://a.test/", "description": "about <strong>a</strong>"}]}},
    ),
    "tavily": ("/", {"results": [{"title": "A", "url": "https://a.test/", "content": "about a"}]}),
    "serper": ("/", {"organic": [{"title": "A", "link": "https://a.test/", "snippet": "about a"}]}),
}
KEYS = {"brave": ("X-Subscription-Token", "secret-key"), "tavily": ("Authorization", "Bearer secret-key"), "serper": ("X-Api-Key", "secret-key")}  # fmt: skip


@pytest.mark.parametrize("service", RESULTS)
def test_each_service_is_asked_in_its_form(pages: Pages, make_config: MakeConfig, service: str) -> None:
    path, answer = RESULTS[service]
    pages.pages[path] = json.dumps(answer).encode(), "application/json"
    config = searching(make_config, pages, service, api_key="" if service == "searxng" else "secret-key")
    assert search(" what \n is a? ", config) == [Hit("A", "https://a.test/", "about a")]
    (request,) = pages.requests
    if service in ("tavily", "serper"):
        assert "what is a?" in json.loads(request["body"]).values()
    if service in KEYS:
        name, value = KEYS[service]
        assert request["headers"][name] == value
    else:
        assert "Authorization" not in request["headers"]
    assert search_status(config) == f"searches go to {service}"


def test_hits_are_plain_and_bounded(pages: Pages, make_config: MakeConfig) -> None:
    hits = [
        {"title": "<b>Fish</b> &amp; \x1b[31mchips\u202e", "url": "http://a.test/", "content": "x" * 5000},
        {"title": "no page", "url": "file:///etc/passwd", "content": ""},
        {"title": "a script", "url": "javascript:alert(1)", "content": ""},
        {"title": None, "url": "http://b.test/", "content": None},
        "odd", {"title": "no address"}, *({"title": "more", "url": f"http://c.test/{n}"} for n in range(50)),
    ]  # fmt: skip
    pages.pages["/search"] = json.dumps({"results": hits}).encode(), "application/json"
    config = searching(make_config, pages, "auto")
    found = search("fish", config, 5)
    assert [hit.url for hit in found] == ["http://a.test/", "http://b.test/", *(f"http://c.test/{n}" for n in range(3))]
    assert found[0] == Hit("Fish & [31mchips", "http://a.test/", "x" * 500)
    assert found[1] == Hit("http://b.test/", "http://b.test/", "")


@pytest.mark.parametrize(
    ("fault", "message"),
    [(Fault(401), "answers 401: check the key"), (Fault(429), "asked too often"), (Fault(500), "answers 500"),
     (Fault(body=b"<html>"), "no JSON"), (Fault(body=b"[" * 100_000), "no JSON"), (Fault(body=b'{"web": 3}'), "unknown form"), (Fault(drop=True), "cannot be used"),
     (Fault(hang=True), "cannot be used"), (Fault(302, headers={"Location": "http://127.0.0.1:1/"}), "answers 302")],
)  # fmt: skip
def test_services_that_fail(pages: Pages, make_config: MakeConfig, fault: Fault, message: str) -> None:
    pages.always["/"] = fault
    with pytest.raises(BackendError, match=message) as error:
        search("a", searching(make_config, pages, "brave", api_key="secret-key"))
    assert "secret-key" not in str(error.value)
    assert len(pages.requests) == 1


def test_what_is_not_set_up(pages: Pages, make_config: MakeConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    pages.always["/search"] = Fault(403)
    with pytest.raises(BackendError, match=r"add json to search\.formats"):
        search("a", searching(make_config, pages, "searxng"))
    with pytest.raises(UserError, match="needs words"):
        search(" \n", searching(make_config, pages, "searxng"))
    with pytest.raises(ConfigError, match=r"set web_search\.endpoint"):
        search("a", make_config(web_search={"service": "searxng"}))
    for service in KEYS:
        with pytest.raises(ConfigError, match=f"{service} needs a key: set WEB_SEARCH_API_KEY"):
            search("a", make_config(web_search={"service": service}))
    monkeypatch.setattr(web_search, "DDGS", "no_such_package")
    with pytest.raises(ConfigError, match="No web search is set up: set a SearXNG"):
        search("a", make_config())
    assert search_status(make_config()).startswith("No web search is set up")


def test_the_key_comes_from_the_environment_and_is_a_secret(make_config: MakeConfig) -> None:
    config = make_config({"WEB_SEARCH_API_KEY": "secret-key"}, web_search={"service": "brave"})
    assert config.web_search.api_key == "secret-key"
    assert "secret-key" in config.secrets
    assert "secret-key" not in repr(config)


def test_without_a_service_ddgs_is_asked(make_config: MakeConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    """In place of the package, which asks public services, a module of the same form."""
    module = ModuleType("ddgs")
    found: list[dict[str, str]] | Exception = [{"title": "A", "href": "https://a.test/", "body": "about a"}]

    class DDGS:
        def __init__(self, proxy: str | None, timeout: int) -> None:
            assert timeout > 0

        def __enter__(self) -> DDGS:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def text(self, query: str, max_results: int) -> list[dict[str, str]]:
            assert (query, max_results) == ("what is a", 8)
            if isinstance(found, Exception):
                raise found
            return found

    module.DDGS = DDGS  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ddgs", module)
    monkeypatch.setattr(web_search.importlib.util, "find_spec", lambda name: name == "ddgs")
    assert search("what is a", make_config()) == [Hit("A", "https://a.test/", "about a")]
    found = RuntimeError("202 Ratelimit")
    with pytest.raises(BackendError, match=r"ddgs failed \(202 Ratelimit\): it is often asked too much"):
        search("what is a", make_config())


def test_the_package_has_the_form_that_is_relied_upon() -> None:
    ddgs = pytest.importorskip("ddgs")
    with ddgs.DDGS(proxy=None, timeout=5) as searching:
        inspect.signature(searching.text).bind("what is a", max_results=8)
