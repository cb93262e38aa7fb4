"""What the commands do: files, web, programs, memory, the person. Each function takes the tools and its arguments.

An error that the model can act on is a HuggingGPTError: its sentence becomes the result of the step.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from hugginggpt.core.errors import ExpertUnavailable, UserError
from hugginggpt.core.usage import Usage
from hugginggpt.goals.commands import LeadsElsewhere, Outcome
from hugginggpt.goals.memory import Recall
from hugginggpt.goals.state import GIVEN, GoalState

if TYPE_CHECKING:
    from hugginggpt.llm.base import LLM
    from hugginggpt.stages.run import Runner

Args = Mapping[str, Any]
Spend = Callable[[Usage], None]
"""Is told the tokens of each call, also of one whose reply cannot be used."""
MAX_NOTE_CHARS = 1000
MAX_PLAN = 20
NEAREST, SHOWN_LINKS = 4, 30
"""How many passages of a website come before its text, and how many links."""
WHOLE = (".", "./", "/")
"""What models write for the whole workspace."""
PLACEHOLDER = re.compile(
    r"^\W*+(?:todo|tbd|placeholder|lorem ipsum\b.*|(?:insert|add|your) .{1,40} here|to be (?:written|done|added))\W*$"
    r"|[\[<{](?:insert|add|your) [^\]>}]{1,60}[\]>}]",
    re.IGNORECASE | re.MULTILINE,
)
"""A text that stands for one that is still to be written."""
FILE_NAME = re.compile(
    r"(?<![\w/.:-])((?:[\w-]+/)*[\w-][\w.-]*\.(?:txt|md|csv|tsv|json|ya?ml|html?|py|png|jpe?g|gif|webp|wav|mp3|flac|mp4|pdf))\b",
    re.IGNORECASE,
)
"""A path relative to the workspace of a kind that goals ask for."""
_ELSEWHERE = re.compile(r"(?<![\w.])(?:https?:/)?/[^\s\"'<>]*[\w]")
"""An address, or a path from the root: a file of that name is not one of the workspace."""


class Receipt(Protocol):
    """A file as it was read back after writing; `size` in bytes."""

    @property
    def path(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def sha256(self) -> str: ...


class Page(Protocol):
    """A page of a text, counted from 1."""

    @property
    def text(self) -> str: ...
    @property
    def page(self) -> int: ...
    @property
    def pages(self) -> int: ...


class Files(Protocol):
    """The workspace (`goals.workspace.Workspace`). All methods raise UserError."""

    def write(self, path: str, text: str | bytes) -> Receipt: ...
    def append(self, path: str, text: str) -> Receipt: ...
    def read(self, path: str, page: int = 1) -> Page: ...
    def read_bytes(self, path: str) -> bytes: ...
    def search(self, directory: str = "", text: str = "") -> Any: ...
    def delete(self, path: str) -> str: ...


class Link(Protocol):
    @property
    def url(self) -> str: ...


class Document(Protocol):
    """All of a website's text, with its address after redirects."""

    @property
    def url(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def links(self) -> Sequence[Link]: ...


class Web(Protocol):
    """Searches and reads (`goals.web`). Both raise HuggingGPTError."""

    def search(self, query: str) -> Sequence[Any]: ...
    def read(self, url: str) -> Document: ...


class Program(Protocol):
    """What a program in the sandbox did (`goals.sandbox.SandboxResult`)."""

    @property
    def exit_code(self) -> int: ...
    @property
    def stdout(self) -> str: ...
    @property
    def stderr(self) -> str: ...
    @property
    def limit(self) -> str: ...
    @property
    def files_changed(self) -> Sequence[str]: ...
    @property
    def problems(self) -> Sequence[str]: ...


@dataclass
class Tools:
    """What commands work with; what is missing, their commands say.

    `run_program` runs a Python file of the workspace in a sandbox: (path, arguments, seconds that it may take). `spend`
    is told what language models took for a command, also for one that fails.
    """

    files: Files
    controller: Runner | None = None
    llm: LLM | None = None
    web: Web | None = None
    run_program: Callable[[str, Sequence[str], float], Program] | None = None
    recall: Recall = field(default_factory=Recall)
    state: GoalState = field(default_factory=GoalState)
    spend: Spend = lambda usage: None

    def seconds_left(self) -> float:
        """The seconds of work that the goal has left."""
        limit = self.state.limits.seconds
        return float("inf") if limit is None else max(1.0, limit - self.state.spent.seconds)

    def exists(self, path: str) -> bool:
        """Whether there is such a file in the workspace."""
        try:
            self.files.read_bytes(path)
        except UserError:
            return False
        return True


# Files


def write_to_file(tools: Tools, args: Args) -> Outcome:
    receipt = tools.files.write(args["file"], args["text"])
    same = tools.state.files.get(receipt.path) == receipt.sha256
    return _written(receipt, "written, as it was before" if same else "written")


def append_to_file(tools: Tools, args: Args) -> Outcome:
    return _written(tools.files.append(args["file"], args["text"]), "appended to")


def _written(receipt: Receipt, what: str) -> Outcome:
    text = f"{receipt.path} is {what}: {receipt.size} bytes now, SHA-256 {receipt.sha256[:16]}."
    return Outcome(text, changes={"files": {receipt.path: receipt.sha256}})


def read_file(tools: Tools, args: Args) -> Outcome:
    page = tools.files.read(args["file"], args.get("page", 1))
    more = f"\n(page {page.page} of {page.pages})" if page.pages > 1 else ""
    return Outcome(f"{page.text}{more}", untrusted=True)


def search_files(tools: Tools, args: Args) -> Outcome:
    directory = args.get("directory", "").strip()
    matches = tools.files.search("" if directory in WHOLE else directory, args.get("text", "").strip())
    lines = [f"{m.path}:{m.line}: {m.excerpt}" if m.line else f"{m.path} ({m.size} bytes)" for m in matches.matches]
    more = [] if matches.complete else ["(there are more: search in a folder or for another text)"]
    return Outcome("\n".join([*lines, *more]) or "No file was found.", untrusted=True)


def delete_file(tools: Tools, args: Args) -> Outcome:
    kept = tools.files.delete(args["file"])
    return Outcome(f"{args['file']} is deleted; it is kept as {kept}.", changes={"deleted": [args["file"]]})


# Web


def google(tools: Tools, args: Args) -> Outcome:
    hits = _web(tools).search(args["input"])
    lines = [f"{number}. {hit.title}\n   {hit.url}\n   {hit.snippet}" for number, hit in enumerate(hits, 1)]
    return Outcome("\n".join(lines) or "Nothing was found.", tuple(hit.url for hit in hits), untrusted=True)


def browse_website(tools: Tools, args: Args) -> Outcome:
    """The text of a website. Of a long one, first the passages nearest to the question, and its first links.

    A redirect to another host is told like a link: following it is a call of its own.
    """
    if tools.exists(args["url"]):
        raise UserError(f"{args['url']} is a file here: read_file reads a text, hugginggpt looks into other files.")
    try:
        page = _web(tools).read(args["url"])
    except LeadsElsewhere as elsewhere:
        return Outcome(f"{elsewhere}. Use browse_website for that address.", (elsewhere.target,), untrusted=True)
    addresses = [page.url, *(link.url for link in page.links)]
    parts = [f"{page.title}\n{page.url}"]
    passages = [text.strip() for text in page.text.splitlines() if len(text.split()) > 3]
    if args.get("question") and len(passages) > NEAREST:
        nearest = tools.recall.closest(args["question"], passages, NEAREST)
        parts.append("Nearest to the question:\n" + "\n".join(f"- {passage[:600]}" for passage in nearest))
    if len(addresses) > 1:
        links = [f"[{number}] {address}" for number, address in enumerate(addresses[1:], 1)]
        parts.append("Links:\n" + "\n".join(links[:SHOWN_LINKS]))
    return Outcome("\n\n".join([*parts, page.text]), tuple(addresses), untrusted=True)


def _web(tools: Tools) -> Web:
    if tools.web is None:
        raise ExpertUnavailable("There is no access to the web here.")
    return tools.web


# Programs


def execute_python_file(tools: Tools, args: Args) -> Outcome:
    if tools.run_program is None:
        raise ExpertUnavailable(
            "Programs are run in a sandbox only, and there is none here: --doctor says what to install."
        )
    done = tools.run_program(args["file"], args.get("arguments", []), tools.seconds_left())
    changed = list(done.files_changed)
    parts = [f"Exit code {done.exit_code}{f' ({done.limit})' if done.limit else ''}.", *done.problems]
    parts += [f"{name}:\n{text}" for name, text in (("Output", done.stdout), ("Errors", done.stderr)) if text.strip()]
    if changed:
        parts.append(f"Files changed: {', '.join(changed)}")
    return Outcome("\n".join(parts), changes={"files": dict.fromkeys(changed, "by a program")}, untrusted=True)


# Memory, plan, person


def remember(tools: Tools, args: Args) -> Outcome:
    note = args["text"].strip()[:MAX_NOTE_CHARS]
    if not note:
        raise UserError("There is nothing to remember: give the text.")
    return Outcome("It is noted.", changes={"notes": [note]})


def recall(tools: Tools, args: Args) -> Outcome:
    texts = [*tools.state.past, *(f"Note: {note}" for note in tools.state.notes)]
    nearest = tools.recall.closest(args["query"], texts) if texts else []
    return Outcome("\n".join(nearest) or "There is nothing yet.", untrusted=True)


def set_plan(tools: Tools, args: Args) -> Outcome:
    plan = [item.strip()[:MAX_NOTE_CHARS] for item in args["items"]][:MAX_PLAN]
    return Outcome(f"The plan has {len(plan)} items.", changes={"plan": plan})


def ask_user(tools: Tools, args: Args) -> Outcome:
    """The answer is a decision (`Verdict.TELL`); without one there is none."""
    return Outcome("The user gave no answer.")


def do_nothing(tools: Tools, args: Args) -> Outcome:
    return Outcome("Nothing was done.")


def task_complete(tools: Tools, args: Args) -> Outcome:
    """Ends the goal, unless files that it or the reason name are missing, placeholders, or of the person and never
    opened. Said twice, it ends the goal with a remark.
    """
    goal = tools.state.goal
    names = named_files("\n".join((*goal.goals, args["reason"])), goal.files)
    problems = [problem for name in (*names, *args.get("files", ())) if (problem := _problem(tools, name))]
    problems += [f"{name} was never opened" for name in tools.state.unopened]
    if not problems:
        return Outcome("The goal is complete.", changes={"complete": args["reason"]})
    sentence = f"Not confirmed: {'; '.join(dict.fromkeys(problems))}."
    if tools.state.unconfirmed.startswith(sentence):
        return Outcome(sentence, changes={"complete": f"{args['reason']}\n{sentence}"})
    raise UserError(f"{sentence} Do what is missing; if it is not needed, use task_complete again.")


def named_files(text: str, given: Sequence[str] = ()) -> list[str]:
    """The files of the workspace that a text names, but for those that were `given`: "my zoo.jpg" is not zoo.jpg."""
    for name in sorted(given, key=len, reverse=True):
        text = text.replace(name, " ")
    elsewhere = {path.rpartition("/")[2] for path in _ELSEWHERE.findall(text)}
    return [name for name in dict.fromkeys(FILE_NAME.findall(text)) if name not in elsewhere]


def _problem(tools: Tools, name: str) -> str:
    """Why a file does not count as done; empty if it does."""
    try:
        content = tools.files.read_bytes(name)
    except UserError:
        return f"there is no file {name} in the workspace"
    if not content.strip():
        return f"{name} is empty"
    if tools.state.files.get(name) != GIVEN and PLACEHOLDER.search(content[:20_000].decode("utf-8", "replace")):
        return f"{name} holds a placeholder"
    return ""
