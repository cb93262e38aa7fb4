"""Pictures that a model made are checked before they are shown, where the configuration wants it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hugginggpt.core.errors import BackendError, UserError
from hugginggpt.core.results import IMAGE, files_of
from hugginggpt.core.tasks import TaskType
from hugginggpt.experts import registry
from hugginggpt.experts.safety import EXPERT, TASK, UNSAFE
from hugginggpt.media.store import MediaStore


@dataclass(frozen=True, slots=True)
class Screening:
    """Withholds pictures from a probability of not being safe for work on."""

    media: MediaStore
    limit: float

    def check(self, task: TaskType, value: Any) -> None:
        """Removes the picture in a result and raises UserError where it is too likely unsafe; BackendError where it
        cannot be checked. What code does to a picture to the letter is not checked, nor are boxes drawn over one.
        """
        if task.result is not IMAGE or task.is_exact:
            return
        for name in files_of(value):
            try:
                found = registry.expert_for(EXPERT, TASK).run(image=self.media.resolve(name))
            except BackendError as error:
                self.media.discard(name)
                raise BackendError(f"The picture could not be checked, so that it is withheld: {error}") from error
            unsafe = next(label["score"] for label in found if label["label"] == UNSAFE)
            if unsafe >= self.limit:
                self.media.discard(name)
                raise UserError(
                    f"The picture that was made is withheld: it is {100 * unsafe:.0f} % likely not safe for work "
                    f"(withhold_unsafe_from: {self.limit:g})."
                )
