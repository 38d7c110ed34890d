// The data blocks of a report: JSON, and arrays and texts as base64 of zlib streams. It is independent of hearts and of drawing.
// README.md of this folder has the format.

export class Damaged extends Error {}

const types = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array, f64: Float64Array, text: Uint8Array };
const known = new Map(); // id: promise of its numbers

/** Returns the JSON of the report; null if the page is the empty template. */
export function readReport() {
  const block = document.getElementById('report');
  if (!block) return null;
  const report = JSON.parse(block.textContent);
  if (report.format !== 1) throw new Damaged(`This report has format ${report.format}; this page reads format 1.`);
  return report;
}

/** Returns the stored numbers of an array, with differences summed. Each array is decoded once. */
export function numbers(array) {
  if (!known.has(array.id)) known.set(array.id, decode(array));
  return known.get(array.id);
}

/** Returns the values of an array: offset + scale * number, and NaN for missing values. */
export async function values(array) {
  const raw = await numbers(array);
  const result = new (array.type === 'f64' || array.type === 'u32' ? Float64Array : Float32Array)(raw.length);
  const { offset, scale, missing } = coding(array);
  for (let i = 0; i < raw.length; i++) result[i] = raw[i] === missing ? NaN : offset + scale * raw[i];
  return result;
}

/** Returns integers, exactly; without conversion if they are stored unchanged. */
export async function whole(array) {
  const { offset, scale, missing } = coding(array);
  const raw = await numbers(array);
  return offset === 0 && scale === 1 && missing === null ? raw : Float64Array.from(raw, (x) => (x === missing ? NaN : Math.round(offset + scale * x)));
}

/** Returns a text. */
export async function text(block) {
  return new TextDecoder().decode(await numbers(block));
}

/** Returns the conversion from numbers to values. */
export function coding(array) {
  return { offset: array.offset ?? 0, scale: array.scale ?? 1, missing: array.missing ?? null };
}

async function decode(array) {
  const block = document.getElementById(array.id);
  const Type = types[array.type];
  if (!block) throw new Damaged(`This report is damaged: array ${array.id} is missing.`);
  if (!Type) throw new Damaged(`This report is damaged: array ${array.id} has type "${array.type}".`);
  const bytes = await inflate(fromBase64(block.textContent), array.id);
  const n = array.count * (array.components ?? 1);
  if (bytes.byteLength !== n * Type.BYTES_PER_ELEMENT) {
    const has = bytes.byteLength / Type.BYTES_PER_ELEMENT;
    throw new Damaged(`This report is damaged: array ${array.id} has ${has} numbers; expected: ${n}.`);
  }
  const result = new Type(bytes);
  const back = array.delta_items ?? (array.delta ? (array.components ?? 1) : 0);
  // Sums in typed arrays of unsigned numbers are modulo 2^bits.
  if (back > 0) for (let i = back; i < n; i++) result[i] += result[i - back];
  return result;
}

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function inflate(bytes, id) {
  if (!window.DecompressionStream) {
    throw new Damaged('This browser is too old for the report: Firefox 113, Chromium 103 or Safari 16.4 is needed.');
  }
  try {
    return await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))).arrayBuffer();
  } catch (error) {
    throw new Damaged(`This report is damaged: array ${id} cannot be decompressed.`);
  }
}
