"""Every family of models that look at pictures: a tiny model of the architecture, over HTTP through the model server.

The weights are random, so that answers are compared with what transformers' own pipelines make of the same model.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hugginggpt.experts import coco
from hugginggpt.experts.families.captions import BREVITY_PROMPT, DESCRIBE_PROMPT
from hugginggpt.experts.families.pictures import REPLY_TOKENS, bounded
from hugginggpt.experts.families.vision import MASK_SIDE
from hugginggpt.media.decoding import load_image
from hugginggpt.testing.servers import Serving, loaded
from tests.conftest import EXAMPLES
from tests.experts.families import tiny_vision as tiny

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning"),
]

GIRAFFES, BIRD = EXAMPLES / "b.jpg", EXAMPLES / "c.jpg"
Make = Callable[[Path], None]


@pytest.fixture(autouse=True)
def one_thread() -> None:
    import torch

    torch.set_num_threads(1)


def pipeline(kind: str, folder: Path, auto: str) -> Any:
    """A pipeline of transformers over a saved model."""
    import transformers

    model = getattr(transformers, auto).from_pretrained(folder).eval()
    processor = transformers.AutoImageProcessor.from_pretrained(folder)
    return getattr(transformers, kind)(model=model, image_processor=processor)


# Classes


def test_image_classification(model_server: Serving, tmp_path: Path) -> None:
    tiny.vit(tmp_path / "vit")
    model = model_server.add(tmp_path / "vit", "image-classification")
    answer = model_server.ask(model, img_url="/examples/b.jpg")
    theirs = pipeline("ImageClassificationPipeline", tmp_path / "vit", "AutoModelForImageClassification")
    assert [row["label"] for row in answer] == [row["label"] for row in theirs(str(GIRAFFES))]
    assert [row["score"] for row in answer] == pytest.approx([row["score"] for row in theirs(str(GIRAFFES))], abs=1e-5)
    assert sum(row["score"] for row in answer) == pytest.approx(1, abs=1e-4)


def test_classes_that_go_together_have_scores_of_their_own(tmp_path: Path) -> None:
    tiny.vit(tmp_path)
    alone = loaded(tmp_path, "image-classification")([{"image": GIRAFFES}])[0]
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**config, "problem_type": "multi_label_classification"}))
    together = loaded(tmp_path, "image-classification")([{"image": GIRAFFES}])[0]
    assert sum(row["score"] for row in together) > 1.2 > sum(row["score"] for row in alone)


@pytest.mark.parametrize("name", ["vit", "detr", "yolos"])
def test_pictures_of_different_shapes_do_not_change_each_others_answers(name: str, tmp_path: Path) -> None:
    getattr(tiny, name)(tmp_path)
    run = loaded(tmp_path, "image-classification" if name == "vit" else "object-detection")
    pictures = [GIRAFFES, BIRD, EXAMPLES / "invoice.png", GIRAFFES]
    assert len({load_image(picture).size for picture in pictures}) == 3
    together = run([{"image": picture} for picture in pictures])
    for answer, picture in zip(together, pictures, strict=True):
        alone = run([{"image": picture}])[0]
        assert [row["label"] for row in answer] == [row["label"] for row in alone]
        assert [row["score"] for row in answer] == pytest.approx([row["score"] for row in alone], abs=1e-5)
        assert [row.get("box") for row in answer] == [row.get("box") for row in alone]


# Boxes


@pytest.mark.parametrize(("name", "label"), [("detr", "dog"), ("yolos", "moon")])
def test_object_detection(model_server: Serving, tmp_path: Path, name: str, label: str) -> None:
    getattr(tiny, name)(tmp_path / name)
    model = model_server.add(tmp_path / name, "object-detection")
    answer = model_server.ask(model, img_url="/examples/b.jpg", labels=["something"])
    theirs = pipeline("ObjectDetectionPipeline", tmp_path / name, "AutoModelForObjectDetection")(str(GIRAFFES))
    assert [row["label"] for row in answer] == [label] * 5
    for row, other in zip(answer, sorted(theirs, key=lambda row: -row["score"]), strict=True):
        assert row["score"] == pytest.approx(other["score"], abs=1e-5)
        assert all(isinstance(side, int) for side in row["box"].values())
        assert all(abs(row["box"][side] - other["box"][side]) <= 1 for side in ("xmin", "ymin", "xmax", "ymax"))


@pytest.mark.parametrize("task", ["object-detection", "image-segmentation"])
def test_detr_with_a_backbone_of_timm(tmp_path: Path, task: str) -> None:
    """A checkpoint as facebook/detr-resnet-50(-panoptic) is saved answers as the same weights under transformers' names."""
    own, timm = tmp_path / "own", tmp_path / "timm"
    _detr_as_both(own, timm, segmenting=task == "image-segmentation")
    request = [{"image": GIRAFFES}]
    answer, same = loaded(timm, task)(request)[0], loaded(own, task)(request)[0]
    assert answer and {row["label"] for row in answer} == {"dog"}
    assert [{**row, "mask": ""} for row in answer] == [{**row, "mask": ""} for row in same]
    if task == "image-segmentation":
        assert np.array_equal(np.asarray(answer[0]["mask"]), np.asarray(same[0]["mask"]))
    else:
        assert len(answer) == 5


