"""Models that generate pictures and videos: diffusion pipelines, ControlNets, upscalers."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.common.paths import MODEL_SERVER
from hugginggpt.core.errors import ExpertUnavailable, UserError
from hugginggpt.experts.families import Fits, Run, each, family
from hugginggpt.experts.families.pictures import has, is_type
from hugginggpt.experts.source import Source
from hugginggpt.media.decoding import load_image
from hugginggpt.media.encoding import mp4_bytes

if TYPE_CHECKING:
    from PIL.Image import Image

SEED = 0
"""The random seed of a model when it is loaded: the same requests in the same order give the same pictures, and a
repeated request gives a different one."""
STEPS = 25
FEW_STEPS = 4
SLOW_SCHEDULERS = ("PNDMScheduler", "DDIMScheduler", "DDPMScheduler", "LMSDiscreteScheduler")
"""Schedulers that need 50 steps or more; DPM-Solver++ (arXiv 2211.01095) replaces them with half as many."""
DISTILLED_SCHEDULERS = ("LCMScheduler", "TCDScheduler")
"""Schedulers of models distilled to a few steps (arXiv 2310.04378, 2402.19159)."""
STRENGTH = 0.7
"""The strength of a text-guided edit, from 0 (no change) to 1 (the picture is ignored)."""
CONTROLS = ("canny", "hed", "mlsd", "normal", "openpose", "depth", "scribble", "seg")
"""The types of control images (ControlNet, arXiv 2302.05543)."""
FRAME_RATES = {"WanPipeline": 16, "LTXPipeline": 24}
"""Frames per second of the videos of a pipeline class; 8 for the others."""
TILE, OVERLAP = 256, 16
"""Pictures are enlarged in tiles of this side, with an overlap, both in pixels ..."""
MAX_ENLARGED_PIXELS = 4_000_000
"""... if they have at most this many pixels."""
MOST_PIXELS = 4_194_304
"""The most pixels of a picture whose size is given: 2048 x 2048."""
MAX_ASPECT_RATIO = 8
"""The maximum ratio of the sides of an input picture."""


def _has_pipeline(mapping: str) -> Fits:
    """Whether diffusers has a pipeline for a task that shares the components of the model's own pipeline."""

    def fits(source: Source) -> bool:
        from diffusers.pipelines import auto_pipeline as auto

        tables = (auto.AUTO_TEXT2IMAGE_PIPELINES_MAPPING, auto.AUTO_IMAGE2IMAGE_PIPELINES_MAPPING)
        kinds = {
            kind
            for mapping_table in tables
            for kind, pipeline_class in mapping_table.items()
            if pipeline_class.__name__ == source.model_type
        }
        return not kinds.isdisjoint(getattr(auto, mapping))

    return fits


def _configured(pipe: Any) -> dict[str, Any]:
    """Replaces a slow scheduler; returns the options of a call: random generator, number of steps, guidance.

    Models distilled to a few steps without guidance (SD-Turbo, FLUX.1-schnell) are recognised by their scheduler's
    spacing or by their lack of guidance embeddings. Others keep their pipeline's defaults.
    """
    import torch
    from diffusers import DPMSolverMultistepScheduler

    scheduler = getattr(pipe, "scheduler", None)
    kind, config = type(scheduler).__name__, getattr(scheduler, "config", {})
    options: dict[str, Any] = {"generator": torch.Generator("cpu").manual_seed(SEED)}
    if kind in SLOW_SCHEDULERS:
        pipe.scheduler = DPMSolverMultistepScheduler.from_config(config)
        return {**options, "num_inference_steps": STEPS}
    if kind in DISTILLED_SCHEDULERS:
        return {**options, "num_inference_steps": FEW_STEPS}
    spaced = config.get("timestep_spacing") == "trailing" and not config.get("rescale_betas_zero_snr")
    turbo = kind.startswith("Euler") and spaced
    denoiser = getattr(getattr(pipe, "transformer", None), "config", {})
    if turbo or denoiser.get("guidance_embeds") is False:
        return {**options, "num_inference_steps": FEW_STEPS, "guidance_scale": 0.0}
    return {**options, "num_inference_steps": STEPS} if kind.startswith("Euler") else options


