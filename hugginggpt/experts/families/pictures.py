"""What the families for pictures share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from hugginggpt.experts.families import LOADING, Args, Fits
from hugginggpt.experts.source import Source
from hugginggpt.media.decoding import load_image

if TYPE_CHECKING:
    from PIL.Image import Image

T = TypeVar("T")
CHAT_SIDE = 2048
"""Chat models are shown pictures of this many pixels for the longer side at most: some take all that they are given."""
REPLY_TOKENS = 200
"""How long the reply of a chat model may get."""


def has(kind: str) -> Fits:
    """Whether transformers has a class of a kind ("OBJECT_DETECTION") for the model's architecture."""

    return lambda source: source.model_type in getattr(_classes(), f"MODEL_FOR_{kind}_MAPPING_NAMES")


@cache
def _classes() -> Any:
    """transformers' lists of its classes. Whoever asks for them once they are imported does not wait for a load."""
    with LOADING:
        from transformers.models.auto import modeling_auto
    return modeling_auto


def is_type(*names: str) -> Fits:
    """Whether the model is of one of these architectures, or a pipeline of one of these classes."""
    return lambda source: source.model_type in names


def opened(requests: Sequence[Args]) -> list[Image]:
    """The pictures of requests, RGB and upright. Raises MediaError."""
    return [load_image(request["image"]) for request in requests]


def by_shape(inputs: Sequence[Mapping[str, Any]], work: Callable[[dict[str, Any], list[int]], Sequence[T]]) -> list[T]:
    """Runs prepared pictures of one shape together, so that none is padded for another's sake and each is
    answered as it would be alone.

    `work` gets a batch and the positions of its members and returns an answer for each.
    """
    import torch

    groups: dict[Any, list[int]] = {}
    for at, one in enumerate(inputs):
        groups.setdefault(tuple((name, value.shape) for name, value in one.items()), []).append(at)
    answers: dict[int, T] = {}
    for group in groups.values():
        batch = {name: torch.cat([inputs[at][name] for at in group]) for name in inputs[group[0]]}
        answers.update(zip(group, work(batch, group), strict=True))
    return [answers[at] for at in range(len(inputs))]


def on_cpu(outputs: Any) -> Any:
    """A model's outputs with their tensors on the CPU, floating point ones as float32; nested ones are dropped."""
    import torch

    kept = {name: value.cpu() for name, value in outputs.items() if isinstance(value, torch.Tensor)}
    return type(outputs)(**{name: v.float() if v.is_floating_point() else v for name, v in kept.items()})


def bounded(size: tuple[int, int], longest: int) -> tuple[int, int]:
    """A size (width, height) with the same proportions whose longer side is `longest` pixels at most."""
    scale = min(1.0, longest / max(size))
    width, height = (max(1, round(side * scale)) for side in size)
    return width, height


def reduced(picture: Image, longest: int) -> Image:
    """The picture, scaled down where its longer side has more pixels than `longest`."""
    size = bounded(picture.size, longest)
    return picture if size == picture.size else picture.resize(size)


# Models that are told in words what to do with a picture


def is_chat(source: Source) -> bool:
    """Whether the model takes a picture within a chat: of a fitting architecture, with a chat template."""
    if not has("IMAGE_TEXT_TO_TEXT")(source):
        return False
    if any((source.folder / name).is_file() for name in ("chat_template.jinja", "chat_template.json")):
        return True
    files = (source.folder / name for name in ("processor_config.json", "tokenizer_config.json"))
    return any('"chat_template"' in file.read_text(encoding="utf-8") for file in files if file.is_file())


def chat_model(source: Source) -> Callable[[Image, str], str]:
    """A chat model as a function of a picture and what to do with it. It replies what is likeliest, without chance."""
    import torch
    from transformers import AutoModelForImageTextToText

    model = source.model(AutoModelForImageTextToText)
    processor = picture_processor(source)

    def reply(picture: Image, text: str) -> str:
        resized = reduced(picture, CHAT_SIDE)
        turn = {"role": "user", "content": [{"type": "image", "image": resized}, {"type": "text", "text": text}]}
        batch = source.to_device(
            processor.apply_chat_template(
                [turn], add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt"
            )
        )
        with torch.inference_mode():
            tokens = model.generate(**batch, max_new_tokens=REPLY_TOKENS, do_sample=False)
        return first_text(processor, tokens[:, batch["input_ids"].shape[1] :])

    return reply


def picture_processor(source: Source) -> Any:
    """A model's processor for pictures and text.

    That of a model that takes videos, too, needs torchvision for those; where it is not installed, a
    subclass that leaves the part for videos out is used.
    """
    import transformers
    from transformers.models.auto import processing_auto

    try:
        return source.part(transformers.AutoProcessor)
    except ImportError:
        names: Any = processing_auto.PROCESSOR_MAPPING_NAMES  # type: ignore[attr-defined]
        whole = getattr(transformers, names.get(source.model_type, ""), None)
        if whole is None or "video_processor" not in whole.get_attributes():
            raise
    parts = [name for name in whole.get_attributes() if name != "video_processor"]
    return source.part(type(whole.__name__, (whole,), {"get_attributes": classmethod(lambda cls: parts)}))


def first_text(decoder: Any, tokens: Any) -> str:
    """The text of the first row of tokens, without special ones."""
    return str(decoder.batch_decode(tokens, skip_special_tokens=True)[0]).strip()
