"""Pictures in codecs of videos, decoded to see what they cost."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from PIL import AvifImagePlugin, Image

from hugginggpt.media.coded_pictures import prepare
from hugginggpt.media.formats import Document, Limits, Unreadable
from hugginggpt.media.types import type_of

SPARE_BYTES, PIXEL_BYTES = 64_000_000, 32
"""What decoding may take; a picture of 64 megapixels takes 9 bytes a pixel."""
THREADS = 2
"""Each thread takes up address space, which is bounded."""


def picture(path: Path, limits: Limits) -> Document:
    """Nothing, once the picture is decoded. Raises Unreadable if that takes far more memory than the size in its header."""
    prepare(type_of(path.name), path.name)
    AvifImagePlugin.DEFAULT_MAX_THREADS = THREADS
    with Image.open(path) as image:
        before = _peak_bytes()
        size = f"the {image.width}x{image.height} pixels that it says it has"
        try:
            image.load()
        except Exception as error:  # also where it takes more memory than there is
            raise Unreadable(f"cannot be read as {size}: it is damaged, or unpacks to far more") from error
        taken = _peak_bytes() - before
        if taken > SPARE_BYTES + PIXEL_BYTES * image.width * image.height:
            raise Unreadable(f"unpacks to far more than {size}")
    return Document()


def _peak_bytes() -> int:
    """The most memory that this process has taken so far; 0 where the system does not tell."""
    with suppress(OSError):
        if peak := re.search(r"^VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE):
            return 1024 * int(peak[1])
    return 0