def _detr_as_both(own: Path, timm: Path, segmenting: bool) -> None:
    """A DETR that is sure to see dogs, with a ResNet-18 under the names of transformers and of timm."""
    import safetensors.torch
    import torch
    import transformers

    torch.manual_seed(0)
    stages = [f"stage{number}" for number in (1, 2, 3, 4)]
    resnet18 = transformers.ResNetConfig(
        layer_type="basic", depths=[2] * 4, hidden_sizes=[64, 128, 256, 512], out_features=stages
    )  # fmt: skip
    sizes = tiny.detr_config(
        backbone_config=resnet18, d_model=64, encoder_attention_heads=8, decoder_attention_heads=8
    )  # fmt: skip
    config = transformers.DetrConfig(**sizes, **tiny.LABELS)
    model = (transformers.DetrForSegmentation if segmenting else transformers.DetrForObjectDetection)(config)
    with torch.no_grad():
        (model.detr if segmenting else model).class_labels_classifier.bias[1] += 6
        if segmenting:
            model.mask_head.output_conv.bias += 20  # whatever is seen is seen all over the picture
        for name, buffer in model.named_buffers():
            if "running_mean" in name:
                buffer.uniform_(-0.1, 0.1)
    for folder in (own, timm):
        model.save_pretrained(folder)
        transformers.DetrImageProcessor(size=tiny.EDGES).save_pretrained(folder)
    weights = safetensors.torch.load_file(own / "model.safetensors")
    safetensors.torch.save_file(
        {_timm_name(name): weight for name, weight in weights.items()}, timm / "model.safetensors"
    )
    saved = json.loads((own / "config.json").read_text())
    saved.update(backbone_config=None, backbone="resnet18", use_timm_backbone=True, use_pretrained_backbone=True)
    (timm / "config.json").write_text(json.dumps(saved))


def _timm_name(name: str) -> str:
    head, found, rest = name.partition("conv_encoder.model.")
    if not found:
        return name
    rest = rest.replace("embedder.embedder.convolution", "conv1").replace("embedder.embedder.normalization", "bn1")
    if rest.startswith("encoder.stages."):
        _, _, stage, _, block, part, *last = rest.split(".")
        kind = {"convolution": "conv", "normalization": "bn"}
        if part == "shortcut":
            name_in_block = f"downsample.{['convolution', 'normalization'].index(last[0])}.{last[1]}"
        else:
            name_in_block = f"{kind[last[1]]}{int(last[0]) + 1}.{last[2]}"
        rest = f"layer{int(stage) + 1}.{block}.{name_in_block}"
    return head + found + rest


@pytest.mark.parametrize("name", ["owlvit", "grounding_dino"])
def test_a_detector_is_told_what_to_look_for(model_server: Serving, tmp_path: Path, name: str) -> None:
    getattr(tiny, name)(tmp_path / name)
    model = model_server.add(tmp_path / name, "object-detection")
    told = model_server.ask(model, img_url="/examples/b.jpg", labels=["the cat", "a moon"])
    assert told and {row["label"] for row in told} <= {"the cat", "a moon"}
    assert told == sorted(told, key=lambda row: -row["score"])
    width, height = load_image(GIRAFFES).size
    for row in told:
        assert 0 <= row["box"]["xmin"] <= row["box"]["xmax"] <= width
        assert 0 <= row["box"]["ymin"] <= row["box"]["ymax"] <= height
    untold = model_server.ask(model, img_url="/examples/b.jpg")
    assert {row["label"] for row in untold} <= set(coco.labels())


