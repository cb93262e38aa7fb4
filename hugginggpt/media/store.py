"""All files and URLs that come in or go out: where they may be, how large, and of what type.

Files are kept in the public folder: examples/, uploads/, and generated files in images/, audios/, videos/ and
documents/. A public path (`/images/x.png`) names one of them; nothing outside can be named, but for attached files
of this machine, which only a person at this machine can attach: they are copied to uploads/ first.
"""

from __future__ import annotations

import hashlib
import io
import re
import shutil
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from hugginggpt.common.atomic_files import PARTIAL, WRITER_ID, remove_partial
from hugginggpt.common.paths import EXAMPLES, PUBLIC
from hugginggpt.config import Config
from hugginggpt.core.conversation import Attachment, find_attachment
from hugginggpt.core.errors import BackendError, MediaError
from hugginggpt.core.results import Kind
from hugginggpt.media.boxes import check_boxes
from hugginggpt.media.coded_pictures import check_decodes, check_scans, prepare
from hugginggpt.media.content import HEAD_BYTES, content_of, file_type_of, is_archive
from hugginggpt.media.decoding import TOLERANCE_SECONDS, sound_seconds, too_long
from hugginggpt.media.documents import read_document
from hugginggpt.media.file_store import make_file_store
from hugginggpt.media.named_files import odd_file
from hugginggpt.media.names import closest, stem
from hugginggpt.media.tables import kind_in
from hugginggpt.media.types import BY_CONTENT, FileType, kind_of, readable_types, unreadable_reason

if TYPE_CHECKING:
    from PIL.Image import Image

CHECKED_FILES = 1024
"""The number of checked files that are remembered."""
UPLOADS = "uploads"
_WRITTEN = re.compile(r"(?:uploads|images|audios|videos|documents)/[\w-][\w.-]*")
"""The names of files that are written here."""
ACCEPTED: dict[Kind, tuple[Kind, ...]] = {
    "audio": ("audio", "video"),
    "table": ("table", "text"),
    "text": ("text", "table"),
    "document": ("text", "table", "image"),
}
"""The kinds of files that are opened as another: of a video the sound, of a document its table, of a table its text; a
document is any file of them as it is, pictures of pages included.
"""


