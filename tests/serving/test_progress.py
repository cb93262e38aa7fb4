"""What clients are told while a model is downloaded and loaded: bytes of how many, as events."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import requests

from hugginggpt.catalog.catalog import Catalog
from hugginggpt.common.paths import CATALOGUE
from hugginggpt.core.errors import BackendError
from hugginggpt.endpoints.calls import Call, calling
from hugginggpt.endpoints.server import ModelServer
from hugginggpt.media.store import MediaStore
from hugginggpt.serving import progress
from hugginggpt.serving.downloads import Downloads, fetch, files_of
from hugginggpt.serving.model_pool import Busy
from hugginggpt.testing.servers import Serving, serving
from tests.conftest import TABLE, MakeConfig
from tests.serving.plain_family import Hold, echo, entry, pool_of, weights
from tests.serving.test_deployments import Hub

TASK = "text-generation"
EVENTS = {"Accept": "text/event-stream"}
Event = tuple[str, dict[str, Any]]


def events(answer: requests.Response) -> list[Event]:
    assert (answer.status_code, answer.headers["Content-Type"].partition(";")[0]) == (200, "text/event-stream")
    found = []
    for block in answer.text.strip().split("\n\n"):
        name, data = block.split("\n")
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


def post(server: Serving, path: str, **options: Any) -> requests.Response:
    return requests.post(f"{server.url}/models/{path}", headers=EVENTS, timeout=30, **options)


def test_loading_tells_the_bytes_that_are_read(
    server: Serving, tmp_path: Path, plain: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "CHUNK_BYTES", 1000)
    loaded = plain(echo)
    folder = weights(tmp_path / "mine", 1000)
    size = (folder / "model.safetensors").stat().st_size
    model = server.add(folder, TASK)
    *reading, (last, info) = events(post(server, f"{model}/load"))
    told = [data for name, data in reading if name == "loading"]
    assert len(told) == len(reading) >= 1 and told[-1] == {"done": size, "total": size}
    assert [one["done"] for one in told] == sorted(one["done"] for one in told)
    assert (last, info["state"], info["id"]) == ("done", "loaded", "mine")
    assert [name for name, _ in events(post(server, f"{model}/load"))] == ["done"]  # it is loaded already
    assert loaded == ["mine"]


def test_all_who_wait_for_a_model_are_told_and_one_who_goes_ends_it_for_nobody(tmp_path: Path, plain: Any) -> None:
    plain(echo)
    folder, other, hold = weights(tmp_path / "mine", 1000), weights(tmp_path / "other", 10), Hold()
    pool = pool_of()
    told: dict[str, list[int]] = {"first": [], "second": []}

    def first(done: int, total: int) -> None:
        told["first"].append(done)
        hold()
        raise BackendError("gone")

    begun = pool.load(entry(folder), first)
    assert hold.began.wait(20)
    second = pool.load(entry(folder), lambda done, total: told["second"].append(done))
    hold.over.set()
    begun.result(20)
    second.result(20)
    size = (folder / "model.safetensors").stat().st_size
    assert told["first"] == [0, size] and told["second"][-1] == size
    pool.load(entry(other)).result(20)  # nobody listens
    pool.close()


def test_a_model_that_cannot_be_loaded_ends_the_events_with_its_error(server: Serving, tmp_path: Path) -> None:
    folder = weights(tmp_path / "mine", 10)
    (folder / "model.safetensors").write_bytes(b"damaged")
    ((name, data),) = events(post(server, f"{server.add(folder, 'text-classification')}/load"))
    assert name == "failed" and data["error"]["type"]
    assert post(server, "me/none/load").status_code == 404


def test_a_client_that_has_gone_ends_its_events_and_nothing_else(server: Serving, tmp_path: Path, plain: Any) -> None:
    hold = Hold()

    def run(asked: Any) -> list[Any]:
        hold()
        return echo(asked)

    plain(run)
    model = server.add(weights(tmp_path / "mine", 10), TASK)
    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(server.ask, model, text="x")
        assert hold.began.wait(20)
        found = server.model_registry.find(model)
        assert found
        work = server.pool.load(found, has_gone=lambda: True)
        server.pool.drop_unwanted()
        with pytest.raises(BackendError, match="Nobody waits"):
            progress._ended(work)
        hold.over.set()
        assert running.result(20) == {"generated text": "x"}


def test_files_that_would_not_stay_in_memory_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "SHARE_OF_MEMORY", 0)
    told: list[tuple[int, int]] = []
    progress.read_ahead([weights(tmp_path / "mine", 10) / "model.safetensors"], lambda *said: told.append(said))
    assert len(told) == 1 and told[0][0] == 0


def told_by(client: ModelServer, model: str) -> list[tuple[float, float | None, str]]:
    """What those who follow a run of the controller are told while it asks for a model."""
    told: list[tuple[float, float | None, str]] = []
    with calling(Call(told=lambda *said: told.append(said))):
        client.infer(model, TABLE[TASK], {"text": "x"})
    return told


def test_the_controller_passes_on_how_far_the_loading_is(
    server: Serving, make_config: MakeConfig, tmp_path: Path, plain: Any
) -> None:
    plain(echo)
    folder = weights(tmp_path / "mine", 1000)
    model, size = server.add(folder, TASK), (folder / "model.safetensors").stat().st_size
    config = make_config(local_inference_endpoint={"host": "127.0.0.1", "port": int(server.url.rpartition(":")[2])})
    with closing(ModelServer(config, Catalog(CATALOGUE), MediaStore(config))) as client:
        told = told_by(client, model)
        assert told[-1] == (size, size, "mine is put into memory")
        assert {text for done, _, text in told if done < size} <= {"the weights of mine are read"}
        server.pool.unload(model)
        assert told_by(client, model) == []  # only before the first request: asking each time takes time


def test_the_controller_passes_on_why_a_model_cannot_be_loaded(
    server: Serving, make_config: MakeConfig, tmp_path: Path
) -> None:
    folder = weights(tmp_path / "mine", 10)
    (folder / "model.safetensors").write_bytes(b"damaged")
    model = server.add(folder, TASK)
    config = make_config(local_inference_endpoint={"host": "127.0.0.1", "port": int(server.url.rpartition(":")[2])})
    client = ModelServer(config, Catalog(CATALOGUE), MediaStore(config))
    with closing(client), pytest.raises(BackendError, match="mine on the model server failed"):
        told_by(client, model)


# Downloads


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    with Hub() as server:
        server.folders = {"me/mine": weights(tmp_path / "hub", 50_000)}
        yield server


@pytest.fixture
def hub_server(
    make_config: MakeConfig, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plain: Any
) -> Iterator[Serving]:
    from huggingface_hub import constants

    plain(echo)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    deployments = {"minimal": {}, "standard": {}, "full": {TASK: ["me/mine"]}}
    config = make_config(
        huggingface={"base_url": hub.url}, deployments=deployments, local_deployment="full", device="cpu", log_file=None
    )
    with serving(config) as server:
        yield server


def test_a_model_of_the_deployment_is_downloaded_with_events_and_then_runs(hub_server: Serving, hub: Hub) -> None:
    assert hub_server.post("me/mine", {"text": "x"}).status_code == 404
    *told, (last, fetched) = events(post(hub_server, "me/mine/download"))
    size = sum(hub.files("me/mine").values())
    assert (last, fetched) == ("done", {"id": "me/mine", "bytes": size})
    assert {name for name, _ in told} == {"downloading"}
    assert told[-1][1] == {"done": size, "total": size}
    assert hub_server.ask("me/mine", text="x") == {"generated text": "x"}


def test_progress_is_told_as_the_bytes_arrive(hub_server: Serving, hub: Hub, make_config: MakeConfig) -> None:
    config = hub_server.model_registry.config
    files, told = files_of(config, "me/mine"), []
    fetch(config, "me/mine", files, lambda done, total: told.append((done, total)))
    assert told[-1][1] == sum(files.values()) and told[-1][0] >= files["model.safetensors"]


def test_what_nobody_named_is_not_downloaded(hub_server: Serving, hub: Hub) -> None:
    hub.folders["me/other"] = hub.folders["me/mine"]
    for model in ("me/other", "vader"):
        assert post(hub_server, f"{model}/download").status_code == 404
    assert not hub.fetched()


def test_a_hub_that_does_not_answer_ends_the_events(hub_server: Serving, hub: Hub) -> None:
    hub.folders.clear()
    ((name, data),) = events(post(hub_server, "me/mine/download"))
    assert (name, data["error"]["type"]) == ("failed", "ExpertUnavailable")
    assert post(hub_server, "me/mine/download").status_code == 200  # the place is free again


def test_one_download_at_a_time_and_one_that_nobody_follows_ends(hub_server: Serving) -> None:
    downloads, began, over = Downloads(hub_server.model_registry.config), threading.Event(), threading.Event()

    def tell(done: int, total: int) -> None:
        began.set()
        over.wait(20)
        raise BackendError("Nobody waits for it any more.")

    first = downloads.start("me/mine", tell)
    assert began.wait(20)
    with pytest.raises(Busy):
        downloads.start("me/mine")
    over.set()
    with pytest.raises(BackendError, match="Nobody waits"):
        first.result(20)
    assert downloads.start("me/mine").result(30) > 200_000
