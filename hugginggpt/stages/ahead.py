"""A task's first-ranked model at work while the language model still chooses: kept if it is chosen, else dropped."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from hugginggpt.common.threads import fulfil, spawn
from hugginggpt.endpoints.base import Inference
from hugginggpt.endpoints.calls import Call, Told, calling
from hugginggpt.stages.selector import Guess


class Ahead:
    """The work begun on a guess. It tells nobody how far it is, and its result is taken by nobody, until it is kept.

    `opened` are the arguments with their files, or why these cannot be opened. The work also ends with one of `ends`.
    """

    def __init__(
        self,
        guess: Guess,
        open_files: Callable[[], dict[str, Any]],
        infer: Callable[[dict[str, Any]], Inference],
        ends: tuple[Future[None], ...],
        request: str,
    ) -> None:
        self.candidate, self.choice = guess.candidate, guess.choice
        self._dropped: Future[None] = Future()
        self._call = Call((*ends, self._dropped), request=request)
        self._begun = time.monotonic()
        self._ended: float | None = None
        self.opened: Future[dict[str, Any]] = Future()
        self.inference = spawn(self._run, open_files, infer, name="ahead")

    @property
    def worked(self) -> float:
        """For how many seconds it has been at work, or was."""
        return (self._ended or time.monotonic()) - self._begun

    def keep(self, told: Told) -> Future[Inference]:
        """The result, or its error; `told` hears from now on how far it is."""
        self._call.told = told
        return self.inference

    def drop(self) -> None:
        """Ends the work: its endpoint learns that nobody waits any more."""
        self._dropped.set_result(None)

    def _run(self, open_files: Callable[[], dict[str, Any]], infer: Callable[[dict[str, Any]], Inference]) -> Inference:
        try:
            fulfil(self.opened, open_files)  # for whichever model is chosen
            with calling(self._call):
                return infer(self.opened.result())
        finally:
            self._ended = time.monotonic()