class MediaStore:
    """The public folder, and the rules for files that enter it."""

    def __init__(self, config: Config) -> None:
        self.public = config.public_dir.resolve()
        self.examples = (PUBLIC / EXAMPLES).resolve()
        self.max_bytes = int(config.limits.max_file_mb * 1_000_000)
        self.max_pixels = int(config.limits.max_megapixels * 1_000_000)
        self.max_minutes = config.limits.max_minutes
        self.max_pages = config.limits.max_pages
        self.max_rows = config.limits.max_rows
        self.seconds = config.limits.inference_seconds
        self.connect_seconds = config.limits.connect_seconds
        self.allowed_hosts = tuple(host.lower() for host in config.allowed_hosts)
        self.files = make_file_store(config)
        self._sources: dict[Path, str] = {}
        self._check_content = lru_cache(CHECKED_FILES)(self._look_into)

    # In

    def open(
        self,
        ref: str,
        kind: Kind,
        files: Sequence[Attachment] = (),
        others: Sequence[str] = (),
        may_redirect: Callable[[str], bool] | None = None,
    ) -> Path:
        """The checked local file for a public path, a URL, or the name of one of the attached `files`.

        `may_redirect` as for `fetch`. Raises MediaError when it is missing, outside the public folder, too large or of another kind; for a missing
        one it proposes what is called nearly so, of the attached files and of `others`.
        """
        ref = ref.strip()
        attached = find_attachment(ref, files)
        if attached and attached.local_path:
            path = self.attach(attached.local_path)
        else:
            source = attached.source if attached else ref
            names = [*(file.name for file in files), *others]
            path = self.fetch(source, may_redirect) if _is_url(source) else self._resolve(source, names)
        self.check(path, kind)
        return path

    def _resolve(self, ref: str, names: Sequence[str]) -> Path:
        try:
            return self.resolve(ref)
        except MediaError as error:
            same = [name for name in self._examples() if name == f"/{EXAMPLES}{ref}"]
            known = [*names, *(self._examples() if ref.lstrip("/").startswith(EXAMPLES) else ())]
            near = "" if unreadable_reason(ref) else closest(ref, known) or "".join(same)
            if not near:
                raise
            raise MediaError(f"There is no file {ref[:200]}. Did you mean {near}?") from error

    def _examples(self) -> list[str]:
        """The public paths of the examples."""
        return [f"/{EXAMPLES}{file.name}" for file in self.examples.iterdir()]

    def attachment(self, item: str) -> Attachment:
        """What a person at this machine attaches: a file of it, which is copied to uploads/, a public path such as
        /examples/a.jpg, or a URL, which is fetched. Raises MediaError.
        """
        if item.startswith("/") and not Path(item).exists():
            with suppress(MediaError):
                return self.public_attachment(item)
        path = self.fetch(item) if _is_url(item) else self.attach(item)
        return Attachment(item if _is_url(item) else Path(item).name, self.public_path(path), kind_in(path))

    def public_attachment(self, source: str, name: str = "") -> Attachment:
        """What anybody may attach: a file in the public folder or a URL. Raises MediaError for anything else."""
        if _is_url(source):
            return Attachment(name or source, source, kind_of(name) or kind_of(source))
        path = self.resolve(source)
        return Attachment(name or path.name, self.public_path(path), kind_in(path))

    def resolve(self, ref: str) -> Path:
        """The file of a public path: `/examples/a.jpg`, also without the slash or with `public/` before it."""
        if "\0" in ref or "://" in ref:
            raise MediaError(f"{ref[:200]!r} is not a path or an http(s) URL.")
        relative = ref.replace("\\", "/").lstrip("/")
        for candidate in (relative, relative.removeprefix("public/").lstrip("/")):
            try:
                path = (self.public / candidate).resolve()
                if path.is_relative_to(self.public) and (path.is_file() or self._fetch_kept(path)):
                    return path
                path = (PUBLIC / candidate).resolve()
                if path.is_relative_to(self.examples) and path.is_file():
                    return path
            except OSError:  # not a valid file name
                break
        raise MediaError(unreadable_reason(ref) or f"There is no file {ref[:200]}: check the path, or attach it.")

    def _fetch_kept(self, path: Path) -> bool:
        """Brings a file into the public folder that another controller has written there."""
        name = path.relative_to(self.public).as_posix()
        return bool(_WRITTEN.fullmatch(name)) and self.files.fetch(name, path)

    def has(self, ref: str) -> bool:
        """Whether a public path names a file."""
        try:
            return self.resolve(ref).is_file()
        except MediaError:
            return False

    def attach(self, file: str | Path) -> Path:
        """Copies a file of this machine into uploads/ (once for the same content) and returns the copy."""
        try:
            source = Path(file).expanduser()
        except RuntimeError:  # ~name of an unknown user
            source = Path(file)
        try:
            whole = source.resolve()
            if whole.is_relative_to(self.public) or whole.is_relative_to(self.examples):
                return whole
            if odd := odd_file(source):
                raise MediaError(f"{source.name} is {odd}, not a file: save what it holds as a file, and give that.")
            if source.stat().st_size > self.max_bytes:
                raise MediaError(self._too_large(source.name))
            with source.open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()[:10]
                stream.seek(0)
                suffix = self._suffix(stream.read(HEAD_BYTES), source.name, source.suffix, source)
            target = self._folder(UPLOADS) / f"{_safe(source.stem)}-{digest}{suffix}"
        except OSError as error:
            raise MediaError(f"Cannot read the file {file}: {error.strerror or error}.") from error
        if not target.exists():
            self._copy(source, target)
        return target

    def receive(self, file: Path) -> Path:
        """As `attach`, of a file that a client sent: one that is not what it claims to be is not kept. Raises MediaError."""
        saved = self.attach(file)
        if kind := kind_of(saved.name):
            try:
                self.check(saved, kind)
            except MediaError:
                saved.unlink(missing_ok=True)
                self.files.remove(self.public_path(saved)[1:])
                raise
        return saved

    def fetch(self, url: str, may_redirect: Callable[[str], bool] | None = None) -> Path:
        """Downloads a picture, recording, video, table or text into uploads/.

        Only from public addresses (checked on the connection itself, also for every redirect) and the
        hosts that the configuration allows, within the limits of size and time. `may_redirect` says which addresses
        on another host a redirect may lead to; None: any.
        """
        import requests

        from hugginggpt.net.http_limits import AnswerTooLarge, AnswerTooSlow, limited_pieces
        from hugginggpt.net.public_http import ended_after, get_public, public_session

        deadline = time.monotonic() + self.seconds
        try:
            with (
                public_session(self.allowed_hosts) as session,
                ended_after(session, self.seconds),
                get_public(session, url, (self.connect_seconds, self.seconds), may_redirect) as response,
            ):
                response.raise_for_status()
                pieces = limited_pieces(response, self.max_bytes, deadline)
                name = Path(urlsplit(url).path)
                path = self._write_pieces(
                    UPLOADS, pieces, lambda head, file: self._suffix(head, url, name.suffix, file), _safe(name.stem)
                )
                self._remember(path, url)
                return path
        except AnswerTooLarge:
            raise MediaError(self._too_large(url)) from None
        except AnswerTooSlow:
            raise MediaError(f"{url} cannot be fetched: it took longer than {self.seconds:g} s.") from None
        except requests.HTTPError as error:
            raise MediaError(f"{url} answers {error.response.status_code}: check the address.") from error
        except (requests.RequestException, ValueError) as error:
            raise MediaError(f"{url} cannot be fetched: {_cause(error)}") from error

    def _remember(self, path: Path, url: str) -> None:
        self._sources[path] = url
        for oldest in list(self._sources)[:-CHECKED_FILES]:
            self._sources.pop(oldest, None)

    def source_of(self, path: Path) -> str:
        """The URL from which a file was fetched lately; "" for any other file."""
        return self._sources.get(path, "")

    def check(self, path: Path, kind: Kind) -> None:
        """Raises MediaError unless the file is of that kind, by its content, and within the limits.

        A file that passed is checked again only if it has changed: the same picture is often used repeatedly.
        """
        try:
            now = path.stat()
            self._check_content(path, kind, now.st_size, now.st_ino, now.st_ctime_ns)
        except OSError as error:
            raise MediaError(f"Cannot read the file {path.name}: {error.strerror or error}.") from error

    def _look_into(self, path: Path, kind: Kind, size: int, *_state: int) -> None:
        """As `check`, whose cache of checked files is keyed by these arguments."""
        with path.open("rb") as stream:
            head = stream.read(HEAD_BYTES)
        if size > self.max_bytes:
            raise MediaError(self._too_large(path.name))
        row, mime = file_type_of(head, path.name, path), content_of(head, path)
        found = row.kind if row else mime.partition("/")[0] or "text"
        if found not in ACCEPTED.get(kind, (kind,)):
            article = "an" if kind[0] in "ai" else "a"
            raise MediaError(f"{path.name} is not {article} {kind} file{f' but {mime}' if mime else ''}.")
        if row and row.has_boxes:
            check_boxes(path)
        if row and row.reader:
            read_document(path, row.reader, self.max_pages, self.max_rows)
        elif found == "image":
            self._check_pixels(path, row)
        elif kind == "audio":
            self._check_minutes(path)

    def _check_minutes(self, path: Path) -> None:
        most = 60 * self.max_minutes + TOLERANCE_SECONDS
        if sound_seconds(path, enough=most) > most:
            raise MediaError(too_long(path, self.max_minutes))

    def _check_pixels(self, path: Path, row: FileType | None) -> None:
        from PIL import Image

        prepare(row, path.name)
        try:
            with Image.open(path) as image:
                width, height = image.size
        except Image.DecompressionBombError as error:
            raise MediaError(
                f"{path.name} has far more than the {self.max_pixels / 1e6:g} megapixels allowed (limits.max_megapixels)."
            ) from error
        except Exception as error:  # Pillow raises many types for broken files
            raise MediaError(
                f"{path.name} cannot be read as a picture: it is damaged or of an unknown type."
            ) from error
        if width * height > self.max_pixels:
            raise MediaError(
                f"{path.name} has {width * height / 1e6:.0f} megapixels, "
                f"more than the {self.max_pixels / 1e6:g} allowed (limits.max_megapixels)."
            )
        if row and row.has_scans:
            check_scans(path)
        if row and row.decoder:
            check_decodes(path, width * height)

    # Out

    def save(self, kind: Kind, data: bytes | Iterator[bytes], format: str = "") -> str:
        """Writes a generated file, complete or in pieces as they arrive, and returns its public path. Of a document that
        is a plain text the `format` is its suffix.

        Raises BackendError if it is not a file of that kind, and whatever iterating over the pieces raises.
        """

        def suffix(head: bytes, file: Path | None = None) -> str:
            if kind == "document":
                return self._document_suffix(head, file, format)
            mime = content_of(head)
            file_type = BY_CONTENT.get(mime)
            if file_type is None or file_type.kind != kind:
                raise BackendError(f"The expert answered {mime or 'something unreadable'} in place of {kind} data.")
            return file_type.saved_suffix

        if kind == "document" and isinstance(data, bytes):
            data = iter([data])  # what an archive is, the whole file tells
        if isinstance(data, bytes):
            return self.public_path(self._write(f"{kind}s", data, suffix(data[:HEAD_BYTES])))
        return self.public_path(self._write_pieces(f"{kind}s", data, suffix))

    @staticmethod
    def _document_suffix(head: bytes, file: Path | None, format: str) -> str:
        if file is None and is_archive(head):
            return ""
        try:
            file_type = file_type_of(head, f"a.{format or 'txt'}", file)
        except MediaError as error:
            raise BackendError(f"The expert made a document that is none: {error}") from error
        if file_type is None or file_type.kind not in ACCEPTED["text"] or (b"\0" in head and not file_type.content):
            raise BackendError("The expert answered something unreadable in place of a document.")
        return file_type.saved_suffix

    def save_image(self, image: Image, *, photo: bool = False) -> str:
        """Writes a picture and returns its public path: as PNG, or a photo as JPEG, which is ten times as fast."""
        data = io.BytesIO()
        if photo:
            (image if image.mode == "RGB" else image.convert("RGB")).save(data, "JPEG", quality=90)
        else:
            image.save(data, "PNG", compress_level=3)
        return self.public_path(self._write("images", data.getvalue(), ".jpg" if photo else ".png"))

    def named(self, ref: str, name: str) -> str:
        """The public path of a copy of a generated file that bears a name, of which the type stays that of the file.

        Raises MediaError where it cannot be written.
        """
        source = self.resolve(ref)
        target = source.with_name(f"{_safe(stem(name))}-{uuid.uuid4().hex[:12]}{source.suffix}")
        self._copy(source, target)
        return self.public_path(target)

    def discard(self, ref: str) -> None:
        """Removes a file that was taken in or generated; others stay, such as the examples. Raises MediaError for one
        that there is not, BackendError where it cannot be removed.
        """
        path = self.resolve(ref)
        name = self.public_path(path)[1:]
        if path.is_relative_to(self.public) and _WRITTEN.fullmatch(name):
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise BackendError(f"{ref[:200]} cannot be removed: {error.strerror or error}.") from error
            self.files.remove(name)

    def is_public(self, path: Path) -> bool:
        """Whether a file lies below a public folder."""
        return path.is_relative_to(self.public) or path.is_relative_to(self.examples)

    def public_path(self, path: Path) -> str:
        """The path by which the web page and other tasks refer to a file below a public folder."""
        if path.is_relative_to(self.examples):
            return f"/{EXAMPLES}{path.relative_to(self.examples).as_posix()}"
        return "/" + path.relative_to(self.public).as_posix()

    def _write(self, folder: str, data: bytes, suffix: str) -> Path:
        """A new file whose name cannot collide."""
        path = self._folder(folder) / f"{uuid.uuid4().hex}{suffix}"
        try:
            with path.open("xb") as stream:
                stream.write(data)
        except OSError as error:
            path.unlink(missing_ok=True)
            raise BackendError(f"Cannot write to {self.public.name}/{folder}: {error.strerror or error}.") from error
        return self._kept(path)

    def _write_pieces(
        self, folder: str, pieces: Iterator[bytes], suffix: Callable[[bytes, Path | None], str], stem: str = ""
    ) -> Path:
        """Writes a new file from pieces, complete or not at all; `suffix` determines or rejects its type from its head,
        and once more from the whole file.
        """
        import requests

        name = f"{stem}-{uuid.uuid4().hex[:12]}" if stem else uuid.uuid4().hex
        place = self._folder(folder)
        partial = place / f"{WRITER_ID}-{name}{PARTIAL}"
        try:
            remove_partial(place)  # partial files of killed processes
            with partial.open("xb") as stream:
                head = b""
                for piece in pieces:
                    if len(head) < HEAD_BYTES <= len(head) + len(piece):
                        suffix(head + piece[: HEAD_BYTES - len(head)], None)
                    head += piece[: HEAD_BYTES - len(head)]
                    stream.write(piece)
            return self._kept(partial.rename(place / f"{name}{suffix(head, partial)}"))
        except requests.RequestException:  # an OSError as well, but the sender's
            raise
        except OSError as error:
            raise BackendError(f"Cannot write to {self.public.name}/{folder}: {error.strerror or error}.") from error
        finally:
            partial.unlink(missing_ok=True)

    def _copy(self, source: Path, target: Path) -> None:
        """Copies a file, completely or not at all."""
        partial = target.with_suffix(f".{uuid.uuid4().hex}.part")
        try:
            shutil.copyfile(source, partial)
            partial.replace(target)
            self._kept(target)
        except OSError as error:
            raise MediaError(
                f"Cannot copy {source.name} to {self.public.name}/{target.parent.name}: {error.strerror or error}."
            ) from error
        finally:
            partial.unlink(missing_ok=True)

    def _kept(self, path: Path) -> Path:
        """A file that was written, once all controllers can read it; one that cannot be kept for them is removed."""
        try:
            self.files.keep(path.relative_to(self.public).as_posix(), path)
        except BackendError:
            path.unlink(missing_ok=True)
            raise
        return path

    def _folder(self, name: str) -> Path:
        folder = self.public / name
        try:
            if not folder.is_dir():
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BackendError(f"Cannot create {self.public.name}/{name}: {error.strerror or error}.") from error
        return folder

    def _suffix(self, head: bytes, name: str, suffix: str, file: Path | None) -> str:
        """The suffix to save a file with, by its content; plain text goes by its beginning, or the suffix of its name."""
        if file is None and is_archive(head):  # what it holds tells its list of contents, at its end
            return ""
        file_type = file_type_of(head, f"a{suffix}", file, name)
        if file_type is not None and file_type.readable:
            prepare(file_type, name)
            return file_type.saved_suffix
        content = content_of(head, file, name) or ("of an unknown type" if head else "empty")
        raise MediaError(f"{name} is {content}: give {readable_types()}.")

    def _too_large(self, name: str) -> str:
        return f"{name} is larger than the {self.max_bytes / 1e6:g} MB allowed (limits.max_file_mb)."


def _is_url(ref: str) -> bool:
    return ref.lower().startswith(("http://", "https://"))


def _safe(stem: str) -> str:
    """A file name's stem without characters that are special in paths, URLs or pages."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", stem)[:40].strip("-") or "file"


def _cause(error: Exception) -> str:
    """The message of the innermost error, which says what happened."""
    seen: BaseException = error
    while inner := seen.__cause__ or seen.__context__ or next((a for a in seen.args if isinstance(a, Exception)), None):
        seen = inner
    reason = getattr(seen, "reason", None)
    return str(reason or seen).rstrip(".") + "."
