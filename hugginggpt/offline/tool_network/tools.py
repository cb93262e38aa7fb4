"""TaskBench's tools as the network knows them (arXiv 2311.18760, Hugging Face domain), under this project's names.

"Image editing" is `image-to-image` with a text in the task table. What each takes and gives follows TaskBench: it
has a table as a picture and objects as text.
"""

from __future__ import annotations

EDITING = "image-editing"
TOOLS: dict[str, tuple[tuple[str, ...], str]] = {
    "audio-classification": (("audio",), "text"),
    "audio-to-audio": (("audio",), "audio"),
    "automatic-speech-recognition": (("audio",), "text"),
    "conversational": (("text",), "text"),
    "depth-estimation": (("image",), "image"),
    "document-question-answering": (("image", "text"), "text"),
    "image-classification": (("image",), "text"),
    EDITING: (("image", "text"), "image"),
    "image-segmentation": (("image",), "image"),
    "image-to-image": (("image",), "image"),
    "image-to-text": (("image",), "text"),
    "object-detection": (("image",), "text"),
    "question-answering": (("text",), "text"),
    "sentence-similarity": (("text",), ""),
    "summarization": (("text",), "text"),
    "tabular-classification": (("image",), "text"),
    "text-generation": (("text",), "text"),
    "text-to-image": (("text",), "image"),
    "text-to-speech": (("text",), "audio"),
    "text-to-video": (("text",), "video"),
    "token-classification": (("text",), "text"),
    "translation": (("text",), "text"),
    "visual-question-answering": (("image", "text"), "text"),
}
"""What each tool takes and gives."""
NAMES = tuple(TOOLS)
OTHER_NAMES = {"text-classification": "token-classification", "text2text-generation": "text-generation"}
"""Task types that TaskBench has under another tool's name."""
TOOL_TASKS = frozenset(TOOLS) - {EDITING} | OTHER_NAMES.keys()
"""The task types with which plans of these tools are made: also those under another's name."""
ABOUT = {
    EDITING: "change a picture as a text says: colours, background, objects",
    "image-to-image": "transform a picture to another style, enhance or match a target image",
    "tabular-classification": "classify a table shown in an image",
    "audio-classification": "classify a recording: emotion, command, speaker, sound",
}
"""What the task table says in other words."""


def tool_of(name: str) -> str | None:
    """The tool for a name as the labelled data writes it ("Image-to-Text"); None where there is none."""
    key = "-".join(name.strip().lower().replace("_", " ").replace("-", " ").split())
    return key if key in TOOLS else None
