"""The offline planner: free text, TaskBench's tools, malformed requests, and the training of its weights."""

from __future__ import annotations

import json
import logging
import random
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hugginggpt.common.paths import ROOT
from hugginggpt.core.errors import UserError
from hugginggpt.core.plan import Plan, references
from hugginggpt.core.results import TEXT
from hugginggpt.core.tasks import Arg, Cue, TaskType
from hugginggpt.media.references import find_resources
from hugginggpt.offline import heads, planner, spans
from hugginggpt.offline.clauses import split
from hugginggpt.offline.tool_network import links
from hugginggpt.offline.tool_network import scoring as toolnet
from hugginggpt.offline.tool_network.tools import NAMES, TOOL_TASKS
from hugginggpt.offline.training.__main__ import train_clauses, train_tools
from hugginggpt.offline.training.labelled import read_labelled
from hugginggpt.offline.training.phrases import Phrase
from hugginggpt.stages.run import turns_of
from tests.conftest import TABLE, plan_offline, repair

OWN = [json.loads(line) for line in (ROOT / "data" / "planning_eval.jsonl").read_text(encoding="utf-8").splitlines()]
TASKBENCH = frozenset(TOOL_TASKS)


# The project's own requests


def graph(plan: Sequence[Mapping[str, Any]]) -> list[Any]:
    """A plan without its numbering: each task with those that it waits for, in an order that does not depend on ids."""
    by_id = {task["id"]: task for task in plan}

    def tree(number: int) -> tuple[Any, ...]:
        task = by_id[number]
        return task["task"], tuple(sorted(tree(dep) for dep in task["dep"] if dep in by_id))

    return sorted(map(tree, by_id))


def plain(value: Any) -> str:
    return re.sub(r"\W+", " ", str(value).lower()).strip()


def same_args(gold: Mapping[str, Any], found: Mapping[str, Any]) -> bool:
    """Whether a task has the arguments that it should: of alternatives one, references as such."""
    if gold["task"] != found["task"] or set(gold["args"]) != set(found["args"]):
        return False
    for name, value in gold["args"].items():
        if references({name: value}):
            if not references({name: found["args"][name]}):
                return False
        elif plain(found["args"][name]) not in map(plain, value.split(" || ") if isinstance(value, str) else [value]):
            return False
    return True


def test_each_task_stands_among_them() -> None:
    assert {row.name for row in TABLE} <= {task["task"] for row in OWN for task in row["plan"]}


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_the_projects_own_requests(step: int) -> None:
    rows = OWN[::step]
    graphs = arguments = 0
    for row in rows:
        found = repair(plan_offline(row["request"], turns_of(row.get("history", ())))).to_json()
        if graph(found) != graph(row["plan"]):
            continue
        graphs += 1
        left = list(found)
        for gold in row["plan"]:
            match = next((task for task in left if same_args(gold, task)), None)
            if match:
                left.remove(match)
        arguments += not left
    assert graphs >= 0.98 * len(rows)
    assert arguments >= 0.97 * len(rows)


