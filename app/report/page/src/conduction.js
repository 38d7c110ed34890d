// The tab of the conduction system: its tables, the delays of its junctions, and the list of these.

import { curve, isDark, theme } from './colour.js';
import { countPassages, loadJunctions } from './conduction_data.js';
import { el, labelled, options, sizeCanvas, swatch, table } from './dom.js';
import { format, roundStep, ticks } from './number.js';

const failedColour = 'rgb(214,26,26)';
const margin = { left: 56, right: 14, top: 34, bottom: 42 };
const height = 300;

/** Shows the conduction system of a run in host. Returns { junctions, beat, counts, remove(), themeChanged() }. */
export async function showConduction(host, run) {
  const tab = new Conduction(host, run, await loadJunctions(run.heart.network.junctions));
  tab.build();
  return tab;
}

class Conduction {
  constructor(host, run, junctions) {
    Object.assign(this, { host, run, junctions, number: 0 });
  }

  build() {
    const { beats } = this.junctions;
    this.kinds = el('div', { class: 'conduction-kinds' });
    this.canvas = el('canvas', { role: 'img' });
    this.histogram = el('canvas', { role: 'img' });
    this.list = el('section', { class: 'card' });
    this.plots = ['Delay of each junction', 'Number of junctions by delay'].map((title, k) =>
      el('div', { class: 'conduction-plot' }, el('h3', { text: title }), k ? this.histogram : this.canvas));
    const choice = el('select', { on: { change: () => this.choose(Number(choice.value)) } }, options(beats.map((_, k) => ({ value: k, text: `beat ${k + 1}` }))));
    const summary = [/^Conduction system/, /^QRS/].flatMap((title) => (this.run.tables ?? []).filter((each) => title.test(each.title)));
    this.host.replaceChildren(
      ...summary.map((each) => el('section', { class: 'card' }, table(each))),
      el('section', { class: 'card' },
        el('h2', { text: 'Junctions' }),
        beats.length > 1 ? el('div', { class: 'row' }, labelled('Beat', choice)) : null,
        this.kinds,
        el('div', { class: 'conduction-plots' }, this.plots),
        el('p', { class: 'note', text: 'A junction passes antegrade from its cable to the tissue, or retrograde. The delay is the time between both sides. Failed: the other side was not activated in time. Collision: both sides were activated separately. Open: the first side was activated less than 20 ms before the end of the beat or run, so it is not known whether the other one follows.' })),
      this.list);
    this.observer = new ResizeObserver(() => this.draw());
    this.plots.forEach((each) => this.observer.observe(each));
    this.choose(0);
  }

  choose(number) {
    this.number = number;
    const { junctions, beat } = this;
    this.counts = countPassages(junctions, beat);
    const shown = this.counts.map((each, k) => ({ ...each, k })).filter(({ count }) => count > 0);
    const row = ({ name, count, delay, k }) => el('tr', {},
      el('th', { scope: 'row' }, swatch(this.colour(k)), name), el('td', { class: 'number', text: format(count) }), el('td', { class: 'unit', text: 'junctions' }),
      el('td', { class: 'number', text: Number.isNaN(delay) ? '' : format(delay, 3) }), el('td', { class: 'unit', text: Number.isNaN(delay) ? '' : 'ms, median' }));
    this.kinds.replaceChildren(el('table', { class: 'values', 'aria-label': 'Passages' }, el('tbody', {}, shown.map(row))));
    this.list.replaceChildren(table(this.table(), { sortable: true }));
    this.draw();
  }

  get beat() {
    return this.junctions.beats[this.number];
  }

  table() {
    const { junctions, beat } = this;
    const number = (label, unit) => ({ label, unit, number: true });
    const columns = [number('junction', ''), number('x', 'mm'), number('y', 'mm'), number('z', 'mm'), number('cable', 'ms'), number('tissue', 'ms'), number('delay', 'ms'),
      { label: 'passage', unit: '', number: false }];
    const rounded = (value) => (Number.isNaN(value) ? null : Number(value.toFixed(2)));
    const rows = Array.from({ length: junctions.n }, (_, j) => [j, ...[0, 1, 2].map((k) => rounded(junctions.position[3 * j + k])),
      rounded(beat.cable[j]), rounded(beat.tissue[j]), rounded(beat.delay[j]), junctions.passages[beat.passage[j]].replaceAll('_', ' ')]);
    return { title: 'List of the junctions', columns, rows };
  }

  /** Returns the colour of a passage: those that failed have one of their own. */
  colour(k) {
    return this.junctions.hasFailed(k) ? failedColour : curve(k, isDark()).stroke;
  }

  draw() {
    const [wide, narrow] = this.plots.map((each) => each.clientWidth);
    if (wide < 100 || narrow < 100) return;
    this.drawDelays(sizeCanvas(this.canvas, wide, height), wide);
    this.drawHistogram(sizeCanvas(this.histogram, narrow, height), narrow);
  }

