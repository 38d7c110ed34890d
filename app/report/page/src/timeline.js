// The mean time step: phases from left to right, tiles from top to bottom. A tile is busy for part of a phase and then waits for its end.

import { theme } from './colour.js';
import { el, labelled, options, sizeCanvas, swatch, table } from './dom.js';
import { format, quantity } from './number.js';

export const kinds = {
  gather: { text: 'gather (copies before the exchange)', colour: '#2f8f83' },
  sync: { text: 'sync', colour: '#8a9099' },
  exchange: { text: 'exchange', colour: '#d9822b' },
  scatter: { text: 'scatter (copies after the exchange)', colour: '#8e6bbf' },
  compute: { text: 'compute', colour: '#3f7fd0' },
  control: { text: 'control flow', colour: '#555b63' },
};

/** Returns the phases of the mean time step: [{ set, kind, times, cycles (of all these runs), once, external (between chips), bound (or
 * NaN) }]. Their cycles add up to step_cycles, as printed by `myotile run`. */
export function phasesOf(machine) {
  const phases = [];
  const turns = machine.time_step ?? [];
  for (const { set, times: planned } of turns) {
    const share = (planned ?? 1) / turns.filter((each) => each.set === set).reduce((sum, each) => sum + (each.times ?? 1), 0);
    const times = machine.time_steps > 0 ? (share * set.runs) / machine.time_steps : (planned ?? 1);
    const once = { gather: set.tile_gather_cycles.max, sync: set.internal_sync_cycles + set.external_sync_cycles, exchange: set.exchange_cycles, scatter: set.tile_scatter_cycles.max, compute: set.tile_compute_cycles.max };
    for (const [kind, cycles] of Object.entries(once)) {
      if (!(cycles > 0 && times > 0)) continue;
      const mean = kind === 'compute' && set.runs > 0 ? set.total_compute_cycles / set.runs : cycles; // compute can depend on the data
      const external = kind === 'exchange' ? set.external_exchange_cycles : 0;
      phases.push({ set: set.name, kind, times, once: cycles, cycles: mean * times, external, bound: kind === 'exchange' ? set.exchange_bound_cycles + external : NaN });
    }
  }
  const control = (machine.step_cycles ?? 0) - phases.reduce((sum, phase) => sum + phase.cycles, 0);
  if (phases.length && control > 0.5) phases.push({ set: 'control flow', kind: 'control', times: 1, once: control, cycles: control, external: 0, bound: NaN });
  return phases;
}

export class Timeline {
  /** tiles: null to show only the phases. */
  constructor(machine, tiles) {
    this.tiles = tiles;
    this.phases = phasesOf(machine);
    this.total = this.phases.reduce((sum, phase) => sum + phase.cycles, 0);
    this.lists = this.phases.map((phase) => (tiles && phase.kind !== 'sync' ? tiles.list(phase.set, phase.kind) : null));
    if (tiles) tiles.kept_changed = () => this.draw();
  }

