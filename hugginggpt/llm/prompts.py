"""The messages sent to the language model at each stage, within its context length.

The templates come from the configuration (tprompt: the system message, prompt: the last message) and
from demos/ (the example turns between them); `templates.py` fills them, `compact.py` puts what fills them into few
tokens.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile
from pathlib import Path
from typing import Any, TypeVar

from hugginggpt.catalog.catalog import ModelCard
from hugginggpt.config import Config
from hugginggpt.core.conversation import Attachment, list_files
from hugginggpt.core.errors import ConfigError
from hugginggpt.core.tasks import Arg, TaskTable, TaskType
from hugginggpt.llm import compact
from hugginggpt.llm.base import Fixed, Message
from hugginggpt.llm.templates import SLOTS, Template, read_template
from hugginggpt.llm.tokens import TokenCounter

M = TypeVar("M", bound=Mapping[str, Any])
REPLY_TOKENS = 1500
"""Tokens of the context reserved for the model's answer."""
RESULT_CHARS = 4000
"""How many characters of a text in a result are shown to the answering model."""
REQUEST_CHARS = 350
"""How many characters of the request are shown where a model is chosen for one of its tasks."""
REASON_CHARS = 100

FIXED_SLOTS = {"tasks"}
"""The slots whose filling holds nothing of a request."""

ATTACHED = "Files attached to the request (its words mean them by their names; an argument is the path):"
DRAFT = "A draft of the plan, by a program that is often right; mend what is wrong or missing:"
REJECTED = "The plan that was made before; the end of the request says what should be different:"
WITH, CHAT = "with", "chat"
"""The key of a demonstration's turns that says where alone they are shown, and its value: where there is a chat before
the request."""
MANY_ALIKE = 2
"""Of more rows of the task table that begin alike, the beginning is told once."""
DEMONSTRATION_SHARE = 0.25
"""The share of the context available to demonstrations chosen for a request."""


def plan_schema(table: TaskTable, tasks: Collection[str] | None = None) -> dict[str, Any]:
    """The JSON schema of a plan of the table's task types, or of those of them that are in `tasks`."""
    task = {
        "type": "object",
        "properties": {
            "task": {"type": "string", "enum": [row.name for row in table if tasks is None or row.name in tasks]},
            "id": {"type": "integer"},
            "dep": {"type": "array", "items": {"type": "integer"}},
            "args": {"type": "object", "additionalProperties": {"type": "string"}},
        },
        "required": ["task", "id", "dep", "args"],
    }
    return {"type": "object", "properties": {"tasks": {"type": "array", "items": task}}, "required": ["tasks"]}


def choice_schema(ids: Sequence[str]) -> dict[str, Any]:
    """The JSON schema of the choice of one of these models."""
    return {
        "type": "object",
        "properties": {"id": {"type": "string", "enum": list(ids)}, "reason": _REASON},
        "required": ["id", "reason"],
    }


def choices_schema(ids: Mapping[int, Sequence[str]]) -> dict[str, Any]:
    """The JSON schema of a choice for each of these tasks, in their order."""
    return {
        "type": "object",
        "properties": {
            "choices": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "task": {"type": "integer", "enum": list(ids)},
                        "id": {"type": "string", "enum": sorted({one for some in ids.values() for one in some})},
                        "reason": _REASON,
                    },
                    "required": ["task", "id", "reason"],
                },
                "maxItems": len(ids),
            }
        },
        "required": ["choices"],
    }


