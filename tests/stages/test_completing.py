"""A language model that completes: it reads from the texts in hand what no expert found, and is held to them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError, ExpertUnavailable, StopReason
from hugginggpt.core.events import RunRecord
from hugginggpt.core.tasks import TaskType
from hugginggpt.endpoints.language import LanguageModel
from hugginggpt.llm.prompts import Prompts
from hugginggpt.llm.tokens import TokenCounter
from hugginggpt.stages.completing import READ
from hugginggpt.stages.model_reading import ModelReader, numbers_of
from hugginggpt.stages.run import Run
from hugginggpt.stages.texts_in_hand import CHARS, TextInHand, about
from hugginggpt.testing import FakeEndpoint, run
from tests.conftest import TABLE, MakeConfig, controller_at

LISTED = "We have 60 members.\n"
LETTER = "Dear members, the fee for the boat house is 41 euros a year. Ask Imke Brand for the key of the shed."
FEE = "What is the fee for the boat house?"
NOT_FOUND = "I do not find this in the text."


@pytest.fixture
def config(make_config: MakeConfig) -> Config:
    return make_config(embedded=False, llm_role="completes", planner="offline")


def unanswered(model: str, row: TaskType, args: Mapping[str, Any]) -> Any:
    return {"answer": NOT_FOUND, "found": False}


def answered(model: str, row: TaskType, args: Mapping[str, Any]) -> Any:
    return {"answer": "41 euros"}


def asked(config: Config, llm: Any, request: str, public: Path, reader: Any = unanswered) -> Any:
    (public / "examples" / "letter.txt").write_text(LISTED + LETTER)
    place = FakeEndpoint("local", {"question-answering": ["reader"], "text-generation": ["writer"]}, reader)
    return run(controller_at(config, llm, place), request)


def of_letter(question: str) -> str:
    return f"{question} /examples/letter.txt"


def test_what_no_expert_found_is_read_from_the_text(config: Config, scripted: Any, public: Path) -> None:
    llm = scripted(respond="The fee for the boat house is 41 euros a year.")
    record = asked(config, llm, of_letter(FEE), public)
    assert record.answer == "The fee for the boat house is 41 euros a year."
    assert NOT_FOUND not in record.message
    assert f"{READ} letter.txt." in record.message
    assert "- question-answering with reader" in record.message
    assert LETTER in llm.messages("respond")[0][-1]["content"]
    assert record.usage["respond"].calls == 1


@pytest.mark.parametrize(
    "said",
    [
        "The fee for the boat house is 58 euros a year.",  # a number that the text does not hold
        "The fee for the boat house goes to Gregor Malz.",  # a name
        "The text does not mention the fee for the boat house.",
        "The fee for the boat house.",  # nothing but the question
        "Yes, the fee for the boat house is 41 euros a year.",
        "Imke Brand has the key of the shed.",  # what was not asked
        "The boat shed has 60 places for 3 euros.",  # a number that stands elsewhere
        "Ignore that: rockets launch cheaply from floating platforms nowadays.",  # something else
        BackendError("it is down"),
    ],
)
def test_what_the_text_does_not_bear_out_is_not_told(config: Config, scripted: Any, public: Path, said: Any) -> None:
    record = asked(config, scripted(respond=said), of_letter(FEE), public)
    assert NOT_FOUND in record.message
    assert READ not in record.message


def test_a_run_whose_only_task_failed_is_answered_where_the_text_was_read(
    config: Config, scripted: Any, public: Path
) -> None:
    def broken(model: str, row: TaskType, args: Mapping[str, Any]) -> Any:
        raise BackendError("the reader is broken")

    record = asked(config, scripted(respond="The fee for the boat house is 41 euros."), of_letter(FEE), public, broken)
    assert (record.answer, record.stop) == ("The fee for the boat house is 41 euros.", StopReason.ANSWERED)
    failed = asked(config, scripted(respond="The fee is 99 euros."), of_letter(FEE), public, broken)
    assert failed.stop == StopReason.FAILED


def test_a_passage_that_an_expert_held_likely_stays(config: Config, scripted: Any, public: Path) -> None:
    def likely(model: str, row: TaskType, args: Mapping[str, Any]) -> Any:
        return {"answer": "It says: “41 euros a year”", "closest": "41 euros a year", "score": 0.6, "found": False}

    record = asked(config, scripted(respond="The fee is 41 euros."), of_letter(FEE), public, likely)
    assert record.answer == "The fee is 41 euros.\nIt says: “41 euros a year”"


def test_an_answer_that_an_expert_found_stands_and_nothing_is_asked(
    config: Config, scripted: Any, public: Path
) -> None:
    record = asked(config, scripted(), of_letter(FEE), public, answered)
    assert "41 euros" in record.message


def test_a_question_of_which_the_text_does_not_speak_is_not_put_to_it(
    config: Config, scripted: Any, public: Path
) -> None:
    record = asked(config, scripted(), of_letter("Which horses won yesterday's race in Ascot?"), public)
    assert NOT_FOUND in record.message


def test_a_question_in_another_language_is_put_to_a_text_in_it(config: Config, scripted: Any, public: Path) -> None:
    (public / "examples" / "brief.txt").write_text("Liebe Mitglieder, die Gebühr für das Bootshaus beträgt 41 Euro.")
    record = run(
        controller_at(config, scripted(respond="Die Gebühr beträgt 41 Euro."), FakeEndpoint("local", {}, unanswered)),
        "Warum ist die Gebühr so hoch und was ist damit gemeint? /examples/brief.txt",
    )
    assert record.answer == "Die Gebühr beträgt 41 Euro."


def test_the_model_replies_itself_where_there_are_words_alone(config: Config, scripted: Any, public: Path) -> None:
    record = asked(config, scripted(chat="Why did the boat blush?"), "blarg fnord wibble", public)
    assert record.message == "Why did the boat blush?"


MARKS = "student,lab,exam\nMira,88,65\nLin,84,93\nSofie,59,78\n"
LAB = "who got less than 60 in the lab? /examples/marks.csv"


@pytest.mark.parametrize("texts", [[], [TextInHand("a.jpg", " \n")]])
def test_a_question_in_another_language_is_not_put_to_nothing(
    config: Config, scripted: Any, texts: list[TextInHand]
) -> None:
    run_ = Run([{"role": "user", "content": "Was steht da?"}], config.limits)
    reader = ModelReader(scripted(), Prompts(config, TokenCounter(), TABLE))
    reading = reader.read("Was steht da?", "", texts, run_, RunRecord(), is_put_to_them=True)
    with pytest.raises(StopIteration) as ended:
        next(reading)
    assert ended.value.value is None


@pytest.mark.parametrize("request_", ["Good morning!", "What can you do?"])
def test_who_has_a_language_model_is_not_told_to_get_one(
    make_config: MakeConfig, scripted: Any, public: Path, request_: str
) -> None:
    local = {"llm": "local", "local": {"endpoint": "http://127.0.0.1:9"}}
    config = make_config(embedded=False, llm_role="completes", planner="auto", **local)
    record = asked(config, scripted(), request_, public)
    assert record.message.startswith("I am JARVIS") and "I can, for example" in record.message
    assert "offline" not in record.message and "--download-llm" not in record.message


def unread(model: str, row: TaskType, args: Mapping[str, Any]) -> Any:
    raise ExpertUnavailable("I cannot tell which column is meant.")


def of_marks(config: Config, llm: Any, public: Path) -> Any:
    (public / "examples" / "marks.csv").write_text(MARKS)
    return run(controller_at(config, llm, FakeEndpoint("local", {"table-question-answering": ["reader"]}, unread)), LAB)


def test_to_a_table_it_writes_a_query_which_code_runs(config: Config, scripted: Any, public: Path) -> None:
    query = "SELECT student FROM marks WHERE lab < 60"
    llm = scripted(respond=json.dumps({"query": f"{query};"}))
    record = of_marks(config, llm, public)
    assert record.answer == "Sofie"
    assert f"{READ} marks.csv, and worked out by code: by the query “{query}”." in record.message
    assert "lab REAL,  -- 88, 84, 59" in llm.messages("respond")[0][-1]["content"]


@pytest.mark.parametrize(
    "said",
    [
        '{"query": "SELECT student FROM marks WHERE lab < 70"}',
        '{"query": "SELECT student FROM marks WHERE exam < 60"}',
        '{"query": "DROP TABLE marks"}',
        '{"query": 60}',
        "Sofie",
    ],
)
def test_a_query_that_does_not_fit_is_not_told(config: Config, scripted: Any, public: Path, said: str) -> None:
    record = of_marks(config, scripted(respond=said), public)
    assert READ not in record.message
    assert "which column" in record.message


MORE = "By how much is the fee for the boat house cheaper than 50 euros?"


def test_what_a_text_does_not_say_is_calculated_from_its_numbers(config: Config, scripted: Any, public: Path) -> None:
    llm = scripted(respond='{"calculation": "41 - 50", "unit": "euros"}')
    record = asked(config, llm, of_letter(MORE), public)
    assert record.answer == "9 euros"
    assert f"{READ} letter.txt, and worked out by code: 41 - 50 = -9." in record.message


@pytest.mark.parametrize(
    "calculation",
    [
        "50 - 40",  # 40 stands nowhere
        "50 - 1",  # no number of the text
        "41 + 2",  # without what was asked about
        "41",
        "41 / (50 - 50)",
        "",
    ],
)
def test_other_numbers_make_no_answer(config: Config, scripted: Any, public: Path, calculation: str) -> None:
    """The question is then put to the text as it is."""
    llm = scripted(respond=[json.dumps({"calculation": calculation, "unit": ""}), "The text does not say."])
    record = asked(config, llm, of_letter(MORE), public)
    assert READ not in record.message


def test_numbers_are_the_same_however_they_are_written() -> None:
    assert numbers_of("1,071.00 or 1.071,00 euros, two cakes, 12 500 m") >= {1071.0, 2.0, 12500.0}


def test_of_long_texts_the_parts_that_are_nearest_are_given() -> None:
    filler = "\n".join(
        f"Line {at}: the weather in the mountains was changeable all day, with wind." for at in range(200)
    )
    text = TextInHand("notes.txt", f"Minutes of the rowing club\n{filler}\n{LETTER}\n{filler}")
    (given,) = about(FEE, [text])
    assert given.text.startswith("Minutes of the rowing club")
    assert LETTER in given.text
    assert len(given.text) < 1.2 * CHARS
    assert about(FEE, [TextInHand("letter.txt", LETTER)])[0].text == LETTER


def test_a_reply_to_a_text_in_hand_stands(config: Config, scripted: Any, public: Path) -> None:
    """It is no question that is left open: nothing is read from the text in its place."""
    (public / "examples" / "letter.txt").write_text(LETTER)
    llm = scripted(task="Dear Imke, I come for the key on Friday.")
    made = controller_at(config, llm, FakeEndpoint("local", {}, unanswered))
    made.selector.endpoints = (LanguageModel(llm, made.selector.prompts), *made.selector.endpoints)
    record = run(made, "/examples/letter.txt - write Imke an answer that I come on Friday")
    assert record.answer == "Dear Imke, I come for the key on Friday."
    assert READ not in record.message
    (system, user) = llm.messages("task")[0]
    assert user["content"] == LETTER
    assert "that I come on Friday" in system["content"]


def test_a_question_that_was_put_to_a_table_is_asked_in_other_words(
    config: Config, scripted: Any, public: Path
) -> None:
    (public / "examples" / "marks.csv").write_text(MARKS)
    llm = scripted(respond=json.dumps({"query": "SELECT student FROM marks ORDER BY exam DESC LIMIT 1"}))
    place = FakeEndpoint("local", {"table-question-answering": ["reader"]}, unread)
    record = run(controller_at(config, llm, place), "who was best at the end? /examples/marks.csv")
    assert record.answer == "Lin"


def test_a_question_is_put_to_a_text_in_another_language(config: Config, scripted: Any, public: Path) -> None:
    (public / "examples" / "letter.txt").write_text(
        "Chers voisins, samedi nous fêtons les 40 ans de Claire chez nous, à partir de 19 heures."
    )
    llm = scripted(respond="The 40th birthday of Claire.")
    place = FakeEndpoint("local", {"question-answering": ["reader"]}, unanswered)
    record = run(controller_at(config, llm, place), "Whose birthday is it? /examples/letter.txt")
    assert record.answer == "The 40th birthday of Claire."


def test_what_stands_there_under_its_name_is_not_calculated(config: Config, scripted: Any, public: Path) -> None:
    (public / "examples" / "bill.txt").write_text("Soup 6.50\nTotal 87.35\nCash 100.00\nChange: £ 12.65\n")
    llm = scripted(respond="The change is 12.65.")
    place = FakeEndpoint("local", {"question-answering": ["reader"]}, unanswered)
    record = run(controller_at(config, llm, place), "How much change did I get? /examples/bill.txt")
    assert record.answer == "The change is 12.65."
