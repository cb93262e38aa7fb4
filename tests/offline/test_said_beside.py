"""What is said beside a request, and what is asked of a person: greetings, asides, purposes, errands, opinions."""

from __future__ import annotations

import pytest

from hugginggpt.core.task_aspects import BEYOND
from hugginggpt.media.references import Resource
from hugginggpt.media.types import kind_of
from hugginggpt.offline.planner import Draft, draft_plan
from hugginggpt.offline.said_beside import is_aside, is_courtesy, out_of_reach, without_courtesies
from tests.offline.test_operations import drafted
from tests.offline.test_planner import TABLE

LETTER = "/examples/letter.txt"


def tasks(draft: Draft) -> list[str]:
    return [task["task"] for task in draft.tasks]


@pytest.mark.parametrize(
    ("request_text", "task", "asked"),
    [
        (
            f"Good morning. When is the meeting? The letter is attached: {LETTER}",
            "question-answering",
            "When is the meeting?",
        ),
        (
            f"Does it cost anything? I am a bit short this month. {LETTER}",
            "question-answering",
            "Does it cost anything?",
        ),
        (f"{LETTER}: What was in the box? I only want the answer, no spoilers", "question-answering", "in the box?"),
        (f"{LETTER}: may I have a cat? and which page is that on", "question-answering", "may I have a cat"),
        (f"She has asked me about her dog. What does {LETTER} say about pets?", "question-answering", "pets"),
        (f"Thank you, dear. Who signed {LETTER}?", "question-answering", "Who signed"),
        ("Blur the faces in /examples/a.jpg please, I want to put it on our site", "redact-image", ""),
        ("make /examples/a.jpg brighter, otherwise nobody sees the cup", "adjust-image", ""),
    ],
)
def test_what_only_tells_something_is_neither_asked_nor_reported(request_text: str, task: str, asked: str) -> None:
    draft = draft_plan(request_text, TABLE)
    assert (tasks(draft), draft.unplanned) == ([task], ())
    assert asked in str(draft.tasks[0]["args"])


@pytest.mark.parametrize(
    "text",
    [
        "There is a hum on it",  # beside "fix that"
        "Both summarise it",
        "he asks me what was decided about the roof",
        "I'm looking for the length of it",
        "I want to crop it",
        "I need you to sort it",
        "I want to know the date",
    ],
)
def test_what_asks_for_something_is_no_aside(text: str) -> None:
    from hugginggpt.offline.asides import among
    from hugginggpt.offline.clauses import Clause

    assert among([Clause(text, 0, 1), Clause("fix that first", 2, 3)])[0] is False


@pytest.mark.parametrize(
    ("text", "code", "part"),
    [
        ("Ring him back", "en", "action"),
        ("now send it by e-mail to the club", "en", "action"),
        ("Forward this to my sister", "en", "action"),
        ("text jean that we r coming", "en", "action"),
        ("Could you phone Mrs Novak for me?", "en", "action"),
        ("Pay the 35 from my card", "en", "action"),
        ("would you buy it?", "en", "opinion"),
        ("will it rain on that day", "en", "live"),
        ("what happens if it rains", "en", ""),
        ("Call the second column Total", "en", ""),
        ("May she call him?", "en", ""),
        ("order the rows by price", "en", ""),
        ("text on the left in red", "en", ""),
        ("tell me who called", "en", ""),
        ("transfer the style of it", "en", ""),
        ("Ruf bitte Herrn Brandl an", "de", "action"),
        ("Rufe ich vorher an?", "de", ""),
        ("Findest du das teuer?", "de", "opinion"),
        ("Appelle Mme Roussel s'il te plaît", "fr", "action"),
        ("Págalo con mi tarjeta, por favor", "es", "action"),
        ("帮我给王经理打个电话", "zh", "action"),
        ("有问题打哪个电话？", "zh", ""),
    ],
)
def test_an_errand_or_an_opinion_is_refused(text: str, code: str, part: str) -> None:
    assert out_of_reach(text, code) == part
    assert not part or part in BEYOND


def test_an_errand_is_refused_as_a_whole() -> None:
    draft = draft_plan("Ring him back and tell him that's fine", TABLE)
    assert [(part.text, part.why[:10]) for part in draft.unplanned] == [
        ("Ring him back and tell him that's fine", "No expert ")
    ]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Thank you dear", "en"),
        ("Guten Tag", "de"),
        ("Merci beaucoup", "fr"),
        ("Hola, buenas tardes", "es"),
        ("谢谢", "zh"),
    ],
)
def test_courtesies_are_known_in_each_language(text: str, code: str) -> None:
    assert is_courtesy(text, code)
    assert is_aside(text, code)


