// The maps of two runs on one mesh: A, B and B - A side by side, with one camera, one time and one cutting plane; statistics of the
// difference, and the values at a clicked place.

import { diverging } from './colour.js';
import { CutControls } from './cut_controls.js';
import { button, el, labelled, options, table } from './dom.js';
import { Heart } from './heart.js';
import { isSameMesh, loadPair, mapsInCommon } from './heart_data.js';
import { differenceStatistics, format, quantity } from './number.js';
import { savePicture } from './picture.js';
import { RangeBar } from './range_bar.js';
import { TimeBar } from './time.js';

const names = ['A', 'B', 'B − A'];
const arrangements = [['0 1 2', 'A, B and B − A'], ['0 1', 'A and B'], ['2', 'B − A']];

/** Returns the reason if the maps of two runs cannot be compared, or null. */
export function whyNoMaps(a, b) {
  if (!a.heart || !b.heart) return 'No difference map: A or B has no maps.';
  if (a === b) return 'No difference map: A and B are the same run.';
  if (a.heart.mesh !== b.heart.mesh || !a.heart.mesh) {
    const [n, m] = [a, b].map((run) => format(run.heart.n_elements));
    return `No difference map: A and B are on different meshes (${n} and ${m} elements${n === m ? ', at different positions' : ''}).`;
  }
  if (!isSameMesh(a.heart, b.heart)) return 'No difference map: the surfaces of A and B are simplified differently in this report.';
  return mapsInCommon(a.heart, b.heart).length ? null : 'No difference map: A and B have no map in common.';
}

export class CompareMaps {
  /** a, b: runs with comparable maps (whyNoMaps is null); runs: all runs of the report. */
  constructor(a, b, runs) {
    this.pair = [a, b];
    this.numbers = [a, b].map((run) => runs.indexOf(run));
    this.hearts = [];
  }

  async build() {
    this.data = await loadPair(...this.pair.map((run) => run.heart));
    const { maps, frames } = this.data[2].heart;
    const list = maps.map((_, m) => ({ value: `map ${m}`, text: this.data[2].mapLabel(m) }));
    if (frames) list.push({ value: 'frames', text: 'Transmembrane voltage V' });
    this.choice = el('select', { on: { change: () => this.choose(this.choice.value) } }, options(list));
    this.arrangement = el('select', { on: { change: () => this.arrange() } }, options(arrangements.map(([value, text]) => ({ value, text }))));
    this.cut = this.data[0].heart.cut ? new CutControls(() => this.hearts) : null;
    this.shared = new RangeBar((low, high) => this.hearts.slice(0, 2).forEach((heart) => heart.setRange(low, high)));
    this.own = new RangeBar((low, high) => this.hearts[2].setRange(low, high), { isSymmetric: true, buttons: [button('Save as PNG', () => this.save())] });
    this.timePlace = el('div', { hidden: true });
    this.statistics = el('div', {});
    this.picked = el('div', { 'aria-live': 'polite' });
    this.views = el('div', { class: 'compare-views' }, names.map((name, k) => this.figure(name, k)));
    this.whole = el('section', { class: 'card compare-maps' },
      el('h2', { text: 'Maps' }),
      el('div', { class: 'row' }, labelled('Colour by', this.choice), labelled('Show', this.arrangement), ...(this.cut ? this.cut.nodes : [])),
      this.views, this.timePlace,
      el('div', { class: 'compare-bars' }, this.shared.node, this.own.node),
      this.statistics, this.picked,
      el('p', { class: 'note', text: this.about() }));
    return this.whole;
  }

  figure(name, k) {
    const canvas = el('canvas', { tabindex: '0', role: 'img', 'aria-label': `${name} in 3-D. The table has the statistics of the difference.` });
    const overlay = el('canvas', { class: 'overlay', 'aria-hidden': 'true' });
    const text = k < 2 ? `${name}: ${this.pair[k].title}` : name;
    return el('figure', {}, el('figcaption', { text }), el('div', { class: 'stage' }, canvas, overlay));
  }

