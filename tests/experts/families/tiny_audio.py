"""Tiny models for audio (see tiny.py)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.experts.families.tiny_text import byte_pairs, sentence_pieces, write_json

RATE = 16_000
WHISPER_SECONDS = 3
"""What the tiny Whisper hears at once, in place of 30 s."""
LETTERS = {token: at for at, token in enumerate(["<pad>", "<s>", "</s>", "<unk>", "|", *"abcdefghijklmnopqrstuvwxyz'"])}
WAVES = {
    "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16,
    "conv_dim": (8,) * 7, "num_conv_pos_embeddings": 16, "num_conv_pos_embedding_groups": 2,
    "mask_time_prob": 0.0, "mask_feature_prob": 0.0,
}  # fmt: skip
"""The measures of wav2vec 2.0 and its kin, with their usual convolutions: a frame for 320 samples."""
SPEECHT5 = {
    "hidden_size": 24, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2,
    "decoder_attention_heads": 2, "encoder_ffn_dim": 16, "decoder_ffn_dim": 16, "conv_dim": (8,) * 7,
    "num_conv_pos_embeddings": 16, "num_conv_pos_embedding_groups": 2, "num_mel_bins": 20,
    "speech_decoder_prenet_units": 16, "speech_decoder_postnet_units": 16, "speech_decoder_postnet_layers": 2,
    "mask_time_prob": 0.0,
}  # fmt: skip


# Hearing


def whisper(folder: Path, multilingual: bool = True) -> None:
    """A Whisper that hears 3 seconds at once."""
    from transformers import GenerationConfig, WhisperConfig, WhisperFeatureExtractor, WhisperForConditionalGeneration

    tokenizer = byte_pairs(eos="<|endoftext|>")
    marks = ["startoftranscript", "en", "de", "translate", "transcribe", "startofprev", "nospeech", "notimestamps"]
    tokenizer.add_special_tokens({"extra_special_tokens": [f"<|{mark}|>" for mark in marks]})
    times = [f"<|{at * 0.02:.2f}|>" for at in range(50 * WHISPER_SECONDS + 1)]
    tokenizer.add_special_tokens({"extra_special_tokens": [f"<|{mark}|>" for mark in marks] + times})
    ids = {mark: tokenizer.convert_tokens_to_ids(f"<|{mark}|>") for mark in marks}
    end = tokenizer.eos_token_id
    config = WhisperConfig(
        vocab_size=len(tokenizer), d_model=16, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=16, decoder_ffn_dim=16, max_source_positions=50 * WHISPER_SECONDS,
        max_target_positions=32, num_mel_bins=20, bos_token_id=end, eos_token_id=end, pad_token_id=end,
        decoder_start_token_id=ids["startoftranscript"], begin_suppress_tokens=None, suppress_tokens=None, init_std=0.5,
    )  # fmt: skip
    model = WhisperForConditionalGeneration(config)
    languages = {"lang_to_id": {f"<|{code}|>": ids[code] for code in ("en", "de")}}
    tasks = {"task_to_id": {task: ids[task] for task in ("translate", "transcribe")}}
    _wordy(model, [end, *range(ids["notimestamps"] + 1, len(tokenizer))])
    model.generation_config = GenerationConfig(
        bos_token_id=end, eos_token_id=end, pad_token_id=end, decoder_start_token_id=ids["startoftranscript"],
        max_length=16, is_multilingual=multilingual, no_timestamps_token_id=ids["notimestamps"],
        max_initial_timestamp_index=50, begin_suppress_tokens=[end], **({**languages, **tasks} if multilingual else {}),
    )  # fmt: skip
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    WhisperFeatureExtractor(feature_size=20, chunk_length=WHISPER_SECONDS).save_pretrained(folder)


def _wordy(model: Any, others: list[int]) -> None:
    """Makes a Whisper prefer words to other tokens, with which it would go on by a fraction of a second at a time."""
    import torch

    decoder = model.model.decoder
    with torch.no_grad():
        decoder.layer_norm.weight[0], decoder.layer_norm.bias[0] = 0, 10
        decoder.embed_tokens.weight[:, 0] = 0
        decoder.embed_tokens.weight[others, 0] = -1


def _letters(folder: Path) -> None:
    from transformers import Wav2Vec2CTCTokenizer

    write_json(folder / "letters.json", LETTERS)
    Wav2Vec2CTCTokenizer(folder / "letters.json").save_pretrained(folder)


def _talkative(model: Any) -> Any:
    """The model, never silent: it hears a letter at every time."""
    import torch

    with torch.no_grad():
        model.lm_head.weight.normal_()
        model.lm_head.bias[:4] = -1000  # the tokens that are no letters
    return model


def wav2vec2(folder: Path, norm: str = "group") -> None:
    """With `norm` "group", as the base model, a frame depends on the whole recording."""
    from transformers import Wav2Vec2Config, Wav2Vec2FeatureExtractor, Wav2Vec2ForCTC

    config = Wav2Vec2Config(vocab_size=len(LETTERS), feat_extract_norm=norm, **WAVES)
    _talkative(Wav2Vec2ForCTC(config)).save_pretrained(folder)
    _letters(folder)
    Wav2Vec2FeatureExtractor(return_attention_mask=norm == "layer").save_pretrained(folder)


def local_wav2vec2(folder: Path) -> None:
    """A wav2vec 2.0 whose frames hear 25 ms each and nothing of the rest."""
    import torch
    from transformers import Wav2Vec2Config, Wav2Vec2FeatureExtractor, Wav2Vec2ForCTC

    config = Wav2Vec2Config(vocab_size=len(LETTERS), feat_extract_norm="layer", **WAVES)
    model = _talkative(Wav2Vec2ForCTC(config))
    layer = model.wav2vec2.encoder.layers[0]
    with torch.no_grad():
        model.wav2vec2.encoder.pos_conv_embed.conv.bias.zero_()
        model.wav2vec2.encoder.pos_conv_embed.conv.parametrizations.weight.original0.zero_()
        for dense in (layer.attention.out_proj, layer.feed_forward.output_dense):
            dense.weight.zero_()
            dense.bias.zero_()
    model.save_pretrained(folder)
    _letters(folder)
    Wav2Vec2FeatureExtractor(do_normalize=False).save_pretrained(folder)


def hubert(folder: Path) -> None:
    from transformers import HubertConfig, HubertForCTC, Wav2Vec2FeatureExtractor

    config = HubertConfig(vocab_size=len(LETTERS), **WAVES)
    _talkative(HubertForCTC(config)).save_pretrained(folder)
    _letters(folder)
    Wav2Vec2FeatureExtractor().save_pretrained(folder)


def moonshine(folder: Path) -> None:
    """An encoder-decoder for speech that is no Whisper."""
    from transformers import MoonshineConfig, MoonshineForConditionalGeneration, Wav2Vec2FeatureExtractor

    tokenizer = byte_pairs(eos="</s>", bos_token="<s>")
    config = MoonshineConfig(
        vocab_size=len(tokenizer), hidden_size=16, intermediate_size=16, encoder_num_hidden_layers=1,
        decoder_num_hidden_layers=1, encoder_num_attention_heads=2, decoder_num_attention_heads=2,
        initializer_range=0.5, bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=tokenizer.bos_token_id, pad_token_id=tokenizer.eos_token_id,
    )  # fmt: skip
    MoonshineForConditionalGeneration(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    Wav2Vec2FeatureExtractor(do_normalize=False).save_pretrained(folder)


LABELS = dict(enumerate(["speech", "music", "rain", *(f"noise {at}" for at in range(12))]))


def wav2vec2_classifier(folder: Path) -> None:
    from transformers import Wav2Vec2Config, Wav2Vec2FeatureExtractor, Wav2Vec2ForSequenceClassification

    config = Wav2Vec2Config(id2label=LABELS, label2id={name: at for at, name in LABELS.items()}, **WAVES)
    Wav2Vec2ForSequenceClassification(config).save_pretrained(folder)
    Wav2Vec2FeatureExtractor().save_pretrained(folder)


def spectrogram_transformer(folder: Path) -> None:
    """An AST that hears 2.56 seconds at once."""
    from transformers import ASTConfig, ASTFeatureExtractor, ASTForAudioClassification

    config = ASTConfig(
        hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, num_mel_bins=32,
        max_length=256, id2label=LABELS, label2id={name: at for at, name in LABELS.items()}, initializer_range=0.5,
    )  # fmt: skip
    ASTForAudioClassification(config).save_pretrained(folder)
    ASTFeatureExtractor(num_mel_bins=32, max_length=256).save_pretrained(folder)


# Speaking


def vits(folder: Path, phonemize: bool = False) -> None:
    from transformers import VitsConfig, VitsModel, VitsTokenizer

    write_json(folder / "vocab.json", {char: at for at, char in enumerate("_ abcdefghijklmnopqrstuvwxyz'")})
    tokenizer = VitsTokenizer(folder / "vocab.json", language="eng", phonemize=phonemize, pad_token="_", unk_token="_")
    tokenizer.save_pretrained(folder)
    config = VitsConfig(
        vocab_size=28, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, ffn_dim=16, flow_size=16,
        spectrogram_bins=17, prior_encoder_num_flows=2, prior_encoder_num_wavenet_layers=1,
        posterior_encoder_num_wavenet_layers=1, upsample_initial_channel=16, upsample_rates=[8, 8],
        upsample_kernel_sizes=[16, 16], resblock_kernel_sizes=[3], resblock_dilation_sizes=[[1, 3]],
        duration_predictor_num_flows=2, depth_separable_num_layers=1, duration_predictor_flow_bins=4,
        sampling_rate=RATE,
    )  # fmt: skip
    VitsModel(config).save_pretrained(folder)


def _endless(model: Any) -> Any:
    """The model, never saying by itself that it has spoken the last; random weights mostly say so at once."""
    import torch

    with torch.no_grad():
        model.speech_decoder_postnet.prob_out.bias.fill_(-100)
    return model


def vocoder(folder: Path) -> None:
    from transformers import SpeechT5HifiGan, SpeechT5HifiGanConfig

    config = SpeechT5HifiGanConfig(
        model_in_dim=20, sampling_rate=RATE, upsample_initial_channel=16, upsample_rates=[8, 8],
        upsample_kernel_sizes=[16, 16], resblock_kernel_sizes=[3], resblock_dilation_sizes=[[1, 3]],
        initializer_range=0.2,
    )  # fmt: skip
    SpeechT5HifiGan(config).save_pretrained(folder)


def speecht5(folder: Path, own_vocoder: bool = True) -> None:
    from transformers import SpeechT5Config, SpeechT5ForTextToSpeech, SpeechT5Tokenizer

    pieces = sentence_pieces(folder / "spm_char.model")
    SpeechT5Tokenizer(str(folder / "spm_char.model")).save_pretrained(folder)
    model = SpeechT5ForTextToSpeech(SpeechT5Config(vocab_size=len(pieces) + 8, **SPEECHT5))
    _endless(model).save_pretrained(folder)
    if own_vocoder:
        vocoder(folder / "vocoder")


def speecht5_voice(folder: Path) -> None:
    from transformers import SpeechT5Config, SpeechT5FeatureExtractor, SpeechT5ForSpeechToSpeech

    _endless(SpeechT5ForSpeechToSpeech(SpeechT5Config(**SPEECHT5))).save_pretrained(folder)
    SpeechT5FeatureExtractor(num_mel_bins=20).save_pretrained(folder)
    vocoder(folder / "vocoder")


def bark(folder: Path) -> None:
    from transformers import (
        BarkCoarseConfig,
        BarkConfig,
        BarkFineConfig,
        BarkModel,
        BarkProcessor,
        BarkSemanticConfig,
        EncodecConfig,
    )  # fmt: skip

    from tests.experts.families.tiny import word_piece

    small = {"num_layers": 1, "num_heads": 2, "hidden_size": 16, "block_size": 1024}
    codec = EncodecConfig(
        target_bandwidths=[6.0], num_filters=2, hidden_size=8, codebook_dim=8, upsampling_ratios=[8, 5, 4, 2],
        num_lstm_layers=1,
    )  # fmt: skip
    config = BarkConfig(
        semantic_config=BarkSemanticConfig(input_vocab_size=129600, output_vocab_size=10048, **small).to_dict(),
        coarse_acoustics_config=BarkCoarseConfig(input_vocab_size=12096, output_vocab_size=12096, **small).to_dict(),
        fine_acoustics_config=BarkFineConfig(input_vocab_size=1056, output_vocab_size=1056, **small).to_dict(),
        codec_config=codec.to_dict(),
    )
    BarkModel(config).save_pretrained(folder)
    BarkProcessor(word_piece()).save_pretrained(folder)
    write_json(folder / "generation_config.json", {
        "model_type": "bark", "sample_rate": 24_000, "codebook_size": 1024,
        "semantic_config": {"do_sample": True, "max_new_tokens": 20, "eos_token_id": 10_000},
        "coarse_acoustics_config": {"do_sample": True}, "fine_acoustics_config": {"temperature": 0.5},
    })  # fmt: skip
