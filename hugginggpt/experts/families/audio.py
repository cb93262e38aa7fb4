"""Audio models: speech recognition and audio classification."""

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
SEGMENT_SECONDS = 30.0
MIN_SECONDS = 0.2
"""Shorter recordings are padded with silence: the convolutions need a minimum of samples."""
BATCH_SIZE = 4
MAX_LABELS = 10
TRANSCRIBE_TOKENS = 256
LONG_FORM = {
    "return_timestamps": True, "condition_on_prev_tokens": False, "temperature": (0.0, 0.2, 0.4, 0.6, 0.8, 1.0),
    "compression_ratio_threshold": 1.35, "logprob_threshold": -1.0, "no_speech_threshold": 0.6,
}  # fmt: skip
"""Decoding of long recordings (arXiv 2212.04356, 4.5): by windows, retried at higher temperatures on failure."""


class AudioModel:
    """A model and its feature extractor. `auto` is one of the Auto* classes of transformers."""

    def __init__(self, source: Source, auto: Any) -> None:
        from transformers import AutoFeatureExtractor

        self.source = source
        self.model = source.model(auto)
        self.extractor = source.part(AutoFeatureExtractor)
        self.rate = int(self.extractor.sampling_rate)
        self._inputs = {*inspect.signature(self.model.forward).parameters, "attention_mask"}

    def load(self, audio: Path) -> Samples:
        """A recording at the model's sampling rate; a very short one is padded with silence."""
        import numpy as np

        samples = load_audio(audio, self.rate)
        missing = int(MIN_SECONDS * self.rate) - len(samples)
        return np.pad(samples, (0, missing)) if missing > 0 else samples

    def features(self, recordings: Sequence[Samples], **options: Any) -> dict[str, Any]:
        """The model's inputs for recordings of the same length, on its device."""
        features = self.extractor(list(recordings), sampling_rate=self.rate, return_tensors="pt", **options)
        inputs = {name: value for name, value in features.items() if name in self._inputs}
        moved: dict[str, Any] = self.source.to_device(inputs)
        return moved

    def logits(self, recordings: Sequence[Samples]) -> list[torch.Tensor]:
        """The logits for each recording, float32 on the CPU.

        Only recordings of the same length are batched, so that none needs padding: it would change the output of
        models whose normalisation spans the recording (wav2vec2-base).
        """
        import torch

        by_length: dict[int, list[int]] = defaultdict(list)
        for number, samples in enumerate(recordings):
            by_length[len(samples)].append(number)
        logits_of: dict[int, torch.Tensor] = {}
        for members in by_length.values():
            for part in batches(members, BATCH_SIZE):
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


# Speech recognition


@family("automatic-speech-recognition", when=lambda source: source.model_type == "whisper", batch=8)
def whisper(source: Source) -> Run:
    """Whisper (arXiv 2212.04356), which detects the language; recordings of any length."""
    from transformers import AutoModelForSpeechSeq2Seq, AutoTokenizer

    audio_model = AudioModel(source, AutoModelForSpeechSeq2Seq)
    tokenizer = source.part(AutoTokenizer)
    settings = audio_model.model.generation_config
    multilingual = getattr(settings, "is_multilingual", False) and hasattr(settings, "task_to_id")
    task = {"task": "transcribe"} if multilingual else {}

    def transcribe(recordings: Sequence[Samples], timed: bool = False) -> list[Any]:
        import torch

        long = len(recordings[0]) > audio_model.extractor.n_samples
        whole = {"truncation": False, "padding": "longest"} if long else {}
        inputs = audio_model.features(recordings, return_attention_mask=True, **whole)
        times = {"return_timestamps": True, "return_segments": True} if timed else {}
        with torch.inference_mode():
            tokens = audio_model.model.generate(**inputs, **task, **{**(LONG_FORM if long else {}), **times})
        if timed:
            return [_timed(segments, tokenizer) for segments in tokens["segments"]]
        return [str(text) for text in tokenizer.batch_decode(tokens.cpu(), skip_special_tokens=True)]

    def run(requests: Sequence[Args]) -> list[Any]:
        recordings = [audio_model.load(request["audio"]) for request in requests]
        timed = [bool(request.get("timestamps")) for request in requests]
        most = audio_model.extractor.n_samples
        short = [at for at, samples in enumerate(recordings) if len(samples) <= most and not timed[at]]
        texts = dict(zip(short, transcribe([recordings[at] for at in short]), strict=True)) if short else {}
        others = {at: transcribe([recordings[at]], timed[at])[0] for at in range(len(requests)) if at not in texts}
        return [
            said if isinstance(said := {**texts, **others}[at], dict) else transcript_text(said)
            for at in range(len(requests))
        ]

    return run


def _timed(segments: Sequence[dict[str, Any]], tokenizer: Any) -> dict[str, Any]:
    """A transcript, and its segments with their start and end in seconds."""
    chunks = [
        {
            "text": tokenizer.decode(segment["tokens"], skip_special_tokens=True),
            "timestamp": [float(segment["start"]), float(segment["end"])],
        }
        for segment in segments
    ]
    text = transcript_text("".join(chunk["text"] for chunk in chunks))
    return {"generated text": text, "chunks": [chunk for chunk in chunks if chunk["text"].strip()]}


class Chunk(NamedTuple):
    """A part of a recording; `left` and `right` samples of it overlap with its neighbours and serve as context only."""

    samples: Samples
    left: int
    right: int


