// The tab of an ensemble: its members and their outcomes, the distribution of each result, each result against each varied value, and the
// table. Drawings are SVG, coloured by the style sheet.

import { el, labelled, newId, options, table } from './dom.js';
import { format, quantity, roundStep, ticks } from './number.js';

/** Shows an ensemble of the report in host; returns { beat, bins, points } of the displayed drawings, for tests. */
export function showEnsemble(host, ensemble) {
  return new EnsembleTab(host, ensemble);
}

const bins = 16;

class EnsembleTab {
  constructor(host, ensemble) {
    this.ensemble = ensemble;
    const { table: members, beat, results, parameters } = ensemble;
    this.beats = beat === null ? 0 : Math.max(1, ...members.rows.map((row) => row[beat] ?? 1));
    this.beat = this.beats ? 1 : 0;
    this.grid = el('div', { class: 'ensemble-grid' });
    this.scatter = el('div', {});
    this.said = el('p', { role: 'status' });
    const choice = (list) => el('select', { on: { change: () => this.drawScatter() } }, options(list.map((each, k) => ({ value: k, text: name(each) }))));
    const first = Math.max(0, parameters.findIndex((each) => new Set(each.values).size > 1));
    this.y = choice(results);
    this.x = choice(parameters);
    if (parameters.length) this.x.value = String(first);
    host.replaceChildren(
      this.outcomes(),
      results.length ? el('section', { class: 'card' }, el('h2', { text: 'Distribution of each result' }), this.beatChoice(), this.note(), this.grid) : '',
      results.length && parameters.length ? el('section', { class: 'card' }, el('h2', { text: 'Results against varied values' }),
        el('div', { class: 'row' }, labelled('Result', this.y), labelled('Varied value', this.x)), this.said, this.scatter) : '',
      el('section', { class: 'card' }, table(members, { sortable: members.rows.length > 1 })),
    );
    this.draw();
  }

  note() {
    return el('p', { class: 'note', text: 'Histograms over the members. The thick line is the median; the thin lines are the 5th and 95th percentile.' });
  }

  beatChoice() {
    if (this.beats < 2) return null;
    const select = el('select', { on: { change: () => this.chooseBeat(Number(select.value)) } }, options(Array.from({ length: this.beats }, (_, k) => ({ value: k + 1, text: String(k + 1) }))));
    return el('div', { class: 'row' }, labelled('Beat', select));
  }

  chooseBeat(beat) {
    this.beat = beat;
    this.draw();
  }

  /** The number of members by outcome, and those without complete results with their errors. */
  outcomes() {
    const { n, table: members, outcome, error, n_keys: keys } = this.ensemble;
    const names = new Set();
    const own = members.rows.filter((row) => !names.has(row[0]) && names.add(row[0]));
    const counts = new Map();
    for (const row of own) counts.set(row[outcome], (counts.get(row[outcome]) ?? 0) + 1);
    const words = [...counts].map(([word, count]) => `${count} ${word}`).join(', ');
    const failed = own.filter((row) => row[outcome] !== 'done');
    const shown = [...Array(keys + 1).keys(), outcome, ...(error === null ? [] : [error])];
    const rows = failed.map((row) => shown.map((c) => row[c]));
    return el('section', { class: 'card' }, el('h2', { text: 'Outcomes' }), el('p', { text: `${n} members: ${words}` }),
      failed.length ? table({ title: 'Members without complete results', columns: shown.map((c) => members.columns[c]), rows }, { sortable: rows.length > 1 }) : null);
  }

  /** True if a row is drawn. */
  isOfBeat(row) {
    const { table: members, beat } = this.ensemble;
    return !this.beat || members.rows[row][beat] === this.beat;
  }

  draw() {
    this.grid.replaceChildren(...this.ensemble.results.map((each) => this.histogram(each)));
    this.bins = this.ensemble.results.map((each) => this.counts(each));
    this.drawScatter();
  }

  statistics(result) {
    return result.statistics[Math.max(0, this.beat - 1)];
  }

  counts(result) {
    const { min, max } = this.statistics(result);
    const counts = new Array(bins).fill(0);
    result.values.forEach((v, row) => {
      if (v === null || !this.isOfBeat(row)) return;
      counts[max > min ? Math.min(bins - 1, Math.floor(((v - min) / (max - min)) * bins)) : bins / 2]++;
    });
    return counts;
  }

  histogram(result) {
    const of = this.statistics(result);
    const counts = this.counts(result);
    const words = `median ${quantity(of.p50, result.unit)}, 5 to 95 %: ${format(of.p5)} to ${quantity(of.p95, result.unit)}; ${format(of.n)} values`;
    const figure = el('figure', {}, el('figcaption', { text: name(result) }));
    if (of.n > 0) figure.append(histogramOf(of, counts, `${name(result)}: ${words}`));
    figure.append(el('p', { class: 'note', text: of.n > 0 ? words : 'no values' }));
    return figure;
  }

