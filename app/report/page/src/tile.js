// One tile: its memory layout, its vertices, its senders and its receivers.

import { curve, isDark, theme } from './colour.js';
import { values, whole } from './data.js';
import { el, labelled, sizeCanvas, swatch, table } from './dom.js';
import { format, quantity } from './number.js';

export class TileDetails {
  /** tables: of the report; owner.keep(tile): called for a tile that is chosen here. */
  constructor(tables, owner) {
    this.tables = tables;
    this.owner = owner;
    this.neighbours = []; // senders to the displayed tile
    this.tile = -1;
  }

  build() {
    this.number = el('input', { type: 'number', min: '0', class: 'short', on: { change: () => this.choose(Number(this.number.value)) } });
    this.host = el('div', { class: 'tile-details' }, this.hint());
    return el('div', {}, el('h3', { text: 'Details of a tile' }), el('div', { class: 'row' }, labelled('Tile number', this.number)), this.host);
  }

  hint() {
    return el('p', { class: 'note', text: 'Click a tile or enter its number to see its memory, vertices and neighbours.' });
  }

  /** Selects a tile by its number on the machine. */
  choose(tile) {
    if (this.owner.inBlocks) this.show(tile);
    else if (tile >= 0 && tile < this.owner.tiles.n) this.owner.keep(tile);
  }

  async load() {
    this.loaded ??= Promise.all(this.tables.map(async (each) => ({
      ...each,
      tile: await whole(each.tile),
      lists: await Promise.all(each.columns.map((column) => (column.number ? values : whole)(column.value))),
    })));
    return this.loaded;
  }

  /** Shows a tile, or none for -1. */
  async show(tile) {
    this.tile = tile;
    if (tile < 0) {
      this.neighbours = [];
      this.host.replaceChildren(this.hint());
      return;
    }
    const tables = await this.load();
    if (this.tile !== tile) return;
    this.number.value = String(tile);
    const received = tables.find((each) => each.name === 'received');
    this.neighbours = received ? [...new Set(rowsOf(received, tile).map((k) => value(received, k, 'from')))] : [];
    this.host.replaceChildren(...tables.map((each) => (each.name === 'memory' ? this.memory(each, tile) : this.part(each, tile))), received ? this.sends(received, tile) : '');
    if (tables.every((each) => rowsOf(each, tile).length === 0)) {
      this.host.replaceChildren(el('p', { class: 'note', text: `No details of tile ${format(tile)}: on a large machine the report has only the tiles with the highest values.` }));
    }
    this.drawMemory();
    if (!this.owner.inBlocks) this.owner.draw();
  }

  part(each, tile) {
    const rows = rowsOf(each, tile);
    const from = each.columns.findIndex((column) => column.label === 'from');
    const choose = from < 0 ? null : (k) => this.choose(each.lists[from][rows[k]]);
    return tableOf(each.title, each, rows, choose, from < 0 ? null : 'from');
  }

  /** Returns the data that other tiles receive from it; known if all tiles have details. */
  sends(received, tile) {
    const known = new Set(received.tile).size;
    if (this.owner.inBlocks || known === 0) return '';
    const from = received.columns.findIndex((column) => column.label === 'from');
    const rows = [];
    received.lists[from].forEach((sender, k) => sender === tile && rows.push(k));
    if (rows.length === 0) return '';
    const labels = { from: 'to', received: 'sent' };
    const columns = received.columns.map((column) => ({ ...column, label: labels[column.label] ?? column.label }));
    const lists = received.lists.map((list, c) => (c === from ? received.tile : list));
    return tableOf('Sent to', { ...received, columns, lists }, rows, (k) => this.choose(received.tile[rows[k]]), 'to');
  }

  memory(each, tile) {
    const rows = rowsOf(each, tile);
    this.items = rows.map((k) => ({
      what: word(each, k, 'what'), name: word(each, k, 'name'), offset: value(each, k, 'offset'), bytes: value(each, k, 'bytes'), always: Number.isNaN(value(each, k, 'live from')),
    }));
    const end = Math.max(0, ...this.items.map((item) => item.offset + item.bytes));
    const used = this.items.filter((item) => item.always).reduce((sum, item) => sum + item.bytes, 0);
    this.map = el('canvas', { role: 'img', 'aria-label': `Memory of the tile: ${format(used)} of ${format(end)} bytes are always live.` });
    this.legend = el('p', { class: 'note legend' });
    return el('div', { class: 'memory' }, el('h2', { text: each.title }), this.map, this.legend,
      el('p', { class: 'note', text: 'Upper row: always live. Lower row: not always live; variables can share these bytes.' }), tableOf('', each, rows));
  }

  /** Draws the memory from address 0 to the last byte in use, then, after a break, the reserved memory at the top. */
  drawMemory() {
    if (!this.map?.isConnected || !this.items?.length) return;
    const width = Math.max(200, this.map.parentElement.clientWidth);
    const context = sizeCanvas(this.map, width, 54);
    const kinds = [...new Set(this.items.map((item) => item.what))];
    const data = this.items.filter((item) => item.what !== 'reserved');
    const end = Math.max(1, ...data.map((item) => item.offset + item.bytes));
    for (const item of data) {
      context.fillStyle = curve(kinds.indexOf(item.what), isDark()).stroke;
      context.fillRect((item.offset / end) * width, item.always ? 0 : 19, Math.max(0.5, (item.bytes / end) * width - 0.5), 16);
    }
    context.fillStyle = theme('soft');
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'bottom';
    context.fillText('0', 0, 53);
    context.textAlign = 'right';
    context.fillText(quantity(end, 'bytes'), width, 53);
    this.legend.replaceChildren(...kinds.filter((kind) => kind !== 'reserved').flatMap((kind) => [swatch(curve(kinds.indexOf(kind), isDark()).stroke), `${kind} `]));
  }
}

/** Returns the range of rows of a tile, which are consecutive. */
function rowsOf(each, tile) {
  let low = 0;
  let high = each.tile.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (each.tile[middle] < tile) low = middle + 1;
    else high = middle;
  }
  const rows = [];
  while (low < each.tile.length && each.tile[low] === tile) rows.push(low++);
  return rows;
}

function value(each, row, label) {
  return each.lists[each.columns.findIndex((column) => column.label === label)][row];
}

function word(each, row, label) {
  const column = each.columns.find((one) => one.label === label);
  return column.words[value(each, row, label)];
}

/** Returns a table of some rows, with the column `first`, if any, as the first column. */
function tableOf(title, each, rows, choose = null, first = null) {
  const order = each.columns.map((_, c) => c).sort((a, b) => (each.columns[b].label === first) - (each.columns[a].label === first) || a - b);
  const cell = (k, c) => (each.columns[c].number ? each.lists[c][k] : each.columns[c].words[each.lists[c][k]]);
  return table({ title, columns: order.map((c) => each.columns[c]), rows: rows.map((k) => order.map((c) => cell(k, c))) }, { sortable: rows.length > 1, choose });
}
