// The tab of the heart: the picture and the controls around it. What they do, heart.js does.

import { drawBar } from './bar.js';
import { css, theme } from './colour.js';
import { values } from './data.js';
import { button, checkbox, el, labelled, options, sizeCanvas, swatch, table } from './dom.js';
import { Heart } from './heart.js';
import { loadHeart } from './heart_data.js';
import { format, quantity, summary } from './number.js';
import { savePicture } from './picture.js';
import { plot } from './plot.js';
import { kinds, makeLabels } from './points.js';
import { curveNear } from './traces.js';

/** Shows a run's heart in host. kept: { pose, choice } of a run before, for a comparison. Gives { heart, keep(), remove() }. */
export async function showHeart(host, run, kept = {}) {
  const panel = new Panel(host, run);
  await panel.start(kept);
  return panel;
}

class Panel {
  constructor(host, run) {
    this.host = host;
    this.run = run;
    this.plots = [];
  }

  async start(kept) {
    this.data = await loadHeart(this.run.heart);
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
    const choices = [...this.choice.options].map((o) => o.value);
    await this.choose(choices.includes(kept.choice) ? kept.choice : choices[0]);
  }

  /** Where no picture can be had: its numbers. */
  async showTables() {
    const { maps } = this.run.heart;
    const columns = [{ label: 'map', unit: '', number: false }, { label: 'unit', unit: '', number: false },
      ...['lowest', 'median', 'highest'].map((label) => ({ label, unit: '', number: true }))];
    const all = await Promise.all(maps.map((map) => values(map.element)));
    const rows = all.map(summary).map((s, m) => [this.data.mapLabel(m), maps[m].unit, s.min, s.median, s.max]);
    this.host.replaceChildren(
      el('p', { class: 'trouble', role: 'alert', text: 'This browser shows no 3-D pictures (WebGL 2 is off). The numbers of the maps stand below; the other tabs work.' }),
      el('section', { class: 'card' }, table({ title: 'Maps on the surface', columns, rows })),
    );
  }

  keep() {
    if (!this.heart) return {};
    return { pose: this.heart.view.pose(), choice: this.choice.value };
  }

  remove() {
    this.play(false);
    this.observer.disconnect();
    this.plots.forEach((each) => each.remove());
    this.heart?.dispose();
    this.host.replaceChildren();
  }

  themeChanged() {
    if (!this.heart) return;
    this.heart.view.changed();
    this.drawBar();
    if (this.heart.picked) this.tell(this.heart.picked);
  }

  // ---- what stands where ----

  build() {
    const { heart } = this.run;
    this.canvas = el('canvas', {
      tabindex: '0', role: 'img', 'aria-describedby': 'heart-keys',
      'aria-label': 'The heart in space. The table beside it has the numbers.',
    });
    this.overlay = el('canvas', { class: 'overlay', 'aria-hidden': 'true' });
    const labels = el('div', { class: 'labels' });
    this.labels = makeLabels(labels, heart.points ?? []);
    const stage = el('div', { class: 'stage' }, this.canvas, this.overlay, labels);
    const keys = el('p', {
      class: 'note', id: 'heart-keys',
      text: 'Drag to turn, wheel or two fingers to zoom, right button to move, click for values. Keys: arrows turn, with Shift they move, + and − zoom, Enter takes the middle, Home returns.',
    });
    this.time = el('div', { class: 'time', hidden: true });
    const left = el('div', { class: 'heart-left' }, stage, this.time, this.buildBar(), keys);
    const right = el('div', { class: 'heart-right' }, this.buildControls(), this.buildValues(), this.buildPicked(), this.buildAbout());
    this.host.replaceChildren(el('div', { class: 'heart' }, left, right));
    this.observer = new ResizeObserver(() => this.heart?.range && this.drawBar());
    this.observer.observe(this.barCanvas.parentElement);
  }

  buildControls() {
    return el('section', { class: 'card controls' }, [...this.buildColours(), ...this.buildCut(), ...this.buildShown()]);
  }

