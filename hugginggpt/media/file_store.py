"""Where files are kept besides the public folder: nowhere, or in an object store that several controllers share.

The public folder then holds copies. A file never changes under its name, which is random or has a digest of the content,
so that a copy is never out of date.
"""

from __future__ import annotations

import logging
import uuid
from pathlib import Path
from typing import Protocol

from hugginggpt.common.atomic_files import PARTIAL, WRITER_ID
from hugginggpt.common.paths import install_command
from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError, ConfigError, StoreUnavailable, brief
from hugginggpt.core.secrets import without_login

log = logging.getLogger(__name__)

CONNECT_SECONDS, READ_SECONDS, ATTEMPTS = 5, 60, 2
S3 = {"connect_timeout": CONNECT_SECONDS, "read_timeout": READ_SECONDS, "retries": {"max_attempts": ATTEMPTS}}


class FileStore(Protocol):
    """Files by their names: paths below the public folder. All methods raise BackendError."""

    def keep(self, name: str, file: Path) -> None:
        """Keeps a file that was written."""

    def fetch(self, name: str, file: Path) -> bool:
        """Brings a file that another controller has written; whether there is one."""

    def remove(self, name: str) -> None:
        """Removes a file that is not wanted after all."""


class PublicFolder:
    """What is in the public folder is all there is."""

    def keep(self, name: str, file: Path) -> None:
        """It is kept where it is."""

    def fetch(self, name: str, file: Path) -> bool:
        return False

    def remove(self, name: str) -> None:
        """There is no copy of it."""


class RemoteFiles:
    """The files below an address that fsspec knows, such as s3://BUCKET/FOLDER. Keys come from where the service's own
    programs look for them.
    """

    def __init__(self, url: str) -> None:
        """Raises ConfigError for an address that cannot be used."""
        import fsspec

        self.place = without_login(url)
        options = {"config_kwargs": S3, "use_listings_cache": False} if url.startswith("s3://") else {}
        try:
            self._files, self._root = fsspec.url_to_fs(url, **options)
        except (ImportError, ValueError, OSError) as error:
            raise ConfigError(f"file_store {self.place} cannot be used: {brief(error)}.") from error

    def keep(self, name: str, file: Path) -> None:
        try:
            self._files.put_file(str(file), f"{self._root}/{name}")
        except Exception as error:  # each service has its own
            raise self._failed("kept", error) from error

    def fetch(self, name: str, file: Path) -> bool:
        partial = file.with_name(f"{WRITER_ID}-{uuid.uuid4().hex}{PARTIAL}")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._files.get_file(f"{self._root}/{name}", str(partial))
            partial.replace(file)
        except FileNotFoundError:
            return False
        except Exception as error:
            raise self._failed("fetched", error) from error
        finally:
            partial.unlink(missing_ok=True)
        return True

    def remove(self, name: str) -> None:
        try:
            self._files.rm_file(f"{self._root}/{name}")
        except Exception as error:
            log.warning("%s", self._failed("removed", error))

    def _failed(self, done: str, error: Exception) -> BackendError:
        return StoreUnavailable(f"A file cannot be {done} in {self.place}: {brief(error)}. Try again in a moment.")


def make_file_store(config: Config) -> FileStore:
    """Raises ConfigError when what `file_store` names cannot be used."""
    if not config.file_store:
        return PublicFolder()
    url = config.variables.in_url(config.file_store)
    if not url.startswith("s3://"):
        raise ConfigError("file_store begins with s3://, the address of a bucket: s3://BUCKET/FOLDER.")
    try:
        import s3fs  # noqa: F401  fsspec finds it by itself
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        raise ConfigError(f"file_store needs the package {package}: {install_command('s3')}.") from error
    return RemoteFiles(url)
