"""Builds the task table: the project's rows, then those of the configuration, then those of plug-ins."""

from __future__ import annotations

from hugginggpt.common import plugins
from hugginggpt.common.plugins import Plugin
from hugginggpt.config import Config
from hugginggpt.core.errors import ConfigError
from hugginggpt.core.tasks import TaskTable, TaskType, default_table


def make_task_table(config: Config) -> TaskTable:
    """The task table of a configuration.

    Raises ConfigError, naming the file and the key, for a row whose name is taken, or where the configuration names a
    task that is not in the table. A plug-in whose rows cannot be used is left out with a warning.
    """
    table = default_table()
    for at, task in enumerate(config.tasks):
        try:
            table = table.extended([task.row()])
        except ValueError as error:
            raise ConfigError(f"{config.source}: tasks.{at}: {error}.") from error
    for plugin in plugins.load(plugins.TASK_GROUP):
        table = _with_plugin(table, plugin)
    for at, model in enumerate(config.models_server.models):
        try:
            known_task(table, model.task)
        except ValueError as error:
            raise ConfigError(
                f"{config.source}: models_server.models.{at}.task: {error} (it is {model.task[:40]!r})."
            ) from error
    return table


def _with_plugin(table: TaskTable, plugin: Plugin) -> TaskTable:
    rows = [plugin.value] if isinstance(plugin.value, TaskType) else plugin.value
    try:
        if not isinstance(rows, list | tuple) or not all(isinstance(row, TaskType) for row in rows):
            raise TypeError("its entry point should be a TaskType or a list of them")
        return table.extended(rows)
    except (ValueError, TypeError) as error:
        plugin.reject(error)
        return table


def known_task(table: TaskTable, name: str) -> TaskType:
    """The row for a name that a person gave. Raises ValueError, saying what it should be, for one that there is not."""
    row = table.find(name)
    if row is None:
        raise ValueError(f"should be a task, such as {table.nearest(name) or 'image-to-text'}")
    return row
