"""Tools of MCP servers as experts: the connection, its two transports, what is checked of a tool, and its results.

The package mcp is imported only where a server of the configuration is connected.
"""
