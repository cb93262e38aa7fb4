"""Planning and answering without a language model."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hugginggpt.config import load
from hugginggpt.core import plan_repair
from hugginggpt.core.events import Answered, Choice, Failed, Finished, Planned, RunRecord, RunStarted
from hugginggpt.core.results import BOXES
from hugginggpt.core.tasks import Arg, TaskType
from hugginggpt.experts import registry
from hugginggpt.media.references import find_resources
from hugginggpt.offline.planner import OfflinePlanner
from hugginggpt.offline.responder import OfflineResponder, answered, converse
from hugginggpt.stages.run import Run
from hugginggpt.terminal.cli import EXAMPLES
from hugginggpt.testing import task
from tests.conftest import TABLE, plan_offline, repair

A, B, C = (f"/examples/{name}.jpg" for name in "abc")


def test_the_six_requests_of_the_readme() -> None:
    plans = [repair(plan_offline(request)) for request in EXAMPLES]
    assert not any(plan.problems for plan in plans)
    assert [plan.to_json() for plan in plans] == [
        [task(n, "object-detection", image=image) for n, image in enumerate((A, B, C))],
        [task(0, "image-to-text", image="/examples/invoice.png"), task(1, "text-to-speech", [0], text="<GENERATED>-0")],
        [
            task(0, "automatic-speech-recognition", audio="/examples/speech.wav"),
            task(1, "token-classification", [0], text="<GENERATED>-0"),
        ],
        [
            task(0, "openpose-control", image="/examples/person.jpg"),
            task(1, "canny-control", image="/examples/person.jpg"),
        ],
        [
            task(0, "audio-to-audio", audio="/examples/noisy.wav"),
            task(1, "automatic-speech-recognition", [0], audio="<GENERATED>-0"),
            task(2, "text-classification", [1], text="<GENERATED>-1"),
        ],
        [],
    ]


@pytest.mark.parametrize(
    ("request_text", "tasks"),
    [
        ("What is the total of the invoice /examples/invoice.png?", [("document-question-answering", "image")]),
        ("What colour is the cup in cup.jpg?", [("visual-question-answering", "image")]),
        ("Summarize 'The sun is a star.' and read it aloud", [("summarization", "text"), ("text-to-speech", "text")]),
        ("Translate 'good morning' into French", [("translation", "text")]),
        ("Generate a picture of a cat on the moon", [("text-to-image", "text")]),
        ("How similar are 'a cat' and 'a kitten'?", [("sentence-similarity", "text1")]),
        ("Is there a dog in https://example.org/x.jpg?size=2?", [("object-detection", "image")]),
        ("Is there a cat in c.jpg and a bird in d.jpg?", [("object-detection", "image")] * 2),
        (
            "How does the speaker in a.wav feel?",
            [("automatic-speech-recognition", "audio"), ("text-classification", "text")],
        ),
        (
            "Transcribe a.wav and tell me how the speaker feels",
            [("automatic-speech-recognition", "audio"), ("text-classification", "text")],
        ),
        ("Don't transcribe a.wav, just tell me whether anybody speaks in it", [("audio-classification", "audio")]),
        ("Give me the seg map of g.jpg", [("seg-control", "image")]),
        ("Based on 'Anna moved from Leeds to Oslo.', where does Anna live?", [("question-answering", "context")]),
        ("Make an audio book of 'Once upon a time'", [("text-to-speech", "text")]),
        ("Thanks!", []),
        ("", []),
    ],
)
def test_other_requests(request_text: str, tasks: list[tuple[str, str]]) -> None:
    plan = repair(plan_offline(request_text))
    assert [t.task for t in plan] == [name for name, _ in tasks]
    assert all(arg in t.args for t, (_, arg) in zip(plan, tasks, strict=True))
    assert not plan.problems


@pytest.mark.parametrize(
    ("request_text", "text"),
    [
        ("Find the names in 'letter.png' and say them aloud", "<GENERATED>-1"),
        ("Find the names in 'letter.png' and read the letter aloud", "<GENERATED>-0"),
        ("Count the people in a.jpg and b.jpg and read the result aloud", "<GENERATED>-0. <GENERATED>-1"),
        ("Transcribe a.wav and say good night", "good night"),
        ("Transcribe a.wav and say it", "<GENERATED>-0"),
    ],
)
def test_which_of_the_results_is_read_aloud(request_text: str, text: str) -> None:
    assert [task["args"]["text"] for task in plan_offline(request_text) if task["task"] == "text-to-speech"] == [text]


@pytest.mark.parametrize(
    ("request_text", "args"),
    [
        (
            "Where does Anna live? Anna moved from Leeds to Oslo in 2019.",
            [{"text": "Where does Anna live?", "context": "Anna moved from Leeds to Oslo in 2019."}],
        ),
        ("What is the capital of Norway? I need it for school.", [{"text": "What is the capital of Norway"}]),
        (
            "Who founded Acme? The answer is in /examples/notes.txt",
            [{"text": "Who founded Acme?", "context": "/examples/notes.txt"}],
        ),
        (
            "What is the total? It is in /examples/invoice.png",
            [{"text": "What is the total?", "image": "/examples/invoice.png"}],
        ),
        (
            "Who founded Acme? Text: 'Acme was founded by Jane Roe.'",
            [{"text": "Who founded Acme?", "context": "Acme was founded by Jane Roe."}],
        ),
    ],
)
def test_statements_beside_a_question_are_what_it_is_answered_from(request_text: str, args: list[Any]) -> None:
    assert [task["args"] for task in plan_offline(request_text)] == args


@pytest.mark.parametrize(
    ("request_text", "question"),
    [
        ("Who was born in Warsaw according to /examples/speech.wav?", "Who was born in Warsaw?"),
        ("Who was born in Warsaw? The answer is in /examples/speech.wav", "Who was born in Warsaw?"),
        ("Listen to /examples/speech.wav: who was born in Warsaw?", "who was born in Warsaw?"),
        ("Transcribe /examples/speech.wav and tell me who was born in Warsaw", "who was born in Warsaw"),
        ("Where did he live, as said in /examples/speech.wav?", "Where did he live?"),
        ("Tell me when the train leaves, it's in /examples/speech.wav", "when the train leaves"),
        ("Find out from /examples/speech.wav how much the ticket costs", "how much the ticket costs"),
        ("What is the meeting in /examples/speech.wav about?", "What is the meeting about?"),
        ("Using /examples/speech.wav, answer the question 'Where did he live?'", "Where did he live?"),
    ],
)
def test_a_question_about_what_is_said_in_a_recording(request_text: str, question: str) -> None:
    assert repair(plan_offline(request_text)).to_json() == [
        task(0, "automatic-speech-recognition", audio="/examples/speech.wav"),
        task(1, "question-answering", [0], text=question, context="<GENERATED>-0"),
    ]


@pytest.mark.parametrize(
    ("request_text", "tasks"),
    [
        ("What is /examples/speech.wav about?", ["automatic-speech-recognition"]),
        ("Does the speaker in /examples/speech.wav mention Berlin?", ["automatic-speech-recognition"]),
        ("What animal makes the sound in /examples/speech.wav?", ["audio-classification"]),
        ("Which language is spoken in /examples/speech.wav?", ["audio-classification"]),
        ("Who is speaking in /examples/speech.wav?", ["audio-classification"]),
        ("What is this? /examples/speech.wav", ["audio-classification"]),
        ("What kind of audio is /examples/speech.wav?", ["audio-classification"]),
        ("What vehicle is in /examples/speech.wav?", ["audio-classification"]),
        ("Which of rain and thunder is in /examples/speech.wav?", ["audio-classification"]),
        ("What is /examples/speech.wav: rain or thunder?", ["audio-classification"]),
        ("Who is laughing in /examples/speech.wav?", ["audio-classification"]),
        ("How many speakers are in /examples/speech.wav?", ["audio-classification"]),
        ("When does he say 'goodbye' in /examples/speech.wav?", ["automatic-speech-recognition", "question-answering"]),
        ("Turn /examples/speech.wav into text, which I need", ["automatic-speech-recognition"]),
        ("When you are done, transcribe /examples/speech.wav", ["automatic-speech-recognition"]),
        ("Does /examples/a.jpg mention a discount? And transcribe /examples/speech.wav", ["document-question-answering", "automatic-speech-recognition"]),
        ("Who is named in /examples/notes.txt?", ["token-classification"]),
        ("Which words in /examples/notes.txt are nouns?", ["token-classification"]),
        ("Who does /examples/notes.txt mention?", ["token-classification"]),
        ("What should I reply to /examples/notes.txt?", ["conversational"]),
        ("Who plays the piano in /examples/speech.wav?", ["audio-classification"]),
        ("Transcribe /examples/speech.wav. Who is in the picture?", ["automatic-speech-recognition"]),
        ("Continue /examples/notes.txt where it stops", ["text-generation"]),
        ("I got a letter. See /examples/invoice.png", ["image-to-text"]),
        ("Describe /examples/a.jpg. See /examples/b.jpg", ["image-to-text"] * 2),
        ("Which cities are mentioned in /examples/speech.wav?", ["automatic-speech-recognition", "token-classification"]),
        ("Summarize /examples/speech.wav and tell me who pays", ["automatic-speech-recognition", "summarization", "question-answering"]),
        ("From /examples/speech.wav: why was it cancelled and who told them?", ["automatic-speech-recognition", "question-answering"]),
    ],
)  # fmt: skip
def test_other_questions_about_a_recording(request_text: str, tasks: list[str]) -> None:
    plan = plan_offline(request_text)
    assert [task["task"] for task in plan] == tasks
    contexts = [task["args"]["context"] for task in plan if task["task"] == "question-answering"]
    assert set(contexts) <= {"<GENERATED>-0"}  # the transcript, not a summary of it or another answer


def test_a_question_is_put_to_each_of_several_recordings() -> None:
    plan = repair(plan_offline("Who was born in Warsaw according to /examples/speech.wav and /examples/noisy.wav?"))
    assert [(task.task, task.args["text"], task.dep) for task in list(plan)[2:]] == [
        ("question-answering", "Who was born in Warsaw?", (0,)),
        ("question-answering", "Who was born in Warsaw?", (1,)),
    ]


@pytest.mark.parametrize(
    ("question", "kind"), [("What event is depicted in this image?", "visual"), ("What is the total?", "document")]
)
def test_a_quoted_question_is_put_to_the_picture(question: str, kind: str) -> None:
    plan = plan_offline(f"I have a picture (/examples/a.jpg). Please answer the question '{question}'")
    assert plan == [
        {"task": f"{kind}-question-answering", "id": 0, "args": {"image": "/examples/a.jpg", "text": question}}
    ]


def test_a_question_about_a_summary_is_put_to_the_summary() -> None:
    plan = plan_offline("Summarize /examples/speech.wav. Based on the summary, who pays?")
    assert plan[2]["args"] == {"text": "who pays?", "context": "<GENERATED>-1"}


def test_abilities_are_claimed_only_of_installed_experts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "count and find objects" in converse("greeting")
    monkeypatch.setattr(registry, "is_installed", lambda package: False)
    told = converse("greeting")
    assert "what a recording or a video says" not in told
    assert "can run; for the others: pip install" in told


@pytest.mark.parametrize(
    ("request_text", "said"),
    [
        ("do i need internet or a key for you to work?", ("No internet, account or key is needed",)),
        (
            "are you free to use or do you need a subscription, and do you upload my photos?",
            ("it costs nothing", "nothing leaves this computer"),
        ),
        ("can i give you pdf and excel files as well or only pictures", ("PDF, Word", "Excel, CSV")),
        ("is this free, and are my photos uploaded anywhere?", ("it costs nothing", "nothing leaves this computer")),
        ("Do my photos get sent off to the internet when i use you?", ("nothing leaves this computer",)),
        ("what can you do with a video then?", ("With videos I can write down what is said",)),
        ("ok and can it read word files and excel", ("PDF, Word", "Excel, CSV")),
        ("which languages do you speak?", ("German, French, Spanish and Chinese",)),
        ("what can you do for me?", ("I can, for example, tell what is on a picture",)),
    ],
)
def test_a_question_about_the_program_is_answered(request_text: str, said: tuple[str, ...]) -> None:
    run = Run([{"role": "user", "content": request_text}], load(environment={}).limits)
    record = RunRecord()
    for event in OfflinePlanner(TABLE).plan(run):
        record.apply(event)
    told = converse(record.plan.small_talk, True, request_text)
    assert all(part in told for part in said) and "OPENAI_API_KEY" not in told


@pytest.mark.parametrize(
    ("request_text", "said"),
    [
        ("describe it", "Which picture do you mean? Name its file, or attach it."),
        ("describe scan.svg", "scan.svg cannot be read, as svg files cannot: give a picture (jpg,"),
        ("transcribe it", "Which recording do you mean? Name its file, or attach it."),
        ("read the summary aloud", "Which text do you mean? Put it in quotes, or name its file."),
        ("segment the person in clip.mp4", "This is done to a picture: name one, or take it from the video"),
        ("hello", "I am JARVIS"),
        ("hiya, what are you?", "I am JARVIS"),
        ("thanks a lot, see you tomorrow", "You are welcome."),
        ("ok", "All right."),
        ("I don't think that's right", "Thank you for telling me."),
        ("what's the weather like", "Not possible here: “what's the weather like”. No expert can look up what is"),
        ("blorp the fnord", "Not understood: “blorp the fnord”."),
    ],
)
def test_what_is_not_named_is_asked_for(request_text: str, said: str) -> None:
    chat = [("user", "hello"), ("assistant", converse("greeting")), ("user", request_text)]
    run = Run([{"role": role, "content": content} for role, content in chat], load(environment={}).limits)
    record = RunRecord()
    for event in OfflinePlanner(TABLE).plan(run):
        record.apply(event)
    assert not record.plan
    for event in OfflineResponder(TABLE).respond(run, record):
        record.apply(event)
    assert record.message.startswith(said)
    refused = said.startswith(("scan.svg", "Not "))
    assert (record.nothing_done, bool(record.errors)) == (refused, refused)


@pytest.mark.parametrize(
    ("request_text", "tasks"),
    [
        ("Transcribe a.wav, but please do not read it aloud, just list the cities", ["automatic-speech-recognition", "token-classification"]),
        ("Without reading it aloud, transcribe a.wav", ["automatic-speech-recognition"]),
        ("Transcribe a.wav without reading it aloud", ["automatic-speech-recognition"]),
        ("Transcribe a.wav. No translation please.", ["automatic-speech-recognition"]),
        ("Don't draw boxes, only tell me how many giraffes there are in a.jpg", ["object-detection"]),
        ("Don't describe or read a.jpg, just find its edges", ["canny-control"]),
        ("Describe a.jpg. There's no need to read it aloud.", ["image-to-text"]),
        ("Count the giraffes in a.jpg instead of describing it", ["object-detection"]),
        ("Don't forget to read story.txt aloud", ["text-to-speech"]),
        ("Why don't you describe a.jpg?", ["image-to-text"]),
        ("Draw a picture of a street with no cars, no people", ["text-to-image"]),
        ("Instead of describing a.jpg count the people in it", ["object-detection"]),
        ("Without drawing boxes count the people in a.jpg", ["object-detection"]),
        ("Rather than translating story.txt summarize it", ["summarization"]),
        ("Do not translate story.txt before you summarize it", ["summarization"]),
        ("Don't read a.wav aloud until you have transcribed it", ["automatic-speech-recognition"]),
        ("Do not only describe a.jpg, also detect its objects", ["image-to-text", "object-detection"]),
        ("Do not simply count the people in a.jpg, also draw its edges", ["object-detection", "canny-control"]),
        ("Don't transcribe a.wav", []),
    ],
)  # fmt: skip
def test_what_is_not_to_be_done_is_not_planned(request_text: str, tasks: list[str]) -> None:
    assert [task["task"] for task in plan_offline(request_text)] == tasks


@pytest.mark.parametrize(
    ("request_text", "is_condition"),
    [
        ("Write down a.wav. If it is negative, read it aloud.", True),
        ("If there is a person in a.jpg, draw their pose; otherwise describe it", True),
        ("Count the dogs in a.jpg and describe it only if there are any", True),
        ("Tell me if there is a dog in a.jpg and describe it", False),
        ("Describe a.jpg and check if it is positive, if you can", False),
        ("Summarise 'If it rains, it pours.' and read it aloud", False),
    ],
)
def test_conditions_are_told_apart(request_text: str, is_condition: bool) -> None:
    made = record(request_text, (A, ["dog"]), (B, ["dog"]))
    assert ('Note: what "if" or "otherwise" stands before was done in any case' in message_of(made)) == is_condition


def test_a_question_is_put_without_its_file() -> None:
    assert plan_offline("What colour is the cup in cup.jpg?")[0]["args"]["text"] == "What colour is the cup?"


@given(st.text(max_size=200))
@settings(max_examples=60, deadline=None)
def test_any_text_gives_a_plan(text: str) -> None:
    repair(plan_offline(text))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "see /examples/a.jpg, b.PNG and c.wav.",
            [("/examples/a.jpg", "image"), ("b.PNG", "image"), ("c.wav", "audio")],
        ),
        ("from https://x.org/p.png?v=2, ok", [("https://x.org/p.png?v=2", "image")]),
        ("from https://x.org/picture.", [("https://x.org/picture", None)]),
        ("read 'hello world' and \"don't stop\"", [("hello world", "text"), ("don't stop", "text")]),
        ("the file 'my cat.jpg'", [("my cat.jpg", "image")]),
        ("it's John's and I'm here", []),
        ("v2.mp4 data.csv", [("v2.mp4", "video"), ("data.csv", "table")]),
    ],
)
def test_resources(text: str, found: list[tuple[str, Any]]) -> None:
    assert [(resource.text, resource.kind) for resource in find_resources(text)] == found


def message_of(made: RunRecord) -> str:
    return answered(made).message


def record(request: str, *found: tuple[str, list[str]]) -> RunRecord:
    """The record of a run that found objects in pictures."""
    plan = repair([task(n, "object-detection", image=image) for n, (image, _) in enumerate(found)])
    made = RunRecord().apply(RunStarted("1", request, "offline")).apply(Planned(plan))
    for n, (image, labels) in enumerate(found):
        value = {
            "generated image": f"/images/{n}.jpg",
            "predicted": [{"label": label, "score": 0.9} for label in labels],
        }
        made.apply(Finished(n, {"image": image}, value, Choice("nanodet-coco", "embedded", "", "on this machine")))
    return made


def test_counts_are_summed_over_the_pictures() -> None:
    said = message_of(record("How many cats are in these?", (A, ["cat", "dog"]), (B, ["cat", "cat"]), (C, [])))
    assert said.startswith("The detector found 3 cats in these 3 pictures: 1 in a.jpg, 2 in b.jpg, none in c.jpg.")
    assert "- object-detection with nanodet-coco on this machine: 1 cat, 1 dog (90 %, 90 %)" in said


@pytest.mark.parametrize(
    ("request_text", "labels", "said"),
    [
        ("How many people are there?", ["person"], "The detector found 1 person in a.jpg."),
        ("How many people are there?", [], "The detector found no people in a.jpg."),
        ("How many animals are there?", ["cat", "dog", "cup"], "The detector found 2 animals (1 cat, 1 dog) in a.jpg."),
        ("Is there a dog?", ["dog"], "Yes: the detector found 1 dog in a.jpg."),
        ("Is there a dog?", ["cat"], "No: the detector found no dogs in a.jpg."),
        ("What is in it?", ["cat", "cat"], "The detector found in a.jpg: 2 cats."),
        (
            "How many cats and dogs are there?",
            ["dog"],
            "The detector found no cats and 1 dog in a.jpg.\n\n",
        ),
        (
            f"How many cats are there in {B}, and is there a dog?",
            ["cat"],
            "The detector found 1 cat in a.jpg.\nNo: the detector found no dogs",
        ),
        (
            f"Is there a cat in {A} and a bird in {B}?",
            ["bird"],
            "The detector found no cats and 1 bird in a.jpg.",
        ),
        (
            "How many legs does the cat have?",
            ["cat"],
            "The detector does not know “legs”, so I cannot tell.",
        ),
        ("Is there anyone?", ["person"], "Yes: the detector found 1 person in a.jpg."),
    ],
)
def test_the_question_is_answered_first(request_text: str, labels: list[str], said: str) -> None:
    assert message_of(record(request_text, (A, labels))).startswith(said)


def test_pictures_are_counted_apart_whatever_their_argument_is_called() -> None:
    row = TaskType("find-things", "find things", (Arg("photo", "image"),), BOXES)
    tasks = [task(n, row.name, photo=f"{n}.jpg") for n in range(2)]
    made = RunRecord()
    made.apply(RunStarted("x", "How many dogs are in 0.jpg and 1.jpg?", "offline"))
    made.apply(Planned(plan_repair.repair(tasks, TABLE.extended([row]))))
    for n in range(2):
        value = {"predicted": [{"label": "dog", "score": 0.9}]}
        made.apply(Finished(n, {"photo": f"{n}.jpg"}, value, Choice("mine", "embedded", "", "on this machine")))
    assert message_of(made).startswith("The detector found 2 dogs in these 2 pictures: 1 in 0.jpg, 1 in 1.jpg.")


def test_other_results_are_told_beside_a_count() -> None:
    plan = repair([task(0, "object-detection", image=A), task(1, "canny-control", image=A)])
    made = RunRecord().apply(RunStarted("1", "Count the cats and draw the edges", "offline")).apply(Planned(plan))
    choice = Choice("nanodet-coco", "embedded", "", "on this machine")
    made.apply(Finished(0, {"image": A}, {"predicted": []}, choice))
    made.apply(Finished(1, {"image": A}, {"generated image": "/images/x.png"}, choice))
    assert message_of(made).startswith(
        "The detector found no cats in a.jpg.\nDrawn of a.jpg, its edges (Canny): /images/x.png"
    )


def test_failures_are_named() -> None:
    made = record("How many cats?", (A, ["cat"]), (B, []))
    made.apply(Failed(1, "it broke."))
    said = message_of(made)
    assert "The detector found 1 cat in a.jpg; there is no result for b.jpg." in said
    assert "Not done (object-detection): it broke." in said


def test_conversation_without_a_model_says_what_it_is() -> None:
    assert "JARVIS" in converse("greeting")
    assert "OPENAI_API_KEY" in converse()
    assert converse("thanks") == "You are welcome."
    assert RunRecord().apply(Answered("x")).message == "x"
