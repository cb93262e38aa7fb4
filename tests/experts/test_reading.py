"""The reader of texts: sentences, what questions ask for, and answers that are in the text or not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hugginggpt.core.errors import BackendError
from hugginggpt.experts import joint_reading, logistic, reading
from hugginggpt.experts.answer_types import asked_for, spans
from hugginggpt.experts.entities import entities
from hugginggpt.experts.grammar import parse
from hugginggpt.experts.joint_answers import together
from hugginggpt.experts.sentences import sentences, statements
from hugginggpt.experts.training import joint
from hugginggpt.experts.training.texts import DATA, cases, every_case

MINUTES = (
    "Minutes of the rowing club. Anna Berg, the treasurer, reported that 300 euros are left. The next meeting is on "
    "12 May in the boathouse. She will bring cake. Dogs are not allowed in the boathouse."
)


def test_sentences_end_with_lines_in_a_list_and_go_on_over_a_margin() -> None:
    assert sentences("Dear Ben,\n\nmilk\neggs\n- two apples\nWhen: Monday") == [
        "Dear Ben,", "milk", "eggs", "- two apples", "When: Monday",
    ]  # fmt: skip
    wrapped = (
        "The train to Manchester leaves from platform seven and is about\nten minutes late. Dr. Brown waits\nthere."
    )
    assert len(sentences(wrapped)) == 2


def test_a_regression_learns_and_is_kept(tmp_path: Path) -> None:
    features = np.array([[0.0, 1.0], [0.1, 0.0], [0.9, 1.0], [1.0, 0.0]] * 20)
    head = logistic.fit(("a", "b"), features, (features[:, 0] > 0.5).astype(float), penalty=0.1)
    low, high = head.probabilities([[0.0, 0.5], [1.0, 0.5]])
    assert low < 0.1 and high > 0.9
    assert head.probabilities([]) == []
    head.save(tmp_path / "head.safetensors")
    assert (tmp_path / "head.safetensors").stat().st_size < 10_000


def test_the_questions_for_training_and_measuring_are_apart() -> None:
    questions = list(cases(DATA.read_text(encoding="utf-8")))
    seen, unseen = ([case for case in questions if case.held_out is held_out] for held_out in (False, True))
    assert len(seen) > 300 and len(unseen) > 100
    assert not {case.context for case in seen} & {case.context for case in unseen}
    for case in questions:
        assert all(piece in " ".join(case.context.split()) for piece in case.pieces), case.question
    unanswerable = sum(not case.pieces for case in questions)
    assert 0.3 < unanswerable / len(questions) < 0.4


def test_the_documents_for_training_and_measuring_are_apart() -> None:
    every = every_case()
    seen, unseen = ([case for case in every if case.held_out is held_out] for held_out in (False, True))
    assert len(seen) > 3000 and len(unseen) > 900
    assert not {case.context for case in seen} & {case.context for case in unseen}


def test_what_a_sentence_is_worth_beside_the_others() -> None:
    scores = {3: 2.0, 4: 0.5, 7: -1.0}
    first, second = joint_reading.standing(3, scores), joint_reading.standing(4, scores)
    assert first[0] == 2.0 and first[2] == 1.5 and first[3] == 0.0
    assert second[2] == -1.5 and second[3] == 0.2
    assert np.exp(first[1]) == pytest.approx(np.exp(2) / (1 + np.exp(2) + np.exp(0.5) + np.exp(-1)), rel=1e-3)
    assert joint_reading.standing(9, scores)[0] == joint_reading.UNREAD


def test_each_part_of_a_question_has_its_answer_and_a_line_is_given_once() -> None:
    probably = {
        "answer": "It says: “It costs 20 euros.”",
        "closest": "It costs 20 euros.",
        "score": 0.5,
        "found": False,
    }
    plainly, nothing = {"answer": "It starts at noon.", "score": 0.9}, {"answer": reading.NOT_SAID, "found": False}
    asked = ["when does it start", "how much is it"]
    both = together([plainly, probably], asked, reading.PLAINLY)
    assert both["answer"] == "It starts at noon. It says: “It costs 20 euros.”"
    assert both["quotes"] == ["It starts at noon.", "It costs 20 euros."]
    assert together([probably, probably], asked, reading.PLAINLY) == probably
    assert together([plainly, plainly], asked, reading.PLAINLY)["answer"] == "It starts at noon."
    none = together([nothing, probably], asked, reading.PLAINLY)["answer"]
    assert none == "It says: “It costs 20 euros.” I find nothing on “when does it start”."
    value = {"answer": "6.20", "entry": "Adults: 6.20"}
    assert (
        together([value, plainly], ["what do adults pay", "when"], "")["answer"] == "Adults: 6.20. It starts at noon."
    )


@pytest.mark.slow
def test_the_reader_is_trained_as_it_reads() -> None:
    import torch

    sentences, question = statements(MINUTES), "When is the next meeting?"
    scores = joint_reading.Memory(sentences).scores(question)
    document = joint.document(sentences, [question], [[1]], [True])
    upper = {name: torch.from_numpy(np.ascontiguousarray(value)) for name, value in joint_reading._upper().items()}
    pairs = torch.zeros(len(sentences), dtype=torch.long), torch.arange(len(sentences))
    assert np.allclose(scores, joint.scored(upper, document, *pairs).numpy(), atol=1e-3)
    assert int(np.argmax(scores)) == 2


@pytest.mark.slow
@pytest.mark.parametrize("question", ["Was Tom there?", "Is the hall open on Sunday?", "Are refunds given for lunch?"])
def test_no_yes_or_no_where_the_words_do_not_settle_it(question: str) -> None:
    text = "Apologies: Tom Reed. The hall is closed on Sunday. Lunch is not refunded, only travel."
    assert not reading.answer(question, text)["answer"].startswith("Yes")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "type_"),
    [
        ("who is the treasurer", "person"), ("What time does it open?", "time"), ("How many eggs are there?", "number"),
        ("how long does it last", "duration"), ("What did it cost?", "money"), ("Is it open?", "statement"),
        ("What is her name?", "name"), ("On which day do they meet?", "date"), ("What broke?", "thing"),
    ],
)  # fmt: skip
def test_what_a_question_asks_for(question: str, type_: str) -> None:
    assert asked_for(parse(question)).types[0] == type_


@pytest.mark.slow
def test_things_of_a_type_are_seen_in_lower_case_too() -> None:
    sentence = parse("the repair comes to three hundred and forty dollars, come by at half past six on tuesday")
    assert spans("money", sentence) == ["three hundred and forty dollars"]
    assert spans("time", sentence) and spans("date", sentence) and not spans("temperature", sentence)


@pytest.mark.slow
def test_a_transcript_is_split_into_clauses() -> None:
    said = "hello this is pete from the garage your car is ready we replaced the brake pads and the battery the repair comes to three hundred dollars and we are open until six"
    parts = statements(said)
    assert len(parts) > 3
    assert " ".join(parts) == said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who is the treasurer?", "Anna Berg"),
        ("how much money is left", "300 euros"),
        ("when do we meet next", "12 May"),
        ("Are dogs allowed in the boathouse?", "No: Dogs are not allowed"),
        ("which people are mentioned?", "Anna Berg"),
        ("What is the phone number?", reading.NOT_SAID),
        ("Who is Tom?", reading.NOT_SAID),
    ],
)
def test_answers_from_a_text(question: str, answer: str) -> None:
    assert reading.answer(question, MINUTES)["answer"].startswith(answer.rstrip(".")) or (
        answer in reading.answer(question, MINUTES)["answer"]
    )


@pytest.mark.slow
def test_a_sentence_with_a_pronoun_comes_with_the_one_before() -> None:
    text = "Marie Curie was a physicist. She discovered radium in 1898. The weather was fine."
    assert "Marie Curie" in reading.answer("Who discovered radium?", text)["answer"]
    with pytest.raises(BackendError, match="empty"):
        reading.answer("who?", " ")


@pytest.mark.slow
def test_names_without_duplicates_and_in_lower_case() -> None:
    named = entities("Marie Curie lived in Paris. Curie loved Paris, and so did Curie's daughter.")
    assert [(row["word"], row["entity_group"]) for row in named] == [("Marie Curie", "PERSON"), ("Paris", "GPE")]
    lower = {row["word"] for row in entities("john smith met the others in berlin on friday")}
    assert {"John Smith", "Berlin"} <= lower


def test_an_empty_text_has_no_sentences() -> None:
    assert sentences("") == sentences("\n") == []


def test_a_sentence_without_an_amount_is_never_quoted_for_one() -> None:
    text = "For twelve biscuits.\nMelt the butter in a pan over a low heat.\nThe oven is hot after a while."
    told = reading.answer("How much butter do I need?", text)
    assert told["found"] is False and "It says" not in told["answer"]


FLAT = (
    "Agreement for flat 7. The rent is £710 per month. The tenant pays a deposit of £1,065 before moving in. The "
    "landlord returns the deposit within ten days. Dogs may be kept with the consent of the landlord."
)


@pytest.mark.parametrize("question", ["How high is the deposit for the flat?", "how big is the deposit"])
def test_the_only_sentence_with_the_amount_of_what_is_asked_for_is_likely(question: str) -> None:
    answer = reading.answer(question, FLAT)
    assert answer["answer"].removeprefix("It says: “").startswith("The tenant pays a deposit of £1,065")
    assert answer["score"] >= reading.PROBABLE
    assert "score" not in reading.answer("How high is the fee for parking?", FLAT)


def test_the_beginning_of_a_letter_answers_nothing() -> None:
    text = "Dear Mrs Keller,\nThe gutter of the shed must be mended before winter.\nYours, R. Stone"
    assert "Dear Mrs" not in reading.answer("What does he want from Mrs Keller?", text)["answer"]


def test_the_entries_of_a_form_are_no_sentence_together() -> None:
    text = "Treatment: filling upper left, about 40 minutes\nPlease cancel at least 24 hours before on 01904 555 318"
    told = reading.answer("How long does the treatment take?", text)
    assert told.get("closest", told["answer"]).endswith("about 40 minutes")
