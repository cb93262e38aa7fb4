"""What clauses ask of results: questions about objects in pictures, and conditions on tasks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from hugginggpt.core.questions import Objects, Operation, Question
from hugginggpt.experts import coco, company, kind_questions, object_questions, scene_questions
from hugginggpt.offline.clauses import Clause
from hugginggpt.offline.moving import as_picture, is_seen, when_of

ACROSS_FILES: tuple[Operation, ...] = ("most", "fewest", "filter", "sort")
"""The operations that choose among files."""
OF_ONE_OBJECT: tuple[Operation, ...] = ("more", "fewer", "equal", "difference")
"""The operations that compare files where they name one kind of object, and else two kinds of objects."""
_LITERAL = re.compile(
    r"(?:(?:please|simply|just|only|then|you (?:can|may|should)) )*(?:say|write|answer|reply|respond|print|output|return)"
    r"(?: (?:only|just|simply|with|to me|me|back|the words?))*"
    r"(?:: ?|\W+(?!(?:it|its|them|me|so|this|that|these|those|the|an?|my|your|something|anything|all|every\w*|aloud|to|"
    r"about|from|in|down)\b))(?P<words>(?!(?:what|which|who|whose|why|how|where|when|whether|if)\b)[\w'’!-]+"
    r"(?: (?!(?:aloud|loud|out|about|in|into|to|of)\b)[\w'’!-]+){0,3}?)(?:,? please)?\W*",
    re.IGNORECASE,
)
_COMPLEMENT = re.compile(
    r"\W*+(?:and |or )?(?:which|what)(?: (?:one|picture|photo|image|file)s?| of (?:them|these))? "
    r"(?:(?:do|does|did|is|are|has|have|was|were|can)(?: not|n(?:['’]?t)?)|without|not)"
    r"(?: (?:show|contain|have|has|got|include|see|any|one|it|some|there))*\W*",
    re.IGNORECASE,
)
_EITHER = re.compile(r"\W*+(?:(?:a|an) )?(\w+) or (?:(?:a|an) )?(\w+)\W*", re.IGNORECASE)
"""Two things without a verb: "bike or motorbike?"."""
_EVERY_FILE = re.compile(r"\b(?:both|each|every|all) (?:of )?(?:the |these |those |them|two |three )*(?:pictures?|images?|photos?|ones?|files?|them)\b|\bboth\b", re.I)  # fmt: skip
_CONTAINED = re.compile(
    r"\b(?:mentions?|mentioned|contains?|says?|includes?|states?|talks? about|names?|has|have|is about)\s+"
    r"(?:the )?(?:words?|phrase|names?|term|text)?\s*(?P<words>.+)$",
    re.IGNORECASE,
)
_CLASSIFIED = re.compile(
    r"\b(?:is|are|sounds?|seems?|was|were|holds?|contains?)\s+(?P<not>not |n['’]t )?(?:only |a |an |very |rather |mostly )*(?P<word>[a-z]+)\b(?: (?:one|mood|tone|in tone))?\W*$",
    re.IGNORECASE,
)
_CLASSES = {
    "positive": "positive good favourable favorable happy enthusiastic friendly",
    "negative": "negative bad unfavourable unfavorable critical unhappy unfriendly",
    "neutral": "neutral",
    "speech": "speech speaking spoken talking", "music": "music musical",
}  # fmt: skip
_CLASS_OF = {word: name for name, words in _CLASSES.items() for word in words.split()}
_TAKEN_UP = re.compile(r"\W*+(?:so|yes|true|(?:it (?:does|is|has)|they (?:do|are)|there (?:is|are))(?P<not> ?n['’]?t\b| not\b)?(?: (?:any|one|some))?|(?:you|it) (?:see|finds?|do(?:es)?)(?: (?:any|one|some))?|any)\W*$", re.I)  # fmt: skip
"""A condition that takes up the question before it: "if so", "if there are any"."""


def question_of(clause: Clause, files: Iterable[str] = ()) -> Question | None:
    """The question about objects that a clause asks, without its tasks; None where it asks none."""
    if asked := when_of(clause.text):
        question = object_questions.read(asked)
        return question and replace(question, operation="when")
    if scene_questions.is_plain(clause.text) or company.asks(clause.text):
        return None
    text = as_picture(clause.text)
    either = _EITHER.fullmatch(text)
    if either and all(map(coco.meaning, either.groups())):
        text = f"is it a {either[1]} or a {either[2]}?"
    question = object_questions.read(text, files=files)
    return question and _with_scope(question, clause)


def _with_scope(question: Question, clause: Clause) -> Question:
    is_about_all = question.operation == "exists" and len(question.objects) > 1 and " or " not in f" {clause.text} "
    every_file = question.operation == "exists" and bool(_EVERY_FILE.search(clause.text))
    return replace(question, all_objects=is_about_all and not question.negated, all_sources=every_file)


def asks_for_facts(text: str) -> bool:
    """Whether a question asks for the kind of what a picture shows ("what kind of bird is it?", "is this a castle?"), or
    for its colours, places or sizes.
    """
    return scene_questions.asks(text) or kind_questions.read(text, object_questions.read(text)) is not None


def chooses_among_files(question: Question) -> bool:
    """Whether a question compares files, so that it is about all that there are."""
    return question.operation in ACROSS_FILES or (
        question.operation in OF_ONE_OBJECT and len(question.objects) == 1 and question.number is None
    )


def is_complement(clause: Clause, questions: Sequence[Question]) -> bool:
    """Whether a clause only asks for the files that a question before it leaves over, which its answer tells, too:
    "which picture shows an animal, and which doesn't?".
    """
    return bool(_COMPLEMENT.fullmatch(clause.text)) and any(one.operation == "filter" for one in questions)


def is_further_count(question: Question, last: Question) -> bool:
    """Whether a question counts other objects in the same pictures: "how many cats and how many dogs are there"."""
    are_counts = question.operation == last.operation == "count" and not (question.relation or last.relation)
    counted = {label for objects in last.objects for label in objects.labels}
    is_known = all(objects.labels and counted.isdisjoint(objects.labels) for objects in question.objects)
    return are_counts and is_known and question.tasks == last.tasks


def literal_of(clause: Clause) -> str:
    """The words that a clause says are to be the answer ("write MEOW", "just say yes"); "" where it asks for more."""
    match = _LITERAL.fullmatch(clause.text.strip())
    quoted = [resource.text for resource in clause.resources if resource.kind == "text" and not resource.is_file]
    if match is None or len(quoted) != len(clause.resources) or len(quoted) > 1:
        return ""
    return quoted[0] if quoted else match["words"]


def is_taken_up(question: Question) -> bool:
    """Whether a question is about "them", or about "more than two" of what was spoken of before."""
    return any(objects.words == object_questions.THEM for objects in question.objects[:1])


def with_antecedent(question: Question, earlier: Iterable[Question]) -> Question:
    """A question about "them" with the objects of an earlier question, the latest first."""
    last = next((one for one in earlier if one.objects and not is_taken_up(one)), None)
    if last is None:
        return question
    unjudged = question.objects[0].unjudged
    return replace(question, objects=tuple(replace(one, unjudged=unjudged or one.unjudged) for one in last.objects))


def condition_of(clause: Clause, earlier: Sequence[Question]) -> Question | None:
    """The question that a condition depends on; `earlier` are those of the clauses before it. None where it is not
    understood.
    """
    if match := _TAKEN_UP.match(clause.text):
        taken_up = _taken_up(earlier)
        return taken_up and replace(taken_up, negated=taken_up.negated != bool(match["not"]))
    if question := _of_class(clause):
        return question
    question = object_questions.read(as_picture(clause.text), is_condition=True)
    if question and question.objects and not _is_about_words(clause):
        if is_taken_up(question):
            question = with_antecedent(question, reversed(earlier))
        if question.operation in ("count", "list", "filter"):
            question = replace(question, operation="exists")
        if all(objects.known for objects in question.objects):
            return _with_scope(question, clause)
    return _of_words(clause)


def _taken_up(earlier: Sequence[Question]) -> Question | None:
    if not earlier:
        return None
    last = earlier[-1]
    return replace(last, operation="exists") if last.operation in ("count", "list") else last


def _of_class(clause: Clause) -> Question | None:
    match = _CLASSIFIED.search(clause.text)
    name = _CLASS_OF.get(match["word"].lower()) if match else None
    if match is None or name is None:
        return None
    return Question("is", (Objects(name),), (), clause.text, negated=bool(match["not"]) or " not " in clause.text)


def _is_about_words(clause: Clause) -> bool:
    """Whether a condition is about what a text says: "if the text mentions dogs"."""
    return bool(re.search(r"\b(?:text|letter|mentions?|mentioned|says?|words?|transcript|speaker|recording|review|article|message|e-?mail|invoice|document|page)\b", clause.text, re.I)) or any(resource.kind in ("audio", "text") for resource in clause.resources) or not is_seen(clause.text)  # fmt: skip


def _of_words(clause: Clause) -> Question | None:
    match = _CONTAINED.search(clause.text)
    if match is None:
        return None
    quoted = [resource.text for resource in clause.resources if resource.kind == "text" and not resource.is_file]
    words = quoted[-1:] or [
        word for part in re.split(r",|\bor\b", match["words"]) if (word := part.strip(" .,;:!?'\""))
    ]
    negated = bool(re.search(r"\b(?:not|no|never)\b|n['’]t\b", clause.text))
    return Question("mentions", tuple(map(Objects, words)), (), clause.text, negated=negated) if words else None
