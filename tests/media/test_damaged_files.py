"""Files that are empty, cut off, under another format's name, of random bytes, locked or bombs: one sentence, or read rightly.

The formats are those for which this is not shown elsewhere, one of each family and more. Files are made by the formats' own
libraries. What is read here in this process is read in another one in use, which `test_bombs` goes by, and measures.
"""

from __future__ import annotations

import random
import re
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from benchmarks import hostile_samples as hostile
from benchmarks.hostile_files import in_process
from hugginggpt.core.errors import HuggingGPTError
from hugginggpt.media import documents, video
from hugginggpt.media.decoding import load_audio, load_image
from hugginggpt.media.formats import __main__ as child
from hugginggpt.media.store import MediaStore
from hugginggpt.media.tables import columns
from hugginggpt.media.texts import text_of_file
from hugginggpt.media.types import kind_of, type_of
from tests.conftest import MakeConfig
from tests.media import samples

FORMATS = ("bmp", "mkv", "avi", "mov", "csv", "tsv", "xlsx", "ods", "docx", "odp", "json", "srt", "vtt", "txt", "eml", "epub")  # fmt: skip
OTHERS = ("png", "ogg", "mp4", "pdf", "docx", "srt", "csv", "txt")
"""The formats whose bytes stand under the name of each of the others."""
MOST_SECONDS, MOST_MB = 10.0, 450.0
"""What a bomb may cost of a processor and of memory: much less than it would, and room for other machines."""


@cache
def good(suffix: str) -> bytes:
    """A sound file of a format."""
    with TemporaryDirectory() as folder:
        return hostile.good_file(Path(folder), suffix).read_bytes()


@pytest.fixture
def media(make_config: MakeConfig, monkeypatch: pytest.MonkeyPatch) -> MediaStore:
    monkeypatch.setattr(documents, "asked", lambda path, order: child.read({**order, "path": str(path)}))
    return MediaStore(make_config())


def looked_at(media: MediaStore, path: Path) -> Any:
    """What the program sees of a file: the size of a picture, how much there is of a recording or video, columns, text."""
    if (kind := kind_of(path.name)) == "image":
        return load_image(path).size
    if kind == "audio":
        return len(load_audio(path, 16_000))
    if kind == "video":
        return sum(1 for _ in video.looks(path, 24, 0.2, media.max_pixels))
    return columns(path) if kind == "table" else str(text_of_file(path))


def opened(media: MediaStore, file: Path, content: bytes) -> tuple[str, Any]:
    """The format of a file and what is seen of it; or "" and the sentence that says why it is not opened."""
    file.write_bytes(content)
    try:
        path = media.attach(file)
        media.check(path, kind_of(path.name) or "text")
        return path.suffix[1:], looked_at(media, path)
    except HuggingGPTError as error:
        return "", one_sentence(str(error))


def one_sentence(said: str) -> str:
    assert re.fullmatch(r"[^\n]{10,600}[.?]", said), said
    assert not re.search(r"Traceback|Errno|\bNone\b|0x[0-9a-f]{6}|<class|/tmp/", said), said
    return said


def is_part(some: Any, whole: Any) -> bool:
    """Whether what is seen of a file that was cut off is a part of the whole; its last word may be half a word."""
    if isinstance(whole, str):
        return whole.startswith(some[: some.rstrip().rfind(" ") + 1])
    if isinstance(whole, dict):
        return list(some) == list(whole) and all(
            whole[name][: len(cells) - 1] == cells[:-1] for name, cells in some.items()
        )
    return isinstance(some, int) and 0 < some <= whole


@pytest.mark.parametrize("suffix", FORMATS)
def test_empty(media: MediaStore, tmp_path: Path, suffix: str) -> None:
    assert opened(media, tmp_path / f"a.{suffix}", b"")[0] == ""


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("suffix", FORMATS)
def test_cut_off(media: MediaStore, tmp_path: Path, suffix: str, share: float) -> None:
    whole = opened(media, tmp_path / f"whole.{suffix}", good(suffix))
    assert whole[0] == suffix
    known, seen = opened(media, tmp_path / f"a.{suffix}", good(suffix)[: int(share * len(good(suffix)))])
    assert not known or (known == suffix and is_part(seen, whole[1])), seen


@pytest.mark.parametrize("size", [400, 5_000])
@pytest.mark.parametrize("suffix", FORMATS)
def test_random_bytes(media: MediaStore, tmp_path: Path, suffix: str, size: int) -> None:
    for seed in range(5):
        known, seen = opened(media, tmp_path / f"a{seed}.{suffix}", random.Random(seed).randbytes(size))
        assert known == "", seen


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("suffix", FORMATS)
def test_the_bytes_of_another_format(media: MediaStore, tmp_path: Path, suffix: str, other: str) -> None:
    """A format that is known by its content is read as what it is, whatever its name; else the name counts, or it is refused."""
    own = opened(media, tmp_path / f"own.{other}", good(other))
    known, seen = opened(media, tmp_path / f"a.{suffix}", good(other))
    row = type_of(f"a.{other}")
    if row and (row.content or row.begins):
        assert (known, seen) == own
    elif known == "txt":
        assert seen == good(other).decode().strip()
    elif known:
        assert seen == own[1]


