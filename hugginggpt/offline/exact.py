"""Adds the operations of a clause to a plan: what code does to files to the letter, as the words of the clause say."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from hugginggpt.core.operation_words import FORMAT_BESIDE, LIMITING, WANTED_FORMAT
from hugginggpt.core.plan import Unplanned, reference
from hugginggpt.core.questions import Condition
from hugginggpt.core.results import FILE_KINDS, Kind
from hugginggpt.core.tasks import Arg, TaskTable, TaskType
from hugginggpt.media.references import Resource
from hugginggpt.media.types import type_of
from hugginggpt.offline import inscriptions, measuring, orders, parts_of_texts, saving, spans, speaking_manner
from hugginggpt.offline.clauses import FILE_NAMES, Clause
from hugginggpt.offline.complaints import mended
from hugginggpt.offline.memory import Memory
from hugginggpt.offline.naming import name_of, targets_of
from hugginggpt.offline.nodes import Node
from hugginggpt.offline.selection import pick
from hugginggpt.offline.spelling import corrected
from hugginggpt.offline.statements import told_beside


class Plan(Protocol):
    """What the plan under construction (`wiring.Wiring`) gives to know and to do."""

    request: str
    named: Sequence[Resource]
    targets: Sequence[Resource]
    clauses: Sequence[Clause]
    nodes: list[Node]
    memory: Memory

    @property
    def results(self) -> list[Node]: ...

    @property
    def table(self) -> TaskTable: ...

    @property
    def condition(self) -> Condition | None: ...

    @property
    def unplanned(self) -> list[Unplanned]: ...

    def append(self, task: str, args: dict[str, Any]) -> Node: ...

    def files(self, kind: Kind, clause: Clause) -> list[str]: ...

    def named_files(self, kind: Kind, resources: Sequence[Resource]) -> list[str]: ...

    def makes(self, node: Node, kind: Kind) -> bool: ...

    def texts(self, row: TaskType, clause: Clause) -> list[str]: ...

    def asked_of_table(self, with_drawn: bool = False) -> tuple[str, str]: ...

    def named_result(self, clause: Clause) -> Node | None: ...


_TAKEN_OUT = re.compile(
    r"\b(?:remove|delete|drop|get rid of|must go|should go|without|(?:take|cut|edit|snip) (?:it|that|this|them)(?: \w+)? out)\b|"
    r"\b(?:lose|bin|ditch|kill|cut out|take out) (?:it|that|this|them)\b",
    re.IGNORECASE,
)
"""Who wants to have something out wants all but the part that is told beside it."""
_IT_OUT = re.compile(
    r"\b(?:(?:take|cut|edit|snip) (?:it|that|this|them)(?: \w+)? out|"
    r"(?:remove|delete|drop|get rid of|lose|bin|ditch|kill|cut out|take out) (?:it|that|this|them)"
    r"(?: (?:bit|part|section|one))?)(?: please| pls)?\W*$",
    re.IGNORECASE,
)
"""The same, of a part that the words before it tell."""
_LIMIT = re.compile(LIMITING, re.IGNORECASE)
_LEFT_OUT = re.compile(r"\b(?:except|apart from|but not|but for|not) (?:for )?(the [^,.;]*)", re.IGNORECASE)
"""The words for files to which a thing is not to be done: "all of them except the first"."""
_SOUND = re.compile(r"\b(?:sound|audio|recording|voice|speech|music|track|mp3|wav|ogg|flac|m4a)s?\b", re.IGNORECASE)
_SOUND_ALONE = re.compile(
    r"\b(?:only|just|nothing but|extract\w*|rip|pull|grab|mp3|wav|ogg|flac|m4a)\b|\b(?:sound|audio) (?:file|alone)\b",
    re.IGNORECASE,
)
_HOW_LOUD = re.compile(r"\b(?:loud\w*|lufs|db|decibels?|peak|volume|clipp\w*|quiet\w*)\b", re.IGNORECASE)
_SOUND_FORMAT = re.compile(r"\b(?:as|into|in) (?:an? )?(mp3|ogg|flac|m4a)\b", re.IGNORECASE)
_ONE_FORMAT = re.compile(r"\b(mp3|wav|ogg|flac|m4a)\b", re.IGNORECASE)
_BYTES = re.compile(r"\d ?(?:[kmg]i?b|bytes?|kilobytes?|megabytes?)\b", re.IGNORECASE)
_OF_ORIGINAL = re.compile(
    r"\boriginal|\b(?:whole|entire|full|complete|uncut) (?:film|video|clip|movie|recording|song|talk|speech|thing)\b",
    re.I,
)
"""What is said of the file as it was before a change."""
_CUT_OUT = re.compile(r"^cut(?:ting)? out (?=\w)", re.IGNORECASE)
_IS_HAD = re.compile(
    r"\b(?:(?:of|from|out of) (?:it|that|this)|(?:only|just) that|(?:that|this) (?:part|bit|piece))\b", re.I
)
"""What is said further on of a part that is cut out to be had: "cut out 0:05 to 0:10 and make a gif of it"."""
_MEASURE = re.compile(
    r"\d|\b(?:first|last|half|twice|double|third|quarter|mono|gr[ae]y|black and white)", re.IGNORECASE
)
_DIGITS = r"(?<!\w)\d+(?:[.:,]\d+)*(?! (?:pics?\b|pictures?|images?|photos?|recordings|videos|clips|files|pdfs|documents|scans|sheets|of )\b)"


def add(plan: Plan, row: TaskType, clause: Clause) -> None:
    """Adds a task for each file that the clause is about, or one for all of them where it takes many."""
    targets = targets_of(plan.request, clause)
    targets += [one for one in plan.targets if clause.start <= one.start < clause.end]
    given = [one for one in clause.resources if one not in targets]
    row = _of_pages(plan, _of_moving_pictures(plan, row, clause, given), clause, given)
    row = _of_what_is_set(plan, row, given)
    row = _besides_saving(plan, row, clause, targets)
    argument = row.input_arg
    extra = _settings(plan, row, clause, targets) | inscriptions.of(row, plan.request, clause, plan.clauses)
    if any(arg.kind == "table" for arg in row.args):
        _add_table(plan, row, clause, given, extra, name_of(targets))
        return
    if _goes_on(plan, clause, given) or (not given and _is_cut_out(plan, row, extra)):
        return
    _note_unused(plan, row, clause, extra, targets)
    if _completes(plan, row, given, extra):
        return
    if targets and not given and _is_kept(plan, targets[0]):
        _made(plan, targets[0].kind or argument.kind)[-1].save_as = name_of(targets)  # which it is anyway
        return
    if argument.many:
        several = _pages(plan, given) if argument.kind == "document" else _several(plan, argument.kind, clause, given)
        if (
            plan.nodes
            and several == [reference(plan.nodes[-1].id)]
            and plan.table[plan.nodes[-1].task].result is row.result
        ):
            plan.nodes[-1].save_as = name_of(targets) or plan.nodes[-1].save_as
            return  # "a.pdf, b.pdf, one file", "page 2, as a PDF": what was made stays as it is
        extra |= _beside(plan, row, given)
        placed = [one for one in given if one.has_place and "." in plan.request[one.start : one.end]]
        files = orders.as_said(several or plan.files(argument.kind, clause), plan.request, placed)
        _note_order(plan, files, placed)
        joined = plan.append(row.name, {argument.name: files, **extra})
        joined.save_as = name_of(targets)
        _add_joined_format(plan, row, clause, joined, files)
        return
    for other in row.required:
        if other.kind in FILE_KINDS and other is not argument:
            extra[other.name] = _other_file(plan, other.kind, clause, given)
    about = replace(clause, resources=tuple(given))
    texts = parts_of_texts.narrowed(plan, row, clause, _texts(plan, row, about)) if argument.kind == "text" else []
    sources = texts if argument.kind == "text" else _sources(plan, argument.kind, clause, given)
    for source in _without_excepted(sources, _words(plan, clause)):
        if not _is_converted(plan, row, source, extra):
            saver, format = _format_beside(plan, row, clause)
            if saver and _BYTES.search(" ".join(extra.values())):  # which the format decides
                made = plan.append(saver.name, {saver.input_arg.name: source, "format": format})
                source, saver = reference(made.id), None
            node = plan.append(row.name, {argument.name: source, **extra})
            node.save_as = name_of(targets)
            if saver:
                _append_saved(plan, saver, node, format)


def _without_excepted(sources: Sequence[str], words: str) -> Sequence[str]:
    """The files but for those that words except: "all of them except the first"."""
    left_out = _LEFT_OUT.search(words) if len(sources) > 1 else None
    excepted = pick(sources, left_out[1]) if left_out else ()
    return [one for one in sources if one not in excepted] or sources


def _is_cut_out(plan: Plan, row: TaskType, extra: Mapping[str, str]) -> bool:
    """Whether what was cut out last is a PNG, as it is to be: "remove the background and save it as png"."""
    last = plan.results[-1] if plan.results else None
    return bool(
        _converts(row) and extra.get("format") == "png" and last and plan.table[last.task].result.draws == "masks"
    )


def _format_beside(plan: Plan, row: TaskType, clause: Clause) -> tuple[TaskType | None, str]:
    """The operation that saves in a format, and the format, where a clause asks for one besides another change: "half as
    big as a png", "a 300 px wide png", "the first 30 seconds as mp3".
    """
    saver = _saver(plan, row.input_kind)
    if saver is None or saver is row or row.input_kind != row.result.name:
        return None, ""
    words = spans.without_files(plan.request, clause, keep_quoted=False)
    for pattern in (FORMAT_BESIDE, WANTED_FORMAT):
        format = re.search(pattern, words, re.IGNORECASE)
        if format and saver.args[1].found_in(format[1]):
            return saver, format[1].lower()
    return None, ""


def _besides_saving(plan: Plan, row: TaskType, clause: Clause, targets: Sequence[Resource]) -> TaskType:
    """The change that a clause asks for beside a format, where it was read as a wish for the format alone: "save it as
    webp, under 40 kB"; else the row itself.
    """
    if row is not _saver(plan, row.input_kind) or targets:
        return row
    words = spans.without_files(plan.request, clause, keep_quoted=False)
    if not re.search(WANTED_FORMAT, words, re.IGNORECASE) and not re.search(FORMAT_BESIDE, words, re.IGNORECASE):
        return row
    rest = words.replace(row.args[1].found_in(words), " ")
    others = [
        one
        for one in plan.table
        if one.is_exact and one is not row and one.input_kind == one.result.name == row.input_kind
        and not one.input_arg.many and one.wording == row.wording
        and [arg for arg in one.required if arg.pattern]
        and all(_MEASURE.search(arg.found_in(rest)) for arg in one.required if arg.pattern)
    ]  # fmt: skip
    return others[0] if len(others) == 1 else row


def _saver(plan: Plan, kind: Kind) -> TaskType | None:
    """The operation that saves a picture or a recording in another format."""
    if kind == "audio":
        return _sound_operation(plan, "format")
    rows = (one for one in plan.table if one.is_exact and one.result.name == kind and _converts(one))
    return next(rows, None)


def _add_joined_format(plan: Plan, row: TaskType, clause: Clause, joined: Node, files: Sequence[str]) -> None:
    """Adds a conversion where recordings become one of another format than the first has: "join them into one mp3"."""
    words = spans.without_files(plan.request, clause, keep_quoted=False)
    format = _ONE_FORMAT.search(words) if row.result.name == "audio" else None
    saver = _sound_operation(plan, "format")
    if format and saver and files and not files[0].lower().endswith(f".{format[1].lower()}"):
        _append_saved(plan, saver, joined, format[1])


def _append_saved(plan: Plan, saver: TaskType, node: Node, format: str) -> None:
    """Adds the operation that saves what a node makes in a format, under the name that the node's file was to have."""
    name, node.save_as = node.save_as, ""
    source = {saver.input_arg.name: reference(node.id), "format": format.lower()}
    plan.append(saver.name, source).save_as = name


