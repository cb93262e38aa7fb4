"""Who may call the model server, and what it shows; a controller that has no folder in common with it."""

from __future__ import annotations

import io
import shutil
import ssl
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import flask
import pytest
import requests

import models_server
from hugginggpt.catalog.catalog import Catalog
from hugginggpt.common.paths import CATALOGUE, PUBLIC
from hugginggpt.config import Config
from hugginggpt.core.errors import UserError
from hugginggpt.core.results import files_of
from hugginggpt.endpoints.server import ModelServer
from hugginggpt.experts import registry
from hugginggpt.media.store import MediaStore
from hugginggpt.serving.app import _request_data, create_app
from hugginggpt.serving.commands import make_model_registry, make_pool
from hugginggpt.testing.servers import Serving, served, serving
from tests.conftest import TABLE, MakeConfig
from tests.net.certificates import write_certificate
from tests.serving.operations import DOCUMENT, HOW, MOVING, SUBTITLES, write_documents, write_video

TOKEN = "of-the-model-server"


@pytest.fixture
def guarded(make_config: MakeConfig) -> Iterator[Serving]:
    address = {"token": TOKEN, "origins": ["https://mine.example"]}
    with serving(make_config(device="cpu", log_file=None, local_inference_endpoint=address)) as running:
        yield running


def test_it_listens_elsewhere_with_a_token_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert models_server.main(["--host", "0.0.0.0", "--port", "0"]) == 2
    err = capsys.readouterr().err
    assert "can be reached from other machines: set local_inference_endpoint.token" in err


def test_with_a_token_it_is_needed_for_all_but_probes(guarded: Serving) -> None:
    for path in ("/models", "/metrics", "/running", "/status/vader", "/examples/a.jpg"):
        assert requests.get(guarded.url + path, timeout=10).status_code == 401, path
    assert guarded.post("vader", {"text": "good"}).status_code == 401
    for path in ("/healthz", "/readyz"):
        assert requests.get(guarded.url + path, timeout=10).status_code == 200
    known = {"Authorization": f"Bearer {TOKEN}"}
    assert guarded.post("vader", {"text": "good"}, headers=known).status_code == 200
    wrong = {"Authorization": "Bearer of-another-server"}
    refused = guarded.post("vader", {"text": "good"}, headers=wrong)
    assert refused.status_code == 401
    assert refused.json()["error"]["message"].endswith("(local_inference_endpoint.token).")


