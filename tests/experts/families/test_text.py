"""Every family of text models: a tiny model of the architecture, over real HTTP through the model server."""

from __future__ import annotations

import importlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from hugginggpt.core.errors import ExpertUnavailable, UserError
from hugginggpt.experts.families.languages import code_of, language_of, name_of, names_of, tag_of
from hugginggpt.experts.families.pieces import MAX_CHARS, join_sentences, packed, split
from hugginggpt.testing.servers import Serving
from tests.experts.families import tiny_audio, tiny_text
from tests.experts.families.loading import assert_batches, load, load_folder, prompts_of, refused, same

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("same_weights")]

SHORT, LONG = "the cat sat on the mat", "Marie Curie was born in Warsaw and worked in Paris, said the cat. " * 8


# Readers


def test_text_classification(server: Serving, models: Path) -> None:
    tiny_text.text_classification(models / "tiny")
    model = server.add(models / "tiny", "text-classification")
    answer = server.ask(model, text=SHORT)
    assert {row["label"] for row in answer} == {"POSITIVE", "NEGATIVE"}
    assert sum(row["score"] for row in answer) == pytest.approx(1, abs=1e-4)
    assert answer == sorted(answer, key=lambda row: -row["score"])
    assert len(server.ask(model, text="word " * 500)) == 2  # longer than the model reads
    assert_batches(load_folder(models / "tiny", "text-classification"), [{"text": SHORT}, {"text": LONG}])


def test_requests_at_the_same_time_get_the_answers_that_each_gets_alone(server: Serving, models: Path) -> None:
    tiny_text.roberta_classification(models / "tiny")
    model = server.add(models / "tiny", "text-classification")
    texts = [" ".join(["the cat sat on the moon"] * count) for count in range(1, 13)]
    alone = [server.ask(model, text=text) for text in texts]
    assert not same(alone[0], alone[-1])
    with ThreadPoolExecutor(len(texts)) as threads:
        together = list(threads.map(lambda text: server.ask(model, text=text), texts * 2))
    assert same(together, alone * 2)


def test_classes_that_may_hold_at_once_and_a_limit_that_only_the_positions_tell(server: Serving, models: Path) -> None:
    tiny_text.roberta_classification(models / "tiny")
    model = server.add(models / "tiny", "text-classification")
    answer = server.ask(model, text="word " * 500)
    assert len(answer) == 3
    assert sum(row["score"] for row in answer) != pytest.approx(1, abs=1e-2)


def test_zero_shot_classification(server: Serving, models: Path) -> None:
    tiny_text.inference(models / "tiny")
    model = server.add(models / "tiny", "zero-shot-classification")
    answer = server.ask(model, text=LONG, labels=["travel", "cats", "moon"])
    assert [row["label"] for row in answer] != [] and {row["label"] for row in answer} == {"travel", "cats", "moon"}
    assert sum(row["score"] for row in answer) == pytest.approx(1, abs=1e-4)
    (only,) = server.ask(model, text=SHORT, labels="cats")
    assert 0 < only["score"] < 1
    assert "labels" in refused(server, model, 400, text=SHORT, labels=[" "])
    loaded = load_folder(models / "tiny", "zero-shot-classification")
    assert_batches(loaded, [{"text": SHORT, "labels": ["cat", "dog"]}, {"text": LONG, "labels": ["moon"]}])


def test_zero_shot_classification_needs_a_model_for_inference(server: Serving, models: Path) -> None:
    tiny_text.text_classification(models / "tiny")
    model = server.add(models / "tiny", "zero-shot-classification")
    assert "entailment" in refused(server, model, 422, text=SHORT, labels=["cats"])


def test_token_classification(server: Serving, models: Path) -> None:
    tiny_text.token_classification(models / "tiny")
    model = server.add(models / "tiny", "token-classification")
    text = "the cat looked at the moon. " * 30 + "Marie Curie sat in Warsaw on the mat."
    found = [row for row in server.ask(model, text=text) if row["word"] in ("Marie Curie", "Warsaw")]
    assert [(row["entity_group"], text[row["start"] : row["end"]]) for row in found] == [
        ("PER", "Marie Curie"), ("LOC", "Warsaw"),
    ]  # fmt: skip
    assert all(0.5 < row["score"] <= 1 for row in found)
    assert_batches(load_folder(models / "tiny", "token-classification"), [{"text": text}, {"text": "Curie"}])


