// The dies of a machine on a canvas: each tile is a rectangle at its row and column. It draws tiles and finds them by place; machine.js has
// measures and tables.

import { css, theme } from './colour.js';
import { sizeCanvas } from './dom.js';

/** Returns the places of tiles: { n, chips, at(chip, row, column), numberOnChip }. Arrays have a number for each tile. */
export function arrange(chip, row, column) {
  const n = chip.length;
  const rows = 1 + row.reduce((a, b) => Math.max(a, b), 0);
  const columns = 1 + column.reduce((a, b) => Math.max(a, b), 0);
  const chips = [...new Set(chip)].sort((a, b) => a - b);
  const slot = new Map(chips.map((c, k) => [c, k]));
  const cell = new Int32Array(chips.length * rows * columns).fill(-1);
  const numberOnChip = new Uint32Array(n);
  const count = new Uint32Array(chips.length);
  for (let i = 0; i < n; i++) {
    const k = slot.get(chip[i]);
    numberOnChip[i] = count[k]++;
    cell[(k * rows + row[i]) * columns + column[i]] = i;
  }
  const at = (k, r, c) => (k < 0 || k >= chips.length || r < 0 || r >= rows || c < 0 || c >= columns ? -1 : cell[(k * rows + r) * columns + c]);
  return { n, chips, rows, columns, slot, at, numberOnChip, chip, row, column };
}

export class Die {
  constructor(canvas, places) {
    this.canvas = canvas;
    this.places = places;
  }

  /** Draws all tiles. list: values; [low, high]: their range; marked: tile with a frame, or -1; others: tiles with a thin frame. */
  draw(width, list, [low, high], marked, others = []) {
    const { places } = this;
    const across = places.chips.length === 1 ? 1 : places.chips.length <= 4 ? 2 : places.chips.length <= 16 ? 4 : 8;
    const gap = across === 1 ? 0 : 12;
    const title = places.chips.length === 1 ? 0 : 16;
    const w = (width - gap * (across - 1)) / across / places.columns;
    const h = Math.max(1.5, Math.min(w * (across === 1 ? 1 : 1.2), across === 1 ? 26 : 16));
    this.grid = { across, gap, title, w, h, chipWidth: w * places.columns, chipHeight: h * places.rows + title };
    const down = Math.ceil(places.chips.length / across);
    const context = sizeCanvas(this.canvas, width, down * this.grid.chipHeight + gap * (down - 1));
    this.drawTitles(context);
    const seam = w > 6 && h > 6 ? 1 : w > 3 && h > 3 ? 0.5 : 0;
    for (let i = 0; i < places.n; i++) {
      const [x, y] = this.corner(i);
      context.fillStyle = css((list[i] - low) / (high - low || 1));
      context.fillRect(x, y, w - seam, h - seam);
    }
    for (const i of others) this.mark(context, i, [[1.5, '#fff'], [0.75, '#000']]);
    if (marked >= 0) this.mark(context, marked, [[4, '#fff'], [2, '#000']]);
  }

  drawTitles(context) {
    if (!this.grid.title) return;
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'top';
    context.fillStyle = theme('soft');
    this.places.chips.forEach((chip, k) => {
      const [x, y] = this.origin(k);
      context.fillText(`IPU ${chip}`, x, y);
    });
  }

  mark(context, i, strokes) {
    const [x, y] = this.corner(i);
    const { w, h } = this.grid;
    for (const [width, colour] of strokes) {
      context.lineWidth = width;
      context.strokeStyle = colour;
      context.strokeRect(x - 1, y - 1, w + 1, h + 1);
    }
  }

  origin(k) {
    const { across, gap, chipWidth, chipHeight } = this.grid;
    return [(k % across) * (chipWidth + gap), Math.floor(k / across) * (chipHeight + gap)];
  }

  corner(i) {
    const { places, grid } = this;
    const [x, y] = this.origin(places.slot.get(places.chip[i]));
    return [x + places.column[i] * grid.w, y + grid.title + places.row[i] * grid.h];
  }

  /** Returns the centre of a tile, in CSS pixels of the canvas. */
  middle(i) {
    const [x, y] = this.corner(i);
    return [x + this.grid.w / 2, y + this.grid.h / 2];
  }

  /** Returns the tile at a pixel, or -1. */
  tileAt(x, y) {
    const { across, gap, title, w, h, chipWidth, chipHeight } = this.grid;
    const [cx, cy] = [Math.floor(x / (chipWidth + gap)), Math.floor(y / (chipHeight + gap))];
    if (cx >= across) return -1;
    const column = Math.floor((x - cx * (chipWidth + gap)) / w);
    const row = Math.floor((y - cy * (chipHeight + gap) - title) / h);
    return this.places.at(cy * across + cx, row, column);
  }

  /** Returns the next tile in a direction; the tile itself if there is none. */
  neighbour(i, right, down) {
    const { places } = this;
    let [r, c] = [places.row[i], places.column[i]];
    const k = places.slot.get(places.chip[i]);
    for (;;) {
      r += down;
      c += right;
      if (r < 0 || c < 0 || r >= places.rows || c >= places.columns) return i;
      const next = places.at(k, r, c);
      if (next >= 0) return next;
    }
  }
}
