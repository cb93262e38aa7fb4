"""Chats and e-mails as messages: who wrote, how many, the first and the last, and who comes and who does not.

Read by their form: the lines of an exported chat ("[12.11.2026 18:02] Nina: ..."), or the heads of e-mails. What
somebody says of coming is told by words (data/experts/attendance_words.txt), and quoted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from hugginggpt.common import word_lists
from hugginggpt.common.paths import EXPERTS_DATA

MIN_MESSAGES, MIN_SPEAKERS = 3, 2
"""Lines with names before a colon are a chat from so many on, by so many people."""
MAX_NAME_WORDS = 4
MAX_TOLD = 10
_SPOKEN, _CHINESE = re.compile(r"[^\W_]+(?:'[^\W_]+)?"), re.compile(r"[\u3400-\u9fff]")
_CLOCK = r"\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:\s?[ap]\.?m\.?)?"
_DAY = r"\d{1,4}[./-]\d{1,2}[./-]\d{2,4}"
_STAMP = rf"(?:{_DAY}(?:,?\s|T){{1,2}}{_CLOCK}|{_DAY}|{_CLOCK})"
_NAME = r"(?P<name>[^\W\d_][^\n:\[\]<>|]{0,40})"
_STAMPED = re.compile(
    rf"[\u200e\s]*[\[(]?(?P<stamp>{_STAMP})[\])]?\s*[-–—|]?\s*{_NAME}:\s+(?P<text>\S.*)", re.IGNORECASE
)
_STAMPED_BEHIND = re.compile(rf"\s*{_NAME}\s*[\[(,]\s*(?P<stamp>{_STAMP})\s*[\])]?\s*:\s+(?P<text>\S.*)", re.IGNORECASE)
_PLAIN = re.compile(r"(?P<stamp>)\s*(?P<name>[^\W\d_][\w.'’-]*(?: [\w.'’-]+){0,2}):\s+(?P<text>\S.*)")
_HEAD = re.compile(
    r"^(?P<key>From|To|Date|Sent|Subject|Von|An|Datum|Betreff|De|Para|À|Asunto|Objet|Fecha):\s*(?P<value>.+)$", re.I
)
_SENDER, _SENT = frozenset(("from", "von", "de")), frozenset(("date", "sent", "datum", "fecha"))


@dataclass(frozen=True, slots=True)
class Message:
    """What somebody wrote, with the day and time as they stand there ("" where they do not)."""

    name: str
    text: str
    stamp: str = ""

    @property
    def quoted(self) -> str:
        return f"{self.name}: “{self.text}”"


@lru_cache(8)
def messages(text: str) -> tuple[Message, ...]:
    """The messages of a chat or of e-mails, in order; none of any other text."""
    return tuple(_chat(text) or _mails(text))


def without_stamps(text: str) -> str:
    """A chat without the days and times of its messages, which answer no question about what they say."""
    found = _chat(text)
    return "\n".join(f"{one.name}: {one.text}" for one in found) if any(one.stamp for one in found) else text


def _chat(text: str) -> list[Message]:
    lines = [line for line in text.splitlines() if line.strip()]
    forms: tuple[re.Pattern[str], ...] = (_STAMPED, _STAMPED_BEHIND, _PLAIN)
    for form in forms:
        found: list[Message] = []
        strays = 0
        for line in lines:
            match = form.fullmatch(line)
            if match and len(match["name"].split()) <= MAX_NAME_WORDS:
                found.append(Message(match["name"].strip(), match["text"].strip(), match["stamp"]))
            elif found and form is not _PLAIN:
                found[-1] = Message(found[-1].name, f"{found[-1].text} {line.strip()}", found[-1].stamp)
            else:
                strays += 1
        names = Counter(one.name for one in found)
        is_chat = len(found) >= MIN_MESSAGES and len(names) >= MIN_SPEAKERS
        is_talk = form is not _PLAIN or (not strays and len(found) >= 2 * len(names) - 1 and max(names.values()) > 1)
        if is_chat and is_talk and strays <= len(found):
            return found
    return []


def _mails(text: str) -> list[Message]:
    found: list[Message] = []
    head: dict[str, str] = {}
    body: list[str] = []
    for line in [*text.splitlines(), "From: "]:
        match = _HEAD.match(line)
        key = match["key"].lower() if match else ""
        if (key in _SENDER and (body or not head)) or line == "From: ":
            if head:
                found.append(_mail(head, body))
            head, body = {}, []
        if match and not body:
            head[key] = match["value"].strip()
        elif head and line.strip():
            body.append(line.strip())
    return [one for one in found if one.name]


def _mail(head: Mapping[str, str], body: Sequence[str]) -> Message:
    name = next((value for key, value in head.items() if key in _SENDER), "")
    stamp = next((value for key, value in head.items() if key in _SENT), "")
    return Message(re.sub(r"\s*<[^>]*>", "", name).strip(' "'), " ".join(body), stamp)


# questions

_MESSAGE = (
    r"(?:messages?|msgs?|texts|posts?|comments?|e-?mails?|mails?|lines|nachrichten?|beiträge|"
    r"mensajes?|correos?|条?消息|条?信息)"
)
_COUNT = re.compile(
    rf"\b(?:how many|number of|count (?:the|all)?|wie ?viele|combien de|cuántos) ?{_MESSAGE}\b|几条|多少条|"
    r"\b(?:how often|how many times|wie oft|combien de fois|cuántas veces) (?:did|has|hat|a|"
    r"ha) (?:\w+ ){1,3}?(?:write|written|post|text|geschrieben|écrit|escrito)",
    re.IGNORECASE,
)
_MOST = re.compile(
    rf"\bwho\b.*\b(?:most|more)\b(?: {_MESSAGE})?|\bwer\b.*\bam meisten\b|\bqui\b.*\ble plus\b|\bquién\b.*\bmás\b",
    re.IGNORECASE,
)
_WRITES = re.compile(
    r"\b(?:write|wrote|written|writes|post(?:ed)?|text(?:ed)?|sen[dt]|messages?|talk(?:s|ed)?|geschrieben|schreibt|"
    r"schrieb|écrit|escrib\w+|escrito)\b",
    re.IGNORECASE,
)
_PEOPLE = re.compile(
    r"\W*+(?:who (?:all )?(?:is|are|was|were|takes? part|took part|writes?|wrote|talks?|posted|chats?)(?: (?:in|"
    r"writing|talking|on|here|there|all|part|this|the|chat|group|conversation|to|each|other|messages?|it)){0,6}|"
    r"(?:which|what) people (?:write|wrote|"
    r"are) (?:in|here).*|"
    r"wer (?:ist|schreibt|hat) (?:alles |hier |in ){0,2}(?:diesem |dem )?(?:chat|gruppe|geschrieben|hier|mit)?)\W*",
    re.IGNORECASE,
)
_END = re.compile(
    r"\b(?P<first>first|earliest|erste|premier|première|primer|primero)\b|\b(?P<last>last|latest|newest|most recent|"
    r"letzte|dernier|dernière|"
    r"último)\b",
    re.IGNORECASE,
)
_ENDED = re.compile(rf"{_MESSAGE}\b|\b(?:write|wrote|say|said|text|texted)\b|\b(?:thing|one|to write)\b", re.IGNORECASE)
_ATTENDING = re.compile(
    r"\b(?:who|which (?:of them|people|ones|friends|guests)|how many(?= (?:people|of them|persons|are|"
    r"will|can|guests|friends|kids|children|adults|members|players|colleagues)\b)|wer|wie ?viele|qui|"
    r"quién(?:es)?)\b|谁",
    re.IGNORECASE,
)


def answer(question: str, text: str) -> dict[str, Any] | None:
    """What the form of a chat or of e-mails tells; None of any other question or text."""
    if not asked_for(question):
        return None
    found = messages(text)
    if not found:
        return None
    own = _named(question, found)
    if _COUNT.search(question):
        return _counted(own, found)
    if _MOST.search(question) and _WRITES.search(question):
        return _most(found)
    if _PEOPLE.fullmatch(question):
        names = list(dict.fromkeys(one.name for one in found))
        return {"answer": f"{len(names)} {'person writes' if len(names) == 1 else 'people write'}: {', '.join(names)}."}
    if _is_of_coming(question):
        is_of_several = len({one.name for one in found}) > 1  # a single letter tells who comes in its sentences
        return _coming(question, found) if is_of_several else None
    return _at_end(question, own, found)


def asked_for(question: str) -> bool:
    """Whether words ask what the form of messages tells."""
    return bool(
        _COUNT.search(question)
        or (_MOST.search(question) and _WRITES.search(question))
        or _PEOPLE.fullmatch(question)
        or (_END.search(question) and _ENDED.search(question))
        or _is_of_coming(question)
    )


def _named(question: str, found: Sequence[Message]) -> list[Message]:
    """The messages of those whom the words name; none where they name nobody."""
    words = set(re.findall(r"\w+", question.casefold()))
    possessive = {word.removesuffix("s") for word in words}
    return [one for one in found if set(re.findall(r"\w{2,}", one.name.casefold())) & (words | possessive)]


def _counted(own: Sequence[Message], found: Sequence[Message]) -> dict[str, Any]:
    told = Counter(one.name for one in found)
    if own:
        names = dict.fromkeys(one.name for one in own)
        return {"answer": "; ".join(f"{name} wrote {_number(told[name])}" for name in names) + "."}
    each = ", ".join(f"{name} {number}" for name, number in told.most_common(MAX_TOLD))
    return {"answer": f"{_number(len(found))}: {each}."}


def _number(count: int) -> str:
    return f"{count} message{'' if count == 1 else 's'}"


def _most(found: Sequence[Message]) -> dict[str, Any]:
    told = Counter(one.name for one in found).most_common()
    names = [name for name, number in told if number == told[0][1]]
    others = (
        f"; {', '.join(f'{name} {number}' for name, number in told[len(names) : MAX_TOLD])}"
        if told[len(names) :]
        else ""
    )
    each = " each" if len(names) > 1 else ""
    return {"answer": f"{' and '.join(names)}, with {_number(told[0][1])}{each}{others}."}


def _at_end(question: str, own: Sequence[Message], found: Sequence[Message]) -> dict[str, Any]:
    match = _END.search(question)
    one = (own or found)[0 if match and match["first"] else -1]
    when = f" ({one.stamp})" if one.stamp else ""
    return {"answer": f"{one.quoted}{when}"}


# who comes

_WEAK = {"regrets": "no", "agrees": "yes"}
"""What a mere "sorry" or "yes" says, where nothing plainer is said."""


@cache
def _words() -> dict[str, tuple[str, ...]]:
    return word_lists.lists(EXPERTS_DATA / "attendance_words.txt")


def _holds(text: str, kind: str) -> bool:
    spoken = " ".join(_SPOKEN.findall(text.lower().replace("’", "'")))
    return any(word in text if _CHINESE.match(word) else f" {word} " in f" {spoken} " for word in _words()[kind])


def _is_of_coming(question: str) -> bool:
    return bool(_ATTENDING.search(question)) and _holds(question, "asked") and not _holds(question, "other")


def _coming(question: str, found: Sequence[Message]) -> dict[str, Any] | None:
    """Who says that they come, or do not, by the last of their messages that says anything of it."""
    said: dict[str, tuple[str, Message]] = {}
    for one in found:
        is_asking = one.text.rstrip().endswith(("?", "？")) and not re.search(r"[.!,;]", one.text.rstrip()[:-1])
        kind = "" if is_asking else _stance(one.text)
        if kind in _WEAK and one.name in said:
            continue  # "yes" may answer anything
        if kind:
            said[one.name] = _WEAK.get(kind, kind), one
    wanted = "no" if _holds(question, "negated") else "yes"
    told = [one for kind, one in said.values() if kind == wanted]
    unsure = [one for kind, one in said.values() if kind == "unsure"]
    silent = [name for name in dict.fromkeys(one.name for one in found) if name not in said]
    lines = [one.quoted for one in told] or [
        "Nobody writes that they do not come." if wanted == "no" else "Nobody writes that they come."
    ]
    if re.search(r"\bhow many\b|\bwie ?viele\b", question, re.IGNORECASE) and told:
        lines.insert(0, f"{len(told)}:")
    lines += [f"Not sure yet: {one.quoted}" for one in unsure]
    lines += [f"Says nothing of it: {', '.join(silent)}"] if silent and wanted == "yes" else []
    return {"answer": "\n".join(lines)} if said else None


def _stance(text: str) -> str:
    """ "yes", "no" or "unsure" by what a message says of coming, "regrets" or "agrees" by a mere word, or ""."""
    if _holds(text, "eager"):
        return "yes"
    return next((kind for kind in ("unsure", "no", "yes", "regrets", "agrees") if _holds(text, kind)), "")
