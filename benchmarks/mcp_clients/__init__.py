"""The MCP server tried with programs of others: `python -m benchmarks.mcp_clients FOLDER [--install]`."""
