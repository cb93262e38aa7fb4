"""What is asked of a text or page in hand by its form alone, whatever its words are about: whether one may, must or can
("May I take it to Denmark?"), and what goes on from the question before ("and if I lose the key?", "and on Sunday?").
"""

from __future__ import annotations

import re

from hugginggpt.experts import board_questions

_FILLER = r"\W*+(?:(?:and|so|but|ok|okay|then|also|hi|hello|please|sorry|quick question|oh)\W+)*+"
_SOMEBODY = (
    r"(?:i|we|he|she|they|one|anybody|anyone|somebody|someone|it|there|people|guests|visitors|residents|tenants|members|"
    r"my \w+|our \w+|the \w+|his \w+|her \w+|their \w+|dogs|cats|pets|kids|children|bikes|bicycles)"
)
_MAY = re.compile(
    rf"{_FILLER}(?:can|may|must|should|shall|could|do|does|did|am|is|are|was|were|will|would|has|have)(?:n['’]?t)? "
    rf"{_SOMEBODY}\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"\W*+(?:and|but|what|how)\W+(?:about\W+)?(?:if|when (?:i|we|he|she|they|it)|(?:on |at )?(?:an? |the |public )?"
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekends?|holidays?|night)|for (?:children|kids|seniors|students|"
    r"adults|babies|my \w+|the \w+)|all(?: \w+){1,2} together|(?:all|both|everything) together|altogether|in total|my|our|after|before|children|kids|dogs)\b",
    re.IGNORECASE,
)
_DAY_TOO = re.compile(
    r"\W*+(?:and |what about )?(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)days?,? (?:too|also|as well)\W*",
    re.IGNORECASE,
)
_OF_FILES = re.compile(
    r"\b(?:pdf|png|jpe?g|gif|docx?|csv|xlsx?|mp3|mp4|wav|file|picture|image|photo|version|language|english|german|french|"
    r"spanish|chinese|aloud|hear|listen|see|show|copy|send|save|download|print|translat\w+|summar\w+|shorter|bigger|"
    r"smaller|brighter|louder|rotate\w*|crop\w*)\b",
    re.IGNORECASE,
)
"""Words for what is to be done with a text or picture, and not for what it says."""
MAX_WORDS, MAX_WORDS_ON = 30, 10


def is_day_too(words: str) -> bool:
    """Whether words ask of a day what was asked of another: "Sunday also?", "and the first one on Saturday?"."""
    return bool(_DAY_TOO.fullmatch(words)) or board_questions.goes_on(words)


def asks(words: str) -> bool:
    """Whether words ask what a text or page in hand says, by their form."""
    number = len(words.split())
    if number > MAX_WORDS or _OF_FILES.search(words):
        return False
    return bool(_MAY.match(words) or _DAY_TOO.fullmatch(words)) or (
        number <= MAX_WORDS_ON and bool(_GOES_ON.match(words))
    )
