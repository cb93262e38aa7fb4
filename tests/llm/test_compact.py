"""Candidates, tasks and results in few tokens."""

from __future__ import annotations

from hugginggpt.catalog.catalog import ModelCard
from hugginggpt.llm.compact import call, candidate_lines, lone_call, question_lines, result_lines
from tests.conftest import TABLE

DETR = ModelCard(
    "facebook/detr", "object-detection", "The standard detector for 80 everyday classes of objects.", likes=129
)
PLAIN = ModelCard("me/plain", "object-detection", "", meta={"tags": ["vision", "object-detection"]})


def test_candidates_are_told_with_what_they_differ_in() -> None:
    assert candidate_lines([(DETR, "huggingface"), (PLAIN, "huggingface")], 20) == (
        "- facebook/detr (129 likes): The standard detecto\n- me/plain: [vision]"
    )
    assert candidate_lines([(PLAIN, "local"), (DETR, "huggingface")], 100).startswith(
        "- me/plain (local): [vision]\n- f"
    )


def test_tasks_are_told_as_they_are_called() -> None:
    task = {"task": "translation", "id": 1, "dep": [0], "args": {"text": "<GENERATED>-0", "language": "French"}}
    assert call(task) == 'translation(text = #0, language = "French")'
    assert lone_call(task) == 'translation(text = a result, language = "French")'
    several = {
        "task": "join-images",
        "args": {"images": ["<GENERATED>-0", "/a.jpg"], "text": "Of <GENERATED>-12: why?"},
    }
    assert lone_call(several) == 'join-images(images = ["#", "/a.jpg"], text = "Of #: why?")'
    assert len(call({"task": "summarization", "args": {"text": "word " * 1000}})) < 400
    asked = [({"task": "a", "id": n, "args": {}}, [(DETR, "local")]) for n in (0, 2)]
    assert question_lines(asked, 10) == "Task 0: a()\nTask 2: a()\n- facebook/detr (129 likes): The standa"


def test_results_are_told_once() -> None:
    """What a task took of another one is told by its number, and files are left to the list below the answer."""
    box = {"label": "cat", "score": 0.9, "box": {"xmin": 5.2, "ymin": 5, "xmax": 40, "ymax": 40}}
    results = [
        {"task": {"task": "text-to-image", "id": 0, "args": {"text": "a cat"}}, "inference result": {"generated image": "/images/1.png"}},
        {"task": {"task": "object-detection", "id": 1, "args": {"image": "/images/1.png"}}, "inference result": {"predicted": [box]}},
        {"task": {"task": "image-to-text", "id": 2, "args": {"image": "/images/1.png"}}, "inference result": {"generated text": "a cat"}},
        {"task": {"task": "text-to-speech", "id": 3, "args": {"text": "a cat"}}, "inference result": {"error": {"message": "It broke.", "type": "failed"}}},
        {"task": {"task": "object-detection", "id": 4, "args": {"image": "b.jpg"}}, "inference result": {"predicted": [box] * 20}},
        {"task": {"task": "unknown", "id": 5, "args": {}}, "inference result": "as it is"},
    ]  # fmt: skip
    assert result_lines(results, TABLE, 1000).splitlines() == [
        '#0 text-to-image(text = "a cat"): image made',
        "#1 object-detection(image = #0): 1 cat (cat 90 % at 5,5-40,40)",
        "#2 image-to-text(image = #0): a cat",
        "#3 text-to-speech(text = #2): failed: It broke.",
        '#4 object-detection(image = "b.jpg"): 20 cat',
        "#5 unknown(): as it is",
    ]
