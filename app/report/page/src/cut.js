// The section of tetrahedra by a plane: a polygon in each, as triangles. Input and output are plain arrays; it does not draw.

/** Returns the cut face normal . p = offset. Each corner is on an edge of a tetrahedron, at a + t (b - a):
 * { n: number of triangles, a, b: vertices [3 n], t: [3 n], tetrahedron: [n] }. */
export function cutTetrahedra(position, tetrahedra, normal, offset) {
  const vertices = position.length / 3;
  const height = new Float64Array(vertices);
  for (let v = 0; v < vertices; v++) {
    height[v] = normal[0] * position[3 * v] + normal[1] * position[3 * v + 1] + normal[2] * position[3 * v + 2] - offset;
  }
  const face = { a: [], b: [], t: [], tetrahedron: [] };
  for (let k = 0; k < tetrahedra.length / 4; k++) {
    const above = [];
    const below = [];
    for (let i = 4 * k; i < 4 * k + 4; i++) (height[tetrahedra[i]] >= 0 ? above : below).push(tetrahedra[i]);
    if (above.length === 0 || below.length === 0) continue;
    for (const corner of polygon(above, below)) {
      const [a, b] = corner;
      face.a.push(a);
      face.b.push(b);
      face.t.push(height[a] / (height[a] - height[b]));
    }
    face.tetrahedron.push(k);
    if (above.length === 2) face.tetrahedron.push(k);
  }
  return {
    n: face.tetrahedron.length,
    a: Uint32Array.from(face.a),
    b: Uint32Array.from(face.b),
    t: Float32Array.from(face.t),
    tetrahedron: Uint32Array.from(face.tetrahedron),
  };
}

/** Returns the edges with the corners of one triangle, or of the two triangles of a quadrangle. */
function polygon(above, below) {
  if (above.length === 2) {
    const [p, q] = above;
    const [r, s] = below;
    return [[p, r], [p, s], [q, s], [p, r], [q, s], [q, r]];
  }
  return above.length === 1 ? below.map((b) => [above[0], b]) : above.map((a) => [a, below[0]]);
}

/** Returns the places of the corners of a face: [9 n]. */
export function facePosition(face, position) {
  const result = new Float32Array(9 * face.n);
  for (let c = 0; c < 3 * face.n; c++) {
    for (let k = 0; k < 3; k++) {
      const from = position[3 * face.a[c] + k];
      result[3 * c + k] = from + face.t[c] * (position[3 * face.b[c] + k] - from);
    }
  }
  return result;
}

/** Interpolates values at the corners of a face from the vertices: [3 n]. If one end of an edge has no value, the other end's is used up to
 * the middle. */
export function faceValues(face, values) {
  const result = new Float32Array(3 * face.n);
  for (let c = 0; c < 3 * face.n; c++) {
    const from = values[face.a[c]];
    const to = values[face.b[c]];
    const t = face.t[c];
    if (Number.isNaN(from) || Number.isNaN(to)) result[c] = t < 0.5 ? from : to;
    else result[c] = from + t * (to - from);
  }
  return result;
}

/** Returns the area of a face, in the square of the unit of places. */
export function faceArea(places) {
  let area = 0;
  for (let i = 0; i < places.length; i += 9) {
    const u = [0, 1, 2].map((k) => places[i + 3 + k] - places[i + k]);
    const v = [0, 1, 2].map((k) => places[i + 6 + k] - places[i + k]);
    area += Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]) / 2;
  }
  return area;
}
