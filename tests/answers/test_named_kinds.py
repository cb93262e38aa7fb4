import pytest

from hugginggpt.answers.named_kinds import asked_kinds, asked_names

ROWS = [
    {"entity_group": "PERSON", "word": "Marie Curie"},
    {"entity_group": "GPE", "word": "Warsaw"},
    {"entity_group": "DATE", "word": "1867"},
]


@pytest.mark.parametrize(
    ("request_text", "words"),
    [
        ("who are the people named? only people, no places", ["Marie Curie"]),
        ("then the places", ["Warsaw"]),
        ("list the names but leave out the dates", ["Marie Curie", "Warsaw"]),
        ("which names are in it", ["Marie Curie", "Warsaw", "1867"]),
        ('find the names: "The people of Warsaw met Marie Curie in 1867."', ["Marie Curie", "Warsaw", "1867"]),
        ("which companies?", []),
    ],
)
def test_only_names_of_the_kinds_that_are_asked_for(request_text: str, words: list[str]) -> None:
    assert [row["word"] for row in asked_names(request_text, ROWS)] == words


def test_kinds_that_are_excluded_are_not_asked_for() -> None:
    assert asked_kinds("everyone except places") == ""
    assert asked_kinds("people and towns, but no dates") == "people and places"