  buildColours() {
    const { heart } = this.run;
    const list = heart.maps.map((_, m) => ({ value: `map ${m}`, text: this.data.mapLabel(m) }));
    if (heart.frames) list.push({ value: 'frames', text: 'V as time passes' });
    (heart.named ?? []).forEach(({ label }, m) => list.push({ value: `named ${m}`, text: capital(label) }));
    list.push({ value: 'plain', text: 'nothing' });
    this.choice = el('select', { on: { change: () => this.choose(this.choice.value) } }, options(list));
    const { box, label } = checkbox('Isochrones every', false, () => this.setLines());
    this.linesOn = box;
    this.linesText = label.lastChild;
    this.linesStep = el('input', { type: 'number', min: '0', step: 'any', class: 'short', 'aria-label': 'Step of the lines', on: { input: () => this.setLines() } });
    this.linesUnit = el('span', { class: 'unit' });
    this.linesRow = el('div', { class: 'row' }, label, this.linesStep, this.linesUnit);
    return [labelled('Colour by', this.choice), this.linesRow];
  }

  buildBar() {
    this.barCanvas = el('canvas', { role: 'img' });
    const input = (label, k) => el('input', { type: 'number', step: 'any', class: 'short', 'aria-label': label, on: { change: () => this.editRange() } });
    this.low = input('Lower end of the colours', 0);
    this.high = input('Upper end of the colours', 1);
    this.barTitle = el('span', { class: 'bar-title' });
    const reset = button('Reset', () => this.setRange(...this.heart.ownRange), { class: 'quiet', 'aria-label': 'Reset the colours to the whole range' });
    const save = button('Save as PNG', () => this.save());
    this.barRow = el('div', { class: 'row bar-row' }, this.barTitle, el('span', { class: 'grow' }), this.low, el('span', { text: 'to' }), this.high, reset, save);
    return el('div', { class: 'bar' }, this.barRow, el('div', { class: 'bar-canvas' }, this.barCanvas));
  }

  buildValues() {
    this.values = el('section', { class: 'card', 'aria-live': 'polite' });
    return this.values;
  }

  buildPicked() {
    this.picked = el('section', { class: 'card picked', 'aria-live': 'polite' }, el('p', { class: 'note', text: 'Click the surface for the values of an element.' }));
    return this.picked;
  }

  buildCut() {
    if (!this.run.heart.cut) return [];
    const list = [['', 'no cut'], ['x', 'across x'], ['y', 'across y'], ['z', 'across z'], ['view', 'across the view']];
    this.cutAcross = el('select', { on: { change: () => this.setCut() } }, options(list.map(([value, text]) => ({ value, text }))));
    this.cutSlider = el('input', { type: 'range', step: 'any', 'aria-label': 'Place of the cutting plane', on: { input: () => this.moveCut() } });
    const { box, label } = checkbox('Other side', false, () => this.setCut());
    this.cutFlip = box;
    this.cutPlace = el('output', {});
    this.cutRow = el('div', { hidden: true }, el('div', { class: 'row' }, this.cutSlider, this.cutPlace), el('div', { class: 'row' }, label, (this.cutAgain = button('Take the view anew', () => this.setCut(), { class: 'quiet' }))));
    this.cutNote = el('p', { class: 'note' });
    return [labelled('Cutting plane', this.cutAcross), this.cutRow, this.cutNote];
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
    const looks = [['+x', [1, 0, 0]], ['−x', [-1, 0, 0]], ['+y', [0, 1, 0]], ['−y', [0, -1, 0]], ['+z', [0, 0, 1]], ['−z', [0, 0, -1]]];
    const views = looks.map(([name, from]) =>
      button(name, () => this.heart.view.look(from, Math.abs(from[2]) ? [0, 1, 0] : [0, 0, 1]), { class: 'quiet', 'aria-label': `Look from ${name}` }),
    );
    return [
      boxes.length ? el('div', { class: 'row', role: 'group', 'aria-label': 'Shown' }, el('span', { class: 'word', text: 'Show' }), boxes) : null,
      el('div', { class: 'row tight', role: 'group', 'aria-label': 'Look from' }, el('span', { class: 'word', text: 'Look from' }), views),
    ];
  }

