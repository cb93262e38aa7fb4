"""`python -m hugginggpt.evaluate`: runs a planner on labelled requests and scores its plans."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # not imported for --help
    from hugginggpt.config import Config
    from hugginggpt.evaluate.formats import Data
    from hugginggpt.evaluate.judge import Verdict
    from hugginggpt.evaluate.run import Prediction

DONE, INCOMPLETE, WRONG_USE, STOPPED = 0, 1, 2, 130

EXAMPLES = """examples:
  python -m hugginggpt.evaluate --planner offline --data data/planning_eval.jsonl --out offline.jsonl
  python -m hugginggpt.evaluate --planner llm --llm openai --workers 8 --data dev.jsonl --out gpt.jsonl
  python -m hugginggpt.evaluate --data dev.jsonl --compare offline.jsonl gpt.jsonl --plot planners.png

Requests with a plan in --out are not planned again, so a stopped run continues where it was."""


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m hugginggpt.evaluate",
        description="Measures a planner on labelled requests (TaskBench's files or the project's own format).",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, required=True, metavar="FILE", help="the requests and their gold plans")
    parser.add_argument(
        "--planner", choices=("offline", "llm"), help="the planner to run; without it, the plans in --out are scored"
    )
    parser.add_argument("--out", type=Path, metavar="PREDICTIONS", help='the plans, one {"id", "plan"} per line')
    parser.add_argument("--fresh", action="store_true", help="plan every request again, even those in --out")
    parser.add_argument("--compare", nargs=2, type=Path, metavar=("A", "B"), help="two files of plans, side by side")
    parser.add_argument("--worst", type=int, default=10, metavar="N", help="disagreements to show (10)")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N requests")
    parser.add_argument(
        "--workers", type=int, default=1, metavar="N", help="parallel requests (1, as needed to measure latency)"
    )
    parser.add_argument("--tools", type=Path, metavar="FILE", help="a tool_desc.json, in place of TaskBench's 23 tools")
    parser.add_argument("--llm", metavar="NAME", help="the language model, as for awesome_chat.py")
    parser.add_argument("--config", metavar="FILE", help="settings that override config.default.yaml")
    parser.add_argument(
        "--judge", nargs="?", const="", metavar="NAME", help="have a language model (that of --llm) judge the plans"
    )
    parser.add_argument("--report", type=Path, metavar="FILE", help="the figures as JSON (PREDICTIONS.report.json)")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="the figures as a picture")
    parser.add_argument("-q", "--quiet", action="store_true", help="show no progress")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Exit codes: 0 done, 1 some requests failed, 2 wrong use, 130 stopped by Ctrl-C."""
    args = _checked(parser(), argv)
    from hugginggpt import config as settings
    from hugginggpt import logs
    from hugginggpt.core.errors import HuggingGPTError
    from hugginggpt.evaluate.formats import read_data
    from hugginggpt.tables import make_task_table

    logs.set_up()
    try:
        config = settings.load(args.config, llm=args.llm)
        logs.set_up(config)
        data = read_data(args.data, make_task_table(config), args.limit, args.tools)
        return _compare(args, data) if args.compare else _measure(args, config, data)
    except HuggingGPTError as error:
        print(f"error: {error}", file=sys.stderr)
        return WRONG_USE
    except KeyboardInterrupt:
        hint = f" The plans so far are in {args.out}; the same command continues from there." if args.planner else ""
        print(f"Stopped.{hint}", file=sys.stderr)
        return STOPPED
    finally:
        logs.set_up()


def _checked(parser: argparse.ArgumentParser, argv: Sequence[str] | None) -> argparse.Namespace:
    args = parser.parse_args(argv)
    if not args.compare and not args.out:
        parser.error("give the file of plans with --out, or two files with --compare")
    if args.compare and (args.planner or args.out or args.judge is not None):
        parser.error("--compare takes existing plans: give it with --data alone")
    for name in ("limit", "workers", "worst"):
        if (value := getattr(args, name)) is not None and value < 1:
            parser.error(f"--{name} should be at least 1")
    return args


