"""OpenAI's API over the models of the server, by its own client; and the controller, whose language model it is."""

from __future__ import annotations

import base64
import io
import json
import wave
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
import requests
from PIL import Image

from hugginggpt.experts import families
from hugginggpt.experts.minilm import embed
from hugginggpt.llm.services import make_llm
from hugginggpt.media.decoding import current_bounds
from hugginggpt.media.encoding import SOUND_FORMATS, sound_as, wav_bytes
from hugginggpt.serving.openai_api.subtitles import cues, marked
from hugginggpt.testing.servers import Serving, serving
from tests.conftest import TABLE, MakeConfig
from tests.experts.families import tiny_audio, tiny_diffusion, tiny_text
from tests.llm.tiny_gguf import write_tiny_gguf
from tests.serving.plain_family import Hold, weights

HI: Any = [{"role": "user", "content": "good morning"}]


@contextmanager
def client_of(server: Serving, key: str = "none") -> Iterator[Any]:
    import openai

    with openai.OpenAI(base_url=f"{server.url}/v1", api_key=key, max_retries=0, timeout=60) as client:
        yield client


@pytest.fixture
def client(server: Serving) -> Iterator[Any]:
    with client_of(server) as made:
        yield made


@pytest.fixture
def chatty(model_server: Serving, models: Path, same_weights: None) -> str:
    tiny_text.llama_chat(models / "chatty")
    return model_server.add(models / "chatty", "conversational")


def refused(ask: Callable[[], Any]) -> tuple[int, str | None, str | None]:
    """The status, field and code with which a request is refused."""
    import openai

    with pytest.raises(openai.APIStatusError) as error:
        ask()
    body: Any = error.value.body
    assert set(body) == {"message", "type", "param", "code"} and body["message"]
    return error.value.status_code, body["param"], body["code"]


# Models


def test_the_models_are_those_that_a_route_takes(client: Any) -> None:
    listed = {model.id: model for model in client.models.list()}
    assert {"all-MiniLM-L6-v2", "whisper-tiny.en", "piper-joe"} <= set(listed)
    assert "nanodet-coco" not in listed
    model = client.models.retrieve("all-MiniLM-L6-v2")
    assert (model.object, model.owned_by, model.serves) == ("model", "local", "embeddings")
    assert model.created > 1_000_000_000
    assert refused(lambda: client.models.retrieve("me/none")) == (404, "model", "model_not_found")
    assert refused(lambda: client.models.retrieve("nanodet-coco")) == (400, "model", "model_not_supported")


def test_the_guard_stands_before_these_routes_too(make_config: MakeConfig, server: Serving) -> None:
    with serving(
        make_config(device="cpu", log_file=None, local_inference_endpoint={"token": "very-long-token"})
    ) as own:
        with client_of(own, "another-token") as client:
            assert refused(client.models.list) == (401, None, "invalid_api_key")
        with client_of(own, "very-long-token") as client:
            assert client.models.list().data
    origin = {"Origin": "https://rebound.example"}
    answer = requests.post(f"{server.url}/v1/embeddings", json={}, headers=origin, timeout=10)
    assert answer.status_code == 403 and answer.json()["error"]["type"] == "invalid_request_error"
    assert requests.get(f"{server.url}/v1/models", headers={"Host": "rebound.example"}, timeout=10).status_code == 403


@pytest.mark.parametrize("path", ["chat/completions", "embeddings", "audio/speech", "images/generations"])
@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'"x"', b"\xff", b'{"model": 1}', b"[" * 100_000])
def test_a_body_that_is_none(server: Serving, path: str, body: bytes) -> None:
    answer = requests.post(f"{server.url}/v1/{path}", data=body, timeout=10)
    assert (answer.status_code, set(answer.json()["error"])) == (400, {"message", "type", "param", "code"})


