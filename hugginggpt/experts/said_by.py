"""Who says something in a text of several voices: in subtitles and chats by the name before the colon, in an article by
the one behind a quotation ("…", said Ann Bell).
"""

from __future__ import annotations

import re
from typing import Any

from hugginggpt.experts.word_likeness import stems_of
from hugginggpt.experts.written_language import function_word

_WHO_SAYS = re.compile(
    r"\W*+(?:(?:and|so|ok|tell me)\W+)*(?:who(?: is it that| was it that| is the one (?:who|that))?|wer|qui|quién) "
    r"(?:says?|said|asks?|asked|shouts?|shouted|yells?|screams?|whispers?|replies|replied|answers?|suggests?|suggested|"
    r"complains?|sagt|fragt|ruft|sagte|dit|demande|crie|dice|pregunta|grita)\b\W*(?P<what>[^?]{3,120})",
    re.IGNORECASE,
)
_IN_WHAT = re.compile(
    r"\W+(?:in|on|from|at) (?:the|this|these|those|my|that)\b[^,.]{0,30}$|\W+(?:in|on) it$", re.IGNORECASE
)
"""In what it is said, behind the words themselves: "in these subs"."""
_QUOTED = re.compile(
    r"\b(?:who|whom|people|persons?|everyone|everybody|names?|anyone)\b.*\b(?:quoted|cited|speaks?|interviewed)\b",
    re.IGNORECASE,
)
_TURN = re.compile(r"^\W*(?P<name>[^\W\d_a-z][\w.'’-]*(?: [^\W\d_a-z][\w.'’-]*){0,2}):\s+(?P<said>\S.*)$", re.MULTILINE)
_SPEAKER = re.compile(
    r"[\"”»’]\s*,?\s*(?:said|says|added|adds|explained|explains|warned|told|asked|dit|craint|explique|ajoute|sagte|sagt|"
    r"erklärt|dijo|dice|explica)\s+(?:[^\"“«.,]{0,30},\s+)?(?P<name>[A-ZÀ-Þ][\w'’-]+(?: [A-ZÀ-Þ][\w'’-]+)+)"
)
MIN_TURNS, MIN_NAMES = 3, 2


def asked_for(question: str) -> bool:
    """Whether words ask for all who are quoted."""
    return bool(_QUOTED.search(question))


def answer(question: str, text: str) -> dict[str, Any] | None:
    """The one who says what a question quotes, with the words; all who are quoted; None of any other, and where
    none or several say it.
    """
    if _QUOTED.search(question):
        names = list(dict.fromkeys(match["name"] for match in _SPEAKER.finditer(text)))
        return {"answer": ", ".join(names)} if names else None
    asked = _WHO_SAYS.match(question)
    if asked is None:
        return None
    turns = [(match["name"], match["said"]) for match in _TURN.finditer(text)]
    if len(turns) < MIN_TURNS or not MIN_NAMES <= len({name for name, _ in turns}) < len(turns):
        return None
    wanted = _telling(_IN_WHAT.sub("", asked["what"]))
    saying = [(name, said) for name, said in turns if wanted and wanted <= stems_of(said)]
    if len({name for name, _ in saying}) != 1:
        return None
    name, said = saying[0]
    return {"answer": f"{name}: “{said.strip()}”", "quotes": [said.strip()]}


def _telling(words: str) -> frozenset[str]:
    own = [word for word in re.findall(r"[^\W_]+", words.lower()) if not function_word(word, "en")]
    return stems_of(" ".join(own))
