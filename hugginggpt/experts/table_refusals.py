"""Why a question about a table has no answer."""

from __future__ import annotations

from collections.abc import Sequence

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts.table_columns import Column


class Ambiguous(ExpertUnavailable):
    """A question that may be about several columns."""

    def __init__(self, message: str, columns: Sequence[Column]) -> None:
        super().__init__(message)
        self.columns = tuple(columns)


class Unasked(ExpertUnavailable):
    """A question that names nothing that could be told of the table."""
