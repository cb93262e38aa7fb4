"""Ten small goals with a real language model: python -m benchmarks.goals --endpoint URL [--model NAME] [--only NAME,...]

URL is any OpenAI-compatible server, without /v1. Five goals are about reading and reporting, three need the pipeline of
experts, two a Python program in the sandbox. The person approves everything and answers no questions. A goal is right if
it ended by task_complete and the file that it asks for holds what it should.

The temperature is the program's: figures differ from run to run, mostly those of small models.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from hugginggpt import config as settings
from hugginggpt.config import Config
from hugginggpt.core.errors import HuggingGPTError, UserError
from hugginggpt.goals.build import GoalWorks
from hugginggpt.goals.events import Stop, Verdict
from hugginggpt.goals.goal import checked_goal
from hugginggpt.goals.loop import Decision, GoalLoop
from hugginggpt.llm.services import make_llm

NO_ANSWER = "Do as you think best."


@dataclass(frozen=True)
class Task:
    """A goal, its files by their contents, examples of the public folder, and what its file has to hold.

    `wanted` and `unwanted` are regular expressions: all of the former are in the file, none of the latter.
    """

    name: str
    goal: str
    file: str
    wanted: Sequence[str]
    unwanted: Sequence[str] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    examples: Sequence[str] = ()

    def right(self, text: str) -> bool:
        def holds(pattern: str) -> bool:
            return re.search(pattern, text, re.IGNORECASE | re.DOTALL) is not None

        return all(map(holds, self.wanted)) and not any(map(holds, self.unwanted))


MINUTES = """Minutes of the garden club, 4 May

Present: Grace Okoro (chair), Ben Ruiz, Mei Lin. Ben reported that the pump is repaired. The shed has been painted.
Open: Grace orders compost. Ben asks the town for a key to the gate. Mei designs the poster for the summer fair.
The next meeting is on 1 June at 18:30 in the library.
"""
PRICES = "item,price,stock\nchair,45.50,12\nlamp,129.00,3\ntable,118.20,5\nshelf,74.90,8\n"
NUMBERS = "\n".join(str(number * number % 97) for number in range(1, 41))
TASKS = (
    Task("chair", "Read minutes.txt and write the name of the chair to chair.txt.", "chair.txt",
         ["Grace"], ["Ben|Mei"], {"minutes.txt": MINUTES}),
    Task("todo", "Read minutes.txt and write the three open tasks to todo.md, each in a line with the person's name.", "todo.md",
         ["compost", "key", "poster", "Grace.*Ben.*Mei"], ["pump|shed"], {"minutes.txt": MINUTES}),
    Task("dearest", "Read prices.csv and write the name of the item with the highest price to dearest.txt.", "dearest.txt",
         ["lamp"], ["chair|table|shelf"], {"prices.csv": PRICES}),
    Task("harbour", "Find the file that mentions a harbour and write the name of that file to answer.txt.", "answer.txt",
         [r"two\.txt"], [r"one\.txt|three\.txt"],
         {"one.txt": "Trees grow on the hill.\n", "two.txt": "The ships left the harbour at dawn.\n", "three.txt": "It rains.\n"}),
    Task("joined", "Write the text of first.txt and after it the text of second.txt to both.txt.", "both.txt",
         ["roses are red.*violets are blue"], (), {"first.txt": "Roses are red,\n", "second.txt": "violets are blue.\n"}),
    Task("giraffes", "Count the giraffes in b.jpg and write the number to giraffes.txt.", "giraffes.txt",
         [r"\b2\b|\btwo\b"], [r"\b(?:[013-9]|no|one|three|four)\b"], examples=["b.jpg"]),
    Task("invoice", "Find out the total of the invoice in the picture invoice.png and write it to total.txt.", "total.txt",
         [r"484"], ["440"], examples=["invoice.png"]),
    Task("speech", "Write down what is said in the recording jfk.wav, to speech.txt.", "speech.txt",
         ["ask not what your country"], (), examples=["jfk.wav"]),
    Task("primes", "Write a Python program primes.py that writes all primes below 50 to primes.txt, and run it.", "primes.txt",
         [r"\b2\b.*\b3\b.*\b23\b.*\b43\b.*\b47\b"], [r"\b(?:1|9|49)\b"]),
    Task("sum", "The file numbers.txt has a number in each line. Add them up with a Python program and write the sum to sum.txt.",
         "sum.txt", [rf"\b{sum(map(int, NUMBERS.split()))}\b"], (), {"numbers.txt": NUMBERS}),
)  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """What became of a goal; `seconds` of work."""

    name: str
    stop: str
    complete: bool
    right: bool
    steps: int
    failed: int
    tokens: int
    seconds: float
    message: str

    @property
    def line(self) -> str:
        what = "right" if self.right and self.complete else "wrong" if self.complete else self.stop
        return f"{self.name:<9} {what:<9} {self.steps:>3} steps {self.tokens:>7} tokens {self.seconds:>6.0f} s"


def attempt(task: Task, works: GoalWorks, show: Callable[[str], None] = lambda line: None) -> Outcome:
    """Works on a goal to its end."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in task.texts.items():
            (Path(folder) / name).write_text(text)
        files = [str(Path(folder) / name) for name in task.texts]
        loop = works.begin(checked_goal([task.goal]), [*files, *(f"/examples/{name}" for name in task.examples)])
    try:
        _follow(loop, show)
        state, done = loop.state, loop.state.done
        assert done
        text = _text(loop, task.file)
        failed = sum(": Error:" in line for line in state.past)
        spent = state.spent
        return Outcome(
            task.name, str(done.stop), done.stop is Stop.COMPLETE, task.right(text), state.number, failed,
            spent.usage.total_tokens, round(spent.seconds, 1), done.message,
        )  # fmt: skip
    finally:
        loop.close()


