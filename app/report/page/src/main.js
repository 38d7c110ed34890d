// The page: its title, the choice of run, tabs, and the theme. Tabs are filled when they are first opened. Tests read the displayed state
// through window.myotile, which never changes it.

import { isDark } from './colour.js';
import { showCompare } from './compare.js';
import { showConduction } from './conduction.js';
import { readReport } from './data.js';
import { el, options } from './dom.js';
import { showEnsemble } from './ensemble.js';
import { showHeart } from './heart_panel.js';
import { showMachine } from './machine.js';
import { showRun } from './run.js';
import { showTraces } from './traces.js';

const violations = [];
document.addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective));

const root = document.getElementById('page');
const report = attempt(readReport);
let run = null;
let opened = new Map(); // tab: the result of its function
let kept = {};

const kindsOfTabs = [
  { name: 'ensemble', text: 'Ensemble', has: () => run.ensemble, open: (host) => showEnsemble(host, run.ensemble) },
  { name: 'heart', text: 'Heart', has: () => run.heart, open: (host) => showHeart(host, run, report.runs, kept) },
  { name: 'traces', text: () => (run.ecg?.length ? (run.traces?.length ? 'Traces and ECG' : 'ECG') : 'Traces'), has: () => run.traces?.length || run.ecg?.length, open: (host) => showTraces(host, run) },
  { name: 'conduction', text: 'Conduction system', has: () => run.heart?.network?.junctions, open: (host) => showConduction(host, run) },
  { name: 'machine', text: 'Machine', has: () => run.machine, open: (host) => showMachine(host, run.machine) },
  { name: 'compare', text: 'Comparison', has: () => report.runs.length > 1, open: (host) => showCompare(host, report.runs) },
  { name: 'run', text: 'Case', has: () => true, open: (host) => showRun(host, run, report.version) },
];

function attempt(action) {
  try {
    return action();
  } catch (error) {
    root.replaceChildren(message(error));
    return undefined;
  }
}

function message(error) {
  console.error(error);
  return el('p', { class: 'trouble', role: 'alert', text: error.message });
}

function start() {
  if (report === null) {
    root.replaceChildren(el('p', { class: 'trouble', text: 'This page contains no report. "myotile report" creates one.' }));
  }
  if (!report) return;
  document.getElementById('theme').addEventListener('click', changeTheme);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  if (report.runs.length > 1) {
    const select = el('select', { id: 'run', on: { change: () => showOne(Number(select.value)) } },
      options(report.runs.map((each, k) => ({ value: k, text: each.folder && each.folder !== each.title ? `${each.title} (${each.folder})` : each.title }))));
    document.getElementById('runs').append(el('label', { for: 'run', text: 'Run' }), select);
  }
  document.getElementById('version').textContent = `Myotile ${report.version}`;
  nameTheme();
  showOne(0);
}

function showOne(k) {
  const before = document.querySelector('[role=tab][aria-selected=true]')?.dataset.tab;
  for (const each of opened.values()) {
    const what = each.shown;
    if (what?.keep) kept = what.keep();
    if (typeof what === 'function') what();
    else what?.remove?.();
  }
  opened = new Map();
  run = report.runs[k];
  document.title = run.title;
  document.getElementById('title').textContent = run.title;
  const tabs = kindsOfTabs.filter((tab) => tab.has());
  const list = el('div', { role: 'tablist', 'aria-label': 'Parts of the report' }, tabs.map(makeTab));
  const panels = tabs.map((tab) => el('div', { role: 'tabpanel', id: `panel-${tab.name}`, 'aria-labelledby': `tab-${tab.name}`, hidden: true }));
  document.getElementById('tabs').replaceChildren(list);
  root.replaceChildren(...panels);
  list.addEventListener('keydown', moveFocus);
  open(tabs.some((tab) => tab.name === before) ? before : tabs[0].name);
}

function makeTab(tab) {
  const text = typeof tab.text === 'function' ? tab.text() : tab.text;
  return el('button', {
    type: 'button', role: 'tab', id: `tab-${tab.name}`, 'data-tab': tab.name, 'aria-controls': `panel-${tab.name}`, text, on: { click: () => open(tab.name) },
  });
}

function moveFocus(event) {
  const all = [...document.querySelectorAll('[role=tab]')];
  const now = all.indexOf(document.activeElement);
  const to = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: all.length - 1 }[event.key];
  if (to === undefined || now < 0) return;
  event.preventDefault();
  const next = all[(to + all.length) % all.length];
  next.focus();
  open(next.dataset.tab);
}

function open(name) {
  for (const tab of document.querySelectorAll('[role=tab]')) {
    const on = tab.dataset.tab === name;
    tab.setAttribute('aria-selected', String(on));
    tab.tabIndex = on ? 0 : -1;
    document.getElementById(`panel-${tab.dataset.tab}`).hidden = !on;
  }
  if (opened.has(name)) return;
  const entry = { shown: null };
  opened.set(name, entry);
  const host = document.getElementById(`panel-${name}`);
  const began = performance.now();
  entry.ready = Promise.resolve(kindsOfTabs.find((tab) => tab.name === name).open(host))
    .then((shown) => {
      entry.shown = shown;
      entry.took_ms = performance.now() - began;
    })
    .catch((error) => {
      entry.error = error.message;
      host.replaceChildren(message(error));
    });
}

function changeTheme() {
  const page = document.documentElement;
  page.dataset.theme = isDark() ? 'light' : 'dark';
  redraw();
}

