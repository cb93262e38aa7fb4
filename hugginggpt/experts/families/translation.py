"""Translation models. They take the target language as a token, as a code before the text, or as a prompt."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from hugginggpt.core.errors import UserError
from hugginggpt.experts.families import Args, Run, family
from hugginggpt.experts.families.generation import Seq2SeqGenerator, is_seq2seq, is_t5
from hugginggpt.experts.families.languages import ENGLISH, code_of, language_of, name_of, names_of, tag_of
from hugginggpt.experts.families.pieces import checked, join_sentences, split
from hugginggpt.experts.source import Source

LANGUAGE_TOKEN = re.compile(r"[a-z]{2,3}_[A-Z][A-Za-z]{1,3}")
"""The language tokens of NLLB (deu_Latn) and mBART (de_DE)."""
MAX_NAMED_LANGUAGES = 30

Key = tuple[str, ...]
Translate = Callable[[list[str], Key], list[str]]


class UnknownLanguage(UserError):
    """The model does not translate to that language."""

    def __init__(self, model: str, language: str, codes: Iterable[str]) -> None:
        names = names_of(codes)
        more = f" and {len(names) - MAX_NAMED_LANGUAGES} more" if len(names) > MAX_NAMED_LANGUAGES else ""
        known = ", ".join(names[:MAX_NAMED_LANGUAGES]) + more
        reason = f"does not translate to {language}" if language else "needs to know the language to translate to"
        super().__init__(f"{model} {reason}: it has {known}.")


def by_sentence(limit: int, writer: Seq2SeqGenerator, key_of: Callable[[Args], Key], translate: Translate) -> Run:
    """Translates sentence by sentence, as the models were trained; line breaks are kept.

    `key_of` returns the parameters of a request for `translate`; sentences with the same key form a batch.
    """

    def run(requests: Sequence[Args]) -> list[Any]:
        keys = [key_of(request) for request in requests]
        lines = [
            (index, line) for index, request in enumerate(requests) for line in checked(request["text"]).splitlines()
        ]
        chunks = [(keys[index], row, part) for row, (index, line) in enumerate(lines)
                  for part in split(line, limit, writer.length)]  # fmt: skip
        translated: dict[int, list[str]] = {}
        for key, group in groupby(sorted(chunks, key=lambda chunk: chunk[:2]), key=lambda chunk: chunk[0]):
            members = list(group)
            for (_, row, _), text in zip(members, translate([p[2] for p in members], key), strict=True):
                translated.setdefault(row, []).append(text)
        return [
            "\n".join(
                join_sentences(translated.get(row, []))
                for row, (request_index, _) in enumerate(lines)
                if request_index == index
            )
            for index in range(len(requests))
        ]

    return run


def _has_language_tokens(source: Source) -> bool:
    return source.model_type in ("m2m_100", "nllb-moe", "mbart")


@family("translation", "text2text-generation", when=_has_language_tokens, batch=8)
def with_language_tokens(source: Source) -> Run:
    """M2M100, NLLB, mBART-50: decoding starts with the token of the target language (arXiv 2010.11125, 2207.04672).

    The source language is identified; the default target of a text in another language is English.
    """
    writer = Seq2SeqGenerator(source, "translation")
    tokenizer = writer.tokenizer
    codes = _language_codes(tokenizer)
    writer.unspoken = frozenset(codes.values())  # not every tokenizer marks them as special

    def key(request: Args) -> Key:
        source_language = language_of(request["text"])
        requested = request.get("language") or (ENGLISH if source_language != ENGLISH else "")
        target = code_of(requested, codes) if requested else None
        if target is None:
            raise UnknownLanguage(source.id, requested, codes)
        return code_of(source_language, codes) or code_of(ENGLISH, codes) or target, target

    def translate(texts: list[str], key: Key) -> list[str]:
        source_language, target = key
        tokenizer.src_lang = source_language
        return writer.generate_texts(texts, forced_bos_token_id=codes[target])

    return by_sentence(writer.limit, writer, key, translate)


def _language_codes(tokenizer: Any) -> dict[str, int]:
    """The ids of the language tokens, by the tokenizer's codes."""
    known: Mapping[str, int] | None = getattr(tokenizer, "lang_code_to_id", None)
    if known:
        return dict(known)
    tokens = [str(token) for token in tokenizer.all_special_tokens if LANGUAGE_TOKEN.fullmatch(str(token))]
    return dict(zip(tokens, tokenizer.convert_tokens_to_ids(tokens), strict=True))


@family("translation", when=lambda source: source.model_type == "marian", batch=8)
def marian(source: Source) -> Run:
    """OPUS-MT: the model's own pair; with several targets the code of the language precedes each sentence."""
    writer = Seq2SeqGenerator(source, "translation")
    codes: list[str] = list(writer.tokenizer.supported_language_codes)
    target = writer.tokenizer.target_lang or source.id.rpartition("-")[2]

    def key(request: Args) -> Key:
        requested = request.get("language") or ""
        if not codes:
            if requested and code_of(requested, [target]) is None:
                raise UnknownLanguage(source.id, requested, [target])
            return ("",)
        code = code_of(requested, codes) if requested else None
        if code is None:
            raise UnknownLanguage(source.id, requested, codes)
        return (f"{code} ",)

    return by_sentence(
        writer.limit - 2, writer, key, lambda texts, key: writer.generate_texts([key[0] + text for text in texts])
    )


@family("translation", when=is_t5, batch=8)
def t5(source: Source) -> Run:
    """T5, with the prompt "translate English to German: ". The original T5 has only the languages in its settings."""
    writer = Seq2SeqGenerator(source, "translation")
    prefixes = {
        name.rpartition("_to_")[2]: str(settings["prefix"])
        for name, settings in (source.config.get("task_specific_params") or {}).items()
        if name.startswith("translation_en_to_") and settings.get("prefix")
    }

    def key(request: Args) -> Key:
        requested = request.get("language") or ""
        if prefixes:
            code = code_of(requested, prefixes) if requested else None
            if code is None:
                raise UnknownLanguage(source.id, requested, prefixes)
            return (prefixes[code],)
        source_language = language_of(request["text"])
        if tag_of(requested or ENGLISH) == source_language:
            raise UserError(
                f"The text is in {name_of(source_language)} already: say which language to translate it to."
            )
        return (f"translate {name_of(source_language)} to {name_of(requested or ENGLISH)}: ",)

    limit = writer.limit - writer.length("translate English to Portuguese: ")
    return by_sentence(limit, writer, key, lambda texts, key: writer.generate_texts([key[0] + text for text in texts]))


@family("translation", when=is_seq2seq, batch=8)
def fixed_pair(source: Source) -> Run:
    """Other encoder-decoders, trained for a fixed pair of languages, which not all of them name."""
    writer = Seq2SeqGenerator(source, "translation")
    target = getattr(writer.tokenizer, "tgt_lang", None)

    def key(request: Args) -> Key:
        requested = request.get("language") or ""
        if target and requested and code_of(requested, [target]) is None:
            raise UnknownLanguage(source.id, requested, [target])
        return (writer.prefix,)

    return by_sentence(
        writer.limit, writer, key, lambda texts, key: writer.generate_texts([key[0] + text for text in texts])
    )
