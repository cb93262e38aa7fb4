"""Reads a question as one for the kind of what a picture shows: "what kind of bird is it?", "is this a castle?"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hugginggpt.core.questions import Question
from hugginggpt.experts import classifier, coco, grammar, vocabulary
from hugginggpt.experts.grammar import Word

_INTERROGATIVES = ("what", "which")
_POINTING = ("this", "that", "it", "these", "those", "he", "she", "they", "here", "there")
_ANYTHING = ("thing", "object", "scene", "place", "landscape", "view", "something", "one")
"""Nouns that any kind may be meant by."""
_BREED = ("breed", "species", "race")
_NAMING = ("name", "identify", "classify", "recognise", "recognize", "determine")


@dataclass(frozen=True, slots=True)
class KindQuestion:
    """A question for the kind of something of a `group` of the classifier ("bird"; "" for anything), or whether it is
    one of some `names`.
    """

    group: str = ""
    names: tuple[str, ...] = ()


def read(text: str, question: Question | None) -> KindQuestion | None:
    """The question for a kind that a text asks; None where it asks for none that the classifier knows. `question` is
    what was read in it as a question about objects.
    """
    if question and question.operation == "exists" and not question.relation:
        names = tuple(one.words for one in question.objects)
        is_plain = not any(
            (one.labels and not one.is_wider) or one.everything or one.unjudged or one.excluded
            for one in question.objects
        )
        is_known = is_plain and not question.negated and any(map(classifier.members, names))
        return KindQuestion(names=names) if is_known else None
    words = grammar.words(text)
    group = next(
        (group for reader in (_of_kind, _of_group, _of_anything) if (group := reader(words)) is not None), None
    )
    return None if group is None else KindQuestion(group)


def is_of_kinds(question: Question) -> bool:
    """Whether a question is whether a picture shows a kind of which the detector only knows what it is of: "is it a
    parrot?" asks for more than a bird.
    """
    kind = read(question.text, question) if any(one.is_wider for one in question.objects) else None
    return kind is not None and all(classifier.members(name) for name in kind.names)


def group_of(word: Word) -> str | None:
    """The group of classes that a noun stands for; "" for anything, None for what the classifier does not know."""
    if word.lemma in _ANYTHING:
        return ""
    if word.lemma in classifier.groups():
        return word.lemma
    meaning = coco.meaning(word.lower) or coco.meaning(word.lemma)
    if meaning is None:
        return None
    if set(meaning.labels) <= set(coco.group("animal")):
        return meaning.labels[0] if len(meaning.labels) == 1 and meaning.labels[0] in classifier.groups() else "animal"
    return meaning.labels[0] if len(meaning.labels) == 1 and meaning.labels[0] in classifier.groups() else None


def _of_kind(words: Sequence[Word]) -> str | None:
    """ "what kind of bird is that", "the breed of the dog", "which species is it"."""
    at = next((start for start, _ in vocabulary.find(words, "kind")), None)
    if at is None or (at and words[at - 1].lower in ("this", "that", "some", "any", "same")):
        return None
    if at + 1 < len(words) and words[at + 1].lower == "of":
        noun = next((word for word in words[at + 2 :] if word.is_noun), None)
        return group_of(noun) if noun else None
    if words[at].lower not in _BREED:
        return None
    groups = [group for word in words if word.is_noun and word is not words[at] and (group := group_of(word))]
    return next(iter(groups), "")


def _of_group(words: Sequence[Word]) -> str | None:
    """ "which animal is that on my sofa", "identify the bird"."""
    for at, word in enumerate(words[:-1]):
        asks = word.lower in _INTERROGATIVES and at + 2 < len(words)
        names = word.lemma in _NAMING and words[at + 1].lower in ("the", "this", "that")
        noun = words[at + 1] if asks else words[at + 2] if names and at + 2 < len(words) else None
        if noun is None or not noun.is_noun or noun.lower == noun.lemma + "s":
            continue
        after = [other for other in words[at + 2 :] if not other.is_mark]
        is_of_one = names or (
            len(after) > 1 and after[0].lemma in ("be", "'s", "’s") and any(w.lower in _POINTING for w in after[1:3])
        )
        if is_of_one and (group := group_of(noun)):
            return group
    return None


def _of_anything(words: Sequence[Word]) -> str | None:
    """ "what is this", "what's that tall thing"."""
    plain = [word for word in words if not word.is_mark and word.lower not in ("then", "exactly", "here", "please")]
    if len(plain) < 3 or plain[0].lower != "what" or plain[1].lemma not in ("be", "'s", "’s"):
        return None
    if plain[2].lower not in ("this", "that", "it"):
        return None
    rest = [word for word in plain[3:] if word.tag[:2] not in ("JJ", "RB")]
    return "" if all(word.lemma in _ANYTHING for word in rest) else None