def chunks(samples: Samples, size: int, overlap: int) -> list[Chunk]:
    """Splits a recording into chunks of `size` samples that cover it without gaps when the overlaps are cut off."""
    if len(samples) <= size:
        return [Chunk(samples, 0, 0)]
    step = size - 2 * overlap
    starts = range(0, len(samples) - 2 * overlap, step)
    return [
        Chunk(samples[start : start + size], overlap if start else 0, overlap if start + size < len(samples) else 0)
        for start in starts
    ]


def _is_ctc(source: Source) -> bool:
    return any(name.endswith("ForCTC") for name in source.architectures)


@family("automatic-speech-recognition", when=_is_ctc, batch=8)
def ctc(source: Source) -> Run:
    """wav2vec 2.0 (arXiv 2006.11477), HuBERT and other CTC models, with greedy decoding.

    Long recordings are split into overlapping chunks, of which only the middle is used.
    """
    import torch
    from transformers import AutoModelForCTC, AutoTokenizer

    audio_model = AudioModel(source, AutoModelForCTC)
    tokenizer = source.part(AutoTokenizer)
    frame = int(getattr(audio_model.model.config, "inputs_to_logits_ratio", 0) or 0)
    size, overlap = (int(seconds * audio_model.rate) for seconds in (CHUNK_SECONDS, OVERLAP_SECONDS))

    def best_ids(chunk: Chunk, logits: torch.Tensor) -> torch.Tensor:
        samples = frame or len(chunk.samples) / len(logits)  # per frame
        first, last = round(chunk.left / samples), round((len(chunk.samples) - chunk.right) / samples)
        return logits[first:last].argmax(-1)

    def run(requests: Sequence[Args]) -> list[Any]:
        parts = [chunks(audio_model.load(request["audio"]), size, overlap) for request in requests]
        logits = iter(audio_model.logits([chunk.samples for items in parts for chunk in items]))
        ids = [torch.cat([best_ids(chunk, next(logits)) for chunk in items]) for items in parts]
        return [transcript_text(tokenizer.decode(items)) for items in ids]

    return run


def _is_seq2seq(source: Source) -> bool:
    from transformers.models.auto.modeling_auto import MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING_NAMES

    return source.model_type in MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING_NAMES


@family("automatic-speech-recognition", when=_is_seq2seq)
def speech_to_text(source: Source) -> Run:
    """Other encoder-decoders (Speech2Text, Moonshine, ...), by segments that are cut at pauses."""
    import torch
    from transformers import AutoModelForSpeechSeq2Seq, AutoTokenizer

    audio_model = AudioModel(source, AutoModelForSpeechSeq2Seq)
    tokenizer = source.part(AutoTokenizer)

    def transcribe_segment(samples: Samples) -> str:
        with torch.inference_mode():
            tokens = audio_model.model.generate(**audio_model.features([samples]), max_new_tokens=TRANSCRIBE_TOKENS)
        return str(tokenizer.batch_decode(tokens.cpu(), skip_special_tokens=True)[0])

    def transcribe(audio: Path) -> str:
        parts = cut_at_pauses(audio_model.load(audio), audio_model.rate, SEGMENT_SECONDS)
        return transcript_text(" ".join(transcribe_segment(part) for part in parts))

    return lambda requests: [transcribe(request["audio"]) for request in requests]


def cut_at_pauses(samples: Samples, rate: int, seconds: float) -> list[Samples]:
    """Splits a recording into segments of at most `seconds`, each cut at the quietest point of its last third."""
    import numpy as np

    max_samples, frame = int(seconds * rate), max(1, rate // 20)
    parts = []
    while len(samples) > max_samples:
        last_third = samples[max_samples * 2 // 3 : max_samples]
        frames = last_third[: len(last_third) // frame * frame].reshape(-1, frame)
        cut = max_samples * 2 // 3 + int(np.square(frames).mean(1).argmin()) * frame + frame // 2
        parts.append(samples[:cut])
        samples = samples[cut:]
    return [*parts, samples]


# Classification


@family("audio-classification", batch=8)
def audio_classification(source: Source) -> Run:
    """The ten best labels with scores; those of a long recording are the mean over its windows."""
    import torch
    from transformers import AutoModelForAudioClassification

    audio_model = AudioModel(source, AutoModelForAudioClassification)
    config = audio_model.model.config
    size = int(_seconds(audio_model.extractor) * audio_model.rate)

    def run(requests: Sequence[Args]) -> list[Any]:
        parts = [windows(audio_model.load(request["audio"]), size) for request in requests]
        logits = iter(audio_model.logits([window for items in parts for window in items]))
        scores = [torch.stack([probabilities(next(logits), config) for _ in items]).mean(0) for items in parts]
        return [labelled(items, config, MAX_LABELS) for items in scores]

    return run


def windows(samples: Samples, size: int) -> list[Samples]:
    """Splits a recording into windows of `size` samples, the last aligned to its end; a shorter one is one window."""
    starts = [*range(0, max(1, len(samples) - size), size), *([len(samples) - size] if len(samples) > size else [])]
    return [samples[start : start + size] for start in starts]


FRAME_SECONDS = 0.01


def _seconds(extractor: Any) -> float:
    """The longest input of the model in seconds: the limit of its extractor, if it has one."""
    if hasattr(extractor, "chunk_length"):  # Whisper
        return float(extractor.chunk_length)
    if hasattr(extractor, "max_length"):  # the spectrogram transformer (arXiv 2104.01778): frames of 10 ms
        return float(extractor.max_length) * FRAME_SECONDS
    return SEGMENT_SECONDS
