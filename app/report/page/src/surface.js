// The surface's triangles for three.js: three corners each, normals that are sharp at edges, and a value at each corner, set by heart.js.

import { BufferAttribute, BufferGeometry } from 'three';
import { Damaged } from './data.js';

const sharp = Math.cos((50 * Math.PI) / 180); // edges with a larger angle remain sharp

/** position: [3 n] mm, triangle: [3 m] vertices. */
export function makeSurface(position, triangle) {
  const vertices = position.length / 3;
  for (const v of triangle) if (v >= vertices) throw new Damaged(`This report is damaged: a triangle has vertex ${v} of ${vertices}.`);
  const places = new Float32Array(3 * triangle.length);
  for (let c = 0; c < triangle.length; c++) for (let k = 0; k < 3; k++) places[3 * c + k] = position[3 * triangle[c] + k];
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(places, 3));
  geometry.setAttribute('normal', new BufferAttribute(cornerNormals(places, triangle, vertices), 3));
  geometry.setAttribute('weighted', new BufferAttribute(new Float32Array(2 * triangle.length), 2));
  geometry.computeBoundingSphere();
  geometry.computeBoundingBox();
  return geometry;
}

/** Sets the value of each corner. valueOf(corner): returns the value, or NaN. */
export function setValues(geometry, valueOf) {
  const attribute = geometry.getAttribute('weighted');
  const weighted = attribute.array;
  for (let c = 0; c < weighted.length / 2; c++) {
    const value = valueOf(c);
    const has = !Number.isNaN(value);
    weighted[2 * c] = has ? value : 0;
    weighted[2 * c + 1] = has ? 1 : 0;
  }
  attribute.needsUpdate = true;
}

/** Returns the normal at each corner: the area-weighted mean over the faces around the vertex within the angle of smooth edges. */
function cornerNormals(places, triangle, vertices) {
  const faces = triangle.length / 3;
  const area = new Float32Array(3 * faces); // normals with a length of twice the area
  const unit = new Float32Array(3 * faces);
  for (let f = 0; f < faces; f++) faceNormal(places, f, area, unit);
  const { start, face } = facesOfVertices(triangle, vertices);
  const normals = new Float32Array(3 * triangle.length);
  for (let c = 0; c < triangle.length; c++) {
    const own = 3 * Math.floor(c / 3);
    const sum = [0, 0, 0];
    for (let i = start[triangle[c]]; i < start[triangle[c] + 1]; i++) {
      const other = 3 * face[i];
      const smooth = unit[own] * unit[other] + unit[own + 1] * unit[other + 1] + unit[own + 2] * unit[other + 2] > sharp;
      if (smooth || other === own) for (let k = 0; k < 3; k++) sum[k] += area[other + k];
    }
    const length = Math.hypot(...sum) || 1;
    for (let k = 0; k < 3; k++) normals[3 * c + k] = sum[k] / length;
  }
  return normals;
}

function faceNormal(p, f, area, unit) {
  const i = 9 * f;
  const [ux, uy, uz] = [p[i + 3] - p[i], p[i + 4] - p[i + 1], p[i + 5] - p[i + 2]];
  const [vx, vy, vz] = [p[i + 6] - p[i], p[i + 7] - p[i + 1], p[i + 8] - p[i + 2]];
  const n = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
  const length = Math.hypot(...n) || 1;
  for (let k = 0; k < 3; k++) {
    area[3 * f + k] = n[k];
    unit[3 * f + k] = n[k] / length;
  }
}

function facesOfVertices(triangle, vertices) {
  const start = new Uint32Array(vertices + 1);
  for (const v of triangle) start[v + 1]++;
  for (let v = 0; v < vertices; v++) start[v + 1] += start[v];
  const next = start.slice();
  const face = new Uint32Array(triangle.length);
  triangle.forEach((v, c) => (face[next[v]++] = Math.floor(c / 3)));
  return { start, face };
}
