"""POST /v1/audio/transcriptions and /v1/audio/speech: what is said in a recording, and texts read aloud."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import flask

from hugginggpt.core.errors import MediaError
from hugginggpt.media.encoding import sound_as
from hugginggpt.serving.openai_api.bodies import SpeechBody, TranscriptionForm
from hugginggpt.serving.openai_api.models import Invalid, Models, body_of, form_of
from hugginggpt.serving.openai_api.subtitles import cues, marked
from hugginggpt.serving.uploads import saved_uploads

TIMES = "timestamps"
"""What a family of speech recognition is asked for besides the text."""
TYPES = {
    "mp3": "audio/mpeg", "opus": "audio/ogg", "aac": "audio/aac", "flac": "audio/flac", "wav": "audio/wav",
    "pcm": "audio/pcm",
}  # fmt: skip


def transcription(models: Models) -> Any:
    form = form_of(TranscriptionForm)
    entry, row = models.find(form.model, "transcriptions")
    timed = form.response_format not in ("json", "text")
    with saved_uploads(flask.request.files) as files:
        file = files.get("file")
        if file is None or isinstance(file, list):
            raise Invalid("file: one recording is needed.", "file")
        try:
            models.media.check(file, row.input_arg.kind)
        except MediaError as error:
            raise Invalid(str(error), "file") from error
        # the experts that come with the project give times in any case
        more = {TIMES: True} if timed and not entry.embedded else {}
        said = models.ask(entry, row.name, {row.input_arg.name: file, **more}).answer()
    heard = said if isinstance(said, dict) else {"generated text": said}
    if timed and "chunks" not in heard:
        raise Invalid(f"{entry.id} does not say when something is said: json and text it can.", "response_format")
    return _transcript(heard, form)


def _transcript(heard: Mapping[str, Any], form: TranscriptionForm) -> Any:
    text, chunks = str(heard["generated text"]), heard.get("chunks") or []
    if form.response_format == "json":
        return {"text": text}
    if form.response_format == "text":
        return flask.Response(text + "\n", mimetype="text/plain")
    if form.response_format != "verbose_json":
        kind = "application/x-subrip" if form.response_format == "srt" else "text/vtt"
        return flask.Response(marked(cues(chunks), form.response_format), content_type=f"{kind}; charset=utf-8")
    told = cues(chunks)
    segments = [{"id": at, "start": cue.start, "end": cue.end, "text": cue.text} for at, cue in enumerate(told)]
    return {
        "task": "transcribe",
        "text": text,
        "language": str(heard.get("language", "")).lower(),
        "duration": max((cue.end for cue in told), default=0.0),
        **({"segments": segments} if "segment" in form.granularities else {}),
        **({"words": _words(chunks)} if "word" in form.granularities else {}),
    }


def _words(chunks: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The words with their times. Raises Invalid where the model knows only those of whole sentences."""
    words = [{"word": one["text"].strip(), "start": one["timestamp"][0], "end": one["timestamp"][1]} for one in chunks]
    if any(" " in word["word"] for word in words):
        raise Invalid("The model tells the times of sentences, not of words.", "timestamp_granularities[]")
    return words


def speech(models: Models) -> Any:
    body = body_of(SpeechBody)
    entry, row = models.find(body.model, "speech")
    if not body.input.strip():
        raise Invalid("input: the text is empty.", "input")
    said = models.ask(entry, row.name, {row.input_arg.name: body.input}).answer()
    wav = said["generated audio"] if isinstance(said, dict) else said
    return flask.Response(sound_as(wav, body.response_format), mimetype=TYPES[body.response_format])
