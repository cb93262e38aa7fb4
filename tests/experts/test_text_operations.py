"""Words counted, languages told, subtitles timed."""

from pathlib import Path

import pytest

from hugginggpt.core.errors import BackendError, UserError
from hugginggpt.experts.text_operations import count_words, detect_language, move_subtitles, subtitles


def test_words_are_counted() -> None:
    counted = count_words("Don't stop me now. I'm having 2.5 good-natured times!")
    assert counted["answer"] == "9 words, 2 sentences, 53 characters"


def test_chinese_is_counted_by_characters() -> None:
    counted = count_words("你好世界。今天 is Monday.")
    assert counted["words"] == 8
    assert counted["answer"].startswith("8 words, 2 sentences, 18 characters (each Chinese or Japanese character")


def test_languages_are_told() -> None:
    assert detect_language("Der Rat traf sich am Montag in der alten Schule.")[0]["label"] == "German"
    with pytest.raises(BackendError, match="no words"):
        detect_language("12 34")
    with pytest.raises(BackendError, match=r"too short to tell its language: this may be \w+; \d+ %"):
        detect_language("hello")


def test_subtitles_break_at_sentences_pauses_and_length() -> None:
    words = [("Hello", 0.0, 0.5), ("there.", 0.5, 1.0), ("How", 1.2, 1.4), ("are", 1.4, 1.6), ("you", 4.0, 4.2)]
    chunks = [{"text": f" {text}", "timestamp": (start, end)} for text, start, end in words]
    assert subtitles(chunks, "srt").splitlines() == [
        "1", "00:00:00,000 --> 00:00:01,000", "Hello there.", "",
        "2", "00:00:01,200 --> 00:00:01,600", "How are", "",
        "3", "00:00:04,000 --> 00:00:04,200", "you",
    ]  # fmt: skip
    assert subtitles(chunks, "vtt").startswith("WEBVTT\n\n1\n00:00:00.000 --> 00:00:01.000\n")


@pytest.mark.parametrize(
    ("by", "starts"),
    [
        ("2 seconds too early, can u shift them", ["00:00:03,000", "01:00:01,250"]),
        ("half a second earlier", ["00:00:00,500", "00:59:58,750"]),
        ("late by 1500 ms", ["00:00:00,000", "00:59:57,750"]),
        ("push them all back by 2,5 s", ["00:00:03,500", "01:00:01,750"]),
    ],
)
def test_subtitles_are_moved(tmp_path: Path, by: str, starts: list[str]) -> None:
    file = tmp_path / "a.srt"
    file.write_text(
        "1\n00:00:01,000 --> 00:00:02,500\nAt 00:00:01,000 sharp.\n\n2\n00:59:59,250 --> 01:00:01,000\nBye.\n"
    )
    moved = move_subtitles(file, by)
    lines = moved["generated document"].decode().splitlines()
    assert [line.partition(" --> ")[0] for line in lines if "-->" in line] == starts
    assert "At 00:00:01,000 sharp." in lines and moved["format"] == "srt"


@pytest.mark.parametrize("by", ["2 seconds", "later", "0 seconds later"])
def test_subtitles_are_moved_by_a_time_to_a_side(tmp_path: Path, by: str) -> None:
    file = tmp_path / "a.vtt"
    file.write_text("WEBVTT\n\n00:01.000 --> 00:02.500 align:start\nHello\n")
    assert b"00:03.000 --> 00:04.500 align:start" in move_subtitles(file, "2 s later")["generated document"]
    with pytest.raises(UserError, match="by how much"):
        move_subtitles(file, by)
    file.write_text("Hello")
    with pytest.raises(UserError, match="SRT or VTT"):
        move_subtitles(file, "2 s later")
