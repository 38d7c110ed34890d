// ECGs on their paper: a grid of 1 and 5 mm, pulses of calibration, and leads. The twelve standard leads stand as on the paper of a
// clinic; other electrodes have a row each. It draws what it is given and measures no intervals.

import { values } from './data.js';
import { button, el, labelled, options, savePng, sizeCanvas, table } from './dom.js';
import { format, quantity } from './number.js';

const paper = { back: '#fff8f6', thin: '#f7d9d6', thick: '#e3a49e', ink: '#111111' }; // the paper is paper in the dark, too
const standard = ['I', 'II', 'III', 'aVR', 'aVL', 'aVF', 'V1', 'V2', 'V3', 'V4', 'V5', 'V6'];
const pulse_mm = 12; // the room of a pulse before its row

/** Shows an ECG in host. Gives { remove }. */
export async function showEcg(host, trace) {
  const x = await values(trace.x);
  const leads = await Promise.all(trace.curves.map(async (c) => ({ name: nameOf(c.label), unit: c.unit, y: await values(c.y) })));
  const layout = layOut(leads);
  const canvas = el('canvas', { class: 'paper', role: 'img', tabindex: '0', 'aria-label': `${trace.label}: ${leads.map((l) => l.name).join(', ')}` });
  const scroll = el('div', { class: 'scroll' }, canvas);
  const speed = el('select', {}, options([{ value: '', text: 'automatic' }, ...[25, 50, 100].map((v) => ({ value: v, text: `${v} mm/s` }))]));
  const gain = el('select', {}, options([{ value: '', text: 'automatic' }, ...[5, 10, 20, 50, 100].map((v) => ({ value: v, text: `${v} mm/mV` }))]));
  const said = el('p', { class: 'note' });
  const read = el('output', { class: 'readout' });
  const draw = (ratio) => {
    const scales = findScales(layout, x, Number(speed.value) || null, Number(gain.value) || null);
    const geometry = measure(layout, x, scales, scroll.clientWidth || 900);
    drawPaper(canvas, layout, x, scales, geometry, ratio);
    said.textContent = told(layout, scales, x);
    return { scales, geometry };
  };
  let drawn = null;
  const again = () => (drawn = draw());
  const save = () => {
    draw(3);
    savePng(canvas, 'ecg.png');
    again();
  };
  canvas.addEventListener('pointermove', (event) => (read.textContent = valueAt(event.offsetX, event.offsetY, layout, x, drawn)));
  canvas.addEventListener('pointerleave', () => (read.textContent = ''));
  speed.addEventListener('change', again);
  gain.addEventListener('change', again);
  host.replaceChildren(
    el('h2', { text: trace.label }),
    el('div', { class: 'row' }, labelled('Speed', speed), labelled('Gain', gain), button('Save as PNG', save), read),
    scroll,
    said,
    extremes(leads, x),
  );
  const observer = new ResizeObserver(() => scroll.clientWidth > 0 && again());
  observer.observe(scroll);
  return { remove: () => observer.disconnect() };
}

function nameOf(label) {
  return label.replace(/^lead\s+/i, '');
}

/** Which lead stands where: { cells: [{lead, row, column, group}], rows, columns, groups }. A group has a gain of its own. */
function layOut(leads) {
  const of = (name) => leads.find((lead) => lead.name === name);
  const rest = leads.filter((lead) => !standard.includes(lead.name));
  if (!standard.every(of)) {
    return { cells: leads.map((lead, row) => ({ lead, row, column: 0, group: 0 })), rows: leads.length, columns: 1, groups: ['all'] };
  }
  const cells = standard.map((name, k) => ({ lead: of(name), row: k % 3, column: Math.floor(k / 3), group: k < 6 ? 0 : 1 }));
  rest.forEach((lead, k) => cells.push({ lead, row: 3 + Math.floor(k / 4), column: k % 4, group: k % 4 < 2 ? 0 : 1 }));
  return { cells, rows: 3 + Math.ceil(rest.length / 4), columns: 4, groups: ['limbs', 'chest'] };
}

