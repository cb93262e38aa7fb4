"""Holds what a language model says of the results against them: its numbers, names, files, yes and no.

A sentence is wrong if it says what no result says, or the opposite of what was computed. This is no understanding of
language: what is neither a number, a name nor a kind of thing that detectors know, passes.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

from hugginggpt.answers.names import FileNames
from hugginggpt.answers.written_numbers import (
    WRITTEN,
    amounts_of,
    dates_of,
    numbers_in_words,
    rounds_to,
    times_of,
    value_of,
    without,
)
from hugginggpt.core.events import RunRecord, TaskRecord
from hugginggpt.core.findings import Finding
from hugginggpt.core.results import ANSWER, ANSWERS, FILE_KINDS, count_labels, plural
from hugginggpt.experts import coco
from hugginggpt.experts.written_language import ENGLISH, function_words, language_of, script_language

MAX_SUMMED = 8
"""Of so many pictures any may be summed up together."""

_CLAUSE_END = re.compile(r"[,;:]\s|\s[(—–-]\s?|\b(?:and|but|while|whereas)\b", re.IGNORECASE)
_PARTS_FOLLOW = (":", "(", "—", "–", "-")
_STATEMENT_END = re.compile(
    r"^\W*+(?:yes|no),|;\s|\b(?:but|while|whereas|although|though|however|yet)\b"
    r"|,\s+(?:and\s+|so\s+)?(?=(?:there|it|he|she|they|this|that|[\w%-]+\.[a-z]\w{2,3})\s)",
    re.IGNORECASE,
)
"""Behind it a negation no longer holds: not behind every comma, "no dogs, cats or birds"."""
_TOGETHER = re.compile(r"\b(?:together|altogether|combined|in all|in total|overall)\b", re.IGNORECASE)
_PART = re.compile(
    r"\b(?:(?:an)?others?|rest|remaining|each|per|every|(?:one|two|some|most|all|none|\d+) of (?:them|these|those|the)"
    r"|of (?:them|these|those|which|whom))\b",
    re.IGNORECASE,
)
"""What tells that a number may be that of a part, or of one thing among many."""
_REST = re.compile(
    r"\b(?:(?:an)?others?|rest|remaining|remainder|otherwise|else|left|without|not|\w+n't)\b", re.IGNORECASE
)
"""What tells that a number may be what a part leaves of a whole."""
_ABOUT = re.compile(r"\b(?:about|around|roughly|nearly|almost|approximately|over|some|~)\s*$|[~≈]\s*$", re.IGNORECASE)
ABOUT = 0.1
"""By so large a part "about 1,200" may be off."""
_CALENDAR = frozenset(
    re.findall(
        r"\w+",
        """january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays
    sundays christmas easter english french german spanish italian portuguese dutch russian chinese japanese korean
    arabic greek hebrew hindi thai turkish polish swedish danish norwegian finnish czech hungarian romanian ukrainian
    latin vietnamese indonesian""",
    )
)
"""Words with a capital that name nobody: months, days and languages."""
_NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?!\w)")
_LIST_NUMBER = re.compile(r"^\s*(?:[-*#]+\s*)?\d+[.)]\s")
_FILE_NAME = re.compile(
    r"(?<![\w%-])[\w%-]++(?:/[\w%.-]+)*\.(?:jpe?g|png|gif|webp|bmp|wav|mp3|ogg|flac|m4a|mp4|webm|csv|tsv|pdf|txt)\b",
    re.IGNORECASE,
)
_FILES = re.compile(rf"{_FILE_NAME.pattern}(?:(?:,\s*(?:and\s+)?|\s+and\s+){_FILE_NAME.pattern})+", re.IGNORECASE)
_LINK = re.compile(r"https?://\S+|(?<!\w)/?(?:images|audios|videos|documents|uploads|examples)/\S+")
_MARKUP = re.compile(r"<[^>]*>|`[^`]*`|\]\(.*?\)+|\b\w++\([^()\s]*\)")
_QUOTED = re.compile(r"“([^”]{2,})”|\"([^\"]{2,})\"|«([^»]{2,})»|„([^“]{2,})“")
_HEADING = re.compile(r"^\s*(?:#|\*\*[^*]+\*\*:?\s*$)|:\s*$")
_NAME = re.compile(r"(?<=[\w,;)] )(?!I\b)[A-ZÀ-Þ][\w’'-]*[a-zß-ÿ][\w’'-]*")
_QUANTITY = rf"(?<![\w.,-])(\d{{1,6}}|{WRITTEN})"
_OF_WHOLE = (
    r"(?:out\s+)?of\s+(?:(?:them|which|whom|these|those)\b"
    rf"|(?:the\s+|all\s+)?(?P<whole>\d{{1,6}}|{WRITTEN})\s+[\w-]+)"
)
_PART_OF = re.compile(rf"{_QUANTITY}\s+{_OF_WHOLE}", re.IGNORECASE)
"""A part of a whole that is named, or was before: "3 of the 10 cars", "4 of which"."""
_COUNTED = (
    re.compile(rf"{_QUANTITY}\s+(?:of\s+(?:the\s+)?)?(?:[a-z-]+\s+)?$", re.IGNORECASE),
    re.compile(
        rf"{_QUANTITY}\s+{_OF_WHOLE}(?:\s+(?:are|is|were|was|being|show(?:s|ing)?))?\s+(?!not\b|no\b)(?:[a-z-]+\s+)?$",
        re.IGNORECASE,
    ),
)
"""Before a noun: "12 tall giraffes", "4 of which are giraffes"."""
_LISTED = re.compile(
    rf"\**+\s*+[:=|]\W{{0,4}}(\d{{1,6}}|{WRITTEN})(?=\s*(?:$|\n|[.,](?!\d)|[;)|*]|in\b))", re.IGNORECASE
)
"""Behind a noun: "Giraffes: 12"."""
_CLAIMED = re.compile(rf"\b(?:\d{{1,6}}|{WRITTEN}|an?|the|some|several|many|few)\s+(?:[\w-]+\s+)?$", re.IGNORECASE)
_DENIED = re.compile(r"\b(?:no|zero|not any|without|neither) (?:\w+ )?$", re.IGNORECASE)
"""Before a noun; kinds of things are many, so that no pattern holds one: compiling it takes milliseconds."""
_COMPARED = re.compile(r"\b(?:more|fewer|less)\b", re.IGNORECASE)
_NEGATED = re.compile(
    r"\b(?:no|not|none|nothing|nobody|neither|nor|never|without|zero|cannot|unable|\w+n't|lacks?|free of|if|whether"
    r"|absent|missing|hardly|fail(?:s|ed)? to|mistaken for|instead of|rather than|(?:could|might|may) be|unlike"
    r"|reminds?|looks? like|resembl\w+)\b",
    re.IGNORECASE,
)
_YES_NO = re.compile(r"\W*+(?:(yes)\b|(no)\b(?=\s*(?:[,.:!;—–-]|(?:there|it|they|he|she)\b)))", re.IGNORECASE)
_EXTREMES = {
    "most": re.compile(r"\b(?:most|more|highest|largest)\b", re.IGNORECASE),
    "fewest": re.compile(r"\b(?:fewest|fewer|least|less|smallest)\b", re.IGNORECASE),
}


_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"”')\]*_]*\s+|(?<=[。！？])|\n+")


def _ends_row(text: str, end: re.Match[str]) -> bool:
    """Whether no row of a table is cut there: its cells belong together."""
    line = text[text.rfind("\n", 0, end.start()) + 1 : end.start()]
    return not is_row(line) or "\n" in end[0]


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, each with the blanks behind it; the last one, perhaps "", may go on."""
    ends = [match.end() for match in _SENTENCE_END.finditer(text) if _ends_row(text, match)]
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]


