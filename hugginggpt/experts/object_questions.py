"""Reads a clause as a question about objects in pictures: "how many zebras are lying down?".

Every word is accounted for. Those of the question itself ("how many", "is there", "can you see"), of what it is about
(a noun and its companions), and of where it looks ("in the picture") are understood; what is left over is a qualifier
that no detector can judge, and is kept in the user's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from hugginggpt.core.questions import Objects, Operation, Question, Relation
from hugginggpt.experts import coco, grammar, vocabulary
from hugginggpt.experts.grammar import Word
from hugginggpt.experts.noun_phrases import Noun, Phrases

_ABBREVIATED = re.compile(r"(?:\bn(?:o|r|um)\b\.?|#)(?=\s?of\b)", re.IGNORECASE)
_POLITE_END = re.compile(r"\W++(?:pls|plz|thx)\W*$", re.IGNORECASE)
_FILE = re.compile(r"(?:\b(?:picture|photo|image|file)s? )?\b[\w-]+\.(?:jpe?g|png|gif|webp|bmp)\b", re.IGNORECASE)
THEM = "them"
"""The words of objects that were spoken of before."""
_INTERROGATIVES = ("which", "what", "whose")
_OF_COMMANDS = ("VB", "VBP", "NN", "NNP")
_DEFINITE = frozenset(["the", "this", "that", "these", "those", "it", "they", "he", "she", "my", "i", "you", "we"])


def read(clause: str, is_condition: bool = False, files: Iterable[str] = ()) -> Question | None:
    """The question about objects that a clause asks, without tasks; None where it asks none. As a condition, a clause
    states what is asked: "if it shows a dog". A place that is called like one of the files is the whole picture.
    """
    clause = " ".join(clause.split())
    text = _POLITE_END.sub("", _ABBREVIATED.sub("number", _FILE.sub("the picture", clause)))
    reading = _Reading(text, grammar.words(text), is_condition, _words_of(files))
    question = reading.question()
    return question and replace(question, text=clause)


def _words_of(files: Iterable[str]) -> frozenset[str]:
    """The words in the names of files that name no object: "street" and "night" of "street-night.jpg"."""
    stems = (re.sub(r"(?:-[0-9a-f]{10})?\.\w+$", "", file.rpartition("/")[2]) for file in files)
    words = {word.lower() for stem in stems for word in re.findall(r"[^\W\d_]{3,}", stem)}
    return frozenset(word for word in words if not coco.meaning(word))


class _Reading(Phrases):
    def __init__(self, text: str, words: Sequence[Word], is_condition: bool, file_words: frozenset[str]) -> None:
        super().__init__(text, words, file_words)
        self.is_condition = is_condition
        self.excluded: tuple[str, ...] = ()
        self.has_exclusion = False

    def question(self) -> Question | None:
        self._exclude()
        readers = (self._sorting, self._equality, self._comparison, self._filter, self._counting, self._alternatives)
        for reader in (*readers, self._identity, self._listing, self._existence):
            before = set(self.used)
            if question := reader():
                return question
            self.used = before
        return None

    # frames

    def _sorting(self) -> Question | None:
        span = next(vocabulary.find(self.words, "sort"), None)
        if span is None or not any(self.medium(at) for at in range(len(self.words))):
            return None
        by = self.index("by", span[1]) or self.index("of", span[1]) or self.index("to", span[1])
        if by is None:
            return None
        noun = self.noun(self._after_many(by + 1))
        ascending = any(vocabulary.find(self.words, "ascending"))
        return self._make("sort", [noun], negated=ascending, qualified=False) if noun else None

    def _equality(self) -> Question | None:
        span = next(vocabulary.find(self.words, "equal"), None)
        difference = self.index("difference", 0)
        compared = self.words[0].lemma == "compare" if self.words else False
        if span is None and difference is None and not compared:
            return None
        measure = next((at for at, _ in vocabulary.find(self.words, "measure")), None)
        many = self.index("many", 0)
        start = measure if measure is not None else many + 1 if many is not None else span and span[1]
        noun = self.noun(start) if start is not None else None
        if noun is None:
            return None
        if span is None and difference is not None:
            second = self.index("and", noun.end)
            other = self.noun(second + 1) if second is not None else None
            return self._make("difference", [noun, *([other] if other else [])], qualified=False)
        if span is None:
            return self._make("count", [noun], qualified=False)
        second = self.index("as", noun.end) or self.index("and", noun.end)
        other = self.noun(second + 1) if second is not None else None
        return self._make("equal", [noun, *([other] if other else [])], qualified=False)

    def _comparison(self) -> Question | None:
        """ "which has more dogs", "are there more cats than dogs", "how many more cars are in the first"."""
        if self.index("outnumber", 0) is not None:
            return self._outnumbering()
        spans = [
            (at, end, part)
            for part in ("more", "fewer", "most", "fewest")
            for at, end in vocabulary.find(self.words, part)
            if not (vocabulary.relation(self.words, at) or self._is_in_relation(at))
        ]
        source = self._asks_for_source()
        for at, end, part in sorted(spans):
            noun = self.noun(end) or self._measured_before(at) or (self._meant(at, end) if source else None)
            if noun is None or (
                noun.meaning is None and not noun.everything and part in ("most", "fewest") and not source
            ):
                continue
            is_more = part in ("more", "most")
            if source:
                return self._make("most" if is_more else "fewest", [noun], qualified=False)
            if part in ("most", "fewest"):
                continue
            than = self.index("than", max(noun.end, at)) or self.index("or", noun.end)
            other = self.noun(than + 1) if than is not None else None
            objects = [noun, *([other] if other else [])]
            if self.words[at - 1].lower in ("many", "much"):
                return self._make("difference", objects, qualified=False)
            if than is not None:
                return self._make("more" if is_more else "fewer", objects, qualified=False)
        return None

    def _meant(self, at: int, end: int) -> Noun | None:
        """What "which has the most?" and "which has most of them?" take up; None where more is said."""
        after = end + 2 if self.lower(end) == "of" and self.lower(end + 1) in ("them", "these", "those") else end
        is_end = not any(word.lower.isalnum() for word in self.words[after:])
        return Noun(at, at, end, (), THEM, None, everything=True) if is_end else None

    def _measured_before(self, at: int) -> Noun | None:
        """What is counted in "is the number of dogs higher …"."""
        measure = next((start for start, _ in vocabulary.find(self.words, "measure") if start < at), None)
        return None if measure is None else self.noun(measure)

    def _outnumbering(self) -> Question | None:
        verb = self.index("outnumber", 0) or 0
        first = next((noun for at in range(verb) if (noun := self.noun(at)) and noun.end <= verb), None)
        second = self.noun(verb + 1)
        return self._make("more", [first, second], qualified=False) if first and second else None

    def _filter(self) -> Question | None:
        """ "which of these show a dog", "pictures without people"."""
        source = self._asks_for_source() or self._selected_source()
        if not source:
            return None
        for at in range(source, len(self.words)):
            word = self.words[at]
            is_containing = vocabulary.match(self.words, at, "contain") > at and word.is_verb
            without = vocabulary.match(self.words, at, "without")
            is_a = self.lower(at + 1) in ("a", "an")
            is_place = word.lemma == "be" and self.lower(at + 1) != "there" and (is_a or self._asks_where(source))
            if not (is_containing or is_place or without > at or word.lower in ("with", "there", "see")):
                continue
            start = max(without, at + 1)
            relation = vocabulary.relation(self.words, start)
            if nouns := self.nouns(relation[2] if relation else start):
                within = range(start, relation[2]) if relation else range(0)
                negated = self._is_negated(source, nouns[-1].head, within)
                return self._make("filter", nouns, negated=negated, relation=relation)
        return None

    def _asks_where(self, source: int) -> bool:
        """Whether a question begins like "on which": what it asks for is the place of what follows."""
        return any(
            self.lower(at) in _INTERROGATIVES and vocabulary.match(self.words, at - 1, "place") > at - 1
            for at in range(1, source)
        )

    def _alternatives(self) -> Question | None:
        """ "what is that thing, a lighthouse or a rocket", "is it a cat or a dog"."""
        at, joint = self._first_word(), self.index("or", 0)
        is_asked = self.lower(at) in (*_INTERROGATIVES, "be") or self.tag(at)[:2] == "VB"
        if joint is None or joint <= at or not is_asked or self.lower(joint + 1) not in ("a", "an"):
            return None
        starts = (start for start in range(at + 2, joint) if self.lower(start) in ("a", "an"))
        first = next((noun for start in starts if (noun := self.noun(start)) and noun.end == joint), None)
        is_of_being = any(self.words[index].lemma in ("be", "'s", "’s") for index in range(at, at + 3))
        second = self.noun(joint + 1)
        if not (first and second and is_of_being) or self.index("there", at) is not None:
            return None
        return self._make("exists", [first, second], qualified=False)

    def _identity(self) -> Question | None:
        """ "is this a castle", "isn't that a dog", "are they both cats"."""
        at = self._first_word()
        start = at + 1 + (self.lower(at + 1) in ("n't", "n’t", "not"))
        if self.words[at : at + 1] and self.words[at].lemma == "be" and self.lower(start) in ("this", "that", "it"):
            noun = self.noun(start + 1) if self.lower(start + 1) in ("a", "an") else None
            return self._make("exists", [noun]) if noun else None
        if self.words[at : at + 1] and self.words[at].lemma == "be" and (end := self.taken_up(start)):
            return self._make("exists", [noun]) if (noun := self.noun(end)) and noun.meaning else None
        return None

    def _listing(self) -> Question | None:
        """ "what animals are there", "name everything except the cat"."""
        start = self._first_word()
        asked = self.words[start].lower if start < len(self.words) else ""
        if asked in _INTERROGATIVES:
            noun = self.noun(start + 1)
            else_at = start + 1 + (self.lower(start + 1) == "else")
            if noun and (noun.meaning or noun.everything):
                is_listed = self._is_of_existence(noun.end) and not self._asks_for_identity(noun)
                return self._make("list", [noun]) if is_listed else None
            if self.has_exclusion or (asked == "what" and else_at > start + 1):
                return Question("list", (self._everything(asked),), ())
            return None
        for at in range(len(self.words)):
            if self._is_command(at):
                noun = self.noun(at + 1) or (self.noun(at + 2) if self.lower(at + 1) == "me" else None)
                if noun and (noun.meaning or noun.everything):
                    if self._asks_for_identity(noun):
                        return None
                    is_found = vocabulary.match(self.words, at, "find") > at and not noun.everything
                    return self._make("count" if is_found else "list", self.coordinated(noun))
        if self.has_exclusion:
            noun = next((noun for at in range(len(self.words)) if (noun := self.noun(at))), None)
            if noun and self.index("many", 0) is None:
                return self._make("list", [noun]) if noun.meaning or noun.everything else None
        return None

    def _is_command(self, at: int) -> bool:
        """Whether a word is "list" or "find", but not "spot" in "could you spot a kite?"."""
        if vocabulary.match(self.words, at, "list", "find") == at or self.words[at].tag not in _OF_COMMANDS:
            return False
        is_question = self._is_perceiving(at) and self.lower(at + 1) in ("a", "an", "any")
        return not (is_question or self._is_containing(at))

    def _counting(self) -> Question | None:
        for at, word in enumerate(self.words):
            many = word.lower == "many" and self.lower(at - 1) in ("how", "as", "so")
            verb = vocabulary.match(self.words, at, "count") > at and (word.is_verb or at == self._first_word())
            measure = vocabulary.match(self.words, at, "measure") > at and self.lower(at + 1) == "of"
            if many:
                nouns = self._counted(at + 1)
            elif verb:
                nouns = self.nouns(self._after_many(at + 1 + (self.lower(at + 1) == "up")))
            elif measure:
                nouns = self.nouns(at)
            elif word.lower == "count" and at and (noun := self.noun_before(at)):
                nouns = [noun]
                self.used.add(at)
            else:
                continue
            if nouns and all(noun.is_kind for noun in nouns):
                return self._make("list", nouns)
            if many and self.lower(at - 2) == "by":
                return self._make("difference", nouns, qualified=False) if nouns else None
            return self._make("count", nouns) if nouns else None
        head = self.index("headcount", 0)
        return self._make("count", [noun]) if head is not None and (noun := self.noun(head)) else None

    def _counted(self, start: int) -> list[Noun]:
        """The nouns after "how many", also of "how many of them are dogs" and "how many are there of the apples"."""
        nouns = self.nouns(start)
        is_about_them = not nouns or nouns[0].everything
        if not is_about_them:
            return nouns
        for at in range(start, len(self.words)):
            if self.words[at].lemma == "be" or (at > start and self.words[at].lower == "of"):
                after = at + 1 + (self.lower(at + 1) == "there")
                if (later := self.nouns(after)) and later[0].meaning:
                    self.used.update(range(start, later[0].start))
                    return later
        return nouns or self._taken_up(start)

    def _taken_up(self, start: int) -> list[Noun]:
        """What "how many of them are lying down" takes up, where something is said of it."""
        end = self.medium(start + 1) if self.lower(start) == "of" else start
        is_pronoun = end > start or (start < len(self.words) and self.words[start].lemma == "be")
        if not is_pronoun or not any(self.words[at].lower.isalpha() for at in self._left_over(end, len(self.words))):
            return []
        return [Noun(start, start, end, (), THEM, None, everything=True)]

    def _existence(self) -> Question | None:
        first = self._first_word()
        if self.lower(first) == "what" and first + 1 < len(self.words) and self.words[first + 1].lemma in ("be", "’s"):
            return None  # "what is on the one without animals?"
        for at in self._anchors():
            relation = vocabulary.relation(self.words, at)
            nouns = self.nouns(relation[2] if relation else at)
            if not nouns and relation and not self._left_over(relation[2], len(self.words)):
                nouns = [Noun(relation[2], relation[2], relation[2], (), THEM, None, everything=True)]
            if not nouns or (nouns[0].meaning is None and self.medium(nouns[0].start)):
                continue
            negated = self._is_negated(0, nouns[-1].head, range(at, relation[2]) if relation else range(0))
            later = self.noun(nouns[-1].end)  # "are any of the animals cows?"
            if later and later.meaning and later.start == later.head:
                nouns = [later]
            return self._make("exists", nouns, negated=negated, relation=relation)
        return None

    def _anchors(self) -> Iterator[int]:
        """Where the noun of a question whether there is something may begin."""
        first = self._first_word()
        for at, word in enumerate(self.words):
            before, after = self.lower(at - 1), self.lower(at + 1)
            if word.lower == "there" and self._nearby(at, "be"):
                yield max(self._nearby(at, "be"), at) + 1
            elif self._is_perceiving(at) or self._is_containing(at):
                begin = at + 1 + (after == "got")
                yield self.medium(begin) or begin
            elif vocabulary.match(self.words, at, "without") > at:
                yield vocabulary.match(self.words, at, "without")
            elif at == first and (self._begins_inverted(at) or self._states(at)):
                yield at + (not self._states(at))
            elif (word.lower in ("any", "no") and (at == first or before in ("do", "does"))) or (
                word.lower in ("a", "an", "any", "no", "some") and before in ("if", "whether")
            ):
                yield at
        if self.is_condition:
            yield from (at for at in range(len(self.words)) if (noun := self.noun(at)) and noun.meaning)

    # parts of frames

    def _begins_inverted(self, at: int) -> bool:
        """Whether a verb begins a question about any object: "is a dog …", "can a clock …", not "is the man …"."""
        if self.words[at].tag == "MD":
            return self.lower(at + 1) in ("a", "an", "any", "some")
        is_verb = self.words[at].lemma in ("do", "be", "have")
        return is_verb and self.lower(at + 1) != "there" and not self._is_definite(at + 1)

    def _states(self, at: int) -> bool:
        """Whether "whether people are in it" says after its "whether" what it asks."""
        noun = None if self.lower(at - 1) not in ("if", "whether") or self._is_definite(at) else self.noun(at)
        is_there = noun is not None and self.words[noun.end : noun.end + 1] and self.words[noun.end].lemma == "be"
        return bool(is_there and noun and self.scene(noun.end + 1))

    def _first_word(self) -> int:
        """The word with which the question begins, after a place ("in the picture, …"), "tell me" or "please"."""
        at = 0
        while at < len(self.words):
            after = self.scene(at) or self.medium(at) or 0
            word = self.words[at]
            if after > at:
                at = after
            elif (
                word.is_mark or word.tag in ("UH", "CC") or word.lower in ("please", "so", "then", "also", "now", "me")
            ):
                at += 1
            elif self._is_lead_in(at):
                at += 2
            elif word.lower in ("if", "whether"):
                at += 1
            else:
                break
        return at

    def _is_lead_in(self, at: int) -> bool:
        """Whether a question follows "tell me"."""
        is_telling = self.lower(at) in ("tell", "say", "show", "give") and self.lower(at + 1) in ("me", "us")
        return is_telling and self.lower(at + 2) in (*_INTERROGATIVES, "how", "if", "whether", "where")

    def _after_many(self, at: int) -> int:
        """The word after "(the) number of", "how many": where the noun begins."""
        while self.lower(at) in ("how", "many", "the", "most", "fewest", "least"):
            at += 1
        return at

    def _nearby(self, at: int, lemma: str) -> int:
        """The index of a form of "be" beside "there", plus nothing; 0 where there is none."""
        for index in (at - 1, at + 1, at - 2, at + 2):
            if 0 <= index < len(self.words) and self.words[index].lemma in (lemma, "’s", "'s"):
                return max(index, 1) if index else at
        return 0

    def _is_perceiving(self, at: int) -> bool:
        """Whether a word is "see" in "can you see"."""
        if vocabulary.match(self.words, at, "perceive") == at or not self.words[at].is_verb:
            return False
        return any(self.lower(at - back) in ("you", "u", "i", "we", "one") for back in (1, 2))

    def _is_containing(self, at: int) -> bool:
        """Whether a word is "show" in "does the picture show" or "it shows", or "has" in "has it got"."""
        if vocabulary.match(self.words, at, "contain") == at:
            return False
        before = self._subject_before(at)
        return before < at or (
            self.words[at].lemma == "have" and bool(self.medium(at + 1)) and at == self._first_word()
        )

    def _subject_before(self, at: int) -> int:
        """Where the picture begins that is the subject of the verb at a word; `at` where the subject is another."""
        end = at
        while end and (
            self.words[end - 1].tag in ("MD", "RB") or self.words[end - 1].lemma in ("do", "not", "n't", "have")
        ):
            end -= 1
        for start in range(max(0, end - 7), end):
            if self.medium(start) == end:
                return start
        return at

    def _is_definite(self, at: int) -> bool:
        """Whether "is the man …" asks about a certain man, not whether there is one."""
        return self.lower(at) in _DEFINITE

    def _is_of_existence(self, at: int) -> bool:
        """Whether what follows "which animals" is "are there", "do you see", "does it show" or nothing."""
        left = [word for word in self._left_over(at, len(self.words)) if self.words[word].is_finite]
        return not left

    def _asks_for_identity(self, noun: Noun) -> bool:
        """Whether a question is what one thing is, not which things there are: "what kind of bird is that"."""
        is_single = noun.is_kind and noun.meaning is not None and len(noun.meaning.labels) == 1
        following = {self.lower(at) for at in range(noun.end, noun.end + 3)}
        return is_single or (bool(following & {"that", "this", "it"}) and "is" in following)

    def _is_negated(self, start: int, end: int, within: range = range(0)) -> bool:
        """Whether an odd number of words deny: "no dog", "does not show", not the "isn't" that begins a question."""
        first = self._first_word()
        spans = [at for at, _ in vocabulary.find(self.words, "negative", start=start) if at <= end and at not in within]
        if (
            spans
            and spans[0] == first + 1
            and self.words[first].lemma in ("be", "do", "can", "have")
            and not self.is_condition
        ):
            spans = spans[1:]
        self.used.update(spans)
        return len(spans) % 2 == 1

    def _is_in_relation(self, at: int) -> bool:
        return any(
            vocabulary.relation(self.words, before)
            for before in (at - 1, at - 2)
            if before >= 0 and number_is_after(self.words, before, at)
        )

    def _asks_for_source(self) -> int:
        """The word after "which picture", "which of them", "where" or "who"; 0 where no source is asked for."""
        for at, word in enumerate(self.words):
            if word.lower in _INTERROGATIVES:
                is_one = self.lower(at + 1) == "one" and self.lower(at + 2) == "of"
                end = self.medium(at + 1 + (2 if is_one else self.lower(at + 1) == "of"))
                if end:
                    return end
                following = self.words[at + 1] if at + 1 < len(self.words) else None
                is_place = at and vocabulary.match(self.words, at - 1, "place") > at - 1
                if is_place and following and following.lemma == "be":
                    return at + 1
                if word.lower == "which" and following and vocabulary.match(self.words, at + 1, "contain") > at + 1:
                    return at + 1
            if word.lower in ("where", "who") and at <= self._first_word() + 1:
                return at + 1
        return 0

    def _selected_source(self) -> int:
        """The word after the pictures in "(show me only the) pictures with a dog"; 0 where a clause has none."""
        for at in range(len(self.words)):
            end = self.medium(at)
            plural = end and self.words[end - 1].tag == "NNS"
            if plural and (
                self.lower(end) in ("with", "that", "which", "where")
                or vocabulary.match(self.words, end, "without") > end
            ):
                return end
        return 0

    # the answer

    def _exclude(self) -> None:
        for at, end in vocabulary.find(self.words, "exclude", "exclude around", "except after all"):
            is_joint = self.words[at].lower == "but" and end == at + 1
            if is_joint and self.lower(at - 1) not in ("everything", "all", "anything", "things", "objects"):
                continue
            nouns = [noun for noun in self.nouns(end) if self.lower(noun.start) not in _INTERROGATIVES]
            after = nouns[-1].end if nouns else end
            stop = vocabulary.match(self.words, after, "exclude behind")
            if stop == after and vocabulary.match(self.words, at, "exclude around") == end:
                continue  # "leave it", but not "aside"
            if not nouns or any(noun.modifiers or not noun.meaning or noun.meaning.is_wider for noun in nouns):
                continue  # "besides the photographer" is left as a qualifier that nothing can judge
            self.has_exclusion = True
            labels = (label for noun in nouns if noun.meaning for label in noun.meaning.labels)
            self.excluded = tuple(dict.fromkeys([*self.excluded, *labels]))
            at -= 2 * (self.lower(at - 2) == "if")  # "if you leave them out"
            self.words = [*self.words[:at], *self.words[stop:]]
            if at and self.words[at - 1].lower in ("but", ",", "and"):
                self.words = [*self.words[: at - 1], *self.words[at:]]
            elif not at and self.lower(0) in (",", ":", ";"):
                self.words = self.words[1:]
            self.words = [word for word in self.words if word.lower != "else"]
            self._exclude()
            return

    def _everything(self, words: str) -> Objects:
        return Objects(words, everything=True, excluded=self.excluded)

    def _make(
        self,
        operation: Operation,
        nouns: Sequence[Noun],
        *,
        negated: bool = False,
        relation: tuple[Relation, float, int] | None = None,
        qualified: bool = True,
    ) -> Question:
        for noun in nouns:
            self.used.update(range(noun.start, noun.end))
        after = nouns[-1].end
        left = self._left_over(after, len(self.words)) if qualified else []
        common = [*self._place_before(nouns[0].start), *self._runs(left)] if qualified else []
        objects = tuple(self._objects(noun, common) for noun in nouns)
        sign, number = relation[:2] if relation else (None, None)
        return Question(operation, objects, (), negated=negated, relation=sign, number=number)

    def _objects(self, noun: Noun, common: Sequence[str]) -> Objects:
        of = self._runs(noun.modifiers)
        if noun.is_kind:
            of = []
        unjudged = "; ".join(dict.fromkeys([*([noun.collective] if noun.collective else []), *of, *common]))
        if noun.meaning is None:
            return Objects(noun.label, (), noun.everything, unjudged, self.excluded)
        return Objects(noun.label, noun.meaning.labels, False, unjudged, self.excluded, noun.meaning.is_wider)

    def _place_before(self, end: int) -> list[str]:
        """A place before the question that is no whole picture: "On the left, how many …"."""
        if (
            end == 0
            or vocabulary.match(self.words, 0, "place") == 0
            or self.scene(0)
            or self.is_condition
            or self._asks_where(end)
        ):
            return []
        comma = self.index(",", 0)
        stop = comma if comma is not None and comma < end else 0
        return self._runs(range(stop))

    def _left_over(self, start: int, end: int) -> list[int]:
        """The words that neither the question nor a place accounts for."""
        left, at = [], start
        while at < end:
            following = self._understood(at)
            left += [] if following > at else [at]
            at = max(following, at + 1)
        return left

    def _understood(self, at: int) -> int:
        """Where the words end that only carry the question, from a word on; `at` where it is no such word."""
        word = self.words[at]
        if at in self.used or word.is_mark:
            return at + 1
        for end in (self.scene(at), vocabulary.match(self.words, at, "whole", "standing there"), self._carrier(at)):
            if end > at:
                return end
        if word.lower == "there" or word.lemma in ("be", "exist", "appear") or word.tag == "POS":
            return at + 1
        return at

    def _carrier(self, at: int) -> int:
        """Where "can you see", "does the picture show" or "that you can find" ends."""
        index = at
        if self.lower(index) in ("that", "which", "who"):
            index += 1
        while vocabulary.match(self.words, index, "auxiliary") > index:
            index += 1
        subject = index + 1 if self.lower(index) in ("you", "u", "i", "we", "one") else self.medium(index)
        if subject > index:
            while vocabulary.match(self.words, subject, "auxiliary") > subject or self.tag(subject) == "RB":
                subject += 1
            end = vocabulary.match(self.words, subject, "contain", "perceive")
            if end > subject:
                return end + (self.lower(end) == "got")
            return subject if self.medium(index) and subject == len(self.words) else 0
        if self.lower(index) == "be" and vocabulary.match(self.words, index + 1, "perceive") > index + 1:
            return index + 2
        return 0

    def _runs(self, indices: Sequence[int] | range) -> list[str]:
        """The text of words, those that stand together as one; "that are lying" keeps its "are"."""
        runs: list[list[int]] = []
        for index in indices:
            gap = runs and index - runs[-1][-1]
            joins = gap == 1 or (
                gap == 2
                and (
                    self.words[index - 1].is_mark
                    or self.tag(index - 1) == "POS"
                    or self.lower(runs[-1][-1]) in ("that", "which", "who")
                )
            )
            if joins:
                runs[-1].append(index)
            else:
                runs.append([index])
        texts = [self.text[self.words[run[0]].start : self.words[run[-1]].end] for run in runs]
        return [text.strip(" ,.;:?!") for text in texts if re.search(r"\w\w", text)]


def number_is_after(words: Sequence[Word], before: int, at: int) -> bool:
    """Whether a comparison with a number that begins at a word extends beyond another word."""
    found = vocabulary.relation(words, before)
    return found is not None and found[2] > at
