// The conduction network in 3-D: lines of a constant width on the screen and dots at its junctions, coloured by value like the surface.
// Parts behind the surface are pale. heart.js decides which values are shown.

import { BufferAttribute, BufferGeometry, DoubleSide, GreaterDepth, Group, Mesh, Points, ShaderMaterial } from 'three';
import { missingLevel } from './colour.js';

const half = 1.15; // widths in pixels of the page
const rim = 0.8;
const dot = 2.6;
const mark = 4.4;
const dotRim = 1.1;
const pale = 0.3;
export const failedColour = [0.84, 0.1, 0.1];

/** Points just below the surface are not hidden: the shader moves them towards the eye by `towardsEye`. */
const shift = `
  float shifted(vec4 eye, float towardsEye, float extra) {
    vec4 near = projectionMatrix * (eye - vec4(normalize(eye.xyz) * towardsEye, 0.0));
    return near.z / near.w + extra;
  }`;

const colouring = `
  uniform sampler2D scale;
  uniform vec2 range;
  uniform vec4 plane;
  uniform float clipped;
  varying vec2 vWeighted;
  varying vec3 vPlace;
  vec3 valueColour() {
    if (clipped > 0.5 && dot(plane.xyz, vPlace) > plane.w) discard;
    if (vWeighted.y < 0.5) return vec3(${missingLevel.toFixed(4)});
    float value = vWeighted.x / vWeighted.y;
    return texture2D(scale, vec2(clamp((value - range.x) / max(range.y - range.x, 1e-30), 0.0, 1.0), 0.5)).rgb;
  }`;

const lineVertex = `
  attribute vec3 other;
  attribute float side;
  attribute vec2 weighted;
  uniform vec2 pixel;
  uniform float wide, towardsEye, extra;
  varying vec2 vWeighted;
  varying vec3 vPlace;
  ${shift}
  void main() {
    vWeighted = weighted;
    vPlace = position;
    vec4 eye = modelViewMatrix * vec4(position, 1.0);
    gl_Position = projectionMatrix * eye;
    vec4 end = projectionMatrix * modelViewMatrix * vec4(other, 1.0);
    vec2 along = (end.xy / end.w - gl_Position.xy / gl_Position.w) / pixel;
    float size = length(along);
    along = size > 1e-6 ? along / size : vec2(1.0, 0.0);
    gl_Position.z = shifted(eye, towardsEye, extra) * gl_Position.w;
    gl_Position.xy += (vec2(-along.y, along.x) * side - 0.5 * along) * wide * pixel * gl_Position.w;
  }`;

const lineFragment = `
  uniform float isRim, alpha;
  ${colouring}
  void main() {
    vec3 colour = valueColour();
    gl_FragColor = vec4(isRim > 0.5 ? vec3(0.96) : colour, alpha);
  }`;

const dotVertex = `
  attribute float failed;
  attribute vec2 weighted;
  uniform float ratio, towardsEye, extra;
  varying vec2 vWeighted;
  varying vec3 vPlace;
  varying float vFailed;
  ${shift}
  void main() {
    vWeighted = weighted;
    vPlace = position;
    vFailed = failed;
    vec4 eye = modelViewMatrix * vec4(position, 1.0);
    gl_Position = projectionMatrix * eye;
    gl_Position.z = shifted(eye, towardsEye, extra) * gl_Position.w;
    gl_PointSize = 2.0 * ratio * ((failed > 0.5 ? ${mark.toFixed(1)} : ${dot.toFixed(1)}) + ${dotRim.toFixed(1)});
  }`;

const dotFragment = `
  uniform float alpha, onlyFailed;
  varying float vFailed;
  ${colouring}
  void main() {
    vec3 colour = valueColour();
    if (onlyFailed > 0.5 && vFailed < 0.5) discard;
    float away = 2.0 * length(gl_PointCoord - 0.5), core = vFailed > 0.5 ? ${(mark / (mark + dotRim)).toFixed(3)} : ${(dot / (dot + dotRim)).toFixed(3)};
    if (away > 1.0) discard;
    if (vFailed > 0.5) colour = vec3(${failedColour.map((c) => c.toFixed(2)).join(', ')});
    gl_FragColor = vec4(away > core ? vec3(0.96) : colour, alpha);
  }`;

