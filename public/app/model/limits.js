/** What the server takes, as GET /v1/status tells it. */

let fileBytes = Infinity;

export function setLimits(limits) {
  fileBytes = limits?.file_bytes ?? Infinity;
}

/** Why a file is not even sent, as a sentence; "" where it may be. */
export function tooLarge({ size }) {
  return size > fileBytes ? `It has ${megabytes(size)}, and this server takes ${megabytes(fileBytes)} (limits.max_file_mb).` : "";
}

function megabytes(bytes) {
  return `${(Math.ceil(bytes / 1e5) / 10).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;
}
