"""Models that hear: speech to text, and what a recording holds."""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hugginggpt.core.errors import BackendError
from hugginggpt.experts.families import Args, Run, family
from hugginggpt.experts.families.encoders import batches, labelled, probabilities
from hugginggpt.experts.source import Source
from hugginggpt.media.decoding import load_audio

if TYPE_CHECKING:
    import numpy as np
    import torch

    Samples = np.ndarray[Any, np.dtype[np.float32]]

CHUNK_SECONDS, OVERLAP_SECONDS = 20.0, 3.0
PART_SECONDS = 30.0
SHORTEST_SECONDS = 0.2
"""Shorter recordings are filled up with silence: the convolutions need some samples."""
CHUNKS_AT_ONCE = 4
MOST_LABELS = 10
TRANSCRIBE_TOKENS = 256
LONG_FORM = {
    "return_timestamps": True, "condition_on_prev_tokens": False, "temperature": (0.0, 0.2, 0.4, 0.6, 0.8, 1.0),
    "compression_ratio_threshold": 1.35, "logprob_threshold": -1.0, "no_speech_threshold": 0.6,
}  # fmt: skip
"""Long recordings as arXiv 2212.04356, 4.5: window after window, tried again warmer where it went astray."""


class Listener:
    """A model and its feature extractor. `auto` is one of the Auto* classes of transformers."""

    def __init__(self, source: Source, auto: Any) -> None:
        from transformers import AutoFeatureExtractor

        self.source = source
        self.model = source.model(auto)
        self.extractor = source.part(AutoFeatureExtractor)
        self.rate = int(self.extractor.sampling_rate)
        self._inputs = {*inspect.signature(self.model.forward).parameters, "attention_mask"}

    def hear(self, audio: Path) -> Samples:
        """A recording at the model's rate, a little silence added to a very short one."""
        import numpy as np

        samples = load_audio(audio, self.rate)
        missing = int(SHORTEST_SECONDS * self.rate) - len(samples)
        return np.pad(samples, (0, missing)) if missing > 0 else samples

    def features(self, recordings: Sequence[Samples], **options: Any) -> dict[str, Any]:
        """What the model takes for recordings of the same length, on its device."""
        features = self.extractor(list(recordings), sampling_rate=self.rate, return_tensors="pt", **options)
        inputs = {name: value for name, value in features.items() if name in self._inputs}
        moved: dict[str, Any] = self.source.to_device(inputs)
        return moved

    def logits(self, recordings: Sequence[Samples]) -> list[torch.Tensor]:
        """The logits for each recording, float32 on the CPU.

        Only recordings of the same length are run together, so that none needs to be filled up: models whose
        normalisation spans the recording (wav2vec2-base) would answer differently.
        """
        import torch

        by_length: dict[int, list[int]] = defaultdict(list)
        for number, samples in enumerate(recordings):
            by_length[len(samples)].append(number)
        logits_of: dict[int, torch.Tensor] = {}
        for members in by_length.values():
            for part in batches(members, CHUNKS_AT_ONCE):
                with torch.inference_mode():
                    logits = self.model(**self.features([recordings[number] for number in part])).logits.float().cpu()
                logits_of.update(zip(part, logits, strict=True))
        return [logits_of[number] for number in range(len(recordings))]


def transcript_text(text: str) -> str:
    """A transcript. Raises BackendError when nothing was recognised."""
    text = " ".join(text.split())
    if not text:
        raise BackendError("No speech was recognised in the recording.")
    return text


# Speech to text


@family("automatic-speech-recognition", when=lambda source: source.model_type == "whisper", batch=8)
def whisper(source: Source) -> Run:
    """Whisper (arXiv 2212.04356), which tells the language itself; recordings of any length."""
    from transformers import AutoModelForSpeechSeq2Seq, AutoTokenizer

    listener = Listener(source, AutoModelForSpeechSeq2Seq)
    tokenizer = source.part(AutoTokenizer)
    settings = listener.model.generation_config
    several = getattr(settings, "is_multilingual", False) and hasattr(settings, "task_to_id")
    task = {"task": "transcribe"} if several else {}

    def write(recordings: Sequence[Samples]) -> list[str]:
        import torch

        long = len(recordings[0]) > listener.extractor.n_samples
        whole = {"truncation": False, "padding": "longest"} if long else {}
        inputs = listener.features(recordings, return_attention_mask=True, **whole)
        with torch.inference_mode():
            tokens = listener.model.generate(**inputs, **task, **(LONG_FORM if long else {}))
        return [str(text) for text in tokenizer.batch_decode(tokens.cpu(), skip_special_tokens=True)]

    def run(requests: Sequence[Args]) -> list[Any]:
        recordings = [listener.hear(request["audio"]) for request in requests]
        short = [at for at, samples in enumerate(recordings) if len(samples) <= listener.extractor.n_samples]
        texts = dict(zip(short, write([recordings[at] for at in short]), strict=True)) if short else {}
        return [
            transcript_text(texts[at] if at in texts else write([recordings[at]])[0]) for at in range(len(requests))
        ]

    return run


class Chunk(NamedTuple):
    """A part of a recording; `left` and `right` samples of it overlap with its neighbours and only give context."""

    samples: Samples
    left: int
    right: int


