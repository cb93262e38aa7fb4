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
MAX_COUNTED, MAX_PAGES = 5_000, 1_000
"""No more frames, and pages of a TIFF, than these are told."""
MAX_TAKEN = 200_000_000
"""The pixels of all frames that are taken: as RGB they need 600 MB. Each page of a TIFF has a size of its own."""
MAX_DRAWN = 500_000_000
"""The pixels of all frames that have to be drawn for those that are taken: of a GIF all that come before."""


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
            if image.format == "TIFF":
                return _pages(image)
            return min(MAX_COUNTED, int(getattr(image, "n_frames", 1)))  # no frame is drawn for that, as by `seek`
    except Exception as error:  # Pillow raises many types for broken files
        raise MediaError(f"{path.name} cannot be read as a picture: it is damaged.") from error


def _pages(image: Image) -> int:
    """How many pages a TIFF has, one by one: Pillow counts all of them in a time that grows with their square."""
    for number in range(MAX_PAGES):
        try:
            image.seek(number)
        except EOFError:
            return number
    return MAX_PAGES


def load(path: Path, numbers: Sequence[int]) -> list[Image]:
    """Some frames or pages, from 1, as RGB. Raises MediaError for a damaged file, and for too many pixels."""
    from PIL import Image

    try:
        with Image.open(path) as image:
            taken = {}
            left = MAX_TAKEN
            if image.format not in ("TIFF", "MPO") and max(numbers, default=1) * image.width * image.height > MAX_DRAWN:
                raise _too_large(path)
            for number in sorted(set(numbers)):
                image.seek(number - 1)
                left -= image.width * image.height
                if left < 0:
                    raise _too_large(path)
                taken[number] = image.convert("RGB")
            return [taken[number] for number in numbers]
    except MediaError:
        raise
    except Exception as error:
        raise MediaError(f"{path.name} cannot be read as a picture: it is damaged.") from error


def _too_large(path: Path) -> MediaError:
    unit = unit_of(path)
    return MediaError(f"The {unit}s of {path.name} are too large to be taken together: say fewer, or earlier ones.")