_REASON = {"type": "string", "maxLength": REASON_CHARS}
READING = (
    "You read a text and answer a question about it, in one short sentence, with the words, numbers and names of the "
    "text, in the language of the question."
)
"""Without "or say that it does not tell": small models then say that of most texts. Code looks for that."""
QUERYING = (
    "You write one SQLite query that answers a question about the tables of a file. Use the columns and values that "
    "are there; an empty cell is NULL. Select what was asked for, with the column that names it."
)
CALCULATING = (
    "You write the calculation that answers a question about a text: numbers of the text and of the question as they "
    "stand there, with + - * / between them. Do not work it out."
)
REWORDING = (
    "You say the last message of a conversation again, as one plain English request that is understood without the "
    "conversation: what is to be done, or to be known, and of which file. Keep the names of files, numbers and quoted "
    "texts as they are. Add nothing."
)
REWORDED = (
    (
        "Files: photo.jpg\nLast message: Dreh das mal um 90 Grad nach rechts",
        "Rotate photo.jpg by 90 degrees to the right",
    ),
    (
        "Files: menu.jpg\nMessage before: How much is the soup?\nLast message: n hwo abuot the fish",
        "How much is the fish in menu.jpg?",
    ),
    ("Files: a.jpg, b.jpg\nLast message: i wanna see those two next to each other", "Put a.jpg and b.jpg side by side"),
)
"""Examples of messages and how they are said again."""
WISHES = "It is a part of this request, whose wishes for it, such as length, form and tone, you follow:"
WISH_CHARS = 500
"""A longer request, without the text itself, is no wish but a text."""
QUERY_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"query": {"type": "string", "maxLength": 400}},
    "required": ["query"],
    "additionalProperties": False,
}
CALCULATION_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "calculation": {"type": "string", "pattern": r"^[0-9. ()+*/-]{1,80}$"},
        "unit": {"type": "string", "maxLength": 20},
    },
    "required": ["calculation", "unit"],
    "additionalProperties": False,
}
INTRODUCTION = (
    "You are JARVIS (HuggingGPT), an assistant that can also have expert models look at pictures, listen to "
    "recordings, speak, draw and work on text. No expert is needed for this message: reply to it yourself, shortly."
)


@dataclass(frozen=True, slots=True)
class Demonstration:
    """A request, the chat before it, and its plan in JARVIS's format."""

    request: str
    plan: Sequence[Mapping[str, Any]]
    history: Sequence[Message] = ()


