// ECGs on millimetre paper: a grid of 1 and 5 mm, calibration pulses, and leads. The standard leads have the usual clinical arrangement;
// other electrodes have one row each. Speed and gains are taken from ecg.png, through the report. It measures no intervals.

import { values } from './data.js';
import { button, el, labelled, options, savePng, sizeCanvas, table } from './dom.js';
import { format, quantity } from './number.js';

const paper = { back: '#fff8f6', thin: '#f7d9d6', thick: '#e3a49e', ink: '#111111', stimulus: '#1a4dbf' }; // the same in the dark theme
const limbs = 6; // leads
const chest = ['V1', 'V2', 'V3', 'V4', 'V5', 'V6'];
const pulse_mm = 12; // width of the calibration pulse before a row

/** Shows an ECG in host. Returns { remove }. */
export async function showEcg(host, trace) {
  const x = await values(trace.x);
  const leads = await Promise.all(trace.curves.map(async (c) => ({ name: nameOf(c.label), unit: c.unit, y: await values(c.y) })));
  const layout = layOut(leads, trace);
  const canvas = el('canvas', { class: 'paper', role: 'img', tabindex: '0', 'aria-label': `${trace.label}: ${leads.map((l) => l.name).join(', ')}` });
  const scroll = el('div', { class: 'scroll' }, canvas);
  const speed = el('select', {}, options([{ value: '', text: `${trace.mm_per_s} mm/s, as in ecg.png` }, ...[25, 50, 100].filter((v) => v !== trace.mm_per_s).map((v) => ({ value: v, text: `${v} mm/s` }))]));
  const gain = el('select', {}, options([{ value: '', text: 'as in ecg.png' }, ...[5, 10, 20, 50, 100, 200, 500, 1000].map((v) => ({ value: v, text: `${v} mm/mV` }))]));
  const said = el('p', { class: 'note' });
  const read = el('output', { class: 'readout' });
  const draw = (ratio) => {
    const scales = findScales(trace, x, Number(speed.value), Number(gain.value));
    const geometry = measure(layout, x, scales, scroll.clientWidth || 900);
    drawPaper(canvas, layout, x, scales, geometry, ratio);
    said.textContent = told(layout, scales, x, trace);
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

/** Returns the place of each lead: { cells: [{lead, row, column, group}], rows, columns: [group], groups, spans, breaks }. Each group, limb
 * leads or chest leads, has one gain. Standard leads are first; empty columns of chest leads are omitted. */
function layOut(leads, { n_standard, stimulated, mm_per_mV }) {
  const place = (lead, k) => {
    if (n_standard === 0) return { lead, row: k, column: 0 };
    if (k >= n_standard) return null;
    const at = k < limbs ? k : limbs + chest.indexOf(lead.name);
    return { lead, row: at % 3, column: Math.floor(at / 3) };
  };
  const cells = leads.map(place).filter(Boolean);
  const n = Math.max(...cells.map((cell) => cell.column)) + 1;
  const columns = Array.from({ length: n }, (_, column) => (column < 2 ? 0 : 1));
  leads.slice(cells.length).forEach((lead, k) => cells.push({ lead, row: 3 + Math.floor(k / n), column: k % n }));
  for (const cell of cells) cell.group = columns[cell.column];
  const groups = n_standard === 0 ? [''] : n_standard === limbs ? ['limb leads: '] : ['limb leads: ', 'chest leads: '];
  return { cells, rows: Math.max(...cells.map((cell) => cell.row)) + 1, columns, groups: groups.map((name, k) => ({ name, mm_per_mV: mm_per_mV[k] })), spans: stimulated };
}

/** Returns speed and gains: from ecg.png, or chosen. */
function findScales(trace, x, speed, gain) {
  const seconds = (x[x.length - 1] - x[0]) / 1000 || 1;
  return { mm_per_s: speed || trace.mm_per_s, mm_per_mV: trace.mm_per_mV.map((usual) => gain || usual), seconds };
}

/** Returns the size of the paper in mm, and the CSS pixels of one mm. */
function measure(layout, x, scales, width) {
  const length = Math.ceil((scales.seconds * scales.mm_per_s) / 5) * 5 + 5;
  const heights = Array.from({ length: layout.rows }, () => 10);
  const zero = Array.from({ length: layout.rows }, () => 0);
  for (let row = 0; row < layout.rows; row++) {
    let [low, high] = [-5, 8]; // space for the pulse
    for (const { lead, group } of layout.cells.filter((c) => c.row === row)) {
      const [least, most] = range(lead.y);
      low = Math.min(low, least * scales.mm_per_mV[group]);
      high = Math.max(high, most * scales.mm_per_mV[group]);
    }
    zero[row] = Math.ceil((high + 4) / 5) * 5;
    heights[row] = zero[row] + Math.ceil((2 - low) / 5) * 5;
  }
  const left = layout.columns.map((group, column) => (group + 1) * pulse_mm + 3 + column * length);
  const mm = Math.ceil((left[layout.columns.length - 1] + length) / 5) * 5;
  const top = heights.map((_, row) => heights.slice(0, row).reduce((a, b) => a + b, 0));
  const height = top[layout.rows - 1] + heights[layout.rows - 1];
  const px = Math.max(3.2, Math.min(24, (width - 2) / mm, 800 / height));
  return { mm, height, px, left, top, zero, heights, length };
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
  for (const { row, column, group } of layout.cells.filter(({ column }) => layout.columns.indexOf(layout.columns[column]) === column)) {
    drawPulse(context, g.left[column] - pulse_mm, g.top[row] + g.zero[row], g, scales.mm_per_mV[group]);
  }
  for (const cell of layout.cells) drawLead(context, cell, x, scales, g, breaks(layout.spans, x));
  for (const cell of layout.cells) drawStimuli(context, cell, layout.spans, x, scales, g);
}

/** Returns the first sample after each span: no line is drawn to it. */
function breaks(spans, x) {
  return new Set(spans.map(([, to]) => x.findIndex((t) => t > to)));
}

/** Draws a calibration pulse, 10 mm high, with its voltage below it. */
function drawPulse(context, x, y, g, gain) {
  context.beginPath();
  for (const [dx, dy] of [[0, 0], [2, 0], [2, -10], [7, -10], [7, 0], [9, 0]]) context.lineTo((x + dx) * g.px, (y + dy) * g.px);
  context.stroke();
  context.font = '11px system-ui, sans-serif';
  context.textAlign = 'center';
  context.textBaseline = 'top';
  context.fillText(`${format(10 / gain)} mV`, (x + 4.5) * g.px, (y + 0.8) * g.px);
}

/** Draws a mark at the bottom of the row for each stimulus. */
function drawStimuli(context, { row, column }, spans, x, scales, g) {
  context.save();
  context.strokeStyle = paper.stimulus;
  context.beginPath();
  for (const [from] of spans.filter(([t]) => t >= x[0] && t <= x[x.length - 1])) {
    const at = (g.left[column] + ((from - x[0]) / 1000) * scales.mm_per_s) * g.px;
    const bottom = (g.top[row] + g.heights[row]) * g.px;
    line(context, at, bottom - 3, at, bottom - 12);
  }
  context.stroke();
  context.restore();
}

function drawLead(context, { lead, row, column, group }, x, scales, g, parted) {
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
    else if (open && !parted.has(i)) context.lineTo(at(i), (y0 - lead.y[i] * scales.mm_per_mV[group]) * g.px);
    else {
      context.moveTo(at(i), (y0 - lead.y[i] * scales.mm_per_mV[group]) * g.px);
      open = true;
    }
  }
  context.stroke();
}

function told(layout, scales, x, trace) {
  const gains = layout.groups.map(({ name }, k) => `${name}${format(scales.mm_per_mV[k])} mm/mV`).join(', ');
  const stimuli = layout.spans.length > 0 ? ' Blue marks: stimuli; the artefact is not drawn.' : '';
  return (
    `${scales.mm_per_s} mm/s (1 mm = ${format(1000 / scales.mm_per_s)} ms), ${gains}; each lead from ${format(x[0])} to ${format(x[x.length - 1])} ms. ` +
    `Calibration pulses are 10 mm high.${stimuli} ${trace.note}`
  );
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

/** Returns the displayed values, for tests. */
function extremes(leads, x) {
  const rows = leads.map((lead) => {
    const least = at(lead.y, (a, b) => a < b);
    const most = at(lead.y, (a, b) => a > b);
    return [lead.name, lead.y[least] ?? NaN, x[least] ?? NaN, lead.y[most] ?? NaN, x[most] ?? NaN];
  });
  const column = (label, unit) => ({ label, unit, number: true });
  const unit = leads[0]?.unit ?? 'mV';
  const columns = [{ label: 'lead', unit: '', number: false }, column('minimum', unit), column('at', 'ms'), column('maximum', unit), column('at', 'ms')];
  return el('details', {}, el('summary', { text: 'Minimum and maximum of each lead' }), table({ title: '', columns, rows }, { sortable: true }));
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
