"""Questions about the content of a recording or text: "Who was born in Warsaw according to speech.wav?".

The learned head has seen few of them and confuses them with questions about the sound. Here a clause counts as one if
it begins like a question, has a subject, and is neither about the sound nor about the file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hugginggpt.core.results import Kind
from hugginggpt.media.references import Resource
from hugginggpt.offline.clauses import Clause

_AUXILIARY = r"(?:is|are|was|were|did|does|do|has|have|had|can|could|will|would|should|must)\b"
_BEGINNING = re.compile(
    r"^\W*(?:(?:and|but|so|then|also|now|please|just)[\s,]+)*"
    r"(?P<lead>(?:(?:can|could|would) you )?(?:please )?(?:tell (?:me|us)|find out|answer|explain|let me know|"
    r"i(?:['’]d| would) like to know|i want to know|do you know|i wonder)\b[\s,:]*)?"
    r"(?:(?:in|from|based on|according to|using|listen to) )?(?:(?:sound\.wav|notes\.txt)[\s,:–-]*)?"
    r"(?:(?:in|from|to|at|on|for|with|by|about|of|until|since) )?"
    rf"(?:(?P<plain>who|whom|whose)|(?P<clause>when|where|why)(?P<inverted>\s+{_AUXILIARY})?|what|which|how)\b",
    re.IGNORECASE,
)
_ABOUT_SOUND = re.compile(
    r"\b(?:sounds?(?!\.wav)|nois\w+|hear\w*|music\w*|songs?|s[iu]ng\w*|instruments?|genre|melody|speak(?:s|ing)?|speakers|spoken|"
    r"voices?|talk(?:s|ing)?|languages?|accent|emotion\w*|feel\w*|mood|tone|pitch|tempo|volume|animals?|birds?|dogs?|cats?|"
    r"bark\w*|(?:fe)?male|gender|record\w*|quality|loud\w*|background|happen\w*|laugh\w*|cry\w*|cries|cough\w*|shout\w*|"
    r"scream\w*|whisper\w*|r[iu]ng\w*|beep\w*|knock\w*|applau\w+|clap\w*|alarm|sirens?|engines?|rain|wind|thunder|"
    r"play\w*|piano|guitar|piece|snor\w*|walks?|walking|footsteps|pass(?:es|ing)? by|whistl\w*|bells?|quiet|silen\w+|pauses?|"
    r"machines?|vehicles?|types?|time of day)\b|"
    r"\b(?:is|has|fits|does|was)\s+sound\.wav|sound\.wav(?:: \w+)? or\b",
    re.IGNORECASE,
)
_ABOUT_CONTENT = re.compile(
    r"\b(?i:(?:did|does|do)(?! (?:you|i|it|this|that)\b)|according to|as (?:said|told|heard|mentioned|stated)|costs?|time|date|day|year|"
    r"month|price|amount|address|number|city|country|company|street|reason|deadline|meeting|agenda|topic|plan|project|"
    r"budget|action items?)\b|(?<=[a-z,] )[A-Z][a-z]{2,}\b(?!['’]s sound\.wav)"
)
"""Required in a question with "what", "which" or "how", because these occur in questions about sounds, too."""
_FOR_ANOTHER_TASK = re.compile(
    r"\b(?:(?:pro)?nouns?|verbs?|adjectives?|adverbs?|parts? of speech|entit(?:y|ies)|keywords?|names|named|mention\w*|appears?|"
    r"occurs?|repl(?:y|ies)|respond\w*|response|continue|rewrite|reword|polite\w*|titles?|headlines?|poems?|contains?)\b|"
    r"\b(?:would|do|can|could|should|will|might) (?:you|i|we|one)\b|\bmany (?:people|persons)\b(?! \w+ed\b)",
    re.IGNORECASE,
)
"""Words of questions for a tagger, a text generator or a chat model."""
_ABOUT_ANOTHER_RESOURCE = re.compile(r"\b(?:you|your|i|me|my|pictures?|images?|photos?|videos?)\b", re.IGNORECASE)
_COMPARISON = re.compile(r"\bwhich (?:one )?of\b|\bdifferen\w+|\bcompar\w+|\bbetween\b", re.IGNORECASE)
_STOP_WORDS = frozenset(
    "are does did was were the and this that there for from with about can could you tell find out say says said please "
    "all name persons places cities answer question according their his her its they she him has have had "
    "will would many much long old speaker person people man woman who whom whose when where why what which how fail "
    "failed work works wrong sound wav notes txt text file".split()
)


def is_about_content(
    clause: Clause, clauses: Sequence[Clause], transcript: str, attached: Sequence[Resource] = ()
) -> bool:
    """Whether a clause is a question about the content of a recording or text.

    `attached` are files that the request does not name. `transcript` is that of the recording the chat was last about:
    where the request names no file, a question is about it if the two have a word in common.
    """
    text = clause.text
    beginning = _BEGINNING.match(text)
    if not beginning or (beginning["clause"] and not beginning["lead"] and not beginning["inverted"]):
        return False  # "when you are done"
    question = text[beginning.end() :]  # without "can you tell me who"
    if _ABOUT_SOUND.search(text) or _COMPARISON.search(text) or _FOR_ANOTHER_TASK.search(question):
        return False
    if not (beginning["plain"] or beginning["clause"] or _ABOUT_CONTENT.search(text)):
        return False
    if any(
        resource.kind == "text" and not resource.is_file and not resource.text.endswith("?")
        for resource in clause.resources
    ):
        return False  # the question is about the quoted text
    subject = set(re.findall(r"\w{3,}", text.lower())) - _STOP_WORDS
    if not any(resource.is_file for resource in clause.resources) and _ABOUT_ANOTHER_RESOURCE.search(question):
        return False
    if kinds := _kinds(clause, clauses) or {resource.kind for resource in attached}:
        return bool(subject) and kinds in ({"audio"}, {"text"})
    return any(word in transcript.lower() for word in subject)


def _kinds(clause: Clause, clauses: Sequence[Clause]) -> set[Kind | None]:
    """The kinds of the files named in a clause, else in the clauses before it, else in those after it."""
    near = [clause, *(other for other in reversed(clauses) if other.start < clause.start), *clauses]
    named = ({resource.kind for resource in other.resources if resource.is_file} for other in near)
    return next(filter(None, named), set())