/** Speed and gains: 25 mm/s and 10 mm/mV where the record can be read so, else the round ones nearest to it. */
function findScales(layout, x, speed, gain) {
  const seconds = (x[x.length - 1] - x[0]) / 1000 || 1;
  const least = layout.columns > 1 ? 16 : 30;
  const usual = [25, 50, 100, 200, 500, 1000].find((v) => v * seconds >= least) ?? 1000;
  const gains = layout.groups.map((_, group) => {
    let span = 0;
    for (const cell of layout.cells.filter((c) => c.group === group)) span = Math.max(span, ...range(cell.lead.y).map(Math.abs));
    if (!(span > 0) || (10 * span <= 14 && 10 * span >= 3)) return 10;
    const most = 14 / span;
    const power = 10 ** Math.floor(Math.log10(most));
    return [5, 2, 1].map((k) => Number((k * power).toPrecision(3))).find((v) => v <= most);
  });
  return { mm_per_s: speed ?? usual, mm_per_mV: gains.map((g) => gain ?? g), seconds };
}

/** Millimetres of paper, and CSS pixels of one. */
function measure(layout, x, scales, width) {
  const length = Math.ceil((scales.seconds * scales.mm_per_s) / 5) * 5 + 5;
  const perGroup = layout.columns / layout.groups.length;
  const heights = Array.from({ length: layout.rows }, () => 10);
  const zero = Array.from({ length: layout.rows }, () => 0);
  for (let row = 0; row < layout.rows; row++) {
    let [low, high] = [-5, 8]; // room for the pulse
    for (const { lead, group } of layout.cells.filter((c) => c.row === row)) {
      const [least, most] = range(lead.y);
      low = Math.min(low, least * scales.mm_per_mV[group]);
      high = Math.max(high, most * scales.mm_per_mV[group]);
    }
    zero[row] = Math.ceil((high + 4) / 5) * 5;
    heights[row] = zero[row] + Math.ceil((2 - low) / 5) * 5;
  }
  const left = Array.from({ length: layout.columns }, (_, c) => (Math.floor(c / perGroup) + 1) * pulse_mm + 3 + c * length);
  const mm = Math.ceil((left[layout.columns - 1] + length) / 5) * 5;
  const top = heights.map((_, row) => heights.slice(0, row).reduce((a, b) => a + b, 0));
  const px = Math.max(2.6, Math.min(7, (width - 2) / mm));
  return { mm, height: top[layout.rows - 1] + heights[layout.rows - 1], px, left, top, zero, heights, length };
}

function drawPaper(canvas, layout, x, scales, g, ratio) {
  const context = sizeCanvas(canvas, g.mm * g.px, g.height * g.px, ratio);
  context.fillStyle = paper.back;
  context.fillRect(0, 0, g.mm * g.px, g.height * g.px);
  for (const [every, colour, width] of [[1, paper.thin, 0.6], [5, paper.thick, 1]]) {
    if (every * g.px < 3) continue;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    for (let k = 0; k <= g.mm; k += every) line(context, k * g.px, 0, k * g.px, g.height * g.px);
    for (let k = 0; k <= g.height; k += every) line(context, 0, k * g.px, g.mm * g.px, k * g.px);
    context.stroke();
  }
  context.strokeStyle = context.fillStyle = paper.ink;
  context.lineWidth = 1.4;
  context.lineJoin = 'round';
  const perGroup = layout.columns / layout.groups.length;
  for (let row = 0; row < layout.rows; row++) {
    layout.groups.forEach((_, group) => drawPulse(context, g.left[group * perGroup] - pulse_mm, g.top[row] + g.zero[row], g, scales.mm_per_mV[group]));
  }
  for (const cell of layout.cells) drawLead(context, cell, x, scales, g);
}

