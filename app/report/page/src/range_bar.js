// A colour bar with its controls: title, both ends of the range, reset and further buttons.

import { drawBar } from './bar.js';
import { theme } from './colour.js';
import { button, el, sizeCanvas } from './dom.js';
import { format, quantity } from './number.js';

export class RangeBar {
  /** onRange(low, high): called for each change by the reader. isSymmetric: the range is -high to high, with an input for high only. */
  constructor(onRange, { isSymmetric = false, buttons = [] } = {}) {
    Object.assign(this, { onRange, isSymmetric });
    this.canvas = el('canvas', { role: 'img' });
    const input = (label) => el('input', { type: 'number', step: 'any', class: 'short', 'aria-label': label, on: { change: () => this.edit() } });
    this.low = isSymmetric ? null : input('Lower limit of the colour range');
    this.high = input(isSymmetric ? 'Limit of the symmetric colour range' : 'Upper limit of the colour range');
    this.title = el('span', { class: 'bar-title' });
    const reset = button('Reset', () => this.change(...this.own), { class: 'quiet', 'aria-label': 'Reset the colour range to all values' });
    const ends = isSymmetric ? [el('span', { text: '±' }), this.high] : [this.low, el('span', { text: 'to' }), this.high];
    const row = el('div', { class: 'row bar-row' }, this.title, el('span', { class: 'grow' }), ...ends, reset, ...buttons);
    this.place = el('div', { class: 'bar-canvas' }, this.canvas);
    this.node = el('div', { class: 'bar' }, row, this.place);
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.place);
  }

  /** own: range of the values; bar: { label, unit, lineStep, hasMissing, scale }. */
  show(own, bar) {
    this.own = own;
    this.bar = bar;
    this.title.textContent = bar.label + (bar.unit ? ` (${bar.unit})` : '');
    this.change(...own);
  }

  change(low, high) {
    this.bar.range = [low, high];
    if (this.low) this.low.value = Number(low.toPrecision(5));
    this.high.value = Number(high.toPrecision(5));
    this.onRange(low, high);
    this.draw();
  }

  setLineStep(step) {
    if (!this.bar) return;
    this.bar.lineStep = step;
    this.draw();
  }

  edit() {
    const high = Number(this.high.value);
    const low = this.isSymmetric ? -high : Number(this.low.value);
    const isValid = this.high.value !== '' && this.low?.value !== '' && high > low;
    this.high.setCustomValidity(isValid ? '' : this.isSymmetric ? 'The limit must be above 0.' : 'The upper limit must be above the lower one.');
    if (!isValid) {
      this.high.reportValidity();
      return;
    }
    this.bar.range = [low, high];
    this.onRange(low, high);
    this.draw();
  }

  draw() {
    const width = Math.min(this.place.clientWidth, 720);
    if (!this.bar || width < 50) return;
    const { range, label, unit } = this.bar;
    drawBar(sizeCanvas(this.canvas, width, 46), { x: 1, y: 0, width: width - 2 }, this.bar, theme('ink'));
    this.canvas.setAttribute('aria-label', `Colour range of ${label} from ${format(range[0])} to ${quantity(range[1], unit)}`);
  }

  remove() {
    this.observer.disconnect();
  }
}
