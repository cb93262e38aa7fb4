"""Tiny models for text (see tiny.py)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.experts.families.tiny import LINES, word_piece

BERT = {
    "hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2,
    "max_position_embeddings": 64, "initializer_range": 0.5,
}  # fmt: skip
BART = {
    "d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2,
    "decoder_attention_heads": 2, "encoder_ffn_dim": 16, "decoder_ffn_dim": 16, "max_position_embeddings": 64,
    "init_std": 0.5,
}  # fmt: skip
"""The measures of BART and its kin; weights large enough that the input makes a difference to the output."""


# Tokenizers


def byte_pairs(eos: str = "</s>", **special: str) -> Any:
    """A byte-level BPE tokenizer as GPT-2's; every text can be written in its tokens."""
    import tokenizers
    from tokenizers import decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    raw = tokenizers.Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokens = [eos, *special.values()]
    raw.train_from_iterator(
        LINES,
        trainers.BpeTrainer(vocab_size=400, special_tokens=tokens, initial_alphabet=alphabet, show_progress=False),
    )
    return PreTrainedTokenizerFast(tokenizer_object=raw, eos_token=eos, **special)


def bart_like() -> Any:
    """Byte pairs between <s> and </s>."""
    from tokenizers import processors

    tokenizer = byte_pairs(bos_token="<s>", pad_token="<pad>", unk_token="<unk>", mask_token="<mask>", cls_token="<s>")
    ids = {token: tokenizer.convert_tokens_to_ids(token) for token in ("<s>", "</s>")}
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> $B </s>", special_tokens=list(ids.items())
    )
    tokenizer.sep_token = "</s>"
    return tokenizer


def t5_like() -> Any:
    """Byte pairs that end with </s>."""
    from tokenizers import processors

    tokenizer = byte_pairs(pad_token="<pad>", unk_token="<unk>")
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A $B </s>", special_tokens=[("</s>", tokenizer.eos_token_id)]
    )
    return tokenizer


def sentence_pieces(file: Path) -> list[str]:
    """Trains a SentencePiece model, writes it to a file and returns its pieces."""
    import io

    import sentencepiece

    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(LINES), model_writer=model, vocab_size=70, model_type="bpe", minloglevel=2,
        character_coverage=1.0,
    )  # fmt: skip
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(model.getvalue())
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    return [processor.id_to_piece(at) for at in range(len(processor))]


# Readers


def transparent(bert: Any) -> Any:
    """Makes a BERT's last hidden state of a token depend on that token alone: shape (tokens, width) of all tokens.

    So a head can be given weights that answer in a known way.
    """
    import torch

    embeddings, layers = bert.embeddings, bert.encoder.layer
    with torch.no_grad():
        embeddings.word_embeddings.weight.normal_()
        for flat in (embeddings.position_embeddings, embeddings.token_type_embeddings):
            flat.weight.zero_()
        for layer in layers:
            for dense in (layer.attention.output.dense, layer.output.dense):
                dense.weight.zero_()
                dense.bias.zero_()
        return torch.nn.functional.layer_norm(embeddings.word_embeddings.weight, (bert.config.hidden_size,))


def _classifier(folder: Path, labels: Sequence[str]) -> None:
    from transformers import BertConfig, BertForSequenceClassification

    tokenizer = word_piece()
    names = dict(enumerate(labels))
    config = BertConfig(
        vocab_size=len(tokenizer), id2label=names, label2id={v: k for k, v in names.items()},
        **BERT,
    )  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def text_classification(folder: Path) -> None:
    from transformers import DistilBertConfig, DistilBertForSequenceClassification

    tokenizer = word_piece()
    config = DistilBertConfig(
        vocab_size=len(tokenizer), dim=16, hidden_dim=32, n_layers=2, n_heads=2, max_position_embeddings=64,
        initializer_range=0.5,
        id2label={0: "NEGATIVE", 1: "POSITIVE"}, label2id={"NEGATIVE": 0, "POSITIVE": 1},
    )  # fmt: skip
    DistilBertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def roberta_classification(folder: Path) -> None:
    """With 64 positions, of which 62 can be used, and a tokenizer that states no limit; several labels at once."""
    from transformers import RobertaConfig, RobertaForSequenceClassification

    tokenizer = bart_like()
    config = RobertaConfig(
        vocab_size=len(tokenizer), pad_token_id=1, num_labels=3, problem_type="multi_label_classification", **BERT
    )
    RobertaForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def inference(folder: Path) -> None:
    """A model for natural language inference."""
    _classifier(folder, ["CONTRADICTION", "NEUTRAL", "ENTAILMENT"])


