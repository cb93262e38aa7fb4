"""What the words of a question name by their meaning, as a sentence encoder (MiniLM) tells it.

A word is bound to the column or cell that is nearest, where it is near enough and much nearer than the next one.
"""

from __future__ import annotations

import re

from hugginggpt.experts.table_columns import Column, holding
from hugginggpt.experts.table_fillers import DEEDS, MATTERS, VITAL, Sentence, mattering
from hugginggpt.experts.table_grammar import peoples
from hugginggpt.experts.table_mentions import Mention, Reader
from hugginggpt.experts.table_tokens import (
    closeness,
    closeness_across_languages,
    is_known,
    offsets,
    without_units,
)
from hugginggpt.experts.table_words import WEEKDAYS, WEIGHTLESS

MIN_SIMILARITY, MIN_MARGIN = 0.69, 0.12
"""How close in meaning (MiniLM) a word must be to the name of a column, and how much closer than to the next."""
MIN_VERB_SIMILARITY, MIN_VERB_MARGIN = 0.5, 0.18
"""The same for a verb and a column of numbers."""
MIN_NOUN_SIMILARITY, MIN_NOUN_MARGIN = 0.5, 0.18
"""The same for a noun and a column of numbers: "electricity" for kwh, "revenue" for sales."""
MIN_BESIDE_SIMILARITY = 0.4
"""How close a noun must be to a column that another word names already, to say the same."""
MIN_KIN_SIMILARITY, MAX_KIN_RATIO = 0.45, 2
"""How close a plural must be to one of several columns of one kind, whose greatest values differ by so many times."""
MIN_NATION_SIMILARITY, MIN_NATION_MARGIN = 0.6, 0.11
"""The same for the people of a country and a cell: "German" for Germany, "Dutch" for Netherlands."""
MIN_ROW_SIMILARITY = 0.45
MIN_VALUE_SIMILARITY = 0.78
"""How close a noun must be to a cell: kin such as cats and dogs are at 0.75 at most, "kids" and children at 0.88."""
MAX_NATIONS = 60
MIN_CELL_SIMILARITY, MIN_CELL_MARGIN = 0.5, 0.15
"""How close to a cell, and how much closer than to the middle one, a word is that picks some rows ("birds")."""
MIN_FOREIGN_SIMILARITY, MIN_FOREIGN_MARGIN = 0.86, 0.03
"""The same for a word of another language than the table's, by the encoder of many languages."""
MAX_FOREIGN = 4
"""Of more unknown words none is looked for in another language."""

_LITTLE = frozenset(["easy", "easiest", "few", "gentle", "gentlest", "little", "small", "soft", "calm", "calmest"])
"""Adjectives of which the superlative is not the highest number."""

_LIMITING = frozenset(["still", "already", "yet", "never", "ever", "again"])
_MARK = re.compile(r"[,;.!?:(](?!\d)|\s[-–—]\s")
_OWNING = frozenset(f"{verb} {whose}" for verb in ("did", "does", "do", "has", "have") for whose in ("my", "our"))
_DONE = frozenset(["VBD", "VBZ", "VBP", "VBG", "VBN"])
"""The tags of verbs that are no orders and stand behind no auxiliary: "fell", "has eaten"."""
_PARTICLES = frozenset(["RP", "IN", "RB"])
_TIMES = frozenset(["day", "date", "night", "week", "month", "year", "time", "hour", "minute"])