def _sound_operation(plan: Plan, argument: str) -> TaskType | None:
    """The operation on recordings that takes an argument: that of a "format" saves them, that of a "change" alters them."""
    rows = (one for one in plan.table if one.is_exact and one.input_kind == one.result.name == "audio")
    return next((one for one in rows if one.arg(argument)), None)


def add_sound_format(plan: Plan, row: TaskType, clause: Clause) -> None:
    """Adds what changes speech that is asked for slow or loud, and a conversion where it is asked for in a format: "read
    it aloud, as an mp3".
    """
    _add_manner(plan, row, clause)
    format = _SOUND_FORMAT.search(plan.request, clause.start) if row.wording == "speech" else None
    saver = _sound_operation(plan, "format")
    if format is None or saver is None:
        return
    used = {value for node in plan.nodes for value in node.args.values() if isinstance(value, str)}
    made_last = [one for one in plan.nodes if one.task == row.name or _is_of_speech(plan, one, row)]
    for node in [one for one in made_last if reference(one.id) not in used]:
        _append_saved(plan, saver, node, format[1])


def _is_of_speech(plan: Plan, node: Node, row: TaskType) -> bool:
    """Whether a task changes speech that the plan makes."""
    sources = {reference(one.id) for one in plan.nodes if one.task == row.name}
    return plan.makes(node, "audio") and not sources.isdisjoint(map(str, node.args.values()))