/** 10 mm high: so many mV stand beside it. */
function drawPulse(context, x, y, g, gain) {
  context.beginPath();
  for (const [dx, dy] of [[0, 0], [2, 0], [2, -10], [7, -10], [7, 0], [9, 0]]) context.lineTo((x + dx) * g.px, (y + dy) * g.px);
  context.stroke();
  context.font = '11px system-ui, sans-serif';
  context.textAlign = 'center';
  context.textBaseline = 'top';
  context.fillText(`${format(10 / gain)} mV`, (x + 4.5) * g.px, (y + 0.8) * g.px);
}

function drawLead(context, { lead, row, column, group }, x, scales, g) {
  const y0 = g.top[row] + g.zero[row];
  const at = (i) => (g.left[column] + ((x[i] - x[0]) / 1000) * scales.mm_per_s) * g.px;
  context.font = '600 13px system-ui, sans-serif';
  context.textAlign = 'left';
  context.textBaseline = 'top';
  context.fillText(lead.name, g.left[column] * g.px, (g.top[row] + 0.8) * g.px);
  context.beginPath();
  let open = false;
  for (let i = 0; i < x.length; i++) {
    if (Number.isNaN(lead.y[i])) open = false;
    else if (open) context.lineTo(at(i), (y0 - lead.y[i] * scales.mm_per_mV[group]) * g.px);
    else {
      context.moveTo(at(i), (y0 - lead.y[i] * scales.mm_per_mV[group]) * g.px);
      open = true;
    }
  }
  context.stroke();
}

function told(layout, scales, x) {
  const [first, second] = scales.mm_per_mV;
  const gains = second !== undefined && second !== first ? `limbs ${format(first)} mm/mV, chest ${format(second)} mm/mV` : `${format(first)} mm/mV`;
  return `${scales.mm_per_s} mm/s, ${gains}; each lead from ${format(x[0])} to ${format(x[x.length - 1])} ms. A pulse is 10 mm high.`;
}

function valueAt(px, py, layout, x, { scales, geometry: g }) {
  const [mmX, mmY] = [px / g.px, py / g.px];
  for (const { lead, row, column } of layout.cells) {
    const t = x[0] + ((mmX - g.left[column]) / scales.mm_per_s) * 1000;
    const inside = mmY >= g.top[row] && mmY < g.top[row] + g.heights[row] && t >= x[0] && t <= x[x.length - 1];
    if (!inside) continue;
    const i = nearest(x, t);
    return `${lead.name}: ${quantity(lead.y[i], lead.unit, 3)} at ${quantity(x[i], 'ms')}`;
  }
  return '';
}

function nearest(x, t) {
  let best = 0;
  for (let i = 1; i < x.length; i++) if (Math.abs(x[i] - t) < Math.abs(x[best] - t)) best = i;
  return best;
}

/** What is seen, in numbers. */
function extremes(leads, x) {
  const rows = leads.map((lead) => {
    const least = at(lead.y, (a, b) => a < b);
    const most = at(lead.y, (a, b) => a > b);
    return [lead.name, lead.y[least] ?? NaN, x[least] ?? NaN, lead.y[most] ?? NaN, x[most] ?? NaN];
  });
  const column = (label, unit) => ({ label, unit, number: true });
  const unit = leads[0]?.unit ?? 'mV';
  const columns = [{ label: 'lead', unit: '', number: false }, column('lowest', unit), column('at', 'ms'), column('highest', unit), column('at', 'ms')];
  return el('details', {}, el('summary', { text: 'Lowest and highest of each lead' }), table({ title: '', columns, rows }, { sortable: true }));
}

function at(y, better) {
  let best = -1;
  y.forEach((v, i) => {
    if (!Number.isNaN(v) && (best < 0 || better(v, y[best]))) best = i;
  });
  return best;
}

function range(y) {
  let [low, high] = [0, 0];
  for (const v of y) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return [low, high];
}

function line(context, x0, y0, x1, y1) {
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
}
