"""HTML and EPUB, by the standard library's parser: the text as a reader sees it; nothing that they refer to is fetched."""

from __future__ import annotations

import codecs
import posixpath
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from hugginggpt.media.formats import Document, Limits, Unreadable, too_many
from hugginggpt.media.formats.archives import archive, tree

_BLOCKS = frozenset(
    "address article aside blockquote br caption center dd details dialog div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header hr legend li main nav ol option p pre section summary table tbody tfoot thead tr ul".split()
)
_SKIPPED = frozenset("script style template noscript head nav aside svg math iframe object select button".split())
"""Elements that hold nothing to read: code, and what leads to other pages."""
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_CHARSET = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w-]+)|encoding\s*=\s*["']([\w-]+)""", re.IGNORECASE)
_HEAD = 4096
_UNSHOWN = re.compile(r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_LONG_TAG = re.compile(r"<[a-z][^<>]{100000,}>?", re.IGNORECASE)
"""A picture within the page, or millions of attributes, which take fifty times their length."""
MAX_REFERENCES = 1_500_000
MAX_TAGS = 400_000
"""The most tags of a page: the parser takes a second for so many, and longer than is right for some that never end."""


class Page(HTMLParser):
    """The lines of a page, its title, first heading and tables."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = [""]
        self.tables: list[list[list[str]]] = []
        self.title = self.heading = ""
        self._skipping: list[str] = []
        self._rows: list[list[list[str]]] = []
        self._named = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "title" and "svg" not in self._skipping:
            self._named = "title"
        if self._skipping or tag in _SKIPPED:
            if tag not in _VOID:
                self._skipping.append(tag)
            return
        if tag in ("h1", "h2") and not self.heading:
            self._named = "heading"
        if tag == "table":
            self._rows.append([])
        elif tag == "tr" and self._rows:
            self._rows[-1].append([])
        elif tag in ("td", "th"):
            if self._rows and self._rows[-1]:
                self._rows[-1][-1].append("")
            self._break_cell()
        if tag in _BLOCKS:
            self._break(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("title", "h1", "h2"):
            self._named = ""
        if self._skipping:
            if tag in self._skipping:
                del self._skipping[len(self._skipping) - 1 - self._skipping[::-1].index(tag) :]
            return
        if tag == "table" and self._rows:
            self.tables.append([[" ".join(cell.split()) for cell in row] for row in self._rows.pop()])
        if tag in _BLOCKS:
            self._break("")

    def handle_data(self, data: str) -> None:
        if self._named == "title" and not self.title:
            self.title = " ".join(data.split())
        if self._skipping:
            return
        if self._named == "heading":
            self.heading = f"{self.heading} {data}".strip()
        if self._rows and self._rows[-1] and self._rows[-1][-1]:
            self._rows[-1][-1][-1] += data
        self.lines[-1] += data

    def text(self) -> str:
        lines = (re.sub(r"\s+", " ", line).strip(" |") for line in self.lines)
        return "\n".join(line for line in lines if line.strip("- "))

    def _break(self, tag: str) -> None:
        """Begins a new line, within a table one for each row alone."""
        in_cell = bool(self._rows and self._rows[-1] and self._rows[-1][-1])
        if in_cell and tag != "tr":
            self.lines[-1] += " "
        elif self.lines[-1].strip(" -"):
            self.lines.append("")
        if tag == "li" and not in_cell:
            self.lines[-1] = "- "

    def _break_cell(self) -> None:
        if self.lines[-1]:
            self.lines[-1] += " | "


def html(path: Path, limits: Limits) -> Document:
    page = _parsed(path.read_bytes())
    document = Document()
    text = page.text()
    is_said = not page.title or page.title.casefold() in text[: 3 * len(page.title) + 200].casefold()
    document.add("", "", text if is_said else f"{page.title}\n{text}")
    for number, rows in enumerate(page.tables, 1):
        if len(rows) > limits.rows:
            raise too_many(len(rows), "rows in a table", limits.rows, "limits.max_rows")
        document.add_table("table", number, rows)
    return document


def epub(path: Path, limits: Limits) -> Document:
    """The chapters in the order of the book, each by its heading."""
    document = Document()
    with archive(path, limits) as opened:
        container = tree(opened, "META-INF/container.xml")
        found = (
            (each.get("full-path") for each in container.iter() if each.tag.endswith("}rootfile"))
            if container is not None
            else ()
        )
        package_name = next(iter(found), None) or ""
        package = tree(opened, package_name)
        if package is None:
            raise Unreadable("is not an e-book: its list of chapters is missing")
        files = {each.get("id"): each.get("href", "") for each in package.iter() if each.tag.endswith("}item")}
        spine = [files.get(each.get("idref"), "") for each in package.iter() if each.tag.endswith("}itemref")]
        names = [
            posixpath.normpath(posixpath.join(posixpath.dirname(package_name), unquote(one))) for one in spine if one
        ]
        if len(names) > limits.pages:
            raise too_many(len(names), "chapters", limits.pages, "limits.max_pages")
        locked = tree(opened, "META-INF/encryption.xml")
        uris = [unquote(each.get("URI", "")) for each in locked.iter()] if locked is not None else []
        if set(names) & set(uris):
            raise Unreadable("is protected against copying (DRM)")
        if title_page := _title_page(package):
            document.add("", "", title_page)
        for name in names:
            try:
                page = _parsed(opened.read(name))
            except KeyError:
                continue
            if text := page.text():
                title = " ".join((page.heading or page.title).split())
                document.add("chapter" if title else "", title, text)
    return document


def _title_page(package: Any) -> str:
    """Title and author of a book, by its own data."""
    labels = {"title": "Title", "creator": "Author"}
    told: dict[str, list[str]] = {label: [] for label in labels.values()}
    for each in package.iter():
        label = labels.get(str(each.tag).rpartition("}")[2])
        if label and (text := " ".join((each.text or "").split())):
            told[label].append(text)
    return "\n".join(f"{label}: {', '.join(dict.fromkeys(texts))}" for label, texts in told.items() if texts)


def page_text(content: bytes) -> str:
    """What a reader sees of a page. Raises Unreadable."""
    return _parsed(content).text()


def _parsed(content: bytes) -> Page:
    text = _LONG_TAG.sub(" ", _UNSHOWN.sub(" ", decoded(content)))
    if text.count("<") > MAX_TAGS:
        raise Unreadable(f"has more than {MAX_TAGS:,} tags: give a part of it")
    if text.count("&") > MAX_REFERENCES:
        raise Unreadable(f"has more than {MAX_REFERENCES:,} characters written as &...;: give a part of it")
    page = Page()
    page.feed(text)
    page.close()
    return page


def decoded(content: bytes) -> str:
    """By its mark, else as it says itself, else UTF-8, else Windows-1252."""
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if content.startswith(mark):
            return content.decode(encoding, "replace")
    match = _CHARSET.search(content[:_HEAD])
    named = (match[1] or match[2]).decode("ascii") if match else ""
    for encoding in filter(None, (named, "utf-8")):
        try:
            return content.decode(encoding)
        except (UnicodeError, LookupError):  # "undefined" is an encoding that decodes nothing
            continue
    return content.decode("cp1252", "replace")
