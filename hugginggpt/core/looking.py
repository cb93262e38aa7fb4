"""How often a request wants a video to be looked at: "look twice a second", "every 5 seconds", "4 frames a second"."""

from __future__ import annotations

import re

from hugginggpt.core.quantities import NUMBER, TIME, number, seconds

_SECOND = r"(?:a|per|each|every|the|/) ?(?P<unit>second|sec|minute)\b"
_OFTEN = {"once": 1.0, "twice": 2.0, "thrice": 3.0}
_FRAMES = r"(?:(?:video )?(?:frames?|pictures?|images?|looks?|samples?|stills?)|times|x)"
RATE = (
    rf"(?:(?:at )?(?P<fps>{NUMBER}) ?(?:fps\b|hz\b)"
    rf"|(?:at )?(?P<often>{'|'.join(_OFTEN)}) {_SECOND.replace('unit', 'once')}"
    rf"|(?:at |with )?(?:a |the )?(?:rate of )?(?P<count>{NUMBER}) {_FRAMES} {_SECOND}"
    rf"|(?:(?:at |with )?(?:a|one|1) {_FRAMES} )?(?:every|each) (?:(?P<time>{TIME})|(?P<one>second|minute)\b)"
    rf"|(?:alle|toutes les|cada) (?P<foreign>{NUMBER}) ?(?:sekunden?|secondes?|segundos?|s)\b"
    rf"|每(?:隔)?(?P<chinese>\d{{1,5}})秒)"
)
"""A pattern for so many looks in a time, or for the time from one to the next."""
_RATE = re.compile(RATE, re.IGNORECASE)


def seconds_between(request: str) -> float | None:
    """The seconds from one look at a video to the next that a request tells; None where it tells none, or 0."""
    match = _RATE.search(request)
    if match is None:
        return None
    if match["one"]:
        return _unit(match["one"])
    if match["time"]:
        return seconds(match["time"]) or None
    if apart := match["foreign"] or match["chinese"]:
        return number(apart) or None
    if match["often"]:
        return _unit(match["once"]) / _OFTEN[match["often"].lower()]
    looks = number(match["fps"] or match["count"])
    return _unit(match["unit"] or "second") / looks if looks else None


def _unit(word: str) -> float:
    return 60.0 if word.lower() == "minute" else 1.0
