"""Questions that a text answers by its form: on which page something stands, who signed, who was absent, and the tasks
of somebody in a table. What is found is given letter for letter; where nothing is, no guess takes its place.
"""

from __future__ import annotations

import re
from typing import Any

from hugginggpt.core.documents import DocumentText
from hugginggpt.core.quantities import TIME, seconds
from hugginggpt.experts import absent, contacts, reading
from hugginggpt.experts.sentences import sentences
from hugginggpt.experts.word_likeness import stems_of

_NAMED_THING = re.compile(
    r"\W*+(?:(?:and|so|ok|please|hi|hello)\W+)*(?:what(?:['’]?s| is| was)|tell me|give me) (?:the|my|our|your) "
    r"(?P<thing>(?:[\w-]+ )?[a-z][\w-]+)(?: (?:for|of|to) (?:the|my|our|your|a) (?P<of>[\w -]{2,40}))?(?=[?.!,;]|$)",
    re.IGNORECASE,
)
_CODES = frozenset(["code", "password", "pin", "number"])
_LIGHT = stems_of("the a of for to my our your")
_PAGE_OF = re.compile(
    r"\W*+(?:and )?(?:(?:on|in) )?(?:which|what) (?P<unit>page|slide|chapter)s? "
    r"(?:(?:of|in|from) (?:[\w'’-]+ ){1,4}?)?(?:(?:mentions?|talks? about|"
    r"speaks? of|is about|deals? with|covers?|discuss(?:es)?|shows?|lists?|names?|"
    r"says? (?:something|anything) about)|(?:is|are|do i find|can i find|does it (?:mention|talk about))) "
    r"(?:the |an? |any )?(?P<topic>[\w' -]{2,60}?)(?: (?:mentioned|discussed|listed|named|described|shown))?\W*",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"\W*+(?:and )?(?:(?:on|in) )?(?:which|what) (?P<unit>page|slide|chapter)s? "
    r"(?:(?:is|are|does|do|did|can|could|has|have|says?|tells?|explains?|it)\b ?)?(?P<topic>[^?]{3,120})\??\s*",
    re.IGNORECASE,
)
_PART = re.compile(
    r"\b(?:the|that) (?:bit|part|section|rule|clause|paragraph|thing|passage)s? (?:about|on|for|with)\b", re.IGNORECASE
)
"""How a question names a part of a text by what it is about."""
_POINTING = frozenset(["it", "that", "this", "they", "them", "he", "she"])
_LETTER = r"(?:it|(?:this|that|the)(?: (?:letter|note|message|e-?mail|mail|card|invitation|text))?)"
_SIGNED = re.compile(
    rf"\W*+(?:by whom (?:was|is) {_LETTER} (?:signed|written|sent)|"
    rf"who(?: has|'s)? ?(?:signed|wrote|written|sent)(?: {_LETTER})?|"
    rf"whose signature is (?:on|under|below|at the end of) {_LETTER})\W*",
    re.IGNORECASE,
)
_WORK = r"(?:it|(?:this|that|the)(?: (?:book|novel|story|e-?book|poem|play|tale|text|article|essay|report|paper))?)"
_AUTHOR_OF = re.compile(
    rf"\W*+(?:and )?(?:who(?: has|'s)? ?(?:wrote|written) {_WORK}|by whom (?:is|was) {_WORK}(?: written)?|"
    rf"who is {_WORK} (?:written )?by|(?:who(?:'s|s| is| was)? )?(?:the )?(?:author|writer)(?: of {_WORK})?)\W*",
    re.IGNORECASE,
)
_TITLE_OF = re.compile(
    rf"\W*+(?:and )?(?:what(?:'s|s| is)? (?:the )?(?:title|name) of {_WORK}|what is {_WORK} called|"
    rf"(?:the )?title(?: of {_WORK})?)\W*",
    re.IGNORECASE,
)
_AUTHOR = re.compile(
    r"^[^\w\n]*+(?i:author|(?:a \w+ )?(?:written )?by)\s*:?\s+(?P<name>[A-Z][^\n.!?\d]{2,60}?)\s*$", re.MULTILINE
)
_TITLE = re.compile(r"^[^\w\n]*+title\s*:\s+(?P<name>[^\n]{2,120}?)\s*$", re.IGNORECASE | re.MULTILINE)
MAX_TITLE_PAGE = 600
"""The title and the author of a text stand in so many of its first characters."""
_AT_TIME = re.compile(
    rf"\b(?:said|says?|spoken|speaks?|heard|lines?|subtitles?|words?)\b.*\b(?:at|around|about) (?P<time>{TIME})",
    re.IGNORECASE,
)
_PHONE_OF = re.compile(
    r"\W*+(?:(?:and|so|ok|then)\W+)*(?:what(?:['’]?s| is) |give me |gimme |tell me )?(?:(?:his|her|their) "
    r"(?:(?:tele)?phone |mobile |cell )?|the (?:(?:tele)?phone |mobile |cell ))number\W*(?:please\W*)?",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"^\W*+(?:yours (?:sincerely|faithfully|truly)|sincerely(?: yours)?|"
    r"(?:kind|best|warm|with kind|with best) (?:regards|wishes)|regards|"
    r"respectfully|cordially)\W*\n+\s*(?P<name>[^\W\d_][^\n@\d]{2,48}?)\s*$",
    re.IGNORECASE | re.MULTILINE,
)
_ABSENT = re.compile(
    r"\W*+who (?:(?:was|were|is|has been|had|did|could|can)(?:n'?t| ?not)? ?)?(?:able to |to )?"
    r"(?P<how>missing|absent|excused|away|there|present|attend(?:ed)?|come|at the \w+|make it|be there|turn up|"
    r"sent (?:his |her |their )?apologies|apologi[sz]ed)\b"
    r"(?: (?:at |from |in )?(?:it|this|that|the)(?: \w+){0,2})?\W*",
    re.IGNORECASE,
)
_LABELS = {
    True: re.compile(
        r"\b(?:Apologies(?: for absence| from)?|Absent|Absentees|Excused|Not (?:present|there|here)|"
        r"Sorry not to come)\s*:\s*(?P<names>[^\n.]+)"
    ),
    False: re.compile(r"\b(?<!Not )(?:Present|Attendees|Attending|In attendance)\s*:\s*(?P<names>[^\n.]+)"),
}
_TO_DO = re.compile(
    r"\b(?:"
    r"(?:have|has|need|needs|supposed|going|got|meant) to do|tasks?|to-?dos?|responsible for|"
    r"must\b.* do|should\b.* do)\b",
    re.IGNORECASE,
)
_WHO = frozenset(["who", "owner", "person", "responsible", "name", "assigned", "assignee", "by whom", "lead", "member"])
_TASKS = frozenset(["task", "tasks", "action", "actions", "todo", "what", "duty", "duties", "to do", "action item"])


