"""What questions ask of a picture that no picture tells by itself: what something is worth, the breed, who somebody is.

The words are data (data/experts/picture_untold.txt), in the languages in which requests are understood.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from hugginggpt.common import word_lists
from hugginggpt.common.paths import EXPERTS_DATA

BREED, TAKEN = "the breed", "when it was taken"
MAX_CHARS = 300
"""Further characters of a question are not looked at."""
MAX_CAMERA_CHARS = 60
_EXIF, _TAKEN, _CHANGED, _MAKE, _MODEL = 0x8769, 0x9003, 0x0132, 0x010F, 0x0110
"""Tags of EXIF: the group of the tags of a photograph; when it was taken, or else written; by which camera."""
_TIME = re.compile(r"(\d{4}):(\d{2}):(\d{2}) (\d{2}:\d{2})")
_UNPRINTED = re.compile(r"[^ -~]")
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W_]+(?:['’-][^\W_]+)*")


def camera_words(file: Path) -> str:
    """When a picture was taken, and with which camera, as far as the file says so (EXIF): "taken on 2025-06-03 at 14:20
    with a Canon EOS 80D"; "" where it does not.
    """
    from PIL import Image

    with Image.open(file) as picture:
        tags = picture.getexif()
        more = tags.get_ifd(_EXIF)
    taken = _TIME.match(str(more.get(_TAKEN) or tags.get(_CHANGED) or ""))
    when = f"taken on {taken[1]}-{taken[2]}-{taken[3]} at {taken[4]}" if taken else ""
    camera = " ".join(
        {one.lower(): one for one in f"{tags.get(_MAKE) or ''} {tags.get(_MODEL) or ''}".split()}.values()
    )
    by = f"with the camera {_UNPRINTED.sub('', camera)[:MAX_CAMERA_CHARS]}" if camera else ""
    return " ".join(filter(None, (when, by)))


def untold(text: str) -> str:
    """What a question asks for that a picture does not tell, in words: "what something is worth"; "" for others."""
    words = _WORD.findall(text[:MAX_CHARS].lower().replace("’", "'"))
    spaced = f" {' '.join(words)} "
    return next((what for what, phrases in _phrases().items() if word_lists.holds(spaced, phrases)), "")


@cache
def _phrases() -> dict[str, tuple[str, ...]]:
    file = EXPERTS_DATA / "picture_untold.txt"
    return {
        what: tuple(phrase.strip() for line in lines for phrase in line.split(","))
        for what, lines in word_lists.sections(file).items()
    }
