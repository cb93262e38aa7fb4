"""The amounts of a recipe for another number: of people, of muffins, of tins, or half and double of them."""

from __future__ import annotations

import re

from hugginggpt.experts import listed, stated_numbers
from hugginggpt.experts.listed import Value
from hugginggpt.experts.stated_numbers import WORD, value_of
from hugginggpt.experts.word_likeness import stem, stems_of
from hugginggpt.experts.written_language import function_word

_COUNT = r"(?:\d{1,3}|[^\W\d_]+)"
_FOR = re.compile(
    rf"\b(?:for|serves?|makes|feeds|für|pour|para)\s+(?:just |only |about )?(?P<number>{_COUNT})"
    r"(?:\s+(?:people|persons?|servings?|portions?|guests?|of us|personen|portionen|personnes|parts|"
    r"personas|raciones)\b|\s*[?.):]|\s*$)",
    re.IGNORECASE | re.MULTILINE,
)
_YIELDS = re.compile(
    rf"\b(?:makes?|yields?|serves?|gives|for|für|ergibt|pour|donne|para|rinde)\s+(?:about |around |ca\.? |approx\.? )?"
    rf"(?P<number>{_COUNT})\s+(?:\w+ )?(?P<noun>[^\W\d_]{{3,}})",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    rf"\b(?P<wanted>{_COUNT})(?: [^\W\d_][\w'’]*){{0,3}}? (?:instead of|rather than|statt|anstatt|anstelle von|"
    rf"au lieu de|en vez de|en lugar de) (?:the )?(?P<base>{_COUNT})\b",
    re.IGNORECASE,
)
_MAKES = re.compile(
    rf"\b(?:make|making|bake|baking|cook|cooking|do|need|want|prepare|backe\w*|brauche|mache\w*|faire|hacer|hago)\s+"
    rf"(?:about |only |just |up to )?(?P<number>{_COUNT})\s+(?P<noun>[^\W\d_]{{3,}})",
    re.IGNORECASE,
)
_BATCHES = re.compile(
    rf"\b(?P<number>{_COUNT}) (?:tins?|batch(?:es)?|trays?|cakes|loaves|times|portionen|bleche?|kuchen|torten|brote|"
    r"gâteaux|tartes|moldes|tartas|pasteles)\b",
    re.IGNORECASE,
)
_TIMES = re.compile(
    r"\b(?P<half>half|halve|hälfte|moitié|mitad)\b|\b(?P<double>double|twice|doppelte?|doble)\b|\b(?P<triple>triple)\b",
    re.IGNORECASE,
)
_TO_COOK = re.compile(
    r"\b(?:bake|baking|cook|recipe|ingredients?|flour|sugar|butter|eggs?|milk|tins?|batch(?:es)?|backen?|kochen|"
    r"kuchen|torten|brote|gâteaux|tartas|mehl|zucker|eier|rezept|zutaten|recette|farine|receta|harina)\b",
    re.IGNORECASE,
)
_HOW_MUCH = re.compile(r"\bhow (?:much|many)\b(?!.*\b(?:cost|costs|pay|euros?|pounds?)\b)", re.IGNORECASE)
_INGREDIENTS = re.compile(
    r"(?:ingredients?|you need|zutaten|ingrédients|ingredientes|配料)\b[^:：]{0,40}[:：]\s*(?P<items>.+)", re.IGNORECASE
)
MIN_INGREDIENTS, MAX_NAMED = 2, 2
"""A recipe has more ingredients than so; of more than so many none is meant."""
_AMOUNTS = frozenset(("g", "kg", "ml", "l", "cl", "dl", "tsp", "tbsp", "cup", "cups", "oz", "lb", "el", "tl"))


def asked_for(question: str) -> bool:
    """Whether words ask for the amounts of a recipe for another number."""
    if (instead := _INSTEAD.search(question)) and value(instead["wanted"]) and value(instead["base"]):
        return True
    matches = [*_BATCHES.finditer(question), *_MAKES.finditer(question)]
    is_scaled = any(value(match["number"]) for match in matches) or _TIMES.search(question)
    return bool(is_scaled and _TO_COOK.search(question))


