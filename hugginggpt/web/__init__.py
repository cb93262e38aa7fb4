"""The controller over HTTP: JARVIS's routes, runs as event streams, uploads, conversations, the page."""