  drawScatter() {
    const { results, parameters, table: members } = this.ensemble;
    const y = results[Number(this.y.value)];
    const x = parameters[Number(this.x.value)];
    if (!x || !y) return;
    this.points = [];
    members.rows.forEach((row, k) => {
      if (x.values[k] !== null && y.values[k] !== null && this.isOfBeat(k)) this.points.push({ member: row[0], x: x.values[k], y: y.values[k] });
    });
    const r = x.words.length ? NaN : correlation(this.points);
    const words = `${format(this.points.length)} members${Number.isNaN(r) ? '' : `; Pearson's r ${format(r, 3)}`}`;
    this.said.textContent = words;
    this.scatter.replaceChildren(this.points.length ? scatterOf(this.points, x, y, `${name(y)} against ${name(x)}: ${words}`) : '');
  }
}

function name({ label, unit }) {
  return unit ? `${label} (${unit})` : label;
}

/** Returns Pearson's correlation coefficient; NaN if a quantity is constant. */
function correlation(points) {
  const n = points.length;
  const mean = (key) => points.reduce((sum, p) => sum + p[key], 0) / n;
  const [mx, my] = [mean('x'), mean('y')];
  let [xx, yy, xy] = [0, 0, 0];
  for (const { x, y } of points) {
    xx += (x - mx) ** 2;
    yy += (y - my) ** 2;
    xy += (x - mx) * (y - my);
  }
  return xx > 0 && yy > 0 ? xy / Math.sqrt(xx * yy) : NaN;
}

// ---- drawings ----

const svgNamespace = 'http://www.w3.org/2000/svg';

function svg(name, attributes, ...children) {
  const node = document.createElementNS(svgNamespace, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === 'text') node.textContent = value;
    else node.setAttribute(key, value);
  }
  node.append(...children.flat());
  return node;
}

function drawing(width, height, title, ...children) {
  const id = newId('drawing');
  return svg('svg', { class: 'drawing', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-labelledby': id }, svg('title', { id, text: title }), ...children);
}

function line(x1, y1, x2, y2, kind) {
  return svg('line', { class: kind, x1, y1, x2, y2 });
}

/** Returns a range around low and high that is not empty. */
function widened(low, high, share) {
  const more = high > low ? (high - low) * share : Math.abs(low) * 0.05 || 1;
  return [low - more, high + more];
}

function histogramOf({ min, max, p5, p50, p95 }, counts, title) {
  const [width, left, right, top, bottom] = [320, 8, 312, 6, 110];
  const [low, high] = max > min ? [min, max] : widened(min, max, 0);
  const x = (v) => left + ((v - low) / (high - low)) * (right - left);
  const most = Math.max(...counts);
  const w = (right - left) / counts.length;
  const bars = counts.map((n, k) => svg('rect', { class: 'bar', x: left + k * w + 0.5, width: w - 1, y: bottom - (n / most) * (bottom - top), height: (n / most) * (bottom - top) }, svg('title', { text: `${n}` })));
  const marks = [[p5, 'percentile'], [p50, 'median'], [p95, 'percentile']].map(([v, kind]) => line(x(v), top - 4, x(v), bottom, kind));
  const labels = ticks(low, high, roundStep(high - low, 4)).map((v) => svg('text', { x: x(v), y: bottom + 16, 'text-anchor': 'middle', text: format(v) }));
  return drawing(width, 132, title, bars, line(left, bottom, right, bottom, 'axis'), marks, labels);
}

function scatterOf(points, xOf, yOf, title) {
  const [width, height, left, right, top, bottom] = [720, 380, 76, 706, 10, 330];
  const extent = (key) => [points.reduce((a, p) => Math.min(a, p[key]), Infinity), points.reduce((a, p) => Math.max(a, p[key]), -Infinity)];
  const [x0, x1] = xOf.words.length ? [-0.5, xOf.words.length - 0.5] : widened(...extent('x'), 0.04);
  const [y0, y1] = widened(...extent('y'), 0.06);
  const x = (v) => left + ((v - x0) / (x1 - x0)) * (right - left);
  const y = (v) => bottom - ((v - y0) / (y1 - y0)) * (bottom - top);
  const xTicks = xOf.words.length ? xOf.words.map((_, k) => k) : ticks(x0, x1, roundStep(x1 - x0, 6));
  const grid = [
    ...ticks(y0, y1, roundStep(y1 - y0, 5)).flatMap((v) => [line(left, y(v), right, y(v), 'grid'), svg('text', { x: left - 8, y: y(v) + 4, 'text-anchor': 'end', text: format(v) })]),
    ...xTicks.flatMap((v) => [line(x(v), top, x(v), bottom, 'grid'), svg('text', { x: x(v), y: bottom + 18, 'text-anchor': 'middle', text: xOf.words[v] ?? format(v) })]),
  ];
  const dots = points.map((p) => svg('circle', { class: 'dot', cx: x(p.x), cy: y(p.y), r: points.length > 500 ? 2 : 3.5 },
    svg('title', { text: `${p.member}: ${xOf.words[p.x] ?? quantity(p.x, xOf.unit)}, ${quantity(p.y, yOf.unit)}` })));
  return drawing(width, height, title, grid, svg('rect', { class: 'frame', x: left, y: top, width: right - left, height: bottom - top }), dots,
    svg('text', { class: 'axis-name', x: (left + right) / 2, y: height - 8, 'text-anchor': 'middle', text: name(xOf) }),
    svg('text', { class: 'axis-name', transform: `translate(14 ${(top + bottom) / 2}) rotate(-90)`, 'text-anchor': 'middle', text: name(yOf) }));
}
