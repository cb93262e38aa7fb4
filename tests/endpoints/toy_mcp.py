"""An MCP server for tests, made with the package mcp, over HTTP: `python toy_mcp.py PORT`."""

from __future__ import annotations

import io
import sys
import wave
from collections import defaultdict

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver import Audio, Context, Image
from PIL import Image as Picture

server = MCPServer("toy", version="1.0")
ended: defaultdict[str, anyio.Event] = defaultdict(anyio.Event)


async def two_parts(ctx: Context) -> None:
    for part in (1, 2):
        await ctx.report_progress(part, 2, f"part {part}")


@server.tool()
async def draw_slowly(text: str, side: int, ctx: Context) -> Image:
    """A picture of noise, which cannot be compressed."""
    await two_parts(ctx)
    data = io.BytesIO()
    Picture.merge("RGB", [Picture.effect_noise((side, side), 90) for _ in range(3)]).save(data, "PNG")
    return Image(data=data.getvalue(), format="png")


@server.tool()
async def read_aloud(text: str, ctx: Context) -> Audio:
    await two_parts(ctx)
    data = io.BytesIO()
    with wave.open(data, "wb") as out:
        out.setparams((1, 2, 16000, 0, "NONE", ""))
        out.writeframes(bytes(3200))
    return Audio(data=data.getvalue(), format="wav")


@server.tool()
async def waits(text: str, ctx: Context) -> str:
    """Until it is told to stop."""
    await ctx.report_progress(0, 1, "waiting")
    try:
        await anyio.sleep_forever()
    finally:
        ended[text].set()
    return ""


@server.tool()
async def stopped(text: str) -> str:
    """Answers when `waits` was stopped."""
    await ended[text].wait()
    return f"{text} stopped"


if __name__ == "__main__":
    server.run("streamable-http", port=int(sys.argv[1]))