def _resized(picture: Image, pipe: Any) -> Image:
    """The picture resized to about as many pixels as the model was trained on, with the same aspect ratio.

    Raises UserError for a picture that is too long and narrow.
    """
    from PIL import Image as PIL

    if max(picture.size) > MAX_ASPECT_RATIO * min(picture.size):
        raise UserError(
            f"The picture is {picture.width} x {picture.height} pixels, too long and narrow: crop it to "
            f"{MAX_ASPECT_RATIO}:1 at most."
        )
    denoiser = getattr(pipe, "unet", None) or pipe.transformer
    latent = getattr(pipe, "default_sample_size", None) or getattr(denoiser.config, "sample_size", None) or 64
    side = (latent if isinstance(latent, int) else min(latent)) * pipe.vae_scale_factor
    scale = side / (picture.width * picture.height) ** 0.5
    unit = 2 * pipe.vae_scale_factor
    width, height = (max(unit, round(length * scale / unit) * unit) for length in picture.size)
    return picture.resize((width, height), PIL.Resampling.LANCZOS)


def _checked_text(source: Source, text: str) -> str:
    if not text.strip():
        raise UserError(f"{source.id} needs a text that says what to change in the picture.")
    return text


# Pictures


@family("text-to-image", when=_has_pipeline("AUTO_TEXT2IMAGE_PIPELINES_MAPPING"))
def text_to_image(source: Source) -> Run:
    """Stable Diffusion (arXiv 2112.10752) and the other text-to-image pipelines of diffusers."""
    import torch
    from diffusers import AutoPipelineForText2Image

    pipe = source.pipeline(AutoPipelineForText2Image)
    options = _configured(pipe)

    unit = 2 * getattr(pipe, "vae_scale_factor", 8)

    def run(text: str, width: int = 0, height: int = 0) -> Any:
        """A picture of the size that the model was trained on, unless it is given in pixels."""
        if any(side % unit for side in (width, height)) or width * height > MOST_PIXELS:
            raise UserError(
                f"The sides of a picture of {source.id} should be multiples of {unit} pixels, and it should have "
                f"{MOST_PIXELS / 1e6:g} megapixels at most, not {width}x{height}."
            )
        size = {"width": width, "height": height} if width and height else {}
        with torch.inference_mode():
            return pipe(prompt=text, **size, **options).images[0]

    return each(run)


@family("image-to-image", when=is_type("StableDiffusionInstructPix2PixPipeline"))
def instructed_edit(source: Source) -> Run:
    """Edits a picture by an instruction (InstructPix2Pix, arXiv 2211.09800), with the paper's guidance."""
    import torch
    from diffusers import StableDiffusionInstructPix2PixPipeline

    pipe = source.pipeline(StableDiffusionInstructPix2PixPipeline)
    options = _configured(pipe)

    def run(image: Path, text: str = "") -> Any:
        picture = _resized(load_image(image), pipe)
        with torch.inference_mode():
            return pipe(
                prompt=_checked_text(source, text),
                image=picture,
                image_guidance_scale=1.5,
                guidance_scale=7.5,
                **options,
            ).images[0]

    return each(run)


@family("image-to-image", when=is_type("StableDiffusionImageVariationPipeline"))
def image_variation(source: Source) -> Run:
    """A variation of a picture; a text is ignored."""
    import torch
    from diffusers import StableDiffusionImageVariationPipeline

    pipe = source.pipeline(StableDiffusionImageVariationPipeline)
    options = _configured(pipe)

    def run(image: Path, text: str = "") -> Any:
        with torch.inference_mode():
            return pipe(image=load_image(image), **options).images[0]

    return each(run)


@family("image-to-image", when=_has_pipeline("AUTO_IMAGE2IMAGE_PIPELINES_MAPPING"))
def image_to_image(source: Source) -> Run:
    """A picture generated from a text and a noisy version of the input picture (SDEdit, arXiv 2108.01073)."""
    import torch
    from diffusers import AutoPipelineForImage2Image

    pipe = source.pipeline(AutoPipelineForImage2Image)
    options, parameters = _configured(pipe), inspect.signature(pipe.__call__).parameters
    if "strength" in parameters:
        options["strength"] = STRENGTH

    def run(image: Path, text: str = "") -> Any:
        picture = _resized(load_image(image), pipe)
        size = {"width": picture.width, "height": picture.height} if "height" in parameters else {}
        with torch.inference_mode():
            return pipe(prompt=_checked_text(source, text), image=picture, **size, **options).images[0]

    return each(run)


