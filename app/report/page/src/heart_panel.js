// The tab of the heart: the 3-D view and the controls around it.

import { css } from './colour.js';
import { countPassages } from './conduction_data.js';
import { CutControls } from './cut_controls.js';
import { values } from './data.js';
import { button, checkbox, el, labelled, options, swatch, table } from './dom.js';
import { Heart } from './heart.js';
import { isSameMesh, loadHeart } from './heart_data.js';
import { format, quantity, summary } from './number.js';
import { savePicture } from './picture.js';
import { plot } from './plot.js';
import { kinds, makeLabels } from './points.js';
import { RangeBar } from './range_bar.js';
import { failedColour } from './strands.js';
import { TimeBar } from './time.js';
import { curveNear } from './traces.js';

/** Shows a run's heart in host. runs: all of the report; kept: { pose, choice } of the previous run. Returns { heart, keep(), remove() }. */
export async function showHeart(host, run, runs, kept = {}) {
  const panel = new Panel(host, run, runs);
  await panel.start(kept);
  return panel;
}

const markColour = `rgb(${failedColour.map((c) => Math.round(255 * c)).join(',')})`;

class Panel {
  constructor(host, run, runs) {
    Object.assign(this, { host, run, plots: [] });
    this.alike = runs.filter((each) => each === run || (each.heart && isSameMesh(each.heart, run.heart)));
  }

  async start(kept) {
    this.data = await loadHeart(this.run.heart, this.alike.map((each) => each.heart));
    this.build();
    try {
      this.heart = new Heart(this.data, this.canvas, this.overlay);
    } catch (error) {
      if (!/WebGL/.test(error.message)) throw error;
      return this.showTables();
    }
    const { view } = this.heart;
    view.onPick = (x, y) => this.pick(x, y);
    view.onDraw = () => this.labels.follow(view);
    view.onRest = () => this.labels.pale((place) => this.heart.isHidden(place));
    view.resize();
    if (kept.pose) view.setPose(kept.pose);
    this.frames = this.run.heart.frames ? await this.heart.data.frames() : null;
    this.heart.frames = this.frames ?? undefined;
    if (this.frames) this.setUpTime();
    if (this.run.heart.network) await this.heart.showNetwork(true, true);
    const choices = [...this.choice.options].map((o) => o.value);
    await this.choose(choices.includes(kept.choice) ? kept.choice : choices[0]);
  }

  /** Shows tables instead of pictures, for a browser without WebGL. */
  async showTables() {
    const { maps } = this.run.heart;
    const columns = [{ label: 'map', unit: '', number: false }, { label: 'unit', unit: '', number: false },
      ...['minimum', 'median', 'maximum'].map((label) => ({ label, unit: '', number: true }))];
    const all = await Promise.all(maps.map((map) => values(map.element)));
    const rows = all.map(summary).map((s, m) => [this.data.mapLabel(m), maps[m].unit, s.min, s.median, s.max]);
    this.host.replaceChildren(
      el('p', { class: 'trouble', role: 'alert', text: 'No 3-D view: WebGL 2 is not available in this browser. The table has the statistics of the maps; the other tabs work.' }),
      el('section', { class: 'card' }, table({ title: 'Maps on the surface', columns, rows })),
    );
  }

  keep() {
    if (!this.heart) return {};
    return { pose: this.heart.view.pose(), choice: this.choice.value };
  }

  remove() {
    this.time?.play(false);
    this.bar.remove();
    this.plots.forEach((each) => each.remove());
    this.heart?.dispose();
    this.host.replaceChildren();
  }

  themeChanged() {
    if (!this.heart) return;
    this.heart.view.changed();
    this.bar.draw();
    if (this.heart.picked) this.tell(this.heart.picked);
  }

  // ---- layout ----

  build() {
    const { heart } = this.run;
    this.canvas = el('canvas', {
      tabindex: '0', role: 'img', 'aria-describedby': 'heart-keys',
      'aria-label': 'The heart in 3-D. The table has the statistics of its values.',
    });
    this.overlay = el('canvas', { class: 'overlay', 'aria-hidden': 'true' });
    const labels = el('div', { class: 'labels' });
    this.labels = makeLabels(labels, heart.points ?? []);
    const stage = el('div', { class: 'stage' }, this.canvas, this.overlay, labels);
    const keys = el('p', {
      class: 'note', id: 'heart-keys',
      text: 'Drag to rotate, wheel or pinch to zoom, right button to pan, click for values. Keys: arrows rotate, Shift and arrows pan, + and − zoom, Enter selects the centre, Home resets the view.',
    });
    this.timePlace = el('div', { hidden: true });
    this.bar = new RangeBar((low, high) => this.heart.setRange(low, high), { buttons: [button('Save as PNG', () => this.save())] });
    const left = el('div', { class: 'heart-left' }, stage, this.timePlace, this.bar.node, keys);
    const right = el('div', { class: 'heart-right' }, this.buildControls(), this.buildValues(), this.buildPicked(), this.buildAbout());
    this.host.replaceChildren(el('div', { class: 'heart' }, left, right));
  }