export class Strands {
  /** network: of loadNetwork; uniforms: of the heart; size: of the heart, mm. */
  constructor(network, uniforms, size) {
    this.network = network;
    this.lines = linesOf(network);
    this.dots = network.junctions ? dotsOf(network) : null;
    const near = 0.009 * size;
    const lineMaterial = (own, more = {}) => material(uniforms, { wide: half, towardsEye: near, extra: 0, isRim: 0, alpha: 1, ...own }, lineVertex, lineFragment, more);
    const behind = { depthWrite: false, depthFunc: GreaterDepth };
    this.group = new Group().add(
      new Mesh(this.lines, lineMaterial({ alpha: pale }, behind)),
      new Mesh(this.lines, lineMaterial({ wide: half + rim, extra: 2e-5, isRim: 1 })),
      new Mesh(this.lines, lineMaterial({})));
    this.ends = new Group();
    if (this.dots) {
      const dotMaterial = (own, more = {}) => material(uniforms, { towardsEye: 1.3 * near, extra: 0, alpha: 1, onlyFailed: 0, ...own }, dotVertex, dotFragment, more);
      this.ends.add(new Points(this.dots, dotMaterial({ alpha: 0.6, onlyFailed: 1 }, behind)), new Points(this.dots, dotMaterial({})));
    }
    for (const each of [...this.group.children, ...this.ends.children]) {
      each.frustumCulled = false;
      // After the surface first the pale parts, which would cover the others, then lines and dots; all count as transparent, whose order is kept.
      each.renderOrder = each.material.depthWrite ? (each.isPoints ? 3 : 2) : 1;
    }
  }

  /** Colours the lines by valueOf(point), NaN for none, and the junctions by the nearest point, with those that failed in a beat marked. */
  colour(valueOf, beat) {
    const { line, junctions } = this.network;
    const weighted = this.lines.getAttribute('weighted');
    for (let c = 0; c < line.length; c++) for (let k = 0; k < 2; k++) setWeighted(weighted.array, 2 * c + k, valueOf(line[c]));
    weighted.needsUpdate = true;
    if (!this.dots) return;
    const ends = this.dots.getAttribute('weighted');
    const failed = this.dots.getAttribute('failed');
    const passages = junctions.beats[Math.min(beat, junctions.beats.length - 1)].passage;
    for (let j = 0; j < junctions.n; j++) {
      setWeighted(ends.array, j, valueOf(junctions.point[j]));
      failed.array[j] = junctions.hasFailed(passages[j]) ? 1 : 0;
    }
    ends.needsUpdate = failed.needsUpdate = true;
  }

  dispose() {
    this.lines.dispose();
    this.dots?.dispose();
  }
}

function material(uniforms, own, vertexShader, fragmentShader, more) {
  const values = Object.fromEntries(Object.entries(own).map(([name, value]) => [name, { value }]));
  return new ShaderMaterial({ uniforms: { ...uniforms, ...values }, vertexShader, fragmentShader, side: DoubleSide, transparent: true, ...more });
}

function setWeighted(array, i, value) {
  const has = !Number.isNaN(value);
  array[2 * i] = has ? value : 0;
  array[2 * i + 1] = has ? 1 : 0;
}

/** Returns two triangles for each line: corners on both sides of each of its ends. */
function linesOf({ position, line }) {
  const n = line.length / 2;
  const own = new Float32Array(12 * n);
  const other = new Float32Array(12 * n);
  const side = new Float32Array(4 * n);
  const index = new Uint32Array(6 * n);
  for (let l = 0; l < n; l++) {
    for (let k = 0; k < 4; k++) {
      const [p, q] = k < 2 ? [line[2 * l], line[2 * l + 1]] : [line[2 * l + 1], line[2 * l]];
      own.set(position.subarray(3 * p, 3 * p + 3), 12 * l + 3 * k);
      other.set(position.subarray(3 * q, 3 * q + 3), 12 * l + 3 * k);
      side[4 * l + k] = (k % 2 === 0) === (k < 2) ? 1 : -1; // seen from the other end, left is right
    }
    index.set([0, 2, 1, 1, 2, 3].map((k) => 4 * l + k), 6 * l);
  }
  const geometry = geometryOf(own, 4 * n);
  geometry.setAttribute('other', new BufferAttribute(other, 3));
  geometry.setAttribute('side', new BufferAttribute(side, 1));
  geometry.setIndex(new BufferAttribute(index, 1));
  return geometry;
}

function dotsOf({ junctions }) {
  const geometry = geometryOf(junctions.position, junctions.n);
  geometry.setAttribute('failed', new BufferAttribute(new Float32Array(junctions.n), 1));
  return geometry;
}

function geometryOf(position, n) {
  const geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(position, 3));
  return geometry.setAttribute('weighted', new BufferAttribute(new Float32Array(2 * n), 2));
}