  buildAbout() {
    const { heart } = this.run;
    const about = [`Mesh: ${format(heart.n_elements)} elements, ${format(heart.n_surface_triangles)} triangles on its surface.`];
    if (this.data.triangles < heart.n_surface_triangles) {
      about.push(`Drawn: ${format(this.data.triangles)} triangles, at most ${format(heart.error_mm, 2)} mm beside it.`);
    }
    if (heart.cut) about.push(`Cut faces come from ${format(heart.cut.tetrahedron.count)} coarser tetrahedra${heart.cut.error_mm ? `, at most ${format(heart.cut.error_mm, 2)} mm beside the surface` : ''}.`);
    about.push(exactness(heart));
    return el('section', { class: 'about' }, about.map((text) => el('p', { class: 'note', text })));
  }

  // ---- colours ----

  async choose(value) {
    this.choice.value = value;
    const [kind, m] = value.split(' ');
    if (kind !== 'frames') this.play(false);
    this.time.hidden = kind !== 'frames';
    await this.heart.show(kind, Number(m));
    const { unit, label } = this.heart.shown;
    const plain = kind === 'plain' || kind === 'named';
    this.barRow.parentElement.hidden = plain;
    this.linesRow.hidden = plain || kind === 'frames';
    this.linesText.textContent = unit === 'ms' ? 'Isochrones every' : 'Lines every';
    this.linesUnit.textContent = unit;
    this.linesStep.value = this.heart.usualStep();
    this.linesOn.checked = /^activation/.test(this.run.heart.maps[m]?.name ?? '') && kind === 'map';
    this.barTitle.textContent = plain ? '' : label + (unit ? ` (${unit})` : '');
    this.setRange(...this.heart.range);
    this.setLines();
    this.tellValues();
    this.noteCut();
  }

  setRange(low, high) {
    this.heart.setRange(low, high);
    this.low.value = Number(low.toPrecision(5));
    this.high.value = Number(high.toPrecision(5));
    this.drawBar();
  }

  editRange() {
    const [low, high] = [Number(this.low.value), Number(this.high.value)];
    const right = this.low.value !== '' && this.high.value !== '' && high > low;
    this.high.setCustomValidity(right ? '' : 'The upper end must be above the lower one.');
    if (!right) return this.high.reportValidity();
    this.heart.setRange(low, high);
    return this.drawBar();
  }

  setLines() {
    const step = Number(this.linesStep.value);
    this.heart.setLines(!this.linesRow.hidden && this.linesOn.checked && step > 0 ? step : 0);
    this.drawBar();
  }

  bar() {
    const { shown, range, uniforms } = this.heart;
    return { range, label: shown.label, unit: shown.unit, lineStep: uniforms.lineStep.value, hasMissing: (shown.statistics?.missing ?? 0) > 0 };
  }

  drawBar() {
    if (['plain', 'named'].includes(this.heart.shown.kind)) return;
    const width = Math.min(this.barCanvas.parentElement.clientWidth, 720);
    if (width < 50) return;
    drawBar(sizeCanvas(this.barCanvas, width, 46), { x: 1, y: 0, width: width - 2 }, this.bar(), theme('ink'));
    const { shown, range } = this.heart;
    this.barCanvas.setAttribute('aria-label', `Colours of ${shown.label} from ${format(range[0])} to ${quantity(range[1], shown.unit)}`);
  }

