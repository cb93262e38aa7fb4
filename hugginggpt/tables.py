"""Builds the task table: the project's rows, then those of the configuration."""

from __future__ import annotations

from hugginggpt.config import Config
from hugginggpt.core.errors import ConfigError
from hugginggpt.core.tasks import TaskTable, TaskType, default_table


def make_task_table(config: Config) -> TaskTable:
    """The task table of a configuration.

    Raises ConfigError, naming the file and the key, for a row whose name is taken, or where the configuration names a
    task that is not in the table.
    """
    table = default_table()
    for at, task in enumerate(config.tasks):
        try:
            table = table.extended([task.row()])
        except ValueError as error:
            raise ConfigError(f"{config.source}: tasks.{at}: {error}.") from error
    for at, model in enumerate(config.models_server.models):
        try:
            known_task(table, model.task)
        except ValueError as error:
            raise ConfigError(
                f"{config.source}: models_server.models.{at}.task: {error} (it is {model.task[:40]!r})."
            ) from error
    return table


def known_task(table: TaskTable, name: str) -> TaskType:
    """The row for a name that a person gave. Raises ValueError, saying what it should be, for one that there is not."""
    row = table.find(name)
    if row is None:
        raise ValueError(f"should be a task, such as {table.nearest(name) or 'image-to-text'}")
    return row