  build() {
    this.widths = el('select', { on: { change: () => this.draw() } }, options([{ value: 'scale', text: 'to scale' }, { value: 'even', text: 'equal' }]));
    this.sorting = el('select', { on: { change: () => this.draw() } }, options([{ value: 'number', text: 'number' }, { value: 'busy', text: 'busy time' }]));
    this.canvas = el('canvas', { role: 'img', class: 'die', 'aria-label': this.inWords() });
    this.place = el('div', {}, this.canvas);
    this.readout = el('p', { class: 'readout', text: ' ' });
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.place);
    this.canvas.addEventListener('pointermove', (event) => this.tell(event.offsetX, event.offsetY));
    this.canvas.addEventListener('pointerleave', () => (this.readout.textContent = ' '));
    this.canvas.addEventListener('click', (event) => {
      const found = this.at(event.offsetX, event.offsetY);
      if (found && found.cell >= 0) this.tiles.keep(found.cell);
    });
    const shown = new Set(this.phases.map((phase) => phase.kind));
    const legend = Object.entries(kinds).filter(([kind]) => shown.has(kind)).flatMap(([, { text, colour }]) => [swatch(colour), `${text}  `]);
    if (this.tiles && this.phases.some((phase) => phase.external > 0)) legend.push(swatch(kinds.exchange.colour, 0.35), 'between IPUs  ');
    return el('section', { class: 'card timeline' },
      el('h2', { text: 'Mean time step' }),
      el('div', { class: 'row' }, labelled('Widths of phases', this.widths), this.tiles ? labelled('Tiles sorted by', this.sorting) : null),
      el('p', { class: 'note legend' }, ...legend, this.lists.some((list, k) => list && this.phases[k].kind === 'exchange') ? 'Dashed: lower bound over all schedules.' : ''),
      this.place, this.readout,
      el('details', {}, el('summary', { text: 'Table of the phases' }), this.asTable()));
  }

  inWords() {
    const longest = [...this.phases].sort((a, b) => b.cycles - a.cycles)[0];
    return `Mean time step: ${format(this.total)} cycles in ${this.phases.length} phases. The longest is ${longest.kind} of ${longest.set}, ${format(longest.cycles)} cycles. The table has all phases.`;
  }

  asTable() {
    const number = (label, unit = '') => ({ label, unit, number: true });
    const columns = [{ label: 'compute set', unit: '' }, { label: 'phase', unit: '' }, number('runs'), number('per run', 'cycles'), number('share of the time step', '%'), number('active tiles'), number('mean of active tiles', 'cycles'), number('lower bound', 'cycles')];
    const rows = this.phases.map((phase, k) => {
      const busy = this.lists[k] ? Array.from(this.lists[k]).filter((x) => x > 0) : null;
      const known = busy && !this.tiles.inBlocks;
      return [phase.set, phase.kind, phase.times, phase.once, (100 * phase.cycles) / this.total, known ? busy.length : null, known ? busy.reduce((a, b) => a + b, 0) / busy.length : null, Number.isNaN(phase.bound) ? null : phase.bound];
    });
    return table({ title: '', columns, rows });
  }

  /** Computes the start of each phase, as a fraction of the width. */
  layout() {
    const even = this.widths.value === 'even';
    let x = 0;
    this.edges = [0, ...this.phases.map((phase) => (x += even ? 1 / this.phases.length : phase.cycles / this.total))];
  }

  /** Returns the cells (tiles, or blocks) from top to bottom. */
  order() {
    const n = this.tiles.tiles.n;
    const busy = new Float64Array(n);
    this.lists.forEach((list, k) => list && list.forEach((cycles, i) => (busy[i] += this.phases[k].times * cycles)));
    const order = Array.from({ length: n }, (_, i) => i);
    return this.sorting.value === 'busy' ? order.sort((a, b) => busy[b] - busy[a] || a - b) : order;
  }

  draw() {
    const width = this.place?.clientWidth ?? 0;
    if (width < 50) return;
    this.layout();
    this.height = this.tiles ? Math.min(360, Math.max(90, 12 * this.tiles.tiles.n)) : 0;
    const context = sizeCanvas(this.canvas, width, top + this.height + 22);
    this.context = context;
    context.font = '12px system-ui, sans-serif';
    this.phases.forEach((phase, k) => this.drawPhase(context, phase, k, width));
    if (this.tiles) this.drawTiles(context, width);
    this.drawAxis(context, width);
  }

  drawPhase(context, phase, k, width) {
    const [from, to] = [this.edges[k] * width, this.edges[k + 1] * width];
    context.fillStyle = kinds[phase.kind].colour;
    context.fillRect(from, 0, Math.max(0.5, to - from - 0.5), top - 4);
    const text = phase.times === 1 ? phase.set : `${phase.set} × ${format(phase.times, 3)}`;
    context.fillStyle = '#fff';
    context.textBaseline = 'middle';
    context.textAlign = 'left';
    if (context.measureText(text).width < to - from - 8) context.fillText(text, from + 4, (top - 4) / 2);
  }

  /** Draws tiles; a row of pixels shows the busiest of its tiles. */
  drawTiles(context, width) {
    this.cells = this.order();
    const n = this.cells.length;
    this.rows = Math.min(n, this.height);
    const h = this.height / this.rows;
    this.busiest = this.phases.map(() => new Int32Array(this.rows).fill(-1));
    this.phases.forEach((phase, k) => {
      const [from, to] = [this.edges[k] * width, this.edges[k + 1] * width];
      context.fillStyle = theme('page');
      context.fillRect(from, top, to - from, this.height);
      context.fillStyle = kinds[phase.kind].colour;
      if (phase.kind === 'sync' || phase.kind === 'control') context.fillRect(from, top, Math.max(0.5, to - from), this.height);
      if (phase.external > 0) this.drawExternal(context, phase, from, to);
      if (!this.lists[k]) return;
      for (let row = 0; row < this.rows; row++) {
        const cell = this.busiestOf(row, this.lists[k]);
        this.busiest[k][row] = cell;
        const share = Math.min(1, this.lists[k][cell] / phase.once);
        context.fillRect(from, top + row * h, share * (to - from), n > this.rows || h < 4 ? h : h - 1);
      }
      this.drawBound(context, phase, from, to);
    });
    this.drawKept(context, width, h);
  }

  /** Draws the exchange over links, after that between tiles of one chip. */
  drawExternal(context, phase, from, to) {
    context.globalAlpha = 0.35;
    const width = (phase.external / phase.once) * (to - from);
    context.fillRect(to - width, top, width, this.height);
    context.globalAlpha = 1;
  }

  busiestOf(row, list) {
    const [first, end] = [Math.floor((row * this.cells.length) / this.rows), Math.floor(((row + 1) * this.cells.length) / this.rows)];
    let best = this.cells[first];
    for (let k = first + 1; k < end; k++) if (list[this.cells[k]] > list[best]) best = this.cells[k];
    return best;
  }

  drawBound(context, phase, from, to) {
    if (Number.isNaN(phase.bound) || to - from < 3) return;
    const x = from + (phase.bound / phase.once) * (to - from);
    context.strokeStyle = theme('ink');
    context.setLineDash([4, 3]);
    context.beginPath();
    context.moveTo(x, top);
    context.lineTo(x, top + this.height);
    context.stroke();
    context.setLineDash([]);
  }

  drawKept(context, width, h) {
    const at = this.tiles.kept < 0 ? -1 : this.cells.indexOf(this.tiles.kept);
    if (at < 0) return;
    const y = top + (at / this.cells.length) * this.height;
    context.strokeStyle = theme('ink');
    context.strokeRect(0.5, y - 0.5, width - 1, Math.max(h, 2) + 1);
  }

  drawAxis(context, width) {
    context.fillStyle = theme('soft');
    context.textBaseline = 'bottom';
    context.textAlign = 'left';
    context.fillText('0', 0, top + this.height + 20);
    context.textAlign = 'right';
    context.fillText(this.widths.value === 'even' ? `${this.phases.length} phases, ${quantity(this.total, 'cycles')}` : quantity(this.total, 'cycles'), width, top + this.height + 20);
  }

  /** Returns the phase at a pixel: { k, cell (-1: none) }, or null. */
  at(x, y) {
    const share = x / this.place.clientWidth;
    const k = this.edges ? this.edges.findIndex((edge, i) => i > 0 && share < edge) - 1 : -1;
    if (k < 0) return null;
    const row = this.tiles && y >= top && y < top + this.height ? Math.floor(((y - top) / this.height) * this.rows) : -1;
    return { k, cell: row >= 0 ? this.busiest[k][row] : -1 };
  }

  tell(x, y) {
    const found = this.at(x, y);
    if (!found) return;
    const { k, cell } = found;
    const phase = this.phases[k];
    const external = phase.external > 0 ? `, ${format(phase.external)} of them between IPUs` : '';
    const times = phase.times === 1 ? '' : `, ${format(phase.times, 3)} runs in a time step`;
    const bound = Number.isNaN(phase.bound) ? '' : ` (lower bound ${format(phase.bound)})`;
    const whole = `${phase.set}, ${phase.kind}: ${quantity(phase.once, 'cycles')}${external}${bound}${times}`;
    const tile = cell >= 0 && this.lists[k] ? `; ${this.tiles.nameOf(cell)} is busy for ${format(this.lists[k][cell])} of them` : '';
    this.readout.textContent = `${whole}${tile}.`;
  }

  remove() {
    this.observer?.disconnect();
  }
}

const top = 26;
