"""What a clause asks to be made of a document or table that no task makes: a file in another format, a changed table,
a chart.

The classes of clauses know nothing of it, so that each such clause would be taken for a task that nobody asked for.
"""

from __future__ import annotations

import re
from dataclasses import replace

from hugginggpt.core.results import Kind
from hugginggpt.media.references import Resource
from hugginggpt.offline.clauses import Clause

FILE, CHART = "file", "chart"
_SHEET = r"(?:xlsx?|excel|csv|tsv|ods|spreadsheet|google sheets?)"
_FORMAT = (
    rf"(?:pdfs?|docx?|odt|rtf|epub|pptx?|powerpoint|json|html?|xml|markdown|md|latex|{_SHEET}|txt|"
    r"(?:plain )?text ?(?:file|document)|word(?= (?:file|document)|\W*$))"
)
_ASKING = (
    r"\W*(?:(?:please|pls|plz|and|then|now|also|just|ok|can|could|would|will|you|u|i|we|d|like|want|need|to|it|me)\W+)*"
)
_MAKING = (
    r"(?:save|store|export|convert|turn|transform|change|make|create|write|output|download|give|send|produce|generate|put|"
    r"split|extract|return|get|have|need|want|print|keep|build)"
)
_AS_FILE = re.compile(
    rf"{_ASKING}{_MAKING}\b[^;?]*?\b(?:(?:as|into|to)\b(?: \w+){{0,3}}?|in(?: an?)?|(?:an?|one)(?: \w+)?) \.?{_FORMAT}\b|"
    rf"\W*(?:as|to|into) (?:an? |one )?(?:new )?\.?{_FORMAT}(?: (?:file|document|sheet))?(?: please)?\W*$",
    re.IGNORECASE,
)
_NAMED = re.compile(
    rf"{_ASKING}(?:save|store|export|convert|turn|write|output)\b[^;?]*\b(?:as|into|to|under) (?:an? |the )?(?:table\.csv|notes\.txt)",
    re.IGNORECASE,
)
"""The file to be made is named: a placeholder stands for it."""
_PART = r"(?:columns?|rows?|lines?|cells?|sheets?|pages?|slides?|paragraphs?|sections?|tables?|headers?|headings?)"
_DOCUMENT = r"(?:pdfs?|documents?|spreadsheets?|workbooks?|presentations?|files?|tables?)"
_CHANGED = re.compile(
    rf"{_ASKING}(?:(?:delete|remove|drop|erase|insert|rename|reorder|duplicate|swap)\b(?: \w+){{0,3}}? {_PART}\b(?! names? in\b)|"
    rf"add (?:an?|another|the|new)(?: \w+)? (?:column|row|sheet|page|slide)\b|"
    rf"(?:split|divide|break up)\b(?: \w+)?(?: \w+)? {_DOCUMENT}\b|(?:merge|combine|join)\b(?: \w+){{0,3}}? (?:pdfs?|documents|spreadsheets?|workbooks?|files|tables)\b|"
    rf"(?:give|send|get|return|download)\b(?: \w+)? (?:the|a|that|this)(?: (?:new|changed|edited|resulting|finished))? (?:file|{_SHEET}|pdf|document)(?: back)?\W*$)",
    re.IGNORECASE,
)
_OF_PICTURES = re.compile(
    rf"{_ASKING}{_MAKING}\b[^;?]*?\b(?:(?:as|into|to)(?: \w+){{0,3}}?|(?:an?|one)(?: \w+)?) pdf\b", re.IGNORECASE
)
_CHART = re.compile(
    r"\W*(?:(?:please|can|could|you|i|want|need|make|create|draw|plot|show|give|me|generate|produce|build)\W+)*"
    r"(?:(?:an?|the|as)\W+)?(?:(?:bar|pie|line|column|nice|simple|scatter)\W?)*(?:charts?|graphs?|plots?|diagrams?|histograms?)\b"
    r"(?:\W+(?:of|for|showing|with)\b\W*(?:the )?)?",
    re.IGNORECASE,
)
_AS_CHART = re.compile(
    r"\W+(?:as|in|on) (?:an? )?(?:(?:bar|pie|line|column) ?)?(?:chart|graph|plot|diagram)\W*$", re.IGNORECASE
)
_NAMES = re.compile(r"\b(?:photo\.jpg|sound\.wav|clip\.mp4|table\.csv|notes\.txt)\b")
_KINDS: tuple[Kind | None, ...] = ("text", "table")


def asks_for_file(clause: Clause, topic: Kind | None) -> bool:
    """Whether all that a clause asks for is a document or table as a file, or one that is changed."""
    if topic == "image":
        return bool(_OF_PICTURES.match(_NAMES.sub("it", clause.text)))
    if topic not in _KINDS or not _has_file(clause.resources, topic):
        return False
    words = _NAMES.sub("it", clause.text)
    return bool(_AS_FILE.match(words) or _CHANGED.match(words) or _NAMED.match(clause.text))


def _has_file(resources: tuple[Resource, ...], topic: Kind | None) -> bool:
    """Whether the clause is about a file, named or not, rather than about a text in quotes."""
    return not resources or any(one.is_file for one in resources)


def without_chart(clause: Clause, topic: Kind | None) -> Clause | None:
    """What a clause about a table asks for beside a chart of it, which may be nothing; None where it asks for none."""
    if topic != "table" or clause.resources:
        return None
    if len(clause.text) != clause.end - clause.start:  # its places in the request are not known
        return replace(clause, text="") if _CHART.match(clause.text) or _AS_CHART.search(clause.text) else None
    if behind := _AS_CHART.search(clause.text):
        return replace(clause, text=clause.text[: behind.start()], end=clause.start + behind.start())
    if before := _CHART.match(clause.text):
        return replace(clause, text=clause.text[before.end() :], start=clause.start + before.end())
    return None