def test_question_answering_in_the_last_window(server: Serving, models: Path) -> None:
    tiny_text.question_answering(models / "tiny")
    model = server.add(models / "tiny", "question-answering")
    context = "the cat sat on the mat and looked at the moon. " * 30 + "She was born in Warsaw, says the invoice."
    answer = server.ask(model, question="where was she born?", context=context)
    assert answer["answer"] == "Warsaw" == context[answer["start"] : answer["end"]]
    assert answer["start"] > len(context) - 40
    assert 0.5 < answer["score"] <= 1
    assert server.ask(model, question="what " * 200, context="in Warsaw it was")["answer"] == "Warsaw"
    assert "needs context" in refused(server, model, 400, question="what?", context="  ")
    assert "nothing that can be read" in refused(server, model, 400, question="what?", context="\u200b")
    loaded = load_folder(models / "tiny", "question-answering")
    assert_batches(loaded, [{"text": "where?", "context": context}, {"text": "who is it, then?", "context": "Warsaw"}])


def test_the_best_span_of_a_window() -> None:
    import torch

    from hugginggpt.experts.families.questions import best_span

    starts, ends = torch.zeros(12), torch.zeros(12)
    starts[1], ends[2] = 50, 50  # in the question
    starts[8], ends[6], ends[9] = 5, 6, 4  # the best end lies before the best start
    context = torch.tensor([False] * 4 + [True] * 7 + [False])
    no_answer = torch.tensor([True] + [False] * 11)
    span = best_span(starts, ends, context, no_answer)
    assert span and (span.start, span.end) == (8, 9)
    begin = starts[[0, *range(4, 11)]].softmax(0)
    stop = ends[[0, *range(4, 11)]].softmax(0)
    assert span.score == pytest.approx(float(begin[5] * stop[6]), abs=1e-6)
    starts[0], ends[0] = 9, 9  # no answer here: the others share what is left
    unsure = best_span(starts, ends, context, no_answer)
    assert unsure and unsure.score < span.score / 10
    assert best_span(starts, ends, torch.zeros(12, dtype=torch.bool), no_answer) is None


def test_fill_mask(server: Serving, models: Path) -> None:
    tiny_text.masked(models / "tiny")
    model = server.add(models / "tiny", "fill-mask")
    own = server.ask(model, text="The [MASK] sat on the mat.")
    assert len(own) == 5 and own == sorted(own, key=lambda row: -row["score"])
    for row in own:
        word = row["token_str"].removeprefix("##")
        assert word and word not in ("[MASK]", "[PAD]", "[CLS]")
        assert row["sequence"].replace(" ", "") == f"The{word}satonthemat."
        assert 0 < row["score"] < 1
    assert server.ask(model, text="The <mask> sat on the mat.") == own
    several = server.ask(model, text="[MASK] sat on the <mask>")
    assert len(several) == 5 and not any("MASK" in row["sequence"].upper() for row in several)
    assert "[MASK]" in refused(server, model, 400, text="nothing is missing")
    assert "beyond" in refused(server, model, 400, text="word " * 200 + "[MASK]")
    assert_batches(load_folder(models / "tiny", "fill-mask"), [{"text": "[MASK] cat"}, {"text": LONG[:100] + "<mask>"}])


@pytest.mark.parametrize(
    ("pooling", "dense"),
    [
        (None, 0),
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, 0),
        ({"pooling_mode": "max"}, 0),
        ({"pooling_mode_mean_tokens": True, "pooling_mode_max_tokens": True}, 0),
        ({"pooling_mode_mean_tokens": True}, 8),
    ],
)
def test_sentence_similarity(models: Path, pooling: dict[str, Any] | None, dense: int) -> None:
    loaded = load(tiny_text.sentence_transformer, "sentence-similarity", models, pooling, dense)
    answers = assert_batches(loaded, [{"text1": SHORT, "text2": SHORT}, {"text1": "the moon", "text2": LONG}])
    assert answers[0] == [pytest.approx(1, abs=1e-5)]
    assert answers[1] == pytest.approx(loaded.one(text1=LONG, text2="the moon"), abs=1e-5)
    assert -1 < answers[1][0] < 0.9999