def token_classification(folder: Path) -> None:
    """A BERT that takes "marie" and "curie" for a person and "warsaw" for a place."""
    import torch
    from transformers import BertConfig, BertForTokenClassification

    tokenizer = word_piece()
    names = {0: "O", 1: "B-PER", 2: "I-PER", 3: "B-LOC"}
    config = BertConfig(
        vocab_size=len(tokenizer), id2label=names, label2id={v: k for k, v in names.items()}, **BERT
    )  # fmt: skip
    model = BertForTokenClassification(config)
    hidden = transparent(model.bert)
    with torch.no_grad():
        model.classifier.weight.zero_()
        model.classifier.bias.copy_(torch.tensor([10.0, 0, 0, 0]))
        for label, word in {1: "marie", 2: "curie", 3: "warsaw"}.items():
            model.classifier.weight[label] = hidden[tokenizer.convert_tokens_to_ids(word)]
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def question_answering(folder: Path, answer: str = "warsaw") -> None:
    """A BERT whose answer to anything is a certain word, where it stands in the context."""
    import torch
    from transformers import BertConfig, BertForQuestionAnswering

    tokenizer = word_piece()
    model = BertForQuestionAnswering(BertConfig(vocab_size=len(tokenizer), **BERT))
    hidden = transparent(model.bert)
    with torch.no_grad():
        model.qa_outputs.weight.copy_(hidden[tokenizer.convert_tokens_to_ids(answer)].expand(2, -1))
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def masked(folder: Path) -> None:
    from transformers import BertConfig, BertForMaskedLM

    tokenizer = word_piece()
    BertForMaskedLM(BertConfig(vocab_size=len(tokenizer), **BERT)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def sentence_transformer(folder: Path, pooling: dict[str, Any] | None, dense: int = 0) -> None:
    """A BERT in the layout of sentence-transformers; a plain one where `pooling` is None."""
    from safetensors.torch import save_file
    from torch.nn import Linear
    from transformers import BertConfig, BertModel

    tokenizer = word_piece()
    BertModel(BertConfig(vocab_size=len(tokenizer), **BERT)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    if pooling is None:
        return
    kinds = {"Transformer": "", "Pooling": "1_Pooling", **({"Dense": "2_Dense"} if dense else {}), "Normalize": "3_N"}
    rows = [
        {"idx": at, "name": str(at), "type": f"sentence_transformers.models.{kind}", "path": path}
        for at, (kind, path) in enumerate(kinds.items())
    ]
    write_json(folder / "modules.json", rows)
    write_json(folder / "sentence_bert_config.json", {"max_seq_length": 32})
    write_json(folder / "1_Pooling" / "config.json", {"word_embedding_dimension": 32, **pooling})
    if dense:
        activation = "torch.nn.modules.activation.Tanh"
        settings = {"in_features": 32, "out_features": dense, "bias": True, "activation_function": activation}
        write_json(folder / "2_Dense" / "config.json", settings)
        state = {f"linear.{name}": value for name, value in Linear(32, dense).state_dict().items()}
        save_file(state, folder / "2_Dense" / "model.safetensors")


def write_json(file: Path, content: Any) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content), encoding="utf-8")


def add_to_config(folder: Path, **settings: Any) -> None:
    """Adds keys to config.json as older models have them there."""
    file = folder / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text(encoding="utf-8")), **settings}), encoding="utf-8")


# Writers


def short(model: Any) -> Any:
    """The model, saying in its settings that it writes 16 tokens at most."""
    model.generation_config.max_length = 16
    return model


