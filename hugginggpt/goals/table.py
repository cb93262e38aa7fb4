"""The commands that there are. Names and arguments are those of AutoGPT's first prompt; a few were added."""

from __future__ import annotations

from hugginggpt.goals import delegates, tools
from hugginggpt.goals.commands import Command, CommandTable, Parameter, Risk


def command_table() -> CommandTable:
    """All commands."""
    return CommandTable([*_pipeline(), *_web(), *_files(), *_programs(), *_agents(), *_self()])


def _pipeline() -> list[Command]:
    request = Parameter(
        "request", about="what is to be done, in a sentence, naming its files", aliases=("input", "query")
    )
    files = Parameter("files", "paths", "files of the workspace", required=False, aliases=("file",))
    about = "Have expert models look at pictures, listen, read, speak, draw, translate, compute tables"
    return [
        Command("hugginggpt", about, (request, files), Risk.READ, delegates.hugginggpt, untrusted=True, fetches=True),
        Command(
            "generate_image", "Generate an image", (Parameter("prompt", aliases=("input",)),), Risk.WRITE,
            delegates.generate_image, fetches=True,
        ),
    ]  # fmt: skip


def _web() -> list[Command]:
    query = Parameter("input", about="search words", aliases=("query",))
    url = Parameter("url", "url", aliases=("link", "website"))
    question = Parameter("question", about="what you want to know", required=False)
    return [
        Command("google", "Search the web", (query,), Risk.NETWORK, tools.google, ("web_search", "search"), True),
        Command(
            "browse_website", "Read a website", (url, question), Risk.NETWORK, tools.browse_website,
            ("browse", "open_website"), True,
        ),
    ]  # fmt: skip


def _files() -> list[Command]:
    file = Parameter("file", "path", aliases=("filename", "path"))
    text = Parameter("text", aliases=("contents", "content"))
    page = Parameter("page", "integer", required=False)
    directory = Parameter("directory", "path", "folder", required=False, aliases=("path",))
    wanted = Parameter("text", about="text to look for", required=False)
    return [
        Command("write_to_file", "Write a whole file", (file, text), Risk.WRITE, tools.write_to_file, ("write_file",)),
        Command("read_file", "Read a file", (file, page), Risk.READ, tools.read_file, untrusted=True),
        Command("append_to_file", "Append to a file", (file, text), Risk.WRITE, tools.append_to_file, ("append_file",)),
        Command("delete_file", "Delete a file", (file,), Risk.DELETE, tools.delete_file),
        Command(
            "search_files", "List files, or find those that hold a text", (directory, wanted), Risk.READ,
            tools.search_files, ("list_files",), True,
        ),
    ]  # fmt: skip


def _programs() -> list[Command]:
    file = Parameter("file", "path", "Python file of the workspace", aliases=("filename", "path"))
    arguments = Parameter("arguments", "texts", "its arguments", required=False, aliases=("args",))
    code = Parameter("code", about="whole code")
    suggestions = Parameter("suggestions", "texts")
    focus = Parameter("focus", "texts", "what to test", required=False)
    return [
        Command("evaluate_code", "Have code reviewed", (code,), Risk.NONE, delegates.evaluate_code),
        Command("improve_code", "Have code improved", (suggestions, code), Risk.NONE, delegates.improve_code),
        Command("write_tests", "Have tests written for code", (code, focus), Risk.NONE, delegates.write_tests),
        Command(
            "execute_python_file", "Run a Python file in a sandbox without network", (file, arguments), Risk.EXECUTE,
            tools.execute_python_file, untrusted=True,
        ),
    ]  # fmt: skip


def _agents() -> list[Command]:
    name, task, prompt = Parameter("name"), Parameter("task", about="its task in a few words"), Parameter("prompt")
    key, message = Parameter("key"), Parameter("message")
    about = "Have an agent work on a part of the goal; it can read files and websites, and answers in words"
    return [
        Command("start_agent", about, (name, task, prompt), Risk.NONE, delegates.start_agent),
        Command("message_agent", "Send a message to an agent", (key, message), Risk.NONE, delegates.message_agent),
        Command("list_agents", "List the agents", (), Risk.NONE, delegates.list_agents),
        Command("delete_agent", "Delete an agent", (key,), Risk.NONE, delegates.delete_agent),
    ]


def _self() -> list[Command]:
    note = Parameter("text", about="what to keep", aliases=("note", "input"))
    items = Parameter("items", "texts", "steps, in order", aliases=("plan",))
    files = Parameter("files", "paths", "files that hold the result", required=False)
    reason = Parameter("reason", about="the answer: what was reached")
    question = Parameter("question", aliases=("text", "prompt", "input"))
    query = Parameter("query", aliases=("input",))
    return [
        Command("set_plan", "Set the list of steps", (items,), Risk.NONE, tools.set_plan),
        Command("remember", "Keep a note", (note,), Risk.NONE, tools.remember),
        Command("recall", "Find notes and earlier steps by meaning", (query,), Risk.NONE, tools.recall),
        Command("ask_user", "Ask the user a question", (question,), Risk.PERSON, tools.ask_user),
        Command("do_nothing", "Do nothing", (), Risk.NONE, tools.do_nothing),
        Command(
            "task_complete", "End: the goals are reached", (reason, files), Risk.NONE, tools.task_complete, ("finish",)
        ),
    ]  # fmt: skip
