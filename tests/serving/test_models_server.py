"""The model server: wire format, invalid requests, memory, queues. The results of models are tested by family."""

from __future__ import annotations

import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import requests
from PIL import Image
from prometheus_client.openmetrics.parser import text_string_to_metric_families

import models_server
from hugginggpt.catalog.catalog import Catalog
from hugginggpt.common.paths import CATALOGUE, ROOT
from hugginggpt.core.errors import BackendError, ConfigError
from hugginggpt.endpoints.server import ModelServer
from hugginggpt.experts.families import Args
from hugginggpt.experts.source import Placement, Source, choose_placement
from hugginggpt.media.store import MediaStore
from hugginggpt.serving import commands
from hugginggpt.testing.fakes import FakeExperts
from hugginggpt.testing.servers import Serving
from tests.conftest import TABLE, MakeConfig
from tests.experts.families import tiny_text, tiny_vision
from tests.media.samples import silent_flac
from tests.serving.plain_family import CPU, Hold, echo, weights

# The wire


def test_routes_of_jarvis(server: Serving) -> None:
    assert requests.get(f"{server.url}/running", timeout=5).json() == {"running": True}
    known = requests.get(f"{server.url}/status/canny-control", timeout=5).json()
    assert known["loaded"] is True
    unknown = requests.get(f"{server.url}/status/no/model", timeout=5).json()
    assert unknown == {"loaded": False, "id": "no/model", "state": "absent"}
    answer = server.ask("canny-control", img_url="public/examples/b.jpg")
    assert set(answer) == {"path"}
    with Image.open(server.file(answer["path"])) as drawn:
        assert drawn.size == (760, 691)
    picture = requests.get(server.url + answer["path"], timeout=5)
    assert picture.headers["Content-Type"] == "image/png"


def test_boxes_are_a_list_by_themselves(server: Serving) -> None:
    boxes = server.ask("nanodet-coco", img_url="/examples/b.jpg")
    assert [box["label"] for box in boxes] == ["giraffe", "giraffe"]
    assert set(boxes[0]) == {"label", "score", "box"}


def test_a_model_for_several_tasks_does_the_one_whose_arguments_it_gets_or_that_is_named(server: Serving) -> None:
    answered = server.ask("nanodet-coco", img_url="/examples/b.jpg", text="How many giraffes are there?")
    assert answered[0]["answer"] == "2"
    detected = server.ask("nanodet-coco", img_url="/examples/b.jpg", task="object-detection")
    assert [row["label"] for row in detected] == ["giraffe", "giraffe"]
    wrong = server.post("nanodet-coco", {"img_url": "/examples/b.jpg", "task": "text-to-speech"})
    assert wrong.status_code == 400
    assert "nanodet-coco is for object-detection and visual-question-answering" in wrong.json()["error"]["message"]


def test_a_segmentation_without_persons_names_the_unchanged_picture(server: Serving) -> None:
    """JARVIS's client takes "path" from the answer to each segmentation; an error without it was a KeyError there."""
    answer = server.post("selfie-segmentation", {"img_url": "/examples/b.jpg"})
    assert answer.status_code == 422
    assert answer.json()["error"]["message"].startswith("No person was found")
    assert answer.json()["path"] == "/examples/b.jpg"
    assert "path" not in server.post("openpose-control", {"img_url": "/examples/b.jpg"}).json()


def test_a_file_may_be_uploaded(server: Serving, public: Path) -> None:
    with (public / "examples" / "b.jpg").open("rb") as file:
        answer = requests.post(f"{server.url}/models/nanodet-coco", files={"file": file}, timeout=20)
    assert [box["label"] for box in answer.json()] == ["giraffe", "giraffe"]
    with (public / "examples" / "speech.wav").open("rb") as file:
        answer = requests.post(f"{server.url}/models/nanodet-coco", files={"image": file}, timeout=20)
    assert answer.status_code == 400
    assert "is not an image file but audio/x-wav" in answer.json()["error"]["message"]


