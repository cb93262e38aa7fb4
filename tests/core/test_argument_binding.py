"""Arguments without the table's names, other forms of references, near names of tasks, TaskBench's form of plans."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks.plan_repair import figures
from hugginggpt.core import plan_repair
from hugginggpt.core.plan import Plan
from hugginggpt.media.types import kind_of
from hugginggpt.testing import task
from tests.conftest import TABLE


def read(*tasks: dict[str, Any], links: list[dict[str, str]] | None = None) -> Plan:
    plan = {"task_nodes": tasks, "task_links": links} if links is not None else {"tasks": tasks}
    return plan_repair.parse_plan(json.dumps(plan), TABLE, kind_of=kind_of)


def node(name: str, *arguments: Any) -> dict[str, Any]:
    return {"task": name, "arguments": list(arguments)}


@pytest.mark.parametrize(
    ("name", "given", "bound"),
    [
        ("image-to-image", {"input_image": "a.jpg", "text_description": "make it red"}, {"image": "a.jpg", "text": "make it red"}),
        ("image-to-text", {"file": "a.jpg"}, {"image": "a.jpg"}),
        ("image-to-text", {"text": "a.jpg"}, {"image": "a.jpg"}),
        ("automatic-speech-recognition", {"inputAudioFile": "a.wav"}, {"audio": "a.wav"}),
        ("question-answering", {"document": "It rained.", "user_query": "Did it rain?"}, {"text": "Did it rain?", "context": "It rained."}),
        ("question-answering", {"a": "It rained.", "b": "When did it rain?"}, {"text": "When did it rain?", "context": "It rained."}),
        ("translation", {"source_text": "Hello", "lang": "French"}, {"text": "Hello", "language": "French"}),
        ("sentence-similarity", {"first_text": "a", "second_text": "b"}, {"text1": "a", "text2": "b"}),
        ("visual-question-answering", {"img_path": "a.jpg", "q": "How many?"}, {"image": "a.jpg", "text": "How many?"}),
    ],
)  # fmt: skip
def test_arguments_under_other_names(name: str, given: dict[str, str], bound: dict[str, str]) -> None:
    plan = read({"task": name, "id": 0, "dep": [-1], "args": given})
    assert plan.problems == []
    assert plan[0].args == bound
    assert all(f'"{written}"' in plan.notes[0] for written in given.keys() - bound.keys())


PASSAGE = "Ada is a mathematician."


@pytest.mark.parametrize("beside", ["question", "query", "user_query", "userQuestion"])
@pytest.mark.parametrize("passage", [PASSAGE, "<GENERATED>-0"])
def test_a_passage_under_the_name_of_the_question_is_the_context(beside: str, passage: str) -> None:
    asked = {"text": passage, beside: "Who is Ada?"}
    plan = read(task(0, "image-to-text", image="a.jpg"), {"task": "question-answering", "id": 1, "args": asked})
    assert plan.problems == []
    assert plan[1].args == {"text": "Who is Ada?", "context": passage}


@pytest.mark.parametrize(
    ("given", "bound"),
    [
        ({"text": "Who is Ada?", "input": PASSAGE}, {"text": "Who is Ada?", "context": PASSAGE}),
        ({"text": "Who is Ada?", "passage": PASSAGE}, {"text": "Who is Ada?", "context": PASSAGE}),
        ({"text": "Ada's profession", "the_passage": PASSAGE}, {"text": "Ada's profession", "context": PASSAGE}),
        (
            {"text": "Who?", "context": PASSAGE, "question": "Who is Ada?"},
            {"text": "Who?", "context": PASSAGE, "question": "Who is Ada?"},
        ),
    ],
)
def test_a_question_under_its_own_name_stays(given: dict[str, str], bound: dict[str, str]) -> None:
    plan = read(task(0, "question-answering", **given))
    assert plan.problems == []
    assert plan[0].args == bound


def test_a_passage_and_a_query_that_is_no_question_are_not_guessed() -> None:
    plan = read(task(0, "question-answering", text=PASSAGE, query="Ada's profession"))
    assert plan[0].problem == "which of its arguments is the text is not clear: name them"


@pytest.mark.parametrize("source", ["source_lang", "src_lang", "input_language", "source_language"])
@pytest.mark.parametrize("target", ["target_lang", "tgt_lang", "output_language", "target_language"])
def test_the_language_of_a_translation_is_that_of_its_target(source: str, target: str) -> None:
    plan = read(task(0, "translation", **{"text": "Hello", source: "English", target: "French"}))
    assert plan.problems == []
    assert plan[0].args == {"text": "Hello", source: "English", "language": "French"}
    alone = read(task(0, "translation", **{"text": "Hello", source: "English"}))
    assert "language" not in alone[0].args


@pytest.mark.parametrize(
    ("name", "values", "bound"),
    [
        ("Visual Question Answering", ["How many?", "a.jpg"], {"image": "a.jpg", "text": "How many?"}),
        ("Question Answering", ["It rained.", "Did it?"], {"text": "Did it?", "context": "It rained."}),
        ("Translation", ["Hello", "French"], {"text": "Hello", "language": "French"}),
        ("Sentence Similarity", ["Hello", "Hi"], {"text1": "Hello", "text2": "Hi"}),
        ("Translation", [{"name": "text", "value": "Hello"}], {"text": "Hello"}),
        ("Object Detection", [{"name": "a.jpg"}], {"image": "a.jpg"}),
        ("Zero-Shot Classification", ["great", ["good", "bad"]], {"text": "great", "labels": ["good", "bad"]}),
    ],
)
def test_arguments_without_names(name: str, values: list[Any], bound: dict[str, Any]) -> None:
    plan = read(node(name, *values), links=[])
    assert plan.problems == []
    assert plan[0].args == bound
    assert len(plan.notes) >= 1 or bound.keys() == {"text"}


@pytest.mark.parametrize(
    ("name", "values", "problem"),
    [
        ("Image-to-Image", ["a.jpg", "b.jpg"], "it takes one image, and is given more than one"),
        ("Text-to-Speech", ["Hello", "Bye"], "it takes one text, and is given more than one"),
        ("Question Answering", ["Rain.", "Snow."], "which of its arguments is the text is not clear: name them"),
        ("Tabular Classification", ["a.jpg"], "is missing; a.jpg is none"),
        ("Text-to-Image", ["A house", "a.jpg"], "it takes nothing like a.jpg"),
        ("Translation", ["<input text>"], "<input text> stands for nothing in the plan"),
        ("Visual Question Answering", ["a.jpg"], "its argument text (the question) is missing"),
    ],
)
def test_where_there_is_not_one_way_the_task_fails_with_a_reason(name: str, values: list[Any], problem: str) -> None:
    plan = read(node(name, *values), links=[])
    assert problem in plan[0].problem


def test_a_short_text_without_a_place_is_left_out_and_noted() -> None:
    plan = read(node("Image Segmentation", "a.jpg", "depth"), links=[])
    assert plan[0].args == {"image": "a.jpg"}
    assert plan.notes == ('task 0 (image-segmentation): took "a.jpg" for image, left out "depth"',)


@pytest.mark.parametrize(
    "written",
    [
        "<node-0>", "<node-0>.output", "<GENERATED>-0.text", "<output of node-0>", "<output of task 0>", "{{0}}",
        "{{task_0.output}}", "{0}", "$0", "${0.text}", "$node_0", "task_0", "task 0", "node-0", "output of task 0",
        "<0>", "Image Captioning", "image_captioning", "output of Image Captioning", "<node-0>['text']",
    ],
)  # fmt: skip
def test_forms_of_references(written: str) -> None:
    plan = read(
        {"task": "Image Captioning", "id": 0, "args": {"image": "a.jpg"}},
        {"task": "text-to-speech", "id": 1, "args": {"text": written}},
    )
    assert plan.problems == []
    assert plan[1].args == {"text": "<GENERATED>-0"}
    assert plan[1].dep == (0,)


@pytest.mark.parametrize("written", ["$5", "{{name}}", "It costs $0", "task_9", "0", "A caption", "<b>"])
def test_a_text_that_is_no_reference_stays(written: str) -> None:
    plan = read(
        {"task": "image-to-text", "id": 0, "args": {"image": "a.jpg"}},
        {"task": "text-to-speech", "id": 1, "args": {"text": written}},
    )
    assert plan[1].args == {"text": written}
    assert plan[1].problem == ""


LITERALS = ["$1", "$0", "$1.50", "Task 1", "task 0", "node-0", "0", "Step 1", "<image>", "translation", "Translation"]


@pytest.mark.parametrize("written", LITERALS)
def test_a_text_stays_where_the_task_says_that_it_needs_no_other(written: str) -> None:
    given = [task(0, "translation", text="Hello"), task(1, "text-to-speech", text=written)]
    plan = read(*given)
    assert plan.problems == []
    assert plan.to_json() == given


@pytest.mark.parametrize("written", LITERALS)
@pytest.mark.parametrize("dep", [[-1], [0]])
def test_labels_are_texts(written: str, dep: list[int]) -> None:
    given = [
        task(0, "translation", text="Hello"),
        task(1, "zero-shot-classification", dep, text="<GENERATED>-0" if dep == [0] else "Hi", labels=[written, "other"]),
    ]  # fmt: skip
    plan = read(*given)
    assert plan.problems == []
    assert plan.to_json() == given
    unnamed = read(
        node("Translation", "Hello"), node("Zero-Shot Classification", "great", [written, "other"]), links=[]
    )
    assert unnamed[1].args["labels"] == [written, "other"]


@pytest.mark.parametrize("written", ["$0", "Task 0", "node-0", "image-to-text", "Image Captioning"])
def test_what_may_be_a_text_is_the_task_that_is_said_to_be_needed(written: str) -> None:
    caption = {"task": "Image Captioning" if " C" in written else "image-to-text", "id": 0, "args": {"image": "a.jpg"}}
    plan = read(caption, task(1, "text-to-speech", [0], text=written))
    assert plan[1].args == {"text": "<GENERATED>-0"}
    links = [{"source": "0", "target": "1"}]
    assert read(caption, {"task": "text-to-speech", "id": 1, "args": [written]}, links=links)[1].args == plan[1].args


def test_of_two_tasks_of_one_name_the_one_is_meant_that_is_said_to_be_needed() -> None:
    captions = [task(0, "image-to-text", image="a.jpg"), task(1, "image-to-text", image="b.jpg")]
    plan = read(*captions, task(2, "text-to-speech", [1], text="image-to-text"))
    assert plan.problems == []
    assert plan[2].args == {"text": "<GENERATED>-1"}


def test_a_step_that_may_be_a_task_that_is_needed_is_a_problem() -> None:
    captions = [task(0, "image-to-text", image="a.jpg"), task(1, "image-to-text", image="b.jpg")]
    assert "steps from 1" in read(*captions, task(2, "text-to-speech", [1], text="step 1"))[2].problem


def test_a_node_that_is_no_object_is_no_target_of_links() -> None:
    links = [{"source": "0", "target": "1"}]
    assert "not a known task" in read(node("Translation", "Hi"), "nothing", links=links)[1].problem  # type: ignore[arg-type]


def test_a_reference_that_may_mean_two_tasks_is_a_problem() -> None:
    caption = {"task": "image-to-text", "args": {"image": "a.jpg"}}
    plan = read(caption, caption, {"task": "text-to-speech", "args": {"text": "image-to-text"}})
    assert plan[2].problem == '"image-to-text" names 2 tasks of the plan'
    assert "steps from 1" in read(caption, {"task": "text-to-speech", "args": {"text": "step 1"}})[1].problem


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Conversational Response Modeling", "conversational"),
        ("Text-to-Image Generation", "text-to-image"),
        ("Audio Enhancement", "audio-to-audio"),
        ("Table Image Question Answering", "table-question-answering"),
    ],
)
def test_near_names_of_tasks(written: str, name: str) -> None:
    plan = read({"task": written, "args": {}})
    assert plan[0].task == name
    assert plan.notes == (f'task 0: "{written}" was read as {name}',)


@pytest.mark.parametrize("written", ["Zero-shot image classification", "Emotion Detection", "Part-of-Speech tagging"])
def test_a_name_near_to_several_tasks_or_to_none_is_unknown(written: str) -> None:
    plan = read({"task": written, "args": {}})
    assert "is not a known task" in plan[0].problem


def test_links_given_apart_from_arguments() -> None:
    plan = read(
        node("Image-to-Text", "a.jpg"),
        node("Translation", {"language": "French"}),
        node("Question Answering", "Where is it?"),
        links=[
            {"source": "Image-to-Text", "target": "Translation"},
            {"source": "Translation", "target": "Question Answering"},
        ],
    )
    assert plan.problems == []
    assert plan[1].args == {"language": "French", "text": "<GENERATED>-0"}
    assert plan[2].args == {"text": "Where is it?", "context": "<GENERATED>-1"}


def test_a_link_tells_what_a_reference_to_nowhere_means() -> None:
    links = [{"source": "Image-to-Text", "target": "Text-to-Speech"}]
    plan = read(node("Image-to-Text", "a.jpg"), node("Text-to-Speech", "<node-1>"), links=links)
    assert plan[1].args == {"text": "<GENERATED>-0"}
    assert "task 1: <node-1> leads nowhere; its link says task 0" in plan.notes
    assert read(node("Image-to-Text", "a.jpg"), node("Text-to-Speech", "<node-1>"), links=[])[1].problem


def test_a_link_without_use_is_noted_and_is_no_dependency() -> None:
    links = [{"source": "Text-to-Speech", "target": "Object Detection"}]
    plan = read(node("Text-to-Speech", "Hello"), node("Object Detection", "a.jpg"), links=links)
    assert plan[1].dep == ()
    assert any("the link from task 0 is left out" in note for note in plan.notes)


def test_jarvis_form_is_left_as_it_is() -> None:
    given = [
        task(0, "image-to-text", image="a.jpg"),
        task(1, "text-to-speech", [0], text="<GENERATED>-0", voice="low"),
        task(2, "summarization", text="photo.jpg"),
    ]
    plan = read(*given)
    assert plan.to_json() == given
    assert plan.notes == ()


def test_the_benchmark_counts_what_can_be_run() -> None:
    good = {"task_nodes": [node("Image-to-Text", "a.jpg"), node("Text-to-Speech", "<node-0>")], "task_links": []}
    bad = {"task_nodes": [node("Tabular Classification", "a.jpg"), node("Text-to-Speech", "<node-0>")]}
    shares, reasons = figures([good, bad, {"nothing": 1}])
    assert shares["plans read"] == pytest.approx(2 / 3)
    assert shares["plans that run whole"] == pytest.approx(1 / 3)
    assert shares["tasks that run"] == shares["arguments kept in them"] / 2 == 0.5
    assert reasons.total() == 1