class Prompts:
    """Renders the templates of the configuration; `table` holds the task types that plans are made of."""

    def __init__(self, config: Config, count: TokenCounter, table: TaskTable) -> None:
        self.config = config
        self.table = table
        self.count = count
        self.demos = {
            stage: _read_demos(config.input_file(file)) for stage, file in config.demos_or_presteps.model_dump().items()
        }
        self._templates = {stage: self._stage_templates(stage) for stage in SLOTS}

    def _stage_templates(self, stage: str) -> list[tuple[str, Template]]:
        """The (role, text) turns of a stage: what the system is told, the demonstrations, the last message.

        The demonstrations of plans stand as they are: braces in them are JSON. Raises ConfigError.
        """
        demos = [] if stage == "parse_task" else self.demos[stage]
        file = f"demos_or_presteps.{stage}"
        return [
            ("system", read_template(getattr(self.config.tprompt, stage), stage, f"tprompt.{stage}")),
            *((turn["role"], read_template(turn["content"], stage, file)) for turn in demos),
            ("user", read_template(getattr(self.config.prompt, stage), stage, f"prompt.{stage}")),
        ]

    def _filled(self, stage: str, slots: Mapping[str, str]) -> list[Message]:
        """The turns of a stage; those without a slot that differs from request to request are fixed."""
        return [
            (Fixed if template.slots <= FIXED_SLOTS else Message)(role=role, content=template.fill(slots))
            for role, template in self._templates[stage]
        ]

    def counted_by(self, count: TokenCounter) -> Prompts:
        """The same prompts within the context of another language model."""
        prompts = copy.copy(self)
        prompts.count = count
        return prompts

    def plan(
        self,
        request: str,
        history: Sequence[Mapping[str, Any]],
        nearest: Sequence[Demonstration] = (),
        tasks: Collection[str] | None = None,
        files: Sequence[Attachment] = (),
        draft: Sequence[Mapping[str, Any]] = (),
        wrong: Sequence[str] = (),
        rejected: Sequence[Mapping[str, Any]] = (),
    ) -> list[Message]:
        """Stage 1. The oldest turns of the chat are left out until the rest fits.

        `history` are messages, perhaps with "files" that came with them; `nearest` are demonstrations in place of the
        fixed ones, the nearest first; `tasks` are the task types that the plan may use, by default all; `files` are
        attached to the request, `draft` is a plan for it that may be wrong, `wrong` what is known to be wrong in it,
        `rejected` a plan that the user wants changed.
        """
        described = task_list(self.table, tasks)
        fixed = list(_fitting(self.demos["parse_task"], tasks, chat=bool(history)))
        demos = self._as_turns(nearest, described) if nearest else fixed

        request = _with_files(request, files)
        if draft:
            request = f"{request}\n\n{DRAFT} {_json({'tasks': draft})}"
            request = f"{request}\nWrong in it: {'; '.join(wrong)}." if wrong else request
        if rejected:
            request = f"{request}\n\n{REJECTED} {_json({'tasks': rejected})}"

        def messages(turns: Sequence[Mapping[str, Any]]) -> list[Message]:
            system, question = self._plan_messages(request, turns, described)
            return [system, *demos, question]

        return self._within_context(messages, history)

    def _plan_messages(self, request: str, turns: Sequence[Mapping[str, Any]], tasks: str) -> list[Message]:
        """What the system is told, and the question."""
        return self._filled("parse_task", {"tasks": tasks, "input": request, "context": _chat_text(turns)})

    def _as_turns(self, nearest: Sequence[Demonstration], tasks: str) -> list[Message]:
        """The turns of the demonstrations that fit into their share of the context, the nearest last."""
        left = (self.config.context_length - REPLY_TOKENS) * DEMONSTRATION_SHARE
        turns: list[Message] = []
        for demo in nearest:
            answer = {"role": "assistant", "content": _json({"tasks": demo.plan})}
            pair = [self._plan_messages(demo.request, demo.history, tasks)[1], answer]
            left -= sum(self.count(turn["content"]) for turn in pair)
            if left < 0:
                break
            turns = [*pair, *turns]
        return turns

    def select(
        self, request: str, task: Mapping[str, Any], candidates: Sequence[tuple[ModelCard, str]]
    ) -> list[Message]:
        """Stage 2. `candidates` are models and the endpoints they run on."""
        slots = {
            **self._asked(request, task, self._metas(candidates)),
            "call": compact.lone_call(task),
            "candidates": compact.candidate_lines(candidates, self.config.max_description_length),
        }
        return self._filled("choose_model", slots)

    def select_all(
        self, request: str, tasks: Sequence[tuple[Mapping[str, Any], Sequence[tuple[ModelCard, str]]]]
    ) -> list[Message]:
        """Stage 2 for all tasks at once."""
        calls, metas = [task for task, _ in tasks], [self._metas(candidates) for _, candidates in tasks]
        lines = compact.question_lines(tasks, self.config.max_description_length)
        slots = {
            **self._asked(request, calls, metas),
            "call": "\n".join(map(compact.call, calls)),
            "candidates": lines,
        }
        form = 'Reply with JSON: {"choices": [{"task": number, "id": "a candidate", "reason": "a few words"}]}.'
        return [
            {"role": "system", "content": self._templates["choose_model"][0][1].fill(slots)},
            _user(f"My request: {slots['input']}\n\nIts tasks, each with its candidates:\n\n{lines}\n\n{form}"),
        ]

    def _asked(self, request: str, task: Any, metas: Any) -> dict[str, str]:
        """The slots that JARVIS has for the choice of a model."""
        return {"input": compact.shortened(request, REQUEST_CHARS), "task": _json(task), "metas": _json(metas)}

    def _metas(self, candidates: Sequence[tuple[ModelCard, str]]) -> list[dict[str, Any]]:
        """The descriptions of models for the language model, with JARVIS's keys."""
        return [
            {
                "id": card.id,
                "inference endpoint": endpoint,
                "likes": card.likes,
                "description": card.description[: self.config.max_description_length],
                "tags": card.meta.get("tags"),
            }
            for card, endpoint in candidates
        ]

    def respond(self, request: str, results: Sequence[Mapping[str, Any]], facts: Sequence[str] = ()) -> list[Message]:
        """Stage 4. `results` are JARVIS's: task, inference result, choose model result. `facts` is what code made of
        them: answers to questions, counted objects.
        """
        longest = RESULT_CHARS
        while True:
            slots = {
                "input": request,
                "processes": _json([_shortened(result, longest) for result in results]),
                "results": compact.result_lines(results, self.table, longest),
                "facts": "\n".join(facts),
            }
            messages = self._filled("response_results", slots)
            if longest < 100 or self._fits(messages):
                return messages
            longest //= 2

    def task(self, task: TaskType, args: Mapping[str, Any], request: str = "") -> list[Message]:
        """A text task that the language model carries out itself. The request that it is part of may say more of how:
        "in one sentence", "politely, that I come"; a text to be written has all that in its argument.
        """
        main = task.input_arg.name
        others = [
            (arg.about or arg.name, args[arg.name]) for arg in task.args if arg.name != main and args.get(arg.name)
        ]
        details = "".join(
            f" {about[0].upper()}{about[1:]}: {', '.join(value) if isinstance(value, list) else value}."
            for about, value in others
        )
        text = str(args.get(main, ""))
        wish = "" if text.startswith(request) else _wish(request, text)  # a text to be written begins with its wish
        how = f" {WISHES} “{wish}”" if wish else ""
        content = f"Do one thing: {task.about}.{details}{how} Reply with the resulting text alone."
        return [{"role": "system", "content": content}, _user(text)]

    def read(self, question: str, texts: Sequence[tuple[str, str]], before: str = "") -> list[Message]:
        """A question to texts, (name, text) each; `before` is the one before, with which it may go on."""
        return _asking(READING, _held(texts), question, before)

    def query(self, question: str, tables: str, before: str = "") -> list[Message]:
        """A question to tables, as SQL describes them, for a query."""
        return _asking(QUERYING, tables, question, before)

    def calculation(self, question: str, texts: Sequence[tuple[str, str]], before: str = "") -> list[Message]:
        """A question to texts, for a calculation with their numbers."""
        return _asking(CALCULATING, _held(texts), question, before)

    def reword(self, message: str, before: str, files: Sequence[str]) -> list[Message]:
        """A message of a conversation, to be said so that it stands for itself; `before` is the one before it."""
        roles = ("user", "assistant")
        examples = [Fixed(role=role, content=said) for pair in REWORDED for role, said in zip(roles, pair, strict=True)]
        lines = (f"Files: {', '.join(files)}" * bool(files), f"Message before: {before}" * bool(before))
        asked = "\n".join(filter(None, (*lines, f"Last message: {message}")))
        return [Fixed(role="system", content=REWORDING), *examples, _user(asked)]

    def chat(self, messages: Sequence[Message], files: Sequence[Attachment] = ()) -> list[Message]:
        """A conversational answer, where no task is needed; `files` are attached to the last message."""
        last = messages[-1]
        messages = [*messages[:-1], {**last, "content": _with_files(last["content"], files)}]
        return self._within_context(lambda turns: [{"role": "system", "content": INTRODUCTION}, *turns], messages)

    def repair(self, messages: Sequence[Message], answer: str, error: str, wanted: str) -> list[Message]:
        """The repair turn: the one further turn that a model gets when its answer could not be used."""
        return [
            *messages,
            {"role": "assistant", "content": answer[:RESULT_CHARS]},
            _user(f"That could not be used. {error} Reply again with {wanted} alone."),
        ]

    def _within_context(self, make: Callable[[Sequence[M]], list[Message]], turns: Sequence[M]) -> list[Message]:
        """The messages with as many of the last turns as fit."""
        turns = list(turns)
        while True:
            messages = make(turns)
            if len(turns) <= 1 or self._fits(messages):
                return messages
            turns = turns[2:] if len(turns) > 2 else turns[-1:]

    def _fits(self, messages: Sequence[Message]) -> bool:
        return sum(self.count(m["content"]) for m in messages) <= self.config.context_length - REPLY_TOKENS


