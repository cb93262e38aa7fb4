"""Tiny diffusion pipelines, ControlNets and enlargers with random weights (see tiny.py): pictures of 32 x 32."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

WARNINGS = [
    pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning"),
]
"""Marks for tests: what diffusers does that PyTorch and NumPy warn of."""
HIDDEN = 16
TEXT: dict[str, Any] = {
    "hidden_size": HIDDEN, "intermediate_size": HIDDEN, "num_hidden_layers": 2, "num_attention_heads": 2,
    "max_position_embeddings": 77, "projection_dim": HIDDEN,
}  # fmt: skip
UNET: dict[str, Any] = {
    "sample_size": 16, "block_out_channels": (8, 16), "layers_per_block": 1, "norm_num_groups": 4,
    "attention_head_dim": 4, "cross_attention_dim": HIDDEN,
}  # fmt: skip
TWO_D: dict[str, Any] = {
    "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D"), "up_block_types": ("CrossAttnUpBlock2D", "UpBlock2D"),
}  # fmt: skip
NOISE: dict[str, Any] = {"beta_start": 0.00085, "beta_end": 0.012, "beta_schedule": "scaled_linear", "steps_offset": 1}
UNCHECKED: dict[str, Any] = {"safety_checker": None, "feature_extractor": None, "requires_safety_checker": False}


def _seeded() -> tuple[Any, Any]:
    """diffusers and transformers, their random weights the same in each run."""
    import diffusers
    import torch
    import transformers

    torch.manual_seed(0)
    return diffusers, transformers


def tokenizer() -> Any:
    """CLIP's tokenizer over single letters."""
    from tokenizers.pre_tokenizers import ByteLevel
    from transformers import CLIPTokenizer

    letters = ByteLevel.alphabet()
    tokens = [*letters, *(f"{letter}</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    return CLIPTokenizer(vocab={token: at for at, token in enumerate(tokens)}, merges=[], model_max_length=77)


def _text_encoder(words: Any, projected: bool = False) -> Any:
    _, t = _seeded()
    config = t.CLIPTextConfig(
        **TEXT, vocab_size=len(words), bos_token_id=words.bos_token_id, eos_token_id=words.eos_token_id,
        pad_token_id=words.pad_token_id,
    )  # fmt: skip
    return (t.CLIPTextModelWithProjection if projected else t.CLIPTextModel)(config)


def _vae() -> Any:
    d, _ = _seeded()
    return d.AutoencoderKL(
        sample_size=32, block_out_channels=[8, 16], norm_num_groups=4, latent_channels=4,
        down_block_types=["DownEncoderBlock2D"] * 2, up_block_types=["UpDecoderBlock2D"] * 2,
    )  # fmt: skip


def _latent_parts(**unet: Any) -> dict[str, Any]:
    """The parts that Stable Diffusion and its kin share, with PNDM as its first versions have it."""
    d, _ = _seeded()
    words = tokenizer()
    return {
        "vae": _vae(),
        "text_encoder": _text_encoder(words),
        "tokenizer": words,
        "unet": d.UNet2DConditionModel(**{**UNET, **TWO_D, **unet}),
        "scheduler": d.PNDMScheduler(**NOISE, skip_prk_steps=True),
    }


# Text and pictures to pictures


def stable_diffusion(folder: Path, scheduler: Any = None, **options: Any) -> None:
    """`options` are those of save_pretrained."""
    d, _ = _seeded()
    parts = _latent_parts()
    if scheduler:
        parts["scheduler"] = scheduler
    d.StableDiffusionPipeline(**parts, **UNCHECKED).save_pretrained(folder, **options)


def stable_diffusion_xl(folder: Path) -> None:
    d, _ = _seeded()
    words = tokenizer()
    unet = d.UNet2DConditionModel(
        **{**UNET, **TWO_D, "cross_attention_dim": 2 * HIDDEN}, addition_embed_type="text_time",
        addition_time_embed_dim=8, projection_class_embeddings_input_dim=6 * 8 + HIDDEN,
    )  # fmt: skip
    d.StableDiffusionXLPipeline(
        vae=_vae(), text_encoder=_text_encoder(words), text_encoder_2=_text_encoder(words, projected=True),
        tokenizer=words, tokenizer_2=words, unet=unet, add_watermarker=False,
        scheduler=d.EulerDiscreteScheduler(**NOISE, timestep_spacing="leading"),
    ).save_pretrained(folder)  # fmt: skip


def flux(folder: Path) -> None:
    """A transformer that was distilled to a few steps without guidance, as FLUX.1-schnell."""
    from tests.experts.families.tiny import word_piece

    d, t = _seeded()
    words, pieces = tokenizer(), word_piece()
    transformer = d.FluxTransformer2DModel(
        patch_size=1, in_channels=16, num_layers=1, num_single_layers=1, attention_head_dim=16, num_attention_heads=2,
        joint_attention_dim=32, pooled_projection_dim=HIDDEN, axes_dims_rope=[4, 4, 8],
    )  # fmt: skip
    encoder = t.T5EncoderModel(
        t.T5Config(vocab_size=len(pieces), d_model=32, d_kv=8, d_ff=32, num_layers=1, num_heads=2)
    )
    vae = d.AutoencoderKL(
        sample_size=32, block_out_channels=[8, 16], norm_num_groups=4, latent_channels=4, shift_factor=0.1,
        down_block_types=["DownEncoderBlock2D"] * 2, up_block_types=["UpDecoderBlock2D"] * 2, use_quant_conv=False,
        use_post_quant_conv=False,
    )  # fmt: skip
    d.FluxPipeline(
        scheduler=d.FlowMatchEulerDiscreteScheduler(), vae=vae, text_encoder=_text_encoder(words), tokenizer=words,
        text_encoder_2=encoder, tokenizer_2=pieces, transformer=transformer,
    ).save_pretrained(folder)  # fmt: skip


def instruct_pix2pix(folder: Path) -> None:
    d, _ = _seeded()
    parts = _latent_parts(in_channels=8)
    d.StableDiffusionInstructPix2PixPipeline(**parts, **UNCHECKED).save_pretrained(folder)


def image_variation(folder: Path) -> None:
    d, t = _seeded()
    parts = _latent_parts()
    encoder = t.CLIPVisionModelWithProjection(
        t.CLIPVisionConfig(
            hidden_size=HIDDEN, intermediate_size=HIDDEN, num_hidden_layers=1, num_attention_heads=2, image_size=32,
            patch_size=8, projection_dim=HIDDEN,
        )
    )  # fmt: skip
    pictures = t.CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
    kept = {name: parts[name] for name in ("vae", "unet", "scheduler")}
    d.StableDiffusionImageVariationPipeline(
        **kept, **{**UNCHECKED, "feature_extractor": pictures}, image_encoder=encoder
    ).save_pretrained(folder)


def controlnet(folder: Path, **options: Any) -> None:
    d, _ = _seeded()
    made = d.ControlNetModel(
        **{**{name: value for name, value in UNET.items() if name != "sample_size"}, **options},
        down_block_types=TWO_D["down_block_types"], conditioning_embedding_out_channels=(8, 16),
    )  # fmt: skip
    made.controlnet_down_blocks.apply(_not_nought)  # a fresh ControlNet is without effect
    made.save_pretrained(folder)


def _not_nought(layer: Any) -> None:
    for weights in layer.parameters(recurse=False):
        weights.data.normal_(0, 0.3)


def swin2sr(folder: Path) -> None:
    _, t = _seeded()
    config = t.Swin2SRConfig(
        image_size=16, embed_dim=8, depths=[1], num_heads=[2], window_size=4, mlp_ratio=2.0, upscale=2
    )  # fmt: skip
    t.Swin2SRForImageSuperResolution(config).save_pretrained(folder)
    t.Swin2SRImageProcessorPil().save_pretrained(folder)


# Text to videos


def text_to_video(folder: Path) -> None:
    """The architecture of ModelScope's model; its pictures are 16 x 16."""
    d, _ = _seeded()
    parts = _latent_parts()
    unet = d.UNet3DConditionModel(
        **{**UNET, "sample_size": 8}, down_block_types=("CrossAttnDownBlock3D", "DownBlock3D"),
        up_block_types=("UpBlock3D", "CrossAttnUpBlock3D"),
    )  # fmt: skip
    d.TextToVideoSDPipeline(**{**parts, "unet": unet}).save_pretrained(folder)


def animate_diff(folder: Path) -> None:
    d, _ = _seeded()
    parts = _latent_parts(sample_size=8)
    adapter = d.MotionAdapter(
        block_out_channels=UNET["block_out_channels"], motion_layers_per_block=1, motion_norm_num_groups=4,
        motion_num_attention_heads=2,
    )  # fmt: skip
    d.AnimateDiffPipeline(**parts, motion_adapter=adapter).save_pretrained(folder)