  about() {
    const times = this.pair.every((run) => run.heart.frames) && !this.data[0].heart.frames;
    const none = times ? ' No frame of A has the time of a frame of B.' : '';
    return `A and B share one colour range. Camera, time and cutting plane of all views are linked. Click a surface to see the values of an element.${none}`;
  }

  /** Starts the views, once they are in the page. */
  async start() {
    try {
      [...this.views.children].forEach((figure, k) => this.addHeart(figure, k));
    } catch (error) {
      if (!/WebGL/.test(error.message)) throw error;
      this.views.replaceChildren(el('p', { class: 'note', text: 'No 3-D view: WebGL 2 is not available in this browser.' }));
    }
    if (this.hearts.length === 3 && this.data[2].heart.frames) await this.setUpTime();
    await this.choose(this.choice.value);
  }

  addHeart(figure, k) {
    const [canvas, overlay] = figure.querySelectorAll('canvas');
    const heart = new Heart(this.data[k], canvas, overlay, k === 2 ? diverging : undefined);
    this.hearts.push(heart);
    heart.view.onPick = (x, y) => this.pick(heart, x, y);
    for (const kind of ['pointerdown', 'wheel', 'keydown']) canvas.addEventListener(kind, () => (this.leader = heart), { capture: true, passive: true });
    heart.view.onDraw = () => this.link(heart);
    heart.view.resize();
  }

  /** Copies the pose of the view that the reader moves to the other views. */
  link(heart) {
    if (heart !== this.leader) return;
    const pose = heart.view.pose();
    for (const other of this.hearts) if (other !== heart && !other.view.hasPose(pose)) other.view.setPose(pose);
  }

  async setUpTime() {
    await Promise.all(this.hearts.map(async (heart) => (heart.frames = await heart.data.frames())));
    this.time = new TimeBar(this.hearts[2].frames.time, (frame) => {
      this.hearts.forEach((heart) => heart.setFrame(frame));
      this.tell();
    });
    this.timePlace.replaceChildren(this.time.node);
  }

  arrange() {
    const shown = this.arrangement.value.split(' ').map(Number);
    [...this.views.children].forEach((figure, k) => (figure.hidden = !shown.includes(k)));
    this.views.dataset.shown = String(shown.length);
    this.shared.node.hidden = !shown.includes(0);
    this.own.node.hidden = !shown.includes(2);
  }

  async choose(value) {
    const [kind, m] = value.split(' ');
    this.timePlace.hidden = kind !== 'frames';
    if (kind !== 'frames') this.time?.play(false);
    await Promise.all(this.hearts.map((heart) => heart.show(kind, Number(m))));
    this.m = kind === 'map' ? Number(m) : -1;
    this.arrange();
    if (this.hearts.length === 3) this.showBars();
    if (kind === 'frames') this.time.set(this.time.frame);
    else await this.tell();
    this.cut?.tell();
  }

  showBars() {
    const [a, b, difference] = this.hearts;
    const isMissing = (heart) => (heart.shown.statistics?.missing ?? 0) > 0;
    const { label, unit } = difference.shown;
    this.shared.show(a.ownRange, { label, unit, hasMissing: isMissing(a) || isMissing(b) });
    this.own.show(difference.ownRange, { label: `${label}, B − A`, unit, hasMissing: isMissing(difference), scale: diverging });
  }

  // ---- statistics ----

  async tell() {
    const s = this.m >= 0 ? ((await this.ofElements()) ?? (await this.ofTriangles())) : this.ofVertices();
    const { label, unit } = this.m >= 0 ? { label: this.data[2].mapLabel(this.m), unit: this.data[2].heart.maps[this.m].unit } : { label: 'V', unit: 'mV' };
    const column = (text) => ({ label: text, unit, number: true });
    const columns = ['mean', 'root mean square', '5th percentile', 'median', '95th percentile', 'maximum, absolute'].map(column);
    const time = this.m < 0 ? ` at ${this.time.now()}` : '';
    const rows = [[s.mean, s.rms, s.p5, s.p50, s.p95, s.largest]];
    const note = `Over ${format(s.n)} ${s.of}${s.missing ? `; ${format(s.missing)} have no value in A, B or both` : ''}.${s.n ? ` The maximum absolute difference is at ${s.where}.` : ''}`;
    this.statistics.replaceChildren(table({ title: `${label}, B − A${time}`, columns, rows }, { note }));
    this.shownStatistics = s;
  }