def test_each_file_of_a_list_is_opened_as_a_single_one_is(server: Serving, public: Path, tmp_path: Path) -> None:
    """No path of this machine, no link out of the public folder, nothing that is no file."""
    outside, given = tmp_path / "secret.png", public / "examples" / "a.png"
    Image.new("RGB", (40, 30), "red").save(outside)
    Image.new("RGB", (40, 30), "blue").save(given)
    (public / "link.png").symlink_to(outside)
    os.mkfifo(public / "pipe.png")
    for name in (str(outside), f"file://{outside}", "../secret.png", "/link.png", "/pipe.png", "/examples/speech.wav"):
        for images in (["/examples/a.png", name], f"{name},/examples/a.png"):
            refused = server.post("collage", {"images": images})
            assert (refused.status_code, refused.json()["error"]["type"]) == (400, "MediaError"), name
    many = server.post("collage", {"images": ["/examples/a.png"] * 65})
    assert "64 files at most" in many.json()["error"]["message"]
    joined = server.ask("collage", images=["/examples/a.png", "examples/a.png"])
    assert server.picture(joined["path"]).size == (88, 30)


def test_several_files_of_a_name_are_a_list(server: Serving, public: Path, make_config: MakeConfig) -> None:
    """As a client sends them by itself, and as ours does."""
    pictures = [public / f"{colour}.png" for colour in ("red", "blue")]
    for path in pictures:
        Image.new("RGB", (40, 30), path.stem).save(path)
    with pictures[0].open("rb") as red, pictures[1].open("rb") as blue:
        for name in ("images", "file"):
            answer = server.post("collage", files=[(name, ("a.png", red)), (name, ("a.p\0ng", blue))])
            assert server.picture(answer.json()["path"]).size == (88, 30)
            red.seek(0), blue.seek(0)
        answer = server.post("crop", files=[("image", red), ("image", blue)], data={"part": "left half"})
        assert "should be a text, but is list" in answer.json()["error"]["message"]
    address = {"host": "127.0.0.1", "port": int(server.url.rpartition(":")[2])}
    config = make_config(local_inference_endpoint=address)
    client = ModelServer(config, Catalog(CATALOGUE), MediaStore(config))
    for client._uploads in (False, True):
        made = client.infer("collage", TABLE["join-images"], {"images": pictures}).value["generated image"]
        assert server.picture(made).size == (88, 30)
    client.close()


@pytest.mark.parametrize(("name", "question"), [("img_url", "question"), ("image", "text"), ("file", "text")])
def test_an_uploaded_file_tells_the_task_as_an_address_does(
    server: Serving, public: Path, name: str, question: str
) -> None:
    with (public / "examples" / "b.jpg").open("rb") as file:
        form = {question: (None, "How many giraffes are there?"), name: ("b.jpg", file)}
        answer = server.post("nanodet-coco", files=form)
    assert answer.json()[0]["answer"] == "2"


@pytest.mark.slow
def test_a_table_is_csv_text_or_a_file(server: Serving, public: Path, make_config: MakeConfig) -> None:
    table = "a,b,c\n1,2,x\n2,3,y\n1,2,x\n3,3,y\n1,2,\n"
    (public / "examples" / "t.csv").write_text(table, encoding="utf-8")
    for given in (table, "/examples/t.csv", "public/examples/t.csv"):
        assert server.ask("random-forest", table=given) == ["x"]
    for name in ("table", "file"):
        answer = server.post("random-forest", files={name: ("t.csv", table)})
        assert answer.json() == ["x"]
    address = {"host": "127.0.0.1", "port": int(server.url.rpartition(":")[2])}
    config = make_config(local_inference_endpoint=address)
    client = ModelServer(config, Catalog(CATALOGUE), MediaStore(config))
    answered = client.infer("random-forest", TABLE["tabular-classification"], {"table": public / "examples" / "t.csv"})
    assert answered.value == ["x"]
    client.close()