def _add_manner(plan: Plan, row: TaskType, clause: Clause) -> None:
    """Adds a change of the speech where it is to be slow or loud: "read it aloud, slowly if you can"."""
    changes = speaking_manner.changes(plan.request[clause.start :]) if row.wording == "speech" else ""
    changer = _sound_operation(plan, "change")
    if not changes or changer is None:
        return
    for node in [one for one in plan.nodes if one.task == row.name]:
        plan.append(changer.name, {changer.input_arg.name: reference(node.id), "change": changes})


def _converts(row: TaskType) -> bool:
    """Whether an operation does nothing but save a file in another format."""
    return row.input_kind == row.result.name and [arg.name for arg in row.required] == [row.input_arg.name, "format"]


def _is_converted(plan: Plan, row: TaskType, source: str, extra: Mapping[str, str]) -> bool:
    """Whether a file has the format already, as it was made in it: "make it an mp3? My player only takes mp3"."""
    last = plan.nodes[-1] if plan.nodes else None
    is_it = last is not None and last.task == row.name and source == reference(last.id)
    return bool(is_it and last and list(extra) == ["format"] and last.args.get("format") == extra["format"])


def _other_file(plan: Plan, kind: Kind, clause: Clause, given: Sequence[Resource]) -> str:
    """The file of another kind that an operation takes: that of the clause, else of the request, else what was made."""
    named = [*plan.named_files(kind, given), *plan.named_files(kind, plan.named)]
    own = [one for one in named if (found := type_of(one)) is not None and found.kind == kind]
    return next(iter(own or plan.files(kind, clause)), "")


