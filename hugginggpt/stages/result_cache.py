"""A cache of inference results: the same model on the same inputs is not run again.

An entry is named by the digest of endpoint, model, task and arguments (files by their content); the generated files
that it names stay in the public folder, and it is invalid when they are gone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hugginggpt.common.content_cache import ContentCache, content_key
from hugginggpt.core.errors import MediaError
from hugginggpt.core.results import INVALID_RESULT_ERRORS, ResultSchema, files_of
from hugginggpt.media.store import MediaStore


class ResultCache:
    """The results in a folder of values. With `everything` those of all models, else those of deterministic experts."""

    def __init__(self, values: ContentCache, media: MediaStore, everything: bool = True) -> None:
        self.values = values
        self.media = media
        self.everything = everything

    def key(self, endpoint: str, model: str, task: str, args: Mapping[str, Any], version: str = "") -> str:
        """The digest of an inference. Arguments are texts, lists of texts, or local files."""
        return content_key([endpoint, model, task, version], args)

    def get(self, key: str, schema: ResultSchema) -> Any | None:
        """The result; None if there is none, if it does not fit the schema, or if a file of it is gone."""
        value = self.values.get(key)
        if value is None:
            return None
        try:
            if schema.validate(value) == value and all(self.media.resolve(path) for path in files_of(value)):
                return value
        except (*INVALID_RESULT_ERRORS, MediaError):
            pass
        self.values.forget(key)
        return None

    def put(self, key: str, value: Any) -> None:
        """Stores a result; a folder that cannot be written to is not an error."""
        self.values.put(key, value)
