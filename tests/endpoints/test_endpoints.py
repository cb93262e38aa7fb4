"""The Hub and the model server over real HTTP, well-behaved and not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from hugginggpt.catalog.catalog import Catalog
from hugginggpt.common.paths import CATALOGUE
from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError
from hugginggpt.core.results import BOXES
from hugginggpt.core.tasks import Arg, TaskType
from hugginggpt.endpoints import base
from hugginggpt.endpoints.base import Endpoint, picture_to_draw_on, settle
from hugginggpt.endpoints.hub import Hub
from hugginggpt.endpoints.server import ModelServer
from hugginggpt.media.store import MediaStore
from hugginggpt.testing.fakes import DROP, HANG, HTML, NOTHING, SHAPES, FakeExperts, Fault, status
from tests.conftest import TABLE, MakeConfig

DETECTOR, PAINTER, SPEAKER = "hustvl/yolos-tiny", "runwayml/stable-diffusion-v1-5", "microsoft/speecht5_tts"


def hub(config: Config) -> Hub:
    return Hub(config, Catalog(CATALOGUE), MediaStore(config))


@pytest.fixture
def hub_config_(make_config: MakeConfig, expert_server: FakeExperts) -> Config:
    return make_config(huggingface={"base_url": expert_server.url, "token": "hf_own"}, limits={"inference_seconds": 2})


def test_the_hub_is_ready_once_it_has_answered(hub_config_: Config, expert_server: FakeExperts) -> None:
    endpoint = hub(hub_config_)
    assert endpoint.status().untried and endpoint.status().ready
    assert endpoint.offers(DETECTOR, TABLE["object-detection"])
    assert (endpoint.status().problem, endpoint.status().untried) == ("", False)
    endpoint.close()


def test_a_hub_behind_a_dead_proxy_is_not_ready(make_config: MakeConfig) -> None:
    config = make_config(huggingface={"token": "hf_own"}, proxy="http://127.0.0.1:9", limits={"connect_seconds": 2})
    endpoint = hub(config)
    assert endpoint.offers(DETECTOR, TABLE["object-detection"]) is None
    assert endpoint.status().problem.startswith("not reached (") and not endpoint.status().untried
    endpoint.close()


def test_a_hub_that_refuses_the_token_is_not_ready(hub_config_: Config, expert_server: FakeExperts) -> None:
    expert_server.always[f"info {DETECTOR}"] = status(401)
    endpoint = hub(hub_config_)
    assert endpoint.offers(DETECTOR, TABLE["object-detection"]) is None
    assert endpoint.status().problem == "refused the token (401): check HF_TOKEN"
    endpoint.close()


def server_config(make_config: MakeConfig, expert_server: FakeExperts, **own: Any) -> Config:
    address = {"host": "127.0.0.1", "port": expert_server.port}
    return make_config(local_inference_endpoint=address, inference_mode="local", **own)


def model_server(config: Config) -> ModelServer:
    return ModelServer(config, Catalog(CATALOGUE), MediaStore(config))


def image(endpoint: Any) -> Path:
    return endpoint.media.resolve("/examples/b.jpg")


def inputs(endpoint: Any, task: str) -> dict[str, Any]:
    """Arguments for a task: real files, texts for the rest."""
    files = {"image": image(endpoint), "audio": endpoint.media.resolve("/examples/speech.wav")}
    row = TABLE[task]
    return {
        a.name: files.get(a.kind, "a,b\n1,2" if a.kind == "table" else ["sport"] if a.many else "text")
        for a in row.args
    }


# The Hub


def test_models_that_a_provider_serves_best_first(hub_config_: Config, expert_server: FakeExperts) -> None:
    place = hub(hub_config_)
    assert [card.id for card in place.models(TABLE["object-detection"], 5)] == [DETECTOR, "facebook/detr-resnet-50"]
    assert [card.id for card in place.models(TABLE["object-detection"], 1)] == [DETECTOR]
    assert place.models(TABLE["depth-estimation"], 5) == []  # no method for it


def test_availability_is_asked_once_a_model(hub_config_: Config, expert_server: FakeExperts) -> None:
    place = hub(hub_config_)
    for _ in range(3):
        place.models(TABLE["object-detection"], 5)
    asked = [request["path"] for request in expert_server.requests]
    assert len(asked) == len(set(asked)) > 5


def test_a_model_that_is_served_for_another_task_is_none(hub_config_: Config, expert_server: FakeExperts) -> None:
    expert_server.models[DETECTOR] = "image-classification"
    assert DETECTOR not in [card.id for card in hub(hub_config_).models(TABLE["object-detection"], 5)]


@pytest.mark.parametrize("fault", [HTML, NOTHING, DROP, status(500), Fault(body="[]"), Fault(body='{"id": 3}')])
def test_a_broken_answer_about_availability_means_no(
    hub_config_: Config, expert_server: FakeExperts, fault: Fault
) -> None:
    expert_server.always[f"info {DETECTOR}"] = fault
    assert [card.id for card in hub(hub_config_).models(TABLE["object-detection"], 5)] == ["facebook/detr-resnet-50"]


@pytest.mark.parametrize("task", [name for name in SHAPES if TABLE[name].hub])
def test_every_task_method_of_the_hub(hub_config_: Config, expert_server: FakeExperts, task: str) -> None:
    expert_server.models["some/model"] = task
    place = hub(hub_config_)
    value = place.infer("some/model", TABLE[task], inputs(place, task)).value
    result = TABLE[task].result
    assert result.to_text(value) == result.to_text(result.parse(SHAPES[task]))


@pytest.mark.parametrize(
    ("task", "key"),
    [("text-to-image", "generated image"), ("image-to-image", "generated image"), ("text-to-speech", "generated audio"),
     ("audio-to-audio", "generated audio"), ("image-segmentation", "generated image"), ("object-detection", "generated image")],
)  # fmt: skip
def test_generated_files_are_saved_and_open(
    hub_config_: Config, expert_server: FakeExperts, task: str, key: str
) -> None:
    expert_server.models["some/model"] = task
    place = hub(hub_config_)
    value = place.infer("some/model", TABLE[task], inputs(place, task)).value
    file = place.media.resolve(value[key])
    assert file.stat().st_size > 40
    if key == "generated image":
        with Image.open(file) as picture:
            picture.verify()


def test_pictures_and_the_own_token_are_sent(hub_config_: Config, expert_server: FakeExperts) -> None:
    place = hub(hub_config_)
    place.infer(DETECTOR, TABLE["object-detection"], {"image": image(place)})
    sent = expert_server.inferences(DETECTOR)[0]
    assert sent["body"] == image(place).read_bytes()
    assert sent["headers"]["Authorization"] == "Bearer hf_own"


def test_no_token_goes_to_a_gateway_that_it_is_not_meant_for(
    make_config: MakeConfig, expert_server: FakeExperts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the environment's nor one that the Hub's own program saved on this machine, which is not even read."""
    read: list[str] = []

    def saved() -> str:
        read.append("hf_saved")
        return "hf_saved"

    monkeypatch.setattr("huggingface_hub.utils._auth._get_token_from_environment", lambda: "hf_saved")
    monkeypatch.setattr("huggingface_hub.utils._auth._get_token_from_file", saved)
    place = hub(make_config({"HF_TOKEN": "hf_env"}, huggingface={"base_url": expert_server.url}))
    place.models(TABLE["object-detection"], 5)
    place.infer(DETECTOR, TABLE["object-detection"], {"image": image(place)})
    place.infer(PAINTER, TABLE["text-to-image"], {"text": "a cat"})
    assert len(expert_server.requests) > 3
    assert not read
    assert not any("Authorization" in request["headers"] for request in expert_server.requests)


