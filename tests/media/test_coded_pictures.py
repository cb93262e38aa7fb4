"""AVIF and HEIC: read, refused with what to install, and held to the size in their headers."""

from __future__ import annotations

import base64
import io
import zlib
from importlib.util import find_spec
from pathlib import Path

import pytest
from PIL import Image

from hugginggpt.core.errors import MediaError
from hugginggpt.media import coded_pictures
from hugginggpt.media.decoding import load_image
from hugginggpt.media.store import MediaStore
from tests.conftest import MakeConfig

HEIC = zlib.decompress(base64.b85decode(
    "c-muNV30{GsVvAy%}izhg51nBLl8SRGck>Ufw4L_wIq=N0u(b+a*CjAhJwuG5(YG&l$nzcHpIn&fe{FSfN?&A27)XgR?f`KO9S&j"
    "qM|@fDif5KQI>27V)7MamgK^f{LU;WDge^AGYgXQfpi&AnKL7E0o+cx4-9|){`kSbz|Wij)FI)($iw*mKS%*H!vqikL~^^B91?+&"
    "T273NXfg{F8d;~kda`Wi4vq{11)vZ!h+t4m0xD;7VLVuTpc80`aB_Z5QC@OR1yGcifvo{3B$8QNkP3B!0~Bi{=Oh+D*&xRoKxq(Q"
    "`v3p`2M`VMVnrs{ha5mcBC{YD7R10%V{K$&W^Dnoi*i#EK|!3R!MI+y;fKJ(<^TWqYW)9IdY=FCna<Atzb*&4{|K@Ef35TICok8{"
    "YbtB!{bzq9>$Svd`>{#;WIvm2{6F{6?W0VR_muTIQ;Uw+zj=D(*uIr_tluS9)vgN6{ck>N;f`Yum*2^$vYs!r0|5Idgd6"
))  # fmt: skip
"""64x48 pixels, the left half red, the right half blue."""
BOMB = zlib.decompress(base64.b85decode(
    "c-muNU{FXasVqn=%S>Yc0uY^>nP!-qnV9D5Xy^nKdYzkElE?r7iWw<6MNl?FL1uCZ0~+8f$SlbPvlxL`E;A=T8N_h`@fjhajKT~I"
    "%w|BgMrLMS8eFXukdw*;<t3IG7&_<Y<b&<X$}A`<0Mg!>1<Cn9S|qc$AQft#0}vYku|Pp)MJ7mqnS+A^Nbw|=89F!0^MHhelk;<m"
    "@{)5ZfF|=Yur&aM#4`(WVSWNSjD?Y@nFXlVE;l8yM2LZlTmG|M{pW8T92q7GMoZWveB9ex?_TybIdtp*&~4{WX&#?qGV?=SUBZQj"
    "Mq7XRvmZTC<2-Ht1^!kpoy^P!97haKtiNL7)A^@ZdD$7xl#tysuWvrGaZbpsB;Cg=xvuU@;=ZtFo877}e=p_lmztNO;&(V=?s4O#"
    "#~voEO;f+AtlE%t{*+6!Llcw!))lMX-TL%X|4-OATXy{^QY@x2&8K*e9o7msb7Eoumu7c#w3*K4+ZFb9-wti+oBwTn=wa8zec$Jc"
    "EsB3VY0j}0wFk*>Hychrl=6B?5?|12^^dV1TFk`Hv8|04p@$uDB-r7Q@#C17^o0$Z;?I;9e|{9q_2$%7A$`Z&Q*$rg`rm!Yp-SUV"
    "sGy9H+S0n!wUuk7_Gzc@x<`9I#5D{TJ7^mf2LM})$fE"
))  # fmt: skip
"""An AVIF of 8000x8000 pixels whose header says 64x48."""
reads_heic = pytest.mark.skipif(find_spec("pi_heif") is None, reason="the extra heic is not installed")


@pytest.fixture
def media(make_config: MakeConfig) -> MediaStore:
    return MediaStore(make_config())


