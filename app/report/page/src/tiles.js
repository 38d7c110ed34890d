// The tiles of a machine on their dies, coloured by any measure: its distribution, the tiles with the highest values, and the selected
// tile. Large machines are drawn in blocks of tiles. die.js draws the dies.

import { drawBar } from './bar.js';
import { css, theme } from './colour.js';
import { values, whole } from './data.js';
import { arrange, Die } from './die.js';
import { checkbox, el, labelled, options, sizeCanvas, table } from './dom.js';
import { format, quantity, roundStep, summary, ticks } from './number.js';
import { TileDetails } from './tile.js';

export class Tiles {
  constructor(tiles) {
    this.tiles = tiles;
    this.inBlocks = tiles.n < tiles.n_tiles;
    this.kept = -1; // the tile selected by a click
    this.over = -1; // the tile under the pointer
  }

  async load() {
    const { chip, row, column } = this.tiles;
    this.places = arrange(...(await Promise.all([whole(chip), whole(row), whole(column)])));
    this.lists = await Promise.all(this.tiles.measures.map((m) => values(m.value)));
    this.all = await Promise.all(this.tiles.measures.map((m) => m.all && allOf(m.all)));
    this.details = this.tiles.details?.length ? new TileDetails(this.tiles.details, this) : null;
  }

  /** Returns the cycles of all tiles (or blocks) for a kind of work in a compute set, or null. */
  list(set, kind) {
    const m = this.tiles.measures.findIndex((each) => each.phase === set && each.label === kind);
    return m < 0 ? null : this.lists[m];
  }

  build() {
    const { measures } = this.tiles;
    this.choice = el('select', { on: { change: () => this.choose(Number(this.choice.value)) } },
      options(measures.map((m, k) => ({ value: k, text: measureName(m), group: m.phase ?? '' }))));
    const fromZero = checkbox('Colour range from 0', true, () => this.choose(this.m));
    this.fromZero = fromZero.box;
    this.said = el('p', {});
    this.canvas = el('canvas', { tabindex: '0', role: 'img', class: 'die' });
    this.barCanvas = el('canvas', { 'aria-hidden': 'true' });
    this.histogram = el('canvas', { role: 'img' });
    this.place = el('div', { class: 'die-place' }, this.canvas);
    this.die = new Die(this.canvas, this.places);
    this.listen();
    this.tileTitle = el('h3', {});
    this.cells = measures.map(() => el('td', { class: 'number' }));
    this.worst = el('div', {});
    this.observer = new ResizeObserver(() => this.m !== undefined && this.draw());
    this.observer.observe(this.place);
    return el('section', { class: 'card' },
      el('div', { class: 'row' }, labelled('Colour by', this.choice), fromZero.label),
      this.said,
      el('div', { class: 'machine' },
        el('div', { class: 'machine-left' }, this.place, this.barCanvas,
          el('p', { class: 'note', text: this.help() })),
        el('div', { class: 'machine-right' }, el('h3', { text: 'Histogram of tiles' }), this.histogram, this.tileTitle, this.numbers(measures))),
      el('details', {}, el('summary', { text: 'The 100 tiles with the highest values' }), this.worst),
      this.details?.build());
  }

  help() {
    const [rows, columns] = this.tiles.block;
    const what = this.inBlocks ? `Each block of ${rows} × ${columns} places has the maximum over its tiles. ` : '';
    const one = this.inBlocks ? 'block' : 'tile';
    return `${what}Hover over a ${one} to see its values; click to select it. Keys: arrows select the next ${one}, Escape deselects.`;
  }

  numbers(measures) {
    const rows = measures.map((m, k) =>
      el('tr', {}, el('th', { scope: 'row', text: m.phase ? `${m.phase}: ${m.label}` : m.label }), this.cells[k], el('td', { class: 'unit', text: m.unit ?? '' })));
    return el('div', { class: 'tile-numbers', tabindex: '0', role: 'group', 'aria-label': 'Values of the tile' }, el('table', { class: 'values' }, el('tbody', {}, rows)));
  }

