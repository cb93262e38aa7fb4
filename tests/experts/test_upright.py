"""Which way up a photograph is, by what is seen in it."""

from __future__ import annotations

import pytest

from hugginggpt.common.paths import PUBLIC
from hugginggpt.experts.upright import upright_turn
from hugginggpt.media.decoding import load_image


@pytest.mark.parametrize(("turned", "back"), [(0, 0), (90, 90), (-90, -90)])
def test_a_photo_on_its_side_is_turned_back(turned: int, back: int) -> None:
    """`turned` is counter-clockwise, as Pillow turns, and what turns it back is clockwise."""
    picture = load_image(PUBLIC / "examples" / "g.jpg")
    picture.thumbnail((400, 400))
    assert upright_turn(picture.rotate(turned, expand=True)) == back