def answer(question: str, text: str) -> dict[str, Any] | None:
    """What the form of a text tells; None where the question asks for anything else, or the text has no such form."""
    question = " ".join(question.split())
    return (
        _page_of(question, text)
        or _phone(question, text)
        or _at_time(question, text)
        or _author(question, text)
        or _signer(question, text)
        or _attendance(question, text)
        or _tasks(question, text)
    )


def named_outright(question: str, text: str) -> dict[str, Any] | None:
    """The sentence that says what "the code" or "the rent" is, in so many words, where a question asks for it and one
    sentence alone does; None for any other question.
    """
    asked = _NAMED_THING.match(question)
    if asked is None:
        return None
    of_it = stems_of(asked["of"] or "") - _LIGHT
    if not of_it <= stems_of(text):
        return None
    told = re.compile(
        rf"\b(?:the|my|our|your)(?: [\w-]+)? {re.escape(asked['thing'])} (?:is|was|will be) (?!not\b)", re.IGNORECASE
    )
    saying = [one for one in sentences(text) if told.search(one)]
    most = max((len(of_it & stems_of(one)) for one in saying), default=0)
    best = [one for one in saying if len(of_it & stems_of(one)) == most]
    is_code = asked["thing"].lower() in _CODES
    return {"answer": best[0]} if len(best) == 1 and (not is_code or re.search(r"\d", best[0])) else None


def _page_of(question: str, text: str) -> dict[str, Any] | None:
    if not isinstance(text, DocumentText):
        return None
    asked = _PAGE_OF.fullmatch(_PART.sub("", question).replace("  ", " "))
    if not asked or asked["topic"].lower() in _POINTING:
        return _page_by_meaning(question, text)
    unit = asked["unit"].lower()
    parts = [part for part in text.parts if part.unit == unit]
    if not parts:
        return None
    words = stems_of(asked["topic"])
    titled = [part for part in parts if words <= stems_of(_title(part.text))]
    holding = titled or [part for part in parts if words <= stems_of(part.text)]
    if not holding and (near := _page_by_meaning(question, text)):
        return near
    if not holding:
        return {"answer": f"I do not find “{asked['topic']}” on any {unit}.", "found": False}
    lines = [next((line for line in part.text.splitlines() if words <= stems_of(line)), "") for part in holding[:5]]
    quoted = [f": “{line.strip()}”" if line else "" for line in lines]
    told = [f"{_called(unit, part.name)}{quote}" for part, quote in zip(holding, quoted, strict=False)]
    return {"answer": "; ".join(told)}


