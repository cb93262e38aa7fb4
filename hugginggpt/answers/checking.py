"""Holds what a language model says of the results against them: its numbers, names, files, yes and no.

A sentence is wrong if it says what no result says, or the opposite of what was computed. This is no understanding of
language: what is neither a number, a name nor a kind of thing that detectors know, passes.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

from hugginggpt.answers.names import FileNames
from hugginggpt.core.events import RunRecord, TaskRecord
from hugginggpt.core.findings import Finding
from hugginggpt.core.results import ANSWER, ANSWERS, FILE_KINDS, count_labels, plural
from hugginggpt.experts import coco
from hugginggpt.experts.written_language import ENGLISH, language_of

_NUMBER_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
NUMBERS = {word: number for number, word in enumerate(_NUMBER_WORDS, start=1)}
MAX_SUMMED = 8
"""Of so many pictures any may be summed up together."""

_CLAUSE_END = re.compile(r"[,;:]\s|\b(?:and|but|while|whereas)\b", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?!\w)")
_LIST_NUMBER = re.compile(r"^\s*(?:[-*#]+\s*)?\d+[.)]\s")
_FILE_NAME = re.compile(
    r"[\w%-]+(?:/[\w%.-]+)*\.(?:jpe?g|png|gif|webp|bmp|wav|mp3|ogg|flac|m4a|mp4|webm|csv|tsv|pdf|txt)\b", re.IGNORECASE
)
_LINK = re.compile(r"https?://\S+|(?<!\w)/?(?:images|audios|videos|uploads|examples)/\S+")
_MARKUP = re.compile(r"<[^>]*>|`[^`]*`|\]\(.*?\)+|\w+\([^()\s]*\)")
_QUOTED = re.compile(r"“([^”]{2,})”|\"([^\"]{2,})\"|«([^»]{2,})»|„([^“]{2,})“")
_HEADING = re.compile(r"^\s*(?:#|\*\*[^*]+\*\*:?\s*$)|:\s*$")
_NAME = re.compile(r"(?<=[\w,;)] )(?!I\b)[A-ZÀ-Þ][\w’'-]*[a-zß-ÿ][\w’'-]*")
_COUNTED = rf"\b(\d{{1,6}}|{'|'.join(NUMBERS)})\s+(?:[a-z-]+\s+)?"
_CLAIMED = rf"\b(?:\d{{1,6}}|{'|'.join(NUMBERS)}|an?|the|some|several|many|few)\s+(?:[\w-]+\s+)?"
_COMPARED = re.compile(r"\b(?:more|fewer|less)\b", re.IGNORECASE)
_NEGATED = re.compile(
    r"\b(?:no|not|none|nothing|neither|nor|never|without|zero|cannot|unable|\w+n[’']t|lacks?|free of|if|whether)\b",
    re.IGNORECASE,
)
_DENIED = r"\b(?:no|zero|not any|without|neither) (?:\w+ )?"
_YES_NO = re.compile(r"\W*(yes|no)\b\s*[,.:!;—–-]", re.IGNORECASE)
_EXTREMES = {
    "most": re.compile(r"\b(?:most|more|highest|largest)\b", re.IGNORECASE),
    "fewest": re.compile(r"\b(?:fewest|fewer|least|less|smallest)\b", re.IGNORECASE),
}


_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"”')\]*_]*\s+|(?<=[。！？])|\n+")


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, each with the blanks behind it; the last one, perhaps "", may go on."""
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]


