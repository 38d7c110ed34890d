// A heart of a report: its arrays, decoded when they are first needed. It draws nothing.

import { coding, Damaged, numbers, values, whole } from './data.js';

/** Decodes the surface; maps, frames, cut and fibres come later, on demand. */
export async function loadHeart(heart) {
  const { surface } = heart;
  const [position, triangle, element] = await Promise.all([values(surface.position), whole(surface.triangle), whole(surface.element)]);
  return new HeartData(heart, position, triangle, element);
}

class HeartData {
  constructor(heart, position, triangle, element) {
    Object.assign(this, { heart, position, triangle, element });
    this.vertices = position.length / 3;
    this.triangles = triangle.length / 3;
  }

  /** What a map is called, with its beat. */
  mapLabel(m) {
    const { label, beat } = this.heart.maps[m];
    return beat === null || beat === undefined || / beat /.test(label) ? label : `${label}, beat ${beat}`;
  }

  /** { vertex: by vertex, element: by triangle, cut: by vertex of the cut, or null }. */
  async map(m) {
    const map = this.heart.maps[m];
    const [vertex, element, cut] = await Promise.all([values(map.vertex), values(map.element), map.cut ? values(map.cut) : null]);
    return { vertex, element, cut };
  }

  /** What each triangle belongs to, by way m of naming: 0 nothing, k the kind k - 1. */
  async named(m) {
    return whole(this.heart.named[m].triangle);
  }

  /** { time: ms, n, range: of the surface, at(frame, vertex): mV, cutAt(frame): mV at all vertices of the cut, or null }. */
  async frames() {
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

  /** The two ends of each fibre's line, of a length in mm. */
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

/** V in frames: { range, at(frame, vertex): mV }; numbers stay as they are stored, which is an eighth of what they mean. */
async function voltages(array, frames, vertices) {
  const raw = await numbers(array);
  if (raw.length !== frames * vertices) throw new Damaged(`This report is damaged: ${raw.length} values of V, not ${frames} times ${vertices}.`);
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