@family("image-to-image", when=has("IMAGE_TO_IMAGE"))
def enlarge(source: Source) -> Run:
    """The picture enlarged, tile by tile (Swin2SR, arXiv 2209.11345); a text is ignored."""
    import torch
    from PIL import Image as PIL
    from transformers import AutoImageProcessor, AutoModelForImageToImage

    model, processor = source.model(AutoModelForImageToImage), source.part(AutoImageProcessor)
    factor = int(model.config.upscale)

    def enlarged(part: Image) -> Image:
        batch = source.to_device(processor(images=part, return_tensors="pt"))
        with torch.inference_mode():
            pixels = model(**batch).reconstruction[0].float().clamp(0, 1).cpu().permute(1, 2, 0).numpy()
        output = PIL.fromarray((pixels * 255).round().astype("uint8"))
        return output.crop((0, 0, part.width * factor, part.height * factor))  # without the padding

    def run(image: Path, text: str = "") -> Any:
        picture = load_image(image)
        if picture.width * picture.height > MAX_ENLARGED_PIXELS:
            raise UserError(
                f"The picture has {picture.width * picture.height / 1e6:.1f} megapixels, too many to be enlarged: "
                f"give one of {MAX_ENLARGED_PIXELS / 1e6:g} at most."
            )
        result = PIL.new("RGB", (picture.width * factor, picture.height * factor))
        for top in range(0, picture.height, TILE):
            for left in range(0, picture.width, TILE):
                right, bottom = min(left + TILE, picture.width), min(top + TILE, picture.height)
                x, y = max(0, left - OVERLAP), max(0, top - OVERLAP)
                around = (x, y, min(right + OVERLAP, picture.width), min(bottom + OVERLAP, picture.height))
                inner = (factor * (left - x), factor * (top - y), factor * (right - x), factor * (bottom - y))
                result.paste(enlarged(picture.crop(around)).crop(inner), (left * factor, top * factor))
        return result

    return each(run)


# Controlled generation


def _base_folder(source: Source) -> Path:
    """The folder of the Stable Diffusion model that a ControlNet steers. Raises ExpertUnavailable."""
    bundled = source.folder / "base"
    folder = bundled if bundled.is_dir() else source.base()
    if folder is None:
        raise ExpertUnavailable(
            f"{source.id} only steers Stable Diffusion 1.5, which is not on this machine: fetch "
            f"stable-diffusion-v1-5/stable-diffusion-v1-5 ({MODEL_SERVER} --download full), or name its folder in "
            "models_server.controlnet_base."
        )
    return folder


def _bytes_with_base(source: Source) -> int:
    folder = _base_folder(source)
    base_bytes = 0 if folder.is_relative_to(source.folder) else source.beside(folder).bytes_needed
    return source.bytes_needed + base_bytes


@family(
    *(f"{control}-text-to-image" for control in CONTROLS),
    when=is_type("ControlNetModel"),
    bytes_needed=_bytes_with_base,
)
def controlled_text_to_image(source: Source) -> Run:
    """A picture of a text that follows the lines or the pose of a control image (ControlNet, arXiv 2302.05543)."""
    import torch
    from diffusers import ControlNetModel, StableDiffusionControlNetPipeline

    base = source.beside(_base_folder(source))
    controlnet = source.model(ControlNetModel)
    pipe = base.pipeline(StableDiffusionControlNetPipeline, controlnet=controlnet)
    if controlnet.config.cross_attention_dim != pipe.unet.config.cross_attention_dim:
        raise ExpertUnavailable(
            f"{source.id} was made for another version of Stable Diffusion than {base.folder.name}."
        )
    options = _configured(pipe)

    def run(image: Path, text: str) -> Any:
        control = _resized(load_image(image), pipe)
        with torch.inference_mode():
            return pipe(prompt=text, image=control, **options).images[0]

    return each(run)


# Videos


def _is_text_to_video(source: Source) -> bool:
    """Whether the model is a diffusers pipeline that generates frames from a text alone."""
    import diffusers

    pipeline_class = getattr(diffusers, source.model_type, None) if source.model_type.endswith("Pipeline") else None
    if pipeline_class is None:
        return False
    args: Mapping[str, inspect.Parameter] = inspect.signature(pipeline_class.__call__).parameters
    required = {name for name, arg in args.items() if arg.default is arg.empty} - {"self", "args", "kwargs", "prompt"}
    return {"prompt", "num_frames"} <= set(args) and not required


@family("text-to-video", when=_is_text_to_video)
def text_to_video(source: Source) -> Run:
    """A short video, H.264 in MP4 (ModelScope, arXiv 2308.06571; AnimateDiff, 2307.04725; and others)."""
    import torch
    from diffusers import DiffusionPipeline

    pipe = source.pipeline(DiffusionPipeline)
    options = _configured(pipe)
    rate = FRAME_RATES.get(source.model_type, 8)

    def run(text: str) -> Any:
        with torch.inference_mode():
            return mp4_bytes(pipe(prompt=text, output_type="pil", **options).frames[0], rate)

    return each(run)