def _beside(plan: Plan, row: TaskType, given: Sequence[Resource]) -> dict[str, str]:
    """A file of another kind that an operation on several may take: "with song.mp3 as music"."""
    others = [arg for arg in row.args if arg.kind in FILE_KINDS and not arg.required]
    return {arg.name: files[0] for arg in others if (files := plan.named_files(arg.kind, [*given, *plan.named]))}


def _texts(plan: Plan, row: TaskType, clause: Clause) -> list[str]:
    """The texts that are saved: what was found last, whatever it is, where the clause names nothing else."""
    last = plan.results[-1] if plan.results else None
    if last and not clause.resources and "text" in plan.table[last.task].result.kinds and not plan.named_result(clause):
        return [reference(node.id) for node in plan.results if node.group == last.group and node.task == last.task]
    return plan.texts(row, clause)


def _add_table(
    plan: Plan, row: TaskType, clause: Clause, given: Sequence[Resource], extra: dict[str, str], name: str
) -> None:
    """Adds a task that saves a table, under a name: the rows that the clause names, else those that were asked for
    before, if it does not speak of the table itself.
    """
    argument = next(arg for arg in row.args if arg.kind == "table")
    if argument.many or not any(arg.name == "rows" for arg in row.args):
        _add_worked_on(plan, row, clause, given, extra, name)
        return
    whole = replace(clause, resources=(*clause.resources, *plan.targets))
    last = plan.nodes[-1] if plan.nodes else None
    made = plan.table[last.task] if last and not given else None
    is_made = made is not None and made is not row and made.input_kind == "table" and made.arg("format") is not None
    if last and is_made and saving.is_bare(whole, plan.request):
        last.args.update(extra)  # what was made of a table is a file of its own
        last.save_as = name
        return
    rest = "" if saving.is_bare(whole, plan.request) else saving.rest_of(whole, plan.request)
    table, asked = plan.asked_of_table() if not rest and not saving.is_of_whole(whole, plan.request) else ("", "")
    here = [one.text for one in given if one.is_file]
    sources = [table] if table else here or plan.files("table", clause) or plan.files("document", clause)
    rows = next((arg.name for arg in row.args if not arg.pattern and arg is not argument), "")
    for source in sources:
        plan.append(row.name, {argument.name: source, **extra, rows: asked or rest}).save_as = name