def test_paths_and_methods_that_there_are_not(server: Serving) -> None:
    assert requests.post(f"{server.url}/v1/moderations", timeout=5).json()["error"]["type"] == "invalid_request_error"
    unknown = requests.post(f"{server.url}/v1/responses", json={}, timeout=5)
    assert unknown.status_code == 404  # clients that know another route then take it
    for method, path in (("GET", "embeddings"), ("DELETE", "embeddings"), ("POST", "models")):
        assert requests.request(method, f"{server.url}/v1/{path}", timeout=5).status_code == 405


# Embeddings


def test_embeddings(client: Any) -> None:
    texts = ["A cat sits.", "A kitten sits."]
    answer = client.embeddings.create(model="all-MiniLM-L6-v2", input=texts)  # the client asks for base64
    assert [row.index for row in answer.data] == [0, 1]
    np.testing.assert_allclose([row.embedding for row in answer.data], embed(texts), rtol=1e-5, atol=1e-7)
    plain = client.embeddings.create(model="all-MiniLM-L6-v2", input=texts[0], encoding_format="float")
    np.testing.assert_allclose(plain.data[0].embedding, embed(texts)[0], rtol=1e-5, atol=1e-6)
    assert answer.usage.total_tokens > plain.usage.prompt_tokens > 3
    ask = client.embeddings.create
    assert refused(lambda: ask(model="all-MiniLM-L6-v2", input="")) == (400, "input", "invalid_value")
    assert refused(lambda: ask(model="all-MiniLM-L6-v2", input="x", dimensions=5))[:2] == (400, "dimensions")
    assert refused(lambda: ask(model="all-MiniLM-L6-v2", input=[[1, 2]]))[:2] == (400, "input")  # tokens
    assert refused(lambda: ask(model="vader", input="x"))[1:] == ("model", "model_not_supported")


@pytest.mark.slow
def test_embeddings_of_a_model_with_weights(model_server: Serving, models: Path, same_weights: None) -> None:
    tiny_text.sentence_transformer(models / "st", {"pooling_mode_mean_tokens": True, "word_embedding_dimension": 32})
    model = model_server.add(models / "st", "sentence-similarity")
    with client_of(model_server) as client:
        said = client.embeddings.create(model=model, input=["the cat", "the moon"])
    first, second = (np.array(row.embedding) for row in said.data)
    (cosine,) = model_server.ask(model, text1="the cat", text2="the moon")
    assert cosine == pytest.approx(first @ second / np.linalg.norm(first) / np.linalg.norm(second), abs=1e-4)


# Chats


@pytest.mark.slow
def test_a_chat_whole_and_streamed(model_server: Serving, chatty: str) -> None:
    with client_of(model_server) as client:
        ask = client.chat.completions.create
        messages = [{"role": "developer", "content": [{"type": "text", "text": "be kind"}]}, *HI]
        whole = ask(model=chatty, messages=messages, max_completion_tokens=12, temperature=0)
        assert (whole.object, whole.choices[0].finish_reason) == ("chat.completion", "length")
        assert whole.usage.completion_tokens == 12
        assert whole.usage.total_tokens == whole.usage.prompt_tokens + 12
        chunks = list(
            ask(
                model=chatty, messages=messages, max_tokens=12, temperature=0, stream=True,
                stream_options={"include_usage": True},
            )
        )  # fmt: skip
        pieces = [choice.delta.content for chunk in chunks for choice in chunk.choices if choice.delta.content]
        assert "".join(pieces) == whole.choices[0].message.content and len(pieces) > 1
        assert chunks[0].choices[0].delta.role == "assistant"
        assert chunks[-2].choices[0].finish_reason == "length"
        assert (chunks[-1].choices, chunks[-1].usage) == ([], whole.usage)
        assert len({chunk.id for chunk in chunks}) == 1
        text = whole.choices[0].message.content
        stop = next(char for char in text[1:] if char.isascii() and char != text[0])
        ended = ask(model=chatty, messages=messages, max_tokens=12, temperature=0, stop=stop).choices[0]
        assert (ended.message.content, ended.finish_reason) == (text[: text.index(stop)], "stop")


