"""What of the results of a run is told beside its answer."""

from __future__ import annotations

import pytest

from hugginggpt.answers.accounting import on_the_way, result_sentences
from hugginggpt.answers.names import FileNames
from hugginggpt.core.events import RunRecord
from tests.answers.test_checking import done

SAID = "Your car is ready. The brakes cost 240 dollars."


def told(request: str, answer: dict[str, object]) -> list[str]:
    """The sentences about a recording that was written down for a question."""
    heard = done(0, "automatic-speech-recognition", {"generated text": SAID}, audio="/uploads/call.wav")
    asked = done(1, "question-answering", answer, text=request, context="<GENERATED>-0")
    asked.task["dep"] = [0]
    record = RunRecord(request=request, tasks={0: heard, 1: asked})
    return list(result_sentences(record, FileNames(["/uploads/call.wav"]), ()))


@pytest.mark.parametrize(
    ("request_", "answer", "is_whole"),
    [
        ("How much are the brakes?", {"answer": "240 dollars", "score": 0.9}, False),
        ("Transcribe it. How much are the brakes?", {"answer": "240 dollars", "score": 0.9}, True),
        ("Type it out, and how much are the brakes?", {"answer": "240 dollars", "score": 0.9}, True),
        ("When does he come?", {"answer": "I do not find this in the text.", "found": False}, True),
    ],
)
def test_a_transcript_is_not_told_beside_the_answer_that_it_was_made_for(
    request_: str, answer: dict[str, object], is_whole: bool
) -> None:
    sentences = told(request_, answer)
    assert str(answer["answer"]).rstrip(".") in sentences[0]
    assert any(SAID in sentence for sentence in sentences[1:]) is is_whole


BAKE = "Bake for 35 minutes at 190 degrees, middle shelf."
PLUMBER = "Die Firma kommt zwischen 10:30 und 12:00 Uhr."
MOUSSE = "Mousse au chocolat: 5,90 € (the lowest of 4 lines)"


def unsure(*lines: str) -> dict[str, object]:
    near = " / ".join(lines)
    return {"answer": f"Not sure; perhaps: “{near}”", "closest": near, "chance": 0.2, "found": False}


@pytest.mark.parametrize(
    ("first", "question", "second", "told_beside"),
    [
        (BAKE, "and how hot?", unsure(BAKE, "Milk, lukewarm | 180 ml"), []),
        (PLUMBER, "wie lange dauert es", unsure(PLUMBER), ["I find nothing on “wie lange dauert es”."]),
        (MOUSSE, "combien coûte-t-il\nHow much is it?", unsure("Île flottante  6,50 €"), []),
        (BAKE, "and how much is the yeast?", unsure("Fresh yeast | 20 g"), ["“and how much is the yeast?” Not sure;"]),
        (
            "Dr Lee signs it.",
            "and when does she come?",
            unsure("Come on 5 May."),
            ["“and when does she come?” Not sure;"],
        ),
    ],
)
def test_a_guess_is_not_told_beside_the_answer_that_tells_it(
    first: str, question: str, second: dict[str, object], told_beside: list[str]
) -> None:
    one = done(0, "question-answering", {"answer": first, "score": 0.9}, text="the first?", context="/uploads/a.txt")
    other = done(1, "question-answering", second, text=question, context="/uploads/a.txt")
    record = RunRecord(request=f"the first? {question}", tasks={0: one, 1: other})
    answer, *beside = result_sentences(record, FileNames(["/uploads/a.txt"]), ())
    assert answer.endswith(first)
    assert [each[: len(start)] for each, start in zip(beside, told_beside, strict=True)] == told_beside


def test_of_several_operations_only_the_last_file_is_told() -> None:
    turned = done(
        0, "rotate-image", {"generated image": "/images/1.jpg", "note": "by 90°"}, image="/uploads/cat.jpg", angle="90"
    )
    made = {"generated image": "/images/2.png", "note": "JPEG became PNG"}
    saved = done(1, "convert-image", made, image="<GENERATED>-0", format="png")
    saved.task["dep"] = [0]
    record = RunRecord(request="turn it and save it as png", tasks={0: turned, 1: saved})
    (sentence,) = result_sentences(record, FileNames(["/uploads/cat.jpg"]), ())
    assert sentence == "The turned picture: /images/2.png (by 90°; JPEG became PNG)"


def test_a_file_of_another_kind_is_a_result_of_its_own() -> None:
    sound = done(0, "convert-audio", {"generated audio": "/audios/1.mp3"}, audio="/uploads/a.mp4", format="mp3")
    lines = done(1, "make-subtitles", {"generated text": "1\n00:00 --> 00:01\nHello"}, audio="<GENERATED>-0")
    lines.task["dep"] = [0]
    record = RunRecord(request="the sound as mp3, and subtitles", tasks={0: sound, 1: lines})
    assert len(list(result_sentences(record, FileNames(["/uploads/a.mp4"]), ()))) == 2


def test_a_file_on_the_way_is_listed_nowhere() -> None:
    cut = done(0, "cut-audio", {"generated audio": "/audios/1.wav"}, audio="/uploads/a.wav", part="first 5 s")
    saved = done(1, "convert-audio", {"generated audio": "/audios/2.mp3"}, audio="<GENERATED>-0", format="mp3")
    saved.task["dep"] = [0]
    record = RunRecord(request="the first 5 seconds as mp3", tasks={0: cut, 1: saved})
    assert on_the_way(record) == {0}
