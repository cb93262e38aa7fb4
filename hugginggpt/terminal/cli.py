"""The command line: single requests, the chat, the server, the doctor."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.common.signals import DONE, NOTHING_DONE, exit_code_of, raise_on_signals
from hugginggpt.common.streams import claim_streams
from hugginggpt.common.version import __version__

if TYPE_CHECKING:  # --help loads nothing of this
    from hugginggpt.config import Config
    from hugginggpt.core.conversation import Attachment
    from hugginggpt.core.events import RunRecord
    from hugginggpt.stages.run import Run, Runner

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


PIPED_NAME = "standard-input.txt"
"""What the text that is piped into the program is called."""
MakeController = Callable[["Config"], "Runner"]


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="HuggingGPT: plans a request as a graph of tasks, has expert models run them, answers.",
        epilog="Without a request on a terminal: chat. Exit codes: 0 answered, 1 nothing could be done, 2 wrong use.",
    )
    parser.add_argument("request", nargs="?", help="what is to be done; - reads it from standard input")
    parser.add_argument(
        "-a",
        "--attach",
        action="append",
        default=[],
        metavar="FILE|URL",
        help="attach a file (repeatable); a folder or a pattern: see below",
    )
    parser.add_argument(
        "--mode",
        choices=("cli", "auto", "server", "mcp", "test"),
        default="cli",
        help="auto: work on a goal step by step; server: HTTP; mcp: tools for other assistants; test: run the examples",
    )
    parser.add_argument("--config", metavar="FILE", help="settings, laid over config.default.yaml")
    parser.add_argument(
        "--llm", metavar="NAME", help="openai, azure, local, huggingface, embedded or offline; NAME:MODEL names a model"
    )
    parser.add_argument(
        "--planner",
        choices=("auto", "llm", "offline"),
        help="who plans where there is a language model; auto: the offline planner what it is sure of",
    )
    until = parser.add_mutually_exclusive_group()
    until.add_argument("--plan", action="store_true", help="stop after planning and print the plan")
    until.add_argument("--results", action="store_true", help="stop after execution and print the results")
    until.add_argument(
        "--doctor", action="store_true", help="say what is set up, what can be reached, and what is missing"
    )
    parser.add_argument("--check", action="store_true", help="with --doctor: call each service of http_experts once")
    _add_models(parser, until)
    parser.add_argument(
        "--resume",
        metavar="RUN_ID",
        help='go on with a recorded run or goal that did not end ("last": the newest), or the folder of many files',
    )
    _add_modes(parser)
    _add_plans(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object with all there is")
    parser.add_argument(
        "-o", "--output", metavar="DIR", help="copy the generated files there; of many files, the results"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="show no progress")
    parser.add_argument("--debug", action="store_true", help="show what is sent and received, without keys")
    parser.add_argument("--version", action="version", version=__version__)
    return parser


def _add_models(parser: argparse.ArgumentParser, until: argparse._MutuallyExclusiveGroup) -> None:
    """The options about the models that there are."""
    until.add_argument(
        "--refresh-models",
        action="store_true",
        help="renew the catalogue from the Hub: show what would change, and ask",
    )
    parser.add_argument("--yes", action="store_true", help="do not ask: --refresh-models, --download-llm, many files")
    until.add_argument(
        "--search-models",
        nargs="+",
        metavar=("TASK", "WORDS"),
        help="list models for a task, their size, who serves them",
    )
    until.add_argument(
        "--download-llm",
        nargs="?",
        const="",
        metavar="NAME",
        help="fetch a language model that runs on this machine, after asking: small, medium, large or REPO/FILE.gguf",
    )


def _add_modes(parser: argparse.ArgumentParser) -> None:
    """The options that belong to a mode."""
    goal = parser.add_argument_group("with --mode auto")
    goal.add_argument("--goals", metavar="FILE", help="name, role and goals, as in AutoGPT's ai_settings.yaml")
    goal.add_argument("--continuous", type=int, metavar="N", help="run so many commands without asking")
    goal.add_argument("--speak", action="store_true", help="say aloud what the agent is about to do")
    goal.add_argument("--list-goals", action="store_true", help="list the goals that there are, the newest first")
    goal.add_argument("--remove-goal", metavar="ID", help="remove a goal with its files")
    server = parser.add_argument_group("with --mode server")
    server.add_argument("--listener", type=int, help=argparse.SUPPRESS)  # what such a process is started with
    tools = parser.add_argument_group("with --mode mcp")
    tools.add_argument("--http", type=int, metavar="PORT", help="serve streamable HTTP there instead of stdio")
    tools.add_argument("--root", metavar="DIR", help="the only folder whose files a client over stdio may name")
    tools.add_argument("--tools", metavar="TASK,TASK", help="also offer these tasks as tools of their own")


def _add_plans(parser: argparse.ArgumentParser) -> None:
    """The options of plans, and of one plan for many files."""
    plans = parser.add_argument_group("plans")
    plans.add_argument("--approve", action="store_true", help="show the plan, and run it only with your leave")
    plans.add_argument("--save-plan", metavar="FILE", help="write the plan there; with --plan nothing is run")
    plans.add_argument("--run-plan", metavar="FILE", help="run that plan, with the attached files as its inputs")
    many = parser.add_argument_group("one plan for many files (-a FOLDER, -a 'photos/*.jpg')")
    many.add_argument("--files", metavar="LIST", help="a text with a path or URL a line, or a table with columns")
    many.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="how many files are worked on at a time; with --mode server: how many processes serve",
    )
    many.add_argument("--max-calls", type=int, metavar="N", help="calls to services of others that are allowed: 1000")


def main(make_controller: MakeController, argv: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit code. A user's mistake is reported in one sentence."""
    args = parser().parse_args(argv)
    return exit_code_of(lambda: _run(make_controller, args))


