"""Noun phrases of a clause: objects with their modifiers, and the pictures that a clause speaks of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hugginggpt.experts import coco, vocabulary
from hugginggpt.experts.grammar import Word


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun with its modifiers: words `start` to `end`, of which `head` is the first of the noun itself."""

    start: int
    head: int
    end: int
    modifiers: tuple[int, ...]
    label: str
    meaning: coco.Meaning | None
    everything: bool = False
    collective: str = ""
    is_kind: bool = False


_PLURAL = frozenset(("they", "these", "those", "both"))
_TAKEN_UP = _PLURAL | frozenset(
    ("all", "really", "of", "them", "the", "two", "three", "four", "actually", "truly", "showing")
)
_INDEFINITE = ("a", "an", "any", "some", "no", "many", "several", "such", "various")
"""What begins no picture that is spoken of: "is there a poster?" asks for one."""


class Phrases:
    """The words of a clause, and its phrases by the word with which they begin."""

    def __init__(self, text: str, words: Sequence[Word], file_words: frozenset[str] = frozenset()) -> None:
        self.text, self.words = text, words
        self.file_words = file_words
        self.used: set[int] = set()

    # places

    def medium(self, at: int) -> int:
        """Where the pictures end that begin with a word ("the first picture", "them", "both"); 0 where none do."""
        start = at
        while vocabulary.match(self.words, at, "determiner", "ordinal") > at or self.tag(at) == "CD":
            at += 1
        end = vocabulary.match(self.words, at, "medium")
        if end == at and at > start and self.lower(start) not in _INDEFINITE:
            end = self._named_medium(at) or at
        if end == at:
            if at > start and self.lower(at - 1) in (
                "other",
                "second",
                "first",
                "last",
                "third",
                "two",
                "three",
                "four",
            ):
                end = at + (self.lower(at) in ("one", "ones"))
                if self.tag(end).startswith(("NN", "JJ")):
                    return 0
            elif self.lower(at) in ("one", "ones") and not self.tag(at + 1).startswith(("NN", "JJ")):
                end = at + 1
            else:
                pronoun = vocabulary.match(self.words, start, "pronoun")
                if pronoun == start or self.tag(pronoun).startswith(("NN", "JJ", "CD")):
                    return 0
                end = pronoun
        if self.tag(end).startswith("NN") and vocabulary.match(self.words, end, "medium", "contain") == end:
            return 0
        while True:  # "the picture, the picture and the second one"
            joint = end
            while self.lower(joint) in (",", "and", "or", "&", "nor"):
                joint += 1
            further = self.medium(joint) if joint > end else 0
            if not further:
                return end
            end = further

    def scene(self, at: int) -> int:
        """Where a place ends that is a whole picture ("in the picture"); 0 where none begins with the word."""
        if vocabulary.match(self.words, at, "place") == at:
            return 0
        readers = (self.medium, self._named_medium, self._surroundings, self._named_by_file)
        return next((end for reader in readers if (end := reader(at + 1))), 0)

    def _surroundings(self, at: int) -> int:
        """Where the place ends in which all of a picture is ("on the terrace", "in our garden"); 0 for none."""
        start = at
        while vocabulary.match(self.words, at, "determiner") > at or self.tag(at)[:2] in ("PR", "PO"):
            at += 1
        end = vocabulary.match(self.words, at, "surroundings")
        is_whole = end > at > start and not self.tag(end).startswith("NN")
        return end if is_whole else 0

    def _named_medium(self, at: int) -> int:
        """Where a picture ends that is named by adjectives or nouns ("album page", "old street photo"); 0 for none."""
        while self.tag(at)[:2] in ("NN", "JJ", "PO", "PR", "HY") and vocabulary.match(self.words, at, "part") == at:
            end = vocabulary.match(self.words, at, "medium", "page")
            if end > at and not self.tag(end).startswith("NN"):
                return end
            at += 1
        return 0

    def _named_by_file(self, at: int) -> int:
        """Where a place ends after whose noun the file is called ("in the kitchen", of kitchen.jpg); 0 for none."""
        while vocabulary.match(self.words, at, "determiner") > at or self.tag(at)[:2] in ("PR", "PO", "JJ"):
            at += 1
        end = self._end_of_nouns(at) if self.tag(at).startswith("NN") else at
        head = self.words[end - 1].lower if end > at else ""
        if self.tag(end) == "POS":
            return self._named_by_file(end + 1)
        return end if head in self.file_words else 0

    def taken_up(self, at: int) -> int:
        """Where "they both really" or "both of these pictures of" ends; 0 where nothing is taken up in the plural."""
        end = at
        while self.lower(end) in _TAKEN_UP or vocabulary.match(self.words, end, "medium") > end:
            end += 1
        return end if any(self.lower(index) in _PLURAL for index in range(at, end)) else 0

    # nouns

    def nouns(self, at: int) -> list[Noun]:
        noun = self.noun(at)
        return self.coordinated(noun) if noun else []

    def coordinated(self, noun: Noun) -> list[Noun]:
        nouns = [noun]
        while True:
            end = nouns[-1].end
            joint = self.scene(end) or end
            start = joint
            while self.lower(joint) in (",", "and", "or", "&", "nor", "plus", "any", "how", "many"):
                joint += 1
            if joint == start or self.tag(joint) in ("VBG", "VBN") or self.medium(joint):
                return nouns
            further = self.noun(joint)
            if further is None:
                return nouns
            self.used.update(range(start, joint))
            nouns.append(further)

    def noun(self, at: int) -> Noun | None:
        """The noun that begins with a word, after determiners and adjectives."""
        start = at
        modifiers: list[int] = []
        is_kind, collective = False, ""
        while at < len(self.words):
            word = self.words[at]
            if end := self._compound(at):
                return self._made_noun(start, at, end, modifiers, is_kind, collective)
            part = next(
                (part for part in ("measure", "kind", "collective") if vocabulary.match(self.words, at, part) > at), ""
            )
            if part and self.lower(at + 1) == "of" and self.noun(at + 2):
                is_kind = is_kind or part == "kind"
                collective = word.lower if part == "collective" else collective
                at += 2
            elif word.is_noun or vocabulary.match(self.words, at, "everything") > at:
                if vocabulary.match(self.words, at, "medium", "not object") > at:
                    return None
                return self._made_noun(start, at, self._end_of_nouns(at), modifiers, is_kind, collective)
            elif vocabulary.match(self.words, at, "determiner") > at or word.lower in (
                "no",
                "not",
                "more",
                "'s",
                "there",
            ):
                at += 1
            elif (
                word.tag[:2] in ("JJ", "RB", "CD")
                or word.tag in ("VBG", "VBN", ",", "HYPH")
                or (word.lower == "and" and modifiers)
            ):
                modifiers.append(at)
                at += 1
            else:
                break
        if self.lower(start) == "all":
            return Noun(start, start, start + 1, (), "all", None, everything=True)
        return None

    def _compound(self, at: int) -> int:
        """Where a known noun ends that begins with a word; it is no part of a longer noun ("dog" in "dog toy")."""
        for length in (3, 2, 1):
            end = at + length
            if end > len(self.words):
                continue
            text = self.text[self.words[at].start : self.words[end - 1].end]
            lemma = " ".join([*(word.lower for word in self.words[at : end - 1]), self.words[end - 1].lemma])
            if not (coco.meaning(text) or coco.meaning(lemma)):
                continue
            if (
                length == 1
                and not (self.words[at].is_noun or self.words[at].tag in ("PRP", "NN", "CD", "FW", "UH", "VB", "VBP"))
                and self.tag(end).startswith(("NN", "JJ"))
            ):
                continue  # "orange cars"
            if self._end_of_nouns(end - 1) == end:
                return end
        return 0

    def _end_of_nouns(self, at: int) -> int:
        end = at + 1
        while self.tag(end).startswith("NN") and vocabulary.match(self.words, end, "medium", "measure") == end:
            end += 1
        return end

    def _made_noun(
        self, start: int, at: int, end: int, modifiers: Sequence[int], is_kind: bool, collective: str
    ) -> Noun:
        everything = vocabulary.match(self.words, at, "everything") == end
        known = next((head for head in range(at, end) if self._compound(head) == end), None)
        meaning = None
        if known is not None and not everything:
            modifiers = (*modifiers, *range(at, known))
            at = known
            last = self.words[end - 1]
            text = self.text[self.words[at].start : last.end]
            meaning = coco.meaning(text) or coco.meaning(
                " ".join([*(word.lower for word in self.words[at : end - 1]), last.lemma])
            )
        label = self.text[self.words[at].start : self.words[end - 1].end]
        return Noun(start, at, end, tuple(modifiers), label, meaning, everything, collective, is_kind)

    def noun_before(self, at: int) -> Noun | None:
        """The noun of "the dog count"."""
        start = at
        while start and self.words[start - 1].is_noun:
            start -= 1
        noun = self.noun(start) if start < at else None
        return replace(noun, end=at) if noun and noun.meaning and noun.end >= at else None

    def index(self, lower: str, start: int) -> int | None:
        return next(
            (at for at in range(start, len(self.words)) if lower in (self.words[at].lower, self.words[at].lemma)), None
        )

    def lower(self, at: int) -> str:
        return self.words[at].lower if 0 <= at < len(self.words) else ""

    def tag(self, at: int) -> str:
        return self.words[at].tag if 0 <= at < len(self.words) else ""
