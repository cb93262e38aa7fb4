"""Control images and controlled generation, over HTTP through the model server."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import requests
from PIL import Image, ImageDraw

from hugginggpt.experts import registry
from hugginggpt.experts.control import COLOUR_COUNT, PERSON_COLOUR
from hugginggpt.experts.families import family_for
from hugginggpt.experts.families.control import ade20k_colours, normal_colours
from hugginggpt.experts.source import Placement, Source
from hugginggpt.media.decoding import load_image
from hugginggpt.media.drawing import draw_pose
from hugginggpt.testing import run, task
from hugginggpt.testing.servers import Serving, serving
from tests.conftest import EXAMPLES, TABLE, MakeConfig, controller_with
from tests.experts.families import tiny_diffusion, tiny_vision

pytestmark = [pytest.mark.slow, *tiny_diffusion.WARNINGS]

CONTROLS = [row.draws_control for row in TABLE if row.draws_control]


SUBSTITUTES = ("hed", "mlsd", "scribble", "seg")
"""What OpenCV and Pillow draw in place of a network."""
HED = "hed-bsds500"
"""The network before two of the substitutes."""
DRAWN_BY_HED = ("hed", "scribble")


@pytest.fixture(autouse=True)
def one_thread() -> None:
    import torch

    torch.set_num_threads(1)


@pytest.fixture
def house_file(public: Path) -> Path:
    """A light square, 200 pixels wide, in the middle of a dark picture of 400 x 300."""
    picture = Image.new("RGB", (400, 300), (40, 40, 60))
    ImageDraw.Draw(picture).rectangle((100, 50, 300, 250), fill=(230, 220, 200))
    picture.save(public / "examples" / "house.png")
    return public / "examples" / "house.png"


@pytest.fixture
def house(house_file: Path) -> str:
    return f"/examples/{house_file.name}"


def grey(server: Serving, model: str, path: str) -> np.ndarray[Any, Any]:
    """The control picture of a picture, as grey levels."""
    return np.asarray(server.picture(server.ask(model, img_url=path)["path"]).convert("L"), int)


# Drawn with OpenCV


@pytest.mark.parametrize("control", ["canny", "hed", "scribble", "mlsd"])
def test_outlines_are_white_on_black(model_server: Serving, house: str, control: str) -> None:
    drawn = grey(model_server, f"{control}-control", house)
    assert drawn.shape == (300, 400)
    for column in (100, 300):  # the sides of the square
        assert (drawn[80:220, column - 4 : column + 5].max(1) > 100).mean() > 0.9
    assert drawn[70:230, 120:280].mean() < 5  # within the square
    assert drawn[:, :80].mean() < 5  # and outside


def test_soft_edges_are_weaker_where_the_contrast_is(model_server: Serving) -> None:
    picture = Image.new("RGB", (300, 300), (100, 100, 100))
    draw = ImageDraw.Draw(picture)
    draw.rectangle((40, 40, 120, 260), fill=(250, 250, 250))
    draw.rectangle((180, 40, 260, 260), fill=(135, 135, 135))
    picture.save(model_server.media.public / "examples" / "two.png")
    drawn = grey(model_server, "hed-control", "/examples/two.png")
    strong, weak = drawn[80:220, 115:125].max(), drawn[80:220, 175:185].max()
    assert strong > 200 > 20 < weak < strong / 2


@pytest.mark.parametrize("control", ["canny", "hed", "scribble", "mlsd"])
def test_an_even_picture_has_no_outline(model_server: Serving, control: str) -> None:
    rng = np.random.default_rng(0)
    noise = rng.normal(120, 2, (200, 200, 3)).clip(0, 255).astype(np.uint8)
    Image.fromarray(noise).save(model_server.media.public / "examples" / "even.png")
    assert grey(model_server, f"{control}-control", "/examples/even.png").mean() < 12


def test_regions_in_flat_colours(model_server: Serving, house: str) -> None:
    drawn = model_server.picture(model_server.ask("seg-control", img_url=house)["path"])
    pixels = np.asarray(drawn)
    assert drawn.size == (400, 300)
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) <= COLOUR_COUNT
    assert tuple(pixels[150, 200]) != tuple(pixels[150, 20])


def test_a_person_has_the_colour_that_controlnet_knows(model_server: Serving) -> None:
    shutil.copy(EXAMPLES / "person.jpg", model_server.media.public / "examples")
    pixels = np.asarray(model_server.picture(model_server.ask("seg-control", img_url="/examples/person.jpg")["path"]))
    person = (pixels == PERSON_COLOUR).all(-1)
    assert 0.1 < person.mean() < 0.6
    assert person[300, 250] and not person[20, 20]
    assert tuple(ade20k_colours()[12]) == PERSON_COLOUR


def test_the_pose_of_a_person(model_server: Serving) -> None:
    shutil.copy(EXAMPLES / "person.jpg", model_server.media.public / "examples")
    drawn = grey(model_server, "openpose-control", "/examples/person.jpg")
    assert drawn.shape == load_image(EXAMPLES / "person.jpg").size[::-1]
    rows, columns = np.nonzero(drawn)
    assert 0.001 < (drawn > 0).mean() < 0.1
    assert rows.max() - rows.min() > 300  # from head to feet
    assert 250 < np.median(columns) < 400  # where the astronaut stands
    response = model_server.post("openpose-control", {"img_url": "/examples/c.jpg"})
    assert (response.status_code, response.json()["error"]["type"]) == (422, "ExpertUnavailable")


def test_a_pose_is_drawn_as_openpose_draws_it() -> None:
    """Joints in the colours of OpenPose's order, the neck between the shoulders, bones dimmer; the unsure is left out."""
    points = [(0.0, 0.0, 0.0)] * 17
    points[5], points[6], points[8] = (300.0, 100.0, 0.9), (100.0, 100.0, 0.8), (100.0, 300.0, 0.7)
    drawn = draw_pose((512, 400), points)
    assert drawn.getpixel((200, 100)) == (255, 85, 0)  # the neck
    assert drawn.getpixel((100, 100)) == (255, 170, 0)  # the right shoulder
    assert drawn.getpixel((100, 300)) == (255, 255, 0)  # the right elbow
    assert drawn.getpixel((300, 100)) == (85, 255, 0)  # the left shoulder
    assert drawn.getpixel((150, 100)) == (153, 0, 0)  # from the neck to the right shoulder
    assert drawn.getpixel((100, 200)) == (153, 102, 0)  # the right upper arm
    assert drawn.getpixel((0, 0)) == (0, 0, 0)


