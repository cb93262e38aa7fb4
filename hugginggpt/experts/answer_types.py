"""What a question asks for (a person, a date, an amount, a reason, …), and where a text holds such a thing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

Type = Literal[
    "person", "date", "time", "place", "number", "money", "duration", "length", "mass", "temperature", "speed",
    "frequency", "age", "reason", "manner", "contact", "colour", "name", "statement", "thing",
]  # fmt: skip

TYPE_NOUNS: dict[str, Type] = {
    "date": "date", "day": "date", "month": "date", "year": "date", "deadline": "date", "weekday": "date",
    "time": "time", "hour": "time", "o'clock": "time",
    "place": "place", "city": "place", "town": "place", "country": "place", "location": "place", "address": "place",
    "village": "place",
    "price": "money", "cost": "money", "fee": "money", "salary": "money", "amount": "money", "pay": "money",
    "rent": "money", "deposit": "money", "wage": "money",
    "name": "name", "person": "person", "people": "person", "man": "person", "woman": "person",
    "period": "duration", "duration": "duration",
    "temperature": "temperature", "weight": "mass", "length": "length", "height": "length", "width": "length",
    "depth": "length", "speed": "speed", "age": "age", "reason": "reason", "cause": "reason",
    "number": "number", "percentage": "number", "colour": "colour", "color": "colour",
    "phone": "contact", "telephone": "contact", "email": "contact", "mail": "contact", "website": "contact",
}  # fmt: skip
"""Nouns that say what is asked for ("what time", "the name of"), which a text need not repeat."""

HOW: dict[str, tuple[Type, ...]] = {
    "many": ("number",), "much": ("money", "mass", "number"), "long": ("duration", "length"), "old": ("age",),
    "often": ("frequency",), "far": ("length",), "high": ("length", "money", "temperature"), "tall": ("length",),
    "deep": ("length",), "wide": ("length",), "big": ("length", "number"), "large": ("length", "number"),
    "heavy": ("mass",), "hot": ("temperature",), "warm": ("temperature",), "cold": ("temperature",),
    "fast": ("speed", "duration"), "quickly": ("duration",), "soon": ("duration", "date"), "late": ("duration", "time"),
    "strong": ("speed", "number"), "expensive": ("money",), "loud": ("number",), "thick": ("length",),
}  # fmt: skip
"""What "how" and an adjective or adverb ask for."""

_NUMBER_WORD = (
    r"(?:a|an|half|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|"
    r"sixty|seventy|eighty|ninety|hundred|thousand|million|billion|few|several|couple|dozen)"
)
_NUMBER = rf"(?:\d[\d.,:/]*+|\b{_NUMBER_WORD})\s?-?\s?(?:(?:of|and|to|or|{_NUMBER_WORD}|\d[\d.,]*+)\s){{0,10}}"
_MONTHS = r"(?:jan(?:uary)?|feb(?:ruary)?|march|april|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
_DAYS = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekdays|weekends?|today|tomorrow|tonight|yesterday|easter|christmas)"
_TIME_UNITS = r"(?:seconds?|minutes?|mins?|hours?|days?|weeks?|fortnight|months?|years?|decades?|centur(?:y|ies))"

PATTERNS: dict[Type, str] = {
    "date": rf"\b{_MONTHS}\s+\d|\d(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTHS}\b|\b(?:in|by|until|till|of|from|since|to|every|"
    rf"between|this|next|last)\s+{_MONTHS}\b|\b{_DAYS}\b|\b(?:1\d|20)\d\d\b|\b\d{{1,4}}[./-]\d{{1,2}}[./-]\d{{2,4}}\b|"
    r"\bthe \d+(?:st|nd|rd|th)\b|\b(?:next|last|this) (?:week|month|year|spring|summer|autumn|winter)\b|"
    r"\b(?:in|this|next|last) (?:spring|summer|autumn|winter)\b|"
    r"\b(?:first|last|\d+(?:st|nd|rd|th)) (?:working )?(?:day )?of (?:each|every|the|a) month\b",
    "time": r"\b\d{1,2}[:.][0-5]\d\b|\b\d{1,2}\s?(?:am|pm|a\.m|p\.m|o'clock)\b|\b(?:at|by|until|till|from|before|after|past|"
    rf"between) (?:half past |about |around )?(?:\d{{1,2}}|{_NUMBER_WORD})\b(?! (?:euro|pound|dollar|degree|per))|"
    r"\b(?:noon|midnight|midday|morning|afternoon|evening|sunrise|sunset|lunch)\b",
    "money": rf"[$€£¥]\s?\d|\d\s?[$€£¥]|{_NUMBER}(?:euros?|dollars?|pounds?|cents?|pence|kronor|francs?|yen|bucks)\b|"
    r"\b(?:usd|eur|gbp|chf)\b|\b(?:KSh|Rs|CHF|SEK|NOK|DKK|PLN|F?CFA|CAD|AUD|NZD|ZAR)\.?\s?\d|\d\.\d\d\b|\bfree\b",
    "duration": rf"{_NUMBER}(?:\w+\s)?{_TIME_UNITS}\b|\b(?:un)?till?\b|\b(?:overnight|forever|all (?:day|night))\b",
    "length": rf"{_NUMBER}(?:square |cubic )?(?:(?:kilo|centi|milli)?met(?:re|er)s?|km|cm|mm|m|miles?|feet|foot|ft|"
    r"inch(?:es)?|yards?|hectares?|acres?|fields)\b",
    "mass": rf"{_NUMBER}(?:(?:kilo|milli)?gram(?:me)?s?|kg|g|mg|kilos?|tons?|tonnes?|pounds?|lbs?|ounces?|oz|ml|cl|"
    r"lit(?:re|er)s?|l|cups?|pinch|(?:table|tea)spoons?|pints?|gallons?|bottles?|packets?)\b",
    "temperature": rf"{_NUMBER}(?:degrees?|°\s?[CF]?|celsius|fahrenheit)|°|\b(?:low|medium|high) heat\b|\broom temperature\b",
    "speed": r"\b(?:km/h|mph|kph|(?:kilomet\w+|miles|met\w+) (?:per|an?) (?:hour|second)|knots)\b",
    "frequency": r"\b(?:every|once|twice|daily|weekly|monthly|yearly|annually|always|never|times|per (?:day|week|month|year)|"
    r"an? (?:day|week|month|year))\b",
    "age": rf"{_NUMBER}years?\b|\baged?\b|, \d\d,|\bwas {_NUMBER_WORD}\b",
    "number": rf"\d|\b{_NUMBER_WORD}\b",
    "reason": r"\b(?:because|since|due to|owing to|so that|as|for|in order to|therefore|after|thanks to|reason|caused?|so)\b",
    "manner": r"\b(?:by|with|through|using|on|press|via|if|when|from)\b",
    "contact": r"\S+@\S+|\+?\d[\d\s()/-]{5,}\d|\bwww\.\S+|https?://\S+|\bextension \d+",
    "colour": r"\b(?:red|green|blue|yellow|black|white|grey|gray|brown|orange|purple|pink|golden|silver|beige|violet)\b",
}
"""Where a text holds a thing of a type, as regular expressions: spaCy's names miss units and lower-case dates."""
_REGEX = {type_: re.compile(pattern, re.IGNORECASE) for type_, pattern in PATTERNS.items()}