@dataclass(frozen=True)
class Checker:
    """What the results of a run allow to be said; `composed` are the sentences that code makes of them."""

    record: RunRecord
    names: FileNames
    composed: Sequence[str] = ()
    findings: Sequence[Finding] = ()
    _told: set[str] = field(default_factory=set)

    def problem(self, sentence: str) -> str:
        """What is wrong with a sentence; "" where nothing is known to be."""
        bare = _LINK.sub(" ", _MARKUP.sub(" ", sentence))
        checks = (self._file, self._count, self._verdict, self._presence, self._number, self._quote, self._name)
        return next(filter(None, (check(bare) for check in checks)), "")

    def instead(self, sentence: str) -> str:
        """The sentence of code that has most in common with a wrong one, each once; "" where none has anything."""
        words = _words(sentence)
        left = [one for one in self.composed if one not in self._told]
        best = max(left, key=lambda one: len(words & _words(one)), default="")
        if not words & _words(best):
            return ""
        self._told.add(best)
        return best

    # Files, numbers, names

    def _file(self, sentence: str) -> str:
        unknown = [name for name in _FILE_NAME.findall(sentence) if name.lower() not in self._known]
        return f"there is no file {unknown[0]}" if unknown else ""

    def _number(self, sentence: str) -> str:
        text = _FILE_NAME.sub(" ", _LIST_NUMBER.sub(" ", sentence))
        unknown = [found for found in _NUMBER.findall(text) if not _values(found) & self._numbers]
        return f"no result holds the number {unknown[0]}" if unknown else ""

    def _quote(self, sentence: str) -> str:
        if not self._is_english:
            return ""
        for found in _QUOTED.findall(sentence):
            quoted = "".join(found)
            if " ".join(quoted.lower().split()).strip(" .,;:!?…") not in self._known:
                return f"no result holds “{quoted}”"
        return ""

    def _name(self, sentence: str) -> str:
        if not self._is_english or language_of(sentence) != ENGLISH or _HEADING.search(sentence):
            return ""
        found = (re.sub(r"[’']s?$", "", name) for name in _NAME.findall(_FILE_NAME.sub(" ", sentence)))
        unknown = [name for name in found if name.lower() not in self._known]
        return f"no result names {unknown[0]}" if unknown else ""

    # What was counted

    def _count(self, sentence: str) -> str:
        """A number of a kind of thing that is neither in the file that is named nor, without one, in any or several."""
        for clause in _CLAUSE_END.split(sentence):
            for noun, counts in self._counts.items():
                for match in re.finditer(rf"{_COUNTED}{re.escape(noun)}\b", clause, re.IGNORECASE):
                    number = NUMBERS.get(match[1].lower()) or int(match[1])
                    if number not in self._allowed(counts, clause):
                        return f"the results do not hold {match[0]}"
        return ""

    def _allowed(self, counts: Mapping[str, int], clause: str) -> set[int]:
        """The numbers that may be said of a kind of thing: of files alone, together, and compared."""
        there = self._in_named(counts, clause)
        if len(there) == 1 and len(counts) > 1 and not _COMPARED.search(clause):
            return {*there, *self._text_numbers}
        numbers = list(counts.values())[:MAX_SUMMED]
        sums = {sum(some) for size in range(1, len(numbers) + 1) for some in combinations(numbers, size)}
        return sums | {abs(one - other) for one, other in combinations(numbers, 2)} | self._text_numbers

    def _presence(self, sentence: str) -> str:
        """A thing that was looked for and not found, or one that is there and denied."""
        denied = bool(_NEGATED.search(sentence)) or sentence.rstrip().endswith("?")
        for noun, counts in self._counts.items():
            for clause in _CLAUSE_END.split(sentence):
                if not re.search(rf"\b{re.escape(noun)}\b", clause, re.IGNORECASE):
                    continue
                numbers = self._in_named(counts, clause) or list(counts.values())
                if not any(numbers) and not denied:
                    return f"the results hold no {noun}"
                if all(numbers) and re.search(rf"{_DENIED}{re.escape(noun)}\b", clause, re.IGNORECASE):
                    return f"the results hold {noun}"
        unseen = () if denied else self._unseen
        found = next(
            (noun for noun in unseen if re.search(rf"{_CLAIMED}{re.escape(noun)}\b", sentence, re.IGNORECASE)), ""
        )
        return f"the results hold no {found}" if found else ""

    def _verdict(self, sentence: str) -> str:
        """Yes in place of no, or another file than the one that has the most."""
        verdicts = {finding.value for finding in self.findings if isinstance(finding.value, bool)}
        said = _YES_NO.match(sentence)
        if said and verdicts == {said[1].lower() == "no"} and (not self._has_answers or self._nouns_in(sentence)):
            return "the results say the opposite"
        for finding in self.findings:
            extreme = _EXTREMES.get(finding.operation)
            if not extreme or not isinstance(finding.value, tuple) or not extreme.search(sentence):
                continue
            names = [source.name for source in finding.sources if source.name.lower() in sentence.lower()]
            first = min(names, key=lambda name: sentence.lower().index(name.lower()), default="")
            if first and finding.value and first not in finding.value:
                return f"{' and '.join(finding.value)} has the {finding.operation}"
        return ""

    def _in_named(self, counts: Mapping[str, int], clause: str) -> list[int]:
        """The numbers in the files that a clause names."""
        return [number for name, number in counts.items() if name.lower() in clause.lower()]

    def _nouns_in(self, sentence: str) -> list[str]:
        return [noun for noun in self._counts if re.search(rf"\b{re.escape(noun)}\b", sentence, re.IGNORECASE)]

    # What is known

    @cached_property
    def _is_english(self) -> bool:
        """Whether the answer is: in others, names and quotations are translated, and nouns may have capitals."""
        return language_of(self.record.request) == ENGLISH

    @cached_property
    def _has_answers(self) -> bool:
        return any(task.type.result in (ANSWER, ANSWERS) for task in self._done)

    @cached_property
    def _done(self) -> list[TaskRecord]:
        return [task for task in self.record.tasks.values() if task.ok and task.row]

    @cached_property
    def _known(self) -> str:
        """All texts of the run, in lower case."""
        record = self.record
        tasks = [
            [task.task, task.value, task.reading, task.reason, task.choice and task.choice.id]
            for task in record.tasks.values()
        ]
        told = [record.request, *(file.to_json() for file in record.attachments), tasks, *self.composed, *record.files]
        text = json.dumps(told, ensure_ascii=False, default=str).replace("\\n", " ").replace('\\"', '"')
        return " ".join(text.lower().split())

    @cached_property
    def _numbers(self) -> set[float]:
        """The numbers in all texts, scores as percentages, and how many of each thing, tasks and files there are."""
        found = {value for number in re.findall(r"\d+(?:[.,]\d+)*", self._known) for value in _values(number)}
        found |= {number for word, number in NUMBERS.items() if re.search(rf"\b{word}\b", self._known)}
        found |= {rounded for task in self._done for number in _floats(task.value) for rounded in _rounded(number)}
        found |= {number for counts in self._counts.values() for number in self._allowed(counts, "")}
        return found | {float(len(self.record.tasks)), float(len(self.record.files)), 0.0, 1.0, 100.0}

    @cached_property
    def _counts(self) -> dict[str, dict[str, int]]:
        """How many of each kind of thing are in each file, by the nouns that name it in the singular and plural."""
        counts: defaultdict[str, dict[str, int]] = defaultdict(dict)
        regions = [(self._source(task), count_labels(task.value)) for task in self._done if task.type.result.draws]
        for label in {label for _, found in regions for label in found}:
            most = {name: max(found[label] for other, found in regions if other == name) for name, _ in regions}
            counts[label.lower()], counts[plural(label).lower()] = most, most
        for finding in self.findings:
            for source in finding.sources:
                for words, number in source.counts.items():
                    for noun in _forms(words.lower()):
                        counts[noun].setdefault(source.name, number)
        return dict(counts)

    def _source(self, task: TaskRecord) -> str:
        return self.names[str(task.task["args"].get(task.type.input_arg.name, ""))]

    @cached_property
    def _text_numbers(self) -> set[int]:
        """The numbers in texts that experts gave, and in what several experts found in one picture: they may count
        differently.
        """
        seen = [self._source(task) for task in self._done if task.type.result.draws]
        several = {name for name in seen if seen.count(name) > 1}
        told = (task for task in self._done if not task.type.result.draws or self._source(task) in several)
        texts = " ".join(task.reading for task in told).lower()
        numbers = {int(number) for number in re.findall(r"\b\d{1,6}\b", texts)}
        return numbers | {number for word, number in NUMBERS.items() if re.search(rf"\b{word}\b", texts)}

    @cached_property
    def _unseen(self) -> tuple[str, ...]:
        """Kinds of things that a detector would have reported; none where an expert has given a text."""
        shown = [task.type.result for task in self._done]
        if not shown or any(not result.draws and set(result.kinds) - set(FILE_KINDS) for result in shown):
            return ()
        nouns = [noun for label in coco.labels() for noun in (label, plural(label))]
        return tuple(noun for noun in nouns if not re.search(rf"\b{re.escape(noun)}\b", self._known))


