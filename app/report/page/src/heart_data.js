// A heart of a report: its arrays, decoded when they are first needed. It draws nothing.

import { coding, Damaged, numbers, values, whole } from './data.js';

/** Decodes the surface; maps, frames, cut and fibres come later, on demand. */
export async function loadHeart(heart) {
  const { surface } = heart;
  const [position, triangle, element, tag] = await Promise.all([
    values(surface.position),
    whole(surface.triangle),
    whole(surface.element),
    surface.tag ? whole(surface.tag) : null,
  ]);
  return new HeartData(heart, position, triangle, element, tag);
}

class HeartData {
  constructor(heart, position, triangle, element, tag) {
    Object.assign(this, { heart, position, triangle, element, tag });
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

  /** { time: ms, n, range, at(frame, vertex): mV }; numbers stay as they are stored, which is an eighth of what they mean. */
  async frames() {
    const { time_ms: times, v_mV: voltages } = this.heart.frames;
    const [time, raw] = await Promise.all([values(times), numbers(voltages)]);
    if (raw.length !== time.length * this.vertices) {
      throw new Damaged(`This report is damaged: ${raw.length} values of V, not ${time.length} times ${this.vertices}.`);
    }
    const { offset, scale, missing } = coding(voltages);
    let low = Infinity;
    let high = -Infinity;
    for (const x of raw) {
      if (x === missing) continue;
      if (x < low) low = x;
      if (x > high) high = x;
    }
    const at = (frame, vertex) => {
      const x = raw[frame * this.vertices + vertex];
      return x === missing ? NaN : offset + scale * x;
    };
    return { time, n: time.length, range: low <= high ? [offset + scale * low, offset + scale * high] : [0, 1], at };
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
