"""Questions whether a text speaks of something at all: "is milk mentioned?", "does she say anything about the rent?".

They are answered by looking for the words, and not by the reader, which looks for a sentence that tells more. A text
may speak of a thing in other words, so where one of its words is close in meaning, that sentence is offered
instead of a "no".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from hugginggpt.core.errors import BackendError
from hugginggpt.experts import reading
from hugginggpt.experts.asked_query import CONTENT, lemma
from hugginggpt.experts.grammar import parse
from hugginggpt.experts.named_things import LISTED, THE_TEXT
from hugginggpt.experts.sentences import statements
from hugginggpt.experts.word_likeness import stem, stems_of, word_vectors

SAYING = frozenset(
    ["mention", "say", "state", "tell", "write", "report", "note", "name", "discuss", "cover", "include", "contain"]
)
SPEAKING = frozenset(["talk", "speak", "write", "refer", "touch", "say", "tell", "mention"])
USING = frozenset(["use", "utter", "pronounce", "drop"])
OCCURRING = frozenset(["occur", "appear"])
COMING = frozenset(["come", "crop", "turn", "show"])
NAMING = frozenset(["mention", "bring", "discuss", "name", "cite", "quote"])
ANYTHING = frozenset(
    ["anything", "something", "nothing", "word", "mention", "bit", "part", "line", "sentence", "reference"]
)
ABOUT = frozenset(["about", "of", "on", "to", "regarding", "concerning", "for"])
HERE = frozenset(["it", "there", "here", "anywhere", "somewhere"]) | THE_TEXT
OPEN = frozenset([*LISTED, "money"])
"""Kinds of things, which a text names without their word."""
RELATED = 0.6
"""The similarity of two words from which a text may speak of the one with the other."""
CLOSEST = "“{}” does not occur in the text; closest is: “{}”"
NEGATIONS = frozenset(["not", "no", "never", "nothing", "nobody", "isn't", "doesn't", "didn't"])
ABSENT = "No, “{}” does not occur in the text."


def answer(question: str, context: str) -> dict[str, Any] | None:
    """Whether a text mentions what a question asks for, with the sentence that does; None for any other question.

    Raises as `parse` does, and BackendError for an empty text.
    """
    topic = topic_of(question)
    if not topic or NEGATIONS & {word.lower() for word in question.replace("?", " ").split()}:
        return None
    if not context.strip():
        raise BackendError("The text is empty, so it answers no question.")
    asked = [stem(lemma(token)) for token in topic if token.pos_ in CONTENT]
    words = " ".join(token.text for token in topic)
    texts = statements(context)
    holding = [text for text in texts if set(asked) <= stems_of(text)]
    if holding:
        said = " ".join(holding[:2])
        words_said = {token.lower_ for token in parse(said, entities=False)}
        is_denied = reading.NEGATIONS & words_said  # "flights are not included"
        return {"answer": said if is_denied else f"Yes: {said}", "passage": said}
    closest = _closest(tuple(lemma(token) for token in topic if token.pos_ in CONTENT), texts)
    if closest:
        return {"answer": CLOSEST.format(words, closest), "closest": closest, "found": False}
    return {"answer": ABSENT.format(words), "absent": True}


def topic_of(question: str) -> list[Any]:
    """The words that a text is to be searched for, without articles; [] where a question asks for anything else."""
    tokens = [token for token in parse(" ".join(question.split())) if not token.is_space]
    if not tokens or any(token.tag_[0] == "W" for token in tokens):
        return []
    heads = (head for token in tokens for head in _spoken_of(token))
    head = next((head for head in heads if head.pos_ in CONTENT and head.lemma_.lower() not in OPEN), None)
    if head is None or any(child.dep_ in ("relcl", "ccomp") for child in head.children):
        return []
    return [token for token in (*head.lefts, head) if token.pos_ in CONTENT and token.lemma_.lower() != "word"]


def _spoken_of(token: Any) -> Iterator[Any]:
    """The nouns that a word of a question says are spoken of, if it is a word that does."""
    name, children = token.lemma_.lower(), list(token.children)
    subjects = [child for child in children if child.dep_ in ("nsubj", "nsubjpass", "attr")]
    if name in ANYTHING and token.pos_ in ("PRON", "NOUN"):
        around = children + (
            [child for child in token.head.children if child.i > token.i] if token.dep_ != "ROOT" else []
        )
        for preposition in (child for child in around if child.dep_ in ("prep", "acl") and child.lower_ in ABOUT):
            yield from (child for child in preposition.children if child.dep_ == "pobj")
    if token.tag_ in ("VBN", "VBD") and name in SAYING | SPEAKING and "be" in _around(token):
        yield from subjects
        yield from [token.head] if token.dep_ == "acl" else []
    if token.pos_ == "VERB" and name in NAMING:
        yield from (child for child in children if child.dep_ == "dobj" and child.lemma_.lower() not in ANYTHING)
    if token.pos_ == "VERB" and name in SAYING | USING:
        objects = (child for child in children if child.dep_ == "dobj")
        yield from (_named_word(child) for child in objects if _is_word(child))
    if token.pos_ == "VERB" and name in SPEAKING:
        for preposition in (child for child in children if child.lower_ in ("about", "of", "on")):
            yield from (child for child in preposition.children if child.dep_ == "pobj")
    if token.pos_ == "VERB" and (
        name in OCCURRING or (name in COMING and any(each.lower_ == "up" for each in children))
    ):
        yield from map(_named_word, subjects)
    if token.lemma_ == "be" and any(_is_here(each) for child in (token, *subjects) for each in child.children):
        yield from map(_named_word, subjects)


def _around(token: Any) -> set[str]:
    """The lemmas of a verb's auxiliaries, and of the verb that it belongs to."""
    above = (token.head, token.head.head) if token.dep_ in ("acl", "acomp") else ()
    return {each.lemma_ for each in (*token.children, *above)}


def _is_word(token: Any) -> bool:
    """Whether "the word holiday" is meant, and not what it stands for."""
    return any(each.lemma_.lower() in ("word", "name", "term") for each in (token, *token.lefts))


def _named_word(token: Any) -> Any:
    """The word itself of "the word holiday"."""
    following = [
        child for child in token.children if child.dep_ in ("appos", "compound", "amod", "nmod") and child.i > token.i
    ]
    return following[0] if token.lemma_.lower() in ("word", "name", "term") and following else token


def _is_here(token: Any) -> bool:
    if token.dep_ != "prep" or token.lower_ not in ("in", "inside", "within"):
        return False
    return any(child.lower_ in HERE for child in token.children)


def _closest(words: tuple[str, ...], texts: Sequence[str]) -> str:
    """The sentence with a word that is most like one of these in meaning; "" where none is."""
    best, sentence = RELATED, ""
    for text in texts:
        others = tuple(
            sorted({lemma(token) for token in parse(text, entities=False) if token.pos_ in ("NOUN", "VERB")})
        )
        near = float((word_vectors(words) @ word_vectors(others).T).max()) if others and words else 0.0
        if near > best:
            best, sentence = near, text
    return sentence
