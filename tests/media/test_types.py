"""The table of file types, and that every part of the program uses it."""

from __future__ import annotations

from pathlib import Path

import filetype
import pytest

from hugginggpt.media.content import BEGINNINGS, content_of
from hugginggpt.media.references import find_resources
from hugginggpt.media.store import MediaStore
from hugginggpt.media.tables import kind_in
from hugginggpt.media.types import BY_CONTENT, BY_SUFFIX, FILE_TYPES, file_types, kind_of, type_of, unreadable_reason
from hugginggpt.testing.fakes import png, wav
from tests.conftest import MakeConfig, plan_offline


def test_each_suffix_and_each_content_stands_once() -> None:
    assert len(BY_SUFFIX) == sum(len(row.suffixes) for row in FILE_TYPES)
    assert len(BY_CONTENT) == sum(bool(row.content) for row in FILE_TYPES)


def test_the_contents_can_be_told() -> None:
    """The library's names for them are not always the registered ones: audio/x-flac, video/x-msvideo."""
    assert set(BY_CONTENT) <= {known.mime for known in filetype.types} | {content for _, content in BEGINNINGS}


def test_of_two_types_that_begin_alike_one_is_within_the_other() -> None:
    assert {row.within for row in FILE_TYPES if row.within} <= set(BY_CONTENT)


@pytest.mark.parametrize(
    ("head", "content"),
    [
        (b"\0\0\x10\0mdat", "video/quicktime"),  # old cameras
        (b"\0\0\0\x08wide\0\0\0\0mdat", "video/quicktime"),
        (b"\0\0\0\x18ftypheix\0\0\0\0mif1heix", "image/heic"),  # ten bits a colour
        (b"\0\0\0\x18ftypmif1\0\0\0\0mif1heix", "image/heic"),
        (b"\0\0\0\x18ftypavis\0\0\0\0avisavif", "image/avif"),  # an animation
        (b"\0\0\0\x18ftypmif1\0\0\0\0miafjpeg", ""),
        (b"II+\0\x08\0\0\0", "image/tiff"),
        (b"FORM\0\0\x10\0AIFC", "audio/x-aiff"),
        (b"RF64\xff\xff\xff\xffWAVE", "audio/x-wav"),
        (b"\xff\xfa\x90\0", "audio/mpeg"),
        ((b"G" + bytes(187)) * 3, "video/mp2t"),
        ((bytes(4) + b"G" + bytes(187)) * 3, "video/mp2t"),
        (b"G" * 100, ""),
        (b"A free lunch", ""),
    ],
)
def test_contents_that_the_library_does_not_know(head: bytes, content: str) -> None:
    assert content_of(head + bytes(300)) == content


@pytest.mark.parametrize("suffix", BY_SUFFIX)
def test_a_name_with_the_suffix_is_recognised(suffix: str) -> None:
    (resource,) = find_resources(f"Look at my-file.{suffix.upper()}, please")
    assert resource.text == f"my-file.{suffix.upper()}"
    assert resource.kind == BY_SUFFIX[suffix].kind == kind_of(f"https://a.b/x.{suffix}?download=1")


def test_what_can_be_read_is_listed_by_kind() -> None:
    listed = file_types()
    assert list(listed) == ["image", "audio", "video", "table", "text"]
    assert listed["image"][:2] == ["jpg", "jpeg"]
    assert listed["table"][:3] == ["csv", "tsv", "xlsx"]
    assert all(unreadable_reason(f"a.{suffix}") == "" for suffixes in listed.values() for suffix in suffixes)


@pytest.mark.parametrize("name", ["notes", "a.b", "v1.5", "jpg", "a cat.", ""])
def test_other_words_are_no_names_of_files(name: str) -> None:
    assert type_of(name) is None
    assert unreadable_reason(name) == ""


@pytest.mark.parametrize(
    ("content", "name", "saved"),
    [(png(), "a.jpg", ".png"), (wav(), "a", ".wav"), (b"a,b", "x.CSV", ".csv"), (b"{}", "x.json", ".json"), (b"a", "x.md", ".md")],
)  # fmt: skip
def test_a_file_is_saved_with_the_suffix_of_its_type(
    make_config: MakeConfig, tmp_path: Path, content: bytes, name: str, saved: str
) -> None:
    (tmp_path / name).write_bytes(content)
    assert MediaStore(make_config()).attach(tmp_path / name).suffix == saved


@pytest.mark.parametrize("request_text", ["What is in report.rtf?", "Summarize letter.doc", "Summarize a.mobi"])
def test_nothing_is_planned_for_files_that_cannot_be_read(request_text: str) -> None:
    assert plan_offline(request_text) == []


def test_what_can_be_read_beside_them_is_planned() -> None:
    assert [task["args"] for task in plan_offline("Describe a.jpg and b.heic")] == [
        {"image": "a.jpg"},
        {"image": "b.heic"},
    ]
    assert plan_offline("Write a poem about the sea and save it as poem.rtf")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('[{"name": "Zara", "goals": 11}, {"name": "Kofi", "goals": 8}]', "table"),
        ('{"name": "Zara"}', "text"),
        ("[", "text"),
    ],
)
def test_json_with_a_row_for_each_object_is_a_table(tmp_path: Path, text: str, kind: str) -> None:
    file = tmp_path / "a.json"
    file.write_text(text, encoding="utf-8")
    assert kind_in(file) == kind
