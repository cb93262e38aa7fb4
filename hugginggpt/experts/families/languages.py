"""Languages: what a name or code means, which of a model's codes has that meaning, and what language a text is in.

A language is a BCP 47 tag here ("de", "zh-Hant"). Models have codes of their own kind for it: "de", "deu_Latn",
"de_DE", ">>deu<<".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hugginggpt.common.threads import once

ENGLISH = "en"
OWN_CODES = {"ns": "nso"}
"""What is no standard code: M2M-100's for Northern Sotho."""
CLOSE = 9
"""How far apart (CLDR's language matching) two tags may be that mean the same: Norwegian and Bokmål are 1."""
RECOGNISED = (
    "af am ar az ba be bg bn br bs ca cs cy da de el en es et fa fi fr fy ga gd gl gu ha he hi hr ht hu hy id ig is "
    "it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr ms my ne nl no oc or pa pl ps pt ro ru si sk sl so sq "
    "sr sv sw ta th tl tr uk ur uz vi xh yo zh zu"
)
"""The languages among which the one of a text is looked for: M2M-100's (arXiv 2010.11125), as far as it can be told."""
SURE = 0.2


def tag_of(language: str) -> str:
    """The tag for a language's name or code; "" for one that is not known."""
    import langcodes

    name = " ".join(language.replace("_", "-").split())
    name = OWN_CODES.get(name, name)
    if name and langcodes.tag_is_valid(name):
        return str(langcodes.standardize_tag(name))
    try:
        return str(langcodes.find(name).to_tag())
    except LookupError:
        return ""


def name_of(language: str) -> str:
    """The English name of a language that is given by a name or code; as it was given if it is not known."""
    import langcodes

    tag = tag_of(language)
    return str(langcodes.get(tag).language_name("en")) if tag else language


def code_of(language: str, codes: Iterable[str]) -> str | None:
    """The one of a model's codes that means a language, given by name or code; None if it has none."""
    import langcodes

    tag = tag_of(language)
    code_by_tag = {known: code for code in reversed([*codes]) if (known := tag_of(_plain(code)))}
    best, _ = langcodes.closest_match(tag or "und", list(code_by_tag), max_distance=CLOSE)
    if best not in code_by_tag:  # in another script than is usual for it, at least
        best = next((known for known in code_by_tag if tag and known.partition("-")[0] == tag.partition("-")[0]), "")
    return code_by_tag.get(best)


def names_of(codes: Iterable[str]) -> list[str]:
    """The languages that a model's codes mean, in alphabetical order; codes that are not known stay codes."""
    return sorted({name_of(_plain(code)) for code in codes})


def _plain(code: str) -> str:
    return code.strip("<>")


def language_of(text: str) -> str:
    """The language of a text; English in doubt, as in that about a single word."""
    tag, _ = _identifier().classify(text)
    return str(tag) if tag != "und" else ENGLISH


@once
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True, min_confidence=SURE)
    identifier.set_languages(RECOGNISED.split())
    return identifier