def _measure(args: argparse.Namespace, config: Config, data: Data) -> int:
    from hugginggpt.evaluate.report import make_console, report, show

    judge = (
        _judge(args, data) if args.judge is not None else None
    )  # a missing language model is reported before the work
    failures = _plan(args, config, data) if args.planner else []
    predictions = _read(args.out)
    verdicts: list[Verdict] = []
    if judge:
        with _ProgressBar("judging", len(data.samples), args.quiet) as bar:
            verdicts = judge.all(data.samples, predictions, args.workers, bar.step)
        failures += judge.failures
    figures = report(data, predictions, verdicts)
    if judge and verdicts:
        figures["judge by"] = judge.name
    show(figures, make_console())
    _write(args.report or args.out.with_suffix(".report.json"), figures)
    if args.plot:
        from hugginggpt.evaluate.plot import draw

        draw([(figures["planner"], figures)], args.plot, data.project_format)
    for failure in failures[:10]:
        print(f"failed: {failure}", file=sys.stderr)
    if failures:
        print(f"{len(failures)} failed; the same command retries them.", file=sys.stderr)
    return INCOMPLETE if failures else DONE


def _judge(args: argparse.Namespace, data: Data) -> Any:
    from hugginggpt import config as settings
    from hugginggpt.evaluate.judge import Judge
    from hugginggpt.evaluate.run import required_llm
    from hugginggpt.tables import make_task_table

    config = settings.load(args.config, llm=args.judge or args.llm)
    llm = required_llm(config, "--judge")
    return Judge(llm, args.out.with_suffix(".judged.jsonl"), make_task_table(config), data.tasks)


def _plan(args: argparse.Namespace, config: Config, data: Data) -> list[str]:
    """Plans the remaining requests; returns the failures. Raises UserError for a file of another planner's plans."""
    from hugginggpt.core.errors import UserError
    from hugginggpt.evaluate.run import JsonLinesFile, make_bench, read_predictions

    bench = make_bench(args.planner, config, data.tasks)
    if args.fresh:
        args.out.unlink(missing_ok=True)
    predictions = JsonLinesFile(args.out)
    predictions.repair()
    done = read_predictions(args.out)
    other_planners = {prediction.planner for prediction in done.values()} - {bench.name}
    if other_planners:
        raise UserError(
            f"{args.out} holds plans of {', '.join(sorted(map(repr, other_planners)))}, not of {bench.name}: "
            "name another file with --out, or start over with --fresh."
        )
    remaining = [sample for sample in data.samples if sample.id not in done]
    with _ProgressBar("planning", len(data.samples), args.quiet, done=len(data.samples) - len(remaining)) as bar:
        for prediction in bench.plan_all(remaining, args.workers):
            predictions.append(prediction.to_json())
            bar.step()
    return bench.failures


def _compare(args: argparse.Namespace, data: Data) -> int:
    from hugginggpt.evaluate.report import differences, disagreements, make_console, report, show_comparison

    a, b = (_read(file) for file in args.compare)
    reports = [report(data, predictions) for predictions in (a, b)]
    show_comparison(reports, differences(data, a, b), disagreements(data, a, b, args.worst), make_console())
    if args.report:
        _write(args.report, {"A": reports[0], "B": reports[1]})
    if args.plot:
        from hugginggpt.evaluate.plot import draw

        names = [report_["planner"] for report_ in reports]
        if names[0] == names[1]:
            names = [file.stem for file in args.compare]
        draw(list(zip(names, reports, strict=True)), args.plot, data.project_format)
    return DONE


def _read(file: Path) -> dict[str, Prediction]:
    from hugginggpt.core.errors import UserError
    from hugginggpt.evaluate.run import read_predictions

    if not file.is_file():
        raise UserError(f"There are no plans in {file}: make them with --planner.")
    return read_predictions(file)


def _write(file: Path, figures: Any) -> None:
    from hugginggpt.core.errors import UserError

    try:
        file.write_text(json.dumps(figures, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise UserError(f"Cannot write {file}: {error.strerror}.") from error


class _ProgressBar:
    """A progress bar on stderr."""

    def __init__(self, what: str, total: int, quiet: bool, done: int = 0) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        console = Console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self.progress = Progress(*columns, console=console, disable=quiet or not console.is_terminal)
        self.task = self.progress.add_task(what, total=total, completed=done)

    def __enter__(self) -> _ProgressBar:
        self.progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.progress.stop()

    def step(self) -> None:
        self.progress.advance(self.task)


if __name__ == "__main__":
    sys.exit(main())