def _title(text: str) -> str:
    """The first line of a page or slide."""
    return next(filter(None, map(str.strip, text.splitlines())), "")


def _page_by_meaning(question: str, text: DocumentText) -> dict[str, Any] | None:
    """The page of the sentence that says what a question asks the page of, where one does so likely enough."""
    asked = _SAYS.fullmatch(_PART.sub("", question))
    if not asked or _POINTING & set(asked["topic"].lower().split()[-1:]):
        return None
    read = reading.answer(f"{asked['topic']}?", text)
    sentence = str(read.get("closest") or read["answer"]).split(" / ")[0]
    places = [place for place in text.places([sentence]) if place["unit"] == asked["unit"].lower()]
    if "score" not in read or not places:
        return None
    return {"answer": f"{_called(asked['unit'].lower(), places[0]['name'])}: “{sentence}”"}


def _called(unit: str, name: str) -> str:
    """What a part of a document is called: "Page 3", "Chapter 2: The Lock"."""
    return name if name.lower().startswith(unit) else f"{unit.capitalize()} {name}"


def _phone(question: str, text: str) -> dict[str, Any] | None:
    """That a text has no telephone number, or its only one, where that of somebody is asked for."""
    if not _PHONE_OF.fullmatch(question):
        return None
    numbers = contacts.found(contacts.PHONE, text)
    if not numbers and not absent.has_phone(text):
        return {"answer": absent.NO_PHONE, "absent": True}
    return {"answer": numbers[0]} if len(numbers) == 1 else None


def _at_time(question: str, text: str) -> dict[str, Any] | None:
    """What is said at a second, of a transcript or of subtitles."""
    if not isinstance(text, DocumentText) or not (asked := _AT_TIME.search(question)):
        return None
    second = seconds(asked["time"])
    timed = [(start, part) for part in text.parts if part.unit == "time" and (start := seconds(part.name)) is not None]
    before = [part for start, part in timed if second is not None and start <= second]
    return {"answer": before[-1].text} if before else None


def _author(question: str, text: str) -> dict[str, Any] | None:
    """Who wrote a text, or what it is called, where it says so at its beginning."""
    for asked, form in ((_AUTHOR_OF, _AUTHOR), (_TITLE_OF, _TITLE)):
        if asked.fullmatch(question) and (told := form.search(text[:MAX_TITLE_PAGE])):
            return {"answer": told["name"]}
    return None


def _signer(question: str, text: str) -> dict[str, Any] | None:
    names = (
        list(dict.fromkeys(match["name"] for match in _CLOSING.finditer(text))) if _SIGNED.fullmatch(question) else []
    )
    return {"answer": names[0]} if len(names) == 1 else None


def _attendance(question: str, text: str) -> dict[str, Any] | None:
    asked = _ABSENT.fullmatch(question)
    if not asked:
        return None
    negated = re.search(r"\b(?:was|were|is|had|did|could|ca)n'?t\b|not\b", question) is not None
    is_absence = asked["how"].lower() in ("missing", "absent", "excused", "away") or "apolog" in asked["how"].lower()
    found = [match["names"].strip() for match in _LABELS[is_absence != negated].finditer(text)]
    return {"answer": found[0]} if len(found) == 1 else None


def _tasks(question: str, text: str) -> dict[str, Any] | None:
    """The rows of somebody in a document's table of tasks."""
    if not isinstance(text, DocumentText) or not _TO_DO.search(question):
        return None
    said = " ".join(re.findall(r"\w+", question.casefold()))
    spoken = f" {said} "
    told = []
    for table in text.tables:
        header, *rows = table.rows or ((),)
        if not _TASKS & {name.casefold().strip() for name in header}:
            continue
        for row in rows:
            if any(_is_said(cell, name, spoken) for name, cell in zip(header, row, strict=False)):
                told.append(", ".join(f"{name}: {cell}" for name, cell in zip(header, row, strict=False)))
    return {"answer": "; ".join(told)} if told else None


def _is_said(cell: str, column: str, spoken: str) -> bool:
    """Whether a cell names a person who is spoken of, in a column of persons also by a part of the name."""
    if not is_name(cell):
        return False
    is_of_persons = column.casefold().strip() in _WHO
    names = [cell, *cell.split()] if is_of_persons else [cell] * (len(cell.split()) > 1)
    return any(f" {name.casefold()} " in spoken for name in names if len(name) > 1)


def is_name(cell: str) -> bool:
    """Whether a cell may be the name of a person."""
    return all(word[:1].isupper() for word in cell.split()) and not re.search(r"\d", cell)
