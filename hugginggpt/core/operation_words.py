"""The words that say how an operation is to be done: patterns by which the offline planner finds them in a request."""

from __future__ import annotations

from hugginggpt.core.quantities import DECIMAL, DIGITS, NUMBER, TIME


def _any(*patterns: str) -> str:
    """Any of several patterns; of those that begin at the same place the first."""
    return f"(?:{'|'.join(patterns)})"


_COUNT = rf"(?:(?!an?\b){NUMBER})"
"""A number, but no article."""
_PERCENT = rf"{DECIMAL} ?(?:%|percent\b|per cent\b)"
_PIXELS = r"(?:px|pixels?)"
_SIDE_LENGTH = r"(?<![\d,])\d+(?:,\d{3})*"
_BOTH_SIDES = rf"{DIGITS} ?(?:x|×|by|\*) ?{DIGITS}(?: ?{_PIXELS})?"
_STRENGTH = _any(
    r"a (?:tiny |little )?bit", "a little", "slightly", "a lot", "a tad", "much", "way", "very", "far", _PERCENT,
    "twice as", "more", "less", rf"{NUMBER} times(?: as)?",
)  # fmt: skip
_VERB = (
    r"(?:(?:increase|decrease|raise|lower|reduce|boost|double|halve|turn up|turn down|more|less|up|cut)\b "
    r"(?:the |its )?)?"
)
_HOW_MUCH = rf"{_VERB}(?:{_STRENGTH}\s{{1,3}}){{0,4}}"
"""What stands before the word for a change: "increase the", "a bit"."""

_CUTTING = "(?:cut|trim|chop|crop|snip|slice|take|shave)"
_WITHOUT = _any(
    "remove", "delete", "drop", "skip", "lose", "discard", rf"{_CUTTING}(?=.{{0,60}} (?:off|away)\b)",
    rf"{_CUTTING} (?:off|away|out)", "strip", "get rid of", "without", "except", "leave out",
)  # fmt: skip
_OFF = rf"(?:{_WITHOUT}\b[^.;]{{0,40}}?)?"
"""The words before what is not kept, if it is not kept."""

_SIDE = r"(?:left|right|top|bottom|upper|lower|middle|cent(?:er|re|ral)|inner)"
_SHARE = _any("half", "third", "quarter", _PERCENT)
_OBJECT = (
    r"(?:(?<=\bto )|(?<=\baround )|(?<=\bonly )|(?<=\bjust )|(?<=\bon ))(?:only |just )?"
    r"(?:the |a |an |my |his |her )?(?!size\b|fit\b)[a-z][\w -]{1,40}"
)
_CROPPED = _any(
    rf"{_SIDE}(?:[ -]?(?:hand )?{_SIDE})? (?:{_SHARE}|part|corner|side|edge|strip|bit)",
    rf"(?:{_SHARE}|{DIGITS} ?{_PIXELS})(?: (?:of|off|from|on|at|in))? "
    rf"(?:the |each |every |all )?(?:{_SIDE}|sides?|edges?)",
    _BOTH_SIDES, rf"{DIGITS} ?: ?{DIGITS}", "square", r"cent(?:er|re)\b", r"middle\b", _OBJECT,
)  # fmt: skip
CROP = rf"{_OFF}{_CROPPED}(?: (?:off|away)\b)?"

SIZE = _any(
    _BOTH_SIDES,
    rf"{_SIDE_LENGTH} ?{_PIXELS}?[- ]?(?:in |of )?(?:wide|width|across|broad|high|height|tall)\b",
    r"(?:width|height)(?: (?:of|to|is|should be|be))? ?:? ?\d+",
    rf"(?:smaller|bigger|larger|shrink\w*|reduce\w*|enlarge\w*)\b[^.;]{{0,20}}? by (?:{_PERCENT}|half)",
    _PERCENT,
    rf"(?:{_COUNT}|double|twice|triple) (?:times )?(?:the|its|of the|of its|as|that|their)? ?"
    r"(?:original |current |present |old )?(?:size|big|large|small|width|height|bigger|smaller|larger)",
    r"(?:half|double|twice|triple|quarter|third)\b", rf"factor (?:of )?{_COUNT}", rf"{_COUNT} times",
    rf"{_SIDE_LENGTH} ?{_PIXELS}\b", "thumbnail", r"icon\b", "smaller", "bigger", "larger",
)  # fmt: skip

_WAY = _any(
    r"(?:counter|anti)[ -]?clockwise", "clockwise", r"(?:to the )?(?:left|right)\b", "upside[ -]down",
    "on its (?:head|side)", r"around\b",
)  # fmt: skip
_DEGREES = _any(
    rf"-?{NUMBER} ?(?:°|degrees?|deg\b)", r"(?:a )?(?:quarter|half|three[- ]quarters?)(?:[- ]?turn)?\b",
    r"by -?\d+\b(?! ?(?:°|deg))", r"\b(?:90|180|270)\b(?! ?(?:°|deg))",
)  # fmt: skip
ANGLE = rf"{_DEGREES}(?:\W+(?:\w+\W+){{0,3}}?{_WAY})?|{_WAY}(?:\W+(?:\w+\W+){{0,2}}?{_DEGREES})?"

