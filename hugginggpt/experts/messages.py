"""What a spoken or written message says as a whole: who it is from, and what is wanted of whom it is for.

"What does she want?" is answered by no single sentence: without its greeting and its goodbye the message itself tells,
of a long one the sentences with a wish, a time or a number.
"""

from __future__ import annotations

import re
from typing import Any

from hugginggpt.experts.sentences import sentences

SHORT_CHARS = 600
"""A message of so many characters is told as a whole."""
MAX_TOLD = 5
"""Of a longer one so many sentences are told."""
UNNAMED = "Nobody says a name there, so I cannot tell who it is."
MIN_WORDS = 3
"""So many words after a name make the sentence in which somebody names himself worth telling."""

_SUBJECT = (
    r"(?:he|she|they|it|this|that|[a-z][\w'.]*|(?:the|this|that|my|our|your|these|those|a|an|mr|mrs|ms|dr|aunt|"
    r"uncle)\.? "
    r"(?:[\w'.-]+ ){0,2}?[\w'.-]+)"
)
_FILLER = (
    r"(?:(?:me|us|you|him|her|to do|for me|from me|from us|of me|of us|with me|to me|to say|here|there|now|then|"
    r"exactly|please|pls|"
    r"(?:by|until|before) (?:when|tomorrow|tonight|[a-z]+day|next [a-z]+)|"
    r"about|for|(?:in|on|with) (?:it|there|(?:this|that|the|my|our|his|her) (?:[\w'-]+ ){0,2}?[\w'-]+))\W*)*"
)
_WANTED = re.compile(
    rf"\W*+(?:(?:and|so|ok|okay|well|please|tell me|hi|hello)\W+)*(?:"
    rf"what (?:does|do|did|would) {_SUBJECT} (?:want|need|say|ask|tell|have to say|like|expect)\b"
    rf"|what(?: is|'s| are| was|s) {_SUBJECT} (?:saying|telling|asking|wanting|calling|phoning|ringing|after|on|"
    rf"going on)\b"
    rf"|(?:why|what for) (?:is|was|did|does|has|are|were) {_SUBJECT} (?:call(?:ed|ing)?|r[ai]ng|ringing|"
    rf"phon(?:ed?|ing)|writ(?:e|ten|ing))\b"
    rf"|what(?: is|'s| was|s) (?:the|this|that) (?:call|voice ?mail|voice message|message|memo|note|"
    rf"recording) (?=about)"
    rf")\W*{_FILLER}\W*",
    re.IGNORECASE,
)
_FROM = re.compile(
    r"\W*+(?:(?:and|so|ok|okay|please|tell me|hi|hello)\W+)*who(?:'s|s)? ?(?:is|was|has|did)? ?"
    r"(?:(?:it|this|that|there|the (?:man|woman|caller|person|speaker|message|call|voicemail)) ?)?"
    r"(?:(?:that |who )?(?:is |was )?(?:just )?(?:called|calling|call|ringing|rang|ring|phoned|phoning|speaking|"
    r"talking|from|on the (?:phone|line|machine)|"
    r"left (?:me |us |it|this|that|the)(?: ?\w+){0,2}|sent|wrote|writing|writes) ?(?:me|us|up|here|there)? ?)?"
    r"(?:(?:in|on) (?:it|this|that|the|my)(?: \w+){0,2})?\W*",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"\b(?:(?i:this is|it['’]s|it is|here is|my name is|my name['’]s|i am|i['’]m|you['’]re speaking (?:to|with)) )"
    r"(?P<who>(?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b)(?:(?i:your |the |doctor |dr\.? |mister |mr\.? |"
    r"mrs\.? |miss |ms\.? ))*[A-Z][\w'’-]+(?: [A-Z][\w'’-]+){0,3}"
    r"(?:,? (?i:from|of|at|on|with) (?!(?:behalf|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b)"
    r"(?:(?i:the|your|our|my) )?[\w'’-]+(?: (?!(?i:here|calling|speaking|i|we|and|about)\b)[\w'’-]+){0,4})?)"
)
_SPEAKING = re.compile(r"\b(?:call|r[ai]ng|phon|speak|talk|on the|left)", re.IGNORECASE)
"""Words for who is heard, and not for whom a letter is from."""
_CALLED = re.compile(
    r"\b(?:this is|it['’]s|it is|here is) (?P<who>(?:the|your) (?:[\w'’-]+ ){0,3}(?:practice|surgery|office|"
    r"garage|workshop|school|"
    r"company|shop|store|hotel|bank|clinic|hospital|library|station|cent(?:re|er)|council|department|service|"
    r"restaurant|"
    r"bakery|church|club|landlord|landlady|plumber|dentist|doctor|vet|neighbou?r|nursery|pharmacy|secretary|"
    r"teacher)\b"
    r"(?: (?:of|at|in|from|on) (?:[\w'’-]+ ?){1,4})?)(?=[,.!;]|$)",
    re.IGNORECASE,
)
_NAMED_AFTER = re.compile(
    r"(?P<who>[A-Z][\w'’-]+(?: [A-Z][\w'’-]+){0,2}) (?i:here|speaking)(?:,? (?i:from) (?:(?i:the|"
    r"your) )?[\w'’-]+(?: [\w'’-]+){0,3})?(?=[,.!;]|$)"
)
_HEADER = re.compile(r"^(?:From|To|Cc|Date|Subject): .*$", re.MULTILINE)
"""The lines above an e-mail."""
_GREETING = re.compile(
    r"^\W*+(?:(?:hello|hi|hey|dear|good (?:morning|afternoon|evening|day)|greetings)\b[\s,.!]*+(?:(?:there|"
    r"again|everyone|all|both)\b[\s,.!]*+)?)+",
    re.IGNORECASE,
)
_ENDS, MAX_SENTENCES = re.compile(r"[.?!]+(?:\s|$)|,\s+(?=(?:who|what|why)\b)", re.IGNORECASE), 3
"""Of a question of more sentences one says too much to be about a message as a whole."""
_CLOSING = re.compile(
    r"\W*+(?:(?:ok(?:ay)?|right|well|so|and|many|kind|best|warm)\b\W*)*(?:thanks?(?: you)?|bye|goodbye|"
    r"good ?night|see you|speak soon|talk soon|cheers|"
    r"take care|love|regards|wishes|have a (?:nice|good|lovely))\b[^.!?]{0,40}[.!?]?\W*",
    re.IGNORECASE,
)
_TELLING = re.compile(
    r"\b(?:please|could you|can you|would you|will you|would like|want|need|must|have to|has to|should|don['’]t|"
    r"do not|bring|"
    r"call|ring|moved?|cancel\w*|postpone\w*|instead|appointment|ready|cost|price|pay|until|before|by|tomorrow|"
    r"today|tonight|"
    r"o['’]clock|half past|quarter|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b|\d",
    re.IGNORECASE,
)