@pytest.mark.parametrize("control", ["canny", "openpose", *SUBSTITUTES])
def test_the_server_draws_what_is_drawn_in_process(model_server: Serving, control: str) -> None:
    shutil.copy(EXAMPLES / "person.jpg", model_server.media.public / "examples")
    path = model_server.ask(f"{control}-control", img_url="/examples/person.jpg")["path"]
    (expert,) = (one for one in registry.experts_for(f"{control}-control") if one.id != HED)
    drawn = expert.run(image=EXAMPLES / "person.jpg")
    own = drawn["generated image"] if isinstance(drawn, dict) else drawn
    assert np.array_equal(np.asarray(model_server.picture(path)), np.asarray(own))


@pytest.mark.parametrize("control", SUBSTITUTES)
def test_a_substitute_says_so(model_server: Serving, house: str, control: str) -> None:
    """... in its result, in the list of models, and in what the controller tells of it."""
    answer = model_server.ask(f"{control}-control", img_url=house)
    assert "substitute for" in answer["note"]
    listed = requests.get(f"{model_server.url}/status/{control}-control", timeout=10).json()
    assert "substitute for" in listed["description"]
    row = TABLE[f"{control}-control"]
    told = row.answer.format(row.result.describe(row.result.parse(answer)), image=house)
    assert answer["path"] in told and "substitute" in told


def test_what_is_no_substitute_does_not_say_so(model_server: Serving, house: str) -> None:
    assert set(model_server.ask("canny-control", img_url=house)) == {"path"}


@pytest.mark.parametrize("control", CONTROLS)
def test_a_control_without_its_picture(model_server: Serving, control: str) -> None:
    (model,) = TABLE[f"{control}-control"].models
    if not registry.experts_for(f"{control}-control"):
        tiny_vision.dpt(model_server.media.public / "dpt")
        model_server.add(model_server.media.public / "dpt", "depth-estimation")
    for data, said in (
        ({}, f"{control}-control needs img_url"),
        ({"img_url": "/examples/speech.wav"}, "speech.wav is not an image file but audio"),
    ):
        response = model_server.post(model, data)
        assert response.status_code == 400
        assert said in response.json()["error"]["message"]


# Drawn with a model of another task


@pytest.mark.parametrize("model", ["midas-control", "normal-control"])
def test_a_control_that_needs_a_depth_model(model_server: Serving, tmp_path: Path, model: str) -> None:
    response = model_server.post(model, {"img_url": "/examples/b.jpg"})
    assert response.status_code == 422
    assert f"{model} works with a model for depth-estimation" in response.json()["error"]["message"]
    tiny_vision.dpt(tmp_path / "dpt")
    depth = model_server.add(tmp_path / "dpt", "depth-estimation")
    drawn = model_server.picture(model_server.ask(model, img_url="/examples/b.jpg")["path"])
    assert drawn.mode == "RGB" and drawn.size == load_image(EXAMPLES / "b.jpg").size
    if model == "midas-control":
        same = model_server.picture(model_server.ask(depth, img_url="/examples/b.jpg")["path"])
        assert np.array_equal(np.asarray(drawn.convert("L")), np.asarray(same))


