"""Models that put a picture into words, or answer a question about it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hugginggpt.experts.families import Run, each, family
from hugginggpt.experts.families.pictures import chat_model, first_text, has, is_chat, is_type
from hugginggpt.experts.source import Source
from hugginggpt.media.decoding import load_image

DESCRIBE = "Describe this picture in one or two sentences."
BRIEFLY = "Answer in a few words."
TEXT_TOKENS = 100
"""How long a caption or a line of text may get ..."""
ANSWER_TOKENS = 32
"""... and an answer to a question."""
CAPTION = {"paligemma": "<image>caption en"}
"""What architectures that must be told in words are told, in the words they were trained on: for a caption ..."""
ANSWER = {"paligemma": "<image>answer en {}", "blip-2": "Question: {} Answer:"}
"""... and for an answer."""
NOT_RUN = ("florence2", "kosmos-2", "kosmos-2.5", "instructblip")
"""Others of that kind."""
BEST = 5
"""How many answers of those a model chooses from are told."""

# In words


@family("image-to-text", when=is_chat)
def described_in_chat(source: Source) -> Run:
    """A description by a chat model that sees (LLaVA, arXiv 2304.08485, SmolVLM, Qwen-VL and others)."""
    reply = chat_model(source)
    return each(lambda image: reply(load_image(image), DESCRIBE))


@family("image-to-text", when=is_type("vision-encoder-decoder"))
def encoded_and_decoded(source: Source) -> Run:
    """A caption (ViT and GPT-2), or the text of one line (TrOCR, arXiv 2109.10282): what the pair was trained for."""
    import torch
    from transformers import AutoImageProcessor, AutoModelForImageTextToText, AutoTokenizer

    model = source.model(AutoModelForImageTextToText)
    processor, tokenizer = source.part(AutoImageProcessor), source.part(AutoTokenizer)

    def run(image: Path) -> str:
        pixels = source.to_device(processor(images=load_image(image), return_tensors="pt"))["pixel_values"]
        with torch.inference_mode():
            return first_text(tokenizer, model.generate(pixel_values=pixels, max_new_tokens=TEXT_TOKENS))

    return each(run)


@family("image-to-text", when=is_type(*CAPTION))
def captioned_as_told(source: Source) -> Run:
    """A caption by a model that is told to write one (PaliGemma, arXiv 2407.07726)."""
    go_on = _continuer(source)
    return each(lambda image: go_on(image, CAPTION[source.model_type]))


def _captions_by_itself(source: Source) -> bool:
    return has("IMAGE_TEXT_TO_TEXT")(source) and source.model_type not in NOT_RUN


@family("image-to-text", when=_captions_by_itself)
def captioned(source: Source) -> Run:
    """A caption by a model that needs no words to begin (BLIP, arXiv 2201.12086; GIT, 2205.14100; Pix2Struct)."""
    import torch
    from transformers import AutoModelForImageTextToText, AutoProcessor

    model, processor = source.model(AutoModelForImageTextToText), source.part(AutoProcessor)

    def run(image: Path) -> str:
        batch = source.to_device(processor(images=load_image(image), return_tensors="pt"))
        with torch.inference_mode():
            return first_text(processor, model.generate(**batch, max_new_tokens=TEXT_TOKENS))

    return each(run)


# In answer to a question


@family("visual-question-answering", when=is_chat)
def answered_in_chat(source: Source) -> Run:
    """A short answer by a chat model that sees."""
    reply = chat_model(source)
    return each(lambda image, text: {"answer": reply(load_image(image), f"{text} {BRIEFLY}")})


@family("visual-question-answering", when=is_type("vilt"))
def chosen_answer(source: Source) -> Run:
    """The best of the answers that the model knows, each with its own probability (ViLT, arXiv 2102.03334)."""
    import torch
    from transformers import AutoModelForVisualQuestionAnswering, AutoProcessor

    model, processor = source.model(AutoModelForVisualQuestionAnswering), source.part(AutoProcessor)
    answers = model.config.id2label

    def run(image: Path, text: str) -> Any:
        batch = source.to_device(processor(images=load_image(image), text=text, truncation=True, return_tensors="pt"))
        with torch.inference_mode():
            scores = model(**batch).logits[0].float().sigmoid().cpu()
        top = scores.topk(min(BEST, len(answers)))
        return [
            {"answer": answers[at], "score": score} for score, at in zip(top[0].tolist(), top[1].tolist(), strict=True)
        ]

    return each(run)


@family("visual-question-answering", when=is_type("blip"))
def generated_answer(source: Source) -> Run:
    """An answer in the model's own words (BLIP, arXiv 2201.12086)."""
    import torch
    from transformers import AutoModelForVisualQuestionAnswering, AutoProcessor

    model, processor = source.model(AutoModelForVisualQuestionAnswering), source.part(AutoProcessor)

    def run(image: Path, text: str) -> Any:
        batch = source.to_device(processor(images=load_image(image), text=text, truncation=True, return_tensors="pt"))
        with torch.inference_mode():
            return {"answer": first_text(processor, model.generate(**batch, max_new_tokens=ANSWER_TOKENS))}

    return each(run)


@family("visual-question-answering", when=is_type(*ANSWER))
def completed_answer(source: Source) -> Run:
    """The words with which a model goes on after the picture and the question (BLIP-2, arXiv 2301.12597; PaliGemma)."""
    go_on = _continuer(source)
    return each(lambda image, text: {"answer": go_on(image, ANSWER[source.model_type].format(text))})


def _continuer(source: Source) -> Callable[[Path, str], str]:
    """A model as a function of a picture and a text: what it writes after them."""
    import torch
    from transformers import AutoModelForImageTextToText, AutoProcessor

    model, processor = source.model(AutoModelForImageTextToText), source.part(AutoProcessor)

    def go_on(image: Path, text: str) -> str:
        batch = source.to_device(processor(images=load_image(image), text=text, return_tensors="pt"))
        begun = 0 if model.config.get_text_config().is_encoder_decoder else batch["input_ids"].shape[1]
        with torch.inference_mode():
            tokens = model.generate(**batch, max_new_tokens=TEXT_TOKENS, do_sample=False)
        return first_text(processor, tokens[:, begun:])

    return go_on


@family("visual-question-answering", when=is_type("git"))
def continued_question(source: Source) -> Run:
    """The words with which the model goes on after the question (GIT, arXiv 2205.14100)."""
    import torch
    from transformers import AutoModelForImageTextToText, AutoProcessor

    model, processor = source.model(AutoModelForImageTextToText), source.part(AutoProcessor)
    begin = processor.tokenizer.cls_token_id

    def run(image: Path, text: str) -> Any:
        pixels = source.to_device(processor(images=load_image(image), return_tensors="pt"))["pixel_values"]
        words = processor.tokenizer(text, add_special_tokens=False, truncation=True).input_ids
        prompt = torch.tensor([[begin, *words]], device=source.placement.device)
        with torch.inference_mode():
            tokens = model.generate(pixel_values=pixels, input_ids=prompt, max_new_tokens=ANSWER_TOKENS)
        return {"answer": first_text(processor, tokens[:, prompt.shape[1] :])}

    return each(run)