  choose(m) {
    this.m = m;
    this.choice.value = String(m);
    const measure = this.tiles.measures[m];
    const list = this.lists[m];
    const s = this.all[m] ?? { ...summary(list), mean: meanOf(list) };
    this.range = s.n === 0 ? [0, 1] : this.fromZero.checked ? [Math.min(0, s.min), Math.max(0, s.max)] : [s.min, s.max];
    if (this.range[0] === this.range[1]) this.range[1]++;
    const { mean } = s;
    const worst = this.order()[0];
    this.said.textContent = s.n === 0 ? 'No tile has a value.' :
      `${format(s.n)} tiles: ${format(s.min)} to ${quantity(s.max, measure.unit)}, median ${format(s.median)}. ` +
      `The mean, ${format(mean, 4)}, is ${format(s.max ? (100 * mean) / s.max : 100, 3)} % of the maximum, which is on ${this.nameOf(worst)}.`;
    this.canvas.setAttribute('aria-label', `Tiles on their dies, coloured by ${measureName(measure)}. ${this.said.textContent}`);
    this.draw();
    this.tell(this.kept >= 0 ? this.kept : worst);
    this.listWorst();
  }

  order() {
    const list = this.lists[this.m];
    return Array.from(list.keys()).filter((i) => !Number.isNaN(list[i])).sort((a, b) => list[b] - list[a] || a - b);
  }

  nameOf(i) {
    const { places } = this;
    if (this.inBlocks) return this.nameOfBlock(i);
    return places.chips.length > 1 ? `tile ${format(places.numberOnChip[i])} of IPU ${places.chip[i]}` : `tile ${format(places.numberOnChip[i])}`;
  }

  nameOfBlock(i) {
    const [rows, columns] = this.tiles.block;
    const from = (at, by) => `${at * by}–${at * by + by - 1}`;
    return `IPU ${this.places.chip[i]}, rows ${from(this.places.row[i], rows)}, columns ${from(this.places.column[i], columns)}`;
  }

  draw() {
    const width = this.place.clientWidth;
    if (width < 50) return;
    this.die.draw(width, this.lists[this.m], this.range, this.kept >= 0 ? this.kept : this.over, this.inBlocks ? [] : (this.details?.neighbours ?? []));
    const measure = this.tiles.measures[this.m];
    const hasMissing = this.lists[this.m].some(Number.isNaN);
    drawBar(sizeCanvas(this.barCanvas, Math.min(width, 560), 46), { x: 1, y: 0, width: Math.min(width, 560) - 2 }, { range: this.range, unit: measure.unit, lineStep: 0, hasMissing }, theme('ink'));
    this.drawHistogram();
  }

  drawHistogram() {
    const bins = 36;
    const list = this.lists[this.m];
    const [low, high] = this.range;
    const counts = new Uint32Array(bins);
    const binOf = (v) => Math.min(bins - 1, Math.floor(((v - low) / (high - low)) * bins));
    const all = this.all[this.m];
    if (all) all.counts.forEach((count, k) => (counts[binOf(all.min + ((k + 0.5) / all.counts.length) * (all.max - all.min))] += count));
    else for (const v of list) if (!Number.isNaN(v)) counts[binOf(v)]++;
    const most = Math.max(1, ...counts);
    const width = this.histogram.parentElement.clientWidth || 300;
    const [left, bottom, height] = [54, 128, 118];
    const context = sizeCanvas(this.histogram, width, 166);
    const w = (width - left - 8) / bins;
    const marked = this.kept >= 0 ? this.kept : this.over;
    const own = marked >= 0 && !Number.isNaN(list[marked]) ? binOf(list[marked]) : -1;
    context.font = '12px system-ui, sans-serif';
    context.strokeStyle = theme('ink');
    counts.forEach((count, b) => {
      const h = (count / most) * height;
      context.fillStyle = css((b + 0.5) / bins);
      context.fillRect(left + b * w, bottom - h, w - 0.7, h);
      if (b === own) context.strokeRect(left + b * w - 0.5, bottom - h - 1.5, w, h + 1.5);
    });
    this.histogramAxes(context, { left, bottom, height, width, most });
    this.histogram.setAttribute('aria-label', `Number of tiles by value, from ${format(low)} to ${format(high)}: at most ${most} tiles in one of ${bins} bins.`);
  }

