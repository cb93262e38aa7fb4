"""Whether a chart or a file of a table is asked for, or what it says: a task for the one without a word for it is put right.

What a request wants of a table is learned from examples; of these three the words for a chart and for a file tell it
more surely, in whatever language.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hugginggpt.core.tasks import TaskTable, TaskType
from hugginggpt.offline.follow_ups import Request
from hugginggpt.offline.nodes import Node

_CHART = re.compile(
    r"\b(?:chart|graph|plot|diagram|histogram|curve|pie|draw|scatter|visuali[sz]e\w*|\w*diagramm\w*|grafik|schaubild|kurve|zeichne\w*|"
    r"camembert|graphique|courbe|dessine\w*|trace\w*|gráfic[oa]|grafic[oa]|tarta|dibuja\w*|curva)s?\b|图",
    re.I,
)
_A_CHART = re.compile(
    r"\b(?:bar|pie|line|column) (?:chart|graph|plot|diagram)s?\b(?! (?:show|say|mean)s?\b)|\bhistogram of\b", re.I
)
"""What nothing but a chart can be meant by."""
_ABOUT_CHART = re.compile(
    r"\b(?:what|how|which|why|who|does|is)\b.*\b(?:in|on|of|does|is|from) (?:the|this|that|your) .*\b(?:chart|graph|plot)",
    re.I,
)
_ASKS_NUMBER = re.compile(
    r"^\W*(?:how (?:much|many|often|long)|combien|cu[aá]nt[oa]s?|wie ?viele?|wie oft|一共|总共|多少)|多少", re.I
)
_FILE = re.compile(
    r"\b(?:save|export|excel|csv|tsv|xlsx?|pdf|files?|download|store|copy|spreadsheet|table|sheet|list|speicher\w*|sicher\w*|datei|"
    r"tabelle|liste|enregistr\w*|sauvegard\w*|fichier|tableau|guarda\w*|exporta\w*|archivo|tabla|lista|p[aá]sa\w*|convert\w*|give|make)\b|"
    r"保存|导出|文件|表",
    re.I,
)
_MAKES_FILE = re.compile(
    r"\b(?:make|create|save|write|build|produce|give me|i (?:need|want)|put)\b[^.?!]{0,40}?\b(?:new|separate|extra|own|another) "
    r"(?:file|sheet|spreadsheet|csv|excel|table|list)(?: file)?\b\s*(?:with|of|from|containing|for|that has|where)?\s+(?=(?:only|just)\b)",
    re.I,
)
"""What asks for a file of some rows: "make a new file with only the gifts"."""
_BY_HOW_MUCH = re.compile(r"\W*(?:and )?by how much\W*", re.I)
"""What is asked beside a comparison, and nothing without it."""


def put_right(nodes: Sequence[Node], request: Request, table: TaskTable) -> None:
    """Changes the tasks of a request that want something else of a table than its words say."""
    asking = next((row for row in table if row.input_kind == "table" and row.default and row.text_arg), None)
    drawing = next(
        (row for row in table if row.input_kind == "table" and any(arg.name == "chart" for arg in row.args)), None
    )
    if asking is None or len(nodes) != 1:
        return
    (node,), text = nodes, request.text
    row = table[node.task]
    if row.input_kind != "table":
        return
    if row is asking and drawing and _A_CHART.search(text) and not _ABOUT_CHART.search(text):
        _become(node, row, drawing, "chart")
        return
    if row is asking and asking.text_arg and _BY_HOW_MUCH.fullmatch(str(node.args.get(asking.text_arg.name))):
        node.args[asking.text_arg.name] = text.strip()
        return
    saving = next((one for one in table if any(arg.name == "rows" for arg in one.args)), None)
    if row is asking and saving and (made := _MAKES_FILE.search(text)):
        words = text[made.end() :].strip(" .!?")
        node.args = {saving.input_arg.name: node.args.get(row.input_arg.name), "rows": words}
        node.task = saving.name
        return
    is_number = row is drawing and not _CHART.search(text) and _ASKS_NUMBER.search(text)
    is_said = any(arg.name == "rows" for arg in row.args) and node.args.get("rows") and not _FILE.search(text)
    if (is_number or is_said) and asking.text_arg:
        _become(node, row, asking, asking.text_arg.name, text)


def _become(node: Node, row: TaskType, other: TaskType, name: str, words: str = "") -> None:
    """Makes a task one of another type, with the same words or others."""
    words = words or str(node.args.get(row.text_arg.name if row.text_arg else "", ""))
    node.args = {other.input_arg.name: node.args.get(row.input_arg.name), name: words.strip()}
    node.task = other.name
