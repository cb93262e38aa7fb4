"""Named entities of English texts."""

from __future__ import annotations

import re
from typing import Any

from hugginggpt.experts.grammar import parse

MAX_CHARS = 100_000
KINDS = frozenset(("PERSON", "GPE", "LOC", "FAC", "ORG", "NORP", "DATE", "TIME", "MONEY", "PERCENT", "QUANTITY", "EVENT",
    "PRODUCT", "WORK_OF_ART", "LANGUAGE", "LAW"))  # fmt: skip
"""The OntoNotes labels that are names or the like: bare numbers are none."""
LOWER_CASE_SHARE = 0.02
"""A text with a smaller share of capitals among its letters is written without them."""
TITLES = re.compile(r"\b(?:mr|mrs|ms|miss|dr|prof|sir)\.? ([a-z]+)", re.IGNORECASE)


_TO_PLACE = (
    r"(?:returns?|returned|coming|comes?|came|back|goes|going|went|flew|fly|flies|drove|drives?|moved?|moves|travels?|travelled|"
    r"trips?|journey|road|train|bus|flight) (?:back )?(?:to|from)|(?:town|city|village|island|valley|port|county|parish) of|"
    r"(?:lives?|lived|living|born|house|hotel|school|mill|station|harbour|church|castle) (?:in|at|near)"
)
"""The words before the name of a place."""
_CALLED = (
    r"\b(?:(?:[Mm]y|[Oo]ur|[Yy]our|[Dd]ear) )?(?:Aunt|Auntie|Aunty|Uncle|Granny|Grandma|Grandpa|Grandad|Granddad|Nana|Nurse|Sister|Father|"
    r"Mr|Mrs|Ms|Miss|Dr|Prof|Professor|Sir|Lady|Captain)\.? (?P<name>[A-Z][a-zà-ÿ]+(?:-[A-Z][a-zà-ÿ]+)?)\b|"
    r"^\W*(?:Dear|Hi|Hello|Hey) (?P<greeted>(?!All\b|Sir|Madam|Team|Customer|Neighbo|Parents|Friends|Everyone|Members|Colleagues|Mr|Mrs|Ms|"
    r"Miss|Dr|Aunt|Uncle|Gran)[A-Z][a-zà-ÿ]+)\b"
)
"""How a person is called by a name that the tagger may have missed."""
_THINGS = (
    "ferry|ship|boat|yacht|steamer|train|hotel|inn|pub|bar|caf[eé]|restaurant|church|school|castle|museum|river|lake|street|"
    "bridge|tower|company|cat|dog|horse|band|film|novel|play|song"
)


def entities(text: str) -> list[dict[str, Any]]:
    """Entities with OntoNotes labels and character offsets, each name once; spaCy gives no scores.

    Of a text in lower case, in which spaCy finds next to nothing, the nouns that it takes for names are capitalised.
    """
    text = text[:MAX_CHARS]
    letters = [char for char in text if char.isalpha()]
    is_lower = bool(letters) and sum(map(str.isupper, letters)) < LOWER_CASE_SHARE * len(letters)
    document = parse(_capitalised(text) if is_lower else text)
    rows: dict[str, dict[str, Any]] = {}
    for entity in document.ents:
        word = " ".join(entity.text.split()).strip(" ,.;:!?\"'“”()")
        if entity.label_ not in KINDS or not any(map(str.isalnum, word)):
            continue
        key = re.sub(r"^the |['’]s$", "", word.lower())
        row = {
            "entity_group": _kind(entity.label_, word, text),
            "word": word,
            "start": entity.start_char,
            "end": entity.end_char,
        }
        rows.setdefault(key, row)
    for match in re.finditer(_CALLED, text, re.MULTILINE):
        name = "name" if match["name"] else "greeted"
        if not any(match[name].lower() in key.split() for key in rows):
            found = {"word": match[name], "start": match.start(name), "end": match.end(name)}
            rows[match[name].lower()] = {"entity_group": "PERSON", **found}
    ordered = sorted(rows.items(), key=lambda item: int(item[1]["start"]))
    return [row for key, row in ordered if not _is_part(key, row, rows)]


def _kind(label: str, word: str, text: str) -> str:
    """The label of a name, another one where the words around it in the text show that it is no person: one gets to a
    place, and a thing has an article.
    """
    if label not in ("PERSON", "ORG"):
        return label
    name = re.escape(word)
    if " " not in word and re.search(rf"\b(?:{_TO_PLACE}) {name}\b", text):
        return "GPE"
    if (
        label == "PERSON"
        and re.fullmatch(rf"(?:{_THINGS})", word.rsplit(maxsplit=1)[-1], re.IGNORECASE)
        and " " in word
    ):
        return "FAC"  # "the Salmon Inn"
    is_thing = re.search(rf"\b[Tt]he (?:(?:{_THINGS}) )?{name}\b(?!['’]s? \w)", text)
    return "PRODUCT" if label == "PERSON" and is_thing else label


def _is_part(key: str, row: dict[str, Any], rows: dict[str, dict[str, Any]]) -> bool:
    """Whether a name is the surname or first name of a person who is named in full elsewhere in the text."""
    return any(
        row["entity_group"] == other["entity_group"] == "PERSON" and key != name and key in name.split()
        for name, other in rows.items()
    )


def _capitalised(text: str) -> str:
    """The text with capitals for words that the tagger takes for names, for those after a title, and for places."""
    document = parse(text, entities=False)
    chars = list(text)
    titled = {match.start(1) for match in TITLES.finditer(text)}
    for token in document:
        if token.pos_ == "PROPN" or token.idx in titled or token.lower_ == "i":
            chars[token.idx] = chars[token.idx].upper()
    return "".join(chars)