BAD = {
    "500": (status(500), "answered 500"),
    "401": (status(401), "refused the token"),
    "html": (HTML, "."),
    "nothing": (NOTHING, "."),
    "dropped": (DROP, "failed"),
    "wrong json": (Fault(body='{"foo": 1}'), "."),
    "hangs": (HANG, "failed"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("model", [DETECTOR, PAINTER, SPEAKER])
def test_a_model_of_the_hub_that_fails(
    make_config: MakeConfig, expert_server: FakeExperts, case: str, model: str
) -> None:
    fault, said = BAD[case]
    expert_server.always[model] = fault
    config = make_config(
        huggingface={"base_url": expert_server.url, "token": "hf_own_token"}, limits={"inference_seconds": 0.3}
    )
    place = hub(config)
    task = expert_server.models[model]
    with pytest.raises(BackendError, match=said) as caught:
        place.infer(model, TABLE[task], inputs(place, task))
    assert "hf_own_token" not in str(caught.value)
    assert caught.value.endpoint_down == (case == "401")


def test_a_hub_that_is_not_there(make_config: MakeConfig) -> None:
    place = hub(make_config(huggingface={"base_url": "http://127.0.0.1:9", "token": "hf_own"}))
    assert place.models(TABLE["object-detection"], 5) == []
    with pytest.raises(BackendError) as caught:
        place.infer(DETECTOR, TABLE["object-detection"], {"image": image(place)})
    assert caught.value.endpoint_down


# The model server


def test_a_server_that_is_not_running_has_no_models(make_config: MakeConfig) -> None:
    config = make_config(local_inference_endpoint={"host": "127.0.0.1", "port": 9})
    assert model_server(config).models(TABLE["object-detection"], 5) == []


def test_models_that_the_server_has_loaded(make_config: MakeConfig, expert_server: FakeExperts) -> None:
    place = model_server(server_config(make_config, expert_server))
    assert [card.id for card in place.models(TABLE["object-detection"], 5)] == [DETECTOR, "facebook/detr-resnet-50"]
    place.models(TABLE["object-detection"], 5)
    asked = [request["path"] for request in expert_server.requests]
    assert len(asked) == len(set(asked))


def test_a_server_with_a_list_is_not_asked_model_by_model(make_config: MakeConfig, expert_server: FakeExperts) -> None:
    listed = [
        {"id": DETECTOR, "tasks": ["object-detection"]},
        {"id": "mine", "tasks": ["object-detection", "canny-control"], "description": "My own."},
    ]
    expert_server.files["/models"] = json.dumps({"models": listed}).encode()
    expert_server.models["mine"] = "object-detection"
    place = model_server(server_config(make_config, expert_server))
    cards = place.models(TABLE["object-detection"], 5)
    assert [(card.id, card.downloads > 0) for card in cards] == [(DETECTOR, True), ("mine", False)]
    assert [card.description for card in place.models(TABLE["canny-control"], 5)] == ["My own."]
    assert place.models(TABLE["text-to-image"], 5) == []
    assert [request["path"] for request in expert_server.requests] == ["/running", "/models"]
    place.infer("mine", TABLE["object-detection"], {"image": image(place)})
    assert json.loads(expert_server.requests[-1]["body"])["task"] == "object-detection"


def test_a_minimal_deployment_serves_the_controls_without_being_asked(
    make_config: MakeConfig, expert_server: FakeExperts
) -> None:
    place = model_server(server_config(make_config, expert_server, local_deployment="minimal"))
    assert [card.id for card in place.models(TABLE["canny-control"], 5)] == ["canny-control"]
    assert [card.id for card in place.models(TABLE["canny-text-to-image"], 5)] == ["lllyasviel/sd-controlnet-canny"]
    assert place.models(TABLE["object-detection"], 5) == []


def test_the_wire_format_is_jarvis(make_config: MakeConfig, expert_server: FakeExperts) -> None:
    place = model_server(server_config(make_config, expert_server))
    place.infer(DETECTOR, TABLE["object-detection"], {"image": image(place)})
    place.infer(SPEAKER, TABLE["text-to-speech"], {"text": "hi"})
    place.infer(
        "facebook/wav2vec2-base-960h",
        TABLE["automatic-speech-recognition"],
        {"audio": image(place).parent / "speech.wav"},
    )
    sent = [json.loads(request["body"]) for request in expert_server.requests if request["body"]]
    assert sent == [{"img_url": "public/examples/b.jpg"}, {"text": "hi"}, {"audio_url": "public/examples/speech.wav"}]


def test_files_of_the_server_are_fetched_once_they_are_not_here(
    make_config: MakeConfig, expert_server: FakeExperts
) -> None:
    place = model_server(server_config(make_config, expert_server))
    value = place.infer(PAINTER, TABLE["text-to-image"], {"text": "a cat"}).value
    with Image.open(place.media.resolve(value["generated image"])) as picture:
        assert picture.size == (64, 64)
    expert_server.always[PAINTER] = Fault(body='{"path": "/examples/a.jpg"}')  # one that both can see
    value = place.infer(PAINTER, TABLE["text-to-image"], {"text": "a cat"}).value
    assert value == {"generated image": "/examples/a.jpg"}


def test_boxes_are_drawn_over_the_picture(make_config: MakeConfig, expert_server: FakeExperts) -> None:
    place = model_server(server_config(make_config, expert_server))
    value = place.infer(DETECTOR, TABLE["object-detection"], {"image": image(place)}).value
    with Image.open(place.media.resolve(value["generated image"])) as drawn, Image.open(image(place)) as before:
        assert drawn.size == before.size
        assert drawn.convert("RGB").tobytes() != before.convert("RGB").tobytes()
    assert [region["label"] for region in value["predicted"]] == ["cat", "cat"]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (status(500), "failed: scripted 500"),
        (HTML, "no JSON"),
        (NOTHING, "no JSON"),
        (DROP, "broke off or is not running"),
        (HANG, "did not answer in time"),
        (Fault(body='{"error": {"message": "CUDA out of memory"}}'), "CUDA out of memory"),  # JARVIS says it with 200
        (Fault(body='{"error": "no"}'), "failed: no"),
        (Fault(body='{"foo": 1}'), "is no result of text-to-image"),
        (Fault(body='{"path": "/images/none.png"}'), "cannot be fetched"),
        (Fault(body='{"path": "../../etc/passwd"}'), "cannot be fetched"),
        (Fault(404, "gone", "text/plain"), "answered 404 and no JSON"),
    ],
)
def test_a_model_of_the_server_that_fails(
    make_config: MakeConfig, expert_server: FakeExperts, fault: Fault, said: str
) -> None:
    expert_server.always[PAINTER] = fault
    place = model_server(server_config(make_config, expert_server, limits={"inference_seconds": 0.3}))
    with pytest.raises(BackendError, match=said):
        place.infer(PAINTER, TABLE["text-to-image"], {"text": "a cat"})


