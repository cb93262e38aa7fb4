"""Commands that others carry out: the HuggingGPT pipeline (requests, pictures), the language model (code, agents)."""

from __future__ import annotations

import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hugginggpt.common.scratch import scratch_prefix
from hugginggpt.core.errors import BackendError, ExpertUnavailable, HuggingGPTError, UserError
from hugginggpt.goals.addresses import addresses_to_fetch, normal_address
from hugginggpt.goals.agents import MAX_AGENTS
from hugginggpt.goals.budget import REPLY_TOKENS
from hugginggpt.goals.commands import NeedsAnswer, Outcome
from hugginggpt.goals.tools import Args, Tools
from hugginggpt.goals.workspace import Missing

if TYPE_CHECKING:
    from hugginggpt.core.conversation import Attachment
    from hugginggpt.core.events import RunRecord
    from hugginggpt.llm.base import LLM

GENERATED = "generated"
"""The folder of the workspace for files that experts made."""


def hugginggpt(tools: Tools, args: Args) -> Outcome:
    """Has a request planned and run by the pipeline; files that it generates are copied into the workspace.

    A request that lacks something, or for which nothing can be done, is a failure that says why. Of several files, one
    that is not there is left out and said: models like to name the file that they are about to write.
    """
    files = args.get("files", [])
    missing = [path for path in files if _is_missing(tools, path)]
    if len(missing) == len(files):
        missing = []  # the attempt says what is wrong
    record = _run(tools, args["request"], [path for path in files if path not in missing])
    if record.missing:
        raise NeedsAnswer(record.message)
    if not record.message or record.nothing_done or record.refused:
        raise BackendError(record.message or " ".join(record.errors) or "Nothing could be done.")
    outcome = _outcome(tools, record)
    notes = [f"There is no file {path}: the request was run without it." for path in missing]
    return replace(outcome, text="\n".join([outcome.text, *notes]))


def _is_missing(tools: Tools, path: str) -> bool:
    try:
        tools.files.read_bytes(path)
    except Missing:
        return True
    return False


def generate_image(tools: Tools, args: Args) -> Outcome:
    """A picture by the pipeline; without an expert that draws, the error says why."""
    prompt = args["prompt"].replace('"', "'")
    record = _run(tools, f'Generate an image of "{prompt}"', [])
    if not record.files:
        raise BackendError(" ".join(record.errors) or record.message or "No picture was made.")
    return _outcome(tools, record)


def _run(tools: Tools, request: str, files: list[str]) -> RunRecord:
    from hugginggpt.core.events import RunRecord

    if tools.controller is None:
        raise ExpertUnavailable("There is no pipeline of experts here.")
    _check_budget(tools)
    run = tools.controller.prepare([{"role": "user", "content": request}])
    named = [each.text for each in run.named if each.is_file and "://" not in each.text and tools.exists(each.text)]
    run.files = [_attached(tools, path) for path in dict.fromkeys([*files, *named])]
    addresses = addresses_to_fetch([request, *files])
    limits = tools.state.limits
    if limits.tokens is not None:
        left = max(1, limits.tokens - tools.state.spent.usage.total_tokens)
        run.limits = run.limits.model_copy(update={"max_tokens": min(run.limits.max_tokens, left)})
    run.may_fetch = lambda address: normal_address(address) in addresses  # they were judged; the planner adds none
    record = RunRecord()
    try:
        with closing(tools.controller.run(run)) as events:
            for event in events:
                record.apply(event)
    finally:
        tools.spend(run.spent)  # not the record's: it knows nothing of replies that could not be used
    return record


def _attached(tools: Tools, path: str) -> Attachment:
    """A file of the workspace as an attachment: its content, copied; no path of this machine is looked up."""
    from hugginggpt.media.store import MediaStore

    assert tools.controller is not None
    content = tools.files.read_bytes(path)
    with tempfile.TemporaryDirectory(prefix=scratch_prefix()) as folder:
        copy = Path(folder) / Path(path).name
        copy.write_bytes(content)
        return replace(MediaStore(tools.controller.config).attachment(str(copy)), name=path)


