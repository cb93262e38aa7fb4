"""Hostile files of every format: each cost somebody's program its memory or its time, or is not what it says.

`SAMPLES` maps what a file is to the function that writes it; its key begins with the name that the file is given.
"""

from __future__ import annotations

import io
import itertools
import json
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import av
import numpy as np
from PIL import Image

from hugginggpt.common.paths import ROOT
from tests.media import samples

EXAMPLES = ROOT / "public" / "examples"
MEGA = 1_000_000
Write = Callable[[Path], object]


def good_file(folder: Path, suffix: str) -> Path:
    """A sound file of a format."""
    file = folder / f"good.{suffix}"
    if not file.exists():
        GOOD[suffix](file)
    return file


# Pictures


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">L", len(data)) + name + data + struct.pack(">L", zlib.crc32(name + data))


def png(width: int, height: int, rows: int = 0, extra: bytes = b"") -> bytes:
    """A black PNG of one bit a pixel that claims a size and holds `rows` rows (0: all)."""
    packer = zlib.compressobj(9)
    row = bytes(1 + (width + 7) // 8)
    data = b"".join(packer.compress(row) for _ in range(rows or height)) + packer.flush()
    head = _chunk(b"IHDR", struct.pack(">LLBBBBB", width, height, 1, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + extra + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _claimed_png() -> bytes:
    head = _chunk(b"IHDR", struct.pack(">LLBBBBB", 2**31 - 1, 1, 1, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + _chunk(b"IDAT", zlib.compress(bytes(9))) + _chunk(b"IEND", b"")


def _text_bomb(file: Path) -> None:
    """A PNG whose comments unpack to 64 MB."""
    note = _chunk(b"zTXt", b"Comment\0\0" + zlib.compress(bytes(MEGA), 9))
    file.write_bytes(png(8, 8, extra=64 * note))


def _jpeg_of_scans(file: Path, side: int, scans: int) -> None:
    """A progressive JPEG whose last scan is repeated: each is decoded over the whole picture."""
    data = io.BytesIO()
    Image.new("L", (side, side), 90).save(data, "JPEG", progressive=True, quality=30)
    content = data.getvalue()
    at = content.rfind(b"\xff\xda")
    last = content[at:-2]
    file.write_bytes(content[:at] + last * scans + b"\xff\xd9")


def _gif(width: int, height: int, frames: int, screen: tuple[int, int] | None = None) -> bytes:
    """A GIF of one-pixel changes; `screen` is the size that it claims."""
    wide, high = screen or (width, height)
    head = b"GIF89a" + struct.pack("<HHBBB", wide, high, 0x80, 0, 0) + b"\0\0\0\xff\xff\xff"
    frame = b"\x21\xf9\x04\x04\x02\0\0\0" + b"\x2c" + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02\x44\x01\x00"
    return head + frame * frames + b"\x3b"


def _sized_bmp(file: Path, width: int, height: int) -> None:
    """A BMP of 64 x 48 pixels whose header claims another size."""
    Image.new("RGB", (64, 48), "red").save(file)
    content = bytearray(file.read_bytes())
    struct.pack_into("<ii", content, 18, width, height)
    file.write_bytes(content)


def _claims(data: bytes, box: bytes, width: int, height: int) -> bytes:
    """An AVIF or HEIC file whose boxes `ispe` claim another size."""
    at = data.find(box)
    while at >= 0:
        data = data[: at + 8] + struct.pack(">LL", width, height) + data[at + 16 :]
        at = data.find(box, at + 4)
    return data


def _coded(suffix: str, width: int = 64, height: int = 48) -> bytes:
    if suffix == "heic":
        from tests.media.test_coded_pictures import HEIC

        return HEIC
    data = io.BytesIO()
    Image.new("RGB", (width, height), "red").save(data, "AVIF", speed=10)
    return data.getvalue()


def _tiff(file: Path, pages: int, last: tuple[int, int] | None = None) -> None:
    """A TIFF of small pages; `last` is the size that the last one claims."""
    places = []
    content = bytearray(b"II*\0" + bytes(4))
    for number in range(pages):
        width, height = last if last and number == pages - 1 else (8, 8)
        while len(content) % 2:
            content += b"\0"
        places.append(len(content))
        tags = [(256, 4, width), (257, 4, height), (258, 3, 1), (259, 3, 1), (262, 3, 1), (273, 4, 8), (277, 3, 1),
                (278, 4, height), (279, 4, (width + 7) // 8 * height)]  # fmt: skip
        content += struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHLL", tag, kind, 1, value) for tag, kind, value in tags) + bytes(4)  # fmt: skip
    struct.pack_into("<L", content, 4, places[0])
    for place, following in itertools.pairwise(places):
        struct.pack_into("<L", content, place + 2 + 9 * 12, following)
    file.write_bytes(bytes(content) + bytes(64))


def _frames(file: Path, kind: str, frames: int = 3) -> None:
    pictures = [Image.new("RGB", (64, 48), (40 * number % 256, 90, 120)) for number in range(frames)]
    pictures[0].save(file, kind, save_all=True, append_images=pictures[1:])


# Sound and video


def _sound(
    file: Path, container: str, codec: str, seconds: float = 2, rate: int = 48_000, layout: str = "mono"
) -> None:
    with av.open(str(file), "w", format=container) as out:
        stream: Any = out.add_stream(codec, rate=rate, layout=layout)
        channels = stream.layout.nb_channels
        tone = (8000 * np.sin(np.arange(int(seconds * rate)) / 10)).astype(np.int16)
        frame = av.AudioFrame.from_ndarray(np.repeat(tone, channels)[None], format="s16", layout=layout)
        frame.sample_rate = rate
        out.mux([*stream.encode(frame), *stream.encode()])


def _video(file: Path, container: str, codec: str, size: tuple[int, int] = (176, 144), frames: int = 25) -> None:
    with av.open(str(file), "w", format=container) as out:
        stream: Any = out.add_stream(codec, rate=25, width=size[0], height=size[1], pix_fmt="yuv420p")
        red = av.VideoFrame.from_ndarray(np.full((size[1], size[0], 3), (200, 20, 20), np.uint8), format="rgb24")
        for number in range(frames):
            red.pts = number
            out.mux(stream.encode(red))
        out.mux(stream.encode())


def _vp8_of(file: Path, side: int, is_first: bool) -> None:
    """A WebM of VP8 whose key frames claim a size: the first one, too, or those alone that come later."""
    with av.open(str(file), "w", format="webm") as out:
        stream: Any = out.add_stream("libvpx", rate=25, width=64, height=64, pix_fmt="yuv420p", options={"g": "1"})
        red = av.VideoFrame.from_ndarray(np.full((64, 64, 3), (200, 20, 20), np.uint8), format="rgb24")
        for number in range(50):
            red.pts = number
            out.mux(stream.encode(red))
        out.mux(stream.encode())
    content, number = bytearray(file.read_bytes()), 0
    at = content.find(b"\x9d\x01\x2a")
    while at >= 0:
        if is_first or number > 5:
            struct.pack_into("<HH", content, at + 3, side, side)
        number, at = number + 1, content.find(b"\x9d\x01\x2a", at + 3)
    file.write_bytes(content)


def _wav(claimed: int, rate: int = 44_100, channels: int = 1, data: bytes = bytes(88_200)) -> bytes:
    form = struct.pack("<HHLLHH", 1, channels, rate, rate * channels * 2 & 0xFFFFFFFF, channels * 2 & 0xFFFF, 16)
    return (
        b"RIFF"
        + struct.pack("<L", claimed)
        + b"WAVEfmt \x10\0\0\0"
        + form
        + b"data"
        + struct.pack("<L", claimed)
        + data
    )


def _tagged_mp3(file: Path) -> None:
    """An MP3 after a tag of 40 MB that is said to be a picture."""
    _sound(file, "mp3", "libmp3lame")
    picture = b"APIC" + struct.pack(">L", 40 * MEGA) + b"\0\0" + bytes(40 * MEGA)
    size = len(picture)
    safe = bytes((size >> shift) & 0x7F for shift in (21, 14, 7, 0))
    file.write_bytes(b"ID3\x03\0\0" + safe + picture + file.read_bytes())


def _length_claimed(file: Path) -> None:
    """A video of a second whose header claims 200 hours."""
    _video(file, "mp4", "mpeg4")
    content = bytearray(file.read_bytes())
    for box, place in ((b"mvhd", 16), (b"mdhd", 16), (b"tkhd", 20)):
        at = content.find(box)
        struct.pack_into(">L", content, at + 4 + place, 0x2AEA5400)
    file.write_bytes(content)


def _long_video(file: Path, seconds: int, key_frames: bool) -> None:
    """A black video at one picture a second; without key frames each place is reached from the first."""
    with av.open(str(file), "w", format="mp4") as out:
        options = {"g": "1" if key_frames else "100000"}
        stream: Any = out.add_stream("mpeg4", rate=10, width=64, height=64, pix_fmt="yuv420p", options=options)
        stream.codec_context.gop_size = 1 if key_frames else 600
        black = av.VideoFrame.from_ndarray(np.zeros((64, 64, 3), np.uint8), format="rgb24")
        for number in range(10 * seconds):
            black.pts = number
            out.mux(stream.encode(black))
        out.mux(stream.encode())


# Documents


def _zipped(file: Path, write: Write, part: str, content: Iterable[bytes]) -> None:
    """A document of which one part unpacks to a lot: it is packed piece by piece."""
    write(file)
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist() if name != part}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, each in parts.items():
            archive.writestr(name, each, zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED)
        with archive.open(part, "w", force_zip64=True) as out:
            for piece in content:
                out.write(piece)


def _text_of(size: int) -> Iterable[bytes]:
    yield b"<a>"
    for _ in range(size // MEGA):
        yield b"a" * MEGA
    yield b"</a>"


def _noisy(size: int) -> bytes:
    """Text that shrinks by no more than a document's does: the ratio tells nothing."""
    return np.random.default_rng(1).integers(97, 123, size).astype(np.uint8).tobytes()


def _padded(file: Path, write: Write, part: str, size: int) -> None:
    """A document whose size is made up for by a part that nobody reads, so that no ratio tells of its bomb."""
    _zipped(file, write, part, _text_of(size))
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("media/noise.bin", _noisy(size // 100))


def _overlapping(file: Path) -> None:
    """A list of contents of 15,000 names for the same packed bytes (a "better" bomb)."""
    kernel = zlib.compress(b"a" * 15_000, 9)[2:-4]
    crc = zlib.crc32(b"a" * 15_000)
    local = struct.pack("<4sHHHHHLLLHH", b"PK\x03\x04", 20, 0, 8, 0, 0, crc, len(kernel), 15_000, 17, 0) + b"word/document.xml" + kernel  # fmt: skip
    entries = b"".join(
        struct.pack("<4sHHHHHHLLLHHHHHLL", b"PK\x01\x02", 20, 20, 0, 8, 0, 0, crc, len(kernel), 15_000, len(name), 0, 0, 0, 0, 0, 0) + name
        for name in (b"word/document.xml", *(b"word/part%d.xml" % number for number in range(15_000)))
    )  # fmt: skip
    end = struct.pack("<4sHHHHLLH", b"PK\x05\x06", 0, 0, 15_001, 15_001, len(entries), len(local), 0)
    file.write_bytes(local + entries + end)


def _pdf(*objects: bytes) -> bytes:
    return samples._pdf(objects)


def _pdf_page(box: bytes, content: bytes) -> bytes:
    return _pdf(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[%s]/Contents 4 0 R>>" % box,
        b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
    )


def _repeated_cells(file: Path) -> None:
    """An ODS of one cell that is said to be repeated over 16,000 columns and a million rows."""
    samples.write_ods(file)
    with zipfile.ZipFile(file) as archive:
        content = archive.read("content.xml")
    content = content.replace(b"<table:table-row>", b'<table:table-row table:number-rows-repeated="1048576">')
    content = content.replace(b"<table:table-cell ", b'<table:table-cell table:number-columns-repeated="16000" ')
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, each in (parts | {"content.xml": content}).items():
            archive.writestr(name, each, zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED)


def _locked(file: Path, write: Write) -> None:
    """An archive whose parts are said to be encrypted."""
    write(file)
    content = bytearray(file.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.find(mark)
        while at >= 0:
            content[at + offset] |= 1
            at = content.find(mark, at + 4)
    file.write_bytes(content)


def _bytes(content: bytes | Callable[[], bytes]) -> Write:
    return lambda file: file.write_bytes(content() if callable(content) else content)


def _laughs(write: Write, part: str) -> Write:
    return lambda file: _zipped(file, write, part, [samples.LAUGHS])


def _audio(*args: Any, **named: Any) -> Write:
    return lambda file: _sound(file, *args, **named)


def _moving(*args: Any, **named: Any) -> Write:
    return lambda file: _video(file, *args, **named)


GOOD: dict[str, Write] = {
    "png": lambda file: Image.open(EXAMPLES / "d.jpg").save(file),
    "jpg": lambda file: file.write_bytes((EXAMPLES / "d.jpg").read_bytes()),
    "webp": lambda file: _frames(file, "WEBP"),
    "gif": lambda file: _frames(file, "GIF"),
    "bmp": lambda file: Image.new("RGB", (64, 48), "red").save(file),
    "tiff": lambda file: _frames(file, "TIFF"),
    "avif": lambda file: file.write_bytes(_coded("avif")),
    "heic": lambda file: file.write_bytes(_coded("heic")),
    "wav": _audio("wav", "pcm_s16le"), "mp3": _audio("mp3", "libmp3lame"), "flac": _audio("flac", "flac"),
    "ogg": _audio("ogg", "libopus"), "m4a": _audio("ipod", "aac"), "aac": _audio("adts", "aac"),
    "mp4": _moving("mp4", "mpeg4"), "webm": _moving("webm", "libvpx"), "mkv": _moving("matroska", "mpeg4"),
    "mov": _moving("mov", "mpeg4"), "avi": _moving("avi", "mpeg4"),
    "csv": _bytes(b"Month,Total\nJanuary,100\nFebruary,350\n"), "tsv": _bytes(b"Month\tTotal\nJanuary\t100\nFebruary\t350\n"),
    "xlsx": samples.write_xlsx, "ods": samples.write_ods, "txt": _bytes(" ".join(samples.PAGES).encode()),
    "pdf": samples.write_pdf, "docx": samples.write_docx, "odt": samples.write_odt, "pptx": samples.write_pptx,
    "odp": samples.write_odp, "epub": samples.write_epub, "html": _bytes(samples.HTML.encode()),
    "json": _bytes(samples.JSON.encode()), "srt": _bytes(samples.SRT.encode()), "vtt": _bytes(samples.VTT.encode()),
    "eml": samples.write_eml,
}  # fmt: skip
"""How a sound file of each format is written."""

HEADS = b"From: ruth@example.org\nSubject: The club\n"
DOCUMENT, SHEET, SLIDE = "word/document.xml", "xl/worksheets/sheet1.xml", "ppt/slides/slide1.xml"
SAMPLES: dict[str, Write] = {
    "a.png of 60,000 x 60,000 pixels": _bytes(lambda: png(60_000, 60_000)),
    "b.png of 7,900 x 7,900 pixels, which is allowed": _bytes(lambda: png(7_900, 7_900)),
    "c.png of 2 billion x 1 pixels": _bytes(_claimed_png),
    "d.png whose comments unpack to 64 MB": _text_bomb,
    "e.png that claims 7,900 x 7,900 pixels and holds one row": _bytes(lambda: png(7_900, 7_900, rows=1)),
    "a.jpg of 64 megapixels in 1,000 scans": lambda file: _jpeg_of_scans(file, 7_900, 1_000),
    "b.jpg of 1 megapixel in 20,000 scans": lambda file: _jpeg_of_scans(file, 1_000, 20_000),
    "a.gif of 100,000 frames": _bytes(lambda: _gif(1, 1, 100_000)),
    "b.gif of 7,900 x 7,900 pixels and 100,000 frames": _bytes(lambda: _gif(7_900, 7_900, 100_000)),
    "c.gif that claims 65,535 x 65,535 pixels": _bytes(lambda: _gif(1, 1, 3, (65_535, 65_535))),
    "a.tiff of 100,000 pages": lambda file: _tiff(file, 100_000),
    "b.tiff whose second page claims 60,000 x 60,000 pixels": lambda file: _tiff(file, 2, (60_000, 60_000)),
    "a.bmp that claims 60,000 x 60,000 pixels": lambda file: _sized_bmp(file, 60_000, 60_000),
    "b.bmp that claims 7,900 x 7,900 pixels and holds 64 x 48": lambda file: _sized_bmp(file, 7_900, 7_900),
    "a.webp of 1,000 frames": lambda file: _frames(file, "WEBP", 1_000),
    "a.avif that claims 60,000 x 60,000 pixels": _bytes(lambda: _claims(_coded("avif"), b"ispe", 60_000, 60_000)),
    "b.avif that claims 7,900 x 7,900 pixels": _bytes(lambda: _claims(_coded("avif"), b"ispe", 7_900, 7_900)),
    "a.heic that claims 60,000 x 60,000 pixels": _bytes(lambda: _claims(_coded("heic"), b"ispe", 60_000, 60_000)),
    "b.heic that claims 7,900 x 7,900 pixels": _bytes(lambda: _claims(_coded("heic"), b"ispe", 7_900, 7_900)),
    "a.flac of 1 MB that holds 100 minutes": lambda file: samples.silent_flac(file, 100, told=0),
    "b.flac of 59 minutes, which is allowed": lambda file: samples.silent_flac(file, 59, told=0),
    "a.wav whose header claims 4 GB": _bytes(lambda: _wav(0xFFFFFFF0)),
    "b.wav that claims 1 Hz": _bytes(lambda: _wav(88_200, rate=1)),
    "c.wav that claims 4 billion Hz": _bytes(lambda: _wav(88_200, rate=0xFFFFFFFF)),
    "d.wav that claims 65,535 channels": _bytes(lambda: _wav(88_200, channels=65_535)),
    "e.wav of 1,000 Hz with 49 MB": _bytes(lambda: _wav(49 * MEGA, rate=1_000, data=bytes(49 * MEGA))),
    "a.mp3 behind a tag of 40 MB": _tagged_mp3,
    "a.ogg of 100 minutes": _audio("ogg", "libopus", 6_000),
    "a.m4a of 100 minutes": _audio("ipod", "aac", 6_000),
    "a.mp4 whose header claims 200 hours": _length_claimed,
    "b.mp4 of 60 minutes, each picture a key frame": lambda file: _long_video(file, 3_600, key_frames=True),
    "c.mp4 of 60 minutes with few key frames": lambda file: _long_video(file, 3_600, key_frames=False),
    "d.mp4 of 6 million empty boxes": _bytes(lambda: b"\0\0\0\x0cftypisom" + b"\0\0\0\x08free" * 6 * MEGA),
    "a.webm whose pictures claim 16,383 x 16,383 pixels": lambda file: _vp8_of(file, 16_383, is_first=True),
    "b.webm whose later pictures claim 16,383 x 16,383": lambda file: _vp8_of(file, 16_383, is_first=False),
    "c.webm whose later pictures claim 7,900 x 7,900": lambda file: _vp8_of(file, 7_900, is_first=False),
    "a.avi of 8,000 x 8,000 pixels": _moving("avi", "ffv1", (8_000, 8_000), 2),
    "a.mov of 8,000 x 8,000 pixels": _moving("mov", "mpeg4", (8_000, 8_000), 2),
    "a.mkv of 4,000 x 4,000 pixels": _moving("matroska", "mpeg4", (4_000, 4_000), 3),
    "a.docx that unpacks to 1 GB": lambda file: _zipped(file, samples.write_docx, DOCUMENT, _text_of(1_000 * MEGA)),
    "b.docx that unpacks to 250 MB, padded": lambda file: _padded(file, samples.write_docx, DOCUMENT, 250 * MEGA),
    "c.docx with entities in entities": _laughs(samples.write_docx, DOCUMENT),
    "d.docx of 15,000 names for the same bytes": _overlapping,
    "e.docx with a million empty elements": lambda file: _zipped(file, samples.write_docx, DOCUMENT, [b"<a>", b"<b/>" * MEGA, b"</a>"]),
    "f.docx with 100,000 nested elements": lambda file: _zipped(file, samples.write_docx, DOCUMENT, [b"<a>" * 100_000]),
    "g.docx that is encrypted": lambda file: _locked(file, samples.write_docx),
    "h.docx with an attribute of 20 MB": lambda file: _zipped(file, samples.write_docx, DOCUMENT, [b'<a b="', *(_noisy(MEGA) for _ in range(20)), b'"/>']),
    "a.xlsx that unpacks to 1 GB": lambda file: _zipped(file, samples.write_xlsx, SHEET, _text_of(1_000 * MEGA)),
    "b.xlsx that unpacks to 250 MB, padded": lambda file: _padded(file, samples.write_xlsx, SHEET, 250 * MEGA),
    "c.xlsx with entities in entities": _laughs(samples.write_xlsx, SHEET),
    "d.xlsx of two cells in opposite corners": samples.sparse_sheet,
    "e.xlsx of a text of 30,000 characters in 100,000 cells": lambda file: samples.sheet_of_one_text(file, "a" * 30_000, 50_000),
    "f.xlsx of 190,000 rows, which is allowed": lambda file: samples.write_xlsx(file, {"A": [("a", "b"), *[(1, 2)] * 190_000]}),
    "a.ods that unpacks to 1 GB": lambda file: _zipped(file, samples.write_ods, "content.xml", _text_of(1_000 * MEGA)),
    "b.ods with entities in entities": _laughs(samples.write_ods, "content.xml"),
    "c.ods of a cell repeated 17 billion times": _repeated_cells,
    "d.ods that is encrypted": lambda file: _locked(file, samples.write_ods),
    "a.pptx that unpacks to 1 GB": lambda file: _zipped(file, samples.write_pptx, SLIDE, _text_of(1_000 * MEGA)),
    "b.pptx with entities in entities": _laughs(samples.write_pptx, SLIDE),
    "a.odp that unpacks to 1 GB": lambda file: _zipped(file, samples.write_odp, "content.xml", _text_of(1_000 * MEGA)),
    "b.odp with entities in entities": _laughs(samples.write_odp, "content.xml"),
    "a.epub that unpacks to 1 GB": lambda file: _zipped(file, samples.write_epub, "OEBPS/c0.xhtml", _text_of(1_000 * MEGA)),
    "b.epub of a chapter of 250 MB, padded": lambda file: _padded(file, samples.write_epub, "OEBPS/c0.xhtml", 250 * MEGA),
    "c.epub with entities in entities": _laughs(samples.write_epub, "OEBPS/book.opf"),
    "a.pdf of a million pages": _bytes(lambda: samples.many_pages(MEGA)),
    "b.pdf of 900 pages with 100,000 lines each": _bytes(lambda: samples.slow_pages(900)),
    "c.pdf whose page unpacks to 1 GB": _bytes(lambda: samples.deflated_page(1_000 * MEGA)),
    "d.pdf of 100,000 nested arrays": _bytes(lambda: _pdf(b"<</Type/Catalog/Pages 2 0 R/X " + b"[" * 100_000 + b"]" * 100_000 + b">>", b"<</Type/Pages/Count 0/Kids[]>>")),
    "e.pdf of a page of 1,000 km": _bytes(lambda: _pdf_page(b"0 0 3000000000 3000000000", b"0 0 99 99 re f")),
    "f.pdf of forms in forms in forms": _bytes(lambda: samples.forms_in_forms(9)),
    "g.pdf that is encrypted": lambda file: samples.write_pdf(file, password="secret"),
    "h.pdf that refers to itself": _bytes(lambda: _pdf(b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 9/Kids[2 0 R 2 0 R]/Parent 2 0 R>>")),
    "i.pdf of a line 3 pixels high and 10,000 points wide": _bytes(lambda: _pdf_page(b"0 0 10000 1", b"0 0 99 1 re f")),
    "a.html of a million tags": _bytes(lambda: b"<html>" + b"<b>a</b>" * 500_000),
    "b.html of 390,000 nested tags": _bytes(lambda: b"<html>" + b"<div>" * 390_000 + b"words"),
    "c.html of one tag that never ends": _bytes(lambda: b"<html><a " + b"x=1 " * 5 * MEGA),
    "d.html of 40 MB of unclosed scripts": _bytes(lambda: b"<html>" + b"<script" * 5 * MEGA),
    "e.html of 390,000 nested tables": _bytes(lambda: b"<html>" + b"<table><tr><td>" * 130_000 + b"words"),
    "f.html of 30 million ampersands": _bytes(lambda: b"<html>" + b"&a" * 15 * MEGA),
    "a.json nested 100,000 deep": _bytes(b"[" * 100_000 + b"]" * 100_000),
    "b.json nested 900 deep with long names": _bytes(lambda: (b'{"' + b"k" * 9_000 + b'":') * 900 + b"1" + b"}" * 900),
    "c.json of 16 million empty objects": _bytes(lambda: b"[" + b"{}," * 16 * MEGA + b"1]"),
    "d.json of a number of 40 million digits": _bytes(lambda: b"9" * 40 * MEGA),
    "e.json of 24 million numbers": _bytes(lambda: b"[" + b"1," * 24 * MEGA + b"1]"),
    "f.json of 400,000 columns in two rows": _bytes(lambda: json.dumps([{str(n): n for n in range(400_000)}] * 2).encode()),
    "a.csv of a million columns": _bytes(lambda: b"a," * MEGA + b"b\n" + b"1," * MEGA + b"2\n"),
    "b.csv of one line of 49 MB": _bytes(lambda: b"a" * 49 * MEGA),
    "c.csv whose quotation mark never ends": _bytes(lambda: b'Month,Total\n"' + b"1,2\n" * 10 * MEGA),
    "d.csv of 24 million rows": _bytes(lambda: b"a,b\n" + b"1,2\n" * 12 * MEGA),
    "e.csv of 49 MB of commas": _bytes(lambda: b"," * 49 * MEGA),
    "f.csv of 49 MB of empty lines": _bytes(lambda: b"\n" * 49 * MEGA),
    "g.csv of nothing but zero bytes": _bytes(bytes(MEGA)),
    "h.csv of 2 million columns, two rows": _bytes(lambda: b"," .join(b"c%d" % n for n in range(2 * MEGA)) + b"\n" + b"1," * (2 * MEGA - 1) + b"1\n"),
    "a.tsv of 24 million rows": _bytes(lambda: b"a\tb\n" + b"1\t2\n" * 12 * MEGA),
    "a.eml of 400,000 parts": _bytes(lambda: HEADS + b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * 400_000),
    "b.eml of 20,000 parts in parts": _bytes(lambda: HEADS + b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(20_000))),
    "c.eml to a million people": _bytes(lambda: HEADS + b"To: " + b"a@example.org, " * MEGA + b"\n\nwords"),
    "d.eml of a subject of 2 million coded words": _bytes(lambda: b"Subject: " + b"=?utf-8?q?a?= " * 2 * MEGA + b"\n\nwords"),
    "e.eml of 5 million headers": _bytes(lambda: HEADS + b"X: y\n" * 5 * MEGA + b"\nwords"),
    "f.eml of 45 MB of text": _bytes(lambda: HEADS + b"\n" + b"word " * 9 * MEGA),
    "a.srt that never ends": _bytes(lambda: samples.SRT.encode() + b"word " * 9 * MEGA),
    "b.srt of 600,000 subtitles": _bytes(lambda: b"1\n00:00:01,000 --> 00:00:02,000\nWords.\n\n" * 600_000),
    "c.srt of 40 MB of opening brackets": _bytes(lambda: samples.SRT.encode() + b"\n3\n00:02:05,000 --> 00:02:08,000\n" + b"<{\\" * 13 * MEGA),
    "a.vtt of 49 MB of digits": _bytes(lambda: b"WEBVTT\n\n" + b"1" * 49 * MEGA),
    "a.txt of zero bytes": _bytes(b""),
    "b.txt of blanks": _bytes(b" " * 900_000),
    "c.txt of nothing but zero bytes": _bytes(bytes(900_000)),
    "d.txt of 49 MB": _bytes(b"word " * 9 * MEGA),
}  # fmt: skip