function nameTheme() {
  document.getElementById('theme').textContent = isDark() ? 'Light' : 'Dark';
}

/** Redraws canvases, which use colours of the theme. */
function redraw() {
  nameTheme();
  for (const [name, entry] of opened) {
    if (entry.shown?.themeChanged) entry.shown.themeChanged();
    else if (name === 'traces') {
      entry.shown?.();
      opened.delete(name);
    }
  }
  const now = document.querySelector('[role=tab][aria-selected=true]')?.dataset.tab;
  if (now) open(now);
}

start();

const heart = () => opened.get('heart')?.shown?.heart ?? null;
window.myotile = Object.freeze({
  /** Resolves when a tab is filled: its error, or null. */
  ready: async (name) => (await opened.get(name)?.ready, opened.get(name)?.error ?? null),
  took_ms: (name) => opened.get(name)?.took_ms,
  violations: () => violations.slice(),
  /** The displayed value at a vertex of the surface. */
  value: (vertex) => {
    const { shown, frames, frame } = heart();
    return shown.kind === 'map' ? shown.map.vertex[vertex] : shown.kind === 'frames' ? frames.at(frame, vertex) : NaN;
  },
  position: (vertex) => Array.from(heart().data.position.subarray(3 * vertex, 3 * vertex + 3)),
  shown: () => {
    const { shown, range, frame, frames, uniforms } = heart();
    const time_ms = shown.kind === 'frames' ? frames.time[frame] : null;
    return { kind: shown.kind, label: shown.label, unit: shown.unit, statistics: shown.statistics ?? null, range, time_ms, lineStep: uniforms.lineStep.value };
  },
  /** The conduction network: its visibility, the displayed value at a point, and the place of a junction. */
  network: (point = 0, junction = 0) => {
    const { strands, network } = heart();
    if (!strands) return null;
    const at = (list, k) => Array.from(list.subarray(3 * k, 3 * k + 3));
    return {
      isShown: strands.group.visible, hasEnds: strands.ends.visible, points: network.points, lines: network.line.length / 2,
      place: at(network.position, point), value: heart().networkValue(point), end: network.junctions && at(network.junctions.position, junction),
    };
  },
  /** The tab of the conduction system: passages of the displayed beat, and its junctions. */
  conduction: () => {
    const { counts, junctions, beat } = opened.get('conduction').shown;
    return { counts, n: junctions.n, delay: Array.from(beat.delay) };
  },
  counts: () => ({ vertices: heart().data.vertices, triangles: heart().data.triangles }),
  /** The clicked place, with V at the displayed time if it is known. */
  picked: () => {
    const { picked, frame } = heart();
    return picked && { ...picked, voltage: picked.voltage?.(frame) ?? null };
  },
  cut: () => heart().cutFace && { triangles: heart().cutFace.n, area_mm2: heart().cutFace.area },
  /** The position of a place [mm] in the picture, in CSS pixels. */
  project: (place) => heart().view.project(place),
  /** Current colours of the picture at CSS pixels [[x, y], ...]: [[r, g, b, a], ...]. */
  pixels: (places) => {
    const { view } = heart();
    view.draw();
    const gl = view.renderer.getContext();
    const ratio = view.renderer.getPixelRatio();
    return places.map(([x, y]) => {
      const colour = new Uint8Array(4);
      gl.readPixels(Math.round(x * ratio), gl.drawingBufferHeight - 1 - Math.round(y * ratio), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, colour);
      return Array.from(colour);
    });
  },
  /** A tile: its centre on the canvas, and its value of the displayed measure. */
  tile: (i) => {
    const { tiles } = opened.get('machine').shown;
    return { middle: tiles.die.middle(i), value: tiles.lists[tiles.m][i], kept: tiles.kept, neighbours: tiles.details?.neighbours ?? [] };
  },
  /** The phases of the time step, with their extents in CSS pixels of the canvas: [left, right]. */
  phases: () => {
    const { timeline } = opened.get('machine').shown;
    const width = timeline.place.clientWidth;
    return timeline.phases.map((phase, k) => ({ ...phase, at: [timeline.edges[k] * width, timeline.edges[k + 1] * width] }));
  },
  /** The compared maps: ranges, statistics, poses, sizes and times of the three views; and the values at a vertex. */
  compared: (vertex = 0) => {
    const { maps } = opened.get('compare').shown;
    return maps && {
      ranges: maps.hearts.map((each) => each.range), statistics: maps.shownStatistics,
      poses: maps.hearts.map(({ view }) => ({ direction: view.pose().direction.toArray(), away: view.pose().away })),
      times: maps.hearts.map(({ frames, frame }) => frames?.time[frame] ?? null),
      position: Array.from(maps.data[0].position.subarray(3 * vertex, 3 * vertex + 3)),
      values: maps.hearts.map(({ shown, frames, frame }) => (shown.kind === 'map' ? shown.map.vertex[vertex] : frames.at(frame, vertex))),
    };
  },
  /** The ensemble: counts of the histograms, and points of the scatter plot. */
  ensemble: () => {
    const { beat, bins, points } = opened.get('ensemble').shown;
    return { beat, bins, points };
  },
  /** A link: the middle of its curve, and its displayed load. */
  link: (k) => {
    const { network } = opened.get('machine').shown;
    const [a, c, b] = network.curves[k];
    return { middle: [0, 1].map((i) => (a[i] + 2 * c[i] + b[i]) / 4), load: network.shown()[k] };
  },
});