def test_normals() -> None:
    """A plane faces the viewer, a slope that comes nearer to the right is redder, downwards greener; far away is flat."""
    across, down = np.meshgrid(np.linspace(0.5, 1, 40), np.linspace(0.5, 1, 30))
    flat, right, low, far = (normal_colours(near)[15, 20] for near in (np.ones((30, 40)), across, down, across / 2))
    assert abs(flat[0] - 127) <= 1 and abs(flat[1] - 127) <= 1 and flat[2] >= 254
    assert right[0] > 180 and abs(right[1] - 127) <= 1
    assert low[1] > 180 and abs(low[0] - 127) <= 1
    assert tuple(far) == tuple(flat)


def test_kinds_of_things_in_the_colours_that_controlnet_knows(model_server: Serving, tmp_path: Path) -> None:
    """A model that knows ADE20K's 150 classes takes the place of the substitute; another one does not."""
    tiny_vision.segformer(tmp_path / "three")
    model_server.add(tmp_path / "three", "image-segmentation")
    assert "note" in model_server.ask("seg-control", img_url="/examples/b.jpg")
    model_server.pool.unload("seg-control")
    tiny_vision.segformer(tmp_path / "ade", classes=150)
    model_server.add(tmp_path / "ade", "image-segmentation")
    answer = model_server.ask("seg-control", img_url="/examples/b.jpg")
    pixels = np.asarray(model_server.picture(answer["path"]))
    assert set(answer) == {"path"}
    assert pixels.shape[:2] == load_image(EXAMPLES / "b.jpg").size[::-1]
    known = {tuple(colour) for colour in ade20k_colours().tolist()}
    assert {tuple(colour) for colour in np.unique(pixels.reshape(-1, 3), axis=0).tolist()} <= known


def test_the_colours_are_those_of_150_classes() -> None:
    colours = ade20k_colours()
    assert colours.shape == (150, 3)
    assert len(np.unique(colours, axis=0)) == 149  # roads and skyscrapers have the same


# Pictures under control


@pytest.fixture
def base(tmp_path: Path) -> Path:
    tiny_diffusion.stable_diffusion(tmp_path / "base")
    return tmp_path / "base"


@pytest.mark.parametrize("control", CONTROLS)
def test_a_controlnet_steers(
    make_config: MakeConfig, tmp_path: Path, base: Path, house_file: Path, control: str
) -> None:
    """The picture is that of diffusers with the same two models; another control gives another picture."""
    import diffusers
    import torch

    tiny_diffusion.controlnet(tmp_path / "steer")
    config = make_config(device="cpu", log_file=None, models_server={"controlnet_base": str(base)})
    with serving(config) as server:
        model = server.add(tmp_path / "steer", f"{control}-text-to-image")
        request = {"img_url": "/examples/house.png", "text": "a house by the sea"}
        picture = server.picture(server.ask(model, **request)["path"])
        if control == "canny":
            server.pool.unload(model)
            other = server.picture(server.ask(model, **{**request, "img_url": "/examples/b.jpg"})["path"])
            assert np.abs(np.asarray(picture, float) - np.asarray(other.resize(picture.size), float)).max() > 5
    assert picture.size == (36, 28)
    net = diffusers.ControlNetModel.from_pretrained(tmp_path / "steer")
    pipe = diffusers.StableDiffusionControlNetPipeline.from_pretrained(base, controlnet=net)
    pipe.scheduler = diffusers.DPMSolverMultistepScheduler.from_config(pipe.scheduler.config)
    pipe.set_progress_bar_config(disable=True)
    shown = load_image(house_file).resize(picture.size, Image.Resampling.LANCZOS)
    noise = torch.Generator("cpu").manual_seed(0)
    theirs = pipe("a house by the sea", image=shown, num_inference_steps=25, generator=noise).images[0]
    assert np.abs(np.asarray(picture, float) - np.asarray(theirs, float)).max() <= 1


def test_a_controlnet_without_what_it_steers(model_server: Serving, tmp_path: Path) -> None:
    tiny_diffusion.controlnet(tmp_path / "steer")
    model = model_server.add(tmp_path / "steer", "canny-text-to-image")
    response = model_server.post(model, {"img_url": "/examples/b.jpg", "text": "a cat"})
    assert response.status_code == 422
    assert "steer only steers Stable Diffusion 1.5, which is not on this machine" in response.json()["error"]["message"]


