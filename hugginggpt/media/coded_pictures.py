"""Pictures that cost more than their headers say: AVIF and HEIC, which not every installation can decode, and JPEG in
many scans.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from hugginggpt.common.paths import install_command
from hugginggpt.core.errors import MediaError
from hugginggpt.media.documents import told
from hugginggpt.media.types import FileType

MAX_SCANS = 32
"""Of a JPEG: each is decoded over the whole picture. Programs write ten."""
_SCAN = b"\xff\xda"
"""How a scan begins; within one no such bytes stand."""


def prepare(file_type: FileType | None, name: str) -> None:
    """Lets Pillow read a picture of that type. Raises MediaError, which calls it by `name` and says what to install, where
    nothing here decodes it.
    """
    decoder = file_type.decoder if file_type else ""
    if decoder == "heif":
        if find_spec("pi_heif") is None:
            raise MediaError(
                f"{name} is a HEIC picture: {install_command('heic')} to have such read, or save it as JPEG."
            )
        _register()
    elif decoder == "avif" and not handles_avif():
        raise MediaError(
            f"{name} is an AVIF picture, which the Pillow installed here cannot read: save it as JPEG or PNG."
        )


@cache
def _register() -> None:
    import pi_heif

    pi_heif.register_heif_opener(thumbnails=False, depth_images=False, aux_images=False)


@cache
def handles_avif() -> bool:
    """Whether the Pillow that is installed reads and writes AVIF."""
    from PIL import features

    return bool(features.check("avif"))


def check_scans(path: Path) -> None:
    """Raises MediaError for a JPEG of too many scans."""
    if (scans := path.read_bytes().count(_SCAN)) > MAX_SCANS:
        raise MediaError(f"{path.name} is a JPEG of {scans:,} scans, made to take long to decode: save it anew.")


def check_decodes(path: Path, pixels: int) -> None:
    """Decodes a picture once in the process that reads documents, whose memory and time are bounded by the number
    of pixels in its header.

    Raises MediaError if it is damaged, or unpacks to more than its header says.
    """
    told(path, {"reader": "picture", "limits": {"pages": 1, "rows": 0, "unpacked": 0}, "pixels": pixels})
