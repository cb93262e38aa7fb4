import pytest

pytest.importorskip("spacy")

from hugginggpt.experts.question_parts import parts_of


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Where and when was she born?", ["Where was she born", "when was she born"]),
        ("who signed it and what is he there", ["who signed it", "what is he there"]),
        ("What is wrong with the shed, and until when have I got?", ["What is wrong with the shed", "until when have I got"]),
        ("My niece sent me this picture. Whose ticket is it?", ["Whose ticket is it?"]),
        ("her phone number and email?", ["her phone number", "email"]),
        ("the man who lives in Bath, which is a town", ["the man who lives in Bath, which is a town"]),
        ("Who leads the walk?", ["Who leads the walk?"]),
    ],
)  # fmt: skip
def test_the_questions_that_one_asks(question: str, parts: list[str]) -> None:
    assert parts_of(question) == parts