  /** Returns the report's statistics over all elements of the mesh, or null. */
  async ofElements() {
    const [first, second] = this.numbers;
    const { name } = this.data[2].heart.maps[this.m];
    const run = this.pair[first < second ? 1 : 0];
    const found = run.differences?.find((each) => each.run === Math.min(first, second) && each.map === name);
    if (!found) return null;
    const sign = first < second ? 1 : -1;
    const ends = sign > 0 ? [found.p5, found.p95] : [-found.p95, -found.p5];
    return {
      ...found, mean: sign * found.mean, p5: ends[0], p50: sign * found.p50, p95: ends[1], of: 'elements of the mesh',
      where: found.n ? `element ${format(found.element)}, (${found.at_mm.map((x) => format(x, 4)).join(', ')}) mm` : null,
    };
  }

  async ofTriangles() {
    const { element } = await this.data[2].map(this.m);
    const s = differenceStatistics(element);
    return { ...s, missing: element.length - s.n, of: 'triangles of the surface', where: s.n ? `element ${format(this.data[2].element[s.at])}` : null };
  }

  ofVertices() {
    const data = this.data[2];
    const { frames } = this.hearts[2];
    const list = Float32Array.from({ length: data.vertices }, (_, vertex) => frames.at(this.time.frame, vertex));
    const s = differenceStatistics(list);
    const at = s.n ? Array.from(data.position.subarray(3 * s.at, 3 * s.at + 3), (x) => format(x, 4)).join(', ') : '';
    return { ...s, missing: list.length - s.n, of: 'vertices of the surface', where: s.n ? `(${at}) mm` : null };
  }

  // ---- clicks ----

  async pick(heart, x, y) {
    const hit = heart.hit(heart.view.ray(x, y));
    const shared = hit && Object.assign(hit, { isFace: hit.object === heart.face });
    const [a, b] = await Promise.all(this.hearts.map((each) => each.pickHit(shared)));
    if (!a || !b) {
      this.picked.replaceChildren();
      return;
    }
    const number = (label) => ({ label, unit: '', number: true });
    const columns = [{ label: 'map', unit: '' }, { label: 'unit', unit: '' }, ...names.map(number)];
    const rows = a.values.map(({ label, unit, value }, m) => [label, unit, value, b.values[m].value, b.values[m].value - value]);
    if (a.voltage && b.voltage) {
      const [first, second] = [a, b].map((each) => each.voltage(this.time.frame));
      rows.push([`V at ${this.time.now()}`, 'mV', first, second, second - first]);
    }
    const at = a.at.map((v) => format(Number(v.toFixed(2)) + 0)).join(', ');
    this.picked.replaceChildren(table({ title: `Element ${format(a.element)} at (${at}) mm`, columns, rows }));
  }

  save() {
    const { shown } = this.hearts[2];
    const words = {
      title: `${names[2]}: ${this.pair[1].title} − ${this.pair[0].title}`,
      subtitle: `${shown.label}${shown.unit ? ` (${shown.unit})` : ''}${shown.kind === 'frames' ? ` at ${this.time.now()}` : ''}`,
      note: `mean ${quantity(this.shownStatistics.mean, shown.unit)}, root mean square ${quantity(this.shownStatistics.rms, shown.unit)}, over ${format(this.shownStatistics.n)} ${this.shownStatistics.of}`,
    };
    savePicture(this.hearts[2].view, words, this.own.bar, { draw() {} }, `difference-${shown.label}.png`.replace(/[^\w.-]+/g, '-'));
  }

  themeChanged() {
    this.hearts.forEach((heart) => heart.view.changed());
    [this.shared, this.own].forEach((bar) => bar.draw());
  }

  remove() {
    this.time?.play(false);
    [this.shared, this.own].forEach((bar) => bar.remove());
    this.hearts.forEach((heart) => heart.dispose());
  }
}
