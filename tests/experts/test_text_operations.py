"""Words counted, languages told, subtitles timed."""

import pytest

from hugginggpt.core.errors import BackendError
from hugginggpt.experts.text_operations import count_words, detect_language, subtitles


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
