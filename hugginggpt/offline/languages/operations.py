"""Operations on files that are asked for in another language, in English: "dreh es um 90 Grad nach links".

What an operation is asked with is a few everyday words, each looked up (data/planner/operation_glosses.txt); what a
clause does is put first, as in English. A request with any other word is left alone: nothing is guessed, and what is
said of an operation is never lost. The English planner then reads the arguments, also of a follow-up.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from hugginggpt.common import word_lists
from hugginggpt.common.paths import PLANNER_DATA
from hugginggpt.core.picture_words import COLOURS
from hugginggpt.experts.written_language import ENGLISH, function_words
from hugginggpt.media.references import Resource
from hugginggpt.offline.clauses import masked
from hugginggpt.offline.languages.vocabulary import CODES, WITHOUT_BLANKS

MAX_WORDS, MAX_TOKENS = 9, 80
"""So many words are looked up together; a longer request is left alone."""
NOTHING = "-"
_WORD = re.compile(r"\w+")
_TOKEN = re.compile(
    r"-(?:la|le|les|lui|moi)\b|\d+(?:[.,:]\d+)*|[\u3400-\u9fff]|(?:mp[34]|m4a|a4)\b|[^\W\d_\u3400-\u9fff]+|▯+|[^\w\s]",
    re.IGNORECASE,
)
_BREAKS = frozenset(",.;:!?。，！？；、")
_SILENT = frozenset("'’-¿¡\"")
_ENCLITIC = re.compile(r"(?:me|te|nos)?(?P<object>l[ao]s?)$|(?:me|nos|les?)$")
_AND = "and"
_BESIDES = (
    ("turn", {"horizontally", "vertically"}, "flip"),
    ("the sound", {"raise", "lower"}, "the volume"),
    ("the sound", {"has"}, "sound"),
    ("convert", {"side by side", "one after another"}, "put"),
    ("cut out", {"seconds", "minutes"}, "cut off"),
    ("out", {"seconds", "minutes"}, "off"),
    ("how long is it", {"the video", "the recording"}, "how long is"),
    ("how many pixels has it", {"the picture"}, "how many pixels has"),
    ("off", {"save"}, ""),
    ("cut", {"a square", "square", "a square from the middle"}, "crop"),
    ("cut off", {"a square", "square", "a square from the middle"}, "crop"),
    ("keep", {"as a still"}, "take a still at"),
    ("twice as large", {"speed up"}, "twice as fast"),
    ("convert", {"around it", "a white border", "a black border", "a red border", "a blue border", "border"}, "add"),
)
"""Words that are others in English beside some."""
_NO_NOUNS = frozenset(
    ["as", "to", "in", "by", "at", "now", "for", "a bit", "only", "of", "greyscale", "to the left", "to the right"]
)
_ENDS = ("the first", "the last")
_TIMES = frozenset(["mal", "sur", "par", "por", "乘", "×", "*"])
"""What stands between a width and a height."""
_ASKING = ("how ", "detect the language")
"""What goes first as it is; what is told to be done is no question."""
_PARTED = {"by": "", "to": "", "at": "off", "a": "", "of": ""}
"""What a preposition at the end of a clause means: "wandle es um", "schneide es ab"."""


@dataclass(frozen=True, slots=True)
class EnglishRequest:
    """A request said again in English, with its resources, and the language that it was in."""

    text: str
    resources: list[Resource]
    language: str


@dataclass(frozen=True, slots=True)
class _Glosses:
    """The English of a language's words by their tokens; `verbs` are the tokens of what goes first in a clause,
    `purposes` of what begins one that says what a change is for, and `asides` of what does so without a break before it;
    `subjects` of what begins one that explains.
    """

    meanings: Mapping[tuple[str, ...], str]
    verbs: frozenset[tuple[str, ...]]
    purposes: frozenset[tuple[str, ...]]
    asides: frozenset[tuple[str, ...]]
    subjects: frozenset[tuple[str, ...]]


@dataclass(slots=True)
class _Piece:
    """A word in English, or a resource."""

    text: str
    is_verb: bool = False
    resource: Resource | None = None

    @property
    def ends_clause(self) -> bool:
        return self.text in _BREAKS or self.text == _AND


def in_english(text: str, resources: Sequence[Resource]) -> EnglishRequest | None:
    """A request all of whose words are known ones of a language for operations; None for any other."""
    placed = [one for one in resources if one.has_place]
    words = masked(text, placed)
    tokens = list(_TOKEN.finditer(words))
    if not 0 < len(tokens) <= MAX_TOKENS:
        return None
    english = function_words(" ".join(match[0] for match in tokens))[ENGLISH]
    for code in CODES:
        reader = _Reader(tokens, _glosses()[code], code in WITHOUT_BLANKS, placed)
        pieces = reader.pieces()
        if pieces is not None and reader.looked_up > english:
            said = _written(_in_order(pieces))
            if _WORD.findall(said.text.lower()) == _WORD.findall(text.lower()):
                return None  # "pixels?" is English as well
            return replace(
                said, resources=[*said.resources, *(one for one in resources if one not in placed)], language=code
            )
    return None


def begins_with_verb(text: str, code: str) -> bool:
    """Whether words begin with what tells somebody to do an operation: "schneid …"."""
    tokens = [_bare(match[0]) for match in _TOKEN.finditer(text)]
    return any(tuple(tokens[:size]) in _glosses()[code].verbs for size in range(1, MAX_WORDS + 1))


def colours_in(text: str, code: str) -> list[str]:
    """The colours that a text of a language names, in English, in their order."""
    meanings = _glosses()[code].meanings
    if code in WITHOUT_BLANKS:
        words = re.findall("|".join("".join(one) for one, meant in meanings.items() if meant in COLOURS), text)
        found = [meanings[tuple(word)] for word in words]
    else:
        found = [meanings.get((_bare(match[0]),), "") for match in _TOKEN.finditer(text)]
    found = ["grey" if one == "greyscale" else one for one in found]
    return list(dict.fromkeys(one for one in found if one in COLOURS))


@dataclass
class _Reader:
    """Reads the tokens of a request; `looked_up` counts those of the language itself."""

    tokens: Sequence[re.Match[str]]
    glosses: _Glosses
    is_solid: bool
    placed: Sequence[Resource]
    looked_up: int = field(default=0)

    def pieces(self) -> list[_Piece] | None:
        """The request in English, in its own order; None where a word is not known."""
        found: list[_Piece] = []
        bare = [_bare(match[0]) for match in self.tokens]
        at = clause_at = before = 0
        while at < len(bare):
            if at and self._is_purpose(bare, at):
                at = _end_of_clause(bare, at)
                continue
            size, pieces = self._read(bare, at)
            if not size:
                if not self._explains(bare, clause_at):
                    return None
                del found[before:]
                at = _end_of_clause(bare, at) + (not found)
                clause_at = at
                continue
            found += pieces
            at += size
            if bare[at - 1] in _BREAKS:
                clause_at, before = at, len(found)
        return found if any(piece.text and not piece.ends_clause for piece in found) else None

    def _explains(self, bare: Sequence[str], at: int) -> bool:
        """Whether a clause tells why something is wanted ("man versteht ja nichts", "on n'entend rien"): it begins with who
        or what it is about, asks nothing, and nothing is to be done in it.
        """
        end = _end_of_clause(bare, at)
        if end < len(bare) and bare[end] in "?？":
            return False
        does = any(
            words in self.glosses.verbs for start in range(at, end) for _, words in self._phrases(bare[:end], start)
        )
        has_file = any(token.startswith("▯") for token in bare[at:end])
        return not does and not has_file and any(words in self.glosses.subjects for _, words in self._phrases(bare, at))

    def _is_purpose(self, bare: Sequence[str], at: int) -> bool:
        """Whether a clause without a file says what for: "c'est pour un mail", "damit ich es verschicken kann"."""
        end = _end_of_clause(bare, at)
        has_file = any(token.startswith("▯") for token in bare[at:end])
        known = self.glosses.asides | (self.glosses.purposes if bare[at - 1] in _BREAKS else frozenset())
        return not has_file and any(words in known for _, words in self._phrases(bare, at))

    def _read(self, bare: Sequence[str], at: int) -> tuple[int, list[_Piece]]:
        """How many tokens are read from a place on, and what they are in English; 0 for none."""
        token = bare[at]
        if token in _TIMES and 0 < at < len(bare) - 1 and bare[at - 1][0].isdigit() and bare[at + 1][0].isdigit():
            return 1, [_Piece("x")]
        if token.startswith("▯"):
            start = self.tokens[at].start()
            resource = next((one for one in self.placed if one.start <= start < one.end), None)
            if resource is None:
                return 1, []
            written = resource.text if resource.is_file else f'"{resource.text.strip()}"'
            return 1, [_Piece(written, resource=replace(resource, text=resource.text.strip()))]
        for size, words in self._phrases(bare, at):
            if (meaning := self.glosses.meanings.get(words)) is not None:
                self.looked_up += size
                return size, [] if meaning == NOTHING else [_Piece(meaning, words in self.glosses.verbs)]
        if token in _SILENT:
            return 1, []
        if token[:1].isdigit():
            return 1, [_Piece(re.sub(r"(?<=\d),(?=\d)", ".", token))]
        if token in _BREAKS or not token.isalnum() or token in _same():
            return 1, [_Piece(token)]
        if not self.is_solid and (end := _ENCLITIC.search(token)):
            verb = (token[: end.start()],)
            if verb in self.glosses.verbs:
                self.looked_up += 1
                return 1, [_Piece(self.glosses.meanings[verb], True), *([_Piece("it")] if end["object"] else [])]
        return 0, []

    def _phrases(self, bare: Sequence[str], at: int) -> Iterator[tuple[int, tuple[str, ...]]]:
        """The words from a place on, the longest first, without apostrophes; each with how many tokens they are."""
        words: list[str] = []
        phrases: list[tuple[int, tuple[str, ...]]] = []
        for size, token in enumerate(bare[at : at + 2 * MAX_WORDS], 1):
            if token in ("'", "’", "-") and words:
                continue
            words.append(token)
            if len(words) > MAX_WORDS:
                break
            phrases.append((size, tuple(words)))
        return reversed(phrases)


def _end_of_clause(bare: Sequence[str], at: int) -> int:
    return next((end for end in range(at, len(bare)) if bare[end] in _BREAKS), len(bare))


def _in_order(pieces: Sequence[_Piece]) -> Iterator[_Piece]:
    """The pieces with the verb of each clause first: "das Bild um 90 Grad drehen", "把图片转成黑白"."""
    clause: list[_Piece] = []
    for piece, after in itertools.pairwise((*pieces, _Piece("."), _Piece("."))):
        joins_files = piece.text == _AND and clause and clause[-1].resource and after.resource
        if piece.ends_clause and not joins_files:
            yield from _verb_first(clause)
            clause = []
            yield piece
        else:
            clause.append(piece)


def _verb_first(clause: Sequence[_Piece]) -> list[_Piece]:
    """The pieces of a clause as English has them: its verb first, and "the first" before a number."""
    pieces = list(_with_english_words(clause))
    for index in range(1, len(pieces)):
        if pieces[index].text in _ENDS and pieces[index - 1].text[0].isdigit():
            pieces[index - 1 : index + 1] = pieces[index], pieces[index - 1]
    pieces = [
        one
        for one, after in itertools.zip_longest(pieces, pieces[1:])
        if not (one.text == "the" and after and after.text in _ENDS)
    ]
    asks = next((index for index, piece in enumerate(pieces) if piece.text.startswith(_ASKING)), 0)
    at = asks or next((index for index, piece in enumerate(pieces) if piece.is_verb), 0)
    if not at:
        return pieces
    if asks:
        return [pieces[asks], *pieces[:asks], *pieces[asks + 1 :]]
    verb, _, rest = pieces[at].text.partition(" ")
    return [_Piece(verb), *pieces[:at], *([_Piece(rest)] if rest else []), *pieces[at + 1 :]]


def _with_english_words(clause: Sequence[_Piece]) -> Iterator[_Piece]:
    """The pieces with other words where these depend on their place: what a German verb was parted from is no
    preposition ("schneide es ab"), an article without a noun is "it", and turning from side to side is flipping.
    """
    words = {piece.text for piece in clause}
    for piece, after in itertools.zip_longest(clause, clause[1:]):
        text = piece.text
        if after is None and len(clause) > 1:
            text = _PARTED.get(text, text)
        if text == "the" and (after is None or after.text in _NO_NOUNS):
            text = "it"
        if text == "of" and after and after.text[0].isdigit():
            text = "from"
        text = next((said for known, besides, said in _BESIDES if text == known and besides & words), text)
        if text:
            yield replace(piece, text=text)


def _written(pieces: Iterator[_Piece]) -> EnglishRequest:
    """The pieces as a text, with the places of its resources."""
    text = ""
    resources: list[Resource] = []
    for piece in pieces:
        if text and piece.text not in _BREAKS and piece.text != "%":
            text += " "
        if piece.resource:
            start = len(text)
            resources.append(replace(piece.resource, start=start, end=start + len(piece.text)))
        text += piece.text
    is_asked = re.search(r"\b(?:how|is|has|does)\b", text) is not None
    return EnglishRequest(re.sub(r"(?:\s*\.)+$" if is_asked else r"(?:\s*[.?])+$", "", text), resources, "")


@cache
def _sections() -> dict[str, list[str]]:
    return word_lists.sections(PLANNER_DATA / "operation_glosses.txt")


@cache
def _same() -> frozenset[str]:
    """Formats and units, which are the same in all languages."""
    return frozenset(re.split(r",\s*", ", ".join(_sections()["same"])))


@cache
def _glosses() -> dict[str, _Glosses]:
    found = {}
    for code in CODES:
        verbs, others = (_entries(_sections()[name]) for name in (f"{code} verbs", code))
        purposes, asides, subjects = (
            frozenset(_entries([f"for = {line}" for line in _sections()[f"{code} {name}"]]))
            for name in ("purposes", "asides", "subjects")
        )
        found[code] = _Glosses({**others, **verbs}, frozenset(verbs), purposes, asides, subjects)
    return found


def _entries(lines: Sequence[str]) -> dict[tuple[str, ...], str]:
    entries: dict[tuple[str, ...], str] = {}
    for line in lines:
        meaning, _, words = line.partition(" = ")
        for word in words.split(", "):
            entries.setdefault(tuple(_bare(match[0]) for match in _TOKEN.finditer(word)), meaning)
    return entries


@cache
def _bare(word: str) -> str:
    """A word in lower case without accents: people leave them out."""
    letters = unicodedata.normalize("NFKD", word.lower().replace("ß", "ss").replace("œ", "oe"))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
