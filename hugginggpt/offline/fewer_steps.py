"""Operations that a request seems to ask for twice, in two clauses, done once: "take the sound and give it to me as mp3"
is one conversion, and of "cut out the part from 0:05 and make a GIF of it" only the GIF is wanted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hugginggpt.core.plan import references
from hugginggpt.core.tasks import TaskTable
from hugginggpt.offline.nodes import Node

PART = "part"
_REMOVES = re.compile(r"^\W*(?:please )?(?:cut|trim|remove|delete|drop|without|all but|everything)\b", re.IGNORECASE)
"""How the words for a part begin that is left out: more than one part may be kept."""


def without_repeated(nodes: Sequence[Node], table: TaskTable) -> list[Node]:
    """The tasks without those whose only work the next one does anew: the same operation with less said of it, or a
    part of a file that is told once more.
    """
    kept = list(nodes)
    for node in nodes:
        row = table[node.task]
        made = references({row.input_arg.name: node.args.get(row.input_arg.name, "")})
        before = next((one for one in kept if list(made) == [one.id]), None)
        if before is None or _is_needed(before, node, kept):
            continue
        if _is_cut_out_twice(before, node, table):  # "cut the bird out, without the background"
            node.args = {**node.args, row.input_arg.name: before.args[table[before.task].input_arg.name]}
            node.dep = [number for number in node.dep if number != before.id]
            kept.remove(before)
            continue
        if not (row.is_exact and table[before.task].is_exact):
            continue
        source = before.args.get(table[before.task].input_arg.name)
        others = {name: value for name, value in before.args.items() if name != table[before.task].input_arg.name}
        is_same = before.task == node.task and not others
        part = str(others.get(PART, ""))
        is_part = bool(row.arg(PART) and part) and not _REMOVES.match(part) and node.args.get(PART, part) == part
        if not isinstance(source, str) or not (is_same or is_part):
            continue
        node.args = {**node.args, row.input_arg.name: source}
        if is_part:
            node.args[PART] = part
        node.dep = [number for number in node.dep if number != before.id]
        kept.remove(before)
    return kept


def _is_cut_out_twice(before: Node, node: Node, table: TaskTable) -> bool:
    """Whether a thing is cut out by its outline of the part of a picture that was cut out around it."""
    row, first = table[node.task], table[before.task]
    is_of_thing = (
        first.is_exact
        and first.input_kind == "image"
        and re.match(
            r"\W*(?:the|a|an|my|his|her) (?!left|right|top|bottom|upper|lower|middle|cent)",
            str(before.args.get(PART, "")),
        )
    )
    return row.result.draws == "masks" and bool(is_of_thing)


def _is_needed(before: Node, node: Node, nodes: Sequence[Node]) -> bool:
    """Whether another task takes what one made, or it is to be kept under a name."""
    others = [one for one in nodes if one is not node and one is not before]
    return bool(before.save_as) or any(before.id in (*one.dep, *references(one.args)) for one in others)
