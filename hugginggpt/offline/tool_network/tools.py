"""TaskBench's tools as the network knows them (arXiv 2311.18760, Hugging Face domain), under this project's names.

"Image editing" is `image-to-image` with a text in the task table. Input and output types follow TaskBench, where a
table is an image and detected objects are text.
"""

from __future__ import annotations

EDITING, EDITING_TASK = "image-editing", "image-to-image"
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
"""The input types and the output type of each tool."""
NAMES = tuple(TOOLS)
OTHER_NAMES = {"text-classification": "token-classification", "text2text-generation": "text-generation"}
"""Task types that TaskBench counts as another tool."""
TOOL_TASKS = frozenset(TOOLS) - {EDITING} | OTHER_NAMES.keys()
"""The task types that plans with these tools may use, including those counted as another tool."""
DESCRIPTIONS = {
    EDITING: "change a picture as a text says: colours, background, objects",
    "image-to-image": "transform a picture to another style, enhance or match a target image",
    "tabular-classification": "classify a table shown in an image",
    "audio-classification": "classify a recording: emotion, command, speaker, sound",
}
"""Descriptions for the network where they differ from those of the task table."""


def tool_of(name: str) -> str | None:
    """The tool for a name from the labelled data ("Image-to-Text"); None for an unknown one."""
    key = "-".join(name.strip().lower().replace("_", " ").replace("-", " ").split())
    return key if key in TOOLS else None