def test_connections_are_kept(make_config: MakeConfig, expert_server: FakeExperts) -> None:
    place = model_server(server_config(make_config, expert_server))
    for _ in range(5):
        place.infer(SPEAKER, TABLE["text-to-speech"], {"text": "hi"})
    assert (expert_server.connections, len(expert_server.requests)) == (
        1,
        11,
    )  # the list; an inference and its file each


def test_both_are_endpoints(make_config: MakeConfig, expert_server: FakeExperts) -> None:
    endpoints: list[Endpoint] = [hub(make_config()), model_server(make_config())]
    assert [endpoint.name for endpoint in endpoints] == ["huggingface", "local"]


def test_only_a_picture_of_common_size_is_decoded_early(public: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    detection, args = TABLE["object-detection"], {"image": public / "examples" / "b.jpg"}
    early = picture_to_draw_on(detection, args)
    assert early
    assert early.result(timeout=20).size == (760, 691)
    monkeypatch.setattr(base, "DECODED_EARLY_MEGAPIXELS", 0.1)
    late = picture_to_draw_on(detection, args)
    assert late
    assert late.result(timeout=20) is None
    assert picture_to_draw_on(TABLE["image-to-text"], args) is None


def test_boxes_are_drawn_over_the_picture_whatever_its_argument_is_called(
    make_config: MakeConfig, public: Path
) -> None:
    row = TaskType("find-logos", "find logos", (Arg("photo", "image"),), BOXES)
    args = {"photo": public / "examples" / "b.jpg"}
    boxes = [{"label": "logo", "score": 0.9, "box": {"xmin": 1, "ymin": 1, "xmax": 9, "ymax": 9}}]
    value = settle(row, boxes, args, MediaStore(make_config()))
    assert (public / value["generated image"].lstrip("/")).is_file()


def test_a_model_server_is_no_advice_for_a_task_that_it_cannot_have(
    make_config: MakeConfig, expert_server: FakeExperts
) -> None:
    own = replace(TABLE["summarization"], name="abridging", models=())
    endpoint = model_server(server_config(make_config, expert_server))
    assert endpoint.what_to_set(TABLE["text-to-image"]).startswith("start ")
    assert endpoint.what_to_set(own) == ""
    assert endpoint.what_to_set(replace(own, models=("me/abridger",))).startswith("start ")
    endpoint.close()
