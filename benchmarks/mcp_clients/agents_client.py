"""Run by `benchmarks.mcp_clients` with the Python that has openai-agents: the calls that its agents would make."""

import asyncio
import base64
import json
import sys

from agents.mcp import MCPServerStdio, MCPServerStreamableHttp, MCPUtil

FILES = ["/examples/a.jpg", "/examples/b.jpg", "/examples/c.jpg"]


def server(target):
    if "url" in target:
        params = {"url": target["url"], "timeout": 120, "sse_read_timeout": 120}
        return MCPServerStreamableHttp(params=params, client_session_timeout_seconds=120)
    params = {"command": target["command"][0], "args": target["command"][1:]}
    return MCPServerStdio(params=params, client_session_timeout_seconds=120)


async def main(target):
    async with server(target) as known:
        tools = await known.list_tools()
        functions = [MCPUtil.to_function_tool(tool, known, convert_schemas_to_strict=True) for tool in tools]
        args = {"request": "How many giraffes are in these pictures?", "files": FILES}
        result = await known.call_tool("run_request", args)
        size = len(result.model_dump_json())
        link = next(block for block in result.content if block.type == "resource_link")
        read = (await known.read_resource(str(link.uri))).contents[0]
        begun = dict(await known.call_tool("start_run", {"request": "Read /examples/invoice.png aloud"}))
        run = begun["structured_content"]
        while run["status"] == "running":
            run = dict(await known.call_tool("get_run", {"run_id": run["run_id"]}))["structured_content"]
        return {
            "counted": "3 giraffes" in result.content[0].text,
            "read_as_jpeg": base64.b64decode(read.blob)[:3] == b"\xff\xd8\xff",
            "small": size < 700_000,
            "long_run_answered": run["status"] == "answered",
            "function_tools": len(functions),
            "result_kB": size // 1000,
            "file_kB": len(read.blob) * 3 // 4000,
        }


print(json.dumps(asyncio.run(main(json.loads(sys.argv[1])))))
