"""What people say beside a request, and what they ask of a person rather than of a program: greetings, what only tells
how things are, errands ("ring him back"), opinions, the weather. The words are in data/planner/conversation.txt.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from functools import cache

from hugginggpt.common import word_lists
from hugginggpt.common.paths import PLANNER_DATA
from hugginggpt.experts.written_language import ENGLISH
from hugginggpt.media.references import Resource
from hugginggpt.offline import of_reading
from hugginggpt.offline.clauses import COMMAND, NO_TITLE, masked
from hugginggpt.offline.languages.vocabulary import CODES, WITHOUT_BLANKS
from hugginggpt.offline.parsing import is_statement

_FILE = PLANNER_DATA / "conversation.txt"
ACTION, LIVE, OPINION = "action", "live", "opinion"
"""As what a clause is refused, of `core.task_aspects.BEYOND`."""
_GAP, _MAX_GAP, _MAX_ACT_GAP = "…", 4, 3
_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|…")
_MODALS = ("can", "could", "should", "must", "do")
_NAME = re.compile(r"(?<!^)\b(?:Mr|Mrs|Ms|Dr|[A-Z][a-z]+)\b")
_TOO_EARLY = re.compile(
    r"\b(?:will|won't|gonna|going to|tomorrow|today|tonight|forecast|weather|like)\b", re.IGNORECASE
)
"""What a question about the weather has that asks how it will be."""
_IN_CASE = re.compile(
    r"\b(?:if|when it|in case|because|wenn|falls|bei|quand|s'il|si|cuando|en caso|do (?:we|i|they)|does)\b|如果|要是|的话",
    re.IGNORECASE,
)
"""What a question has that asks what happens in a weather."""
_PURPOSE = re.compile(
    r"\W*+(?:(?:and|so|as|because|cause|cos|since)\W+)*(?:i|we|he|she|they|my \w+|our \w+)\W+(?:really |just |then )?"
    r"(?:wants?|needs?|have|has|ha[ds]|would like|'d like|['’]d like|am going|are going|is going|plans?|must|should|will|can|could|['’]ll)\W+"
    r"(?:to\W+|only\W+)*(?P<verb>[a-z]+)\b(?!\W+know\b)",
    re.IGNORECASE,
)
_PART_END = re.compile(rf"{NO_TITLE}[.!?;,](?=\s|$)|[。！？，；]")
_SEEKS = re.compile(
    r"\b(?:look|search|try|hop|wonder|curious|interest)(?:ing|ed)?\b|"
    r"\b(?:ask(?:s|ed|ing)?|know|tell\w*)\b[^,.;]{0,20}\b(?:wh[aeioy]\w*|how|if)\b",
    re.IGNORECASE,
)
"""A word of a statement that asks for something: "I'm looking for the length of it"."""
_REMAINDER = re.compile(
    r"\W*+(?:(?:and|but|just|please|then)\W+)*(?:keep|leave|keeping|leaving|don['’]t touch|do not touch)\W+"
    r"(?:the rest|everything else|all else|all the rest|the remainder|the remaining \w+|"
    r"(?:(?:it|them|the (?:picture|photo|image)) )?(?:at |in )?(?:the same|its|their) (?:original )?size|"
    r"(?:it|them) as (?:it|they) (?:is|are))\b(?:[^.?!,;]{0,30})\W*$",
    re.IGNORECASE,
)
"""What is said of all that an operation does not change: "… and leave the rest as it is"."""
_HANDED_BACK = re.compile(
    r"\W*+(?:(?:and|then|now|please|just)\W+)*(?:give|hand|send|pass|return|bring|let me have|give me|send me|hand me)\W+"
    r"(?:it|them|that|this|the (?:result|file|picture|photo|recording|video)s?)(?:\W+back)?(?:\W+to (?:me|us))?(?:\W+back)?"
    r"(?:\W+(?:please|thanks|then|after that|when you are done))*\W*$",
    re.IGNORECASE,
)
"""What an answer does anyway: "… and give it back to me"."""
_TAKEN_UP = re.compile(
    r"\W*+(?:(?:ok|okay|and|then|now|please|so|just)\W+)*(?:take|use) (?:this|that|the) (?:other |new )?"
    r"(?:photo|picture|image|one|file|recording|video)(?: (?:of|with) [\w ]{1,30}?)?(?: instead| now| then| this time)*\W*$",
    re.IGNORECASE,
)
"""What only names the file that the rest is about: "take this photo of our cat instead and write …"."""
_FAULTY = re.compile(
    r"\W*+(?:there(?:['’]s| is) |with |it has )?(?:lots of|a lot of|loads of|so much|too much|terrible|awful|horrible|bad|loud|some) "
    r"(?:\w+ )?(?:noise|wind|hiss|static|hum|humming|echo|traffic|background noise|crackling|rumble)\b[^?]{0,40}$",
    re.IGNORECASE,
)
"""What is wrong with a recording, said without a verb before what is to be done about it."""
_OF_SOMEBODY = re.compile(
    r"\W*+(?:my|our|his|her|their) (?:[a-z]+ ){1,3}(?:loves?|likes?|has|have|is|are|was|were|adores?|lives?|works?|came|got|said)\b"
    r"(?!.*\b(?:wants?|needs?|must|should|please|can|could|would|will|to)\b)[^?]*$",
    re.IGNORECASE,
)
"""What somebody tells of others: "my little girl loves giraffes"."""
_MATCHING = re.compile(
    r"\W*+(?:(?:and|so|because|cause|cos|since|as)\W+)*(?:i|we|it|they|that)(?: would|['’]d)? (?:want|need|like|has|have|must|should)s?"
    r"(?: [\w' -]{1,30}?)? to (?:match|fit|go with|suit|look like|be the same)\b[^?]*$",
    re.IGNORECASE,
)
"""What says why somebody asks for a colour or a size: "I want the price tag to match"."""
_WANTING = re.compile(
    r"\W*+(?:(?:just|only|so)\W+)*(?:(?:want(?:ing)?|need(?:ing)?|trying|planning|plan|going|gonna|about|hoping|have|got) to (?P<verb>[a-z]+)|"
    r"(?P<doing>[a-z]+)ing (?:it|this|that|them|these|the|my|our|some)\b)",
    re.IGNORECASE,
)
_GOING_ON = {
    ACTION: re.compile(r"\W*+(?:and |then )*(?:say|tell|ask|let|explain|mention)\b", re.IGNORECASE),
    LIVE: re.compile(r"\W*+(?:and |so |or |then )*(?:should|shall|must|had (?:i|we) better)\b", re.IGNORECASE),
}
"""How a clause begins that goes on about what is refused."""
_BARE_PURPOSE = re.compile(r"\W*+(?:in order )?to (?P<verb>[a-z]+)\b", re.IGNORECASE)


def is_courtesy(text: str, code: str = ENGLISH) -> bool:
    """Whether words are but a greeting, thanks or the like: "Thank you dear", "Guten Tag"."""
    return not _without_courtesies(text, code, everywhere=True)


def without_courtesies(text: str, code: str) -> str:
    """Words without the greeting or thanks that they begin with: "Merci beaucoup, et le prix ?"."""
    return _without_courtesies(text, code) or text


def thanks(text: str, code: str) -> bool:
    """Whether words thank."""
    return _holds("thanking", code, text)


def courtesy(text: str) -> str:
    """The small talk that words are which are but polite in some language: "thanks", "greeting", else ""."""
    code = next((code for code in CODES if is_courtesy(text, code)), "")
    return "" if not code or not text.strip() else "thanks" if thanks(text, code) else "greeting"


def without_asides(text: str, placed: Sequence[Resource], code: str) -> str:
    """A request with blanks in the place of what stands aside in it, so that all else stays where it is."""
    bounds = [0, *(match.end() for match in _PART_END.finditer(masked(text, placed))), len(text)]
    kept = text
    for start, end in itertools.pairwise(bounds):
        if any(start <= one.start < end for one in placed) or not text[start:end].strip():
            continue
        if is_aside(text[start:end], code):
            kept = kept[:start] + " " * (end - start) + kept[end:]
    return kept if kept.strip() else text


def is_aside(text: str, code: str = ENGLISH) -> bool:
    """Whether a clause beside one that asks for something only tells how things are, what for it is asked, or is polite.

    Of another language than English only what begins with the words of its list tells something.
    """
    if is_courtesy(text, code):
        return True
    if code != ENGLISH:
        rests = (_without_courtesies(text, code), _without_courtesies(text, code, everywhere=True))
        is_told = any(_begins("telling", code, _tokens(rest)) for rest in rests)
        return is_told and not text.rstrip().endswith(("?", "？"))
    if is_purpose(text) or any(
        one.match(text) for one in (_REMAINDER, _HANDED_BACK, _TAKEN_UP, _OF_SOMEBODY, _MATCHING, _FAULTY)
    ):
        return True
    return not _SEEKS.search(text) and not begins_with_command(text) and is_statement(text)


def begins_with_command(text: str) -> bool:
    """Whether the first word of an English clause, but for polite ones, is a verb that may begin a command."""
    return COMMAND.match(" ".join(_behind(_tokens(text), "polite", ENGLISH))) is not None


def is_purpose(text: str) -> bool:
    """Whether a clause says what somebody does with what is asked for: "I want to put it on our site"."""
    match = _PURPOSE.match(text) or _BARE_PURPOSE.match(text)
    if match is not None and match["verb"].lower() in _words("doing", ENGLISH):
        return True
    wanting = _WANTING.match(text)
    verbs = () if wanting is None else (wanting["verb"], wanting["doing"], f"{wanting['doing']}e")
    return not {verb.lower() for verb in verbs if verb}.isdisjoint(_words("doing", ENGLISH))


def out_of_reach(text: str, code: str = ENGLISH, is_read: bool = True) -> str:
    """As what a clause is refused that a person could do, and no program without a telephone, a purse and taste; "" for
    any other. Opinions are refused of what `is_read` alone: of pictures, other experts may judge.
    """
    tokens = _tokens(text)
    if is_read and _holds("opinions", code, text):
        return OPINION
    if _is_errand(text, tokens, code) and not (is_read and of_reading.asks(text)):
        return ACTION
    if not is_read:
        return ""
    if code != ENGLISH and _holds("feelings", code, text):
        return OPINION
    is_about_weather = _holds("weather", code, text) and not _IN_CASE.search(text)
    return LIVE if is_about_weather and (code != ENGLISH or _TOO_EARLY.search(text)) else ""


def judges_sound(text: str) -> bool:
    """Whether an English question is which recording sounds nicer, which is a matter of taste."""
    return _holds("sounds", ENGLISH, text)


def refusal(part: str, code: str) -> str:
    """Why a clause in another language than English is refused, in that language."""
    return " ".join(word_lists.sections(_FILE)[f"{part} {code}"])


def asks_how_somebody_feels(text: str) -> bool:
    """Whether an English question is how a person feels or sounds, and not who does, why, or in what words."""
    tokens = [token for token in _tokens(text) if token not in ("and", "so", "but")]
    asks = tokens[:1] and tokens[0] in ("is", "are", "was", "were", "does", "do", "did")
    return bool(asks) and _holds("feelings", ENGLISH, text) and {"there", "it", "say"}.isdisjoint(tokens[1:3])


def goes_on(part: str, text: str) -> bool:
    """Whether a clause behind one that is refused belongs to it: "… and say I'll be at home" to an errand, "should we
    risk a barbecue?" to what nobody here can know.
    """
    return part in _GOING_ON and _GOING_ON[part].match(text) is not None


def _is_errand(text: str, tokens: Sequence[str], code: str) -> bool:
    if code in WITHOUT_BLANKS:
        return _holds("acts", code, text) and not re.search(r"[?？吗谁哪]|什么|多少", text)
    if "?" in text and code != ENGLISH and not _holds("polite", code, text.split(maxsplit=1)[0]):
        return False
    rest = _behind(tokens, "polite", code)
    if code == ENGLISH and _begins("sending", code, rest):
        return True
    if code != ENGLISH:
        return _begins("acts", code, rest) or _begins("acts", code, tokens)
    if _words("no acts", code).intersection(rest) or (tokens[:1] and tokens[0] in ("may", "did", "has", "shall")):
        return False
    if tokens[:2] and tokens[0] in _MODALS and tokens[1:2] in (["i"], ["we"]):
        return False  # "can I phone them on Sunday?" asks for their hours
    if _begins("deals", code, rest):
        return True
    is_sure = _begins("sure acts", code, rest) and len(rest) > 2 and rest[1] not in _words("no people", code)
    if is_sure and rest[2] in _words("said on", code):
        return True
    after = [token.removesuffix("'s") for token in rest[1 : 2 + _MAX_ACT_GAP]]
    is_told = not _words("people", code).isdisjoint(after) or bool(_NAME.search(text))
    return bool(after) and after[0] not in ("me", "us", "it") and is_told and _begins("acts", code, rest)


def _without_courtesies(text: str, code: str, everywhere: bool = False) -> str:
    """The words behind the courtesies at the start of a text; all are such where nothing is left."""
    rest = text.strip(" ,.!;:-–—…\n\t，。！、")
    found = True
    while rest and found:
        found = False
        lower = rest.lower()
        for phrase in _longest_first("courtesies", code):
            if not lower.startswith(phrase):
                continue
            behind = rest[len(phrase) :]
            is_whole = not behind or code in WITHOUT_BLANKS or not (behind[0].isalnum() or behind[0] in "'’-")
            is_apart = not behind or everywhere or code in WITHOUT_BLANKS or behind.lstrip()[0:1] in ",.!;:-–—…\n"
            if is_whole and is_apart:
                rest, found = behind.strip(" ,.!;:-–—…\n\t，。！、"), True
                break
    return rest


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.lower().replace("’", "'"))


def _behind(tokens: Sequence[str], topic: str, code: str) -> Sequence[str]:
    """The words behind those at the start that stand in a list."""
    start = next((at for at, token in enumerate(tokens) if token not in _words(topic, code)), len(tokens))
    return tokens[start:]


def _begins(topic: str, code: str, tokens: Sequence[str]) -> bool:
    """Whether words begin with a phrase of a list."""
    if code in WITHOUT_BLANKS:
        return "".join(tokens).startswith(_longest_first(topic, code))
    return any(_matches(phrase, tokens) for phrase in _phrases(topic, code))


def _holds(topic: str, code: str, text: str) -> bool:
    """Whether words have a phrase of a list in them."""
    if code in WITHOUT_BLANKS:
        return any(phrase in text for phrase in _longest_first(topic, code))
    tokens = _tokens(text)
    return any(_begins(topic, code, tokens[at:]) for at in range(len(tokens)))


def _matches(phrase: Sequence[str], tokens: Sequence[str]) -> bool:
    """Whether tokens begin with those of a phrase, in which a gap is for up to four."""
    if _GAP in phrase:
        at = phrase.index(_GAP)
        head, tail = phrase[:at], phrase[at + 1 :]
        if tuple(tokens[:at]) != tuple(head):
            return False
        return any(tuple(tokens[at + gap : at + gap + len(tail)]) == tuple(tail) for gap in range(1, _MAX_GAP + 1))
    return tuple(tokens[: len(phrase)]) == tuple(phrase)


@cache
def _phrases(topic: str, code: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(_tokens(phrase)) for phrase in _longest_first(topic, code))


@cache
def _longest_first(topic: str, code: str) -> tuple[str, ...]:
    """The phrases of a list, which are divided by commas, or else by blanks."""
    lines = " ".join(word_lists.sections(_FILE).get(f"{topic} {code}", ()))
    phrases = (each.strip() for each in (lines.split(",") if "," in lines else lines.split()))
    return tuple(sorted(filter(None, phrases), key=len, reverse=True))


@cache
def _words(topic: str, code: str) -> frozenset[str]:
    return frozenset(_longest_first(topic, code))