OTHERS = {
    "How many bottles stand on the model_registry in ~/Pictures/keller.jpg?": "object-detection",
    "I took this yesterday: beach_01.png. Is the flag red or yellow?": "visual-question-answering",
    "What's the invoice number on scan004.jpg and who sent it?": "document-question-answering document-question-answering",
    "make grandma.jpg look younger": "image-to-image",
    "denoise a.wav, then transcribe it, then translate the transcript to Spanish": "audio-to-audio>automatic-speech-recognition>translation",
    "Which companies does the article 'Siemens buys a share of Bosch' mention?": "token-classification",
    "Rewrite 'gimme the report now' so it sounds polite": "text2text-generation",
    "Read label.jpg and tell me whether it sounds friendly": "image-to-text>text-classification",
    "describe kitchen.png in French": "image-to-text>translation",
    "Translate the text on plakat.jpg into English and read the translation aloud": "image-to-text>translation>text-to-speech",
    "Write a haiku about rain and paint a picture of it": "text-generation>text-to-image",
    "is anyone talking in cellar.wav or is it just noise?": "audio-classification",
    "File this under sports, economy or culture: 'Ticket prices for the opera rise again'": "zero-shot-classification",
    "Paris is the [MASK] of France.": "fill-mask",
    "My neighbour wrote 'Your dog barks all night!' What should I answer?": "conversational",
    "Use the outlines of car.jpg to create a picture of a futuristic racing car": "canny-control>canny-text-to-image",
    "Remove the echo from talk.wav and make a summary of what is said": "audio-to-audio>automatic-speech-recognition>summarization",
    "Extract the text of contract.png and list all the names in it": "image-to-text>token-classification",
    "say 'Translate this into French' in German": "translation",
    "Write a poem about beach.jpg and read it aloud": "image-to-text>text-generation>text-to-speech",
    "can you help me?": "",
    "what's the weather like": "",
}


def chains(plan: Plan) -> str:
    """The tasks of a plan, those that follow one another joined."""
    lines = []
    for task in plan:
        if not task.dep:
            line, number = [task.task], task.id
            while following := [other for other in plan if number in other.dep]:
                line, number = [*line, following[0].task], following[0].id
            lines.append(">".join(line))
    return " ".join(lines)


@pytest.mark.parametrize(("request_text", "tasks"), OTHERS.items(), ids=range(len(OTHERS)))
def test_requests_that_the_words_were_not_written_for(request_text: str, tasks: str) -> None:
    plan = repair(plan_offline(request_text))
    assert chains(plan) == tasks
    assert not plan.problems


def test_clauses() -> None:
    request = "Describe a.jpg and b.jpg, then read it aloud: 'Stop, and count it!' is what it says. Thanks!"
    assert [clause.text for clause in split(request, find_resources(request))] == [
        "Describe photo.jpg and photo.jpg",
        "then read it aloud: 'text' is what it says",
        "Thanks",
    ]


# TaskBench's tools


def test_a_plan_that_is_limited_to_taskbenchs_tools() -> None:
    request = "I have a recording example.wav. Please transcribe it and translate the transcript into French."
    plan = repair(plan_offline(request, (), TASKBENCH))
    assert [(task.task, task.dep) for task in plan] == [("automatic-speech-recognition", ()), ("translation", (0,))]
    assert plan[0].args == {"audio": "example.wav"}
    assert plan[1].args["text"] == "<GENERATED>-0"
    assert plan_offline("", (), TASKBENCH) == []
    fewer = TASKBENCH - {"translation"}
    assert {task["task"] for task in plan_offline(request, (), fewer)} <= fewer


def test_a_long_request_that_is_not_clear_by_its_clauses_is_read_as_a_whole() -> None:
    request = (
        "The file lecture.wav is a talk about bees in English that my pupils, who only know Spanish, should be able to follow, "
        "so in the end there ought to be Spanish speech of what is said in it."
    )
    plan = repair(plan_offline(request))
    assert {"automatic-speech-recognition", "translation"} <= {task.task for task in plan}
    assert not plan.problems


def test_editing_is_told_from_transforming() -> None:
    edited = plan_offline("Change the colour of the car in the image 'example.jpg' to red.", (), TASKBENCH)
    assert [task["task"] for task in edited] == ["image-to-image"]
    assert edited[0]["args"]["text"]


def test_links_make_no_circle() -> None:
    found = [(0, 1), (1, 2), (2, 0), (2, 3), (0, 3)]
    assert links.acyclic(found, [0.9, 0.8, 0.7, 0.6, 0.1], {0, 1, 2, 3}, 0.2) == [(0, 1), (1, 2), (2, 3)]