ENTITIES: dict[str, tuple[Type, ...]] = {
    "PERSON": ("person",), "ORG": ("person", "place"), "NORP": ("person",), "GPE": ("place",), "LOC": ("place",),
    "FAC": ("place",),
}  # fmt: skip
PERSON_WORDS = re.compile(
    r"\b(?:I'm|this is|it's me|my name|mr|mrs|ms|miss|dr|prof|sir|madam|aunt|uncle|mum|mother|father|sister|brother|"
    r"daughter|son|cousin|landlord|landlady|treasurer|customer|buyer|seller|employer|employee|insurer|supplier|guide|wife|husband|niece|nephew|grand\w+|girl|boy|man|woman|men|women|people|person|everyone|"
    r"nobody|family|\w{3,}(?:ists?|ians?|eers?|ants?|smiths?|herds?|wom[ae]n|m[ae]n)|players?|directors?|managers?|"
    r"owners?|teachers?|doctors?|drivers?|workers?|members?|players?|keepers?|painters?|children|adults|king|queen)\b",
    re.IGNORECASE,
)
NAMELIKE = ("", "PERSON", "ORG", "NORP")
PLACE_PREPOSITIONS = frozenset("in at on near to from behind under beside through outside inside into around".split())
MONEY_VERBS = frozenset("cost pay earn charge spend worth price sell owe refund donate contribute".split())
ASKED_SUMS = frozenset("cost pay earn owe spend charge".split())
REACHED = frozenset("come amount add".split())
"""Verbs of "what does it come to"."""
MEASURED = frozenset("money number age temperature length mass speed".split())
_TOLD = re.compile(
    rf"\d|\b(?!(?:an?|few)\b){_NUMBER_WORD}\b|\b(?:free|no|none|nothing|nobody|both|pair|double|single|only|half)\b",
    re.IGNORECASE,
)
"""How the amount of something is told, in figures or in words."""
SIZES = frozenset(("high", "big", "large"))
"""Adjectives that ask for what their noun is measured in: "how high is the deposit?" for money."""
YES_NO = frozenset("be do have can may must will shall should could would might".split())


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for: types, the best first; the words (token indices) that only say so; its head noun."""

    types: tuple[Type, ...]
    spent: frozenset[int] = frozenset()
    noun: int | None = None

    @property
    def is_yes_no(self) -> bool:
        return self.types == ("statement",)


def asked_for(question: Any) -> Asked:
    """What a parsed question asks for."""
    tokens = list(question)
    word = next((token for token in tokens if token.tag_ in ("WDT", "WP", "WP$", "WRB")), None)
    if word is None:
        first = next((token for token in tokens if token.is_alpha), None)
        is_closed = first is not None and first.lemma_.lower() in YES_NO | {"'s"}
        return Asked(("statement",)) if is_closed else _asked_by_fragment(tokens)
    spent = {word.i}
    after = [token for token in tokens[word.i + 1 :] if not token.is_punct]
    match word.lower_:
        case "who" | "whom" | "whose":
            return Asked(("person",), frozenset(spent))
        case "when":
            return Asked(("date", "time"), frozenset(spent))
        case "where":
            return Asked(("place",), frozenset(spent))
        case "why":
            return Asked(("reason",), frozenset(spent))
        case "how":
            return _asked_by_how(after, spent)
        case _:
            return _asked_by_what(word, after, spent)


def _asked_by_fragment(tokens: list[Any]) -> Asked:
    """What a question without a verb asks for: "her e-mail address?", "the last day for it"."""
    root = next((token for token in tokens if token.dep_ == "ROOT" and token.pos_ == "NOUN"), None)
    type_ = TYPE_NOUNS.get(root.lemma_.lower()) if root is not None else None
    return Asked((type_,), frozenset((root.i,)), root.i) if root is not None and type_ else Asked(("thing",))


def _asked_by_how(after: list[Any], spent: set[int]) -> Asked:
    if not after or after[0].lower_ not in HOW:
        return Asked(("manner",), frozenset(spent))
    types = HOW[after[0].lower_]
    subject = next((token for token in after if token.dep_ in ("nsubj", "attr")), None)
    measured = TYPE_NOUNS.get(subject.lemma_.lower()) if subject is not None else None
    if measured in MEASURED and after[0].lower_ in SIZES:
        types = (measured, *(each for each in types if each != measured))
    spent.add(after[0].i)
    noun = None
    if after[0].lower_ in ("many", "much"):
        noun = next((token.i for token in after[1:4] if token.pos_ in ("NOUN", "PROPN")), None)
        if after[0].lower_ == "much" and noun is not None and noun != after[1].i:
            noun = None
        if after[0].lower_ == "much" and noun is None:
            types = ("money",) if MONEY_VERBS & {token.lemma_ for token in after} else ("money", "mass", "number")
        kind = after[0].doc[noun].lemma_.lower() if noun is not None else ""
        if noun is not None and re.fullmatch(_TIME_UNITS, after[0].doc[noun].lower_):
            types, spent = ("duration",), spent | {noun}
        elif kind == "money":
            types, spent, noun = ("money",), spent | {noun or 0}, None
        elif after[0].lower_ == "much" and noun is not None:
            types = ("mass", "number", "money")
    return Asked(types, frozenset(spent), noun)


def _asked_by_what(word: Any, after: list[Any], spent: set[int]) -> Asked:
    """What "what" and "which" ask for: by the noun beside it ("which day"), or that of "what is the price of"."""
    nouns = [token for token in after if token.pos_ in ("NOUN", "PROPN") and token.dep_ != "poss"]
    noun = None
    if nouns and (after[0] is nouns[0] or after[0].lemma_ in ("be", "'s") or word.dep_ == "det"):
        noun = nouns[0]
        while noun.i + 1 < len(noun.doc) and noun.nbor().pos_ in ("NOUN", "PROPN") and noun.nbor().head.i >= noun.i:
            noun = noun.nbor()
    verb = next((token for token in after if token.lemma_ in ("call", "name") and token.tag_ in ("VBN", "VBD")), None)
    if verb is not None:
        return Asked(("name",), frozenset(spent | {verb.i}), noun.i if noun else None)
    if noun is None:
        is_paid = not _ends_with(after, "for") and (
            any(token.lemma_ in ASKED_SUMS for token in after)
            or (_ends_with(after, "to") and any(token.lemma_ in REACHED for token in after))
        )
        return Asked(("money",) if is_paid else ("thing",), frozenset(spent))
    head = noun.head if noun.dep_ == "compound" else noun
    if TYPE_NOUNS.get(head.lemma_.lower()) == "duration":  # "the notice period"
        return Asked(("duration",), frozenset(spent | {head.i}), head.i)
    modifiers = [child for child in noun.children if child.dep_ == "compound"]
    for token in (noun, *modifiers):
        if type_ := TYPE_NOUNS.get(token.lemma_.lower()):
            is_contact = any(TYPE_NOUNS.get(each.lemma_.lower()) == "contact" for each in modifiers)
            return Asked(("contact",) if is_contact else (type_,), frozenset(spent | {token.i}), noun.i)
    return Asked(("thing",), frozenset(spent), noun.i)


def _ends_with(tokens: list[Any], word: str) -> bool:
    return bool(tokens) and tokens[-1].lower_ == word


def holds(type_: Type, sentence: Any, besides: frozenset[str] = frozenset()) -> bool:
    """Whether a parsed sentence holds a thing of a type that is not among some words (those of the question)."""
    return bool(spans(type_, sentence, besides))


def lacks_figures(asked: Asked, text: str) -> bool:
    """Whether an amount of something is asked for, and a text tells none, neither in figures nor in words."""
    return asked.types[0] in MEASURED and not _TOLD.search(text)


def spans(type_: Type, sentence: Any, besides: frozenset[str] = frozenset()) -> list[str]:
    """The things of a type in a parsed sentence, without those whose words are all among `besides`."""
    named = [entity.text for entity in sentence.ents if type_ in ENTITIES.get(entity.label_, ())]
    if type_ == "name":
        named += [token.text for token in sentence if token.pos_ == "PROPN" and token.ent_type_ not in ("DATE", "TIME")]
    elif type_ == "person":
        named += [match[0] for match in PERSON_WORDS.finditer(sentence.text)]
        named += [token.text for token in sentence if token.pos_ == "PROPN" and token.ent_type_ in NAMELIKE]
    elif type_ == "place":
        named += [
            token.text
            for token in sentence
            if token.dep_ == "pobj"
            and token.head.lower_ in PLACE_PREPOSITIONS
            and token.ent_type_ not in ("DATE", "TIME")
        ]
    elif regex := _REGEX.get(type_):
        named += [match[0].strip() for match in regex.finditer(sentence.text)]
    return [span for span in named if not set(re.findall(r"\w+", span.lower())) <= besides]