def _run(make_controller: MakeController, args: argparse.Namespace) -> int:
    from hugginggpt import config as settings
    from hugginggpt import logs

    _check_usage(args)
    download = args.download_llm is not None
    logs.set_up(debug=args.debug)
    llm = "offline" if download else args.llm  # the one that is set may be the one that is to be fetched
    config = settings.load(args.config, llm=llm, planner=args.planner, debug=args.debug or None)
    logs.set_up(config)
    if args.doctor:
        from hugginggpt.terminal.doctor import report

        return report(config, args.check)
    if args.refresh_models or args.search_models:
        return _models(args, config)
    if download:
        from hugginggpt.terminal.llm_download import download_llm

        return download_llm(config, args.download_llm, ask=not args.yes)
    if args.mode == "server" and args.workers and args.listener is None:
        return _workers(args.workers, config)
    args.wire = claim_streams() if args.mode == "mcp" and args.http is None else None
    controller = make_controller(config)
    raise_on_signals()
    try:
        if args.is_batch:
            from hugginggpt.terminal.batch import run_batch

            return run_batch(args, controller, make_controller)
        if args.mode == "server":
            return _server(args, controller, make_controller)
        return _MODES[args.mode](args, controller)
    finally:
        controller.close()


def _check_usage(args: argparse.Namespace) -> None:
    """Raises UserError for options that do not belong together."""
    from hugginggpt.core.errors import UserError

    if args.mode != "cli" and (args.save_plan or args.run_plan or args.approve):
        raise UserError("--approve, --save-plan and --run-plan are for requests, not for a mode.")
    args.is_batch = _is_batch(args)
    if args.save_plan:
        from hugginggpt.terminal.plans import check_place

        check_place(Path(args.save_plan))
    if args.approve:
        _check_approval(args)
    of_goals = args.goals or args.continuous is not None or args.speak or args.list_goals or args.remove_goal
    if args.mode != "auto" and of_goals:
        raise UserError("--goals, --continuous, --speak, --list-goals and --remove-goal belong to --mode auto.")
    download = args.download_llm is not None
    if args.yes and not (args.refresh_models or download or args.is_batch):
        raise UserError("--yes belongs to --refresh-models, --download-llm and a plan for many files.")
    if (args.refresh_models or args.search_models or download) and (args.request or args.attach or args.resume):
        raise UserError("--refresh-models, --search-models and --download-llm take no request: give it by itself.")
    if args.mode != "mcp" and (args.http is not None or args.root or args.tools):
        raise UserError("--http, --root and --tools belong to --mode mcp.")
    if args.mode != "cli" and args.workers is not None and (args.mode != "server" or args.workers < 1):
        raise UserError("--workers is for --mode server, a number of processes above 0, and for many files.")
    if args.check and not args.doctor:
        raise UserError("--check belongs to --doctor.")