  tellValues() {
    const { shown } = this.heart;
    if (shown.kind === 'named') return this.values.replaceChildren(this.nameTable());
    if (shown.kind !== 'map') return this.values.replaceChildren(...(shown.kind === 'frames' ? [this.frameTable()] : []));
    const s = shown.statistics;
    const columns = ['lowest', 'median', 'highest'].map((label) => ({ label, unit: shown.unit, number: true }));
    const note = s.missing ? `${format(s.missing)} of ${format(s.n + s.missing)} triangles have no value; they are grey.` : null;
    return this.values.replaceChildren(table({ title: `${capital(shown.label)} on the surface`, columns, rows: [[s.min, s.median, s.max]] }, { note }));
  }

  /** Names with their colours, and how many triangles have each. */
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
    const columns = ['lowest', 'highest'].map((label) => ({ label, unit: 'mV', number: true }));
    return table({ title: 'V on the surface, at all times', columns, rows: [this.frames.range] });
  }

  // ---- time ----

  setUpTime() {
    const { time, n } = this.frames;
    this.slider = el('input', { type: 'range', min: '0', max: String(n - 1), step: '1', value: '0', 'aria-label': 'Time', on: { input: () => (this.play(false), this.setFrame(Number(this.slider.value))) } });
    this.clock = el('output', { class: 'clock' });
    this.playButton = button('Play', () => this.play(!this.playing), { class: 'play' });
    this.speed = el('select', { 'aria-label': 'Speed' }, options([['0.25', '¼ ×'], ['0.5', '½ ×'], ['1', '1 ×'], ['2', '2 ×']].map(([value, text]) => ({ value, text }))));
    this.speed.value = '1';
    this.time.replaceChildren(this.playButton, this.slider, this.clock, this.speed);
    this.msPerSecond = (time[n - 1] - time[0]) / 8 || 1; // all of it in eight seconds
    this.setFrame(0);
  }

  setFrame(frame) {
    this.heart.setFrame(frame);
    this.slider.value = String(frame);
    const text = `${quantity(this.frames.time[frame], 'ms')}`;
    this.clock.textContent = text;
    this.slider.setAttribute('aria-valuetext', text);
    this.tellNow();
  }

  play(on) {
    if (!this.frames || this.playing === on) return;
    this.playing = on;
    this.playButton.textContent = on ? 'Pause' : 'Play';
    if (!on) return cancelAnimationFrame(this.tick);
    const { time, n } = this.frames;
    let at = this.heart.frame >= n - 1 ? time[0] : time[this.heart.frame];
    let before = performance.now();
    const step = (now) => {
      at += ((now - before) / 1000) * this.msPerSecond * Number(this.speed.value);
      before = now;
      let frame = this.heart.frame;
      if (at < time[frame]) frame = 0;
      while (frame < n - 1 && time[frame + 1] <= at) frame++;
      if (frame !== this.heart.frame) this.setFrame(frame);
      if (frame === n - 1) return this.play(false);
      return (this.tick = requestAnimationFrame(step));
    };
    this.tick = requestAnimationFrame(step);
  }

  // ---- cut ----

  async setCut() {
    const across = this.cutAcross.value || null;
    const range = await this.heart.setCut(across, this.cutFlip.checked);
    this.cutRow.hidden = !range;
    this.cutAgain.hidden = across !== 'view';
    if (range) {
      [this.cutSlider.min, this.cutSlider.max] = range.map(String);
      this.cutSlider.value = String((range[0] + range[1]) / 2);
      this.moveCut();
    }
    this.noteCut();
  }

  moveCut() {
    const at = Number(this.cutSlider.value);
    this.heart.moveCut(at);
    const across = this.cutAcross.value;
    const place = across === 'view' ? `${format(round(this.heart.plane.high - at))} mm deep` : `${across} = ${format(round(at))} mm`;
    this.cutPlace.textContent = place;
    this.cutSlider.setAttribute('aria-valuetext', place);
  }

  noteCut() {
    if (!this.cutNote) return;
    const { shown } = this.heart;
    const grey = this.heart.plane && shown.kind !== 'plain' && !this.heart.insideShown();
    this.cutNote.textContent = grey ? 'The cut face is grey: this is known on the surface only.' : '';
  }

  // ---- what was clicked ----

  async pick(x, y) {
    const picked = await this.heart.pick(x, y);
    if (picked) await this.tell(picked);
    else this.tellNothing();
  }

  tellNothing() {
    this.plots.forEach((each) => each.remove());
    this.plots = [];
    this.nowRow = null;
    this.picked.replaceChildren(el('p', { class: 'note', text: 'Click the surface for the values of an element.' }));
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
      el('p', { class: 'note', text: `at (${at}) mm${picked.inside ? ', on the cut face: values are interpolated' : ''}` }),
      el('table', { class: 'values' }, el('tbody', {}, rows)),
    );
    await this.plotPicked(picked);
  }

  /** V at the clicked place and the time that is shown. */
  tellNow() {
    if (!this.nowRow) return;
    const { frame, picked } = this.heart;
    this.nowRow.children[0].textContent = `V at ${quantity(this.frames.time[frame], 'ms')}`;
    this.nowRow.children[1].textContent = format(picked.voltage(frame), 4);
  }

  /** The trace that was recorded here or near, and V here from the frames. */
  async plotPicked(picked) {
    const near = curveNear(this.run, picked.element, picked.at, 0.025 * this.heart.size);
    if (near) {
      const away = near.away > 0.005 ? `, ${format(near.away, 2)} mm from here` : '';
      const [x, y] = await Promise.all([values(near.trace.x), values(near.curve.y)]);
      this.plotSmall(`Trace of ${near.curve.label}${away}`, near.trace.label, near.curve.unit, x, y);
    }
    if (picked.voltage) {
      const x = Array.from(this.frames.time);
      this.plotSmall('V here, from the frames', 'V', 'mV', x, x.map((_, frame) => picked.voltage(frame)));
    }
  }

  plotSmall(title, label, unit, x, y) {
    const place = el('div', { class: 'plot small' });
    this.picked.append(el('h3', { text: title }), place);
    this.plots.push(plot(place, { x, xLabel: 'time', xUnit: 'ms', yLabel: label, yUnit: unit, curves: [{ label, y }] }, { height: 190, small: true }));
  }

  save() {
    const { shown, frame } = this.heart;
    const time = shown.kind === 'frames' ? ` at ${quantity(this.frames.time[frame], 'ms')}` : '';
    const lines = this.heart.uniforms.lineStep.value;
    const words = {
      title: this.run.title,
      subtitle: shown.kind === 'plain' ? '' : `${capital(shown.label)}${shown.unit ? ` (${shown.unit})` : ''}${time}`,
      note: [lines ? `lines every ${quantity(lines, shown.unit)}` : '', this.run.folder].filter(Boolean).join(' · '),
    };
    const name = `${this.run.folder || 'heart'}-${shown.label || 'heart'}${time}`.replace(/[^\w.-]+/g, '-');
    savePicture(this.heart.view, words, ['plain', 'named'].includes(shown.kind) ? null : this.bar(), this.labels, `${name}.png`);
  }
}

function valueRow(label, value, unit) {
  return el('tr', {}, el('th', { scope: 'row', text: label }), el('td', { class: 'number', text: value }), el('td', { class: 'unit', text: unit ?? '' }));
}

/** How far what is shown may be from what was computed. */
function exactness({ maps, frames }) {
  const steps = { u8: '1/254 of', u16: '1/65,534 of' };
  const kinds = [...new Set(maps.map((map) => steps[map.vertex.type]).filter(Boolean))];
  const said = kinds.length ? [`Maps are shown to ${kinds.join(' or ')} their range`] : [];
  if (frames) said.push(`${said.length ? ', ' : ''}V as time passes ${said.length ? '' : 'is shown '}to ${quantity(frames.v_mV.scale ?? 0, 'mV', 2)}`);
  return said.length ? `${said.join('')}.` : '';
}

/** A length in mm to hundredths. */
function round(mm) {
  return Number(mm.toFixed(2)) + 0;
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