def scaled(question: str, text: str) -> str:
    """The amounts of a recipe for another number; of the ingredients that the question names, if any. "" where the
    question asks for no other number, or the text has no ingredients.
    """
    lines = [(value, label) for _, value, label in listed.ingredients(text)] or _in_one_line(text) or _labelled(text)
    found = _factor(question, text) if len(lines) > 1 else None
    if found is None:
        return ""
    factor, how = found
    words = [word for word in WORD.findall(question.lower()) if not function_word(word, "en")]
    asked = {stem(word) for word in words}
    named = [(value, label) for value, label in lines if asked & {stem(word) for word in WORD.findall(label.lower())}]
    return f"{how}:\n" + "\n".join(
        f"- {factor * value.number:.4g} {value.unit + ' ' if value.unit else ''}{label}"
        for value, label in named or lines
    )


def amounts_of(question: str, text: str) -> str:
    """The lines of a recipe's ingredients that a question asks the amount of: "how much beef do I need?"."""
    lines = listed.ingredients(text) if _HOW_MUCH.search(question) else []
    words = {stem(word) for word in WORD.findall(question.lower()) if not function_word(word, "en")}
    named = [line for line, _, label in lines if words & stems_of(label)]
    return "; ".join(named) if len(lines) > MIN_INGREDIENTS and len(named) <= MAX_NAMED else ""


def _in_one_line(text: str) -> list[tuple[Value, str]]:
    """The ingredients that one line lists: "Zutaten für 12 Stücke: 1 kg Äpfel, 250 g Mehl, etwas Zimt."."""
    listing = next(filter(None, map(_INGREDIENTS.match, map(str.strip, text.splitlines()))), None)
    pieces = re.split(r",\s+|;\s*|\s+(?:and|und|et|y)\s+(?=\d)", listing["items"].rstrip(".")) if listing else []
    return [(value, label) for piece in pieces for _, value, label in listed.ingredients(piece)]


def _labelled(text: str) -> list[tuple[Value, str]]:
    """The ingredients whose amounts stand behind them: "Butter 200 g"."""
    return [
        (record.values[0], record.label)
        for record in listed.records(text)
        if len(record.values) == 1 and record.values[0].unit.lower() in _AMOUNTS
    ]


def _factor(question: str, text: str) -> tuple[float, str] | None:
    """By what the amounts are to be multiplied, and why."""
    if instead := _INSTEAD.search(question):
        wanted, base = value(instead["wanted"]), value(instead["base"])
        return (wanted / base, f"For {wanted:g} instead of {base:g}") if wanted and base else None
    if wanted := _wanted(question, text):
        base = _base(text)
        return (wanted / base, f"For {wanted:g} instead of {base:g}") if base else None
    if (batches := _BATCHES.search(question)) and (number := value(batches["number"])) and number > 1:
        return number, f"With {number:g} times the amounts"
    if times := _TIMES.search(question):
        factor = 0.5 if times["half"] else 3.0 if times["triple"] else 2.0
        return factor, f"With {factor:g} times the amounts"
    return None


def _wanted(question: str, text: str) -> float | None:
    """For how many a question wants them: people, or what the recipe makes."""
    if len(us := {one.number for one in stated_numbers.counted(question) if one.is_us}) == 1:
        return us.pop()
    if (match := _FOR.search(question)) and (number := value(match["number"])):
        return number
    noun = _noun(text)
    for match in _MAKES.finditer(question):
        if (number := value(match["number"])) and noun and stem(match["noun"]) == stem(noun):
            return number
    counted = re.search(rf"\b(?P<number>{_COUNT}) {re.escape(noun)}", question, re.IGNORECASE) if noun else None
    return value(counted["number"]) if counted else None


def _noun(text: str) -> str:
    """What a recipe makes: "muffins"."""
    match = next((one for one in _YIELDS.finditer(text) if value(one["number"])), None)
    return match["noun"] if match else ""


def _base(text: str) -> float | None:
    matches = [*_FOR.finditer(text), *_YIELDS.finditer(text)]
    return next((number for match in matches if (number := value(match["number"]))), None)


def value(word: str) -> float | None:
    """The value of a number in digits or in a word; None for any other word."""
    return 1.0 if word.lower() in ("one", "ein", "eine", "une", "un", "una") else value_of(word.lower())
