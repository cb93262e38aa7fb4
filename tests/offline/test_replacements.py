"""What a short message puts in the place of a part of the last request."""

from __future__ import annotations

import pytest

from hugginggpt.offline.replacements import other_word

CUT = "cut out the left one"


@pytest.mark.parametrize(
    ("message", "earlier", "full"),
    [
        ("and now the right one", CUT, "cut out the right one"),
        ("ok, the right side please", CUT, "cut out the right one"),
        ("and the bottom?", "what is at the top?", "what is at the bottom?"),
        ("ok right", CUT, ""),
        ("that's right", CUT, ""),
        ("and the right dog", CUT, ""),
        ("the left one", CUT, ""),
        ("and the right one", "is the left cup left of the spoon", ""),
    ],
)
def test_the_other_side(message: str, earlier: str, full: str) -> None:
    found = other_word(message, earlier)
    assert (f"{earlier[: found[0]]}{found[2]}{earlier[found[1] :]}" if found else "") == full
