"""Languages: the tag of a name or code, the matching code of a model, and language identification.

Here a language is a BCP 47 tag ("de", "zh-Hant"). Models use different codes for it: "de", "deu_Latn", "de_DE",
">>deu<<".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hugginggpt.common.threads import once

ENGLISH = "en"
NONSTANDARD_CODES = {"ns": "nso"}
"""Nonstandard codes: M2M-100's for Northern Sotho."""
MAX_DISTANCE = 9
"""The maximum distance of equivalent tags in CLDR's language matching; that of Norwegian and Bokmål is 1."""
IDENTIFIABLE = (
    "af am ar az ba be bg bn br bs ca cs cy da de el en es et fa fi fr fy ga gd gl gu ha he hi hr ht hu hy id ig is "
    "it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr ms my ne nl no oc or pa pl ps pt ro ru si sk sl so sq "
    "sr sv sw ta th tl tr uk ur uz vi xh yo zh zu"
)
"""The languages that are identified: those of M2M-100 (arXiv 2010.11125) that the identifier knows."""
MIN_CONFIDENCE = 0.2


def tag_of(language: str) -> str:
    """The tag for a language's name or code; "" for an unknown one."""
    import langcodes

    name = " ".join(language.replace("_", "-").split())
    name = NONSTANDARD_CODES.get(name, name)
    if name and langcodes.tag_is_valid(name):
        return str(langcodes.standardize_tag(name))
    try:
        return str(langcodes.find(name).to_tag())
    except LookupError:
        return ""


def name_of(language: str) -> str:
    """The English name of a language, given by name or code; an unknown one is returned unchanged."""
    import langcodes

    tag = tag_of(language)
    return str(langcodes.get(tag).language_name("en")) if tag else language


def code_of(language: str, codes: Iterable[str]) -> str | None:
    """The model's code for a language, given by name or code; None if it has none."""
    import langcodes

    tag = tag_of(language)
    code_by_tag = {known: code for code in reversed([*codes]) if (known := tag_of(_bare_code(code)))}
    best, _ = langcodes.closest_match(tag or "und", list(code_by_tag), max_distance=MAX_DISTANCE)
    if best not in code_by_tag:  # else the same language in another script
        best = next((known for known in code_by_tag if tag and known.partition("-")[0] == tag.partition("-")[0]), "")
    return code_by_tag.get(best)


def names_of(codes: Iterable[str]) -> list[str]:
    """The names of the languages of a model's codes, sorted; unknown codes stay codes."""
    return sorted({name_of(_bare_code(code)) for code in codes})


def _bare_code(code: str) -> str:
    return code.strip("<>")


def language_of(text: str) -> str:
    """The language of a text; English where it is uncertain, as for a single word."""
    tag, _ = _identifier().classify(text)
    return str(tag) if tag != "und" else ENGLISH


@once
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True, min_confidence=MIN_CONFIDENCE)
    identifier.set_languages(IDENTIFIABLE.split())
    return identifier