def task_list(table: TaskTable, tasks: Collection[str] | None = None) -> str:
    """The task table (or these rows of it) as the planner reads it: name, arguments and what it does, below what it
    gives. How several rows begin alike is said once, too.
    """
    lines: list[str] = []
    above = ""
    rows = [row for row in table if tasks is None or row.name in tasks]
    for (kinds, _), alike in groupby(rows, lambda row: (row.result.kinds, row.about.split()[:4])):
        group = list(alike)
        start = _common_start([row.about for row in group]) if len(group) > MANY_ALIKE else ""
        heading = f"Giving {' and '.join(kinds)}{f': {start}…' if start else ':'}"
        if heading != above:
            lines.append(above := heading)
        lines += [f"- {row.name}({', '.join(map(_argument, row.args))}): {row.about[len(start) :]}" for row in group]
    return "\n".join(lines)


def _common_start(texts: Sequence[str]) -> str:
    """The words, each with the blank behind it, with which all texts begin."""
    columns = zip(*(text.split(" ") for text in texts), strict=False)
    return "".join(f"{words[0]} " for words in takewhile(lambda words: len(set(words)) == 1, columns))


def _fitting(turns: Sequence[Message], tasks: Collection[str] | None, chat: bool) -> Iterator[Message]:
    """The example turns without the pairs whose plan has other tasks than these, or that need a chat where none is."""
    for pair in zip(turns[::2], turns[1::2], strict=False):
        used = set(re.findall(r'"task":\s*"([^"]+)"', pair[1]["content"]))
        if (tasks is None or used <= set(tasks)) and (chat or pair[0].get(WITH) != CHAT):
            yield from (Fixed(role=turn["role"], content=turn["content"]) for turn in pair)


