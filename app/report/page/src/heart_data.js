// A heart of a report: its arrays, decoded on demand, and the difference of two hearts on one mesh. It does not draw.

import { activationRange, beatOf, loadNetwork } from './conduction_data.js';
import { coding, Damaged, numbers, values, whole } from './data.js';
import { summary } from './number.js';

/** True if two hearts have the same mesh, drawn by the same vertices and triangles. */
export function isSameMesh(a, b) {
  const count = ({ surface, cut }) => [surface.position.count, surface.triangle.count, cut?.position.count].join();
  return Boolean(a.mesh) && a.mesh === b.mesh && count(a) === count(b);
}

/** Decodes the surface of a heart. Its maps and frames share their colour range with `others`, hearts on the same mesh. */
export async function loadHeart(heart, others = [heart]) {
  const { surface } = heart;
  const [position, triangle, element, ofNetwork] = await Promise.all([
    values(surface.position), whole(surface.triangle), whole(surface.element), heart.network ? values(heart.network.position) : []]);
  const places = new Float32Array(position.length + ofNetwork.length);
  places.set(position);
  places.set(ofNetwork, position.length);
  return new HeartData(heart, { position, places, triangle, element, others });
}

/** Returns the numbers of the maps that two hearts have in common: [[m of a, m of b], ...]. */
export function mapsInCommon(a, b) {
  const pairs = a.maps.map((map, m) => [m, b.maps.findIndex((other) => other.name === map.name && other.unit === map.unit)]);
  return pairs.filter(([, other]) => other >= 0);
}

/** Decodes two hearts on one mesh, each with the maps and frames that both have, and their difference: [a, b, b - a]. */
export async function loadPair(a, b) {
  const common = mapsInCommon(a, b);
  const frames = await framesInCommon(a, b);
  const part = (heart, k) => ({ ...heart, maps: common.map((pair) => heart.maps[pair[k]]), frames: frames ? heart.frames : null, network: null });
  const hearts = [part(a, 0), part(b, 1)];
  const [first, second] = await Promise.all(hearts.map((heart) => loadHeart(heart, hearts)));
  [first, second].forEach((data, k) => (data.chosen = frames?.map((pair) => pair[k])));
  return [first, second, new HeartDifference(first, second)];
}

/** Returns the numbers of the frames at the times that two hearts have in common, or null if there are none. */
async function framesInCommon(a, b) {
  if (!a.frames || !b.frames) return null;
  const [first, second] = await Promise.all([a, b].map((heart) => values(heart.frames.time_ms)));
  const isSame = (s, t) => Math.abs(s - t) <= 1e-6 * Math.max(1, Math.abs(t));
  const pairs = Array.from(first, (t, k) => [k, second.findIndex((s) => isSame(s, t))]).filter(([, k]) => k >= 0);
  return pairs.length ? pairs : null;
}

class HeartData {
  /** places: all that a view should contain, [3 n] mm. */
  constructor(heart, { position, places, triangle, element, others }) {
    Object.assign(this, { heart, position, places, triangle, element, others });
    this.vertices = position.length / 3;
    this.triangles = triangle.length / 3;
    this.chosen = null; // the displayed frames; null: all
  }

  /** Returns the name of a map, with its beat. */
  mapLabel(m) {
    const { label, beat } = this.heart.maps[m];
    return beat === null || beat === undefined || / beat /.test(label) ? label : `${label}, beat ${beat}`;
  }

  /** Returns { vertex: by vertex, element: by triangle, cut: by vertex of the cut, or null }. */
  async map(m) {
    const map = this.heart.maps[m];
    const [vertex, element, cut] = await Promise.all([values(map.vertex), values(map.element), map.cut ? values(map.cut) : null]);
    return { vertex, element, cut };
  }

  /** Returns the colour range of a map: over its triangles, and the network, in all hearts on this mesh. */
  async mapRange(m) {
    const { name } = this.heart.maps[m];
    const maps = this.others.map((heart) => heart.maps.find((map) => map.name === name)).filter(Boolean);
    const ranges = await Promise.all(maps.map(async (map) => summary(await values(map.element))));
    const beat = beatOf(name);
    const networks = beat < 0 ? [] : await Promise.all(this.others.map((heart) => activationRange(heart.network, beat)));
    return union([...ranges.map(({ min, max }) => [min, max]), ...networks]);
  }

  /** Decodes the conduction network (conduction_data.js). */
  async network() {
    return loadNetwork(this.heart.network, this.heart.frames?.time_ms.count ?? 0);
  }

  /** Returns the kind of each triangle in naming m: k is kind k - 1, 0 is none. */
  async named(m) {
    return whole(this.heart.named[m].triangle);
  }

  /** Returns { time: ms, n, range: of the surface, colours: range of all hearts on this mesh, with their networks, at(frame, vertex): mV, cutAt(frame): mV at
   * all vertices of the cut, or null }. */
  async frames() {
    const all = await this.allFrames();
    const ranges = await Promise.all(this.others.filter((heart) => heart.frames && heart !== this.heart).map(frameRange));
    const networks = await Promise.all(this.others.filter((heart) => heart.frames && heart.network?.v_mV).map(networkRange));
    const colours = union([all.range, ...ranges, ...networks]);
    const { chosen } = this;
    if (!chosen) return { ...all, colours };
    const cutAt = all.cutAt && ((frame) => all.cutAt(chosen[frame]));
    return { time: chosen.map((k) => all.time[k]), n: chosen.length, range: all.range, colours, at: (frame, vertex) => all.at(chosen[frame], vertex), cutAt };
  }

