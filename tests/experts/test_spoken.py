import pytest

from hugginggpt.experts.spoken import is_speakable, spoken


@pytest.mark.parametrize(
    ("text", "aloud"),
    [
        ("There are 2 giraffes in /examples/b.jpg.", "There are 2 giraffes in b.jpg."),
        ("In zoo.jpg: 1 giraffe (78 %).", "In zoo.jpg: 1 giraffe."),
        ("2 people (83 %, 71.5 %) and a dog", "2 people and a dog"),
        ("the text: Open daily / 9 to 5", "the text: Open daily, 9 to 5"),
        ("See https://example.org/a/b?c=1.", "See example.org."),
        ("- **bold** words\n- and `code`", "bold words and code"),
        ("① water, ⑫ soil, ٣ pots, ½ cup", "1 water, 12 soil, 3 pots, ½ cup"),
        ("and/or, 24/7, 3/4 of it, a.m.", "and/or, 24/7, 3/4 of it, a.m."),
    ],
)
def test_a_text_is_made_fit_for_the_ear(text, aloud):
    assert spoken(text) == aloud


@pytest.mark.parametrize(("text", "is_said"), [("a", True), ("7", True), ("½", True), ("𐡘", False), ("—!", False)])
def test_a_voice_is_not_asked_to_say_nothing(text, is_said):
    assert is_speakable(text) is is_said