def test_shares_of_chains_and_trees() -> None:
    scores = np.array([[-9, 4, -4], [-4, -9, 4], [-4, -4, -9]], float)
    for shares in (links.in_chains(scores), links.in_trees(scores)):
        assert shares[0, 1] > 0.9 and shares[1, 2] > 0.9 and shares[2, 0] < 0.1
    assert links.in_chains(np.random.default_rng(0).normal(size=(5, 5))).sum() == pytest.approx(4)
    equal = links.in_chains(np.zeros((3, 3)))
    assert equal[0, 1] == pytest.approx(1 / 3)


# Requests gone wrong


def mangled(number: int) -> Iterator[str]:
    chance = random.Random(3)
    scripts = [
        "مرحبا صف الصورة",
        "写真を説明して",
        "опиши картинку а.jpg",
        "🦊🎉",
        "\u202eabc\x00",
        "ÄÖÜ ß",
        "𝕕𝕖𝕤𝕔𝕣𝕚𝕓𝕖",
    ]
    for _ in range(number):
        text = chance.choice(OWN)["request"]
        cut, to = sorted((chance.randrange(len(text) + 1), chance.randrange(len(text) + 1)))
        yield chance.choice((
            text[:cut], text[cut:], text * 2, text[cut:to] + chance.choice(scripts), text.upper(), " ".join(reversed(text.split())),
            text.replace(" ", ""), text.replace("'", '"'), "".join(chance.sample(text, len(text))), chance.choice(scripts) + text[:to],
        ))  # fmt: skip


def check_valid(plan: Sequence[Mapping[str, Any]], text: str) -> None:
    mended = repair(plan)
    assert all(task.task in TABLE for task in mended), text
    assert all(dep < at for at, task in enumerate(mended) for dep in task.dep), text
    assert not any("circle" in problem or "not a known task" in problem for problem in mended.problems), text


def test_mangled_requests() -> None:
    for text in mangled(40):
        check_valid(plan_offline(text), text)