def is_row(line: str) -> bool:
    """Whether a line is a row of a table."""
    return line.lstrip().startswith("|")


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
        bare = _LINK.sub(" ", _MARKUP.sub(" ", _straight(sentence)))
        if is_row(sentence):
            checks: tuple[Callable[[str], str], ...] = (self._file, self._count, self._cells)
        else:
            numbers = (self._parts, self._count, self._verdict, self._presence, self._number)
            checks = (self._file, *numbers, self._quote, self._name)
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
        text = without(text, dates_of(text), self._dates.__contains__)
        text = without(text, times_of(text), self._times.__contains__)
        text = without(text, amounts_of(text), self._is_amount)
        unknown = [
            found[0]
            for found in _NUMBER.finditer(text)
            if not self._holds(found[0], bool(_ABOUT.search(text[: found.start()])))
        ]
        if unknown and _PART_OF.search(text) and _REST.search(text):
            said = [
                value_of(number) for number in _NUMBER.findall(text) if number.isdecimal() and number not in unknown
            ]
            rests = {str(abs(whole - part)) for whole, part in combinations(said, 2)}
            unknown = [number for number in unknown if number not in rests]
        return f"no result holds the number {unknown[0]}" if unknown else ""

    def _holds(self, written: str, about: bool = False) -> bool:
        """Whether a number is one of the results, as it stands or rounded; `about`: it may be rounded much."""
        values = _values(written)
        if values & self._numbers:
            return True
        places = len(written.rpartition(".")[2]) if "." in written else 0
        known = [form for number in self._numbers for form in _forms_of(number)]
        if any(rounds_to(form, value, places) for form in known if form % 1 for value in values):
            return True
        return about and any(abs(form - value) <= ABOUT * form for form in known for value in values)

    def _is_amount(self, value: object) -> bool:
        """Whether a duration or large number is that of a result, as far as it is told."""
        assert isinstance(value, float)
        return any(abs(number - value) <= max(1, 0.05 * number) for number in self._numbers)

    def _cells(self, row: str) -> str:
        """A row that names a file and holds none of its numbers, but others."""
        cells = [cell.strip(" *_") for cell in row.strip().strip("|").split("|")]
        counted = {number for counts in self._counts.values() for number in self._in_named(counts, row)}
        said = [value_of(cell) for cell in cells if cell.isdecimal()]
        wrong = [number for number in said if counted and number not in {0, *counted, *self._numbers}]
        return f"no result holds the number {wrong[0]}" if wrong else ""

    def _quote(self, sentence: str) -> str:
        if not self._is_english or _is_foreign(_QUOTED.sub(" ", sentence)):
            return ""
        for found in _QUOTED.findall(sentence):
            quoted = "".join(found)
            if " ".join(quoted.lower().split()).strip(" .,;:!?…") not in self._known:
                return f"no result holds “{quoted}”"
        return ""

    def _name(self, sentence: str) -> str:
        if not self._is_english or _is_foreign(sentence) or _HEADING.search(sentence):
            return ""
        found = (re.sub(r"'s?$", "", name) for name in _NAME.findall(_FILE_NAME.sub(" ", sentence)))
        unknown = [name for name in found if name.lower() not in self._known and name.lower() not in _CALENDAR]
        return f"no result names {unknown[0]}" if unknown else ""

    # What was counted

    def _parts(self, sentence: str) -> str:
        """A part that is more than its whole: "8 of the 7", "2 people, 3 of whom"."""
        for found in _PART_OF.finditer(sentence):
            before = [value_of(number) for number in re.findall(_QUANTITY, sentence[: found.start()], re.IGNORECASE)]
            whole = value_of(found["whole"]) if found["whole"] else max(before, default=None)
            if whole is not None and value_of(found[1]) > whole:
                return f"{found[1]} is no part of {whole}"
        return ""

    def _count(self, sentence: str) -> str:
        """A number of a kind of thing that is neither in the file that is named nor, without one, in any or several."""
        clauses = _clauses(sentence)
        for noun, counts in self._counts.items():
            said = [(found, clause) for clause in clauses for found in _numbers_of(noun, clause)]
            for found, clause in said:
                about = clause if self._in_named(counts, clause) or not _PART_OF.match(found[0]) else sentence
                if value_of(found[1]) not in self._allowed(counts, about) and not self._is_part(
                    [value_of(other[1]) for other, _ in said], counts, sentence
                ):
                    return f"the results do not hold {found[0].strip()}"
        return ""

    def _is_part(self, said: Sequence[int], counts: Mapping[str, int], sentence: str) -> bool:
        """Whether the numbers of a sentence are of parts that make up a whole, or of some among others."""
        there = self._in_named(counts, sentence) or list(counts.values())
        if _PART.search(sentence):
            return max(said) <= sum(there)
        return len(said) > 1 and len(there) == 1 and sum(said) == there[0]

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
        if sentence.rstrip().endswith("?"):
            return ""
        told_of = {statement: not _NEGATED.search(statement) for statement in _STATEMENT_END.split(sentence)}
        for noun, counts in self._counts.items():
            for clause in _clauses(sentence):
                numbers = self._in_named(counts, clause) or list(counts.values())
                if all(numbers) and _is_behind(_DENIED, noun, clause):
                    return f"the results hold {noun}"
            for statement, is_told in told_of.items():
                numbers = self._in_named(counts, statement) or list(counts.values())
                if is_told and not any(numbers) and _places(noun, statement):
                    return f"the results hold no {noun}"
        claimed = " ; ".join(statement for statement, is_told in told_of.items() if is_told)
        found = next((noun for noun in self._unseen if _is_behind(_CLAIMED, noun, claimed)), "")
        return f"the results hold no {found}" if found else ""

    def _verdict(self, sentence: str) -> str:
        """Yes in place of no, or another file than the one that has the most."""
        verdicts = {finding.value for finding in self.findings if isinstance(finding.value, bool)}
        said = _YES_NO.match(sentence)
        if said and verdicts == {bool(said[2])} and (not self._has_answers or self._nouns_in(sentence)):
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
        return [noun for noun in self._counts if _places(noun, sentence)]

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
        return _straight(" ".join(text.lower().split()))

    @cached_property
    def _numbers(self) -> set[float]:
        """The numbers in all texts, scores as percentages, and how many of each thing, tasks and files there are."""
        found = {value for number in re.findall(r"\d+(?:[.,]\d+)*", self._known) for value in _values(number)}
        found |= {float(number) for number in numbers_in_words(self._known)}
        found |= {value for _, value in amounts_of(self._known)}
        found |= {rounded for task in self._done for number in _floats(task.value) for rounded in _rounded(number)}
        found |= {number for counts in self._counts.values() for number in self._allowed(counts, "")}
        found |= self._totals
        return found | {float(len(self.record.tasks)), float(len(self.record.files)), 0.0, 1.0, 100.0}

    @cached_property
    def _totals(self) -> set[float]:
        """How many things of all kinds are in each file and in all, and how many percent of them each kind is."""
        kinds = list({id(counts): counts for counts in self._counts.values()}.values())
        files = {name for counts in kinds for name in counts}
        groups = [[counts.get(name, 0) for counts in kinds] for name in files] + [[sum(k.values()) for k in kinds]]
        totals = {float(sum(group)) for group in groups}
        totals |= {float(one + other) for group in groups for one, other in combinations(group, 2)}
        return totals | {100 * number / sum(group) for group in groups if sum(group) for number in group}

    @cached_property
    def _dates(self) -> set[object]:
        return {day for _, day in dates_of(self._known)}

    @cached_property
    def _times(self) -> set[object]:
        return {time for _, time in times_of(self._known)}

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
        return numbers | numbers_in_words(texts)

    @cached_property
    def _unseen(self) -> tuple[str, ...]:
        """Kinds of things that a detector would have reported; none where an expert has given a text."""
        shown = [task.type.result for task in self._done]
        if not shown or any(not result.draws and set(result.kinds) - set(FILE_KINDS) for result in shown):
            return ()
        nouns = [noun for label in coco.labels() for noun in (label, plural(label))]
        return tuple(noun for noun in nouns if not _places(noun, self._known))