# Masks


def test_semantic_segmentation(model_server: Serving, tmp_path: Path) -> None:
    tiny.segformer(tmp_path / "segformer")
    model = model_server.add(tmp_path / "segformer", "image-segmentation")
    answer = model_server.ask(model, img_url="/examples/b.jpg")
    assert {row["label"] for row in answer["predicted"]} <= {"cat", "dog", "moon"}
    assert all(1 / 3 <= row["score"] <= 1 for row in answer["predicted"])
    drawn = model_server.picture(answer["path"])
    assert drawn.size == load_image(GIRAFFES).size
    assert np.abs(np.asarray(drawn, float) - np.asarray(load_image(GIRAFFES), float)).mean() > 20


def test_classes_share_the_picture_among_them(tmp_path: Path) -> None:
    """Each pixel is in one mask, the largest mask comes first, and they are where transformers sees them."""
    tiny.segformer(tmp_path)
    rows = loaded(tmp_path, "image-segmentation")([{"image": GIRAFFES}])[0]
    masks = np.stack([np.asarray(row["mask"], int) for row in rows])
    assert masks.shape[1:] == bounded(load_image(GIRAFFES).size, MASK_SIDE)[::-1]
    assert (masks.sum(0) == 255).all()
    assert list(masks.sum((1, 2))) == sorted(masks.sum((1, 2)), reverse=True)
    theirs = pipeline("ImageSegmentationPipeline", tmp_path, "AutoModelForSemanticSegmentation")(str(GIRAFFES))
    for row in rows:
        (other,) = (found["mask"].resize(row["mask"].size) for found in theirs if found["label"] == row["label"])
        assert ((np.asarray(row["mask"]) > 127) == (np.asarray(other) > 127)).mean() > 0.97


def test_segments(model_server: Serving, tmp_path: Path) -> None:
    tiny.mask2former(tmp_path / "mask2former")
    model = model_server.add(tmp_path / "mask2former", "image-segmentation")
    answer = model_server.ask(model, img_url="/examples/b.jpg")
    assert [row["label"] for row in answer["predicted"]] == ["cat"]
    assert answer["predicted"][0]["score"] > 0.9
    drawn = model_server.picture(answer["path"])
    assert np.abs(np.asarray(drawn, float) - np.asarray(load_image(GIRAFFES), float)).mean() > 20


# Depth


def test_depth(model_server: Serving, tmp_path: Path) -> None:
    tiny.dpt(tmp_path / "dpt")
    model = model_server.add(tmp_path / "dpt", "depth-estimation")
    path = model_server.ask(model, img_url="/examples/b.jpg")["path"]
    drawn = np.asarray(model_server.picture(path), float)
    theirs = pipeline("DepthEstimationPipeline", tmp_path / "dpt", "AutoModelForDepthEstimation")(str(GIRAFFES))
    assert path.endswith(".png") and drawn.shape == load_image(GIRAFFES).size[::-1]
    assert drawn.min() == 0 and drawn.max() == 255
    assert np.abs(drawn - np.asarray(theirs["depth"], float)).max() <= 2


def test_near_is_bright_for_a_model_that_estimates_metres(tmp_path: Path) -> None:
    tiny.glpn(tmp_path)
    small = tmp_path / "small.png"
    load_image(GIRAFFES).resize((320, 288)).save(small)
    drawn = np.asarray(loaded(tmp_path, "depth-estimation")([{"image": small}])[0])
    theirs = pipeline("DepthEstimationPipeline", tmp_path, "AutoModelForDepthEstimation")(str(small))
    metres = theirs["predicted_depth"].numpy().reshape(drawn.shape)
    assert np.corrcoef(drawn.ravel(), metres.ravel())[0, 1] < -0.9


# Words