def _is_batch(args: argparse.Namespace) -> bool:
    """Whether one plan is to be run for many files. Raises UserError for options that do not fit."""
    if args.mode != "cli":
        return False
    from hugginggpt.core.errors import UserError
    from hugginggpt.terminal.batch import is_for_many

    if is_for_many(args):
        if args.results or args.doctor or args.refresh_models or args.search_models or args.download_llm is not None:
            raise UserError("For many files there is --plan, and the results are written to a folder (-o).")
        if any(number is not None and number < 1 for number in (args.workers, args.max_calls)):
            raise UserError("--workers and --max-calls are numbers above 0.")
        if args.resume and (args.request or args.run_plan or args.output):
            raise UserError("--resume goes on with a batch and its plan: give at most its files anew.")
        return True
    if args.workers is not None or args.max_calls is not None:
        raise UserError("--workers and --max-calls are for many files: -a FOLDER, a pattern, or --files LIST.")
    return False


def _models(args: argparse.Namespace, config: Config) -> int:
    from hugginggpt.terminal import models

    raise_on_signals()
    if args.refresh_models:
        return models.refresh(config, yes=args.yes)
    return models.search(config, args.search_models, as_json=args.json)


def _cli(args: argparse.Namespace, controller: Runner) -> int:
    from hugginggpt.core.errors import UserError
    from hugginggpt.terminal.follow import follow
    from hugginggpt.terminal.plans import save_plan

    if args.request is None and not args.resume and not args.run_plan:
        typed = None if sys.stdin.isatty() else _typed()
        is_for_one = args.json or args.plan or args.results
        if typed == [] or (typed is None and is_for_one):
            raise UserError(
                'There is no request: give one ("what is to be done"), or - to read it from standard input.'
            )
        if typed and (len(typed) == 1 or is_for_one or args.attach or args.output or args.save_plan):
            args.request = "\n".join(typed)
        else:
            from hugginggpt.terminal.chat import chat

            chat(controller, quiet=args.quiet, approve=args.approve, lines=typed)
            return DONE
    run = _run_of(args, controller)
    if args.approve:
        approved = _approved(run, controller)
        if approved is None:
            print("Nothing was run.", file=sys.stderr)
            return NOTHING_DONE
        run = approved
    speak = None if args.json or args.plan or args.results else sys.stdout
    record = follow(controller, run, _until(args), args.quiet, speak)
    _print(args, record)
    if args.save_plan:
        save_plan(record.plan, run, Path(args.save_plan))
    if controller.config.log_file and not (args.plan or args.json):
        _offer_to_resume(record)
    saved = copy_files(record, Path(args.output), controller.config) if args.output else []
    if speak and record.files:
        for path in saved or [controller.config.public_file(file) for file in record.files]:
            print(f"Saved: {path}")
    return _exit_code(record)


def _typed() -> list[str]:
    """The lines of a standard input that is no terminal, without empty ones: what is piped in alone is asked."""
    return [line for line in sys.stdin.read().splitlines() if line.strip()]


def _run_of(args: argparse.Namespace, controller: Runner) -> Run:
    """The run that the arguments ask for. Raises UserError."""
    from hugginggpt.core.errors import UserError
    from hugginggpt.media.store import MediaStore
    from hugginggpt.stages.plan_files import load_plan_file, refuse_problems, run_of_plan
    from hugginggpt.terminal.follow import prepared
    from hugginggpt.terminal.plans import local_files

    if args.resume and (args.request or args.attach or args.run_plan):
        raise UserError("--resume goes on with a recorded request: give no other one beside it.")
    if args.resume and Path(args.resume).expanduser().is_dir():
        raise UserError(f"The folder {args.resume} is not that of one plan for many files: it has no batch.json.")
    if args.resume:
        return controller.resume(args.resume)
    plan = load_plan_file(Path(args.run_plan)) if args.run_plan else None
    request = sys.stdin.read() if args.request == "-" else args.request or ""
    files = attachments(request, args.attach, controller.config)
    if args.request != "-" and (piped := piped_file(controller.config)):
        files.append(piped)
    if plan is None:
        return prepared(controller, request, files)
    run = run_of_plan(controller, plan, files, named=local_files(plan, MediaStore(controller.config)), request=request)
    if run.plan is not None:
        refuse_problems(run.plan)
    return run


