"""The 80 object classes of COCO, their synonyms, and questions about them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from hugginggpt.common.paths import EXPERTS_DATA
from hugginggpt.core.results import plural

SYNONYMS = {
    "person": ("human", "human being", "individual", "anyone", "anybody", "someone", "somebody"),
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
IRREGULAR = {"people": "person", "persons": "person", "mice": "mouse", "knives": "knife"}


@cache
def labels() -> tuple[str, ...]:
    """The class names in the order in which detectors number them."""
    return tuple((EXPERTS_DATA / "coco80.txt").read_text(encoding="utf-8").split("\n")[:80])


@cache
def _words() -> dict[str, tuple[str, ...]]:
    """The classes that each word for an object stands for, in singular and plural."""
    words: dict[str, tuple[str, ...]] = {}
    for label in labels():
        for word in (label, *SYNONYMS.get(label, ())):
            words[word] = words[plural(word)] = (label,)
    for word, members in GROUPS.items():
        words[word] = words[plural(word)] = members
    words.update({plural_form: (singular,) for plural_form, singular in IRREGULAR.items() if singular in words})
    return words


@cache
def _word_pattern() -> re.Pattern[str]:
    longest_first = sorted(_words(), key=len, reverse=True)
    return re.compile(rf"\b({'|'.join(map(re.escape, longest_first))})\b", re.IGNORECASE)


COUNT_QUESTION = re.compile(
    r"\b(?:how many|count(?: up)?(?: all)?|(?:the )?number of|amount of)\s+(.*)", re.IGNORECASE | re.DOTALL
)
EXISTENCE_QUESTION = re.compile(
    r"\b(?:is there|are there|do you see|can (?:you|i) see|does (?:it|this|the \w+) (?:show|contain|have))\s+(.*)",
    re.IGNORECASE | re.DOTALL,
)
_NOUNS_END = re.compile(
    r"\b(?:are|is|was|were|do|does|did|can|could|will|would|has|have|had|there|in|on|at|with|under|behind|near|beside|by|"
    r"from|inside|to|that|which|who|you|i|we|if|visible|shown|altogether|please)\b|[?.;:!()]",
    re.IGNORECASE,
)
_ARTICLES = re.compile(
    r"^(?:(?:a|an|the|any|some|no|all|every|each|either|other|of|different|many|how|both|number|kinds?|types?|sorts?)\s+)+",
    re.IGNORECASE,
)
_ANYTHING = ("object", "thing", "item", "them", "these", "those", "it", "one", "anything", "something", "everything")
"""Words that do not name an object."""


@dataclass(frozen=True, slots=True)
class ObjectQuery:
    """An object in a question: the word used for it, and its COCO classes; () for one that is not in COCO."""

    word: str
    labels: tuple[str, ...]

    def count(self, counts: Mapping[str, int]) -> int:
        """The number of these objects, from the number of regions by label."""
        return sum(counts.get(label, 0) for label in self.labels)


def counted_objects(question: str) -> list[ObjectQuery]:
    """The objects that a question wants counted: "how many cats and trees are there?" -> cats, trees; else []."""
    return _queried_objects(COUNT_QUESTION, question)


def looked_for_objects(question: str) -> list[ObjectQuery]:
    """The objects that a question wants detected: "is there a dog or a cat?" -> dog, cat; else []."""
    return _queried_objects(EXISTENCE_QUESTION, question)


def _queried_objects(pattern: re.Pattern[str], question: str) -> list[ObjectQuery]:
    match = pattern.search(question)
    if not match:
        return []
    # Objects stand at the head of the question's remainder: "how many cats are on the chair", not chairs.
    nouns = _NOUNS_END.split(match[1], maxsplit=1)[0]
    parts = [" ".join(part.split()) for part in re.split(r",|&|\b(?:and|or)\b", nouns)]
    objects = [(part, query) for part in parts if (query := _object(part))]
    return list(
        dict.fromkeys(
            query for index, (_, query) in enumerate(objects) if not _is_adjective(query, objects[index + 1 :])
        )
    )


def _is_adjective(query: ObjectQuery, following: Sequence[tuple[str, ObjectQuery]]) -> bool:
    """Whether a word is an adjective before a noun ("big, spotted dogs"), not a noun ("a tree or a dog")."""
    if query.labels or _is_plural(query.word) or not following:
        return False
    part, _ = following[0]
    return not _ARTICLES.match(part) and any(other.labels for _, other in following)


def _object(nouns: str) -> ObjectQuery | None:
    """The object that a noun phrase ("two red cups") names: its first plural, else its last noun; of "table legs" the
    legs, and of "bottles of wine" the bottles.
    """
    words = _ARTICLES.sub("", nouns).lower()
    container = words.partition(" of ")[0]
    words = container if _word_pattern().search(container) else words
    known = list(_word_pattern().finditer(words))
    tokens = list(re.finditer(r"[\w'-]+", words))
    while len(tokens) > 1 and re.search(r"(?:ing|ed|ly)$", tokens[-1][0]):
        tokens.pop()
    head = next((token for token in tokens if _is_plural(token[0])), tokens[-1] if tokens else None)
    if head is None:
        return None
    for match in known:
        if match.start() <= head.start() < match.end():
            return ObjectQuery(match[0], _words()[match[0]])
    return None if head[0] in _ANYTHING or head[0].removesuffix("s") in _ANYTHING else ObjectQuery(head[0], ())


def _is_plural(word: str) -> bool:
    if word in _words():
        return word not in (*labels(), *GROUPS, *(other for others in SYNONYMS.values() for other in others))
    return bool(re.search(r"(?:[^sui]s|men|children|feet|teeth)$", word))