def _add_worked_on(
    plan: Plan, row: TaskType, clause: Clause, given: Sequence[Resource], extra: dict[str, str], name: str
) -> None:
    """Adds a task on the tables of the clause, else what was made of one, with the words of the clause; what goes on
    from the same task in the clause before it is one change with it.
    """
    argument, how = row.input_arg, next(arg.name for arg in row.args if not arg.pattern and arg.kind == "text")
    here = [one.text for one in given if one.is_file]
    sources = here or plan.files("table", clause) or plan.files("document", clause)
    if argument.many:
        every = here if len(here) > 1 else plan.files("table", replace(clause, resources=()))
        plan.append(row.name, {argument.name: every or sources, how: _words(plan, clause), **extra}).save_as = name
        return
    last = plan.nodes[-1] if plan.nodes else None
    if last and last.task == row.name and not here:
        last.args[how] = f"{last.args[how]}; {_words(plan, clause)}"
        last.args.update(extra)
        return
    words = spans.without_files(plan.request, clause, keep_quoted=True).strip(" \n,;:.")
    table, asked = plan.asked_of_table(with_drawn=True) if "image" in row.result.makes else ("", "")
    for source in sources:
        said = f"{asked}\n{words}" if asked and source == table else words  # "and that as a bar chart"
        plan.append(row.name, {argument.name: source, how: said, **extra}).save_as = name


def _pages(plan: Plan, given: Sequence[Resource]) -> list[str]:
    """The documents and pictures of pages that become one document: those of the clause, else all and what was made."""
    files = [one for one in given if one.is_file]
    made = [reference(node.id) for node in plan.results if plan.makes(node, "document") or plan.makes(node, "image")]
    every = files if len(files) > 1 else [one for one in plan.named if one.is_file]
    here = [one.text for one in every if one.kind in ("text", "image", None)]
    return list(dict.fromkeys([*made, *here] if not made or len(files) > 1 else made))


def _of_pages(plan: Plan, row: TaskType, clause: Clause, given: Sequence[Resource]) -> TaskType:
    """The operation, or where pictures become a document together with documents, the one that takes both."""
    if row.input_kind != "image" or row.result.name != "document":
        return row
    if not any(one.kind == "text" and one.is_file for one in given or plan.named):
        return row
    return next(one for one in plan.table if one.input_kind == "document" == one.result.name and one.input_arg.many)


def _of_what_is_set(plan: Plan, row: TaskType, given: Sequence[Resource]) -> TaskType:
    """The operation, or where what becomes a document is a text that was found, or tables alone, the one that saves it."""
    if not (row.input_arg.many and row.result.name == "document" and row.input_kind in ("document", "image")):
        return row
    saving_rows = [one for one in plan.table if one.is_exact and one.result is row.result and one.arg("format")]
    last = plan.results[-1] if plan.results else None
    if last and not given and "text" in plan.table[last.task].result.kinds:
        return next(one for one in saving_rows if one.input_kind == "text")
    files = [one for one in given or plan.named if one.is_file]
    in_hand = None if files or last else plan.memory.table_in_hand()
    if in_hand or (files and all(one.kind == "table" for one in files)):
        return next(one for one in saving_rows if one.input_kind == "table" and one.arg("rows"))
    return row


def _words(plan: Plan, clause: Clause) -> str:
    return plan.request[clause.start : clause.end].strip(" \n,;:.")


def _how(row: TaskType) -> Arg | None:
    """The argument for how an operation is to be done."""
    return next((arg for arg in row.required if arg.pattern), None)


