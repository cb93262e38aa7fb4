"""Questions that the words of a recording or text may answer: "Who was born in Warsaw according to speech.wav?".

The learned head knows few of them, and takes them for questions about the sound. Here a clause counts as one when it
begins as a question, names what it is about, and is neither about the sound nor about the file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hugginggpt.offline.clauses import Clause
from hugginggpt.results import Kind

_AUXILIARY = r"(?:is|are|was|were|did|does|do|has|have|had|can|could|will|would|should|must)\b"
_BEGINNING = re.compile(
    r"^\W*(?:(?:and|but|so|then|also|now|please|just)[\s,]+)*"
    r"(?P<told>(?:(?:can|could|would) you )?(?:please )?(?:tell (?:me|us)|find out|answer|explain|let me know|"
    r"i(?:['’]d| would) like to know|i want to know|do you know|i wonder)\b[\s,:]*)?"
    r"(?:(?:in|from|based on|according to|using|listen to) )?(?:(?:sound\.wav|notes\.txt)[\s,:–-]*)?"
    r"(?:(?:in|from|to|at|on|for|with|by|about|of|until|since) )?"
    rf"(?:(?P<plain>who|whom|whose)|(?P<clause>when|where|why)(?P<inverted>\s+{_AUXILIARY})?|what|which|how)\b",
    re.IGNORECASE,
)
_OF_THE_SOUND = re.compile(
    r"\b(?:sounds?(?!\.wav)|nois\w+|hear\w*|music\w*|songs?|s[iu]ng\w*|instruments?|genre|melody|speak(?:s|ing)?|speakers|spoken|"
    r"voices?|talk(?:s|ing)?|languages?|accent|emotion\w*|feel\w*|mood|tone|pitch|tempo|volume|animals?|birds?|dogs?|cats?|"
    r"bark\w*|(?:fe)?male|gender|record\w*|quality|loud\w*|background|happen\w*|laugh\w*|cry\w*|cries|cough\w*|shout\w*|"
    r"scream\w*|whisper\w*|r[iu]ng\w*|beep\w*|knock\w*|applau\w+|clap\w*|alarm|sirens?|engines?|rain|wind|thunder)\b|"
    r"\b(?:is|has|fits|does|was)\s+sound\.wav|sound\.wav(?:: \w+)? or\b",
    re.IGNORECASE,
)
_OF_WHAT_IS_TOLD = re.compile(
    r"\b(?i:(?:did|does|do)(?! (?:you|i|it|this|that)\b)|according to|as (?:said|told|heard|mentioned|stated)|costs?|time|date|day|year|"
    r"month|price|amount|address|number|city|country|company|street|reason|deadline|meeting|agenda|topic|plan|project|"
    r"budget|items?|steps)\b|(?<=[a-z,] )[A-Z][a-z]{2,}"
)
"""What must be in a question with "what", "which" or "how", which are asked about sounds, too."""
_AMONG = re.compile(r"\bwhich (?:one )?of\b|\bdifferen\w+|\bcompar\w+|\bbetween\b", re.IGNORECASE)
_NO_SUBJECT = frozenset(
    "are does did was were the and this that there for from with about can could you tell find out say says said please "
    "all name names named persons places cities answer question according their his her its they she him has have had "
    "will would many much long old speaker person people man woman who whom whose when where why what which how fail "
    "failed work works wrong sound wav notes txt text file".split()
)


def is_about_the_words(clause: Clause, clauses: Sequence[Clause], heard: bool) -> bool:
    """Whether a clause is a question that the words of a recording or text may answer.

    `heard` tells whether it would be put to the recording of a chat, where the request names no file.
    """
    begins = _BEGINNING.match(clause.text)
    if not begins or (begins["clause"] and not begins["told"] and not begins["inverted"]):
        return False  # "when you are done"
    if _NO_SUBJECT.issuperset(re.findall(r"\w{3,}", clause.text.lower())) or any(
        resource.kind == "text" and not resource.is_file and not resource.text.endswith("?")
        for resource in clause.resources
    ):
        return False  # a quoted text is what it is about
    kinds = _kinds(clause, clauses)
    if kinds == {"text"}:
        return not _AMONG.search(clause.text)
    if kinds != {"audio"} and not (heard and not kinds):
        return False
    plain = begins["plain"] or begins["clause"]
    told = plain or _OF_WHAT_IS_TOLD.search(clause.text)
    return bool(told) and not _OF_THE_SOUND.search(clause.text) and not _AMONG.search(clause.text)


def _kinds(clause: Clause, clauses: Sequence[Clause]) -> set[Kind | None]:
    """The kinds of the files that a clause names, else the clauses before it, else those after it."""
    near = [clause, *(other for other in reversed(clauses) if other.start < clause.start), *clauses]
    named = ({resource.kind for resource in other.resources if resource.is_file} for other in near)
    return next(filter(None, named), set())