def test_sentence_similarity_pools_as_its_folder_says(server: Serving, models: Path) -> None:
    import torch
    from transformers import AutoModel, AutoTokenizer

    tiny_text.sentence_transformer(models / "tiny", {"pooling_mode_cls_token": True})
    model = server.add(models / "tiny", "sentence-similarity")
    encoder, tokenizer = AutoModel.from_pretrained(models / "tiny"), AutoTokenizer.from_pretrained(models / "tiny")
    with torch.inference_mode():
        first, second = (encoder(**tokenizer(text, return_tensors="pt")).last_hidden_state[0, 0]
                         for text in (SHORT, "the moon"))  # fmt: skip
    expected = float(torch.nn.functional.cosine_similarity(first, second, dim=0))
    assert server.ask(model, text1=SHORT, text2="the moon") == [pytest.approx(expected, abs=1e-4)]


def test_sentence_similarity_of_a_trained_model(server: Serving, minilm_folder: Path) -> None:
    """The model of the embedded expert, which has an encoder and int8 weights of its own, through the family."""
    from hugginggpt.experts.minilm import similarities

    model = server.add(minilm_folder, "sentence-similarity")
    for text in ("A kitten is sitting on a rug.", "Stock prices fell."):
        (cosine,) = server.ask(model, text1="A cat sits on the mat.", text2=text)
        assert cosine == pytest.approx(similarities("A cat sits on the mat.", [text])[0], abs=0.01)


def test_sentence_similarity_refuses_a_pickled_layer(server: Serving, models: Path) -> None:
    tiny_text.sentence_transformer(models / "tiny", {"pooling_mode_mean_tokens": True}, dense=8)
    (models / "tiny" / "2_Dense" / "model.safetensors").rename(models / "tiny" / "2_Dense" / "pytorch_model.bin")
    model = server.add(models / "tiny", "sentence-similarity")
    assert "pickled" in refused(server, model, 422, text1=SHORT, text2="the moon")


# Writers


