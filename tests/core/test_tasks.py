"""The task table: every row is complete, and rows of the configuration meet the same rules."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from hugginggpt import config as settings
from hugginggpt.common.paths import ROOT
from hugginggpt.core import tasks
from hugginggpt.core.errors import ConfigError
from hugginggpt.core.results import FILE_KINDS, FILLED, LABELS, SCHEMAS, TEXT
from hugginggpt.core.tasks import Arg, Cue, HubMethod, TaskTable, TaskType
from hugginggpt.offline.heads import load
from hugginggpt.offline.planner import plan_offline
from hugginggpt.tables import make_task_table
from tests.conftest import TABLE

VIDEO_ROW: dict[str, Any] = {
    "name": "video-classification",
    "about": "say what a video shows",
    "args": [{"name": "video", "kind": "video"}],
    "gives": "labels",
    "answer": "The video {video} shows: {}.",
}


def row(**changes: Any) -> TaskType:
    return TaskType("my-task", "do it", (Arg("image", "image"),), LABELS, "{image}: {}", **changes)


def table_of(tmp_path: Path, *rows: dict[str, Any], **others: Any) -> TaskTable:
    file = tmp_path / "config.yaml"
    file.write_text(yaml.safe_dump({"tasks": list(rows), **others}), encoding="utf-8")
    return make_task_table(settings.load(file, {}))


def check_row(task: TaskType) -> None:
    """Arguments, the shape of the result, a sentence for each kind of media, and words for the offline planner."""
    assert list(task.mistakes()) == []
    assert SCHEMAS.get(task.result.name) is task.result
    media = [arg for arg in task.args if arg.kind in FILE_KINDS]
    given = {arg.name: f"/files/{arg.name}.x" for arg in task.args}
    told = task.sentence("RESULT", given)
    assert "RESULT" in told
    compares = task.wording == "pair" and task.result is TEXT  # what it says depends on what is asked
    speaks_for_itself = task.wording in ("writing", "remark", "question") or task.result is FILLED or compares
    assert speaks_for_itself or task.answer != "{}", "the answer says what the result is"
    if "text" in task.result.kinds and media:  # with a table that may be its whole text
        assert any(given[arg.name] in told for arg in media), "the sentence names the file that it is about"
    head = load("clauses.safetensors")
    known = {name.partition("/")[0] for name in (head[1] if head else ())}
    assert task.cues or task.name in known, "no words of a request ask for it"
    assert not task.writes_text or "text" in task.result.kinds
    assert not task.result_names or task.writes_text
    assert not task.transforms_input or task.result.makes
    assert not (task.draws_control or task.follows_control) or task.result.makes == ("image",)


@pytest.mark.parametrize("task", TABLE, ids=lambda row: row.name)
def test_a_row_is_whole(task: TaskType) -> None:
    check_row(task)


@pytest.mark.parametrize(
    ("name", "lack"),
    [
        ("my-task", {"cues": ()}),
        *(
            (name, {"answer": "{}"})
            for name in ("text-to-image", "text-to-video", "text-to-speech", "tabular-classification")
        ),
        *((name, {"answer": "It is {}."}) for name in ("image-to-text", "audio-classification", "object-detection")),
        ("image-to-text", {"args": ()}),
        ("image-to-text", {"about": ""}),
        ("text-classification", {"result": replace(LABELS, name="mine")}),
    ],
)
def test_a_row_that_lacks_something_is_noticed(name: str, lack: dict[str, Any]) -> None:
    mine = replace(TABLE["image-to-text"], name="my-task")
    check_row(mine)
    row = replace(TABLE.find(name) or mine, **lack)
    with pytest.raises(AssertionError):
        check_row(row)


NAMED_HERE = (
    "core/task_rows.py",
    "core/operation_rows.py",
    "core/task_words.py",
    "core/task_aspects.py",
    "tables.py",
    "experts/",
    "testing/",
    "offline/tool_network/",
)
"""Where task types may be named: the rows, an example in a sentence, what registers itself for tasks, test doubles, and
TaskBench's tools, whose names are its own."""


