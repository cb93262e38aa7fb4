"""Services for tests: skipped where they are not installed, unless REQUIRE_SERVICES is set."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager

import pytest

from hugginggpt.testing.services import NoService, postgres_service, redis_service


@contextmanager
def needed(service: Callable[[], AbstractContextManager[str]]) -> Iterator[str]:
    """The URL of a service, while the block runs."""
    running = service()
    try:
        url = running.__enter__()
    except (NoService, ModuleNotFoundError) as missing:
        if os.environ.get("REQUIRE_SERVICES"):
            raise
        pytest.skip(str(missing))
    try:
        yield url
    finally:
        running.__exit__(None, None, None)


@pytest.fixture(scope="session")
def running_redis() -> Iterator[str]:
    with needed(redis_service) as url:
        yield url


@pytest.fixture
def redis_url(running_redis: str) -> str:
    """The URL of a Redis that is empty."""
    redis = pytest.importorskip("redis")
    with redis.Redis.from_url(running_redis) as client:
        client.flushall()
    return running_redis


@pytest.fixture(scope="session")
def running_postgres() -> Iterator[str]:
    with needed(postgres_service) as url:
        yield url


@pytest.fixture
def postgres_url(running_postgres: str) -> str:
    """The URL of a database of the test's own."""
    psycopg = pytest.importorskip("psycopg")
    name = f"test_{uuid.uuid4().hex}"
    with closing(psycopg.connect(running_postgres, autocommit=True)) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"{running_postgres.rpartition('/')[0]}/{name}"
