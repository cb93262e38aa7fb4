"""Parts of texts: the section or sentences that a request is about, also as a list."""

from __future__ import annotations

import pytest

from hugginggpt.core.documents import DocumentText, Part, Wanted
from hugginggpt.experts import text_parts

LEAFLET = """Helpline: 0800 555 111, open at weekends.
Ingredients: 2 eggs, 100 g sugar and salt.
Opening times
Monday to Friday from 9 to 5.
"""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("read only the bit about the helpline aloud", "Helpline: 0800 555 111, open at weekends."),
        ("summarise the part on opening times in one sentence", "Monday to Friday from 9 to 5."),
        ("save the ingredients as a shopping list in a text file", "- 2 eggs\n- 100 g sugar\n- salt"),
        ("read the section about refunds", "I do not find anything about “refunds” in the text."),
        ("save it as a list", None),
        ("read it aloud", None),
        ("which parts of the machine are listed?", None),
    ],
)
def test_the_part_that_is_asked_for(words: str, told: str | None) -> None:
    answer = text_parts.answer(words, LEAFLET)
    assert (answer and answer["answer"]) == told
    assert not answer or answer.get("found", True) is ("do not find" not in answer["answer"])


def test_a_part_of_a_german_text() -> None:
    text = "Die Treppe wird samstags geputzt und ist frei.\nDer Müll wird dienstags abgeholt."
    assert text_parts.answer("lies nur den Absatz über den Müll vor", text) == {
        "answer": "Der Müll wird dienstags abgeholt."
    }


STORY = "The house was built in 1911.\n\nIt has four rooms.\n\nChapter 2\n\nThe garden has a tree. It is old.\n"


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("Read the last chapter aloud", "Chapter 2\n\nThe garden has a tree. It is old."),
        ("read me paragraph 2", "It has four rooms."),
        ("what does the first sentence say", "The house was built in 1911."),
        ("read me paragraph 6", ""),
        ("how many words has the first line?", ""),
    ],
)
def test_a_part_is_named_by_its_number(words: str, part: str) -> None:
    told = text_parts.answer(words, STORY)
    assert (told["answer"] if told else "") == part


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("what happens in", "Rusk sews a coat.\nOona is glad."),
        ("so what's it about?", "Rusk sews a coat.\nOona is glad."),
        ("make an audio of", "Chapter 3: The coat\nRusk sews a coat.\nOona is glad."),
        ("please read me aloud", "Chapter 3: The coat\nRusk sews a coat.\nOona is glad."),
    ],
)
def test_a_chapter_is_told_as_a_whole(words: str, told: str) -> None:
    chapter = Part("chapter", "Chapter 3: The coat", "Chapter 3: The coat\nRusk sews a coat.\nOona is glad.")
    text = DocumentText.of([chapter]).only(Wanted("chapter", (1,)))

    assert text_parts.answer(words, text) == {"answer": told}
    assert text_parts.answer("read who is glad", text) is None