_TO = "[ -](?:to|and|for)[ -]"
DIRECTION = _any(
    r"horizontal\w*", r"vertical\w*", "upside[ -]down", f"top{_TO}bottom", f"left{_TO}right", "sideways"
)  # fmt: skip

_LOOK = _any(
    r"gr[ae]y(?:[ -]?scale)?\b", r"black[ -]?(?:and|&|n|/)[ -]?white\b", r"b ?[&/] ?w\b", "monochrome", r"desaturat\w*",
    "sepia", r"blur\w*", r"soft(?:er|en)?\b", r"sharp\w*", r"crisp\w*", r"bright\w*", r"light(?:er|en)\b", r"dark\w*",
    r"contrast\w*", r"satur\w*", "colou?rful", "vivid", r"invert\w*", "negative",
)  # fmt: skip
CHANGE = rf"{_HOW_MUCH}{_LOOK}(?:[^.;]{{0,20}}?\bby {_PERCENT})?"

PICTURE_FORMAT = r"\b(?:jpe?g|png|webp|gif|bmp|bitmap|tiff?|pdf)\b"

_OTHERS = "(?:each other|one another|it)"
LAYOUT = _any(
    "side[ -]by[ -]side", f"next to {_OTHERS}", "in (?:a|one) (?:row|line|column|grid)",
    f"(?:on top of|below|above|under(?:neath)?) {_OTHERS}", r"stack\w*", r"vertical\w*", r"horizontal\w*",
    r"\d ?x ?\d", "grid",
)  # fmt: skip

_FROM = r"(?:(?:from|between|(?:start|begin)\w*(?: at| from)?)\s+)?"
_UNTIL = r" ?(?:to|until|till|and|through|up to|-|–) ?(?:end(?:s|ing)? (?:at )?)?"
_TIMES = _any(
    rf"(?:first|last|opening|final|initial) (?:{TIME}|(?:half|third|quarter|minute|second|hour)\b)", "second half",
    rf"{_FROM}(?:{TIME}|{_COUNT}|the (?:start|beginning)){_UNTIL}(?:{TIME}|the end|end\b)",
    rf"(?:from|after|before|until|till|up to|starting at|starting from)\s+{TIME}(?: (?:on|onwards?|to the end))?",
    r"(?:silences?|silent (?:parts?|bits?)|pauses)\b", TIME,
)  # fmt: skip
PART = rf"{_OFF}(?:the )?{_TIMES}(?: (?:off|away)\b)?"

SOUND_FORMAT = r"\b(?:mp3|ogg|opus|flac|wave?|m4a|aac)\b"

_DECIBELS = r"(?:db|decibels?|lufs)"
_HEARD = _any(
    r"loud\w*", r"quiet\w*", "faster", r"slow\w*", r"speed\w*", "volume", r"normali[sz]e\w*", r"level(?:led|ling)?\b",
    r"(?:mono|stereo)\b", r"backwards?\b", r"revers\w*", "fade[- ]?(?:in|out)", r"amplif\w*", r"boost\w*",
    r"turn(?:ed)? (?:\w+ ){0,3}(?:up|down)\b", "crank", "silent",
)  # fmt: skip
_SOUNDS = _any(
    rf"[-+]?{DECIMAL} ?{_DECIBELS}\b(?: (?:louder|quieter|softer|lower|higher|up|down))?",
    rf"{_HOW_MUCH}(?:\bby \w+ )?{_HEARD}",
    rf"(?:{NUMBER}|double|twice|half) ?(?:x|times)?(?: (?:the|its|as|normal|original))* ?"
    "(?:speed|tempo|pace|fast|loud|volume)",
    rf"{NUMBER} ?x\b",
)
_TO_WHAT = _any(
    rf"{NUMBER} ?(?:{_DECIBELS}|x|times|%|percent)", "half", "double", "a (?:half|third|quarter)",
    r"-?\d+(?:[.,]\d+)?(?: ?lufs)?",
)  # fmt: skip
SOUND_CHANGE = rf"{_SOUNDS}(?:[^.;]{{0,25}}?\b(?:by|to|at) {_TO_WHAT}(?: speed)?)?"

MOMENT = _any(
    rf"every (?:{TIME}|second|minute)", rf"(?:last |first )?{TIME}(?: (?:before|from) the end)?",
    r"(?:middle|start|beginning|end|cover)\b", r"(?:first|last|final|opening) (?:frame|picture|image|second|moment)",
)  # fmt: skip
SUBTITLE_FORMAT = r"\b(?:srt|vtt|webvtt)\b"
