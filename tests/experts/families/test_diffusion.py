"""Every family of models that make pictures and videos: a tiny pipeline with random weights, over HTTP.

What they draw means nothing, so that it is compared with what diffusers itself draws with the same weights.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from PIL import Image

from hugginggpt.experts.families import family_for, fits
from hugginggpt.experts.families.diffusion import FEW_STEPS, STEPS, _configured, _resized
from hugginggpt.experts.source import Placement, Source
from hugginggpt.media.decoding import load_image
from hugginggpt.testing.servers import Serving, loaded
from tests.conftest import EXAMPLES
from tests.experts.families import tiny_diffusion as tiny

pytestmark = [pytest.mark.slow, *tiny.WARNINGS]

GIRAFFES = EXAMPLES / "b.jpg"


@pytest.fixture(autouse=True)
def one_thread() -> None:
    import torch

    torch.set_num_threads(1)


def made(server: Serving, folder: Path, task: str, **request: Any) -> Image.Image:
    """The picture that a model in a folder makes over HTTP."""
    path = server.ask(server.add(folder, task), **request)["path"]
    assert path.startswith("/images/") and path.endswith(".png")
    return server.picture(path)


def difference(one: Image.Image, other: Image.Image) -> float:
    """The largest difference of two pictures' pixels, 0 to 255."""
    return float(np.abs(np.asarray(one, float) - np.asarray(other, float)).max())


def quick(pipe: Any) -> dict[str, Any]:
    """Gives a pipeline DPM-Solver++, as ours has it; what to call it with."""
    import diffusers
    import torch

    pipe.scheduler = diffusers.DPMSolverMultistepScheduler.from_config(pipe.scheduler.config)
    pipe.set_progress_bar_config(disable=True)
    return {"num_inference_steps": 25, "generator": torch.Generator("cpu").manual_seed(0)}


# Pictures of texts


def test_text_to_image(model_server: Serving, tmp_path: Path) -> None:
    import diffusers

    tiny.stable_diffusion(tmp_path / "sd")
    picture = made(model_server, tmp_path / "sd", "text-to-image", text="a cat on the moon")
    pipe = diffusers.StableDiffusionPipeline.from_pretrained(tmp_path / "sd")
    assert picture.size == (32, 32) and picture.mode == "RGB"
    assert difference(picture, pipe("a cat on the moon", **quick(pipe)).images[0]) <= 1


def test_a_request_that_is_repeated_gives_another_picture(model_server: Serving, tmp_path: Path) -> None:
    """... and the same requests to a model that is loaded anew the same pictures."""
    tiny.stable_diffusion(tmp_path / "sd")
    first, second = (made(model_server, tmp_path / "sd", "text-to-image", text="a cat") for _ in range(2))
    assert difference(first, second) > 10
    assert model_server.pool.unload("sd")
    again = [made(model_server, tmp_path / "sd", "text-to-image", text="a cat") for _ in range(2)]
    assert [difference(*pair) for pair in zip((first, second), again, strict=True)] == [0, 0]


@pytest.mark.parametrize(("name", "size"), [("stable_diffusion_xl", (32, 32)), ("flux", (256, 256))])
def test_other_kinds_make_pictures_of_texts(
    model_server: Serving, tmp_path: Path, name: str, size: tuple[int, int]
) -> None:
    getattr(tiny, name)(tmp_path / name)
    picture = made(model_server, tmp_path / name, "text-to-image", text="a cat")
    assert picture.size == size
    assert np.asarray(picture).std() > 5


