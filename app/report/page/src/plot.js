// A plot of curves with a common x axis: uPlot with our colours, zoom and keys.

import uPlot from 'uplot';
import { curve, isDark, theme } from './colour.js';
import { button, el } from './dom.js';
import { format, quantity } from './number.js';

/** Plots into host (emptied first): { x, xLabel, xUnit, yLabel, yUnit, curves: [{label, y}] }. Returns { remove }. */
export function plot(host, { x, xLabel, xUnit, yLabel, yUnit, curves }, { height = 300, sync = null, small = false } = {}) {
  const dark = isDark();
  const axis = (label) => ({
    stroke: theme('ink'),
    grid: { stroke: theme('line'), width: 1 },
    ticks: { stroke: theme('line'), width: 1 },
    label,
    labelSize: small ? 18 : 22,
    labelFont: '12px system-ui, sans-serif',
    font: '12px system-ui, sans-serif',
    values: (_, list) => list.map((v) => format(v)),
  });
  const named = (label, unit) => (unit ? `${label} (${unit})` : label);
  const settings = {
    width: Math.max(200, host.clientWidth),
    height,
    scales: { x: { time: false } },
    axes: [axis(named(xLabel, xUnit)), { ...axis(named(yLabel, yUnit)), size: small ? 48 : 62, space: small ? 22 : 30 }],
    cursor: { sync: sync ? { key: sync } : undefined, drag: { x: true, y: false } },
    legend: { live: true },
    series: [
      { label: xLabel, value: (_, v) => (v === null ? '–' : quantity(v, xUnit)) },
      ...curves.map((c, k) => ({
        label: c.label,
        ...curve(k, dark),
        width: 1.6,
        points: { show: false },
        value: (_, v) => (v === null || v === undefined ? '–' : quantity(v, yUnit)),
      })),
    ],
  };
  host.replaceChildren();
  const chart = new uPlot(settings, [x, ...curves.map((c) => gaps(c.y))], host);
  if (!small) host.prepend(tools(chart, x));
  makeKeys(chart, x, curves.map((c) => c.label).join(', '));
  const observer = new ResizeObserver(() => {
    const width = Math.max(200, host.clientWidth);
    if (width !== chart.width) chart.setSize({ width, height });
  });
  observer.observe(host);
  return { chart, remove: () => (observer.disconnect(), chart.destroy(), host.replaceChildren()) };
}

/** Replaces NaN by null, for which uPlot leaves a gap. */
function gaps(y) {
  return y.some(Number.isNaN) ? Array.from(y, (v) => (Number.isNaN(v) ? null : v)) : y;
}

function tools(chart, x) {
  const whole = () => chart.setScale('x', { min: x[0], max: x[x.length - 1] });
  return el(
    'div',
    { class: 'plot-tools' },
    el('span', { class: 'note', text: 'Drag to zoom in, double-click to show all.' }),
    button('Show all', whole, { class: 'quiet' }),
  );
}

/** Left and right move the cursor, + and - zoom around it, Home shows all. */
function makeKeys(chart, x, names) {
  const area = chart.over;
  chart.root.querySelector('canvas').setAttribute('aria-hidden', 'true');
  area.tabIndex = 0;
  area.setAttribute('role', 'img');
  area.setAttribute('aria-label', `Curves of ${names}. Left and right move the cursor, plus and minus zoom, Home shows all.`);
  area.addEventListener('keydown', (event) => {
    const { min, max } = chart.scales.x;
    const at = chart.cursor.left >= 0 ? chart.posToVal(chart.cursor.left, 'x') : (min + max) / 2;
    const step = (max - min) / 200;
    const moves = { ArrowLeft: -step, ArrowRight: step };
    if (moves[event.key] !== undefined) {
      const left = Math.max(0, Math.min(area.clientWidth, chart.valToPos(at + moves[event.key], 'x')));
      chart.setCursor({ left, top: area.clientHeight / 2 });
    } else if (event.key === '+' || event.key === '=' || event.key === '-') {
      const factor = event.key === '-' ? 1.4 : 1 / 1.4;
      chart.setScale('x', { min: Math.max(x[0], at - (at - min) * factor), max: Math.min(x[x.length - 1], at + (max - at) * factor) });
    } else if (event.key === 'Home') chart.setScale('x', { min: x[0], max: x[x.length - 1] });
    else return;
    event.preventDefault();
  });
}
