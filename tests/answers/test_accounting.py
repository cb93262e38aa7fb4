"""What of the results of a run is told beside its answer."""

from __future__ import annotations

import pytest

from hugginggpt.answers.accounting import result_sentences
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
