// Elements of the page, created from names, attributes and text, never from markup. All text of a report is set by textContent.

import { format, numeric } from './number.js';

/** Creates an element. Properties: "class", "text", "on" ({click: function}), and any attribute; null and false omit it. */
export function el(name, properties = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === 'text') node.textContent = value;
    else if (key === 'on') for (const [event, action] of Object.entries(value)) node.addEventListener(event, action);
    else node.setAttribute(key, value === true ? '' : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

let ids = 0;
/** Returns a new id for the target of a label or a description. */
export function newId(stem) {
  return `${stem}-${++ids}`;
}

/** Creates a control after its label. */
export function labelled(text, control, ...after) {
  if (!control.id) control.id = newId('control');
  return el('div', { class: 'field' }, el('label', { for: control.id, text }), control, ...after);
}

/** Creates a checkbox before its label. */
export function checkbox(text, checked, change) {
  const box = el('input', { type: 'checkbox', checked, on: { change: () => change(box.checked) } });
  const label = el('label', { class: 'check' }, box, el('span', { text }));
  return { box, label };
}

export function button(text, action, properties = {}) {
  return el('button', { type: 'button', text, ...properties, on: { click: action } });
}

/** Creates the options of a select from [{value, text, group}], arranged by group. */
export function options(list) {
  const result = [];
  let group = null;
  for (const item of list) {
    const option = el('option', { value: item.value, text: item.text });
    if (!item.group) result.push(option);
    else {
      if (!group || group.label !== item.group) result.push((group = el('optgroup', { label: item.group })));
      group.append(option);
    }
  }
  return result;
}

/** Creates a table from the report's form {title, columns, rows}. sortable: its heads are buttons; choose(index of the row): rows can be
 * selected. */
export function table({ title, columns, rows }, { sortable = false, choose = null, note = null } = {}) {
  const order = rows.map((_, i) => i);
  let by = -1;
  let down = false;
  const body = el('tbody');
  const heads = columns.map((column, c) => {
    const words = [el('span', { text: column.label }), column.unit ? el('span', { class: 'unit', text: column.unit }) : null];
    const inner = sortable ? el('button', { type: 'button', class: 'sort', on: { click: () => sort(c) } }, ...words) : null;
    return el('th', { scope: 'col', class: column.number ? 'number' : null }, ...(inner ? [inner] : words));
  });
  const fill = () => body.replaceChildren(...order.map((i) => rowOf(rows[i], columns, choose && (() => choose(i)))));
  const sort = (c) => {
    down = by === c ? !down : Boolean(columns[c].number);
    by = c;
    order.sort((a, b) => compare(rows[a][c], rows[b][c], columns[c].number) * (down ? -1 : 1));
    heads.forEach((head, k) => head.setAttribute('aria-sort', k !== c ? 'none' : down ? 'descending' : 'ascending'));
    fill();
  };
  fill();
  const whole = el('table', { 'aria-label': title || null }, el('thead', {}, el('tr', {}, heads)), body);
  const scroll = el('div', { class: rows.length > 15 ? 'table long' : 'table', tabindex: '0', role: 'group', 'aria-label': title || 'Table' }, whole);
  return el('div', {}, title ? el('h2', { text: title }) : null, scroll, note ? el('p', { class: 'note', text: note }) : null);
}

function rowOf(row, columns, choose) {
  const cells = columns.map((column, c) => {
    const text = format(row[c]);
    if (c === 0 && choose) return el('td', { class: column.number ? 'number' : null }, button(text, choose, { class: 'link' }));
    return el('td', { class: column.number ? 'number' : null, text });
  });
  return el('tr', choose ? { class: 'chosen-by-click', on: { click: choose } } : {}, cells);
}

function compare(a, b, number) {
  if (!number) return String(a ?? '').localeCompare(String(b ?? ''), 'en', { numeric: true });
  const x = numeric(a);
  const y = numeric(b);
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
  return x - y;
}

/** Sizes a canvas in CSS pixels, sharp on any screen, and returns its context in CSS pixels. */
export function sizeCanvas(canvas, width, height, ratio = window.devicePixelRatio || 1) {
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

/** Creates a coloured square for a legend. */
export function swatch(colour, alpha = 1) {
  const canvas = el('canvas', { class: 'swatch', 'aria-hidden': 'true' });
  const context = sizeCanvas(canvas, 11, 11);
  context.fillStyle = colour;
  context.globalAlpha = alpha;
  context.fillRect(0, 0, 11, 11);
  return canvas;
}

/** Saves a canvas as a PNG with this name. */
export function savePng(canvas, name) {
  canvas.toBlob((blob) => {
    const url = URL.createObjectURL(blob);
    el('a', { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  });
}
