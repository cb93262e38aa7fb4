"""The client of the openai SDK over real HTTP, against a service that also misbehaves."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError, ModelOutputError
from hugginggpt.core.usage import Usage
from hugginggpt.llm import services as service
from hugginggpt.llm.base import LLM, Reply, Tool, ToolCall
from hugginggpt.llm.embedded import _LlamaClient
from hugginggpt.llm.llama_process import LlamaProcess, LlamaSettings, Served
from hugginggpt.llm.openai import THINKING_TOKENS, OpenAILLM, _Ask
from hugginggpt.llm.prompts import plan_schema
from hugginggpt.llm.replies import CallsSoFar, Spoken
from hugginggpt.llm.tokens import TokenCounter
from hugginggpt.testing import ScriptedLLM
from hugginggpt.testing.fakes import DROP, HANG, HTML, NOTHING, FakeLLM, Fault, status
from tests.conftest import TABLE, MakeConfig

ASK = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
SCHEMA = {"type": "object"}


@pytest.fixture
def config(make_config: MakeConfig, llm_server: FakeLLM) -> Config:
    return make_config(local={"endpoint": llm_server.url, "api_key": "sk-secret"})


_made: list[LLM] = []


def make_llm(config: Config) -> LLM | None:
    """The language model of a configuration; it is closed when the test is over."""
    made = service.make_llm(config)
    _made.extend([made] if made else [])
    return made


@pytest.fixture(autouse=True)
def close_models() -> Iterator[None]:
    yield
    while _made:
        _made.pop().close()


@pytest.fixture
def llm(config: Config) -> LLM:
    made = make_llm(config)
    assert made
    return made


def stream(llm: LLM) -> tuple[list[str], Reply]:
    pieces = []
    generator = llm.stream(ASK, stage="chat")
    while True:
        try:
            pieces.append(next(generator))
        except StopIteration as end:
            return pieces, end.value


def test_plain_and_streamed(llm: LLM) -> None:
    assert llm.complete(ASK, stage="chat") == Reply("Hello!", Usage(10, 5, 1), "fake-model")
    pieces, reply = stream(llm)
    assert pieces == ["Hello", "!"]
    assert reply == Reply("Hello!", Usage(10, 5, 1), "fake-model")


def test_a_service_is_told_the_key_and_nothing_of_this_machine(llm: LLM, llm_server: FakeLLM) -> None:
    llm.complete(ASK, stage="chat")
    stream(llm)
    for asked in llm_server.requests[-2:]:
        assert asked["headers"]["Authorization"] == "Bearer sk-secret"
        about = {name for name in asked["headers"] if name.startswith("X-Stainless")}
        assert about <= {"X-Stainless-Retry-Count", "X-Stainless-Read-Timeout", "X-Stainless-Raw-Response"}


def test_offline_there_is_none(make_config: MakeConfig) -> None:
    assert make_llm(make_config()) is None


def test_temperature_is_sent_as_configured(make_config: MakeConfig, llm_server: FakeLLM) -> None:
    for temperature, sent in ((0.0, [0.0]), (0.5, [0.5]), (None, [None])):
        made = make_llm(make_config(local={"endpoint": llm_server.url}, temperature=temperature))
        assert made
        made.complete(ASK, stage="chat")
        assert [body.get("temperature") for body in llm_server.bodies("chat")][-1:] == sent


def refusing(llm_server: FakeLLM, *options: str) -> None:
    """Has the server refuse each option once, as services do, by name."""
    llm_server.faults["all"] = [
        Fault(400, f'{{"error": {{"message": "{option} is not supported", "param": "{option}"}}}}')
        for option in options
    ]


def test_what_a_service_refuses_is_dropped_once_and_remembered(llm: LLM, llm_server: FakeLLM) -> None:
    refusing(llm_server, "response_format", "temperature")
    for _ in range(2):
        assert llm.complete(ASK, stage="chat", schema=SCHEMA).text == "Hello!"
    formats = [(body.get("response_format") or {}).get("type") for body in llm_server.bodies("chat")]
    temperatures = ["temperature" in body for body in llm_server.bodies("chat")]
    assert formats == ["json_schema", "json_object", "json_object", "json_object"]
    assert temperatures == [True, True, False, False]


def test_the_ladder_ends_with_the_prompt_alone(llm: LLM, llm_server: FakeLLM) -> None:
    refusing(llm_server, "response_format", "response_format")
    llm.complete(ASK, stage="chat", schema=SCHEMA)
    assert "response_format" not in llm_server.bodies("chat")[-1]


def test_a_400_for_another_reason_is_told_and_nothing_is_unlearnt(llm: LLM, llm_server: FakeLLM) -> None:
    llm_server.always["all"] = status(400)
    with pytest.raises(BackendError, match="failed \\(400\\): .*scripted 400"):
        llm.complete(ASK, stage="chat", schema=SCHEMA)
    llm_server.always.clear()
    llm.complete(ASK, stage="chat", schema=SCHEMA)
    assert llm_server.bodies("chat")[-1]["response_format"]["type"] == "json_schema"


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (status(401), r"refused the key \(401\): check local.api_key"),
        (status(404), "does not know the model"),
        (status(429), r"asked too often or the quota is used up \(429\)"),
        (status(500), r"failed \(500\)"),
        (HTML, "did not answer with a chat completion"),
        (NOTHING, "did not answer with a chat completion"),
        (Fault(body="{}"), "did not answer with a chat completion"),
        (Fault(body='{"choices": []}'), "did not answer with a chat completion"),
        (Fault(body='{"choices": ['), "unreadable"),
        (DROP, "cannot be reached"),
    ],
)
def test_failures_in_clear_words(llm: LLM, llm_server: FakeLLM, fault: Fault, said: str) -> None:
    llm_server.always["all"] = fault
    with pytest.raises(BackendError, match=said) as caught:
        llm.complete(ASK, stage="chat")
    assert "sk-secret" not in str(caught.value)


def test_the_key_is_not_in_an_error_that_repeats_it(llm: LLM, llm_server: FakeLLM) -> None:
    llm_server.always["all"] = Fault(500, '{"error": {"message": "bad key sk-secret"}}')
    with pytest.raises(BackendError) as caught:
        llm.complete(ASK, stage="chat")
    assert "sk-secret" not in str(caught.value)
    assert "***" in str(caught.value)


def test_a_service_that_is_not_there(make_config: MakeConfig) -> None:
    made = make_llm(make_config(local={"endpoint": "http://127.0.0.1:9"}, model="m"))
    assert made
    with pytest.raises(BackendError, match="cannot be reached") as caught:
        made.complete(ASK, stage="chat")
    assert caught.value.endpoint_down


def test_a_service_that_hangs_is_left_in_time(make_config: MakeConfig, llm_server: FakeLLM) -> None:
    llm_server.always["all"] = HANG
    made = make_llm(make_config(local={"endpoint": llm_server.url}, limits={"llm_seconds": 0.2}))
    assert made
    with pytest.raises(BackendError, match=r"did not answer within 0.2 s"):
        made.complete(ASK, stage="chat")


def test_retries_as_retry_after_says(make_config: MakeConfig, llm_server: FakeLLM) -> None:
    llm_server.faults["all"] = [status(429, Retry_After="0.01"), status(503, Retry_After="0.01")]
    made = make_llm(make_config(local={"endpoint": llm_server.url}, limits={"llm_retries": 2}))
    assert made
    assert made.complete(ASK, stage="chat").text == "Hello!"
    assert len(llm_server.bodies("chat")) == 3


def test_fallback_models_are_tried_in_turn(make_config: MakeConfig, llm_server: FakeLLM) -> None:
    llm_server.faults["all"] = [status(404), status(500)]
    made = make_llm(make_config(local={"endpoint": llm_server.url}, model="one", fallback_models=["two", "three"]))
    assert made
    assert made.complete(ASK, stage="chat").model == "three"
    assert [body["model"] for body in llm_server.bodies("chat")] == ["one", "two", "three"]


def test_a_refused_key_ends_the_search_for_a_model(make_config: MakeConfig, llm_server: FakeLLM) -> None:
    llm_server.always["all"] = status(401)
    made = make_llm(make_config(local={"endpoint": llm_server.url}, model="one", fallback_models=["two"]))
    assert made
    with pytest.raises(BackendError, match="refused the key"):
        made.complete(ASK, stage="chat")
    assert len(llm_server.bodies("chat")) == 1


def test_half_a_stream_is_an_error(llm: LLM, llm_server: FakeLLM) -> None:
    llm_server.faults["chat"] = [Fault(half=True)]
    with pytest.raises(BackendError, match="broke off"):
        stream(llm)


def test_a_stream_that_tells_of_an_error_is_one(llm: LLM, llm_server: FakeLLM) -> None:
    llm_server.faults["chat"] = [Fault(error="Overloaded, sk-secret.\nLine 2"), Fault(error="Overloaded.", part=0)]
    with pytest.raises(BackendError, match=r"broke off in the middle of its answer: Overloaded, \*\*\*\.$"):
        stream(llm)
    with pytest.raises(BackendError, match=r"failed: Overloaded\.$"):
        stream(llm)


@pytest.mark.parametrize("error", ['{"message": "Overloaded."}', '"Overloaded."'])
def test_an_error_in_place_of_an_answer_is_told(llm: LLM, llm_server: FakeLLM, error: str) -> None:
    llm_server.faults["all"] = [Fault(body=f'{{"error": {error}}}')]
    with pytest.raises(BackendError, match=r"failed: Overloaded\.$"):
        llm.complete(ASK, stage="chat")


def test_a_stream_that_fails_before_its_first_piece_is_asked_of_the_next_model(
    make_config: MakeConfig, llm_server: FakeLLM
) -> None:
    made = make_llm(make_config(local={"endpoint": llm_server.url}, model="one", fallback_models=["two"]))
    assert made
    llm_server.faults["chat"] = [Fault(error="Overloaded.", part=0)]
    assert stream(made) == (["Hello", "!"], Reply("Hello!", Usage(10, 5, 1), "two"))
    llm_server.faults["chat"] = [Fault(error="Overloaded.")]
    with pytest.raises(BackendError, match="broke off"):
        stream(made)
    assert [body["model"] for body in llm_server.bodies("chat")] == ["one", "two", "one"]


def test_a_stream_without_its_end_is_an_error(llm: LLM, llm_server: FakeLLM) -> None:
    """As a proxy leaves it that closes the connection in order when the service is gone."""
    chunk = 'data: {"choices": [{"delta": {"content": "Do NOT open the cag"}}]}\n\n'
    llm_server.faults["chat"] = [Fault(body=chunk, type="text/event-stream")]
    with pytest.raises(BackendError, match="broke off"):
        stream(llm)
    for end in ('data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n\n', "data: [DONE]\n\n"):
        llm_server.faults["chat"] = [Fault(body=chunk + end, type="text/event-stream")]
        assert stream(llm)[1].whole() == "Do NOT open the cag"


def test_characters_that_break_lines_are_part_of_an_answer(llm: LLM, llm_server: FakeLLM) -> None:
    said = "one\u2028two\x85three\x0bfour"
    chunk = json.dumps({"choices": [{"delta": {"content": said}}]}, ensure_ascii=False)
    body = f"data: {chunk}\r\n\r\ndata: [DONE]\r\n\r\n"
    llm_server.faults["chat"] = [Fault(body=body, type="text/event-stream")]
    assert stream(llm)[1].whole() == said


@pytest.mark.parametrize(("ends", "said"), [("length", "at the service's limit of tokens"), ("content_filter", "by ")])
@pytest.mark.parametrize("old", [False, True])
def test_an_answer_that_is_not_whole_says_so(
    make_config: MakeConfig, llm_server: FakeLLM, ends: str, said: str, old: bool
) -> None:
    made = make_llm(make_config(local={"endpoint": llm_server.url}, use_completion=old))
    assert made
    llm_server.always["chat"] = Fault(ends=ends)
    for reply in made.complete(ASK, stage="chat"), *([] if old else [stream(made)[1]]):
        assert reply.text == "Hel"
        assert reply.cut_off.startswith(said)
        with pytest.raises(ModelOutputError, match=f"cut off {said}"):
            reply.whole()


def test_old_completions(make_config: MakeConfig, llm_server: FakeLLM) -> None:
    made = make_llm(make_config(local={"endpoint": llm_server.url}, model="m", use_completion=True))
    assert made
    assert made.complete(ASK, stage="chat", schema=SCHEMA).text == "Hello!"
    request = llm_server.requests[-1]
    assert request["path"] == "/v1/completions"
    assert b"Be brief." in request["body"]


@pytest.mark.parametrize(
    ("own", "environment", "path", "key"),
    [
        ({}, {"OPENAI_API_KEY": "sk-1", "OPENAI_BASE_URL": "URL/v1"}, "/v1/chat/completions", "Bearer sk-1"),
        ({}, {"AZURE_OPENAI_API_KEY": "az", "AZURE_OPENAI_ENDPOINT": "URL", "AZURE_OPENAI_DEPLOYMENT": "dep"},
         "/openai/deployments/dep/chat/completions", "az"),
        ({"local": {"endpoint": "URL/v1/"}, "model": "m"}, {}, "/v1/chat/completions", "Bearer none"),
    ],
)  # fmt: skip
def test_services_are_asked_where_they_are(
    make_config: MakeConfig, llm_server: FakeLLM, own: Any, environment: Any, path: str, key: str
) -> None:
    def here(values: Any) -> Any:
        if isinstance(values, dict):
            return {name: here(value) for name, value in values.items()}
        return values.replace("URL", llm_server.url)

    made = make_llm(make_config(here(environment), **here(own)))
    assert made
    assert made.complete(ASK, stage="chat").text == "Hello!"
    headers = {name.lower(): value for name, value in llm_server.requests[-1]["headers"].items()}
    assert llm_server.requests[-1]["path"] == path
    assert key in (headers.get("authorization"), headers.get("api-key"))


def test_logit_bias_is_sent_where_tokens_are_known_and_dropped_when_refused(
    make_config: MakeConfig, llm_server: FakeLLM
) -> None:
    made = make_llm(make_config(local={"endpoint": llm_server.url}, logit_bias={"parse_task": 0.1, "choose_model": 5}))
    assert made
    schema = plan_schema(TABLE)
    made.complete(ASK, stage="plan", schema=schema)
    assert "logit_bias" not in llm_server.bodies("chat")[-1]  # no vocabulary for a local model
    made.count.encoding = _Letters()
    refusing(llm_server, "logit_bias")
    made.complete(ASK, stage="plan", schema=schema)
    first, second = llm_server.bodies("chat")[-2:]
    assert set(first["logit_bias"].values()) == {0.1}
    assert "logit_bias" not in second


class _Letters:
    """A vocabulary with a token for each letter, in the place of tiktoken's."""

    def encode(self, text: str, disallowed_special: Any = ()) -> list[int]:
        return [ord(char) for char in text]


