"""The stores that the configuration names: those of this process and its disk, or those that controllers share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hugginggpt.common.paths import install_command
from hugginggpt.config import Config
from hugginggpt.core.errors import ConfigError
from hugginggpt.records.live_runs import Runs
from hugginggpt.records.run_log import RunLog
from hugginggpt.records.run_store import MemoryRunStore, RunStore
from hugginggpt.web.chats import Chats, ChatStore

REDIS = ("redis", "rediss")
POSTGRES = ("postgresql", "postgres")


def make_runs(config: Config) -> Runs:
    """The runs of a server. Raises ConfigError when what `run_store` names cannot be used."""
    return Runs(config.http_listen.max_runs, _run_store(config))


def _run_store(config: Config) -> RunStore:
    if not config.run_store:
        return MemoryRunStore()
    url = config.variables.in_url(config.run_store)
    _check_scheme("run_store", url, REDIS)
    with _needed("run_store", "redis"):
        from hugginggpt.records.redis_runs import RedisRunStore
    return RedisRunStore(url, RunLog(config).to_text)


def make_chats(config: Config) -> ChatStore:
    """The conversations. Raises ConfigError when what `database` names cannot be used."""
    if "://" not in config.database:
        return Chats(config.path(config.database))
    url = config.variables.in_url(config.database)
    _check_scheme("database", url, POSTGRES)
    with _needed("database", "postgres"):
        from hugginggpt.web.postgres_chats import PostgresChats
    return PostgresChats(url)


def _check_scheme(setting: str, url: str, schemes: tuple[str, ...]) -> None:
    scheme = url.partition("://")[0]
    if scheme not in schemes:
        raise ConfigError(
            f"{setting} cannot begin with {scheme}:// but with {' or '.join(f'{s}://' for s in schemes)}."
        )


@contextmanager
def _needed(setting: str, extra: str) -> Iterator[None]:
    """Says how to install what a setting needs. Raises ConfigError."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        raise ConfigError(f"{setting} needs the package {package}: {install_command(extra)}.") from error