@pytest.mark.parametrize(
    ("scheduler", "options", "steps"),
    [
        ("PNDMScheduler", {"skip_prk_steps": True}, STEPS),
        ("DDIMScheduler", {"clip_sample": False}, STEPS),
        ("EulerDiscreteScheduler", {}, STEPS),
        ("EulerDiscreteScheduler", {"timestep_spacing": "trailing"}, FEW_STEPS),
        ("LCMScheduler", {}, FEW_STEPS),
    ],
)
def test_how_many_steps(scheduler: str, options: dict[str, Any], steps: int, tmp_path: Path) -> None:
    import diffusers

    tiny.stable_diffusion(tmp_path, getattr(diffusers, scheduler)(**tiny.NOISE, **options))
    pipe = diffusers.StableDiffusionPipeline.from_pretrained(tmp_path)
    pipe.set_progress_bar_config(disable=True)
    done: list[int] = []

    def step(pipe: Any, at: int, timestep: Any, values: dict[str, Any]) -> dict[str, Any]:
        done.append(at)
        return values

    pipe("a cat", **_configured(pipe), callback_on_step_end=step)
    assert len(done) == steps
    assert (pipe.guidance_scale == 0) == (options.get("timestep_spacing") == "trailing")


# Pictures of pictures


def test_image_to_image(model_server: Serving, tmp_path: Path) -> None:
    import diffusers

    tiny.stable_diffusion(tmp_path / "sd")
    picture = made(model_server, tmp_path / "sd", "image-to-image", img_url="/examples/c.jpg", text="a cat")
    pipe = diffusers.StableDiffusionImg2ImgPipeline.from_pretrained(tmp_path / "sd")
    shown = load_image(EXAMPLES / "c.jpg").resize(picture.size, Image.Resampling.LANCZOS)
    theirs = pipe("a cat", image=shown, strength=0.7, **quick(pipe)).images[0]
    assert picture.size == (36, 28)  # about as many pixels as the model makes, the proportions of the bird
    assert difference(picture, theirs) <= 1


def test_an_edit_as_told(model_server: Serving, tmp_path: Path) -> None:
    import diffusers

    tiny.instruct_pix2pix(tmp_path / "pix2pix")
    picture = made(
        model_server, tmp_path / "pix2pix", "image-to-image", img_url="/examples/b.jpg", text="make it night"
    )
    pipe = diffusers.StableDiffusionInstructPix2PixPipeline.from_pretrained(tmp_path / "pix2pix")
    shown = load_image(GIRAFFES).resize(picture.size, Image.Resampling.LANCZOS)
    theirs = pipe(
        "make it night", image=shown, guidance_scale=7.5, image_guidance_scale=1.5, **quick(pipe)
    ).images[0]  # fmt: skip
    assert difference(picture, theirs) <= 1


@pytest.mark.parametrize(
    ("name", "text", "size"), [("image_variation", "", (32, 32)), ("flux", "a cat", (268, 244))]
)  # fmt: skip
def test_other_kinds_make_pictures_of_pictures(
    model_server: Serving, tmp_path: Path, name: str, text: str, size: tuple[int, int]
) -> None:
    getattr(tiny, name)(tmp_path / name)
    picture = made(model_server, tmp_path / name, "image-to-image", img_url="/examples/b.jpg", text=text)
    assert picture.size == size


def test_the_size_that_a_model_was_made_for(tmp_path: Path) -> None:
    import diffusers

    tiny.stable_diffusion(tmp_path)
    pipe = diffusers.StableDiffusionPipeline.from_pretrained(tmp_path)
    sizes = {(640, 480): (36, 28), (480, 640): (28, 36), (10, 10): (32, 32), (8000, 1000): (92, 12)}
    assert {size: _resized(Image.new("RGB", size), pipe).size for size in sizes} == sizes


@pytest.mark.parametrize(
    ("name", "size", "text", "said"),
    [
        ("stable_diffusion", (100, 100), "", "needs a text that says what to change in the picture"),
        ("instruct_pix2pix", (100, 100), " ", "needs a text that says what to change in the picture"),
        ("stable_diffusion", (4000, 10), "a cat", "4000 x 10 pixels, too long and narrow: crop it to 8:1 at most"),
        ("swin2sr", (2100, 2000), "", "4.2 megapixels, too many to be enlarged: give one of 4 at most"),
    ],
)
def test_a_picture_that_cannot_be_changed(
    model_server: Serving, tmp_path: Path, name: str, size: tuple[int, int], text: str, said: str
) -> None:
    getattr(tiny, name)(tmp_path / name)
    model = model_server.add(tmp_path / name, "image-to-image")
    Image.new("RGB", size).save(model_server.media.public / "examples" / "own.png")
    response = model_server.post(model, {"img_url": "/examples/own.png", "text": text})
    assert response.status_code == 400
    assert said in response.json()["error"]["message"]