@pytest.mark.parametrize("name", ["vit_gpt2", "trocr", "blip", "blip2", "git"])
def test_image_to_text(model_server: Serving, tmp_path: Path, name: str) -> None:
    import transformers

    getattr(tiny, name)(tmp_path / name)
    model = model_server.add(tmp_path / name, "image-to-text")
    answer = model_server.ask(model, img_url="/examples/b.jpg")["generated text"]
    whole = transformers.AutoModelForImageTextToText.from_pretrained(tmp_path / name).eval()
    processor = transformers.AutoImageProcessor.from_pretrained(tmp_path / name)
    tokens = whole.generate(**processor(images=load_image(GIRAFFES), return_tensors="pt"), max_new_tokens=100)
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / name)
    assert answer and answer == tokenizer.decode(tokens[0], skip_special_tokens=True).strip()


@pytest.mark.parametrize("name", ["llava", "idefics3", "qwen2_vl", "paligemma"])
def test_a_model_is_told_to_describe(model_server: Serving, tmp_path: Path, name: str) -> None:
    getattr(tiny, name)(tmp_path / name)
    model = model_server.add(tmp_path / name, "image-to-text")
    assert model_server.ask(model, img_url="/examples/b.jpg")["generated text"]


@pytest.mark.parametrize(
    ("task", "request_text", "said"),
    [
        ("image-to-text", {}, DESCRIBE_PROMPT),
        ("visual-question-answering", {"text": "what is it?"}, f"what is it? {BREVITY_PROMPT}"),
    ],
)
def test_a_chat_model_is_asked_by_its_template(
    task: str, request_text: dict[str, str], said: str, tmp_path: Path
) -> None:
    import transformers

    tiny.llava(tmp_path)
    answer = loaded(tmp_path, task)([{"image": GIRAFFES, **request_text}])[0]
    model = transformers.LlavaForConditionalGeneration.from_pretrained(tmp_path).eval()
    processor = transformers.AutoProcessor.from_pretrained(tmp_path)
    batch = processor(images=load_image(GIRAFFES), text=f"user:<image>{said}\nassistant:", return_tensors="pt")
    tokens = model.generate(**batch, max_new_tokens=REPLY_TOKENS, do_sample=False)[:, batch["input_ids"].shape[1] :]
    theirs = processor.batch_decode(tokens, skip_special_tokens=True)[0].strip()
    assert theirs and theirs == (answer if isinstance(answer, str) else answer["answer"])


# Questions


def test_a_choice_of_answers(model_server: Serving, tmp_path: Path) -> None:
    import transformers

    tiny.vilt(tmp_path / "vilt")
    model = model_server.add(tmp_path / "vilt", "visual-question-answering")
    answer = model_server.ask(model, img_url="/examples/b.jpg", question="is the cat on the mat?")
    whole = transformers.ViltForQuestionAnswering.from_pretrained(tmp_path / "vilt").eval()
    processor = transformers.AutoProcessor.from_pretrained(tmp_path / "vilt")
    batch = processor(images=load_image(GIRAFFES), text="is the cat on the mat?", return_tensors="pt")
    scores = whole(**batch).logits[0].sigmoid().tolist()
    expected = sorted(zip(scores, ["yes", "no", "2"], strict=True), reverse=True)
    assert [row["answer"] for row in answer] == [label for _, label in expected]
    assert [row["score"] for row in answer] == pytest.approx([score for score, _ in expected], abs=1e-5)
    assert len(model_server.ask(model, img_url="/examples/b.jpg", question="why " * 200)) == 3  # longer than it reads


@pytest.mark.parametrize("name", ["blip_vqa", "blip2", "paligemma", "git", "idefics3"])
def test_an_answer_in_own_words(model_server: Serving, tmp_path: Path, name: str) -> None:
    getattr(tiny, name)(tmp_path / name)
    model = model_server.add(tmp_path / name, "visual-question-answering")
    (answer,) = model_server.ask(model, img_url="/examples/b.jpg", question="summarize the invoice")
    assert answer["answer"]
    assert "summarize the invoice" not in answer["answer"]


