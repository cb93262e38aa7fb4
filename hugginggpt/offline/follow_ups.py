"""Expands a message of a conversation to the full request that it stands for.

What a request is about is decided in this order: what it names or brings; if it answers a question that was asked back,
the request that lacked an input; the earlier files and texts that fit its kind and words; else the answer asks back.

A learned head tells what the message does (`act_of`): "and b.jpg?" repeats the last request, "and dogs?" changes a part
of it, "no, I meant b.jpg" corrects it, "how many altogether?" is about all of its kind. The turns are read as data, so
the wording of answers does not matter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from hugginggpt.core.conversation import MissingInput, Turn
from hugginggpt.core.tasks import TaskTable
from hugginggpt.experts import foreign_reading, object_questions
from hugginggpt.media.references import Resource
from hugginggpt.offline import asked_of_texts, measuring, operations_in_hand, spans, spoken_questions, two_tables
from hugginggpt.offline.clause_cues import has_cue
from hugginggpt.offline.clauses import QUESTION, Clause, masked, split, with_context, with_placeholders
from hugginggpt.offline.heads import clause_scores
from hugginggpt.offline.intents import MAX_ELSEWHERE, MAX_ELSEWHERE_WITH_FILE, MIN_SHARE, is_about_material
from hugginggpt.offline.languages.acts import foreign_act, selection_in_english
from hugginggpt.offline.languages.detection import request_language
from hugginggpt.offline.languages.vocabulary import CODES
from hugginggpt.offline.memory import ACCEPTED_KINDS, MAX_LENGTH, Memory, remember, resources_of
from hugginggpt.offline.of_reading import is_day_too
from hugginggpt.offline.parsing import is_command, is_question, parse
from hugginggpt.offline.replacements import (
    QUANTITIES,
    asks_of_its_own,
    core,
    other_word,
    phrase_like,
    without_conjunction,
)
from hugginggpt.offline.selection import NOUNS, asks, find_selection, kinds_named
from hugginggpt.offline.small_talk import small_talk_scores, wanted

MAX_TALK = 0.2
"""How likely a question may be small talk, or about this program, that is put to what is in hand."""
MAX_WORDS = 25
"""A longer message is a request of its own."""
MAX_TURNS = 40
"""The turns that a message can repeat or change."""
_AGAIN = frozenset("and but or so ok now then again same please also once more".split())
_FINITE = ("MD", "VBD", "VBP", "VBZ")
_ADDING = frozenset("if with plus including adding together when count add include".split())
"""What a new file is added with to those that were counted before."""
_SUMS = frozenset("total sum number difference average all altogether overall which who".split())


@dataclass(frozen=True, slots=True)
class Request:
    """The text of a request, its resources (`named`, those in the text first), and the turns before it."""

    text: str
    named: Sequence[Resource] = ()
    turns: Sequence[Turn] = ()

    @classmethod
    def read(cls, text: str, named: Sequence[Resource], turns: Sequence[Turn] = ()) -> Request:
        """A request truncated to MAX_LENGTH characters, with the statements beside a question as a resource."""
        text = text[:MAX_LENGTH]
        included = [resource for resource in named if resource.end <= len(text)]
        return cls(text, with_context(text, included), turns)

    @property
    def placed(self) -> list[Resource]:
        """The resources in the text."""
        return [resource for resource in self.named if resource.has_place]

    @property
    def attached(self) -> list[Resource]:
        """The resources outside of the text."""
        return [resource for resource in self.named if not resource.has_place]

    @property
    def bare_words(self) -> str:
        """The text without its resources."""
        return " ".join(masked(self.text, self.placed).replace("▯", " ").split())

    @property
    def act(self) -> str:
        """What it does in the conversation: see `act_of`."""
        if act := foreign_act(self.text, self.placed):
            return act
        return act_of(with_placeholders(self.text, 0, len(self.text), self.placed))

    def attaching(self, resources: Sequence[Resource]) -> Request:
        """The request with further resources beside its text."""
        return replace(self, named=[*self.named, *(Resource(one.text, one.kind) for one in resources)])

    def edited(self, start: int, end: int, words: str, inserted: Sequence[Resource] = ()) -> Request:
        """The request with `words` in place of a span of its text, and resources in them, at offsets in `words`."""
        shift = len(words) - (end - start)
        before = [one for one in self.placed if one.end <= start]
        after = [replace(one, start=one.start + shift, end=one.end + shift) for one in self.placed if one.start >= end]
        new = [replace(one, start=one.start + start, end=one.end + start) for one in inserted]
        text = self.text[:start] + words + self.text[end:]
        return Request(text, [*before, *new, *after, *self.attached], self.turns)


@lru_cache(1024)
def act_of(words: str) -> str:
    """What a message does in a conversation: it is a "request" of its own, does the last one "again" with another file,
    "change"s a part of it, "correct"s it, asks for the "total" of earlier results, "refuse"s, or is small talk ("chat") or a "statement".
    """
    scores = clause_scores([words], "acts.safetensors") if len(words.split()) <= MAX_WORDS else []
    return max(scores[0], key=scores[0].__getitem__) if scores else "request"


def in_full(request: Request, table: TaskTable) -> Request:
    """The full request that a follow-up stands for; any other request unchanged."""
    if not request.turns:
        return request
    recent = replace(request, turns=request.turns[-MAX_TURNS:])
    if (completed := _with_missing_input(recent, table)) is not None:
        return completed
    if not request.named and (selection := selection_in_english(request.text, ())):
        request = replace(request, text=selection)
    if (changed := _with_other_word(recent, table)) is not None:
        return changed
    if not request.named and (is_day_too(request.text) or _is_of_file_in_hand(recent, table)):
        return request
    request = _with_referents(request, table)
    recent = replace(request, turns=recent.turns)
    expand: dict[str, Callable[[Request, Request, TaskTable], Request | None]] = {
        "again": _again, "correct": _again, "change": _changed, "total": _total,
    }  # fmt: skip
    act = request.act
    if files := _tables_or_documents(recent, act, table):
        return request.attaching(files)
    if act in ("again", "correct", "total") and _names_task(request, table) and not _adds_files(request, act):
        act = "request"  # "Transcribe a.wav instead"
    if act == "change" and _asks_about_objects(recent, table):
        act = "request"
    repeats = act == "again" and "again" in request.text.lower().split()[-1]  # "what was the first one again?"
    is_whole = act in ("again", "change") or (act == "correct" and is_question(request.text))
    if is_whole and not repeats and _is_sentence(request):  # "what does the other one show?"
        act = "request"
    if act == "total" and _is_sentence(request) and not _asks_for_quantity(request):
        act = "request"
    if act in ("request", "statement") and (others := _about_others(recent, table)) is not None:
        return others
    previous = _previous(recent.turns, table) if act in expand else None
    expanded = expand[act](recent, previous, table) if previous else None
    return expanded or _about_text_in_hand(request, table)


def _with_other_word(request: Request, table: TaskTable) -> Request | None:
    """The last request with another word in it, for "und Hunde?" or "and the right one"; None for any other message."""
    previous = None if request.named else _previous(request.turns, table)
    changed = other_word(request.text, previous.text) if previous else None
    return previous.edited(*changed) if previous and changed else None


def _tables_or_documents(request: Request, act: str, table: TaskTable) -> list[Resource]:
    """The table, or the several documents, that a message without a file goes on to ask about; [] for any other."""
    if act in ("chat", "refuse", "statement"):
        return []
    memory = remember(request.turns, table)
    if rows := memory.tables_in_hand():
        is_new = bool(request.named or kinds_named(request.text) - {"table", "text"} or _names_task(request, table))
        return [] if is_new else rows if len(rows) == 2 and two_tables.asks(request.text) else rows[-1:]
    return memory.documents_in_hand() if not request.named and asks(request.text) else []


def _with_referents(request: Request, table: TaskTable) -> Request:
    """The request with the file that "the other one", "the darker picture" or "the original" means in the place of these
    words, as if it were named; unchanged where they mean none, or several.
    """
    selection = find_selection(request.text)
    if (
        request.named
        or len(request.text.split()) > MAX_WORDS
        or (selection and selection.others and request.act != "total")
    ):
        return request
    referent = remember(request.turns, table).referent(request.text)
    return replace(request, named=[referent, *request.named]) if referent else request


def _is_of_file_in_hand(request: Request, table: TaskTable) -> bool:
    """Whether a message asks for a measure of the file in hand, or after questions to it for an operation on it."""
    kind = remember(request.turns, table).kind_in_hand(request.text)
    is_measured = kind is not None and measuring.read(request.text, kind) is not None
    return is_measured or operations_in_hand.asked_after_questions(split(request.text, ()), request.turns, table)


def _is_sentence(request: Request) -> bool:
    """Whether a message has a subject and a verb of its own, and is no part of a request: not "I only want the names"."""
    document = _parsed(request)
    if any(token.tag_[0] == "W" for token in document[:3]) and any(token.tag_ in _FINITE for token in document):
        return True
    for token in document:
        if token.dep_ in ("nsubj", "nsubjpass", "expl", "csubj") and token.lower_ not in ("i", "we", "please"):
            verbs = (token.head, *token.head.children)
            if any(verb.pos_ in ("VERB", "AUX") and verb.lemma_ not in ("please", "thank", "mean") for verb in verbs):
                return True
    return False


def _asks_for_quantity(request: Request) -> bool:
    """Whether a message asks how many, for a sum, or to compare or sort: what can be asked of all files at once."""
    return any(
        token.lower_ in QUANTITIES | _SUMS - {"which", "who"} or token.lemma_ in ("compare", "add", "sort", "rank")
        for token in _parsed(request)
    )


def _about_others(request: Request, table: TaskTable) -> Request | None:
    """A request for "the other two" with these files; without the conversation, so that the answer asks which, where
    that is not clear; None for any other request.
    """
    selection = find_selection(request.text)
    if selection is None or not selection.others or request.named:
        return None
    memory = remember(request.turns, table)
    others = memory.selected(request.text)
    has_several = sum(item.resource.is_file and not item.generated for item in memory.named) > 1
    return request.attaching(others) if others else replace(request, turns=()) if has_several else None


def _names_task(request: Request, table: TaskTable) -> bool:
    """Whether the verb of a message is that of a task: not "do" of "do the same", nor "compare them"."""
    roots = [token for token in _parsed(request) if token.dep_ == "ROOT" and token.pos_ == "VERB"]
    clauses = split(request.text, request.placed)
    return any(root.lemma_ not in ("do", "have", "compare") for root in roots) and any(
        has_cue(clause, table) for clause in clauses
    )


def _adds_files(request: Request, act: str) -> bool:
    """Whether a message only adds files to what was counted before: "count these in as well"."""
    nouns = [token for token in _parsed(request) if token.pos_ in ("NOUN", "PROPN") and token.lemma_ not in NOUNS]
    files = any(one.is_file for one in request.named)
    return act == "total" and files and all(token.lower_.strip("x") == "" for token in nouns)


def _asks_about_objects(request: Request, table: TaskTable) -> bool:
    """Whether a message is a whole question about objects, after one about pictures: "and are there no dogs?"."""
    tasks = next((turn.tasks for turn in reversed(request.turns) if turn.tasks), ())
    looked = {table.detector.name, *table.describers}
    question = object_questions.read(request.text) if any(past.task in looked for past in tasks) else None
    is_part = next((token.tag_ == "IN" for token in _parsed(request) if token.lower_ not in _AGAIN), False)
    return (
        question is not None
        and not is_part
        and all((one.labels or one.excluded) and one.words != object_questions.THEM for one in question.objects)
    )


def _previous(turns: Sequence[Turn], table: TaskTable) -> Request | None:
    """The last request that asked for something, in full."""
    for index in reversed(range(len(turns))):
        turn = turns[index]
        if not turn.request or not (turn.tasks or turn.missing or not turn.run_id):
            continue
        request = Request.read(turn.request, resources_of(turns, index), turns[:index])
        if turn.tasks or request.act not in ("chat", "refuse"):
            return in_full(request, table)
    return None


# The reply to a question that was asked back


def _with_missing_input(request: Request, table: TaskTable) -> Request | None:
    """For a reply with the missing input, the request that lacked it, completed; nothing to do (no text) for a refusal
    or small talk; None for a new request. After small talk the question stays for one more turn.
    """
    waiting = next((turn for turn in reversed(request.turns[-2:]) if turn.missing), None)
    if waiting is None or waiting.missing is None or any(turn.tasks for turn in request.turns[-1:]):
        return None
    previous = _previous(request.turns, table)
    if previous is None or (
        waiting is not request.turns[-1] and request.turns[-1].request and _last_act(request) != "chat"
    ):
        return None
    kind = waiting.missing.kind
    available = list(request.named) or remember(request.turns, table).selected(request.text)
    provided = [
        one for one in available if kind == "text" or (one.is_file and one.kind in ACCEPTED_KINDS.get(kind, (kind,)))
    ]
    if _is_new_request(request, table) or (not provided and _asks_for_something_else(request, waiting.missing, table)):
        return None
    if not provided and request.act in ("refuse", "chat"):
        return Request("")
    if kind == "text" and not provided and request.act not in ("again", "correct"):
        provided = [Resource(request.text.strip(), "text")]
    return previous.attaching(provided) if provided else None


def _last_act(request: Request) -> str:
    return act_of(request.turns[-1].request)


def _is_new_request(request: Request, table: TaskTable) -> bool:
    """Whether a reply is a new request: it has a cue of a task, or a question about a file; or is one in another
    language.
    """
    if act := foreign_act(request.text, request.placed):
        return act == "request"
    files = any(resource.is_file for resource in request.named)
    clauses = split(request.text, request.placed)
    return any(has_cue(clause, table) or (files and QUESTION.search(clause.text)) for clause in clauses)


def _asks_for_something_else(request: Request, missing: MissingInput, table: TaskTable) -> bool:
    """Whether a reply without what was asked for is plainly a request of its own, be it one that nothing can do: each
    of its clauses is a question or a command, and it is clearly for something. A longer message is a text; and where any
    words can be translated or read aloud, so can a question that is about nothing in hand.
    """
    clauses = split(request.text, request.placed)
    if len(request.text.split()) > MAX_WORDS or not all(
        is_question(one.text) or is_command(one.text) for one in clauses
    ):
        return False
    row = table.find(missing.task)
    takes_any = row is not None and (row.wording == "speech" or row.arg("language") is not None)
    ignored = {other.name for other in table if takes_any and other.wording == "question"}
    return wanted(request.text, ignored) > MIN_SHARE


# The last request with other files


def _again(request: Request, previous: Request, table: TaskTable) -> Request | None:
    """The previous request with the files (or quoted texts) that a message names, brings or selects."""
    memory = remember(request.turns, table)
    new = [one for one in request.named if one.is_file] or list(request.named) or memory.selected(request.text)
    if request.act == "correct" and len(new) > 1:  # "not a.jpg but b.jpg"
        new = [one for one in new if one.text not in memory.used_last()] or new
    if (
        not new
        and request.act == "again"
        and all(token.pos_ in ("ADV", "PUNCT", "VERB", "INTJ", "SCONJ") for token in _parsed(request))
    ):
        return previous  # "once more"
    if not new:
        return _changed(request, previous, table) if request.act == "correct" else None
    if not _fits(new[0], request.turns, table):
        return Request("", [Resource(one.text, one.kind) for one in new], request.turns)
    return _replaced(previous, request, new)


def _fits(resource: Resource, turns: Sequence[Turn], table: TaskTable) -> bool:
    """Whether the tasks of the last turn with tasks can take a resource."""
    tasks = next((turn.tasks for turn in reversed(turns) if turn.tasks), ())
    asked = {turn.missing.kind for turn in turns[-1:] if turn.missing}
    kinds = asked or {row.input_kind for past in tasks if (row := table.find(past.task))}
    return (
        not kinds
        or any(resource.kind in ACCEPTED_KINDS.get(kind, (kind,)) for kind in kinds)
        or ("text" in kinds and resource.kind in table.readers)
        or (resource.kind == "text" and any(table[name].input_kind in kinds for name in table.readers.values()))
    )


def _replaced(previous: Request, request: Request, new: Sequence[Resource]) -> Request:
    """The previous request with the new resources in place of the old ones, or of words such as "the second one".
    Without either, files are attached and texts appended.
    """
    is_file = new[0].is_file
    old_spans = [(one.start, one.end) for one in previous.placed if one.is_file == is_file]
    previous = replace(previous, named=previous.placed)
    if not old_spans and is_file:
        selection = find_selection(previous.text)
        if selection is None or any(one.start < selection.end for one in previous.placed):
            return previous.attaching(new)
        old_spans = [(selection.start, selection.end)]
    end = len(previous.text)
    start, end = (old_spans[0][0], old_spans[-1][1]) if old_spans else (end, end)
    words, inserted = _listed(request, new, ", ")
    if not old_spans:
        words, inserted = f" {words}", [replace(one, start=one.start + 1, end=one.end + 1) for one in inserted]
    named = [one for one in previous.named if one.end <= start or one.start >= end]
    return replace(previous, named=named).edited(start, end, words, inserted)


def _listed(request: Request, resources: Sequence[Resource], separator: str = " and ") -> tuple[str, list[Resource]]:
    """Resources as words, and their places in these; texts keep the quotes that they have in the request."""
    words = ""
    placed: list[Resource] = []
    for resource in resources:
        words += separator if placed else ""
        is_here = resource.has_place and resource in request.named
        is_here &= not resource.is_file or "." in request.text[resource.start : resource.end]  # not "the other one"
        name = request.text[resource.start : resource.end] if is_here else resource.text
        placed.append(replace(resource, start=len(words), end=len(words) + len(name)))
        words += name
    return words, placed


# The last request with a changed part


def _changed(request: Request, previous: Request, table: TaskTable) -> Request | None:
    """The previous request with the part that a message names in place of its counterpart ("and dogs?"), or with words
    that are added to it ("in German"); a question to the text in hand where the last request was one.
    """
    document = parse(request.text)
    if document is None or not len(document):
        return None
    if any(one.is_file for one in request.named):
        return None
    chunks = [chunk for chunk in document.noun_chunks if chunk.root.pos_ in ("NOUN", "PROPN")]
    chunk = next((chunk for chunk in chunks if "not" not in document[: chunk.start].text.lower().split()), None)
    chunk = chunk or next(reversed(chunks), None)  # "not the edges, the pose"
    if asks_of_its_own(document):
        text = remember(request.turns, table).text_in_hand(request.text)
        words = " ".join(token.text for token in document if token.lower_ not in _AGAIN and token.pos_ != "PUNCT")
        return Request(f"{words}?", (), request.turns).attaching([Resource(text, "text")]) if text else None
    prepositions = (token for token in document if token.tag_ == "IN" and token.lower_ not in ("about", "of"))
    preposition = next(prepositions, None)
    if preposition is not None and not any(one.start < preposition.i for one in chunks):
        is_sentence = any(token.pos_ in ("VERB", "AUX", "PRON") for token in document[: preposition.i])
        words = str(document[preposition.i :].text) if is_sentence else _new_words(document)
        if words.startswith("without ") and object_questions.read(previous.text):
            words = f"not counting {words.partition(' ')[2]}"
        written = remember(request.turns, table).last_text()
        if (languages := spans.languages(words)) and written and "voice" not in words:
            return Request(f"Translate it into {languages[0]}", (), request.turns).attaching(
                [Resource(written, "text")]
            )
        span = phrase_like(_parsed(previous), parse(words) or ())
        return previous.edited(*span, words.rstrip(" ?.!")) if span else _with_words(previous, words)
    question_word = next((token for token in document if token.tag_ in ("WRB", "WP") and token.dep_ == "ROOT"), None)
    if question_word is not None:
        old = next((token for token in _parsed(previous) if token.tag_ in ("WRB", "WP", "WDT")), None)
        return previous.edited(old.idx, old.idx + len(old), question_word.text) if old is not None else None
    if chunk is None:
        return None
    if (asked := _asked_of_text(request, previous, chunk, table)) is not None:
        return asked
    old_chunk = _counterpart(previous, chunk)
    if old_chunk is None:
        return _with_words(previous, document[chunk.start :].text)
    new, old = core(chunk), core(old_chunk)
    if old.start > old_chunk.start and old_chunk[0].lower_ in ("a", "an") and new.root.tag_ == "NNS":
        return previous.edited(old_chunk.start_char, old.end_char, f"any {new.text}")
    return previous.edited(old.start_char, old.end_char, new.text)


def _new_words(document: Any) -> str:
    """The words behind those that only say that something is to be done again: "and again but slower" -> "slower"."""
    start = next((token.i for token in document if token.lower_ not in _AGAIN and token.pos_ != "PUNCT"), 0)
    return str(document[start:].text)


def _asked_of_text(request: Request, previous: Request, chunk: Any, table: TaskTable) -> Request | None:
    """The question for "and the date?" after a text was read, or a question was put to a text or page; else None."""
    tasks = next((turn.tasks for turn in reversed(request.turns) if turn.tasks), ())
    rows = [table.find(past.task) for past in tasks]
    text = remember(request.turns, table).text_in_hand(request.text)
    if not text and not any(row and row.wording == "question" for row in rows):
        return None
    document = _parsed(previous)
    root = next((token for token in document if token.dep_ == "ROOT"), None)
    old = _counterpart(previous, chunk)
    is_parallel = root is not None and root.lemma_ != "be" and QUESTION.search(previous.text)
    if old is not None and is_parallel and old.root.pos_ == chunk.root.pos_:
        expanded = previous.edited(core(old).start_char, core(old).end_char, core(chunk).text)
        return expanded if expanded.named or not text else expanded.attaching([Resource(text, "text")])
    verb = "are" if chunk.root.tag_ in ("NNS", "NNPS") else "is"
    others = [token for token in chunk.doc if token not in chunk and token.pos_ in ("VERB", "AUX", "NOUN", "PRON")]
    is_whole = not any(token.tag_[0] != "W" for token in others)
    question = (
        request.text if chunk.root.pos_ == "PROPN" or not is_whole else f"What {verb} {without_conjunction(chunk)}?"
    )
    files = [one for one in previous.named if one.is_file]
    return Request(question, (), request.turns).attaching([Resource(text, "text")] if text else files)


def _with_words(previous: Request, words: str) -> Request:
    """The previous request with words added to it; a language takes the place of another one."""
    words = words.strip(" ?.!,")
    whole = Clause(previous.text, 0, len(previous.text), tuple(previous.placed))
    new, old = spans.languages(words), spans.languages(spans.without_files(previous.text, whole, keep_quoted=False))
    if new and old and (match := re.search(rf"\b{re.escape(old[0])}\b", previous.text, re.IGNORECASE)):
        return previous.edited(*match.span(), new[0])
    end = len(previous.text.rstrip(" ?.!"))
    return previous.edited(end, end, f" {words}")


def _parsed(request: Request) -> Any:
    """The parse of a request, with as many letters in place of its resources, so that offsets stay the same."""
    return parse(masked(request.text, request.placed).replace("▯", "x")) or ()


def _counterpart(previous: Request, chunk: Any) -> Any | None:
    """The part of the previous request that a new noun phrase takes the place of: the first that is most like it."""
    candidates = _noun_phrases(previous)
    alike = [(old.root.tag_ == chunk.root.tag_, old.root.pos_ == chunk.root.pos_) for old in candidates]
    return candidates[alike.index(max(alike))] if candidates else None


def _noun_phrases(request: Request) -> list[Any]:
    """The noun phrases of a request that are neither files nor words for files."""
    return [
        chunk
        for chunk in getattr(_parsed(request), "noun_chunks", ())
        if chunk.root.pos_ in ("NOUN", "PROPN")
        and chunk.root.lemma_ not in NOUNS
        and not any(one.start < chunk.end_char and chunk.start_char < one.end for one in request.placed)
    ]


# All results of a kind


def _total(request: Request, previous: Request, table: TaskTable) -> Request | None:
    """For "how many altogether?", "which of them had more?" the question about all files that were asked about so."""
    files = remember(request.turns, table).selected(request.text) or _files_of_chain(request.turns, table)
    files += [one for one in request.named if one.is_file and one.text not in {file.text for file in files}]
    document = parse(request.bare_words.strip(" ?.!"))
    if len(files) < 2 or document is None:
        return None
    phrases = [chunk for chunk in _noun_phrases(previous) if chunk.root.pos_ == "NOUN"]
    objects = str(core(phrases[0]).text) if phrases else ""
    kept = [token for token in document if token.lower_ not in ("them", "these", "those", "they", "that")]
    added = next((at for at, token in enumerate(kept) if token.lower_ in _ADDING), None)
    kept = kept[:added] if any(one.is_file for one in request.named) else kept  # "if you add c.jpg"
    named = [token for token in kept if token.pos_ == "NOUN" and token.lemma_ not in NOUNS]
    named = [token for token in named if token.lower_ not in _SUMS | QUANTITIES]
    has_objects = bool(named)
    if named and not any(token.lower_ in QUANTITIES or token.lemma_ == "compare" for token in kept):
        objects, has_objects = named[-1].text, False  # "the total number of cats"
    quantities = [] if has_objects else [token for token in kept if token.lower_ in QUANTITIES]
    words = [
        f"{'no' if token.lower_ == 'none' else token.text} {objects}" if token in quantities[:1] else str(token.text)
        for token in kept
    ]
    if not objects and document[0].lemma_ == "compare":
        words = ["compare the pictures"]
    elif not has_objects and not quantities:
        words = (
            ["compare the number of", objects] if document[0].lemma_ == "compare" else ["how many", objects, "in total"]
        )
    listed, places = _listed(request, files)
    text = f"{' '.join(word for word in words if word != 'of')} in "
    moved = [replace(one, start=one.start + len(text), end=one.end + len(text)) for one in places]
    return Request(f"{text}{listed}?", moved, request.turns)


def _files_of_chain(turns: Sequence[Turn], table: TaskTable) -> list[Resource]:
    """The files that were given to the tasks of the last turn and to the same ones before; where no tasks are known, the
    user's files of the kind of the last one.
    """
    working = [turn for turn in turns if turn.tasks]
    if not working:
        files = [item.resource for item in remember(turns, table).named if item.resource.is_file and not item.generated]
        return list({one.text: one for one in files if one.kind == files[-1].kind}.values())
    names = {past.task for past in working[-1].tasks}
    rows = [
        (past, row) for turn in working for past in turn.tasks if past.task in names and (row := table.find(past.task))
    ]
    given = [(past.args.get(row.input_arg.name), row.input_kind) for past, row in rows if row.input_kind != "text"]
    return [Resource(*one) for one in dict.fromkeys((file, kind) for file, kind in given if isinstance(file, str))]


# Questions to a text that was read before


def _about_text_in_hand(request: Request, table: TaskTable) -> Request:
    """A question that names no file, with the table or text beside it that was read or worked on last."""
    clauses = split(request.text, request.placed)
    memory: Memory = remember(request.turns, table)
    is_talk = request.act in ("chat", "refuse")
    is_asked = any(is_question(clause.text) for clause in clauses)
    code = request_language(request.text, request.placed)
    is_asked |= foreign_reading.asks(request.text, code) or (
        code in CODES and request.text.rstrip().endswith(("?", "？"))
    )
    is_talk &= not asked_of_texts.is_duty(request.text)
    is_idle = is_talk and not (is_asked and sum(small_talk_scores(request.text).values()) < MAX_TALK)
    limit = MAX_ELSEWHERE / 2 if is_idle else MAX_ELSEWHERE_WITH_FILE if is_asked else MAX_ELSEWHERE
    asks = (is_asked and not is_talk) or is_about_material(request.text, table, limit)
    kinds = {item.resource.kind for item in memory.named}
    if request.named or (kinds_named(request.text) & kinds) - {"text"} or not asks:
        return request
    if not is_asked and any(  # "a gif of the first 2 seconds" of a video whose words were read
        row.is_exact and row.input_kind in kinds - {"text"} and any(cue.regex.search(request.text) for cue in row.cues)
        for row in table
    ):
        return request
    if operations_in_hand.is_asked(clauses, memory, table):
        return request
    is_whole = find_selection(request.text) or asked_of_texts.is_written_down(request.text)
    is_whole = is_whole or spoken_questions.asks_whole(request.text, memory)
    if recordings := spoken_questions.recordings_in_hand(memory, request.text):
        return request.attaching(recordings)
    text = "" if is_whole else memory.text_in_hand(request.text)
    return request.attaching([Resource(text, "text")]) if text else request
