"""Patterns by which the offline planner recognises questions, and questions about a document."""

from __future__ import annotations

import re

QUESTION = re.compile(
    r"^\W*(?:and |so |please )?(?:what|which|who|whose|when|where|why|how|is|are|does|do|can you (?:see|tell))\b|\?\s*$",
    re.IGNORECASE,
)
DOCUMENT = re.compile(
    r"\b(?:invoice|receipt|document|form|page|contract|bill|letter|scan|statement|certificate|due|total)\b",
    re.IGNORECASE,
)


def picture_question(text: str) -> str:
    """The task type of a question about a picture: document or visual question answering."""
    return "document-question-answering" if DOCUMENT.search(text) else "visual-question-answering"
