"""The 80 object classes of COCO, and the words people use for them."""

from __future__ import annotations

import re
from functools import cache

from hugginggpt.config import ROOT
from hugginggpt.results import plural

SYNONYMS = {
    "person": ("human", "human being", "individual"),
    "bicycle": ("bike",),
    "motorcycle": ("motorbike",),
    "airplane": ("plane", "aeroplane", "aircraft"),
    "boat": ("ship",),
    "traffic light": ("stoplight",),
    "couch": ("sofa",),
    "potted plant": ("plant", "houseplant"),
    "dining table": ("table",),
    "tv": ("television", "monitor", "screen"),
    "cell phone": ("phone", "mobile phone", "cellphone", "smartphone"),
    "sports ball": ("ball",),
    "cup": ("mug",),
    "donut": ("doughnut",),
    "refrigerator": ("fridge",),
    "teddy bear": ("teddy",),
    "hair drier": ("hair dryer",),
}
GROUPS = {
    "animal": ("bird", "cat", "dog", "horse", "sheep", "cow", "elephant", "bear", "zebra", "giraffe"),
    "vehicle": ("bicycle", "car", "motorcycle", "airplane", "bus", "train", "truck", "boat"),
    "fruit": ("banana", "apple", "orange"),
}
IRREGULAR = {"people": "person", "persons": "person", "mice": "mouse", "knives": "knife", "children": "child"}


@cache
def labels() -> tuple[str, ...]:
    """The class names in the order in which detectors number them."""
    return tuple((ROOT / "data" / "experts" / "coco80.txt").read_text(encoding="utf-8").split("\n")[:80])


@cache
def _words() -> dict[str, tuple[str, ...]]:
    """Every word for an object, singular and plural, and the classes that it stands for."""
    words: dict[str, tuple[str, ...]] = {}
    for label in labels():
        for word in (label, *SYNONYMS.get(label, ())):
            words[word] = words[plural(word)] = (label,)
    for word, members in GROUPS.items():
        words[word] = words[plural(word)] = members
    words.update({many: (one,) for many, one in IRREGULAR.items() if one in words})
    return words


@cache
def _word_pattern() -> re.Pattern[str]:
    longest_first = sorted(_words(), key=len, reverse=True)
    return re.compile(rf"\b({'|'.join(map(re.escape, longest_first))})\b", re.IGNORECASE)


def objects_in(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """The words for objects in a text, in order, each with its COCO classes: "two dogs" -> [("dogs", ("dog",))]."""
    return [(match[0].lower(), _words()[match[0].lower()]) for match in _word_pattern().finditer(text)]


COUNT_QUESTION = re.compile(
    r"\b(?:how many|count(?: up)?(?: all)?(?: the)?|(?:the )?number of|amount of)\s+(.*)", re.IGNORECASE | re.DOTALL
)
EXISTENCE_QUESTION = re.compile(
    r"\b(?:is there|are there|do you see|can (?:you|i) see|does (?:it|this|the \w+) (?:show|contain|have))\s+(.*)",
    re.IGNORECASE | re.DOTALL,
)


def counted_object(question: str) -> tuple[str, tuple[str, ...]] | None:
    """What a question wants counted: "how many cats are there?" -> ("cats", ("cat",)); None for another question."""
    return _asked_object(COUNT_QUESTION, question)


def looked_for_object(question: str) -> tuple[str, tuple[str, ...]] | None:
    """What a question asks the presence of: "is there a dog in it?" -> ("dog", ("dog",)); None for another question."""
    return _asked_object(EXISTENCE_QUESTION, question)


def _asked_object(form: re.Pattern[str], question: str) -> tuple[str, tuple[str, ...]] | None:
    asked = form.search(question)
    if not asked:
        return None
    # The object stands at the head of the question's remainder: "how many cats are on the chair", not chairs.
    head = re.split(r"\b(?:are|is|in|on|at|do|can|there|with|and)\b|[?.,;:!]", asked[1], maxsplit=1)[0]
    found = objects_in(head)
    return found[-1] if found else None
