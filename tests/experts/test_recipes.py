"""The amounts of a recipe for another number."""

from __future__ import annotations

import pytest

from hugginggpt.experts import recipes

CAKE = "Apfelkuchen\n250 g Mehl\n3 Eier\n6 Äpfel\n120 g Zucker\n"


@pytest.mark.parametrize("question", ["Wie viele Äpfel brauche ich für zwei Kuchen?", "und Äpfel für 2 Torten?"])
def test_two_cakes_need_twice_as_much(question: str) -> None:
    assert recipes.scaled(question, CAKE) == "With 2 times the amounts:\n- 12 Äpfel"