def in_archive(
    write: Callable[[Path], object], changes: dict[str, tuple[bytes, bytes]], more: dict[str, bytes]
) -> Callable[[Path], None]:
    """Writes a document whose parts are noise or are changed, with more parts."""

    def locked(file: Path) -> None:
        write(file)
        with zipfile.ZipFile(file) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()} | more
        for name, (pattern, new) in changes.items():
            assert (parts[name], parts.update({name: re.sub(pattern, new, parts[name], count=1, flags=re.DOTALL)}))[
                0
            ] != parts[name]
        with zipfile.ZipFile(file, "w") as archive:
            for name, content in parts.items():
                archive.writestr(name, content)

    return locked


NOISE = random.Random(1).randbytes(2_000).replace(b"\\", b"/")
CIPHER = (
    b"<manifest:encryption-data><manifest:algorithm manifest:algorithm-name='aes256-cbc'/></manifest:encryption-data>"
)
IN_MANIFEST = {
    "content.xml": (rb".*", NOISE),
    "META-INF/manifest.xml": (
        rb'(<manifest:file-entry[^>]*full-path="content.xml"[^>]*)/>', rb"\1>" + CIPHER + b"</manifest:file-entry>"
    ),
}  # fmt: skip
RIGHTS = (
    b'<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><EncryptedData '
    b'xmlns="http://www.w3.org/2001/04/xmlenc#"><CipherData><CipherReference URI="OEBPS/c0.xhtml"/></CipherData>'
    b"</EncryptedData></encryption>"
)
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(3_000) + "EncryptedPackage".encode("utf-16-le") + bytes(3_000)
"""How Word and Excel write a document with a password."""
SEALED = b"Content-Type: application/pkcs7-mime; smime-type=enveloped-data\nContent-Transfer-Encoding: base64\n\nMIIB"
PGP = b"-----BEGIN PGP MESSAGE-----\n\nhQEM\n-----END PGP MESSAGE-----\n"
LOCKED: dict[str, Callable[[Path], object]] = {
    "word.docx": lambda file: file.write_bytes(OLE),
    "zipped.docx": lambda file: hostile._locked(file, samples.write_docx),
    "excel.xlsx": lambda file: file.write_bytes(OLE),
    "zipped.xlsx": lambda file: hostile._locked(file, samples.write_xlsx),
    "a.ods": in_archive(samples.write_ods, IN_MANIFEST, {}),
    "a.odp": in_archive(samples.write_odp, IN_MANIFEST, {}),
    "a.epub": in_archive(samples.write_epub, {"OEBPS/c0.xhtml": (rb".*", NOISE)}, {"META-INF/encryption.xml": RIGHTS}),
    "sealed.eml": lambda file: file.write_bytes(hostile.HEADS + SEALED),
    "pgp.eml": lambda file: file.write_bytes(hostile.HEADS + b"\n" + PGP),
    "pgp-mime.eml": lambda file: file.write_bytes(
        hostile.HEADS + b"Content-Type: multipart/encrypted; boundary=b\n\n--b\n\n" + PGP + b"--b--\n"
    ),
}


@pytest.mark.parametrize("name", LOCKED)
def test_locked(media: MediaStore, tmp_path: Path, name: str) -> None:
    LOCKED[name](tmp_path / name)
    known, said = opened(media, tmp_path / name, (tmp_path / name).read_bytes())
    assert known == "" and re.search(r"is protected (?:by a password|against copying)|is encrypted", said), said


def test_what_is_only_signed_is_read(media: MediaStore, tmp_path: Path) -> None:
    signed = b"Content-Type: multipart/signed; boundary=b\n\n--b\n\nThe treasurer is Ruth.\n--b\nContent-Type: application/pkcs7-signature\n\nMIIB\n--b--\n"
    assert "The treasurer is Ruth." in opened(media, tmp_path / "a.eml", hostile.HEADS + signed)[1]


@pytest.mark.slow
@pytest.mark.parametrize("suffix", FORMATS)
def test_bombs(tmp_path: Path, suffix: str) -> None:
    """Each bomb of a format is opened, read and changed as in use, in a process of its own that is measured."""
    abouts = [about for about in hostile.SAMPLES if about.split()[0].endswith(f".{suffix}")]
    for about in abouts:
        hostile.SAMPLES[about](tmp_path / about.split()[0])
    files = [tmp_path / about.split()[0] for about in abouts]
    for about, figures in zip(abouts, in_process(hostile.good_file(tmp_path, suffix), files), strict=True):
        for step, seconds, said in figures["done"]:
            assert seconds < MOST_SECONDS, (about, step)
            assert not said or one_sentence(said)
        assert figures["mb"] < MOST_MB, about
    assert abouts
