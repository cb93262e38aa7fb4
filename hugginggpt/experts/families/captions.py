"""Image captioning and visual question answering."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hugginggpt.experts.families import Run, each, family
from hugginggpt.experts.families.pictures import chat_model, first_text, has, is_chat, is_type
from hugginggpt.experts.source import Source
from hugginggpt.media.decoding import load_image

DESCRIBE_PROMPT = "Describe this picture in one or two sentences."
BREVITY_PROMPT = "Answer in a few words."
TEXT_TOKENS = 100
"""The maximum length of a caption or a line of text in tokens ..."""
ANSWER_TOKENS = 32
"""... and an answer to a question."""
CAPTION_PROMPTS = {"paligemma": "<image>caption en"}
"""Prompts for architectures that need one, as they were trained on: for a caption ..."""
ANSWER_PROMPTS = {"paligemma": "<image>answer en {}", "blip-2": "Question: {} Answer:"}
"""... and for an answer."""
UNSUPPORTED = ("florence2", "kosmos-2", "kosmos-2.5", "instructblip")
"""Architectures that need another kind of prompt and are not supported."""
MAX_ANSWERS = 5
"""The number of answers of a classifier that are reported."""

# Captions


@family("image-to-text", when=is_chat)
def chat_description(source: Source) -> Run:
    """A description by a vision-language chat model (LLaVA, arXiv 2304.08485, SmolVLM, Qwen-VL and others)."""
    reply = chat_model(source)
    return each(lambda image: reply(load_image(image), DESCRIBE_PROMPT))


@family("image-to-text", when=is_type("vision-encoder-decoder"))
def encoder_decoder_caption(source: Source) -> Run:
    """A caption (ViT and GPT-2), or the text of one line (TrOCR, arXiv 2109.10282): as the pair was trained."""
    import torch
    from transformers import AutoImageProcessor, AutoModelForImageTextToText, AutoTokenizer

    model = source.model(AutoModelForImageTextToText)
    processor, tokenizer = source.part(AutoImageProcessor), source.part(AutoTokenizer)

    def run(image: Path) -> str:
        pixels = source.to_device(processor(images=load_image(image), return_tensors="pt"))["pixel_values"]
        with torch.inference_mode():
            return first_text(tokenizer, model.generate(pixel_values=pixels, max_new_tokens=TEXT_TOKENS))

    return each(run)


@family("image-to-text", when=is_type(*CAPTION_PROMPTS))
def prompted_caption(source: Source) -> Run:
    """A caption by a model that needs a prompt (PaliGemma, arXiv 2407.07726)."""
    complete = _completion_model(source)
    return each(lambda image: complete(image, CAPTION_PROMPTS[source.model_type]))


def _captions_unprompted(source: Source) -> bool:
    return has("IMAGE_TEXT_TO_TEXT")(source) and source.model_type not in UNSUPPORTED


@family("image-to-text", when=_captions_unprompted)
def caption(source: Source) -> Run:
    """A caption by a model that needs no prompt (BLIP, arXiv 2201.12086; GIT, 2205.14100; Pix2Struct)."""
    import torch
    from transformers import AutoModelForImageTextToText, AutoProcessor

    model, processor = source.model(AutoModelForImageTextToText), source.part(AutoProcessor)

    def run(image: Path) -> str:
        batch = source.to_device(processor(images=load_image(image), return_tensors="pt"))
        with torch.inference_mode():
            return first_text(processor, model.generate(**batch, max_new_tokens=TEXT_TOKENS))

    return each(run)


# Answers


@family("visual-question-answering", when=is_chat)
def chat_answer(source: Source) -> Run:
    """A short answer by a vision-language chat model."""
    reply = chat_model(source)
    return each(lambda image, text: {"answer": reply(load_image(image), f"{text} {BREVITY_PROMPT}")})


@family("visual-question-answering", when=is_type("vilt"))
def chosen_answer(source: Source) -> Run:
    """The best of the model's fixed answers, each with its own probability (ViLT, arXiv 2102.03334)."""
    import torch
    from transformers import AutoModelForVisualQuestionAnswering, AutoProcessor

    model, processor = source.model(AutoModelForVisualQuestionAnswering), source.part(AutoProcessor)
    answers = model.config.id2label

    def run(image: Path, text: str) -> Any:
        batch = source.to_device(processor(images=load_image(image), text=text, truncation=True, return_tensors="pt"))
        with torch.inference_mode():
            scores = model(**batch).logits[0].float().sigmoid().cpu()
        top = scores.topk(min(MAX_ANSWERS, len(answers)))
        return [
            {"answer": answers[index], "score": score}
            for score, index in zip(top[0].tolist(), top[1].tolist(), strict=True)
        ]

    return each(run)


@family("visual-question-answering", when=is_type("blip"))
def generated_answer(source: Source) -> Run:
    """A generated answer (BLIP, arXiv 2201.12086)."""
    import torch
    from transformers import AutoModelForVisualQuestionAnswering, AutoProcessor

    model, processor = source.model(AutoModelForVisualQuestionAnswering), source.part(AutoProcessor)

    def run(image: Path, text: str) -> Any:
        batch = source.to_device(processor(images=load_image(image), text=text, truncation=True, return_tensors="pt"))
        with torch.inference_mode():
            return {"answer": first_text(processor, model.generate(**batch, max_new_tokens=ANSWER_TOKENS))}

    return each(run)


@family("visual-question-answering", when=is_type(*ANSWER_PROMPTS))
def completed_answer(source: Source) -> Run:
    """The model's completion of a prompt with the question (BLIP-2, arXiv 2301.12597; PaliGemma)."""
    complete = _completion_model(source)
    return each(lambda image, text: {"answer": complete(image, ANSWER_PROMPTS[source.model_type].format(text))})


def _completion_model(source: Source) -> Callable[[Path, str], str]:
    """A model as a function that returns its completion of a picture and a prompt."""
    import torch
    from transformers import AutoModelForImageTextToText, AutoProcessor

    model, processor = source.model(AutoModelForImageTextToText), source.part(AutoProcessor)

    def complete(image: Path, text: str) -> str:
        batch = source.to_device(processor(images=load_image(image), text=text, return_tensors="pt"))
        prompt_length = 0 if model.config.get_text_config().is_encoder_decoder else batch["input_ids"].shape[1]
        with torch.inference_mode():
            tokens = model.generate(**batch, max_new_tokens=TEXT_TOKENS, do_sample=False)
        return first_text(processor, tokens[:, prompt_length:])

    return complete


@family("visual-question-answering", when=is_type("git"))
def continued_question(source: Source) -> Run:
    """The model's completion of the question (GIT, arXiv 2205.14100)."""
    import torch
    from transformers import AutoModelForImageTextToText, AutoProcessor

    model, processor = source.model(AutoModelForImageTextToText), source.part(AutoProcessor)
    start_token = processor.tokenizer.cls_token_id

    def run(image: Path, text: str) -> Any:
        pixels = source.to_device(processor(images=load_image(image), return_tensors="pt"))["pixel_values"]
        words = processor.tokenizer(text, add_special_tokens=False, truncation=True).input_ids
        prompt = torch.tensor([[start_token, *words]], device=source.placement.device)
        with torch.inference_mode():
            tokens = model.generate(pixel_values=pixels, input_ids=prompt, max_new_tokens=ANSWER_TOKENS)
        return {"answer": first_text(processor, tokens[:, prompt.shape[1] :])}

    return each(run)