def test_the_list_and_the_state_of_models(server: Serving, tmp_path: Path, plain: Any) -> None:
    plain(echo)
    model = server.add(weights(tmp_path / "mine", 1000), "text-generation")

    def state() -> dict[str, Any]:
        listed = requests.get(f"{server.url}/models", timeout=10).json()["models"]
        return next(found for found in listed if found["id"] == model)

    assert (state()["state"], state()["bytes"], state()["uses"]) == ("available", 0, 0)
    loaded = requests.post(f"{server.url}/models/{model}/load", timeout=10).json()
    assert (loaded["state"], loaded["bytes"], loaded["device"], loaded["dtype"]) == ("loaded", 4000, "cpu", "float32")
    assert server.ask(model, text="hi") == {"generated text": "hi"}
    assert state()["uses"] == 1
    assert requests.post(f"{server.url}/models/{model}/unload", timeout=10).json() == {"id": model, "unloaded": True}
    assert (state()["state"], state()["bytes"]) == ("available", 0)
    assert requests.post(f"{server.url}/models/{model}/unload", timeout=10).json()["unloaded"] is False


def test_health_and_metrics(server: Serving, tmp_path: Path, plain: Any) -> None:
    plain(echo)
    model = server.add(weights(tmp_path / "mine", 1000), "text-generation")
    server.ask(model, text="hi")
    assert requests.get(f"{server.url}/healthz", timeout=5).json() == {"status": "ok", "waiting": 0}
    metrics = requests.get(f"{server.url}/metrics", timeout=5)
    assert metrics.headers["Content-Type"].startswith("text/plain")
    assert 'models_server_requests_total{model="mine",outcome="ok"} 1.0' in metrics.text
    assert 'models_server_memory_bytes{model="mine"} 4000.0' in metrics.text
    assert "models_server_memory_budget_bytes 1e+09" in metrics.text
    accept = {"Accept": "application/openmetrics-text; version=1.0.0"}
    opened = requests.get(f"{server.url}/metrics", headers=accept, timeout=5)
    assert opened.headers["Content-Type"].startswith("application/openmetrics-text")
    families = {family.name: family for family in text_string_to_metric_families(opened.text)}
    (done,) = (row for row in families["models_server_requests"].samples if row.name.endswith("_total"))
    assert (done.labels, done.value) == ({"model": "mine", "outcome": "ok"}, 1.0)


# Mistakes


