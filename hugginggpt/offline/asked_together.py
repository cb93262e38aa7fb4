"""Questions to one text of which the second takes up the first: "Who won? What did he get for it?" is asked as one, so
that whoever reads the text knows whom the second means; "what page says so?" belongs to the question before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from hugginggpt.core.conversation import PastTask, Turn
from hugginggpt.core.plan import reference
from hugginggpt.core.results import best_of
from hugginggpt.experts import where_asked
from hugginggpt.offline.nodes import Node
from hugginggpt.offline.statements import ONLY_SAYS

_TAKES_UP = re.compile(r"\b(?:it|its|they|them|their|he|him|his|she|her|that|this|so)\b", re.IGNORECASE)
_COMPARES = re.compile(
    r"\b(?:more|less|fewer|higher|lower|longer|shorter|cheaper|dearer|bigger|smaller)\b[^?]*\b(?:that|it|this)\b[^?]*\bthan\b",
    re.IGNORECASE,
)
_NEEDS_ANSWER = re.compile(r"\W*+(?:please )?(?:answer|reply)\b.*\b(?:it|that|the question)\b", re.IGNORECASE)
"""What asks to answer a question that stands elsewhere."""
_INTRODUCES = re.compile(r"\W*+(?:answer )?(?:the|this|my)?(?: following)? ?question\W*", re.IGNORECASE)


def is_to_be_answered(words: str) -> bool:
    """Whether words only ask to answer what was written or asked before."""
    return bool(_NEEDS_ANSWER.match(words))


def introduces(words: str) -> bool:
    """Whether words only announce a question: "answer this question"."""
    return bool(_INTRODUCES.fullmatch(words))


def put(
    append: Callable[[str, dict[str, Any]], Node], task: str, question: str, sources: Sequence[str],
    nodes: Sequence[Node], turns: Sequence[Turn],
) -> list[Node]:  # fmt: skip
    """The tasks that put a question to each of some texts: those of the question before it, where it takes that up."""
    question = in_full(question, nodes, turns)
    if (page := _page_answered(sources, nodes, turns)) is not None:
        return [append(page.task, {**page.args, "text": question})]
    if before := _joined(task, question, sources, nodes):
        return before
    return [append(task, {"text": question, "context": source}) for source in sources]


def _page_answered(sources: Sequence[str], nodes: Sequence[Node], turns: Sequence[Turn]) -> Node | PastTask | None:
    """The question to a page or picture of which the only source is the answer: another one is put to it as well."""
    if len(sources) != 1:
        return None
    made = [node for node in nodes if reference(node.id) == sources[0]]
    told = [past for past in turns[-1].tasks if past.ok and _answer_of(past) == sources[0]] if turns else []
    pages: list[Node | PastTask] = [*made, *told]
    return next((one for one in pages if set(one.args) == {"image", "text"}), None)


def _answer_of(past: PastTask) -> str:
    return str(best_of(past.value).get("answer", ""))


def in_full(question: str, nodes: Sequence[Node], turns: Sequence[Turn]) -> str:
    """A question that asks only where the last answer stands, or by how much that is more than something else, behind
    the one that was answered.
    """
    if nodes or not turns or not (where_asked.is_only_where(question) or _COMPARES.search(question)):
        return question
    asked = where_asked.without_where(turns[-1].request).rstrip(" .")
    return f"{asked}{'' if asked.endswith('?') else '?'} {question}"


def _joined(task: str, question: str, sources: Sequence[str], nodes: Sequence[Node]) -> list[Node]:
    """The tasks that the question before was put to, with this one added to it, where it takes that up; [] elsewhere."""
    before = list(nodes[-len(sources) :]) if sources else []
    is_same = [node.task for node in before] == [task] * len(sources) and [
        node.args.get("context") for node in before
    ] == list(sources)
    if is_same and ONLY_SAYS.fullmatch(question):
        return before
    if not is_same or not (_TAKES_UP.search(question) or where_asked.is_only_where(question)):
        return []
    for node in before:
        asked = str(node.args["text"]).rstrip(" .,;")
        node.args["text"] = f"{asked}{'' if asked.endswith('?') else '?'} {question}"
    return before
