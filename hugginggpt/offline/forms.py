"""What a clause asks of files by its form alone: a measure, what things in a picture are for, what a message wants, when
speech or music is heard.
"""

from __future__ import annotations

import re

from hugginggpt.core.moods import moods_of
from hugginggpt.core.operation_words import STRIPPED, VIDEO_FORMAT, VIDEO_LOOK
from hugginggpt.core.picture_words import REQUESTS
from hugginggpt.core.results import Kind
from hugginggpt.core.task_types import TaskType
from hugginggpt.core.tasks import TaskTable
from hugginggpt.experts import (
    coco,
    company,
    messages,
    object_questions,
    picture_choices,
    scene_questions,
    uses,
    word_counts,
)
from hugginggpt.experts.picture_untold import untold
from hugginggpt.offline import asked_of_texts, inscriptions, measuring, said_beside, speaking_manner, spoken_questions
from hugginggpt.offline.parsing import is_question

_HEARD = r"(?:music\w*|singing|song|sings?|speech|speaking|speaks?|talking|talks?|voices?)"
_WHEN_HEARD = re.compile(
    rf"\b(?:when|(?:at|from|after|until|up to) (?:what|which) (?:seconds?|minutes?|time|points?|moments?)|"
    rf"how (?:long|far in))\b"
    rf"[^?]{{0,40}}\b{_HEARD}\b|\bfrom (?:what|which) second\b[^?]{{0,40}}\b(?:somebody|someone|anyone|he|she)\b",
    re.IGNORECASE,
)
_WHICH_HEARD = re.compile(
    rf"\b(?:only|just|or|any|and|as well as)\b[^?]{{0,30}}\b{_HEARD}\b[^?]{{0,40}}|"
    rf"\b{_HEARD}\b[^?]{{0,20}}\bor\b",
    re.IGNORECASE,
)
_KINDS_HEARD = (
    re.compile(r"\b(?:music\w*|singing|song|sings?)\b", re.I),
    re.compile(r"\b(?:spe|talk|voice|say)\w*", re.I),
)
_ABOUT_WORDS = re.compile(
    r"\b(?:about|mention\w*|said|says?|tell\w*|title|called|name|which song|what song|who|whose|language|"
    r"instruments?)\b",
    re.IGNORECASE,
)
"""Words about what is said or sung, which no detector of sounds tells."""


_DRAWN_AROUND = re.compile(
    r"\b(?:draw|put|make|add|paint|place|show)\b[^?]{0,20}?\b(?:box(?:es)?|frames?|rectangles?|circles?|squares?)\b[^?]{0,12}?"
    r"\b(?:a?round|on|over) (?:(?:all|each|every|both|any|some)(?: of)? )?\w+|"
    r"\b(?:frame|box|circle|mark|outline) (?:them|each|every|all|both)\b",
    re.IGNORECASE,
)
_LABELLED = re.compile(
    r"\W*+(?:(?:and|then|please|also)\W+)*(?:label|name|mark|tag) (?:it|them|each|every one|each one|all|both)"
    r"(?: (?:of them|please|too|as well|in the (?:picture|photo|image)))*\W*$",
    re.IGNORECASE,
)
_WHOLE_FRAMED = re.compile(
    r"\b(?:a?round|on|over|to) (?:it|this|that|the (?:whole |entire )?(?:picture|photo|image|print|page|text))\b",
    re.IGNORECASE,
)
"""Boxes around things are drawn by the detector, a frame around the picture is none of them."""
_ELSE = re.compile(
    r"\W*+(?:(?:and|so|ok)\W+)*(?:(?:is|are) there|(?:do|can) you see|anything|see) ?(?:any|some)?(?:thing)? ?else\b"
    r"(?: (?:there|in it|on it|in the (?:picture|photo|image)|on the (?:picture|photo|image)|to see|you can see))*\W*$",
    re.IGNORECASE,
)
_IN_EACH = re.compile(
    r"\W*+(?:(?:and|so|ok|please|tell me)\W+)*what(?:['’]?s| is| are| do (?:i|you|we) see| can (?:i|you|we|be) (?:see|seen))?"
    r"(?: shown| there| to be seen)? (?:in|on) (?:each|both|all|every one)(?: (?:of )?(?:them|these|the (?:\w+ )?(?:pictures?|photos?|images?)))?\W*",
    re.IGNORECASE,
)
"""What asks what several pictures show, one by one."""
_VIDEO_CHANGED = re.compile(
    rf"\b(?:make|turn|change|convert|put|set|show|flip|mirror|rotate|need|want)\b.*(?:{VIDEO_LOOK})|^\W*+(?:and )?(?:{VIDEO_LOOK})|"
    rf"\b(?:make|turn|change|convert|save|export|need|want|give|get|have|send)\b(?!.*\b(?:sound|audio|voice|talking|from)\b)"
    rf".*(?:{VIDEO_FORMAT})|^\W*+(?:(?:and|now|then|please|as|to|into|in)\W++)*+(?:{VIDEO_FORMAT})",
    re.IGNORECASE,
)
"""What asks for another look of a video, or for an MP4."""
_STRIPPED = re.compile(rf"{REQUESTS}.*?{STRIPPED}", re.IGNORECASE)
_FILE_TYPE = re.compile(
    r"\b(?:what|which)(?: kind of| sort of)? (?:file ?(?:type|format)|(?:type|format) of file|(?:type|format|file) is)\b",
    re.IGNORECASE,
)
_COSTS = re.compile(
    r"\W*+(?:(?:and|so|but|ok|then|hi|hello|please)\W+)*how much (?:is|are|was|were|does|do|did|would|will|for)\b"
    r"(?!.*\b(?:of (?:it|this|the (?:picture|photo|image))|visible|covered|bigger|larger|smaller|brighter|darker)\b)",
    re.IGNORECASE,
)
"""What asks what something costs."""
_IS_THERE = re.compile(r"\W*+(?:(?:and|so|but|ok|then)\W+)*(?:is|are|isn't|aren't) there (?:an?|any|some|no)\b", re.I)
_WHICH_IS = re.compile(
    r"\W*+(?:(?:and|so|but|ok|then)\W+)*which (?:one )?of (?:these|them|those)\b.{0,20}\bis an? ", re.I
)
_SAID = re.compile(r"\b(?:sa(?:y|ys|ying|id)|tell\w*)\b", re.IGNORECASE)
"""Words for all that is said, which is written down as it is."""


