"""What a text that is to be written is told."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import plan_offline

PICTURE, NOTES, SPEECH = "/examples/a.jpg", "/examples/notes.txt", "/examples/speech.wav"


@pytest.mark.parametrize(
    ("request_text", "steps"),
    [
        (
            f"Write a funny poem about {PICTURE}",
            [("image-to-text", PICTURE), ("text-generation", "Write a funny poem: <GENERATED>-0")],
        ),
        (
            f"{PICTURE} make up a little story about this picture for my son",
            [
                ("image-to-text", PICTURE),
                ("text-generation", "make up a little story about this picture for my son: <GENERATED>-0"),
            ],
        ),
        (f"Write a letter to the caretaker about {NOTES}", [("text-generation", NOTES)]),
        (f"{NOTES} - write Bea a polite answer that I come", [("text-generation", NOTES)]),
        (f"Continue {NOTES} where it stops", [("text-generation", NOTES)]),
        ("Write a poem about the sea", [("text-generation", "Write a poem about the sea")]),
    ],
)
def test_what_is_to_be_written_knows_what_it_is_about(request_text: str, steps: list[tuple[str, str]]) -> None:
    planned: list[dict[str, Any]] = plan_offline(request_text)
    found = [(task["task"], next(iter(task["args"].values()))) for task in planned]
    assert [(task, text.replace(" :", ":")) for task, text in found] == steps