def test_other_names_and_origins_are_refused(server: Serving) -> None:
    foreign = {"Host": "rebound.example"}
    for path in ("/models", "/examples/a.jpg", "/healthz"):
        assert requests.get(server.url + path, headers=foreign, timeout=10).status_code == 403, path
    origin = {"Origin": "https://rebound.example"}
    for path in ("vader", "vader/load", "vader/unload"):
        assert server.post(path, {"text": "good"}, headers=origin).status_code == 403
    assert "Access-Control-Allow-Origin" not in requests.get(server.url + "/models", headers=origin, timeout=10).headers
    assert server.post("vader", {"text": "good"}, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403


def test_an_origin_of_the_configuration_may_call(guarded: Serving) -> None:
    headers = {"Origin": "https://mine.example", "Authorization": f"Bearer {TOKEN}"}
    answer = guarded.post("vader", {"text": "good"}, headers=headers)
    assert (answer.status_code, answer.headers["Access-Control-Allow-Origin"]) == (200, "https://mine.example")


@pytest.mark.parametrize("name", ["page.html", "images/page.html", "uploads/drawing.svg"])
def test_a_page_in_the_public_folder_is_a_download(server: Serving, public: Path, name: str) -> None:
    (public / name).parent.mkdir(exist_ok=True)
    (public / name).write_text("<script>alert(1)</script>")
    answer = requests.get(f"{server.url}/{name}", timeout=10)
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["Content-Disposition"] == "attachment"
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"


def test_readiness_says_why_not(make_config: MakeConfig) -> None:
    config = make_config(device="cpu", log_file=None)
    reason = ["models are being loaded"]
    pool = make_pool(config, 1.0)
    with served(create_app(config, make_model_registry(config), pool, not_ready=lambda: reason[0])) as url:
        answer = requests.get(f"{url}/readyz", timeout=10)
        assert (answer.status_code, answer.json()) == (503, {"ready": False, "reason": reason[0]})
        assert requests.get(f"{url}/healthz", timeout=10).status_code == 200
        reason[0] = ""
        answer = requests.get(f"{url}/readyz", timeout=10)
        assert (answer.status_code, answer.json()) == (200, {"ready": True})
    pool.close()


# Without a common folder


@contextmanager
def elsewhere(
    server: Serving, make_config: MakeConfig, tmp_path: Path, **more: Any
) -> Iterator[tuple[Config, ModelServer]]:
    """A client of the server whose public folder is another one."""
    address = {"host": "127.0.0.1", "port": int(server.url.rpartition(":")[2]), **more}
    config = make_config(local_inference_endpoint=address, public=tmp_path / "other", inference_mode="local")
    client = ModelServer(config, Catalog(CATALOGUE), MediaStore(config))
    yield config, client
    client.close()


def test_a_file_that_the_server_does_not_have_is_uploaded_and_what_it_makes_is_fetched(
    server: Serving, make_config: MakeConfig, tmp_path: Path, public: Path
) -> None:
    with elsewhere(server, make_config, tmp_path) as (_, client):
        mine = client.media.attach(public / "examples" / "b.jpg")
        found = client.infer("nanodet-coco", TABLE["object-detection"], {"image": mine}).value
        assert [box["label"] for box in found["predicted"]] == ["giraffe", "giraffe"]
        assert client._uploads
        drawn = client.infer("canny-control", TABLE["canny-control"], {"image": mine}).value
        assert client.media.resolve(drawn["generated image"]).is_relative_to(tmp_path / "other")
        asked = {"image": mine, "text": "How many giraffes are there?"}
        assert client.infer("nanodet-coco", TABLE["visual-question-answering"], asked).value[0]["answer"] == "2"


FILES = {"image": "person.jpg", "audio": "speech.wav"}
ROWS = "name,price\nChain,12"


def _file_for(task: str) -> str:
    return {"image-frames": MOVING, "move-subtitles": SUBTITLES}.get(task, DOCUMENT)


WORDS = {**HOW, "edit-table": "drop the column price", "plot-table": "a bar chart of price by name"}


@pytest.mark.slow
def test_every_task_with_files_works_without_a_common_folder(
    server: Serving, make_config: MakeConfig, tmp_path: Path
) -> None:
    """Those with an expert that is embedded in the server."""
    done, film = set(), write_video(tmp_path)
    write_documents(tmp_path)
    with elsewhere(server, make_config, tmp_path) as (_, client):
        for row in TABLE:
            experts = [expert for expert in registry.experts_for(row.name) if not expert.missing]
            kinds = {*row.result.makes, *(arg.kind for arg in row.required)} & {"image", "audio", "video", "document"}
            if not experts or not kinds:
                continue
            words = WORDS.get(row.name, "How many people are in it?")
            args: dict[str, Any] = dict.fromkeys((arg.name for arg in row.required), words)
            for arg in row.required:
                if arg.kind == "table":
                    args[arg.name] = [ROWS, ROWS] if arg.many else ROWS
                elif arg.kind == "video":
                    args[arg.name] = client.media.attach(str(film))
                elif arg.kind == "document" or row.name == "image-frames":
                    mine = client.media.attach(str(tmp_path / _file_for(row.name)))
                    args[arg.name] = [mine, mine] if arg.many else mine
                elif arg.kind in FILES:
                    name = "invoice.png" if row.subject or row.name == "page-to-table" else FILES[arg.kind]
                    mine = client.media.attach(shutil.copy(PUBLIC / "examples" / name, tmp_path))
                    args[arg.name] = [mine, mine] if arg.many else mine
            value = client.infer(experts[0].id, row, args).value
            for path in files_of(value):
                assert client.media.resolve(path).is_relative_to(tmp_path / "other"), row.name
            done.add(row.name)
    assert {"object-detection", "image-segmentation", "automatic-speech-recognition", "text-to-speech"} <= done
    assert {"audio-to-audio", "image-to-text", "canny-control", "openpose-control"} <= done


def test_labels_with_commas_arrive_whole_beside_a_file() -> None:
    fields = {
        "arguments": '{"labels": ["black, white"], "text": "x"}',
        "text": "y",
        "image": (io.BytesIO(b""), "b.jpg"),
    }
    with flask.Flask("x").test_request_context(method="POST", data=fields):
        assert _request_data(flask.request) == {"labels": ["black, white"], "text": "y"}
    for wrong in ("[", "[1]"):
        form = {"arguments": wrong, "image": (io.BytesIO(b""), "b.jpg")}
        with flask.Flask("x").test_request_context(method="POST", data=form), pytest.raises(UserError):
            _request_data(flask.request)


def test_the_controller_sends_the_token(guarded: Serving, make_config: MakeConfig, tmp_path: Path) -> None:
    with elsewhere(guarded, make_config, tmp_path, token=TOKEN, url=guarded.url + "/") as (config, client):
        assert config.local_inference_endpoint.url == guarded.url and config.local_inference_endpoint.is_here
        assert client.status().ready
        assert client.infer("vader", TABLE["text-classification"], {"text": "I love it"}).value
    with elsewhere(guarded, make_config, tmp_path) as (_, client):
        assert not client.status().ready


def test_the_controller_speaks_https_and_trusts_whom_it_is_told_to(
    make_config: MakeConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The token goes to no server with another certificate."""
    certificate = write_certificate(tmp_path / "both.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    guard = {"token": TOKEN, "host": "127.0.0.1"}
    config = make_config(device="cpu", log_file=None, local_inference_endpoint=guard)
    pool = make_pool(config, 1.0)
    with served(create_app(config, make_model_registry(config), pool), ssl_context=context) as url:
        assert url.startswith("https://")
        client = make_config(local_inference_endpoint={"url": url, "token": TOKEN})
        for trusted in (True, False):
            monkeypatch.setenv("SSL_CERT_FILE", str(certificate)) if trusted else monkeypatch.delenv("SSL_CERT_FILE")
            with closing(ModelServer(client, Catalog(CATALOGUE), MediaStore(client))) as endpoint:
                assert endpoint.status().ready is trusted
                if trusted:
                    answered = endpoint.infer("vader", TABLE["text-classification"], {"text": "good"})
                    assert answered.value[0]["label"] == "POSITIVE"
    pool.close()


def test_the_token_is_a_secret(make_config: MakeConfig) -> None:
    config = make_config(local_inference_endpoint={"token": TOKEN, "url": "https://models.example.com"})
    assert TOKEN not in repr(config) and config.secrets.mask(f"it is {TOKEN}") == "it is ***"
    assert not config.local_inference_endpoint.is_here


def test_an_uploaded_picture_without_persons_comes_back_unchanged(server: Serving, public: Path) -> None:
    with (public / "examples" / "b.jpg").open("rb") as file:
        answer = server.post("selfie-segmentation", files={"file": file})
    assert answer.status_code == 422
    assert server.file(answer.json()["path"]).read_bytes() == (public / "examples" / "b.jpg").read_bytes()
