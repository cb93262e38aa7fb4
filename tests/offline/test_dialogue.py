"""What a message does in a conversation, and the full request that it stands for. No wording stands in the phrases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from hugginggpt.core.conversation import PastTask, Turn
from hugginggpt.core.findings import Finding, SourceCounts
from hugginggpt.media.references import find_resources, find_texts
from hugginggpt.offline.follow_ups import Request, act_of, in_full
from tests.conftest import TABLE

UNSEEN = {
    "request": (
        "count the sheep in photo.jpg", "when is the next session", "read that to me please", "who is the letter from?",
        "what language is spoken in it", "how many invitations were sent?", "does the letter mention money",
        "show me its outline", "listen to sound.wav", "translate that to Dutch please", "can you shorten this a bit",
        "give me the names in there", "make that shorter", "now read out the summary", "look at photo.jpg, what do you see",
    ),
    "again": (
        "and for photo.jpg?", "could you do likewise with sound.wav", "ok now photo.jpg", "and the one before?",
        "the same again with this file", "and that one?", "let's see the second one too", "now for the other recording",
        "here, another: photo.jpg", "what was the answer for the first picture again", "and with this photo",
    ),
    "change": (
        "and zebras?", "what about kids", "how about bicycles?", "and the due date", "just the adults please",
        "the same in Portuguese", "as a numbered list please", "any cats?", "and the phone number?", "and its title?",
        "but only the women", "and how many of them are dogs", "what about lunch",
    ),
    "correct": (
        "sorry, I wanted photo.jpg", "no, the other picture", "not this file, the first one",
        "I was referring to photo.jpg", "wrong picture, it's photo.jpg", "oops I meant sound.wav", "no no, the second image",
    ),
    "total": (
        "how many is that all together?", "and both together?", "which picture had more of them?", "where are there more?",
        "put them in order", "who had the most", "so what's the total number then", "compare the two pictures",
    ),
    "refuse": (
        "no forget about it", "let's leave that", "I don't have any", "doesn't matter anymore", "nope, not needed",
        "stop it", "don't do it",
    ),
    "chat": (
        "thank you, that's kind", "hello again", "oh nice one", "who programmed you?", "hang on", "you're welcome",
        "great job, thank you", "good to know",
    ),
    "statement": ("Our bus leaves at nine", "the museum is shut on Sundays", "My brother moved to Oslo last spring"),
}  # fmt: skip


def test_acts_of_wordings_that_were_not_learned() -> None:
    wrong = [(words, act_of(words)) for act, messages in UNSEEN.items() for words in messages if act_of(words) != act]
    assert len(wrong) <= 0.08 * sum(map(len, UNSEEN.values())), wrong


MINUTES = (
    "The committee met on Tuesday. Bob Hill is the treasurer. Twelve people were invited to the picnic in May. "
    "A ticket is nine pounds."
)
RESULTS: Mapping[str, tuple[str, dict[str, Any], str]] = {
    "count": ("object-detection", {"predicted": []}, "boxes"),
    "read": ("image-to-text", {"generated text": MINUTES}, "text"),
    "describe": ("image-to-text", {"generated text": "a picture with 2 dogs", "objects": "2 dogs"}, "text"),
    "hear": ("automatic-speech-recognition", {"generated text": MINUTES}, "text"),
    "edges": ("canny-control", {"generated image": "/images/e.png"}, "image"),
    "speak": ("text-to-speech", {"generated audio": "/audios/s.wav"}, "audio"),
}
"""What tasks of some requests have given."""


def talk(*messages: tuple[str, str, str]) -> list[Turn]:
    """Turns: each a request, the name of its result, and the file or text that its task was given."""
    turns = []
    for number, (request, result, given) in enumerate(messages):
        task, value, form = RESULTS[result]
        past = PastTask(0, task, {TABLE[task].input_arg.name: given}, value, form=form)
        turns.append(Turn(request, run_id=str(number), tasks=(past,), message="…", answer="…"))
    return turns


def full(message: str, turns: list[Turn]) -> Request:
    return in_full(Request.read(message, find_texts(message, find_resources(message)), turns), TABLE)


COUNT = talk(("How many cats are in b.jpg?", "count", "b.jpg"))
COUNTS = talk(("How many cats are in b.jpg?", "count", "b.jpg"), ("and c.jpg?", "count", "c.jpg"))
EDGES = talk(("Draw the edges of b.jpg", "edges", "b.jpg"))


@pytest.mark.parametrize(
    ("turns", "message", "text"),
    [
        (COUNT, "and dogs?", "How many dogs are in b.jpg?"),
        (COUNT, "what about red cars?", "How many red cars are in b.jpg?"),
        (COUNT, "only the people", "How many people are in b.jpg?"),
        (COUNT, "and zebras, please", "How many zebras are in b.jpg?"),
        (COUNT, "sorry, I meant dogs", "How many dogs are in b.jpg?"),
        (COUNT, "same for d.jpg please", "How many cats are in d.jpg?"),
        (COUNT, "no, I meant d.jpg", "How many cats are in d.jpg?"),
        (COUNT, "How about the second picture, d.jpg?", "How many cats are in d.jpg?"),
        (COUNT, "once more", "How many cats are in b.jpg?"),
        (COUNT, "draw its edges", "draw its edges"),
        (COUNT, "many thanks!", "many thanks!"),
        (COUNTS, "and dogs?", "How many dogs are in c.jpg?"),
        (COUNTS, "how many altogether?", "how many cats altogether in b.jpg and c.jpg?"),
        (COUNTS, "and in total?", "how many cats in total in b.jpg and c.jpg?"),
        (COUNTS, "which of them had more?", "which had more cats in b.jpg and c.jpg?"),
        (COUNTS, "which one has the most dogs?", "which one has the most dogs in b.jpg and c.jpg?"),
        (COUNTS, "what was the first one again?", "How many cats are in b.jpg?"),
        (COUNTS, "what does the other one show?", "what does the other one show?"),
        (COUNTS, "total number of cats over both then?", "how many cats in total in b.jpg and c.jpg?"),
        (
            COUNTS,
            "so how many altogether if you add d.jpg as well?",
            "so how many cats altogether in b.jpg and c.jpg and d.jpg?",
        ),
        (COUNT, "and if you add the ones in d.jpg", "how many cats in total in b.jpg and d.jpg?"),
        (COUNT, "count d.jpg in as well", "how many cats in total in b.jpg and d.jpg?"),
        (COUNTS, "and which of them has none at all?", "and which has no cats at all in b.jpg and c.jpg?"),
        (COUNT, "without the kittens?", "How many cats are in b.jpg not counting the kittens?"),
        (EDGES, "how many of the horses are lying on the ground?", "how many of the horses are lying on the ground?"),
        (EDGES, "are they on grass or on gravel?", "are they on grass or on gravel?"),
        (
            talk(("Read 'good day' aloud", "speak", "good day")),
            "again but slower and with a woman's voice",
            "Read 'good day' aloud slower and with a woman's voice",
        ),
        (COUNTS, "not that one, the other", "How many cats are in b.jpg?"),
        (EDGES, "and the pose", "Draw the pose of b.jpg"),
        (EDGES, "do the same with c.jpg", "Draw the edges of c.jpg"),
        (EDGES, "Transcribe a.wav instead", "Transcribe a.wav instead"),
        (talk(("Is there a dog in b.jpg?", "count", "b.jpg")), "and cats?", "Is there any cats in b.jpg?"),
        (talk(("Read 'good day' aloud", "speak", "good day")), "and 'good night'?", "Read 'good night' aloud"),
        (COUNT, "and talk.wav?", ""),  # a recording has no cats: what fits its kind is done
    ],
)
def test_the_request_that_a_message_stands_for(turns: list[Turn], message: str, text: str) -> None:
    assert full(message, turns).text == text


HEARD = talk(("Transcribe talk.wav", "hear", "talk.wav"))


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("who is the treasurer?", "who is the treasurer?"),
        ("how many people were invited?", "how many people were invited?"),
        ("does it mention a price?", "does it mention a price?"),
        ("did they agree on anything", "did they agree on anything"),
        ("and the date?", "What is the date?"),
        ("what about the deadline", "What is the deadline?"),
        ("is it positive?", "is it positive?"),
        ("in German please", "Translate it into German"),
    ],
)
@pytest.mark.parametrize(
    "turns",
    [
        HEARD,
        talk(("What does letter.png say?", "read", "letter.png")),
        [*HEARD, Turn("thanks a lot", run_id="9", message="You are welcome.")],
    ],
)
def test_a_question_is_put_to_the_text_that_was_read(message: str, text: str, turns: list[Turn]) -> None:
    asked = full(message, turns)
    assert (asked.text, [one.text for one in asked.attached]) == (text, [MINUTES])


def test_after_an_answer_that_was_worked_on_a_question_is_put_to_what_the_answer_was_found_in() -> None:
    answer = {"answer": "I do not find this plainly in the text; closest is: “Fees go up.”"}
    asked = PastTask(
        0, "question-answering", {"question": "What is new?", "context": "/uploads/minutes-1f.docx"}, answer
    )
    summed = PastTask(1, "summarization", {"text": answer["answer"]}, {"generated text": "…"}, dep=(0,), form="text")
    turn = Turn(
        "What is new? Short please", "1", tasks=(replace(asked, form="answer"), summed), message="…", answer="…"
    )
    assert [one.text for one in full("who is the contact?", [turn]).attached] == ["/uploads/minutes-1f.docx"]


def test_a_question_about_a_picture_is_not_put_to_an_earlier_text() -> None:
    described = talk(("Describe b.jpg", "describe", "b.jpg"))
    assert full("what colour is the car?", described).attached == []
    assert full("what does the picture show?", HEARD + COUNT).attached == []
    assert full("how many cats are there?", HEARD + COUNT).attached == []
    assert [one.text for one in full("who was invited to the picnic?", HEARD + COUNT).attached] == [MINUTES]


@pytest.mark.parametrize(
    ("chosen", "message", "files"),
    [
        ("b.jpg", "and what's on the other one?", ["c.jpg"]),
        ("c.jpg", "And the other one, what does it show?", ["b.jpg"]),
        ("", "what does the other one show?", []),  # both were asked about
    ],
)
def test_the_other_one_is_what_the_last_answer_did_not_choose(chosen: str, message: str, files: list[str]) -> None:
    sources = tuple(SourceCounts(at, name, name) for at, name in enumerate(("b.jpg", "c.jpg")))
    found = (Finding("filter", "Which one shows a cat", (chosen,), sources=sources),) if chosen else ()
    both = tuple(past for turn in COUNTS for past in turn.tasks)
    asked = full(message, [Turn("Which one shows a cat, b.jpg or c.jpg?", run_id="0", tasks=both, findings=found)])
    assert [one.text for one in asked.attached] == files
    assert bool(asked.turns) == bool(files)
