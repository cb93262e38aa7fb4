"""Requests about what the pictures of a video show, read as requests about a picture.

What was learned of pictures holds for the pictures of a video: the words for it are replaced by those for a picture,
where a clause is not about its sound. "When does the dog appear" asks whether there is one, and is answered by times.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from hugginggpt.core.tasks import TaskTable
from hugginggpt.offline.clauses import PLACEHOLDERS

_VIDEO = re.compile(r"\b(?:video(?: ?clip)?|film|clip|movie|footage)(s?)\b(?!\.\w)", re.IGNORECASE)
_HEARD = re.compile(
    r"\b(?:sa(?:y|ys|id|ying)|talk\w*|sp(?:eak\w*|oke\w*|eech)|voices?|hear\w*|sounds?|audio|music\w*|song|sings?|singing|"
    r"noise|languages?|narrat\w*|transcri\w*|dialog\w*|conversation|words? (?:are|is)|mention\w*|about|summar\w*|loud\w*|"
    r"listen\w*|discuss\w*|subtitles?|tell(?:s|ing)? (?:us|about)|according to|explain\w*|"
    r"cost\w*|prices?|tickets?|built|founded|born|invented|how much|how old|(?:what|which) year|phone numbers?|opening hours)\b",
    re.IGNORECASE,
)
"""Words about the sound of a video, and for what is told in it."""
_WRITTEN = re.compile(
    r"\b(?:signs?|posters?|banners?|captions?|written|writing|text|labels?|boards?|slides?|titles?|placards?|billboards?|"
    r"number plates?|licen[sc]e plates?|letters|headlines?)\b",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"\W*+(?:(?:please|and|can you|could you|tell me|say|show me|find out|do you know|i want to know) )*"
    r"(?:when|(?:at|from) (?:what|which) (?:times?|points?|moments?|seconds?|minutes?)|"
    r"where in (?:the|this|my) (?:picture|recording)s?|during (?:what|which) (?:times?|parts?))(?: exactly)? "
    r"(?:(?:(?:do|does|did|can|could|will|is|are|was|were)\s+)?(?:(?:we|you|i|one|they)\s+(?:first |last )?"
    r"(?:see|spot|find|notice|get to see)\s+)?)"
    r"(?P<what>(?:the |an? |any |some |my |his |her )?[a-z][\w '-]*?)"
    r"(?:\s+(?:(?:first|last|finally|there|actually|to be)\s+)*(?:appear\w*|visible|seen|shown|shows? up|come\w*|came|enters?|"
    r"leaves?|is|are|was|were|in (?:it|there|view|shot|sight|the|this|my|photo)\b.*|on (?:the )?screen|disappear\w*|there|pass\w*).*)?\W*",
    re.IGNORECASE,
)
"""A question for the time at which something is seen."""
_AT_ONCE = re.compile(
    r",?\s*\b(?:at (?:most|the most|once)|at (?:a|one|any(?: one| given)?|the same) (?:time|moment|point)|"
    r"simultaneously|maximum|altogether at)\b",
    re.IGNORECASE,
)
_EVER = re.compile(r"\b(?:ever|anywhere|at any point|at some point)\b", re.IGNORECASE)
_AND_WHEN = re.compile(
    r",?\s*\b(?:and|or) (?:if so,? )?(?:when|at (?:what|which) times?)\b[^,.;?]{0,24}(?=\W*$)", re.IGNORECASE
)
ONLY_WHEN = re.compile(
    r"\W*+(?:and |or |if so,? )*(?:when|at (?:what|which) times?|from when (?:to|until) when|how long for)(?: exactly)?\W*",
    re.IGNORECASE,
)
"""A clause that asks for the times of what the clause before it asks for."""
PLAIN_SCORE = 0.6
"""From this score a clause plainly asks for an operation."""


def as_picture(text: str) -> str:
    """A clause about a video as one about a picture; what only asks for times is left out."""
    if what := when_of(text):
        return what
    return " ".join(_EVER.sub("", _AT_ONCE.sub("", _AND_WHEN.sub("", in_picture_words(text)))).split())


def in_picture_words(text: str) -> str:
    """A clause with a picture in place of a video."""
    return _VIDEO.sub(r"picture\1", text.replace(PLACEHOLDERS["video"], PLACEHOLDERS["image"]))


def when_of(text: str) -> str:
    """What a question for times asks for, as one whether it is there; "" for any other text."""
    match = _WHEN.fullmatch(" ".join(in_picture_words(text).split()))
    what = (
        re.sub(r"^(?:the|an?|any|some|my|his|her)\s+", "", match["what"].strip(), flags=re.IGNORECASE) if match else ""
    )
    is_many = (what.endswith("s") and not what.endswith(("ss", "us", "is"))) or what == "people"
    article = "any" if is_many else "an" if what[:1] in "aeiou" else "a"
    return f"{'are' if is_many else 'is'} there {article} {what} in the picture?" if what else ""


def is_seen(text: str) -> bool:
    """Whether a clause may be about the pictures of a video, and not about its sound."""
    return bool(_WRITTEN.search(text)) or not _HEARD.search(text)


def is_written(text: str) -> bool:
    """Whether a clause asks for what is written."""
    return bool(_WRITTEN.search(text))


def is_of_pictures(
    heard: Mapping[str, float], seen: Mapping[str, float], table: TaskTable, allowed: Collection[str] | None
) -> bool:
    """Whether the scores of a clause as one about a picture count: the likeliest task can be done to a video's pictures,
    and no operation on the video is plainly meant. Both are scores of tasks.
    """
    best, other = (max(one, key=one.__getitem__, default="") for one in (seen, heard))
    if best not in table or not table[best].input_arg.may_be_video or not (allowed is None or best in allowed):
        return False
    return not (other in table and table[other].is_exact and heard[other] > PLAIN_SCORE)
