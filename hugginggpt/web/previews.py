"""Small pictures of pictures: thumbnails, and what browsers cannot show, such as TIFF, as WebP."""

from __future__ import annotations

import io
import threading
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import flask
from werkzeug.exceptions import NotFound, ServiceUnavailable

from hugginggpt.common.paths import PUBLIC
from hugginggpt.core.errors import MediaError
from hugginggpt.media.store import MediaStore
from hugginggpt.media.types import kind_of
from hugginggpt.net.public_files import found

if TYPE_CHECKING:
    from PIL.Image import Image

SIZES = (96, 480, 2048)
"""The longest side of a preview, in pixels: beside a name, on a card, and large."""
SUFFIX = ".webp"
KEPT, KEPT_LARGE = 256, 8
"""How many previews are remembered: of the two small sizes, and of the large one."""
AT_ONCE = 2
"""How many pictures are decoded at the same time: a large one takes some hundred megabytes."""
WAIT_SECONDS = 5.0
"""How long a request for a preview waits for its turn: it holds a thread of the server meanwhile."""
RETRY_SECONDS = 2
FRESH_SECONDS = 3600
"""How long a browser may use a preview without asking. The names of files are new for each content."""


class Previews:
    """GET /previews/SIZE/PATH.webp, where /PATH is that of a picture: whoever may see the picture may see it."""

    def __init__(self, media: MediaStore) -> None:
        self.media = media
        self.roots = [media.public, PUBLIC.resolve()]
        self._decoding = threading.BoundedSemaphore(AT_ONCE)
        self._small = lru_cache(KEPT)(self._made)
        self._large = lru_cache(KEPT_LARGE)(self._made)

    def routes(self) -> tuple[tuple[str, str, Any], ...]:
        return (("/previews/<int:size>/<path:name>", "GET", self.preview),)

    def preview(self, size: int, name: str) -> flask.Response:
        """A preview as a response. Raises NotFound where there is no such picture, or no such size,
        ServiceUnavailable where too many are asked for at once.
        """
        path = self.picture(name.removesuffix(SUFFIX)) if name.endswith(SUFFIX) and size in SIZES else None
        if path is None:
            raise NotFound("There is no such preview.")
        try:
            self.media.check(path, "image")
            state = path.stat()
            make = self._large if size == SIZES[-1] else self._small
            data = make(path, size, state.st_mtime_ns, state.st_size)
        except (MediaError, OSError) as error:
            raise NotFound("This picture cannot be read.") from error
        answer = flask.send_file(
            io.BytesIO(data), "image/webp", etag=f"{state.st_mtime_ns:x}-{state.st_size:x}-{size}",
            max_age=FRESH_SECONDS, conditional=True,
        )  # fmt: skip
        answer.cache_control.public, answer.cache_control.private = False, True
        return answer

    def picture(self, name: str) -> Path | None:
        """The picture of a public path without its slash; None where there is none."""
        if kind_of(name) != "image":
            return None
        try:
            return found(name, self.roots, self.media.has)
        except NotFound:
            return None

    def _made(self, path: Path, size: int, *_state: int) -> bytes:
        """A preview as WebP; `_state` is that of the file, so that a changed one is made anew."""
        if not self._decoding.acquire(timeout=WAIT_SECONDS):
            raise ServiceUnavailable("Too many previews are made at the moment.", retry_after=RETRY_SECONDS)
        try:
            return _encoded(_reduced(path, size))
        finally:
            self._decoding.release()


def _reduced(path: Path, size: int) -> Image:
    """A picture, upright, whose sides are `size` pixels at most. Raises MediaError if it is damaged."""
    from PIL import Image, ImageOps

    try:
        with Image.open(path) as image:
            if image.mode[0] in "IF":  # 16 bits or more for grey, or fractions
                return _stretched(image, size)
            image.thumbnail((size, size))
            upright = ImageOps.exif_transpose(image)
            mode = "RGBA" if upright.has_transparency_data else "RGB"
            return upright if upright.mode == mode else upright.convert(mode)
    except Exception as error:  # Pillow raises many types for broken files
        raise MediaError(f"{path.name} cannot be read as a picture: it is damaged.") from error


def _stretched(image: Image, size: int) -> Image:
    """A picture of numbers as grey ones from black to white."""
    import numpy as np
    from PIL import Image

    step = max(1, max(image.size) // (2 * size))  # fractions of a whole large picture would take gigabytes
    values = np.nan_to_num(np.asarray(image)[::step, ::step].astype(np.float32))
    low, high = float(values.min()), float(values.max())
    grey = Image.fromarray(((values - low) * (255 / ((high - low) or 1))).astype(np.uint8))
    grey.thumbnail((size, size))
    return grey


def _encoded(image: Image) -> bytes:
    data = io.BytesIO()
    image.save(data, "WEBP", quality=82)
    return data.getvalue()
