"""python -m tests.trials [SET ...] [--out FILE]     asks the requests of strangers offline, and grades the answers"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hugginggpt.offline.training.calibration import WatchedPlanner
from hugginggpt.records.run_log import RunLog
from tests.trials.grading import Reply, Turn, grade, names_of_sets, read_turns, shares


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.trials", description="Requests of strangers, graded.")
    parser.add_argument("sets", nargs="*", metavar="SET", help="a folder of tests/trials/sets, or the path of one")
    parser.add_argument("--out", type=Path, metavar="FILE", help="each turn with its answer and verdict, as JSON lines")
    parser.add_argument("--only", metavar="CHAT", help="a single conversation, with its answers")
    args = parser.parse_args(argv)
    out = args.out.open("w", encoding="utf-8") if args.out else None
    for folder in names_of_sets(args.sets):
        verdicts = []
        for turn, reply in replies(folder, [args.only] if args.only else ()):
            verdict = grade(turn, reply)
            verdicts.append(verdict)
            if out:
                row = {
                    **_row(turn),
                    "answer": reply.message,
                    "seconds": reply.seconds,
                    "plan": reply.plan,
                    "verdict": verdict,
                }
                print(json.dumps(row, ensure_ascii=False), file=out, flush=True)
            if args.only or verdict in ("wrong", "confident"):
                print(
                    f"{turn.chat} {verdict}: {turn.say} {' '.join(turn.files)}\n    {reply.message}\n    truth: {turn.truth}"
                )
        print(f"{folder.name}: {shares(verdicts)}", flush=True)
    if out:
        out.close()
    return 0


def replies(
    folder: Path, only: Collection[str] = (), settings: Mapping[str, Any] | None = None
) -> Iterator[tuple[Turn, Reply]]:
    """The turns of a set with what the program replies, on an empty data folder; without a language model, unless the
    settings have one.
    """
    with TemporaryDirectory() as data, _working_in(folder), _program(Path(data), settings or {}) as gpt:
        watched = None
        if (settings or {}).get("llm", "offline") == "offline":
            controller = gpt.controller
            given = controller.planner.planner
            watched = controller.planner = WatchedPlanner(controller.table, given.lacking, given.shows_page)
        for chat_id, turns in itertools.groupby(read_turns(folder), key=lambda turn: turn.chat):
            if only and chat_id not in only:
                continue
            chat = gpt.chat()
            for turn in turns:
                reply = _reply(chat, turn, gpt.controller.log)
                yield turn, replace(reply, signals=dict(watched.signals)) if watched else reply


def _reply(chat: Any, turn: Turn, log: RunLog) -> Reply:
    from hugginggpt import UserError

    began = time.monotonic()
    try:
        answer = chat.ask(turn.say, files=list(turn.files))
    except UserError as error:
        return Reply(str(error), done=False, seconds=time.monotonic() - began)
    seconds = round(time.monotonic() - began, 2)
    makes = tuple(file.kind for file in answer.files)
    done = bool(answer.plan) and any(result.ok for result in answer.results.values())
    planned_by = (log.load(answer.run_id) or {}).get("planned_by", {})
    plan, tokens = answer.plan.to_json(), answer.usage.total_tokens
    return Reply(str(answer), makes, done, seconds, plan, tokens=tokens, planned_by=planned_by)


@contextmanager
def _program(data: Path, own: Mapping[str, Any]) -> Iterator[Any]:
    import hugginggpt

    settings = {"llm": "offline", "public": str(data / "public"), "log_file": str(data / "debug.log"), **own}
    with hugginggpt.HuggingGPT(settings) as gpt:
        yield gpt


@contextmanager
def _working_in(folder: Path) -> Iterator[None]:
    """A request names the files of its set as a person would who works in that folder."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _row(turn: Turn) -> dict[str, Any]:
    return {"chat": turn.chat, "say": turn.say, "files": turn.files, "truth": turn.truth}


if __name__ == "__main__":
    sys.exit(main())