@pytest.mark.parametrize(
    ("model", "data", "status", "said"),
    [
        ("no/model", {"text": "x"}, 404, "There is no model no/model here"),
        ("..%2f..%2fetc", {"text": "x"}, 404, "There is no model"),
        ("nanodet-coco", {}, 400, "object-detection needs img_url"),
        ("nanodet-coco", {"text": "how many cats?"}, 400, "object-detection needs img_url"),
        ("nanodet-coco", {"img_url": 7}, 400, "img_url should be a text, but is int"),
        ("nanodet-coco", {"img_url": "/examples/none.jpg"}, 400, "There is no file"),
        ("nanodet-coco", {"img_url": "../../../etc/passwd"}, 400, "There is no file"),
        ("random-forest", {"table": "/examples/../../config.csv"}, 400, "There is no file"),
        ("nanodet-coco", {"img_url": "/etc/passwd"}, 400, "There is no file"),
        ("nanodet-coco", {"img_url": "http://169.254.169.254/latest/"}, 400, "private network"),
        ("nanodet-coco", {"img_url": "http://localhost:1/x.png"}, 400, "private network"),
        ("nanodet-coco", {"img_url": "file:///etc/passwd"}, 400, "not a path"),
        ("nanodet-coco", {"img_url": "/examples/speech.wav"}, 400, "not an image file"),
        ("vader", {"audio_url": "/examples/speech.wav"}, 400, "text-classification needs text"),
        ("all-MiniLM-L6-v2", {"text1": "x"}, 400, "sentence-similarity needs text2"),
    ],
)
def test_a_request_that_cannot_be_served(
    server: Serving, model: str, data: dict[str, Any], status: int, said: str
) -> None:
    answer = server.post(model, data)
    assert answer.status_code == status
    assert said in answer.json()["error"]["message"]
    assert answer.json()["error"]["type"]
    assert requests.get(f"{server.url}/running", timeout=5).ok


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"x"', b"\xff\xfe", b"[" * 100_000, b'{"text":' * 100_000])
def test_a_body_that_is_none(server: Serving, body: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    answer = requests.post(f"{server.url}/models/vader", data=body, headers=headers, timeout=5)
    assert answer.status_code == 400
    assert "The body should be JSON" in answer.json()["error"]["message"]


def test_errors_of_http_have_their_headers(server: Serving) -> None:
    wrong_method = requests.put(f"{server.url}/models/vader", timeout=5)
    assert (wrong_method.status_code, wrong_method.json()["error"]["type"]) == (405, "Method Not Allowed")
    assert "POST" in wrong_method.headers["Allow"]
    too_far = requests.get(f"{server.url}/examples/a.jpg", headers={"Range": "bytes=99999999-"}, timeout=5)
    assert (too_far.status_code, too_far.headers["Content-Type"]) == (416, "application/json")
    assert too_far.headers["Content-Range"].startswith("bytes */")


@pytest.mark.parametrize(
    ("model", "data", "said"),
    [
        ("vader", {"text": "\ud800 the"}, "half of a character"),
        ("nanodet-coco", {"img_url": "/examples/\udfff.jpg"}, "half of a character"),
        ("vader", {"text": "x", "also": [{"\udfff": 1}]}, "half of a character"),
        ("all-MiniLM-L6-v2-labels", {"text": "x", "labels": [["a"]]}, "labels should be a list of texts"),
    ],
)
def test_texts_that_are_none(server: Serving, model: str, data: dict[str, Any], said: str) -> None:
    answer = server.post(model, data)
    assert (answer.status_code, said in answer.json()["error"]["message"]) == (400, True)


def test_a_damaged_and_a_huge_picture(server: Serving, public: Path) -> None:
    (public / "examples" / "half.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    assert "damaged" in server.post("nanodet-coco", {"img_url": "/examples/half.png"}).json()["error"]["message"]
    Image.new("RGB", (6000, 5000), (90, 90, 90)).save(
        public / "examples" / "huge.jpg"
    )  # 30 megapixels are within limits
    assert server.ask("nanodet-coco", img_url="/examples/huge.jpg") == []
    Image.new("1", (9000, 9000)).save(public / "examples" / "bomb.png")
    answer = server.post("nanodet-coco", {"img_url": "/examples/bomb.png"})
    assert "81 megapixels, more than the 64 allowed" in answer.json()["error"]["message"]


def test_a_recording_that_is_too_long_is_refused_before_any_model_sees_it(server: Serving, tmp_path: Path) -> None:
    bomb = silent_flac(tmp_path / "bomb.flac", 61, told=8000).read_bytes()
    answer = server.post("silero-vad", files={"audio_url": ("short.flac", bomb)})
    assert answer.status_code == 400
    assert "more than the 60 minutes of sound allowed (limits.max_minutes)" in answer.json()["error"]["message"]
    assert requests.get(f"{server.url}/status/silero-vad", timeout=10).json()["state"] == "available"


def test_a_client_that_hangs_up_does_not_matter(server: Serving, tmp_path: Path, plain: Any) -> None:
    hold = Hold()

    def run(requests: Sequence[Args]) -> list[Any]:
        hold()
        return ["late"]

    plain(run)
    model = server.add(weights(tmp_path / "mine", 10), "text-generation")
    body = b'{"text": "x"}'
    head = f"POST /models/{model} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", int(server.url.rsplit(":", 1)[1]))) as client:
        client.sendall(head.encode() + body)
        assert hold.began.wait(20)
    hold.over.set()
    assert server.ask(model, text="x") == {"generated text": "late"}


def test_weights_that_can_run_code_are_refused(server: Serving, tmp_path: Path) -> None:
    import pickle

    class Evil:
        def __reduce__(self) -> Any:
            return (os.mkdir, (str(tmp_path / "executed"),))

    folder = tmp_path / "evil"
    folder.mkdir()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Evil()))
    (folder / "config.json").write_text('{"model_type": "bert", "architectures": ["BertForSequenceClassification"]}')
    model = server.add(folder, "text-classification")
    answer = server.post(model, {"text": "x"})
    assert answer.status_code == 422
    assert "pickled weights, which can run code and are not loaded" in answer.json()["error"]["message"]
    assert not (tmp_path / "executed").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"config.json": b"{}"}, "has no weights"),
        ({"config.json": b"{}", "model.safetensors": b"\x08\0\0\0\0\0\0\0{"}, "damaged"),
        ({"config.json": b"{", "model.safetensors": b"\x02\0\0\0\0\0\0\0{}"}, "cannot be loaded"),
        ({"config.json": b"{}", "model.safetensors": b""}, "damaged"),
        ({"config.json": b'{"model_type": "no-such"}', "model.safetensors": b"\x02\0\0\0\0\0\0\0{}"}, "no-such"),
    ],
)
def test_a_folder_that_is_no_model(server: Serving, tmp_path: Path, files: dict[str, bytes], said: str) -> None:
    folder = tmp_path / "broken"
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    model = server.add(folder, "text-classification")
    answer = server.post(model, {"text": "x"})
    assert answer.status_code in (422, 500)
    assert said in answer.json()["error"]["message"]
    status = requests.get(f"{server.url}/status/{model}", timeout=5).json()
    assert status["state"] == "failed"
    assert said in status["error"]


