"""The frames of animated pictures and the pages of multi-page ones: GIF, WebP, TIFF."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hugginggpt.core.errors import MediaError

if TYPE_CHECKING:
    from PIL.Image import Image

MANY = frozenset(("GIF", "WEBP", "TIFF", "PNG", "AVIF"))
"""Pillow's names of formats that may hold several frames, or pages."""
MAX_COUNTED = 5_000
"""Frames are counted by going to each of them; beyond so many, counting ends."""


def unit_of(path: Path) -> str:
    """How a part of such a file is called."""
    return "page" if path.suffix.lower() in (".tif", ".tiff") else "frame"


def count(path: Path) -> int:
    """How many frames or pages a picture has. Raises MediaError for one that is damaged."""
    from PIL import Image

    try:
        with Image.open(path) as image:
            if image.format not in MANY or not getattr(image, "is_animated", False):
                return 1
            if image.format in ("WEBP", "AVIF", "PNG"):
                return int(getattr(image, "n_frames", 1))  # which stands in the file
            number = 1
            while number < MAX_COUNTED:
                try:
                    image.seek(number)
                except EOFError:
                    break
                number += 1
            return number
    except Exception as error:  # Pillow raises many types for broken files
        raise MediaError(f"{path.name} cannot be read as a picture: it is damaged.") from error


def load(path: Path, numbers: Sequence[int]) -> list[Image]:
    """Some frames or pages, from 1, as RGB. Raises MediaError for a damaged file."""
    from PIL import Image

    try:
        with Image.open(path) as image:
            taken = {}
            for number in sorted(set(numbers)):
                image.seek(number - 1)
                taken[number] = image.convert("RGB")
            return [taken[number] for number in numbers]
    except Exception as error:
        raise MediaError(f"{path.name} cannot be read as a picture: it is damaged.") from error
