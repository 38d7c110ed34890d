// The links between chips with their loads: chips on a circle, a curve for each link in each direction.

import { drawBar } from './bar.js';
import { css, missing, theme } from './colour.js';
import { el, labelled, options, sizeCanvas } from './dom.js';
import { format, quantity } from './number.js';

const measures = [{ key: 'busy_cycles', text: 'busy time', unit: 'cycles' }, { key: 'bytes', text: 'bytes', unit: 'bytes' }];

export class Network {
  constructor(network) {
    this.network = network;
    this.over = -1;
  }

  build() {
    const { sets, links, ipus } = this.network;
    this.set = el('select', { on: { change: () => this.draw() } }, options(sets.map(({ set }, k) => ({ value: k, text: set.name }))));
    this.measure = el('select', { on: { change: () => this.draw() } }, options(measures.map((m, k) => ({ value: k, text: m.text }))));
    this.canvas = el('canvas', { role: 'img', class: 'die' });
    this.barCanvas = el('canvas', { 'aria-hidden': 'true' });
    this.place = el('div', {}, this.canvas);
    this.readout = el('p', { class: 'readout', text: ' ' });
    this.canvas.addEventListener('pointermove', (event) => this.pointAt(this.linkAt(event.offsetX, event.offsetY)));
    this.canvas.addEventListener('pointerleave', () => this.pointAt(-1));
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.place);
    return el('section', { class: 'card network' },
      el('h2', { text: `${format(links.length)} links between ${format(ipus)} IPUs, each direction counted` }),
      el('div', { class: 'row' }, labelled('Load in one run of', this.set), labelled('Colour by', this.measure)),
      this.place, this.barCanvas, this.readout);
  }

  /** Returns the displayed load of each link. */
  shown() {
    const { key } = measures[Number(this.measure.value)];
    return this.network.sets[Number(this.set.value)].loads.map((load) => load[key]);
  }

  draw() {
    const width = this.place?.clientWidth ?? 0;
    if (width < 50) return;
    const size = Math.min(width, 560);
    const height = this.network.ipus > 2 ? size : size / 2;
    const context = sizeCanvas(this.canvas, width, height);
    const list = this.shown();
    const most = Math.max(1, ...list);
    const { unit } = measures[Number(this.measure.value)];
    this.arrange(width, height, size / 2 - 34);
    const order = Array.from(list.keys()).sort((a, b) => list[a] - list[b]); // the busiest are on top
    for (const k of order) this.drawLink(context, k, list[k] / most);
    if (this.over >= 0) this.drawLink(context, this.over, list[this.over] / most, true);
    this.drawChips(context);
    drawBar(sizeCanvas(this.barCanvas, Math.min(width, 560), 46), { x: 1, y: 0, width: Math.min(width, 560) - 2 }, { range: [0, most], unit, lineStep: 0 }, theme('ink'));
    const busiest = order[order.length - 1];
    this.canvas.setAttribute('aria-label', `Links between IPUs. The busiest is ${this.network.links[busiest].name}: ${quantity(list[busiest], unit)}.`);
  }

  arrange(width, height, radius) {
    const n = this.network.ipus;
    this.chips = Array.from({ length: n }, (_, k) => {
      const angle = (2 * Math.PI * k) / n + Math.PI;
      return [width / 2 + radius * Math.cos(angle), height / 2 + radius * Math.sin(angle)];
    });
    const seen = new Map();
    this.curves = this.network.links.map(({ from, to }) => {
      const pair = `${from} ${to}`;
      const number = seen.get(pair) ?? 0;
      seen.set(pair, number + 1);
      return curveOf(this.chips[from], this.chips[to], 0.07 + 0.09 * number);
    });
  }

  drawLink(context, k, share, marked = false) {
    const [[x0, y0], [cx, cy], [x1, y1]] = this.curves[k];
    context.beginPath();
    context.moveTo(x0, y0);
    context.quadraticCurveTo(cx, cy, x1, y1);
    if (marked) {
      context.lineWidth = 8;
      context.strokeStyle = theme('ink');
      context.stroke();
    }
    context.lineWidth = share > 0 ? 1.5 + 3.5 * share : 1;
    context.strokeStyle = share > 0 ? css(share) : missing;
    context.stroke();
    const [x, y] = pointOf(this.curves[k], 0.5);
    const angle = Math.atan2(y1 - y0, x1 - x0);
    const arm = 4 + 4 * share;
    context.beginPath();
    context.moveTo(x + arm * Math.cos(angle), y + arm * Math.sin(angle));
    for (const turn of [2.5, -2.5]) context.lineTo(x + arm * Math.cos(angle + turn), y + arm * Math.sin(angle + turn));
    context.fillStyle = context.strokeStyle;
    context.fill();
  }

  drawChips(context) {
    context.font = '12px system-ui, sans-serif';
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.lineWidth = 1.5;
    this.chips.forEach(([x, y], k) => {
      context.beginPath();
      context.arc(x, y, this.chips.length > 32 ? 9 : 14, 0, 2 * Math.PI);
      context.fillStyle = theme('back');
      context.fill();
      context.strokeStyle = theme('ink');
      context.stroke();
      context.fillStyle = theme('ink');
      context.fillText(String(k), x, y);
    });
  }

  /** Returns the link near a pixel, or -1. */
  linkAt(x, y) {
    let best = -1;
    let nearest = 8;
    (this.curves ?? []).forEach((curve, k) => {
      for (let i = 2; i <= 18; i++) {
        const [px, py] = pointOf(curve, i / 20);
        const distance = Math.hypot(px - x, py - y);
        if (distance < nearest) [nearest, best] = [distance, k];
      }
    });
    return best;
  }

  pointAt(k) {
    if (k === this.over) return;
    this.over = k;
    this.draw();
    if (k < 0) this.readout.textContent = ' ';
    else {
      const { set, loads } = this.network.sets[Number(this.set.value)];
      const { name, bytes, busy_cycles: busy } = loads[k];
      const share = (100 * busy) / set.exchange_cycles;
      this.readout.textContent = `${name}: ${quantity(bytes, 'bytes')}, busy for ${quantity(busy, 'cycles')}, ${format(share, 3)} % of the exchange.`;
    }
  }

  remove() {
    this.observer?.disconnect();
  }
}

/** Returns a curve from a to b, bent to the right by a fraction of its length. */
function curveOf(a, b, bow) {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  return [a, [(a[0] + b[0]) / 2 - 2 * bow * dy, (a[1] + b[1]) / 2 + 2 * bow * dx], b];
}

function pointOf([a, c, b], t) {
  return [0, 1].map((k) => (1 - t) ** 2 * a[k] + 2 * t * (1 - t) * c[k] + t ** 2 * b[k]);
}
