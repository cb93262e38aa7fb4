"""Logging: warnings (with --debug everything) on stderr, and a rotated log file, without secrets."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable
from logging.handlers import RotatingFileHandler

from hugginggpt.config import Config
from hugginggpt.core.errors import masked

MAX_BYTES = 5_000_000
BACKUPS = 3


class WithoutSecrets(logging.Formatter):
    """Masks keys and tokens in all log records."""

    def __init__(self, form: str, secrets: Iterable[str]) -> None:
        super().__init__(form)
        self.secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        return masked(super().format(record), self.secrets)


class LogFile(RotatingFileHandler):
    """The log file. A write error (a full disk) neither raises nor fills the terminal."""

    def handleError(self, record: logging.LogRecord) -> None:
        pass


def set_up(config: Config | None = None, debug: bool = False) -> None:
    """Logs to stderr; once there is a configuration also to its log file."""
    logger = logging.getLogger("hugginggpt")
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
        handler.close()
    debug = debug or bool(config and config.debug)
    logger.setLevel(logging.DEBUG if debug else logging.INFO)  # records that no handler takes are not even formatted
    logger.propagate = False
    secrets = config.secrets if config else ()
    terminal = logging.StreamHandler(sys.stderr)
    terminal.setLevel(logging.DEBUG if debug else logging.WARNING)
    terminal.setFormatter(WithoutSecrets("%(message)s", secrets))
    logger.addHandler(terminal)
    if config is None or not config.log_file:
        return
    path = config.path(config.log_file)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = LogFile(path, maxBytes=MAX_BYTES, backupCount=BACKUPS, encoding="utf-8", delay=True)
    except OSError as error:
        logger.warning("There is no log: %s cannot be created (%s).", path.parent, error.strerror)
        return
    file.setFormatter(WithoutSecrets("%(asctime)s %(levelname)s %(name)s: %(message)s", secrets))
    logger.addHandler(file)