def test_a_picture_is_enlarged_without_seams(model_server: Serving, tmp_path: Path) -> None:
    """What is enlarged square by square looks as if enlarged as a whole."""
    import torch
    import transformers

    tiny.swin2sr(tmp_path / "swin2sr")
    wide = load_image(GIRAFFES).crop((0, 300, 530, 336))
    wide.save(model_server.media.public / "examples" / "wide.png")
    picture = made(model_server, tmp_path / "swin2sr", "image-to-image", img_url="/examples/wide.png")
    model = transformers.Swin2SRForImageSuperResolution.from_pretrained(tmp_path / "swin2sr").eval()
    processor = transformers.AutoImageProcessor.from_pretrained(tmp_path / "swin2sr")
    with torch.inference_mode():
        whole = model(**processor(images=wide, return_tensors="pt")).reconstruction[0].clamp(0, 1)
    theirs = Image.fromarray((whole.permute(1, 2, 0).numpy() * 255).round().astype("uint8")).crop((0, 0, 1060, 72))
    assert picture.size == (1060, 72)
    assert difference(picture, theirs) <= 1


# Videos


@pytest.mark.parametrize("name", ["text_to_video", "animate_diff"])
def test_text_to_video(model_server: Serving, tmp_path: Path, name: str) -> None:
    getattr(tiny, name)(tmp_path / name)
    path = model_server.ask(model_server.add(tmp_path / name, "text-to-video"), text="a cat on the moon")["path"]
    assert path.startswith("/videos/") and path.endswith(".mp4")
    with av.open(str(model_server.file(path))) as video:
        (stream,) = video.streams
        assert isinstance(stream, av.VideoStream)
        assert (stream.codec_context.name, stream.average_rate, stream.pix_fmt) == ("h264", 8, "yuv420p")
        frames = [frame.to_ndarray(format="rgb24") for frame in video.decode(stream)]
    assert [frame.shape for frame in frames] == [(16, 16, 3)] * 16
    assert np.abs(np.asarray(frames[0], float) - frames[-1]).max() > 0


@pytest.mark.parametrize(
    ("kind", "fitting"),
    [
        ("TextToVideoSDPipeline", True), ("AnimateDiffPipeline", True), ("WanPipeline", True), ("LTXPipeline", True),
        ("CogVideoXPipeline", True), ("StableVideoDiffusionPipeline", False), ("StableDiffusionPipeline", False),
        ("NoSuchPipeline", False), ("ModelMixin", False),
    ],
)  # fmt: skip
def test_which_pipelines_make_videos_of_texts(kind: str, fitting: bool, tmp_path: Path) -> None:
    (tmp_path / "model_index.json").write_text(json.dumps({"_class_name": kind}))
    assert fits(Source("x", tmp_path, "text-to-video", Placement("cpu", "float32"))) is fitting


# How pipelines are loaded


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("stable_diffusion", "text-to-image"), ("stable_diffusion", "image-to-image"),
        ("instruct_pix2pix", "image-to-image"), ("image_variation", "image-to-image"), ("swin2sr", "image-to-image"),
        ("text_to_video", "text-to-video"),
    ],
)  # fmt: skip
def test_half_precision(name: str, task: str, tmp_path: Path) -> None:
    getattr(tiny, name)(tmp_path / name)
    small = tmp_path / "small.png"
    load_image(GIRAFFES).resize((64, 60)).save(small)
    request = {"text": "a cat", **({"image": small} if task == "image-to-image" else {})}
    assert loaded(tmp_path / name, task, "bfloat16")([request])[0]