def test_no_task_is_known_by_its_name_outside_its_row() -> None:
    package = Path(tasks.__file__).parents[1]
    for file in package.rglob("*.py"):
        if not str(file.relative_to(package)).startswith(NAMED_HERE):
            tree = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
            texts = {node.value for node in tree if isinstance(node, ast.Constant) and isinstance(node.value, str)}
            assert not texts.intersection(TABLE.names), file


def test_questions_go_to_the_task_for_what_they_are_about() -> None:
    assert TABLE.question_task("text") == "question-answering"
    assert TABLE.question_task("image", "What is the total of the invoice?") == "document-question-answering"
    assert TABLE.question_task("image", "What colour is the car?") == "visual-question-answering"
    assert TABLE.question_task("video") == ""
    assert (TABLE.translator, TABLE.describers) == ("translation", {"summarization", "image-to-text"})


def test_names_and_aliases_lead_to_one_row_each() -> None:
    names = [name for task in TABLE for name in (task.name, *task.aliases)]
    assert len(set(names)) == len(names)
    assert all(TABLE.find(name) in TABLE.rows for name in names)
    assert TABLE.find(" Image_to  Text ") is TABLE.find("OCR") is TABLE["image-to-text"]
    assert TABLE.find("paint-by-numbers") is None
    assert TABLE.nearest("image-to-txt") == "image-to-text"
    assert ("ocr" in TABLE, "image-to-text" in TABLE) == (False, True)


@pytest.mark.parametrize("aliases", TABLE.arg_aliases.items(), ids=lambda pair: pair[0])
def test_an_argument_alias_leads_to_an_argument(aliases: tuple[str, str]) -> None:
    _, name = aliases
    assert name == "video" or any(task.arg(name) for task in TABLE)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (replace(row(), name="My Task"), "name should be lower-case words joined by hyphens"),
        (replace(row(), about=" "), "about should say what the task does"),
        (replace(row(), args=(), answer="{}"), "args should name what the task takes"),
        (replace(row(), args=(Arg("image", "image"), Arg("image"))), "args should have different names"),
        (replace(row(), answer="It is done."), "answer should hold {} where the result stands"),
        (replace(row(), answer="{audio}: {}"), "answer should name arguments of the task, not {audio}"),
        (replace(row(), answer="{image: {}"), "answer has an odd brace"),
        (row(hub=HubMethod("m", {"image": "audio"})), "hub.params should name arguments of the task, not audio"),
        (replace(row(), llm=True), "llm is for tasks that take and give texts"),
        (row(cues=(Cue("("),)), r'the cue "(" is no regular expression'),
        (replace(row(), args=(Arg("image", pattern="("),)), r'the pattern "(" is no regular expression'),
        (replace(row(), name="image-to-text"), "there is a task of that name already"),
        (row(aliases=("ocr",)), "ocr: there is a task of that name already"),
    ],
)
def test_a_row_with_mistakes_is_refused(wrong: TaskType, said: str) -> None:
    with pytest.raises(ValueError) as refused:
        TABLE.extended([wrong])
    assert said in str(refused.value)


def test_a_larger_table_leaves_the_smaller_as_it_was() -> None:
    larger = TABLE.extended([row()])
    assert len(larger) == len(TABLE) + 1
    assert "my-task" not in TABLE
    assert larger["image-to-text"] is TABLE["image-to-text"]


# The configuration's rows


def test_a_row_of_the_configuration(tmp_path: Path) -> None:
    table = table_of(tmp_path, {**VIDEO_ROW, "aliases": ["video-labels"], "cues": [r"what .{0,20}video shows"]})
    task = table["video-classification"]
    assert table.find("Video Labels") is task
    assert (task.input_kind, task.result) == ("video", LABELS)
    assert task.sentence("a race", {"video": "/videos/x.mp4"}) == "The video /videos/x.mp4 shows: a race."
    assert task.cues[0].regex.search("Say what the video shows")


