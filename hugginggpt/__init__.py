"""HuggingGPT: a language model plans a request as a graph of tasks, expert models carry them out.

    import hugginggpt

    answer = hugginggpt.ask("How many giraffes are in this picture?", files=["zoo.jpg"])
    print(answer)

The names in `__all__` are the stable interface; each is loaded when it is first used. `hugginggpt.interface`
documents them.
"""

from __future__ import annotations

import importlib

from hugginggpt.common.version import __version__

TYPE_CHECKING = False  # typing's own would be most of the time that this import takes
if TYPE_CHECKING:
    from typing import Any

    from hugginggpt.core.errors import BackendError, ConfigError, HuggingGPTError, MediaError, UserError
    from hugginggpt.core.usage import Usage
    from hugginggpt.interface import Answer, Chat, Events, HuggingGPT, Plan, Result, ask
    from hugginggpt.notebook import File

__all__ = [
    "Answer", "BackendError", "Chat", "ConfigError", "Events", "File", "HuggingGPT", "HuggingGPTError", "MediaError",
    "Plan", "Result", "Usage", "UserError", "__version__", "ask",
]  # fmt: skip

_MODULES = {
    "core.errors": ("BackendError", "ConfigError", "HuggingGPTError", "MediaError", "UserError"),
    "core.usage": ("Usage",),
    "interface": ("Answer", "Chat", "Events", "HuggingGPT", "Plan", "Result", "ask"),
    "notebook": ("File",),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
