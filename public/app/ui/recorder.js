/** Records from the microphone to a WAV file, which every expert can read. */

const RATE = 16_000; // Hz; the usual rate of speech recognition
const LONGEST = 10 * 60; // seconds

export class Recorder {
  /** `on.changed(seconds or null)` while it records and after, `on.recorded(file)`, `on.failed(text)`. */
  constructor(on) {
    this.on = on;
    this.recording = null;
    on.changed(null);
  }

  async toggle() {
    if (this.recording) this.recording.stop();
    else await this.start();
  }

  async start() {
    if (!navigator.mediaDevices) {
      return this.on.failed("The browser gives the microphone to pages on https or on this machine only; attach a recording instead.");
    }
    let stream;
    try {
      stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    } catch (error) {
      const text = error.name === "NotFoundError" ? "There is no microphone." : "The browser did not allow the microphone.";
      return this.on.failed(`${text} A recording can be attached instead.`);
    }
    const pieces = [];
    const recording = (this.recording = new MediaRecorder(stream));
    const began = performance.now();
    const clock = setInterval(() => {
      const seconds = (performance.now() - began) / 1000;
      this.on.changed(seconds);
      if (seconds > LONGEST) recording.stop();
    }, 250);
    recording.addEventListener("dataavailable", ({ data }) => pieces.push(data));
    recording.addEventListener("stop", async () => {
      clearInterval(clock);
      for (const track of stream.getTracks()) track.stop();
      this.recording = null;
      this.on.changed(null);
      try {
        this.on.recorded(await asWav(new Blob(pieces, { type: recording.mimeType })));
      } catch {
        this.on.failed("Nothing was recorded.");
      }
    });
    recording.start();
    this.on.changed(0);
  }
}

async function asWav(blob) {
  const context = new OfflineAudioContext(1, 1, RATE); // decoding resamples to its rate
  const sound = await context.decodeAudioData(await blob.arrayBuffer());
  const mono = new Float32Array(sound.length);
  for (let channel = 0; channel < sound.numberOfChannels; channel++) {
    sound.getChannelData(channel).forEach((sample, at) => (mono[at] += sample / sound.numberOfChannels));
  }
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(/[:T]/g, "-");
  return new File([wavBytes(mono)], `recording-${stamp}.wav`, { type: "audio/wav" });
}

/** 16-bit mono PCM with the 44 bytes of a RIFF header. */
function wavBytes(samples) {
  const view = new DataView(new ArrayBuffer(44 + 2 * samples.length));
  const text = (at, letters) => [...letters].forEach((letter, n) => view.setUint8(at + n, letter.charCodeAt(0)));
  text(0, "RIFF");
  view.setUint32(4, 36 + 2 * samples.length, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, RATE, true);
  view.setUint32(28, 2 * RATE, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, "data");
  view.setUint32(40, 2 * samples.length, true);
  samples.forEach((sample, at) => view.setInt16(44 + 2 * at, Math.round(32767 * Math.max(-1, Math.min(1, sample))), true));
  return view.buffer;
}