def test_a_controlnet_for_another_version(make_config: MakeConfig, tmp_path: Path, base: Path) -> None:
    tiny_diffusion.controlnet(tmp_path / "steer", cross_attention_dim=32)
    config = make_config(device="cpu", log_file=None, models_server={"controlnet_base": str(base)})
    with serving(config) as server:
        model = server.add(tmp_path / "steer", "canny-text-to-image")
        response = server.post(model, {"img_url": "/examples/b.jpg", "text": "a cat"})
    assert response.status_code == 422
    assert "another version of Stable Diffusion than base" in response.json()["error"]["message"]


def test_a_controlnet_needs_room_for_what_it_steers(tmp_path: Path, base: Path) -> None:
    tiny_diffusion.controlnet(tmp_path / "steer")
    source = Source(
        "steer", tmp_path / "steer", "canny-text-to-image", Placement("cpu", "float32"), base=lambda: base
    )  # fmt: skip
    family = family_for(source)
    family.load(source)
    assert family.bytes_needed(source) > source.bytes_needed
    assert family.bytes_needed(source) == pytest.approx(source.bytes_loaded, rel=0.02)


# In the controller


@pytest.mark.parametrize("control", [control for control in CONTROLS if control not in ("depth", "normal")])
def test_embedded_controls_are_the_models_of_their_tasks(control: str) -> None:
    row = TABLE[f"{control}-control"]
    own = [HED, f"{control}-control"] if control in DRAWN_BY_HED else [f"{control}-control"]
    assert [expert.id for expert in registry.experts_for(row.name)] == own
    assert list(row.models) == [f"{control}-control"]


@pytest.mark.parametrize(
    ("request_text", "planned"),
    [
        ("Draw the edges of /examples/b.jpg", "canny-control"),
        ("Make a scribble of /examples/b.jpg", "scribble-control"),
        ("Draw the soft edges of /examples/b.jpg", "hed-control"),
        ("Draw the straight lines in /examples/b.jpg", "mlsd-control"),
        ("Make a segmentation control image of /examples/b.jpg", "seg-control"),
        ("Draw the pose of the person in /examples/person.jpg", "openpose-control"),
    ],
)
def test_embedded_controls_are_planned_and_run_offline(
    make_config: MakeConfig, public: Path, request_text: str, planned: str
) -> None:
    shutil.copy(EXAMPLES / "person.jpg", public / "examples")
    controller = controller_with(make_config(llm="offline", inference_mode="local"))
    record = run(controller, request_text)
    (done,) = record.tasks.values()
    assert done.ok and done.task["task"] == planned
    (path,) = record.files
    assert path in record.message and (public / path.lstrip("/")).is_file()
    substituted = set(SUBSTITUTES) - set(DRAWN_BY_HED)
    assert ("substitute" in record.message) == (planned.removesuffix("-control") in substituted)


def test_a_controller_makes_a_picture_that_keeps_to_the_edges_of_another(
    make_config: MakeConfig, tmp_path: Path, base: Path, house: str, scripted: Any
) -> None:
    """Everything as it runs: plan, edges, ControlNet, depth with a borrowed model; all on the model server."""
    net, dpt = tmp_path / "net", tmp_path / "dpt"
    tiny_diffusion.controlnet(net)
    tiny_vision.dpt(dpt)
    own = [
        {"id": "lllyasviel/sd-controlnet-canny", "task": "canny-text-to-image", "path": str(net)},
        {"id": "me/depth", "task": "depth-estimation", "path": str(dpt)},
    ]
    models = {"controlnet_base": str(base), "models": own}
    with serving(make_config(device="cpu", log_file=None, models_server=models)) as server:
        port = int(server.url.rpartition(":")[2])
        llm = scripted(
            plan=json.dumps(
                {
                    "tasks": [
                        task(0, "canny-control", image=house),
                        task(1, "canny-text-to-image", [0], image="<GENERATED>-0", text="a castle"),
                        task(2, "depth-control", image=house),
                    ]
                }
            ),
            respond="Here they are.",
        )
        address = {"host": "127.0.0.1", "port": port}
        config = make_config(local_inference_endpoint=address, inference_mode="local", embedded=False, device="cpu")
        record = run(controller_with(config, llm), "a castle like this house")
    assert record.errors == []
    chosen = [done.choice.id for done in record.tasks.values() if done.choice]
    assert chosen == ["canny-control", "lllyasviel/sd-controlnet-canny", "midas-control"]
    sizes = [server.picture(record.tasks[number].value["generated image"]).size for number in (0, 1, 2)]
    assert sizes == [(400, 300), (36, 28), (400, 300)]
