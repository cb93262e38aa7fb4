"""What a clause asks by its form alone."""

from __future__ import annotations

import pytest

from hugginggpt.core.results import Kind
from hugginggpt.offline import forms
from hugginggpt.offline.clauses import Clause
from hugginggpt.offline.queries import is_complement, question_of
from tests.conftest import TABLE

EVENTS, ASKED, READ = "voice-activity-detection", "visual-question-answering", "question-answering"


@pytest.mark.parametrize(
    ("words", "topic", "task"),
    [
        ("is there anything to drink in this picture?", "image", ASKED),
        ("what's in the cup?", "image", ASKED),
        ("can you see any toys", "video", ASKED),
        ("are there any toys in it", "video", ASKED),
        ("is there anything to drink?", "text", ""),
        ("how many cups are there", "image", ""),
        ("what does she want?", "audio", READ),
        ("who is calling?", "audio", READ),
        ("what does she say?", "audio", ""),
        ("Is there only music in this file or does somebody talk as well?", "audio", EVENTS),
        ("from which second on is there talking?", "audio", EVENTS),
        ("At which second does the music start?", "audio", EVENTS),
        ("Is this speech or music?", "audio", EVENTS),
        ("at what second do they start talking about the party?", "audio", ""),
        ("when does he say the train arrives", "audio", ""),
        ("which song is this?", "audio", ""),
        ("is that a man or a woman speaking?", "audio", ""),
        ("does the music fit?", "audio", ""),
        ("which is longer?", "audio", "measure-audio"),
    ],
)
def test_the_form_of_a_clause_tells_its_task(words: str, topic: Kind, task: str) -> None:
    assert forms.task_of(words, topic, TABLE)[0] == task


@pytest.mark.parametrize(
    ("words", "is_rest"),
    [("and which doesn't", True), ("which don't", True), ("which doesn", True), ("and which one does not show any", True), ("which do", False),
     ("and which does not fit the others", False)],
)  # fmt: skip
def test_what_a_choice_of_files_leaves_over_needs_no_answer_of_its_own(words: str, is_rest: bool) -> None:
    chosen = question_of(Clause("which of these pictures shows an animal", 0, 39))
    assert chosen and chosen.operation == "filter"
    clause = Clause(words, 40, 40 + len(words))
    assert is_complement(clause, [chosen]) is is_rest
    assert not is_complement(clause, [])