def answer(question: str, text: str) -> dict[str, Any] | None:
    """What a message wants, or who it is from; None where the question asks for anything else, or for the sender of a
    message that does not say it.
    """
    asked = [part for part in _ENDS.split(" ".join(question.replace("’", "'").split())) if part.strip()]
    if not asked or len(asked) > MAX_SENTENCES:
        return None
    if any(_WANTED.fullmatch(part) for part in asked) or any(map(_is_asked_jointly, asked)):
        if _names_another(question, text):
            return None
        told = digest(text)
        return {"answer": told} if told else None
    if len(asked) != 1 or not _FROM.fullmatch(asked[0]):
        return None
    if who := sender(text):
        return {"answer": f"{who}."}
    return {"answer": UNNAMED, "found": False} if _SPEAKING.search(asked[0]) else None


def _names_another(question: str, text: str) -> bool:
    """Whether a question is about somebody whom a message names, and who did not write it: "what does Jenny need?"."""
    who = sender(text)
    body = [line for line in _HEADER.sub("", text).splitlines() if line.strip()]
    names = re.findall(r"(?<=\s)[A-Z][a-z]+\b", question)
    return any(name not in who and re.search(rf"\b{name}\b (?!here)\w", "\n".join(body[:-1])) for name in names)


def asks(question: str) -> bool:
    """Whether a question is what somebody wants, or who it is."""
    asked = [part for part in _ENDS.split(" ".join(question.replace("’", "'").split())) if part.strip()]
    return any(_WANTED.fullmatch(part) or _FROM.fullmatch(part) or _is_asked_jointly(part) for part in asked)


def _is_asked_jointly(sentence: str) -> bool:
    """Whether a question is who it is and what they want."""
    parts = re.split(r",? and ", sentence, maxsplit=1)
    return len(parts) == 2 and bool(
        (_FROM.fullmatch(parts[0]) and _WANTED.fullmatch(parts[1]))
        or (_WANTED.fullmatch(parts[0]) and _FROM.fullmatch(parts[1]))
    )


def sender(text: str) -> str:
    """How somebody names himself at the beginning or the end of a message: "Martha from Doctor Hale's practice"; ""
    where nobody does.
    """
    if written := re.search(r"^From: ([^<\n]*[^<\s])", text, re.MULTILINE):
        return written[1].strip('" ')
    found = sentences(text)
    for sentence in dict.fromkeys((*found[:2], *found[-1:])):
        if match := _NAMED.search(sentence) or _CALLED.search(sentence) or _NAMED_AFTER.search(sentence):
            who = match["who"].strip(" ,")
            return f"{who[:1].upper()}{who[1:]}"
    return ""


def digest(text: str) -> str:
    """A message without its greeting and goodbye, behind who it is from; of a long one the sentences that ask for
    something, or say when or how much.
    """
    who = sender(text)
    told = [_without_greeting(sentence, who) for sentence in sentences(_HEADER.sub("", text))]
    told = [sentence for sentence in told if sentence and not _CLOSING.fullmatch(sentence)]
    if sum(map(len, told)) > SHORT_CHARS:
        told = ([sentence for sentence in told if _TELLING.search(sentence)] or told)[:MAX_TOLD]
    quoted = f"“{' '.join(told)}”" if told else ""
    return f"{who}: {quoted}" if who and quoted else who or quoted


def _without_greeting(sentence: str, who: str) -> str:
    """A sentence without its greeting; "" where it only says a name beside it."""
    rest = _GREETING.sub("", sentence).strip()
    if who and who.lower() in rest.lower():
        after = rest[rest.lower().index(who.lower()) + len(who) :].strip(" ,.!")
        if len(re.findall(r"\w+", after)) < MIN_WORDS:
            return ""
        return f"{after[:1].upper()}{after[1:]}{'' if after.endswith(('?', '!')) else '.'}"
    return f"{rest[:1].upper()}{rest[1:]}" if re.search(r"\w", rest) else ""
