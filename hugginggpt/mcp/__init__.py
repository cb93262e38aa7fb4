"""The project as an MCP server, over stdio or HTTP: assistants of others call its requests and tasks as tools."""
