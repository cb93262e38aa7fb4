"""The boxes of MP4 and QuickTime files, which are counted before FFmpeg reads them: a million take it a second."""

from __future__ import annotations

from pathlib import Path

from hugginggpt.core.errors import MediaError

MAX_BOXES = 100_000
"""An hour in fragments of a second has 50,000."""
_OF_BOXES = frozenset(b"moov trak mdia minf stbl udta edts dinf mvex moof traf meta ilst".split())
"""Boxes that are made of others."""


def check_boxes(path: Path) -> None:
    """Raises MediaError for a file of more boxes than any program writes."""
    count, spans = 0, [(0, path.stat().st_size)]
    with path.open("rb") as stream:
        while spans:
            at, end = spans.pop()
            while at + 8 <= end:
                stream.seek(at)
                head = stream.read(16)
                length, begin = int.from_bytes(head[:4], "big"), 8
                if length == 1:  # it stands behind the name
                    length, begin = int.from_bytes(head[8:], "big"), 16
                if length < begin:  # up to the end, or damaged
                    break
                if (count := count + 1) > MAX_BOXES:
                    raise MediaError(f"{path.name} has more than {MAX_BOXES:,} parts, made to take long to read.")
                if (name := head[4:8]) in _OF_BOXES:
                    spans.append((at + begin + 4 * (name == b"meta"), min(at + length, end)))
                at += length