  async allFrames() {
    const { time_ms: times, v_mV: onSurface, cut_v_mV: onCut } = this.heart.frames;
    const time = await values(times);
    const inside = this.heart.cut && onCut ? this.heart.cut.position.count : 0;
    const [surface, cut] = await Promise.all([
      voltages(onSurface, time.length, this.vertices),
      inside ? voltages(onCut, time.length, inside) : null,
    ]);
    const cutAt = cut && ((frame) => Float32Array.from({ length: inside }, (_, vertex) => cut.at(frame, vertex)));
    return { time, n: time.length, ...surface, cutAt };
  }

  async cut() {
    const { position, tetrahedron, element } = this.heart.cut;
    const [places, tetrahedra, elements] = await Promise.all([values(position), whole(tetrahedron), whole(element)]);
    return { position: places, tetrahedra, element: elements };
  }

  /** Returns the two ends of each fibre's line, for a length in mm. */
  async fibres(length) {
    const { position, direction } = this.heart.fibres;
    const [middle, along] = await Promise.all([values(position), values(direction)]);
    const ends = new Float32Array(2 * middle.length);
    for (let f = 0; f < middle.length / 3; f++) {
      const size = Math.hypot(along[3 * f], along[3 * f + 1], along[3 * f + 2]) || 1;
      for (let k = 0; k < 3; k++) {
        const half = (0.5 * length * along[3 * f + k]) / size;
        ends[6 * f + k] = middle[3 * f + k] - half;
        ends[6 * f + 3 + k] = middle[3 * f + k] + half;
      }
    }
    return ends;
  }
}

/** The difference of two hearts of loadPair: maps and frames of b minus a. */
class HeartDifference extends HeartData {
  constructor(a, b) {
    super({ ...a.heart, named: [] }, a);
    Object.assign(this, { a, b });
  }

  async map(m) {
    const [a, b] = await Promise.all([this.a.map(m), this.b.map(m)]);
    return { vertex: less(b.vertex, a.vertex), element: less(b.element, a.element), cut: a.cut && b.cut && less(b.cut, a.cut) };
  }

  async mapRange(m) {
    const { min, max } = summary((await this.map(m)).element);
    return symmetric(Math.max(-min, max), ...[this.a, this.b].map((data) => data.heart.maps[m].element.scale));
  }

  async frames() {
    const [a, b] = await Promise.all([this.a.frames(), this.b.frames()]);
    const at = (frame, vertex) => b.at(frame, vertex) - a.at(frame, vertex);
    const cutAt = a.cutAt && b.cutAt && ((frame) => less(b.cutAt(frame), a.cutAt(frame)));
    let most = -Infinity;
    for (let frame = 0; frame < a.n; frame++) {
      for (let vertex = 0; vertex < this.vertices; vertex++) {
        const size = Math.abs(at(frame, vertex));
        if (size > most) most = size;
      }
    }
    const colours = symmetric(most, ...[this.a, this.b].map((data) => data.heart.frames.v_mV.scale));
    return { time: a.time, n: a.n, range: colours, colours, at, cutAt };
  }
}

function less(b, a) {
  return Float32Array.from(b, (value, k) => value - a[k]);
}

/** Returns a range around 0, wider than the steps in which both values are stored, so that rounding has no strong colour. */
function symmetric(largest, stepOfA = 0, stepOfB = 0) {
  const most = Math.max(largest || 0, 5 * (stepOfA + stepOfB));
  return [-most, most];
}

function union(ranges) {
  const known = ranges.filter(([low, high]) => low <= high);
  return [Math.min(...known.map(([low]) => low)), Math.max(...known.map(([, high]) => high))];
}

/** Returns the range of V of a heart's frames on its surface. */
async function frameRange({ frames, surface }) {
  const n = frames.time_ms.count;
  return (await voltages(frames.v_mV, n, surface.position.count)).range;
}

/** Returns the same for its conduction network. */
async function networkRange({ frames, network }) {
  return (await voltages(network.v_mV, frames.time_ms.count, network.position.count)).range;
}

const decoded = new Map(); // id of an array: its voltages

/** Returns V in frames: { range, at(frame, vertex): mV }. Numbers remain as stored, with an eighth of the size of the values. */
async function voltages(array, frames, vertices) {
  const raw = await numbers(array);
  if (raw.length !== frames * vertices) throw new Damaged(`This report is damaged: ${raw.length} values of V; expected: ${frames} times ${vertices}.`);
  if (!decoded.has(array.id)) decoded.set(array.id, voltagesOf(array, raw, vertices));
  return decoded.get(array.id);
}

function voltagesOf(array, raw, vertices) {
  const { offset, scale, missing } = coding(array);
  let low = Infinity;
  let high = -Infinity;
  for (const x of raw) {
    if (x === missing) continue;
    if (x < low) low = x;
    if (x > high) high = x;
  }
  const at = (frame, vertex) => {
    const x = raw[frame * vertices + vertex];
    return x === missing ? NaN : offset + scale * x;
  };
  return { range: low <= high ? [offset + scale * low, offset + scale * high] : [0, 1], at };
}
