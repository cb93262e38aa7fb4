"""Run by `benchmarks.mcp_clients` with the Python that has fastmcp: a request, a picture, a run that is asked about."""

import asyncio
import base64
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

FILES = ["/examples/a.jpg", "/examples/b.jpg", "/examples/c.jpg"]


def transport(target):
    if "url" in target:
        return StreamableHttpTransport(target["url"])
    return StdioTransport(target["command"][0], target["command"][1:])


async def main(target):
    steps = []

    async def progress(done, total, message):
        steps.append(message)

    async with Client(transport(target), timeout=120) as client:
        args = {"request": "How many giraffes are in these pictures?", "files": FILES}
        result = await client.call_tool("run_request", args, progress_handler=progress)
        size = sum(len(block.model_dump_json()) for block in result.content) + len(
            json.dumps(result.structured_content)
        )
        link = next(block for block in result.content if block.type == "resource_link")
        (read,) = await client.read_resource(str(link.uri))
        begun = await client.call_tool("start_run", {"request": "Read /examples/invoice.png aloud"})
        run_id = begun.structured_content["run_id"]
        status = begun.structured_content["status"]
        while status == "running":
            status = (await client.call_tool("get_run", {"run_id": run_id})).structured_content["status"]
        return {
            "counted": "3 giraffes" in result.content[0].text,
            "read_as_jpeg": base64.b64decode(read.blob)[:3] == b"\xff\xd8\xff",
            "small": size < 700_000,
            "long_run_answered": status == "answered",
            "result_kB": size // 1000,
            "file_kB": len(read.blob) * 3 // 4000,
            "steps": len(steps),
        }


print(json.dumps(asyncio.run(main(json.loads(sys.argv[1])))))
