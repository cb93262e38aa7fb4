"""HuggingGPT: a language model plans a request as a graph of tasks, expert models carry them out."""

__version__ = "1.0.0"