def bart(folder: Path) -> None:
    from transformers import BartConfig, BartForConditionalGeneration

    tokenizer = bart_like()
    ids = {name: getattr(tokenizer, name) for name in ("bos_token_id", "eos_token_id", "pad_token_id")}
    config = BartConfig(
        vocab_size=len(tokenizer), decoder_start_token_id=tokenizer.eos_token_id, forced_eos_token_id=None,
        forced_bos_token_id=None, **ids, **BART,
    )  # fmt: skip
    short(BartForConditionalGeneration(config)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    settings = {"max_length": 20, "min_length": 8, "num_beams": 2, "no_repeat_ngram_size": 3}
    add_to_config(folder, task_specific_params={"summarization": settings})


def t5(folder: Path, taught: bool = False) -> None:
    """A T5; with `taught`, its settings name German and French as t5-base's do."""
    from transformers import T5Config, T5ForConditionalGeneration

    tokenizer = t5_like()
    config = T5Config(
        vocab_size=len(tokenizer), d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2, initializer_factor=3.0,
        pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    short(T5ForConditionalGeneration(config)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    prefixes = {f"translation_en_to_{code}": {"prefix": f"translate English to {name}: ", "max_length": 12}
                for code, name in {"de": "German", "fr": "French"}.items()}  # fmt: skip
    if taught:
        add_to_config(folder, task_specific_params={**prefixes, "summarization": {"prefix": "summarize: "}})


def marian(folder: Path, codes: Sequence[str] = (), target: str = "de") -> None:
    """An OPUS-MT; with `codes` such as >>deu<< one of several targets."""
    from transformers import MarianConfig, MarianMTModel, MarianTokenizer

    pieces = sentence_pieces(folder / "source.spm")
    sentence_pieces(folder / "target.spm")
    vocabulary = [*dict.fromkeys(["</s>", "<unk>", *pieces]), *codes, "<pad>"]
    write_json(folder / "vocab.json", {piece: at for at, piece in enumerate(vocabulary)})
    tokenizer = MarianTokenizer.from_pretrained(folder, source_lang="en", target_lang=target)
    tokenizer.save_pretrained(folder)
    pad = vocabulary.index("<pad>")
    config = MarianConfig(
        vocab_size=len(vocabulary), pad_token_id=pad, eos_token_id=0, decoder_start_token_id=pad,
        forced_eos_token_id=None, **BART,
    )  # fmt: skip
    short(MarianMTModel(config)).save_pretrained(folder)


def m2m100(folder: Path) -> None:
    from transformers import M2M100Config, M2M100ForConditionalGeneration, M2M100Tokenizer

    pieces = sentence_pieces(folder / "sentencepiece.bpe.model")
    vocabulary = [*dict.fromkeys(["<s>", "<pad>", "</s>", "<unk>", *pieces])]
    write_json(folder / "vocab.json", {piece: at for at, piece in enumerate(vocabulary)})
    tokenizer = M2M100Tokenizer.from_pretrained(folder)
    tokenizer.save_pretrained(folder)
    config = M2M100Config(vocab_size=max(tokenizer.lang_code_to_id.values()) + 9, **BART)
    short(M2M100ForConditionalGeneration(config)).save_pretrained(folder)


def nllb(folder: Path, languages: Sequence[str] = ("eng_Latn", "deu_Latn", "fra_Latn", "zho_Hans", "rus_Cyrl")) -> None:
    import tokenizers
    from tokenizers import models, pre_tokenizers, trainers
    from transformers import M2M100Config, M2M100ForConditionalGeneration, NllbTokenizer

    raw = tokenizers.Tokenizer(models.BPE(unk_token="<unk>"))
    raw.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    raw.train_from_iterator(LINES, trainers.BpeTrainer(vocab_size=200, special_tokens=special, show_progress=False))
    learned = json.loads(raw.to_str())["model"]
    tokenizer = NllbTokenizer(
        vocab=learned["vocab"], merges=[tuple(pair) for pair in learned["merges"]],
        additional_special_tokens=list(languages),
    )  # fmt: skip
    tokenizer.save_pretrained(folder)
    config = M2M100Config(vocab_size=len(tokenizer), **BART)
    short(M2M100ForConditionalGeneration(config)).save_pretrained(folder)


def gpt2(folder: Path) -> None:
    from transformers import GPT2Config, GPT2LMHeadModel

    tokenizer = byte_pairs(eos="<|endoftext|>")
    config = GPT2Config(
        vocab_size=len(tokenizer), n_positions=64, n_embd=16, n_layer=1, n_head=2, initializer_range=0.5,
        bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    GPT2LMHeadModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


TEMPLATE = (
    "<s>{% for message in messages %}<|{{ message.role }}|>{{ message.content }}</s>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def llama_chat(folder: Path) -> None:
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = byte_pairs(bos_token="<s>", pad_token="<pad>")
    tokenizer.chat_template = TEMPLATE
    tokenizer.save_pretrained(folder)
    config = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
        max_position_embeddings=128, initializer_range=0.5, bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(folder)


def blenderbot(folder: Path) -> None:
    from transformers import BlenderbotConfig, BlenderbotForConditionalGeneration

    tokenizer = t5_like()
    tokenizer.save_pretrained(folder)
    config = BlenderbotConfig(
        vocab_size=len(tokenizer), bos_token_id=1, pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id, decoder_start_token_id=1, forced_eos_token_id=None,
        encoder_no_repeat_ngram_size=0, **BART,
    )  # fmt: skip
    short(BlenderbotForConditionalGeneration(config)).save_pretrained(folder)


# Tables


def tabular(folder: Path, model: Any, columns: Sequence[str] = ()) -> None:
    """A fitted scikit-learn model as skops saves it, with the columns in config.json as the Hub's models have them."""
    import skops.io

    folder.mkdir(parents=True)
    skops.io.dump(model, folder / "model.skops")
    write_json(folder / "config.json", {"sklearn": {"columns": list(columns), "model": {"file": "model.skops"}}})