  buildControls() {
    return el('section', { class: 'card controls' }, [...this.buildColours(), ...this.buildCut(), ...this.buildShown()]);
  }

  buildColours() {
    const { heart } = this.run;
    const list = heart.maps.map((_, m) => ({ value: `map ${m}`, text: this.data.mapLabel(m) }));
    if (heart.frames) list.push({ value: 'frames', text: 'Transmembrane voltage V' });
    (heart.named ?? []).forEach(({ label }, m) => list.push({ value: `named ${m}`, text: capital(label) }));
    list.push({ value: 'plain', text: 'none' });
    this.choice = el('select', { on: { change: () => this.choose(this.choice.value) } }, options(list));
    const { box, label } = checkbox('Isochrones every', false, () => this.setLines());
    this.linesOn = box;
    this.linesText = label.lastChild;
    this.linesStep = el('input', { type: 'number', min: '0', step: 'any', class: 'short', 'aria-label': 'Interval of the lines', on: { input: () => this.setLines() } });
    this.linesUnit = el('span', { class: 'unit' });
    this.linesRow = el('div', { class: 'row' }, label, this.linesStep, this.linesUnit);
    return [labelled('Colour by', this.choice), this.linesRow];
  }

  buildValues() {
    this.values = el('section', { class: 'card', 'aria-live': 'polite' });
    return this.values;
  }

  buildPicked() {
    this.picked = el('section', { class: 'card picked', 'aria-live': 'polite' }, el('p', { class: 'note', text: 'Click the surface to see the values of an element.' }));
    return this.picked;
  }

  buildCut() {
    if (!this.run.heart.cut) return [];
    this.cut = new CutControls(() => [this.heart]);
    return this.cut.nodes;
  }

  buildShown() {
    const points = this.run.heart.points ?? [];
    const boxes = kinds
      .filter(([kind]) => points.some((p) => p.kind === kind))
      .map(([kind, text]) => {
        const on = kind !== 'electrode' && (kind !== 'trace' || !points.some((p) => p.kind === 'point'));
        this.labels.show(kind, on);
        return checkbox(text, on, (now) => (this.labels.show(kind, now), this.heart.view.changed())).label;
      });
    if (this.run.heart.fibres) boxes.push(checkbox('fibres', false, (on) => this.heart.showFibres(on)).label);
    if (this.run.heart.network) boxes.push(...this.buildNetwork());
    const looks = [['+x', [1, 0, 0]], ['−x', [-1, 0, 0]], ['+y', [0, 1, 0]], ['−y', [0, -1, 0]], ['+z', [0, 0, 1]], ['−z', [0, 0, -1]]];
    const views = looks.map(([name, from]) =>
      button(name, () => this.heart.view.look(from, Math.abs(from[2]) ? [0, 1, 0] : [0, 0, 1]), { class: 'quiet', 'aria-label': `View from ${name}` }),
    );
    return [
      boxes.length ? el('div', { class: 'row', role: 'group', 'aria-label': 'Shown' }, el('span', { class: 'word', text: 'Show' }), boxes) : null,
      el('div', { class: 'row tight', role: 'group', 'aria-label': 'View from' }, el('span', { class: 'word', text: 'View from' }), views),
    ];
  }

  /** Returns the switches of the conduction system. */
  buildNetwork() {
    const both = () => this.heart.showNetwork(lines.box.checked, ends.box.checked);
    const lines = checkbox('conduction system', true, both);
    const ends = checkbox('junctions', true, both);
    return [lines.label, this.run.heart.network.junctions ? ends.label : null];
  }

  buildAbout() {
    const { heart } = this.run;
    const about = [`Mesh: ${format(heart.n_elements)} elements, ${format(heart.n_surface_triangles)} surface triangles.`];
    if (this.data.triangles < heart.n_surface_triangles) {
      about.push(`Surface simplified to ${format(this.data.triangles)} triangles, with an error of at most ${format(heart.error_mm, 2)} mm.`);
    }
    if (heart.network) about.push(networkSource(heart.network));
    if (heart.cut) about.push(cutSource(heart));
    about.push(resolution(heart));
    if (this.alike.length > 1) about.push(`${format(this.alike.length)} runs of this report share this mesh and one colour range.`);
    return el('section', { class: 'about' }, about.map((text) => el('p', { class: 'note', text })));
  }

  // ---- colours ----

