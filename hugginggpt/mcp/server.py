"""The MCP server: each call of a tool becomes a run of the controller, and its events become progress."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from functools import partial
from typing import Any

from anyio import move_on_after, to_thread
from mcp import MCPError
from mcp.server import Server, ServerRequestContext
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    ResourceTemplate,
    Tool,
)

from hugginggpt.common.threads import spawn
from hugginggpt.common.version import __version__
from hugginggpt.core.errors import HuggingGPTError, UserError
from hugginggpt.core.plan_repair import repair
from hugginggpt.core.tasks import TaskType
from hugginggpt.mcp.inputs import FILES, Inputs
from hugginggpt.mcp.outputs import RUNS, Outputs
from hugginggpt.mcp.steps import Steps
from hugginggpt.mcp.tools import (
    MAX_WAIT_SECONDS,
    check_arguments,
    make_tools,
    task_entry,
    task_schema,
    tasks_that_run,
    tool_name,
    unknown_task,
)
from hugginggpt.records.live_runs import LiveRun, Runs
from hugginggpt.stages.run import Run, Runner

log = logging.getLogger(__name__)

WAIT_SECONDS = 20
"""How long get_run waits for the end of a run if its caller does not say."""
SHOWN_CHARS = 200
"""How much of a task's arguments the record of its run has as the request."""
LISTED_RUNS = 20
INSTRUCTIONS = (
    "Runs expert models on pictures, recordings, videos, tables and texts: detecting and counting objects, reading "
    "pages, transcribing, speaking, answering questions and more (list_tasks). Give run_request the request in words "
    "and the files beside it. Generated files come as links (hugginggpt://files/...), which resources/read serves and "
    "which later calls take as files."
)
Args = Mapping[str, Any]
Context = ServerRequestContext[Any]


