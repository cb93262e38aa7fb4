"""What the program says of itself: whether it needs the internet or a key, what it reads, what it can do.

Which topic a question is about, its words tell (data/planner/about_program.txt, also in other languages); a question
about several is answered on each, in its order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from hugginggpt.common import word_lists
from hugginggpt.common.paths import PLANNER_DATA

ABLE = "able"
"""The topic of a question for everything that can be done."""
INTRODUCTION = "I am JARVIS (HuggingGPT), a program that hands your requests to expert models."
_ABILITIES: Mapping[str, str] = {
    "pictures": "tell what is on a picture, count and find objects in it, read the text in it, crop, resize, change and join "
    "pictures",
    "recordings": "write down what is said in a recording, answer questions about it, cut it, make it louder, remove noise, "
    "convert it and make subtitles",
    "videos": "write down what is said in a video, tell what is to be seen and when, cut it, take still pictures and the "
    "sound from it, make it faster or slower, and make subtitles and GIFs",
    "documents": "answer questions from a document, summarise and compare documents, save them as PDF, Word or text, join "
    "PDFs and take pages from them",
    "tables": "add up, average, filter, sort and change a table, draw charts of it, and save it as Excel, CSV or PDF",
}
ABILITIES = (
    "I can, for example, tell what is on a picture, count and find objects in it, read the text in it, crop, resize, "
    "change and join pictures; write down what a recording or a video says, answer questions about it, cut it, make it "
    "louder and remove noise; answer questions from documents and tables, summarise, compare and convert them, and draw "
    "charts. Attach a file or name it, such as /examples/a.jpg, and ask in your own words."
)
KINDS = (
    "I read pictures (JPEG, PNG, GIF, WebP and others), recordings (MP3, WAV, M4A, OGG, …), videos (MP4, MOV, …), "
    "documents (PDF, Word, PowerPoint, OpenDocument, EPUB, HTML, e-mails, plain text) and tables (Excel, CSV, "
    "OpenDocument, JSON)."
)
OFFLINE = (
    "No internet, account or key is needed, it costs nothing, and, unless a key or a server is set up, nothing leaves "
    "this computer: the experts run on it. A key is needed only for what they cannot do, such as painting a picture from a description."
)
ONLINE = "What I plan and answer goes through the language model that is set up here."
_SAID: Mapping[str, str] = {
    "kinds": KINDS,
    "languages": "I understand English best, and the usual requests in German, French, Spanish and Chinese; I answer in English.",
    "person": "I am a program, not a person.",
    "saved": "What I make is stored in the public folder of this program; the answer names each file.",
}


_ADDRESSED = re.compile(
    r"\b(?:you|your|u|ur|us(?:e|ing) (?:this|it)|this (?:program|app|tool|thing|software|site|page)|"
    r"is (?:it|this)|my (?:photos?|pictures?|files?|data|documents?|recordings?))\b",
    re.IGNORECASE,
)


_CAN = re.compile(
    r"\bwhat(?: \w+)? (?:can|could) (?:you|u|this (?:program|app|thing)) (?:do|handle|read)\b|"
    r"\b(?:can|could|does|do) (?:it|you|u|this|the (?:program|app|tool)) (?:also )?(?:read|open|handle|take|accept|understand) "
    r"(?:\w+ ){0,3}?(?:word|excel|pdf|powerpoint|heic|mp3|csv|office)\b",
    re.IGNORECASE,
)


def asks_abilities(text: str) -> bool:
    """Whether a question is what the program can do or read."""
    return bool(_CAN.search(text))


def is_asked(text: str) -> bool:
    """Whether a question without a file is what the program can do, whether it needs the internet or a key, or what it
    costs.
    """
    is_offline = bool(_ADDRESSED.search(text)) and bool(_topics()["offline"].search(text.lower()))
    return is_offline or asks_abilities(text)


def about(text: str, offline: bool) -> str:
    """What is said to a question about the program; "" for one that asks for everything, or for nothing known.

    `offline`: it runs without a language model.
    """
    lower = text.lower().replace("’", "'")
    if asks_abilities(lower) and (named := [kind for kind in _ABILITIES if _topics()[kind].search(lower)]):
        return " ".join(f"With {kind} I can {_ABILITIES[kind]}." for kind in named)
    found = {topic: match.start() for topic in (*_SAID, "offline") if (match := _topics()[topic].search(lower))}
    said = [_SAID.get(topic) or (OFFLINE if offline else ONLINE) for topic in sorted(found, key=found.__getitem__)]
    return " ".join(said)


@cache
def _topics() -> Mapping[str, re.Pattern[str]]:
    """The words of each topic; those of a script without blanks stand anywhere."""
    found = {}
    for topic, lines in word_lists.sections(PLANNER_DATA / "about_program.txt").items():
        words = (word.strip() for word in ", ".join(lines).split(","))
        found[topic] = re.compile(
            "|".join(word if ord(word[0]) > 0x2FFF else rf"\b{re.escape(word)}\b" for word in words if word)
        )
    return found