def test_summarization(server: Serving, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny_text.bart(models / "tiny")
    model = server.add(models / "tiny", "summarization")
    assert len(server.ask(model, text=LONG)["generated text"]) > 5
    loaded = load_folder(models / "tiny", "summarization")
    assert_batches(loaded, [{"text": LONG}, {"text": SHORT}, {"text": "hi"}])
    asked = prompts_of(loaded, monkeypatch)
    loaded.one(text=LONG)
    assert sum(len(prompt["input_ids"]) for prompt in asked) > 1  # in parts, none cut off
    assert all(prompt["input_ids"].shape[1] <= 64 for prompt in asked)
    assert {prompt["num_beams"] for prompt in asked} == {2}  # the model's own settings for the task
    assert {prompt["min_length"] for prompt in asked} == {8}
    asked.clear()
    loaded.one(text="hi")
    assert asked[0]["min_length"] < 8  # a short text is not made longer


def test_a_t5_is_told_to_summarise(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = load(tiny_text.t5, "summarization", models, taught=True)
    asked = prompts_of(loaded, monkeypatch)
    loaded.one(text=SHORT)
    assert _read(models, asked[0]["input_ids"][0]) == f"summarize: {SHORT}"


def test_text2text_generation(server: Serving, models: Path) -> None:
    tiny_text.t5(models / "tiny")
    model = server.add(models / "tiny", "text2text-generation")
    assert isinstance(server.ask(model, text="paraphrase: the cat")["generated text"], str)
    requests = [{"text": "paraphrase: the cat"}, {"text": LONG}]
    assert_batches(load_folder(models / "tiny", "text2text-generation"), requests)
    assert "characters" in refused(server, model, 400, text="long " * MAX_CHARS)


def test_t5_translates_to_the_languages_that_it_was_taught(
    server: Serving, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny_text.t5(models / "tiny", taught=True)
    model = server.add(models / "tiny", "translation")
    assert server.ask(model, text=SHORT, language="German")["generated text"]
    message = refused(server, model, 400, text=SHORT, language="Klingon")
    assert "Klingon" in message and "French, German" in message
    assert "needs to know the language" in refused(server, model, 400, text=SHORT)
    loaded = load_folder(models / "tiny", "translation")
    asked = prompts_of(loaded, monkeypatch)
    loaded.one(text="the cat sat.\nthe moon.", language="fr")
    read = [_read(models, row) for row in asked[0]["input_ids"]]
    assert read == ["translate English to French: the cat sat.", "translate English to French: the moon."]
    requests = [{"text": SHORT, "language": "German"}, {"text": LONG, "language": "French"}]
    assert_batches(loaded, requests)


def test_another_t5_is_told_any_language(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = load(tiny_text.t5, "translation", models)
    asked = prompts_of(loaded, monkeypatch)
    loaded.one(text="guten Morgen und danke")
    loaded.one(text=SHORT, language="es")
    assert _read(models, asked[0]["input_ids"][0]).startswith("translate German to English: guten")
    assert _read(models, asked[1]["input_ids"][0]).startswith("translate English to Spanish: the cat")


def test_marian_has_one_pair(server: Serving, models: Path) -> None:
    tiny_text.marian(models / "tiny")
    model = server.add(models / "tiny", "translation")
    assert server.ask(model, text=SHORT) == server.ask(model, text=SHORT, language="German")
    lines = server.ask(model, text="the cat sat.\n\nthe moon.")["generated text"].split("\n")
    assert len(lines) == 3 and lines[0] and not lines[1] and lines[2]
    message = refused(server, model, 400, text=SHORT, language="French")
    assert "French" in message and message.endswith("it has German.")
    assert_batches(load_folder(models / "tiny", "translation"), [{"text": SHORT}, {"text": LONG}])


def test_marian_with_several_targets_is_told_by_a_code(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from transformers import MarianTokenizer

    loaded = load(tiny_text.marian, "translation", models, codes=[">>deu<<", ">>fra<<"], target="mul")
    asked = prompts_of(loaded, monkeypatch)
    tokenizer = MarianTokenizer.from_pretrained(next(models.iterdir()))
    for language, code in {"German": ">>deu<<", "fr": ">>fra<<"}.items():
        loaded.one(text=SHORT, language=language)
        assert tokenizer.convert_ids_to_tokens(int(asked[-1]["input_ids"][0, 0])) == code
    for wanted in ({}, {"language": "Finnish"}):
        with pytest.raises(UserError, match="French, German"):
            loaded.one(text=SHORT, **wanted)


@pytest.mark.parametrize(
    ("make", "german", "english", "russian"),
    [(tiny_text.m2m100, "de", "en", "ru"), (tiny_text.nllb, "deu_Latn", "eng_Latn", "rus_Cyrl")],
)
def test_decoding_starts_with_the_language(
    make: Any, german: str, english: str, russian: str, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from transformers import AutoTokenizer

    loaded = load(make, "translation", models)
    asked = prompts_of(loaded, monkeypatch)
    tokenizer = AutoTokenizer.from_pretrained(next(models.iterdir()))
    known = getattr(tokenizer, "lang_code_to_id", None) or {
        code: tokenizer.convert_tokens_to_ids(code) for code in (german, english, russian)
    }
    text = loaded.one(text=SHORT, language="German")
    assert asked[-1]["input_ids"][0, 0] == known[english]
    assert asked[-1]["made"][0, 1] == known[german]
    assert not text.startswith("__") and "_Latn" not in text  # the token is no part of the text
    loaded.one(text="Доброе утро")  # no language: to English, from what the letters tell
    assert asked[-1]["input_ids"][0, 0] == known[russian]
    assert asked[-1]["made"][0, 1] == known[english]
    assert_batches(loaded, [{"text": SHORT, "language": "German"}, {"text": LONG, "language": "French"}])


@pytest.mark.parametrize("make", [tiny_text.m2m100, tiny_text.nllb])
def test_a_language_that_the_model_does_not_have(server: Serving, models: Path, make: Any) -> None:
    make(models / "tiny")
    model = server.add(models / "tiny", "translation")
    assert isinstance(server.ask(model, text=SHORT, language="Chinese")["generated text"], str)
    message = refused(server, model, 400, text=SHORT, language="Klingon")
    assert "does not translate to Klingon" in message and "Chinese" in message
    assert "needs to know" in refused(server, model, 400, text=SHORT)


def test_text_generation(server: Serving, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny_text.gpt2(models / "tiny")
    model = server.add(models / "tiny", "text-generation")
    for prompt in (SHORT, LONG):  # the second is longer than the model reads
        text = server.ask(model, text=prompt)["generated text"]
        assert text.startswith(prompt) and len(text) > len(prompt)
    loaded = load_folder(models / "tiny", "text-generation")
    asked = prompts_of(loaded, monkeypatch)
    assert_batches(loaded, [{"text": SHORT}, {"text": LONG}])
    assert all(prompt["made"].shape[1] <= 64 for prompt in asked)
    assert _read(models, asked[-1]["input_ids"][0]) == LONG[-len(_read(models, asked[-1]["input_ids"][0])) :]


def test_conversation_by_chat_template(server: Serving, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny_text.llama_chat(models / "tiny")
    model = server.add(models / "tiny", "conversational")
    assert server.ask(model, text="hi, how are you?")["generated text"]
    loaded = load_folder(models / "tiny", "conversational")
    asked = prompts_of(loaded, monkeypatch)
    reply = loaded.one(text="how are you?")
    prompt = _read(models, asked[0]["input_ids"][0], special=True)
    assert prompt == "<s><|user|>how are you?</s><|assistant|>"
    assert "<|assistant|>" not in reply and "</s>" not in reply
    assert_batches(loaded, [{"text": "hi"}, {"text": "how is the cat on the moon?"}])


def test_conversation_without_a_template(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny_text.gpt2(models / "tiny")
    tiny_text.add_to_config(models / "tiny", task_specific_params={"conversational": {"max_length": 1000}})
    loaded = load_folder(models / "tiny", "conversational")  # as DialoGPT
    asked = prompts_of(loaded, monkeypatch)
    assert isinstance(loaded.one(text="how are you?"), str)
    assert _read(models, asked[0]["input_ids"][0], special=True) == "how are you?<|endoftext|>"


def test_conversation_by_an_encoder_decoder(server: Serving, models: Path) -> None:
    tiny_text.blenderbot(models / "tiny")
    model = server.add(models / "tiny", "conversational")
    assert isinstance(server.ask(model, text="hi, how are you?")["generated text"], str)
    assert_batches(load_folder(models / "tiny", "conversational"), [{"text": "hi"}, {"text": LONG}])


def _read(models: Path, ids: Any, special: bool = False) -> str:
    """Token ids as text, by the tokenizer of the one model in a folder."""
    from transformers import AutoTokenizer

    return str(AutoTokenizer.from_pretrained(next(models.iterdir())).decode(ids, skip_special_tokens=not special))


# Bad input

MAKES: dict[str, Any] = {
    "text-classification": tiny_text.text_classification, "zero-shot-classification": tiny_text.inference,
    "token-classification": tiny_text.token_classification, "question-answering": tiny_text.question_answering,
    "fill-mask": tiny_text.masked, "summarization": tiny_text.bart, "translation": tiny_text.marian,
    "text2text-generation": tiny_text.t5, "text-generation": tiny_text.gpt2, "conversational": tiny_text.llama_chat,
}  # fmt: skip
SECOND = {"zero-shot-classification": {"labels": ["cats"]}, "question-answering": {"context": "in Warsaw"}}


@pytest.mark.parametrize("task", MAKES)
def test_an_argument_that_is_missing_or_blank(server: Serving, models: Path, task: str) -> None:
    MAKES[task](models / "tiny")
    model = server.add(models / "tiny", task)
    second = SECOND.get(task, {})
    assert f"{task} needs text" in refused(server, model, 400, **second)
    assert f"{task} needs text" in refused(server, model, 400, text=" \n", **second)
    for name in second:
        assert f"{task} needs {name}" in refused(server, model, 400, text=SHORT)
    assert "should be a text" in refused(server, model, 400, text=["a", "b"], **second)
    assert f"is for {task}, not for" in refused(server, model, 400, text=SHORT, task="object-detection")
    server.ask(model, text=f"{SHORT} [MASK]" if task == "fill-mask" else SHORT, **second)  # it lives on


@pytest.mark.parametrize(
    ("task", "make"),
    [
        ("text-classification", tiny_text.masked), ("text-classification", tiny_audio.vits),
        ("zero-shot-classification", tiny_text.masked), ("token-classification", tiny_text.text_classification),
        ("question-answering", tiny_text.token_classification), ("question-answering", tiny_audio.vits),
        ("fill-mask", tiny_text.question_answering), ("fill-mask", tiny_text.gpt2), ("summarization", tiny_text.gpt2),
        ("translation", tiny_text.masked), ("text2text-generation", tiny_text.gpt2),
        ("text-generation", tiny_text.t5), ("conversational", tiny_text.text_classification),
        ("sentence-similarity", tiny_audio.vits), ("tabular-classification", tiny_text.gpt2),
    ],
)  # fmt: skip
def test_a_model_of_another_task_is_refused(server: Serving, models: Path, task: str, make: Any) -> None:
    make(models / "tiny")
    model = server.add(models / "tiny", task)
    args = {
        "sentence-similarity": {"text1": "a", "text2": "b"}, "tabular-classification": {"table": "a,b\n1,2"},
    }.get(task, {"text": SHORT, **SECOND.get(task, {})})  # fmt: skip
    message = refused(server, model, 422, **args)
    assert f"is not a model that can be run here for {task}" in message or "is not a scikit-learn model" in message


# Pieces and languages


def test_long_texts_are_cut_between_sentences_where_that_is_possible() -> None:
    text = "One is here. Two is there, and it goes on; it does not end. Three!"
    assert split(text, 100) == ["One is here.", "Two is there, and it goes on; it does not end.", "Three!"]
    assert split(text, 30) == ["One is here.", "Two is there, and it goes on;", "it does not end.", "Three!"]
    assert packed(split(text, 30), 45) == ["One is here. Two is there, and it goes on;", "it does not end. Three!"]
    assert all(len(piece) <= 10 for piece in split("a" * 1000, 10))
    assert "".join(split("a" * 1000, 10)) == "a" * 1000
    chinese = "你好。世界很大！是吗？"
    assert split(chinese, 100) == ["你好。", "世界很大！", "是吗？"]
    assert join_sentences(split(chinese, 100)) == chinese


def test_languages_by_name_and_code() -> None:
    assert tag_of("deu_Latn") == tag_of("German") == tag_of(" german") == tag_of("Deutsch") == tag_of("ger") == "de"
    assert (tag_of("de-DE"), tag_of("Blablaish"), tag_of("")) == ("de-DE", "", "")
    assert (name_of("fr"), name_of("fra_Latn"), name_of("no language")) == ("French", "French", "no language")
    assert names_of([">>fra<<", ">>deu<<"]) == ["French", "German"]


@pytest.mark.parametrize(
    ("language", "codes", "code"),
    [
        ("German", ["fr", "de"], "de"), ("german", ["de_DE", "fr_XX"], "de_DE"), ("de", ["deu_Latn"], "deu_Latn"),
        ("Chinese", ["zho_Hant", "zho_Hans"], "zho_Hans"), ("Chinese", ["zho_Hant"], "zho_Hant"),
        ("Traditional Chinese", ["zho_Hans", "zho_Hant"], "zho_Hant"), ("zh-CN", ["zh"], "zh"),
        ("Brazilian Portuguese", [">>spa<<", ">>por<<"], ">>por<<"), ("Arabic", ["arb_Arab"], "arb_Arab"),
        ("Farsi", ["pes_Arab"], "pes_Arab"), ("Norwegian", ["nno_Latn", "nob_Latn"], "nob_Latn"),
        ("Klingon", ["de", "tl"], None), ("Catalan", ["es", "fr"], None), ("", ["de"], None),
    ],
)  # fmt: skip
def test_the_code_that_a_model_has_for_a_language(language: str, codes: list[str], code: str | None) -> None:
    assert code_of(language, codes) == code


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The cat sat on the mat", "en"), ("Guten Morgen, wie geht es dir?", "de"), ("xyz", "en"), ("Hello", "en"),
        ("Où est la gare, je ne sais pas", "fr"), ("Доброе утро", "ru"), ("Доброго ранку, її ім'я", "uk"),
        ("こんにちは世界", "ja"), ("你好世界", "zh"), ("صباح الخير", "ar"), ("Καλημέρα", "el"), ("Hyvää huomenta", "fi"),
    ],
)  # fmt: skip
def test_the_language_of_a_text(text: str, language: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize("family", ["m2m_100", "nllb"])
def test_every_language_of_a_model_is_known(family: str) -> None:
    module = importlib.import_module(f"transformers.models.{family}.tokenization_{family}")
    listed = module.FAIRSEQ_LANGUAGE_CODES
    codes = listed["m2m100"] if family == "m2m_100" else listed
    assert [code for code in codes if name_of(code) == code] == []
    assert [code for code in codes if code_of(code, codes) != code] == []


# Tables


def flowers() -> tuple[list[dict[str, Any]], list[str]]:
    rows = [{"length": 1.0 + at % 5, "colour": "red" if at % 2 else "blue"} for at in range(20)]
    return rows, ["rose" if row["colour"] == "red" else "iris" for row in rows]


def fitted() -> Any:
    """A pipeline as on the Hub: columns by name, texts and numbers, a forest."""
    import pandas
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    columns = make_column_transformer((StandardScaler(), ["length"]), (OneHotEncoder(), ["colour"]))
    rows, classes = flowers()
    return make_pipeline(columns, RandomForestClassifier(5, random_state=0)).fit(pandas.DataFrame(rows), classes)


def test_tabular_classification(server: Serving, models: Path) -> None:
    tiny_text.tabular(models / "tiny", fitted())
    model = server.add(models / "tiny", "tabular-classification")
    table = "id,colour,length\n1,red,2\n2,blue,3.5\n3,red,1"
    assert server.ask(model, table=table) == ["rose", "iris", "rose"]
    assert server.ask(model, table="colour;length;kind\nred;2;rose\nblue;3;\nred;1;?") == ["iris", "rose"]
    with (models / "t.csv").open("w", encoding="utf-8") as file:
        file.write(table)
    with (models / "t.csv").open("rb") as file:
        response = server.post(model, files={"table": ("t.csv", file)})
    assert response.json() == ["rose", "iris", "rose"]
    assert "length" in refused(server, model, 400, table="id,colour\n1,red")


def test_tabular_classification_without_names_takes_the_columns_in_order(models: Path) -> None:
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression().fit([[0.0, 1.0], [0.1, 0.9], [1.0, 0.0], [0.9, 0.2]], [0, 0, 1, 1])
    loaded = load(tiny_text.tabular, "tabular-classification", models, model)
    assert loaded.one(table="a,b,class\n0,1,\n1,0,") == [0, 1]
    named = load(tiny_text.tabular, "tabular-classification", models, model, columns=["b", "a"])
    assert named.one(table="a,b\n0,1\n1,0") == [1, 0]


def test_pickled_tables_are_refused(server: Serving, models: Path) -> None:
    (models / "tiny").mkdir()
    (models / "tiny" / "model.pkl").write_bytes(b"\x80\x04N.")
    model = server.add(models / "tiny", "tabular-classification")
    assert "pickled" in refused(server, model, 422, table="a,b\n1,2")


def test_a_skops_file_with_a_function_is_refused_by_name(server: Serving, models: Path) -> None:
    import os

    import numpy as np
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    for at, function in enumerate((os.system, np.testing.rundocs)):
        tiny_text.tabular(models / f"bad{at}", make_pipeline(FunctionTransformer(function)))
        model = server.add(models / f"bad{at}", "tabular-classification")
        message = refused(server, model, 422, table="a,b\n1,2")
        assert "not loaded for safety" in message and function.__name__ in message


def test_a_decision_tree_that_points_outside_of_itself_is_refused(models: Path) -> None:
    from sklearn.tree import DecisionTreeClassifier

    for field, value in {"left_child": 10_000, "feature": 77, "right_child": 0}.items():
        model = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
        state = model.tree_.__getstate__()
        nodes = state["nodes"].copy()
        nodes[field][0] = value
        model.tree_.__setstate__({**state, "nodes": nodes})
        with pytest.raises(ExpertUnavailable, match="outside of it"):
            load(tiny_text.tabular, "tabular-classification", models, model)


def test_a_damaged_skops_file_is_told(models: Path) -> None:
    (models / "bad").mkdir()
    (models / "bad" / "model.skops").write_bytes(b"no zip")
    with pytest.raises(ExpertUnavailable, match="cannot be read"):
        load_folder(models / "bad", "tabular-classification")
