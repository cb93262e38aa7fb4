"""What the form of a document tells: pages, signatures, who was there, and tables of tasks."""

from __future__ import annotations

import pytest

from hugginggpt.core.documents import DocumentText, Part, Table
from hugginggpt.endpoints.base import Inference
from hugginggpt.experts import coded_lines, plain_lookups, where_asked
from hugginggpt.experts.text import answer
from hugginggpt.stages.documents import located

LETTER = "Dear Ms Holt,\nThe piano will be tuned on Friday.\nKind regards,\nOscar Lindqvist\nPiano maker"
PROTOCOL = DocumentText.of(
    [Part("", "", "Garden club\nPresent: Uma Rao, Leo Kern. Apologies: Nils Berg.\nThe hedge is cut in May.")],
    tables=[Table("", "1", (("Action", "Who", "Until"), ("Cut the hedge", "Leo Kern", "9 May"), ("Buy soil", "Uma Rao", "2 May")))],
)  # fmt: skip
SLIDES = DocumentText.of(
    [
        Part("slide", "1", "Bee survey\nStart in June"),
        Part("slide", "2", "Costs\nNets 300 euros\nTotal 450 euros"),
        Part("slide", "3", "Dangers\nStings\nHeat in August"),
    ]
)


@pytest.mark.parametrize(
    ("question", "text", "told"),
    [
        ("Who wrote this note?", LETTER, "Oscar Lindqvist"),
        ("by whom was the letter signed", LETTER, "Oscar Lindqvist"),
        ("who signed the lease?", LETTER, None),
        ("who wrote about the piano?", LETTER, None),
        ("who was absent?", PROTOCOL, "Nils Berg"),
        ("who wasn't there", PROTOCOL, "Nils Berg"),
        ("who attended the meeting", PROTOCOL, "Uma Rao, Leo Kern"),
        ("which tasks does Leo Kern have, until when?", PROTOCOL, "Action: Cut the hedge, Who: Leo Kern, Until: 9 May"),
        ("what is Nils Berg supposed to do", PROTOCOL, None),
        ("which slide talks about stings?", SLIDES, "Slide 3: “Stings”"),
        ("on which slide are the nets listed", SLIDES, "Slide 2: “Nets 300 euros”"),
        ("which slide mentions honey", SLIDES, "I do not find “honey” on any slide."),
        ("which page mentions nets", SLIDES, None),
    ],
)
def test_what_a_form_tells(question: str, text: str, told: str | None) -> None:
    found = plain_lookups.answer(question, text)
    assert (found and found["answer"]) == told


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("what are the dangers of the survey?", "Dangers:\nStings\nHeat in August"),
        ("what are the dangers and when do they start?", "I find nothing on “when do they start”."),
    ],
)
def test_headings_and_second_questions(question: str, told: str) -> None:
    assert told in answer(question, SLIDES)["answer"]


@pytest.mark.parametrize(
    ("question", "told", "slide"),
    [
        ("what are the dangers, and on which slide are they?", "Dangers:\nStings\nHeat in August", "3"),
        ("What do the nets cost? What slide says so?", "Nets: 300 euros", "2"),
    ],
)
def test_on_which_slide_it_is_belongs_to_the_answer(question: str, told: str, slide: str) -> None:
    found = located(Inference(answer(question, SLIDES)), [SLIDES]).value
    assert found["answer"] == told
    assert found["where"] == [{"unit": "slide", "name": slide}]


@pytest.mark.parametrize(
    ("question", "rest", "is_only"),
    [
        ("what page says so?", "what page says so?", True),
        ("May I take it to Denmark? What page is that on?", "May I take it to Denmark?", False),
        ("how long is the guarantee and what page says so", "how long is the guarantee", False),
        ("Which page mentions the rent?", "Which page mentions the rent?", False),
        ("What does page 3 say?", "What does page 3 say?", False),
    ],
)
def test_what_asks_only_for_the_place_of_an_answer(question: str, rest: str, is_only: bool) -> None:
    assert where_asked.without_where(question) == rest
    assert where_asked.is_only_where(question) is is_only


@pytest.mark.parametrize("question", ["who couldnt come?", "who could not make it", "who sent apologies?"])
def test_who_could_not_come_is_who_is_excused(question: str) -> None:
    minutes = "Present: Ann Low, Tom Reed\nApologies: Kim Sato, Raj Bell\nThe fee is 12 pounds."

    assert plain_lookups.answer(question, minutes) == {"answer": "Kim Sato, Raj Bell"}


def test_what_a_text_names_outright_is_told() -> None:
    said = "Welcome. The key hangs in the box beside the gate. The code is 8830. Put the key back in the box."

    assert plain_lookups.named_outright("what's the code for the box?", said) == {"answer": "The code is 8830."}
    assert plain_lookups.named_outright("what's the code for the alarm?", said) is None
    assert plain_lookups.named_outright("what is the code?", "The code is unknown.") is None


def test_who_wrote_a_book_and_what_it_is_called() -> None:
    book = "Title: The Salt Road\nAuthor: Ines Marr\n\nThe road was white."

    assert plain_lookups.answer("who wrote this book?", book) == {"answer": "Ines Marr"}
    assert plain_lookups.answer("what is the title of the novel", book) == {"answer": "The Salt Road"}
    assert plain_lookups.answer("who is the author?", "Otto\nby Lena Marr\n\nOtto ran.") == {"answer": "Lena Marr"}


def test_what_is_said_at_a_second() -> None:
    film = DocumentText.of([Part("time", "00:00:04", "Under the pot."), Part("time", "00:00:15", "He took it.")])

    assert plain_lookups.answer("which line is spoken at 16 seconds in", film) == {"answer": "He took it."}
    assert plain_lookups.answer("what is said at 0:05?", film) == {"answer": "Under the pot."}


def test_a_telephone_number_that_is_not_given() -> None:
    told = plain_lookups.answer("whats her phone number", "This is Ann from 14 Orchard Lane.")
    assert told and told["absent"]
    assert plain_lookups.answer("what is the number?", "Invoice 0151 496 0278.") is None
    assert plain_lookups.answer("what is her number?", "Ring me on 0151 496 0278.") == {"answer": "0151 496 0278"}
    assert plain_lookups.answer("what is her number?", "Ring 555-0147.") is None


def test_a_code_alone_is_asked_for() -> None:
    manual = "E1: no ignition.\nE4: the pressure is too low, fill it up.\nE9: the pipe is frozen."
    told = coded_lines.answer("and E9", manual)
    assert told and told["answer"] == "E9: the pipe is frozen."
