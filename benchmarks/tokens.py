"""The tokens that a request takes of the language model: plan, selections and answer.

    python -m benchmarks.tokens [--tokenizer URL] [--selection each|batch] [--out FILE.json]

The requests are scripted: a model that answers at once writes the plans of shapes.py (single, chain5, mixed20), chooses the
first candidate, and says one sentence a result; the experts are loopback.py's. Prompts are those that a service
would get. Counted is the text of all messages and replies, with the tokenizer of a llama.cpp server (`--tokenizer
http://127.0.0.1:8080`), or else with the estimate of llm/tokens.py, three characters a token.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import requests
from rich.console import Console
from rich.table import Table

from benchmarks.loopback import first_choices
from benchmarks.shapes import SHAPES
from hugginggpt.common.paths import ROOT
from hugginggpt.core.usage import Usage
from hugginggpt.llm.base import Message, Reply, Stage
from hugginggpt.llm.tokens import TokenCounter
from hugginggpt.testing.runs import run, write_config

A, B, C = "/examples/a.jpg", "/examples/b.jpg", "/examples/c.jpg"
REQUESTS = {
    "single": f"What is to be seen in {A}? Classify it.",
    "chain5": (
        "Paint a bird over the sea, turn the painting into a drawing, find the objects in the drawing, describe it in a "
        "sentence and read the description to me."
    ),
    "mixed20": (
        f"Describe {A} and {B}, classify {A}, find the objects in {C} and the people in 'Ada met Bob at the sea'. Paint a "
        f"boat on the sea, and a picture of what you see in {B}. Read the description of {A} aloud. Find the objects in "
        f"the boat picture, classify it, say what it is, make a drawing of it, and find the objects in that drawing. "
        f"How many things are in {C}? Describe it with its boxes and read that aloud. Describe the painting of {B} and the "
        "drawing, read the first of these aloud, and ask the drawing what the first says."
    ),
}
"""What a person would have said to get these plans."""
SEA = "the sea"
STAGES = ("plan", "select", "respond")
REASON = "Its description fits the kind of picture, and it has the most likes."
"""What a small model writes where it is asked for a reason in one sentence."""

Count = Callable[[str], int]


class Model:
    """A language model that answers by the plan of a shape; `tokens` are those of its prompts and replies by stage."""

    name = model = "scripted"

    def __init__(self, plan: Sequence[dict[str, Any]], count: Count) -> None:
        self.plan = plan
        self.counted = count
        self.count = TokenCounter()
        self.tokens: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()
        self._lock = threading.Lock()

    def complete(self, messages: Sequence[Message], *, stage: Stage, **_: Any) -> Reply:
        text = self._reply(messages[-1]["content"], stage)
        read, written = sum(self.counted(message["content"]) for message in messages), self.counted(text)
        with self._lock:
            self.calls[stage] += 1
            self.tokens[f"{stage} read"] += read
            self.tokens[f"{stage} written"] += written
        return Reply(text, Usage(1, 1, 1), self.model)

    def stream(self, messages: Sequence[Message], **options: Any) -> Generator[str, None, Reply]:
        reply = self.complete(messages, **options)
        yield reply.text
        return reply

    def _reply(self, asked: str, stage: Stage) -> str:
        if stage == "plan":
            return json.dumps({"tasks": self.plan})
        if stage == "select":
            return json.dumps(first_choices(asked, REASON))
        return " ".join(f"The {task['task']} gave a picture of a cat." for task in self.plan)

    def close(self) -> None:
        pass


@contextmanager
def backends() -> Iterator[str]:
    """The address of loopback.py's experts, which answer at once."""
    command = [sys.executable, "-m", "benchmarks.loopback", "--llm", "0", "--expert", "0"]
    with subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.terminate()


def measured(name: str, url: str, count: Count, **settings: Any) -> dict[str, Any]:
    """The tokens of a shape's request by stage, read and written."""
    plan = json.loads(json.dumps(SHAPES[name].plan(SEA)))
    model = Model(plan, count)
    with tempfile.TemporaryDirectory() as folder:
        examples = Path(folder) / "public" / "examples"
        examples.mkdir(parents=True)
        for picture in ("a.jpg", "b.jpg", "c.jpg"):
            (examples / picture).symlink_to(ROOT / "public" / "examples" / picture)
        service = {"base_url": url, "token": "hf_none"}
        config = write_config(Path(folder), huggingface=service, embedded=False, **settings)
        with closing(_controller(config, model)) as controller:
            record = run(controller, REQUESTS[name])
    assert not record.errors, record.errors
    tokens = {stage: model.tokens[f"{stage} read"] + model.tokens[f"{stage} written"] for stage in STAGES}
    written = sum(model.tokens[f"{stage} written"] for stage in STAGES)
    return {
        "shape": name, "tasks": len(record.tasks), "calls": sum(model.calls.values()), **tokens, "written": written, "total": sum(tokens.values()),
    }  # fmt: skip


def _controller(config: Any, model: Model) -> Any:
    from awesome_chat import make_controller

    return make_controller(config, model)


def tokenizer(url: str | None) -> Count:
    """Counts the tokens of a text with a llama.cpp server, or by estimate."""
    if not url:
        return TokenCounter()
    session = requests.Session()

    def count(text: str) -> int:
        answer = session.post(f"{url}/tokenize", json={"content": text}, timeout=60)
        answer.raise_for_status()
        return len(answer.json()["tokens"])

    return count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokenizer", metavar="URL", help="a llama.cpp server that counts")
    parser.add_argument("--selection", help="each, batch ...; default: the configuration's")
    parser.add_argument("--planner", default="auto", help="auto or llm, which is shown all tasks")
    parser.add_argument("--out", type=Path, help="also write the figures as JSON")
    args = parser.parse_args()
    settings = {"planner": args.planner, **({"selection": args.selection} if args.selection else {})}
    count = tokenizer(args.tokenizer)
    with backends() as url:
        rows = [measured(name, url, count, **settings) for name in REQUESTS]
    table = Table(title="Tokens of a request, read and written", title_justify="left")
    for name in rows[0]:
        table.add_column(name, justify="left" if name == "shape" else "right")
    for row in rows:
        table.add_row(*map(str, row.values()))
    Console(width=110).print(table)
    if args.out:
        args.out.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