def avif(width: int = 64, height: int = 48) -> bytes:
    picture, data = Image.new("RGB", (width, height), "red"), io.BytesIO()
    picture.paste((0, 0, 255), (width // 2, 0, width, height))
    picture.save(data, "AVIF", speed=10)
    return data.getvalue()


def attached(media: MediaStore, folder: Path, name: str, content: bytes) -> Path:
    (folder / name).write_bytes(content)
    path = media.attach(folder / name)
    media.check(path, "image")
    return path


@pytest.mark.parametrize(
    ("name", "suffix"), [("photo.jpg", ".avif"), pytest.param("b.HEIC", ".heic", marks=reads_heic)]
)
def test_they_are_read_whatever_they_are_called(media: MediaStore, tmp_path: Path, name: str, suffix: str) -> None:
    path = attached(media, tmp_path, name, avif() if suffix == ".avif" else HEIC)
    assert path.suffix == suffix
    picture = load_image(path)
    assert (picture.size, picture.mode) == ((64, 48), "RGB")
    for at, colour in ((8, (255, 0, 0)), (56, (0, 0, 255))):
        pixel = picture.getpixel((at, 24))
        assert isinstance(pixel, tuple) and all(abs(a - b) < 12 for a, b in zip(pixel, colour, strict=True))


@pytest.mark.parametrize("name", ["cut.avif", pytest.param("cut.heic", marks=reads_heic)])
@pytest.mark.parametrize("share", [0.5, 0.9])
def test_one_that_is_cut_off_is_refused(media: MediaStore, tmp_path: Path, name: str, share: float) -> None:
    whole = HEIC if name.endswith("heic") else avif()
    with pytest.raises(MediaError, match=r"^cut.*cannot be read.*damaged"):
        attached(media, tmp_path, name, whole[: int(share * len(whole))])


def test_other_files_by_their_names_are_refused(media: MediaStore, tmp_path: Path) -> None:
    with pytest.raises(MediaError, match="of an unknown type"):
        attached(media, tmp_path, "a.heic", b"hello")


@pytest.mark.parametrize("name", ["a.avif", pytest.param("b.heic", marks=reads_heic)])
def test_the_limit_of_megapixels_is_theirs_too(make_config: MakeConfig, tmp_path: Path, name: str) -> None:
    media = MediaStore(make_config(limits={"max_megapixels": 0.002}))
    with pytest.raises(MediaError, match="megapixels"):
        attached(media, tmp_path, name, HEIC if name.endswith("heic") else avif())


@pytest.mark.slow
def test_one_that_unpacks_to_more_than_it_says_is_refused(media: MediaStore, tmp_path: Path) -> None:
    with pytest.raises(MediaError, match=r"unpacks to far more than the 64x48 pixels"):
        attached(media, tmp_path, "bomb.avif", BOMB)


def test_what_is_missing_is_told(media: MediaStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coded_pictures, "find_spec", lambda name: None)
    monkeypatch.setattr(coded_pictures, "handles_avif", lambda: False)
    with pytest.raises(MediaError, match=r"^b.heic is a HEIC picture: pip install .*heic.* or save it as JPEG\.$"):
        attached(media, tmp_path, "b.heic", HEIC)
    with pytest.raises(MediaError, match=r"^a.avif is an AVIF picture, which the Pillow installed here cannot read"):
        attached(media, tmp_path, "a.avif", avif())
    lone = tmp_path / "lone.heic"
    lone.write_bytes(HEIC)
    with pytest.raises(MediaError, match="is a HEIC picture"):
        load_image(lone)


def test_a_jpeg_of_many_scans_is_refused(media: MediaStore, tmp_path: Path) -> None:
    """Each of its scans is decoded over the whole picture: half a megabyte takes minutes."""
    data = io.BytesIO()
    Image.new("L", (64, 48), 90).save(data, "JPEG", progressive=True)
    content = data.getvalue()
    assert attached(media, tmp_path, "a.jpg", content)
    last = content[content.rfind(b"\xff\xda") : -2]
    with pytest.raises(
        MediaError, match=r"^b\S*\.jpg is a JPEG of 1,00\d scans, made to take long to decode: save it anew\.$"
    ):
        attached(media, tmp_path, "b.jpg", content[:-2] + 1_000 * last + content[-2:])


def test_a_picture_far_beyond_the_limit_is_told_so(media: MediaStore, tmp_path: Path) -> None:
    """Pillow does not even open it."""
    data = io.BytesIO()
    Image.new("1", (20_000, 20_000)).save(data, "PNG")
    with pytest.raises(MediaError, match=r"has far more than the 64 megapixels allowed \(limits\.max_megapixels\)"):
        attached(media, tmp_path, "a.png", data.getvalue())
