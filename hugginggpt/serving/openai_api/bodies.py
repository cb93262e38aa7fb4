"""The bodies of OpenAI's API, as far as the models here can do what they ask for.

What would change an answer and cannot be done is refused; further fields are ignored.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

MOST_TEXTS = 2048
MOST_PICTURES = 10
MOST_CHARS = 1_000_000
Text = Annotated[str, Field(max_length=MOST_CHARS)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
TokenId = Annotated[str, Field(pattern=r"^\d{1,9}$")]
Only1 = Annotated[int, Field(ge=1, le=1)]


class Body(BaseModel):
    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)


class TextPart(Body):
    type: Literal["text"]
    text: Text


class Turn(Body):
    role: Literal["system", "developer", "user", "assistant"]
    content: Text | Annotated[list[TextPart], Field(min_length=1, max_length=1000)]

    @property
    def text(self) -> str:
        return self.content if isinstance(self.content, str) else "\n".join(part.text for part in self.content)


class StreamOptions(Body):
    include_usage: bool = False


class NamedSchema(Body):
    name: str = ""
    schema_: Annotated[dict[str, Any], Field(alias="schema")] = {}


class ResponseFormat(Body):
    type: Literal["text", "json_object", "json_schema"]
    json_schema: NamedSchema | None = None


class ChatBody(Body):
    """The body of POST /v1/chat/completions."""

    model: Name
    messages: Annotated[list[Turn], Field(min_length=1, max_length=10_000)]
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    seed: Annotated[int, Field(ge=0, lt=2**63)] | None = None
    stop: Annotated[str, Field(min_length=1, max_length=1000)] | Annotated[list[str], Field(max_length=4)] | None = None
    presence_penalty: Annotated[float, Field(ge=-2, le=2)] | None = None
    frequency_penalty: Annotated[float, Field(ge=-2, le=2)] | None = None
    logit_bias: dict[TokenId, Annotated[float, Field(ge=-100, le=100)]] | None = None
    response_format: ResponseFormat | None = None
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    n: Only1 | None = 1
    tools: Annotated[list[Any], Field(max_length=0, description="Not supported.")] | None = None
    functions: Annotated[list[Any], Field(max_length=0, description="Not supported.")] | None = None
    logprobs: Literal[False] | None = None


class EmbeddingsBody(Body):
    """The body of POST /v1/embeddings."""

    model: Name
    input: Text | Annotated[list[Text], Field(min_length=1, max_length=MOST_TEXTS)]
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: Annotated[None, Field(description="Not supported: the models have vectors of one size.")] = None


class TranscriptionForm(Body):
    """The form of POST /v1/audio/transcriptions, besides its file."""

    model: Name
    response_format: Literal["json", "text", "srt", "vtt", "verbose_json"] = "json"
    granularities: Annotated[list[Literal["word", "segment"]], Field(alias="timestamp_granularities[]")] = ["segment"]
    stream: Literal["false", "False", "0"] | None = None


class SpeechBody(Body):
    """The body of POST /v1/audio/speech; a model has one voice, so that `voice` has no effect."""

    model: Name
    input: Annotated[str, Field(min_length=1, max_length=MOST_CHARS)]
    voice: Any = None
    response_format: Literal["mp3", "opus", "aac", "flac", "wav", "pcm"] = "mp3"
    speed: Annotated[float, Field(ge=1, le=1, description="Only 1.")] = 1
    stream_format: Literal["audio"] = "audio"


class PicturesBody(Body):
    """The body of POST /v1/images/generations."""

    model: Name
    prompt: Text
    n: Annotated[int, Field(ge=1, le=MOST_PICTURES)] | None = 1
    size: Annotated[str, Field(pattern=r"^(auto|[1-9]\d{1,3}x[1-9]\d{1,3})$")] | None = "auto"
    response_format: Literal["url", "b64_json"] | None = "url"
    output_format: Literal["png"] | None = "png"
    stream: Literal[False] | None = False


NAMES = frozenset(field.alias or name for body in Body.__subclasses__() for name, field in body.model_fields.items())
"""The names of all fields."""
