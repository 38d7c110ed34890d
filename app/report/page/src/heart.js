// The 3-D heart: the displayed values and their colours, the cut, and the values at a pixel. heart_panel.js and compare_maps.js have its
// controls; paint.js has the shaders.

import { BufferAttribute, BufferGeometry, Group, LineSegments, Mesh, Vector3 } from 'three';
import { sequential } from './colour.js';
import { beatOf } from './conduction_data.js';
import { cutTetrahedra, faceArea, facePosition, faceValues } from './cut.js';
import { roundStep, summary } from './number.js';
import { fibreMaterial, paintUniforms, scaleTexture, valueMaterial } from './paint.js';
import { Strands } from './strands.js';
import { makeSurface, setValues } from './surface.js';
import { View } from './view.js';

const axes = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };

export class Heart {
  /** data: of loadHeart or loadPair; overlay: a canvas above canvas; scale: of colour.js. */
  constructor(data, canvas, overlay, scale = sequential) {
    Object.assign(this, { data, scale });
    this.geometry = makeSurface(data.position, data.triangle);
    this.view = new View(canvas, overlay, this.geometry.boundingSphere, data.places);
    this.size = 2 * this.geometry.boundingSphere.radius;
    this.uniforms = paintUniforms();
    this.uniforms.scale.value = scaleTexture(scale);
    Object.assign(this.view, { pixel: this.uniforms.pixel.value, ratio: this.uniforms.ratio });
    this.surface = new Mesh(this.geometry, valueMaterial(this.uniforms, false));
    this.face = new Mesh(new BufferGeometry(), valueMaterial(this.uniforms, true));
    this.face.visible = false;
    this.view.scene.add(this.surface, this.face);
    this.shown = { kind: 'plain' }; // 'plain', 'map' or 'named' with its number m, or 'frames'
    this.frame = 0;
    this.plane = null; // { normal, offset }
    this.cutFace = null;
    this.picked = null;
  }

  dispose() {
    this.view.dispose();
    this.geometry.dispose();
    this.face.geometry.dispose();
    this.strands?.dispose();
  }

  /** Selects the colours: by map m, by naming m of the triangles ('named'), by 'frames', or none ('plain'). */
  async show(kind, m = 0) {
    const turn = (this.turn = {});
    if (kind === 'map') {
      const [map, range] = await Promise.all([this.data.map(m), this.data.mapRange(m)]);
      if (this.turn !== turn) return; // another choice was made in the meantime
      this.shown = { kind, m, map, statistics: summary(map.element), ...this.data.heart.maps[m] };
      this.shown.label = this.data.mapLabel(m);
      this.ownRange = range;
    } else if (kind === 'frames') {
      this.frames ??= await this.data.frames();
      if (this.turn !== turn) return;
      this.shown = { kind, label: 'V', unit: 'mV' };
      this.ownRange = this.frames.colours;
    } else if (kind === 'named') {
      const list = await this.data.named(m);
      if (this.turn !== turn) return;
      const { label, kinds } = this.data.heart.named[m];
      this.shown = { kind, m, label, unit: '', kinds, list };
      this.ownRange = [0.5, kinds.length + 0.5];
    } else {
      this.shown = { kind: 'plain', label: '', unit: '' };
      this.ownRange = [0, 1];
    }
    if (!(this.ownRange[1] > this.ownRange[0])) {
      const only = Number.isFinite(this.ownRange[0]) ? this.ownRange[0] : 0;
      this.ownRange = [only - 0.5, only + 0.5];
    }
    this.setRange(...this.ownRange);
    this.colour();
  }

  /** Sets the values at the corners of the surface and of the cut face. */
  colour() {
    const { triangle } = this.data;
    const { kind, map, list } = this.shown;
    if (kind === 'map') setValues(this.geometry, (c) => map.vertex[triangle[c]]);
    else if (kind === 'named') setValues(this.geometry, (c) => list[Math.floor(c / 3)] || NaN);
    else if (kind === 'frames') setValues(this.geometry, (c) => this.frames.at(this.frame, triangle[c]));
    else setValues(this.geometry, () => NaN);
    this.colourFace();
    this.colourNetwork();
    this.view.changed();
  }

  /** Shows or hides the lines of the conduction network, and the dots of its junctions. */
  async showNetwork(lines, ends) {
    if (lines && !this.strands) {
      this.network = await this.data.network();
      this.strands = new Strands(this.network, this.uniforms, this.size);
      this.view.scene.add(this.strands.group, this.strands.ends);
      this.colourNetwork();
    }
    if (!this.strands) return;
    this.strands.group.visible = lines;
    this.strands.ends.visible = lines && ends;
    this.view.changed();
  }