def _of_moving_pictures(plan: Plan, row: TaskType, clause: Clause, given: Sequence[Resource]) -> TaskType:
    """The operation, or the one on videos that the same words tell where a video is in hand and the words do not speak
    of its sound: who wants a video faster does not want its sound alone.
    """
    arg = _how(row)
    if row.measures and row.input_kind == "audio" and not _HOW_LOUD.search(_words(plan, clause)):
        seen = _sources(plan, "audio", clause, given)
        is_video = bool(seen) and all((found := type_of(one)) is not None and found.kind == "video" for one in seen)
        return next(one for one in plan.table if one.measures and one.input_kind == "video") if is_video else row
    if row.input_kind != "audio" or not row.result.makes or arg is None:
        return row
    if (_SOUND_ALONE if arg.takes_all else _SOUND).search(_words(plan, clause)):
        return row  # a part of the sound is a recording; but who wants the sound louder wants the video louder
    sources = _sources(plan, "audio", clause, given)
    if not sources or any((found := type_of(one)) is None or found.kind != "video" for one in sources):
        return row
    others = [one for one in plan.table if one.is_exact and one.input_kind == "video" == one.result.name]
    same = [one for one in others if (other := _how(one)) and other.name == arg.name]
    return same[0] if same else row


def _note_order(plan: Plan, files: Sequence[str], placed: Sequence[Resource]) -> None:
    """Says that the files stand in the order in which they came, where their names do not tell which is wanted first."""
    if which := orders.untold(files, plan.request, placed):
        why = (
            f"By the names of the files I cannot tell which is {which}, so they stand in the order in which they came."
        )
        plan.unplanned.append(Unplanned(f"{which} first", why))


def _note_unused(
    plan: Plan, row: TaskType, clause: Clause, extra: Mapping[str, str], targets: Sequence[Resource]
) -> None:
    """Says of a number in the words, and of what limits the change, that no argument took it and it was not used."""
    words = spans.without_files(plan.request, clause, keep_quoted=False)
    left = re.findall(_DIGITS, orders.NUMBERS.sub(" ", words) if row.input_arg.many else words)
    for used in re.findall(_DIGITS, " ".join(extra.values())):
        if used in left:
            left.remove(used)
    if left:
        numbers = " and ".join(left)
        plan.unplanned.append(Unplanned(_words(plan, clause), f"It is not understood what {numbers} is to do there."))
    for language in spans.languages(words) if row.input_kind == "audio" and row.result.makes else ():
        why = "The words stay in the language that is spoken; ask for a translation of the text."
        plan.unplanned.append(Unplanned(f"in {language}", why))
    taken = " ".join(extra.values()).lower()
    for limit in _LIMIT.finditer(words):
        said = limit[0].strip(" ,.;")
        if said.lower() not in taken and not (pick(plan.named, said) or set(re.findall(_DIGITS, said)) & set(left)):
            plan.unplanned.append(Unplanned(said, "The operation cannot do this; it is done without it."))


def _settings(plan: Plan, row: TaskType, clause: Clause, targets: Sequence[Resource]) -> dict[str, str]:
    """What the patterns of the arguments find in the words, or the format in the name of the file that is to be made."""
    bare = spans.without_files(plan.request, clause, keep_quoted=False)
    words = mended(measuring.without_ends(re.sub(r"^(?=(?:is|are|looks?|sounds?|came|was)\b)", "it ", bare)))
    found = _told(row, words)
    if any(arg.pattern and arg.name not in found for arg in row.required):
        spelled = corrected(words)
        found |= {arg.name: text for arg in row.required if arg.pattern and (text := arg.found_in(spelled).strip(" ."))}
    for arg in row.args:
        if arg.pattern and arg.name not in found and targets:
            name = targets[0].text.rpartition(".")[2]
            found |= {arg.name: name} if arg.found_in(name) else {}
    found |= _of_condition(plan, row, found)
    for told in () if found else told_beside(clause, plan.clauses):
        found = found or _told(row, FILE_NAMES.sub("", told))
        found = _without(row, found) if _TAKEN_OUT.search(words) else found
    if row.result.name != row.input_kind or _IS_HAD.search(plan.request[clause.end :]):
        return {name: _CUT_OUT.sub("", text) for name, text in found.items()}
    return found | _without(row, found) if _IT_OUT.search(words) else found


def _without(row: TaskType, told: Mapping[str, str]) -> dict[str, str]:
    """What is told, as what is to be taken out: "somebody coughs from 0:10 to 0:15, cut it out"; nothing of what cannot."""
    left = {name: f"without {text}" for name, text in told.items() if not text.lower().startswith("without")}
    return {name: text for name, text in left.items() if (arg := row.arg(name)) and arg.found_in(text) == text}


def _told(row: TaskType, words: str) -> dict[str, str]:
    """What the patterns of the arguments find in words."""
    return {arg.name: text for arg in row.args if arg.pattern and (text := arg.found_in(words).strip(" ."))}


