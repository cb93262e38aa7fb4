"""The encoder for many languages: near are a question and what answers it, in one language or two."""

from __future__ import annotations

import pytest

from hugginggpt.experts import foreign_reading
from hugginggpt.experts.extras import is_installed
from hugginggpt.experts.multilingual import PACKAGE, similarities

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not is_installed(PACKAGE), reason="the weights of multilingual-e5-small are not installed"),
]
NOTICE = "Les clés sont dans la boîte grise.\nLe départ est avant 10 h.\nIl est interdit de fumer dans la maison."


@pytest.mark.parametrize(
    ("question", "nearest"), [("Wo liegt der Schlüssel?", 0), ("when do we have to leave?", 1), ("可以抽烟吗？", 2)]
)
def test_a_question_is_nearest_to_the_sentence_that_answers_it(question: str, nearest: int) -> None:
    near = similarities(question, NOTICE.splitlines())
    assert near.index(max(near)) == nearest
    assert all(0.6 < one < 1 for one in near)


def test_a_text_is_near_itself() -> None:
    same, other = similarities("Der Laden öffnet um neun.", ["Der Laden öffnet um neun.", "Es regnet auf dem Mars."])
    assert same > 0.9 > other


def test_the_reader_finds_a_line_that_shares_no_word() -> None:
    found = foreign_reading.answer(
        "mi hijo tiene 9 años, ¿puede ir solo?",
        "La piscina abre a las 11:00.\nLos menores de 12 deben ir acompañados por un adulto.\nLas mascotas no pueden entrar.",
        "es",
    )
    assert "menores de 12" in found["answer"]
