"""Praise and blame in other languages than English."""

from __future__ import annotations

import pytest

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts.foreign_opinions import balance


@pytest.mark.parametrize(
    ("text", "code", "is_good"),
    [
        ("Das Zimmer war sauber und das Personal sehr freundlich.", "de", True),
        ("Ich bin nicht zufrieden, die Lieferung kam viel zu spät.", "de", False),
        ("Gar nicht teuer, und nett sind sie auch.", "de", True),
        ("Le repas n'était pas bon du tout.", "fr", False),
        ("Un accueil chaleureux, je recommande !", "fr", True),
        ("El hotel estaba muy sucio y la comida fría.", "es", False),
        ("La comida estaba deliciosa.", "es", True),
        ("服务很差，等了一个小时。", "zh", False),
        ("房间很干净，老板很热情！", "zh", True),
    ],
)
def test_praise_and_blame(text: str, code: str, is_good: bool) -> None:
    assert (balance(text, code) > 0) is is_good


def test_what_values_nothing_is_not_called_neutral() -> None:
    with pytest.raises(ExpertUnavailable):
        balance("Der Termin ist am Montag um 9 Uhr.", "de")
