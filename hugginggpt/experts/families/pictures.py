"""Shared functions of the families for pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from hugginggpt.experts.families import LOADING_LOCK, Args, Fits
from hugginggpt.experts.source import Source
from hugginggpt.media.decoding import load_image

if TYPE_CHECKING:
    from PIL.Image import Image

T = TypeVar("T")
CHAT_SIDE = 2048
"""The longer side of pictures for chat models, in pixels, at most: some accept any size."""
REPLY_TOKENS = 200
"""The maximum length of a chat model's reply in tokens."""


def has(kind: str) -> Fits:
    """Whether transformers has a model class for a task ("OBJECT_DETECTION") and the model's architecture."""

    return lambda source: source.model_type in getattr(_model_mappings(), f"MODEL_FOR_{kind}_MAPPING_NAMES")


@cache
def _model_mappings() -> Any:
    """transformers' mappings from architectures to classes. Once imported, they are read without the lock."""
    with LOADING_LOCK:
        from transformers.models.auto import modeling_auto
    return modeling_auto


def is_type(*names: str) -> Fits:
    """Whether the model is of one of these architectures, or a pipeline of one of these classes."""
    return lambda source: source.model_type in names


def load_pictures(requests: Sequence[Args]) -> list[Image]:
    """The pictures of requests, RGB and upright. Raises MediaError."""
    return [load_image(request["image"]) for request in requests]


def by_shape(
    inputs: Sequence[Mapping[str, Any]], process: Callable[[dict[str, Any], list[int]], Sequence[T]]
) -> list[T]:
    """Runs preprocessed pictures in batches of equal shape, so that none is padded and each has the result that it
    would have alone.

    `process` takes a batch and the indices of its items and returns a result for each.
    """
    import torch

    groups: dict[Any, list[int]] = {}
    for index, item in enumerate(inputs):
        groups.setdefault(tuple((name, value.shape) for name, value in item.items()), []).append(index)
    answers: dict[int, T] = {}
    for group in groups.values():
        batch = {name: torch.cat([inputs[index][name] for index in group]) for name in inputs[group[0]]}
        answers.update(zip(group, process(batch, group), strict=True))
    return [answers[index] for index in range(len(inputs))]


def on_cpu(outputs: Any) -> Any:
    """A model's outputs with their tensors on the CPU, floating-point ones as float32; nested outputs are dropped."""
    import torch

    tensors = {name: value.cpu() for name, value in outputs.items() if isinstance(value, torch.Tensor)}
    return type(outputs)(
        **{name: value.float() if value.is_floating_point() else value for name, value in tensors.items()}
    )


def bounded(size: tuple[int, int], longest: int) -> tuple[int, int]:
    """A size (width, height) with the same proportions whose longer side is `longest` pixels at most."""
    scale = min(1.0, longest / max(size))
    width, height = (max(1, round(side * scale)) for side in size)
    return width, height


def reduced(picture: Image, longest: int) -> Image:
    """The picture, scaled down where its longer side has more pixels than `longest`."""
    size = bounded(picture.size, longest)
    return picture if size == picture.size else picture.resize(size)


# Models with a prompt beside the picture


def is_chat(source: Source) -> bool:
    """Whether the model is a vision-language chat model: of such an architecture, with a chat template."""
    if not has("IMAGE_TEXT_TO_TEXT")(source):
        return False
    if any((source.folder / name).is_file() for name in ("chat_template.jinja", "chat_template.json")):
        return True
    files = (source.folder / name for name in ("processor_config.json", "tokenizer_config.json"))
    return any('"chat_template"' in file.read_text(encoding="utf-8") for file in files if file.is_file())


def chat_model(source: Source) -> Callable[[Image, str], str]:
    """A chat model as a function of a picture and a prompt; it decodes greedily."""
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

    The processor of a model that also accepts videos needs torchvision for these; where it is not installed, a
    subclass without the video processor is used.
    """
    import transformers
    from transformers.models.auto import processing_auto

    try:
        return source.part(transformers.AutoProcessor)
    except ImportError:
        names: Any = processing_auto.PROCESSOR_MAPPING_NAMES  # type: ignore[attr-defined]
        processor_class = getattr(transformers, names.get(source.model_type, ""), None)
        if processor_class is None or "video_processor" not in processor_class.get_attributes():
            raise
    parts = [name for name in processor_class.get_attributes() if name != "video_processor"]
    return source.part(
        type(processor_class.__name__, (processor_class,), {"get_attributes": classmethod(lambda cls: parts)})
    )


def first_text(decoder: Any, tokens: Any) -> str:
    """The text of the first row of tokens, without special ones."""
    return str(decoder.batch_decode(tokens, skip_special_tokens=True)[0]).strip()
