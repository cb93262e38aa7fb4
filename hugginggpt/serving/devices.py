"""The devices on which models are loaded, and how much of each they may use.

A model is loaded as a whole onto one device: of several GPUs, the one with the most room for it at that time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hugginggpt.experts.source import Placement, free_bytes


class Devices:
    """The placements, and the bytes that models may use on each device: `each` of them, else a share of what is free.

    Placements are not asked for before they are needed, since that may import torch. `free` are the bytes of a device
    that no program uses.
    """

    def __init__(
        self,
        placements: Callable[[], Sequence[Placement]],
        each: int | None = None,
        share: float = 1.0,
        free: Callable[[str], int] = free_bytes,
    ) -> None:
        self.each = each
        self.share = share
        self.free = free
        self._find = placements
        self._found: Sequence[Placement] = ()
        self._budgets: dict[str, int] = {}

    @property
    def placements(self) -> Sequence[Placement]:
        self._found = self._found or tuple(self._find())
        return self._found

    def budget(self, device: str) -> int:
        """The bytes that models may use on a device; of what is free, that at the first time."""
        if self.each is not None:
            return self.each
        if device not in self._budgets:
            self._budgets[device] = int(self.share * self.free(device))
        return self._budgets[device]

    @property
    def total(self) -> int:
        """The bytes that models may use on all devices; on one, as long as nobody asked which there are."""
        if self.each is not None:
            return self.each * max(1, len(self._found))
        return sum(self.budget(place.device) for place in self.placements)

    def choose(self, needed: int, left: Callable[[str], int], could_be: Callable[[str], int]) -> Placement:
        """Where a model of so many bytes is loaded: where most is left, of the budget and of the device itself.

        `left` are the bytes of a device's budget that are left, and `could_be` those without the models that are idle,
        which decides where it fits nowhere. Of devices that are alike the first is taken.
        """
        if len(self.placements) == 1:
            return self.placements[0]
        room = {place: min(left(place.device), self.free(place.device)) for place in self.placements}
        if max(room.values()) < needed:
            room = {place: could_be(place.device) for place in self.placements}
        return max(self.placements, key=lambda place: room[place])
