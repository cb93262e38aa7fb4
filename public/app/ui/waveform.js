/** The waveform of a recording, above its player: its loud and quiet parts, and a place in it to play from. */

import { h, style, svg } from "./dom.js";

const BARS = 160;
const HEIGHT = 40;
const RATE = 8000; // Hz: peaks need no more
const MOST_SECONDS = 900; // of a longer one the browser would need hundreds of megabytes
const MOST_BYTES = 60_000_000;

let observer = null; // made for the first recording: importing does nothing

function observe(wave) {
  observer ??= new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      target.dispatchEvent(new Event("seen"));
    }
  });
  observer.observe(wave);
}

/** A player with the waveform of its recording, which is drawn once it is seen; one that cannot be drawn is left out. */
export function withWaveform(audio, url) {
  const wave = h("div", { class: "wave", "aria-hidden": "true" });
  const box = h("div", { class: "sound" }, wave, audio);
  const known = new Promise((go) => audio.addEventListener("loadedmetadata", go, { once: true }));
  wave.addEventListener(
    "seen",
    async () => {
      if (audio.readyState < 1) await known;
      const peaks = audio.duration <= MOST_SECONDS ? await peaksOf(url).catch(() => null) : null;
      if (!peaks) return wave.remove(); // the player is enough
      draw(wave, audio, peaks);
    },
    { once: true },
  );
  observe(wave);
  return box;
}

/** The loudest sample of each part of a recording, between 0 and 1; null for one that is too large. */
async function peaksOf(url) {
  const answer = await fetch(url);
  if (!answer.ok || Number(answer.headers.get("Content-Length")) > MOST_BYTES) return null;
  const sound = await new OfflineAudioContext(1, 1, RATE).decodeAudioData(await answer.arrayBuffer());
  const channels = Array.from({ length: sound.numberOfChannels }, (_, at) => sound.getChannelData(at));
  const peaks = Array.from({ length: BARS }, (_, bar) => {
    const [from, to] = [bar, bar + 1].map((at) => Math.floor((at * sound.length) / BARS));
    let peak = 0;
    for (const samples of channels) for (let at = from; at < to; at++) peak = Math.max(peak, Math.abs(samples[at]));
    return peak;
  });
  const loudest = Math.max(...peaks) || 1;
  return peaks.map((peak) => peak / loudest);
}

function draw(wave, audio, peaks) {
  const path = peaks
    .map((peak, at) => {
      const half = Math.max(1, (peak * (HEIGHT - 4)) / 2);
      return `M${at + 0.5} ${(HEIGHT / 2 - half).toFixed(1)}V${(HEIGHT / 2 + half).toFixed(1)}`;
    })
    .join("");
  const picture = (name) => svg("svg", { class: name, viewBox: `0 0 ${BARS} ${HEIGHT}`, preserveAspectRatio: "none", focusable: "false" }, svg("path", { d: path }));
  wave.replaceChildren(picture("wave-all"), picture("wave-played"));
  const show = () => style(wave, { "--played": `${(100 * audio.currentTime) / (audio.duration || 1)}%` });
  const step = () => {
    show();
    if (!audio.paused && wave.isConnected) requestAnimationFrame(step);
  };
  audio.addEventListener("play", step);
  for (const name of ["timeupdate", "seeked"]) audio.addEventListener(name, show);
  const seek = (event) => {
    const { left, width } = wave.getBoundingClientRect();
    audio.currentTime = audio.duration * Math.min(1, Math.max(0, (event.clientX - left) / width));
    show();
  };
  wave.addEventListener("pointerdown", (event) => {
    wave.setPointerCapture(event.pointerId);
    seek(event);
  });
  wave.addEventListener("pointermove", (event) => wave.hasPointerCapture(event.pointerId) && seek(event));
  show();
}