  colourNetwork() {
    if (this.strands) this.strands.colour((point) => this.networkValue(point), this.networkBeat());
  }

  /** Returns the number of the displayed beat, from 0. */
  networkBeat() {
    return this.shown.kind === 'map' ? Math.max(0, (this.shown.beat ?? 1) - 1) : 0;
  }

  /** Returns the displayed value at a point of the network: its activation, or V; if V is not stored, the upper limit once it is activated. */
  networkValue(point) {
    const { shown, network } = this;
    if (shown.kind === 'map') return network.activation[beatOf(shown.name)]?.[point] ?? NaN;
    if (shown.kind !== 'frames') return NaN;
    if (network.v) return network.v(this.frame, point);
    return network.activation[0][point] <= this.frames.time[this.frame] ? this.range[1] : NaN;
  }

  colourFace() {
    if (!this.cutFace || this.cutFace.n === 0) return;
    const inside = this.insideShown();
    const list = inside ? faceValues(this.cutFace, inside) : null;
    setValues(this.face.geometry, (c) => (list ? list[c] : NaN));
  }

  /** Returns the values at the vertices of the cut, or null if they are not known. */
  insideShown() {
    const { kind, map } = this.shown;
    if (kind === 'map') return map.cut;
    return kind === 'frames' ? (this.frames.cutAt?.(this.frame) ?? null) : null;
  }

  setRange(low, high) {
    this.range = [low, high];
    this.uniforms.range.value.set(low, high);
    this.view.changed();
  }

  /** Draws isochrones at multiples of a step; 0: none. */
  setLines(step) {
    this.uniforms.lineStep.value = step;
    this.view.changed();
  }

  setFrame(frame) {
    this.frame = Math.max(0, Math.min(this.frames.n - 1, frame));
    this.colour();
  }

  /** True if lines of equal value are isochrones: the values are times of the activation or the repolarisation. */
  hasIsochrones() {
    return this.shown.kind === 'map' && /^(activation|repolarisation)/.test(this.shown.name);
  }

  /** Returns a step for about ten lines. */
  usualStep() {
    return roundStep(this.ownRange[1] - this.ownRange[0], 10);
  }

  /** Turns the cut on across an axis ('x', 'y', 'z') or the view, or off (null). Cuts away the side towards the eye or, if flipped, the
   * other side. Returns the range of its position along the axis in mm. */
  async setCut(across, flipped = false) {
    if (!across) {
      this.plane = this.cutFace = null;
      this.face.visible = false;
      this.uniforms.clipped.value = 0;
      this.view.changed();
      return null;
    }
    this.cut ??= await this.data.cut();
    const eye = this.view.towardsEye();
    const axis = axes[across] ?? eye.toArray();
    const sign = new Vector3(...axis).dot(eye) >= 0 !== flipped ? 1 : -1;
    const [low, high] = this.extent(axis);
    this.plane = { normal: axis.map((x) => sign * x), sign, low, high };
    this.moveCut((low + high) / 2);
    return [low, high];
  }

  /** Moves the cut to a position along its axis. */
  moveCut(place) {
    const { normal, sign } = this.plane;
    const offset = sign * place;
    this.plane.offset = offset;
    this.uniforms.plane.value.set(...normal, offset);
    this.uniforms.clipped.value = 1;
    this.cutFace = cutTetrahedra(this.cut.position, this.cut.tetrahedra, normal, offset);
    const places = facePosition(this.cutFace, this.cut.position);
    this.cutFace.area = faceArea(places);
    this.face.geometry.dispose();
    this.face.geometry = new BufferGeometry();
    const set = (name, array, n) => this.face.geometry.setAttribute(name, new BufferAttribute(array, n));
    set('position', places, 3);
    const normals = new Float32Array(places.length);
    for (let i = 0; i < normals.length; i++) normals[i] = normal[i % 3];
    set('normal', normals, 3);
    set('weighted', new Float32Array((places.length / 3) * 2), 2);
    this.face.visible = this.cutFace.n > 0;
    this.colourFace();
    this.view.changed();
  }

  extent(normal) {
    let [low, high] = [Infinity, -Infinity];
    const p = this.data.position;
    for (let i = 0; i < p.length; i += 3) {
      const at = normal[0] * p[i] + normal[1] * p[i + 1] + normal[2] * p[i + 2];
      low = Math.min(low, at);
      high = Math.max(high, at);
    }
    return [low, high];
  }

