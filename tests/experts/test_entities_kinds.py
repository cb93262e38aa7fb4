"""Names of places and things are no people."""

from __future__ import annotations

from hugginggpt.experts.entities import entities

TEXT = (
    "The ferry Saint Brigid is coming back to Portwell. Mayor Fiona Gallagher said so in the evening. "
    "The Saint Brigid was built in 1936."
)


def test_a_ship_and_a_town_are_no_people() -> None:
    kinds = {row["word"]: row["entity_group"] for row in entities(TEXT)}
    assert [word for word, kind in kinds.items() if kind == "PERSON"] == ["Fiona Gallagher"]


def test_an_inn_is_no_person_and_an_aunt_is_one() -> None:
    text = "Dear Olga, Uncle Otto met Margaret Pugh at the Salmon Inn in Hereford. Peter is ill."
    kinds = {row["word"]: row["entity_group"] for row in entities(text)}
    people = {word for word, kind in kinds.items() if kind == "PERSON"}
    assert {"Olga", "Uncle Otto", "Margaret Pugh", "Peter"} <= people and not any("Inn" in word for word in people)
