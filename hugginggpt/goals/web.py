"""The web for a goal: searching it, and reading its pages as text.

Pages are fetched from public addresses only, like all files (`net.public_http`), within limits of bytes and seconds.
What a page says is data: nothing of it is run, and nothing else is loaded because of it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urldefrag, urljoin

from hugginggpt.common.paths import install_command
from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError, UserError, brief
from hugginggpt.core.results import visible
from hugginggpt.goals.commands import LeadsElsewhere
from hugginggpt.goals.web_search import Hit, is_web_address, search, search_status
from hugginggpt.goals.workspace import paged

__all__ = ["Hit", "Link", "WebDocument", "WebPage", "browse", "fetch_document", "search", "search_status"]

PAGE_CHARS = 8000
MOST_BYTES = 3_000_000
MOST_CHARS = 1_000_000
MOST_LINKS = 200
LINK_CHARS = 100
SECONDS = 30.0
CONNECT_SECONDS = 5.0
MARKUP = ("text/html", "application/xhtml+xml")
PLAIN = ("text/", "application/json", "application/xml", "application/ld+json", "application/yaml")
AGENT = "Mozilla/5.0 (compatible; HuggingGPT)"


@dataclass(frozen=True)
class Link:
    """A link of a page, by its place among them, counted from 1."""

    number: int
    text: str
    url: str
    """http or https, without a fragment."""


@dataclass(frozen=True)
class WebDocument:
    """All of a page as text."""

    url: str
    """Where it was, after redirects."""
    title: str
    text: str
    links: tuple[Link, ...]


@dataclass(frozen=True)
class WebPage:
    """A part of a page's text, counted from 1, with all of its links."""

    url: str
    title: str
    text: str
    links: tuple[Link, ...]
    page: int
    pages: int


def browse(url: str, page: int = 1, config: Config | None = None) -> WebPage:
    """A part of the text of a page of the web; each part is fetched anew.

    The configuration's `allowed_hosts` may be on a private network. Raises UserError for an address that is refused,
    cannot be fetched or is no page, BackendError if a package is missing.
    """
    document = fetch_document(url, config)
    part = paged(document.text, page, PAGE_CHARS, document.url)
    return WebPage(document.url, document.title, part.text, document.links, part.page, part.pages)


def fetch_document(url: str, config: Config | None = None) -> WebDocument:
    """All of a page of the web as text. Raises as `browse`, LeadsElsewhere where it is on another host."""
    url = urldefrag(url.strip())[0]
    if not is_web_address(url):
        raise UserError(f"{_shown(url)} is not an address of the web: it has to begin with http:// or https://.")
    hosts = tuple(host.lower() for host in config.allowed_hosts) if config else ()
    seconds = min(SECONDS, config.limits.inference_seconds) if config else SECONDS
    return _document(*_fetch(url, hosts, seconds))


def _fetch(url: str, allowed_hosts: tuple[str, ...], seconds: float) -> tuple[str, str, bytes]:
    """The address after redirects, the type and the content. Raises UserError."""
    import requests

    from hugginggpt.net.http_limits import AnswerTooLarge, AnswerTooSlow, limited_body
    from hugginggpt.net.public_http import RedirectRefused, ended_after, get_public, public_session

    deadline = time.monotonic() + seconds
    try:
        with public_session(allowed_hosts) as session, ended_after(session, seconds):
            session.headers.update({"User-Agent": AGENT, "Accept": "text/html, text/*;q=0.9, application/json;q=0.8"})
            with get_public(session, url, (CONNECT_SECONDS, seconds), may_redirect=lambda target: False) as response:
                response.raise_for_status()
                kind = response.headers.get("Content-Type", "text/html").partition(";")[0].strip().lower()
                if kind not in MARKUP and not kind.startswith(PLAIN):
                    raise UserError(f"{_shown(url)} is no page but a file of the type {visible(kind)[:60]}.")
                return response.url, kind, limited_body(response, MOST_BYTES, deadline)
    except RedirectRefused as error:
        if not is_web_address(error.target):
            raise UserError(f"{_shown(url)} cannot be fetched: it leads to no address of the web.") from error
        raise LeadsElsewhere(f"{_shown(url)} leads to another host: {error.target}", error.target) from error
    except AnswerTooLarge as error:
        raise UserError(f"{_shown(url)} is larger than the {MOST_BYTES / 1e6:g} MB that a page may have.") from error
    except AnswerTooSlow as error:
        raise UserError(f"{_shown(url)} took longer than {seconds:g} s to answer.") from error
    except requests.HTTPError as error:
        raise UserError(f"{_shown(url)} answers {error.response.status_code}: check the address.") from error
    except (requests.RequestException, ValueError) as error:
        raise UserError(f"{_shown(url)} cannot be fetched: {_cause(error)}.") from error


def _document(url: str, kind: str, content: bytes) -> WebDocument:
    if kind not in MARKUP:
        return WebDocument(url, "", visible(content.decode("utf-8", errors="replace"))[:MOST_CHARS], ())
    try:
        import trafilatura
    except ImportError as error:
        raise BackendError(f"Pages of the web are read with trafilatura: {install_command('goals')}.") from error
    tree = trafilatura.load_html(content)
    if tree is None:
        return WebDocument(url, "", "", ())
    links, title = _links(tree, url), _title(tree)  # before the tree is pruned
    text = trafilatura.extract(tree, url=url, fast=True, favor_recall=True, include_comments=False) or ""
    text = text or trafilatura.html2txt(content)
    return WebDocument(url, title, visible(text).strip()[:MOST_CHARS], links)


def _title(tree: Any) -> str:
    return visible(" ".join(str(tree.findtext(".//title") or "").split()))[:LINK_CHARS]


def _links(tree: Any, url: str) -> tuple[Link, ...]:
    """The links of a page in their order, each address once."""
    base = tree.find(".//base[@href]")
    start = urljoin(url, base.get("href")) if base is not None and is_web_address(base.get("href")) else url
    found: dict[str, str] = {}
    for anchor in tree.iter("a"):
        try:
            target = urldefrag(urljoin(start, (anchor.get("href") or "").strip()))[0]
        except ValueError:  # an invalid address of IPv6
            continue
        if len(found) < MOST_LINKS and is_web_address(target) and target != url:
            text = visible(" ".join("".join(anchor.itertext()).split()))[:LINK_CHARS]
            found[target] = found.get(target) or text
    return tuple(Link(number, text, target) for number, (target, text) in enumerate(found.items(), 1))


def _cause(error: BaseException) -> str:
    """The message of the innermost error, which says what happened."""
    while inner := error.__cause__ or error.__context__:
        error = inner
    return brief(Exception(visible(str(error))))


def _shown(url: str) -> str:
    cut = url if len(url) <= 2 * LINK_CHARS else f"{url[: 2 * LINK_CHARS]}…"
    return cut if cut.isprintable() else ascii(cut)