def _check_approval(args: argparse.Namespace) -> None:
    """Raises UserError where nobody can give leave, or there is nothing to give leave to."""
    from hugginggpt.core.errors import UserError

    if args.is_batch:  # it asks by itself
        return
    if args.plan or args.resume:
        raise UserError("--approve is for a new plan that is to be run: leave out --plan and --resume.")
    if args.request == "-" or not sys.stdin.isatty():
        raise UserError(
            "--approve asks on a terminal, and the input is none: look at the plan with --plan --save-plan FILE, then "
            "run it with --run-plan FILE."
        )


def _approved(run: Run, controller: Runner) -> Run | None:
    from rich.console import Console

    from hugginggpt.terminal.approval import Approval

    return Approval(controller, Console(stderr=True)).run_of(run)


def _until(args: argparse.Namespace) -> str:
    return "plan" if args.plan else "results" if args.results else "answer"


def _server(args: argparse.Namespace, controller: Runner, make_controller: MakeController) -> int:
    from hugginggpt.web.serving import serve

    if args.listener is not None:
        from hugginggpt.web.workers import end_with_parent

        end_with_parent()
    serve(controller, controller.config, inherited=args.listener, make_controller=make_controller)
    return DONE


def _workers(count: int, config: Config) -> int:
    from hugginggpt.web.workers import serve_with_workers

    raise_on_signals()
    return serve_with_workers(config, count, partial(print, flush=True))


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


def _auto(args: argparse.Namespace, controller: Runner) -> int:
    from hugginggpt.core.errors import UserError
    from hugginggpt.terminal.auto import auto

    if args.plan or args.results or args.output:
        raise UserError("--plan, --results and --output are for requests: a goal's files are in its workspace.")
    return auto(args, controller)


def _mcp(args: argparse.Namespace, controller: Runner) -> int:
    """The MCP server. Raises UserError if its package is not installed."""
    from hugginggpt.common.paths import install_command
    from hugginggpt.core.errors import UserError

    if args.root and args.http is not None:
        raise UserError("--root is for stdio: over HTTP no files of the server's machine can be named.")
    try:
        from hugginggpt.mcp.serving import serve_http, serve_stdio
        from hugginggpt.mcp.tools import rows_named
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        raise UserError(f"--mode mcp needs the package {package}: {install_command('mcp')}.") from error
    typed = rows_named(args.tools or "", controller.table)
    if args.wire is None:
        serve_http(controller, args.http, typed)
    else:
        serve_stdio(controller, args.wire, typed, Path(args.root) if args.root else None)
    return DONE


_MODES = {"cli": _cli, "auto": _auto, "mcp": _mcp, "test": _test}


def attachments(request: str, items: Sequence[str], config: Config) -> list[Attachment]:
    """The attachments of a request. Raises MediaError for one that cannot be used."""
    if not items:
        return []
    from hugginggpt.media.store import MediaStore

    media = MediaStore(config)
    files = [(item, media.attachment(item)) for item in items]
    return [replace(file, name=item) if item in request else file for item, file in files]


def piped_file(config: Config) -> Attachment | None:
    """What another program pipes into this one, or a file that is redirected to it: `cat notes.txt | …`. Raises
    MediaError for what cannot be used.
    """
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError, AttributeError):  # closed, or replaced
        return None
    if not (stat.S_ISFIFO(mode) or stat.S_ISREG(mode)):
        return None
    from hugginggpt.media.store import MediaStore

    media = MediaStore(config)
    content = sys.stdin.buffer.read(media.max_bytes + 1)
    if not content.strip():
        return None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / PIPED_NAME
        file.write_bytes(content)
        return media.attachment(str(file))


def copy_files(record: RunRecord, folder: Path, config: Config) -> list[Path]:
    """Copies the generated files into a folder, which is created if necessary, and returns their paths there."""
    from hugginggpt.core.errors import UserError
    from hugginggpt.media.names import without_number

    try:
        folder.mkdir(parents=True, exist_ok=True)
        targets = []
        for file in record.files:
            called = folder / without_number(file)
            targets.append(folder / Path(file).name if called.exists() else called)  # nothing is written over
            with suppress(shutil.SameFileError):  # it is the folder of the generated files
                shutil.copy2(config.public_file(file), targets[-1])
        return targets
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