def test_a_question_behind_a_greeting_keeps_its_words() -> None:
    assert without_courtesies("Merci beaucoup, et le prix du repas ?", "fr") == "et le prix du repas ?"
    assert without_courtesies("Hi there is a cat", "en") == "Hi there is a cat"


@pytest.mark.parametrize("text", ["can I phone them on sunday", "Should we call the office first?"])
def test_whether_one_may_phone_is_asked_and_no_errand(text: str) -> None:
    assert out_of_reach(text) == ""


@pytest.mark.parametrize(
    ("request_text", "task"),
    [
        (f"Guten Tag, mein Enkel hat mir das gegeben. Wann ist das Fest? {LETTER}", "question-answering"),
        (f"Hola, buenas tardes. ¿Cuándo llega mi pedido? Te adjunto la carta. {LETTER}", "question-answering"),
        ("Mach /examples/a.jpg bitte quadratisch, mein Enkel hat das gesagt.", "crop-image"),
    ],
)
def test_asides_in_other_languages_are_passed_over(request_text: str, task: str) -> None:
    draft = draft_plan(request_text, TABLE)
    assert (tasks(draft), draft.unplanned) == ([task], ())


def test_an_errand_in_another_language_is_refused_in_it() -> None:
    draft = draft_plan("Ruf bitte Herrn Brandl an und melde mich an.", TABLE)
    assert (tasks(draft), draft.language) == ([], "de")
    assert draft.unplanned[0].why.startswith("Anrufen, schreiben")


def test_each_question_to_a_page_is_asked_in_its_own_words() -> None:
    draft = draft_plan("Wie viel muss ich zahlen und bis wann? /examples/invoice.png", TABLE)
    assert [str(task["args"]["text"]).partition("\n")[0] for task in draft.tasks] == [
        "Wie viel muss ich zahlen",
        "bis wann",
    ]


def test_thanks_are_welcome_in_each_language() -> None:
    assert [draft_plan(text, TABLE).small_talk for text in ("谢谢", "Vielen Dank!", "Hola")] == [
        "thanks",
        "thanks",
        "greeting",
    ]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Thank you kindly.", "en"),
        ("Hallo zusammen, anbei unser Brief.", "de"),
        ("您好，这是物业的通知。", "zh"),
        ("Buenas, no veo bien.", "es"),
    ],
)
def test_what_is_told_behind_a_greeting_stands_aside_as_well(text: str, code: str) -> None:
    assert is_aside(text, code)


def test_a_letter_is_written_down_and_not_composed() -> None:
    draft = draft_plan(f"write the whole letter down in a word file: {LETTER}", TABLE)
    assert tasks(draft) == ["save-text"]


def test_which_recording_sounds_nicer_is_a_matter_of_taste_and_no_text_is_refused_for_it() -> None:
    assert [part.why for part in drafted("which one sounds friendlier?", "a.wav", "b.wav").unplanned]
    assert drafted("Which one sounds happier?", "a.txt", "b.txt").tasks


def test_what_goes_on_about_what_nobody_can_know_is_refused_with_it() -> None:
    draft = drafted("What will the weather be like on Saturday? Should we risk a barbecue?", "n.txt")
    assert tasks(draft) == [] and len(draft.unplanned) == 1
    assert tasks(drafted("Should we bring towels?", "n.txt")) == ["question-answering"]


def test_of_two_opposite_moods_the_sentiment_tells() -> None:
    assert tasks(drafted("Is this message friendly or angry?", "n.txt")) == ["text-classification"]


@pytest.mark.parametrize(
    ("text", "file", "task"),
    [
        ("lots of noise on this tape, clean it up", "a.wav", "audio-to-audio"),
        ("Card of the plumber attached. what's the number?", "card.png", "document-question-answering"),
        ("Need the facts from this talk: who paid for it?", "talk.txt", "question-answering"),
    ],
)
def test_what_but_names_what_it_is_about_is_no_request(text: str, file: str, task: str) -> None:
    draft = draft_plan(text, TABLE, resources=[Resource(file, kind_of(file))])
    assert [one["task"] for one in draft.tasks] == [task] and draft.unplanned == ()


def test_a_code_named_before_a_question_belongs_to_it() -> None:
    draft = draft_plan("boiler showing E4. what do i do", TABLE, resources=[Resource("manual.pdf", "text")])
    assert "E4" in draft.tasks[0]["args"]["text"]
