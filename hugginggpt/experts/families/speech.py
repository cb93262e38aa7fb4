"""Speech synthesis: text to speech and voice conversion."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.core.errors import BackendError, ExpertUnavailable, UserError
from hugginggpt.experts.families import Run, companion, each, family
from hugginggpt.experts.families.audio import cut_at_pauses
from hugginggpt.experts.families.pieces import checked, packed, split
from hugginggpt.experts.source import Source, cached_folder
from hugginggpt.media.decoding import load_audio
from hugginggpt.media.encoding import wav_bytes

if TYPE_CHECKING:
    import numpy as np
    import torch

    Samples = np.ndarray[Any, np.dtype[np.float32]]

CHUNK_CHARS = 200
"""The length of text synthesised at once: models make errors on longer ones, and Bark ends after about 13 seconds."""
PAUSE_SECONDS = 0.2
VOICE_SECONDS = 15.0
VOCODER = companion("speecht5", "microsoft/speecht5_hifigan")
SPEAKER_FILES = ("speaker_embedding.npy", "speaker_embedding.safetensors")
MAX_LENGTH_RATIO = 3.0
"""The maximum length of a voice conversion: output frames of the spectrogram per input frame (usual: 1.25)."""


def in_float32(source: Source) -> Source:
    """The same model in float32 on any device: these models are small, and half precision is audible."""
    return replace(source, placement=replace(source.placement, dtype="float32"))


def read_aloud(text: str, rate: int, speak: Callable[[str], Samples | None]) -> bytes:
    """A WAV file of a text, synthesised sentence by sentence with short pauses. `speak` returns None for silent text.

    Raises UserError for a text without anything to read aloud.
    """
    import numpy as np

    parts: list[Samples] = []
    for chunk in packed(split(checked(text), CHUNK_CHARS), CHUNK_CHARS):
        samples = speak(chunk) if any(char.isalnum() for char in chunk) else None
        if samples is not None and samples.size:
            parts += [samples, np.zeros(int(PAUSE_SECONDS * rate), np.float32)]
    if not parts:
        raise UserError("There is nothing in the text that this voice can read aloud.")
    return _wav(np.concatenate(parts[:-1]), rate)


def _wav(samples: Samples, rate: int) -> bytes:
    import numpy as np

    if not np.isfinite(samples).all():
        raise BackendError("The model generated invalid sound (not a number).")
    return wav_bytes(samples, rate)


def _samples(waveform: torch.Tensor) -> Samples:
    samples: Samples = waveform.float().cpu().numpy().reshape(-1)
    return samples


@family("text-to-speech", when=lambda source: source.model_type == "vits")
def vits(source: Source) -> Run:
    """VITS (arXiv 2106.06103) and MMS; each model speaks one language."""
    import torch
    from transformers import AutoModelForTextToWaveform, AutoTokenizer

    tokenizer = source.part(AutoTokenizer)
    for needed, package in ((tokenizer.phonemize, "phonemizer"), (tokenizer.is_uroman, "uroman")):
        if needed and importlib.util.find_spec(package) is None:
            raise ExpertUnavailable(f"{source.id} reads texts with the package {package}: pip install {package}")
    source = in_float32(source)
    model = source.model(AutoModelForTextToWaveform)

    def speak(text: str) -> Samples | None:
        inputs = tokenizer(text, return_tensors="pt")
        if not inputs["input_ids"].bool().any():  # no known letters, only blanks
            return None
        with torch.inference_mode():
            return _samples(model(**source.to_device(inputs)).waveform)

    return each(lambda text: read_aloud(text, model.config.sampling_rate, speak))


@family("text-to-speech", when=lambda source: source.model_type == "speecht5")
def speecht5(source: Source) -> Run:
    """SpeechT5 (arXiv 2110.07205) with a HiFi-GAN, in the voice of the speaker embedding."""
    import torch
    from transformers import AutoModelForTextToSpectrogram, AutoTokenizer

    source = in_float32(source)
    model = source.model(AutoModelForTextToSpectrogram)
    vocoder = _vocoder(source)
    tokenizer = source.part(AutoTokenizer, normalize=True)
    speaker = _speaker(source, model.config.speaker_embedding_dim)

    def speak(text: str) -> Samples | None:
        inputs = source.to_device({**tokenizer(text, return_tensors="pt"), "speaker_embeddings": speaker})
        with torch.inference_mode():
            return _samples(model.generate(**inputs, vocoder=vocoder))

    return each(lambda text: read_aloud(text, vocoder.config.sampling_rate, speak))


@family("text-to-speech", when=lambda source: source.model_type == "bark")
def bark(source: Source) -> Run:
    """Bark, which chooses a random voice for each sentence."""
    import torch
    from transformers import AutoModelForTextToWaveform, BarkProcessor

    model = source.model(AutoModelForTextToWaveform)
    processor = source.part(BarkProcessor, speaker_embeddings_dict_path=None)

    def speak(text: str) -> Samples | None:
        inputs = source.to_device(processor(text, truncation=True))
        with torch.inference_mode():
            return _samples(model.generate(**inputs))

    return each(lambda text: read_aloud(text, model.generation_config.sample_rate, speak))


@family("audio-to-audio", when=lambda source: source.model_type == "speecht5")
def voice_conversion(source: Source) -> Run:
    """The same speech in another voice: SpeechT5 (arXiv 2110.07205) with a HiFi-GAN."""
    import numpy as np
    import torch
    from transformers import AutoFeatureExtractor, SpeechT5ForSpeechToSpeech

    source = in_float32(source)
    model = source.model(SpeechT5ForSpeechToSpeech)
    vocoder = _vocoder(source)
    extractor = source.part(AutoFeatureExtractor)
    speaker = _speaker(source, model.config.speaker_embedding_dim)

    def speak(samples: Samples) -> Samples:
        inputs = extractor(audio=samples, sampling_rate=extractor.sampling_rate, return_tensors="pt")
        with torch.inference_mode():
            spoken = model.generate_speech(
                **source.to_device({**inputs, "speaker_embeddings": speaker}),
                vocoder=vocoder, maxlenratio=MAX_LENGTH_RATIO,
            )  # fmt: skip
        return _samples(spoken)

    def convert(audio: Path) -> bytes:
        parts = cut_at_pauses(load_audio(audio, extractor.sampling_rate), extractor.sampling_rate, VOICE_SECONDS)
        return _wav(np.concatenate([speak(part) for part in parts]), vocoder.config.sampling_rate)

    return each(convert)


def _vocoder(source: Source) -> Any:
    """The vocoder HiFi-GAN (arXiv 2010.05646) for SpeechT5's spectrograms.

    It is read from the folder vocoder/ of the model, else from the Hub's cache. Raises ExpertUnavailable.
    """
    from transformers import SpeechT5HifiGan

    folder = source.folder / "vocoder"
    vocoder = folder if (folder / "config.json").is_file() else cached_folder(VOCODER)
    if vocoder is None:
        raise ExpertUnavailable(
            f"{source.id} needs the vocoder {VOCODER}: download it, or put one into the folder vocoder of the model."
        )
    return replace(source, id=VOCODER, folder=vocoder).model(SpeechT5HifiGan)


def _speaker(source: Source, size: int) -> torch.Tensor:
    """The x-vector of the voice, shape (1, size).

    It is read from `speaker_embedding.npy` or `.safetensors` in the model's folder, else it is zeros (a neutral voice),
    as in transformers' example for this model. Raises ExpertUnavailable for a wrong size.
    """
    import numpy as np
    import torch
    from safetensors.numpy import load_file

    file = next((source.folder / name for name in SPEAKER_FILES if (source.folder / name).is_file()), None)
    if file is None:
        return torch.zeros(1, size)
    vector = np.load(file, allow_pickle=False) if file.suffix == ".npy" else next(iter(load_file(file).values()))
    if vector.size != size:
        raise ExpertUnavailable(f"{file.name} of {source.id} holds {vector.size} numbers, not the {size} of a voice.")
    return torch.from_numpy(vector.astype(np.float32).reshape(1, size))