def _argument(arg: Arg) -> str:
    about = f" = {arg.about}" if arg.about else ""
    return f"{arg.name}{about}" if arg.required else f"[{arg.name}{about}]"


def _read_demos(file: Path) -> list[Message]:
    """The example turns of a stage, or none. Raises ConfigError for a broken file."""
    try:
        turns = json.loads(file.read_text(encoding="utf-8"))
        return [
            {"role": str(turn["role"]), "content": str(turn["content"]), WITH: turn.get(WITH, "")} for turn in turns
        ]
    except OSError as error:
        raise ConfigError(f"Cannot read the demonstrations {file}: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f'{file} should be a JSON list of {{"role", "content"}} turns ({error!r}).') from error


def _chat_text(turns: Sequence[Mapping[str, Any]]) -> str:
    keys = ("role", "content", "files")
    return _json([{key: turn[key] for key in keys if key in turn} for turn in turns]) if turns else "none"


def _with_files(request: str, files: Sequence[Attachment]) -> str:
    """The request, and a list of the attached files that it does not name by their paths."""
    listed = list_files(files, request)
    return f"{request}\n\n{ATTACHED} {_json(listed)}" if listed else request


def _wish(request: str, text: str) -> str:
    """What a request says besides the text that it is about; "" where that is nothing, or too much."""
    wish = " ".join((request.replace(text, "…") if text else request).split())
    return wish if wish.strip(" …\"'“”‘’:") and len(wish) <= WISH_CHARS else ""


def _shortened(value: Any, longest: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= longest else value[:longest] + " …"
    if isinstance(value, Mapping):
        return {key: _shortened(item, longest) for key, item in value.items()}
    if isinstance(value, list):
        return [_shortened(item, longest) for item in value[: max(5, longest // 40)]]
    return value


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _held(texts: Sequence[tuple[str, str]]) -> str:
    return "\n\n".join(f"Text ({name}):\n\n{text}" for name, text in texts)


def _asking(system: str, held: str, question: str, before: str) -> list[Message]:
    """A question about what is held below it, and perhaps the question before."""
    said = f"The question before: {before}\n" if before else ""
    return [{"role": "system", "content": system}, _user(f"{held}\n\n{said}Question: {question}")]


def _user(content: str) -> Message:
    return {"role": "user", "content": content}