  async choose(value) {
    this.choice.value = value;
    const [kind, m] = value.split(' ');
    if (kind !== 'frames') this.time?.play(false);
    this.timePlace.hidden = kind !== 'frames';
    await this.heart.show(kind, Number(m));
    const { unit, label } = this.heart.shown;
    const plain = kind === 'plain' || kind === 'named';
    this.bar.node.hidden = plain;
    this.linesRow.hidden = plain || kind === 'frames';
    this.linesText.textContent = this.heart.hasIsochrones() ? 'Isochrones every' : 'Contour lines every';
    this.linesUnit.textContent = unit;
    this.linesStep.value = this.heart.usualStep();
    this.linesOn.checked = /^activation/.test(this.run.heart.maps[m]?.name ?? '') && kind === 'map';
    this.bar.show(this.heart.ownRange, { label, unit, hasMissing: (this.heart.shown.statistics?.missing ?? 0) > 0 });
    this.setLines();
    this.tellValues();
    this.tellJunctions();
    this.cut?.tell();
  }

  setLines() {
    const step = Number(this.linesStep.value);
    this.heart.setLines(!this.linesRow.hidden && this.linesOn.checked && step > 0 ? step : 0);
    this.bar.setLineStep(this.heart.uniforms.lineStep.value);
  }

  tellValues() {
    const { shown } = this.heart;
    if (shown.kind === 'named') return this.values.replaceChildren(this.nameTable());
    if (shown.kind !== 'map') return this.values.replaceChildren(...(shown.kind === 'frames' ? [this.frameTable()] : []));
    const s = shown.statistics;
    const columns = ['minimum', 'median', 'maximum'].map((label) => ({ label, unit: shown.unit, number: true }));
    const note = s.missing ? `${format(s.missing)} of ${format(s.n + s.missing)} triangles have no value (grey).` : null;
    return this.values.replaceChildren(table({ title: `${capital(shown.label)} on the surface`, columns, rows: [[s.min, s.median, s.max]] }, { note }));
  }

  /** Adds the numbers of failed junctions, which are marked, and of open ones, in the displayed beat. */
  tellJunctions() {
    const junctions = this.heart.network?.junctions;
    if (!junctions) return;
    const beat = junctions.beats[Math.min(this.heart.networkBeat(), junctions.beats.length - 1)];
    const counts = countPassages(junctions, beat);
    const sumOf = (is) => counts.filter((_, k) => is(k)).reduce((sum, { count }) => sum + count, 0);
    const [failed, open] = [junctions.hasFailed, junctions.isOpen].map(sumOf);
    const words = failed ? [swatch(markColour), ` ${format(failed)} of ${format(junctions.n)} junctions failed (red dots).`] : [`No junction of ${format(junctions.n)} failed.`];
    if (open) words.push(` ${format(open)} ${open === 1 ? 'is' : 'are'} open: reached less than 20 ms before the end.`);
    this.values.append(el('p', { class: 'note', id: 'junctions-failed' }, words));
  }

  /** Returns a table of names with their colours and numbers of triangles. */
  nameTable() {
    const { label, kinds, list } = this.heart.shown;
    const counts = new Uint32Array(kinds.length + 1);
    for (const k of list) counts[k]++;
    const row = (colour, text, count) => el('tr', {}, el('th', { scope: 'row' }, swatch(colour), text), el('td', { class: 'number', text: format(count) }), el('td', { class: 'unit', text: 'triangles' }));
    const rows = kinds.map((text, k) => row(css((k + 0.5) / kinds.length), text, counts[k + 1]));
    if (counts[0] > 0) rows.push(row(css(NaN), 'none of these', counts[0]));
    return el('div', {}, el('h2', { text: capital(label) }), el('table', { class: 'values', 'aria-label': label }, el('tbody', {}, rows)));
  }

  frameTable() {
    const columns = ['minimum', 'maximum'].map((label) => ({ label, unit: 'mV', number: true }));
    return table({ title: 'V on the surface, all frames', columns, rows: [this.frames.range] });
  }

  // ---- time ----

  setUpTime() {
    this.time = new TimeBar(this.frames.time, (frame) => {
      this.heart.setFrame(frame);
      this.tellNow();
    });
    this.timePlace.replaceChildren(this.time.node);
    this.time.set(0);
  }

  // ---- clicked place ----

  async pick(x, y) {
    const picked = await this.heart.pick(x, y);
    if (picked) await this.tell(picked);
    else this.tellNothing();
  }

  tellNothing() {
    this.plots.forEach((each) => each.remove());
    this.plots = [];
    this.nowRow = null;
    this.picked.replaceChildren(el('p', { class: 'note', text: 'Click the surface to see the values of an element.' }));
  }

