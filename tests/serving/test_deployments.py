"""Deployments: what is fetched from a Hub on loopback, and that the server then runs it by its id."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hugginggpt.config import Config
from hugginggpt.core.operation_rows import OPERATIONS
from hugginggpt.media.decoding import load_image
from hugginggpt.serving import commands
from hugginggpt.testing.fakes import Server, _Handler
from hugginggpt.testing.servers import serving
from tests.conftest import EXAMPLES, TABLE, MakeConfig
from tests.experts.families import tiny_diffusion, tiny_vision

COMMIT = "0" * 39 + "1"
BASE = "stable-diffusion-v1-5/stable-diffusion-v1-5"
FULL = {
    "depth-estimation": ["me/depth"],
    "text-to-image": [BASE],
    "canny-text-to-image": ["lllyasviel/sd-controlnet-canny"],
    "image-to-image": ["me/pickled", "me/absent"],
}


class Hub(Server):
    """The Hub's routes for files: what a model holds (/api/models/ID), and each file (/ID/resolve/COMMIT/NAME).

    `folders` are those of the models, by id.
    """

    def __init__(self) -> None:
        super().__init__()
        self.folders: dict[str, Path] = {}

    def answer(self, call: _Handler) -> None:
        model = next((model for model in self.folders if f"/{model}/" in f"{call.route}/"), None)
        if model is None:
            return call.send(b"", 404, headers={"X-Error-Code": "RepoNotFound"})
        if call.route.startswith("/api/models/"):
            files = self.files(model)
            if "/tree/" in call.route:
                return call.json([{"type": "file", "path": n, "size": s, "oid": "0" * 40} for n, s in files.items()])
            siblings = [{"rfilename": name, "size": size} for name, size in files.items()]
            return call.json({"id": model, "sha": COMMIT, "siblings": siblings, "tags": []})
        file = self.folders[model] / call.route.partition(f"/resolve/{COMMIT}/")[2]
        if not file.is_file():
            return call.send(b"", 404, headers={"X-Error-Code": "EntryNotFound"})
        data = file.read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        return call.send(
            data, kind="application/octet-stream", headers={"X-Repo-Commit": COMMIT, "ETag": f'"{digest}"'}
        )

    def files(self, model: str) -> dict[str, int]:
        """The names of a model's files and their bytes."""
        folder = self.folders[model]
        files = sorted(file for file in folder.rglob("*") if file.is_file())
        return {file.relative_to(folder).as_posix(): file.stat().st_size for file in files}

    def fetched(self) -> list[str]:
        return sorted({request["path"] for request in self.requests if "/resolve/" in request["path"]})


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    """A Hub with a depth model, a ControlNet, and a Stable Diffusion that comes with all that real ones come with."""
    depth, sd, steer, pickled = (tmp_path / "hub" / name for name in ("depth", "sd", "steer", "pickled"))
    tiny_vision.dpt(depth)
    tiny_diffusion.stable_diffusion(sd)
    tiny_diffusion.controlnet(steer)
    unet = sd / "unet" / "diffusion_pytorch_model.safetensors"
    shutil.copy(unet, unet.with_name("diffusion_pytorch_model.fp16.safetensors"))
    shutil.copy(unet, sd / "all-in-one.safetensors")
    unet.with_name("diffusion_pytorch_model.bin").write_bytes(b"pickled")
    (sd / "safety_checker").mkdir()
    shutil.copy(unet, sd / "safety_checker" / "model.safetensors")
    index = json.loads((sd / "model_index.json").read_text())
    index["safety_checker"] = ["stable_diffusion", "StableDiffusionSafetyChecker"]
    (sd / "model_index.json").write_text(json.dumps(index))
    pickled.mkdir()
    (pickled / "pytorch_model.bin").write_bytes(b"pickled")
    with Hub() as server:
        server.folders = {
            "me/depth": depth, BASE: sd, "lllyasviel/sd-controlnet-canny": steer, "me/pickled": pickled,
        }  # fmt: skip
        yield server


@pytest.fixture
def config(make_config: MakeConfig, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Config:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    return make_config(
        huggingface={"base_url": hub.url}, deployments={"minimal": {}, "standard": {}, "full": FULL},
        local_deployment="full", device="cpu", log_file=None,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning")
def test_a_deployment_is_fetched_and_served(config: Config, hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    import torch

    torch.set_num_threads(1)
    with serving(config) as server:
        assert server.post(BASE, {"text": "a cat"}).status_code == 404
    assert commands.download(config, "full", dry_run=True) == 0
    assert hub.fetched() == []
    shown = capsys.readouterr().out
    assert "me/pickled: no safetensors, left out" in shown and "me/absent: not on the Hub" in shown
    assert commands.download(config, "full", dry_run=False) == 0
    fetched = hub.fetched()
    assert f"/{BASE}/resolve/{COMMIT}/unet/diffusion_pytorch_model.safetensors" in fetched
    left_out = (".fp16.", "all-in-one", ".bin", "safety_checker/")
    assert not [path for path in fetched if any(part in path for part in left_out)]
    with serving(config) as server:
        cat = server.picture(server.ask(BASE, text="a cat")["path"])
        request = {"img_url": "/examples/b.jpg", "text": "a cat"}
        steered = server.picture(server.ask("lllyasviel/sd-controlnet-canny", **request)["path"])
        near = server.picture(server.ask("midas-control", img_url="/examples/b.jpg")["path"])
        assert server.post("me/pickled", request).status_code == 404
    assert cat.size == steered.size == (32, 32)
    assert np.asarray(cat).std() > 5 < np.asarray(steered).std()
    assert near.size == load_image(EXAMPLES / "b.jpg").size


def test_what_a_model_cannot_be_run_without_is_fetched_with_it(
    make_config: MakeConfig, capsys: pytest.CaptureFixture[str]
) -> None:
    deployments = {"minimal": {"audio-to-audio": ["me/speecht5_vc"]}, "standard": {}, "full": {}}
    with Hub() as server:
        config = make_config(huggingface={"base_url": server.url}, deployments=deployments)
        assert commands.download(config, "minimal", dry_run=True) == 0
    assert "microsoft/speecht5_hifigan: not on the Hub" in capsys.readouterr().out


def test_the_default_deployments_name_tasks_of_the_table(make_config: MakeConfig) -> None:
    """... and among them is every task, but for those that only embedded experts do; what ControlNets steer is there."""
    config = make_config()
    deployed = config.deployed("full")
    tasks = {task for tasks in deployed.values() for task in tasks}
    assert tasks <= set(TABLE.names)
    tables = {"tabular-classification", "table-question-answering"}
    experts = {"super-resolution", "speech-translation", "style-transfer", "image-safety", "voice-activity-detection"}
    assert set(TABLE.names) - tasks == tables | experts | {row.name for row in OPERATIONS}
    assert config.models_server.controlnet_base in deployed
    assert all("/" not in model for model in config.deployed("minimal"))
    for task in tasks:
        if TABLE[task].models:
            assert set(TABLE[task].models) <= set(deployed)
