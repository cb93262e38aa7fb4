"""Findings and the user's names of files in whole answers: offline, of a language model, over HTTP, in a conversation."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import requests

from hugginggpt.answers.accounting import unplanned_lines
from hugginggpt.answers.findings import findings_of, names_of
from hugginggpt.config import Config
from hugginggpt.core.conversation import Attachment, Turn
from hugginggpt.core.errors import BackendError
from hugginggpt.core.events import Choice, Finished, Planned, RunRecord
from hugginggpt.core.plan import Plan, Unplanned
from hugginggpt.core.questions import Objects, Question
from hugginggpt.core.tasks import TaskType
from hugginggpt.offline.responder import answered
from hugginggpt.records.run_log import RunLog
from hugginggpt.records.turns import turn_from_record
from hugginggpt.stages.run import turn_of
from hugginggpt.terminal.follow import prepared
from hugginggpt.testing import FakeEndpoint, plan, run, task, web_serving
from hugginggpt.testing.fakes import png
from tests.conftest import MakeConfig, controller_at, repair

A, B = "/examples/a.jpg", "/examples/b.jpg"
MODELS = {"object-detection": ["detect"], "image-to-text": ["caption"], "canny-control": ["canny"]}


@pytest.fixture
def config(make_config: MakeConfig) -> Config:
    return make_config(embedded=False)


def detector(*labels: str) -> FakeEndpoint:
    def work(model: str, row: TaskType, args: Mapping[str, Any]) -> Any:
        if model == "canny":
            raise BackendError("it broke.")
        found = [{"label": label, "score": 0.9, "box": [at] * 4} for at, label in enumerate(labels)]
        return {"predicted": found} if model == "detect" else {"generated text": "a dog"}

    return FakeEndpoint("local", MODELS, work)


def outcome(controller: Any, asked: Any) -> RunRecord:
    record = RunRecord()
    for event in controller.run(asked):
        record.apply(event)
    return record


def test_a_local_file_is_called_as_the_user_calls_it(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "trip").mkdir()
    for width, name in enumerate(("zoo.jpg", "trip/zoo.jpg", "my cat.png"), 40):
        (tmp_path / name).write_bytes(png(size=(width, 40)))
    monkeypatch.chdir(tmp_path)
    controller = controller_at(config, None, detector("dog"))
    for request, said in (
        ("How many dogs are in zoo.jpg?", "The detector found 1 dog in zoo.jpg."),
        ("How many dogs are in zoo.jpg and trip/zoo.jpg?", "2 dogs in these 2 pictures: 1 in zoo.jpg, 1 in trip/zoo.jpg."),
        ("Is there a dog in 'my cat.png'?", "Yes: the detector found 1 dog in my cat.png."),
        (f"Describe {A}", "a.jpg: a dog"),
    ):  # fmt: skip
        message = outcome(controller, prepared(controller, request)).message
        assert said in message.split("\n\n")[0], message
        assert "/uploads/" not in message and "/examples/" not in message
    first = prepared(controller, "Describe zoo.jpg")
    turn = turn_of(first, outcome(controller, first))
    again = outcome(controller, prepared(controller, "How many dogs are in it?", (), [turn]))
    assert again.message.startswith("The detector found 1 dog in zoo.jpg.")


def test_an_upload_is_called_as_the_user_calls_it_in_later_requests_too(config: Config) -> None:
    controller = controller_at(config, None, detector("dog"))
    upload = Attachment("zoo.png", "/uploads/zoo-1234567890.png", "image")
    (config.public_file(upload.source)).parent.mkdir(exist_ok=True)
    config.public_file(upload.source).write_bytes(png())
    message = [{"role": "user", "content": "How many dogs are in it?"}]
    first = controller.prepare(message, [upload])
    record = outcome(controller, first)
    assert record.message.startswith("The detector found 1 dog in zoo.png.")
    turn = turn_of(first, record)
    again = outcome(controller, controller.prepare([{"role": "user", "content": "Describe it"}], (), [turn]))
    assert again.message.startswith("zoo.png: a dog")
    assert "/uploads/" not in again.message


def test_findings_travel_with_the_record_and_the_turn(config: Config) -> None:
    controller = controller_at(config, None, detector("dog", "cat"))
    asked = controller.prepare([{"role": "user", "content": f"How many dogs are in {A}?"}])
    record = outcome(controller, asked)
    (finding,) = record.to_json()["findings"]
    assert (finding["operation"], finding["value"], finding["tasks"]) == ("count", 1, (0,))
    assert finding["sources"] == ({"task": 0, "file": A, "name": "a.jpg", "counts": {"dogs": 1}},)
    turn = turn_of(asked, record)
    assert turn.findings == record.findings
    assert Turn.from_json(json.loads(json.dumps(turn.to_json()))) == turn
    kept = RunLog(config).load(record.run_id)
    assert kept and turn_from_record(kept).findings == record.findings
    for older in (turn.to_json(), kept):
        del older["findings"]
    assert Turn.from_json(json.loads(json.dumps(turn.to_json() | {"findings": []}))).findings == ()
    assert turn_from_record(kept).findings == ()


def test_findings_over_http(make_config: MakeConfig) -> None:
    config = make_config()
    controller = controller_at(config, None, detector("dog"))
    with web_serving(controller, config) as url:
        body = {"messages": [{"role": "user", "content": f"Is there a cat in {A}?"}]}
        answer = requests.post(f"{url}/hugginggpt", json=body, timeout=20).json()
    assert answer["message"].startswith("No: the detector found no cats in a.jpg.")
    assert [(one["operation"], one["value"]) for one in answer["findings"]] == [("exists", False)]


def test_a_language_model_need_not_count(config: Config, scripted: Any) -> None:
    """Objects counted by file stand in the prompt after the results; without detections there is nothing more."""
    llm = scripted(
        plan=[plan(task(0, "object-detection", image=A), task(1, "object-detection", image=B)),
              plan(task(0, "image-to-text", image=A))],
        respond=["Four.", "A dog."],
    )  # fmt: skip
    controller = controller_at(config, llm, detector("dog", "dog", "cat"))
    run(controller, f"How many dogs are in {A} and {B}?")
    run(controller, f"Describe {A}")
    counted, described = (messages[-2]["content"] for messages in llm.messages("respond"))
    assert f"#0 object-detection(image = {A}): 2 dog, 1 cat (" in counted
    assert f"#1 object-detection(image = {B}): 2 dog, 1 cat (" in counted
    assert "Computed from them:\nThe detector found 4 dogs in these 2 pictures: 2 in a.jpg, 2 in b.jpg." in counted
    assert "omputed" not in described


def made(questions: Sequence[Question] = (), unplanned: Sequence[Unplanned] = (), **tasks: str) -> Plan:
    drafts = [task(n, name.replace("_", "-"), image=image) for n, (name, image) in enumerate(tasks.items())]
    whole = repair(drafts)
    return Plan(whole.tasks, (), tuple(questions), tuple(unplanned))


def test_a_language_model_is_given_the_findings_of_a_plan(config: Config, scripted: Any) -> None:
    """Where a plan has questions, their answers stand in the prompt, and in the record."""
    llm = scripted(respond="There is one dog.")
    controller = controller_at(config, llm, detector("dog"))
    question = Question("count", (Objects("dogs", ("dog",), unjudged="black"),), (0,), "how many black dogs")
    asked = controller.prepare([{"role": "user", "content": "How many black dogs are there?"}])
    asked.plan = made([question], object_detection=A)
    record = outcome(controller, asked)
    sentence = "The detector found 1 dog in a.jpg; I cannot tell whether it is a black dog."
    assert [one.reading for one in record.findings] == [sentence]
    assert f"\nComputed from them:\n{sentence}" in llm.messages("respond")[0][-2]["content"]


def test_every_part_of_a_request_is_accounted_for(config: Config) -> None:
    """Findings first, in the order of the request; then other results, what has no task, what failed, files, work."""
    dogs, trees = Objects("dogs", ("dog",)), Objects("trees")
    questions = [Question("exists", (trees,), (0,)), Question("count", (dogs,), (0,)), Question("count", (dogs,), (0,))]
    unplanned = [Unplanned("sing me a song", "No expert that is set up can sing."), Unplanned("make it snow")]
    controller = controller_at(config, None, detector("dog"))
    asked = controller.prepare([{"role": "user", "content": "…"}])
    asked.plan = made(questions, unplanned, object_detection=A, image_to_text=A, canny_control=A)
    assert outcome(controller, asked).message == "\n\n".join(
        [
            "The detector does not know “trees”, so I cannot tell.\nThe detector found 1 dog in a.jpg.\na.jpg: a dog",
            "Not possible here: “sing me a song”. No expert that is set up can sing.\n"
            "Not understood: “make it snow”.\n"
            "Not done (canny-control): it broke.",
            "What was done:\n- object-detection with detect on local: 1 dog (90 %)\n- image-to-text with caption on local",
        ]
    )


def test_what_would_let_parts_be_done_is_said_once() -> None:
    parts = [
        Unplanned("sing", "No expert here can sing.", "set HF_TOKEN, or start a server"),
        Unplanned("paint", "No expert here can change it: crop or paint.", "set HF_TOKEN, or start a server"),
        Unplanned("fly"),
    ]
    assert list(unplanned_lines(parts)) == [
        "Not possible here: “sing”. No expert here can sing.",
        "Not possible here: “paint”. No expert here can change it: crop or paint (set HF_TOKEN, or start a server).",
        "Not understood: “fly”.",
    ]


def finished(*tasks: tuple[str, dict[str, str], object]) -> RunRecord:
    """The record of tasks with their arguments and results."""
    drafts = [task(n, name, **args) for n, (name, args, _) in enumerate(tasks)]
    record = RunRecord().apply(Planned(repair(drafts)))
    for number, (_, _, value) in enumerate(tasks):
        record.apply(Finished(number, drafts[number]["args"], value, Choice("expert", "", "", "embedded")))
    return record


def test_results_in_sentences() -> None:
    """Sentiment, a text that does not say, several questions (one that has an answer is not
    repeated), a text that is given twice, and what is not recognised.
    """
    page = {"generated text": "A long text that stands on a page."}
    answers = [{"answer": "I do not find this in the text.", "found": False}, {"answer": "Leo.", "score": 0.9}]
    record = finished(
        ("text-classification", {"text": "Bad."}, [{"label": "NEGATIVE", "score": 0.86}, {"label": "POSITIVE", "score": 0.14}]),
        ("question-answering", {"text": "Who?", "context": "Leo."}, answers[0]),
        ("question-answering", {"text": "And who?", "context": "Leo."}, answers[1]),
        ("image-to-text", {"image": A}, page),
        ("text2text-generation", {"text": "A long text"}, page),
        ("object-detection", {"image": B}, {"predicted": []}),
    )  # fmt: skip
    assert answered(record).answer.split("\n") == [
        "The detector found none of the 80 kinds of things that it knows in b.jpg.",
        "The text is negative (86 %).",
        "“Who?” I do not find this in the text.",
        "Leo.",
        "a.jpg: A long text that stands on a page.",
    ]


@pytest.mark.parametrize(
    ("request_text", "said"),
    [
        ("Is this friendly or angry?", "The text is rather angry: it reads as negative (86 %)."),
        ("Positive or negative?", "The text is negative (86 %)."),
        ("Is it long or short?", "The text is negative (86 %)."),
    ],
)
def test_of_two_moods_the_one_that_it_is_is_told(request_text: str, said: str) -> None:
    record = finished(("text-classification", {"text": "Bad."}, [{"label": "NEGATIVE", "score": 0.86}]))
    assert answered(replace(record, request=request_text)).answer == said


@pytest.mark.parametrize(
    ("request_text", "sentence"),
    [
        ("find the names in this: TEXT", "Named in the text: organisations: Siemens; places: Berlin."),
        ("which places are named in: TEXT", "Named in the text: places: Berlin."),
        ("find all names except companies and places in: TEXT", "I see no other names in the text."),
        ("find the people in: TEXT", "I see no people named in the text."),
    ],
)
def test_kinds_of_names_are_asked_for_by_the_request_and_not_by_its_text(request_text: str, sentence: str) -> None:
    text = "People of Siemens met\ncompanies in Berlin."
    names = [{"entity_group": "ORG", "word": "Siemens"}, {"entity_group": "GPE", "word": "Berlin"}]
    record = finished(("token-classification", {"text": text}, names))
    record.request = request_text.replace("TEXT", text)
    assert answered(record).answer == sentence


def test_questions_of_tasks_that_were_not_run_have_no_finding() -> None:
    record = RunRecord().apply(Planned(made([Question("count", (Objects("dogs", ("dog",)),), (7,))], image_to_text=A)))
    assert findings_of(record, names_of(record)) == ()
    assert answered(record).message.startswith("I could not do this.")
