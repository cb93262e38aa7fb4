"""Requests that can only be understood by the conversation before them: it is read as data, however it was worded."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from hugginggpt.config import Config, load
from hugginggpt.core.conversation import Attachment, MissingInput, PastTask, Turn
from hugginggpt.core.events import RunRecord
from hugginggpt.media import references
from hugginggpt.offline.planner import OfflinePlanner, draft_plan
from hugginggpt.offline.responder import OfflineResponder, converse
from hugginggpt.records.turns import turn_from_record
from hugginggpt.stages.run import Run, turn_of, turns_of
from hugginggpt.testing import FakeEndpoint, run
from tests.conftest import TABLE, MakeConfig, controller_at, plan_offline
from tests.offline.test_responder import record

A, B, C = (f"/examples/{name}.jpg" for name in "abc")
WORDINGS = {
    "nothing": "",
    "gibberish": "Frzzl 17 /qux blorb – Not undone; Flies: wug (glorp)",
    "Chinese": "完成了。图片里有两只长颈鹿，文件在下面。",
    "German": "Erledigt: Auf dem Bild sind zwei Giraffen zu sehen. Nicht gemacht wurde nichts.",
}
"""What may stand in place of each of our answers."""
HELP = converse("greeting")
FERRY = "The ferry was cancelled. The passengers waited in Oban. The next one leaves on Monday."

COUNTED = PastTask(0, "object-detection", {"image": B}, {"generated image": "/images/boxes.jpg", "predicted": []}, form="boxes")  # fmt: skip
EDGES = PastTask(0, "canny-control", {"image": B}, {"generated image": "/images/x.png"}, form="image")
PAINTED = PastTask(0, "text-to-image", {"text": "a cat"}, {"generated image": "/images/cat.png"}, form="image")
CLEANED = PastTask(0, "audio-to-audio", {"audio": "a.wav"}, {"generated audio": "/audios/clean.wav"}, form="audio")
LOST = PastTask(0, "object-detection", {"image": "nothere.jpg"}, error="There is no such file.", code="media")
BUSY = PastTask(0, "object-detection", {"image": C}, error="Nothing answers.", code="backend")
SUMMED = PastTask(0, "summarization", {"text": FERRY}, {"generated text": "The ferry was cancelled."}, form="text")
SPOKEN = PastTask(
    0, "text-to-speech", {"text": "The ferry was cancelled."}, {"generated audio": "/audios/x.wav"}, form="audio"
)
HEARD = PastTask(
    0, "automatic-speech-recognition", {"audio": "/examples/speech.wav"}, {"generated text": "Ada was born in London."}, form="text"
)  # fmt: skip
SUMMED_UP = replace(SUMMED, id=1, args={"text": "Ada was born in London."}, dep=(0,))

Said = tuple[str, PastTask | str | tuple[PastTask, ...]]
"""A request, and what came of it: tasks, or words alone."""


def conversation(turns: tuple[Said, ...], wording: str = "") -> list[Turn]:
    return [
        Turn(request, message=outcome)
        if isinstance(outcome, str)
        else Turn(request, tasks=outcome if isinstance(outcome, tuple) else (outcome,), message=wording, answer=wording)
        for request, outcome in turns
    ]


THREE = ((f"Describe {A}", "1"), (f"and {B}", "2"), (f"and {C}", "3"))


@pytest.mark.parametrize("wording", WORDINGS.values(), ids=list(WORDINGS))
@pytest.mark.parametrize(
    ("turns", "request_text", "files"),
    [
        (((f"Describe {A}", "A giraffe."),), "Now find its edges", [A]),
        ((("hi", HELP),), "describe it", []),  # the picture that the help names is nobody's
        (((f"How many giraffes are in {B}?", COUNTED),), "describe it", [B]),
        (((f"How many giraffes are in {B}?", COUNTED),), "describe the annotated picture", ["/images/boxes.jpg"]),
        (((f"Draw the edges of {B}", EDGES),), "describe it", [B]),
        (((f"Draw the edges of {B}", EDGES),), "describe the result", ["/images/x.png"]),
        ((("Draw a cat", PAINTED),), "describe it", ["/images/cat.png"]),
        ((("Remove the noise from a.wav", CLEANED),), "transcribe it", ["/audios/clean.wav"]),
        ((("Remove the noise from a.wav", CLEANED),), "transcribe the original", ["a.wav"]),
        (((f"Describe {A}", "1"), (f"and {B}", "2"), ("and in nothere.jpg?", LOST)), "draw the edges of it", [B]),
        ((("Describe ex/nothere.jpg", "A cat."), ("and nothere.jpg?", LOST)), "describe it", ["ex/nothere.jpg"]),
        (((f"Describe {A}", "1"), (f"Count the cats in {C}", BUSY)), "describe it", [C]),
        (THREE, "draw the edges of the second picture", [B]),
        (THREE, "describe the first one", [A]),
        (THREE, "describe both", [B, C]),
        (THREE, "count the cats in all three", [A, B, C]),
        (((f"Describe {A}", "1"), (f"Describe {B} and {C}", "2")), "draw their edges and describe them", [B, C, B, C]),
        ((), "I have b.png and c.wav. Describe the first and transcribe the second.", ["b.png", "c.wav"]),
    ],
)
def test_which_files_of_a_conversation_are_meant(
    turns: tuple[Said, ...], request_text: str, files: list[str], wording: str
) -> None:
    plan = plan_offline(request_text, conversation(turns, wording))
    assert [task["args"].get("image") or task["args"].get("audio") for task in plan] == files


@pytest.mark.parametrize(
    ("turns", "request_text", "args"),
    [
        ((("'I hate it' - positive or negative?", "1"),), "and 'I love it'?", [{"text": "I love it"}]),
        ((("Is 'I hate it' positive?", "1"), ("and 'I love it'?", "2")), "how similar are the two?", [{"text1": "I hate it", "text2": "I love it"}]),
        ((("Transcribe a.wav", "1"),), "now do the same for b.wav", [{"audio": "b.wav"}]),
        ((("Describe 'my cat.jpg'", "1"),), "and 'my dog.jpg'?", [{"image": "my dog.jpg"}]),
        ((("Describe a.jpg and read it aloud", "1"),), "and b.jpg?", [{"image": "b.jpg"}, {"text": "<GENERATED>-0"}]),
        ((("Describe a.jpg", "1"), ("and b.jpg?", "2")), "and c.jpg?", [{"image": "c.jpg"}]),
    ],
)  # fmt: skip
def test_the_same_is_done_for_another_one(turns: tuple[Said, ...], request_text: str, args: list[Any]) -> None:
    assert [task["args"] for task in plan_offline(request_text, conversation(turns))] == args


def attached(name: str, kind: Any = "image") -> Attachment:
    return Attachment(name, f"/uploads/{name}", kind)


def planned(request: str, turns: list[Turn], *files: Attachment) -> list[dict[str, Any]]:
    """The plan of a request with files that are attached to it."""
    asked = Run([{"role": "user", "content": request}], load(environment={}).limits, files, turns)
    return plan_offline(request, turns, None, asked.resources)


def test_the_same_is_done_for_an_attached_file() -> None:
    turns = [Turn("How many cats are there?", files=(attached("a.jpg"),), tasks=(COUNTED,))]
    (task,) = planned("and now the same again", turns, attached("b.jpg"))
    assert (task["task"], task["args"]) == ("object-detection", {"image": "/uploads/b.jpg"})
    for request in ("Now describe it", "Now describe a.jpg"):  # which was attached before
        assert [task["args"] for task in planned(request, turns)] == [{"image": "/uploads/a.jpg"}]


@pytest.mark.parametrize(
    "request_text",
    [
        "and in this one?",
        "And in this picture?",
        "the same for this one",
        "and this:",
        "and it?",
        "what about that photo?",
        "this one too, please",
        "the same with the attached one",
        "?",
    ],
)
def test_words_that_only_point_mean_the_attached_file(request_text: str) -> None:
    turns = [Turn("How many giraffes are in it?", files=(attached("b.jpg"),), tasks=(COUNTED,))]
    before = planned(turns[0].request, [], *turns[0].files)
    after = planned(request_text, turns, attached("a.jpg"))
    assert after == [{**task, "args": {**task["args"], "image": "/uploads/a.jpg"}} for task in before] != []
    turns.append(Turn(request_text, files=(attached("a.jpg"),), tasks=(COUNTED,)))
    assert planned(request_text, turns, attached("c.jpg"))[0]["args"] == {"image": "/uploads/c.jpg"}


def test_an_attached_file_takes_the_place_of_one_that_was_written() -> None:
    turns = [Turn(f"How many giraffes are in {B} or near it?", tasks=(COUNTED,))]
    assert [task["args"] for task in planned("and in this one?", turns, attached("a.jpg"))] == [
        {"image": "/uploads/a.jpg"}
    ]


@pytest.mark.parametrize("request_text", ["and this recording: what does it say?", "and this recording?"])
def test_an_attached_file_is_meant_before_those_of_the_conversation(request_text: str) -> None:
    turns = [Turn("What does the letter say?", files=(attached("letter.png"),))]
    (task,) = planned(request_text, turns, attached("talk.wav", "audio"))
    assert (task["task"], task["args"]) == ("automatic-speech-recognition", {"audio": "/uploads/talk.wav"})


DESCRIBED = tuple(PastTask(at, "image-to-text", {"image": image}, form="text") for at, image in enumerate((A, B, C)))


@pytest.mark.parametrize(
    ("request_text", "files"),
    [
        ("the same for the first", [A]),
        ("and of the third one, please?", [C]),
        ("and of the last?", [C]),
        ("now the same for the other one", [C]),
        ("the same for the others", [A, C]),
        ("now both", [B, C]),
        ("and of all three?", [A, B, C]),
        (f"same for {A} and {C}", [A, C]),
    ],
)
def test_the_same_is_done_for_other_files_of_the_conversation(request_text: str, files: list[str]) -> None:
    turns = [
        Turn("Transcribe a.wav", tasks=(HEARD,)),
        Turn(f"Describe {A}, {B} and {C}", tasks=DESCRIBED),
        Turn("Show me the edges of the second picture", tasks=(EDGES,)),
    ]
    for _ in range(2):  # a repetition is repeated, too
        plan = plan_offline(request_text, turns)
        assert [(task["task"], task["args"]) for task in plan] == [("canny-control", {"image": file}) for file in files]
        turns.append(Turn("and the second one?", tasks=(EDGES,)))


def test_an_attached_file_that_is_named_again_is_still_one_file() -> None:
    turns = [
        Turn("Describe it", files=(attached("a.jpg"),)),
        Turn("and this one", files=(attached("b.jpg"),)),
        Turn("Draw the edges of b.jpg"),
    ]
    both = [{"image": "/uploads/a.jpg"}, {"image": "/uploads/b.jpg"}]
    assert [task["args"] for task in planned("Describe both", turns)] == both
    assert [task["args"] for task in planned("Describe it", turns)] == both[1:]


@pytest.mark.parametrize("wording", WORDINGS.values(), ids=list(WORDINGS))
def test_a_file_that_a_later_answer_names_again_keeps_its_maker(wording: str) -> None:
    turns = (
        (f"Summarise: {FERRY}", SUMMED),
        ("read it aloud", SPOKEN),
        ("is there speech in it?", PastTask(0, "audio-classification", {"audio": "/audios/x.wav"}, [], form="labels")),
    )
    plan = plan_offline("is it positive?", conversation(turns, wording))
    assert [task["task"] for task in plan] == ["text-classification"]


ANSWER = object()
"""The words of the last answer, whatever they are."""


@pytest.mark.parametrize(
    "wording", [text for text in WORDINGS.values() if text], ids=[n for n in WORDINGS if WORDINGS[n]]
)
@pytest.mark.parametrize(
    ("turns", "request_text", "text"),
    [
        (((f"Summarise: {FERRY}", SUMMED),), "read the summary aloud", "The ferry was cancelled."),
        (((f"Summarise: {FERRY}", SUMMED),), "read it aloud", "The ferry was cancelled."),
        ((("Transcribe /examples/speech.wav", HEARD),), "read that aloud", "Ada was born in London."),
        ((("Summarise /examples/speech.wav", (HEARD, SUMMED_UP)),), "read that aloud", "The ferry was cancelled."),
        (((f"How many giraffes are in {B}?", COUNTED),), "read that aloud", ANSWER),
        (((f"How many giraffes are in {B}?", COUNTED),), "Now read it out loud, please", ANSWER),
        ((("Describe it and count the cats", (HEARD, replace(COUNTED, id=1))),), "read that aloud", ANSWER),
        (((f"Summarise: {FERRY}", SUMMED), ("read it aloud", SPOKEN)), "is it positive?", FERRY),
        (((f"Describe {A}", "1"),), "Say hello", "hello"),
        ((), "Please say good night to me", "good night"),
    ],
)  # fmt: skip
def test_which_text_of_a_conversation_is_meant(
    turns: tuple[Said, ...], request_text: str, text: Any, wording: str
) -> None:
    plan = plan_offline(request_text, conversation(turns, wording))
    assert [task["args"]["text"] for task in plan] == [wording if text is ANSWER else text]


TRANSCRIBED = (("Transcribe /examples/speech.wav", HEARD),)


@pytest.mark.parametrize("wording", WORDINGS.values(), ids=list(WORDINGS))
@pytest.mark.parametrize(
    ("turns", "request_text", "context"),
    [
        (TRANSCRIBED, "Where was Ada born?", "Ada was born in London."),
        ((("Summarize 'Ada was born in London.'", "Ada."),), "Where was Ada born?", "Ada was born in London."),
        (
            (("Is there speech in /examples/speech.wav?", "It holds: speech (85 %)."),),
            "Who was laughing?",
            "<GENERATED>-0",
        ),
        (TRANSCRIBED, "Why did that fail?", None),
        (TRANSCRIBED, "Who wrote Hamlet?", "Ada was born in London."),
        (TRANSCRIBED, "Who was born before you?", None),
        (TRANSCRIBED, "Thanks, which is great!", None),
        (TRANSCRIBED, "What else can you tell me?", None),
        (TRANSCRIBED, "How do I set a key?", None),
    ],
)
def test_a_question_about_what_a_conversation_was_about(
    turns: tuple[Said, ...], request_text: str, context: str | None, wording: str
) -> None:
    plan = plan_offline(request_text, conversation(turns, wording))
    assert [task["args"]["context"] for task in plan[-1:]] == ([context] if context else [])


def test_of_messages_alone_the_paths_of_generated_files_are_known() -> None:
    """A client without records sends the words of both: of the tasks nothing is known."""
    roles = ("user", "assistant")
    said = ("Draw a cat", "Voilà : /images/cat.png", f"Describe {A}", f"{A} – une girafe, pas {C}")
    turns = turns_of([{"role": roles[at % 2], "content": content} for at, content in enumerate(said)])
    assert [turn.request for turn in turns] == ["Draw a cat", f"Describe {A}"]
    assert [task["args"] for task in plan_offline("describe the new picture", turns[:1])] == [
        {"image": "/images/cat.png"}
    ]
    assert [task["args"] for task in plan_offline("draw its edges", turns)] == [{"image": A}]
    for request, meant in (f"Draw the edges of {A}", A), (f"Make {A} look like a painting", "/images/x.png"):
        told = [Turn(request, message="完成了：/images/x.png")]  # what the user asked for tells which task made it
        assert [task["args"] for task in plan_offline("describe it", told)] == [{"image": meant}]


def test_a_follow_up_is_answered_as_the_question_before_it() -> None:
    counted = Turn(f"How many cats are in {A}?", message="Es ist eine.")
    asked = Run([{"role": "user", "content": f"and in {B}?"}], load(environment={}).limits, turns=[counted])
    made = record(asked.request, (B, ["cat", "cat"]))
    (event,) = OfflineResponder(TABLE).respond(asked, made)
    assert getattr(event, "message", "").splitlines()[0] == "The detector found 2 cats in b.jpg."


@pytest.mark.parametrize("words", ["so no dogs at all?", "and is there more than one dog", "how many dogs then?"])
def test_a_whole_question_about_objects_is_no_change_of_the_one_before(words: str) -> None:
    turns = conversation(((f"How many giraffes are standing in {B}?", COUNTED),))
    draft = draft_plan(words, TABLE, turns)
    (question,) = draft.questions
    assert ([one.words for one in question.objects], question.objects[0].unjudged) in ((["dogs"], ""), (["dog"], ""))
    assert [task["args"] for task in draft.tasks] == [{"image": B}]


# What was asked back


def after_asking(request: str) -> tuple[list[Turn], MissingInput]:
    """The conversation after a request to which a question was asked back, and what was asked for."""
    asked = Run([{"role": "user", "content": request}], load(environment={}).limits)
    made = RunRecord()
    for event in OfflinePlanner(TABLE).plan(asked):
        made.apply(event)
    assert not made.plan
    for event in OfflineResponder(TABLE).respond(asked, made):
        made.apply(event)
    assert made.missing
    assert made.to_json()["missing"] == made.missing.to_json()
    return [replace(turn_of(asked, made), message="¿Cuál?", answer="¿Cuál?")], made.missing


@pytest.mark.parametrize(
    "message",
    ["What is the boiling point of water?", "draw me a boat in a storm", "what are you able to do?", "tell me a joke"],
)
@pytest.mark.parametrize("request_text", ["Translate it into French", "Summarise the article"])
def test_a_new_request_is_no_reply(request_text: str, message: str) -> None:
    turns, _ = after_asking(request_text)
    assert draft_plan(message, TABLE, turns).request == message


@pytest.mark.parametrize(
    ("request_text", "missing", "reply", "args"),
    [
        ("describe it", ("image", "image-to-text", "image"), "b.jpg", [{"image": "b.jpg"}]),
        ("describe it", ("image", "image-to-text", "image"), "I mean the one in b.jpg, please", [{"image": "b.jpg"}]),
        ("describe it", ("image", "image-to-text", "image"), "it's https://a.example/x", [{"image": "https://a.example/x"}]),
        ("How many cats are there?", ("image", "object-detection", "image"), "b.jpg and c.jpg", [{"image": "b.jpg"}, {"image": "c.jpg"}]),
        ("transcribe it", ("audio", "automatic-speech-recognition", "audio"), "'my talk.wav'", [{"audio": "my talk.wav"}]),
        ("Translate it into French", ("text", "translation", "text"), "'Good morning'", [{"text": "Good morning", "language": "French"}]),
        ("Translate it into French", ("text", "translation", "text"), "The shop is closed", [{"text": "The shop is closed", "language": "French"}]),
        ("Translate it into French", ("text", "translation", "text"), "Where is the station?", [{"text": "Where is the station?", "language": "French"}]),
        ("Translate it into French", ("text", "translation", "text"), "notes.txt", [{"text": "notes.txt", "language": "French"}]),
        ("read the summary aloud", ("text", "text-to-speech", "text"), "All is well.", [{"text": "All is well."}]),
    ],
)  # fmt: skip
def test_a_reply_with_what_was_asked_for_continues_the_request(
    request_text: str, missing: tuple[str, str, str], reply: str, args: list[Any]
) -> None:
    turns, asked_for = after_asking(request_text)
    assert tuple(asked_for.to_json().values()) == missing
    plan = plan_offline(reply, turns)
    assert [task["args"] for task in plan] == args
    assert {task["task"] for task in plan} == {missing[1]}


@pytest.mark.parametrize(
    ("request_text", "reply", "tasks"),
    [
        ("describe it", "How many cats are in b.jpg?", ["object-detection"]),
        ("describe it", "Draw the edges of b.jpg", ["canny-control"]),
        ("describe it", "Transcribe a.wav instead", ["automatic-speech-recognition"]),
        ("describe it", "never mind", []),
        ("describe it", "a.wav", ["automatic-speech-recognition"]),
        ("Translate it into French", "never mind", []),
        ("Translate it into French", "Hello!", []),
        ("Translate it into French", "no thank you", []),
        ("Translate it into French", "Oh, never mind then.", []),
        ("Translate it into French", "What can you do for me?", []),
        ("Translate it into French", "hi there", []),
        ("Translate it into French", "which text?", []),
        ("Translate it into French", "...", []),
        ("describe it", "skip it", []),
        ("describe it", "what text?", []),
        ("Translate it into French", "Describe b.jpg", ["image-to-text"]),
        ("Translate it into French", "Summarise 'The sun is a star.'", ["summarization"]),
    ],
)
def test_a_reply_that_asks_for_something_else_is_a_request_of_its_own(
    request_text: str, reply: str, tasks: list[str]
) -> None:
    turns, _ = after_asking(request_text)
    assert [task["task"] for task in plan_offline(reply, turns)] == tasks


def test_an_attached_file_is_a_reply_and_the_next_turn_goes_on_from_there() -> None:
    turns, _ = after_asking("How many cats are there?")
    (task,) = planned("here it is", turns, attached("b.jpg"))
    assert (task["task"], task["args"]) == ("object-detection", {"image": "/uploads/b.jpg"})
    turns.append(Turn("here it is", files=(attached("b.jpg"),), tasks=(replace(COUNTED, args=task["args"]),)))
    assert [(t["task"], t["args"]) for t in plan_offline("and in c.jpg?", turns)] == [
        ("object-detection", {"image": "c.jpg"})
    ]
    turns.append(Turn("How old are you?", run_id="1"))
    assert [t["args"] for t in plan_offline("d.jpg", turns)] == [{"image": "d.jpg"}]  # asked again of another file


# From request to request through the controller


@pytest.fixture
def config(make_config: MakeConfig) -> Config:
    return make_config(embedded=False)


def work(model: str, task: Any, args: Any) -> Any:
    if task.name == "object-detection":
        return {"generated image": "/images/boxes.jpg", "predicted": [{"label": "cat", "score": 0.9, "box": {}}]}
    return {"generated audio": "/audios/x.wav"} if task.name == "text-to-speech" else {"generated text": "a cat"}


@pytest.mark.parametrize(
    "wording", [text for text in WORDINGS.values() if text], ids=[n for n in WORDINGS if WORDINGS[n]]
)
def test_a_conversation_goes_on_whoever_words_its_answers(config: Config, wording: str) -> None:
    tasks = ("image-to-text", "text-to-speech", "object-detection")
    controller = controller_at(config, None, FakeEndpoint("local", {name: [name] for name in tasks}, work))
    turns: list[Turn] = []
    plans: list[list[Any]] = []
    for request, files in (
        ("Describe it", ()),
        ("this one", (Attachment("pet.jpg", B, "image"),)),
        ("read it aloud", ()),
        ("How many cats are in it?", ()),
        (f"and in {A}?", ()),
    ):
        asked = controller.prepare([{"role": "user", "content": request}], files, turns)
        made = RunRecord()
        for event in controller.run(asked):
            made.apply(event)
        plans.append([(task["task"], *task["args"].values()) for task in made.plan.to_json()])
        turn = turn_of(asked, made)
        assert turn == turn_from_record(made.to_log()) == Turn.from_json(json.loads(json.dumps(turn.to_json())))
        turns.append(replace(turn, message=wording, answer=wording))
    assert plans == [
        [],
        [("image-to-text", B)],
        [("text-to-speech", "a cat")],
        [("object-detection", B)],
        [("object-detection", A)],
    ]


def test_a_request_is_searched_for_resources_once(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []
    pattern = references._FOUND

    class Counting:
        def finditer(self, text: str) -> Any:
            searched.append(text)
            return pattern.finditer(text)

    monkeypatch.setattr(references, "_FOUND", Counting())
    controller = controller_at(config, None, FakeEndpoint("local", {"object-detection": ["d"]}, work))
    request = "How many cats are in /examples/a.jpg, and if there is one, draw its edges"
    assert run(controller, request).tasks[0].ok
    assert searched == [request]
    assert run(controller, "describe it").missing
    assert searched == [request, "describe it"]


PAGE = PastTask(
    0,
    "image-to-text",
    {"image": "/uploads/page.png"},
    {"generated text": "Opening hours and prices. " * 5},
    form="text",
)


@pytest.mark.parametrize(
    ("request_text", "task"),
    [
        ("may one bring a pushchair?", True),
        ("what would a pensioner pay then", True),
        ("the deposit?", True),
        ("how many of the vouchers are still unused", True),
        ("how are you?", False),
        ("send it to my sister", False),
        ("that is lovely", False),
    ],
)
def test_a_question_that_no_class_claims_is_put_to_what_is_in_hand(request_text: str, task: bool) -> None:

    turns = [Turn("What is this?", files=(attached("page.png"),), tasks=(PAGE,))]
    plan = planned(request_text, turns)
    assert bool(plan) is task and all(TABLE[one["task"]].wording == "question" for one in plan)


@pytest.mark.parametrize(
    ("request_text", "asked"),
    [
        ("The people want a dog. What does our lease say? /examples/notes.txt", ["The people want a dog"]),
        ("May I keep a dog? On which page does it say so? /examples/notes.txt", ["May I keep a dog?"]),
        ("Who won? What did he get for it? /examples/notes.txt", ["Who won? What did he get for it?"]),
        ("Who won? When does the shop open? /examples/notes.txt", ["Who won?", "When does the shop open?"]),
    ],
)  # fmt: skip
def test_a_question_that_takes_up_the_one_before_is_asked_with_it(request_text: str, asked: list[str]) -> None:
    plan = plan_offline(request_text)
    assert [task["args"]["text"] for task in plan] == asked
