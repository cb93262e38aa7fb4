import pytest

from hugginggpt.experts.spoken import spoken


@pytest.mark.parametrize(
    ("text", "aloud"),
    [
        ("There are 2 giraffes in /examples/b.jpg.", "There are 2 giraffes in b.jpg."),
        ("In zoo.jpg: 1 giraffe (78 %).", "In zoo.jpg: 1 giraffe."),
        ("2 people (83 %, 71.5 %) and a dog", "2 people and a dog"),
        ("the text: Open daily / 9 to 5", "the text: Open daily, 9 to 5"),
        ("See https://example.org/a/b?c=1.", "See example.org."),
        ("- **bold** words\n- and `code`", "bold words and code"),
        ("and/or, 24/7, 3/4 of it, a.m.", "and/or, 24/7, 3/4 of it, a.m."),
    ],
)
def test_a_text_is_made_fit_for_the_ear(text, aloud):
    assert spoken(text) == aloud