# All of them


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("vit", "image-classification"), ("detr", "object-detection"), ("yolos", "object-detection"),
        ("owlvit", "object-detection"), ("grounding_dino", "object-detection"), ("segformer", "image-segmentation"),
        ("mask2former", "image-segmentation"), ("dpt", "depth-estimation"), ("glpn", "depth-estimation"),
        ("vit_gpt2", "image-to-text"), ("trocr", "image-to-text"), ("blip", "image-to-text"),
        ("git", "image-to-text"), ("llava", "image-to-text"), ("qwen2_vl", "image-to-text"),
        ("vilt", "visual-question-answering"), ("blip_vqa", "visual-question-answering"),
        ("git", "visual-question-answering"), ("blip2", "visual-question-answering"), ("idefics3", "visual-question-answering"),
    ],
)  # fmt: skip
def test_half_precision(name: str, task: str, tmp_path: Path) -> None:
    """As on a GPU, weights and inputs are of the same type, and results become float32 before NumPy sees them."""
    getattr(tiny, name)(tmp_path)
    request = {"image": GIRAFFES, **({"text": "what is it?"} if task.startswith("visual") else {})}
    assert loaded(tmp_path, task, "bfloat16")([request])[0]


def test_a_model_of_another_kind_is_refused(model_server: Serving, tmp_path: Path) -> None:
    tiny.vit(tmp_path / "vit")
    model = model_server.add(tmp_path / "vit", "depth-estimation")
    response = model_server.post(model, {"img_url": "/examples/b.jpg"})
    assert response.status_code == 422
    assert "is not a model that can be run here for depth-estimation" in response.json()["error"]["message"]


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("vit", "image-classification"), ("segformer", "image-segmentation"), ("mask2former", "image-segmentation"),
        ("glpn", "depth-estimation"), ("qwen2_vl", "image-to-text"),
    ],
)  # fmt: skip
def test_a_picture_of_30_megapixels(name: str, task: str, huge: Path, tmp_path: Path) -> None:
    """It is shown to a model at a size that the model knows, and takes little memory."""
    import psutil

    getattr(tiny, name)(tmp_path / name)
    run, before = loaded(tmp_path / name, task), psutil.Process().memory_info().rss
    answer = run([{"image": huge}])[0]
    assert answer or task == "image-segmentation"
    if task == "depth-estimation":
        assert answer.size == (6000, 5000)
    assert psutil.Process().memory_info().rss - before < 500_000_000


@pytest.fixture(scope="module")
def huge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("huge") / "huge.bmp"
    load_image(BIRD).resize((6000, 5000), 0).save(file)
    return file


@pytest.mark.parametrize(
    ("task", "request_data", "said"),
    [
        ("image-classification", {}, "image-classification needs img_url"),
        ("image-classification", {"img_url": "/examples/speech.wav"}, "speech.wav is not an image file but audio"),
        ("image-classification", {"img_url": "/examples/none.jpg"}, "There is no file /examples/none.jpg"),
        ("image-classification", {"img_url": "../../etc/passwd"}, "There is no file ../../etc/passwd"),
        ("image-classification", {"img_url": 7}, "img_url should be a text, but is int"),
        ("visual-question-answering", {"img_url": "/examples/b.jpg"}, "needs text (the question)"),
        ("text-to-image", {"img_url": "/examples/b.jpg"}, "text-to-image needs text"),
        ("text-to-image", {"text": ""}, "text-to-image needs text"),
        ("text-to-video", {}, "text-to-video needs text"),
        ("image-to-image", {"text": "a cat"}, "image-to-image needs img_url"),
        ("canny-text-to-image", {"text": "a cat"}, "canny-text-to-image needs img_url"),
        ("canny-text-to-image", {"img_url": "/examples/b.jpg"}, "canny-text-to-image needs text"),
    ],
)
def test_a_request_that_cannot_be_answered(
    model_server: Serving, tmp_path: Path, task: str, request_data: dict[str, Any], said: str
) -> None:
    """It is refused before the model is loaded."""
    tiny.vit(tmp_path / "vit")
    model = model_server.add(tmp_path / "vit", task)
    response = model_server.post(model, request_data)
    assert response.status_code == 400
    assert said in response.json()["error"]["message"]
    assert model_server.pool.status(model).state == "available"


def test_a_damaged_picture_is_the_askers_error(model_server: Serving, tmp_path: Path) -> None:
    tiny.vit(tmp_path / "vit")
    model = model_server.add(tmp_path / "vit", "image-classification")
    whole = GIRAFFES.read_bytes()
    (model_server.media.public / "examples" / "half.jpg").write_bytes(whole[: len(whole) // 8])
    response = model_server.post(model, {"img_url": "/examples/half.jpg"})
    assert response.status_code == 400
    assert "damaged" in response.json()["error"]["message"]
