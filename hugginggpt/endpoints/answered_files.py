"""Files in the answers of other people's services: bytes, base64, data URLs, and URLs that have to be fetched."""

from __future__ import annotations

import base64
import binascii
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import requests

from hugginggpt.core.errors import BackendError
from hugginggpt.core.results import FILE_KINDS, Kind
from hugginggpt.core.tasks import TaskType
from hugginggpt.endpoints.calls import current_call
from hugginggpt.media.store import MediaStore
from hugginggpt.net.http_limits import AnswerTooLarge, AnswerTooSlow, limited_pieces
from hugginggpt.net.public_http import (
    AddressRefused,
    RedirectRefused,
    as_sent,
    ended_after,
    get_public,
    public_session,
    service_session,
)


def with_files(task: TaskType, raw: Any, media: MediaStore, origin: str = "") -> Any:
    """An expert's answer with its files saved, as `settle` takes it: `raw` itself, or its "generated image" and so on.

    `origin` is the service's own URL: what it has there is fetched, wherever that is; any other URL must be public.
    Raises BackendError for what is no such file, too large, or cannot be fetched.
    """
    if task.result.draws == "masks":
        raw = _with_masks(raw, media)
    makes = task.result.makes
    if makes and isinstance(raw, str | bytes):
        return {f"generated {makes[0]}": save_file(makes[0], raw, media, origin)}
    if isinstance(raw, Mapping):
        files = {key: kind for kind in FILE_KINDS if isinstance(raw.get(key := f"generated {kind}"), str | bytes)}
        return {**raw, **{key: save_file(kind, raw[key], media, origin) for key, kind in files.items()}}
    return raw


def _with_masks(raw: Any, media: MediaStore) -> Any:
    """Rows whose masks are pictures: a mask in base64 is white where its label is."""
    import io

    from PIL import Image

    for row in raw if isinstance(raw, list) else []:
        if isinstance(row, dict) and isinstance(row.get("mask"), str):
            data = _decoded("image", row["mask"].rpartition(",")[2], media)
            try:
                mask = Image.open(io.BytesIO(data))
                if mask.width * mask.height > media.max_pixels:
                    raise BackendError("The expert made a mask of more megapixels than limits.max_megapixels.")
                row["mask"] = mask.convert("L")
            except BackendError:
                raise
            except Exception:  # Pillow raises many types for broken files, and for those that would fill the memory
                raise BackendError("The expert answered something unreadable in place of a mask.") from None
    return raw


def save_file(kind: Kind, value: str | bytes, media: MediaStore, origin: str = "") -> str:
    """The public path of a new file from bytes, base64, a data URL or an http(s) URL; its type is told by its content.

    As `with_files`.
    """
    if isinstance(value, bytes):
        if len(value) > media.max_bytes:
            raise _too_large(kind, media)
        return media.save(kind, value)
    if value[:8].lower().startswith(("http://", "https://")):
        return _fetch(kind, value, media, origin)
    head, comma, data = value.partition(",")
    if value[:5].lower() != "data:":
        return media.save(kind, _decoded(kind, value, media))
    if not comma or not head.lower().endswith(";base64"):
        raise BackendError(f"The expert answered a data URL without base64 in place of {_name(kind)}.")
    return media.save(kind, _decoded(kind, data, media))


def _decoded(kind: Kind, data: str, media: MediaStore) -> bytes:
    """Strict base64; its size is known before it is decoded."""
    if len(data) * 3 // 4 > media.max_bytes + 2:
        raise _too_large(kind, media)
    try:
        return base64.b64decode("".join(data.split()), validate=True)
    except (binascii.Error, ValueError):
        raise BackendError(f"The expert answered neither base64 nor a URL in place of {_name(kind)}.") from None


def _fetch(kind: Kind, url: str, media: MediaStore, origin: str) -> str:
    """Saves what a URL has. No key is sent there, and no sentence shows its path, which may be signed."""
    call = current_call()
    own = is_same_origin(url, origin)
    where = f"{_name(kind).capitalize()} at {_host(url)}"
    deadline = time.monotonic() + media.seconds
    session = service_session() if own else public_session(media.allowed_hosts)
    timeout = (media.connect_seconds, media.seconds)
    try:
        with (
            session,
            ended_after(session, media.seconds, call.when_over),
            get_public(session, url, timeout, (lambda _: False) if own else None) as response,
        ):
            if response.status_code != requests.codes.ok:
                raise BackendError(f"{where} cannot be fetched: it answers {response.status_code}.")
            return media.save(kind, limited_pieces(response, media.max_bytes, deadline))
    except AnswerTooLarge:
        raise _too_large(kind, media) from None
    except (AnswerTooSlow, requests.ReadTimeout):
        if call.is_over:
            raise BackendError(f"{where} is not fetched: nobody waits for it any more.") from None
        raise BackendError(f"{where} took longer than {media.seconds:g} s to download.") from None
    except (requests.RequestException, ValueError) as error:
        raise BackendError(f"{where} cannot be fetched: {_why(error)}.") from None


def _host(url: str) -> str:
    try:
        return urlsplit(as_sent(url)).hostname or "no host"
    except ValueError:
        return "an odd address"


def _why(error: BaseException) -> str:
    """What happened, without the URL, which the messages of libraries name."""
    inner: BaseException | None = error
    while inner and not isinstance(inner, AddressRefused | RedirectRefused):
        inner = inner.__cause__ or inner.__context__
    if isinstance(inner, RedirectRefused):
        return f"it leads to another host, {_host(inner.target)}"
    return str(inner or type(error).__name__)


def is_same_origin(url: str, other: str) -> bool:
    """Whether two URLs have scheme, host and port in common; False where one is no URL."""
    try:
        return bool(other) and _origin(url) == _origin(other)
    except ValueError:  # an odd port or bracket
        return False


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(as_sent(url))
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def _name(kind: Kind) -> str:
    return {"image": "a picture", "audio": "a recording", "video": "a video"}.get(kind, f"a {kind}")


def _too_large(kind: Kind, media: MediaStore) -> BackendError:
    return BackendError(
        f"The expert made {_name(kind)} of more than {media.max_bytes / 1e6:g} MB (limits.max_file_mb)."
    )
