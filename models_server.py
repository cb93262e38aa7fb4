#!/usr/bin/env python3
"""The model server: expert models on this machine, over HTTP, with JARVIS's wire format.

python models_server.py                            serve what is on this machine
python models_server.py --list                     say what that is
python models_server.py --download standard        fetch the models of a deployment
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NoReturn

from hugginggpt.common.signals import exit_code_of, raise_on_signals, run_program


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Serves expert models on this machine: GET /models, POST /models/ID.")
    parser.add_argument("--config", metavar="FILE", help="settings, laid over config.default.yaml")
    parser.add_argument("--host", help="the address to listen on (local_inference_endpoint.host)")
    parser.add_argument("--port", type=int, help="and the port (local_inference_endpoint.port)")
    parser.add_argument("--device", help="auto, cpu, cuda (all GPUs), cuda:0 or mps (device)")
    parser.add_argument("--memory", type=float, metavar="GB", help="what models may use (models_server.memory)")
    parser.add_argument(
        "--preload", action="append", default=[], metavar="ID|FOLDER[:TASK]", help="load at start (repeatable)"
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="list the models that can be run, and end")
    what.add_argument(
        "--download", choices=("minimal", "standard", "full"), help="fetch a deployment's models, and end"
    )
    parser.add_argument("--dry-run", action="store_true", help="with --download: show the sizes only")
    parser.add_argument("--debug", action="store_true", help="log everything")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """The command line. Exit codes: 0 done, 1 failed, 2 wrong usage or configuration."""
    args = parser().parse_args(argv)
    return exit_code_of(lambda: run(args))


def run(args: argparse.Namespace) -> int:
    """Does what the arguments ask for. Raises UserError for wrong ones."""
    from hugginggpt import config as settings
    from hugginggpt import logs
    from hugginggpt.serving import commands

    logs.set_up(debug=args.debug)
    config = settings.load(args.config, debug=args.debug or None, device=args.device)
    logs.set_up(config)
    raise_on_signals()
    if args.list:
        return commands.list_models(config)
    if args.download:
        return commands.download(config, args.download, dry_run=args.dry_run)
    return commands.serve(config, args.host, args.port, args.memory, args.preload)


def program() -> NoReturn:
    """The command `hugginggpt-models`."""
    run_program(main)


if __name__ == "__main__":
    program()
