"""The pages of a document that words tell: "pages 2 to 4", "the last two pages", "all but the first", "odd pages"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hugginggpt.core.document_words import LEFT_OUT_PAGES
from hugginggpt.core.documents import counted
from hugginggpt.core.errors import UserError
from hugginggpt.core.quantities import ONES

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_NUMBERS = {word: str(value) for value, word in enumerate(ONES)}
_ORDINAL = re.compile(rf"\b(?:(\d{{1,4}})(?:st|nd|rd|th)|({'|'.join(_ORDINALS[1:])}))\b(?! half)")
_TO = r"\s*(?:-|–|to|until|till|and|through|thru|up to)\s*(?:and including\s*)?(?:page\s*)?"
_END = r"(?:the\s*)?(?:end|last(?:\s*page)?)"
_AT_END = re.compile(r"\b(first|last|final|opening|initial|front|closing)(?:\s+(\d{1,4}))?(?:\s+pages?)?\b")
_HALF = re.compile(r"\b(first|1st|second|2nd|last) half\b")
_RANGE = re.compile(rf"(\d{{1,4}}){_TO.replace('|and', '')}(\d{{1,4}}|{_END})")
_BETWEEN = re.compile(rf"\bbetween\s+(?:page\s*|pages\s*)?(\d{{1,4}}){_TO}(\d{{1,4}}|{_END})")
_FROM = re.compile(r"\b(?:from|after|starting (?:at|from|with|on)|beyond)\s+(?:page\s*)?(\d{1,4})\b")
_UNTIL = re.compile(r"\b(?:until|till|up to|before|through)\s+(?:page\s*)?(\d{1,4})\b")
_SINGLE = re.compile(r"\d{1,4}")


def pages_in(words: str, count: int, whole: str = "document", unit: str = "page") -> list[int]:
    """The numbers of pages, from 1, of a document with so many, or of the frames of a picture.

    Raises UserError for words that name none of them.
    """
    text = _plain(words)
    is_left_out = re.search(LEFT_OUT_PAGES, text)
    found = sorted(_named(text, count), key=lambda each: each[0])
    named = list(dict.fromkeys(page for _, taken in found for page in taken))
    if not named:
        raise UserError(f'Which {unit}s are "{words}"? Say "{unit}s 2 to 4", "the last {unit}" or "all but {unit} 1".')
    if beyond := [page for page in named if not 1 <= page <= count]:
        raise UserError(f"The {whole} has {counted(count, unit)} only: there is no {unit} {beyond[0]}.")
    pages = [page for page in range(1, count + 1) if page not in named] if is_left_out else named
    if not pages:
        raise UserError(f"No {unit} would be left.")
    return pages


def parts_in(words: str, count: int) -> list[list[int]]:
    """The pages of each of several documents into which one is split; each page alone where words say nothing else.
    Raises UserError.
    """
    text = _plain(words)
    every = list(range(1, count + 1))
    if after := re.search(r"\b(?:after|behind|at|from)\s+(?:page\s*)?(\d{1,4})\b", text):
        at = int(after[1]) - bool(re.match(r"at|from", after[0]))
        if not 0 < at < count:
            raise UserError(f"The document has {count} pages: it cannot be split there.")
        return [every[:at], every[at:]]
    size = 1
    if parts := re.search(r"\b(\d{1,4})\s+(?:equal\s+)?(?:parts|pieces|files|documents|pdfs|halves|chunks)\b", text):
        size = -(-count // max(1, int(parts[1])))
    elif re.search(r"\bhal(?:f|ves)\b", text):
        size = -(-count // 2)
    elif each := re.search(r"\b(\d{1,4})[- ]pages?\b", text):
        size = int(each[1])
    if size < 1 or size >= count:
        raise UserError(f"The document has {count} pages: that leaves nothing to split.")
    return [every[at : at + size] for at in range(0, count, size)]


def shown(pages: list[int]) -> str:
    """Numbers of pages as people write them: "2 to 4, 7"."""
    runs: list[list[int]] = []
    for page in pages:
        if runs and page == runs[-1][-1] + 1:
            runs[-1].append(page)
        else:
            runs.append([page])
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)


def _plain(words: str) -> str:
    """The words in lower case, with numbers in digits."""
    text = " ".join(words.lower().split())
    text = re.sub(r"\b(?:cover|title|front) page", "first page", text)
    text = re.sub(rf"\b(?:{'|'.join(_NUMBERS)})\b", lambda match: _NUMBERS[match[0]], text)
    return _ORDINAL.sub(lambda match: match[1] or str(_ORDINALS.index(match[2]) + 1), text)


def _named(text: str, count: int) -> Iterator[tuple[int, range]]:
    """Where a text names pages, and which; what one pattern reads is blank for the next."""
    if odd := re.search(r"\b(odd|even|every (?:2|other|second))\b", text):
        yield 0, range(1 if odd[1] == "odd" else 2, count + 1, 2)
        return
    if re.search(r"\b(?:all|every|each)\b(?! (?:but|except|pages? (?:but|except)))", text) and not re.search(
        r"\d", text
    ):
        yield 0, range(1, count + 1)
        return
    rest = text
    for pattern, reader in ((_HALF, _of_half), (_BETWEEN, _of_range), (_RANGE, _of_range), (_AT_END, _of_end),
                            (_FROM, _of_start), (_UNTIL, _of_stop), (_SINGLE, _of_one)):  # fmt: skip
        for match in pattern.finditer(rest):
            yield match.start(), reader(match, count)
        rest = pattern.sub(lambda match: " " * len(match[0]), rest)


def _of_half(match: re.Match[str], count: int) -> range:
    middle = -(-count // 2)
    return range(1, middle + 1) if match[1] in ("first", "1st") else range(middle + 1, count + 1)


def _of_range(match: re.Match[str], count: int) -> range:
    first, last = int(match[1]), int(match[2]) if match[2].isdecimal() else count
    return range(first, last + 1) if first <= last else range(first, last - 1, -1)


def _of_end(match: re.Match[str], count: int) -> range:
    number = int(match[2] or 1)
    if number > count:
        return range(number, number + 1)  # which there is not
    is_last = match[1] in ("last", "final", "closing")
    return range(count - number + 1, count + 1) if is_last else range(1, number + 1)


def _of_start(match: re.Match[str], count: int) -> range:
    first = int(match[1]) + match[0].startswith(("after", "beyond"))
    return range(first, max(count, first) + 1)


def _of_stop(match: re.Match[str], count: int) -> range:
    last = int(match[1]) - match[0].startswith("before")
    return range(1, last + 1)


def _of_one(match: re.Match[str], count: int) -> range:
    return range(int(match[0]), int(match[0]) + 1)