class MeaningReader(Reader):
    """Reads the mentions in a question, those by meaning last."""

    def _similar(self) -> None:
        """Mentions by meaning (MiniLM): of a column by a word like its name, of the rows by a noun like the title."""
        self._nations()
        names = [" ".join(without_units(column.words)) for column in self.table.columns]
        labels = [index for index, column in enumerate(self.table.columns) if column in self.table.labels]
        for at, token in enumerate(self.tokens):
            if at in self._taken or self._is_weightless(at) or not token.lower.isalpha():
                continue
            if self._is_unknown_superlative(at):
                self.mentions.append(Mention(at, at + 1, "word", token.lower, ("super", "much")))
                self.notes.append(f"I took “{token.text}” to mean the highest.")
                self._taken.add(at)
                continue
            end = at + 2 if self._is_compound(at) else at + 1
            nearness = closeness(self._lower(at, end), [*names, self.table.title or "rows"])
            ranked = sorted(range(len(names)), key=lambda index: -nearness[index])
            best = nearness[ranked[0]]
            margin = best - nearness[ranked[1]] if len(ranked) > 1 else 1
            near = [nearness[index] for index in (range(len(names)) if self._is_measured(at) else labels)]
            if kin := self._kin(at, ranked[0], best):
                self.mentions.append(Mention(at, end, "column", self._text(at, end), "kin", columns=kin))
            elif self._means_rows(at, best, max(nearness[-1], *near), nearness[-1]):
                self.mentions.append(Mention(at, end, "row", self._lower(at, end)))
            elif self._is_beside(at, self._lower(at, end)):
                pass
            elif (best >= MIN_SIMILARITY and margin >= MIN_MARGIN) or self._is_measure(at, ranked[0], best, margin):
                column = self.table.columns[ranked[0]]
                note = f"I took “{self._text(at, end)}” to mean the column {column.name}."
                self.mentions.append(Mention(at, end, "column", self._text(at, end), columns=(column,), note=note))
            else:
                continue
            self._taken.update(range(at, end))
        self._foreign()

    def _foreign(self) -> None:
        """Mentions by words of another language than the table's: "water" for Wasser, "cheeses" for Queso."""
        is_foreign = any(len(column.senses) > len(set(column.words)) for column in self.table.columns)
        left = [at for at in self._left() if self.tokens[at].lower.isalpha()]
        left = [at for at in left if is_foreign or not is_known(self.tokens[at].lower)]
        if not left or len(left) > MAX_FOREIGN:
            return
        names: dict[str, tuple[Column, str]] = {}
        for column in self.table.columns:
            names[" ".join(without_units(column.words))] = (column, "")
            if column.type == "text" and len(column.distinct) <= MAX_NATIONS:
                names.update({cell: (column, cell) for cell in column.distinct})
        for at in left:
            nearness = closeness_across_languages(self.tokens[at].text, names)
            (best, name), (second, _) = sorted(zip([*nearness, 0.0], [*names, ""], strict=True), reverse=True)[:2]
            if best < MIN_FOREIGN_SIMILARITY or best - second < MIN_FOREIGN_MARGIN:
                continue
            column, cell = names[name]
            note = f"I took “{self.tokens[at].text}” to mean {cell or column.name}."
            if cell:
                self.mentions.append(Mention(at, at + 1, "value", self.tokens[at].text, [cell], (column,)))
                self.notes.append(note)
            else:
                self.mentions.append(Mention(at, at + 1, "column", self.tokens[at].text, columns=(column,), note=note))
            self._taken.add(at)

    @property
    def sentence(self) -> Sentence:
        """The question with what is named in it."""
        places = offsets(self.text, self.tokens)
        named = [(places[one.start][0], places[one.end - 1][1], one.kind) for one in self.mentions]
        return Sentence(self.table, self.text, named)

    def leave_fillers(self, is_foreign: bool = False) -> None:
        """Leaves words unread that name nothing and do not matter. Of a question that was put into English word by
        word, these are words of English.
        """
        places, left = offsets(self.text, self.tokens), self._left()
        left = [at for at in left if not is_foreign or is_known(self.tokens[at].lower)]
        self.matters = dict(zip(left, mattering(self.sentence, [places[at] for at in left]), strict=True))
        idle = [at for at in left if self.matters[at] < self._bound(at)]
        self._taken.update(idle)
        self.idle += [self.tokens[at].text for at in idle]

    def _bound(self, at: int) -> float:
        """The probability that a word matters below which it is left out where it stands."""
        if self.tokens[at].lower.endswith(("nt", "n't")) and not is_known(self.tokens[at].lower):
            return 0.0  # a misspelt denial
        is_deed = self.is_verb(at) and self._lower(at - 1, at) in ("i", "we", "you", "they")  # "how far did we ride"
        return VITAL if self._says_nothing(at) else DEEDS if is_deed else MATTERS

    def _says_nothing(self, at: int) -> bool:
        """Whether a word stands where hardly anything matters: in an aside, in what something is for, as whose table it
        is ("what did my kiosk take"), or as the verb of what is computed ("which job ate up the most material").
        """
        is_owner = self._lower(max(0, at - 2), at) in _OWNING
        return is_owner or self._is_aside(at) or self._is_purpose(at) or self._is_carried(at)

    def _is_aside(self, at: int) -> bool:
        """Whether the clause of a word, between marks, names nothing, and another one does."""
        places = offsets(self.text, self.tokens)
        marks = [0, *(mark.end() for mark in _MARK.finditer(self.text)), len(self.text)]
        start, end = max(one for one in marks if one <= places[at][0]), min(one for one in marks if one > places[at][0])
        told = [one for one in self.mentions if one.kind != "row" and not one.is_word("which", "who")]
        return bool(told) and not any(start <= places[one.start][0] < end for one in told)

    def _is_purpose(self, at: int) -> bool:
        """Whether a word stands right behind "for the", "for my": whoever or whatever something is made for."""
        before = [token.lower for token in self.tokens[max(0, at - 4) : at]]
        return "for" in before and before[before.index("for") + 1 :][:1] in (["the"], ["my"], ["our"])

    def _is_carried(self, at: int) -> bool:
        """Whether a word is a verb, or its particle, of which the meaning is that of a column and of what is computed
        of it.
        """
        tags = [
            word.tag if (word := self._tagged.get(token.lower)) else ""
            for token in self.tokens[max(0, at - 1) : at + 1]
        ]
        is_verb = tags[-1] in _DONE or (tags[-1] in _PARTICLES and len(tags) > 1 and tags[0] in _DONE)
        computes = any(
            one.is_word("super", "aggregate", "count", "top") or one.kind in ("superlative", "asks")
            for one in self.mentions
        )
        measures = any(one.kind == "column" and any(c.is_measure for c in one.columns) for one in self.mentions)
        return is_verb and computes and measures

    def is_vital(self, at: int) -> bool:
        """Whether an unread word may say of whom or of what it is asked, so that nothing is sure without it."""
        token = self.tokens[at]
        is_word = token.text.islower() and token.lower.isalpha()
        is_denial = self._bound(at) == 0
        return is_denial or self.matters.get(at, 1.0) >= VITAL or not is_word or self._picks(at) or self._is_limited(at)

    def _is_limited(self, at: int) -> bool:
        """Whether an unread word is a verb that "still" or "never" makes a condition: "what is Joan still holding"."""
        return self.is_verb(at) and bool(_LIMITING & {token.lower for token in self.tokens})

    def is_verb(self, at: int) -> bool:
        tagged = self._tagged.get(self.tokens[at].lower)
        return tagged is not None and tagged.is_verb

    def _is_unknown_superlative(self, at: int) -> bool:
        """Whether a word is a superlative that measures nothing, before a column of numbers: "the hardest climb"."""
        tagged = self._tagged.get(self.tokens[at].lower)
        named = next((m for m in self.mentions if m.start == at + 1 and m.kind == "column"), None)
        is_measured = named is not None and any(column.is_measure for column in named.columns)
        return is_measured and tagged is not None and tagged.lower.endswith("est") and tagged.lemma not in _LITTLE

    def _is_beside(self, at: int, words: str) -> bool:
        """Whether a noun only says again what a column of numbers holds that is named beside it: "used the most power"
        of used_kwh.
        """
        tagged = self._tagged.get(self.tokens[at].lower)
        named = [
            c for m in self.mentions if m.kind == "column" and len(m.columns) == 1 for c in m.columns if c.is_measure
        ]
        if tagged is None or not tagged.is_noun or not named:
            return False
        return max(closeness(words, [" ".join(column.words) for column in named])) >= MIN_BESIDE_SIMILARITY

    def _kin(self, at: int, index: int, similarity: float) -> tuple[Column, ...]:
        """The columns of numbers of one kind that a plural means, such as the marks of a class; () for another word."""
        measures = [column for column in self.table.columns if column.is_measure and not column.computed]
        tagged, best = self._tagged.get(self.tokens[at].lower), self.table.columns[index]
        if tagged is None or tagged.tag != "NNS" or best not in measures or similarity < MIN_KIN_SIMILARITY:
            return ()
        tops = {column: max(map(abs, column.present), default=0) for column in measures}
        kin = tuple(c for c in measures if 1 / MAX_KIN_RATIO <= tops[c] / (tops[best] or 1) <= MAX_KIN_RATIO)
        return kin if len(kin) > 1 else ()

    def _is_compound(self, at: int) -> bool:
        """Whether a word and the next are two nouns that name nothing ("kilowatt hours")."""
        words = [self._tagged.get(token.lower) for token in self.tokens[at : at + 2]]
        is_free = len(words) == 2 and self._taken.isdisjoint((at, at + 1))
        return is_free and all(word is not None and word.tag in ("NN", "NNS") for word in words)

    def _is_measure(self, at: int, index: int, similarity: float, margin: float) -> bool:
        """Whether a verb says what a column of numbers counts ("borrowed most"), or a noun what it holds."""
        tagged = self._tagged.get(self.tokens[at].lower)
        if tagged is None or not self.table.columns[index].is_measure:
            return False
        if tagged.is_verb:
            measuring = "super", "aggregate", "count", "compare", "top"
            asks = any(mention.is_word(*measuring) or mention.kind == "asks" for mention in self.mentions)
            return asks and similarity >= MIN_VERB_SIMILARITY and margin >= MIN_VERB_MARGIN
        is_noun = tagged.tag in ("NN", "NNS")
        return is_noun and similarity >= MIN_NOUN_SIMILARITY and margin >= MIN_NOUN_MARGIN

    def _nations(self) -> None:
        """Mentions of a cell by the people of a country ("just the German ones"), or by a noun that means the same."""
        texts = {cell: column for column, cell, _ in self._cells() if len(column.distinct) <= MAX_NATIONS}
        left = self._left() if texts else []
        people = peoples(self.text) if left else ()
        for at in left:
            token = self.tokens[at]
            tagged = self._tagged.get(token.lower)
            is_noun = tagged is not None and tagged.tag in ("NN", "NNS") and token.lower not in WEEKDAYS
            if token.lower not in people and not is_noun:
                continue
            nearness = closeness(token.text, texts)
            (best, cell), (second, _) = sorted(zip([*nearness, 0.0], [*texts, ""], strict=True), reverse=True)[:2]
            is_nation = token.lower in people
            if (
                best >= MIN_NATION_SIMILARITY if is_nation else best >= MIN_VALUE_SIMILARITY
            ) and best - second >= MIN_NATION_MARGIN:
                self.notes.append(f"I took “{token.text}” to mean {cell}.")
                self.mentions.append(Mention(at, at + 1, "value", token.text, [cell], (texts[cell],)))
                self._taken.add(at)

    def _is_measured(self, at: int) -> bool:
        """Whether a noun follows a superlative of something that the table holds: "the longest exposure" in seconds."""
        before = next(
            (mention for mention in self.mentions if mention.end == at and mention.kind == "superlative"), None
        )
        return before is not None and any(holding(self.table, dimension)[0] for dimension, _, _ in before.payload)

    def _picks(self, at: int) -> bool:
        """Whether a word is close in meaning to a cell, and much closer than to most: "birds" among pets."""
        for column in self.table.columns:
            if column.type == "text" and len(column.distinct) <= MAX_NATIONS:
                nearness = sorted(closeness(self.tokens[at].lower, column.distinct), reverse=True)
                best, middle = nearness[0], nearness[len(nearness) // 2]
                if best >= MIN_CELL_SIMILARITY and best - middle >= MIN_CELL_MARGIN:
                    return True
        return False

    def _names_rows(self, at: int) -> bool:
        """Whether a noun says what the rows are, whatever it means: "which class …", "vegetarian meals"."""
        tagged = self._tagged.get(self.tokens[at].lower)
        before = max((m for m in self.mentions if m.end <= at), key=lambda m: m.end, default=None)
        is_plural = tagged is not None and tagged.tag == "NNS"
        if at == 0 and is_plural and not any(word.is_verb for word in self._tagged.values()):
            return bool(self.mentions)  # "books by Austen"
        leads = before is not None and (before.text == "which" or before.kind in ("superlative", "value"))
        between = self.tokens[before.end : at] if before else ()
        is_next = before is not None and before.text == "which" and before.end == at
        is_next = is_next and (self._follows_nothing(at) or self.tokens[at].stem != self.tokens[at].lower)
        is_noun = tagged is not None and (tagged.tag in ("NN", "NNS") or is_next)
        if (before is not None and before.kind == "value" and before.end < at) or self.tokens[at].stem in _TIMES:
            return False  # "Bruno's blood pressure", "which day"
        return leads and is_noun and all(token.lower in WEIGHTLESS for token in between)

    def _follows_nothing(self, at: int) -> bool:
        """Whether a word behind "which" is the noun, in whatever language: one that the encoder does not know."""
        return self.tokens[at].lower.isalpha() and not is_known(self.tokens[at].lower)

    def _means_rows(self, at: int, column: float, near: float, title: float) -> bool:
        """Whether a word stands for the rows, by how close it is to a column, to what names a row, and to the title."""
        if column < MIN_SIMILARITY and near >= MIN_ROW_SIMILARITY and self._is_head(at):
            return True
        return max(column, title) < MIN_SIMILARITY and self._names_rows(at) and not self._picks(at)

    def _is_head(self, at: int) -> bool:
        """Whether a noun stands where the rows are named: after "how many", "which", an adjective of degree 2."""
        before = [mention for mention in self.mentions if mention.end <= at]
        previous = max(before, key=lambda mention: mention.end, default=None)
        between = self.tokens[previous.end : at] if previous else ()
        is_plural = self.tokens[at].stem != self.tokens[at].lower
        fits = previous and (
            previous.is_word("count", "top")
            or previous.kind in ("superlative", "number", "value")
            or previous.text == "which"
            or (previous.is_word("which") and is_plural)
        )  # fmt: skip
        return bool(fits and all(token.lower in WEIGHTLESS for token in between))
