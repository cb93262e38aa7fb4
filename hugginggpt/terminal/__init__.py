"""The command line and the chat in the terminal."""