def chunks(samples: Samples, size: int, overlap: int) -> list[Chunk]:
    """A recording in parts of `size` samples; without their overlaps they follow each other without a gap."""
    if len(samples) <= size:
        return [Chunk(samples, 0, 0)]
    step = size - 2 * overlap
    starts = range(0, len(samples) - 2 * overlap, step)
    return [
        Chunk(samples[at : at + size], overlap if at else 0, overlap if at + size < len(samples) else 0)
        for at in starts
    ]


def _is_ctc(source: Source) -> bool:
    return any(name.endswith("ForCTC") for name in source.architectures)


@family("automatic-speech-recognition", when=_is_ctc, batch=8)
def ctc(source: Source) -> Run:
    """wav2vec 2.0 (arXiv 2006.11477), HuBERT and other CTC models, the likeliest letter at each time.

    Long recordings in overlapping chunks, of which the middle counts.
    """
    import torch
    from transformers import AutoModelForCTC, AutoTokenizer

    listener = Listener(source, AutoModelForCTC)
    tokenizer = source.part(AutoTokenizer)
    frame = int(getattr(listener.model.config, "inputs_to_logits_ratio", 0) or 0)
    size, overlap = (int(seconds * listener.rate) for seconds in (CHUNK_SECONDS, OVERLAP_SECONDS))

    def letters(chunk: Chunk, logits: torch.Tensor) -> torch.Tensor:
        samples = frame or len(chunk.samples) / len(logits)  # per frame
        first, last = round(chunk.left / samples), round((len(chunk.samples) - chunk.right) / samples)
        return logits[first:last].argmax(-1)

    def run(requests: Sequence[Args]) -> list[Any]:
        parts = [chunks(listener.hear(request["audio"]), size, overlap) for request in requests]
        logits = iter(listener.logits([chunk.samples for of_one in parts for chunk in of_one]))
        ids = [torch.cat([letters(chunk, next(logits)) for chunk in of_one]) for of_one in parts]
        return [transcript_text(tokenizer.decode(of_one)) for of_one in ids]

    return run


def _is_seq2seq(source: Source) -> bool:
    from transformers.models.auto.modeling_auto import MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING_NAMES

    return source.model_type in MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING_NAMES


@family("automatic-speech-recognition", when=_is_seq2seq)
def speech_to_text(source: Source) -> Run:
    """Other encoder-decoders (Speech2Text, Moonshine, ...), part by part; cut where the recording is quiet."""
    import torch
    from transformers import AutoModelForSpeechSeq2Seq, AutoTokenizer

    listener = Listener(source, AutoModelForSpeechSeq2Seq)
    tokenizer = source.part(AutoTokenizer)

    def write(samples: Samples) -> str:
        with torch.inference_mode():
            tokens = listener.model.generate(**listener.features([samples]), max_new_tokens=TRANSCRIBE_TOKENS)
        return str(tokenizer.batch_decode(tokens.cpu(), skip_special_tokens=True)[0])

    def transcribe(audio: Path) -> str:
        parts = cut_at_pauses(listener.hear(audio), listener.rate, PART_SECONDS)
        return transcript_text(" ".join(write(part) for part in parts))

    return lambda requests: [transcribe(request["audio"]) for request in requests]


def cut_at_pauses(samples: Samples, rate: int, seconds: float) -> list[Samples]:
    """A recording in parts of at most `seconds`, each cut at the quietest place of the last third."""
    import numpy as np

    most, step = int(seconds * rate), max(1, rate // 20)
    parts = []
    while len(samples) > most:
        late = samples[most * 2 // 3 : most]
        steps = late[: len(late) // step * step].reshape(-1, step)
        at = most * 2 // 3 + int(np.square(steps).mean(1).argmin()) * step + step // 2
        parts.append(samples[:at])
        samples = samples[at:]
    return [*parts, samples]


# What a recording holds


@family("audio-classification", batch=8)
def audio_classification(source: Source) -> Run:
    """The ten best labels with scores; those of a long recording are the mean over all of its parts."""
    import torch
    from transformers import AutoModelForAudioClassification

    listener = Listener(source, AutoModelForAudioClassification)
    config = listener.model.config
    size = int(_seconds(listener.extractor) * listener.rate)

    def run(requests: Sequence[Args]) -> list[Any]:
        parts = [windows(listener.hear(request["audio"]), size) for request in requests]
        logits = iter(listener.logits([window for of_one in parts for window in of_one]))
        scores = [torch.stack([probabilities(next(logits), config) for _ in of_one]).mean(0) for of_one in parts]
        return [labelled(of_one, config, MOST_LABELS) for of_one in scores]

    return run


def windows(samples: Samples, size: int) -> list[Samples]:
    """A recording in windows of `size` samples, the last of which ends with it; a shorter one as it is."""
    starts = [*range(0, max(1, len(samples) - size), size), *([len(samples) - size] if len(samples) > size else [])]
    return [samples[at : at + size] for at in starts]


FRAME_SECONDS = 0.01


def _seconds(extractor: Any) -> float:
    """How much the model hears at once: what its extractor cuts off after, where it does."""
    if hasattr(extractor, "chunk_length"):  # Whisper
        return float(extractor.chunk_length)
    if hasattr(extractor, "max_length"):  # the spectrogram transformer (arXiv 2104.01778): frames of 10 ms
        return float(extractor.max_length) * FRAME_SECONDS
    return PART_SECONDS
