// The tab that compares two runs: their maps, time steps phase by phase, totals, memory, and the distribution of values over tiles.

import { CompareMaps, whyNoMaps } from './compare_maps.js';
import { curve, isDark, theme } from './colour.js';
import { values } from './data.js';
import { el, labelled, options, sizeCanvas, swatch, table } from './dom.js';
import { format, median, numeric, quantity, roundStep, ticks } from './number.js';
import { readMachine } from './profile.js';
import { measureName } from './tiles.js';
import { kinds, phasesOf } from './timeline.js';

/** Shows a comparison of two runs of a report in host. Returns { maps: CompareMaps or null, remove, themeChanged }. */
export async function showCompare(host, runs) {
  const compare = new Compare(host, runs);
  await compare.show();
  return compare;
}

class Compare {
  constructor(host, runs) {
    this.runs = runs;
    const list = () => options(runs.map((run, k) => ({ value: k, text: run.folder && run.folder !== run.title ? `${run.title} (${run.folder})` : run.title })));
    this.choices = [0, 1].map(() => el('select', { on: { change: () => this.show() } }, list()));
    this.choices[1].value = '1';
    this.body = el('div', {});
    host.replaceChildren(el('section', { class: 'card' }, el('div', { class: 'row' }, labelled('A', this.choices[0]), labelled('B', this.choices[1]))), this.body);
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.body);
  }

  async show() {
    const runs = this.choices.map((choice) => this.runs[Number(choice.value)]);
    const turn = (this.turn = {});
    this.maps?.remove();
    this.maps = null;
    const pair = await Promise.all(runs.map((run) => run.machine && readMachine(run.machine)));
    if (this.turn !== turn) return; // another run has been chosen in the meantime
    const parts = pair.every(Boolean) ? this.machineParts(pair) : this.noMachine(runs);
    const why = whyNoMaps(...runs);
    const maps = why ? null : new CompareMaps(...runs, this.runs);
    const first = why ? el('section', { class: 'card' }, el('h2', { text: 'Maps' }), el('p', { text: why })) : await maps.build();
    if (this.turn !== turn) {
      maps?.remove();
      return;
    }
    this.maps = maps;
    this.body.replaceChildren(first, ...parts);
    await maps?.start();
    if (this.common?.length) await this.chooseMeasure();
    this.draw();
  }

  noMachine(runs) {
    this.common = [];
    this.bars = this.curves = null;
    const without = ['A', 'B'].filter((_, k) => !runs[k].machine).join(' and ');
    const text = `No machine profile in ${without}: cycles and memory are not compared.`;
    return runs.some((run) => run.machine) ? [el('p', { class: 'note', text })] : [];
  }

  machineParts(pair) {
    this.pair = pair;
    this.phases = this.pair.map(phasesOf);
    this.parts = [];
    if (this.phases.every((phases) => phases.length > 0)) this.parts.push(this.timeStep());
    const spread = this.spread();
    if (spread) this.parts.push(spread);
    for (const title of this.pair[0].summary.map((each) => each.title)) {
      const both = this.pair.map((machine) => machine.summary.find((each) => sameTitle(each.title, title)));
      if (both[1]) this.parts.push(...differences(both));
    }
    return this.parts;
  }

  timeStep() {
    this.bars = el('canvas', { role: 'img', 'aria-label': 'Mean time steps of A and B, phase by phase, on one scale. The table has the values.' });
    const key = (phase) => `${phase.set}\n${phase.kind}`;
    const keys = [...new Set(this.phases.flatMap((phases) => phases.map(key)))];
    const sums = this.phases.map((phases) => keys.map((each) => phases.filter((phase) => key(phase) === each).reduce((sum, phase) => sum + phase.cycles, 0)));
    const rows = keys.map((each, k) => [...each.split('\n'), ...difference(sums[0][k], sums[1][k])]);
    const totals = sums.map((list) => list.reduce((a, b) => a + b, 0));
    rows.push(['total', '', ...difference(...totals)]);
    const columns = [{ label: 'compute set', unit: '' }, { label: 'phase', unit: '' }, ...differenceColumns('cycles')];
    const legend = Object.values(kinds).flatMap(({ text, colour }) => [swatch(colour), `${text}  `]);
    return el('section', { class: 'card compare-step' }, el('h2', { text: 'Mean time step' }), el('p', { class: 'note legend' }, ...legend), this.bars, table({ title: '', columns, rows }));
  }

  spread() {
    const [a, b] = this.pair.map((machine) => machine.tiles?.measures ?? []);
    this.common = a.map((m) => [m, b.find((other) => other.name === m.name)]).filter(([, other]) => other);
    if (this.common.length === 0) return null;
    this.measure = el('select', { on: { change: () => this.chooseMeasure().then(() => this.draw()) } }, options(this.common.map(([m], k) => ({ value: k, text: measureName(m), group: m.phase ?? '' }))));
    this.curves = el('canvas', { role: 'img' });
    this.said = el('p', {});
    return el('section', { class: 'card' }, el('h2', { text: 'Distribution over tiles, sorted by value' }), el('div', { class: 'row' }, labelled('Value', this.measure)), this.said, this.curves);
  }

  async chooseMeasure() {
    const pair = this.common[Number(this.measure.value)];
    this.sorted = await Promise.all(pair.map(async (m) => Float64Array.from(await values(m.value)).filter((x) => !Number.isNaN(x)).sort()));
    const word = (list, name) => `${name}: ${format(list[0])} to ${quantity(list[list.length - 1], pair[0].unit)}, median ${format(median(list))}`;
    this.said.replaceChildren(...this.sorted.flatMap((list, k) => [swatch(curve(k, isDark()).stroke), `${word(list, 'AB'[k])}  `]));
    this.curves.setAttribute('aria-label', this.said.textContent);
  }

  draw() {
    if (this.bars?.isConnected) this.drawBars();
    if (this.curves?.isConnected && this.sorted) this.drawCurves();
  }

  drawBars() {
    const width = this.bars.parentElement.clientWidth - 34;
    const context = sizeCanvas(this.bars, width, 66);
    const most = Math.max(...this.phases.map((phases) => phases.reduce((sum, phase) => sum + phase.cycles, 0)));
    context.font = '600 13px system-ui, sans-serif';
    context.textBaseline = 'middle';
    this.phases.forEach((phases, row) => {
      let x = 22;
      for (const phase of phases) {
        const w = (phase.cycles / most) * (width - 22);
        context.fillStyle = kinds[phase.kind].colour;
        context.fillRect(x, 4 + 30 * row, Math.max(0.5, w - 0.5), 24);
        x += w;
      }
      context.fillStyle = theme('ink');
      context.fillText('AB'[row], 2, 16 + 30 * row);
    });
  }

  drawCurves() {
    const width = this.curves.parentElement.clientWidth - 34;
    const [left, right, bottom, height] = [64, width - 8, 196, 188];
    const context = sizeCanvas(this.curves, width, 236);
    const most = Math.max(...this.sorted.map((list) => list[list.length - 1])) || 1;
    const y = (v) => bottom - (v / most) * height;
    context.font = '12px system-ui, sans-serif';
    context.fillStyle = theme('ink');
    context.strokeStyle = theme('line');
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    for (const v of ticks(0, most, roundStep(most, 4))) {
      context.fillText(format(v), left - 6, y(v));
      context.strokeRect(left, y(v), right - left, 0);
    }
    context.textBaseline = 'top';
    context.textAlign = 'center';
    for (const percent of [0, 25, 50, 75, 100]) context.fillText(`${percent} %`, left + ((right - left - 14) * percent) / 100, bottom + 6);
    context.fillText('share of tiles', (left + right) / 2, bottom + 22);
    this.sorted.forEach((list, k) => {
      const { stroke } = curve(k, isDark());
      context.strokeStyle = stroke;
      context.lineWidth = 2;
      context.beginPath();
      list.forEach((v, i) => context.lineTo(left + ((right - left - 14) * i) / Math.max(1, list.length - 1), y(v)));
      context.stroke();
    });
  }

  themeChanged() {
    this.maps?.themeChanged();
    this.draw();
  }

  remove() {
    this.maps?.remove();
    this.observer.disconnect();
  }
}

