"""What became of the models that a request names."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ModelUse:
    """A model that the request names: the ids of the `tasks` that were done with it; where it was wanted and not used,
    `why`, a clause ("it is for translation, …"), and what would let it be used, an imperative.
    """

    id: str
    tasks: tuple[int, ...] = ()
    why: str = ""
    remedy: str = ""

    @property
    def sentence(self) -> str:
        """Why it was not used; "" where it was."""
        if not self.why:
            return ""
        extent = " everywhere" if self.tasks else ""
        return f"{self.id} was not used{extent}, as {self.why}{f': {self.remedy}' if self.remedy else ''}."

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "tasks": list(self.tasks)}