def _follow(loop: GoalLoop, show: Callable[[str], None]) -> None:
    while not loop.state.done:
        shown = len(loop.state.past)
        for _ in loop.advance():
            for line in loop.state.past[shown:]:
                show(line)
            shown = len(loop.state.past)
        if pending := loop.state.pending:
            verdict, text = (Verdict.TELL, NO_ANSWER) if pending.question else (Verdict.APPROVE, "")
            loop.decide(Decision(pending.step, pending.hash, verdict, text))


def _text(loop: GoalLoop, file: str) -> str:
    try:
        return loop.parts.tools.files.read_bytes(file).decode("utf-8", "replace")
    except UserError:
        return ""


def configuration(args: argparse.Namespace, folder: str) -> Config:
    """The defaults, with the language model that was named, and goals in a folder that is removed."""
    limits = {"max_steps": args.steps, "max_seconds": args.seconds, "native_tools": not args.json_replies}
    return settings.load(
        {
            "llm": "local",
            "model": args.model,
            "local": {"endpoint": args.endpoint},
            "inference_mode": "local",
            "context_length": args.context,
            "limits": {"llm_seconds": args.seconds, "max_seconds": args.seconds},
            "goals": {"folder": folder, **limits},
        }
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code 0 once all goals were tried, however they ended."""
    from awesome_chat import make_controller

    names = [task.name for task in TASKS]
    parser = argparse.ArgumentParser(prog="benchmarks.goals", description=__doc__.splitlines()[0])
    parser.add_argument("--endpoint", required=True, metavar="URL", help="of the server, without /v1")
    parser.add_argument("--model", help="default: the server's first")
    parser.add_argument("--only", metavar="NAME,...", help=f"of {', '.join(names)}")
    parser.add_argument("--context", type=int, default=16384, help="the model's context in tokens")
    parser.add_argument("--steps", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=1800, help="for each goal")
    parser.add_argument("--json-replies", action="store_true", help="ask for JSON text, not for native tool calls")
    parser.add_argument("--out", type=Path, help="a file for the outcomes, a line of JSON each")
    parser.add_argument("-v", "--verbose", action="store_true", help="show the steps")
    args = parser.parse_args(argv)
    wanted = args.only.split(",") if args.only else names
    if unknown := set(wanted) - set(names):
        parser.error(f"there is no goal {', '.join(sorted(unknown))}: choose of {', '.join(names)}")
    outcomes = []
    with tempfile.TemporaryDirectory() as folder:
        config = configuration(args, folder)
        controller = make_controller(config)
        llm = make_llm(config)
        works = GoalWorks(config, controller, llm)
        try:
            for task in (task for task in TASKS if task.name in wanted):
                outcomes.append(attempt(task, works, print if args.verbose else lambda line: None))
                print(outcomes[-1].line, flush=True)
                if args.out:
                    with args.out.open("a") as file:
                        file.write(json.dumps(asdict(outcomes[-1]), ensure_ascii=False) + "\n")
        except HuggingGPTError as error:
            raise SystemExit(str(error)) from error
        finally:
            controller.close()
            if llm:
                llm.close()
    right, complete = sum(o.right and o.complete for o in outcomes), sum(o.complete for o in outcomes)
    print(f"{right} of {len(outcomes)} right, {complete} said to be complete")
    return 0


if __name__ == "__main__":
    sys.exit(main())
