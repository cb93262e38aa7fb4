"""E-mails (.eml), by the standard library: who wrote to whom, when and about what, then the text; attachments are named."""

from __future__ import annotations

import re
from email import policy
from email.errors import MessageError
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import parsedate_to_datetime
from itertools import pairwise
from pathlib import Path

from hugginggpt.media.formats import Document, Limits, Unreadable
from hugginggpt.media.formats.web import decoded, page_text

_HEADERS = ("From", "To", "Cc", "Date", "Subject")
MAX_HEADER_BYTES = 65_536
"""Of one header: what reads addresses takes the square of their length."""
MAX_HEADERS_BYTES = 1_000_000
"""Of all headers, those of the parts with them."""
MAX_PARTS = 5_000
_PART = re.compile(rb"^--[^\s-]", re.MULTILINE)
"""The line before a part, or a line of a text that is counted with them."""
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_HEADER = re.compile(rb"^[!-9;-~]+:[^\n]*+(?:\n[ \t][^\n]*+)*+", re.MULTILINE)
_ENCRYPTED = ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime")


def mail(path: Path, limits: Limits) -> Document:
    """The e-mail as one text. Its body is the plain one, else that of its HTML."""
    content = path.read_bytes()
    _check_headers(content)
    try:
        message = BytesParser(EmailMessage, policy=policy.default).parsebytes(content)
        is_encrypted = _is_encrypted(message)
        lines = [f"{name}: {value}" for name in _HEADERS if (value := _header(message, name))]
        body = _body(message).strip()
        names = [name for part in message.iter_attachments() if (name := part.get_filename())]
    except (
        MessageError,
        ValueError,
        LookupError,
        AttributeError,
        RecursionError,
    ) as error:  # of broken ones all of these
        raise Unreadable("is not an e-mail that can be read") from error
    if not lines:
        raise Unreadable("is not an e-mail: it has no sender, date or subject")
    if is_encrypted or body.startswith("-----BEGIN PGP MESSAGE-----"):
        raise Unreadable("is encrypted: open it in your mail program and save its text")
    if names:
        body += f"\n\nAttached: {', '.join(names)}"
    document = Document()
    document.add("", "", "\n".join([*lines, "", body]))
    return document


def _check_headers(content: bytes) -> None:
    """Raises Unreadable, before anything is parsed, for an e-mail whose headers or parts would take long."""
    parts = [0, *(match.start() for match in _PART.finditer(content)), len(content)]
    if len(parts) > MAX_PARTS:
        raise Unreadable(f"has more than {MAX_PARTS:,} parts")
    heads = [
        (start, blank.start() if (blank := _BLANK_LINE.search(content, start, end)) else end)
        for start, end in pairwise(parts)
    ]
    if sum(end - start for start, end in heads) > MAX_HEADERS_BYTES:
        raise Unreadable(f"has more than {MAX_HEADERS_BYTES:,} bytes of headers")
    headers = (header[0] for start, end in heads for header in _HEADER.finditer(content, start, end))
    if any(len(header) > MAX_HEADER_BYTES for header in headers):
        raise Unreadable(f"has a header of more than {MAX_HEADER_BYTES:,} bytes")


def _is_encrypted(message: EmailMessage) -> bool:
    """Whether the text of an e-mail is encrypted; what is only signed is not."""
    kind = message.get_param("smime-type", "")
    return message.get_content_type() in _ENCRYPTED and kind != "signed-data"


def _header(message: EmailMessage, name: str) -> str:
    """A header on one line; of a date the day by its name, as a person would write it."""
    value = " ".join(str(message.get(name, "")).split())
    if name == "Date" and value:
        try:
            return f"{parsedate_to_datetime(value):%A %d %B %Y, %H:%M}"
        except ValueError:
            return value
    return value


def _body(message: EmailMessage) -> str:
    part = message.get_body(("plain", "html"))
    if part is None:
        return ""
    content = part.get_payload(decode=True)
    raw = content if isinstance(content, bytes) else b""
    if part.get_content_subtype() == "html":
        return page_text(raw)
    charset = part.get_content_charset()
    try:
        return raw.decode(charset) if charset else decoded(raw)
    except (LookupError, UnicodeError):
        return decoded(raw)