class Service:
    """The tools and resources of one server over a controller."""

    def __init__(
        self, controller: Runner, runs: Runs, inputs: Inputs, outputs: Outputs, typed: Sequence[TaskType] = ()
    ) -> None:
        self.controller = controller
        self.table = controller.table
        self.runs = runs
        self.inputs = inputs
        self.outputs = outputs
        self.typed = {tool_name(row.name): row for row in typed}
        self.known = {tool.name: tool for tool in self._tools(self.table.names)}
        self.calls: dict[str, Callable[[Context, Args], Awaitable[CallToolResult]]] = {
            "run_request": self.run_request,
            "plan_request": self.plan_request,
            "run_task": self.run_task,
            "list_tasks": self.list_tasks,
            "start_run": self.start_run,
            "get_run": self.get_run,
            "cancel_run": self.cancel_run,
            **{name: partial(self.run_typed, row) for name, row in self.typed.items()},
        }

    def server(self) -> Server[Any]:
        """The server of the protocol, for any transport."""
        return Server(
            "hugginggpt",
            version=__version__,
            title="HuggingGPT",
            instructions=INSTRUCTIONS,
            get_tool_input_schema=lambda name: self.known[name].input_schema if name in self.known else None,
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
            on_list_resources=self.list_resources,
            on_list_resource_templates=self.list_templates,
            on_read_resource=self.read_resource,
        )

    # Tools

    async def list_tools(self, ctx: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=self._tools(await to_thread.run_sync(tasks_that_run, self.controller)))

    def _tools(self, names: Sequence[str]) -> list[Tool]:
        return make_tools(self.table, names, self.typed.values(), self.inputs.is_local)

    async def call_tool(self, ctx: Context, params: CallToolRequestParams) -> CallToolResult:
        """The result of a tool; what went wrong is in the result, for the model that called it."""
        call, args = self.calls.get(params.name), params.arguments or {}
        if call is None:
            raise MCPError(INVALID_PARAMS, f"There is no tool {params.name[:100]}.")
        try:
            if params.name != "run_task":  # its own check proposes the nearest task
                check_arguments(self.known[params.name], args)
            return await call(ctx, args)
        except HuggingGPTError as error:
            return self.outputs.failed(str(error))
        except Exception:  # a bug: logged with its traceback, reported in one sentence
            log.exception("tool %s", params.name)
            return self.outputs.failed("Something went wrong inside the server; its log says what.")

    async def run_request(self, ctx: Context, args: Args) -> CallToolResult:
        return await self._to_its_end(ctx, await to_thread.run_sync(self._start, args, "answer"))

    async def plan_request(self, ctx: Context, args: Args) -> CallToolResult:
        live = await to_thread.run_sync(self._start, args, "plan")
        await self._follow_to_its_end(ctx, live)
        return self.outputs.plan(live.record)

    async def run_task(self, ctx: Context, args: Args) -> CallToolResult:
        row = self.table.find(name := str(args.get("task", "")))
        if row is None:
            raise UserError(unknown_task(name, self.table))
        check_arguments(self.known["run_task"], {**args, "task": row.name})
        schema = task_schema(row, "")
        check_arguments(Tool(name=row.name, input_schema=schema), args["args"])
        return await self.run_typed(row, ctx, args["args"])

    async def run_typed(self, row: TaskType, ctx: Context, args: Args) -> CallToolResult:
        live = await to_thread.run_sync(self._start_task, row, args)
        return await self._to_its_end(ctx, live, task=True)

    async def list_tasks(self, ctx: Context, args: Args) -> CallToolResult:
        names = await to_thread.run_sync(tasks_that_run, self.controller)
        return self.outputs.data({"tasks": [task_entry(self.table[name]) for name in names]})

    async def start_run(self, ctx: Context, args: Args) -> CallToolResult:
        live = await to_thread.run_sync(self._start, args, "answer")
        return await to_thread.run_sync(self.outputs.outcome, live)

    async def get_run(self, ctx: Context, args: Args) -> CallToolResult:
        seconds = float(args.get("wait_seconds", WAIT_SECONDS))
        if not math.isfinite(seconds):  # NaN is within all bounds of a schema
            raise UserError(f"wait_seconds should be a number from 0 to {MAX_WAIT_SECONDS}.")
        live = self._live(args)
        with move_on_after(seconds):
            await self._follow(ctx, live)
        return await to_thread.run_sync(self.outputs.outcome, live)

    async def cancel_run(self, ctx: Context, args: Args) -> CallToolResult:
        live = self._live(args)
        live.run.cancel()
        await self._follow(ctx, live)
        return await to_thread.run_sync(self.outputs.outcome, live)

    # Runs

    def _start(self, args: Args, until: str) -> LiveRun:
        """Starts the run of a request. Raises UserError for one that cannot be run, TooManyRuns."""
        files = [self.inputs.attachment(item) for item in args.get("files", ())]
        request = str(args["request"]).replace(f"{FILES}/", "/")
        run = self.controller.prepare([{"role": "user", "content": request}], files)
        run.files = (*run.files, *self.inputs.named(run))
        return self.runs.start(self.controller, run, until)

    def _start_task(self, row: TaskType, args: Args) -> LiveRun:
        """Starts the run of a single task: its plan is known. Raises UserError, TooManyRuns."""
        args = self.inputs.arguments(row, args)
        plan = repair([{"task": row.name, "id": 0, "dep": [-1], "args": args}], self.table, 1)
        if plan.problems:
            raise UserError(f"{plan.problems[0]}.")
        request = f"{row.name}: {json.dumps(args, ensure_ascii=False)}"[:SHOWN_CHARS]
        run: Run = self.controller.prepare([{"role": "user", "content": request}])
        run.plan = plan
        return self.runs.start(self.controller, run, "results")

    def _live(self, args: Args) -> LiveRun:
        live = self.runs.get(args["run_id"])
        if live is None:
            raise UserError("There is no such run, or it is long over.")
        return live

    async def _to_its_end(self, ctx: Context, live: LiveRun, task: bool = False) -> CallToolResult:
        """The result of a run that ends with its call."""
        await self._follow_to_its_end(ctx, live)
        return await to_thread.run_sync(self.outputs.outcome, live, task)

    async def _follow_to_its_end(self, ctx: Context, live: LiveRun) -> None:
        """As `_follow`; a call that is cancelled ends the run, whose id no other caller knows."""
        try:
            await self._follow(ctx, live)
        finally:
            live.run.cancel()

    async def _follow(self, ctx: Context, live: LiveRun) -> None:
        """Waits for the end of a run and reports its steps."""
        steps, told = Steps(), 0.0
        async with aclosing(happening(live)) as events:
            async for event in events:
                step = steps.apply(event)
                if step and steps.done > told:  # the protocol wants a number that grows
                    told = steps.done
                    await ctx.session.report_progress(told, steps.total, step)

    # Resources

    async def list_resources(self, ctx: Context, params: PaginatedRequestParams | None) -> ListResourcesResult:
        runs = self.runs.newest(LISTED_RUNS)
        return ListResourcesResult(resources=list(self.outputs.resources(runs)))

    async def list_templates(self, ctx: Context, params: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
        files = ResourceTemplate(
            name="file", uri_template=f"{FILES}/{{+path}}", description="A generated or uploaded file, or an example."
        )
        runs = ResourceTemplate(
            name="run", uri_template=f"{RUNS}/{{run_id}}", description="All that a run came to.",
            mime_type="application/json",
        )  # fmt: skip
        return ListResourceTemplatesResult(resource_templates=[files, runs])

    async def read_resource(self, ctx: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        uri = str(params.uri)
        if uri.startswith(f"{FILES}/"):
            return await to_thread.run_sync(self.outputs.read_file, uri)
        live = self.runs.get(uri.removeprefix(f"{RUNS}/")) if uri.startswith(f"{RUNS}/") else None
        if live is None:
            raise MCPError(INVALID_PARAMS, f"There is no resource {uri[:200]}.")
        return self.outputs.read_run(uri, live)


async def happening(live: LiveRun) -> AsyncGenerator[dict[str, Any]]:
    """The events of a run as they happen, to its end: a thread waits for them, the event loop does not."""
    loop, arrived = asyncio.get_running_loop(), asyncio.Queue[dict[str, Any] | None]()
    left = threading.Event()

    def pump() -> None:
        with suppress(RuntimeError):  # the loop is closed
            for item in live.follow():
                if left.is_set():
                    return
                if item:
                    loop.call_soon_threadsafe(arrived.put_nowait, item[1])
            loop.call_soon_threadsafe(arrived.put_nowait, None)

    spawn(pump, name="follow")
    try:
        while (event := await arrived.get()) is not None:
            yield event
    finally:
        left.set()