def _outcome(tools: Tools, record: RunRecord) -> Outcome:
    assert tools.controller is not None
    text, kept = "\n".join(dict.fromkeys([record.message, *record.errors])), {}
    for public in record.files:
        source = tools.controller.config.public_file(public)
        try:
            receipt = tools.files.write(f"{GENERATED}/{source.name}", source.read_bytes())
        except (OSError, HuggingGPTError) as error:
            text += f"\n{public} could not be copied into the workspace: {error}"
            continue
        kept[receipt.path] = receipt.sha256
        named = text.replace(public, receipt.path)  # the name by which commands and the person find it
        text = named if public in text else f"{text}\nFile: {receipt.path}"
    return Outcome(text, changes={"files": kept}, untrusted=True)


# The language model


def evaluate_code(tools: Tools, args: Args) -> Outcome:
    return _ask(tools, "You review code. List what is wrong or could be better, most important first.", args["code"])


def improve_code(tools: Tools, args: Args) -> Outcome:
    wishes = "\n".join(f"- {wish}" for wish in args["suggestions"])
    return _ask(
        tools, "You improve code as suggested. Reply with the whole new code alone.", f"{wishes}\n\n{args['code']}"
    )


def write_tests(tools: Tools, args: Args) -> Outcome:
    focus = ", ".join(args.get("focus", [])) or "what matters most"
    return _ask(
        tools, "You write tests for code. Reply with the code of the tests alone.", f"{args['code']}\n\nFocus: {focus}"
    )


def _ask(tools: Tools, task: str, text: str) -> Outcome:
    llm = _llm(tools)
    _check_budget(tools, llm.count(text) + REPLY_TOKENS)
    reply = llm.complete([{"role": "system", "content": task}, {"role": "user", "content": text}], stage="task")
    tools.spend(reply.usage)
    return Outcome(reply.text, untrusted=tools.state.tainted)


def _llm(tools: Tools) -> LLM:
    if tools.llm is None:
        raise ExpertUnavailable("That needs a language model: --doctor says what to set.")
    return tools.llm


def _check_budget(tools: Tools, tokens: int = 0) -> None:
    """Raises UserError where the goal has too little left for a call of so many tokens."""
    limits, spent = tools.state.limits, tools.state.spent
    if limits.tokens is not None and spent.usage.total_tokens + tokens > limits.tokens * 0.9:
        raise UserError("That would take more tokens than the goal has left.")
    if limits.seconds is not None and spent.seconds >= limits.seconds:
        raise UserError("The goal's time is up.")
    if limits.cost is not None and spent.cost >= limits.cost:
        raise UserError("The goal has cost what it may cost.")


# Agents


def start_agent(tools: Tools, args: Args) -> Outcome:
    """An agent gets its first message; the loop has it work before anything else."""
    _llm(tools)
    if len(tools.state.agents) >= MAX_AGENTS:
        raise UserError(f"There are {MAX_AGENTS} agents, the most there may be: delete one first.")
    key = str(1 + max((int(key) for key in tools.state.agents), default=-1))
    return _work(key, args["name"], args["task"], args["prompt"])


def message_agent(tools: Tools, args: Args) -> Outcome:
    _llm(tools)
    key = _agent_key(tools, args)
    agent = tools.state.agents[key]
    return _work(key, agent.name, agent.task, args["message"])


def list_agents(tools: Tools, args: Args) -> Outcome:
    lines = [f"{key}: {agent.name}, {agent.task}" for key, agent in tools.state.agents.items()]
    return Outcome("\n".join(lines) or "There are no agents.")


def delete_agent(tools: Tools, args: Args) -> Outcome:
    key = _agent_key(tools, args)
    return Outcome(f"Agent {key} is deleted.", changes={"agents": {key: None}})


def _agent_key(tools: Tools, args: Args) -> str:
    key = str(args["key"]).strip()
    if key not in tools.state.agents:
        raise UserError(f"There is no agent {key[:20]}: list_agents lists them.")
    return key


def _work(key: str, name: str, task: str, text: str) -> Outcome:
    agent = {"name": name, "task": task, "messages": [("user", text)], "tokens": 0}
    return Outcome(f"Agent {key} is at work.", changes={"agents": {key: agent}, "active": key})
