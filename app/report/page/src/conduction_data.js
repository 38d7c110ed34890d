// The conduction network of a heart: its arrays, and the passages of its junctions. It does not draw.

import { Damaged, values, whole } from './data.js';
import { median } from './number.js';

/** Decodes a network of the report; frames: number of frames of the heart. Returns
 * { position, line, points, activation: [[ms of point]], v: (frame, point) => mV or null, junctions or null }. */
export async function loadNetwork({ position, line, activation, v_mV: v, junctions }, frames) {
  const [places, lines, times, voltage, ends] = await Promise.all([
    values(position), whole(line), Promise.all(activation.map(({ value }) => values(value))), v ? values(v) : null,
    junctions ? loadJunctions(junctions) : null]);
  const points = places.length / 3;
  for (const p of lines) if (p >= points) throw new Damaged(`This report is damaged: a line has point ${p} of ${points}.`);
  if (voltage && voltage.length !== frames * points) throw new Damaged(`This report is damaged: ${voltage.length} voltages of ${points} points.`);
  if (ends) ends.point = nearestPoints(ends.position, places);
  return { position: places, line: lines, points, activation: times, v: voltage && ((frame, point) => voltage[frame * points + point]), junctions: ends };
}

/** Decodes the junctions: { n, position, passages: [words], hasPassed(passage), hasFailed(passage), isOpen(passage), beats: [{ cable, tissue, passage, first, delay }] }; `first` is
 * the earlier of both times [ms], and `delay` their difference. */
export async function loadJunctions({ position, passages, beats }) {
  const all = await Promise.all(beats.map(async ({ cable_ms: ofCable, tissue_ms: ofTissue, passage: kinds }) => {
    const [cable, tissue, passage] = await Promise.all([values(ofCable), values(ofTissue), whole(kinds)]);
    const first = cable.map((t, j) => (Number.isNaN(t) ? tissue[j] : Number.isNaN(tissue[j]) ? t : Math.min(t, tissue[j])));
    return { cable, tissue, passage, first, delay: cable.map((t, j) => Math.abs(tissue[j] - t)) };
  }));
  const places = await values(position);
  return {
    n: places.length / 3, position: places, passages, hasPassed: (k) => ['antegrade', 'retrograde'].includes(passages[k]),
    hasFailed: (k) => passages[k].endsWith('failed'), isOpen: (k) => passages[k] === 'open', beats: all,
  };
}

/** Returns [{ name, count, delay: median [ms], NaN for passages that did not pass }] of a beat, in the order of the passages. */
export function countPassages({ passages, hasPassed }, { passage, delay }) {
  return passages.map((name, k) => {
    const of = Array.from(delay).filter((_, j) => passage[j] === k);
    const known = of.filter((d) => !Number.isNaN(d)).sort((a, b) => a - b);
    return { name: name.replaceAll('_', ' '), count: of.length, delay: hasPassed(k) ? median(known) : NaN };
  });
}

/** Returns the number of the beat of an activation map, from 0; -1 if it is another map. */
export function beatOf(name) {
  const found = /^activation(?:_ms)?(?:_beat(\d+))?$/.exec(name);
  return found ? Number(found[1] ?? 1) - 1 : -1;
}

/** Returns the range of a network's activation in a beat [ms]; [Infinity, -Infinity] if it has none. */
export async function activationRange(network, beat) {
  const list = network?.activation[beat] ? await values(network.activation[beat].value) : [];
  let [low, high] = [Infinity, -Infinity];
  for (const t of list) if (!Number.isNaN(t)) [low, high] = [Math.min(low, t), Math.max(high, t)];
  return [low, high];
}

/** Returns the nearest point to each junction: the free end of its cable. */
function nearestPoints(ends, position) {
  const nearest = new Uint32Array(ends.length / 3);
  for (let j = 0; j < nearest.length; j++) {
    let least = Infinity;
    for (let p = 0; p < position.length; p += 3) {
      const [x, y, z] = [position[p] - ends[3 * j], position[p + 1] - ends[3 * j + 1], position[p + 2] - ends[3 * j + 2]];
      const square = x * x + y * y + z * z;
      if (square < least) [least, nearest[j]] = [square, p / 3];
    }
  }
  return nearest;
}