  /** Draws a dot for each junction, and those without a delay in a row above. */
  drawDelays(context, width) {
    const { first, delay, passage } = this.beat;
    const place = frame(context, width, extentOf(first), [0, extentOf(delay)[1]], 'first activation of the junction (ms)', 'delay (ms)');
    const without = Array.from(first).filter((t, j) => !Number.isNaN(t) && this.isApart(j)).length;
    context.fillStyle = theme('soft');
    if (without > 0) context.fillText('not passed', margin.left, margin.top - 24);
    for (let j = 0; j < first.length; j++) {
      if (Number.isNaN(first[j])) continue;
      const [x, y] = place(first[j], this.isApart(j) ? 0 : delay[j]);
      context.fillStyle = this.colour(passage[j]);
      context.beginPath();
      context.arc(x, this.isApart(j) ? margin.top - 10 : y, this.isApart(j) ? 4 : 2.5, 0, 2 * Math.PI);
      context.fill();
    }
    this.canvas.setAttribute('aria-label', `Delays of ${format(first.length - without)} junctions over the time of their first activation; ${format(without)} were not passed.`);
  }

  /** True if no wavefront passed a junction. */
  isApart(j) {
    return !this.junctions.hasPassed(this.beat.passage[j]);
  }

  drawHistogram(context, width) {
    const { delay, passage } = this.beat;
    const of = Array.from(delay, (_, j) => j).filter((j) => !this.isApart(j));
    const [, most] = extentOf(Float32Array.from(of, (j) => delay[j]));
    const step = roundStep(most || 1, 20);
    const bins = Array.from({ length: Math.floor(most / step) + 1 }, () => new Map());
    for (const j of of) {
      const bin = bins[Math.floor(delay[j] / step)];
      bin.set(passage[j], (bin.get(passage[j]) ?? 0) + 1);
    }
    const total = (bin) => [...bin.values()].reduce((sum, n) => sum + n, 0);
    const place = frame(context, width, [0, bins.length * step], [0, Math.max(1, ...bins.map(total))], 'delay (ms)', 'junctions');
    bins.forEach((bin, k) => {
      let foot = 0;
      for (const [kind, n] of [...bin].sort(([a], [b]) => a - b)) {
        const [left, low] = place(k * step, foot);
        const [right, high] = place((k + 1) * step, (foot += n));
        context.fillStyle = this.colour(kind);
        context.fillRect(left + 0.5, high, Math.max(1, right - left - 1), low - high);
      }
    });
    this.histogram.setAttribute('aria-label', `Numbers of junctions by delay, in steps of ${format(step)} ms.`);
  }

  themeChanged() {
    this.choose(this.number);
  }

  remove() {
    this.observer.disconnect();
    this.host.replaceChildren();
  }
}

/** Returns the smallest and the largest number; [0, 1] if there are none. */
function extentOf(list) {
  let [low, high] = [Infinity, -Infinity];
  for (const x of list) if (!Number.isNaN(x)) [low, high] = [Math.min(low, x), Math.max(high, x)];
  return low <= high ? [low, high > low ? high : low + 1] : [0, 1];
}

/** Draws the axes with ticks. Returns the function from values to pixels. */
function frame(context, width, [left, right], [low, high], xLabel, yLabel) {
  const [w, h] = [width - margin.left - margin.right, height - margin.top - margin.bottom];
  const place = (x, y) => [margin.left + (w * (x - left)) / (right - left), margin.top + h - (h * (y - low)) / (high - low)];
  context.clearRect(0, 0, width, height);
  context.font = '12px system-ui, sans-serif';
  context.lineWidth = 1;
  const line = (x, y, u, v) => {
    context.strokeStyle = theme('line');
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(u, v);
    context.stroke();
  };
  context.fillStyle = theme('ink');
  context.textBaseline = 'top';
  context.textAlign = 'center';
  for (const t of ticks(left, right, roundStep(right - left, Math.max(3, Math.floor(w / 70))))) {
    const [x] = place(t, low);
    line(x, margin.top, x, margin.top + h);
    context.fillText(format(t), x, margin.top + h + 6);
  }
  context.fillText(xLabel, margin.left + w / 2, height - 16);
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  for (const t of ticks(low, high, roundStep(high - low, 6))) {
    const [, y] = place(left, t);
    line(margin.left, y, margin.left + w, y);
    context.fillText(format(t), margin.left - 6, y);
  }
  context.save();
  context.translate(12, margin.top + h / 2);
  context.rotate(-Math.PI / 2);
  context.textAlign = 'center';
  context.fillText(yLabel, 0, 0);
  context.restore();
  context.textAlign = 'left';
  context.textBaseline = 'top';
  return place;
}