  async showFibres(on) {
    if (on && !this.fibres) {
      const ends = await this.data.fibres(0.03 * this.size);
      const geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(ends, 3));
      const lines = [true, false].map((isLight) => new LineSegments(geometry, fibreMaterial(this.uniforms, 0.02 * this.size, isLight)));
      this.fibres = new Group().add(...lines);
      this.view.scene.add(this.fibres);
    }
    if (this.fibres) this.fibres.visible = on;
    this.view.changed();
  }

  /** Returns the values at a pixel: { at, element, names: [{label, text}], values: [{label, unit, value}], voltage: frame => mV, or null,
   * inside }, or null if there is no heart. */
  async pick(x, y) {
    return this.pickHit(this.hit(this.view.ray(x, y)));
  }

  /** Same, for the hit of a ray; also for another heart on the same mesh with the same cut: `isFace` instead of the object. */
  async pickHit(hit) {
    this.view.mark = hit ? hit.point.toArray() : null;
    this.view.changed();
    this.picked = hit && ((hit.isFace ?? hit.object === this.face) ? await this.pickedInside(hit) : await this.pickedOn(hit));
    return this.picked;
  }

  /** Returns the first hit of a ray that is not cut away. */
  hit(caster) {
    const hits = caster.intersectObjects(this.face.visible ? [this.surface, this.face] : [this.surface], false);
    return hits.find((hit) => hit.object === this.face || !this.isCutAway(hit.point)) ?? null;
  }

  isCutAway(point) {
    return this.plane !== null && new Vector3(...this.plane.normal).dot(point) > this.plane.offset;
  }

  /** True if a place is hidden by the surface. */
  isHidden(place) {
    const at = this.view.project(place);
    if (!at) return true;
    const hit = this.hit(this.view.ray(...at));
    return hit !== null && hit.distance < this.view.camera.position.distanceTo(new Vector3(...place)) - 0.05 * this.size;
  }

  async pickedOn(hit) {
    const triangle = hit.faceIndex;
    const all = await Promise.all(this.data.heart.maps.map((_, m) => this.data.map(m)));
    const values = all.map(({ element }, m) => this.named(m, element[triangle]));
    const vertex = this.nearestVertex(triangle, hit.point);
    const voltage = this.frames ? (frame) => this.frames.at(frame, vertex) : null;
    const named = this.data.heart.named ?? [];
    const lists = await Promise.all(named.map((_, m) => this.data.named(m)));
    const names = named.map(({ label, kinds }, m) => ({ label, text: kinds[lists[m][triangle] - 1] ?? '–' }));
    return { at: hit.point.toArray(), triangle, element: this.data.element[triangle], names, values, voltage, inside: false };
  }

  async pickedInside(hit) {
    const f = hit.faceIndex;
    const weights = barycentric(hit);
    const all = await Promise.all(this.data.heart.maps.map((_, m) => this.data.map(m)));
    const triangle = { n: 1, ...slices(this.cutFace, 3 * f) };
    const here = (list) => faceValues(triangle, list).reduce((sum, value, k) => sum + weights[k] * value, 0);
    const values = all.map(({ cut }, m) => this.named(m, cut ? here(cut) : NaN));
    const voltage = this.frames?.cutAt ? (frame) => here(this.frames.cutAt(frame)) : null;
    const element = this.cut.element[this.cutFace.tetrahedron[f]];
    return { at: hit.point.toArray(), element, names: [], values, voltage, inside: true };
  }

  named(m, value) {
    return { label: this.data.mapLabel(m), unit: this.data.heart.maps[m].unit, value };
  }

  nearestVertex(triangle, point) {
    const { position } = this.data;
    const corners = [0, 1, 2].map((k) => this.data.triangle[3 * triangle + k]);
    const away = (v) => Math.hypot(position[3 * v] - point.x, position[3 * v + 1] - point.y, position[3 * v + 2] - point.z);
    return corners.reduce((best, v) => (away(v) < away(best) ? v : best));
  }
}

function barycentric(hit) {
  const place = hit.object.geometry.getAttribute('position');
  const [a, b, c] = [hit.face.a, hit.face.b, hit.face.c].map((i) => new Vector3().fromBufferAttribute(place, i));
  const whole = new Vector3().crossVectors(b.clone().sub(a), c.clone().sub(a)).length() || 1;
  const part = (p, q) => new Vector3().crossVectors(p.clone().sub(hit.point), q.clone().sub(hit.point)).length() / whole;
  return [part(b, c), part(c, a), part(a, b)];
}

function slices(face, from) {
  return { a: face.a.subarray(from, from + 3), b: face.b.subarray(from, from + 3), t: face.t.subarray(from, from + 3) };
}