@pytest.mark.slow
def test_what_a_chat_cannot_have_is_refused_before_the_stream(model_server: Serving, chatty: str) -> None:
    tool = {"type": "function", "function": {"name": "x", "parameters": {}}}
    picture = [{"type": "image_url", "image_url": {"url": "https://x.example/a.png"}}]
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"tools": [tool]}, "tools"), ({"n": 2}, "n"), ({"temperature": 3}, "temperature"), ({"logprobs": True}, "logprobs"),
        ({"response_format": {"type": "json_object"}}, "response_format"), ({"messages": []}, "messages"),
        ({"messages": [{"role": "user", "content": picture}]}, "messages.0.content"),
        ({"messages": [{"role": "user", "content": "x " * 5000}]}, "messages"),
    ]  # fmt: skip
    with client_of(model_server) as client:
        for stream in (False, True):
            for options, param in wrong:
                asked = {"model": chatty, "messages": HI, "stream": stream, **options}
                status, named, _ = refused(lambda asked=asked: client.chat.completions.create(**asked))
                assert status == 400 and (named or "").startswith(param), options
        assert refused(lambda: client.chat.completions.create(model="none", messages=HI))[0] == 404
    usual = {"temperature": None, "tools": None, "logit_bias": None, "stop": None, "stream": None, "user": "me"}
    asked = {"model": chatty, "messages": HI, "max_tokens": 3, **usual}
    assert requests.post(f"{model_server.url}/v1/chat/completions", json=asked, timeout=60).ok