@pytest.mark.slow
def test_many_mangled_requests() -> None:
    for number, text in enumerate(mangled(500)):
        check_valid(plan_offline(text), text)
        if number % 5 == 0:
            check_valid(plan_offline(text, (), TASKBENCH), text)


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["a", "“", "and ", "a.jpg and ", "say: ", "_"])
def test_long_requests_take_no_more_than_in_proportion(piece: str) -> None:
    def seconds(length: int) -> float:
        text = piece * (length // len(piece))
        started = time.process_time()
        check_valid(plan_offline(text), piece)
        return time.process_time() - started

    plan_offline("warm up: describe a.jpg")
    assert seconds(100_000) < 12 * seconds(10_000) + 1


# Weights


def test_without_weights_the_rules_plan_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    monkeypatch.setattr(heads, "PLANNER_DATA", tmp_path)
    heads.load.cache_clear()
    heads.log.addHandler(handler)
    try:
        for _ in range(2):
            plan = plan_offline("Transcribe /examples/speech.wav and read it aloud")
            assert [task["task"] for task in plan] == ["automatic-speech-recognition", "text-to-speech"]
        assert plan_offline("Translate 'good day' to French", (), TASKBENCH)[0]["task"] == "translation"
        assert len([line for line in said if "rules alone" in line]) == 3  # one for each file, each once
    finally:
        heads.log.removeHandler(handler)
        heads.load.cache_clear()


def test_what_made_a_task_is_logged() -> None:
    said: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("hugginggpt.offline.planner")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        plan_offline("Transcribe a.wav and read it aloud")
        plan_offline("Transcribe the recording example.wav and translate the text to French", (), TASKBENCH)
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
    assert 'reason: "Transcribe sound.wav"' in said[0]
    assert 'the words "aloud"' in said[1] and "takes text from task 0" in said[1]
    assert "Transcribe" in said[2] and "%)" in said[2]
    assert "that it takes what automatic-speech-recognition gives" in said[3]


def test_training_twice_gives_the_same_weights(tmp_path: Path) -> None:
    phrases = [Phrase("summarization", text, 1.0) for text in ("sum it up", "a summary of it", "make it shorter")]
    phrases += [Phrase("none", text, 1.0) for text in ("hello", "thanks a lot", "good bye")]
    for name in "ab":
        train_clauses(phrases, tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def labelled(file: Path, number: int) -> Path:
    """A file of labelled requests of our own."""
    rows = [
        ("Transcribe talk.wav and translate it into French", "Automatic Speech Recognition", "Translation"),
        ("Draw a red fox and segment it", "Text-to-Image", "Image Segmentation"),
        ("Read the sign in sign.jpg and say it aloud", "Image-to-Text", "Text-to-Speech"),
        ("Write a poem about the sea and film it", "Text Generation", "Text-to-Video"),
    ]
    with file.open("w") as out:
        for at in range(number):
            text, first, second = rows[at % len(rows)]
            links = [{"source": first, "target": second}]
            row = {"user_request": f"{text}, number {at}", "task_nodes": [{"task": first}, {"task": second}]}
            out.write(json.dumps({**row, "task_links": links}) + "\n")
    return file


def test_labelled_requests(tmp_path: Path) -> None:
    row = read_labelled([labelled(tmp_path / "a.jsonl", 1)])[0]
    assert {NAMES[at] for at in row.tools} == {"automatic-speech-recognition", "translation"}
    assert len(row.links) == 1
    (tmp_path / "b.jsonl").write_text("{}\n")
    with pytest.raises(UserError, match=r"b\.jsonl, line 1"):
        read_labelled([tmp_path / "b.jsonl"])


@pytest.mark.slow
def test_the_network_trains_alike_twice_and_runs_alike_in_numpy(tmp_path: Path) -> None:
    import torch

    from hugginggpt.experts.minilm import LAYERS, lower_states
    from hugginggpt.offline.tool_network import network
    from hugginggpt.offline.training import learning

    data = labelled(tmp_path / "data.jsonl", 12)
    for name in "ab":
        train_tools([data], tmp_path / name, seed=0, epochs=1)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    known = learning.examples(read_labelled([data]))
    trained = network.train_network(known, learning.task_descriptions(), 0, epochs=1)
    expected = network.scores(trained, known.states[:1])[0]
    state = lower_states(
        ["Transcribe talk.wav and translate it into French, number 0"], LAYERS - toolnet.TRAINED_LAYERS, 128
    )[0]
    found = toolnet.network_scores(network.tensors(trained), state)[:3]
    for ours, theirs in zip(found, expected, strict=True):
        assert torch.allclose(torch.tensor(ours), torch.tensor(theirs), atol=1e-3)


@pytest.mark.parametrize(
    ("text", "languages"),
    [
        ("Translate 'hello' into Albanian", ["Albanian"]),
        ("in scottish gaelic and Haitian Creole, and welsh", ["Scottish Gaelic", "Haitian Creole", "Welsh"]),
        ("a French translation and a Farsi version", ["French", "Farsi"]),
        ("in plain English, in the polished picture as such, to Parisians", ["English"]),
        ("the German shepherd in a.jpg", []),
    ],
)
def test_the_languages_that_a_text_names(text: str, languages: list[str]) -> None:
    assert spans.languages(text) == languages


def test_rows_of_others_may_name_their_arguments_as_they_like() -> None:
    """What goes where is told by the kinds of the arguments."""
    rows = [
        TaskType("haiku", "write one", (Arg("subject"),), TEXT, cues=(Cue("haiku", sure=True),)),
        TaskType("mood", "tell it", (Arg("clip", "video"), Arg("query")), TEXT, cues=(Cue("mood", sure=True),)),
        TaskType("lip-reading", "read lips", (Arg("clip", "video"),), TEXT, reads_files=True),
    ]
    table = TABLE.extended(rows)

    def planned(request: str) -> list[Any]:
        return [(task["task"], task["args"]) for task in planner.plan_offline(request, table)]

    assert planned("Write a haiku about 'the sea'") == [("haiku", {"subject": "the sea"})]
    assert planned("What is the mood in /videos/a.mp4?") == [
        ("mood", {"clip": "/videos/a.mp4", "query": "What is the mood?"})
    ]
    assert planned("Write a haiku from /videos/a.mp4") == [
        ("lip-reading", {"clip": "/videos/a.mp4"}),
        ("haiku", {"subject": "<GENERATED>-0"}),
    ]


def test_the_texts_of_a_row_of_others_are_found_by_their_patterns() -> None:
    zone = r"[A-Z][a-z]+/[A-Z][A-Za-z_]+"
    args = (
        Arg("time", pattern=r"\b\d{1,2}:\d\d\b"),
        Arg("source", pattern=f"from ({zone})"),
        Arg("target", pattern=f"(?:to|in) ({zone})"),
        Arg("date", required=False, pattern=r"\b\d{4}-\d\d-\d\d\b"),
    )
    row = TaskType("convert-time", "convert a time", args, TEXT, cues=(Cue("convert", sure=True),), is_repeatable=True)
    table = TABLE.extended([row])

    def planned(request: str) -> list[Any]:
        return [task["args"] for task in planner.plan_offline(request, table)]

    there = {"time": "16:30", "source": "Europe/Paris", "target": "Asia/Tokyo"}
    assert planned("Convert 16:30 from Europe/Paris to Asia/Tokyo") == [there]
    assert planned("Convert 16:30 on 2026-11-23 from Europe/Paris to Asia/Tokyo") == [{**there, "date": "2026-11-23"}]
    assert planned("Convert 9:00 from Europe/Paris to Asia/Tokyo. Convert 16:30 from Europe/Paris to Asia/Tokyo.") == [
        {**there, "time": "9:00"},
        there,
    ]
    assert planned("Convert 16:30 to Asia/Tokyo") == []


@pytest.mark.parametrize(
    ("request_text", "tasks"),
    [
        ("Dear me, I can't read this print in /examples/invoice.png without my glasses. When is it due?", ["document-question-answering"]),
        ("We are two adults. How many dogs are in /examples/a.jpg?", ["object-detection"]),
        ("Please say me, how many dogs are in /examples/a.jpg?", ["object-detection"]),
        ("Can you make /examples/speech.wav an mp3? My player only takes mp3", ["convert-audio"]),
    ],
)  # fmt: skip
def test_what_people_say_of_themselves_is_no_task(request_text: str, tasks: list[str]) -> None:
    assert [task["task"] for task in plan_offline(request_text)] == tasks


def test_a_question_about_the_program_is_answered_beside_other_words() -> None:
    draft = planner.draft_plan("hello, what can you do for me? my grandson put this on my computer", TABLE)
    assert (draft.tasks, draft.small_talk, draft.unplanned) == ([], "ability", ())


def test_a_statement_with_a_code_belongs_to_the_question_behind_it() -> None:
    (task,) = plan_offline("My washing machine shows E18. What does it mean? /examples/notes.txt")
    assert task["args"]["text"] == "My washing machine shows E18. What does it mean?"


def test_what_a_file_is_good_for_is_none_of_its_rows() -> None:
    (task,) = plan_offline("Save the rows over 20 euros of sales.csv as csv so I can pass it on to the secretary")
    assert task["args"]["rows"] == "the rows over 20 euros"


def test_rows_that_are_to_be_saved_go_without_the_word_for_it() -> None:
    (task,) = plan_offline("and save only the rows with croissants as an excel file /examples/sales.csv")
    assert task["args"]["rows"] == "only the rows with croissants"


def test_a_line_over_the_days_is_a_chart() -> None:
    (task,) = plan_offline("Make a line of the upper values over the days /examples/sales.csv")
    assert task["task"] == "plot-table"
