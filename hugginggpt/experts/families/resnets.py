"""Detectors whose backbone was saved with timm's ResNet, loaded without timm.

DETR, Conditional DETR and Table Transformer checkpoints (facebook/detr-resnet-50, microsoft/table-transformer-*)
name their backbone's weights as timm does. transformers has the same ResNet under other names.
"""

from __future__ import annotations

from typing import Any

from hugginggpt.experts.source import Source

DEPTHS = {
    "resnet18": ("basic", [2, 2, 2, 2]),
    "resnet34": ("basic", [3, 4, 6, 3]),
    "resnet50": ("bottleneck", [3, 4, 6, 3]),
    "resnet101": ("bottleneck", [3, 4, 23, 3]),
}
"""The type of layer and the number of layers in each of the four stages (arXiv 1512.03385, table 1)."""
WIDTHS = {"basic": [64, 128, 256, 512], "bottleneck": [256, 512, 1024, 2048]}
DETECTORS = ("detr", "conditional_detr", "table-transformer")


def is_timm_detr(source: Source) -> bool:
    """Whether the checkpoint is a detector with a timm backbone that transformers' ResNet can replace.

    Dilated backbones (DC5) cannot be replaced; they need the package timm.
    """
    config = source.config
    return (
        source.model_type in DETECTORS
        and not config.get("backbone_config")
        and config.get("use_timm_backbone", True)
        and not config.get("dilation")
        and config.get("backbone", "resnet50") in DEPTHS
    )


def load_timm_detr(source: Source, auto: Any) -> Any:
    """The detector, with its backbone's weights renamed on loading."""
    from transformers import CONFIG_MAPPING, ResNetConfig

    layer, depths = DEPTHS[source.config.get("backbone") or "resnet50"]
    stages = [f"stage{number}" for number in (1, 2, 3, 4)]
    make: Any = ResNetConfig
    backbone = make(layer_type=layer, depths=depths, hidden_sizes=WIDTHS[layer], out_features=stages)
    kept = {name: value for name, value in source.config.items() if "backbone" not in name}
    config = CONFIG_MAPPING[source.model_type].from_dict({**kept, "backbone_config": backbone.to_dict()})
    return source.model(auto, config=config, key_mapping=_key_mapping())


def _key_mapping() -> dict[str, str]:
    """Patterns of timm's names for a ResNet's weights, and transformers' names for them."""
    start = r"backbone\.conv_encoder\.model\."
    new = "backbone.conv_encoder.model."
    names = {
        rf"{start}conv1\.": f"{new}embedder.embedder.convolution.",
        rf"{start}bn1\.": f"{new}embedder.embedder.normalization.",
    }
    for stage in range(4):
        old_prefix, new_prefix = rf"{start}layer{stage + 1}\.(\d+)\.", rf"{new}encoder.stages.{stage}.layers.\1."
        names[rf"{old_prefix}downsample\.0\."] = f"{new_prefix}shortcut.convolution."
        names[rf"{old_prefix}downsample\.1\."] = f"{new_prefix}shortcut.normalization."
        for index in range(3):
            names[rf"{old_prefix}conv{index + 1}\."] = f"{new_prefix}layer.{index}.convolution."
            names[rf"{old_prefix}bn{index + 1}\."] = f"{new_prefix}layer.{index}.normalization."
    return names