  async tell(picked) {
    this.tellNothing();
    const rows = picked.values.map(({ label, value, unit }) => valueRow(label, format(value), unit));
    rows.push(...picked.names.map(({ label, text }) => valueRow(capital(label), text, '')));
    if (picked.voltage) {
      this.nowRow = valueRow('', '', 'mV');
      this.tellNow();
      rows.push(this.nowRow);
    }
    const at = picked.at.map((v) => format(round(v))).join(', ');
    this.picked.replaceChildren(
      el('h2', { text: `Element ${format(picked.element)}` }),
      el('p', { class: 'note', text: `at (${at}) mm${picked.inside ? ', on the cut face; values are interpolated' : ''}` }),
      el('table', { class: 'values' }, el('tbody', {}, rows)),
    );
    await this.plotPicked(picked);
  }

  /** Shows V at the clicked place and the current time. */
  tellNow() {
    if (!this.nowRow) return;
    const { frame, picked } = this.heart;
    this.nowRow.children[0].textContent = `V at ${quantity(this.frames.time[frame], 'ms')}`;
    this.nowRow.children[1].textContent = format(picked.voltage(frame), 4);
  }

  /** Plots the trace recorded at or near the clicked place, and V there from the frames. */
  async plotPicked(picked) {
    const near = curveNear(this.run, picked.element, picked.at, 0.025 * this.heart.size);
    if (near) {
      const away = near.away > 0.005 ? `, ${format(near.away, 2)} mm from this point` : '';
      const [x, y] = await Promise.all([values(near.trace.x), values(near.curve.y)]);
      this.plotSmall(`Trace of ${near.curve.label}${away}`, near.trace.label, near.curve.unit, x, y);
    }
    if (picked.voltage) {
      const x = Array.from(this.frames.time);
      this.plotSmall('V at this point, from the frames', 'V', 'mV', x, x.map((_, frame) => picked.voltage(frame)));
    }
  }

  plotSmall(title, label, unit, x, y) {
    const place = el('div', { class: 'plot small' });
    this.picked.append(el('h3', { text: title }), place);
    this.plots.push(plot(place, { x, xLabel: 'time', xUnit: 'ms', yLabel: label, yUnit: unit, curves: [{ label, y }] }, { height: 190, small: true }));
  }

  save() {
    const { shown } = this.heart;
    const time = shown.kind === 'frames' ? ` at ${this.time.now()}` : '';
    const lines = this.heart.uniforms.lineStep.value;
    const words = {
      title: this.run.title,
      subtitle: shown.kind === 'plain' ? '' : `${capital(shown.label)}${shown.unit ? ` (${shown.unit})` : ''}${time}`,
      note: [lines ? `lines every ${quantity(lines, shown.unit)}` : '', this.run.folder].filter(Boolean).join(' · '),
    };
    const name = `${this.run.folder || 'heart'}-${shown.label || 'heart'}${time}`.replace(/[^\w.-]+/g, '-');
    savePicture(this.heart.view, words, ['plain', 'named'].includes(shown.kind) ? null : this.bar.bar, this.labels, `${name}.png`);
  }
}

function valueRow(label, value, unit) {
  return el('tr', {}, el('th', { scope: 'row', text: label }), el('td', { class: 'number', text: value }), el('td', { class: 'unit', text: unit ?? '' }));
}

/** Returns a text on the drawn points of the conduction system. */
function networkSource({ n_points: n, position, junctions }) {
  const points = position.count < n ? `${format(position.count)} of ${format(n)} points` : `${format(n)} points`;
  return `Conduction system: ${points}${junctions ? `, ${format(junctions.position.count)} junctions` : ''}. Parts behind the surface are pale.`;
}

/** Returns a text on the tetrahedra of the cut. */
function cutSource({ cut, n_elements: n }) {
  if (cut.tetrahedron.count === n) return `Cut faces are computed from all ${format(n)} elements.`;
  const error = cut.error_mm ? `, with an error of at most ${format(cut.error_mm, 2)} mm` : '';
  return `Cut faces are computed from ${format(cut.tetrahedron.count)} coarser tetrahedra${error}.`;
}

/** Returns a text on the resolution of stored values. */
function resolution({ maps, frames }) {
  const steps = { u8: '1/254', u16: '1/65,534' };
  const kinds = [...new Set(maps.map((map) => steps[map.vertex.type]).filter(Boolean))];
  const ofMaps = kinds.length ? [`maps, ${kinds.join(' or ')} of their range`] : [];
  const ofFrames = frames ? [`V, ${quantity(frames.v_mV.scale ?? 0, 'mV', 2)}`] : [];
  const all = [...ofMaps, ...ofFrames];
  return all.length ? `Resolution of the stored values: ${all.join('; ')}.` : '';
}

/** Rounds a length in mm to hundredths. */
function round(mm) {
  return Number(mm.toFixed(2)) + 0;
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