def written_by(run: Any, server: Serving, folder: Path, plain: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    """The id of a model that chats by a function of the test's own."""
    plain(run)
    family = families._families["text-generation"][0]
    own = replace(family, function=lambda source: {family.task: run, families.CHAT: run})
    monkeypatch.setitem(families._families, family.task, [own])
    return server.add(weights(folder / "mine", 10), family.task)


def test_a_model_that_fails_in_the_middle_says_so_in_the_stream(
    server: Serving, tmp_path: Path, plain: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(asked: Any) -> list[Any]:
        asked[0]["tell"]("good")
        raise RuntimeError("the memory is full")

    plain(lambda source: [])
    loaded = plain({"chat": run, "text-generation": run}.__getitem__("chat"))
    assert loaded == []
    from dataclasses import replace

    from hugginggpt.experts import families

    own = replace(
        families._families["text-generation"][0], function=lambda source: {"text-generation": run, "chat": run}
    )
    monkeypatch.setitem(families._families, "text-generation", [own])
    model = server.add(weights(tmp_path / "mine", 10), "text-generation")
    import openai

    with client_of(server) as client:
        stream = client.chat.completions.create(model=model, messages=HI, stream=True)
        assert next(stream).choices[0].delta.content == "good"
        with pytest.raises(openai.APIError, match="the memory is full"):
            list(stream)


def test_a_client_that_leaves_a_stream_ends_the_writing(
    server: Serving, tmp_path: Path, plain: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, ended = Hold(), Hold()

    def run(asked: Any) -> list[Any]:
        bounds = current_bounds()
        asked[0]["tell"]("good")
        while not bounds.is_over():
            asked[0]["tell"](" morning" * 1000)
            left.over.wait(0.01)
        ended.over.set()
        return [{"text": "", "finish_reason": "stop", "prompt_tokens": 1, "completion_tokens": 1}]

    plain(run)
    own = replace(
        families._families["text-generation"][0], function=lambda source: {"text-generation": run, "chat": run}
    )
    monkeypatch.setitem(families._families, "text-generation", [own])
    model = server.add(weights(tmp_path / "mine", 10), "text-generation")
    with client_of(server) as client:
        with client.chat.completions.create(model=model, messages=HI, stream=True) as stream:
            next(iter(stream))
        assert ended.over.wait(20)


@pytest.fixture
def llama(make_config: MakeConfig, tmp_path: Path) -> Iterator[Serving]:
    """A server with a GGUF file, which llama.cpp can hold to a schema."""
    pytest.importorskip("xllamacpp")
    write_tiny_gguf(tmp_path / "small.gguf")
    own = [{"id": "me/small", "task": "conversational", "path": str(tmp_path / "small.gguf")}]
    folder = {"folder": str(tmp_path / "llm"), "context": 16384, "threads": 1}
    with serving(
        make_config(device="cpu", log_file=None, embedded_llm=folder, models_server={"models": own})
    ) as running:
        yield running


@pytest.mark.slow
def test_a_schema_holds_a_gguf_model(llama: Serving) -> None:
    schema = {
        "type": "object", "properties": {"age": {"type": "integer", "maximum": 120}}, "required": ["age"],
        "additionalProperties": False,
    }  # fmt: skip
    form: Any = {"type": "json_schema", "json_schema": {"name": "person", "schema": schema}}
    with client_of(llama) as client:
        said = client.chat.completions.create(model="me/small", messages=HI, response_format=form)
        assert set(json.loads(said.choices[0].message.content)) == {"age"}
        assert said.choices[0].finish_reason == "stop"
        loose = client.chat.completions.create(
            model="me/small", messages=HI, response_format={"type": "json_object"}, max_tokens=5
        )
        assert loose.choices[0].message.content.startswith("{")


@pytest.mark.slow
def test_it_is_the_language_model_of_our_own_controller(llama: Serving, make_config: MakeConfig) -> None:
    config = make_config(llm="local", model="me/small", local={"endpoint": llama.url})
    llm = make_llm(config)
    assert llm
    schema = {
        "type": "object", "properties": {"task": {"enum": [*TABLE.names][:3]}}, "required": ["task"],
        "additionalProperties": False,
    }  # fmt: skip
    reply = llm.complete(HI, stage="select", schema=schema)
    assert json.loads(reply.text)["task"] in TABLE
    assert reply.usage.completion_tokens > 0
    stream = llm.stream(HI, stage="respond", most=8)
    pieces = []
    try:
        while True:
            pieces.append(next(stream))
    except StopIteration as end:
        assert end.value.text == "".join(pieces) and end.value.cut_off
    llm.close()


# Sound


@pytest.mark.slow
def test_transcriptions_in_each_form(client: Any, public: Path) -> None:
    said = {}
    for form in ("json", "text", "srt", "vtt", "verbose_json"):
        with (public / "examples" / "speech.wav").open("rb") as file:
            said[form] = client.audio.transcriptions.create(
                model="whisper-tiny.en", file=file, response_format=form, timestamp_granularities=["word", "segment"]
            )
    text = said["json"].text
    assert said["text"].strip() == text and len(text.split()) > 3
    assert said["srt"].startswith("1\n00:00:0") and " --> " in said["srt"]
    assert said["vtt"].startswith("WEBVTT\n\n00:00:0")
    verbose = said["verbose_json"]
    assert verbose.text == text and verbose.duration > 1
    assert " ".join(segment.text for segment in verbose.segments) == text
    assert [word.word for word in verbose.words] == text.split()
    assert all(word.start <= word.end for word in verbose.words)


def test_what_is_no_recording_is_refused(client: Any, public: Path) -> None:
    ask = client.audio.transcriptions.create
    with (public / "examples" / "b.jpg").open("rb") as file:
        assert refused(lambda: ask(model="whisper-tiny.en", file=file))[:2] == (400, "file")
    with (public / "examples" / "speech.wav").open("rb") as file:
        assert refused(lambda: ask(model="whisper-tiny.en", file=file, stream=True))[:2] == (400, "stream")
        assert refused(lambda: ask(model="no-such", file=file))[0] == 404
    assert (
        requests.post(
            f"{client.base_url}audio/transcriptions", data={"model": "whisper-tiny.en"}, timeout=5
        ).status_code
        == 400
    )


@pytest.mark.slow
def test_the_times_of_a_whisper_with_weights(
    model_server: Serving, models: Path, public: Path, same_weights: None
) -> None:
    tiny_audio.whisper(models / "ears")
    tiny_audio.wav2vec2(models / "letters")
    timed, untimed = (model_server.add(models / name, "automatic-speech-recognition") for name in ("ears", "letters"))
    with client_of(model_server) as client, (public / "examples" / "speech.wav").open("rb") as file:
        said = client.audio.transcriptions.create(model=timed, file=file, response_format="verbose_json")
        assert said.text and all(0 <= part.start <= part.end for part in said.segments)
        file.seek(0)
        assert client.audio.transcriptions.create(model=untimed, file=file).text
        file.seek(0)
        asked = refused(lambda: client.audio.transcriptions.create(model=untimed, file=file, response_format="srt"))
        assert asked[:2] == (400, "response_format")


def test_subtitles_end_with_sentences_at_pauses_and_when_they_are_long() -> None:
    def words(text: str, at: float, each: float = 0.5) -> list[dict[str, Any]]:
        return [
            {"text": f" {word}", "timestamp": [at + each * number, at + each * (number + 1)]}
            for number, word in enumerate(text.split())
        ]

    chunks = [*words("It rains. Take a coat", 0), *words("and go", 4), *words("on and on " * 6, 10)]
    told = cues(chunks)
    assert [cue.text for cue in told][:3] == ["It rains.", "Take a coat", "and go"]
    assert all(cue.end - cue.start <= 6 for cue in told) and len(told) == 5
    assert marked(told[:1], "srt") == "1\n00:00:00,000 --> 00:00:01,000\nIt rains.\n"
    assert marked(told[3:4], "vtt").startswith("WEBVTT\n\n00:00:10.000 --> 00:00:16.000\non and on")


@pytest.mark.parametrize("form", SOUND_FORMATS)
def test_sound_in_each_format(form: str) -> None:
    samples = np.sin(np.arange(22_050) * 2 * np.pi * 440 / 22_050).astype(np.float32) / 2
    made = sound_as(wav_bytes(samples, 22_050), form)
    if form == "pcm":
        decoded, rate = np.frombuffer(made, "<i2"), 24_000
    else:
        with av.open(io.BytesIO(made)) as file:
            decoded = np.concatenate([frame.to_ndarray().reshape(-1) for frame in file.decode(audio=0)])
            rate = file.streams.audio[0].rate
    assert len(decoded) / rate == pytest.approx(1, abs=0.12)


@pytest.mark.slow
def test_speech(client: Any) -> None:
    said = client.audio.speech.create(model="piper-joe", voice="any", input="Good morning.", response_format="wav")
    with wave.open(io.BytesIO(said.content)) as sound:
        assert sound.getnframes() / sound.getframerate() > 0.5
    usual = client.audio.speech.create(model="piper-joe", voice="any", input="Good morning.")
    assert usual.response.headers["Content-Type"] == "audio/mpeg" and len(usual.content) < len(said.content)
    ask = client.audio.speech.create
    assert refused(lambda: ask(model="piper-joe", voice="x", input=" "))[:2] == (400, "input")
    assert refused(lambda: ask(model="piper-joe", voice="x", input="x", speed=2))[:2] == (400, "speed")


# Pictures


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning")
def test_pictures(model_server: Serving, models: Path) -> None:
    tiny_diffusion.stable_diffusion(models / "painter")
    model = model_server.add(models / "painter", "text-to-image")
    with client_of(model_server) as client:
        ask = client.images.generate
        made = ask(model=model, prompt="a cat", n=2)
        paths = [row.url.removeprefix(model_server.url) for row in made.data]
        assert len(set(paths)) == 2 and all(model_server.picture(path).width for path in paths)
        sized = ask(model=model, prompt="a cat", size="32x16", response_format="b64_json")
        with Image.open(io.BytesIO(base64.b64decode(sized.data[0].b64_json))) as picture:
            assert picture.size == (32, 16)
        assert refused(lambda: ask(model=model, prompt="a cat", size="33x33"))[0] == 400
        assert refused(lambda: ask(model=model, prompt="a cat", size="9999x9999"))[0] == 400
        assert refused(lambda: ask(model=model, prompt=" "))[:2] == (400, "prompt")