def _forms(words: str) -> set[str]:
    """What objects are called, in the singular and plural."""
    return {words, *(label for label in coco.labels() if plural(label) == words), words.removesuffix("s")}


def _words(text: str) -> set[str]:
    """The words that tell what a sentence is about: those with a capital or more than three letters, and files."""
    files = {name.lower() for name in _FILE_NAME.findall(text)}
    return files | {word.lower().rstrip("s") for word in re.findall(r"[^\W\d_]{4,}", _FILE_NAME.sub(" ", text))}


def _values(number: str) -> set[float]:
    """What a number may mean: "1,000" a thousand or one."""
    return {
        value
        for text in (number.replace(",", ""), number.replace(".", "").replace(",", "."), number.replace(",", "."))
        for value in _float(text)
    }


def _float(text: str) -> Iterator[float]:
    try:
        yield float(text)
    except ValueError:
        return


def _floats(value: Any) -> Iterator[float]:
    if isinstance(value, bool):
        return
    if isinstance(value, int | float):
        yield float(value)
    elif isinstance(value, Mapping):
        yield from _floats(list(value.values()))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _floats(item)


def _rounded(number: float) -> Iterable[float]:
    """A number as people write it; a score as a percentage, too."""
    forms = [number] + ([100 * number] if 0 <= number <= 1 else [])
    return [round(form, places) for form in forms for places in (0, 1, 2)]