@pytest.mark.parametrize("name", ["stable_diffusion", "stable_diffusion_xl", "text_to_video"])
def test_a_pipelines_size_is_known_before_it_is_loaded(name: str, tmp_path: Path) -> None:
    getattr(tiny, name)(tmp_path)
    task = "text-to-video" if name == "text_to_video" else "text-to-image"
    source = Source("x", tmp_path, task, Placement("cpu", "float32"))
    family = family_for(source)
    family.load(source)
    assert family.bytes_needed(source) == pytest.approx(source.bytes_loaded, rel=0.02)


def test_weights_in_half_precision_alone(model_server: Serving, tmp_path: Path) -> None:
    tiny.stable_diffusion(tmp_path / "sd", variant="fp16")
    assert not (tmp_path / "sd" / "unet" / "diffusion_pytorch_model.safetensors").exists()
    assert made(model_server, tmp_path / "sd", "text-to-image", text="a cat").size == (32, 32)


def test_a_safety_checker_is_not_loaded(model_server: Serving, tmp_path: Path) -> None:
    """The model's card names it, and its weights need not be there."""
    tiny.stable_diffusion(tmp_path / "sd")
    index = json.loads((tmp_path / "sd" / "model_index.json").read_text())
    index["safety_checker"] = ["stable_diffusion", "StableDiffusionSafetyChecker"]
    (tmp_path / "sd" / "model_index.json").write_text(json.dumps(index))
    assert made(model_server, tmp_path / "sd", "text-to-image", text="a cat").size == (32, 32)


def _pickled(folder: Path) -> None:
    """The denoiser's weights only as a pickle, which would leave a file behind were it opened."""
    import os
    import pickle

    class Evil:
        def __reduce__(self) -> Any:
            return (os.mkdir, (str(folder.parent / "executed"),))

    (folder / "unet" / "diffusion_pytorch_model.safetensors").unlink()
    (folder / "unet" / "diffusion_pytorch_model.bin").write_bytes(pickle.dumps(Evil()))


def _own_part(folder: Path) -> None:
    """A part of a class in a file that comes with the model."""
    (folder / "unet" / "my_unet.py").write_text(_CODE.format(folder.parent / "executed"))
    _indexed(folder, unet=["my_unet", "MyUNet"])


def _own_pipeline(folder: Path) -> None:
    """A pipeline of a class in a file that comes with the model."""
    (folder / "my_pipeline.py").write_text(_CODE.format(folder.parent / "executed"))
    _indexed(folder, _class_name=["my_pipeline", "MyPipeline"])


def _other_library(folder: Path) -> None:
    _indexed(folder, unet=["os", "mkdir"])


def _unknown_class(folder: Path) -> None:
    _indexed(folder, unet=["diffusers", "NoSuchModel"])


_CODE = "import os\nos.mkdir({!r})\n"


def _indexed(folder: Path, **changes: Any) -> None:
    file = folder / "model_index.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        (_pickled, 422, "unet of sd comes only with pickled weights, which can run code and are not loaded"),
        (_own_part, 422, "comes with code of its own (my_unet.MyUNet), which is not run"),
        (_own_pipeline, 422, "is not a model that can be run here for text-to-image"),
        (_other_library, 422, "comes with code of its own (os.mkdir), which is not run"),
        (_unknown_class, 500, "sd cannot be loaded"),
    ],
)
def test_a_pipeline_that_is_not_safe(
    model_server: Serving, tmp_path: Path, change: Any, status: int, said: str
) -> None:
    tiny.stable_diffusion(tmp_path / "sd")
    change(tmp_path / "sd")
    response = model_server.post(model_server.add(tmp_path / "sd", "text-to-image"), {"text": "a cat"})
    assert response.status_code == status
    assert said in response.json()["error"]["message"]
    assert str(tmp_path) not in response.text
    assert not (tmp_path / "executed").exists()
    shutil.rmtree(tmp_path / "sd")
    tiny.stable_diffusion(tmp_path / "sd")
    assert made(model_server, tmp_path / "sd", "text-to-image", text="a cat").size == (32, 32)