def task_of(words: str, topic: Kind | None, table: TaskTable) -> tuple[str, str, str]:
    """(the task that the words of a clause, without its files, ask for by their form; the aspect of it; its reason for
    the log); three "" for any other. `topic` is the kind of what the clause is about.
    """
    if topic == "image" and _COSTS.match(words):
        rows = (row for row in table if row.wording == "question" and row.input_kind == "image" and row.subject)
        if page := next(rows, None):
            return page.name, "", "a price, which stands on a page"
    if topic == "image" and picture_choices.asks(words):
        return table.question_task("image"), "", "a choice"
    if topic in ("text", "audio", "video") and (told := _of_heard_or_read(words, topic, table)):
        return told
    is_told = topic in ("audio", "video") and spoken_questions.is_topical(words)  # "according to the speaker"
    asked = None if is_told else measuring.read(words, topic)
    if row := measuring.row_for(asked.measure, topic, table) if asked else None:
        return row.name, "", "a measure"
    if topic == "audio" and messages.asks(words) and not _SAID.search(words):
        return table.question_task("text"), "", "a message as a whole"
    if topic in ("image", "video") and uses.asks(words):
        return table.question_task("image"), "", "what things are for"
    if speaking_manner.is_read_to_somebody(words, topic):
        return next((row.name for row in table if row.wording == "speech"), ""), "", "read to somebody"
    if topic == "image" and (told := _of_picture(words, table)):
        return told
    if topic in ("audio", "video") and table.sound_finder and _asks_for_sounds(words):
        return table.sound_finder, "", "what is heard, and when"
    judge = table.classifier("text") if topic == "text" else None
    return _of_mood(words, judge) if judge else ("", "", "")


def changes_video(words: str) -> bool:
    """Whether words ask for another look of a video, or for an MP4."""
    return not is_question(words) and bool(_VIDEO_CHANGED.search(words))


def _of_mood(words: str, judge: TaskType) -> tuple[str, str, str]:
    if all(moods_of(words)):
        return judge.name, "", "one of two moods"
    if said_beside.asks_how_somebody_feels(words):
        return judge.name, "emotion", "how somebody feels"
    return "", "", ""


def _of_picture(words: str, table: TaskTable) -> tuple[str, str, str] | None:
    """What is asked of pictures alone, as `task_of` gives it; None for anything else."""
    writer = next((row for row in table if row.wording == "inscription" and row.input_kind == "image"), None)
    if writer and inscriptions.is_asked(words):
        return writer.name, "", "words in capitals"
    is_drawn = _DRAWN_AROUND.search(words) and not _WHOLE_FRAMED.search(words)
    if is_drawn or _LABELLED.match(words):
        return table.detector.name, "", "boxes"
    if _ELSE.match(words) or _IN_EACH.fullmatch(words):
        return table.readers["image"], "", "what else there is"
    if _FILE_TYPE.search(words) and not _STRIPPED.search(words):
        return next(row.name for row in table if row.input_kind == "image" and row.measures), "", "a type of file"
    if (untold(words) and not _STRIPPED.search(words)) or scene_questions.is_plain(words) or company.asks(words):
        return table.question_task("image"), "", "what a picture tells, or none does"
    if (_IS_THERE.match(words) or _WHICH_IS.match(words)) and is_of_beings(words):
        return table.detector.name, "", "whether somebody is there"
    return None


def is_of_beings(words: str) -> bool:
    """Whether a question is for people or animals, which no page has: "are there any people in it?"."""
    question = object_questions.read(words)
    beings = {"person", *coco.group("animal")}
    objects = question.objects if question else ()
    return bool(objects) and all(one.labels and beings.issuperset(one.labels) for one in objects)


def _of_heard_or_read(words: str, topic: Kind, table: TaskTable) -> tuple[str, str, str] | None:
    """What is asked of texts and recordings alone, as `task_of` gives it; None for anything else."""
    if topic == "video" and changes_video(words):
        rows = (row for row in table if row.is_exact and row.input_kind == "video" == row.result.name)
        if row := next((row for row in rows if (arg := row.arg("change")) and arg.pattern), None):
            return row.name, "", "how a video is to look, or as MP4"
    if word_counts.asked_for(words) or asked_of_texts.asks_for_word(words):
        return table.question_task("text"), "", "how often something is said"
    if topic in ("audio", "video") and spoken_questions.asks_told_length(words):
        return table.question_task("text"), "", "how long something takes that is told of"
    if topic in ("audio", "video") and (
        asked_of_texts.is_written_down(words) or spoken_questions.asks_whether_said(words)
    ):
        return table.readers["audio"], "", "all that is said, in writing"
    return None


def _asks_for_sounds(words: str) -> bool:
    """Whether a question is when speech or music is heard, or which of both."""
    if _ABOUT_WORDS.search(words) or not is_question(words):
        return False
    is_either = _WHICH_HEARD.search(words) and all(kind.search(words) for kind in _KINDS_HEARD)
    return bool(_WHEN_HEARD.search(words) or is_either)
