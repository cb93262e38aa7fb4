"""Which requests say something by which one model is to be preferred to another."""

from __future__ import annotations

from typing import Any

import pytest

from hugginggpt.catalog.catalog import Catalog, ModelCard
from hugginggpt.core.plan import Task
from hugginggpt.stages.distinctions import nothing_to_choose_by
from hugginggpt.testing import FakeEndpoint, plan, run, says, task
from tests.conftest import TABLE, MakeConfig, controller_at

CAPTIONS = Catalog().models("image-to-text")[:5]


def says_nothing(request: str, cards: list[ModelCard], name: str = "image-to-text", **args: str) -> bool:
    return nothing_to_choose_by(request, Task(0, name, (), args, row=TABLE[name]), cards, TABLE)


@pytest.mark.parametrize(
    ("request_", "image"),
    [
        ("Describe holiday.jpg", "holiday.jpg"),
        ("what is in https://example.com/a/b.png ?", "https://example.com/a/b.png"),
        ("And what is in this picture?", "<GENERATED>-0"),
    ],
)
def test_the_words_of_tasks_say_nothing(request_: str, image: str) -> None:
    assert says_nothing(request_, CAPTIONS, image=image)


@pytest.mark.parametrize(
    ("request_", "image"),
    [
        ("Read the text in sign.jpg", "sign.jpg"),  # one is for printed text
        ("Describe the ultrasound picture a.jpg", "a.jpg"),
        ("Describe a.jpg, and be quick", "a.jpg"),  # one is described as quick
        ("Describe a.jpg with the smallest model", "a.jpg"),
        ("Beschreibe das Bild a.jpg", "a.jpg"),
        ("描述图片 a.jpg", "a.jpg"),
        ("Describe the picture a.jpg in 3D", "a.jpg"),
        ("Describe the UK picture a.jpg", "a.jpg"),
        ("Describe the picture a.jpg to de", "a.jpg"),
        ("Describe the 4x picture a.jpg", "a.jpg"),
        ("Describe trocr-line.png", "trocr-line.png"),  # the name of a file, too
    ],
)
def test_any_other_word_says_something(request_: str, image: str) -> None:
    assert not says_nothing(request_, CAPTIONS, image=image)


def test_a_long_request_says_something() -> None:
    assert not says_nothing("Describe a.jpg. " * 100, CAPTIONS, image="a.jpg")


def test_what_the_task_is_given_counts_as_well() -> None:
    cards = Catalog().models("text-to-image")[:5]
    assert not says_nothing("Make a picture of this", cards, "text-to-image", text="an anime girl")


def test_a_model_without_a_description_may_be_for_anything() -> None:
    assert not says_nothing("Describe a.jpg", [*CAPTIONS, ModelCard("unknown", "image-to-text")], image="a.jpg")


@pytest.mark.parametrize(
    ("request_", "asked"), [("Describe /examples/a.jpg", 0), ("Describe the MRI /examples/a.jpg", 1)]
)
def test_only_then_the_language_model_is_asked(
    make_config: MakeConfig, scripted: Any, request_: str, asked: int
) -> None:
    class Described(FakeEndpoint):
        def models(self, *args: Any) -> list[ModelCard]:
            return CAPTIONS

    place = Described("local", {}, says("a cat"))
    llm = scripted(
        plan=plan(task(0, "image-to-text", image="/examples/a.jpg")),
        select=[f'{{"id": "{CAPTIONS[1].id}", "reason": "r"}}'] * asked,
        respond="ok",
    )
    record = run(controller_at(make_config(embedded=False, selection="ahead"), llm, place), request_)
    choice = record.tasks[0].choice or pytest.fail()
    assert choice.id == CAPTIONS[asked].id
    assert ("says nothing by which to choose" in choice.reason) == (not asked)
