"""Every family of models that answer questions about pages, over HTTP through the model server, on a real page."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

import numpy as np
import pytest

from hugginggpt.experts.families.documents import (
    ANSWER_PROMPT,
    Word,
    _token_boxes,
    best_spans,
    donut_answer,
    read_words,
    split_line,
)
from hugginggpt.experts.ocr import Line
from hugginggpt.media.decoding import load_image
from hugginggpt.testing.servers import Serving, loaded
from tests.conftest import EXAMPLES
from tests.experts.families import tiny_vision as tiny

pytestmark = pytest.mark.slow

INVOICE = EXAMPLES / "invoice.png"
QUESTION = "what is the total of the invoice?"


@pytest.fixture(autouse=True)
def one_thread() -> None:
    import torch

    torch.set_num_threads(1)


@pytest.fixture
def page(public: Path) -> str:
    shutil.copy(INVOICE, public / "examples" / "invoice.png")
    return "/examples/invoice.png"


@pytest.fixture(scope="module")
def words() -> list[Word]:
    """The words of the invoice, read once."""
    return read_words(INVOICE)


# The words of a page


def test_words_have_boxes_of_their_own() -> None:
    line = Line("Due date: 11 April", 100, 50, 280, 70)
    words = split_line(line, (1000, 500))
    assert [word.text for word in words] == ["Due", "date:", "11", "April"]
    assert words[0].box == (100, 100, 130, 140)
    assert words[3].box == (230, 100, 280, 140)
    assert all(left.box[2] < right.box[0] for left, right in itertools.pairwise(words))
    assert split_line(Line("off", -20, -5, 1200, 600), (1000, 500))[0].box == (0, 0, 1000, 1000)


def test_the_words_of_the_invoice(words: list[Word]) -> None:
    texts = [word.text for word in words]
    assert {"Birchwood", "INV-2041", "$484.00"} <= set(texts)
    assert texts.index("Birchwood") < texts.index("INV-2041") < texts.index("$484.00")
    total = words[texts.index("$484.00")].box
    assert total[0] > 500 and total[1] > 400  # it stands in the lower right of the page
    for left, top, right, bottom in (word.box for word in words):
        assert 0 <= left < right <= 1000 and 0 <= top < bottom <= 1000


# The likeliest span


def test_the_likeliest_span() -> None:
    starts, ends = np.zeros(8, np.float32), np.zeros(8, np.float32)
    starts[5], ends[6], starts[1], ends[2] = 9, 9, 20, 20  # the question's tokens cannot be meant
    first, *others = best_spans(starts, ends, [False] * 3 + [True] * 5)
    assert first[:2] == (5, 6)
    assert 0.9 < first[2] <= 1 and all(score < first[2] for *_, score in others)


def test_a_window_without_the_answer_says_so_at_its_first_token() -> None:
    """Its best span has a low score, so that it does not win over one of a window that holds the answer."""
    starts, ends = np.zeros(8, np.float32), np.zeros(8, np.float32)
    starts[5], ends[6] = 2, 2
    sure = best_spans(starts, ends, [False] * 3 + [True] * 5)[0]
    starts[0], ends[0] = 9, 9
    unsure = best_spans(starts, ends, [False] * 3 + [True] * 5)[0]
    assert sure[:2] == unsure[:2] == (5, 6)
    assert unsure[2] < 1e-4 < 0.1 < sure[2]


def test_a_span_does_not_end_before_it_starts_nor_run_on() -> None:
    starts, ends = np.zeros(80, np.float32), np.zeros(80, np.float32)
    starts[50], ends[10] = 9, 9
    starts[0], ends[79] = 9, 9
    for first, last, _ in best_spans(starts, ends, [True] * 80, count=20):
        assert first <= last < first + 32
    assert best_spans(starts, ends, [False] * 80) == []


# Models


@pytest.mark.parametrize("name", ["layoutlm", "layoutlmv3"])
def test_an_answer_is_of_the_pages_words(
    model_server: Serving, tmp_path: Path, page: str, words: list[Word], name: str
) -> None:
    """The pipeline of transformers, given the same words and boxes, finds the same best answer."""
    import transformers

    folder = tmp_path / name
    getattr(tiny, name)(folder)
    model = model_server.add(folder, "document-question-answering")
    answers = model_server.ask(model, img_url=page, question=QUESTION)
    text = " ".join(word.text for word in words)
    assert 1 <= len(answers) <= 3
    assert all(row["answer"] in text and 0 < row["score"] <= 1 for row in answers)
    assert answers == sorted(answers, key=lambda row: -row["score"])
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    pictures = transformers.AutoImageProcessor.from_pretrained(folder, apply_ocr=False) if name[-1] == "3" else None
    pipe = transformers.DocumentQuestionAnsweringPipeline(
        model=transformers.AutoModelForDocumentQuestionAnswering.from_pretrained(folder).eval(),
        tokenizer=tokenizer,
        image_processor=pictures,
    )
    room = min(tokenizer.model_max_length, 126)
    theirs = pipe(
        image=load_image(INVOICE), question=QUESTION, max_seq_len=room, doc_stride=room // 4, max_answer_len=32,
        word_boxes=[(word.text, list(word.box)) for word in words],
    )  # fmt: skip
    theirs = max(theirs if isinstance(theirs, list) else [theirs], key=lambda row: row["score"])
    assert answers[0]["answer"] == theirs["answer"]
    assert answers[0]["score"] == pytest.approx(theirs["score"], rel=1e-3)


def test_boxes_of_tokens(tmp_path: Path) -> None:
    """The page's tokens have the boxes of their words, the question's none, separators the far corner."""
    from transformers import AutoTokenizer

    tiny.layoutlm(tmp_path)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    words = [Word("Total:", (1, 2, 3, 4)), Word("$484.00", (5, 6, 7, 8))]
    encoded = tokenizer(["what"], [word.text for word in words], is_split_into_words=True, truncation="only_second",
                        return_overflowing_tokens=True)  # fmt: skip
    boxes = _token_boxes(encoded, 0, words, tokenizer.sep_token_id)
    ends = [at for at, token in enumerate(encoded["input_ids"][0]) if token == tokenizer.sep_token_id]
    assert [boxes[at] for at in ends] == [(1000,) * 4] * 2
    assert set(boxes[: ends[0]]) == {(0, 0, 0, 0)}
    assert set(boxes[ends[0] + 1 : ends[1]]) == {(1, 2, 3, 4), (5, 6, 7, 8)}


def test_donut(model_server: Serving, tmp_path: Path, page: str) -> None:
    import transformers

    tiny.donut(tmp_path / "donut")
    model = model_server.add(tmp_path / "donut", "document-question-answering")
    (answer,) = model_server.ask(model, img_url=page, question=QUESTION)
    whole = transformers.VisionEncoderDecoderModel.from_pretrained(tmp_path / "donut").eval()
    processor = transformers.AutoProcessor.from_pretrained(tmp_path / "donut")
    pixels = processor.image_processor(images=load_image(INVOICE), return_tensors="pt")["pixel_values"]
    prompt = f"<s_docvqa><s_question>{QUESTION}</s_question><s_answer>"
    begun = processor.tokenizer(prompt, add_special_tokens=False, return_tensors="pt").input_ids
    written = whole.generate(pixels, decoder_input_ids=begun, max_new_tokens=128)
    assert (
        answer["answer"] == processor.tokenizer.decode(written[0, begun.shape[1] :], skip_special_tokens=True).strip()
    )


def test_the_answer_between_donuts_marks() -> None:
    special = ["<s>", "</s>", "<pad>"]
    written = "<s><s_docvqa><s_question> total?</s_question><s_answer> $484.00</s_answer></s><pad><pad>"
    assert donut_answer(written, special) == "$484.00"
    assert donut_answer("<s_question> a?</s_question><s_answer> cut  off</s>", special) == "cut off"
    assert donut_answer("<s_question> a?</s_question>", special) == ""


def test_a_chat_model_reads_the_page(model_server: Serving, tmp_path: Path, page: str) -> None:
    tiny.idefics3(tmp_path / "idefics3")
    model = model_server.add(tmp_path / "idefics3", "document-question-answering")
    (answer,) = model_server.ask(model, img_url=page, question=QUESTION)
    assert answer["answer"]
    assert "page" in ANSWER_PROMPT.format(QUESTION)


def test_a_page_without_text(model_server: Serving, tmp_path: Path) -> None:
    tiny.layoutlm(tmp_path / "layoutlm")
    model = model_server.add(tmp_path / "layoutlm", "document-question-answering")
    response = model_server.post(model, {"img_url": "/examples/b.jpg", "question": QUESTION})
    assert response.status_code == 422
    assert "No text" in response.json()["error"]["message"]


@pytest.mark.parametrize("name", ["layoutlm", "layoutlmv3", "donut", "llava"])
def test_half_precision(name: str, tmp_path: Path) -> None:
    getattr(tiny, name)(tmp_path / name)
    head = tmp_path / "head.png"
    load_image(INVOICE).crop((0, 0, 1000, 200)).save(head)
    request = {"image": head, "text": QUESTION}
    assert loaded(tmp_path / name, "document-question-answering", "bfloat16")([request])[0]


@pytest.mark.parametrize(
    ("request_data", "said"),
    [
        ({"img_url": "/examples/invoice.png"}, "document-question-answering needs text (the question)"),
        ({"question": QUESTION}, "document-question-answering needs img_url"),
        ({"img_url": "/examples/speech.wav", "question": QUESTION}, "speech.wav is not an image file but audio"),
    ],
)
def test_a_request_that_cannot_be_answered(
    model_server: Serving, tmp_path: Path, page: str, request_data: dict[str, str], said: str
) -> None:
    tiny.layoutlm(tmp_path / "layoutlm")
    response = model_server.post(model_server.add(tmp_path / "layoutlm", "document-question-answering"), request_data)
    assert response.status_code == 400
    assert said in response.json()["error"]["message"]
