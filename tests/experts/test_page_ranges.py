"""The pages of a document that words tell."""

from __future__ import annotations

import pytest

from hugginggpt.core.errors import UserError
from hugginggpt.experts.page_ranges import pages_in, parts_in, shown


@pytest.mark.parametrize(
    ("words", "count", "pages"),
    [
        ("pages 2 to 4", 9, [2, 3, 4]),
        ("pages 1, 3 and 5-7", 9, [1, 3, 5, 6, 7]),
        ("the last two pages", 9, [8, 9]),
        ("the first page and the last page", 5, [1, 5]),
        ("without page 3", 5, [1, 2, 4, 5]),
        ("all but the last 2 pages", 5, [1, 2, 3]),
        ("delete the cover page", 3, [2, 3]),
        ("second and fourth page", 5, [2, 4]),
        ("from page 3 to the end", 5, [3, 4, 5]),
        ("after page three", 5, [4, 5]),
        ("up to page 2", 5, [1, 2]),
        ("odd pages", 5, [1, 3, 5]),
        ("the second half", 5, [4, 5]),
        ("pages 4 to 2", 5, [4, 3, 2]),
        ("all pages", 2, [1, 2]),
    ],
)
def test_pages_are_read_from_words(words: str, count: int, pages: list[int]) -> None:
    assert pages_in(words, count) == pages


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("page 7", "3 pages only: there is no page 7"),
        ("page 0", "no page 0"),
        ("the nice ones", 'Which pages are "the nice ones"'),
        ("without pages 1 to 3", "No page would be left"),
        ("the last 9999 pages", "no page 9999"),
    ],
)
def test_pages_that_there_are_not_are_refused(words: str, says: str) -> None:
    with pytest.raises(UserError, match=says):
        pages_in(words, 3)


def test_only_a_page_is_kept_though_it_is_taken_out() -> None:
    assert pages_in("take only page 3", 4) == [3]
    assert pages_in("take out page 3", 4) == [1, 2, 4]


@pytest.mark.parametrize(
    ("words", "count", "parts"),
    [
        ("", 3, [[1], [2], [3]]),
        ("each page", 2, [[1], [2]]),
        ("every 2 pages", 5, [[1, 2], [3, 4], [5]]),
        ("after page 3", 5, [[1, 2, 3], [4, 5]]),
        ("into three parts", 9, [[1, 2, 3], [4, 5, 6], [7, 8, 9]]),
        ("in half", 5, [[1, 2, 3], [4, 5]]),
    ],
)
def test_a_document_is_split_as_words_say(words: str, count: int, parts: list[list[int]]) -> None:
    assert parts_in(words, count) == parts


@pytest.mark.parametrize(("words", "count"), [("after page 9", 3), ("", 1), ("every 5 pages", 4), ("into 0 parts", 1)])
def test_what_leaves_nothing_to_split_is_refused(words: str, count: int) -> None:
    with pytest.raises(UserError, match=r"split"):
        parts_in(words, count)


def test_numbers_are_shown_as_people_write_them() -> None:
    assert shown([1, 2, 3, 5, 7, 8]) == "1 to 3, 5, 7, 8"
