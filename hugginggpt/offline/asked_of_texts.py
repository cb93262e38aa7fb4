"""What is asked of texts by the form of the words alone, which no learned class has to know: lists of all things of a
kind, messages, opinions; and letters to be written, which only a language model can.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hugginggpt.core.results import Kind
from hugginggpt.core.tasks import TaskTable
from hugginggpt.experts import listings, said_by, text_forms, text_parts
from hugginggpt.media.references import Resource
from hugginggpt.offline import spoken_questions

_LETTER = (
    r"(?:answers?|repl(?:y|ies)|responses?|letters?|e-?mails?|mails?|messages?|notes?|invitations?|cards?|"
    r"complaints?|apolog(?:y|ies)|"
    r"excuses?|poems?|stor(?:y|ies)|songs?|speech(?:es)?|toasts?|posts?|essays?|articles?|adverts?|antwort|brief|"
    r"nachricht|einladung|"
    r"entschuldigung|gedicht|réponse|lettre|courriel|respuesta|carta|correo|poema)"
)
_WRITES = re.compile(
    r"\W*+(?:(?:please|pls|now|and|then|ok|can|could|would|will|you|u|bitte|kannst|du|jetzt|help me|i want you to|"
    r"i need you to)\W+)*"
    rf"(?:write|draft|compose|formulate|schreib\w*|verfasse|formuliere|écri[stv]\w*|rédige\w*|escrib\w*|"
    rf"redacta\w*)\b(?!\W+(?:\w+\W+){0, 3}?(?:down|out|what|summary|list|transcript|translation)\b)"
    rf"(?:\W+[\w'’-]+){{0,7}}?\W+(?:an?|the|my|our|eine?n?|une?|una?|"
    rf"[\w'’-]+)\W+(?:[\w'’-]+\W+){{0,3}}?{_LETTER}\b(?! (?:as|to a|into) )|"
    r"\W*+(?:please )?(?:reply|respond|answer) (?:to )?(?:her|him|them|this (?:e-?mail|mail|letter|message)|"
    r"the (?:e-?mail|mail|letter|message))\b|"
    r"\W*写(?:一)?(?:封|个|份|篇|张)?[^。？]{0,12}(?:回信|回复|信|邮件|邀请|诗|短信)",
    re.IGNORECASE,
)
_WHO_DOES = re.compile(
    r"\W*+(?:(?:and|so|but|then|also)\W+)*who(?:se)?\W+(?!.*\b(?:mention\w*|named?|names|appear\w*|people|persons?|talked|all|"
    r"everyone|everybody|occurs?|else)\b)\w+\W+\w+",
    re.IGNORECASE,
)
"""What asks for the one who does something, and not for all names."""
_DUTY = re.compile(
    r"\b(?:do|should|can|may|must|shall|am|are) (?:i|we)\b[^?]{0,60}\b(?:have to|need to|must|owe|bring|pay|do|supposed|allowed)\b|"
    r"\bwhat (?:do|should|must) (?:i|we) do\b|\bwhat (?:shall|should|must|may|ought) (?:i|we)\b(?! (?:reply|answer|write|say|respond|send)\b)|\bwhat (?:i|we) (?:all )?(?:have|need|must|should|are|am)\b[^?]{0,20}\bdo\b|\bto-?do list\b",
    re.IGNORECASE,
)
"""What one asks of a letter or message about oneself: "and what do we have to do?"."""
_MADE_BY_HAND = re.compile(
    r"\W*+(?:(?:please|and|now|then|can|could|would|will|you|u|maybe|also)\W+)*(?:draw|paint|sketch|illustrate)\b(?!.*\b(?:charts?|graphs?|"
    r"diagrams?|plots?|pie|bars?|lines?|curves?|box(?:es)?|circles?|rectangles?|frames?|borders?|outlines?|edges|contours?|"
    r"maps?|skeleton|pose|tables?|columns?|arrows?)\b)",
    re.IGNORECASE,
)
"""What asks for a picture of what a text is about."""
_VIDEO_OF_SCENE = re.compile(
    r"\b(?:make|create|generate|produce|render|film|animate)\b(?: (?:me|us))?(?: (?:an?|one|some|another))(?: [\w-]+){0,4}? "
    r"(?:videos?|films?|clips?|movies?|animations?) (?:of|with|about|showing|where|in which) "
    r"(?!(?:it|this|that|these|those|them|my|our|your|his|her|the|both|all|each)\b)\w+ \w+(?!.*\b(?:pictures?|photos?|images?|slides?|"
    r"pages?)\b)",
    re.IGNORECASE,
)
"""What asks for a video of a scene in words, and not of files."""
_ALL_OF_IT = (
    r"(?:it|that|this|them|both|everything|all (?:of )?(?:it|that|this|them)|"
    r"(?:the|this|that|my|our|his|her|their)\W+(?:\w+\W+){0,2}?(?:whole|all|lot|thing|ones?|recordings?|audio|memos?|messages?|"
    r"voicemails?|speech|talk|interviews?|conversation|calls?|podcast|tape|clips?|videos?|lecture|lesson|sermon|dictation))"
)
_WRITTEN_DOWN = re.compile(
    rf"\b(?:write|type|note|put)\W+(?:{_ALL_OF_IT}\W+(?:all\W+)?(?:down|out|up)|"
    rf"(?:down|out|up)\W+(?:for (?:me|us)\W+)?(?:exactly\W+)?{_ALL_OF_IT})\b",
    re.IGNORECASE,
)
_SAYS_WORD = re.compile(
    r"\b(?:does|did|do)\b.{1,30}\b(?:say|use|mention|utter) (?:the|a) (?:word|name|term|phrase)\b", re.IGNORECASE
)
_COUNTS_PARTS = re.compile(r"\bhow many (?:pages|slides|chapters)\b", re.IGNORECASE)
_WHICH_PART = re.compile(r"\W*+(?:(?:and|so|on|in)\W+)*(?:which|what) (?:page|slide|chapter)\b", re.IGNORECASE)
"""What asks where in a document something stands."""
_SHOWS = re.compile(
    r"\W*+(?:(?:please|just|only|can you|could you)\W+)*(?:read|show|give|tell|get|zeig\w*|"
    r"gib)\b",
    re.IGNORECASE,
)
_DOES_MORE = re.compile(
    r"\b(?:aloud|loud\w*|voice|audio|mp3|wav|save|summar\w+|sum up|short\w*|translat\w+|list|file|txt|pdf|sentences?|"
    r"points?)\b",
    re.IGNORECASE,
)
"""What asks for more than a part of a text as it stands."""
_PART = re.compile(r"\b(?:pages?|slides?|chapters?|sections?|sheets?)\b", re.IGNORECASE)
_CONTENT = re.compile(
    r"\W*+(?:(?:and|so|but|ok|please)\W+)*what(?:['’]s| is| are| was| does| do| did)\b.*\b(?:say|says|said|mean|about|on|in|written|state|tell)\b",
    re.IGNORECASE,
)
_SEEN: tuple[Kind, ...] = ("text", "image", "audio")

_LETTERING = re.compile(
    r"\b(?:on|onto|across|over) (?:it|this|that|(?:the|this|my|that) (?:picture|photo|image|card|poster))\b|"
    r"\b(?:at|in|to|across|along|near) the (?:very )?(?:top|bottom|middle|cent(?:re|er)|left|right|upper|lower|corner)\b|"
    r"\b(?:in|with) (?:\w+ ){1,3}letters\b",
    re.IGNORECASE,
)
"""Where words are written that are no letter: "write “Hi” on it, in big white letters"."""


def task_for(words: str, topic: Kind | None, files: Sequence[Resource], table: TaskTable) -> str:
    """The task that a clause about a text, or about several files with texts in them, asks for; "" where its form says
    nothing.
    """
    if _VIDEO_OF_SCENE.search(words[:200]):
        return next((row.name for row in table if row.wording == "scene" and "video" in row.result.makes), "")
    if topic == "text" and is_letter(words):
        return next((row.name for row in table if row.wording == "writing"), "")
    if topic == "text" and _MADE_BY_HAND.match(words[:200]):
        return next((row.name for row in table if row.wording == "scene" and not row.follows_control), "")
    if topic == "text" and _PART.search(words) and is_of_content(words):
        return table.question_task("text")
    if topic == "text" and (_WHICH_PART.match(words[:200]) or said_by.asked_for(words[:200])):
        return table.question_task("text")
    if topic == "text" and _COUNTS_PARTS.search(words):
        return table.question_task("text")
    if topic == "text" and is_duty(words):
        return table.question_task("text")
    if topic == "text" and _WHO_DOES.match(words[:200]):
        return table.question_task("text")
    if topic == "text" and _SHOWS.match(words) and not _DOES_MORE.search(words) and text_parts.topic_of(words):
        return table.question_task("text")
    is_several = len(files) > 1 and topic in _SEEN and bool(listings.asked_for(words))
    return table.question_task("text") if is_several or (topic == "text" and text_forms.asked_for(words)) else ""


def is_of_content(words: str) -> bool:
    """Whether a clause asks what something says, and not for a part of it as a file: "what does page 2 say?"."""
    return _CONTENT.match(words) is not None


def is_joined(words: str, table: TaskTable) -> bool:
    """Whether words ask for one file of several, and for nothing that stands in them: "put both into one PDF"."""
    joining = (row for row in table if row.is_exact and row.input_arg.many)
    return any(cue.sure and cue.regex.search(words) for row in joining for cue in row.cues)


def is_duty(words: str) -> bool:
    """Whether words ask what one has to do, may do or is to bring: a letter or message tells that."""
    return bool(_DUTY.search(words[:200]))


def is_plain(words: str) -> bool:
    """Whether the form of words alone tells what they ask for, whatever a learned class takes them for."""
    is_told = is_of_content(words) or is_written_down(words) or spoken_questions.asks_told_length(words)
    is_placed = bool(_COUNTS_PARTS.search(words[:200]) or _WHICH_PART.match(words[:200]))
    return is_told or asks_for_word(words) or is_placed or said_by.asked_for(words[:200])


def asks_for_word(words: str) -> bool:
    """Whether words ask if a word is said."""
    return bool(_SAYS_WORD.search(words[:200]))


def is_written_down(words: str) -> bool:
    """Whether words ask for all of what is in hand to be written down."""
    return bool(_WRITTEN_DOWN.search(words[:200]))


def is_letter(words: str) -> bool:
    """Whether words ask for a letter, an answer or the like to be written."""
    return bool(_WRITES.match(words[:200])) and not is_written_down(words) and not _LETTERING.search(words)