  histogramAxes(context, { left, bottom, height, width, most }) {
    const [low, high] = this.range;
    context.fillStyle = theme('ink');
    context.strokeStyle = theme('soft');
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    for (const v of ticks(0, most, Math.max(1, roundStep(most, 4)))) context.fillText(format(v), left - 6, bottom - (v / most) * height);
    context.textBaseline = 'top';
    context.textAlign = 'center';
    for (const v of ticks(low, high, roundStep(high - low, 4))) {
      const x = left + ((v - low) / (high - low)) * (width - left - 8);
      const half = context.measureText(format(v)).width / 2;
      context.fillText(format(v), Math.min(x, width - half), bottom + 5);
    }
    const { unit } = this.tiles.measures[this.m];
    if (unit) context.fillText(unit, (left + width) / 2, bottom + 21);
    context.beginPath();
    context.moveTo(left, bottom + 0.5);
    context.lineTo(width - 8, bottom + 0.5);
    context.stroke();
  }

  tell(i) {
    const { places } = this;
    this.told = i;
    if (i === undefined || i < 0) return;
    const word = this.nameOf(i);
    const place = this.inBlocks ? '' : `, row ${places.row[i]}, column ${places.column[i]}`;
    this.tileTitle.textContent = `${word.charAt(0).toUpperCase()}${word.slice(1)}${place}${this.kept === i ? ' (selected)' : ''}`;
    this.cells.forEach((cell, k) => (cell.textContent = format(this.lists[k][i])));
  }

  keep(i) {
    this.kept = i;
    if (this.details && !this.inBlocks) this.details.show(i);
    this.draw();
    if (i >= 0) this.tell(i);
    this.kept_changed?.();
  }

  listen() {
    const point = (event) => this.die.tileAt(event.offsetX, event.offsetY);
    this.canvas.addEventListener('pointermove', (event) => {
      const i = point(event);
      if (this.kept >= 0 || i === this.over || i < 0) return;
      this.over = i;
      this.tell(i);
      this.soon();
    });
    this.canvas.addEventListener('pointerleave', () => {
      this.over = -1;
      this.soon();
    });
    this.canvas.addEventListener('click', (event) => {
      const i = point(event);
      this.keep(i === this.kept ? -1 : i);
    });
    this.canvas.addEventListener('keydown', (event) => {
      const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
      if (moves[event.key]) this.keep(this.kept < 0 ? (this.told ?? 0) : this.die.neighbour(this.kept, ...moves[event.key]));
      else if (event.key === 'Escape') this.keep(-1);
      else return;
      event.preventDefault();
    });
  }

  /** Draws once before the next frame of the browser. */
  soon() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      this.draw();
    });
  }

  listWorst() {
    const { places } = this;
    const measure = this.tiles.measures[this.m];
    const column = (label, unit = '') => ({ label, unit, number: true });
    const value = column(measureName(measure), measure.unit);
    const all = this.all[this.m];
    if (all) {
      const onChip = this.tiles.n_tiles / places.chips.length;
      const rows = Array.from(all.worstTile, (t, k) => [t % onChip, places.chips[Math.floor(t / onChip)], all.worst[k]]);
      const choose = this.details ? (k) => this.details.show(all.worstTile[k]) : null;
      this.worst.replaceChildren(table({ title: '', columns: [column('tile'), column('IPU'), value], rows }, { sortable: true, choose }));
      return;
    }
    const order = this.order().slice(0, 100);
    const columns = [column('tile'), column('IPU'), column('row'), column('column'), value];
    const rows = order.map((i) => [places.numberOnChip[i], places.chip[i], places.row[i], places.column[i], this.lists[this.m][i]]);
    this.worst.replaceChildren(table({ title: '', columns, rows }, { sortable: true, choose: (k) => this.keep(order[k]) }));
  }

  remove() {
    this.observer.disconnect();
  }
}

/** Returns the statistics over all tiles, which blocks do not show: { n, min, median, mean, max, counts, worstTile, worst }. */
async function allOf(all) {
  const [counts, worstTile, worst] = await Promise.all([whole(all.counts), whole(all.worst_tile), values(all.worst)]);
  return { ...all, counts, worstTile, worst };
}

function meanOf(list) {
  let sum = 0;
  let n = 0;
  for (const v of list) {
    if (Number.isNaN(v)) continue;
    sum += v;
    n++;
  }
  return sum / n;
}

export function measureName(measure) {
  return measure.phase ? `${measure.phase}: ${measure.label}` : measure.label;
}