/** Compares titles without the name of the machine. */
function sameTitle(a, b) {
  const stem = (title) => title.replace(/ on .*/, '');
  return stem(a) === stem(b);
}

function difference(a, b) {
  const known = Number.isFinite(a) && Number.isFinite(b);
  return [a, b, known ? b - a : null, known && a !== 0 ? Number(((100 * (b - a)) / a).toPrecision(3)) : null];
}

function differenceColumns(unit) {
  const column = (label, of = unit) => ({ label, unit: of, number: true });
  return [column('A'), column('B'), column('B − A'), column('change', '% of A')];
}

/** Returns a section with the rows of both tables, matched by the text before their numbers. */
function differences([a, b]) {
  const words = a.columns.map((column, k) => (column.number ? -1 : k)).filter((k) => k >= 0);
  const isProperties = a.columns[0].label === 'property';
  const keys = isProperties ? [0] : words.filter((k) => k < a.columns.findIndex((column) => column.number));
  const name = (row) => keys.map((k) => row[k]).join('\n');
  const other = new Map(b.rows.map((row) => [name(row), row]));
  const numbers = a.columns.map((column, k) => (column.number ? k : -1)).filter((k) => k >= 0 && b.columns[k]?.label === a.columns[k].label);
  const title = a.title.replace(/ on .*/, '');
  const head = keys.map((k) => a.columns[k]);
  if (isProperties) {
    const rows = a.rows.filter((row) => other.has(row[0])).map((row) => [row[0], row[2], ...difference(numeric(row[1]), numeric(other.get(row[0])[1]))]);
    return [el('section', { class: 'card' }, table({ title, columns: [...head, { label: 'unit', unit: '' }, ...differenceColumns('')], rows }))];
  }
  const choice = el('select', { on: { change: () => fill() } }, options(numbers.map((k) => ({ value: k, text: a.columns[k].label }))));
  const place = el('div', {});
  const fill = () => {
    const k = Number(choice.value);
    const names = [...new Set([...a.rows, ...b.rows].map(name))];
    const mine = new Map(a.rows.map((row) => [name(row), row]));
    const at = (map, each) => (map.has(each) ? numeric(map.get(each)[k]) : NaN);
    const rows = names.map((each) => [...each.split('\n'), ...difference(at(mine, each), at(other, each))]);
    place.replaceChildren(table({ title: '', columns: [...head, ...differenceColumns(a.columns[k].unit)], rows }, { sortable: rows.length > 12 }));
  };
  if (numbers.length === 0) return [];
  choice.value = String(numbers.find((k) => a.columns[k].label === 'all runs') ?? numbers[0]);
  fill();
  return [el('section', { class: 'card' }, el('h2', { text: title }), el('div', { class: 'row' }, labelled('Value', choice)), place)];
}
