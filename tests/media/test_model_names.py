"""Models that a request names, and what only looks like one."""

from __future__ import annotations

import pytest

from hugginggpt.media.model_names import AGAIN, find_models, without_models

DETR, WHISPER = "facebook/detr-resnet-101", "openai/whisper-large-v3"
KNOWN = {"ProsusAI/finbert", "nanodet-coco", "whisper-tiny.en", "me/mine.onnx", "gpt2", "AB/XL-2"}
LIKE_MODELS = {"AB/XL-3", "BAAI/bge-m3", "deepseek-ai/deepseek-v3"}

NAMED = {
    f"find the objects in a.jpg with {DETR}": "find the objects in a.jpg",
    f"Use {DETR} to find the objects in a.jpg": "find the objects in a.jpg",
    f"Using {DETR}, find the objects in a.jpg": "find the objects in a.jpg",
    f"With {DETR}, how many cats are in a.jpg?": "how many cats are in a.jpg?",
    f"How many cats are in a.jpg, with {DETR}?": "How many cats are in a.jpg?",
    f"Find the objects in a.jpg and use {DETR} for it": "Find the objects in a.jpg",
    f"Find the objects in a.jpg. Use the model `{DETR}` for it, please. Then read it.": "Find the objects in a.jpg. Then read it.",
    f"count the cats in a.jpg with the {DETR} model": "count the cats in a.jpg",
    f'find the objects in "my cats.jpg" with "{DETR}"': 'find the objects in "my cats.jpg"',
    f"用{DETR}检测a.jpg": "检测a.jpg",
    f"use {DETR} for it": AGAIN,
    f"now with {DETR} instead, please": AGAIN,
    "Is “he is glad” positive? Use ProsusAI/finbert": "Is “he is glad” positive?",
    "use nanodet-coco to count cats in a.jpg": "count cats in a.jpg",
    "transcribe a.wav with whisper-tiny.en": "transcribe a.wav",
    "run me/mine.onnx on a.jpg": "on a.jpg",
    "continue the story with gpt2": "continue the story",
    "draw a cat with AB/XL-2": "draw a cat",
    "draw a cat, use AB/XL-3 for it": "draw a cat",
    "draw a cat with the model AB/XL-3": "draw a cat",
    "draw a cat with BAAI/bge-m3": "draw a cat",
    "draw a cat with deepseek-ai/deepseek-v3": "draw a cat",
}


@pytest.mark.parametrize("request_", NAMED)
def test_a_model_and_the_request_without_it(request_: str) -> None:
    models = find_models(request_, KNOWN.__contains__)
    assert len(models) == 1
    assert models[0].id in (DETR, *KNOWN, *LIKE_MODELS)
    assert without_models(request_, models) == NAMED[request_]


def test_several_models() -> None:
    request = f"transcribe a.wav with {WHISPER} and find objects in b.jpg with {DETR}."
    models = find_models(request, KNOWN.__contains__)
    assert [model.id for model in models] == [WHISPER, DETR]
    assert without_models(request, models) == "transcribe a.wav and find objects in b.jpg."


@pytest.mark.parametrize(
    "request_",
    [
        "we run 24/7 with and/or gates",
        "with 24/7 for it",
        "work with client/server-side rendering",
        f'translate "work with {DETR} for it" into French',
        f"Summarize this text: we work with {DETR}.",
        "read it with data/notes.txt",
        "read it with data/notes-2.txt",
        "summarize data/notes.txt with 01/02-2024",
        f"use http://example.org/{DETR} for it",
        f"use /models/{DETR} for it",
        f"use ./{DETR} for it",
        f"use ~/{DETR} for it",
        f"use {DETR}/x for it",
        "use C:\\models\\detr-resnet-101 for it",
        "write to me@facebook/detr-resnet-101",
        "with his/her-2 name",
        "with 3/4-inch for it",
        "draw a picture with yes/no-questions in it",
        "use a/b-testing-2 for it",
        "with TCP/IP for it",
        "with unknown-model for it",
        "Draw a board with RS232/RS485.",
        "Draw a diagram of a network with TCP/IPv4.",
        "Draw a picture with F-16/F-18-E.",
        "Draw a picture with usb-2/usb-3.",
        f"{DETR} is a model",
        "use  for it",
        "",
    ],
)
def test_what_is_no_model(request_: str) -> None:
    assert find_models(request_, KNOWN.__contains__) == []
    assert without_models(request_, []) == request_


@pytest.mark.parametrize("piece", ["with a/b", "use ", "with a-", "with " + "a." * 60, "with a/" * 2])
def test_long_requests_take_no_time(piece: str) -> None:
    assert find_models(piece * (100_000 // len(piece)), KNOWN.__contains__) == []