def _of_condition(plan: Plan, row: TaskType, found: Mapping[str, str]) -> dict[str, str]:
    """What the condition is about, for an operation on an object that its words do not name: "if there is a cat, crop
    it".
    """
    if not plan.condition or not plan.condition.holds or not plan.condition.question.objects:
        return {}
    about = f"only the {plan.condition.question.objects[0].words}"
    wanted = [arg for arg in row.required if arg.pattern and arg.name not in found]
    return {arg.name: text for arg in wanted if (text := arg.found_in(about))}


def _completes(plan: Plan, row: TaskType, given: Sequence[Resource], extra: dict[str, str]) -> bool:
    """Whether the clause only says how the operation before it is to be done: "it is too quiet, make it 6 dB louder"."""
    last = plan.nodes[-1] if plan.nodes else None
    wanted = [arg.name for arg in row.required if arg.pattern]
    if last is None or given or last.task != row.name or all(name in last.args for name in wanted):
        return False
    last.args.update(extra)
    return True


def _goes_on(plan: Plan, clause: Clause, given: Sequence[Resource]) -> bool:
    """Whether a clause goes on about the operation before it, which has its file already: "…, 4 seconds each, with
    song.mp3 as music"; what it says of how that is to be done is added there.
    """
    last = plan.nodes[-1] if plan.nodes else None
    files = [one.text for one in given if one.is_file]
    row = plan.table[last.task] if last else None
    if last is None or row is None or not row.is_exact or len(files) != 1:
        return False
    beside = [arg.name for arg in row.args if arg.kind in FILE_KINDS and not arg.required]
    if not any(last.args.get(name) == files[0] for name in beside):
        return False
    words = spans.without_files(plan.request, clause, keep_quoted=False)
    last.args.update({arg.name: text for arg in row.args if arg.pattern and (text := arg.found_in(words))})
    return True


def _is_kept(plan: Plan, target: Resource) -> bool:
    """Whether what was made has the format of the file that is to be made anyway."""
    files = [one for one in plan.named if one.is_file and one.kind == target.kind and one is not target]
    made = _made(plan, target.kind) if target.kind else []
    return (
        bool(made)
        and plan.table[made[-1].task].is_exact
        and bool(files)
        and all(type_of(one.text) == type_of(target.text) for one in files)
    )


def _sources(plan: Plan, kind: Kind, clause: Clause, given: Sequence[Resource]) -> list[str]:
    """The files that the clause names, else what was made last, drawings included, else those of the request."""
    if here := plan.named_files(kind, given):
        return here
    text = plan.request[clause.start : clause.end]
    made = _made(plan, kind)
    if made and not any(one.is_file for one in given) and not _OF_ORIGINAL.search(text):
        return [reference(node.id) for node in made if node.group == made[-1].group]
    return plan.files(kind, clause)


def _several(plan: Plan, kind: Kind, clause: Clause, given: Sequence[Resource]) -> list[str]:
    """The files that are to become one: those of the clause, else what was made of several, else all."""
    here = plan.named_files(kind, given)
    if len(here) > 1:
        return here
    changed = [node for node in _made(plan, kind) if plan.table[node.task].transforms_input]
    every = [reference(node.id) for node in _made(plan, kind)]
    made = [one for one in every if not any(node.takes(one) for node in changed)]
    if len(made) > 1:
        return made
    targets = {one.text for other in plan.clauses for one in targets_of(plan.request, other)}
    named = [one for one in plan.named_files(kind, plan.named) if one not in targets]
    if "original" not in _words(plan, clause).lower():  # "hide the name, then save as a PDF" is about what was made
        named = [one for one in named if not any(node.takes(one) for node in changed)]
    files = list(dict.fromkeys([*made, *named])) or plan.files(kind, clause)
    if len(files) < 2 and _BOTH.search(_words(plan, clause)) and not plan.named:
        return plan.memory.last_given(kind, 2) or files
    return files


_BOTH = re.compile(
    r"\b(?:both|them|next to each other|side by side|the two|two (?:pictures|photos|images|recordings|videos|files))\b",
    re.IGNORECASE,
)


def _made(plan: Plan, kind: Kind) -> list[Node]:
    return [node for node in plan.results if plan.makes(node, kind)]
