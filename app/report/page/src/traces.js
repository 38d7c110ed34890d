// The tab of traces: time series at points, one plot for each unit, and the ECG (ecg.js).

import { values } from './data.js';
import { el } from './dom.js';
import { showEcg } from './ecg.js';
import { plot } from './plot.js';

/** Shows a run's traces and ECG in host; returns a function that removes them. */
export async function showTraces(host, run) {
  const plots = [];
  const sections = [];
  for (const trace of run.traces ?? []) {
    for (const [unit, curves] of byUnit(trace.curves)) sections.push({ trace, unit, curves, place: el('div', { class: 'plot' }) });
  }
  const ecg = el('div', {});
  host.replaceChildren(
    ...sections.map(({ trace, unit, place }) => el('section', { class: 'card' }, el('h2', { text: titled(trace.label, unit, run) }), place)),
    ecg,
  );
  for (const { trace, unit, curves, place } of sections) {
    const x = await values(trace.x);
    const drawn = await Promise.all(curves.map(async (c) => ({ label: c.label, y: await values(c.y) })));
    plots.push(plot(place, { x, xLabel: trace.x_label, xUnit: trace.x_unit, yLabel: trace.label, yUnit: unit, curves: drawn }, { sync: 'traces' }));
  }
  const ecgs = [];
  for (const trace of run.ecg ?? []) {
    const place = el('section', { class: 'card' });
    ecg.append(place);
    ecgs.push(await showEcg(place, trace));
  }
  return () => [...plots, ...ecgs].forEach((each) => each.remove());
}

function byUnit(curves) {
  const units = new Map();
  for (const c of curves) units.set(c.unit, [...(units.get(c.unit) ?? []), c]);
  return units;
}

function titled(label, unit, run) {
  return run.traces.length > 1 || !unit ? label : `${label} (${unit})`;
}

/** Returns the curve recorded in an element or near a place: { trace, curve, away: mm }, or null if none is close enough. */
export function curveNear(run, element, at, reach) {
  let best = null;
  for (const trace of run.traces ?? []) {
    for (const c of trace.curves) {
      const away = c.at_mm ? Math.hypot(...c.at_mm.map((x, k) => x - at[k])) : Infinity;
      const here = c.element !== null && c.element !== undefined && c.element === element;
      if (here) return { trace, curve: c, away: 0 };
      if (away <= reach && (!best || away < best.away)) best = { trace, curve: c, away };
    }
  }
  return best;
}
