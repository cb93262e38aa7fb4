"""The stores that the configuration names: those of this process and its disk, or those that controllers share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from hugginggpt.common.paths import install_command
from hugginggpt.config import Config
from hugginggpt.core.errors import ConfigError
from hugginggpt.records.live_runs import Runs
from hugginggpt.records.run_log import RunLog
from hugginggpt.records.run_store import MemoryRunStore, RunStore
from hugginggpt.web.chats import Chats, ChatStore

REDIS = ("redis", "rediss")
POSTGRES = ("postgresql", "postgres")
RUNS_FILE = "data/runs.sqlite"


def make_runs(config: Config, is_one_of_several: bool = False) -> Runs:
    """The runs of a server. Raises ConfigError when what `run_store` names cannot be used."""
    return Runs(config.http_listen.max_runs, run_store(config, is_one_of_several))


def run_store(config: Config, is_one_of_several: bool = False) -> RunStore:
    """As `run_store` says; without it the memory of this process, or of `--workers` a file beside the conversations."""
    if not config.run_store and not is_one_of_several:
        return MemoryRunStore()
    if not config.run_store or "://" not in config.run_store:
        from hugginggpt.records.sqlite_runs import SqliteRunStore

        return SqliteRunStore(_runs_file(config), RunLog(config).to_text)
    url = config.variables.in_url(config.run_store)
    _check_address("run_store", url, REDIS)
    with _needed("run_store", "redis"):
        from hugginggpt.records.redis_runs import RedisRunStore
    return RedisRunStore(url, RunLog(config).to_text)


def _runs_file(config: Config) -> Path:
    if config.run_store:
        return config.path(config.run_store)
    if "://" in config.database:
        return config.path(RUNS_FILE)
    return config.path(config.database).with_name(Path(RUNS_FILE).name)


def make_chats(config: Config) -> ChatStore:
    """The conversations. Raises ConfigError when what `database` names cannot be used."""
    if "://" not in config.database:
        return Chats(config.path(config.database))
    url = config.variables.in_url(config.database)
    _check_address("database", url, POSTGRES)
    with _needed("database", "postgres"):
        from hugginggpt.web.postgres_chats import PostgresChats
    return PostgresChats(url)


def _check_address(setting: str, url: str, schemes: tuple[str, ...]) -> None:
    """Raises ConfigError, in which no part of a password stands, wherever a sign that is not encoded has put it."""
    scheme = url.partition("://")[0]
    if scheme not in schemes:
        raise ConfigError(
            f"{setting} cannot begin with {scheme}:// but with {' or '.join(f'{s}://' for s in schemes)}."
        )
    try:
        parts = urlsplit(url)
        is_address = "@" not in f"{parts.path}{parts.query}{parts.fragment}"
    except ValueError:
        is_address = False
    if not is_address:
        raise ConfigError(
            f"{setting} is no address such as {scheme}://USER:PASSWORD@HOST:PORT/NAME. In a password, write / as %2F, "
            "? as %3F, # as %23 and [ as %5B, or name a variable of the environment, $NAME, which may hold any sign."
        )


@contextmanager
def _needed(setting: str, extra: str) -> Iterator[None]:
    """Says how to install what a setting needs. Raises ConfigError."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        raise ConfigError(f"{setting} needs the package {package}: {install_command(extra)}.") from error