def _forms(words: str) -> set[str]:
    """What objects are called, in the singular and plural."""
    return {words, *(label for label in coco.labels() if plural(label) == words), words.removesuffix("s")}


def _straight(text: str) -> str:
    """The text with plain apostrophes."""
    return text.replace("’", "'").replace("‘", "'")


def _is_foreign(text: str) -> bool:
    """Whether a sentence is rather in another language than English: what it quotes is translated then."""
    words = function_words(text)
    return bool(script_language(text)) or max(words.values(), default=0) > words[ENGLISH]


def _clauses(sentence: str) -> list[str]:
    """The parts of a sentence that may speak of different files: a list of files is one, so is what is summed up.
    Behind a number the parts that it is made of may follow: "10 people: 3 in a.jpg".
    """
    if _TOGETHER.search(sentence):
        return [sentence]
    lists = [match.span() for match in _FILES.finditer(sentence)]
    first = re.search(_QUANTITY, sentence, re.IGNORECASE)
    ends = [
        end
        for end in _CLAUSE_END.finditer(sentence)
        if not any(a < end.start() < b for a, b in lists)
        and (end[0].strip() not in _PARTS_FOLLOW or (first and first.end() < end.start()))
    ]
    starts = [0, *(end.end() for end in ends)]
    return [sentence[start:end] for start, end in zip(starts, [*(e.start() for e in ends), len(sentence)], strict=True)]


def _places(noun: str, text: str) -> list[tuple[int, int]]:
    """Where a text has a noun as a word."""
    if noun.lower() not in text.lower():
        return []
    return [found.span() for found in re.finditer(rf"\b{re.escape(noun)}\b", text, re.IGNORECASE)]


def _is_behind(pattern: re.Pattern[str], noun: str, text: str) -> bool:
    """Whether a noun stands behind a pattern."""
    return any(pattern.search(text[:start]) for start, _ in _places(noun, text))


def _numbers_of(noun: str, clause: str) -> list[tuple[str, str]]:
    """The numbers of a kind of thing, each with its words: "12 giraffes", "Giraffes: 12"."""
    found = []
    for start, end in _places(noun, clause):
        before = (pattern.search(clause[:start]) for pattern in _COUNTED)
        found += [(clause[number.start() : end], number[1]) for number in before if number]
        if listed := _LISTED.match(clause, end):
            found.append((clause[start : listed.end()], listed[1]))
    return found


def _forms_of(number: float) -> tuple[float, ...]:
    """A number, and a score as a percentage, too."""
    return (number, 100 * number) if 0 < number < 1 else (number,)


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
