"""The language of a request's own words; files, addresses and quoted texts do not count."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from hugginggpt.experts.written_language import ENGLISH, function_words, script_language, words_of
from hugginggpt.media.references import Resource
from hugginggpt.offline.clauses import masked
from hugginggpt.offline.languages.scores import language_scores
from hugginggpt.offline.languages.vocabulary import CODES, WITHOUT_BLANKS, vocabulary

SPANISH = "es"
"""Its questions begin with a mark of its own."""
MAX_OPENING_WORDS = 3
MIN_CONFIDENCE, MIN_CONFIDENCE_OF_FEW = 0.5, 0.9
"""The minimum probability of a language: of which a request has more function words than of English, or not more."""
MIN_FUNCTION_WORDS = 3
"""The function words by which a language that is not understood is told."""


def request_language(text: str, resources: Sequence[Resource]) -> str:
    """The code of the language of a request; English in case of doubt, and for one that mixes it with another."""
    words = " ".join(masked(text, [one for one in resources if one.has_place]).replace("▯", " ").split())
    if not re.search(r"[^\W\d_]", words):
        return ENGLISH
    if code := script_language(words):
        return code
    if re.search("[¿¡]", words):
        return SPANISH
    counts = function_words(words)
    if greeted := _language_of_openings(words):
        return greeted
    if other := _language_not_understood(counts):
        return other
    scores = language_scores(words)
    best = max(scores, key=scores.__getitem__, default=ENGLISH)
    told = max(CODES, key=counts.__getitem__)
    if best == ENGLISH and counts[told] >= MIN_FUNCTION_WORDS - 1 and not counts[ENGLISH]:
        return max((code for code in CODES if counts[code] == counts[told]), key=lambda code: scores.get(code, 0.0))
    ahead = counts[best] - counts[ENGLISH]
    if best == ENGLISH or ahead < 0:
        return ENGLISH
    if not ahead or len(words.split()) == 1:
        is_known = _has_openings(best, words) or counts[best] > 1
        return best if is_known and scores[best] >= MIN_CONFIDENCE_OF_FEW else ENGLISH
    return best if scores[best] >= MIN_CONFIDENCE else ENGLISH


def _language_not_understood(counts: Counter[str]) -> str:
    """A language in Latin letters of which there are more function words than of any that is understood; "" if none."""
    code, number = counts.most_common(1)[0]
    is_understood = any(counts[one] == number for one in (*CODES, ENGLISH))
    return code if number >= MIN_FUNCTION_WORDS and not is_understood else ""


def _language_of_openings(words: str) -> str:
    """The language of a request of one to three words that are all known ones of it ("Guten Tag"); "" for others."""
    tokens = set(words_of(words))
    codes = [code for code in CODES if code not in WITHOUT_BLANKS and tokens <= vocabulary(code).lists["openings"]]
    return codes[0] if codes and len(tokens) <= MAX_OPENING_WORDS else ""


def _has_openings(code: str, words: str) -> bool:
    """Whether a language's words by which short requests begin are among the words."""
    return not vocabulary(code).lists["openings"].isdisjoint(words_of(words))
