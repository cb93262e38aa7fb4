"""E-mails (.eml), by the standard library: who wrote to whom, when and about what, then the text; attachments are named."""

from __future__ import annotations

from email import policy
from email.errors import MessageError
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import parsedate_to_datetime
from pathlib import Path

from hugginggpt.media.formats import Document, Limits, Unreadable
from hugginggpt.media.formats.web import decoded, page_text

_HEADERS = ("From", "To", "Cc", "Date", "Subject")


def mail(path: Path, limits: Limits) -> Document:
    """The e-mail as one text. Its body is the plain one, else that of its HTML."""
    try:
        message = BytesParser(EmailMessage, policy=policy.default).parsebytes(path.read_bytes())
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
    if not lines and not message.keys():
        raise Unreadable("is not an e-mail: it has no sender, date or subject")
    if names:
        body += f"\n\nAttached: {', '.join(names)}"
    document = Document()
    document.add("", "", "\n".join([*lines, "", body]))
    return document


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
