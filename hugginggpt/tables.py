"""Builds the task table: the project's rows, then those of the configuration, then those of plug-ins."""

from __future__ import annotations

from collections.abc import Iterator

from hugginggpt.common import plugins
from hugginggpt.common.plugins import Plugin
from hugginggpt.config import Config
from hugginggpt.config.http_experts import HttpExpert
from hugginggpt.config.mcp import McpServer
from hugginggpt.core.errors import ConfigError
from hugginggpt.core.result_paths import ResultMap
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
    for at, server in enumerate(config.mcp):
        for tool, wrong in _wrong_tools(table, server):
            raise ConfigError(f"{config.source}: mcp.{at}.tools.{tool}.{wrong}.")
    named: set[tuple[str, str]] = set()
    for at, expert in enumerate(config.http_experts):
        _check_expert(table, expert, f"{config.source}: http_experts.{at}")
        if (expert.id, expert.task) in named:
            raise ConfigError(
                f"{config.source}: http_experts.{at}.id: there is a {expert.id} for {expert.task} already."
            )
        named.add((expert.id, expert.task))
    return table


def _wrong_tools(table: TaskTable, server: McpServer) -> Iterator[tuple[int, str]]:
    """The positions of tools that do not fit the table, and what is wrong with each."""
    if doubled := {tool.tool for tool in server.tools if not tool.repeatable} & {
        tool.tool for tool in server.tools if tool.repeatable
    }:
        yield 0, f"repeatable: should be the same wherever {min(doubled)} is listed"
    for at, tool in enumerate(server.tools):
        try:
            row = known_task(table, tool.task)
        except ValueError as error:
            yield at, f"task: {error} (it is {tool.task[:40]!r})"
            continue
        if unknown := [name for name in tool.args if row.arg(name) is None]:
            known = ", ".join(arg.name for arg in row.args)
            yield at, f"args: {row.name} has no argument {unknown[0][:40]}, but {known}"
        if wrong := next(ResultMap(row.result, tool.result).mistakes(), ""):
            yield at, f"result: {wrong}"


def _check_expert(table: TaskTable, expert: HttpExpert, where: str) -> None:
    """Raises ConfigError for an expert that does not fit its task."""
    try:
        task = known_task(table, expert.task)
    except ValueError as error:
        raise ConfigError(f"{where}.task: {error} (it is {expert.task[:40]!r}).") from error
    if expert.task != task.name:
        raise ConfigError(f"{where}.task: should be {task.name}.")
    for key, wrong in expert.mistakes(task):
        raise ConfigError(f"{where}.{key}: {wrong}.")


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
