"""The command line: single requests, the chat, the server, the doctor."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.common.signals import DONE, NOTHING_DONE, exit_code_of, raise_on_signals
from hugginggpt.common.version import __version__

if TYPE_CHECKING:  # --help loads nothing of this
    from hugginggpt.config import Config
    from hugginggpt.core.conversation import Attachment
    from hugginggpt.core.events import RunRecord
    from hugginggpt.stages.run import Runner

EXAMPLES = (
    "Given a collection of images A: /examples/a.jpg, B: /examples/b.jpg, C: /examples/c.jpg, "
    "how many giraffes are in these pictures?",
    "Read the text in /examples/invoice.png aloud",
    "Transcribe /examples/speech.wav and tell me which people and places are named",
    "Find the pose of the person in /examples/person.jpg and show me its edges too",
    "Clean up the noise in /examples/noisy.wav, then transcribe it and say whether it sounds positive",
    "Hello, who are you?",
)
"""The requests of `--mode test` and of `make demo`, on the files in public/examples."""


MakeController = Callable[["Config"], "Runner"]


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="HuggingGPT: plans a request as a graph of tasks, has expert models run them, answers.",
        epilog="Without a request on a terminal: chat. Exit codes: 0 answered, 1 nothing could be done, 2 wrong use.",
    )
    parser.add_argument("request", nargs="?", help="what is to be done; - reads it from standard input")
    parser.add_argument(
        "-a", "--attach", action="append", default=[], metavar="FILE|URL", help="attach a file (repeatable)"
    )
    parser.add_argument(
        "--mode", choices=("cli", "server", "test"), default="cli", help="server: HTTP; test: run the examples"
    )
    parser.add_argument("--config", metavar="FILE", help="settings, laid over config.default.yaml")
    parser.add_argument(
        "--llm", metavar="NAME", help="openai, azure, local, huggingface or offline; NAME:MODEL names a model"
    )
    until = parser.add_mutually_exclusive_group()
    until.add_argument("--plan", action="store_true", help="stop after planning and print the plan")
    until.add_argument("--results", action="store_true", help="stop after execution and print the results")
    until.add_argument(
        "--doctor", action="store_true", help="say what is set up, what can be reached, and what is missing"
    )
    parser.add_argument(
        "--resume", metavar="RUN_ID", help='go on with a recorded run that did not end ("last": the newest)'
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object with all there is")
    parser.add_argument("-o", "--output", metavar="DIR", help="copy the generated files there")
    parser.add_argument("-q", "--quiet", action="store_true", help="show no progress")
    parser.add_argument("--debug", action="store_true", help="show what is sent and received, without keys")
    parser.add_argument("--version", action="version", version=__version__)
    return parser


def main(make_controller: MakeController, argv: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit code. A user's mistake is reported in one sentence."""
    args = parser().parse_args(argv)
    return exit_code_of(lambda: _run(make_controller, args))


def _run(make_controller: MakeController, args: argparse.Namespace) -> int:
    from hugginggpt import config as settings
    from hugginggpt import logs

    logs.set_up(debug=args.debug)
    config = settings.load(args.config, llm=args.llm, debug=args.debug or None)
    logs.set_up(config)
    if args.doctor:
        from hugginggpt.terminal.doctor import report

        return report(config)
    controller = make_controller(config)
    raise_on_signals()
    try:
        return _MODES[args.mode](args, controller)
    finally:
        controller.close()


def _cli(args: argparse.Namespace, controller: Runner) -> int:
    from hugginggpt.core.errors import UserError
    from hugginggpt.terminal.follow import follow, prepared

    if args.request is None and not args.resume:
        if not sys.stdin.isatty() or args.json or args.plan or args.results:
            raise UserError(
                'There is no request: give one ("what is to be done"), or - to read it from standard input.'
            )
        from hugginggpt.terminal.chat import chat

        chat(controller, quiet=args.quiet)
        return DONE
    if args.resume and (args.request or args.attach):
        raise UserError("--resume goes on with a recorded request: give no other one beside it.")
    if args.resume:
        run = controller.resume(args.resume)
    else:
        request = sys.stdin.read() if args.request == "-" else args.request
        run = prepared(controller, request, attachments(request, args.attach, controller.config))
    speak = None if args.json or args.plan or args.results else sys.stdout
    record = follow(controller, run, _until(args), args.quiet, speak)
    _print(args, record)
    if controller.config.log_file and not (args.plan or args.json):
        _offer_to_resume(record)
    if args.output:
        copy_files(record, Path(args.output), controller.config)
    return _exit_code(record)


def _until(args: argparse.Namespace) -> str:
    return "plan" if args.plan else "results" if args.results else "answer"


def _server(args: argparse.Namespace, controller: Runner) -> int:
    from hugginggpt.web.serving import serve

    serve(controller, controller.config)
    return DONE


def _test(args: argparse.Namespace, controller: Runner) -> int:
    """Runs the examples and lists the generated files at the end."""
    from hugginggpt.terminal.follow import follow, prepared

    files: list[str] = []
    code = DONE
    for number, request in enumerate(EXAMPLES, 1):
        print(f"{number}. {request}\n", flush=True)
        record = follow(controller, prepared(controller, request), "answer", args.quiet, sys.stdout)
        print(f"{record.error}\n", flush=True)
        files += record.files
        code = max(code, _exit_code(record), NOTHING_DONE if record.errors else DONE)
    path_of = controller.config.public_file
    print("Files written:\n" + "\n".join(f"  {path_of(file)}" for file in files))
    return code


_MODES = {"cli": _cli, "server": _server, "test": _test}


def attachments(request: str, items: Sequence[str], config: Config) -> list[Attachment]:
    """The attachments of a request. Raises MediaError for one that cannot be used."""
    if not items:
        return []
    from hugginggpt.media.store import MediaStore

    media = MediaStore(config)
    files = [(item, media.attachment(item)) for item in items]
    return [replace(file, name=item) if item in request else file for item, file in files]


def copy_files(record: RunRecord, folder: Path, config: Config) -> None:
    """Copies the generated files into a folder, which is created if necessary."""
    from hugginggpt.core.errors import UserError

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file in record.files:
            with suppress(shutil.SameFileError):  # it is the folder of the generated files
                shutil.copy2(config.public_file(file), folder)
    except OSError as error:
        raise UserError(f"Cannot copy the files to {folder}: {error.strerror or error}.") from error


def _print(args: argparse.Namespace, record: RunRecord) -> None:
    """Prints the requested JSON on stdout and the error on stderr."""
    if args.json:
        _print_json(record.to_json())
    elif args.plan and not record.error:
        _print_json(record.plan.to_json())
    elif args.results and not record.error:
        _print_json(record.results)
    if not args.json:
        for problem in [record.error] if record.error else record.plan.problems if args.plan else []:
            print(f"error: {problem}", file=sys.stderr)


def _offer_to_resume(record: RunRecord) -> None:
    if record.run_id and record.errors and any(task.ok for task in record.tasks.values()):
        print(f"Some tasks were not done. To try only these again: --resume {record.run_id}", file=sys.stderr)


def _print_json(value: Any) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def _exit_code(record: RunRecord) -> int:
    from hugginggpt.core.errors import StopReason

    return DONE if record.stop in (StopReason.ANSWERED, StopReason.PLANNED, StopReason.EXECUTED) else NOTHING_DONE
