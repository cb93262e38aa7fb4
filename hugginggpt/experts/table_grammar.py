"""What kind of question a text puts to a table: one for yes or no, or what it holds; and the peoples that it names."""

from __future__ import annotations

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts import grammar
from hugginggpt.experts.table_words import LIGHT_VERBS, OVERVIEW, WEIGHTLESS


def is_yes_or_no(question: str) -> bool:
    """Whether a question begins with "be", "do" or "have"."""
    words = [word for word in grammar.words(question) if word.tag not in ("UH", "CC", "RB") and not word.is_mark]
    return len(words) > 1 and words[0].lemma in ("be", "do", "have") and words[0].tag in ("VB", "VBD", "VBZ", "VBP")


def asks_overview(question: str) -> bool:
    """Whether a text asks what a table holds: "describe this", "what's in it"."""
    spoken = [word for word in grammar.words(question) if not word.is_mark]
    lemmas = {word.lemma for word in spoken} | {word.lower for word in spoken}
    return bool(lemmas & OVERVIEW) or "what be in" in " ".join(word.lemma for word in spoken)


def is_about_the_whole(question: str, names: bool) -> bool:
    """Whether a text that names no column or value of a table asks for an overview of it, or asks nothing at all;
    `names` tells that it has words for anything else.
    """
    if asks_overview(question):
        return True
    spoken = [word for word in grammar.words(question) if not word.is_mark]
    asks = any(word.tag.startswith("W") for word in spoken) or is_yes_or_no(question)
    orders = any(word.is_verb and word.lemma not in LIGHT_VERBS | WEIGHTLESS for word in spoken)
    return not (asks or orders or "?" in question or names)


def peoples(question: str) -> frozenset[str]:
    """The words, in lower case, for the people of a country: "German", "the Dutch"."""
    try:
        doc = grammar.parse(question)
    except (ExpertUnavailable, ImportError):
        return frozenset()
    return frozenset(token.lower_ for token in doc if token.ent_type_ == "NORP")
