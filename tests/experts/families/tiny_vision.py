"""Tiny models that look at pictures or pages (see tiny.py)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.experts.families.tiny import word_piece

LABELS: dict[str, Any] = {"id2label": {0: "cat", 1: "dog", 2: "moon"}, "label2id": {"cat": 0, "dog": 1, "moon": 2}}
SIDE = {"height": 32, "width": 32}
EDGES = {"shortest_edge": 64, "longest_edge": 96}
ENCODER: dict[str, Any] = {
    "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16,
}  # fmt: skip
VIT: dict[str, Any] = {**ENCODER, "image_size": 32, "patch_size": 8}


def _saved(folder: Path, *parts: Any) -> None:
    for part in parts:
        part.save_pretrained(folder)


def _seeded() -> Any:
    """transformers, its random weights the same in each run."""
    import torch
    import transformers

    torch.manual_seed(0)
    return transformers


def _tokens(tokenizer: Any) -> dict[str, int]:
    return {
        "vocab_size": len(tokenizer),
        "bos_token_id": tokenizer.cls_token_id,
        "eos_token_id": tokenizer.sep_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }


# Classes and boxes


def vit(folder: Path) -> None:
    t = _seeded()
    _saved(folder, t.ViTForImageClassification(t.ViTConfig(**VIT, **LABELS)), t.ViTImageProcessor(size=SIDE))


def backbone(**options: Any) -> Any:
    """A ResNet of four narrow layers."""
    t = _seeded()
    return t.ResNetConfig(
        embedding_size=8, hidden_sizes=[8, 8, 8, 8], depths=[1, 1, 1, 1], layer_type="basic",
        out_features=["stage4"], **options,
    )  # fmt: skip


def detr_config(**options: Any) -> dict[str, Any]:
    return {
        "d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "encoder_ffn_dim": 16, "decoder_ffn_dim": 16,
        "encoder_attention_heads": 2, "decoder_attention_heads": 2, "num_queries": 5, **options,
    }  # fmt: skip


def detr(folder: Path) -> None:
    """DETR that is sure to see five dogs."""
    import torch

    t = _seeded()
    model = t.DetrForObjectDetection(t.DetrConfig(**detr_config(backbone_config=backbone()), **LABELS))
    with torch.no_grad():
        model.class_labels_classifier.bias[1] += 6
    _saved(folder, model, t.DetrImageProcessor(size=EDGES))


def yolos(folder: Path) -> None:
    """YOLOS that is sure to see five moons."""
    import torch

    t = _seeded()
    config = t.YolosConfig(**{**VIT, "num_hidden_layers": 2, "image_size": [64, 96]}, num_detection_tokens=5, **LABELS)
    model = t.YolosForObjectDetection(config)
    with torch.no_grad():
        model.class_labels_classifier.layers[-1].bias[2] += 6
    _saved(folder, model, t.YolosImageProcessor(size=EDGES))


def owlvit(folder: Path) -> None:
    t = _seeded()
    tokenizer = word_piece()
    tokenizer.model_max_length = 16
    config = t.OwlViTConfig(
        text_config={**ENCODER, **_tokens(tokenizer), "max_position_embeddings": 16},
        vision_config={**VIT, "patch_size": 16},
        projection_dim=16,
    )
    processor = t.OwlViTProcessor(t.OwlViTImageProcessor(size=SIDE), tokenizer)
    _saved(folder, t.OwlViTForObjectDetection(config), processor)


def grounding_dino(folder: Path) -> None:
    t = _seeded()
    tokenizer = word_piece()
    tokenizer.model_max_length = 256
    config = t.GroundingDinoConfig(
        **{**detr_config(d_model=32), "encoder_layers": 2, "decoder_layers": 2},
        backbone_config=_swin(["stage2", "stage3", "stage4"]),
        text_config={"model_type": "bert", **ENCODER, **_tokens(tokenizer), "max_position_embeddings": 256},
    )
    processor = t.GroundingDinoProcessor(t.GroundingDinoImageProcessor(size=EDGES), tokenizer)
    _saved(folder, t.GroundingDinoForObjectDetection(config), processor)


def _swin(stages: list[str]) -> Any:
    t = _seeded()
    return t.SwinConfig(
        image_size=32, embed_dim=8, depths=[1] * 4, num_heads=[1] * 4, window_size=2, out_features=stages
    )  # fmt: skip


# Masks and depth


def segformer(folder: Path, classes: int = 3) -> None:
    t = _seeded()
    labels = LABELS if classes == 3 else {"num_labels": classes}
    config = t.SegformerConfig(
        depths=[1] * 4, hidden_sizes=[8] * 4, num_attention_heads=[1] * 4, decoder_hidden_size=8, **labels
    )  # fmt: skip
    model = t.SegformerForSemanticSegmentation(config)
    _saved(folder, model, t.SegformerImageProcessor(size={"height": 64, "width": 64}))


def mask2former(folder: Path) -> None:
    """Mask2Former that is sure to see one cat, all over the picture."""
    import torch

    t = _seeded()
    config = t.Mask2FormerConfig(
        backbone_config=_swin(["stage1", "stage2", "stage3", "stage4"]), feature_size=32, mask_feature_size=32,
        hidden_dim=32, encoder_feedforward_dim=16, encoder_layers=1, decoder_layers=2, num_attention_heads=2,
        dim_feedforward=16, num_queries=1, **LABELS,
    )  # fmt: skip
    model = t.Mask2FormerForUniversalSegmentation(config)
    with torch.no_grad():
        model.class_predictor.bias[0] += 6
    _saved(folder, model, t.Mask2FormerImageProcessor(size={"height": 64, "width": 64}, ignore_index=255))


def dpt(folder: Path) -> None:
    t = _seeded()
    config = t.DPTConfig(
        **{**VIT, "num_hidden_layers": 4}, backbone_out_indices=[0, 1, 2, 3], neck_hidden_sizes=[8, 8, 8, 8],
        fusion_hidden_size=8, use_auxiliary_head=False,
    )  # fmt: skip
    _saved(folder, t.DPTForDepthEstimation(config), t.DPTImageProcessor(size=SIDE))


def glpn(folder: Path) -> None:
    t = _seeded()
    config = t.GLPNConfig(
        depths=[1] * 4, hidden_sizes=[8] * 4, num_attention_heads=[1] * 4, decoder_hidden_size=8
    )  # fmt: skip
    _saved(folder, t.GLPNForDepthEstimation(config), t.GLPNImageProcessor())


# Words for a picture


def _pair(folder: Path, decoder: Any, tokenizer: Any, *processors: Any) -> None:
    t = _seeded()
    config = t.VisionEncoderDecoderConfig.from_encoder_decoder_configs(t.ViTConfig(**VIT), decoder)
    config.decoder_start_token_id = tokenizer.cls_token_id
    config.pad_token_id = tokenizer.pad_token_id
    model = t.VisionEncoderDecoderModel(config)
    model.generation_config.decoder_start_token_id = tokenizer.cls_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    _saved(folder, model, *processors)


def vit_gpt2(folder: Path) -> None:
    t = _seeded()
    tokenizer = word_piece()
    decoder = t.GPT2Config(
        **_tokens(tokenizer), n_embd=16, n_layer=1, n_head=2, n_positions=512, is_decoder=True,
        add_cross_attention=True,
    )  # fmt: skip
    _pair(folder, decoder, tokenizer, t.ViTImageProcessor(size=SIDE), tokenizer)


def trocr(folder: Path) -> None:
    t = _seeded()
    tokenizer = word_piece()
    decoder = t.TrOCRConfig(
        **_tokens(tokenizer), d_model=16, decoder_layers=1, decoder_attention_heads=2, decoder_ffn_dim=16,
        max_position_embeddings=512, cross_attention_hidden_size=16, decoder_start_token_id=tokenizer.cls_token_id,
    )  # fmt: skip
    _pair(folder, decoder, tokenizer, t.TrOCRProcessor(t.ViTImageProcessor(size=SIDE), tokenizer))


def _blip_config(tokenizer: Any) -> Any:
    t = _seeded()
    text = {**ENCODER, **_tokens(tokenizer), "sep_token_id": tokenizer.sep_token_id, "encoder_hidden_size": 16}
    return t.BlipConfig(
        text_config={**text, "projection_dim": 16, "max_position_embeddings": 512},
        vision_config={**VIT, "projection_dim": 16},
        projection_dim=16,
    )


def blip(folder: Path) -> None:
    t = _seeded()
    tokenizer = word_piece()
    processor = t.BlipProcessor(t.BlipImageProcessor(size=SIDE), tokenizer)
    _saved(folder, t.BlipForConditionalGeneration(_blip_config(tokenizer)), processor)


def blip_vqa(folder: Path) -> None:
    t = _seeded()
    tokenizer = word_piece()
    processor = t.BlipProcessor(t.BlipImageProcessor(size=SIDE), tokenizer)
    _saved(folder, t.BlipForQuestionAnswering(_blip_config(tokenizer)), processor)


def blip2(folder: Path) -> None:
    """BLIP-2 with OPT, which goes on after what it was given."""
    t = _seeded()
    tokenizer = word_piece()
    opt = {
        "model_type": "opt", "hidden_size": 16, "ffn_dim": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
        "word_embed_proj_dim": 16, "max_position_embeddings": 512,
    }  # fmt: skip
    processor = t.Blip2Processor(t.BlipImageProcessor(size=SIDE), tokenizer, num_query_tokens=4)  # adds <image>
    tokens = _tokens(tokenizer)
    config = t.Blip2Config(
        vision_config=VIT, qformer_config={**ENCODER, "encoder_hidden_size": 16}, num_query_tokens=4,
        text_config={**opt, **tokens}, image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
    )  # fmt: skip
    _saved(folder, t.Blip2ForConditionalGeneration(config), processor)


def paligemma(folder: Path) -> None:
    t = _seeded()
    tokenizer = word_piece()
    tokenizer.bos_token = "<s>"
    pictures = t.SiglipImageProcessor(size=SIDE)
    pictures.image_seq_length = 16
    processor = t.PaliGemmaProcessor(pictures, tokenizer)  # adds <image>
    gemma = {
        **ENCODER, **_tokens(tokenizer), "model_type": "gemma", "num_key_value_heads": 1, "head_dim": 8,
        "max_position_embeddings": 512,
    }  # fmt: skip
    config = t.PaliGemmaConfig(
        vision_config={**VIT, "model_type": "siglip_vision_model", "vision_use_head": False}, text_config=gemma,
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"), projection_dim=16, hidden_size=16,
    )  # fmt: skip
    _saved(folder, t.PaliGemmaForConditionalGeneration(config), processor)


def git(folder: Path) -> None:
    t = _seeded()
    tokenizer = word_piece()
    config = t.GitConfig(vision_config=VIT, **ENCODER, **_tokens(tokenizer), max_position_embeddings=512)
    pictures = t.CLIPImageProcessor(size={"shortest_edge": 32}, crop_size=SIDE)
    _saved(folder, t.GitForCausalLM(config), t.GitProcessor(pictures, tokenizer))


def vilt(folder: Path) -> None:
    t = _seeded()
    tokenizer = word_piece()
    answers = {"id2label": {0: "yes", 1: "no", 2: "2"}, "label2id": {"yes": 0, "no": 1, "2": 2}}
    config = t.ViltConfig(**VIT, vocab_size=len(tokenizer), max_position_embeddings=64, **answers)
    pictures = t.ViltImageProcessor(size={"shortest_edge": 32}, size_divisor=8)
    _saved(folder, t.ViltForQuestionAnswering(config), t.ViltProcessor(pictures, tokenizer))


CHAT = (
    "{% for turn in messages %}{{ turn['role'] }}:{% for part in turn['content'] %}{% if part['type'] == 'image' %}"
    "PICTURE{% else %}{{ part['text'] }}{% endif %}{% endfor %}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant:{% endif %}"
)
LLAMA: dict[str, Any] = {**ENCODER, "model_type": "llama", "max_position_embeddings": 512}


def llava(folder: Path) -> None:
    t = _seeded()
    tokenizer = word_piece()
    tokenizer.add_special_tokens({"additional_special_tokens": ["<image>"]})
    config = t.LlavaConfig(
        vision_config={**VIT, "model_type": "clip_vision_model", "num_hidden_layers": 2, "projection_dim": 16},
        text_config={**LLAMA, **_tokens(tokenizer)},
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        image_seq_length=16,
    )
    processor = t.LlavaProcessor(
        t.CLIPImageProcessor(size={"shortest_edge": 32}, crop_size=SIDE), tokenizer, patch_size=8,
        vision_feature_select_strategy="default", num_additional_image_tokens=1,
        chat_template=CHAT.replace("PICTURE", "<image>"),
    )  # fmt: skip
    _saved(folder, t.LlavaForConditionalGeneration(config), processor)


def idefics3(folder: Path) -> None:
    """The architecture of SmolVLM."""
    t = _seeded()
    tokenizer = word_piece()
    special = ["<image>", "<fake_token_around_image>", "<end_of_utterance>", "<global-img>"]
    tokenizer.add_special_tokens({"additional_special_tokens": special})
    config = t.Idefics3Config(
        vision_config=VIT,
        text_config={**LLAMA, **_tokens(tokenizer)},
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        scale_factor=2,
        pad_token_id=0,
    )
    pictures = t.Idefics3ImageProcessor(
        size={"longest_edge": 64}, max_image_size={"longest_edge": 32}, do_image_splitting=False
    )  # fmt: skip
    processor = t.Idefics3Processor(
        pictures, tokenizer, image_seq_len=4, chat_template=CHAT.replace("PICTURE", "<image>")
    )  # fmt: skip
    _saved(folder, t.Idefics3ForConditionalGeneration(config), processor)


def qwen2_vl(folder: Path) -> None:
    """A model that takes videos, too, whose processor for those needs torchvision."""
    t = _seeded()
    tokenizer = word_piece()
    tokenizer.add_special_tokens(
        {"additional_special_tokens": ["<|image_pad|>", "<|video_pad|>", "<|vision_start|>", "<|vision_end|>"]}
    )
    number = tokenizer.convert_tokens_to_ids
    config = t.Qwen2VLConfig(
        text_config={
            **ENCODER, **_tokens(tokenizer), "num_key_value_heads": 2, "max_position_embeddings": 512,
            "rope_parameters": {"rope_type": "default", "mrope_section": [1, 1, 2]},
        },
        vision_config={"depth": 1, "embed_dim": 16, "hidden_size": 16, "num_heads": 2, "patch_size": 14, "mlp_ratio": 1},
        image_token_id=number("<|image_pad|>"), video_token_id=number("<|video_pad|>"),
        vision_start_token_id=number("<|vision_start|>"), vision_end_token_id=number("<|vision_end|>"),
    )  # fmt: skip
    pictures = t.Qwen2VLImageProcessor(min_pixels=28 * 28, max_pixels=56 * 56)
    _saved(folder, t.Qwen2VLForConditionalGeneration(config), tokenizer, pictures)
    template = CHAT.replace("PICTURE", "<|vision_start|><|image_pad|><|vision_end|>")
    (folder / "chat_template.jinja").write_text(template, encoding="utf-8")


# Pages


def layoutlm(folder: Path) -> None:
    t = _seeded()
    tokenizer = word_piece()
    config = t.LayoutLMConfig(**ENCODER, **_tokens(tokenizer), max_position_embeddings=128)
    _saved(folder, t.LayoutLMForQuestionAnswering(config), tokenizer)


def layoutlmv3(folder: Path) -> None:
    t = _seeded()
    tokenizer = t.LayoutLMv3Tokenizer(vocab=_byte_vocabulary(), merges=[], model_max_length=120)
    config = t.LayoutLMv3Config(
        **{**ENCODER, "hidden_size": 24}, **_tokens(tokenizer), max_position_embeddings=128, coordinate_size=4,
        shape_size=4, input_size=32, patch_size=8,
    )  # fmt: skip
    pictures = t.LayoutLMv3ImageProcessor(size=SIDE, apply_ocr=False)
    _saved(folder, t.LayoutLMv3ForQuestionAnswering(config), tokenizer, pictures)


def _byte_vocabulary() -> dict[str, int]:
    from tokenizers.pre_tokenizers import ByteLevel

    return {token: at for at, token in enumerate(["<s>", "<pad>", "</s>", "<unk>", "<mask>", *ByteLevel.alphabet()])}


def donut(folder: Path) -> None:
    t = _seeded()
    tokenizer = word_piece()
    marks = ["<s_docvqa>", "<s_question>", "</s_question>", "<s_answer>", "</s_answer>"]
    tokenizer.add_special_tokens({"additional_special_tokens": marks})
    encoder = t.DonutSwinConfig(
        image_size=[64, 48], patch_size=4, embed_dim=8, depths=[1, 1], num_heads=[1, 1], window_size=4
    )  # fmt: skip
    decoder = t.MBartConfig(
        **_tokens(tokenizer), d_model=16, decoder_layers=1, decoder_attention_heads=2, decoder_ffn_dim=16,
        encoder_layers=1, max_position_embeddings=640, is_decoder=True, add_cross_attention=True,
        is_encoder_decoder=False,
    )  # fmt: skip
    config = t.VisionEncoderDecoderConfig.from_encoder_decoder_configs(encoder, decoder)
    config.decoder_start_token_id = tokenizer.cls_token_id
    config.pad_token_id = tokenizer.pad_token_id
    processor = t.DonutProcessor(t.DonutImageProcessor(size={"height": 64, "width": 48}), tokenizer)
    _saved(folder, t.VisionEncoderDecoderModel(config), processor)
