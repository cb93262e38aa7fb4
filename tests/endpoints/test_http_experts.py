"""Experts over plain HTTP: the services of the demonstration, tokens, errors, secrets, limits, and calls that are made once."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import requests

from awesome_chat import main
from hugginggpt import logs
from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError
from hugginggpt.core.tasks import default_table
from hugginggpt.endpoints.base import Endpoint, Inference, Tier
from hugginggpt.endpoints.calls import Call, calling
from hugginggpt.endpoints.http_experts.endpoint import make_http_experts
from hugginggpt.endpoints.http_experts.tokens import Token, TokenSource
from hugginggpt.media.store import MediaStore
from hugginggpt.status import status_of
from hugginggpt.testing import plan, run, task
from hugginggpt.testing.fakes import png, wav
from tests.conftest import MakeConfig, Start, controller_with
from tests.endpoints.http_services import BAIDU_KEY, BAIDU_SECRET, KEYS, OPENAI_KEY, Services, demo_entries

TABLE = default_table()
GENERAL, RECOGNIZE = "baidu/advanced-general", "/rest/2.0/image-classify/v2/advanced_general"
TOKENS = "/oauth/2.0/token"


@pytest.fixture
def services() -> Iterator[Services]:
    with Services() as server:
        yield server


MakeExperts = Callable[..., dict[str, Endpoint]]


@pytest.fixture
def experts(make_config: MakeConfig) -> Iterator[MakeExperts]:
    """Makes the endpoints for some entries, by the ids of these."""
    made: list[Endpoint] = []

    def make(entries: list[dict[str, Any]], environment: dict[str, str] | None = None, **settings: Any) -> Any:
        config = make_config(KEYS if environment is None else environment, http_experts=entries, **settings)
        endpoints = make_http_experts(config, MediaStore(config))
        made.extend(endpoints)
        return {endpoint.name.removeprefix("http:"): endpoint for endpoint in endpoints}

    yield make
    for endpoint in made:
        endpoint.close()


def plain(url: str, path: str = "/plain", **changes: Any) -> list[dict[str, Any]]:
    """A service that is asked for a text and answers {"text": ...}."""
    entry = {"id": "plain", "task": "summarization", "url": f"{url}{path}", "json": {"q": "{text}"}, "result": "text"}
    return [{**entry, "repeatable": True, **changes}]


def ask(endpoint: Endpoint, name: str, **args: Any) -> Any:
    return endpoint.infer(endpoint.name.removeprefix("http:"), TABLE[name], args).value


def fails(endpoint: Endpoint, name: str = "summarization", **args: Any) -> BackendError:
    """The error of a call, which is one sentence."""
    with pytest.raises(BackendError) as caught:
        ask(endpoint, name, **(args or {"text": "Long."}))
    assert str(caught.value).endswith(".") and "\n" not in str(caught.value)
    return caught.value


# The services of the demonstration


def picture(public: Path) -> Path:
    return public / "examples" / "a.jpg"


@pytest.mark.parametrize(
    ("expert", "name", "args", "expected"),
    [
        (GENERAL, "image-classification", {"image": picture},
         [{"label": "giraffe", "score": 0.75}, {"label": "zebra", "score": 0.25}]),
        ("baidu/general-basic", "image-to-text", {"image": picture}, {"generated text": "Total\n12 EUR"}),
        ("openai/whisper-1", "automatic-speech-recognition", {"audio": lambda p: p / "examples" / "speech.wav"},
         {"generated text": "How are you?"}),
        ("tgi", "text-generation", {"text": "Once"}, {"generated text": "Once there was a king."}),
        ("vllm", "summarization", {"text": "Long {text}."},
         {"generated text": "(Summarize in a few sentences:\n\nLong {text}.)"}),
        ("vllm", "translation", {"text": "Hi", "language": "French"},
         {"generated text": "(Translate into French, and answer with the translation alone:\n\nHi)"}),
        ("vllm", "translation", {"text": "Hi"},
         {"generated text": "(Translate into English, and answer with the translation alone:\n\nHi)"}),
        ("vllm", "visual-question-answering", {"image": picture, "text": "What?"}, [{"answer": "(What?)"}]),
    ],
)  # fmt: skip
def test_a_service_of_the_demonstration(
    services: Services, experts: MakeExperts, public: Path, expert: str, name: str, args: dict[str, Any], expected: Any
) -> None:
    endpoint = experts(demo_entries(services.url))[expert]
    given = {key: value(public) if callable(value) else value for key, value in args.items()}
    assert ask(endpoint, name, **given) == expected


@pytest.mark.parametrize(
    ("expert", "name", "suffix"),
    [("openai/gpt-image-1", "text-to-image", ".png"), ("openai/gpt-4o-mini-tts", "text-to-speech", ".mp3"),
     ("baidu/text2audio", "text-to-speech", ".mp3")],
)  # fmt: skip
def test_a_service_that_makes_files(
    services: Services, experts: MakeExperts, public: Path, expert: str, name: str, suffix: str
) -> None:
    endpoint = experts(demo_entries(services.url))[expert]
    (path,) = ask(endpoint, name, text="Grüße & more").values()
    assert path.endswith(suffix) and (public / path.lstrip("/")).stat().st_size > 100


def test_a_recording_is_converted_where_the_service_wants_it(
    services: Services, experts: MakeExperts, tmp_path: Path
) -> None:
    (sound := tmp_path / "other.wav").write_bytes(wav(seconds=0.2, rate=44100))
    endpoint = experts(demo_entries(services.url))["baidu/short-speech"]
    assert ask(endpoint, "automatic-speech-recognition", audio=sound) == {"generated text": "how are you"}


def test_every_entry_of_the_demonstration_is_tried_here(services: Services, experts: MakeExperts) -> None:
    tried = {GENERAL, "baidu/general-basic", "baidu/short-speech", "baidu/text2audio", "tgi", "vllm"}
    tried |= {"openai/gpt-image-1", "openai/gpt-4o-mini-tts", "openai/whisper-1"}
    endpoints = experts(demo_entries(services.url))
    assert set(endpoints) == tried
    assert all(endpoint.status().ready for endpoint in endpoints.values())


def test_what_is_not_set_up_says_what_to_set(services: Services, experts: MakeExperts) -> None:
    endpoint = experts(demo_entries(services.url, GENERAL), {"BAIDU_KEY": "a-key"})[GENERAL]
    status = endpoint.status()
    assert (status.problem, status.hint) == ("set BAIDU_SECRET", f"For {GENERAL}: set BAIDU_SECRET.")
    assert endpoint.models(TABLE["image-classification"], 5) == []
    assert endpoint.what_to_set(TABLE["image-classification"]) == f"set BAIDU_SECRET for {GENERAL}"
    assert endpoint.what_to_set(TABLE["summarization"]) == ""
    assert "set BAIDU_SECRET" in str(fails(endpoint, "image-classification", image=Path("a.jpg")))


def test_in_the_mode_local_only_services_of_this_machine_are_used(services: Services, experts: MakeExperts) -> None:
    away = plain("https://example.com", id="away")
    token = {"url": "https://example.com/token"}
    away += plain(services.url, id="token-away", token=token, query={"t": "$token"})
    endpoints = experts([*plain(services.url), *away], inference_mode="local")
    assert list(endpoints) == ["plain"] and endpoints["plain"].tier is Tier.OWN_SERVER
    assert experts(away, inference_mode="hybrid")["away"].tier is Tier.REMOTE


# Tokens


def at_once(count: int, work: Callable[[], Any]) -> list[Any]:
    """What comes of the same work in so many threads, which begin together."""
    barrier = threading.Barrier(count)

    def begin(_: int) -> Any:
        barrier.wait(60)
        return work()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(begin, range(count)))


def test_a_token_is_fetched_once_for_eight_threads_and_renewed_once(
    services: Services, experts: MakeExperts, public: Path
) -> None:
    endpoint = experts(demo_entries(services.url, GENERAL))[GENERAL]
    results = at_once(8, lambda: ask(endpoint, "image-classification", image=picture(public)))
    assert [rows[0]["label"] for rows in results] == ["giraffe"] * 8
    assert (services.calls(TOKENS), services.calls(RECOGNIZE)) == (1, 8)
    services.token = "of-somebody-else"  # the one that was given out is not valid any more
    results = at_once(8, lambda: ask(endpoint, "image-classification", image=picture(public)))
    assert [rows[0]["label"] for rows in results] == ["giraffe"] * 8
    assert services.calls(TOKENS) == 2


def test_experts_with_the_same_token_section_share_the_token(
    services: Services, experts: MakeExperts, public: Path
) -> None:
    endpoints = experts(demo_entries(services.url, GENERAL, "baidu/general-basic"))
    ask(endpoints[GENERAL], "image-classification", image=picture(public))
    ask(endpoints["baidu/general-basic"], "image-to-text", image=picture(public))
    assert services.calls(TOKENS) == 1


def test_a_token_is_renewed_before_it_expires() -> None:
    now, made = [0.0], []

    def fetch() -> Token:
        made.append(f"token {len(made)}")
        return Token(made[-1], 1000)

    source = TokenSource(fetch, lambda: now[0])
    assert [source.get(), source.get()] == ["token 0"] * 2
    now[0] = 939
    assert source.get() == "token 0"
    now[0] = 941
    assert source.get() == "token 1"
    source.refused("token 0")  # late: there is a new one already
    assert source.get() == "token 1"
    source.refused("token 1")
    assert source.get() == "token 2"


def test_a_token_that_cannot_be_fetched_fails_for_all_that_wait_and_is_tried_again() -> None:
    answers: list[Any] = [BackendError("No token."), Token("token", None)]

    def fetch() -> Token:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    source = TokenSource(fetch)
    with pytest.raises(BackendError, match="No token"):
        source.get()
    assert [source.get(), source.get()] == ["token", "token"]


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (lambda call: call.json({"error": "invalid_client", "error_description": "unknown client id"}, 401),
         "the token of 127.0.0.1 answers 401 (invalid_client)."),
        (lambda call: call.json({"token": "abc"}), "it has nothing at access_token: the answer has token."),
        (lambda call: call.json({"access_token": "abcdefgh", "expires_in": "soon"}), "could not convert string to float"),
        (lambda call: call.json({"access_token": ""}), "there is no text at access_token."),
        (lambda call: call.send(b"x" * 200_000), "answers more than 0.1 MB."),
    ],
)  # fmt: skip
def test_a_token_service_that_fails(
    services: Services, experts: MakeExperts, public: Path, reply: Any, said: str
) -> None:
    services.replies[TOKENS] = reply
    endpoint = experts(demo_entries(services.url, GENERAL))[GENERAL]
    assert said in str(fails(endpoint, "image-classification", image=picture(public)))
    assert services.calls(RECOGNIZE) == 0


# Errors


def test_an_error_with_status_200_leads_to_the_next_candidate(
    services: Services, make_config: MakeConfig, scripted: Callable[..., Any]
) -> None:
    services.replies[RECOGNIZE] = lambda call: call.json(
        {"error_code": 17, "error_msg": "Open api daily request limit"}
    )
    second = {"id": "second", "task": "image-classification", "url": f"{services.url}/second", "body": "{image:file}",
              "repeatable": True}  # fmt: skip
    services.replies["/second"] = lambda call: call.json([{"label": "cat", "score": 0.5}])
    entries = [*demo_entries(services.url, GENERAL), second]
    config = make_config(KEYS, http_experts=entries, embedded=False, selection="each")
    llm = scripted(
        plan=plan(task(0, "image-classification", image="/examples/a.jpg")),
        select=json.dumps({"id": GENERAL, "reason": "it knows most"}),
        respond="It is a cat.",
    )
    record = run(controller_with(config, llm), "What is in /examples/a.jpg?")
    (done,) = record.tasks.values()
    assert (
        record.message.startswith("It is a cat.\n\n")
        and done.choice.id == "second"
        and done.choice.endpoint == "http:second"
    )
    assert done.retries == [f"{GENERAL} answers with the error 17 (Open api daily request limit)."]
    (sent,) = [request for request in services.requests if request["path"] == "/second"]
    assert sent["headers"]["Content-Type"] == "image/jpeg"


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (lambda call: call.json({"error": {"message": "Overloaded,\n try later"}}, 503), "plain answers 503 (Overloaded, try later)."),
        (lambda call: call.json({"detail": [{"msg": "no such field"}]}, 422), "plain answers 422 (no such field)."),
        (lambda call: call.send(b"<html>", 404, "text/html"), "plain answers 404."),
        (lambda call: call.json({"texts": ["a"], "id": 1}),
         "The answer of plain cannot be used: it has nothing at text: the answer has texts, id."),
        (lambda call: call.send(b"Hello"), "The answer of plain cannot be used: it has nothing at text: the answer is a str."),
        (lambda call: call.send(b""), "The answer of plain cannot be used: it has nothing at text: the answer is a str."),
        (lambda call: call.json({"text": {"a": 1}}), "The answer of plain cannot be used: it has no text at text."),
        (lambda call: call.send(b"[" * 100_000), "The answer of plain cannot be used: it has nothing at text: the answer is a str."),
        (lambda call: call.wfile.close(), "plain broke off."),
    ],
)  # fmt: skip
def test_a_service_that_fails(services: Services, experts: MakeExperts, reply: Any, said: str) -> None:
    services.replies["/plain"] = reply
    assert str(fails(experts(plain(services.url))["plain"])) == said


def test_a_service_that_is_not_there(experts: MakeExperts) -> None:
    with Services() as gone:
        url = gone.url
    error = fails(experts(plain(url))["plain"])
    assert error.endpoint_down and str(error) == "plain cannot be reached: 127.0.0.1 takes no connection."


def test_a_key_that_is_refused_is_named(services: Services, experts: MakeExperts, public: Path) -> None:
    endpoint = experts(demo_entries(services.url, "openai/whisper-1"), {"OPENAI_API_KEY": "sk-other-key"})
    services.replies["/v1/audio/transcriptions"] = lambda call: call.json(
        {"error": {"message": f"Incorrect key {call.headers['Authorization']}"}}, 401
    )
    error = fails(
        endpoint["openai/whisper-1"], "automatic-speech-recognition", audio=public / "examples" / "speech.wav"
    )
    assert str(error) == "openai/whisper-1 answers 401 (Incorrect key Bearer ***): check OPENAI_API_KEY."


def test_redirects_are_not_followed(services: Services, experts: MakeExperts) -> None:
    with Services() as other:
        for target in (f"{other.url}/plain", f"{services.url}/elsewhere", "http://169.254.169.254/latest"):
            services.replies["/plain"] = lambda call, to=target: call.send(b"", 307, headers={"Location": to})
            host = target.split("/")[2]
            error = fails(experts(plain(services.url, headers={"X-Api-Key": "$OPENAI_API_KEY"}))["plain"])
            assert str(error).startswith(f"plain leads to {host}, and no redirect is followed")
        assert other.requests == [] and services.calls("elsewhere") == 0


def test_cookies_are_not_kept(services: Services, experts: MakeExperts) -> None:
    services.replies["/plain"] = lambda call: call.send(b'{"text": "a"}', headers={"Set-Cookie": "who=you"})
    endpoint = experts(plain(services.url))["plain"]
    ask(endpoint, "summarization", text="a")
    ask(endpoint, "summarization", text="b")
    assert all("Cookie" not in request["headers"] for request in services.requests)


# Limits


def endless(call: Any, piece: bytes, head: bytes = b"", pause: float = 0.0, most: int = 100_000) -> None:
    """Sends until the other side hangs up; `call.server.sent` is how many pieces it took."""
    call.close_connection = True
    try:
        call.wfile.write(head or b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
        for number in range(most):
            call.wfile.write(piece)
            call.wfile.flush()
            call.server.sent = number
            if pause:
                call.server.over.wait(pause)
    except OSError:
        pass
    call.server.hung_up.set()


@pytest.fixture
def hung_up(services: Services) -> threading.Event:
    services.hung_up = threading.Event()  # type: ignore[attr-defined]
    return services.hung_up  # type: ignore[attr-defined]


def test_an_endless_answer(services: Services, experts: MakeExperts, hung_up: threading.Event) -> None:
    services.replies["/plain"] = lambda call: endless(call, b"x" * 65536)
    error = fails(experts(plain(services.url, max_answer_mb=1))["plain"])
    assert str(error) == "plain answers more than 1 MB."
    assert hung_up.wait(60)
    assert services.sent * 65536 < 100e6  # type: ignore[attr-defined]


def test_an_answer_of_a_gigabyte_in_place_of_a_picture(
    services: Services, experts: MakeExperts, hung_up: threading.Event, public: Path
) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 1000000000\r\n\r\n" + png()
    services.replies["/picture"] = lambda call: endless(call, bytes(65536), head)
    entry = {"id": "painter", "task": "text-to-image", "url": f"{services.url}/picture", "json": {"q": "{text}"}}
    endpoint = experts([entry], limits={"max_file_mb": 1})["painter"]
    assert str(fails(endpoint, "text-to-image", text="a cat")) == "painter answers more than 1.4 MB."
    assert hung_up.wait(60)
    assert not [file for file in (public / "images").iterdir() if file.is_file()]


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    ("head", "piece"),
    [(HEAD + b"\r\n", b" "), (HEAD, b"X-A: b\r\n"), (b"HTTP/1.1 200 OK\r\nX-Long: ", b"a")],
    ids=["body", "headers", "one header"],
)
def test_a_trickled_answer(
    services: Services, experts: MakeExperts, hung_up: threading.Event, head: bytes, piece: bytes
) -> None:
    services.replies["/plain"] = lambda call: endless(call, piece, head, pause=0.02)
    error = fails(experts(plain(services.url, seconds=0.3))["plain"])
    assert str(error) == "plain did not answer within 0.3 s."
    assert hung_up.wait(60)


def test_a_trickled_file_is_not_kept(
    services: Services, experts: MakeExperts, hung_up: threading.Event, public: Path
) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n" + png()
    services.replies["/picture"] = lambda call: endless(call, b"\0", head, pause=0.02)
    entry = {"id": "painter", "task": "text-to-image", "url": f"{services.url}/picture", "json": {"q": "{text}"}}
    endpoint = experts([{**entry, "seconds": 0.3}])["painter"]
    assert str(fails(endpoint, "text-to-image", text="a cat")) == "painter did not answer within 0.3 s."
    assert hung_up.wait(60)
    assert not [file for file in (public / "images").iterdir() if file.is_file()]


def test_a_file_that_is_too_large_is_not_sent(services: Services, experts: MakeExperts, public: Path) -> None:
    endpoint = experts(demo_entries(services.url, GENERAL, max_input_mb=0.001))[GENERAL]
    said = str(fails(endpoint, "image-classification", image=picture(public)))
    assert said.startswith(f"{GENERAL} takes at most 0.001 MB (max_input_mb), and image has 0.")
    assert services.calls(RECOGNIZE) == 0


def test_a_picture_by_its_public_address_alone(services: Services, experts: MakeExperts, public: Path) -> None:
    entry = {"id": "urls", "task": "image-to-text", "url": f"{services.url}/plain", "json": {"url": "{image:url}"},
             "result": "text", "repeatable": True}  # fmt: skip
    services.replies["/plain"] = lambda call: call.json({"text": json.loads(call.body)["url"]})
    endpoint: Any = experts([entry])["urls"]
    error = fails(endpoint, "image-to-text", image=picture(public))
    assert str(error) == "urls takes image by a public address alone, and it was not given by one."
    endpoint.service.media._remember(picture(public), "https://example.com/a.jpg")
    assert ask(endpoint, "image-to-text", image=picture(public)) == {"generated text": "https://example.com/a.jpg"}


def test_a_call_that_nobody_waits_for_is_ended(
    services: Services, experts: MakeExperts, hung_up: threading.Event
) -> None:
    """The run is cancelled while the service thinks: the connection is shut, and the thread is free."""
    asked: threading.Event = threading.Event()

    def think(call: Any) -> None:
        asked.set()
        call.connection.recv(1)  # until the other side hangs up
        hung_up.set()
        call.close_connection = True

    services.replies["/plain"] = think
    endpoint = experts(plain(services.url, repeatable=False))["plain"]
    over: Future[None] = Future()

    def work() -> BackendError:
        with calling(Call((over,))):
            return fails(endpoint)

    with ThreadPoolExecutor(1) as pool:
        failed = pool.submit(work)
        assert asked.wait(60)
        over.set_result(None)
        assert str(failed.result(60)) == "plain was stopped: nobody waits for it any more."
    assert hung_up.wait(60) and failed.result().may_have_acted


def test_services_elsewhere_are_called_through_the_proxy(services: Services, experts: MakeExperts) -> None:
    away = plain("http://experts.example", id="away")
    services.replies["/plain"] = lambda call: call.json({"text": "by the proxy"})
    endpoints = experts([*plain(services.url), *away], proxy=services.url)
    assert ask(endpoints["away"], "summarization", text="a") == {"generated text": "by the proxy"}
    assert ask(endpoints["plain"], "summarization", text="a") == {"generated text": "by the proxy"}
    assert [request["headers"]["Host"] for request in services.requests] == [
        "experts.example",
        services.url.removeprefix("http://"),
    ]


def test_a_plain_text_is_a_text(services: Services, experts: MakeExperts) -> None:
    services.replies["/plain"] = lambda call: call.send("Grüße".encode(), kind="text/plain")
    endpoint = experts(plain(services.url, result=None, json=None, body="say: {text}"))["plain"]
    assert ask(endpoint, "summarization", text="a") == {"generated text": "Grüße"}
    (sent,) = services.requests
    assert (sent["body"], sent["headers"]["Content-Type"]) == (b"say: a", "text/plain; charset=utf-8")


def test_a_request_may_name_the_expert(services: Services, make_config: MakeConfig) -> None:
    entries = [*demo_entries(services.url, GENERAL), *demo_entries(services.url, GENERAL, id="other/expert")]
    config = make_config(KEYS, http_experts=entries, embedded=False, llm="offline")
    controller = controller_with(config)
    for name in ("other/expert", GENERAL):
        record = run(controller, f"Classify the picture /examples/a.jpg with {name}")
        assert [done.choice.id for done in record.tasks.values()] == [name]


# Calls that are made once


@pytest.mark.parametrize(
    ("reply", "acted"),
    [
        (lambda call: call.json({"error": "busy"}, 500), True),
        (lambda call: call.wfile.close(), True),
        (lambda call: call.json({"no": "text"}), True),
        (lambda call: call.json({"error": "not allowed"}, 403), False),
        (lambda call: call.json({"code": 110}), False),
        (lambda call: call.json({"code": 4}), False),
    ],
)
def test_what_is_not_repeatable_is_called_once(
    services: Services, experts: MakeExperts, reply: Any, acted: bool
) -> None:
    services.replies["/plain"] = reply
    services.replies["/token"] = lambda call: call.json({"access_token": "a-token-of-theirs"})
    entry = plain(
        services.url, repeatable=False, query={"t": "$token"}, token={"url": f"{services.url}/token"},
        error={"code": "code", "expired": [110]},
    )  # fmt: skip
    endpoint = experts(entry)["plain"]
    assert fails(endpoint).may_have_acted is acted
    assert services.calls("/plain") == 1
    assert not endpoint.repeatable("plain", TABLE["summarization"])


def test_only_what_is_repeatable_is_cached_and_followed_by_others(
    services: Services, make_config: MakeConfig, scripted: Callable[..., Any]
) -> None:
    services.replies["/plain"] = lambda call: call.json({"text": "short"})
    services.replies["/fails"] = lambda call: call.json({}, 500)
    entries = [
        *plain(services.url, id="kept", task="fill-mask", result={"sequence": "text"}),
        *plain(services.url, id="once", task="text-classification", repeatable=False,
               result={"label": "text", "score": "score"}),
        *plain(services.url, "/fails", id="broken", task="conversational", repeatable=False),
        *plain(services.url, id="other", task="conversational"),
    ]  # fmt: skip
    services.replies["/plain"] = lambda call: call.json({"text": "short", "score": 1})
    config = make_config(
        {}, http_experts=entries, embedded=False, cache={"enabled": True}, llm="offline", selection="each"
    )
    controller = controller_with(config)
    table = {candidate.name: candidate for candidate in controller.selector.endpoints}
    runs = [table["http:kept"], table["http:once"]]
    assert [endpoint.repeatable("", TABLE[name]) for endpoint, name in zip(runs, ("fill-mask", "text-classification"), strict=True)] == [True, False]  # fmt: skip
    for number in range(2):
        llm = scripted(
            plan=plan(
                task(0, "fill-mask", text="a [MASK]"), task(1, "text-classification", text="good"),
                task(2, "conversational", text="Hi"),
            ),
            select=json.dumps({"id": "broken", "reason": "it may act"}),
            respond="Done.",
        )  # fmt: skip
        with_llm = controller.with_llm(llm)
        with_llm.selector.endpoints = list(controller.selector.endpoints)  # without the language model as an expert
        record = run(with_llm, "Do it")
        assert [record.tasks[at].ok for at in (0, 1, 2)] == [True, True, False]
        sent = [json.loads(request["body"])["q"] for request in services.requests if request["path"] == "/plain"]
        assert (sent.count("a [MASK]"), sent.count("good"), sent.count("Hi")) == (1, number + 1, 0)
        assert services.calls("/fails") == number + 1


@pytest.mark.parametrize(
    ("changes", "calls"),
    [({"about": "Something else."}, 1), ({"json": {"q": "Shorter: {text}"}}, 2), ({"result": "other"}, 2)],
)
def test_a_result_of_another_configuration_is_not_taken_from_the_cache(
    services: Services, make_config: MakeConfig, scripted: Callable[..., Any], changes: dict[str, Any], calls: int
) -> None:
    services.replies["/plain"] = lambda call: call.json({"text": "short", "other": "long"})
    for entry in (plain(services.url), plain(services.url, **changes)):
        config = make_config({}, http_experts=entry, embedded=False, cache={"enabled": True}, llm="offline")
        llm = scripted(
            plan=plan(task(0, "summarization", text="a text")),
            respond="Done.",
        )
        controller = controller_with(config)
        with_llm = controller.with_llm(llm)
        with_llm.selector.endpoints = list(controller.selector.endpoints)  # without the language model as an expert
        assert run(with_llm, "Do it").tasks[0].ok
    assert services.calls("/plain") == calls


# Secrets


SECRETS = (BAIDU_KEY, BAIDU_SECRET, OPENAI_KEY, "24.token/of+1", "24.token/of+2", "baidu-api-key%2F1", "baidu%2Bsecret%3Dkey",
           "24.token%2Fof%2B1", "24.token%2Fof%2B2")  # fmt: skip


def tells_all(call: Any) -> None:
    """A service that repeats whatever it was sent, in its answer and in headers that no library can read."""
    body = json.dumps({"error_code": 18, "error_msg": f"qps limit of {call.path} {call.body.decode()[:20]}"}).encode()
    call.close_connection = True
    call.wfile.write(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\nno header\r\n\r\n" % len(body)
    )
    call.wfile.write(body)


def test_secrets_are_nowhere(
    services: Services,
    make_config: MakeConfig,
    start: Start,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    services.replies[RECOGNIZE] = tells_all
    services.replies["/v1/audio/speech"] = lambda call: call.json({"error": dict(call.headers)}, 400)
    services.replies["/generate"] = lambda call: call.json({"generated_text": f"{services.token} and {OPENAI_KEY}"})
    config = make_config(
        KEYS,
        http_experts=demo_entries(services.url, GENERAL, "openai/gpt-4o-mini-tts", "tgi"),
        embedded=False,
        debug=True,
        llm="offline",
    )
    logs.set_up(config)
    tap = logging.StreamHandler()  # as of a program that embeds this one and logs all that libraries say
    libraries = logging.getLogger("urllib3")
    libraries.addHandler(tap)
    libraries.setLevel(logging.DEBUG)
    try:
        shown = _all_that_is_shown(config, start, tmp_path)
    finally:
        libraries.removeHandler(tap)
        libraries.setLevel(logging.NOTSET)
        logs.set_up()
    shown += "".join(capfd.readouterr())
    assert services.token == "24.token/of+2" and services.calls("/generate") == services.calls("/v1/audio/speech") == 1
    assert "qps limit" in shown and "*** and ***" in shown and "Failed to parse headers" in shown
    assert [secret for secret in SECRETS if secret in shown] == []


REQUESTS = ("Classify the picture /examples/a.jpg", "Write a poem about the sea", 'Read "Hello there" aloud')


def _all_that_is_shown(config: Config, start: Start, tmp_path: Path) -> str:
    """Answer, record, status, printed configuration, logs and files of a run that fails with all it can tell."""
    controller = controller_with(config)
    records = [run(controller, request) for request in REQUESTS]
    texts = [json.dumps(record.to_json(), ensure_ascii=False, default=str) for record in records]
    texts += [*(record.message for record in records), repr(config), str(config)]
    url = start(config)
    texts += [requests.get(f"{url}/v1/status", timeout=60).text]
    messages = [{"role": "user", "content": REQUESTS[0]}]
    texts += [requests.post(f"{url}/hugginggpt", json={"messages": messages}, timeout=60).text]
    texts += [json.dumps(status_of(config, controller.endpoints, controller.table), default=str)]
    files = [*(tmp_path / "logs").rglob("*"), *tmp_path.glob("*.sqlite*")]
    texts += [file.read_bytes().decode("utf-8", "replace") for file in files if file.is_file()]
    return "\n".join(texts)


# The whole program


def test_the_offline_planner_and_a_service(
    services: Services, make_config: MakeConfig, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:  # fmt: skip
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    make_config(KEYS, http_experts=demo_entries(services.url, GENERAL), embedded=False, llm="offline")
    code = main(["Classify the picture /examples/a.jpg", "--config", str(tmp_path / "config.yaml"), "-q"])
    out, err = capsys.readouterr()
    assert code == 0, err
    assert "shows: giraffe (75 %), zebra (25 %)" in out and GENERAL in out


def test_the_doctor_lists_and_checks(
    services: Services, make_config: MakeConfig, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:  # fmt: skip
    for name in ("OPENAI_API_KEY", "HF_TOKEN", "BAIDU_KEY", "BAIDU_SECRET"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("BAIDU_KEY", BAIDU_KEY)
    monkeypatch.setenv("BAIDU_SECRET", BAIDU_SECRET)
    services.replies["/generate"] = lambda call: call.json({"error": "Model is overloaded"}, 429)
    ids = (GENERAL, "openai/gpt-image-1", "openai/whisper-1", "tgi", "vllm")
    make_config(http_experts=demo_entries(services.url, *ids), embedded=False, llm="offline")
    main(["--doctor", "--check", "--config", str(tmp_path / "config.yaml")])
    out = " ".join(capsys.readouterr().out.split())
    assert (
        f"http:{GENERAL}: image-classification at {services.url}{RECOGNIZE}: configured (for its call see below)" in out
    )
    assert (
        "http:openai/whisper-1: automatic-speech-recognition" in out
        and "For openai/whisper-1: set OPENAI_API_KEY." in out
    )
    assert f"{GENERAL} (image-classification): works: giraffe (75 %), zebra (25 %)" in out
    assert "tgi (text-generation): fails: tgi answers 429 (Model is overloaded)." in out
    assert "openai/gpt-image-1 (text-to-image): set OPENAI_API_KEY" in out
    assert "vllm (visual-question-answering): works: (Hello, world.)" in out
    services.requests.clear()
    main(["--doctor", "--config", str(tmp_path / "config.yaml")])
    assert services.requests == []
    out = " ".join(capsys.readouterr().out.split())
    assert f"http:tgi: text-generation at {services.url}/generate: configured (not called; --check calls it)" in out
    assert "tgi (http:tgi, not called)" in out
    assert main(["--check"]) == 2


def test_the_status_tells_that_a_service_was_not_called(services: Services, make_config: MakeConfig) -> None:
    config = make_config({}, http_experts=plain(services.url), llm="offline")
    controller = controller_with(config)
    shown = {
        endpoint["name"]: endpoint
        for endpoint in status_of(config, controller.endpoints, controller.table)["endpoints"]
    }
    assert [name for name, endpoint in shown.items() if endpoint.get("untried")] == ["http:plain"]
    assert shown["http:plain"]["ready"] and services.requests == []


def test_what_costs_money_is_not_called_by_a_check(services: Services, experts: MakeExperts) -> None:
    endpoint = experts(demo_entries(services.url, "openai/gpt-image-1"))["openai/gpt-image-1"]
    assert list(endpoint.check(TABLE)) == [("openai/gpt-image-1 (text-to-image)", "not called: it is not repeatable")]


def test_a_configured_expert_goes_before_those_of_the_catalogue(services: Services, make_config: MakeConfig) -> None:
    class Popular(Endpoint):
        name = label = "popular"

        def models(self, task: Any, top: int) -> Any:
            from hugginggpt.catalog.catalog import ModelCard

            return [ModelCard(f"popular/{number}", task.name, downloads=1_000_000) for number in range(top)]

        def infer(self, model: str, task: Any, args: Any) -> Inference:
            raise AssertionError

    config = make_config(http_experts=plain(services.url))
    controller = controller_with(config)
    controller.selector.endpoints = [*make_http_experts(config, MediaStore(config)), Popular()]
    candidates = controller.selector.candidates(TABLE["summarization"])
    assert [candidate.card.id for candidate in candidates][:2] == ["plain", "popular/0"]
    controller.selector.endpoints[0].close()


# Odd values


@pytest.mark.parametrize(
    "sent", [{"query": {"q": "{text:quoted}"}}, {"json": None, "body": "{text}"}], ids=["quoted", "body"]
)
def test_a_text_that_cannot_be_sent_is_an_error_of_the_call(
    services: Services, experts: MakeExperts, sent: dict[str, Any]
) -> None:
    endpoint = experts(plain(services.url, **sent))["plain"]
    error = fails(endpoint, text="a \ud800 b")
    assert str(error) == "plain is not called: a text for it is not valid Unicode."
    assert (error.endpoint_down, error.may_have_acted, services.requests) == (False, False, [])


def test_a_token_whose_time_is_no_number_is_an_error_of_the_call(
    services: Services, experts: MakeExperts, public: Path
) -> None:
    services.expires_in = 10**400
    endpoint = experts(demo_entries(services.url, GENERAL))[GENERAL]
    assert "cannot be read" in str(fails(endpoint, "image-classification", image=picture(public)))


@pytest.mark.parametrize(
    ("said", "code", "shown"),
    [
        ({"error": "Incorrect API key: {key}"}, "error", "plain answers with the error Incorrect API key: ***"),
        ({"Incorrect API key: {key}": 1}, "code", "it has nothing at text: the answer has …"),
        ({"no: {key}": 1}, "code", "it has nothing at text: the answer has no: ***"),
    ],
)
def test_a_key_is_masked_before_what_has_it_is_shortened(
    services: Services, experts: MakeExperts, said: dict[str, Any], code: str, shown: str
) -> None:
    key = "sk-live-abcdefghabcdefghijkl"
    services.replies["/plain"] = lambda call: call.json(json.loads(json.dumps(said).replace("{key}", key)))
    entry = plain(services.url, headers={"X-Api-Key": "$A_KEY"}, error={"code": code})
    error = str(fails(experts(entry, {"A_KEY": key})["plain"]))
    assert shown in error and "sk-live" not in error