# Sizes and places


def test_the_size_of_weights_is_read_from_their_headers(tmp_path: Path) -> None:
    folder = weights(tmp_path / "mine", 1000)
    weights(folder, 1000, "model.fp16.safetensors")  # the same once more in another precision
    source = Source("mine", folder, "x", CPU)
    assert source.bytes_needed == 4000
    assert Source("mine", folder, "x", Placement("cuda:0", "bfloat16")).bytes_needed == 2000
    weights(folder, 500, "model-00002-of-00002.safetensors")
    assert Source("mine", folder, "x", CPU).bytes_needed == 6000


@pytest.mark.slow
def test_devices() -> None:
    assert choose_placement("cpu") == CPU
    with pytest.raises(ConfigError, match='"tpu" is none of auto, cpu'):
        choose_placement("tpu")
    with pytest.raises(ConfigError, match="cuda:7 is not there on this machine"):
        choose_placement("cuda:7")


# The program


def test_help_without_torch() -> None:
    code = (
        "import atexit, sys, runpy\nsys.argv = ['models_server.py', '--help']\n"
        "heavy = {'torch', 'transformers', 'flask', 'pydantic', 'numpy'}\n"
        "atexit.register(lambda: print(sorted(heavy & set(sys.modules)), file=sys.stderr))\n"
        "runpy.run_path('models_server.py', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=30)
    assert done.stderr.strip() == "[]"
    assert "--preload" in done.stdout


def server_program(*args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "models_server.py"), *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--device", "tpu", "--preload", "nanodet-coco"], "is none of auto"),
        (["--device", "cpu", "--preload", "no/model"], "The model no/model is not on this machine"),
        (["--config", "/none.yaml"], "Cannot read the configuration"),
        (["--download", "huge"], "invalid choice"),
    ],
)
def test_mistakes_of_the_command_line(args: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        ended = models_server.main(args)
    except SystemExit as leaving:
        ended = leaving.code  # type: ignore[assignment]
    err = capsys.readouterr().err
    assert (ended, "Traceback" in err) == (2, False)
    assert said in err


@pytest.mark.slow
def test_a_mistake_ends_the_program() -> None:
    done = server_program("--config", "/none.yaml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: Cannot read the configuration")


def test_folders_are_served_under_their_names(make_config: MakeConfig, tmp_path: Path) -> None:
    model_registry = commands.make_model_registry(
        make_config(models_server={"models": [{"id": "foo/bar", "task": "text-classification"}]})
    )
    for name in ("x/tiny", "y/tiny", "my model"):
        weights(tmp_path / name, 1)
    assert model_registry.add(f"{tmp_path}/x/tiny:text-generation").id == "tiny"
    for name in ("y/tiny", "my model"):
        with pytest.raises(ConfigError, match="cannot be served under its name"):
            model_registry.add(f"{tmp_path}/{name}:text-generation")
    assert model_registry.find("foo/bar") is None  # named in the configuration, but not on this machine


def test_the_task_of_a_folder_is_one_of_the_table_or_of_a_card_that_can_be_read(
    make_config: MakeConfig, tmp_path: Path
) -> None:
    model_registry = commands.make_model_registry(make_config())
    folder = weights(tmp_path / "tiny", 1)
    with pytest.raises(
        ConfigError, match="The end of .*tiny:text-generaton should be a task, such as text-generation."
    ):
        model_registry.add(f"{folder}:text-generaton")
    for card in ("---\npipeline_tag: [a: b\n: : -\n---\n", "---\npipeline_tag: [text-generation]\n---\n"):
        (folder / "README.md").write_text(card, encoding="utf-8")
        with pytest.raises(ConfigError, match="Say what the model in .* is for"):
            model_registry.add(str(folder))
    (folder / "README.md").write_text("---\npipeline_tag: text-generation\n---\n", encoding="utf-8")
    assert model_registry.add(str(folder)).tasks == ("text-generation",)


@pytest.mark.parametrize("memory", [0, -1, float("inf"), float("nan")])
def test_memory_is_more_than_nothing_and_not_without_end(make_config: MakeConfig, memory: float) -> None:
    with pytest.raises(ConfigError, match="more than 0"):
        commands.make_pool(make_config(), memory=memory)


def test_the_list_of_models(capsys: pytest.CaptureFixture[str], make_config: MakeConfig) -> None:
    assert commands.list_models(make_config()) == 0
    out = capsys.readouterr().out
    assert "nanodet-coco" in out and "canny-control" in out


@contextmanager
def program(file: Path, *args: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The model server as users start it, until it has ended; gives its URL and the process."""
    command = [sys.executable, "-u", str(ROOT / "models_server.py"), "--config", str(file), "--host", "127.0.0.1",
               "--port", "0", "--memory", "1", *args]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            yield server.stdout.readline().split()[3].rstrip("."), server
        finally:
            server.terminate()
            server.wait(60)


@pytest.mark.slow
def test_a_server_that_is_told_to_end_finishes_what_runs(tmp_path: Path, make_config: MakeConfig, public: Path) -> None:
    make_config(device="cpu", log_file=None)
    answers: list[requests.Response] = []
    text = "The quick brown fox jumps over the lazy dog. " * 3
    with program(tmp_path / "config.yaml") as (url, server):
        client = threading.Thread(
            target=lambda: answers.append(requests.post(f"{url}/models/piper-joe", json={"text": text}, timeout=60))
        )
        client.start()
        while not requests.get(f"{url}/models", timeout=10).json()["models"]:
            pass
        server.send_signal(signal.SIGTERM)
        client.join(60)
        _, err = server.communicate(timeout=60)
    assert server.returncode == 0, err
    assert answers and answers[0].json()["path"].startswith("/audios/")


@pytest.mark.slow
def test_the_first_requests_to_a_server_are_for_several_models(
    tmp_path: Path, make_config: MakeConfig, models: Path
) -> None:
    """Each of them imports parts of the same libraries."""
    made: dict[str, Callable[[Path], None]] = {
        "text-generation": tiny_text.gpt2, "fill-mask": tiny_text.masked, "token-classification": tiny_text.token_classification,
        "image-classification": tiny_vision.vit, "depth-estimation": tiny_vision.dpt,
    }  # fmt: skip
    for task, make in made.items():
        make(models / task)
    own = [{"id": f"me/{task}", "task": task, "path": str(models / task)} for task in made]
    make_config(device="cpu", log_file=None, models_server={"models": own})
    with program(tmp_path / "config.yaml") as (url, _), ThreadPoolExecutor() as clients:
        asked = [clients.submit(requests.post, f"{url}/models/{model['id']}/load", timeout=60) for model in own]
        assert [answer.result().json().get("state") for answer in asked] == ["loaded"] * 5


def has_ipv6() -> bool:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.skipif(not has_ipv6(), reason="this machine has no address of IPv6")
def test_a_server_on_an_address_of_ipv6(tmp_path: Path, make_config: MakeConfig) -> None:
    make_config(device="cpu", log_file=None)
    with program(tmp_path / "config.yaml", "--host", "::1") as (url, _):
        host, _, port = url.removeprefix("http://").rpartition(":")
        assert host == "[::1]"
        client = make_config(local_inference_endpoint={"host": "::1", "port": int(port)})
        assert ModelServer(client, Catalog(CATALOGUE), MediaStore(client)).status().ready


def hub_files(server: FakeExperts, model: str, files: dict[str, int]) -> None:
    """Has the loopback Hub list a model's files."""
    server.models[model] = "x"
    siblings = [{"rfilename": name, "size": size} for name, size in files.items()]
    server.lists[model] = {"id": model, "sha": "0" * 40, "siblings": siblings, "tags": []}


def test_a_dry_download_shows_sizes_and_what_cannot_be_had(
    make_config: MakeConfig, expert_server: FakeExperts, capsys: pytest.CaptureFixture[str]
) -> None:
    small = {
        "text-classification": ["me/good", "me/pickled", "me/pipeline", "me/gone"],
        "canny-control": ["canny-control"],
    }
    config = make_config(
        huggingface={"base_url": expert_server.url}, deployments={"minimal": {}, "standard": small, "full": {}}
    )
    hub_files(
        expert_server, "me/good", {"model.safetensors": 5_000_000, "pytorch_model.bin": 5_000_000, "config.json": 1000}
    )
    hub_files(expert_server, "me/pickled", {"pytorch_model.bin": 9_000_000})
    hub_files(
        expert_server,
        "me/pipeline",
        {"unet/d.safetensors": 2_000_000, "unet/d.fp16.safetensors": 1_000_000, "all-in-one.safetensors": 9_000_000, "model_index.json": 500},
    )  # fmt: skip
    assert commands.download(config, "standard", dry_run=True) == 0
    out = capsys.readouterr().out
    assert "5 MB  me/good" in out
    assert "me/pickled: no safetensors, left out" in out
    assert "me/gone: not on the Hub" in out
    assert "2 MB  me/pipeline" in out
    assert "7 MB  in all" in out
    assert not any("/resolve/" in request["path"] for request in expert_server.requests)


def test_a_download_that_cannot_reach_the_hub_says_so(make_config: MakeConfig) -> None:
    config = make_config(huggingface={"base_url": "http://127.0.0.1:9"})
    with pytest.raises(BackendError, match="The Hub cannot be asked about"):
        commands.download(config, "standard", dry_run=True)


def test_nothing_is_logged_that_should_not_be(server: Serving, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "hugginggpt"):
        server.ask("vader", text="my secret diary")
    assert "secret diary" not in caplog.text
    assert json.dumps(server.ask("vader", text="I love it"))