def test_tokens_are_estimated_without_a_vocabulary() -> None:
    count = TokenCounter()
    assert count("") == 1
    assert 20 < count("The quick brown fox jumps over the lazy dog. " * 3) < 60
    count.encoding = _Letters()
    assert count("abc") == 3


def test_a_scripted_model_fails_on_what_is_left_and_on_what_is_too_much() -> None:
    llm = ScriptedLLM(plan=["[]", "[]"])
    assert llm.complete(ASK, stage="plan").text == "[]"
    with pytest.raises(AssertionError, match="never used"):
        llm.check_used_up()
    llm.complete(ASK, stage="plan")
    llm.check_used_up()
    with pytest.raises(AssertionError, match="no \\(further\\) reply"):
        llm.complete(ASK, stage="plan")


def test_one_client_serves_many_threads(llm: LLM) -> None:
    texts: list[str] = []
    threads = [threading.Thread(target=lambda: texts.append(llm.complete(ASK, stage="chat").text)) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == ["Hello!"] * 16


@pytest.mark.parametrize("streamed", [False, True])
def test_a_reply_is_bounded_where_that_is_set(make_config: MakeConfig, llm_server: FakeLLM, streamed: bool) -> None:
    local = {"endpoint": llm_server.url, "api_key": "sk-secret"}
    for limits, sent in (({}, None), ({"reply_tokens": 300}, 300)):
        llm = make_llm(make_config(local=local, limits=limits))
        assert llm
        _ = stream(llm) if streamed else llm.complete(ASK, stage="chat")
        assert llm_server.bodies("chat")[-1].get("max_tokens") == sent


def test_a_bound_that_is_refused_is_left_out(make_config: MakeConfig, llm_server: FakeLLM) -> None:
    local = {"endpoint": llm_server.url, "api_key": "sk-secret"}
    llm = make_llm(make_config(local=local, limits={"reply_tokens": 300}))
    assert llm
    llm_server.faults["chat"] = [Fault(400, '{"error": {"message": "max_tokens is not supported here"}}')]
    assert llm.complete(ASK, stage="chat").text == "Hello!"
    assert ["max_tokens" in body for body in llm_server.bodies("chat")] == [True, False]


@pytest.mark.parametrize("refuses", [False, True])
def test_another_service_than_openais_is_bounded_by_the_option_that_all_know(
    make_config: MakeConfig, llm_server: FakeLLM, refuses: bool
) -> None:
    """It may overlook max_completion_tokens; where it passes the request on to OpenAI's models it refuses max_tokens."""
    openai = {"base_url": f"{llm_server.url}/v1", "api_key": "sk-secret"}
    llm = make_llm(make_config(llm="openai", openai=openai, limits={"reply_tokens": 300}))
    assert llm
    refusal = Fault(400, '{"error": {"message": "max_tokens is unsupported: use max_completion_tokens"}}')
    llm_server.faults["chat"] = [refusal] if refuses else []
    for _ in range(2):
        assert llm.complete(ASK, stage="chat").text == "Hello!"
    sent = [(body.get("max_tokens"), body.get("max_completion_tokens")) for body in llm_server.bodies("chat")]
    assert sent == ([(300, None), (None, 300), (None, 300)] if refuses else [(300, None)] * 2)


@pytest.mark.parametrize("url", ["https://api.openai.com/v1", "https://eu.api.openai.com:443"])
def test_openai_is_bounded_by_its_own_option(make_config: MakeConfig, url: str) -> None:
    openai = {"base_url": url, "api_key": "sk-secret"}
    llm = make_llm(make_config(llm="openai", openai=openai, limits={"reply_tokens": 300}))
    assert isinstance(llm, OpenAILLM)
    options = llm._options(_Ask("chat", None, llm._bound(None)), 0, set())
    assert options["max_completion_tokens"] == 300 and "max_tokens" not in options


def test_the_bound_for_services_is_none_for_the_embedded_model(make_config: MakeConfig, llm_server: FakeLLM) -> None:
    """It has its own, which the process knows (embedded_llm.reply_tokens); an option of a request would replace it."""
    config = make_config(limits={"reply_tokens": 300})
    settings = LlamaSettings(Path("tiny.gguf"), Path(), 1000, 1, 0, 40, 1)
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        client = _LlamaClient(Served(process, llm_server.url, "key", 1), LlamaProcess(settings), "tiny", config)
        assert client.complete(ASK, stage="chat").text == "Hello!"
        client.close()
    assert not {"max_tokens", "max_completion_tokens"} & llm_server.bodies("chat")[-1].keys()


def test_a_plan_that_is_cut_off_at_the_bound_is_not_taken_as_whole(llm: LLM, llm_server: FakeLLM) -> None:
    llm_server.faults["plan"] = [Fault(ends="length")]
    llm_server.replies["plan"] = (
        '{"tasks": [{"task": "image-to-text", "args": {"image": "a.jpg"}}, {"task": "translation"}]}'
    )
    reply = llm.complete([{"role": "system", "content": "#1 Plan."}, ASK[1]], stage="plan", schema=SCHEMA)
    with pytest.raises(ModelOutputError, match="cut off at the service's limit of tokens"):
        reply.whole()


# Bounds of a stage


class Thinker(FakeLLM):
    """A service whose model thinks for so many tokens before it says anything; it does not stream."""

    thinks = 50

    def answer(self, call: Any) -> None:
        data = json.loads(call.body) if call.body else {}
        bound = data.get("max_tokens") or data.get("max_completion_tokens") or 9999
        if not data:
            return super().answer(call)
        text, ends = ("Hello!", "stop") if bound > self.thinks else ("", "length")
        message = {"role": "assistant", "content": text, "reasoning_content": "Well, what is a greeting?"}
        usage = {"prompt_tokens": 10, "completion_tokens": min(bound, 53), "total_tokens": 0}
        choices = [{"index": 0, "message": message, "finish_reason": ends}]
        return call.json({"id": "x", "created": 1, "model": "m", "choices": choices, "usage": usage})


def sent_bounds(server: FakeLLM) -> list[int | None]:
    return [body.get("max_tokens") for body in server.bodies("chat")]


def test_a_bound_of_a_stage_is_sent_within_the_upper_one(make_config: MakeConfig, llm_server: FakeLLM) -> None:
    for limits, sent in (({}, 200), ({"reply_tokens": 150}, 150), ({"reply_tokens": 900}, 200)):
        llm = make_llm(make_config(local={"endpoint": llm_server.url, "api_key": "sk-secret"}, limits=limits))
        assert llm and llm.complete(ASK, stage="chat", most=200).text == "Hello!"
        assert sent_bounds(llm_server)[-1] == sent


def test_a_model_that_thinks_first_gets_the_room_for_it(make_config: MakeConfig) -> None:
    """What it was cut off at is not counted as its answer; from then on every bound has the room."""
    with Thinker() as server:
        llm = make_llm(make_config(local={"endpoint": server.url, "api_key": "sk-secret"}))
        assert llm
        reply = llm.complete(ASK, stage="chat", most=40)
        assert (reply.text, reply.cut_off, reply.usage.calls) == ("Hello!", "", 2)
        assert llm.complete(ASK, stage="chat", most=40).text == "Hello!"
        assert sent_bounds(server) == [40, 40 + THINKING_TOKENS, 40 + THINKING_TOKENS]


def test_a_model_that_thinks_is_not_asked_twice_where_the_upper_bound_leaves_no_room(make_config: MakeConfig) -> None:
    with Thinker() as server:
        config = make_config(local={"endpoint": server.url, "api_key": "sk-secret"}, limits={"reply_tokens": 30})
        llm = make_llm(config)
        assert llm
        assert llm.complete(ASK, stage="chat", most=40).cut_off == "at the bound of 30 tokens"
        assert sent_bounds(server) == [30]


def test_hosted_models_have_room_to_think_until_they_are_known_not_to(
    make_config: MakeConfig, llm_server: FakeLLM
) -> None:
    openai = {"base_url": f"{llm_server.url}/v1", "api_key": "sk-secret"}
    llm = make_llm(make_config(llm="openai", openai=openai))
    assert isinstance(llm, OpenAILLM)
    assert llm.complete(ASK, stage="chat", most=40).text == "Hello!"
    llm._note_thinking({"content": "Hello!"}, {"completion_tokens_details": {"reasoning_tokens": 0}})
    assert llm.complete(ASK, stage="chat", most=40).text == "Hello!"
    assert sent_bounds(llm_server) == [40 + THINKING_TOKENS, 40]


def test_an_empty_stream_of_a_model_that_thinks_is_begun_again(make_config: MakeConfig, llm_server: FakeLLM) -> None:
    llm = make_llm(make_config(local={"endpoint": llm_server.url, "api_key": "sk-secret"}))
    assert llm
    llm_server.faults["chat"] = [Fault(ends="length", part=0)]
    pieces = llm.stream(ASK, stage="chat", most=40)
    assert "".join(pieces) == "Hello!"
    assert sent_bounds(llm_server) == [40, 40 + THINKING_TOKENS]


@pytest.mark.parametrize(
    ("pieces", "said", "thought"),
    [
        (["<thi", "nk>Well", "</think>\n\nHel", "lo"], "Hello", True),
        (["<think>Well, a greeting"], "", True),
        (["\n", "Hello <think>"], "\nHello <think>", False),
        (["<th"], "<th", False),
        (["  "], "  ", False),
    ],
)
def test_thoughts_in_the_text_are_left_out(pieces: list[str], said: str, thought: bool) -> None:
    spoken = Spoken()
    assert "".join([spoken.behind(piece) for piece in pieces]) + spoken.rest == said
    assert spoken.has_thought is thought


def test_a_model_that_thinks_beyond_its_room_has_four_times_that(make_config: MakeConfig) -> None:
    with Thinker() as server:
        llm = make_llm(make_config(local={"endpoint": server.url, "api_key": "sk-secret"}))
        assert isinstance(llm, OpenAILLM)
        server.thinks = 40 + THINKING_TOKENS
        llm._thinks = True
        assert llm.complete(ASK, stage="chat", most=40).text == "Hello!"
        assert sent_bounds(server) == [40 + THINKING_TOKENS, 40 + 4 * THINKING_TOKENS]


# Whole answers, streamed so that they end when nobody wants them any more

TOOL = Tool("look", "look at a picture", {"type": "object", "properties": {"path": {"type": "string"}}})
CALLS = {"tool_calls": [{"function": {"name": name, "arguments": '{"path": "a.jpg"}'}} for name in ("look", "read")]}


def refusal(message: str) -> Fault:
    return Fault(400, json.dumps({"error": {"message": message}}))


def streamed(server: FakeLLM) -> list[bool]:
    return [bool(body.get("stream")) for body in server.bodies("chat")]


def test_a_whole_answer_is_streamed_too_and_its_tokens_are_the_services(llm: LLM, llm_server: FakeLLM) -> None:
    assert llm.complete(ASK, stage="chat") == Reply("Hello!", Usage(10, 5, 1), "fake-model")
    assert streamed(llm_server) == [True]
    assert llm_server.bodies("chat")[0]["stream_options"] == {"include_usage": True}


@pytest.mark.parametrize("tools", [(), (TOOL,)])
@pytest.mark.parametrize("asked", ["stream", "complete"])
def test_a_service_that_refuses_to_stream_is_asked_for_the_whole(
    llm: LLM, llm_server: FakeLLM, asked: str, tools: tuple[Tool, ...]
) -> None:
    llm_server.faults["chat"] = [refusal("Your organization must be verified to stream this model.")]
    for _ in range(2):
        text = llm.complete(ASK, stage="chat", tools=tools).text if asked == "complete" else stream(llm)[1].text
        assert text == "Hello!"
    assert streamed(llm_server) == [True, False, False]
    assert "stream_options" not in llm_server.bodies("chat")[-1]


def test_a_service_that_refuses_to_stream_calls_streams_texts(llm: LLM, llm_server: FakeLLM) -> None:
    llm_server.faults["chat"] = [refusal("Cannot use tools with stream")]
    llm_server.replies["chat"] = [CALLS, "Hello!"]
    assert len(llm.complete(ASK, stage="chat", tools=[TOOL]).calls) == 2
    assert llm.complete(ASK, stage="chat").text == "Hello!"
    assert streamed(llm_server) == [True, False, True]
    assert "tools" in llm_server.bodies("chat")[1]


def test_where_the_tokens_of_a_stream_are_refused_they_are_estimated(llm: LLM, llm_server: FakeLLM) -> None:
    llm_server.faults["chat"] = [refusal("Unknown parameter: stream_options")]
    reply = llm.complete(ASK, stage="chat")
    assert reply.text == "Hello!" and reply.usage.calls == 1 and 0 < reply.usage.total_tokens != 15
    assert streamed(llm_server) == [True, True]


def test_calls_come_in_pieces(llm: LLM, llm_server: FakeLLM) -> None:
    llm_server.replies["chat"] = CALLS
    calls = llm.complete(ASK, stage="chat", tools=[TOOL]).calls
    assert calls == (ToolCall("look", '{"path": "a.jpg"}'), ToolCall("read", '{"path": "a.jpg"}'))


def test_calls_without_numbers_and_with_objects_are_read() -> None:
    calls = CallsSoFar()
    calls.add([{"function": {"name": "look", "arguments": {"path": "ä"}}}, "none", {"function": None}])
    calls.add([{"function": {"name": "read"}}])
    calls.add("none")
    assert calls.complete() == (ToolCall("look", '{"path": "ä"}'), ToolCall("read", "{}"))


def test_a_whole_answer_that_breaks_off_is_asked_for_again(make_config: MakeConfig, llm_server: FakeLLM) -> None:
    llm = make_llm(make_config(local={"endpoint": llm_server.url}, limits={"llm_retries": 1}))
    assert llm
    llm_server.faults["chat"] = [Fault(half=True)]
    assert llm.complete(ASK, stage="chat").text == "Hello!"
    llm_server.faults["chat"] = [Fault(half=True), Fault(half=True)]
    with pytest.raises(BackendError, match="broke off"):
        llm.complete(ASK, stage="chat")
    assert len(llm_server.bodies("chat")) == 4


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ('{"choices": [{"message": {"content": "Hi"}}]}', "Hi"),
        ('{\n  "choices": [\n {"message": {"content": null}, "finish_reason": "stop"}]\n}', ""),
        ('{"choices": [{"message": {}}]}', None),
        ('{"choices": [{"message": "Hi"}]}', None),
        ('{"choices": [{"message": {"content": ["Hi"]}}]}', None),
        ("[]", None),
    ],
)
def test_an_answer_that_is_not_streamed_is_read_as_a_whole(
    llm: LLM, llm_server: FakeLLM, body: str, text: str | None
) -> None:
    llm_server.always["chat"] = Fault(body=body)
    if text is None:
        with pytest.raises(BackendError, match="did not answer with a chat completion"):
            llm.complete(ASK, stage="chat")
    else:
        assert llm.complete(ASK, stage="chat").whole() == stream(llm)[1].whole() == text