def test_the_arguments_that_a_row_is_about(tmp_path: Path) -> None:
    """They are told by their kinds, not by names."""
    assert (TABLE["translation"].input_arg.name, TABLE["tabular-classification"].input_arg.name) == ("text", "table")
    assert TABLE["visual-question-answering"].input_arg.name == "image"
    vqa, haiku = (TABLE["visual-question-answering"].text_arg, TABLE["object-detection"].text_arg)
    assert (vqa and vqa.name, haiku) == ("text", None)
    args = [{"name": "style", "required": False}, {"name": "subject"}, {"name": "clip", "kind": "video"}]
    row = table_of(tmp_path, {**VIDEO_ROW, "args": args, "answer": "{}"})["video-classification"]
    assert (row.input_arg.name, row.text_arg and row.text_arg.name) == ("clip", "subject")


@pytest.mark.parametrize(
    "request_text",
    [
        "Tell me what a video shows: clip.mp4",
        "Say what the video shows in clip.mp4",
        "Please do video-classification on clip.mp4",
        "do video classification of clip.mp4",
    ],
)
def test_the_row_of_the_documentation_is_planned_by_its_cue_and_its_name(tmp_path: Path, request_text: str) -> None:
    page = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```yaml\n(tasks:.*?)```", page, re.DOTALL)
    table = table_of(tmp_path, *yaml.safe_load(example)["tasks"])
    plan = plan_offline(request_text, table)
    assert [(task["task"], task["args"]) for task in plan] == [("video-classification", {"video": "clip.mp4"})]


@pytest.mark.parametrize(
    ("cue", "request_text"),
    [
        ("frobnicate", "frobnicate zoo.jpg"),
        ("frobnicate", "please do frobnicate-pictures on zoo.jpg"),
        ("edges", "Show me the edges of zoo.jpg"),  # of a task that is known for sure by that word
    ],
)
def test_a_cue_of_the_configuration_counts_before_what_was_learned(tmp_path: Path, cue: str, request_text: str) -> None:
    row = {**VIDEO_ROW, "name": "frobnicate-pictures", "args": [{"name": "image", "kind": "image"}], "answer": "{}"}
    plan = plan_offline(request_text, table_of(tmp_path, {**row, "cues": [cue]}))
    assert [(task["task"], task["args"]) for task in plan] == [("frobnicate-pictures", {"image": "zoo.jpg"})]


def test_without_cues_a_row_is_known_by_its_name(tmp_path: Path) -> None:
    assert table_of(tmp_path, VIDEO_ROW)["video-classification"].cues[0].regex.search("Video classification of x.mp4")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"args": [{"name": "video", "kind": "film"}]}, r"config.yaml: tasks.0.args.0.kind: input should be 'text', "),
        (
            {"hub": {"method": "foo_bar", "params": {"video": "video"}}},
            r"config.yaml: tasks.0.hub.method: should be a method of huggingface_hub.InferenceClient, such as \w+ \(it is 'foo_bar'\)",
        ),
        ({"gives": "tags"}, r"config.yaml: tasks.0.gives: should be one of text, labels, .* \(it is 'tags'\)"),
        ({"answer": "Done."}, r"config.yaml: tasks.0: answer should hold \{\} where the result stands"),
        ({"cue": ["x"]}, r"config.yaml: tasks.0.cue: extra inputs are not permitted \(did you mean cues\?\)\.$"),
        ({"sk-a1b2c3d4e5f6": "x"}, r"config.yaml: tasks.0.…: extra inputs are not permitted\.$"),
        ({"cues": ["("]}, r"config.yaml: tasks.0: the cue .* is no regular expression"),
        ({"name": "image-to-text"}, r"config.yaml: tasks.0: image-to-text: there is a task of that name already"),
        ({"name": "Video"}, r"config.yaml: tasks.0: name should be lower-case words"),
    ],
)
def test_a_wrong_row_of_the_configuration_names_file_and_key(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        table_of(tmp_path, {**VIDEO_ROW, **changes})


def test_a_task_that_the_configuration_names_is_in_the_table(tmp_path: Path) -> None:
    mine = {"models": [{"id": "me/mine", "task": "text-classificaton"}]}
    said = r"config.yaml: models_server.models.0.task: should be a task, such as text-classification \(it is 'text-"
    with pytest.raises(ConfigError, match=said):
        table_of(tmp_path, models_server=mine)
    mine["models"][0]["task"] = "video-classification"
    assert "video-classification" in table_of(tmp_path, VIDEO_ROW, models_server=mine)
